#pragma once
// What the solver integrates: dy/dt = g(t, y) for a tile. The first `moving()` rows of y are a point of a
// manifold and g depends on them alone; the rows behind are integrals along the path (log-volume, energies).

#include <cstddef>

#include "riemflow/core/pack.hpp"

namespace riemflow {

template <class T>
class OdeSystem {
 public:
  virtual ~OdeSystem() = default;

  virtual int rows() const = 0;
  virtual int moving() const = 0;
  /// Rows that step control looks at, ≥ moving().
  virtual int controlled() const = 0;
  /// Leading rows that never change, and are no part of the error's mean.
  virtual int still() const { return 0; }
  /// Numbers an evaluation keeps for its backward pass.
  virtual std::size_t tape_size() const = 0;

  /// rate (rows) =, tape =. False if y cannot be evaluated (outside the coordinates' domain).
  virtual bool evaluate(double t, const Pack<T>* y, Pack<T>* rate, T* tape) = 0;
  /// y_bar (moving rows) +=, given rate_bar (rows; scratch afterwards). Parameter gradients stay in the
  /// system.
  virtual void backward(double t, const T* tape, Pack<T>* rate_bar, Pack<T>* y_bar) = 0;

  /// Whether every lane of a state, not yet projected, can be evaluated.
  virtual bool in_domain(const Pack<T>*) const { return true; }
  /// In place, the moving rows: onto the manifold after each step, and its transposed derivative.
  virtual void project(Pack<T>* y) const = 0;
  virtual void project_backward(const Pack<T>* y, Pack<T>* y_bar) const = 0;
  /// weight (controlled rows) = what an error in a row counts.
  virtual void error_weight(const Pack<T>* y, Pack<T>* weight) const = 0;
};

}  // namespace riemflow
