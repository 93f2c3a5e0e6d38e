// riemflow prob: the probability of regions of the Earth.

#include <algorithm>
#include <numbers>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/data.hpp"
#include "apps/riemflow/support/numbers.hpp"
#include "apps/riemflow/support/options.hpp"
#include "apps/riemflow/support/task_progress.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/io/geojson_polygons.hpp"
#include "riemflow/manifold/earth.hpp"
#include "riemflow/model/model_file.hpp"
#include "riemflow/model/region_probability.hpp"
#include "riemflow/model/space.hpp"

namespace riemflow::app {
namespace {

struct ProbOptions {
  ModelChoice model;
  std::vector<std::string> circles, boxes, polygons;
  double accuracy = 1e-3;
  std::size_t evaluations = 400000;
  bool json = false;
};

constexpr const char* kMethod = "adaptive quadrature for flows, integrals along the border for kernels";

std::vector<EarthRegion> regions_of(const ProbOptions& options) {
  const int kinds = (options.circles.empty() ? 0 : 1) + (options.boxes.empty() ? 0 : 1) +
                    (options.polygons.empty() ? 0 : 1);
  require(kinds == 1, kinds == 0 ? "no region was given" : "regions of more than one kind were given",
          "give one of --circle LAT,LON,KM, --box W,S,E,N and --polygon F.geojson, or several of one kind",
          Fault::usage);
  std::vector<EarthRegion> regions;
  for (const std::string& text : options.circles) {
    const auto n = numbers_of(text, 3, "--circle", "LAT,LON,KM");
    regions.push_back(earth_circle(n[0], n[1], n[2]));
  }
  for (const std::string& text : options.boxes) {
    const auto n = numbers_of(text, 4, "--box", "W,S,E,N");
    regions.push_back(earth_box(n[0], n[1], n[2], n[3]));
  }
  for (const std::string& path : options.polygons)
    regions.push_back(region_of(read_geojson_polygons(path), path == "-" ? "<stdin>" : path));
  return regions;
}

/// Digits down to a tenth of the error, but no more than the six that single precision can mean.
std::string with_error(double value, double error) {
  if (!std::isfinite(value)) return "unknown";
  const auto decimals = [](double size) { return static_cast<int>(std::ceil(-std::log10(size))); };
  const int meant = value > 0 ? decimals(value) + 5 : 12;
  const int known = error > 0 ? decimals(error) + 1 : meant;
  return fmt::format("{:.{}f} ± {:.2g}", value, std::clamp(std::min(meant, known), 1, 20), error);
}

void print_rows(const std::vector<EarthRegion>& regions, const std::vector<Integral>& results) {
  std::size_t width = 6;
  for (const EarthRegion& region : regions) width = std::max(width, region.name.size());
  fmt::print("{:<{}}  {:<24} {:>14} {:>12} {:>10}\n", "region", width, "probability", "km²", "uniform",
             "ratio");
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const double uniform = regions[i].steradians / (4 * std::numbers::pi);
    answer("{:<{}}  {:<24} {:>14.{}f} {:>12.6g} {:>10.4g}\n", regions[i].name, width,
           with_error(results[i].value, results[i].error), regions[i].steradians * kEarthKm2PerSr,
           regions[i].steradians * kEarthKm2PerSr < 1000 ? 3 : 0, uniform, results[i].value / uniform);
  }
}

void print_as_json(const ProbOptions& options, const std::vector<EarthRegion>& regions,
                   const std::vector<Integral>& results) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const Integral& p = results[i];
    rows.push_back({{"region", regions[i].name},
                    {"probability", p.value},
                    {"error", p.error},
                    {"converged", p.converged},
                    {"evaluations", p.evaluations},
                    {"failures", p.failures},
                    {"area_km2", regions[i].steradians * kEarthKm2PerSr},
                    {"uniform_probability", regions[i].steradians / (4 * std::numbers::pi)},
                    {"remarks", regions[i].remarks}});
  }
  print_json({{"model", options.model.path}, {"method", kMethod}, {"regions", rows}});
}

void run(const ProbOptions& options) {
  const std::vector<EarthRegion> regions = regions_of(options);
  const Model model = load_model(options.model.path);
  require(space_of(model)->picture().kind == Picture::Kind::globe,
          fmt::format("{}: the model is on {}, and regions are of the Earth, sphere:2", options.model.path,
                      space_of(model).name()),
          "riemflow grid writes densities of torus:2, ball:2 and euclidean:2 to add up, riemflow check "
          "integrates over the whole of any manifold");
  for (const EarthRegion& region : regions)
    for (const std::string& remark : region.remarks) say("{}: {}", region.name, remark);

  RegionOptions asked;
  asked.relative = options.accuracy;
  asked.evaluations = options.evaluations;
  Teller teller;
  const std::unique_ptr<Density> density = make_exact_density(model, options.model, teller);
  std::vector<Integral> results;
  {
    TaskProgress progress("Probability", static_cast<double>(options.evaluations * regions.size()));
    asked.watch = [&](std::size_t evaluations) { progress.advance(static_cast<double>(evaluations)); };
    for (const EarthRegion& region : regions) results.push_back(region_probability(*density, region, asked));
  }

  options.json ? print_as_json(options, regions, results) : print_rows(regions, results);
  std::size_t evaluations = 0, failures = 0, open = 0;
  for (const Integral& p : results) {
    evaluations += p.evaluations;
    failures += p.failures;
    open += p.converged ? 0 : 1;
  }
  finish_output();
  say("By adaptive quadrature, {} evaluations, for flows and by integrals along the border for kernels. ± is "
      "the error of that; the density's own is for riemflow check to tell. uniform is the area's share of "
      "the sphere.",
      evaluations);
  if (failures > 0)
    say("Warning: the density could not be computed at {} of the points; what they can hold is part of ±.",
        failures);
  if (open == 0) return;
  say("{} of {} regions did not reach the accuracy of {:g}; {}.", open, results.size(), options.accuracy,
      failures > 0 ? "riemflow check tells how the model fails"
                   : "give more --evaluations or a larger --accuracy");
  throw Exit{static_cast<int>(Fault::numerical)};
}

}  // namespace

void add_prob(CLI::App& app) {
  auto [command, options] = add_command<ProbOptions>(
      app, "prob", "Compute the probability of a region of the Earth, with its error", run);
  add_model(command, options.model);
  add_text(command, "--circle", options.circles, "LAT,LON,KM",
           "All within KM kilometres of a place; may be repeated. The Earth's radius is 6371.0088 km")
      ->allow_extra_args(false);
  add_text(command, "--box", options.boxes, "W,S,E,N",
           "Between two meridians and two parallels in degrees, eastward from W to E, also across the "
           "antimeridian; may be repeated")
      ->allow_extra_args(false);
  add_text(command, "--polygon", options.polygons, "FILE",
           "The polygons of a GeoJSON file, with holes; edges are straight in longitude and latitude; may be "
           "repeated")
      ->allow_extra_args(false);
  add_ranged(command, "--accuracy", options.accuracy, 1e-9, 0.5,
             "Relative error of a probability that is good enough; absolute 1e-7 always is");
  add_count(command, "--evaluations", options.evaluations, 1000, 1'000'000'000,
            "Evaluations of flows for a region, at most; 4e5 unless given. Kernels need none");
  add_json(command, options.json);
  command.footer(R"(Examples:
  riemflow prob quakes.model --circle 35.7,139.7,300
  riemflow prob quakes.model --box 170,-50,-170,-30      (across the antimeridian)
  riemflow prob quakes.model --polygon italy.geojson --polygon greece.geojson --json)");
}

}  // namespace riemflow::app
