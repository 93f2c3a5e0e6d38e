#pragma once
// The differential equation of a flow with its likelihood: the state of a point is (z, ℓ, E, F) with
//   ż = f(z, t),  ℓ̇ = div f,  Ė = ‖f‖²_g,  Ḟ = ‖∇f‖²_F
// Step control looks at z and ℓ; E and F only guide training.

#include "riemflow/flow/field/field_pass.hpp"
#include "riemflow/flow/flow_config.hpp"
#include "riemflow/flow/ode/system.hpp"

namespace riemflow {

template <class T>
class LikelihoodSystem final : public OdeSystem<T> {
 public:
  /// density: false integrates z without ℓ and F, at a fraction of the cost.
  LikelihoodSystem(const VectorField<T>& field, const FlowConfig& config, bool density);

  /// The weights to evaluate with and, for a backward pass, where their gradient is added.
  void bind(const T* working, T* working_bar = nullptr) {
    working_ = working;
    working_bar_ = working_bar;
  }
  FieldPass<T>& field() { return pass_; }

  int log_volume_row() const { return ambient_; }
  int kinetic_row() const { return ambient_ + 1; }
  int frobenius_row() const { return ambient_ + 2; }

  int rows() const override { return ambient_ + 3; }
  int moving() const override { return ambient_; }
  int controlled() const override { return density_ ? ambient_ + 1 : ambient_; }
  int still() const override { return given_; }
  std::size_t tape_size() const override { return pass_.tape_size(); }
  bool evaluate(double t, const Pack<T>* y, Pack<T>* rate, T* tape) override;
  void backward(double t, const T* tape, Pack<T>* rate_bar, Pack<T>* y_bar) override;
  bool in_domain(const Pack<T>* y) const override { return manifold_.in_domain(y).all(); }
  void project(Pack<T>* y) const override { manifold_.project(y); }
  void project_backward(const Pack<T>* y, Pack<T>* y_bar) const override {
    manifold_.project_backward(y, y_bar);
  }
  void error_weight(const Pack<T>* y, Pack<T>* weight) const override;

 private:
  const Manifold<T>& manifold_;
  FieldPass<T> pass_;
  int ambient_, given_;
  bool density_;
  const T* working_ = nullptr;
  T* working_bar_ = nullptr;
};

}  // namespace riemflow
