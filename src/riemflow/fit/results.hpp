#pragma once
// The runs of an experiment or of a comparison, as experiments/results/NAME.json holds them: each run is
// written as soon as it is done, so that it goes on where it stopped. Several processes may add to one file.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "riemflow/core/machine.hpp"

namespace riemflow {

using Json = nlohmann::ordered_json;

/// Mean over runs and the half-width of its 95 % interval, 1.96·s/√n; NaN where there are too few.
struct Interval {
  double mean, half_width;
  std::size_t runs;
};
Interval interval_of(const std::vector<double>& values);
/// "0.54 ± 0.01", with the digits of the paper's tables; "–" without runs.
std::string text_of(const Interval& interval, int digits = 2);

/// Rounded to so many significant digits: what a picture needs, at a third of the size. NaN (null) as it is.
double rounded_to(double value, int digits);
Json rounded_array(const std::vector<double>& values, int digits = 4);

class Results {
 public:
  /// What the file holds of this experiment; nothing if there is none. No path: in memory alone. A quick run
  /// and a whole one are different experiments: Error(Fault::configuration) if the file is of the other kind,
  /// (Fault::bad_data) if it cannot be read.
  Results(std::string path, const std::string& experiment, bool quick);

  bool has(const std::string& cell, std::uint64_t seed) const;
  /// Keeps the run, and writes the file, with the runs that other processes have added to it meanwhile.
  /// Error(Fault::configuration) if theirs are of another configuration.
  void add(const std::string& cell, std::uint64_t seed, Json run);
  /// Takes in the runs that other processes have added to the file; throws as add().
  void take_in();
  /// Of the header: machine, command, version.
  void describe(const std::string& key, const std::string& value) { all_[key] = value; }
  std::string description(const std::string& key) const { return all_.value(key, std::string()); }
  void note(const Notes& notes) {
    for (const auto& [key, value] : notes) all_["notes"][key] = value;
  }
  /// Where the runs were made, in words: machine, version, notes.
  std::string origin() const;

  /// run[key] of all runs of a cell; those without a number are left out.
  std::vector<double> values(const std::string& cell, const std::string& key) const;
  Interval interval(const std::string& cell, const std::string& key) const {
    return interval_of(values(cell, key));
  }
  std::string mean_text(const std::string& cell, const std::string& key, int digits) const {
    return text_of(interval(cell, key), digits);
  }
  std::size_t runs(const std::string& cell) const;
  /// The runs of a cell in the order of their seeds.
  std::vector<const Json*> runs_of(const std::string& cell) const;
  bool quick() const { return all_["quick"].get<bool>(); }

 private:
  /// A line for each field of the header and for each run.
  std::string text() const;

  std::string path_;
  Json all_;
};

}  // namespace riemflow
