#include "apps/riemflow/plot/training_log.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "riemflow/core/error.hpp"

namespace riemflow::app {
namespace {

constexpr const char* kAdvice = "give the file that `riemflow fit --log` wrote";

/// NaN where it is null, as JSON has it for what is not finite, or missing.
double number(const nlohmann::json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_number() ? found->get<double>() : std::nan("");
}

}  // namespace

TrainingCurve read_training_log(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  require(file.is_open(), fmt::format("cannot read {}: {}", path, std::strerror(errno)),
          "check the name and the permissions", Fault::no_input);
  TrainingCurve curve;
  std::string line;
  for (std::size_t number_of_line = 1; std::getline(file, line); ++number_of_line) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const auto entry = nlohmann::json::parse(line, nullptr, false);
    if (entry.is_discarded() && file.eof()) {
      curve.truncated = true;
      break;
    }
    require(entry.is_object(), fmt::format("{}:{}: not a JSON object", path, number_of_line), kAdvice,
            Fault::bad_data);
    const double iteration = number(entry, "iteration");
    require(std::isfinite(iteration), fmt::format("{}:{}: no iteration", path, number_of_line), kAdvice,
            Fault::bad_data);
    require(curve.iteration.empty() || iteration > curve.iteration.back(),
            fmt::format("{}:{}: iteration {:g} after {:g}", path, number_of_line, iteration,
                        curve.iteration.empty() ? 0 : curve.iteration.back()),
            "give the log of one training", Fault::bad_data);
    curve.iteration.push_back(iteration);
    curve.loss.push_back(number(entry, "loss"));
    curve.evaluations.push_back(number(entry, "evaluations"));
    if (const double validation = number(entry, "validation"); std::isfinite(validation)) {
      curve.validated_at.push_back(iteration);
      curve.validation.push_back(validation);
    }
    if (const double best = number(entry, "best"), at = number(entry, "best_iteration");
        std::isfinite(best) && std::isfinite(at)) {
      curve.best = best;
      curve.best_iteration = at;
    }
  }
  require(!file.bad(), fmt::format("cannot read {}", path), "check the disk", Fault::no_input);
  require(!curve.iteration.empty(), fmt::format("{} holds no iteration", path),
          curve.truncated ? "give a log of more than a part of a line" : kAdvice, Fault::bad_data);
  return curve;
}

}  // namespace riemflow::app
