// Learning curves from the log of a training.

#include "riemflow/figure/curves.hpp"

#include <cmath>

#include "apps/riemflow/plot/request.hpp"
#include "apps/riemflow/plot/training_log.hpp"
#include "apps/riemflow/support/console.hpp"

namespace riemflow::app {

Drawing plot_curves(const PlotRequest& request) {
  using namespace figure;
  const std::string& path = request.choice.path;
  const TrainingCurve log = read_training_log(path);
  if (log.truncated)
    say("The last line of {} is only a part of one, as of a training that was stopped; it is left out.",
        path);

  const double width = std::max(1.0, static_cast<double>(log.loss.size()) / 100);
  CurvePanel loss;
  loss.x_label = "iteration";
  loss.y_label = "loss, nats";
  loss.curves.push_back({"", {kBlue.with_alpha(0.3), 0.5}, log.iteration, log.loss, {}});
  loss.curves.push_back({"training, smoothed", {kBlue, 1.1}, log.iteration, smoothed(log.loss, width), {}});
  if (!log.validation.empty()) {
    loss.curves.push_back({"validation", {kOrange, 1.1}, log.validated_at, log.validation, {}});
    loss.marks.push_back({{log.best_iteration, log.best},
                          "best " + number_text(log.best, 4) + " at " + short_number(log.best_iteration, 9),
                          kOrange});
  }
  CurvePanel evaluations;
  evaluations.x_label = "iteration";
  evaluations.y_label = "evaluations of the field a solve";
  evaluations.zero = true;
  evaluations.curves.push_back({"", {kTeal, 1}, log.iteration, log.evaluations, {}});
  Drawing drawing;
  drawing.bytes = draw_curves({request.kind, request.width(), request.dpi, request.title},
                              {loss, evaluations}, 2, 0.36 * request.width());
  return drawing;
}

}  // namespace riemflow::app
