// A manifold of your own, the circle of a given length (a clock, with length 24): the law kit says whether
// what it computes is right, and then kernel densities and flows are fitted on it as on the library's own.

#include <riemflow/riemflow.hpp>
#include <riemflow/testing/laws.hpp>

using namespace riemflow;

/// One coordinate in [−L/2, L/2). FlatChart is a manifold with a flat metric; what is left to say is how it
/// closes. (Chart is one of any metric, which it must say, with the fields that go with it.)
template <class T>
class Circle final : public FlatChart<T> {
 public:
  explicit Circle(double length) : FlatChart<T>(1), length_(length) {}

  std::string name() const override { return fmt::format("circle:{}", length_); }
  bool compact() const override { return true; }
  double log_volume() const override { return std::log(length_); }

  void project(Pack<T>* x) const override { x[0] = wrapped(x[0]); }
  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const override { y[0] = wrapped(x[0] + v[0]); }
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const override { v[0] = wrapped(y[0] - x[0]); }
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const override { return abs(wrapped(y[0] - x[0])); }
  void random_uniform(Random& random, Pack<T>* x, int lane) const override {
    x[0][lane] = static_cast<T>(length_ * (random.uniform() - 0.5));
  }

  // For flows: what a network sees of a point, and patches for integrals. The fields of a flat chart are
  // those of R^d.
  std::shared_ptr<const Features<T>> features() const override {
    return std::make_shared<Circles<T>>(1, length_);
  }
  std::optional<PatchPart> part(double) const override {
    const auto map = [](const double* u, double* x) {
      x[0] = u[0];
      return 1.0;
    };
    return PatchPart{{{-length_ / 2, length_ / 2, 8}}, map};
  }
  // For kernel densities: those of circles, of this radius.
  KernelForm kernel_form() const override {
    return {KernelForm::Family::circles, 0, length_ / (2 * std::numbers::pi)};
  }

 private:
  Pack<T> wrapped(Pack<T> a) const {
    const T length = static_cast<T>(length_);
    for (T& value : a.lane)
      if (value < -length / 2 || value >= length / 2) {
        value = std::remainder(value, length);
        if (value == length / 2) value = -value;
      }
    return a;
  }

  double length_;
};

const Space kClock = Space::of<Circle>(24.0);

/// Hours around midnight, and some of the afternoon.
Points<double> hours(std::size_t n) {
  Points<double> points(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    Random random(1, Purpose::test, 0, i);
    const double hour = random.uniform() < 0.7 ? 1.5 * random.normal() : -9 + random.normal();
    points[i][0] = std::remainder(hour, 24);
  }
  return points;
}

/// Fits, and expects mass 1 and a better score than that of the uniform density, log 24.
Model fitted(const Values& values) {
  Observer silent;
  const FitOptions options = options_of(values);
  const FitResult result = fit(data_set_of(hours(600), kClock, options, silent), options, silent);
  EXPECT_NEAR(make_density(*result.model)->mass({}).integral.value, 1, 1e-4);
  EXPECT_LT(result.test_nll, std::log(24) - 0.5);
  return *result.model;
}

TEST(Circle, ObeysTheLaws) {
  test::LawOptions options;
  options.length = 24;  // what is next is in its units
  options.injectivity = 0.5;
  test::check_laws(Circle<double>(24), options);
}

TEST(Circle, HasKernelDensities) {
  fitted({{"model", "kde"}, {"kernel", "local"}});
  fitted({{"model", "kde"}, {"kernel", "anisotropic"}});
}

TEST(Circle, HasFlows) {
  const Model model =
      fitted({{"model", "riemannian"}, {"width", "16"}, {"depth", "2"}, {"iterations", "150"}});
  // A file has the name of the space; who reads it says what that is.
  save_model("clock.model", model);
  EXPECT_THROW(load_model("clock.model"), Error);
  const Model read = load_model("clock.model", std::span(&kClock, 1));
  EXPECT_EQ(make_density(read)->log_prob(hours(5)).values, make_density(model)->log_prob(hours(5)).values);
}

TEST(Circle, StandsBesideTheLibrarys) {
  // The hour of a fault's slip and its axis, which has no sign.
  const Space both = Space::product({kClock, "axis:2"});
  const Points<double> when = hours(200);
  Points<double> points(when.size(), both->ambient());
  for (std::size_t i = 0; i < when.size(); ++i) {
    const double tilt = 0.1 * when[i][0];
    points[i][0] = when[i][0];
    points[i][1] = std::sin(tilt);
    points[i][3] = std::cos(tilt);
  }
  Observer silent;
  const FitOptions options = options_of({{"model", "kde"}, {"kernel", "one"}});
  const FitResult result = fit(data_set_of(points, both, options, silent), options, silent);
  const auto density = make_density(*result.model);
  EXPECT_NEAR(density->mass({}).integral.value, 1, 1e-3);
  // Both ends of an axis are one.
  Points<double> turned = points;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t c = 1; c < 4; ++c) turned[i][c] *= -1;
  const std::vector<double> a = density->log_prob(points).values, b = density->log_prob(turned).values;
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9);
}
