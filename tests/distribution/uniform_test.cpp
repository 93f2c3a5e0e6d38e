#include "riemflow/distribution/uniform.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "tests/distribution/support.hpp"

namespace riemflow {
namespace {

using namespace density_test;
using std::numbers::pi;

/// The torus [−π, π)² where `closed`, else a plane: only what a uniform distribution asks for does anything.
template <class T>
struct Flat final : Manifold<T> {
  explicit Flat(bool is_closed) : closed(is_closed) {}
  bool closed;

  std::string name() const override { return closed ? "flat-torus" : "plane"; }
  int dimension() const override { return 2; }
  int ambient() const override { return 2; }
  bool compact() const override { return closed; }
  double log_volume() const override {
    return closed ? 2 * std::log(2 * pi) : std::numeric_limits<double>::infinity();
  }
  void random_uniform(Random& random, Pack<T>* x, int lane) const override {
    for (int i = 0; i < 2; ++i) x[i][lane] = static_cast<T>(pi * (2 * random.uniform() - 1));
  }

  std::vector<Factor<T>> factors() const override { return {}; }
  void project(Pack<T>*) const override {}
  std::optional<std::string> defect(std::span<const T>) const override { return {}; }
  void to_tangent(const Pack<T>*, Pack<T>*) const override {}
  void lower(const Pack<T>*, Pack<T>*) const override {}
  Pack<T> inner(const Pack<T>*, const Pack<T>*, const Pack<T>*) const override { return 0; }
  void frame(const Pack<T>*, PackMatrix<T>) const override {}
  void exp(const Pack<T>*, const Pack<T>*, Pack<T>*) const override {}
  void log(const Pack<T>*, const Pack<T>*, Pack<T>*) const override {}
  Pack<T> distance(const Pack<T>*, const Pack<T>*) const override { return 0; }
  void transport(const Pack<T>*, const Pack<T>*, const Pack<T>*, Pack<T>*) const override {}
  Pack<T> log_volume_density(const Pack<T>*) const override { return 0; }
  LaneMask in_domain(const Pack<T>*) const override { return {}; }
  void project_backward(const Pack<T>*, Pack<T>*) const override {}
  void error_weight(const Pack<T>*, Pack<T>*) const override {}
  void seed_basis(const Pack<T>*, PackMatrix<T>) const override {}
  void seed_basis_backward(const Pack<T>*, PackMatrix<T>, PackMatrix<T>, Pack<T>*) const override {}
  void seed_probe(const Pack<T>*, PackMatrix<T>, int, PackMatrix<T>) const override {}
  void seed_probe_backward(const Pack<T>*, PackMatrix<T>, int, PackMatrix<T>, Pack<T>*) const override {}
};

TEST(Uniform, DensityIsOneOverVolume) {
  const Uniform<double> p(std::make_shared<Flat<double>>(true));
  EXPECT_EQ(p.ambient(), 2);
  EXPECT_EQ(p.name(), "uniform(flat-torus)");
  for (const Point& x : {Point{0, 0}, Point{-3, 2}}) {
    EXPECT_NEAR(std::exp(log_density_at(p, x)) * 4 * pi * pi, 1, 1e-14);
    EXPECT_EQ(gradient_at(p, x), (Point{0, 0}));
  }
  EXPECT_DOUBLE_EQ(*p.entropy(), std::log(4 * pi * pi));

  const Uniform<float> rounded(std::make_shared<Flat<float>>(true));
  EXPECT_EQ(log_density_at(rounded, {1, 1}), static_cast<float>(-std::log(4 * pi * pi)));
}

TEST(Uniform, DrawsFromTheManifold) {
  const Uniform<float> p(std::make_shared<Flat<float>>(true));
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const auto points = draw(p, seed, 4000);
    for (const std::size_t i : {0u, 1u}) {
      EXPECT_LT(estimate(points, [&](const Point& x) { return x[i]; }).sigmas(0), 4);
      EXPECT_LT(estimate(points, [&](const Point& x) { return x[i] * x[i]; }).sigmas(pi * pi / 3), 4);
    }
  }
}

TEST(Uniform, RejectsInfiniteVolumeWithAdvice) {
  try {
    const Uniform<double> p(std::make_shared<Flat<double>>(false));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("plane"), std::string::npos);
    EXPECT_NE(error.advice().find("wrapped normal"), std::string::npos);
  }
  EXPECT_THROW(Uniform<double>(nullptr), Error);
}

}  // namespace
}  // namespace riemflow
