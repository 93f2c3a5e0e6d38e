#include "riemflow/fit/option_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <thread>
#include <utility>

#include "riemflow/core/error.hpp"
#include "riemflow/core/suggest.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/fit/split.hpp"
#include "riemflow/flow/device.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/number.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {
namespace {

/// What a number may be. refused(value): why it is not, or nothing.
struct NumberRange {
  std::string type = "";  ///< after that of the number
  std::function<std::string(double)> refused = nullptr;
};

NumberRange at_least(double least, bool open = false) {
  return {"", [=](double value) {
            return (open ? value > least : value >= least)
                       ? std::string()
                       : fmt::format("is out of range; give a number {} {}", open ? "above" : "from", least);
          }};
}
NumberRange below_one() {
  return {"", [](double value) {
            return value >= 0 && value < 1 ? std::string() : "is out of range; give a number from 0, below 1";
          }};
}
NumberRange between(double least, double most) {
  return {fmt::format(" in [{:g} - {:g}]", least, most), [=](double value) {
            return value >= least && value <= most
                       ? std::string()
                       : fmt::format("is out of range; give a number from {:g} to {:g}", least, most);
          }};
}
NumberRange threads_that_make_sense() {
  return {"", [](double value) {
            const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
            const double most = std::max(16.0, 4.0 * cores);
            return value >= 0 && value <= most
                       ? std::string()
                       : fmt::format("threads make no sense on {} core{}; give 0 for one a core, at most {}",
                                     cores, cores == 1 ? "" : "s", most);
          }};
}

template <class Number>
Number number_of(const std::string& typed) {
  if constexpr (std::floating_point<Number>) {
    double value = 0;
    require(io::read_number(typed, '.', value) == io::NumberKind::finite,
            fmt::format("{} is no finite number", io::in_quotes(typed)), "give one such as 0.5 or 1e-3");
    return value;
  } else {
    // 1e3 is a whole number too.
    double value = 0;
    if (typed.find_first_of(".eE") != typed.npos &&
        io::read_number(typed, '.', value) == io::NumberKind::finite && value == std::floor(value) &&
        std::abs(value) < 1e15 && (std::signed_integral<Number> || value >= 0) &&
        value <= static_cast<double>(std::numeric_limits<Number>::max()))
      return static_cast<Number>(value);
    const auto whole = parse_number<Number>(typed);
    require(whole.has_value(),
            fmt::format("{} is no whole number{}", io::in_quotes(typed),
                        std::unsigned_integral<Number> ? " from 0 to 18446744073709551615" : ""),
            "give its digits");
    return *whole;
  }
}

class Table {
 public:
  Table() {
    declare();
    const FitOptions initial;
    for (OptionField& field : fields_) field.initial = field.text(initial);
  }
  const std::vector<OptionField>& fields() const { return fields_; }

 private:
  void declare();

  void group(std::string name) { group_ = std::move(name); }

  template <class Number>
  void number(const std::string& name, Number FitOptions::*member, const NumberRange& range,
              const std::string& help) {
    constexpr OptionKind kind = std::floating_point<Number>      ? OptionKind::real
                                : std::unsigned_integral<Number> ? OptionKind::natural
                                                                 : OptionKind::whole;
    const std::string type = kind == OptionKind::real      ? "FLOAT"
                             : kind == OptionKind::natural ? "UINT"
                                                           : "INT";
    const auto set = [member, range](FitOptions& options, const std::string& typed) {
      const Number value = number_of<Number>(typed);
      const std::string refused = range.refused ? range.refused(static_cast<double>(value)) : "";
      const std::size_t semicolon = refused.find("; ");
      if (!refused.empty())
        throw Error(typed + " " + refused.substr(0, semicolon), refused.substr(semicolon + 2));
      options.*member = value;
    };
    const auto text = [member](const FitOptions& options) {
      std::string result;
      if constexpr (std::floating_point<Number>) {
        const double value = options.*member + 0.0;  // -0 is 0
        if (value == std::floor(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
        append_number(result, value);
      } else {
        result = fmt::format("{}", options.*member);
      }
      return result;
    };
    add(name, help, kind, type + range.type, text, set);
  }
  template <class Number>
  void number(const std::string& name, Number FitOptions::*member, const std::string& help) {
    number(name, member, NumberRange{}, help);
  }

  /// accept: what is done with one of the names.
  void choice(const std::string& name, std::vector<std::string> names, decltype(OptionField::text) text,
              decltype(OptionField::set) accept, const std::string& help) {
    const auto set = [names, accept](FitOptions& options, const std::string& typed) {
      if (std::find(names.begin(), names.end(), typed) == names.end()) {
        const std::vector<std::string_view> known(names.begin(), names.end());
        const std::string_view nearest = nearest_name(typed, known);
        throw Error(fmt::format("there is no '{}'{}", typed,
                                nearest.empty() ? "" : fmt::format(", perhaps you meant '{}'", nearest)),
                    fmt::format("give one of {}", fmt::join(names, ", ")));
      }
      accept(options, typed);
    };
    add(name, help, OptionKind::choice, fmt::format("{}", fmt::join(names, "|")), std::move(text), set);
    fields_.back().choices = std::move(names);
  }
  void choice(const std::string& name, std::string FitOptions::*member, std::vector<std::string> names,
              const std::string& help) {
    choice(
        name, std::move(names), std::mem_fn(member),
        [member](FitOptions& options, const std::string& typed) { options.*member = typed; }, help);
  }
  template <NamedEnum E>
  void choice(const std::string& name, E FitOptions::*member, const std::string& help) {
    const auto names = names_of(E{});
    choice(
        name, {names.begin(), names.end()},
        [member](const FitOptions& options) { return std::string(name_of(options.*member)); },
        [member](FitOptions& options, const std::string& typed) {
          options.*member = value_named<E>(typed).value();
        },
        help);
  }

  /// parse: throws Error where it is not understood.
  void text(const std::string& name, std::string FitOptions::*member, const std::string& type,
            const std::string& help, std::function<void(const std::string&)> parse = nullptr) {
    add(name, help, OptionKind::text, type, std::mem_fn(member),
        [member, parse = std::move(parse)](FitOptions& options, const std::string& typed) {
          if (parse && !typed.empty()) parse(typed);
          options.*member = typed;
        });
  }

  void flag(const std::string& name, bool FitOptions::*member, const std::string& help) {
    add(
        name, help, OptionKind::flag, "",
        [member](const FitOptions& options) { return std::string(options.*member ? "true" : "false"); },
        [member](FitOptions& options, const std::string& typed) {
          require(typed == "true" || typed == "false",
                  fmt::format("{} is neither true nor false", io::in_quotes(typed)), "give true or false");
          options.*member = typed == "true";
        });
  }

  void add(const std::string& name, const std::string& help, OptionKind kind, const std::string& type,
           decltype(OptionField::text) text, decltype(OptionField::set) set) {
    fields_.push_back({name, group_, help, kind, type, {}, "", std::move(text), std::move(set)});
  }

  std::string group_;
  std::vector<OptionField> fields_;
};

void Table::declare() {
  group("Reading");
  text("columns", &FitOptions::columns, "TEXT",
       "Columns that make a point, by name or number from 1: lat,lon or 4,5 or 3-9. Of a place the "
       "first is the latitude, unless names that are known (lon,lat; x,y; ra,dec) say otherwise");
  choice("units", &FitOptions::units,
         "Units of latitudes, longitudes and angles; auto: degrees, unless a column's name says otherwise");
  text("weights", &FitOptions::weights, "COLUMN",
       "Column that says what each point counts, by name or number from 1; in GeoJSON a property of the "
       "features. "
       "Finite numbers from 0, in proportion: a weight of 2 is as the row given twice, except in the split, "
       "which "
       "counts rows, and rows of weight 0 count for nothing");
  flag("skip-invalid", &FitOptions::skip_invalid,
       "Leave out rows that are no point, and count them, instead of stopping at the first");
  choice("format", &FitOptions::format, {"csv", "tsv", "npy", "geojson"},
         "Format of the data file; found by its content unless given");
  text("data-dir", &FitOptions::data_dir, "DIR",
       "Folder of the paper's data sets, with earth/ and torus/ in it; RIEMFLOW_DATA unless given");

  group("Data");
  text("manifold", &FitOptions::manifold, "NAME",
       "Where the points live: sphere:2, torus:2, ball:2,K=-1, euclidean:3, rotation:3, spd:2, \"sphere:2 x "
       "torus:1\" "
       "and more (docs/spaces.md); inferred from the columns unless given");
  text("split", &FitOptions::split, "A/B/C", "Shares of training, validation and test points",
       [](const std::string& text) { parse_split(text); });
  flag("dedup", &FitOptions::dedup, "Keep one of each set of equal points");
  flag("group-split", &FitOptions::group_split,
       "Keep equal points on one side of the split, and of the folds that choose a pool's weights");
  text("group-within", &FitOptions::group_within, "DISTANCE",
       "Keep points that are linked by steps of at most this distance on one side, as ‹group-split› "
       "keeps equal ones: km on the Earth (sphere:2, a radian is 6371 km), radians on a torus, units of "
       "the manifold's distance elsewhere",
       [](const std::string& text) { distance_of(text); });
  number("seed", &FitOptions::seed,
         "Seed of the split, the first parameters and all noise; the same seed gives the same model, "
         "bit for bit");

  group("Running");
  text("time-limit", &FitOptions::time_limit, "TIME", "Stop training after this time: 90, 90s, 10m, 2h; none",
       [](const std::string& text) { seconds_of(text); });
  text("log", &FitOptions::log, "FILE",
       "Write a line of JSON every ten iterations and at each validation, for learning curves");
  number("threads", &FitOptions::threads, threads_that_make_sense(),
         "Number of threads; 0 means one for each core");
  choice("device", &FitOptions::device,
         "Where it is computed; cuda: an NVIDIA GPU, in a build that has it; auto: there if it can be");
  flag("quiet", &FitOptions::quiet, "Say nothing but results and errors");
  flag("json", &FitOptions::json, "Print the result as JSON");

  group("Model");
  choice(
      "model", &FitOptions::model,
      "riemannian: a flow on the manifold itself; autoregressive: on a product or torus, factor by factor; "
      "stereographic (sphere), wrapped and naive (ball): a flow on R^d and a chart; vmf-mixture (sphere): "
      "von Mises-Fisher distributions; kde: a kernel density; kernels: one whose kernels a network says; "
      "normal-mixture: as many normals as held-out points like best; "
      "pool: learned kernels and what adds to them, weighed on "
      "held-out points");
  choice("kernel", &FitOptions::kernel, {"one", "local", "anisotropic", "best"},
         "Bandwidths of a kernel density; one: the same for all points; local: by the distance to "
         "neighbours; anisotropic: shaped by the neighbours' covariance; best: of these, the best on the "
         "validation points");
  text("components", &FitOptions::components, "K,…",
       "Number of components of a vmf-mixture; of several the best on the validation points is taken",
       [](const std::string& text) { counts_of(text); });
  number("width", &FitOptions::width, at_least(1), "Units in each hidden layer");
  number("depth", &FitOptions::depth, at_least(1), "Number of hidden layers");
  choice("activation", &FitOptions::activation, "Activation of the hidden layers");
  choice("input", &FitOptions::input,
         "How the network sees a point: coordinates, distances to learned hyperplanes (sphere and ball), or "
         "Fourier features (sines of learned frequencies, for fine structure)");
  number("frequency", &FitOptions::frequency, between(1e-3, 1000.0),
         "Standard deviation of the first frequencies of Fourier features, in radians per unit of length");
  choice("base", &FitOptions::base, {"default", "vmf-mixture", "kde"},
         "What the flow starts from; default: uniform on spheres and tori, (wrapped) normal elsewhere; "
         "vmf-mixture (sphere): one that is fitted to the data first and then trained with the flow; "
         "kde: a kernel density of the training points, each left out where it is learnt from");
  choice("divergence", &FitOptions::divergence,
         "How training computes the divergence; the model's densities are always exact");
  choice("precision", &FitOptions::precision, {"float", "double"}, "Precision of all numbers");

  group("Training");
  choice(
      "objective", &FitOptions::objective, {"nll", "flow-matching", "reverse-kl"},
      "nll: mean negative log-likelihood of the data; flow-matching: regression of the field on velocities "
      "of geodesics, quick steps for wide networks, with defaults of its own; reverse-kl: KL(model || "
      "target), with ‹target›");
  text("target", &FitOptions::target, "DENSITY",
       "Instead of data, a density to learn by reverse KL: vmf:mu=0;0;1,kappa=10, vmf:lat=47,lon=8,kappa=50, "
       "watson:mu=0;0;1,kappa=-20, bingham:matrix=..., kent:mu=0;0;1,major=1;0;0,kappa=50,beta=20, "
       "angular-central-gaussian:sigma=4;1;1, bivariate-von-mises:mu=-60;140,kappa=50;30,lambda=20, "
       "wrapped-normal:alpha=1,sigma=0.3;1, or a mixture 0.3*vmf:... + 0.7*vmf:...");
  number("iterations", &FitOptions::iterations, at_least(1), "Training steps at most");
  number("epochs", &FitOptions::epochs, at_least(0),
         "Passes over the training points, instead of ‹iterations›");
  number("finetune", &FitOptions::finetune, at_least(0),
         "Steps by likelihood after those of flow matching, from its best model");
  number("forward-start", &FitOptions::forward_start, at_least(0),
         "For reverse KL: first steps, by likelihood on draws of the target, which find all its "
         "modes; reverse KL alone may settle on one of them");
  number("batch", &FitOptions::batch, at_least(1),
         "Points per training step; all of them where there are fewer");
  choice("optimizer", &FitOptions::optimizer, {"adam", "em"},
         "How parameters are improved; adam: by gradients (Riemannian for a vmf-mixture's means); em: by "
         "expectation maximisation, for a vmf-mixture");
  number("rate", &FitOptions::rate, at_least(0, true), "Learning rate");
  text("rates", &FitOptions::rates, "R,…",
       "Learning rates of a vmf-mixture, instead of ‹rate›; the best on the validation points is taken",
       [](const std::string& text) { numbers_of(text); });
  choice("schedule", &FitOptions::schedule,
         "How the learning rate changes; annealed: × 0.98^(t/300), as in the paper; cosine: to 0 at "
         "the last iteration");
  number("weight-decay", &FitOptions::weight_decay, at_least(0),
         "Shrinks all parameters in each step: × (1 − rate × decay), apart from the gradient");
  number("kinetic", &FitOptions::kinetic, at_least(0),
         "Weight of the regulariser that keeps paths short, in steps by likelihood: mean squared speed");
  number("validate-every", &FitOptions::validate_every, at_least(1),
         "Iterations from one validation to the next");
  number("patience", &FitOptions::patience, at_least(0),
         "Validations without a better one before training stops; 0 means never");

  group("Solver");
  choice("solver", &FitOptions::solver, {"dopri5", "tsit5", "bosh3", "rk4"}, "Runge–Kutta method");
  number("tolerance", &FitOptions::tolerance, between(1e-12, 0.1),
         "Tolerance of evaluation, relative and absolute");
  number("train-tolerance", &FitOptions::train_tolerance, between(1e-12, 0.1),
         "Tolerance of training, relative and absolute");

  group("Rarely needed");
  number("curvature", &FitOptions::curvature,
         "Curvature of the sphere (positive) or ball (negative) that ‹manifold› names; 0 means the "
         "manifold's own");
  text("split-seed", &FitOptions::split_seed, "N",
       "Seed of the split alone, so that fits with different ‹seed› can be pooled; ‹seed› unless given",
       [](const std::string& text) { seed_of(text); });
  number("max-concentration", &FitOptions::max_concentration, between(1.0, kMostConcentration),
         "Largest concentration of a component of a vmf-mixture; 1e6 is a width of 6 km on the Earth");
  number("base-components", &FitOptions::base_components, between(1, 65536),
         "Number of components of a vmf-mixture base");
  choice("scaling", &FitOptions::scaling,
         "Scaling of the field on the ball: u, u/lambda, or u/lambda^d as in the paper");
  number("bound", &FitOptions::bound, at_least(0), "Largest entry of the network's output; 0 means none");
  choice("noise", &FitOptions::noise, "Noise of Hutchinson's estimate");
  number("probes", &FitOptions::probes, at_least(1), "Probes of Hutchinson's estimate, which are averaged");
  number("beta1", &FitOptions::beta1, below_one(), "Adam's decay of the mean gradient");
  number("beta2", &FitOptions::beta2, below_one(), "Adam's decay of the mean squared gradient");
  number("epsilon", &FitOptions::epsilon, at_least(0, true),
         "What Adam adds to the root of the mean squared gradient");
  number("clip", &FitOptions::clip, at_least(0), "Largest norm of a gradient; 0 means no limit");
  number("average", &FitOptions::average, below_one(),
         "Decay of the moving average of the parameters, which then is the model; 0 means none");
  number("frobenius", &FitOptions::frobenius, at_least(0),
         "Weight of the regulariser that keeps the field smooth: mean squared Jacobian");
  number("validation-points", &FitOptions::validation_points, at_least(0),
         "Validate on at most so many, and on all when training ends; 0 means all");
  number("steps", &FitOptions::steps, at_least(0), "Equal steps without error control; 0 means adaptive");
  number("max-evaluations", &FitOptions::max_evaluations, at_least(8),
         "Evaluations of the field in one solve before it fails");
  number("checkpoint-every", &FitOptions::checkpoint_every, at_least(0),
         "Seconds from one saved checkpoint to the next; 0 means each iteration");
  number("finetune-rate", &FitOptions::finetune_rate, at_least(0, true), "Learning rate of these steps");
  number("flow-steps", &FitOptions::flow_steps, at_least(0),
         "Steps of each flow of a pool, and a tenth as many by likelihood, whatever time they take: the same "
         "model on every machine of a kind; 0 means as many as there is time for");
  number("kernel-steps", &FitOptions::kernel_steps, at_least(0),
         "Steps of each network of learned kernels, at most; a third as many where there are few points; 0: "
         "the network that comes with the tool, as it is");
}

}  // namespace

const std::vector<OptionField>& option_fields() {
  static const Table table;
  return table.fields();
}

const OptionField* option_field(std::string_view name) {
  for (const OptionField& field : option_fields())
    if (field.name == name) return &field;
  return nullptr;
}

}  // namespace riemflow
