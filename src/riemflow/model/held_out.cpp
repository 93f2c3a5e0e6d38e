#include "riemflow/model/held_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace riemflow {
namespace {

constexpr const char* kHeldOut = "state.held_out";

std::vector<double> point_at(const Points<double>& points, std::size_t i) {
  std::vector<double> point;
  for (const double x : points[i]) point.push_back(x + 0.0);  // −0 + 0 = 0
  return point;
}

/// Whether one of the points is a centre of the model's kernels: of its own, of a flow's base, or of a
/// member's of a pool.
bool has_centre_among(const Model& model, const Points<double>& points) {
  if (points.size() == 0) return false;
  if (const auto* pool = std::get_if<Pool>(&model.content))
    return std::any_of(pool->members.begin(), pool->members.end(),
                       [&](const Model& member) { return has_centre_among(member, points); });
  const KernelsOfModel kernels = kernels_of(model);
  if (!kernels) return false;
  // Centres are standardised, by the same operations, and so are equal bit for bit.
  const Points<double> own = standardisation_of(model).standardised(points);
  std::set<std::vector<double>> wanted;
  for (std::size_t i = 0; i < own.size(); ++i) wanted.insert(point_at(own, i));
  const Points<double>& centres = kernels->parameters().centres;
  for (std::size_t i = 0; i < centres.size(); ++i)
    if (wanted.contains(point_at(centres, i))) return true;
  return false;
}

}  // namespace

void keep_held_out(Model& model, const HeldOutScores& scores) {
  std::vector<double> rows;
  for (std::size_t i = 0; i < scores.points.size(); ++i) {
    rows.push_back(static_cast<double>(scores.points[i]));
    rows.push_back(scores.log_densities[i]);
    if (!scores.weights.empty()) rows.push_back(scores.weights[i]);
  }
  std::erase_if(model.state, [](const Tensor& tensor) { return tensor.name == kHeldOut; });
  model.state.push_back(
      make_tensor<double>(kHeldOut, {scores.points.size(), scores.weights.empty() ? std::size_t{2} : 3},
                          std::span<const double>(rows)));
}

std::optional<HeldOutScores> held_out_of(const Model& model) {
  for (const Tensor& tensor : model.state) {
    if (tensor.name != kHeldOut) continue;
    const bool good = tensor.dtype == DType::F64 && tensor.shape.size() == 2 &&
                      (tensor.shape[1] == 2 || tensor.shape[1] == 3);
    HeldOutScores scores;
    const std::vector<double> rows = good ? values_of<double>(tensor) : std::vector<double>();
    const std::size_t width = good ? tensor.shape[1] : 2;
    for (std::size_t i = 0; i + 1 < rows.size(); i += width) {
      require(
          rows[i] >= 0 && rows[i] < 4294967296.0 && rows[i] == std::floor(rows[i]) &&
              rows[i + 1] != std::numeric_limits<double>::infinity(),
          fmt::format("{}row {} of state.held_out is {}, {}", about(model), i / width, rows[i], rows[i + 1]),
          "it must be the number of a point and a log-density", Fault::bad_data);
      scores.points.push_back(static_cast<std::size_t>(rows[i]));
      scores.log_densities.push_back(rows[i + 1]);
      if (width == 2) continue;
      require(
          rows[i + 2] > 0 && std::isfinite(rows[i + 2]),
          fmt::format("{}row {} of state.held_out has the weight {}", about(model), i / width, rows[i + 2]),
          "it must be above 0", Fault::bad_data);
      scores.weights.push_back(rows[i + 2]);
    }
    require(good,
            fmt::format("{}tensor state.held_out is {} {}", about(model), name_of(tensor.dtype),
                        to_string(tensor.shape)),
            "it must be [n, 2] or [n, 3] in F64: use the file as riemflow wrote it", Fault::bad_data);
    return scores;
  }
  return std::nullopt;
}

bool has_learned_from_validation(const Model& model, const Points<double>& training,
                                 const Points<double>& validation) {
  std::set<std::vector<double>> seen;
  for (std::size_t i = 0; i < training.size(); ++i) seen.insert(point_at(training, i));
  Points<double> unseen(0, validation.dimension);
  for (std::size_t i = 0; i < validation.size(); ++i)
    if (!seen.contains(point_at(validation, i)))
      unseen.values.insert(unseen.values.end(), validation[i].begin(), validation[i].end());
  return has_centre_among(model, unseen);
}

}  // namespace riemflow
