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
double LogProb<T>::mean(const Weights& weights) const {
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    const double w = weight_of(weights, i);
    sum += w * static_cast<double>(values[i]);
    total += w;
  }
  return sum / total;
}

template <class T>
double LogProb<T>::standard_error(const Weights& weights) const {
  const double centre = mean(weights);
  double squares = 0;
  WeightSums sums;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    const double w = weight_of(weights, i), off = static_cast<double>(values[i]) - centre;
    squares += w * w * (off * off);
    sums.add(w);
  }
  return sums.standard_error(squares);
}

template struct LogProb<float>;
template struct LogProb<double>;

}  // namespace riemflow
