#pragma once
// An experiment of the paper: cells of a table, each run with several seeds, and the table with the paper's
// figures beside.

#include <memory>

#include "apps/riemflow/reproduce/results.hpp"

namespace riemflow::app {

class Experiment {
 public:
  virtual ~Experiment() = default;

  virtual std::string name() const = 0;
  /// Of the paper.
  virtual int runs() const = 0;
  /// What is run, in a sentence or two for the table's page.
  virtual std::string settings() const = 0;
  virtual std::vector<std::string> cells() const = 0;
  /// One run, on one thread: runs go side by side. Deterministic.
  virtual Json run(const std::string& cell, std::uint64_t seed, bool quick) const = 0;
  /// Markdown.
  virtual std::string table(const Results& results) const = 0;
};

std::unique_ptr<Experiment> make_vmf_experiment();
std::unique_ptr<Experiment> make_disk_experiment();
std::unique_ptr<Experiment> make_disk_scaling_experiment();
std::unique_ptr<Experiment> make_disk_geodesic_experiment();

}  // namespace riemflow::app
