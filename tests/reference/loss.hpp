#pragma once
// The losses of one point and their gradient in the parameters, forward mode, one pass a parameter.

#include "tests/reference/density.hpp"
#include "tests/reference/flow.hpp"

namespace riemflow::reference {

struct Weights {
  double kin = 0;
  double frob = 0;
};

/// All that a loss needs but parameters and point.
struct Problem {
  FieldSpec field;
  Tableau tableau;
  std::vector<Step> steps;  ///< nll: from 1 to 0; reverse_kl: from 0 to 1
  Noise noise = {};         ///< none = exact divergence and Frobenius norm
  Weights weights = {};
};

/// −(log p₀(z(0)) + l) + w_kin|kin| + w_frob|frob|; l, kin and frob are integrals from 1 to 0, so kin, frob ≤
/// 0.
template <class N>
N nll(const Problem& problem, const Vector<N>& theta, const std::vector<double>& x) {
  const State<N> end = flow(problem.field, theta, problem.tableau, problem.steps, lift<N>(x), problem.noise);
  return -(log_base(problem.field, end.z) + end.l) + problem.weights.kin * -end.kin +
         problem.weights.frob * -end.frob;
}

/// log p₀(z0) − l − log target(z1) + w_kin kin + w_frob frob
template <class N, class Target>
N reverse_kl(const Problem& problem, const Vector<N>& theta, const std::vector<double>& z0,
             const Target& log_target) {
  const State<N> end = flow(problem.field, theta, problem.tableau, problem.steps, lift<N>(z0), problem.noise);
  return log_base(problem.field, lift<N>(z0)) - end.l - log_target(end.z) + problem.weights.kin * end.kin +
         problem.weights.frob * end.frob;
}

/// ∂loss/∂θ_i for each i; loss maps Vector<Dual<double>> to Dual<double>.
template <class Loss>
std::vector<double> gradient(const Loss& loss, const std::vector<double>& theta) {
  std::vector<double> r;
  for (std::size_t i = 0; i < theta.size(); ++i) {
    Vector<Dual<double>> seeded = lift<Dual<double>>(theta);
    seeded[i].slope = 1;
    r.push_back(loss(seeded).slope);
  }
  return r;
}

}  // namespace riemflow::reference
