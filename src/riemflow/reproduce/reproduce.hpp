#pragma once
// The paper's experiments, with its figures beside ours.
//
//   Observer silent;
//   const Reproduction vmf = reproduce({.experiment = "vmf", .quick = true}, silent);
//   fmt::print("{}", vmf.page);

#include <string>
#include <vector>

#include "riemflow/core/machine.hpp"
#include "riemflow/core/task_observer.hpp"
#include "riemflow/flow/device.hpp"

namespace riemflow {

struct ReproduceOptions {
  std::string experiment;  ///< of experiment_names()
  bool quick = false;      ///< a small version, in a minute
  int runs = 0;            ///< of each cell; 0: the paper's number
  std::string only;        ///< cells whose names hold all these words
  std::string data_dir;    ///< where the paper's data sets are
  Device device = Device::cpu;
  int threads = 0, threads_per_run = 1;  ///< their quotient is how many runs go side by side
  /// Runs that this file holds are not done again, and each is added to it as it is done; empty: in memory
  /// alone.
  std::string results;
  std::string command;  ///< for the header of the results
  Notes notes;          ///< the same
};

/// A picture of results.
struct FigureFile {
  std::string name;  ///< "densities.png"
  std::string bytes;
};

struct Reproduction {
  bool interrupted = false;  ///< there is no page yet
  std::size_t jobs = 0, failed = 0;
  std::string page;  ///< Markdown: settings, table
  std::vector<FigureFile> figures;
};

std::vector<std::string> experiment_names();

/// What the experiment lacks is run. A run that fails is said, and the others go on. Throws Error.
Reproduction reproduce(const ReproduceOptions& options, TaskObserver& observer);

/// Of the runs that are there; nothing is run.
std::vector<FigureFile> figures_of(const ReproduceOptions& options, TaskObserver& observer);

}  // namespace riemflow
