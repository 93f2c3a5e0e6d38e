#include "riemflow/flow/transport.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/learned_mixture.hpp"
#include "riemflow/distribution/rounded.hpp"
#include "riemflow/flow/autoregressive.hpp"
#include "riemflow/flow/chart_flow.hpp"
#include "riemflow/flow/cuda_flow.hpp"
#include "riemflow/flow/flow.hpp"

namespace riemflow {

std::vector<double> equally_spaced(double from, double to, int frames) {
  std::vector<double> times(static_cast<std::size_t>(std::max(frames, 0)));
  for (int i = 0; i < frames; ++i) times[static_cast<std::size_t>(i)] = from + (to - from) * i / (frames - 1);
  return times;
}

template <class T>
Carried<T> Transport<T>::push(const Points<T>& points, int frames) {
  return carry(points, equally_spaced(0, 1, frames));
}

template <class T>
Carried<T> Transport<T>::pull(const Points<T>& points, int frames) {
  return carry(points, equally_spaced(1, 0, frames));
}

template <class T>
Carried<T> Transport<T>::sample(std::size_t n, std::uint64_t seed, std::uint64_t first) {
  Carried<T> path = draw_paths(n, seed, first, {0, 1});
  path.frames.erase(path.frames.begin());
  return path;
}

template <class T>
Carried<T> Transport<T>::draw_paths(std::size_t n, std::uint64_t seed, std::uint64_t first,
                                    const std::vector<double>& times) {
  return carry(sample_base(n, seed, 0, first), times);
}

template <class T>
void Transport<T>::check_target(const Distribution<double>& target) const {
  const FlowConfig& own = config();
  require(own.model != ModelKind::autoregressive, "an autoregressive flow cannot be trained by reverse KL",
          "use the model riemannian");
  require(own.base.kind == BaseKind::standard, "reverse KL over a base that is learned", "leave ‹base› out");
  const std::string kind(name_of(own.model));
  require(
      !has_chart(own.model) || make_chart_map<T>(kind, own.manifold.on<T>())->everywhere(),
      "a " + kind + " model has mass where the target has none",
      "its reverse KL divergence is infinite: use a riemannian or a wrapped model, or train by likelihood");
  require(target.ambient() == this->manifold().ambient(),
          "the target " + target.name() + " is not on " + this->manifold().name(),
          "give a target on the flow's manifold");
}

template <class T>
void Transport<T>::check_path(const Points<T>& points, const std::vector<double>& times) const {
  require(times.size() >= 2, "a path was asked for at " + std::to_string(times.size()) + " times",
          "give at least 2");
  for (std::size_t i = 0; i < times.size(); ++i)
    require(std::isfinite(times[i]) && (i < 2 || (times[i] - times[i - 1]) * (times[1] - times[0]) > 0) &&
                (i == 0 || times[i] != times[i - 1]),
            "the times of a path neither rise nor fall", "give them in order, each once");
  this->check(points);
}

template <class T>
LogProbGradient Transport<T>::log_prob_gradient(const Points<T>& points) {
  require(exact(), "the gradient of a density with Hutchinson's divergence, which is an estimate",
          "make the flow with with_exact_divergence(config)");
  this->check(points);
  return compute_log_prob_gradient(points);
}

template <class T>
LogProbGradient Transport<T>::compute_log_prob_gradient(const Points<T>&) {
  throw Error("this kind of flow has no gradient of its density in the point",
              "use a flow of make_transport");
}

template <class T>
Loss Transport<T>::gradient_of(const Batch<T>& batch, std::span<T> gradient, const GradientOptions& options) {
  const auto size = [](const auto& one) { return one.size(); };
  require(std::visit(size, batch) > 0, "a gradient was asked for with no points", "give at least one");
  require(gradient.size() == parameters().size(),
          "the gradient has room for " + std::to_string(gradient.size()) + " numbers",
          "the flow has " + std::to_string(parameters().size()) + " parameters");
  if (const auto* likelihood = std::get_if<LikelihoodBatch<T>>(&batch)) this->check(likelihood->points);
  if (const auto* matching = std::get_if<MatchingBatch<T>>(&batch)) this->check(matching->points);
  if (const auto* reverse = std::get_if<ReverseKlBatch>(&batch)) check_target(*reverse->target);
  return compute_gradient(batch, gradient, options);
}

template <class T>
std::unique_ptr<Transport<T>> make_transport(const FlowConfig& config, std::uint64_t seed, int threads,
                                             Device device,
                                             std::shared_ptr<const Distribution<double>> base) {
  require(is_flow(config.model), "a " + std::string(name_of(config.model)) + " is no flow",
          "give a kind of flow, such as riemannian");
  if (base) {
    require(config.model == ModelKind::riemannian,
            "the base " + base->name() + " with the model " + std::string(name_of(config.model)),
            "use ‹base› default, or ‹model› riemannian");
    require(device != Device::cuda, "the base " + base->name() + " is not computed on a GPU",
            "use ‹device› cpu, or ‹base› default");
    return std::make_unique<Flow<T>>(config, seed, threads, in_precision<T>(std::move(base)));
  }
  if (has_chart(config.model)) return std::make_unique<ChartFlow<T>>(config, seed, threads, device);
  validate(config);
  if constexpr (std::is_same_v<T, float>) {
    if (device == Device::cuda || (device == Device::automatic && why_not_cuda(config).empty()))
      return make_cuda_flow(config, seed);
  } else {
    require(device != Device::cuda, "the GPU computes in float, not in double",
            "use ‹precision› float, or ‹device› cpu");
  }
  if (config.model == ModelKind::autoregressive)
    return std::make_unique<Autoregressive<T>>(config, seed, threads);
  return std::make_unique<Flow<T>>(config, seed, threads);
}

template <class T>
ParameterLayout transport_layout(const FlowConfig& config) {
  if (config.model == ModelKind::autoregressive) return autoregressive_layout<T>(config);
  const FlowConfig own = has_chart(config.model) ? chart_coordinates(config) : config;
  const std::shared_ptr<const Manifold<T>> manifold = own.manifold.on<T>();
  ParameterLayout layout = VectorField<T>(manifold, own.field).layout();
  if (own.base.kind == BaseKind::vmf_mixture)
    add_mixture_blocks(layout, own.base.components, manifold->ambient());
  return layout;
}

template <class T>
std::unique_ptr<Transport<double>> in_double(const Transport<T>& transport, const FlowConfig& config) {
  auto copy = make_transport<double>(config, 0, transport.threads(), Device::cpu, transport.exact_base());
  std::copy(transport.parameters().begin(), transport.parameters().end(), copy->parameters().begin());
  return copy;
}

template class Transport<float>;
template class Transport<double>;
template std::unique_ptr<Transport<float>> make_transport(const FlowConfig&, std::uint64_t, int, Device,
                                                          std::shared_ptr<const Distribution<double>>);
template std::unique_ptr<Transport<double>> make_transport(const FlowConfig&, std::uint64_t, int, Device,
                                                           std::shared_ptr<const Distribution<double>>);
template ParameterLayout transport_layout<float>(const FlowConfig&);
template ParameterLayout transport_layout<double>(const FlowConfig&);
template std::unique_ptr<Transport<double>> in_double(const Transport<float>&, const FlowConfig&);
template std::unique_ptr<Transport<double>> in_double(const Transport<double>&, const FlowConfig&);

}  // namespace riemflow
