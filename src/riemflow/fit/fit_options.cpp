#include "riemflow/fit/fit_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "riemflow/core/error.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/number.hpp"
#include "riemflow/manifold/earth.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow {
ReadOptions FitOptions::reading(const std::string& wanted) const {
  return {columns, units, skip_invalid, wanted, format, weights, threads};
}

FitConfig fit_config(const FitOptions& s, const Space& manifold, std::size_t training_points) {
  FitConfig config;
  config.flow.model = s.model;
  config.flow.manifold = manifold;
  config.flow.field.width = s.width;
  config.flow.field.depth = s.depth;
  config.flow.field.activation = s.activation;
  config.flow.field.input = s.input;
  config.flow.field.frequency = s.frequency;
  if (s.base == "vmf-mixture") config.flow.base = {BaseKind::vmf_mixture, s.base_components};
  config.flow.field.scaling = s.scaling;
  config.flow.field.bound = s.bound;
  config.flow.divergence.estimator = s.divergence;
  config.flow.divergence.noise = s.noise;
  config.flow.divergence.probes = s.probes;
  config.flow.solver.method = s.solver;
  config.flow.solver.rtol = config.flow.solver.atol = s.tolerance;
  config.flow.solver.fixed_steps = s.steps;
  config.flow.solver.max_evaluations = s.max_evaluations;
  config.flow.regularisation = {s.kinetic, s.frobenius};

  // A batch of more points than there are would hold some of them twice.
  const std::size_t batch = training_points == 0 ? s.batch : std::min(s.batch, training_points);
  const auto batches = static_cast<double>((training_points + batch - 1) / batch);
  const double iterations = s.epochs > 0 ? std::ceil(s.epochs * batches) : static_cast<double>(s.iterations);
  require(iterations < 4e9, fmt::format("{:.3g} iterations", iterations), "give fewer than 4e9");
  config.iterations = static_cast<long>(iterations);
  if (s.objective == "flow-matching") config.objective = Objective::flow_matching;
  config.finetune = s.finetune;
  config.finetune_rate = s.finetune_rate;
  config.forward_start = s.forward_start;
  config.validation_points = s.validation_points;
  config.train_tolerance = s.train_tolerance;
  config.validate_every = s.validate_every;
  config.patience = s.patience;
  config.train.batch = batch;
  config.train.adam = {s.beta1, s.beta2, s.epsilon, s.weight_decay};
  config.train.schedule.shape = s.schedule;
  config.train.schedule.rate = s.rate;
  config.train.schedule.iterations = std::max(2L, config.iterations);
  config.train.clip = s.clip;
  config.train.average = s.average;
  config.train.seed = s.seed;
  return config;
}

std::vector<double> numbers_of(const std::string& list) {
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string one = list.substr(begin, end - begin);
    double value = 0;
    require(io::read_number(one, '.', value) == io::NumberKind::finite && value > 0,
            fmt::format("{} is no number above 0", io::in_quotes(one)),
            "give one, or several with commas between");
    numbers.push_back(value);
    begin = end + 1;
  }
  return numbers;
}

std::vector<std::size_t> counts_of(const std::string& list) {
  std::vector<std::size_t> counts;
  for (const double value : numbers_of(list)) {
    require(value == std::floor(value) && value <= 1e6, fmt::format("{:g} is no number of components", value),
            "give whole numbers from 1 to a million");
    counts.push_back(static_cast<std::size_t>(value));
  }
  return counts;
}

std::string manifold_of(const FitOptions& s, const std::string& inferred) {
  std::string name = s.manifold.empty() ? inferred : s.manifold;
  if (s.curvature == 0) return name;
  require(!name.empty(), fmt::format("‹curvature› {} without ‹manifold›", s.curvature),
          fmt::format("name the manifold, as in ‹manifold› {},K={}", s.curvature > 0 ? "sphere:2" : "ball:2",
                      s.curvature),
          Fault::usage);
  require(name.find("K=") == name.npos && name.find(" x ") == name.npos,
          fmt::format("‹curvature› {} beside ‹manifold› '{}'", s.curvature, name),
          "give the curvature of each factor in ‹manifold› alone, as in sphere:2,K=0.5");
  name += ",K=";
  append_number(name, s.curvature);
  return parse_manifold<double>(name)->name();
}

double distance_of(const std::string& text) {
  std::string_view digits = text;
  if (digits.ends_with("km")) digits.remove_suffix(2);
  double value = 0;
  require(io::read_number(digits, '.', value) == io::NumberKind::finite && value >= 0,
          fmt::format("{} is no distance", io::in_quotes(text)),
          "give a number from 0, on the Earth of km, as in 5km or 5");
  return value;
}

double group_distance(const std::string& text, const Manifold<double>& manifold) {
  // Axes are given by the places of their ends, but a distance of axes is an angle.
  const bool earth =
      manifold.column_form().places != ColumnForm::Places::none && manifold.covering() == nullptr;
  require(!text.ends_with("km") || earth,
          fmt::format("‹group-within› {}: {} is not the Earth", text, manifold.name()),
          "give the distance as a number, in the units of the manifold", Fault::usage);
  const double value = distance_of(text);
  return earth ? value / kEarthRadiusKm / std::sqrt(manifold.curvature()) : value;
}

std::uint64_t seed_of(const std::string& text) {
  const auto value = parse_number<std::uint64_t>(text);
  require(value.has_value(), fmt::format("{} is no seed", io::in_quotes(text)), "give a whole number from 0");
  return *value;
}

std::uint64_t split_seed_of(const FitOptions& options) {
  return options.split_seed.empty() ? options.seed : seed_of(options.split_seed);
}

double seconds_of(const std::string& duration) {
  if (duration.empty() || duration == "none") return std::numeric_limits<double>::infinity();
  const char last = duration.back();
  const double unit = last == 'h' ? 3600 : last == 'm' ? 60 : 1;
  std::string_view digits = duration;
  if (last == 's' || last == 'm' || last == 'h') digits.remove_suffix(1);
  double value = 0;
  require(io::read_number(digits, '.', value) == io::NumberKind::finite && value > 0,
          fmt::format("{} is no time", io::in_quotes(duration)), "give seconds, or as in 90s, 10m, 2h");
  return value * unit;
}

}  // namespace riemflow
