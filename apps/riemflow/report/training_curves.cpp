#include "apps/riemflow/report/training_curves.hpp"

#include <algorithm>

namespace riemflow::app {
namespace {

constexpr std::size_t kMost = 400;

std::size_t piece_of(std::size_t n) { return (n + kMost - 1) / kMost; }

std::vector<double> means(const std::vector<double>& values) {
  const std::size_t size = piece_of(values.size());
  std::vector<double> result;
  for (std::size_t i = 0; i < values.size(); i += size) {
    const std::size_t end = std::min(i + size, values.size());
    double sum = 0;
    for (std::size_t k = i; k < end; ++k) sum += values[k];
    result.push_back(sum / static_cast<double>(end - i));
  }
  return result;
}

}  // namespace

TrainingCurve read_training_curves(const std::string& path) {
  const TrainingCurve all = read_training_log(path);
  TrainingCurve kept = all;
  kept.iteration = means(all.iteration);
  kept.loss = means(all.loss);
  kept.evaluations = means(all.evaluations);
  kept.validated_at.clear();
  kept.validation.clear();
  const std::size_t every = std::max<std::size_t>(1, piece_of(all.validation.size()));
  for (std::size_t i = 0; i < all.validation.size(); ++i)
    if (i % every == 0 || all.validated_at[i] == all.best_iteration || i + 1 == all.validation.size()) {
      kept.validated_at.push_back(all.validated_at[i]);
      kept.validation.push_back(all.validation[i]);
    }
  return kept;
}

}  // namespace riemflow::app
