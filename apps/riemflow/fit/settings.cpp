#include "apps/riemflow/fit/settings.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "apps/riemflow/support/data.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/fit/split.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/number.hpp"
#include "riemflow/manifold/earth.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow::app {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Refuses numbers below `least`, or at it if `open`, NaN and infinities.
CLI::Validator at_least(double least, bool open = false) {
  return CLI::Validator(
      [=](const std::string& typed) -> std::string {
        double value = 0;
        if (!CLI::detail::lexical_cast(typed, value)) return "";  // the conversion complains
        if (std::isfinite(value) && (open ? value > least : value >= least)) return "";
        return fmt::format("{} is out of range; give a number {} {}", typed, open ? "above" : "from", least);
      },
      "");
}

CLI::Validator below_one() {
  return CLI::Validator(
      [](const std::string& typed) -> std::string {
        double value = 0;
        if (!CLI::detail::lexical_cast(typed, value)) return "";
        if (value >= 0 && value < 1) return "";
        return fmt::format("{} is out of range; give a number from 0, below 1", typed);
      },
      "");
}

/// Declares options in one group.
class Group {
 public:
  Group(CLI::App& app, std::string name) : app_(app), name_(std::move(name)) {}

  template <class Number>
  void number(const std::string& flag, Number& value, const CLI::Validator& check, const std::string& help) {
    done(app_.add_option(flag, value, help)->capture_default_str()->check(check));
  }
  void choice(const std::string& flag, std::string& value, const std::vector<std::string>& names,
              const std::string& help) {
    done(add_choice(app_, flag, value, names, help));
  }
  /// parse: throws Error where it is not understood.
  void text(const std::string& flag, std::string& value, const std::string& type, const std::string& help,
            const std::function<void(const std::string&)>& parse = {}) {
    auto* option = app_.add_option(flag, value, help)->type_name(type);
    if (!value.empty()) option->capture_default_str();
    if (parse) check_by(option, parse);
    done(option);
  }
  template <class Number>
  void number(const std::string& flag, Number& value, const std::string& help) {
    done(app_.add_option(flag, value, help)->capture_default_str());
  }
  void flag(const std::string& name, bool& value, const std::string& help) {
    done(app_.add_flag(name, value, help));
  }
  void done(CLI::Option* option) { option->group(name_)->take_last(); }

 private:
  CLI::App& app_;
  std::string name_;
};

template <class Enum>
Enum chosen(const std::string& name, std::initializer_list<std::pair<const char*, Enum>> names) {
  for (const auto& [text, value] : names)
    if (name == text) return value;
  throw Error("unknown name " + name, "report this", Fault::internal);
}

}  // namespace

void declare(CLI::App& app, FitSettings& s) {
  add_reading(app, s.reading);
  add_data_dir(app, s.data_dir);
  for (CLI::Option* option : app.get_options())
    if (option->get_group() == "Reading") option->take_last();

  Group data(app, "Data");
  data.text(
      "--manifold", s.manifold, "NAME",
      "Where the points live: sphere:2, torus:2, ball:2,K=-1, euclidean:3, \"sphere:2 x torus:1\"; inferred "
      "from the columns unless given");
  data.text("--split", s.split, "A/B/C", "Shares of training, validation and test points",
            [](const std::string& text) { parse_split(text); });
  data.flag("--dedup", s.dedup, "Keep one of each set of equal points");
  data.flag("--group-split", s.group_split,
            "Keep equal points on one side of the split, and of the folds that choose a pool's weights");
  data.text("--group-within", s.group_within, "DISTANCE",
            "Keep points that are linked by steps of at most this distance on one side, as --group-split "
            "keeps equal ones: km on the Earth (sphere:2, a radian is 6371 km), radians on a torus, units of "
            "the manifold's distance elsewhere",
            [](const std::string& text) { distance_of(text); });
  data.number("--seed", s.seed,
              "Seed of the split, the first parameters and all noise; the same seed gives the same model, "
              "bit for bit");

  Group running(app, "Running");
  running.text("--time-limit", s.time_limit, "TIME", "Stop training after this time: 90, 90s, 10m, 2h; none",
               [](const std::string& text) { seconds_of(text); });
  running.text("--log", s.log, "FILE",
               "Write a line of JSON every ten iterations and at each validation, for learning curves");
  running.done(add_threads(app, s.threads));
  running.done(add_device(app, s.device));
  running.flag("--quiet", s.quiet, "Say nothing but results and errors");
  running.done(add_json(app, s.json));

  Group model(app, "Model");
  model.choice(
      "--model", s.model, {kModelKinds.begin(), kModelKinds.end()},
      "riemannian: a flow on the manifold itself; autoregressive: on a product or torus, factor by factor; "
      "stereographic (sphere), wrapped and naive (ball): a flow on R^d and a chart; vmf-mixture (sphere): "
      "von Mises-Fisher distributions; kde: a kernel density; pool: kernel densities and flows, weighed on "
      "held-out points");
  model.choice(
      "--kernel", s.kernel, {"one", "local", "anisotropic", "best"},
      "Bandwidths of a kernel density; one: the same for all points; local: by the distance to "
      "neighbours; anisotropic: shaped by the neighbours' covariance; best: of these, the best on the "
      "validation points");
  model.text("--components", s.components, "K,…",
             "Number of components of a vmf-mixture; of several the best on the validation points is taken",
             [](const std::string& text) { counts_of(text); });
  model.number("--width", s.width, at_least(1), "Units in each hidden layer");
  model.number("--depth", s.depth, at_least(1), "Number of hidden layers");
  model.choice("--activation", s.activation, {"tanh", "swish"}, "Activation of the hidden layers");
  model.choice("--input", s.input, {"linear", "geodesic", "fourier"},
               "How the network sees a point: coordinates, distances to learned hyperplanes (sphere and "
               "ball), or "
               "Fourier features (sines of learned frequencies, for fine structure)");
  model.number(
      "--frequency", s.frequency, CLI::Range(1e-3, 1000.0),
      "Standard deviation of the first frequencies of Fourier features, in radians per unit of length");
  model.choice("--base", s.base, {"default", "vmf-mixture", "kde"},
               "What the flow starts from; default: uniform on spheres and tori, (wrapped) normal elsewhere; "
               "vmf-mixture (sphere): one that is fitted to the data first and then trained with the flow; "
               "kde: a kernel density of the training points, each left out where it is learnt from");
  model.choice("--divergence", s.divergence, {"exact", "hutchinson"},
               "How training computes the divergence; the model's densities are always exact");
  model.choice("--precision", s.precision, {"float", "double"}, "Precision of all numbers");

  Group training(app, "Training");
  training.choice(
      "--objective", s.objective, {"nll", "flow-matching", "reverse-kl"},
      "nll: mean negative log-likelihood of the data; flow-matching: regression of the field on velocities "
      "of "
      "geodesics, quick steps for wide networks, with defaults of its own; reverse-kl: KL(model || target), "
      "with --target");
  training.text(
      "--target", s.target, "DENSITY",
      "Instead of data, a density to learn by reverse KL: vmf:mu=0;0;1,kappa=10, vmf:lat=47,lon=8,kappa=50, "
      "wrapped-normal:alpha=1,sigma=0.3;1, or a mixture 0.3*vmf:... + 0.7*vmf:...");
  training.number("--iterations", s.iterations, at_least(1), "Training steps at most");
  training.number("--epochs", s.epochs, at_least(0),
                  "Passes over the training points, instead of --iterations");
  training.number("--finetune", s.finetune, at_least(0),
                  "Steps by likelihood after those of flow matching, from its best model");
  training.number("--forward-start", s.forward_start, at_least(0),
                  "For reverse KL: first steps, by likelihood on draws of the target, which find all its "
                  "modes; reverse KL alone may settle on one of them");
  training.number("--batch", s.batch, at_least(1),
                  "Points per training step; all of them where there are fewer");
  training.choice("--optimizer", s.optimizer, {"adam", "em"},
                  "How parameters are improved; adam: by gradients (Riemannian for a vmf-mixture's means); "
                  "em: by expectation "
                  "maximisation, for a vmf-mixture");
  training.number("--rate", s.rate, at_least(0, true), "Learning rate");
  training.text(
      "--rates", s.rates, "R,…",
      "Learning rates of a vmf-mixture, instead of --rate; the best on the validation points is taken",
      [](const std::string& text) { numbers_of(text); });
  training.choice("--schedule", s.schedule, {"constant", "annealed", "cosine"},
                  "How the learning rate changes; annealed: × 0.98^(t/300), as in the paper; cosine: to 0 at "
                  "the last iteration");
  training.number("--weight-decay", s.weight_decay, at_least(0),
                  "Shrinks all parameters in each step: × (1 − rate × decay), apart from the gradient");
  training.number(
      "--kinetic", s.kinetic, at_least(0),
      "Weight of the regulariser that keeps paths short, in steps by likelihood: mean squared speed");
  training.number("--validate-every", s.validate_every, at_least(1),
                  "Iterations from one validation to the next");
  training.number("--patience", s.patience, at_least(0),
                  "Validations without a better one before training stops; 0 means never");

  Group solver(app, "Solver");
  solver.choice("--solver", s.solver, {"dopri5", "tsit5", "bosh3", "rk4"}, "Runge–Kutta method");
  solver.number("--tolerance", s.tolerance, CLI::Range(1e-12, 0.1),
                "Tolerance of evaluation, relative and absolute");
  solver.number("--train-tolerance", s.train_tolerance, CLI::Range(1e-12, 0.1),
                "Tolerance of training, relative and absolute");

  Group rare(app, "Rarely needed");
  rare.number("--curvature", s.curvature,
              "Curvature of the sphere (positive) or ball (negative) that --manifold names; 0 means the "
              "manifold's own");
  rare.text("--split-seed", s.split_seed, "N",
            "Seed of the split alone, so that fits with different --seed can be pooled; --seed unless given",
            [](const std::string& text) { seed_of(text); });
  rare.number("--max-concentration", s.max_concentration, CLI::Range(1.0, kMostConcentration),
              "Largest concentration of a component of a vmf-mixture; 1e6 is a width of 6 km on the Earth");
  rare.number("--base-components", s.base_components, CLI::Range(1, 65536),
              "Number of components of a vmf-mixture base");
  rare.choice("--scaling", s.scaling, {"none", "unit", "paper"},
              "Scaling of the field on the ball: u, u/lambda, or u/lambda^d as in the paper");
  rare.number("--bound", s.bound, at_least(0), "Largest entry of the network's output; 0 means none");
  rare.choice("--noise", s.noise, {"rademacher", "gaussian"}, "Noise of Hutchinson's estimate");
  rare.number("--probes", s.probes, at_least(1), "Probes of Hutchinson's estimate, which are averaged");
  rare.number("--beta1", s.beta1, below_one(), "Adam's decay of the mean gradient");
  rare.number("--beta2", s.beta2, below_one(), "Adam's decay of the mean squared gradient");
  rare.number("--epsilon", s.epsilon, at_least(0, true),
              "What Adam adds to the root of the mean squared gradient");
  rare.number("--clip", s.clip, at_least(0), "Largest norm of a gradient; 0 means no limit");
  rare.number("--average", s.average, below_one(),
              "Decay of the moving average of the parameters, which then is the model; 0 means none");
  rare.number("--frobenius", s.frobenius, at_least(0),
              "Weight of the regulariser that keeps the field smooth: mean squared Jacobian");
  rare.number("--validation-points", s.validation_points, at_least(0),
              "Validate on at most so many, and on all when training ends; 0 means all");
  rare.number("--steps", s.steps, at_least(0), "Equal steps without error control; 0 means adaptive");
  rare.number("--max-evaluations", s.max_evaluations, at_least(8),
              "Evaluations of the field in one solve before it fails");
  rare.number("--checkpoint-every", s.checkpoint_every, at_least(0),
              "Seconds from one saved checkpoint to the next; 0 means each iteration");
  rare.number("--finetune-rate", s.finetune_rate, at_least(0, true), "Learning rate of these steps");
}

bool is_recorded(const std::string& name) {
  for (const char* other : {"data-dir", "time-limit", "checkpoint-every", "log", "threads", "quiet", "json"})
    if (name == other) return false;
  return true;
}

bool may_change(const std::string& name) {
  return name == "iterations" || name == "epochs" || name == "patience" || name == "device" ||
         name == "finetune" || name == "finetune-rate";
}

FitConfig fit_config(const FitSettings& s, const std::string& manifold, std::size_t training_points) {
  FitConfig config;
  config.flow.model = model_kind(s.model).value();
  config.flow.manifold = manifold;
  config.flow.field.width = s.width;
  config.flow.field.depth = s.depth;
  config.flow.field.activation =
      chosen<Activation>(s.activation, {{"tanh", Activation::tanh}, {"swish", Activation::swish}});
  config.flow.field.input = chosen<InputLayer>(
      s.input,
      {{"linear", InputLayer::linear}, {"geodesic", InputLayer::geodesic}, {"fourier", InputLayer::fourier}});
  config.flow.field.frequency = s.frequency;
  if (s.base == "vmf-mixture") config.flow.base = {BaseKind::vmf_mixture, s.base_components};
  config.flow.field.scaling = chosen<BallScaling>(
      s.scaling, {{"none", BallScaling::none}, {"unit", BallScaling::unit}, {"paper", BallScaling::paper}});
  config.flow.field.bound = s.bound;
  config.flow.divergence.estimator = chosen<DivergenceEstimator>(
      s.divergence, {{"exact", DivergenceEstimator::exact}, {"hutchinson", DivergenceEstimator::hutchinson}});
  config.flow.divergence.noise =
      chosen<Noise>(s.noise, {{"rademacher", Noise::rademacher}, {"gaussian", Noise::gaussian}});
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
  config.train.schedule.shape = chosen<Schedule::Shape>(s.schedule, {{"constant", Schedule::Shape::constant},
                                                                     {"annealed", Schedule::Shape::annealed},
                                                                     {"cosine", Schedule::Shape::cosine}});
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

std::string manifold_of(const FitSettings& s, const std::string& inferred) {
  std::string name = s.manifold.empty() ? inferred : s.manifold;
  if (s.curvature == 0) return name;
  require(!name.empty(), fmt::format("--curvature {} without --manifold", s.curvature),
          fmt::format("name the manifold, as in --manifold {},K={}", s.curvature > 0 ? "sphere:2" : "ball:2",
                      s.curvature),
          Fault::usage);
  require(name.find("K=") == name.npos && name.find(" x ") == name.npos,
          fmt::format("--curvature {} beside --manifold '{}'", s.curvature, name),
          "give the curvature of each factor in --manifold alone, as in sphere:2,K=0.5");
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

double group_distance(const std::string& text, const std::string& manifold_name) {
  const auto manifold = parse_manifold<double>(manifold_name);
  const auto factors = manifold->factors();
  const bool earth =
      factors.size() == 1 && factors.front().geometry == Geometry::sphere && manifold->dimension() == 2;
  require(!text.ends_with("km") || earth,
          fmt::format("--group-within {}: {} is not the Earth", text, manifold_name),
          "give the distance as a number, in the units of the manifold", Fault::usage);
  const double value = distance_of(text);
  return earth ? value / kEarthRadiusKm / std::sqrt(factors.front().curvature) : value;
}

std::uint64_t seed_of(const std::string& text) {
  const auto value = parse_number<std::uint64_t>(text);
  require(value.has_value(), fmt::format("{} is no seed", io::in_quotes(text)), "give a whole number from 0");
  return *value;
}

std::uint64_t split_seed_of(const FitSettings& settings) {
  return settings.split_seed.empty() ? settings.seed : seed_of(settings.split_seed);
}

double seconds_of(const std::string& duration) {
  if (duration.empty() || duration == "none") return kInfinity;
  double value = 0;
  const std::string_view text(duration);
  std::string_view digits = text;
  double unit = 1;
  switch (text.back()) {
    case 's':
      digits.remove_suffix(1);
      break;
    case 'm':
      unit = 60;
      digits.remove_suffix(1);
      break;
    case 'h':
      unit = 3600;
      digits.remove_suffix(1);
      break;
  }
  require(io::read_number(digits, '.', value) == io::NumberKind::finite && value > 0,
          fmt::format("{} is no time", io::in_quotes(duration)), "give seconds, or as in 90s, 10m, 2h");
  return value * unit;
}

}  // namespace riemflow::app
