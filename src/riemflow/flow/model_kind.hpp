#pragma once
// The kinds of densities that can be fitted, by the names of `fit --model` and of model files.

#include "riemflow/core/enum_names.hpp"

namespace riemflow {

enum class ModelKind {
  riemannian,      ///< a flow on the manifold itself (flow/flow.hpp)
  autoregressive,  ///< on a product: factor by factor, each given those before (flow/autoregressive.hpp)
  naive,           ///< a flow on R^d carried along a chart (manifold/chart_map.hpp, flow/chart_flow.hpp)
  wrapped,
  stereographic,
  vmf_mixture,     ///< a mixture of von Mises–Fisher distributions: no flow
  kde,             ///< a kernel density (kernel/kernel_mixture.hpp): no flow
  kernels,         ///< a kernel density whose kernels a network said (kernel/learned_kernels.hpp): no flow
  normal_mixture,  ///< a mixture of normals (kernel/normal_mixture.hpp): no flow
  pool             ///< a mixture of fitted densities of any kind (model/pool_density.hpp)
};
constexpr auto names_of(ModelKind) {
  return std::to_array<std::string_view>({"riemannian", "autoregressive", "naive", "wrapped", "stereographic",
                                          "vmf-mixture", "kde", "kernels", "normal-mixture", "pool"});
}

constexpr bool has_chart(ModelKind kind) {
  return kind == ModelKind::naive || kind == ModelKind::wrapped || kind == ModelKind::stereographic;
}

/// Whether it is a sum of kernels.
constexpr bool has_kernels(ModelKind kind) {
  return kind == ModelKind::kde || kind == ModelKind::kernels || kind == ModelKind::normal_mixture;
}

/// Whether points are carried along a field.
constexpr bool is_flow(ModelKind kind) {
  return kind != ModelKind::vmf_mixture && kind != ModelKind::pool && !has_kernels(kind);
}

}  // namespace riemflow
