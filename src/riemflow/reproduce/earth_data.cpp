#include "riemflow/reproduce/earth_data.hpp"

#include <fmt/format.h>

#include "riemflow/core/error.hpp"
#include "riemflow/fit/data_set.hpp"
#include "riemflow/io/data_sets.hpp"

namespace riemflow {
namespace {

constexpr EarthSet kSets[] = {
    {"volcano", 3000, 1e-3, "−0.31 ± 0.07", "−0.64 ± 0.20", "−0.97 ± 0.15"},
    {"earthquake", 1000, 1e-3, "0.59 ± 0.01", "0.43 ± 0.04", "0.19 ± 0.04"},
    {"flood", 1000, 1e-4, "1.09 ± 0.01", "0.99 ± 0.04", "0.90 ± 0.03"},
    {"fire", 1000, 1e-3, "−0.23 ± 0.02", "−0.40 ± 0.06", "−0.66 ± 0.05"},
};
constexpr EarthSet kQuickSets[] = {{"earthquakes", 20, 1e-3, "–", "–", "–"}};

}  // namespace

std::span<const EarthSet> earth_sets(bool quick) {
  return quick ? std::span<const EarthSet>(kQuickSets) : std::span<const EarthSet>(kSets);
}

void check_earth_set(const EarthSet& set, const std::string& data_dir) {
  const FoundData found = find_data_set(set.name, data_dir);
  if (const auto hash = found.other_hash())
    throw Error(fmt::format("{} is not the {} set of the paper: its SHA-256 is {}, not {}", found.path,
                            set.name, *hash, found.known->sha256),
                fmt::format("get that one ({})", found.known->source), Fault::bad_data);
}

EarthSplit earth_split(const EarthSet& set, Protocol protocol, std::uint64_t seed,
                       const std::string& data_dir) {
  FitOptions options;
  options.data_dir = data_dir;
  options.dedup = protocol == Protocol::distinct;
  options.seed = seed;
  Observer silent;
  const DataSet data = read_data_set(set.name, options, silent);
  const Split& split = data.split;
  return {part_of<double>(data.points, protocol == Protocol::two_way ? split.known() : split.training),
          part_of<double>(data.points, split.validation), part_of<double>(data.points, split.test)};
}

}  // namespace riemflow
