// Stiefel manifolds and Grassmannians: where they are other spaces, volumes in closed form, and hard places.

#include "riemflow/manifold/stiefel.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/axis.hpp"
#include "riemflow/manifold/grassmann.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/manifold/sphere.hpp"
#include "tests/manifold/field_laws.hpp"
#include "tests/manifold/tile.hpp"

namespace riemflow::test {
namespace {

using std::numbers::pi;

TEST(Stiefel, OfOneVectorIsTheSphere) {
  const Stiefel<double> stiefel(4, 1);
  const Sphere<double> sphere(3);
  EXPECT_NEAR(stiefel.log_volume(), sphere.log_volume(), 1e-13);
  Random random(1, Purpose::test, 0, 0);
  const Tile<double> x = random_point(sphere, random, 1), y = random_point(sphere, random, 1),
                     v = to_tangent(sphere, x, random_normals<double>(random, 4));
  EXPECT_LT(worst(distance(stiefel, x, y) - distance(sphere, x, y)), 1e-13);
  EXPECT_LT(worst(length(plus(log(stiefel, x, y), Pack<double>(-1), log(sphere, x, y)))), 1e-12);
  EXPECT_LT(worst(length(plus(exp(stiefel, x, v), Pack<double>(-1), exp(sphere, x, v)))), 1e-12);
  EXPECT_LT(worst(length(plus(transport(stiefel, x, y, v), Pack<double>(-1), transport(sphere, x, y, v)))),
            1e-11);
  // The same output is the same field, with the same rates.
  TileMatrix<double> jet = basis_jet(sphere, x), u(4, jet.columns);
  u.values = random_normals<double>(random, 4 * jet.columns);
  const OutputJet<double> output{jet.view(), u.view(), 3, 1.0, true, BallScaling::none};
  Tile<double> f = make_tile<double>(4), g = f;
  Rates<double> a{Pack<double>(0), Pack<double>(0), Pack<double>(0)}, b = a;
  sphere.velocity(output, f.data(), a);
  stiefel.velocity(output, g.data(), b);
  EXPECT_LT(worst(length(plus(f, Pack<double>(-1), g))), 1e-14);
  EXPECT_LT(worst(a.divergence - b.divergence), 1e-13);
  EXPECT_LT(worst(a.kinetic - b.kinetic), 1e-13);
  EXPECT_LT(worst(a.frobenius - b.frobenius), 1e-12);
}

TEST(Grassmann, OfLinesAreAxes) {
  const Grassmann<double> lines(4, 1);
  const Axis<double> axes(3);
  EXPECT_NEAR(lines.log_volume(), axes.log_volume(), 1e-13);
  Random random(1, Purpose::test, 0, 0);
  const Tile<double> x = random_point(axes, random, 1), y = random_point(axes, random, 1);
  const auto projector = [](const Tile<double>& a) {
    Tile<double> P;
    for (const auto& i : a)
      for (const auto& j : a) P.push_back(i * j);
    return P;
  };
  EXPECT_LT(worst(distance(lines, projector(x), projector(y)) - distance(axes, x, y)), 1e-13);
}

// Rotations of the plane by angle a move both columns: √2 da. Those of space are pairs of vectors, and
// tr(UᵀU) of the speeds ω is ω₁² + ω₂² + 2ω₃², so √2 times 8π². A plane of R⁴ is two points of spheres S² of
// radius 1/√2, up to sign of both: ½ (4π/2)² = 2π².
TEST(Stiefel, VolumesInClosedForm) {
  EXPECT_NEAR(std::exp(Stiefel<double>(2, 1).log_volume()), 2 * pi, 1e-12);
  EXPECT_NEAR(std::exp(Stiefel<double>(3, 2).log_volume()), std::sqrt(2.0) * 8 * pi * pi, 1e-11);
  EXPECT_NEAR(std::exp(Grassmann<double>(3, 2).log_volume()), 2 * pi, 1e-12);
  EXPECT_NEAR(std::exp(Grassmann<double>(4, 2).log_volume()), 2 * pi * pi, 1e-11);
  EXPECT_NEAR(Grassmann<double>(7, 3).log_volume(), Grassmann<double>(7, 4).log_volume(), 1e-12);
}

// Of uniform pairs, many of which are beyond the injectivity radius; and at −X, which is conjugate to X,
// where none may be found, but none that is wrong.
TEST(Stiefel, LogarithmsOfMatricesThatAreFarApart) {
  for (const char* name : {"stiefel:3,2", "stiefel:7,3", "stiefel:4,3"}) {
    const auto m = parse_manifold<double>(name);
    Random random(2, Purpose::test, 0, 0);
    for (int tile = 0; tile < 3; ++tile) {
      const Tile<double> x = random_point(*m, random, 1), y = random_point(*m, random, 1), v = log(*m, x, y);
      EXPECT_LT(worst(length(plus(exp(*m, x, v), Pack<double>(-1), y))), 1e-11) << name;
      EXPECT_LT(worst(distance(*m, x, y) - norm(*m, x, v)), 1e-11) << name;
      EXPECT_LT(worst(distance(*m, x, y) - distance(*m, y, x)), 1e-9) << name;
      EXPECT_EQ(worst(distance(*m, x, x)), 0) << name;
    }
    const Tile<double> x = random_point(*m, random, 1);
    Tile<double> opposite = x;
    for (auto& entry : opposite) entry = -entry;
    const Tile<double> v = log(*m, x, opposite), off = plus(exp(*m, x, v), Pack<double>(-1), opposite);
    for (int l = 0; l < kLanes; ++l)
      EXPECT_TRUE(std::isnan(norm(*m, x, v)[l]) || length(off)[l] < 1e-9) << name;
  }
}

TEST(Stiefel, Names) {
  EXPECT_EQ(parse_manifold<double>("stiefel:3,2")->name(), "stiefel:3,2");
  EXPECT_EQ(parse_manifold<double>("grassmann: 4 , 2 x torus:1")->name(), "grassmann:4,2 x torus:1");
  for (const char* wrong : {"stiefel:3", "stiefel:3,3", "stiefel:3,0", "stiefel:17,2", "stiefel:3,2,1",
                            "stiefel:3,K=1", "sphere:3,2"})
    EXPECT_THROW(parse_manifold<double>(wrong), Error) << wrong;
}

TEST(Stiefel, ColumnsOfFiles) {
  const std::vector<Notation> stiefel = Stiefel<double>(3, 2).notations();
  EXPECT_EQ(stiefel.front().columns, (std::vector<std::string>{"x11", "x12", "x21", "x22", "x31", "x32"}));
  double point[9];
  const double rounded[] = {0.707, 0, 0.707, 0, 0, 1}, skewed[] = {1, 0.1, 0, 1, 0, 0},
               longer[] = {2, 0, 0, 1, 0, 0};
  EXPECT_EQ(stiefel.front().read(rounded, point), std::nullopt);
  EXPECT_NEAR(point[0], std::sqrt(0.5), 1e-15);
  EXPECT_EQ(stiefel.front().read(skewed, point),
            "columns 1 and 2 are not at right angles: their product is 0.1");
  EXPECT_EQ(stiefel.front().read(longer, point), "column 1 has norm 2 where 1 is expected, to 0.001");

  const std::vector<Notation> grassmann = Grassmann<double>(3, 2).notations();
  const double basis[] = {1, 1, 0, 2, 0, 0}, line[] = {1, 2, 0, 0, 0, 0},
               half[] = {1, 0, 0, 0, 0.5, 0, 0, 0, 0};
  EXPECT_EQ(grassmann[1].read(basis, point), std::nullopt);
  EXPECT_NEAR(point[0] + point[4], 2, 1e-14);
  EXPECT_NEAR(point[8], 0, 1e-14);
  EXPECT_EQ(grassmann[1].read(line, point), "the 2 vectors are dependent: singular values from 0 to 2.24");
  EXPECT_EQ(grassmann[0].read(half, point), "the matrix P is no projector: P² differs from P by up to 0.25");
}

}  // namespace
}  // namespace riemflow::test
