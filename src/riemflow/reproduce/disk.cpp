// Figures of the paper on the Poincaré disk: models against the distance of the target from the origin, and
// the ablations of the field's scaling and of the geodesic layer.

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "riemflow/distribution/wrapped_normal.hpp"
#include "riemflow/reproduce/experiment.hpp"
#include "riemflow/reproduce/figures.hpp"
#include "riemflow/reproduce/target_run.hpp"

namespace riemflow {
namespace {

/// Mean exp₀(α∂x), Σ = diag(0.3, 1). |α∂x|₀ = 2α in the metric λ₀² = 4, so the mean is at tanh(α) on the x
/// axis.
std::shared_ptr<const Distribution<double>> target_of(double alpha) {
  return std::make_shared<WrappedNormal<double>>(2, -1.0, Eigen::Vector2d(std::tanh(alpha), 0),
                                                 Eigen::Vector2d(0.3, 1.0).asDiagonal().toDenseMatrix());
}

TargetRun common(ModelKind model, double alpha, bool quick) {
  TargetRun run;
  run.flow.model = model;
  run.flow.manifold = "ball:2";
  run.flow.divergence.estimator = DivergenceEstimator::hutchinson;
  run.target = target_of(alpha);
  run.curve_every = quick ? 20 : 50;
  run.test_points = quick ? 1000 : 5000;
  return run;
}

/// With the paper's settings throughout.
TargetRun riemannian_of_paper(double alpha, bool quick) {
  TargetRun run = common(ModelKind::riemannian, alpha, quick);
  run.flow.field.scaling = BallScaling::paper;
  run.flow.field.input = InputLayer::geodesic;
  return run;
}

/// Adam's rate falls to 0, from three times the paper's: the same for all three models. With the paper's
/// settings as a whole the riemannian one ended 0.022 (α = 0.5) and 0.055 (α = 1) above the entropy, seed 0.
TargetRun cooled(TargetRun run) {
  run.train.schedule.shape = Schedule::Shape::cosine;
  run.train.schedule.rate = 3e-3;
  return run;
}

/// And the field scaled by 1/λ. The paper's 1/λ² asks for |u| = 28 for each unit of speed at tanh 2, where λ
/// is 28: it learns slowly there (disk-scaling has the two side by side). With both changes the riemannian
/// model ended 0.001, 0.004, 0.004 above the entropy at α = 1, 1.5, 2, seed 0.
TargetRun riemannian(double alpha, bool quick) {
  TargetRun run = cooled(riemannian_of_paper(alpha, quick));
  run.flow.field.scaling = BallScaling::unit;
  return run;
}

/// A model, or a version of one.
struct Variant {
  std::string name;
  std::function<TargetRun(double alpha, bool quick)> run;
  double seconds;  ///< of a run
};

/// Cells are variants at one or more α.
class DiskExperiment final : public Experiment {
 public:
  DiskExperiment(std::string name, std::string settings, std::vector<double> alphas,
                 std::vector<Variant> variants, bool ablation = true)
      : name_(std::move(name)),
        settings_(std::move(settings)),
        alphas_(std::move(alphas)),
        variants_(std::move(variants)),
        ablation_(ablation) {}

  std::string name() const override { return name_; }
  int runs() const override { return 12; }
  std::string settings(bool quick) const override {
    return fmt::format(
        "Target: the wrapped normal distribution of mean exp₀(α∂x), which is tanh α on the x axis, and "
        "covariance diag(0.3, 1) on B². 3 × 64 tanh, Hutchinson's divergence in training and the exact one "
        "in evaluation, dopri5 at 1e-5, batches of 400 fresh draws, {} iterations. {}",
        iterations(quick), settings_);
  }
  std::vector<Cell> cells(bool /*quick*/) const override {
    std::vector<Cell> all;
    for (double alpha : alphas_)
      for (const Variant& variant : variants_)
        all.push_back({disk_cell(variant.name, alpha), variant.seconds});
    return all;
  }
  Json run(const std::string& cell, std::uint64_t seed, const ReproduceOptions& options) const override {
    for (double alpha : alphas_)
      for (const Variant& variant : variants_) {
        if (disk_cell(variant.name, alpha) != cell) continue;
        TargetRun run = variant.run(alpha, options.quick);
        run.iterations = iterations(options.quick);
        if (seed == 0 && !ablation_) {
          const double half = disk_window(alpha);
          run.lattice = ball_lattice(64, -1.0, half, kWindowEdge - half, 0);
          run.with_target = variant.name == "riemannian";
        }
        return run_on_target(run, seed, options);
      }
    return {};
  }
  std::string table(const Results& results) const override {
    std::string text =
        "| α | entropy | model | NLL | above the entropy | evaluations per solve | in training | mass on the "
        "disk | on the plane | seconds of training | runs |\n|---|---|---|---|---|---|---|---|---|---|---|\n";
    for (double alpha : alphas_)
      for (const Variant& variant : variants_) {
        const std::string cell = disk_cell(variant.name, alpha);
        if (results.runs(cell) == 0) continue;
        const double entropy = *target_of(alpha)->entropy();
        const auto of = [&](const char* key, int digits) { return results.mean_text(cell, key, digits); };
        text += fmt::format("| {:g} | {:.4f} | {} | {} | {:.4f} | {} | {} | {} | {} | {} | {} |\n", alpha,
                            entropy, variant.name, of("nll", 4), results.interval(cell, "nll").mean - entropy,
                            of("evaluations", 0), of("training_evaluations", 0), of("mass", 4),
                            of("mass_of_plane", 4), of("training_seconds", 0), results.runs(cell));
      }
    return text;
  }

  std::vector<FigureFile> figures(const Results& results, const std::string& /*data_dir*/,
                                  TaskObserver& /*observer*/) const override {
    DiskCells cells{alphas_, {}};
    for (const Variant& variant : variants_) cells.variants.push_back(variant.name);
    if (ablation_) return disk_ablation(results, cells);
    std::vector<FigureFile> all = disk_densities(results, cells);
    for (FigureFile& curves : disk_nll(results, cells)) all.push_back(std::move(curves));
    return all;
  }

 private:
  /// Quick: as many as it takes until the models differ.
  long iterations(bool quick) const { return !quick ? 1500 : ablation_ ? 100 : 300; }

  std::string name_, settings_;
  std::vector<double> alphas_;
  std::vector<Variant> variants_;
  bool ablation_;  ///< no pictures
};

}  // namespace

std::unique_ptr<Experiment> make_disk_experiment() {
  const auto with = [](ModelKind model) {
    return [model](double alpha, bool quick) { return cooled(common(model, alpha, quick)); };
  };
  return std::make_unique<DiskExperiment>(
      "disk",
      "Adam at 3e-3, falling to 0 by a cosine, where the paper has 1e-3 throughout. The riemannian model has "
      "the geodesic layer and a field scaled by 1/λ; riemannian-paper is the paper's own: 1/λ², and Adam at "
      "1e-3. The naive model's density lives on the plane; its NLL is that of the part on the disk as it is, "
      "without dividing by the mass there.",
      std::vector<double>{0.5, 1, 1.5, 2},
      std::vector<Variant>{{"naive", with(ModelKind::naive), 100},
                           {"wrapped", with(ModelKind::wrapped), 60},
                           {"riemannian", riemannian, 70},
                           {"riemannian-paper", riemannian_of_paper, 70}},
      false);
}

std::unique_ptr<Experiment> make_disk_scaling_experiment() {
  const auto with = [](BallScaling scaling) {
    return [scaling](double alpha, bool quick) {
      TargetRun run = riemannian_of_paper(alpha, quick);
      run.flow.field.scaling = scaling;
      // Unscaled, the field does not vanish at the rim: solves from near it run into it, at any cost.
      run.flow.solver.max_evaluations = 1000;
      run.with_mass = scaling != BallScaling::none;
      run.curve_every = 10;
      run.curve_points = 400;
      return run;
    };
  };
  return std::make_unique<DiskExperiment>("disk-scaling",
                                          "Adam at 1e-3, geodesic layer. The field is the network's output "
                                          "as it is, divided by λ (unit), or by λ² as in the paper.",
                                          std::vector<double>{1},
                                          std::vector<Variant>{{"none", with(BallScaling::none), 150},
                                                               {"unit", with(BallScaling::unit), 80},
                                                               {"paper", with(BallScaling::paper), 70}});
}

std::unique_ptr<Experiment> make_disk_geodesic_experiment() {
  const auto with = [](InputLayer input) {
    return [input](double alpha, bool quick) {
      TargetRun run = riemannian_of_paper(alpha, quick);
      run.flow.field.input = input;
      return run;
    };
  };
  return std::make_unique<DiskExperiment>(
      "disk-geodesic",
      "Adam at 1e-3, field scaled by 1/λ² as in the paper. The input layer of the riemannian model: "
      "coordinates, or distances to hyperplanes.",
      std::vector<double>{1},
      std::vector<Variant>{{"linear", with(InputLayer::linear), 60},
                           {"geodesic", with(InputLayer::geodesic), 70}});
}

}  // namespace riemflow
