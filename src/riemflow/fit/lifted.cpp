#include "riemflow/fit/lifted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "riemflow/core/random.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/model/covered_density.hpp"
#include "riemflow/model/held_out.hpp"
#include "riemflow/model/read_provenance.hpp"
#include "riemflow/model/space.hpp"

namespace riemflow {
namespace {

/// Of several sheets in random order: every so many of them are a sample of all.
std::vector<std::size_t> lifted_rows(const std::vector<std::size_t>& rows, std::size_t sheets) {
  if (sheets == 1) return rows;
  std::vector<std::size_t> all;
  for (const std::size_t row : rows)
    for (std::size_t s = 0; s < sheets; ++s) all.push_back(row * sheets + s);
  Random random(0, Purpose::split, sheets, rows.size());
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
  return all;
}

/// log J − log n: what is added to −log p_N, where p_N is as symmetric as the lifts are, for −log p.
double unit_at(const Covering& covering, const double* lift) {
  return covering.log_stretch(lift, nullptr) - std::log(static_cast<double>(covering.sheets()));
}

/// n of the rows at equal steps.
std::vector<std::size_t> thinned_rows(const std::vector<std::size_t>& rows, std::size_t n) {
  if (n >= rows.size()) return rows;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < n; ++i) kept.push_back(rows[i * rows.size() / n]);
  return kept;
}

/// To the rounding of lifts.
bool same_point(const Manifold<double>& manifold, std::span<const double> a, std::span<const double> b) {
  constexpr double kSame = 1e-9;
  std::vector<Pack<double>> x(a.size()), y(b.size());
  double size = 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    x[i] = Pack<double>(a[i]);
    y[i] = Pack<double>(b[i]);
    size = std::max(size, std::abs(a[i]));
  }
  return manifold.distance(x.data(), y.data())[0] < kSame * size;
}

/// The scores of points that the fit has not seen, those of their first lifts.
void keep_held_out_below(Model& model, const Covering& covering, const DataSet& data, double unit) {
  const std::optional<HeldOutScores> above = held_out_of(model);
  if (!above) return;
  HeldOutScores below;
  std::vector<double> lift(static_cast<std::size_t>(covering.cover()->ambient()));
  for (std::size_t i = 0; i < above->points.size(); ++i) {
    if (above->points[i] % covering.sheets() != 0) continue;
    below.points.push_back(above->points[i] / covering.sheets());
    covering.lift(data.points[below.points.back()].data(), 0, lift.data());
    below.log_densities.push_back(above->log_densities[i] + unit - unit_at(covering, lift.data()));
    if (!above->weights.empty()) below.weights.push_back(above->weights[i]);
  }
  keep_held_out(model, below);
}

}  // namespace

DataSet lifted(const DataSet& data) {
  const std::shared_ptr<const Covering> covering = data.manifold->covering();
  DataSet above = data;
  above.space = data.manifold;
  if (covering == nullptr) return above;
  const std::size_t sheets = covering->sheets();
  above.manifold = data.manifold.computed_on();
  require(data.target == nullptr,
          "a ‹target› on " + data.manifold.name() + ", which is told through " + above.manifold.name(),
          "draw points from it, and give these as data");
  for (std::size_t i = 0; i < data.points.size(); ++i)
    if (const auto bad = covering->defect(data.points[i].data()))
      throw Error(fmt::format("{}: {} {}: {}", data.name, data.line_word, data.lines[i], *bad),
                  "correct or remove it", Fault::bad_data);
  above.points = lifts_of(*covering, data.points);
  above.lines.clear();
  above.groups.clear();
  above.weights.clear();
  double units = 0;
  for (std::size_t i = 0; i < above.points.size(); ++i) {
    above.lines.push_back(data.lines[i / sheets]);
    above.groups.push_back(data.groups[i / sheets]);
    if (!data.weights.empty()) above.weights.push_back(data.weights[i / sheets]);
    units += unit_at(*covering, above.points[i].data());
  }
  above.lift_unit = units / static_cast<double>(above.points.size());
  above.lifts = sheets;
  above.split = {lifted_rows(data.split.training, sheets), lifted_rows(data.split.validation, sheets), {}};
  for (const std::size_t row : data.split.test) above.split.test.push_back(row * sheets);
  return above;
}

std::size_t first_lifts_at(const Covering& covering, std::span<const double> point) {
  const Manifold<double>& cover = *covering.cover();
  std::vector<double> below(static_cast<std::size_t>(covering.ambient())), lift(point.size());
  covering.drop(point.data(), below.data());
  std::size_t there = 0;
  for (std::size_t s = 0; s < covering.sheets(); ++s) {
    covering.lift(below.data(), s, lift.data());
    there += same_point(cover, point, lift);
    if (there == 0) return 0;
  }
  return there;
}

bool is_one_sheet(const Covering& covering, double weight) {
  constexpr double kSymmetric = 1e-6;
  return std::abs(weight * static_cast<double>(covering.sheets()) - 1) < kSymmetric;
}

KernelParameters on_one_sheet(const Covering& covering, const KernelParameters& kernels) {
  const std::size_t shape = kernels.shapes.size() / kernels.size();
  KernelParameters kept;
  kept.centres.dimension = kernels.centres.dimension;
  kept.wide = kernels.wide;
  double sum = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::size_t times = first_lifts_at(covering, kernels.centres[i]);
    if (times == 0) continue;
    kept.centres.values.insert(kept.centres.values.end(), kernels.centres[i].begin(),
                               kernels.centres[i].end());
    kept.weights.push_back(kernels.weights[i] / static_cast<double>(times));
    kept.bandwidths.push_back(kernels.bandwidths[i]);
    const auto from = kernels.shapes.begin() + static_cast<std::ptrdiff_t>(i * shape);
    kept.shapes.insert(kept.shapes.end(), from, from + static_cast<std::ptrdiff_t>(shape));
    sum += kept.weights.back();
  }
  if (!is_one_sheet(covering, sum)) return kernels;
  for (double& weight : kept.weights) weight /= sum;
  return kept;
}

void keep_one_sheet(Model& model, const Covering& covering) {
  if (covering.sheets() == 1) return;
  if (Pool* pool = std::get_if<Pool>(&model.content)) {
    for (Model& member : pool->members) keep_one_sheet(member, covering);
  } else if (auto* kernels = std::get_if<KernelsOfModel>(&model.content)) {
    *kernels = std::make_shared<const KernelMixture>(covering.cover(),
                                                     on_one_sheet(covering, (*kernels)->parameters()));
  }
}

std::vector<double> reference_scores(const DataSet& data, const Points<double>& test) {
  const std::shared_ptr<const Manifold<double>> manifold = data.manifold.on<double>();
  const std::shared_ptr<const Covering> covering = manifold->covering();
  if (covering == nullptr) return log_densities_of(*default_base<double>(manifold), test);
  const Points<double> lifts = lifts_of(*covering, test);
  return log_densities_below(*covering, lifts,
                             log_densities_of(*default_base<double>(covering->cover()), lifts));
}

void say_of_points(FitResult& result, const DataSet& data, const FitOptions& options) {
  if (!result.model) return;
  Model& model = *result.model;
  const std::shared_ptr<const Covering> covering = covering_of(model);
  if (covering == nullptr) return;
  keep_held_out_below(model, *covering, data, lifted(data).lift_unit);
  keep_one_sheet(model, *covering);
  result.parameters = numbers_in(model);
  nlohmann::ordered_json about = read_provenance(metadata_of(model, "provenance"));
  for (const auto& [part, rows] :
       {std::pair("training", &data.split.training), std::pair("validation", &data.split.validation),
        std::pair("test", &data.split.test)})
    about["points"][part] = rows->size();
  if (!std::isnan(result.test_nll)) {
    std::vector<std::size_t> rows = data.split.test;
    if (result.test_points) rows = thinned_rows(rows, *result.test_points);
    const Points<double> test = part_of<double>(data.points, rows);
    const Weights weights = data.weights_of(rows);
    Evaluation how;
    how.threads = options.threads;
    Observer silent;
    const LogProb<double> scored = make_exact_density(model, how, silent)->log_prob(test);
    if (result.test_points) result.test_points = rows.size();
    about["test_nll"] = result.test_nll = -scored.mean(weights);
    about["test_nll_standard_error"] = result.test_error = scored.standard_error(weights);
    about["failed_test_points"] = result.failed_test_points = scored.summary.failures.size();
  }
  model.metadata["provenance"] = about.dump();
}

}  // namespace riemflow
