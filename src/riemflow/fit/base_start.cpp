#include "riemflow/fit/base_start.hpp"

#include <algorithm>

#include "riemflow/distribution/learned_mixture.hpp"
#include "riemflow/fit/mixture_fit.hpp"

namespace riemflow {

template <class T>
void start_base(Transport<T>& flow, const Points<double>& training, const Points<double>& validation,
                std::uint64_t seed) {
  const BaseConfig& base = flow.config().base;
  if (base.kind != BaseKind::vmf_mixture) return;
  ThreadPool pool(flow.threads());
  const MixtureParameters start = mixture_start(training, static_cast<std::size_t>(base.components), seed);
  MixtureEmConfig config;
  config.patience = 50;
  const MixtureFit fit = fit_mixture_em(start, training, validation, config, pool);
  const std::vector<T> found = LearnedMixture<T>::parameters_of(fit.parameters);
  const ParameterLayout layout = flow.layout();
  for (const ParameterBlock& block : layout.blocks()) {
    const auto at = flow.parameters().begin() + static_cast<std::ptrdiff_t>(block.offset);
    if (block.name.starts_with("output.")) std::fill_n(at, block.size(), T(0));
    if (block.name == "base.logit") std::copy(found.begin(), found.end(), at);  // and the blocks behind it
  }
}

template void start_base(Transport<float>&, const Points<double>&, const Points<double>&, std::uint64_t);
template void start_base(Transport<double>&, const Points<double>&, const Points<double>&, std::uint64_t);

}  // namespace riemflow
