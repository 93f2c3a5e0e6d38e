#pragma once
// The reference's loss of a point over the steps that the library took, and its gradient, sixteen parameters
// a pass. As in the library, and unlike reference::flow, the rates of a Runge–Kutta stage are those at its
// projection onto the manifold; both are smooth extensions of the same field.

#include <vector>

#include "riemflow/core/pack.hpp"
#include "tests/reference/reference.hpp"

namespace riemflow {

/// For reference::value_of on duals of packs: all lanes have the same value, only their slopes differ.
inline double value_of(const Pack<double>& x) { return x[0]; }

namespace test {

template <class N>
reference::State<N> replayed_flow(const reference::Problem& problem, const std::vector<N>& theta,
                                  const std::vector<N>& start) {
  const reference::FieldSpec& spec = problem.field;
  const auto augmented = [&](double t, const std::vector<N>& y) {
    const std::vector<N> x = reference::projection(spec, std::vector<N>(y.begin(), y.end() - 3));
    std::vector<N> rate = reference::field(spec, theta, x, t);
    rate.push_back(reference::divergence(spec, theta, x, t, problem.noise));
    rate.push_back(problem.weights.kin == 0 ? N(0) : reference::kinetic(spec, theta, x, t));
    rate.push_back(problem.weights.frob == 0 ? N(0) : reference::frobenius(spec, theta, x, t, problem.noise));
    return rate;
  };
  reference::State<N> state{start};
  for (const reference::Step& step : problem.steps) {
    std::vector<N> y = state.z;
    y.insert(y.end(), {state.l, state.kin, state.frob});
    y = reference::runge_kutta_step(problem.tableau, augmented, step.t, step.h, y);
    const std::size_t D = state.z.size();
    state = {reference::projection(spec, std::vector<N>(y.begin(), y.end() - 3)), y[D], y[D + 1], y[D + 2]};
  }
  return state;
}

/// −log p(x) + regularisers, solved from 1 to 0.
template <class N>
N replayed_nll(const reference::Problem& problem, const std::vector<N>& theta, const std::vector<double>& x) {
  const reference::State<N> end = replayed_flow(problem, theta, reference::lift<N>(x));
  return -reference::log_base(problem.field, end.z) - end.l - problem.weights.kin * end.kin -
         problem.weights.frob * end.frob;
}

/// log p(x) − ⟨a, x⟩ + regularisers, x the flow of z, solved from 0 to 1.
template <class N>
N replayed_reverse_kl(const reference::Problem& problem, const std::vector<N>& theta,
                      const std::vector<double>& z, const std::vector<double>& a) {
  const reference::State<N> end = replayed_flow(problem, theta, reference::lift<N>(z));
  return reference::log_base(problem.field, reference::lift<N>(z)) - end.l -
         reference::LinearTarget{a}(end.z) + problem.weights.kin * end.kin + problem.weights.frob * end.frob;
}

struct LossAndGradient {
  double loss = 0;
  std::vector<double> gradient;
};

/// loss maps std::vector<Dual<Pack<double>>> to Dual<Pack<double>>.
template <class Loss>
LossAndGradient loss_and_gradient(const Loss& loss, const std::vector<double>& theta) {
  using Number = Dual<Pack<double>>;
  LossAndGradient result;
  for (std::size_t first = 0; first < theta.size(); first += kLanes) {
    std::vector<Number> seeded;
    for (const double p : theta) seeded.push_back(Number(p));
    const std::size_t last = std::min<std::size_t>(theta.size(), first + kLanes);
    for (std::size_t p = first; p < last; ++p) seeded[p].slope[static_cast<int>(p - first)] = 1;
    const Number value = loss(seeded);
    result.loss = value_of(value.value);
    result.gradient.insert(result.gradient.end(), value.slope.lane, value.slope.lane + (last - first));
  }
  return result;
}

}  // namespace test
}  // namespace riemflow
