#pragma once
// One explicit Runge–Kutta step, y ← y + h Σ_i b_i k_i with k_i = F(t + c_i h, y + h Σ_{j<i} a_ij k_j), and
// the tableaux, only the stages that propagate the solution.

#include <vector>

#include "tests/reference/vectors.hpp"

namespace riemflow::reference {

struct Tableau {
  Matrix<double> A;  ///< row i has i entries
  Vector<double> b;
  Vector<double> c;
};

template <class N, class F>
Vector<N> runge_kutta_step(const Tableau& tableau, const F& derivative_at, double t, double h,
                           const Vector<N>& y) {
  std::vector<Vector<N>> k;
  for (std::size_t i = 0; i < tableau.b.size(); ++i) {
    Vector<N> stage = y;
    for (std::size_t j = 0; j < i; ++j) stage = sum(stage, scaled(N(h * tableau.A[i][j]), k[j]));
    k.push_back(derivative_at(t + tableau.c[i] * h, stage));
  }
  Vector<N> next = y;
  for (std::size_t i = 0; i < k.size(); ++i) next = sum(next, scaled(N(h * tableau.b[i]), k[i]));
  return next;
}

/// The classical method, order 4.
inline Tableau rk4() {
  return {{{}, {1. / 2}, {0, 1. / 2}, {0, 0, 1}}, {1. / 6, 1. / 3, 1. / 3, 1. / 6}, {0, 1. / 2, 1. / 2, 1}};
}

/// Bogacki & Shampine (1989), order 3.
inline Tableau bosh3() {
  return {{{}, {1. / 2}, {0, 3. / 4}}, {2. / 9, 1. / 3, 4. / 9}, {0, 1. / 2, 3. / 4}};
}

/// Dormand & Prince (1980), order 5.
inline Tableau dopri5() {
  return {{{},
           {1. / 5},
           {3. / 40, 9. / 40},
           {44. / 45, -56. / 15, 32. / 9},
           {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
           {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656}},
          {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84},
          {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1}};
}

/// Tsitouras (2011), order 5.
inline Tableau tsit5() {
  return {
      {{},
       {0.161},
       {-0.008480655492356989, 0.335480655492357},
       {2.8971530571054935, -6.359448489975075, 4.3622954328695815},
       {5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525},
       {5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401, -0.028269050394068383}},
      {0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081,
       2.324710524099774},
      {0, 0.161, 0.327, 0.9, 0.9800255409045097, 1}};
}

}  // namespace riemflow::reference
