#pragma once
// The concentration of a von Mises–Fisher distribution with a given mean resultant length: its maximum
// likelihood estimate, exact.

namespace riemflow {

/// The κ with 1 − A_d(κ) = drop, i.e. E(1 − ⟨μ, x⟩) = drop: to 1e-11/(1 − drop) relative. 0 where drop ≥ 1
/// (no preference for μ), infinite where drop ≤ 0. d ≥ 1 is the caller's to check. About five evaluations of
/// von_mises_fisher_constants.
double von_mises_fisher_concentration(int d, double drop);

}  // namespace riemflow
