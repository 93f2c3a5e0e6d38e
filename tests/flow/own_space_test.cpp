// Spaces that the library does not know: refused by name where they say nothing, at home where they do.

#include <gtest/gtest.h>

#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/flow/autoregressive.hpp"
#include "riemflow/flow/device_formulas.hpp"
#include "riemflow/kernel/kernel_mixture.hpp"
#include "riemflow/manifold/chart.hpp"
#include "riemflow/manifold/covering.hpp"
#include "riemflow/manifold/cubature.hpp"
#include "riemflow/manifold/whole.hpp"
#include "tests/flow/flows.hpp"

namespace riemflow {
namespace {

using namespace test;

/// A line that says nothing of itself but how it is measured.
template <class T>
class Bare : public FlatChart<T> {
 public:
  Bare() : FlatChart<T>(1) {}
  std::string name() const override { return "bare:1"; }
  bool compact() const override { return false; }
  double log_volume() const override { return HUGE_VAL; }
  void project(Pack<T>*) const override {}
  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const override { y[0] = x[0] + v[0]; }
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const override { v[0] = y[0] - x[0]; }
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const override { return abs(y[0] - x[0]); }
  void random_uniform(Random&, Pack<T>*, int) const override {}
};
/// With fields, but no geodesic neurons.
template <class T>
class Seen final : public Bare<T> {
 public:
  std::string name() const override { return "seen:1"; }
  DefaultBase default_base() const override { return DefaultBase::normal; }
  std::shared_ptr<const Features<T>> features() const override {
    return std::make_shared<ScaledCoordinates<T>>(1, 0.5);
  }
};

/// The upper half-plane with its hyperbolic metric, features of its coordinates and a base, which says
/// nothing of its fields: those of R^d would give a density of another mass.
template <class T>
class HalfPlane final : public Chart<T> {
 public:
  HalfPlane() : Chart<T>(2) {}
  std::string name() const override { return "half-plane:2"; }
  bool compact() const override { return false; }
  double log_volume() const override { return HUGE_VAL; }
  DefaultBase default_base() const override { return DefaultBase::normal; }
  std::shared_ptr<const Features<T>> features() const override {
    return std::make_shared<ScaledCoordinates<T>>(2, 1);
  }
  Pack<T> inner(const Pack<T>* x, const Pack<T>* u, const Pack<T>* v) const override {
    return dot(2, u, v) / (x[1] * x[1]);
  }
  void lower(const Pack<T>* x, Pack<T>* v) const override {
    for (int i = 0; i < 2; ++i) v[i] = v[i] / (x[1] * x[1]);
  }
  void frame(const Pack<T>* x, PackMatrix<T> e) const override {
    this->unit_vectors(e);
    e(0, 0) = e(1, 1) = x[1];
  }
  Pack<T> log_volume_density(const Pack<T>* x) const override {
    Pack<T> log_area;
    for (int l = 0; l < kLanes; ++l) log_area[l] = -2 * std::log(x[1][l]);
    return log_area;
  }
  void project(Pack<T>*) const override {}
  void random_uniform(Random&, Pack<T>*, int) const override {}
  // Of no use here.
  void exp(const Pack<T>*, const Pack<T>*, Pack<T>*) const override {}
  void log(const Pack<T>*, const Pack<T>*, Pack<T>*) const override {}
  Pack<T> distance(const Pack<T>*, const Pack<T>*) const override { return 0; }
  void transport(const Pack<T>*, const Pack<T>*, const Pack<T>*, Pack<T>*) const override {}
};

/// The torus of circles of radius R: the library's formulas at another scale.
template <class T>
class WideTorus final : public FlatChart<T> {
 public:
  WideTorus(int d, double R) : FlatChart<T>(d), R_(R) {}
  std::string name() const override { return fmt::format("wide:{}", d_); }
  bool compact() const override { return true; }
  double log_volume() const override { return d_ * std::log(2 * std::numbers::pi * R_); }
  void project(Pack<T>* x) const override {
    for (int i = 0; i < d_; ++i) x[i] = wrapped(x[i]);
  }
  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const override {
    for (int i = 0; i < d_; ++i) y[i] = wrapped(x[i] + v[i]);
  }
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const override {
    for (int i = 0; i < d_; ++i) v[i] = wrapped(y[i] - x[i]);
  }
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const override {
    std::vector<Pack<T>> v(static_cast<std::size_t>(d_));
    log(x, y, v.data());
    return sqrt(dot(d_, v.data(), v.data()));
  }
  void random_uniform(Random& random, Pack<T>* x, int lane) const override {
    for (int i = 0; i < d_; ++i)
      x[i][lane] = static_cast<T>(2 * std::numbers::pi * R_ * (random.uniform() - 0.5));
  }
  std::shared_ptr<const Features<T>> features() const override {
    return std::make_shared<Circles<T>>(d_, 2 * std::numbers::pi * R_);
  }
  KernelForm kernel_form() const override { return {KernelForm::Family::circles, 0, R_}; }

 private:
  using FlatChart<T>::d_;
  Pack<T> wrapped(Pack<T> a) const {
    for (T& value : a.lane)
      value = static_cast<T>(std::remainder(static_cast<double>(value), 2 * std::numbers::pi * R_));
    return a;
  }
  double R_;
};

std::string complaint(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.problem();
  }
  return "";
}

// A chart has the fields of R^d only if it is flat by its class, which does not let go of the metric.
TEST(OwnSpace, ACurvedChartHasNoFieldsButItsOwn) {
  const Space half = Space::of<HalfPlane>();
  Pack<double> x[2] = {1, 2}, u[2] = {1, 1}, f[2];
  Rates<double> rates{};
  const OutputJet<double> jet{{x, 1}, {u, 1}, 0, 1.0, false, BallScaling::unit};
  EXPECT_EQ(complaint([&] { half->velocity(jet, f, rates); }), "half-plane:2 has no vector fields");
  EXPECT_EQ(complaint([&] {
              half->velocity_backward(jet, f, rates, {u, 1}, {x, 1});
            }),
            "half-plane:2 has no vector fields");
  FlowConfig config = small_config("euclidean:2");
  config.manifold = half;
  Points<double> points(16, 2);
  for (std::size_t i = 0; i < points.size(); ++i) points[i][1] = 1;
  EXPECT_EQ(complaint([&] { random_flow<double>(config, 1)->log_prob(points); }),
            "half-plane:2 has no vector fields");
}

TEST(OwnSpace, WhatItHasNotIsRefusedByName) {
  const Space bare = Space::of<Bare>(), seen = Space::of<Seen>();
  EXPECT_EQ(complaint([&] { default_base<double>(bare.on<double>()); }), "bare:1 has no default base");
  EXPECT_EQ(complaint([&] { KernelSpace(bare.on<double>()); }).substr(0, 21), "bare:1 has no kernels");
  FlowConfig config = small_config("euclidean:1");
  config.manifold = bare;
  EXPECT_EQ(complaint([&] { VectorField<float>(bare.on<float>(), config.field); }),
            "bare:1 has no vector fields");
  config.field.input = InputLayer::geodesic;
  EXPECT_EQ(complaint([&] { VectorField<float>(seen.on<float>(), config.field); }),
            "seen:1 has no geodesic input layer");
  EXPECT_FALSE(has_patches(*bare));
  EXPECT_EQ(complaint([&] { whole_manifold(*bare, 1); }), "bare:1 has no patches");
  Pack<double> f;
  Rates<double> rates{};
  EXPECT_EQ(complaint([&] {
              Space("axis:2")->velocity({{&f, 1}, {&f, 1}, 0, 1.0, false, BallScaling::unit}, &f, rates);
            }),
            "axis:2 has no vector fields of its own");
  EXPECT_EQ(complaint([&] { Space::named("seen:1"); }), "unknown manifold 'seen'");
  EXPECT_EQ(Space::named("seen:1 x sphere:2", std::span(&seen, 1)).name(), "seen:1 x sphere:2");
}

TEST(OwnSpace, FlowsOnProductsWithIt) {
  FlowConfig config = small_config("euclidean:1", 1e-8);
  config.manifold = Space::product({Space::of<Seen>(), Space("sphere:2")});
  const auto flow = random_flow<double>(config, 3);
  EXPECT_EQ(flow->manifold().name(), "seen:1 x sphere:2");
  const Points<double> z = flow->sample_base(40, 1);
  const Points<double> x = flow->push(z).frames.back();
  flow->check(x);
  EXPECT_TRUE(flow->log_prob(x).summary.ok());
  config.model = ModelKind::autoregressive;
  EXPECT_EQ(autoregressive_layout<double>(config).blocks().empty(), false);
}

/// A line to a GPU, but with a base or features that no line has.
template <class T, int kWrong>
class Claiming : public Bare<T> {
 public:
  DeviceFormulas device_formulas() const override { return DeviceFormulas::flat; }
  DefaultBase default_base() const override {
    return kWrong == 1 ? DefaultBase::uniform : DefaultBase::normal;
  }
  std::shared_ptr<const Features<T>> features() const override {
    return std::make_shared<ScaledCoordinates<T>>(1, kWrong == 2 ? 0.5 : 1);
  }
};

// The formulas of a GPU are those of the library's bases and features.
TEST(OwnSpace, IsNotComputedAsAnotherOnAGpu) {
  EXPECT_EQ(why_no_device_formulas(Claiming<float, 0>()), "");
  EXPECT_EQ(why_no_device_formulas(Claiming<float, 1>()), "its formulas for bare:1 are with another base");
  EXPECT_EQ(why_no_device_formulas(Claiming<float, 2>()), "its formulas for bare:1 are with other features");
  EXPECT_EQ(why_no_device_formulas(Bare<float>()), "it has no formulas for bare:1");
  for (const char* name : {"euclidean:3", "sphere:2", "sphere:4,K=0.3", "ball:3,K=-2", "torus:5",
                           "stiefel:4,2", "grassmann:3,1"})
    EXPECT_EQ(why_no_device_formulas(*Space(name).on<float>()), "") << name;
}

TEST(OwnSpace, IsAFactorBesideACoveredOne) {
  const Space both = Space::product({Space::of<WideTorus>(1, 3.5), Space("rotation:3")});
  ASSERT_NE(both->covering(), nullptr);
  EXPECT_EQ(both.on<float>()->covering(), both->covering());
  EXPECT_EQ(both.computed_on().name(), both->covering()->cover()->name());
  EXPECT_EQ(both.computed_on().name(), "wide:1 x sphere:3,K=0.25");
  EXPECT_EQ(both->covering()->sheets(), 2u);
}

/// A kernel density on circles of radius R is that on circles of radius 1, stretched.
TEST(OwnSpace, KernelsOfWideCircles) {
  constexpr double kR = 3.5;
  constexpr int d = 2;
  const Space wide = Space::of<WideTorus>(d, kR), unit = "torus:2";
  KernelParameters small;
  small.centres = Points<double>(5, d);
  for (std::size_t i = 0; i < 5; ++i) {
    Random random(2, Purpose::test, 0, i);
    for (double& c : small.centres[i]) c = std::numbers::pi * (2 * random.uniform() - 1);
    small.weights.push_back(0.2);
    small.bandwidths.push_back(0.2 + 0.05 * static_cast<double>(i));
  }
  small.wide = 0.05;
  for (const bool shaped : {false, true}) {
    KernelParameters large = small;
    if (shaped)
      for (std::size_t i = 0; i < 5; ++i)
        for (const double s : {1.2, 0.3, 0.3, 0.9}) {
          small.shapes.push_back(s);
          large.shapes.push_back(s);
        }
    for (double& c : large.centres.values) c *= kR;
    for (double& h : large.bandwidths) h *= kR;
    const KernelMixture here(unit.on<double>(), small), there(wide.on<double>(), large);
    Points<double> points(64, d);
    for (double& c : points.values) {
      Random random(3, Purpose::test, 0, static_cast<std::uint64_t>(&c - points.values.data()));
      c = std::numbers::pi * (2 * random.uniform() - 1);
    }
    Points<double> far = points, gradient(64, d), slopes(64, d);
    for (double& c : far.values) c *= kR;
    const std::vector<double> a = here.log_prob(points, nullptr, &gradient),
                              b = there.log_prob(far, nullptr, &slopes);
    for (std::size_t i = 0; i < 64; ++i) {
      EXPECT_NEAR(a[i] - d * std::log(kR), b[i], 1e-9);
      for (std::size_t c = 0; c < d; ++c) EXPECT_NEAR(gradient[i][c], kR * slopes[i][c], 1e-7);
    }
    std::vector<Pack<double>> x(d), y(d);
    for (std::uint64_t i = 0; i < 20; ++i) {
      Random one(4, Purpose::test, 0, i), other(4, Purpose::test, 0, i);
      here.sample(one, x.data(), 0);
      there.sample(other, y.data(), 0);
      for (std::size_t c = 0; c < d; ++c) EXPECT_NEAR(kR * x[c][0], y[c][0], 1e-9);
    }
  }
}

}  // namespace
}  // namespace riemflow
