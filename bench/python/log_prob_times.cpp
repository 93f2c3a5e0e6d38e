// log_prob_times MODEL POINTS.npy: for each line of its input the seconds of one call of Density::log_prob
// for all points, so that bench/against_cpp can take turns with it.

#include <fmt/core.h>

#include <iostream>
#include <string>

#include "riemflow/core/stopwatch.hpp"
#include "riemflow/io/data_file.hpp"
#include "riemflow/model/model_file.hpp"

using namespace riemflow;

int main(int argc, char** argv) try {
  require(argc == 3, "log_prob_times needs two files", "give a model and points", Fault::usage);
  const Model model = load_model(argv[1]);
  TaskObserver silent;
  const auto density = make_exact_density(model, {}, silent);
  const auto source = DataFile{argv[2], "", {}}.open(model.config.manifold.name());
  const Points<double> points = read_all(*source).points;
  for (std::string line; std::getline(std::cin, line);) {
    const auto start = Clock::now();
    const LogProb<double> found = density->log_prob(points);
    fmt::print("{} {}\n", seconds_since(start), found.values.front());
    std::fflush(stdout);
  }
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
