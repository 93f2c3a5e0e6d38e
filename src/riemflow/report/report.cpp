#include "riemflow/report/report.hpp"

#include <cmath>
#include <filesystem>

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/figure/axis_names.hpp"
#include "riemflow/kernel/kernel_space.hpp"
#include "riemflow/model/space.hpp"
#include "riemflow/report/page.hpp"

namespace riemflow {
namespace {

/// Points that are scored, at most, and training points of the kernel densities that are fitted beside it.
constexpr std::size_t kMostScored = 20'000, kMostKernels = 50'000;
constexpr std::size_t kScoresAtOnce = 2048;

std::vector<double> scores_of(const Model& model, const Evaluation& how, const Points<double>& points,
                              TaskObserver& observer) {
  std::vector<double> scores;
  const std::unique_ptr<Density> density = make_exact_density(model, how, observer);
  ObservedTask task(observer, "Scores", static_cast<double>(points.size()));
  const auto n = static_cast<std::size_t>(points.dimension);
  for (std::size_t first = 0; first < points.size(); first += kScoresAtOnce) {
    const std::size_t last = std::min(points.size(), first + kScoresAtOnce);
    Points<double> some;
    some.dimension = points.dimension;
    some.values.assign(points.values.begin() + static_cast<std::ptrdiff_t>(first * n),
                       points.values.begin() + static_cast<std::ptrdiff_t>(last * n));
    const std::vector<double> log_p = density->log_prob(some).values;
    scores.insert(scores.end(), log_p.begin(), log_p.end());
    task.advance(static_cast<double>(last - first));
  }
  return scores;
}

/// Every density on the test points; those where the model's fails are left out of all.
void score_all(report::PageContent& content, const Evaluation& how, TaskObserver& observer) {
  const Space& manifold = space_of(*content.model);
  const ModelData& data = *content.data;
  const Points<double> asked = thinned(data.test, kMostScored);
  content.scored = asked.size();
  if (asked.size() < data.test.size())
    observer.tell("{} of {} points are scored, at equal steps; riemflow score takes all.",
                  counted(asked.size()), counted(data.test.size()));
  observer.say("Scoring the points.");
  const std::vector<double> own = scores_of(*content.model, how, asked, observer);
  Points<double> test;
  test.dimension = asked.dimension;
  Points<double> weights;  // thinned as the points are
  weights.dimension = 1;
  weights.values = data.test_weights;
  weights = thinned(weights, kMostScored);
  PointScores model{"this model", {}};
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (std::isnan(own[i])) {
      ++content.failed_scores;
      continue;
    }
    model.log_densities.push_back(own[i]);
    if (weights.size() > 0) model.weights.push_back(weights[i][0]);
    test.values.insert(test.values.end(), asked[i].begin(), asked[i].end());
  }
  content.scores.push_back(base_scores(manifold, test));
  if (data.split_known && data.training.size() > kMostKernels) {
    observer.tell("Kernel densities of {} points are not fitted for a report; riemflow compare does.",
                  counted(data.training.size()));
  } else if (data.split_known && !has_kernels(*manifold.computed_on())) {
    observer.tell("{} has no kernels: there are no kernel densities to compare with.", manifold.name());
  } else if (data.split_known && data.validation.size() > 0) {
    observer.say("Fitting kernel densities to compare with.");
    for (PointScores& kernels : kernel_density_scores(manifold, data.training, data.validation, test,
                                                      observer, how.threads, data.weights))
      content.scores.push_back(std::move(kernels));
  }
  for (PointScores& other : content.scores) other.weights = model.weights;
  content.scores.push_back(std::move(model));
}

}  // namespace

Report make_report(const Model& model, const ModelData* data, const TrainingHistory* history,
                   const ReportOptions& options, TaskObserver& observer) {
  const CancelScope scope([&] { return observer.cancelled(); });
  report::PageContent content;
  content.model = &model;
  content.model_name = std::filesystem::path(model.path).filename().string();
  content.title = options.title.empty() ? content.model_name : options.title;
  content.command = options.command;
  content.data = data;
  content.history = history;
  content.axes = figure::sheet_names(model);
  content.scene = report::make_scene(model, options.evaluation,
                                     data == nullptr ? Points<double>() : joined(*data), observer);
  observer.say("Drawing the picture.");
  content.still = content.scene ? report::still_png(model, *content.scene, data)
                                : report::drawn_png(model, options.evaluation, data, observer);
  if (data != nullptr && data->test.size() > 0) score_all(content, options.evaluation, observer);
  observer.say("Checking whether the likelihood is to be trusted.");
  content.examination = examine_model(model, options.evaluation, {}, observer);
  return {page_of(content), content.examination};
}

}  // namespace riemflow
