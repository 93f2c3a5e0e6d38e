#pragma once
// A density written once, as a template over the number type, with its gradient by forward differentiation.
//
//   template <class T>
//   class Mine final : public DifferentiableDensity<Mine<T>, T> {
//    public:
//     template <class N>                              // N = Pack<T> or Dual<Pack<T>>
//     N log_density_of(const N* x) const { … }        // x: ambient() numbers
//     …                                               // name, ambient, sample
//   };
//
// Where log_density_of is long, both classes are instantiated once, in Mine's .cpp, and declared extern in
// its header: without the base, whose members are virtual, every file that makes a Mine would compile
// log_density_of in all number types again.

#include <cstddef>
#include <vector>

#include "riemflow/core/dual.hpp"
#include "riemflow/distribution/distribution.hpp"

namespace riemflow {

template <class Derived, class T>
class DifferentiableDensity : public Distribution<T> {
 public:
  Pack<T> log_density(const Pack<T>* x) const final { return self().log_density_of(x); }

  /// One pass a coordinate: O(ambient) times the cost of the value. It is called once a solve.
  Pack<T> log_density_gradient(const Pack<T>* x, Pack<T>* gradient) const final {
    std::vector<Dual<Pack<T>>> seeded(x, x + this->ambient());
    for (std::size_t i = 0; i < seeded.size(); ++i) {
      seeded[i].slope = Pack<T>(1);
      gradient[i] = self().log_density_of(seeded.data()).slope;
      seeded[i].slope = Pack<T>(0);
    }
    return log_density(x);
  }

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }
};

}  // namespace riemflow
