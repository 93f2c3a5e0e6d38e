#pragma once
// Every option of a fit. fit/option_table.cpp declares each once: its name, range, help and group. From that
// come the tool's flags, the keys of configuration files, what a model records, and the documentation.

#include <cstdint>
#include <string>
#include <vector>

#include "riemflow/fit/fit.hpp"
#include "riemflow/io/read_options.hpp"

namespace riemflow {

struct FitOptions {
  // reading
  std::string columns, format, weights;
  Units units = Units::automatic;
  bool skip_invalid = false;
  std::string data_dir;
  // data
  std::string manifold;  ///< empty: inferred
  double curvature = 0;  ///< 0: the manifold's own
  std::string split = "80/10/10";
  bool dedup = false, group_split = false;
  std::string group_within;  ///< a distance; empty: none
  std::uint64_t seed = 0;
  std::string split_seed;  ///< empty: `seed`
  // model
  ModelKind model = ModelKind::riemannian;
  std::string base = "default", kernel = "best";
  Activation activation = Activation::tanh;
  InputLayer input = InputLayer::linear;
  BallScaling scaling = BallScaling::unit;
  DivergenceEstimator divergence = DivergenceEstimator::exact;
  Noise noise = Noise::rademacher;
  std::string precision = "float";
  int width = 64, depth = 3, probes = 1, base_components = 50;
  double bound = 0, frequency = 8;
  std::string components = "50,100,150,200";  ///< of a mixture; the paper's grid
  double max_concentration = 1e6;
  // training
  std::string target;  ///< instead of data
  std::string objective = "nll", optimizer = "adam";
  Schedule::Shape schedule = Schedule::Shape::cosine;
  long iterations = 3000, validate_every = 100, patience = 20;
  double epochs = 0;  ///< > 0: instead of iterations
  long finetune = 0, forward_start = 200;
  long flow_steps = 0;      ///< of a flow of a pool, by flow matching; 0: as many as there is time for
  long kernel_steps = 400;  ///< at most, of a network of learned kernels
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
  Device device = Device::cpu;
  bool quiet = false, json = false;  ///< of the tool

  /// How its file is read; manifold: empty: inferred.
  ReadOptions reading(const std::string& manifold) const;
};

/// training_points: what an epoch is.
FitConfig fit_config(const FitOptions& options, const Space& manifold, std::size_t training_points);

/// The numbers of a list such as 0.1,0.05. Throws Error unless all are above 0.
std::vector<double> numbers_of(const std::string& list);
/// The same of numbers of components, such as 50,100.
std::vector<std::size_t> counts_of(const std::string& list);

/// `manifold` with `curvature` put in; empty if the manifold is to be inferred, which has no curvature but
/// its own. Throws Error where they contradict.
std::string manifold_of(const FitOptions& options, const std::string& inferred);

/// The number of "5km" or "5". Throws Error unless it is one from 0.
double distance_of(const std::string& text);
/// group_within on that manifold, in the units of its distance. Throws Error.
double group_distance(const std::string& text, const Manifold<double>& manifold);

/// Throws Error where it is none.
std::uint64_t seed_of(const std::string& text);
/// split_seed, or seed where there is none.
std::uint64_t split_seed_of(const FitOptions& options);

/// "90", "90s", "10m", "2h" in seconds; infinite for "none". Throws Error.
double seconds_of(const std::string& duration);

}  // namespace riemflow
