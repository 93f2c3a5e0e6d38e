#pragma once
// Every setting of a fit: a flag of the command line and a key of a configuration file alike.

#include <cstdint>
#include <string>
#include <vector>

#include "apps/riemflow/support/options.hpp"
#include "riemflow/fit/fit.hpp"

namespace CLI {
class App;
}

namespace riemflow::app {

struct FitSettings {
  // data
  ReadingChoice reading;
  std::string data_dir;
  std::string manifold;  ///< empty: inferred
  double curvature = 0;  ///< 0: the manifold's own
  std::string split = "80/10/10";
  bool dedup = false, group_split = false;
  std::string group_within;  ///< a distance; empty: none
  std::uint64_t seed = 0;
  std::string split_seed;  ///< empty: `seed`
  // model
  std::string model = "riemannian";
  std::string base = "default", kernel = "best";
  std::string activation = "tanh", input = "linear", scaling = "unit", divergence = "exact",
              noise = "rademacher";
  std::string precision = "float";
  int width = 64, depth = 3, probes = 1, base_components = 50;
  double bound = 0, frequency = 8;
  std::string components = "50,100,150,200";  ///< of a mixture; the paper's grid
  double max_concentration = 1e6;
  // training
  std::string target;  ///< instead of data
  std::string objective = "nll", optimizer = "adam", schedule = "cosine";
  long iterations = 3000, validate_every = 100, patience = 20;
  double epochs = 0;  ///< > 0: instead of iterations
  long finetune = 0, forward_start = 200;
  std::size_t validation_points = 0;
  std::size_t batch = 400;
  std::string rates;  ///< of a mixture's search; empty: `rate`
  double rate = 1e-2, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, clip = 0, average = 0, weight_decay = 0,
         finetune_rate = 1e-3;
  double kinetic = 0.03;  ///< costs no likelihood on held-out points and saves a third of the evaluations
  double frobenius = 0;
  // solver
  std::string solver = "dopri5";
  double tolerance = 1e-5, train_tolerance = 1e-3;
  int steps = 0, max_evaluations = 10000;
  // running
  std::string time_limit = "none", log;
  double checkpoint_every = 30;
  int threads = 0;
  std::string device = "cpu";
  bool quiet = false, json = false;
};

/// Adds them as options of `app`, in groups, the later of two values winning.
void declare(CLI::App& app, FitSettings& settings);

/// The settings of a run that change what it computes: what a model records, and what must be as it was to
/// resume.
bool is_recorded(const std::string& name);
/// Recorded settings that may differ when a run is resumed.
bool may_change(const std::string& name);

/// training_points: what an epoch is.
FitConfig fit_config(const FitSettings& settings, const std::string& manifold, std::size_t training_points);

/// The numbers of a list such as 0.1,0.05. Throws Error unless all are above 0.
std::vector<double> numbers_of(const std::string& list);
/// The same of numbers of components, such as 50,100.
std::vector<std::size_t> counts_of(const std::string& list);

/// --manifold with --curvature put in; empty if the manifold is to be inferred, which has no curvature but
/// its own. Throws Error where they contradict.
std::string manifold_of(const FitSettings& settings, const std::string& inferred);

/// The number of "5km" or "5". Throws Error unless it is one from 0.
double distance_of(const std::string& text);
/// --group-within on that manifold, in the units of its distance. Throws Error.
double group_distance(const std::string& text, const std::string& manifold);

/// Throws Error where it is none.
std::uint64_t seed_of(const std::string& text);
/// --split-seed, or --seed where there is none.
std::uint64_t split_seed_of(const FitSettings& settings);

/// "90", "90s", "10m", "2h" in seconds; infinite for "none". Throws Error.
double seconds_of(const std::string& duration);

}  // namespace riemflow::app
