#include "apps/riemflow/fit/progress.hpp"

#include <algorithm>
#include <cmath>

#include "apps/riemflow/support/console.hpp"

namespace riemflow::app {
namespace {

constexpr double kSpeedWindow = 3;

std::string nats(double value) { return std::isnan(value) ? "–" : fmt::format("{:.4f}", value); }

}  // namespace

ProgressLine::ProgressLine(long iterations, double seconds, bool quiet)
    : iterations_(iterations), seconds_(seconds), quiet_(quiet), terminal_(errors_on_terminal()) {}

ProgressLine::~ProgressLine() { end_line(); }

std::string ProgressLine::text(const FitProgress& p, double now) const {
  const double left = speed_ > 0 ? static_cast<double>(iterations_ - p.iteration) / speed_ : INFINITY;
  const double eta = std::min(left, seconds_ - now);
  const std::string validation =
      std::isfinite(p.best)
          ? fmt::format("validation {} (best {} at {})  ", nats(p.validation), nats(p.best), p.best_iteration)
          : "";
  return fmt::format("iteration {}/{}  loss {}  {}{}  {:.0f}/s  ETA {}", p.iteration, iterations_,
                     nats(p.loss), validation,
                     note_.empty() ? fmt::format("{:.0f} evaluations", p.evaluations) : note_, speed_,
                     std::isfinite(eta) ? clock_text(eta) : "–");
}

void ProgressLine::update(const FitProgress& p) {
  if (quiet_) return;
  const double now = seconds_since(start_);
  if (mark_iteration_ < 0) {
    mark_iteration_ = p.iteration;
    mark_time_ = now;
  } else if (now > mark_time_) {
    speed_ = static_cast<double>(p.iteration - mark_iteration_) / (now - mark_time_);
    if (now - mark_time_ > kSpeedWindow) {
      mark_iteration_ = p.iteration;
      mark_time_ = now;
    }
  }
  const bool last = p.iteration >= iterations_;
  const double every = terminal_ ? kTerminalEvery : kPlainEvery;
  if (shown_ >= 0 && now - shown_ < every && !last) return;
  shown_ = now;
  const std::string line = text(p, now);
  terminal_ ? rewrite_line(line) : say_text(line);
}

}  // namespace riemflow::app
