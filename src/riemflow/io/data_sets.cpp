#include "riemflow/io/data_sets.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "riemflow/core/error.hpp"
#include "riemflow/core/suggest.hpp"
#include "riemflow/io/embedded.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/sha256.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow {
namespace {

namespace fs = std::filesystem;

constexpr KnownData kKnown[] = {
    {"earthquakes", "significant earthquakes, 2150 BC to 2016", "significant_earthquakes.csv",
     "b0d532b1e7f04a56fdb0969d2225a7ca3f38962771cece2b1a9b12a912cf104e", 5871, 5194, "sphere:2",
     "latitude,longitude",
     "NOAA National Centers for Environmental Information / World Data Service, Significant Earthquake "
     "Database, doi:10.7289/V5TD9V7K; US public domain",
     true},
    {"torsions", "backbone torsion angles phi, psi of proteins, 8,000 of each of four residue classes",
     "torsions.csv", "5deb37dfaf89d89433bf00b330dc1f17efffe3b7fec76a38cb72e300904b8ade", 32000, 31755,
     "torus:2", "phi_deg,psi_deg", "drawn at random from Debian's package promod3-data; Apache-2.0", true},
    {"volcano", "volcanic eruptions, of the paper's earth table", "earth/volcano.csv",
     "f7bbaf32a412f5fe82350f48e0c55100be260803969c16557343f687fd0593fc", 827, 267, "sphere:2", "1,2",
     "NOAA; github.com/oxcsml/riemannian-score-sde, data/volerup.csv", false},
    {"earthquake", "earthquakes, of the paper's earth table", "earth/earthquake.csv",
     "3e5e1a10fb2faf1899106264289334037d039f00f5265d13dad388a93d8ff2f7", 6120, 5447, "sphere:2", "1,2",
     "NOAA; github.com/oxcsml/riemannian-score-sde, data/quakes_all.csv", false},
    {"flood", "floods, of the paper's earth table", "earth/flood.csv",
     "ffb1e3182c3053afcdeceec4727c262a29da10255d20747c08144da5b0963486", 4875, 4861, "sphere:2", "1,2",
     "Dartmouth Flood Observatory; github.com/oxcsml/riemannian-score-sde, data/flood.csv", false},
    {"fire", "fires seen from orbit, of the paper's earth table", "earth/fire.csv",
     "c5c6c9490b1d8c58ba9eb78d9e2f82d1c1e62694ca5cff917c54600d3d83f459", 12809, 12802, "sphere:2", "1,2",
     "NASA FIRMS; github.com/oxcsml/riemannian-score-sde, data/fire.csv", false},
    {"rna", "seven backbone torsion angles of RNA nucleotides", "torus/rna.tsv",
     "189183ca25bd45c8a7578d3c1cd8a555b5139bb1ab0ac1a0bd25672be19badf7", 9478, 9478, "torus:7", "3-9",
     "computed from the Protein Data Bank; github.com/facebookresearch/riemannian-fm, section Data", false},
};

std::string_view embedded_bytes(const KnownData& known) {
  return known.name == "torsions" ? embedded_torsions_csv() : embedded_earthquakes_csv();
}

const KnownData* by_name(std::string_view name) {
  for (const KnownData& known : kKnown)
    if (known.name == name) return &known;
  return nullptr;
}

std::string_view near_name(std::string_view typed) {
  std::vector<std::string_view> names;
  for (const KnownData& known : kKnown) names.push_back(known.name);
  return nearest_name(typed, names);
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Whether it is to be opened as a file (or "-"): there is one, or at least no such data set. Throws Error
/// where it is neither and a set has a near name.
bool is_file(const std::string& path_or_name) {
  if (path_or_name == "-" || is_there(path_or_name)) return true;
  if (by_name(path_or_name) != nullptr) return false;
  const std::string_view nearest = near_name(path_or_name);
  require(
      nearest.empty(), fmt::format("{} is neither a file nor a known data set", io::in_quotes(path_or_name)),
      fmt::format("perhaps you meant '{}'? `riemflow data list` names the sets", nearest), Fault::no_input);
  return true;  // opening it says what is wrong with it
}

/// The set's own columns are points of its own manifold alone.
ReadOptions completed(ReadOptions options, const KnownData& known) {
  if (options.manifold.empty()) options.manifold = known.manifold;
  if (!options.columns.empty()) return options;
  const std::string name = parse_manifold<double>(options.manifold)->name();
  require(name == known.manifold,
          fmt::format("the data set {} is on {}, not on {}", known.name, known.manifold, name),
          "use data of that manifold, or choose its columns with ‹columns›", Fault::bad_data);
  options.columns = known.columns;
  return options;
}

}  // namespace

std::span<const KnownData> known_data_sets() { return kKnown; }

const KnownData& known_data_set(std::string_view name) {
  if (const KnownData* known = by_name(name)) return *known;
  const std::string_view nearest = near_name(name);
  throw Error(fmt::format("there is no data set {}{}", io::in_quotes(name),
                          nearest.empty() ? "" : fmt::format(", perhaps you meant '{}'", nearest)),
              "`riemflow data list` names them", Fault::usage);
}

std::string data_folder(const std::string& data_dir) {
  if (!data_dir.empty()) return data_dir;
  const char* folder = std::getenv("RIEMFLOW_DATA");
  return folder == nullptr ? "" : folder;
}

std::optional<std::string> FoundData::other_hash() const {
  if (path.empty()) return std::nullopt;
  const std::string hex = sha256_of_file(path);
  return hex == known->sha256 ? std::nullopt : std::optional(hex);
}

std::optional<FoundData> look_for_data_set(std::string_view name, const std::string& data_dir) {
  const KnownData& known = known_data_set(name);
  FoundData found{&known, "", {}};
  if (known.embedded) {
    found.bytes = embedded_bytes(known);
    return found;
  }
  const std::string folder = data_folder(data_dir);
  if (folder.empty()) return std::nullopt;
  const fs::path path = fs::path(folder) / known.file;
  if (!is_there(path)) return std::nullopt;
  found.path = path.string();
  return found;
}

FoundData find_data_set(std::string_view name, const std::string& data_dir) {
  if (auto found = look_for_data_set(name, data_dir)) return *std::move(found);
  const KnownData& known = known_data_set(name);
  const std::string folder = data_folder(data_dir);
  throw Error(
      folder.empty() ? fmt::format("the data set {} is not part of riemflow", name)
                     : fmt::format("the data set {} is not there: no {}", name,
                                   (fs::path(folder) / known.file).string()),
      fmt::format(
          "get it ({}), name it {}, and give the folder that this is in by ‹data-dir› or RIEMFLOW_DATA",
          known.source, known.file),
      Fault::no_input);
}

std::unique_ptr<io::ByteSource> open_data_bytes(const std::string& path_or_name,
                                                const std::string& data_dir) {
  if (is_file(path_or_name)) return io::open_bytes(path_or_name);
  const FoundData found = find_data_set(path_or_name, data_dir);
  return found.path.empty() ? io::memory_bytes(found.bytes) : io::open_bytes(found.path);
}

std::unique_ptr<PointSource> open_data(const std::string& path_or_name, const ReadOptions& options,
                                       const std::string& data_dir) {
  if (is_file(path_or_name)) return open_points(path_or_name, options);
  const FoundData found = find_data_set(path_or_name, data_dir);
  const ReadOptions all = completed(options, *found.known);
  if (found.path.empty()) return open_points_in(found.bytes, path_or_name, all);
  auto source = open_points(found.path, all);
  if (const auto hash = found.other_hash())
    source->warn(fmt::format("{} is not the {} set that is known: its SHA-256 is {}.", found.path,
                             found.known->name, *hash));
  return source;
}

}  // namespace riemflow
