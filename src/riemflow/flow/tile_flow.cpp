#include "riemflow/flow/tile_flow.hpp"

#include <algorithm>

namespace riemflow {
namespace {

/// A geodesic neuron of the sphere turns within 0.01 rad of ±ŵ (manifold/sphere.hpp). A long step goes
/// over such a place without a stage in it, and its error estimate does not see it: log-densities of a
/// trained network were off by 160 times the tolerance (1.6e-3 at 1e-5). Steps of at most this length leave 3
/// times (2.8e-5), for 300 evaluations a solve; 0.05 leaves 34 times, a tolerance a hundred times finer 8
/// times, errors counted per unit of time 73 times. Training, whose gradients are noisy anyway, goes without.
constexpr double kLongestNearCones = 0.02;

template <class T>
SolverOptions for_evaluation(const VectorField<T>& field, SolverOptions options) {
  const std::vector<InputBlock<T>>& blocks = field.input_blocks();
  if (std::any_of(blocks.begin(), blocks.end(),
                  [](const InputBlock<T>& block) { return block.distance == simd::Function::asin; }))
    options.longest_step = std::min(options.longest_step, kLongestNearCones);
  return options;
}

}  // namespace

template <class T>
TileFlow<T>::TileFlow(const VectorField<T>& field, const Distribution<T>& base, const FlowConfig& config)
    : base_(base),
      learned_(dynamic_cast<const LearnedMixture<T>*>(&base)),
      regularisation_(config.regularisation),
      likelihood_(field, config, true),
      motion_(field, config, false),
      solver_(config.solver),
      evaluation_(for_evaluation(field, config.solver)),
      y_(static_cast<std::size_t>(likelihood_.rows()) * kLanes),
      y_bar_(y_.size()) {}

template <class T>
void TileFlow<T>::bind(const T* working, T* working_bar, T* base_bar) {
  base_bar_ = base_bar;
  likelihood_.bind(working, working_bar);
  motion_.bind(working);
}

template <class T>
void TileFlow<T>::start(const Pack<T>* z, const NoiseKey& key, std::uint64_t first_point, int lanes) {
  std::fill(y_.begin(), y_.end(), T(0));
  std::copy(z, z + likelihood_.moving(), as_packs(y_.data()));
  likelihood_.project(
      as_packs(y_.data()));  // a point may be off the manifold within the tolerance of contains()
  for (int l = 0; l < kLanes; ++l) {
    Random random(key.seed, Purpose::divergence_noise, key.iteration,
                  first_point + static_cast<std::uint64_t>(std::min(l, lanes - 1)));
    likelihood_.field().draw_noise(random, l);
  }
}

template <class T>
SolveReport TileFlow<T>::log_prob(Pack<T>* x, Pack<T>& log_density, const NoiseKey& key,
                                  std::uint64_t first_point, int lanes) {
  start(x, key, first_point, lanes);
  Pack<T>* y = as_packs(y_.data());
  const SolveReport report = evaluation_.solve(likelihood_, 1, 0, y);
  std::copy(y, y + likelihood_.moving(), x);
  // Solved from 1 to 0, ℓ = −∫₀¹ div f dt.
  log_density = base_.log_density(y) + y[likelihood_.log_volume_row()];
  return report;
}

template <class T>
SolveReport TileFlow<T>::log_prob_gradient(const Pack<T>* x, Pack<T>& log_density, Pack<T>* gradient) {
  start(x, {}, 0, kLanes);
  Pack<T>* y = as_packs(y_.data());
  const SolveReport report = evaluation_.solve(likelihood_, 1, 0, y, ErrorNorm::worst_point, 0, &trajectory_);
  if (report.status != Status::ok) return report;
  std::fill(y_bar_.begin(), y_bar_.end(), T(0));
  Pack<T>* y_bar = as_packs(y_bar_.data());
  const Pack<T> log_base = base_.log_density_gradient(y, y_bar);
  log_density = log_base + y[likelihood_.log_volume_row()];
  y_bar[likelihood_.log_volume_row()] = 1;
  evaluation_.backward(likelihood_, trajectory_, y_bar);
  std::copy(y_bar, y_bar + likelihood_.moving(), gradient);
  likelihood_.project_backward(x, gradient);  // that of start
  return report;
}

template <class T>
SolveReport TileFlow<T>::carry(Pack<T>* x, const std::vector<double>& times,
                               const std::function<void(std::size_t, const Pack<T>*)>& visit) {
  std::fill(y_.begin(), y_.end(), T(0));
  Pack<T>* y = as_packs(y_.data());
  std::copy(x, x + motion_.moving(), y);
  motion_.project(y);
  const SolveReport report = evaluation_.solve_through(motion_, times, y, visit);
  std::copy(y, y + motion_.moving(), x);
  return report;
}

template <class T>
void TileFlow<T>::finish(const Pack<T>& likelihood, const Pack<T>& weight, double sign, TileLoss& loss) {
  const Pack<T>* y = as_packs(y_.data());
  Pack<T>* y_bar = as_packs(y_bar_.data());
  const int kinetic = likelihood_.kinetic_row(), frobenius = likelihood_.frobenius_row();
  y_bar[likelihood_.log_volume_row()] = -weight;
  y_bar[kinetic] = Pack<T>(sign * regularisation_.kinetic) * weight;
  y_bar[frobenius] = Pack<T>(sign * regularisation_.frobenius) * weight;
  for (int l = 0; l < kLanes; ++l) {
    const auto w = static_cast<double>(weight[l]);
    if (w == 0) continue;
    const double value = w * static_cast<double>(likelihood[l]);
    const double energy = w * sign * static_cast<double>(y[kinetic][l]);
    const double bend = w * sign * static_cast<double>(y[frobenius][l]);
    loss.likelihood += value;
    loss.kinetic += energy;
    loss.frobenius += bend;
    loss.total += value + regularisation_.kinetic * energy + regularisation_.frobenius * bend;
  }
  solver_.backward(likelihood_, trajectory_, y_bar);
}

template <class T>
SolveReport TileFlow<T>::nll_gradient(const Pack<T>* x, const Pack<T>& weight, const GradientOptions& options,
                                      std::uint64_t first_point, TileLoss& loss, int lanes) {
  start(x, options.key, first_point, lanes);
  Pack<T>* y = as_packs(y_.data());
  const SolveReport report =
      solver_.solve(likelihood_, 1, 0, y, ErrorNorm::mean_square, options.first_step, &trajectory_);
  if (report.status != Status::ok) return report;
  Pack<T>* y_bar = as_packs(y_bar_.data());
  const Pack<T> log_base = base_.log_density_gradient_without(y, x, y_bar);
  if (learned_ != nullptr) learned_->add_gradient(y, -weight, base_bar_);
  for (int i = 0; i < likelihood_.moving(); ++i) y_bar[i] *= -weight;
  finish(-log_base - y[likelihood_.log_volume_row()], weight, -1, loss);
  return report;
}

template <class T>
SolveReport TileFlow<T>::reverse_kl_gradient(const Pack<T>* z, const Pack<T>& weight,
                                             const Distribution<T>& target, const GradientOptions& options,
                                             std::uint64_t first_point, TileLoss& loss, int lanes) {
  start(z, options.key, first_point, lanes);
  Pack<T>* y = as_packs(y_.data());
  const SolveReport report =
      solver_.solve(likelihood_, 0, 1, y, ErrorNorm::mean_square, options.first_step, &trajectory_);
  if (report.status != Status::ok) return report;
  Pack<T>* y_bar = as_packs(y_bar_.data());
  const Pack<T> log_target = target.log_density_gradient(y, y_bar);
  for (int i = 0; i < likelihood_.moving(); ++i) y_bar[i] *= -weight;
  finish(base_.log_density(z) - y[likelihood_.log_volume_row()] - log_target, weight, 1, loss);
  return report;
}

template class TileFlow<float>;
template class TileFlow<double>;

}  // namespace riemflow
