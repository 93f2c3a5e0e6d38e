#include "riemflow/model/standardisation.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "riemflow/core/error.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {
namespace {

/// Of the mean: a smaller deviation is rounding.
constexpr double kNoDeviation = 1e-12;
constexpr const char* kStandardisation = "standardisation";

}  // namespace

double Standardisation::log_scale() const {
  double sum = 0;
  for (const double s : scale) sum += std::log(s);
  return sum;
}

Points<double> Standardisation::standardised(Points<double> points) const {
  for (std::size_t i = 0; i < points.values.size() && !identity(); ++i)
    points.values[i] = (points.values[i] - shift[i % scale.size()]) / scale[i % scale.size()];
  return points;
}

Points<double> Standardisation::in_units(Points<double> points) const {
  for (std::size_t i = 0; i < points.values.size() && !identity(); ++i)
    points.values[i] = shift[i % scale.size()] + scale[i % scale.size()] * points.values[i];
  return points;
}

std::vector<bool> euclidean_numbers(const Manifold<double>& manifold) {
  std::vector<bool> euclidean(static_cast<std::size_t>(manifold.ambient()));
  for (const Factor<double>& factor : manifold.factors())
    for (int c = 0; c < factor.manifold->ambient(); ++c)
      euclidean[static_cast<std::size_t>(factor.row + c)] = factor.manifold->affine();
  return euclidean;
}

Standardisation standardisation_of(const Manifold<double>& manifold, const Points<double>& points,
                                   std::vector<std::size_t>* constant, const Weights& weights) {
  const std::vector<bool> euclidean = euclidean_numbers(manifold);
  Standardisation result;
  for (std::size_t c = 0; c < euclidean.size(); ++c) {
    if (!euclidean[c]) continue;
    if (result.identity()) {
      result.shift.assign(euclidean.size(), 0);
      result.scale.assign(euclidean.size(), 1);
    }
    double mean = 0, square = 0, total = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double off = points[i][c] - mean, w = weight_of(weights, i);
      total += w;
      mean += w * off / total;
      square += w * off * (points[i][c] - mean);
    }
    const double deviation = std::sqrt(square / total);
    result.shift[c] = mean;
    if (deviation > kNoDeviation * std::abs(mean) && std::isfinite(deviation))
      result.scale[c] = deviation;
    else if (constant != nullptr)
      constant->push_back(c);
  }
  return result;
}

void keep_standardisation(Model& model, const Standardisation& standardisation) {
  model.metadata.erase(kStandardisation);
  if (standardisation.identity()) return;
  model.metadata[kStandardisation] =
      nlohmann::ordered_json{{"shift", standardisation.shift}, {"scale", standardisation.scale}}.dump();
}

Standardisation standardisation_of(const Model& model) {
  const std::string text = metadata_of(model, kStandardisation);
  Standardisation result;
  if (text.empty()) return result;
  const auto refuse = [&](const std::string& problem) {
    throw Error(
        about(model) + "its standardisation " + problem,
        "it has a shift and a scale above 0 for each number of a point, 0 and 1 off Euclidean factors: "
        "use the file as riemflow wrote it",
        Fault::bad_data);
  };
  if (model.config.model == ModelKind::pool) refuse("is that of a pool, whose members have their own");
  const nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  const std::vector<bool> euclidean = euclidean_numbers(*model.config.manifold);
  for (const auto& [key, to] : {std::pair("shift", &result.shift), std::pair("scale", &result.scale)}) {
    if (!value.is_object() || !value.contains(key) || !value[key].is_array() ||
        value[key].size() != euclidean.size())
      refuse(std::string("has no ") + key + " of " + std::to_string(euclidean.size()) + " numbers");
    for (const nlohmann::json& number : value[key]) {
      if (!number.is_number()) refuse(std::string("has a ") + key + " that is no number");
      to->push_back(number.get<double>());
    }
  }
  for (std::size_t c = 0; c < euclidean.size(); ++c) {
    const double shift = result.shift[c], scale = result.scale[c];
    if (!std::isfinite(shift) || !std::isfinite(scale) || !(scale > 0))
      refuse("is not finite, or has a scale that is not above 0");
    if (!euclidean[c] && (shift != 0 || scale != 1)) refuse("changes coordinates that are not Euclidean");
  }
  return result;
}

}  // namespace riemflow
