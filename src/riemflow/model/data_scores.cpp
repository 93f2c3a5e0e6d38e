#include "riemflow/model/data_scores.hpp"

#include <algorithm>
#include <cmath>

#include "riemflow/core/running_mean.hpp"
#include "riemflow/model/score_points.hpp"

namespace riemflow {
namespace {

constexpr std::size_t kWorst = 5;

/// From rows sorted by rising log-density.
void summarise(const std::vector<ScoredRow>& rows, DataScores& scores) {
  if (rows.empty()) return;
  const double n = static_cast<double>(rows.size());
  double tail = 0;
  RunningMean nll;
  for (const ScoredRow& row : rows) nll.add(-row.log_density);
  scores.nll = nll.mean();
  scores.standard_error = rows.size() > 1 ? nll.standard_error() : 0;
  const double sum = n * scores.nll;
  scores.worst.assign(rows.begin(),
                      rows.begin() + static_cast<std::ptrdiff_t>(std::min(kWorst, rows.size())));
  scores.tail_points = std::max<std::size_t>(1, rows.size() / 100);
  for (std::size_t i = 0; i < scores.tail_points; ++i) tail -= rows[i].log_density;
  if (scores.tail_points < rows.size())
    scores.tail_raise = scores.nll - (sum - tail) / (n - static_cast<double>(scores.tail_points));
  if (sum > 0 && tail > 0 && tail <= sum) scores.tail_share = tail / sum;
}

}  // namespace

bool is_training_data(const Model& model, PointSource& source) {
  const auto trained_on = model.metadata.find("data_sha256");
  return trained_on != model.metadata.end() && trained_on->second == source.sha256();
}

DataScores score_data(const Density& density, PointSource& source, const std::string& path,
                      const Model& model, TaskObserver& observer) {
  DataScores scores;
  scores.path = path;
  scores.row_word = source.assumptions().row;
  std::vector<ScoredRow> rows;
  const auto see = [&](std::span<const std::uint64_t> lines, std::span<const double> log_p) {
    for (std::size_t i = 0; i < log_p.size(); ++i) {
      if (std::isfinite(log_p[i])) {
        rows.push_back({lines[i], log_p[i]});
      } else if (scores.failed++ == 0) {
        scores.first_failed = lines[i];
      }
    }
  };
  scores.points = score_points(density, source, observer, see).points;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ScoredRow& a, const ScoredRow& b) { return a.log_density < b.log_density; });
  summarise(rows, scores);
  scores.is_training_data = is_training_data(model, source);
  return scores;
}

}  // namespace riemflow
