#pragma once
// An experiment of the paper: cells of a table, each run with several seeds, and the table with the paper's
// figures beside.

#include <memory>

#include "riemflow/fit/jobs.hpp"
#include "riemflow/reproduce/reproduce.hpp"

namespace riemflow {

class Experiment {
 public:
  virtual ~Experiment() = default;

  virtual std::string name() const = 0;
  /// Of the paper.
  virtual int runs() const = 0;
  /// What is run, in a few sentences for the table's page.
  virtual std::string settings(bool quick) const = 0;
  virtual std::vector<Cell> cells(bool quick) const = 0;
  /// Throws Error if the cell lacks something that it needs, such as a data file.
  virtual void check(const std::string& /*cell*/, const ReproduceOptions& /*options*/) const {}
  /// One run. Deterministic; throws Cancelled. Called from several threads at a time.
  virtual Json run(const std::string& cell, std::uint64_t seed, const ReproduceOptions& options) const = 0;
  /// Markdown.
  virtual std::string table(const Results& results) const = 0;
  /// The paper's figures, from the results alone; without those of which there are no runs. Points of the
  /// data are on them where data_dir has the sets.
  virtual std::vector<FigureFile> figures(const Results& results, const std::string& data_dir,
                                          TaskObserver& observer) const = 0;
};

std::unique_ptr<Experiment> make_disk_experiment();
std::unique_ptr<Experiment> make_disk_scaling_experiment();
std::unique_ptr<Experiment> make_disk_geodesic_experiment();
std::unique_ptr<Experiment> make_vmf_experiment();
std::unique_ptr<Experiment> make_earth_experiment();
std::unique_ptr<Experiment> make_trajectories_experiment();

}  // namespace riemflow
