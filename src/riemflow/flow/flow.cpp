#include "riemflow/flow/flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/distribution/rounded.hpp"
#include "riemflow/distribution/uniform.hpp"
#include "riemflow/kernel/kernel_mixture.hpp"

namespace riemflow {
namespace {

/// Tiles whose gradients are added up one after the other before the tree; a function of the batch alone.
constexpr std::size_t kMostChunks = 64;
/// The same of flow matching, whose networks are wider and whose tiles cost less: fewer, so that adding the
/// gradients up costs little beside them.
constexpr std::size_t kMatchingChunks = 16, kLeastMatchingChunks = 4, kMatchingMemory = 1 << 24;

/// Calls work(point) for each point of a tile, with x filled by copies of that point: a tile that failed is
/// tried again like this, so that one bad point does not take its neighbours down.
template <class T, class Work>
void for_each_alone(const Points<T>& points, std::size_t tile, Pack<T>* x, const Work& work) {
  const std::size_t first = tile * kLanes;
  for (std::size_t point = first; point < first + static_cast<std::size_t>(points.lanes(tile)); ++point) {
    for (int i = 0; i < points.dimension; ++i) x[i] = Pack<T>(points[point][static_cast<std::size_t>(i)]);
    give_up_if_asked();
    work(point);
  }
}

}  // namespace

template <class T>
Flow<T>::Flow(const FlowConfig& config, std::uint64_t seed, int threads,
              std::shared_ptr<const Distribution<T>> base)
    : config_(config),
      manifold_(config.manifold.on<T>()),
      learned_(!base && config.base.kind == BaseKind::vmf_mixture
                   ? std::make_shared<LearnedMixture<T>>(config.base.components, manifold_->ambient())
                   : nullptr),
      base_(base       ? std::move(base)
            : learned_ ? learned_
                       : default_base<T>(manifold_)),
      field_(std::make_unique<VectorField<T>>(manifold_, config.field)),
      parameters_(field_->initial_parameters(seed)),
      working_(field_->working_size()),
      executor_(threads) {
  validate(config);
  if (learned_) {
    const std::vector<T> start =
        LearnedMixture<T>::spread(config.base.components, manifold_->ambient(), seed);
    parameters_.insert(parameters_.end(), start.begin(), start.end());
  }
  require(config.model == ModelKind::riemannian,
          "a flow on the manifold itself was asked for with the model " + std::string(name_of(config.model)),
          "use make_transport", Fault::internal);
  require(base_->ambient() == manifold_->ambient(),
          "the base " + base_->name() + " has " + std::to_string(base_->ambient()) + " numbers per point, " +
              manifold_->name() + " has " + std::to_string(manifold_->ambient()),
          "give a base on the flow's manifold");
  this->check(sample_base(kLanes, seed));
  make_workers();
}

template <class T>
Flow<T>::~Flow() = default;

template <class T>
std::string Flow<T>::base_name() const {
  if (learned_) return "default";  // of its configuration
  const std::string name = base_->name();
  return name == default_base<T>(manifold_)->name() ? "default" : name;
}

template <class T>
std::shared_ptr<const Distribution<double>> Flow<T>::exact_base() const {
  // Kernel densities alone: what a caller made up has no mass that anyone vouches for.
  if constexpr (std::is_same_v<T, double>) {
    return std::dynamic_pointer_cast<const KernelMixture>(base_);
  } else {
    const auto* rounded = dynamic_cast<const Rounded<T>*>(base_.get());
    return rounded == nullptr ? nullptr : std::dynamic_pointer_cast<const KernelMixture>(rounded->exact());
  }
}

template <class T>
void Flow<T>::make_workers() {
  workers_.clear();
  for (int i = 0; i < executor_.size(); ++i)
    workers_.push_back(std::make_unique<TileFlow<T>>(*field_, *base_, config_));
}

template <class T>
void Flow<T>::set_tolerance(double rtol, double atol) {
  if (rtol == config_.solver.rtol && atol == config_.solver.atol) return;
  FlowConfig changed = config_;
  changed.solver.rtol = rtol;
  changed.solver.atol = atol;
  validate(changed);
  config_ = changed;
  make_workers();
}

template <class T>
ParameterLayout Flow<T>::layout() const {
  ParameterLayout layout = field_->layout();
  if (learned_) add_mixture_blocks(layout, config_.base.components, manifold_->ambient());
  return layout;
}

template <class T>
void Flow<T>::prepare_base() const {
  if (learned_) learned_->set(std::span<const T>(parameters_).last(base_size()));
}

template <class T>
void Flow<T>::prepare() {
  prepare_base();
  field_->prepare(std::span<const T>(parameters_).first(field_->layout().size()), working_.data());
  for (auto& worker : workers_) worker->bind(working_.data());
}

template <class T>
template <class Solve>
SolveSummary Flow<T>::solve_isolating(const Points<T>& points, const Solve& solve) {
  std::vector<SolveSummary> summaries(points.tiles());
  executor_.run(points.tiles(), [&](std::size_t tile, int worker) {
    TileFlow<T>& flow = *workers_[static_cast<std::size_t>(worker)];
    std::vector<Pack<T>> x(static_cast<std::size_t>(points.dimension));
    points.load_tile(tile, x.data());
    const SolveReport together = solve(flow, x.data(), tile * kLanes, points.lanes(tile));
    summaries[tile].add(together);
    if (together.status == Status::ok) return;
    for_each_alone(points, tile, x.data(), [&](std::size_t point) {
      const SolveReport alone = solve(flow, x.data(), point, 1);
      summaries[tile].add(alone);
      if (alone.status != Status::ok) summaries[tile].failures.push_back({point, alone.status});
    });
  });
  SolveSummary all;
  for (const SolveSummary& summary : summaries) all.add(summary);
  all.points = points.size();
  return all;
}

template <class T>
LogProb<T> Flow<T>::log_prob(const Points<T>& points, const NoiseKey& key) {
  this->check(points);
  prepare();
  LogProb<T> result;
  result.values.resize(points.size());
  result.base_points = Points<T>(points.size(), points.dimension);
  const auto solve = [&](TileFlow<T>& flow, Pack<T>* x, std::size_t first_point, int lanes) {
    Pack<T> value;
    const SolveReport report = flow.log_prob(x, value, key, first_point, lanes);
    const bool good = report.status == Status::ok;
    for (int l = 0; l < lanes; ++l) {
      const std::size_t point = first_point + static_cast<std::size_t>(l);
      result.values[point] = good ? value[l] : std::numeric_limits<T>::quiet_NaN();
      for (int i = 0; i < points.dimension; ++i)
        result.base_points[point][static_cast<std::size_t>(i)] =
            good ? x[i][l] : std::numeric_limits<T>::quiet_NaN();
    }
    return report;
  };
  result.summary = solve_isolating(points, solve);
  return result;
}

template <class T>
LogProbGradient Flow<T>::compute_log_prob_gradient(const Points<T>& points) {
  prepare();
  LogProbGradient result;
  result.values.resize(points.size());
  result.gradients = Points<double>(points.size(), points.dimension);
  result.summary =
      solve_isolating(points, [&](TileFlow<T>& flow, const Pack<T>* x, std::size_t first_point, int lanes) {
        Pack<T> value(std::numeric_limits<T>::quiet_NaN());
        std::vector<Pack<T>> gradient(static_cast<std::size_t>(points.dimension), value);
        const SolveReport report = flow.log_prob_gradient(x, value, gradient.data());
        for (int l = 0; l < lanes; ++l) {
          const std::size_t point = first_point + static_cast<std::size_t>(l);
          result.values[point] = static_cast<double>(value[l]);
          for (std::size_t i = 0; i < gradient.size(); ++i)
            result.gradients[point][i] = static_cast<double>(gradient[i][l]);
        }
        return report;
      });
  return result;
}

template <class T>
Points<T> Flow<T>::sample_base(std::size_t n, std::uint64_t seed, std::uint64_t iteration,
                               std::uint64_t first) const {
  prepare_base();
  return draws_of(*base_, n, seed, iteration, first);
}

template <class T>
std::vector<double> Flow<T>::log_base(const Points<T>& points) const {
  prepare_base();
  return log_densities_of(*base_, points);
}

template <class T>
Carried<T> Flow<T>::carry(const Points<T>& points, const std::vector<double>& times) {
  this->check_path(points, times);
  prepare();
  Carried<T> result;
  result.frames.assign(times.size(), points);
  const auto solve = [&](TileFlow<T>& flow, Pack<T>* x, std::size_t first_point, int lanes) {
    const auto store = [&](std::size_t frame, const Pack<T>* y, bool good) {
      for (int l = 0; l < lanes; ++l) {
        const auto point = result.frames[frame][first_point + static_cast<std::size_t>(l)];
        for (std::size_t i = 0; i < point.size(); ++i)
          point[i] = good ? y[i][l] : std::numeric_limits<T>::quiet_NaN();
      }
    };
    const SolveReport report = flow.carry(x, times, [&](std::size_t frame, const Pack<T>* y) {
      if (frame > 0) store(frame, y, true);
    });
    if (report.status != Status::ok) {
      for (std::size_t frame = 1; frame < times.size(); ++frame) store(frame, x, false);
    }
    return report;
  };
  result.summary = solve_isolating(points, solve);
  return result;
}

template <class T>
Loss Flow<T>::compute_gradient(const Batch<T>& batch, std::span<T> out, const GradientOptions& options) {
  return std::visit([&](const auto& one) { return gradient(one, out, options); }, batch);
}

template <class T>
Loss Flow<T>::gradient(const LikelihoodBatch<T>& batch, std::span<T> out, const GradientOptions& options) {
  return gradient_over_tiles(
      batch.points, out,
      [&](TileFlow<T>& flow, const Pack<T>* tile, const Pack<T>& weight, std::uint64_t first_point, int lanes,
          TileLoss& loss) { return flow.nll_gradient(tile, weight, options, first_point, loss, lanes); });
}

template <class T>
Loss Flow<T>::gradient(const ReverseKlBatch& batch, std::span<T> out, const GradientOptions& options) {
  const std::shared_ptr<const Distribution<T>> target = in_precision<T>(batch.target);
  return gradient_over_tiles(sample_base(batch.draws, options.key.seed, options.key.iteration, 0), out,
                             [&](TileFlow<T>& flow, const Pack<T>* tile, const Pack<T>& weight,
                                 std::uint64_t first_point, int lanes, TileLoss& loss) {
                               return flow.reverse_kl_gradient(tile, weight, *target, options, first_point,
                                                               loss, lanes);
                             });
}

template <class T>
void Flow<T>::sum_chunks(std::size_t chunks, std::span<T> gradient) {
  constexpr std::size_t kRange = 4096;
  const std::size_t size = chunk_gradients_.front().size();
  executor_.run((size + kRange - 1) / kRange, [&](std::size_t range, int) {
    const std::size_t begin = range * kRange, end = std::min(size, begin + kRange);
    for (std::size_t stride = 1; stride < chunks; stride *= 2) {
      for (std::size_t i = 0; i + stride < chunks; i += 2 * stride) {
        T* to = chunk_gradients_[i].data();
        const T* from = chunk_gradients_[i + stride].data();
        for (std::size_t p = begin; p < end; ++p) to[p] += from[p];
      }
    }
  });
  const std::span<const T> sum(chunk_gradients_.front());
  const std::size_t own = gradient.size() - base_size();
  field_->pull_back(std::span<const T>(parameters_).first(own), sum.data(), gradient.first(own));
  std::copy_n(sum.end() - static_cast<std::ptrdiff_t>(base_size()), base_size(),
              gradient.last(base_size()).begin());
}

template <class T>
Loss Flow<T>::gradient(const MatchingBatch<T>& batch, std::span<T> out, const GradientOptions& options) {
  const Points<T>& points = batch.points;
  while (matchers_.size() < workers_.size())
    matchers_.push_back(std::make_unique<FlowMatching<T>>(*field_, *base_));
  prepare();
  // As gradient_over_tiles; a chunk is whole groups of tiles.
  constexpr std::size_t kTiles = FlowMatching<T>::kTiles;
  const std::size_t size = field_->working_size(), tiles = points.tiles();
  const std::size_t most =
      std::clamp(kMatchingMemory / (size * sizeof(T)), kLeastMatchingChunks, kMatchingChunks);
  const std::size_t groups = (tiles + kTiles - 1) / kTiles, per_chunk = (groups + most - 1) / most,
                    chunks = (groups + per_chunk - 1) / per_chunk;
  if (chunk_gradients_.size() < chunks) chunk_gradients_.resize(chunks);
  std::vector<double> losses(chunks);
  const PathEnds<T> ends(*manifold_, dynamic_cast<const Uniform<T>*>(base_.get()) != nullptr,
                         batch.group == nullptr ? Points<T>{} : *batch.group,
                         batch.weights == nullptr ? Weights{} : *batch.weights);
  executor_.run(chunks, [&](std::size_t chunk, int worker) {
    FlowMatching<T>& matching = *matchers_[static_cast<std::size_t>(worker)];
    chunk_gradients_[chunk].assign(size + simd::kOverhang + base_size(), T(0));
    const std::size_t end = std::min(tiles, (chunk + 1) * per_chunk * kTiles);
    for (std::size_t tile = chunk * per_chunk * kTiles; tile < end; tile += kTiles) {
      give_up_if_asked();
      losses[chunk] +=
          matching.add_gradient(points, ends, tile, static_cast<int>(std::min(kTiles, end - tile)),
                                options.key, working_.data(), chunk_gradients_[chunk].data());
    }
  });
  sum_chunks(chunks, out);
  Loss loss;
  for (const double part : losses) loss.total += part;
  loss.likelihood = loss.total;
  loss.summary.points = points.size();
  loss.summary.solves = tiles;
  loss.summary.evaluations = static_cast<long>(tiles);
  loss.summary.most_evaluations = 1;
  return loss;
}

template <class T>
Loss Flow<T>::gradient_over_tiles(const Points<T>& points, std::span<T> gradient,
                                  const TileGradient& tile_gradient) {
  prepare();
  // Chunks of consecutive tiles, each with its own sum: they, and the tree over them, depend on the batch
  // alone.
  const std::size_t tiles = points.tiles();
  const std::size_t per_chunk = (tiles + kMostChunks - 1) / kMostChunks,
                    chunks = (tiles + per_chunk - 1) / per_chunk;
  const std::size_t size = field_->working_size();
  if (chunk_gradients_.size() < chunks) chunk_gradients_.resize(chunks);
  std::vector<TileLoss> losses(chunks);
  std::vector<SolveSummary> summaries(chunks);
  const auto share = static_cast<T>(1.0 / static_cast<double>(points.size()));
  executor_.run(chunks, [&](std::size_t chunk, int worker) {
    TileFlow<T>& flow = *workers_[static_cast<std::size_t>(worker)];
    chunk_gradients_[chunk].assign(size + simd::kOverhang + base_size(), T(0));
    T* bar = chunk_gradients_[chunk].data();
    flow.bind(working_.data(), bar, bar + size + simd::kOverhang);
    std::vector<Pack<T>> x(static_cast<std::size_t>(points.dimension));
    const auto add = [&](std::uint64_t first_point, int lanes) {
      Pack<T> weight = 0;
      for (int l = 0; l < lanes; ++l) weight[l] = share;
      const SolveReport report = tile_gradient(flow, x.data(), weight, first_point, lanes, losses[chunk]);
      summaries[chunk].add(report);
      return report.status;
    };
    for (std::size_t tile = chunk * per_chunk; tile < std::min(tiles, (chunk + 1) * per_chunk); ++tile) {
      give_up_if_asked();
      points.load_tile(tile, x.data());
      if (add(tile * kLanes, points.lanes(tile)) == Status::ok) continue;
      for_each_alone(points, tile, x.data(), [&](std::size_t point) {
        if (const Status status = add(point, 1); status != Status::ok)
          summaries[chunk].failures.push_back({point, status});
      });
    }
  });

  Loss loss;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    loss.summary.add(summaries[chunk]);
    loss.add(losses[chunk]);
  }
  loss.summary.points = points.size();

  sum_chunks(chunks, gradient);

  // Points that failed are left out of the mean.
  if (const std::size_t failed = loss.summary.failures.size(); failed > 0) {
    const double correction =
        static_cast<double>(points.size()) / static_cast<double>(points.size() - failed);
    for (double* value : {&loss.total, &loss.likelihood, &loss.kinetic, &loss.frobenius})
      *value *= correction;
    for (T& g : gradient) g *= static_cast<T>(correction);
  }
  return loss;
}

template class Flow<float>;
template class Flow<double>;

}  // namespace riemflow
