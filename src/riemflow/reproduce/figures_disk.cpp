// Densities on the disk: target and models, a row for each distance of the target from the centre.

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>

#include "riemflow/figure/disk.hpp"
#include "riemflow/reproduce/figures.hpp"

namespace riemflow {
namespace {

using figure::DensityChart;
using Complex = std::complex<double>;

constexpr double kCurvature = -1;
constexpr int kPixels = 150;  ///< along a side of a panel

/// The logarithm at z of w, up to a rotation: as far as w is from z in the hyperbolic metric.
Complex logarithm(Complex z, Complex w) {
  const Complex u = (w - z) / (1.0 - std::conj(z) * w);
  const double r = std::abs(u);
  return r == 0 ? u : u / r * 2.0 * std::atanh(std::min(r, 1 - 1e-15));
}

/// A grid of log-densities, as grid_of writes it.
class Grid {
 public:
  explicit Grid(const Json& grid)
      : x_(grid.at("rows").get<std::vector<double>>()), y_(grid.at("columns").get<std::vector<double>>()) {
    for (const Json& value : grid.at("log_density"))
      log_density_.push_back(value.is_number() ? value.get<double>() : std::nan(""));
  }

  /// Between the grid's points: a square polynomial through those around, in the plane tangent at z, where a
  /// cell near the rim is no smaller than its neighbours. NaN where there are too few.
  double log_density(Complex z) const {
    const int row = nearest(x_, z.real()), column = nearest(y_, z.imag());
    Eigen::Matrix<double, 6, 6> normal = Eigen::Matrix<double, 6, 6>::Zero();
    Eigen::Matrix<double, 6, 1> right = Eigen::Matrix<double, 6, 1>::Zero();
    std::vector<std::pair<Complex, double>> around;
    for (int i = std::max(0, row - kReach); i <= std::min(size(x_) - 1, row + kReach); ++i)
      for (int j = std::max(0, column - kReach); j <= std::min(size(y_) - 1, column + kReach); ++j) {
        const double value = log_density_[static_cast<std::size_t>(i * size(y_) + j)];
        if (std::isfinite(value))
          around.emplace_back(
              logarithm(z, {x_[static_cast<std::size_t>(i)], y_[static_cast<std::size_t>(j)]}), value);
      }
    constexpr std::size_t kUsed = 20;
    if (around.size() < 8) return std::nan("");
    std::sort(around.begin(), around.end(),
              [](const auto& a, const auto& b) { return std::norm(a.first) < std::norm(b.first); });
    if (around.size() > kUsed) around.resize(kUsed);
    const double far = std::norm(around.back().first);
    double highest = -INFINITY;
    for (const auto& [v, value] : around) {
      const double weight = std::exp(-4 * std::norm(v) / far), a = v.real(), b = v.imag();
      Eigen::Matrix<double, 6, 1> terms;
      terms << 1, a, b, a * a, a * b, b * b;
      normal += weight * terms * terms.transpose();
      right += weight * value * terms;
      highest = std::max(highest, value);
    }
    normal.diagonal().array() += 1e-9;
    return std::min(normal.ldlt().solve(right)[0], highest + 0.2);
  }

 private:
  static constexpr int kReach = 4;

  static int size(const std::vector<double>& axis) { return static_cast<int>(axis.size()); }
  static int nearest(const std::vector<double>& axis, double at) {
    const double step = (axis.back() - axis.front()) / static_cast<double>(axis.size() - 1);
    return std::clamp(static_cast<int>(std::lround((at - axis.front()) / step)), 0, size(axis) - 1);
  }

  std::vector<double> x_, y_, log_density_;
};

/// `which` of the grids of a cell, as a density over the window of α.
std::optional<DensityChart> chart_of(const Results& results, const std::string& cell, const char* which,
                                     double alpha) {
  const Json* grids = of_first_run(results, cell, "grids");
  if (grids == nullptr || !grids->contains(which)) return std::nullopt;
  const Grid grid((*grids)[which]);
  const double half = disk_window(alpha);
  DensityChart chart;
  chart.x = {kWindowEdge - 2 * half, kWindowEdge, false};
  chart.y = {-half, half, false};
  chart.nx = chart.ny = kPixels;
  for (int ix = 0; ix < kPixels; ++ix)
    for (int iy = 0; iy < kPixels; ++iy) {
      const Complex z(chart.x.value((ix + 0.5) / kPixels), chart.y.value((iy + 0.5) / kPixels));
      chart.density.push_back(std::abs(z) < 1 ? std::exp(grid.log_density(z)) : std::nan(""));
    }
  return chart;
}

struct Column {
  std::string title, variant;
  const char* which;  ///< of the grids of the variant's cells
};

}  // namespace

std::string disk_cell(const std::string& variant, double alpha) {
  return fmt::format("{} alpha={:g}", variant, alpha);
}

double disk_window(double alpha) { return std::min(kWindowEdge, 1.6 * (1 - std::pow(std::tanh(alpha), 2))); }

std::vector<FigureFile> disk_densities(const Results& results, const DiskCells& cells) {
  using namespace figure;
  std::vector<Column> columns = {{"target", "riemannian", "target"}};
  for (const std::string& variant : cells.variants) columns.push_back({variant, variant, "model"});
  // Of the rows, those with any picture.
  std::vector<std::pair<double, std::vector<std::optional<DensityChart>>>> rows;
  double largest = 0;
  for (const double alpha : cells.alphas) {
    std::vector<std::optional<DensityChart>> charts;
    for (const Column& column : columns)
      charts.push_back(chart_of(results, disk_cell(column.variant, alpha), column.which, alpha));
    if (std::none_of(charts.begin(), charts.end(), [](const auto& chart) { return chart.has_value(); }))
      continue;
    // The colours are those of the target.
    for (const auto& chart : charts)
      if (chart && (&chart == &charts.front() || !charts.front()))
        for (const double value : chart->density)
          if (std::isfinite(value)) largest = std::max(largest, value);
    rows.emplace_back(alpha, std::move(charts));
  }
  if (rows.empty()) return {};

  constexpr double kWidth = 510, kMargin = 8, kGap = 7, kTop = 24, kRowGap = 20, kLeft = 40;
  const ColourBar bar{{0, largest, false}, "density per hyperbolic area", true, false, true};
  Canvas ruler(FileKind::svg, 1, 1);
  const double bar_room = 12 + kBarThickness + bar.room(ruler);
  const double n = static_cast<double>(columns.size());
  const double side = (kWidth - 2 * kMargin - kLeft - bar_room - (n - 1) * kGap) / n;
  const double high = static_cast<double>(rows.size()) * (side + kRowGap) - kRowGap;
  Canvas canvas(FileKind::png, kWidth, kTop + high + 20 + kMargin, 200);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double top = kTop + static_cast<double>(r) * (side + kRowGap);
    const auto& [alpha, charts] = rows[r];
    for (std::size_t c = 0; c < charts.size(); ++c) {
      const double half = disk_window(alpha);
      const Box box{kMargin + kLeft + static_cast<double>(c) * (side + kGap), top, side, side};
      Frame frame(canvas, box, {"", {kWindowEdge - 2 * half, kWindowEdge, false}, 2},
                  {"", {-half, half, false}, 2});
      if (charts[c]) {
        DensityChart chart = *charts[c];
        chart.bar = bar;
        const Canvas::Clip clip(canvas, box);
        draw_disk(canvas, frame, chart, kCurvature, false);
      }
      frame.draw_axes(true, c == 0);
      if (r == 0)
        canvas.text({box.x + side / 2, top - 7}, columns[c].title,
                    {.size = kLabelText, .align = Align::centre});
    }
    canvas.text({kMargin + kLabelText, top + side / 2}, fmt::format("α = {:g}", alpha),
                {.size = kLabelText, .align = Align::centre, .turn = -std::numbers::pi / 2});
  }
  bar.draw(canvas, {kWidth - kMargin - bar_room + 12, kTop + kBarThickness, kBarThickness,
                    std::min(high - kBarThickness, 2 * side + kRowGap)});
  return {{"densities.png", canvas.finish()}};
}

}  // namespace riemflow
