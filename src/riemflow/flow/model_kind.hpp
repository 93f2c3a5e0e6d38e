#pragma once
// The kinds of densities that can be fitted, by the names of `fit --model` and of model files.

#include <array>
#include <optional>
#include <string_view>

namespace riemflow {

enum class ModelKind {
  riemannian,      ///< a flow on the manifold itself (flow/flow.hpp)
  autoregressive,  ///< on a product: factor by factor, each given those before (flow/autoregressive.hpp)
  naive,           ///< a flow on R^d carried along a chart (manifold/chart_map.hpp, flow/chart_flow.hpp)
  wrapped,
  stereographic,
  vmf_mixture,  ///< a mixture of von Mises–Fisher distributions: no flow
  kde,          ///< a kernel density (kernel/kernel_mixture.hpp): no flow
  pool          ///< a mixture of fitted densities of any kind (model/pool_density.hpp)
};

/// In the order of the enumerators.
inline constexpr std::array<std::string_view, 8> kModelKinds = {
    "riemannian", "autoregressive", "naive", "wrapped", "stereographic", "vmf-mixture", "kde", "pool"};

constexpr std::string_view name_of(ModelKind kind) { return kModelKinds[static_cast<std::size_t>(kind)]; }

constexpr std::optional<ModelKind> model_kind(std::string_view name) {
  for (std::size_t i = 0; i < kModelKinds.size(); ++i)
    if (kModelKinds[i] == name) return static_cast<ModelKind>(i);
  return std::nullopt;
}

constexpr bool has_chart(ModelKind kind) {
  return kind == ModelKind::naive || kind == ModelKind::wrapped || kind == ModelKind::stereographic;
}

/// Whether points are carried along a field.
constexpr bool is_flow(ModelKind kind) {
  return kind != ModelKind::vmf_mixture && kind != ModelKind::kde && kind != ModelKind::pool;
}

}  // namespace riemflow
