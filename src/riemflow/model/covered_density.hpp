#pragma once
// A density of a covered manifold, from one of the cover (manifold/covering.hpp): p(y) = Σ p_N(x)/J(x) over
// the lifts x of y. Its mass, its parts and its tolerance are those of p_N; whatever p_N is, p has all
// symmetries.

#include "riemflow/manifold/covering.hpp"
#include "riemflow/model/density.hpp"

namespace riemflow {

class CoveredDensity final : public Density {
 public:
  /// p_N is on the covering's cover; manifold: the covered one.
  CoveredDensity(std::shared_ptr<const Manifold<double>> manifold, std::shared_ptr<const Density> above);

  const Density& above() const { return *above_; }
  bool exact() const override { return above_->exact(); }
  std::optional<std::string> defect(std::span<const double> point) const override;
  Mass mass(const MassOptions& options) const override { return above_->mass(options); }
  double tolerance() const override { return above_->tolerance(); }
  void add_parts(double weight, std::vector<DensityPart>& parts) const override {
    above_->add_parts(weight, parts);
  }

 private:
  /// A point that fails on one sheet has failed. No base points.
  LogProb<double> evaluate(const Points<double>& points, const NoiseKey& key) const override;
  LogProbGradient evaluate_gradient(const Points<double>& points) const override;
  Carried<double> draw(std::size_t n, std::uint64_t seed, std::uint64_t first) const override;

  std::shared_ptr<const Covering> covering_;
  std::shared_ptr<const Density> above_;
};

/// All lifts of the points, those of one point one after the other. Throws Error(Fault::bad_data) naming the
/// first, counted from 0, that has none in the precision of the cover.
Points<double> lifts_of(const Covering& covering, const Points<double>& points);
/// log p of points from log p_N of lifts_of them.
std::vector<double> log_densities_below(const Covering& covering, const Points<double>& lifts,
                                        const std::vector<double>& log_densities);

}  // namespace riemflow
