#include "riemflow/flow/autoregressive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/conditional_base.hpp"
#include "riemflow/distribution/draws.hpp"

namespace riemflow {
namespace {

constexpr std::size_t kMostLinks = 256;

FlowConfig link_config(const FlowConfig& config, const ChainLink& link) {
  FlowConfig own = config;
  own.model = ModelKind::riemannian;
  own.manifold = link.manifold;
  own.field.given = link.given;
  return own;
}

/// Far apart, so that no two links begin alike.
std::uint64_t link_seed(std::uint64_t seed, std::size_t k) { return seed + 0x9E3779B97F4A7C15u * k; }

template <class T>
std::shared_ptr<const Distribution<T>> link_base(const ChainLink& link) {
  const auto base_of = [](const Space& space) { return default_base<T>(space.on<T>()); };
  if (link.given == 0) return base_of(link.own);
  return std::make_shared<ConditionalBase<T>>(base_of(*link.before), base_of(link.own));
}

/// Sums the costs; each point that failed stands once, with the first reason.
void merge(SolveSummary& all, SolveSummary more) {
  const std::vector<Failure> failures = std::move(more.failures);
  more.failures.clear();
  all.add(more);
  all.failures.insert(all.failures.end(), failures.begin(), failures.end());
  std::stable_sort(all.failures.begin(), all.failures.end(),
                   [](const Failure& a, const Failure& b) { return a.point < b.point; });
  all.failures.erase(std::unique(all.failures.begin(), all.failures.end(),
                                 [](const Failure& a, const Failure& b) { return a.point == b.point; }),
                     all.failures.end());
}

}  // namespace

std::vector<ChainLink> chain_of(const Space& whole) {
  std::vector<ChainLink> chain;
  std::vector<Space> done;  // the whole factors so far
  const auto add = [&](const Space& so_far, const Space& own, int given, int coordinates) {
    require(chain.size() < kMostLinks,
            whole.name() + " has more factors than an autoregressive flow can have",
            "give at most " + std::to_string(kMostLinks) + ", or use the model riemannian");
    std::vector<Space> factors = done;
    factors.push_back(so_far);
    const std::optional<Space> before = chain.empty() ? std::nullopt : std::optional(chain.back().manifold);
    chain.push_back({Space::product(factors), before, own, given, coordinates});
  };
  int row = 0;
  for (const Space& factor : whole.factors()) {
    const int coordinates = factor->ambient();
    if (const std::optional<Space> own = factor.leading(1))
      for (int i = 0; i < coordinates; ++i) add(*factor.leading(i + 1), *own, row + i, 1);
    else
      add(factor, factor, row, coordinates);
    done.push_back(factor);
    row += coordinates;
  }
  require(chain.size() > 1,
          "an autoregressive flow was asked for on " + whole.name() + ", which is one factor",
          "use it on a product or a torus, or use the model riemannian");
  return chain;
}

template <class T>
ParameterLayout autoregressive_layout(const FlowConfig& config) {
  ParameterLayout all;
  const std::vector<ChainLink> chain = chain_of(config.manifold);
  for (std::size_t k = 0; k < chain.size(); ++k) {
    const FlowConfig own = link_config(config, chain[k]);
    const ParameterLayout layout = VectorField<T>(own.manifold.on<T>(), own.field).layout();
    for (const ParameterBlock& block : layout.blocks())
      all.add("factor." + std::to_string(k) + "." + block.name, block.rows, block.columns);
  }
  return all;
}

template <class T>
Autoregressive<T>::Autoregressive(const FlowConfig& config, std::uint64_t seed, int threads)
    : config_(config),
      manifold_(config.manifold.on<T>()),
      base_(default_base<T>(manifold_)),
      chain_(chain_of(config.manifold)) {
  for (std::size_t k = 0; k < chain_.size(); ++k) {
    links_.push_back(std::make_unique<Flow<T>>(link_config(config, chain_[k]), link_seed(seed, k), threads,
                                               link_base<T>(chain_[k])));
    const auto own = std::as_const(*links_.back()).parameters();
    parameters_.insert(parameters_.end(), own.begin(), own.end());
  }
}

template <class T>
void Autoregressive<T>::bind() {
  auto from = parameters_.begin();
  for (auto& link : links_) {
    const auto size = static_cast<std::ptrdiff_t>(link->parameters().size());
    std::copy(from, from + size, link->parameters().begin());
    from += size;
  }
}

template <class T>
void Autoregressive<T>::set_tolerance(double rtol, double atol) {
  for (auto& link : links_) link->set_tolerance(rtol, atol);
  config_.solver = links_.front()->config().solver;
}

template <class T>
Points<T> Autoregressive<T>::prefix(const Points<T>& points, std::size_t k) const {
  Points<T> part(points.size(), chain_[k].given + chain_[k].coordinates);
  for (std::size_t i = 0; i < points.size(); ++i)
    std::copy_n(points[i].begin(), part.dimension, part[i].begin());
  return part;
}

template <class T>
LogProb<T> Autoregressive<T>::log_prob(const Points<T>& points, const NoiseKey& key) {
  this->check(points);
  bind();
  LogProb<T> result;
  result.values.assign(points.size(), T(0));
  result.base_points = Points<T>(points.size(), points.dimension);
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const LogProb<T> own = links_[k]->log_prob(prefix(points, k), key);
    for (std::size_t i = 0; i < points.size(); ++i) {
      result.values[i] += own.values[i];
      std::copy_n(own.base_points[i].begin() + chain_[k].given, chain_[k].coordinates,
                  result.base_points[i].begin() + chain_[k].given);
    }
    merge(result.summary, own.summary);
  }
  result.summary.points = points.size();
  return result;
}

template <class T>
LogProbGradient Autoregressive<T>::compute_log_prob_gradient(const Points<T>& points) {
  bind();
  LogProbGradient result;
  std::vector<T> values(points.size(), T(0));
  result.gradients = Points<double>(points.size(), points.dimension);
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const LogProbGradient own = links_[k]->log_prob_gradient(prefix(points, k));
    for (std::size_t i = 0; i < points.size(); ++i) {
      values[i] += static_cast<T>(own.values[i]);
      for (std::size_t c = 0; c < own.gradients[i].size(); ++c) result.gradients[i][c] += own.gradients[i][c];
    }
    merge(result.summary, own.summary);
  }
  // A point that failed in one link failed, in all of its coordinates.
  for (const Failure& failure : result.summary.failures)
    std::fill(result.gradients[failure.point].begin(), result.gradients[failure.point].end(),
              std::numeric_limits<double>::quiet_NaN());
  result.values.assign(values.begin(), values.end());
  result.summary.points = points.size();
  return result;
}

template <class T>
Points<T> Autoregressive<T>::sample_base(std::size_t n, std::uint64_t seed, std::uint64_t iteration,
                                         std::uint64_t first) const {
  return draws_of(*base_, n, seed, iteration, first);
}

template <class T>
std::vector<double> Autoregressive<T>::log_base(const Points<T>& points) const {
  return log_densities_of(*base_, points);
}

template <class T>
Carried<T> Autoregressive<T>::carry(const Points<T>& points, const std::vector<double>& times) {
  const bool forth = !times.empty() && times.back() == 1, back = !times.empty() && times.front() == 1;
  require(forth || back, "a path of an autoregressive flow that neither begins nor ends at time 1",
          "begin or end it there");
  this->check(points);
  bind();
  Carried<T> result;
  result.frames.assign(times.size(), points);
  // Where the data end of each path is; NaN once a factor failed, and the factors after it are not tried.
  Points<T> data = points;
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const int given = chain_[k].given, coordinates = chain_[k].coordinates;
    std::vector<std::size_t> good;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (std::all_of(data[i].begin(), data[i].begin() + given, [](T x) { return std::isfinite(x); }))
        good.push_back(i);
    Points<T> start(good.size(), given + coordinates);
    for (std::size_t g = 0; g < good.size(); ++g) {
      std::copy_n(data[good[g]].begin(), given, start[g].begin());
      std::copy_n(points[good[g]].begin() + given, coordinates, start[g].begin() + given);
    }
    Carried<T> own = links_[k]->carry(start, times);
    for (std::size_t frame = 1; frame < times.size(); ++frame) {
      for (std::size_t i = 0; i < points.size(); ++i)
        std::fill_n(result.frames[frame][i].begin() + given, coordinates,
                    std::numeric_limits<T>::quiet_NaN());
      for (std::size_t g = 0; g < good.size(); ++g)
        std::copy_n(own.frames[frame][g].begin() + given, coordinates,
                    result.frames[frame][good[g]].begin() + given);
    }
    if (forth)
      for (std::size_t i = 0; i < points.size(); ++i)
        std::copy_n(result.frames.back()[i].begin() + given, coordinates, data[i].begin() + given);
    for (Failure& failure : own.summary.failures) failure.point = good[failure.point];
    merge(result.summary, std::move(own.summary));
  }
  // A path that failed in one factor failed.
  for (const Failure& failure : result.summary.failures)
    for (std::size_t frame = 1; frame < times.size(); ++frame)
      std::fill(result.frames[frame][failure.point].begin(), result.frames[frame][failure.point].end(),
                std::numeric_limits<T>::quiet_NaN());
  result.summary.points = points.size();
  return result;
}

template <class T>
Loss Autoregressive<T>::compute_gradient(const Batch<T>& batch, std::span<T> gradient,
                                         const GradientOptions& options) {
  const auto* likelihood = std::get_if<LikelihoodBatch<T>>(&batch);
  const Points<T>& points =
      likelihood != nullptr ? likelihood->points : std::get<MatchingBatch<T>>(batch).points;
  bind();
  Loss loss;
  std::size_t offset = 0;
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const std::size_t size = links_[k]->parameters().size();
    const Points<T> part = prefix(points, k);
    Loss own =
        links_[k]->gradient_of(likelihood != nullptr ? Batch<T>(LikelihoodBatch{part}) : MatchingBatch{part},
                               gradient.subspan(offset, size), options);
    offset += size;
    loss.add(own);
    merge(loss.summary, std::move(own.summary));
  }
  loss.summary.points = points.size();
  return loss;
}

template ParameterLayout autoregressive_layout<float>(const FlowConfig&);
template ParameterLayout autoregressive_layout<double>(const FlowConfig&);
template class Autoregressive<float>;
template class Autoregressive<double>;

}  // namespace riemflow
