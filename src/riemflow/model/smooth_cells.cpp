// CellMassPart of flows, and of kernels that are wider than the cells.

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "riemflow/model/cell_mass_part.hpp"
#include "riemflow/model/sparse_nodes.hpp"

namespace riemflow {
namespace {

constexpr std::size_t kPointsAtOnce = 4096;  ///< between two looks around
constexpr double kBaseDegrees = 2;           ///< sides of boxes, at most; elsewhere a part of the lattice
constexpr double kBaseShare = 1.0 / 64;
constexpr double kRelative = 2e-3,
                 kMostRelative = 1e-2;  ///< of a box's mass allowed, over the weight of the member
constexpr double kEverywhere = 1e-4;    ///< of the whole mass, allowed beside it, spread over the lattice
constexpr int kDeepest = 5;
constexpr double kLeastBudget = 1 << 16;  ///< evaluations for the refinement of a whole lattice
constexpr double kFineShare = 0.125;      ///< or so many for each box: fine lattices have little to refine

using Between = std::function<void()>;

class SmoothCells final : public CellMassPart {
 public:
  SmoothCells(LogDensity log_density, const Lattice& lattice)
      : log_density_(std::move(log_density)), lattice_(lattice) {
    const auto cut = [](const LatticeAxis& axis, LatticeEnd end) {
      const double most =
          end == LatticeEnd::open ? (axis.edges.back() - axis.edges.front()) * kBaseShare : kBaseDegrees;
      return pieces_of(step_of(axis), most * (1 + 1e-9));
    };
    cut_ = {cut(lattice.rows, lattice.row_end), cut(lattice.columns, lattice.column_end)};
    n_ = {cut_[0] * lattice.rows.centres.size(), cut_[1] * lattice.columns.centres.size()};
    side_ = {step_of(lattice.rows) / static_cast<double>(cut_[0]),
             step_of(lattice.columns) / static_cast<double>(cut_[1])};
    const std::size_t stride =
        SparseNodes::stride_for(n_, kBaseDegrees / side_[0], lattice.row_end, lattice.column_end);
    if (stride > 1) sparse_.emplace(n_, stride, lattice.row_end);
  }

  void add(std::size_t first, std::size_t last, double weight, std::span<double> masses,
           const Between& between) override {
    const auto begin = static_cast<std::ptrdiff_t>(first * cut_[0]),
               end = static_cast<std::ptrdiff_t>(last * cut_[0]);
    relative_ = std::min(kMostRelative, kRelative / weight);
    floor_ = kEverywhere / weight /
             (side_[0] * static_cast<double>(n_[0]) * side_[1] * static_cast<double>(n_[1]));
    need(begin - 2, end + 2, between);
    std::vector<Box> boxes, open;
    Differences below = differences(begin - 1), here = differences(begin);
    for (std::ptrdiff_t i = begin; i < end; ++i) {
      const Differences above = differences(i + 1);
      const std::vector<double> q = row(i);
      for (std::size_t j = 0; j < n_[1]; ++j) {
        // The largest of the neighbours too: where differences vanish on their way from one sign to the
        // other, what is left does not.
        const auto [left, right] = beside(here.size, j);
        const double c = std::max({here.size[j], below.size[j], above.size[j], left, right});
        const double top = std::max({here.top[j], below.top[j], above.top[j]});
        const std::size_t cell =
            (static_cast<std::size_t>(i) - first * cut_[0]) / cut_[0] * lattice_.columns.centres.size() +
            j / cut_[1];
        Box box{
            {low(0, i), low(1, static_cast<std::ptrdiff_t>(j))}, side_, q[j], q[j] + here.sum[j], 0, cell, 0};
        box.error = top > 0 ? 10 * c * c / top : 0;
        (is_open(box) ? open : boxes).push_back(box);
      }
      below = std::exchange(here, above);
    }
    const double all = static_cast<double>(n_[0] * n_[1]),
                 own = static_cast<double>(boxes.size() + open.size());
    auto budget = static_cast<std::size_t>(std::max(kFineShare * own, kLeastBudget * own / all));
    while (!open.empty()) refine(open, boxes, budget, between);
    for (const Box& box : boxes) {
      const double area = box.side[0] * box.side[1];
      masses[box.cell] += weight * box.mean * area;
      if (!std::isnan(box.error)) error_ += box.error * area;
    }
    std::erase_if(rows_, [&](const auto& kept) { return kept.first < end - 2; });
    if (sparse_) sparse_->forget_before(last * cut_[0]);
  }
  double error() const override { return error_; }

 private:
  struct Box {
    std::array<double, 2> low, side;
    double centre, mean, error;  ///< of q; error: of the mean
    std::size_t cell;
    int depth;
  };

  /// Of a row of boxes: s²/24 ∂²q added over the axes, and their sizes added; the largest |q| around.
  struct Differences {
    std::vector<double> sum, size, top;
  };
  Differences differences(std::ptrdiff_t i) const {
    const std::vector<double> below = row(i - 1), here = row(i), above = row(i + 1);
    Differences result;
    for (std::size_t j = 0; j < n_[1]; ++j) {
      const double q = here[j];
      const auto other = [q](double value) { return std::isnan(value) ? q : value; };
      const auto [left, right] = beside(here, j);
      const double down = (other(below[j]) + other(above[j]) - 2 * q) / 24,
                   across = (other(left) + other(right) - 2 * q) / 24;
      result.sum.push_back(down + across);
      result.size.push_back(std::isnan(q) ? 0 : std::abs(down) + std::abs(across));
      result.top.push_back(std::isnan(q)
                               ? 0
                               : std::max({std::abs(q), std::abs(other(below[j])), std::abs(other(above[j])),
                                           std::abs(other(left)), std::abs(other(right))}));
    }
    return result;
  }

  bool is_open(const Box& box) const {
    return box.depth < kDeepest && box.error > relative_ * std::max(box.mean, 0.0) + floor_;
  }
  double low(std::size_t axis, std::ptrdiff_t i) const {
    return (axis == 0 ? lattice_.rows : lattice_.columns).edges.front() +
           side_[axis] * static_cast<double>(i);
  }

  /// log p at the places [first, second]; −∞ where there is no point, NaN where it fails.
  std::vector<double> evaluate(const std::vector<std::array<double, 2>>& places, const Between& between) {
    std::vector<double> result(places.size(), -INFINITY);
    for (std::size_t first = 0; first < places.size(); first += kPointsAtOnce) {
      between();
      Points<double> points;
      points.dimension = lattice_.ambient;
      std::vector<std::size_t> which;
      double x[3];
      for (std::size_t i = first; i < std::min(places.size(), first + kPointsAtOnce); ++i) {
        if (!lattice_.place(places[i][0], places[i][1], x)) continue;
        points.values.insert(points.values.end(), x, x + lattice_.ambient);
        which.push_back(i);
      }
      if (which.empty()) continue;
      const std::vector<double> log_p = log_density_(points);
      for (std::size_t k = 0; k < which.size(); ++k)
        result[which[k]] = log_p[k] == INFINITY ? std::numeric_limits<double>::quiet_NaN() : log_p[k];
    }
    return result;
  }
  double in_coordinates(const std::array<double, 2>& place, double log_p) const {
    if (log_p == -INFINITY) return 0;
    const auto scales = lattice_.scales(place[0], place[1]);
    return std::exp(log_p) * scales[0] * scales[1];
  }

  /// The row where that one is, which may lie beyond the ends by two.
  std::ptrdiff_t inside(std::ptrdiff_t i) const {
    const auto n = static_cast<std::ptrdiff_t>(n_[0]);
    if (i >= 0 && i < n) return i;
    if (lattice_.row_end == LatticeEnd::periodic) return (i + n) % n;
    if (lattice_.row_end == LatticeEnd::pole) return i < 0 ? -1 - i : 2 * n - 1 - i;
    return i < 0 ? 0 : n - 1;
  }

  void need(std::ptrdiff_t begin, std::ptrdiff_t end, const Between& between) {
    std::vector<std::size_t> missing;
    for (std::ptrdiff_t i = begin; i < end; ++i) {
      const std::ptrdiff_t at = inside(i);
      if (rows_.try_emplace(at, n_[1]).second) missing.push_back(static_cast<std::size_t>(at));
    }
    const auto compute = [&](const std::vector<SparseNodes::Node>& nodes) {
      std::vector<std::array<double, 2>> places;
      for (const SparseNodes::Node& node : nodes) places.push_back(centre(node));
      return evaluate(places, between);
    };
    const auto settles = [&](const SparseNodes::Node& node, double log_p, double error) {
      return error <= relative_ || error * in_coordinates(centre(node), log_p) <= floor_;
    };
    std::vector<std::vector<double>> log_p;
    if (sparse_) {
      log_p = sparse_->rows(missing, compute, settles);
    } else {
      std::vector<SparseNodes::Node> nodes;
      for (const std::size_t row : missing)
        for (std::size_t j = 0; j < n_[1]; ++j) nodes.push_back({row, j});
      const std::vector<double> all = compute(nodes);
      for (auto from = all.begin(); from != all.end(); from += static_cast<std::ptrdiff_t>(n_[1]))
        log_p.emplace_back(from, from + static_cast<std::ptrdiff_t>(n_[1]));
    }
    for (std::size_t k = 0; k < missing.size(); ++k)
      for (std::size_t j = 0; j < n_[1]; ++j)
        rows_[static_cast<std::ptrdiff_t>(missing[k])][j] =
            in_coordinates(centre({missing[k], j}), log_p[k][j]);
  }
  std::array<double, 2> centre(const SparseNodes::Node& node) const {
    return {low(0, static_cast<std::ptrdiff_t>(node[0])) + 0.5 * side_[0],
            low(1, static_cast<std::ptrdiff_t>(node[1])) + 0.5 * side_[1]};
  }

  /// Row i of q; beyond a pole half a turn away, where cos φ is negative; beyond an open end as if it went
  /// straight on.
  std::vector<double> row(std::ptrdiff_t i) const {
    const std::ptrdiff_t at = inside(i);
    std::vector<double> values = rows_.at(at);
    if (at == i || lattice_.row_end == LatticeEnd::periodic) return values;
    if (lattice_.row_end == LatticeEnd::pole) {
      std::rotate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n_[1] / 2), values.end());
      for (double& value : values) value = -value;
      return values;
    }
    if (n_[0] == 1) return values;
    const auto& next = rows_.at(at == 0 ? 1 : at - 1);
    const double steps = std::abs(static_cast<double>(i - at));
    for (std::size_t j = 0; j < values.size(); ++j) values[j] += steps * (values[j] - next[j]);
    return values;
  }

  std::array<double, 2> beside(const std::vector<double>& values, std::size_t j) const {
    const std::size_t n = values.size();
    if (lattice_.column_end == LatticeEnd::periodic) return {values[(j + n - 1) % n], values[(j + 1) % n]};
    if (n == 1) return {values[j], values[j]};
    const double left = j > 0 ? values[j - 1] : 2 * values[0] - values[1];
    const double right = j + 1 < n ? values[j + 1] : 2 * values[n - 1] - values[n - 2];
    return {left, right};
  }

  /// Cuts the worst of the open boxes, as many as the budget has evaluations for; those that remain are done
  /// as they are. The rule of the nine is (3, 2, 3)/8 on each axis, exact for cubic polynomials.
  void refine(std::vector<Box>& open, std::vector<Box>& done, std::size_t& budget, const Between& between) {
    std::stable_sort(open.begin(), open.end(), [](const Box& a, const Box& b) {
      return a.error * a.side[0] * a.side[1] > b.error * b.side[0] * b.side[1];
    });
    const std::size_t taken = std::min(open.size(), budget / 8);
    budget -= 8 * taken;
    done.insert(done.end(), open.begin() + static_cast<std::ptrdiff_t>(taken), open.end());
    std::vector<std::array<double, 2>> places;
    for (std::size_t b = 0; b < taken; ++b)
      for (std::size_t k = 0; k < 9; ++k)
        if (k != 4)
          places.push_back({open[b].low[0] + open[b].side[0] * (static_cast<double>(k / 3) + 0.5) / 3,
                            open[b].low[1] + open[b].side[1] * (static_cast<double>(k % 3) + 0.5) / 3});
    std::vector<double> q = evaluate(places, between);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = in_coordinates(places[i], q[i]);
    std::vector<Box> finer;
    for (std::size_t b = 0; b < taken; ++b) {
      Box box = open[b];
      static constexpr double kNineWeights[] = {3.0 / 8, 2.0 / 8, 3.0 / 8};
      double values[9], mean = 0, c = 0, top = 0;
      for (std::size_t k = 0; k < 9; ++k) {
        values[k] = k == 4 ? box.centre : q[8 * b + k - (k > 4 ? 1 : 0)];
        mean += kNineWeights[k / 3] * kNineWeights[k % 3] * values[k];
        top = std::max(top, std::abs(values[k]));
      }
      for (std::size_t k = 0; k < 3; ++k)
        c += (std::abs(values[3 * k] + values[3 * k + 2] - 2 * values[3 * k + 1]) +
              std::abs(values[k] + values[k + 6] - 2 * values[k + 3])) /
             (3 * 24);
      box.mean = mean;
      box.error = top > 0 ? 10 * c * c / top : 0;
      ++box.depth;
      if (!is_open(box)) {
        done.push_back(box);
        continue;
      }
      for (std::size_t k = 0; k < 9; ++k) {
        Box part = box;
        for (std::size_t a = 0; a < 2; ++a) {
          part.side[a] = box.side[a] / 3;
          part.low[a] = box.low[a] + part.side[a] * static_cast<double>(a == 0 ? k / 3 : k % 3);
        }
        part.centre = values[k];
        part.mean = 9 * kNineWeights[k / 3] * kNineWeights[k % 3] * values[k];
        finer.push_back(part);
      }
    }
    open = std::move(finer);
  }

  LogDensity log_density_;
  const Lattice& lattice_;
  std::array<std::size_t, 2> cut_, n_;  ///< boxes of a cell and of the lattice along each axis
  std::array<double, 2> side_;
  double error_ = 0;
  double relative_ = 0, floor_ = 0;                     ///< allowed
  std::map<std::ptrdiff_t, std::vector<double>> rows_;  ///< q at the centres of the boxes
  std::optional<SparseNodes> sparse_;                   ///< of a lattice that is finer than kBaseDegrees
};

}  // namespace

std::unique_ptr<CellMassPart> smooth_cells(LogDensity log_density, const Lattice& lattice) {
  return std::make_unique<SmoothCells>(std::move(log_density), lattice);
}

}  // namespace riemflow
