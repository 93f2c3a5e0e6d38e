#pragma once
// What figures of models are made of.

#include "riemflow/figure/draw.hpp"
#include "riemflow/figure/map.hpp"
#include "riemflow/figure/pairs.hpp"
#include "riemflow/figure/surface.hpp"

namespace riemflow::figure {

/// Points of the manifold in one colour.
struct Layer {
  Points<double> points;
  std::string label;  ///< with their number
  Colour colour;
};
/// At most `most` of the points; the label tells how many of how many, and the observer where not all are.
inline constexpr std::size_t kMostDots = 30'000;
void add_layer(std::vector<Layer>& layers, const NamedPoints& points, const Colour& colour,
               TaskObserver& observer, std::size_t most = kMostDots);

/// n draws of a model: [frame][point], seen at `frames` equally spaced times on their way from the base, of a
/// pool those of its flow with the largest weight; of one frame, the draws themselves. Those that failed are
/// left out of all frames, and added to `failures`.
std::vector<Points<double>> draws_of(const Model& model, const Evaluation& how, std::uint64_t n,
                                     std::uint64_t seed, int frames, Failures& failures,
                                     TaskObserver& observer);
/// Of a density, those numbered first … last − 1; `first` is a multiple of kLanes.
Points<double> draws_of(const Density& density, std::uint64_t first, std::uint64_t last, std::uint64_t seed,
                        Failures& failures, TaskObserver& observer);

/// A width of options in points. Throws Error(Fault::usage) where it has too many pixels.
double width_in_points(const DrawOptions& options, double usual_mm);

/// The density in its cells, where it could be computed anywhere. Throws Error(Fault::numerical).
DensityGrid computed_grid(const Model& model, const Evaluation& how, const GridLayout& layout,
                          TaskObserver& observer);

/// The whole figure of a density. paths: [frame][path].
std::string draw_grid(const Model& model, Surface surface, const DensityGrid& grid,
                      const std::vector<Layer>& layers, const std::vector<Points<double>>& paths,
                      const DrawOptions& options);

// What is drawn, as plain data.
Map globe_map(const DensityGrid& grid, const std::vector<Layer>& layers,
              const std::vector<Points<double>>& paths, const DrawOptions& options);
double globe_width(const DrawOptions& options);  ///< of its sheet, in points
DensityChart sheet_chart(const DensityGrid& grid, const std::vector<Layer>& layers,
                         const std::vector<Points<double>>& paths, const DrawOptions& options, bool torus);
PairsChart pairs_chart(const Model& model, const Points<double>& samples, const std::vector<Layer>& layers,
                       TaskObserver& observer);

}  // namespace riemflow::figure
