#include "riemflow/flow/ode/solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

// The PI controller with the constants of Hairer's DOPRI5: h⁺ = h·safety·err^−α/q·err_before^β/q. (α = 0.7, β
// = 0.4, made for stiff problems, takes 5 % more evaluations here: solves of a few steps want to grow fast.)
constexpr double kSafety = 0.9, kShrink = 0.2, kGrow = 10, kAlpha = 0.85, kBeta = 0.2;
constexpr double kStretch = 1.08;  // of a last step

template <class T>
void copy(int rows, const Pack<T>* from, Pack<T>* to) {
  std::copy(from, from + rows, to);
}

/// y += factor·v
template <class T>
void add(int rows, double factor, const Pack<T>* v, Pack<T>* y) {
  if (factor == 0) return;
  const Pack<T> scale = factor;
  for (int i = 0; i < rows; ++i) y[i] += scale * v[i];
}

/// The size of the next step: as planned, but the last few steps share what remains, stretched a little if
/// that saves one (the safety factor leaves room for it).
double landing_step(double planned, double remaining) {
  const double steps = std::ceil(remaining / (kStretch * planned));
  return steps <= 4 ? remaining / steps : planned;
}

}  // namespace

void validate(const SolverOptions& options) {
  const Tableau& method = tableau(options.method);
  require(
      options.rtol > 0 && options.atol > 0 && options.rtol < 1 && std::isfinite(options.atol),
      "the tolerances are rtol " + std::to_string(options.rtol) + " and atol " + std::to_string(options.atol),
      "give positive numbers, the relative one below 1 (1e-5 is usual)");
  require(options.max_evaluations >= 1,
          "the limit of evaluations is " + std::to_string(options.max_evaluations),
          "give at least 1 (10000 is usual)");
  require(options.fixed_steps >= 0, "the number of fixed steps is " + std::to_string(options.fixed_steps),
          "give a positive number, or 0 for adaptive steps");
  require(options.fixed_steps > 0 || method.error_order > 0, options.method + " has no error estimate",
          "give it a number of fixed steps, or use dopri5, tsit5 or bosh3");
}

/// What a march carries from one output time to the next.
template <class T>
struct Solver<T>::Progress {
  explicit Progress(double from) : t(from) {}

  double t;
  double h = 0;             // size of the next step, with sign; 0: not known yet
  double error_before = 1;  // of the last accepted step
  bool have_first_stage = false;
  Status blame =
      Status::step_underflow;  // if the step size underflows: what went wrong since the last accepted step
  std::size_t steps = 0;
  SolveReport report;
};

template <class T>
Solver<T>::Solver(const SolverOptions& options) : options_(options), tableau_(tableau(options.method)) {
  validate(options);
}

template <class T>
void Solver<T>::reserve(const OdeSystem<T>& system) {
  evaluations_ = 0;
  rows_ = system.rows();
  controlled_ = system.controlled();
  still_ = system.still();
  tape_size_ = system.tape_size();
  const std::size_t state = static_cast<std::size_t>(rows_) * kLanes;
  stages_.resize(state * (kMaxStages + 1));
  for (AlignedVector<T>* buffer : {&trial_, &next_, &unprojected_, &error_}) buffer->resize(state);
  weight_.resize(2 * state);
  // Room for one step's stages and the one behind them.
  scratch_tape_.resize(tape_size_ * static_cast<std::size_t>(tableau_.stages + 1));
}

template <class T>
SolveReport Solver<T>::solve(OdeSystem<T>& system, double from, double to, Pack<T>* y, ErrorNorm norm,
                             double first_step, Trajectory<T>* trajectory) {
  reserve(system);
  norm_ = norm;
  if (trajectory != nullptr) {
    trajectory->steps.clear();
    trajectory->kept_steps = 0;
  }
  Progress progress(from);
  progress.h = std::copysign(std::min(std::abs(first_step), std::abs(to - from)), to - from);
  progress.report.status = march(system, progress, to, y, trajectory);
  progress.report.evaluations = evaluations_;
  return progress.report;
}

template <class T>
SolveReport Solver<T>::solve_through(OdeSystem<T>& system, const std::vector<double>& times, Pack<T>* y,
                                     const std::function<void(std::size_t, const Pack<T>*)>& visit) {
  reserve(system);
  norm_ = ErrorNorm::worst_point;
  Progress progress(times.front());
  visit(0, y);
  for (std::size_t i = 1; i < times.size(); ++i) {
    progress.report.status = march(system, progress, times[i], y, nullptr);
    if (progress.report.status != Status::ok) break;
    visit(i, y);
  }
  progress.report.evaluations = evaluations_;
  return progress.report;
}

/// Where the stages of a step go: onto the tape while it has room, else into the scratch.
template <class T>
T* Solver<T>::slots_for(Trajectory<T>* trajectory, std::size_t step) {
  if (trajectory == nullptr || trajectory->kept_steps < step) return scratch_tape_.data();
  const auto stages = static_cast<std::size_t>(tableau_.stages);
  const std::size_t needed = (step * stages + stages + 1) * tape_size_;
  if (needed * sizeof(T) > options_.tape_bytes) return scratch_tape_.data();
  if (trajectory->tape.size() < needed)
    trajectory->tape.resize(
        std::min(std::max(needed, trajectory->tape.size() * 3 / 2), options_.tape_bytes / sizeof(T)));
  return trajectory->tape.data() + step * stages * tape_size_;
}

/// Status::ok, or why y could not be evaluated.
template <class T>
Status Solver<T>::evaluate(OdeSystem<T>& system, double t, const Pack<T>* y, Pack<T>* rate, T* tape) {
  ++evaluations_;
  return system.evaluate(t, y, rate, tape) ? Status::ok : why_outside(system, y);
}

template <class T>
Status Solver<T>::why_outside(const OdeSystem<T>& system, const Pack<T>* y) const {
  for (int i = 0; i < system.moving(); ++i) {
    for (T value : y[i].lane) {
      if (!std::isfinite(value)) return Status::non_finite;
    }
  }
  return Status::outside_domain;
}

/// Stages first.. of a step from (t, y); stage 0 may be known from the step before.
template <class T>
Status Solver<T>::evaluate_stages(OdeSystem<T>& system, double t, double h, const Pack<T>* y, int first,
                                  T* slots) {
  Pack<T>* trial = as_packs(trial_.data());
  const int moving = system.moving();
  for (int i = first; i < tableau_.stages; ++i) {
    const auto at = static_cast<std::size_t>(i);
    copy(rows_, y, trial);
    for (int j = 0; j < i; ++j) add(moving, h * tableau_.a[at][static_cast<std::size_t>(j)], stage(j), trial);
    const Status status = evaluate(system, t + tableau_.c[at] * h, trial, stage(i), slots + at * tape_size_);
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

/// A step from (t, y), whose first stage is known, to t_next: unprojected_ and next_ = the new state before
/// and after the projection, error = the norm of its error estimate (0 without one).
template <class T>
Status Solver<T>::try_step(OdeSystem<T>& system, double t, double h, double t_next, const Pack<T>* y,
                           T* slots, double& error) {
  Pack<T>* next = as_packs(next_.data());
  Pack<T>* estimate = as_packs(error_.data());
  const int stages = tableau_.stages;
  if (const Status status = evaluate_stages(system, t, h, y, 1, slots); status != Status::ok) return status;
  copy(rows_, y, next);
  for (int i = 0; i < stages; ++i) add(rows_, h * tableau_.b[static_cast<std::size_t>(i)], stage(i), next);
  copy(rows_, next, as_packs(unprojected_.data()));
  // Before the projection, which would hide a step over the rim by pulling it back inside.
  if (!system.in_domain(next)) return why_outside(system, next);
  system.project(next);
  std::fill(error_.begin(), error_.end(), T(0));
  if (tableau_.error_order > 0) {
    const Status status =
        evaluate(system, t_next, next, stage(stages), slots + static_cast<std::size_t>(stages) * tape_size_);
    if (status != Status::ok) return status;
    for (int i = 0; i <= stages; ++i)
      add(rows_, h * tableau_.e[static_cast<std::size_t>(i)], stage(i), estimate);
  } else {
    for (int i = 0; i < rows_; ++i) estimate[i] = next[i] - next[i];  // NaN where next is not finite
  }
  error = scaled_norm(system, estimate, y, next);
  return std::isfinite(error) ? Status::ok : Status::non_finite;
}

/// Over points as norm_ says, of the root mean square over controlled rows of weight·v/(atol + rtol·|y|); NaN
/// if any is.
template <class T>
double Solver<T>::scaled_norm(OdeSystem<T>& system, const Pack<T>* v, const Pack<T>* y,
                              const Pack<T>* y_other) {
  Pack<T>* weight = as_packs(weight_.data());
  Pack<T>* weight_other = as_packs(weight_.data()) + rows_;
  system.error_weight(y, weight);
  system.error_weight(y_other, weight_other);
  double worst = 0, total = 0;
  for (int l = 0; l < kLanes; ++l) {
    // In double: the squares of a large error over a small tolerance overflow in float.
    double sum = 0;
    for (int i = still_; i < controlled_; ++i) {
      const double size =
          std::max(std::abs(static_cast<double>(y[i][l])), std::abs(static_cast<double>(y_other[i][l])));
      const double w = std::max(static_cast<double>(weight[i][l]), static_cast<double>(weight_other[i][l]));
      const double e = w * static_cast<double>(v[i][l]) / (options_.atol + options_.rtol * size);
      sum += e * e;
    }
    if (!std::isfinite(sum)) return std::numeric_limits<double>::quiet_NaN();
    worst = std::max(worst, sum);
    total += sum;
  }
  return std::sqrt((norm_ == ErrorNorm::worst_point ? worst : total / kLanes) / (controlled_ - still_));
}

/// Hairer, Nørsett & Wanner II.4: compares an explicit Euler step's change of slope with the slope. One
/// evaluation.
template <class T>
double Solver<T>::guess_first_step(OdeSystem<T>& system, Progress& progress, double to, const Pack<T>* y) {
  const double direction = to < progress.t ? -1 : 1, span = std::abs(to - progress.t);
  const double slope = scaled_norm(system, stage(0), y, y);
  const double size = scaled_norm(system, y, y, y);
  double h = size < 1e-5 || slope < 1e-5 ? 1e-6 : 0.01 * size / slope;
  h = std::min(h, span);
  if (evaluations_ >= options_.max_evaluations) return direction * h;
  Pack<T>* trial = as_packs(trial_.data());
  copy(rows_, y, trial);
  add(rows_, direction * h, stage(0), trial);
  if (evaluate(system, progress.t + direction * h, trial, stage(1), scratch_tape_.data() + tape_size_) !=
      Status::ok)
    return direction * h;
  Pack<T>* change = as_packs(error_.data());
  for (int i = 0; i < rows_; ++i) change[i] = stage(1)[i] - stage(0)[i];
  const double bend = scaled_norm(system, change, y, y) / h;
  const double steepest = std::max(slope, bend);
  if (!std::isfinite(steepest)) return direction * h;
  const double guess =
      steepest <= 1e-15 ? std::max(1e-6, h * 1e-3) : std::pow(0.01 / steepest, 1.0 / tableau_.error_order);
  return direction * std::min({100 * h, guess, span});
}

template <class T>
Status Solver<T>::march(OdeSystem<T>& system, Progress& progress, double to, Pack<T>* y,
                        Trajectory<T>* trajectory) {
  const bool adaptive = options_.fixed_steps == 0;
  const int cost =
      tableau_.stages - 1 + (tableau_.error_order > 0 ? 1 : 0);  // of a step whose first stage is known
  const double shortest = 4 * static_cast<double>(std::numeric_limits<T>::epsilon());
  const double begin = progress.t, fixed = adaptive ? 0 : (to - begin) / options_.fixed_steps;
  SolveReport& report = progress.report;

  for (int taken = 0; adaptive ? progress.t != to : taken < options_.fixed_steps;) {
    T* slots = slots_for(trajectory, progress.steps);
    if (!progress.have_first_stage) {
      if (evaluations_ >= options_.max_evaluations) return Status::too_many_evaluations;
      const Status status = evaluate(system, progress.t, y, stage(0), slots);
      if (status != Status::ok) return status;
      progress.have_first_stage = true;
      if (!std::isfinite(scaled_norm(system, stage(0), y, y))) return Status::non_finite;
    }
    if (adaptive && progress.h == 0) progress.h = guess_first_step(system, progress, to, y);
    if (evaluations_ + cost > options_.max_evaluations) return Status::too_many_evaluations;

    if (adaptive) progress.h = std::clamp(progress.h, -options_.longest_step, options_.longest_step);
    const double h = adaptive ? landing_step(progress.h, to - progress.t) : fixed;
    const bool last = adaptive ? h == to - progress.t : taken + 1 == options_.fixed_steps;
    const double t_next = last ? to : adaptive ? progress.t + h : begin + (taken + 1) * fixed;
    double error = 0;
    const Status status = try_step(system, progress.t, h, t_next, y, slots, error);

    if (!adaptive && status != Status::ok) return status;
    if (adaptive && (status != Status::ok || error > 1)) {
      ++report.rejected;
      if (status != Status::ok) progress.blame = status;
      progress.h = h * (status != Status::ok ? kShrink : shrink_factor(error));
      if (std::abs(progress.h) < shortest) return progress.blame;
      continue;
    }
    if (trajectory != nullptr) record(*trajectory, progress, h, y, slots);
    if (adaptive) plan_next(progress, h, error);
    progress.blame = Status::step_underflow;
    ++report.accepted;
    ++progress.steps;
    ++taken;
    progress.t = t_next;
    copy(rows_, as_packs(next_.data()), y);
    // First same as last; its slot on the tape is the next step's first already.
    progress.have_first_stage = tableau_.error_order > 0;
    if (progress.have_first_stage) copy(rows_, stage(tableau_.stages), stage(0));
  }
  return Status::ok;
}

template <class T>
double Solver<T>::shrink_factor(double error) const {
  return std::max(kShrink, kSafety * std::pow(error, -1.0 / tableau_.error_order));
}

template <class T>
void Solver<T>::plan_next(Progress& progress, double h, double error) const {
  const double q = tableau_.error_order, err = std::max(error, 1e-10);
  if (progress.steps == 0)
    progress.report.first_step = std::abs(h) * std::clamp(kSafety * std::pow(err, -1 / q), kShrink, kGrow);
  const double factor = std::clamp(
      kSafety * std::pow(err, -kAlpha / q) * std::pow(progress.error_before, kBeta / q), kShrink, kGrow);
  // A step shortened to land does not make the next one shorter.
  const double planned = std::abs(h) * factor;
  const bool shortened = std::abs(h) < std::abs(progress.h);
  progress.h = std::copysign(shortened ? std::max(std::abs(progress.h), planned) : planned, h);
  progress.error_before = std::max(error, 1e-4);
}

/// Adds an accepted step from y to the trajectory.
template <class T>
void Solver<T>::record(Trajectory<T>& trajectory, const Progress& progress, double h, const Pack<T>* y,
                       const T* slots) {
  const std::size_t state = static_cast<std::size_t>(rows_) * kLanes;
  trajectory.steps.push_back({progress.t, h});
  trajectory.states.resize((progress.steps + 1) * state);
  trajectory.unprojected.resize((progress.steps + 1) * state);
  copy(rows_, y, as_packs(trajectory.states.data() + progress.steps * state));
  copy(rows_, as_packs(unprojected_.data()),
       as_packs(trajectory.unprojected.data() + progress.steps * state));
  if (slots != scratch_tape_.data()) trajectory.kept_steps = progress.steps + 1;
}

template <class T>
void Solver<T>::backward(OdeSystem<T>& system, Trajectory<T>& trajectory, Pack<T>* y_bar) {
  const int stages = tableau_.stages, moving = system.moving();
  const std::size_t state = static_cast<std::size_t>(rows_) * kLanes;
  Pack<T>* stage_bar = as_packs(trial_.data());
  for (std::size_t s = trajectory.steps.size(); s-- > 0;) {
    const auto [t, h] = trajectory.steps[s];
    const T* slots = trajectory.tape.data() + s * static_cast<std::size_t>(stages) * tape_size_;
    if (s >= trajectory.kept_steps) {
      const Pack<T>* y = as_packs(trajectory.states.data() + s * state);
      evaluate_stages(system, t, h, y, 0, scratch_tape_.data());
      slots = scratch_tape_.data();
    }
    system.project_backward(as_packs(trajectory.unprojected.data() + s * state), y_bar);
    // rate_bar of stage i, kept in stage(i): h·b_i·y_bar, plus what later stages send back through a_ij.
    for (int i = 0; i < stages; ++i) {
      const Pack<T> weight = h * tableau_.b[static_cast<std::size_t>(i)];
      for (int r = 0; r < rows_; ++r) stage(i)[r] = weight * y_bar[r];
    }
    for (int i = stages; i-- > 0;) {
      const auto at = static_cast<std::size_t>(i);
      std::fill(trial_.begin(), trial_.end(), T(0));
      system.backward(t + tableau_.c[at] * h, slots + at * tape_size_, stage(i), stage_bar);
      add(moving, 1, stage_bar, y_bar);
      for (int j = 0; j < i; ++j)
        add(moving, h * tableau_.a[at][static_cast<std::size_t>(j)], stage_bar, stage(j));
    }
  }
}

template class Solver<float>;
template class Solver<double>;

}  // namespace riemflow
