#include "riemflow/model/model_standardisation.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow {
namespace {

constexpr const char* kStandardisation = "standardisation";

}  // namespace

void keep_standardisation(Model& model, const Standardisation& standardisation) {
  model.metadata.erase(kStandardisation);
  if (standardisation.identity()) return;
  model.metadata[kStandardisation] =
      nlohmann::ordered_json{{"shift", standardisation.shift}, {"scale", standardisation.scale}}.dump();
}

Standardisation standardisation_of(const Model& model, Fault fault) {
  const std::string text = metadata_of(model, kStandardisation);
  Standardisation result;
  if (text.empty()) return result;
  const auto refuse = [&](const std::string& problem) {
    throw Error(
        about(model) + "its standardisation " + problem,
        "it has a shift and a scale above 0 for each number of a point, 0 and 1 off Euclidean factors: "
        "use the file as riemflow wrote it",
        fault);
  };
  if (model.config.model == ModelKind::pool) refuse("is that of a pool, whose members have their own");
  const nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  const std::vector<bool> euclidean = euclidean_numbers(*parse_manifold<double>(model.config.manifold));
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
