#pragma once
// What spaces with a covering (covering.hpp) share: flows, kernels and cubatures are those of the cover, so
// that they have no base, kernels, patches and fields of their own, and of the contract geometry alone is
// left to say.

#include <fmt/format.h>

#include <vector>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/common.hpp"
#include "riemflow/manifold/covering.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

template <class T>
class CoveredManifold : public Manifold<T> {
 public:
  std::vector<Factor<T>> factors() const final { return {{this, 0, 0}}; }
  DefaultBase default_base() const final { return DefaultBase::none; }
  KernelForm kernel_form() const final { return {KernelForm::Family::none}; }

  LaneMask in_domain(const Pack<T>* x) const override { return finite(this->ambient(), x); }
  void project_backward(const Pack<T>*, Pack<T>*) const final { refuse(); }
  void error_weight(const Pack<T>*, Pack<T>*) const final { refuse(); }
  void seed_basis(const Pack<T>*, PackMatrix<T>) const final { refuse(); }
  void seed_basis_backward(const Pack<T>*, PackMatrix<T>, PackMatrix<T>, Pack<T>*) const final { refuse(); }
  void seed_probe(const Pack<T>*, PackMatrix<T>, int, PackMatrix<T>) const final { refuse(); }
  void seed_probe_backward(const Pack<T>*, PackMatrix<T>, int, PackMatrix<T>, Pack<T>*) const final {
    refuse();
  }
  void velocity(const OutputJet<T>&, Pack<T>*, Rates<T>&) const final { refuse(); }
  void velocity_backward(const OutputJet<T>&, Pack<T>*, const Rates<T>&, PackMatrix<T>,
                         PackMatrix<T>) const final {
    refuse();
  }

 private:
  [[noreturn]] void refuse() const {
    throw Error(fmt::format("{} has no vector fields of its own", this->name()),
                fmt::format("make the flow on its cover, {}", this->covering()->cover()->name()),
                Fault::internal);
  }
};

}  // namespace riemflow
