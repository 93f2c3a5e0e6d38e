#pragma once
// Densities of standardised coordinates (model/standardisation.hpp) as densities of the user's.

#include <memory>
#include <utility>

#include "riemflow/flow/transport.hpp"
#include "riemflow/model/standardisation.hpp"

namespace riemflow {

/// What is inside, whatever it is.
template <class T>
class Standardised {
 public:
  virtual ~Standardised() = default;
  virtual Density<T>& inner() = 0;
  const Standardisation& standardisation() const { return standardisation_; }

 protected:
  explicit Standardised(Standardisation standardisation)
      : standardisation_(std::move(standardisation)), log_scale_(standardisation_.log_scale()) {}
  Points<T> to_inner(const Points<T>& points) const {
    return standardisation_.template standardised<T>(points);
  }
  Points<T> from_inner(const Points<T>& points) const {
    return standardisation_.template in_units<T>(points);
  }
  LogProb<T> from_inner(LogProb<T> own) const;
  Carried<T> from_inner(Carried<T> own) const;

  Standardisation standardisation_;
  double log_scale_;
};

template <class T>
class StandardisedDensity final : public Density<T>, public Standardised<T> {
 public:
  StandardisedDensity(std::unique_ptr<Density<T>> inner, Standardisation standardisation)
      : Standardised<T>(std::move(standardisation)), inner_(std::move(inner)) {}

  Density<T>& inner() override { return *inner_; }
  const Manifold<T>& manifold() const override { return inner_->manifold(); }
  int threads() const override { return inner_->threads(); }
  bool exact() const override { return inner_->exact(); }
  using Density<T>::log_prob;
  using Density<T>::sample;
  LogProb<T> log_prob(const Points<T>& points, const NoiseKey& key) override {
    return this->from_inner(inner_->log_prob(this->to_inner(points), key));
  }
  Carried<T> sample(std::size_t n, std::uint64_t seed, std::uint64_t first) override {
    return this->from_inner(inner_->sample(n, seed, first));
  }

 private:
  std::unique_ptr<Density<T>> inner_;
};

/// Its field, its solves and its gradients are those of the flow inside, whose tolerances are lengths there.
template <class T>
class StandardisedFlow final : public Transport<T>, public Standardised<T> {
 public:
  StandardisedFlow(std::unique_ptr<Transport<T>> inner, Standardisation standardisation)
      : Standardised<T>(std::move(standardisation)), flow_(std::move(inner)) {}

  Density<T>& inner() override { return *flow_; }
  const Manifold<T>& manifold() const override { return flow_->manifold(); }
  int threads() const override { return flow_->threads(); }
  const FlowConfig& config() const override { return flow_->config(); }
  std::span<T> parameters() override { return flow_->parameters(); }
  std::span<const T> parameters() const override { return std::as_const(*flow_).parameters(); }
  ParameterLayout layout() const override { return flow_->layout(); }
  std::string base_name() const override { return flow_->base_name(); }
  std::shared_ptr<const Distribution<double>> exact_base() const override { return flow_->exact_base(); }
  void set_tolerance(double rtol, double atol) override { flow_->set_tolerance(rtol, atol); }
  Transport<T>& coordinates() override { return flow_->coordinates(); }

  using Transport<T>::log_prob;
  using Transport<T>::sample_base;
  using Transport<T>::nll_gradient;
  LogProb<T> log_prob(const Points<T>& points, const NoiseKey& key) override;
  Points<T> sample_base(std::size_t n, std::uint64_t seed, std::uint64_t iteration,
                        std::uint64_t first) const override;
  std::vector<double> log_base(const Points<T>& points) const override;
  Carried<T> carry(const Points<T>& points, const std::vector<double>& times) override;
  Carried<T> draw_paths(std::size_t n, std::uint64_t seed, std::uint64_t first,
                        const std::vector<double>& times) override;
  Loss nll_gradient(const Points<T>& points, std::span<T> gradient, const GradientOptions& options) override;
  Loss matching_gradient(const Points<T>& points, const Points<T>& group, std::span<T> gradient,
                         const NoiseKey& key) override;
  /// Error: a target has coordinates of its own.
  Loss reverse_kl_gradient(std::size_t n, const Distribution<T>& target, std::span<T> gradient,
                           const GradientOptions& options) override;
  std::shared_ptr<const Distribution<T>> target_of(
      std::shared_ptr<const Distribution<double>> target) const override;

 private:
  std::unique_ptr<Transport<T>> flow_;
};

}  // namespace riemflow
