#include "riemflow/flow/likelihood_system.hpp"

namespace riemflow {

template <class T>
LikelihoodSystem<T>::LikelihoodSystem(const VectorField<T>& field, const FlowConfig& config, bool density)
    : manifold_(field.manifold()),
      pass_(field, config.divergence, config.regularisation.frobenius > 0, density),
      ambient_(field.manifold().ambient()),
      given_(field.config().given),
      density_(density) {}

template <class T>
bool LikelihoodSystem<T>::evaluate(double t, const Pack<T>* y, Pack<T>* rate, T* tape) {
  Rates<T> rates;
  if (!pass_.evaluate(working_, static_cast<T>(t), y, rate, rates, tape)) return false;
  rate[log_volume_row()] = density_ ? rates.divergence : Pack<T>(0);
  rate[kinetic_row()] = rates.kinetic;
  rate[frobenius_row()] = rates.frobenius;
  return true;
}

template <class T>
void LikelihoodSystem<T>::backward(double t, const T* tape, Pack<T>* rate_bar, Pack<T>* y_bar) {
  const Rates<T> rates_bar{rate_bar[log_volume_row()], rate_bar[kinetic_row()], rate_bar[frobenius_row()]};
  pass_.backward(working_, static_cast<T>(t), tape, rate_bar, rates_bar, y_bar, working_bar_);
}

template <class T>
void LikelihoodSystem<T>::error_weight(const Pack<T>* y, Pack<T>* weight) const {
  manifold_.error_weight(y, weight);
  if (density_) weight[log_volume_row()] = 1;
}

template class LikelihoodSystem<float>;
template class LikelihoodSystem<double>;

}  // namespace riemflow
