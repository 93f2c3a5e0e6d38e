#pragma once
// The projective adaptive Runge–Kutta solver of one tile, and its discrete adjoint.
//
// Each step: y⁺ = P(y + h Σ b_i k_i) with P the projection onto the manifold; with FSAL methods the next
// step's first stage is evaluated at the projected y⁺, so reusing it is exact whether or not the field is
// constant along P's fibres. The error of a point is the root mean square over its controlled rows of
// error/(atol + rtol·|y|); a step is accepted when it is below 1 for the tile, as ErrorNorm says. Step sizes
// follow a PI controller and land on the end time exactly.

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "riemflow/core/aligned.hpp"
#include "riemflow/flow/ode/status.hpp"
#include "riemflow/flow/ode/system.hpp"
#include "riemflow/flow/ode/tableau.hpp"

namespace riemflow {

/// What "within tolerance" means for the points of a tile, which share their steps.
enum class ErrorNorm {
  worst_point,  ///< every point is within it: evaluation
  mean_square   ///< the root mean square over the points is, as other solvers mean it for a batch; a single
               ///< point may be off by √kLanes = 4 times: training, where it saves a fifth of the evaluations
};

struct SolverOptions {
  std::string method = "dopri5";
  double rtol = 1e-5;
  double atol = 1e-5;
  int max_evaluations = 10000;  ///< of a solve; reached: Status::too_many_evaluations
  double longest_step = std::numeric_limits<double>::infinity();  ///< of adaptive ones, in units of time
  int fixed_steps = 0;  ///< > 0: that many equal steps from each output time to the next, no error control
  std::size_t tape_bytes =
      256 << 20;  ///< stage activations kept for the backward pass; beyond it they are recomputed
};

/// Throws Error on options that cannot be meant.
void validate(const SolverOptions& options);

/// The path of a forward solve, for the backward one.
template <class T>
struct Trajectory {
  struct Step {
    double t, h;
  };
  std::vector<Step> steps;
  AlignedVector<T> states;       ///< y at the start of each step [step][row][lane]
  AlignedVector<T> unprojected;  ///< y + h Σ b_i k_i of each step
  AlignedVector<T> tape;       ///< slots of tape_size(); slot of step s < kept_steps, stage i: s·stages + i
  std::size_t kept_steps = 0;  ///< steps whose stages are on the tape
};

template <class T>
class Solver {
 public:
  explicit Solver(const SolverOptions& options);

  /// y (rows) from time `from` to `to`, in place. On failure y is where the solve stopped. Without
  /// `trajectory`, nothing is kept. first_step: size of the first step to try, 0: found by one more
  /// evaluation.
  SolveReport solve(OdeSystem<T>& system, double from, double to, Pack<T>* y,
                    ErrorNorm norm = ErrorNorm::worst_point, double first_step = 0,
                    Trajectory<T>* trajectory = nullptr);

  /// The same through increasing or decreasing `times`, calling visit(i, y) at each; the step size carries
  /// over.
  SolveReport solve_through(OdeSystem<T>& system, const std::vector<double>& times, Pack<T>* y,
                            const std::function<void(std::size_t, const Pack<T>*)>& visit);

  /// y_bar (rows): cotangent of the end state in, of the start state out. Step sizes are constants. Stages
  /// that the tape could not hold are evaluated again.
  void backward(OdeSystem<T>& system, Trajectory<T>& trajectory, Pack<T>* y_bar);

 private:
  struct Progress;

  void reserve(const OdeSystem<T>& system);
  Pack<T>* stage(int i) { return as_packs(stages_.data()) + i * rows_; }
  T* slots_for(Trajectory<T>* trajectory, std::size_t step);
  Status evaluate(OdeSystem<T>& system, double t, const Pack<T>* y, Pack<T>* rate, T* tape);
  Status why_outside(const OdeSystem<T>& system, const Pack<T>* y) const;
  Status evaluate_stages(OdeSystem<T>& system, double t, double h, const Pack<T>* y, int first, T* slots);
  Status try_step(OdeSystem<T>& system, double t, double h, double t_next, const Pack<T>* y, T* slots,
                  double& error);
  Status march(OdeSystem<T>& system, Progress& progress, double to, Pack<T>* y, Trajectory<T>* trajectory);
  void record(Trajectory<T>& trajectory, const Progress& progress, double h, const Pack<T>* y,
              const T* slots);
  double guess_first_step(OdeSystem<T>& system, Progress& progress, double to, const Pack<T>* y);
  void plan_next(Progress& progress, double h, double error) const;
  double shrink_factor(double error) const;
  double scaled_norm(OdeSystem<T>& system, const Pack<T>* v, const Pack<T>* y, const Pack<T>* y_other);

  SolverOptions options_;
  const Tableau& tableau_;
  ErrorNorm norm_ = ErrorNorm::worst_point;
  int evaluations_ = 0;
  int rows_ = 0;
  int controlled_ = 0, still_ = 0;
  std::size_t tape_size_ = 0;
  AlignedVector<T> stages_, trial_, next_, unprojected_, error_, weight_, scratch_tape_;
};

}  // namespace riemflow
