#include "riemflow/flow/results.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace riemflow {

void SolveSummary::add(const SolveReport& report) {
  ++solves;
  evaluations += report.evaluations;
  most_evaluations = std::max(most_evaluations, report.evaluations);
  accepted += report.accepted;
  rejected += report.rejected;
  if (report.first_step > 0) ++stepped;
  first_steps += report.first_step;
}

void SolveSummary::add(const SolveSummary& other) {
  points += other.points;
  solves += other.solves;
  evaluations += other.evaluations;
  most_evaluations = std::max(most_evaluations, other.most_evaluations);
  accepted += other.accepted;
  rejected += other.rejected;
  stepped += other.stepped;
  first_steps += other.first_steps;
  failures.insert(failures.end(), other.failures.begin(), other.failures.end());
}

void TileLoss::add(const TileLoss& other) {
  total += other.total;
  likelihood += other.likelihood;
  kinetic += other.kinetic;
  frobenius += other.frobenius;
}

std::string SolveSummary::message() const {
  if (failures.empty()) return "";
  std::map<Status, std::size_t> counts;
  for (const Failure& failure : failures) ++counts[failure.status];
  std::string text = std::to_string(failures.size()) + " of " + std::to_string(points) +
                     " points failed (first: point " + std::to_string(failures.front().point) + ")";
  for (const auto& [status, count] : counts)
    text += "; " + std::to_string(count) + ": " + std::string(explain(status));
  return text;
}

template <class T>
double LogProb<T>::mean() const {
  double sum = 0;
  std::size_t n = 0;
  for (T value : values) {
    if (std::isnan(value)) continue;
    sum += static_cast<double>(value);
    ++n;
  }
  return sum / static_cast<double>(n);
}

template <class T>
double LogProb<T>::standard_error() const {
  const double centre = mean();
  double squares = 0;
  std::size_t n = 0;
  for (T value : values) {
    if (std::isnan(value)) continue;
    squares += (static_cast<double>(value) - centre) * (static_cast<double>(value) - centre);
    ++n;
  }
  return std::sqrt(squares / static_cast<double>(n - 1) / static_cast<double>(n));
}

template struct LogProb<float>;
template struct LogProb<double>;

}  // namespace riemflow
