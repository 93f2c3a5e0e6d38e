#pragma once
// A density of double precision, seen by points of another: evaluated in double, rounded once. Targets and
// bases are needed once a solve, where this costs nothing.

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "riemflow/distribution/distribution.hpp"

namespace riemflow {

template <class T>
class Rounded final : public Distribution<T> {
 public:
  explicit Rounded(std::shared_ptr<const Distribution<double>> exact) : exact_(std::move(exact)) {}

  const std::shared_ptr<const Distribution<double>>& exact() const { return exact_; }
  std::string name() const override { return exact_->name(); }
  int ambient() const override { return exact_->ambient(); }
  std::optional<double> entropy() const override { return exact_->entropy(); }

  Pack<T> log_density(const Pack<T>* x) const override {
    return to<T>(exact_->log_density(widened(x).data()));
  }
  Pack<T> log_density_gradient(const Pack<T>* x, Pack<T>* gradient) const override {
    std::vector<Pack<double>> slope(static_cast<std::size_t>(ambient()));
    const Pack<double> value = exact_->log_density_gradient(widened(x).data(), slope.data());
    for (std::size_t i = 0; i < slope.size(); ++i) gradient[i] = to<T>(slope[i]);
    return to<T>(value);
  }
  Pack<T> log_density_gradient_without(const Pack<T>* x, const Pack<T>* data,
                                       Pack<T>* gradient) const override {
    std::vector<Pack<double>> slope(static_cast<std::size_t>(ambient()));
    const Pack<double> value =
        exact_->log_density_gradient_without(widened(x).data(), widened(data).data(), slope.data());
    for (std::size_t i = 0; i < slope.size(); ++i) gradient[i] = to<T>(slope[i]);
    return to<T>(value);
  }
  void sample(Random& random, Pack<T>* x, int lane) const override {
    std::vector<Pack<double>> drawn(static_cast<std::size_t>(ambient()), Pack<double>(0));
    exact_->sample(random, drawn.data(), lane);
    for (std::size_t i = 0; i < drawn.size(); ++i) x[i][lane] = static_cast<T>(drawn[i][lane]);
  }

 private:
  template <class To, class From>
  static Pack<To> to(const Pack<From>& from) {
    Pack<To> result;
    for (int l = 0; l < kLanes; ++l) result[l] = static_cast<To>(from[l]);
    return result;
  }
  std::vector<Pack<double>> widened(const Pack<T>* x) const {
    std::vector<Pack<double>> wide(static_cast<std::size_t>(ambient()));
    for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = to<double>(x[i]);
    return wide;
  }

  std::shared_ptr<const Distribution<double>> exact_;
};

template <class T>
std::shared_ptr<const Distribution<T>> in_precision(std::shared_ptr<const Distribution<double>> exact) {
  if constexpr (std::is_same_v<T, double>)
    return exact;
  else
    return std::make_shared<Rounded<T>>(std::move(exact));
}

}  // namespace riemflow
