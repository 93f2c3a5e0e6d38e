#pragma once
// A flow as a fitted density, in the precision of its parameters: what can be seen in motion as well.

#include <mutex>
#include <utility>

#include "riemflow/flow/transport.hpp"
#include "riemflow/model/density.hpp"

namespace riemflow {

class FlowDensity final : public Density {
 public:
  /// The flow is of standardised coordinates. Several densities may have one flow, if not at a time.
  explicit FlowDensity(std::shared_ptr<Transport<float>> flow, Standardisation standardisation = {});
  explicit FlowDensity(std::shared_ptr<Transport<double>> flow, Standardisation standardisation = {});

  const FlowConfig& config() const;
  bool exact() const override;
  std::optional<std::string> defect(std::span<const double> point) const override;
  Mass mass(const MassOptions& options) const override;
  double tolerance() const override { return config().solver.rtol; }
  void set_tolerance(double tolerance) override;
  void add_parts(double weight, std::vector<DensityPart>& parts) const override {
    parts.push_back({weight, this});
  }

  /// n draws from the base: the starting points of sample(n, seed, first). NaN for those that the manifold
  /// has no place for (a naive model's).
  Points<double> sample_base(std::size_t n, std::uint64_t seed, std::uint64_t first = 0) const;
  /// log p₀ at points of the manifold.
  std::vector<double> log_base(const Points<double>& points) const;
  /// Points carried from times.front() to times.back(), seen at each of the times, which rise or fall; 0 is
  /// the base, 1 the data.
  Carried<double> carry(const Points<double>& points, const std::vector<double>& times) const;
  /// The draws sample_base(n, seed, first) carried, seen at each of the times, from 0 on.
  Carried<double> draw_paths(std::size_t n, std::uint64_t seed, std::uint64_t first,
                             const std::vector<double>& times) const;

  /// use(flow), a `Transport<float>` or `Transport<double>` of standardised coordinates, one thread at a
  /// time.
  template <class Use>
  auto with_transport(Use&& use) const {
    const std::lock_guard lock(busy_);
    return std::visit([&](const auto& flow) { return use(*flow); }, flow_);
  }

 private:
  LogProb<double> evaluate(const Points<double>& points, const NoiseKey& key) const override;
  LogProbGradient evaluate_gradient(const Points<double>& points) const override;
  Carried<double> draw(std::size_t n, std::uint64_t seed, std::uint64_t first) const override;

  std::variant<std::shared_ptr<Transport<float>>, std::shared_ptr<Transport<double>>> flow_;
  mutable std::recursive_mutex busy_;  // a flow has one set of workspaces
};

/// A flow that somebody else keeps, in its own coordinates, as a density.
template <class T>
FlowDensity seen_as_density(Transport<T>& flow) {
  return FlowDensity(std::shared_ptr<Transport<T>>(std::shared_ptr<void>(), &flow));
}

}  // namespace riemflow
