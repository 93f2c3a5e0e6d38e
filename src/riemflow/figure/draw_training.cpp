// Learning curves from the log of a training.

#include <algorithm>
#include <cmath>

#include "riemflow/figure/curves.hpp"
#include "riemflow/figure/draw_parts.hpp"

namespace riemflow {
namespace {

using namespace figure;

constexpr double kCurvesWidth = 180;  // mm

/// One curve through all stages that `of` takes, broken between them: losses of different trainings are not
/// joined by a line. What is not finite breaks it too, except where it was not validated.
template <class Of, class Value>
Curve stages_curve(const TrainingHistory& history, const Of& of, const Value& values_of,
                   bool sparse = false) {
  Curve curve;
  for (const TrainingStage& stage : history.stages) {
    if (!of(stage)) continue;
    const std::vector<double> values = values_of(stage);
    for (std::size_t i = 0; i < stage.entries.size(); ++i) {
      if (sparse && std::isnan(values[i])) continue;
      curve.x.push_back(history.named ? stage.entries[i].seconds : stage.entries[i].iteration);
      curve.y.push_back(values[i]);
    }
    curve.x.push_back(curve.x.empty() ? 0 : curve.x.back());
    curve.y.push_back(NAN);
  }
  return curve;
}

std::vector<double> column(const TrainingStage& stage, double TrainingEntry::*value) {
  std::vector<double> result;
  for (const TrainingEntry& entry : stage.entries) result.push_back(entry.*value);
  return result;
}

class CurvesOfLog {
 public:
  explicit CurvesOfLog(const TrainingHistory& history) : history_(history) {
    for (const TrainingStage& stage : history.stages) {
      (stage.objective == Objective::flow_matching ? matched_ : likely_) = true;
      for (const TrainingEntry& entry : stage.entries) {
        validated_ |= std::isfinite(entry.validation);
        solved_ |= entry.evaluations > 0;
      }
    }
  }

  std::vector<CurvePanel> panels() const {
    std::vector<CurvePanel> result;
    if (likely_ || validated_) result.push_back(likelihood());
    if (matched_) {
      CurvePanel matching = panel("loss of flow matching");
      add_loss(matching, Objective::flow_matching);
      result.push_back(std::move(matching));
    }
    if (likely_ && solved_) {
      CurvePanel evaluations = panel("evaluations of the field per solve");
      evaluations.zero = true;
      evaluations.curves.push_back(
          curve("", {kTeal, 1}, Objective::likelihood,
                [](const TrainingStage& stage) { return column(stage, &TrainingEntry::evaluations); }));
      result.push_back(std::move(evaluations));
    }
    return result;
  }

  /// What the numbers in the panels mean.
  std::vector<std::string> key() const {
    std::vector<std::string> result;
    if (history_.stages.size() > 1)
      for (std::size_t i = 0; i < history_.stages.size(); ++i)
        result.push_back(std::to_string(i + 1) + ": " + history_.stages[i].name);
    return result;
  }

 private:
  double x(const TrainingEntry& entry) const { return history_.named ? entry.seconds : entry.iteration; }

  CurvePanel panel(std::string y_label) const {
    CurvePanel result;
    result.x_label = history_.named ? "seconds" : "iteration";
    result.y_label = std::move(y_label);
    if (history_.stages.size() > 1) {
      double from = history_.named ? x(history_.stages.front().entries.front()) : 0;
      for (std::size_t i = 0; i < history_.stages.size(); ++i) {
        const double to = x(history_.stages[i].entries.back());
        result.stretches.push_back({from, to, std::to_string(i + 1)});
        from = to;
      }
    }
    return result;
  }

  template <class Value>
  Curve curve(std::string label, const Pen& pen, Objective objective, const Value& values) const {
    Curve result = stages_curve(
        history_, [&](const TrainingStage& stage) { return stage.objective == objective; }, values);
    result.label = std::move(label);
    result.pen = pen;
    return result;
  }

  void add_loss(CurvePanel& panel, Objective objective) const {
    const auto raw = [](const TrainingStage& stage) { return column(stage, &TrainingEntry::loss); };
    const auto smooth = [&](const TrainingStage& stage) {
      return smoothed(raw(stage), std::max(1.0, static_cast<double>(stage.entries.size()) / 100));
    };
    panel.curves.push_back(curve("", {kBlue.with_alpha(0.3), 0.5}, objective, raw));
    panel.curves.push_back(curve("training, smoothed", {kBlue, 1.1}, objective, smooth));
  }

  CurvePanel likelihood() const {
    CurvePanel result = panel(matched_ ? "negative log-likelihood, nats" : "loss, nats");
    if (likely_) add_loss(result, Objective::likelihood);
    if (!validated_) return result;
    Curve validation = stages_curve(
        history_, [](const TrainingStage&) { return true; },
        [](const TrainingStage& stage) { return column(stage, &TrainingEntry::validation); }, true);
    validation.label = "validation";
    validation.pen = {kOrange, 1.1};
    // A validation between two breaks is no line: a dot.
    for (std::size_t i = 0; i < validation.x.size(); ++i)
      if ((i == 0 || std::isnan(validation.y[i - 1])) && std::isfinite(validation.y[i]) &&
          std::isnan(validation.y[i + 1]))
        result.marks.push_back({{validation.x[i], validation.y[i]}, "", kOrange});
    result.curves.push_back(std::move(validation));
    const TrainingEntry& best = *best_validation(history_);
    result.marks.push_back(
        {{x(best), best.validation},
         "best " + number_text(best.validation, 4) + " at iteration " + short_number(best.iteration, 9),
         kOrange});
    return result;
  }

  const TrainingHistory& history_;
  bool matched_ = false, likely_ = false, validated_ = false, solved_ = false;
};

}  // namespace

std::string draw_training(const TrainingHistory& history, const DrawOptions& options) {
  const CurvesOfLog curves(history);
  const std::vector<CurvePanel> panels = curves.panels();
  const double width = width_in_points(options, kCurvesWidth);
  return draw_curves({options.kind, width, options.dpi, options.title}, panels, panels.size() > 1 ? 2 : 1,
                     0.36 * width, false, curves.key());
}

}  // namespace riemflow
