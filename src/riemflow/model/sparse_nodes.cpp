#include "riemflow/model/sparse_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace riemflow {
namespace {

constexpr double kErrorOfDifference = 0.0235;
constexpr std::ptrdiff_t kReach = 4;  ///< computed rows beyond that of a node that its value may ask for

}  // namespace

std::size_t SparseNodes::stride_for(const std::array<std::size_t, 2>& nodes, double most, LatticeEnd rows,
                                    LatticeEnd columns) {
  std::size_t best = 1;
  if (rows == LatticeEnd::open || columns != LatticeEnd::periodic) return best;
  for (std::size_t s = 3; static_cast<double>(s) <= most; s += 2) {
    const bool whole = nodes[0] % s == 0 && nodes[1] % s == 0 && nodes[0] / s > 2 * kReach;
    // Beyond a pole the columns go on half a turn away.
    if (whole && (rows != LatticeEnd::pole || nodes[1] / s % 2 == 0)) best = s;
  }
  return best;
}

SparseNodes::SparseNodes(const std::array<std::size_t, 2>& nodes, std::size_t stride, LatticeEnd rows)
    : nodes_(nodes), computed_{nodes[0] / stride, nodes[1] / stride}, stride_(stride), row_end_(rows) {}

SparseNodes::Stencil SparseNodes::stencil(std::size_t node) const {
  const auto middle = static_cast<std::ptrdiff_t>(stride_ / 2), s = static_cast<std::ptrdiff_t>(stride_);
  const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(node) - middle + s;
  const double t = static_cast<double>(from % s) / static_cast<double>(s);
  return {from / s - 2,
          {-t * (t - 1) * (t - 2) / 6, (t + 1) * (t - 1) * (t - 2) / 2, -(t + 1) * t * (t - 2) / 2,
           (t + 1) * t * (t - 1) / 6}};
}

std::vector<double> SparseNodes::computed_row(std::ptrdiff_t row) const {
  const auto n = static_cast<std::ptrdiff_t>(computed_[0]);
  if (row_end_ == LatticeEnd::periodic) return kept_.at(static_cast<std::size_t>((row + n) % n));
  const std::ptrdiff_t at = row < 0 ? -1 - row : row >= n ? 2 * n - 1 - row : row;
  std::vector<double> values = kept_.at(static_cast<std::size_t>(at));
  if (at != row)
    std::rotate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(computed_[1] / 2), values.end());
  return values;
}

/// The sizes of the fourth differences along both axes, added.
std::vector<double> SparseNodes::differences(std::ptrdiff_t row) const {
  std::array<std::vector<double>, 5> around;
  for (std::ptrdiff_t k = 0; k < 5; ++k) around[static_cast<std::size_t>(k)] = computed_row(row + k - 2);
  const std::size_t n = computed_[1];
  const std::vector<double>& own = around[2];
  std::vector<double> result(n);
  for (std::size_t j = 0; j < n; ++j) {
    const auto fourth = [](double a, double b, double c, double d, double e) {
      return std::abs(a - 4 * b + 6 * c - 4 * d + e);
    };
    result[j] =
        fourth(around[0][j], around[1][j], own[j], around[3][j], around[4][j]) +
        fourth(own[(j + n - 2) % n], own[(j + n - 1) % n], own[j], own[(j + 1) % n], own[(j + 2) % n]);
  }
  return result;
}

std::vector<std::vector<double>> SparseNodes::rows(const std::vector<std::size_t>& rows,
                                                   const Compute& compute, const Settles& settles) {
  const auto n = static_cast<std::ptrdiff_t>(computed_[0]);
  std::set<std::size_t> missing;
  for (const std::size_t row : rows)
    for (std::ptrdiff_t k = -kReach; k <= kReach; ++k) {
      std::ptrdiff_t at = static_cast<std::ptrdiff_t>(row / stride_) + k;
      if (row_end_ == LatticeEnd::periodic)
        at = (at + n) % n;
      else
        at = at < 0 ? -1 - at : at >= n ? 2 * n - 1 - at : at;
      if (!kept_.contains(static_cast<std::size_t>(at))) missing.insert(static_cast<std::size_t>(at));
    }
  std::vector<Node> asked;
  for (const std::size_t row : missing)
    for (std::size_t j = 0; j < computed_[1]; ++j)
      asked.push_back({row * stride_ + stride_ / 2, j * stride_ + stride_ / 2});
  const std::vector<double> found = compute(asked);
  std::size_t next = 0;
  for (const std::size_t row : missing) {
    const auto from = found.begin() + static_cast<std::ptrdiff_t>(next);
    kept_[row].assign(from, from + static_cast<std::ptrdiff_t>(computed_[1]));
    next += computed_[1];
  }

  std::vector<std::vector<double>> result(rows.size(), std::vector<double>(nodes_[1]));
  std::vector<Node> unsettled;
  std::vector<double*> places;
  std::map<std::ptrdiff_t, std::vector<double>> differences_of;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Stencil down = stencil(rows[r]);
    std::array<std::vector<double>, 4> values;
    std::vector<double> worst(computed_[1], 0.0);
    for (std::ptrdiff_t k = 0; k < 4; ++k) {
      const std::ptrdiff_t row = down.first + k;
      values[static_cast<std::size_t>(k)] = computed_row(row);
      auto& own = differences_of[row];
      if (own.empty()) own = differences(row);
      for (std::size_t j = 0; j < own.size(); ++j)
        if (!(own[j] <= worst[j])) worst[j] = std::isnan(worst[j]) ? worst[j] : own[j];  // NaN stays
    }
    for (std::size_t c = 0; c < nodes_[1]; ++c) {
      const Stencil across = stencil(c);
      double value = 0, error = 0;
      for (std::ptrdiff_t l = 0; l < 4; ++l) {
        const auto columns = static_cast<std::ptrdiff_t>(computed_[1]);
        const auto j = static_cast<std::size_t>((across.first + l + columns) % columns);
        double along = 0;
        for (std::size_t k = 0; k < 4; ++k)
          if (down.weights[k] != 0) along += down.weights[k] * values[k][j];
        const double weight = across.weights[static_cast<std::size_t>(l)];
        if (weight != 0) value += weight * along;
        if (!(worst[j] <= error)) error = std::isnan(error) ? error : worst[j];  // NaN stays
      }
      result[r][c] = value;
      const bool computed = rows[r] % stride_ == stride_ / 2 && c % stride_ == stride_ / 2;
      if (computed || settles({rows[r], c}, value, kErrorOfDifference * error)) continue;
      unsettled.push_back({rows[r], c});
      places.push_back(&result[r][c]);
    }
  }
  const std::vector<double> exact = compute(unsettled);
  for (std::size_t i = 0; i < exact.size(); ++i) *places[i] = exact[i];
  return result;
}

void SparseNodes::forget_before(std::size_t row) {
  const auto least = static_cast<std::ptrdiff_t>(row / stride_) - kReach;
  std::erase_if(kept_, [&](const auto& kept) {
    return static_cast<std::ptrdiff_t>(kept.first) < least &&
           !(row_end_ == LatticeEnd::periodic && kept.first < static_cast<std::size_t>(kReach));
  });
}

}  // namespace riemflow
