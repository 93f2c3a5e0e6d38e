#include "riemflow/flow/device_formulas.hpp"

#include <cmath>
#include <memory>
#include <vector>

namespace riemflow {
namespace {

/// What the kernels take for granted.
struct Assumed {
  DefaultBase base;
  std::shared_ptr<const Features<float>> features;
};

Assumed assumed_of(const Manifold<float>& factor) {
  const auto coordinates = [&](double scale) {
    return std::make_shared<ScaledCoordinates<float>>(factor.ambient(), scale);
  };
  switch (factor.device_formulas()) {
    case DeviceFormulas::flat:
      return {DefaultBase::normal, coordinates(1)};
    case DeviceFormulas::circles:
      return {DefaultBase::uniform, std::make_shared<Circles<float>>(factor.ambient())};
    case DeviceFormulas::sphere:
      return {DefaultBase::uniform, coordinates(std::sqrt(factor.curvature()))};
    case DeviceFormulas::ball:
      return {DefaultBase::wrapped_normal, coordinates(1)};
    case DeviceFormulas::orthonormal:
    case DeviceFormulas::projectors:
      return {DefaultBase::uniform, coordinates(1)};
    case DeviceFormulas::none:
      break;
  }
  return {DefaultBase::none, nullptr};
}

/// At one point, with one derivative.
bool same(const Features<float>& a, const Features<float>& b, int ambient) {
  if (a.size() != b.size()) return false;
  const auto rows = static_cast<std::size_t>(a.size());
  std::vector<Pack<float>> in(static_cast<std::size_t>(2 * ambient)), one(2 * rows), other(2 * rows);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = Pack<float>(0.1f + 0.07f * static_cast<float>(i));
  a.embed(1, {in.data(), 2}, {one.data(), 2});
  b.embed(1, {in.data(), 2}, {other.data(), 2});
  for (std::size_t i = 0; i < one.size(); ++i)
    if (!(std::abs(one[i][0] - other[i][0]) <= 1e-5f)) return false;
  return true;
}

}  // namespace

std::string why_no_device_formulas(const Manifold<float>& factor) {
  const Assumed assumed = assumed_of(factor);
  if (assumed.features == nullptr) return "it has no formulas for " + factor.name();
  if (factor.default_base() != assumed.base)
    return "its formulas for " + factor.name() + " are with another base";
  const std::shared_ptr<const Features<float>> own = factor.features();
  if (own == nullptr || !same(*own, *assumed.features, factor.ambient()))
    return "its formulas for " + factor.name() + " are with other features";
  return "";
}

}  // namespace riemflow
