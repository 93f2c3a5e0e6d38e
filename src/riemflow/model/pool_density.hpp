#pragma once
// A pool: a mixture of fitted densities on one manifold,
//   p(x) = Σ_m w_m p_m(x),  w_m > 0, Σ w_m = 1,
// a density with everything that its members have: exact likelihood, draws, mass. Members that err in
// different places are better together than the best of them.

#include <memory>
#include <vector>

#include "riemflow/model/density.hpp"

namespace riemflow {

class PoolDensity final : public Density {
 public:
  /// At least one member, all on one manifold; a weight each, > 0, of sum 1 ± 1e-9. Error otherwise.
  PoolDensity(std::vector<std::shared_ptr<Density>> members, std::vector<double> weights);

  std::size_t size() const { return members_.size(); }
  const Density& member(std::size_t m) const { return *members_[m]; }

  bool exact() const override;
  std::optional<std::string> defect(std::span<const double> point) const override;
  Mass mass(const MassOptions& options) const override;
  double tolerance() const override;
  void set_tolerance(double tolerance) override;
  void add_parts(double weight, std::vector<DensityPart>& parts) const override;

 private:
  /// log Σ_m exp(log w_m + log p_m(x)). A point that fails in one member has failed: what that member holds
  /// there is not known. No base points. The summary adds up the members' solves.
  LogProb<double> evaluate(const Points<double>& points, const NoiseKey& key) const override;
  /// Σ_m r_m ∇log p_m, r_m = w_m p_m/p. A member without a share adds nothing, whatever its gradient.
  LogProbGradient evaluate_gradient(const Points<double>& points) const override;
  /// Draw i is the i-th draw of the member that a stream named by i chooses. Each member draws the whole
  /// piece, so that pieces fit together as its own do.
  Carried<double> draw(std::size_t n, std::uint64_t seed, std::uint64_t first) const override;

  std::vector<std::shared_ptr<Density>> members_;
  std::vector<double> weights_;
};

}  // namespace riemflow
