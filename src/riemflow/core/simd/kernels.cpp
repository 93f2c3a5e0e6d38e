// Compiled by Highway once a target: foreach_target.h includes this file again for each.
#include "riemflow/core/simd/kernels.hpp"

// AVX-512 without the extensions of later chips, AVX2, SSE4, and plain scalar code as the last resort.
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "riemflow/core/simd/kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h must come first.
#include <hwy/highway.h>

#include "riemflow/core/simd/activation-inl.h"
#include "riemflow/core/simd/densities-inl.h"
#include "riemflow/core/simd/matmul-inl.h"
#include "riemflow/core/simd/sphere_paths-inl.h"

HWY_BEFORE_NAMESPACE();
namespace riemflow::simd::HWY_NAMESPACE {

template <class T>
double spin(long rounds, T* sink) {
  const hn::ScalableTag<T> d;
  constexpr int kChains = 12;  // latency 4 × throughput 2, with room to spare
  hn::Vec<decltype(d)> chain[kChains];
  for (int i = 0; i < kChains; ++i) chain[i] = hn::Set(d, static_cast<T>(i));
  const auto factor = hn::Set(d, static_cast<T>(0.999));
  for (long r = 0; r < rounds; ++r) {
    for (int i = 0; i < kChains; ++i) chain[i] = hn::MulAdd(chain[i], factor, factor);
  }
  for (int i = 1; i < kChains; ++i) chain[0] = hn::Add(chain[0], chain[i]);
  *sink = hn::GetLane(hn::SumOfLanes(d, chain[0]));
  return 2.0 * kChains * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

template <class T>
const Kernels<T>& table() {
  static const Kernels<T> kernels = {
      multiply<T>, multiply_transposed<T>, add_outer<T>,         add_value_sums<T>,
      activate<T>, reactivate<T>,          activate_backward<T>, path_sums<T>,
      spin<T>};
  return kernels;
}
const Kernels<float>& table_float() { return table<float>(); }
const Kernels<double>& table_double() { return table<double>(); }
const Densities& table_densities() {
  static const Densities densities = {log_values_of_densities, log_bounds, add_exponentials, log_moments};
  return densities;
}

}  // namespace riemflow::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <cstdlib>

#include "riemflow/core/error.hpp"

namespace riemflow::simd {
namespace {

HWY_EXPORT(table_float);
HWY_EXPORT(table_double);
HWY_EXPORT(table_densities);

struct Target {
  const char* name;
  std::int64_t bit;
};
// Best first; Highway gives better targets lower bits.
constexpr Target kTargets[] = {
    {"avx512", HWY_AVX3}, {"avx2", HWY_AVX2}, {"sse4", HWY_SSE4}, {"scalar", HWY_SCALAR}};

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

/// Tells Highway what to use and returns its name.
std::string choose() {
  const std::vector<std::string> available = available_instruction_sets();
  require(!available.empty(), "there are no kernels for this processor",
          "build for x86-64, or add its Highway target to kTargets", Fault::internal);
  std::string wanted = available.front();
  if (const char* forced = std::getenv("RIEMFLOW_SIMD"); forced != nullptr && *forced != '\0') {
    wanted = forced;
    require(std::find(available.begin(), available.end(), wanted) != available.end(),
            "RIEMFLOW_SIMD=" + wanted + " is not an instruction set of this machine",
            "use one of " + listed(available) + ", or unset it");
  }
  for (const Target& target : kTargets) {
    if (wanted == target.name) hwy::GetChosenTarget().Update(target.bit);
  }
  return wanted;
}

}  // namespace

std::vector<std::string> available_instruction_sets() {
  std::vector<std::string> names;
  for (const Target& target : kTargets) {
    if ((hwy::SupportedTargets() & HWY_TARGETS & target.bit) != 0) names.emplace_back(target.name);
  }
  return names;
}

std::string instruction_set() {
  static const std::string chosen = choose();
  return chosen;
}

template <>
const Kernels<float>& kernels<float>() {
  static const Kernels<float>& chosen = (instruction_set(), HWY_DYNAMIC_DISPATCH(table_float)());
  return chosen;
}
template <>
const Kernels<double>& kernels<double>() {
  static const Kernels<double>& chosen = (instruction_set(), HWY_DYNAMIC_DISPATCH(table_double)());
  return chosen;
}
const Densities& densities() {
  static const Densities& chosen = (instruction_set(), HWY_DYNAMIC_DISPATCH(table_densities)());
  return chosen;
}

}  // namespace riemflow::simd
#endif  // HWY_ONCE
