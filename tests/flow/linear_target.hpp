#pragma once
// A target for reverse KL with log-density ⟨a, z⟩, not normalised: reference::LinearTarget for the library.

#include <vector>

#include "riemflow/distribution/distribution.hpp"

namespace riemflow::test {

template <class T>
class LinearTarget final : public Distribution<T> {
 public:
  explicit LinearTarget(const std::vector<double>& a) : a_(a.begin(), a.end()) {}

  std::string name() const override { return "linear"; }
  int ambient() const override { return static_cast<int>(a_.size()); }
  Pack<T> log_density(const Pack<T>* x) const override {
    Pack<T> sum = 0;
    for (std::size_t i = 0; i < a_.size(); ++i) sum += Pack<T>(a_[i]) * x[i];
    return sum;
  }
  Pack<T> log_density_gradient(const Pack<T>* x, Pack<T>* gradient) const override {
    for (std::size_t i = 0; i < a_.size(); ++i) gradient[i] = a_[i];
    return log_density(x);
  }
  void sample(Random&, Pack<T>*, int) const override {}

 private:
  std::vector<T> a_;
};

}  // namespace riemflow::test
