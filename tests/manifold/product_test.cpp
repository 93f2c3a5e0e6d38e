#include "riemflow/manifold/product.hpp"

#include <gtest/gtest.h>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/euclidean.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/manifold/poincare_ball.hpp"
#include "riemflow/manifold/sphere.hpp"
#include "riemflow/manifold/torus.hpp"
#include "tests/manifold/tile.hpp"

namespace riemflow::test {
namespace {

using Parts = std::vector<std::shared_ptr<const Manifold<double>>>;

template <class... Ms>
std::unique_ptr<const Product<double>> product_of(Ms... parts) {
  Parts list;
  (list.push_back(std::move(parts)), ...);
  return std::make_unique<Product<double>>(std::move(list));
}

/// sphere:2 x (ball:3 x torus:1) x sphere:1
std::unique_ptr<const Product<double>> example() {
  return product_of(std::make_unique<Sphere<double>>(2, 4.0),
                    product_of(std::make_unique<PoincareBall<double>>(3), std::make_unique<Torus<double>>(1)),
                    std::make_unique<Sphere<double>>(1));
}

TEST(Product, FlattensAndLists) {
  const auto m = example();
  EXPECT_EQ(m->name(), "sphere:2,K=4 x ball:3 x torus:1 x sphere:1");
  EXPECT_EQ(m->dimension(), 7);
  EXPECT_EQ(m->ambient(), 9);
  const auto f = m->factors();
  ASSERT_EQ(f.size(), 4u);
  const char* name[] = {"sphere:2,K=4", "ball:3", "torus:1", "sphere:1"};
  const double curvature[] = {4, -1, 0, 1};
  const int row[] = {0, 3, 6, 7}, seed[] = {0, 2, 5, 6};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(f[i].manifold->name(), name[i]);
    EXPECT_EQ(f[i].manifold->curvature(), curvature[i]);
    EXPECT_EQ(f[i].row, row[i]);
    EXPECT_EQ(f[i].seed, seed[i]);
  }
}

TEST(Product, CompactAndVolume) {
  EXPECT_FALSE(example()->compact());
  EXPECT_EQ(example()->log_volume(), HUGE_VAL);
  const auto m = product_of(std::make_unique<Sphere<double>>(2), std::make_unique<Torus<double>>(1));
  EXPECT_TRUE(m->compact());
  EXPECT_DOUBLE_EQ(m->log_volume(), Sphere<double>(2).log_volume() + Torus<double>(1).log_volume());
}

// Each part of the result is the factor's own, and the rest is zero.
TEST(Product, IsFactorByFactor) {
  const auto m = example();
  Random random(31, Purpose::test, 0, 0);
  const Tile<double> x = random_point<double>(*m, random, 2), y = random_point<double>(*m, random, 2);
  TileMatrix<double> e(9, 7), s(9, 7);
  for (auto& p : e.values) p = 99;
  for (auto& p : s.values) p = 99;
  m->frame(x.data(), e.view());
  m->seed_basis(x.data(), s.view());
  const int block_of_row[] = {0, 0, 0, 1, 1, 1, 2, 3, 3}, block_of_column[] = {0, 0, 1, 1, 1, 2, 3};
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 7; ++j)
      if (block_of_row[i] != block_of_column[j]) {
        EXPECT_EQ(worst(e.view()(i, j)), 0);
        EXPECT_EQ(worst(s.view()(i, j)), 0);
      }

  Pack<double> density = 0, square = 0;
  for (const auto& f : m->factors()) {
    density += f.manifold->log_volume_density(x.data() + f.row);
    const Pack<double> r = f.manifold->distance(x.data() + f.row, y.data() + f.row);
    square += r * r;
  }
  EXPECT_EQ(worst(m->log_volume_density(x.data()) - density), 0);
  EXPECT_LE(worst(distance<double>(*m, x, y) - sqrt(square)), 1e-15);

  Tile<double> weight = make_tile<double>(9);
  m->error_weight(x.data(), weight.data());
  const Pack<double> lambda = 2 / (1 - riemflow::dot(3, x.data() + 3, x.data() + 3));
  for (std::size_t i = 0; i < 9; ++i)
    EXPECT_LE(worst(weight[i] - (3 <= i && i < 6 ? lambda / 2 : Pack<double>(1))), 1e-13);
}

// A probe's noise in one factor does not reach another.
TEST(Product, ProbesInBlocksOfRows) {
  const auto m = example();
  Random random(32, Purpose::test, 0, 0);
  const Tile<double> x = random_point<double>(*m, random, 2);
  TileMatrix<double> noise(9, 2), v(9, 2), part(3, 2);
  for (auto& n : noise.values) n = random_pack<double>(random, &Random::rademacher);
  m->seed_probe(x.data(), noise.view(), 2, v.view());
  Sphere<double>(2, 4).seed_probe(x.data(), noise.view(), 2, part.view());
  for (int j : {0, 1}) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(worst(v.view()(i, j) - part.view()(i, j)), 0);
    for (int i = 3; i < 7; ++i) EXPECT_EQ(worst(v.view()(i, j) - noise.view()(i, j)), 0);
  }
}

TEST(Product, DomainNeedsEveryFactor) {
  const auto m = example();
  Tile<double> x = broadcast<double>({0, 0, 0.5, 0, 0, 0, 0, 1, 0});
  x[2][1] = 0;             // the centre of the sphere
  x[4][2] = 1;             // the rim of the ball
  x[6][3] = std::nan("");  // no angle
  const LaneMask in = m->in_domain(x.data());
  for (std::size_t l = 0; l < kLanes; ++l) EXPECT_EQ(in.lane[l], l == 0 || l > 3) << l;
}

TEST(Product, DefectNamesTheFactor) {
  const auto m = example();
  EXPECT_FALSE(m->defect(std::vector<double>{0, 0, 0.5, 0, 0, 0, 9, 1, 0}));
  EXPECT_EQ(
      *m->defect(std::vector<double>{0, 0, 0.5, 0, 2, 0, 0, 1, 0}),
      "factor 2 (ball:3, coordinates 4 to 6): norm 2 where less than 1 is expected: the point is not inside "
      "the ball");
  EXPECT_EQ(*m->defect(std::vector<double>{0, 0, 0.5, 0, 0, 0, 0, 1, NAN}),
            "factor 4 (sphere:1, coordinates 8 to 9): coordinate 2 of 2 is nan");
  EXPECT_EQ(*m->defect(std::vector<double>{0, 0}), "2 coordinates where 9 are expected");
}

TEST(Product, Misuse) {
  EXPECT_THROW(Product<double>(Parts{}), Error);
  EXPECT_THROW(product_of(std::unique_ptr<const Manifold<double>>()), Error);
  const auto m = example();
  Random random(1, Purpose::test, 0, 0);
  Tile<double> x = make_tile<double>(9);
  EXPECT_THROW(m->random_uniform(random, x.data(), 0), Error);
}

// A density on a product is per a unit of each factor.
TEST(Product, UnitsOfVolumeAreThoseOfTheFactors) {
  const auto unit = [](const char* name) { return parse_manifold<double>(name)->unit_of_volume(); };
  EXPECT_EQ(unit("rotation:3 x euclidean:3"), "rad³ × unit of volume");
  EXPECT_EQ(unit("torus:1,L=24 x euclidean:1"), "unit of a period of 24 × unit of length");
  EXPECT_EQ(unit("torus:2,L=24;365 x torus:1"), "unit of a period of 24 × unit of a period of 365 × rad");
  EXPECT_EQ(unit("sphere:2 x axis:2 x torus:2 x sphere:2,K=4"), "sr² × rad² × unit of area");
  EXPECT_EQ(unit("interval:1 x positive:1 x ball:2"), "(unit of length)² × unit of hyperbolic area");
  EXPECT_EQ(unit("torus:5,L=7"), "(unit of a period of 7)^5");
  EXPECT_EQ(parse_manifold<double>("rotation:3/432 x torus:1")->volume_in_words(), "20.67");
  EXPECT_EQ(parse_manifold<double>("rotation:3/432")->volume_in_words(), "8π²/24 = 3.29");
}

}  // namespace
}  // namespace riemflow::test
