#pragma once
// Explicit Runge–Kutta methods as data; flow/ode/solver.hpp runs them all.

#include <array>
#include <string_view>

namespace riemflow {

inline constexpr int kMaxStages = 7;

/// y⁺ = y + h Σ b_i k_i,  k_i = f(t + c_i h, y + h Σ_{j<i} a_ij k_j),  error ≈ h Σ e_i k_i.
/// Methods with an error estimate are FSAL: e has one entry more, for k = f(t + h, y⁺), the next step's first
/// stage.
struct Tableau {
  std::string_view name;
  int stages;       ///< that propagate the solution
  int order;        ///< of the propagated solution
  int error_order;  ///< the error estimate is O(h^error_order); 0: none, fixed steps only
  std::array<std::array<double, kMaxStages>, kMaxStages> a;
  std::array<double, kMaxStages> b;
  std::array<double, kMaxStages> c;
  std::array<double, kMaxStages> e;
};

/// Dormand & Prince 1980, 5(4).
inline constexpr Tableau kDopri5 = {
    "dopri5",
    6,
    5,
    5,
    {{{},
      {1.0 / 5},
      {3.0 / 40, 9.0 / 40},
      {44.0 / 45, -56.0 / 15, 32.0 / 9},
      {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
      {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}}},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
    {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1},
    {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40}};

/// Tsitouras 2011, 5(4).
inline constexpr Tableau kTsit5 = {
    "tsit5",
    6,
    5,
    5,
    {{{},
      {0.161},
      {-0.008480655492356989, 0.335480655492357},
      {2.8971530571054935, -6.359448489975075, 4.3622954328695815},
      {5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525},
      {5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401, -0.028269050394068383}}},
    {0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081, 2.324710524099774},
    {0, 0.161, 0.327, 0.9, 0.9800255409045097, 1},
    {-0.00178001105222577714, -0.0008164344596567469, 0.007880878010261995, -0.1447110071732629,
     0.5823571654525552, -0.45808210592918697, 1.0 / 66}};

/// Bogacki & Shampine 1989, 3(2).
inline constexpr Tableau kBosh3 = {"bosh3",
                                   3,
                                   3,
                                   3,
                                   {{{}, {1.0 / 2}, {0, 3.0 / 4}}},
                                   {2.0 / 9, 1.0 / 3, 4.0 / 9},
                                   {0, 1.0 / 2, 3.0 / 4},
                                   {-5.0 / 72, 1.0 / 12, 1.0 / 9, -1.0 / 8}};

/// The classical method; no error estimate.
inline constexpr Tableau kRk4 = {"rk4",
                                 4,
                                 4,
                                 0,
                                 {{{}, {1.0 / 2}, {0, 1.0 / 2}, {0, 0, 1}}},
                                 {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
                                 {0, 1.0 / 2, 1.0 / 2, 1},
                                 {}};

inline constexpr std::array kTableaux = {&kDopri5, &kTsit5, &kBosh3, &kRk4};

/// By name; throws Error with the names there are.
const Tableau& tableau(std::string_view name);

}  // namespace riemflow
