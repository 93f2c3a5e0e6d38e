#include "riemflow/model/standardised.hpp"

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

[[noreturn]] void refuse_target() {
  throw Error("reverse KL of a flow of standardised coordinates", "train a flow without a standardisation",
              Fault::internal);
}

}  // namespace

template <class T>
LogProb<T> Standardised<T>::from_inner(LogProb<T> own) const {
  for (T& value : own.values) value = static_cast<T>(static_cast<double>(value) - log_scale_);
  own.base_points = from_inner(own.base_points);
  return own;
}

template <class T>
Carried<T> Standardised<T>::from_inner(Carried<T> own) const {
  for (Points<T>& frame : own.frames) frame = from_inner(frame);
  return own;
}

template <class T>
LogProb<T> StandardisedFlow<T>::log_prob(const Points<T>& points, const NoiseKey& key) {
  return this->from_inner(flow_->log_prob(this->to_inner(points), key));
}

template <class T>
Points<T> StandardisedFlow<T>::sample_base(std::size_t n, std::uint64_t seed, std::uint64_t iteration,
                                           std::uint64_t first) const {
  return this->from_inner(flow_->sample_base(n, seed, iteration, first));
}

template <class T>
std::vector<double> StandardisedFlow<T>::log_base(const Points<T>& points) const {
  std::vector<double> values = flow_->log_base(this->to_inner(points));
  for (double& value : values) value -= this->log_scale_;
  return values;
}

template <class T>
Carried<T> StandardisedFlow<T>::carry(const Points<T>& points, const std::vector<double>& times) {
  Carried<T> path = this->from_inner(flow_->carry(this->to_inner(points), times));
  path.frames.front() = points;
  return path;
}

template <class T>
Carried<T> StandardisedFlow<T>::draw_paths(std::size_t n, std::uint64_t seed, std::uint64_t first,
                                           const std::vector<double>& times) {
  return this->from_inner(flow_->draw_paths(n, seed, first, times));
}

template <class T>
Loss StandardisedFlow<T>::nll_gradient(const Points<T>& points, std::span<T> gradient,
                                       const GradientOptions& options) {
  Loss loss = flow_->nll_gradient(this->to_inner(points), gradient, options);
  loss.total += this->log_scale_;
  loss.likelihood += this->log_scale_;
  return loss;
}

template <class T>
Loss StandardisedFlow<T>::matching_gradient(const Points<T>& points, const Points<T>& group,
                                            std::span<T> gradient, const NoiseKey& key) {
  return flow_->matching_gradient(this->to_inner(points), this->to_inner(group), gradient, key);
}

template <class T>
Loss StandardisedFlow<T>::reverse_kl_gradient(std::size_t, const Distribution<T>&, std::span<T>,
                                              const GradientOptions&) {
  refuse_target();
}

template <class T>
std::shared_ptr<const Distribution<T>> StandardisedFlow<T>::target_of(
    std::shared_ptr<const Distribution<double>>) const {
  refuse_target();
}

template class Standardised<float>;
template class Standardised<double>;
template class StandardisedFlow<float>;
template class StandardisedFlow<double>;

}  // namespace riemflow
