// Figures of the paper on the Poincaré disk: models against the distance of the target from the origin, and
// the ablations of the field's scaling and of the geodesic layer.

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "apps/riemflow/reproduce/experiment.hpp"
#include "apps/riemflow/reproduce/target_run.hpp"
#include "riemflow/density/wrapped_normal.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow::app {
namespace {

/// Mean exp₀(α∂x), Σ = diag(0.3, 1). |α∂x|₀ = 2α in the metric λ₀² = 4, so the mean is at tanh(α) on the x
/// axis.
template <class T>
std::shared_ptr<const Distribution<T>> target_of(double alpha) {
  return std::make_shared<WrappedNormal<T>>(2, -1.0, Eigen::Vector2d(std::tanh(alpha), 0),
                                            Eigen::Vector2d(0.3, 1.0).asDiagonal().toDenseMatrix());
}

constexpr double kAlphas[] = {0.5, 1, 1.5, 2};

TargetRun common(double alpha, std::uint64_t seed, bool quick) {
  TargetRun run;
  run.flow.divergence.estimator = DivergenceEstimator::hutchinson;
  run.target = target_of<double>(alpha);
  run.target_float = target_of<float>(alpha);
  run.seed = seed;
  run.iterations = quick ? 100 : 1500;
  run.curve_every = 50;
  run.test_points = quick ? 1000 : 5000;
  return run;
}

TargetRun riemannian(double alpha, std::uint64_t seed, bool quick) {
  TargetRun run = common(alpha, seed, quick);
  run.flow.manifold = "ball:2";
  run.flow.field.scaling = BallScaling::paper;
  run.flow.field.input = InputLayer::geodesic;
  return run;
}

TargetRun charted(const char* chart, double alpha, std::uint64_t seed, bool quick) {
  TargetRun run = common(alpha, seed, quick);
  run.flow.manifold = "euclidean:2";
  run.chart = make_chart_map<double>(chart, parse_manifold<double>("ball:2"));
  return run;
}

/// An experiment whose cells are variants of a run, at one or more α.
class DiskExperiment final : public Experiment {
 public:
  struct Variant {
    std::string name;
    std::function<TargetRun(double alpha, std::uint64_t seed, bool quick)> run;
  };
  DiskExperiment(std::string name, std::string settings, std::vector<double> alphas,
                 std::vector<Variant> variants)
      : name_(std::move(name)),
        settings_(std::move(settings)),
        alphas_(std::move(alphas)),
        variants_(std::move(variants)) {}

  std::string name() const override { return name_; }
  int runs() const override { return 12; }
  std::string settings() const override { return settings_; }
  std::vector<std::string> cells() const override {
    std::vector<std::string> all;
    for (double alpha : alphas_)
      for (const Variant& variant : variants_) all.push_back(cell_of(variant, alpha));
    return all;
  }
  Json run(const std::string& cell, std::uint64_t seed, bool quick) const override {
    for (double alpha : alphas_)
      for (const Variant& variant : variants_)
        if (cell_of(variant, alpha) == cell) return run_on_target(variant.run(alpha, seed, quick));
    return {};
  }
  std::string table(const Results& results) const override {
    std::string text =
        "| α | entropy | model | NLL | evaluations a solve | mass | seconds | runs "
        "|\n|---|---|---|---|---|---|---|---|\n";
    for (double alpha : alphas_)
      for (const Variant& variant : variants_) {
        const std::string cell = cell_of(variant, alpha);
        text += fmt::format(
            "| {:g} | {:.4f} | {} | {} | {} | {} | {} | {} |\n", alpha, *target_of<double>(alpha)->entropy(),
            variant.name, text_of(results.interval(cell, "nll"), 4),
            text_of(results.interval(cell, "evaluations"), 0), text_of(results.interval(cell, "mass"), 4),
            text_of(results.interval(cell, "seconds"), 1), results.runs(cell));
      }
    return text;
  }

 private:
  static std::string cell_of(const Variant& variant, double alpha) {
    return fmt::format("{} alpha={:g}", variant.name, alpha);
  }

  std::string name_, settings_;
  std::vector<double> alphas_;
  std::vector<Variant> variants_;
};

constexpr const char* kCommon =
    "Target: the wrapped normal distribution of mean exp₀(α∂x) and covariance diag(0.3, 1) on B². 3 × 64 "
    "tanh, Hutchinson's "
    "divergence in training and the exact one in evaluation, dopri5 at 1e-5, Adam at 1e-3, batches of 400 "
    "fresh draws, 1500 "
    "iterations.";

}  // namespace

std::unique_ptr<Experiment> make_disk_experiment() {
  return std::make_unique<DiskExperiment>(
      "disk", std::string(kCommon) + " The riemannian model has the geodesic layer and the paper's scaling.",
      std::vector<double>(std::begin(kAlphas), std::end(kAlphas)),
      std::vector<DiskExperiment::Variant>{
          {"naive",
           [](double alpha, std::uint64_t seed, bool quick) { return charted("naive", alpha, seed, quick); }},
          {"wrapped", [](double alpha, std::uint64_t seed,
                         bool quick) { return charted("wrapped", alpha, seed, quick); }},
          {"riemannian", riemannian}});
}

std::unique_ptr<Experiment> make_disk_scaling_experiment() {
  const auto with = [](BallScaling scaling) {
    return [scaling](double alpha, std::uint64_t seed, bool quick) {
      TargetRun run = riemannian(alpha, seed, quick);
      run.flow.field.scaling = scaling;
      return run;
    };
  };
  return std::make_unique<DiskExperiment>(
      "disk-scaling",
      std::string(kCommon) + " The field's output as it is, divided by λ, and by λ² as in the paper.",
      std::vector<double>{1},
      std::vector<DiskExperiment::Variant>{{"none", with(BallScaling::none)},
                                           {"unit", with(BallScaling::unit)},
                                           {"paper", with(BallScaling::paper)}});
}

std::unique_ptr<Experiment> make_disk_geodesic_experiment() {
  const auto with = [](InputLayer input) {
    return [input](double alpha, std::uint64_t seed, bool quick) {
      TargetRun run = riemannian(alpha, seed, quick);
      run.flow.field.input = input;
      return run;
    };
  };
  return std::make_unique<DiskExperiment>(
      "disk-geodesic", std::string(kCommon) + " The input layer of the riemannian model.",
      std::vector<double>{1},
      std::vector<DiskExperiment::Variant>{{"linear", with(InputLayer::linear)},
                                           {"geodesic", with(InputLayer::geodesic)}});
}

}  // namespace riemflow::app
