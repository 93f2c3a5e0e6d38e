#include "apps/riemflow/report/training_curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "riemflow/core/error.hpp"

namespace riemflow::app {
namespace {

constexpr std::size_t kMost = 400;  // points of a curve

/// Means of the values over pieces of `size`.
std::vector<double> thinned(const std::vector<double>& values, std::size_t size) {
  std::vector<double> result;
  for (std::size_t i = 0; i < values.size(); i += size) {
    const std::size_t end = std::min(i + size, values.size());
    double sum = 0;
    for (std::size_t k = i; k < end; ++k) sum += values[k];
    result.push_back(sum / static_cast<double>(end - i));
  }
  return result;
}

/// The number of that name; NaN without, or where the log has null for what is none.
double number(const nlohmann::json& entry, const char* name) {
  const auto found = entry.find(name);
  return found != entry.end() && found->is_number() ? found->get<double>()
                                                    : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double TrainingCurves::best() const {
  return validation.empty() ? std::numeric_limits<double>::quiet_NaN()
                            : *std::min_element(validation.begin(), validation.end());
}

double TrainingCurves::best_at() const {
  if (validation.empty()) return std::numeric_limits<double>::quiet_NaN();
  return validated_at[static_cast<std::size_t>(std::min_element(validation.begin(), validation.end()) -
                                               validation.begin())];
}

TrainingCurves read_training_curves(const std::string& path) {
  std::ifstream file(path);
  require(file.good(), fmt::format("cannot read {}", path), "give the file that fit --log wrote",
          Fault::no_input);
  TrainingCurves all;
  std::size_t line_number = 0;
  for (std::string line; std::getline(file, line);) {
    ++line_number;
    if (line.empty()) continue;
    const auto entry = nlohmann::json::parse(line, nullptr, false);
    const double iteration = entry.is_object() ? number(entry, "iteration") : NAN;
    require(std::isfinite(iteration), fmt::format("{}:{}: no line of a training log", path, line_number),
            "give the file that fit --log wrote", Fault::bad_data);
    const double loss = number(entry, "loss"), validation = number(entry, "validation");
    if (std::isfinite(loss)) {
      all.iterations.push_back(iteration);
      all.loss.push_back(loss);
      all.evaluations.push_back(number(entry, "evaluations"));
    }
    if (std::isfinite(validation)) {
      all.validated_at.push_back(iteration);
      all.validation.push_back(validation);
    }
  }
  require(!all.empty(), fmt::format("{} holds no iteration", path), "give the file that fit --log wrote",
          Fault::bad_data);
  const std::size_t piece = (all.iterations.size() + kMost - 1) / kMost;
  for (auto* values : {&all.iterations, &all.loss, &all.evaluations}) *values = thinned(*values, piece);
  // Validations are thinned by leaving out, not by means: the best one stays.
  const std::size_t every = (all.validation.size() + kMost - 1) / kMost;
  if (every > 1) {
    TrainingCurves kept = all;
    kept.validated_at.clear();
    kept.validation.clear();
    const double best = all.best_at();
    for (std::size_t i = 0; i < all.validation.size(); ++i)
      if (i % every == 0 || all.validated_at[i] == best || i + 1 == all.validation.size()) {
        kept.validated_at.push_back(all.validated_at[i]);
        kept.validation.push_back(all.validation[i]);
      }
    all = std::move(kept);
  }
  return all;
}

}  // namespace riemflow::app
