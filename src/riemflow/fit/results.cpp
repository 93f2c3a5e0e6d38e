#include "riemflow/fit/results.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include "riemflow/core/error.hpp"
#include "riemflow/core/running_mean.hpp"
#include "riemflow/io/atomic_file.hpp"

namespace riemflow {
namespace {

/// Held while a file of this folder is read, changed and written, by one process at a time. The folder is
/// what is locked: the file itself is replaced by every write. Where a file system has no such locks, the
/// little time between reading and writing is all that is left to chance.
class FolderLock {
 public:
  explicit FolderLock(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    descriptor_ = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

 private:
  int descriptor_;
};

Json read_results(const std::string& path) {
  std::ifstream file(path);
  Json all = Json::parse(file, nullptr, false);
  require(all.is_object() && all.contains("runs") && all["runs"].is_object(),
          path + ": not the results of an experiment", "move it away, or name another ‹directory›",
          Fault::bad_data);
  return all;
}

}  // namespace

Interval interval_of(const std::vector<double>& values) {
  RunningMean mean;
  for (const double value : values) mean.add(value);
  return {mean.mean(), 1.96 * mean.standard_error(), values.size()};
}

std::string text_of(const Interval& interval, int digits) {
  if (interval.runs == 0) return "–";
  if (interval.runs == 1) return fmt::format("{:.{}f}", interval.mean, digits);
  return fmt::format("{:.{}f} ± {:.{}f}", interval.mean, digits, interval.half_width, digits);
}

double rounded_to(double value, int digits) {
  return std::isfinite(value) ? std::strtod(fmt::format("{:.{}e}", value, digits - 1).c_str(), nullptr)
                              : std::numeric_limits<double>::quiet_NaN();
}

Json rounded_array(const std::vector<double>& values, int digits) {
  Json all = Json::array();
  for (double value : values) all.push_back(rounded_to(value, digits));
  return all;
}

Results::Results(std::string path, const std::string& experiment, bool quick) : path_(std::move(path)) {
  if (!path_.empty() && std::filesystem::exists(path_)) {
    all_ = read_results(path_);
    require(all_.value("experiment", "") == experiment && all_.value("quick", false) == quick,
            fmt::format("{} holds {} results of {}", path_, all_.value("quick", false) ? "quick" : "whole",
                        all_.value("experiment", "another experiment")),
            "name another ‹directory›");
    return;
  }
  all_ = {{"experiment", experiment}, {"quick", quick}, {"runs", Json::object()}};
}

bool Results::has(const std::string& cell, std::uint64_t seed) const {
  const Json& runs = all_["runs"];
  return runs.contains(cell) && runs[cell].contains(std::to_string(seed));
}

void Results::take_in() {
  if (path_.empty() || !std::filesystem::exists(path_)) return;
  const Json theirs = read_results(path_);
  for (const auto& [key, value] : theirs.items()) {
    if (key == "runs" || key == "notes") continue;
    const bool fixed = key == "configuration" || key.starts_with("row ");
    require(!fixed || !all_.contains(key) || all_[key] == value,
            fmt::format("{} now holds runs of another comparison ({}: {})", path_, key, value.dump()),
            "another process writes to it: name another ‹directory›");
    if (!all_.contains(key)) all_[key] = value;
  }
  if (theirs.contains("notes"))
    for (const auto& [key, value] : theirs["notes"].items())
      if (!all_.contains("notes") || !all_["notes"].contains(key)) all_["notes"][key] = value;
  for (const auto& [cell, seeds] : theirs["runs"].items())
    for (const auto& [seed, run] : seeds.items())
      if (!all_["runs"].contains(cell) || !all_["runs"][cell].contains(seed)) all_["runs"][cell][seed] = run;
}

void Results::add(const std::string& cell, std::uint64_t seed, Json run) {
  std::optional<FolderLock> lock;
  if (!path_.empty()) lock.emplace(path_);
  take_in();
  all_["runs"][cell][std::to_string(seed)] = std::move(run);
  if (!path_.empty()) write_file_atomically(path_, text());
}

std::string Results::origin() const {
  std::string text = description("machine") + ", riemflow " + description("version");
  if (all_.contains("notes"))
    for (const auto& [key, value] : all_["notes"].items())
      text += fmt::format("; {}: {}", key, value.get<std::string>());
  return text;
}

std::string Results::text() const {
  std::string text = "{";
  for (const auto& [key, value] : all_.items())
    if (key != "runs") text += fmt::format("\n {}: {},", Json(key).dump(), value.dump());
  text += "\n \"runs\": {";
  const char* between = "";
  for (const auto& [cell, seeds] : all_["runs"].items()) {
    text += fmt::format("{}\n  {}: {{", between, Json(cell).dump());
    between = "";
    for (const auto& [seed, run] : seeds.items()) {
      text += fmt::format("{}\n   {}: {}", between, Json(seed).dump(), run.dump());
      between = ",";
    }
    text += "\n  }";
    between = ",";
  }
  return text + "\n }\n}\n";
}

std::vector<double> Results::values(const std::string& cell, const std::string& key) const {
  std::vector<double> found;
  const Json& runs = all_["runs"];
  if (!runs.contains(cell)) return found;
  for (const auto& [seed, run] : runs[cell].items())
    if (run.contains(key) && run[key].is_number()) found.push_back(run[key].get<double>());
  return found;
}

std::vector<const Json*> Results::runs_of(const std::string& cell) const {
  std::vector<std::pair<int, const Json*>> found;
  const Json& runs = all_["runs"];
  if (runs.contains(cell))
    for (const auto& [seed, run] : runs[cell].items()) found.emplace_back(std::atoi(seed.c_str()), &run);
  std::sort(found.begin(), found.end());
  std::vector<const Json*> result;
  for (const auto& [seed, run] : found) result.push_back(run);
  return result;
}

std::size_t Results::runs(const std::string& cell) const {
  return all_["runs"].contains(cell) ? all_["runs"][cell].size() : 0;
}

}  // namespace riemflow
