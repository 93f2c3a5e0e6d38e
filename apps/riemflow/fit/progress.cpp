#include "apps/riemflow/fit/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/terminal.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/io/atomic_file.hpp"

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
  return fmt::format("iteration {}/{}  loss {}  validation {} (best {} at {})  {}  {:.0f}/s  ETA {}",
                     p.iteration, iterations_, nats(p.loss), nats(p.validation), nats(p.best),
                     p.best_iteration,
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

TrainingLog::TrainingLog(const std::string& path, long iteration) : path_(path) {
  if (path.empty()) return;
  if (iteration > 0) {
    std::string kept;
    std::ifstream old(path);
    for (std::string line; std::getline(old, line);) {
      const auto entry = nlohmann::json::parse(line, nullptr, false);
      if (entry.is_object() && entry.contains("iteration") && entry["iteration"].is_number() &&
          entry["iteration"].get<double>() <= static_cast<double>(iteration))
        kept += line + "\n";
    }
    old.close();
    write_file_atomically(path, kept);
  }
  file_ = std::fopen(path.c_str(), iteration > 0 ? "ae" : "we");
  if (file_ == nullptr)
    throw Error(fmt::format("cannot write {}: {}", path, std::strerror(errno)),
                "give --log a file that can be written", Fault::cannot_write);
}

TrainingLog::~TrainingLog() {
  if (file_ != nullptr) std::fclose(file_);
}

void TrainingLog::add(const FitProgress& p, double seconds) {
  if (file_ == nullptr || (p.iteration % 10 != 0 && !p.validated)) return;
  nlohmann::ordered_json line = {{"iteration", p.iteration},
                                 {"seconds", std::round(seconds * 1000) / 1000},
                                 {"loss", p.loss},
                                 {"evaluations", p.evaluations},
                                 {"rate", p.rate}};
  if (p.validated) {
    line["validation"] = p.validation;
    line["best"] = p.best;
    line["best_iteration"] = p.best_iteration;
  }
  if (p.skipped > 0) line["skipped"] = p.skipped;
  if (p.failed_points > 0) line["failed_points"] = p.failed_points;
  if (std::fputs((line.dump() + "\n").c_str(), file_) >= 0 && std::fflush(file_) == 0) return;
  say("Warning: {} cannot be written any more ({}); training goes on without a log.", path_,
      std::strerror(errno));
  std::fclose(file_);
  file_ = nullptr;
}

}  // namespace riemflow::app
