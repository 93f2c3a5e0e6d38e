#pragma once
// The Poincaré disk of curvature K < 0: |x| < R = 1/√−K.

#include <string>

#include "riemflow/figure/density_chart.hpp"

namespace riemflow::figure {

/// How far from the centre a point at hyperbolic distance `distance` lies: R tanh(√−K·distance/2).
double disk_radius(double distance, double K);

/// The geodesic through `foot` at a right angle to the radius there: an arc of the circle that meets the rim
/// at right angles, from rim to rim; through the centre a diameter along y.
Line disk_geodesic(Vec2 foot, double K, int points = 90);

/// The disk in a frame whose axes span [−R, R]: density clipped to it, net, contours, paths, points, rim. The
/// net: geodesics at right angles to the axes and circles around the centre, both at distances
/// 1, 2, 3 / √−K; `labels`: the circles' distances are written on them.
void draw_disk(Canvas& canvas, Frame& frame, const DensityChart& chart, double K, bool labels = true);

std::string draw_disk(const Sheet& sheet, const DensityChart& chart, double K);

}  // namespace riemflow::figure
