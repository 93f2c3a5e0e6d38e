// A manifold of your own, the circle of a given length, and the law kit run on it: exp and log are inverse,
// distances are symmetric, transport is an isometry, and so on (riemflow/manifold/manifold.hpp).
//
// Kernel densities and flows are computed on the library's own geometries.

#include <riemflow/riemflow.hpp>
#include <riemflow/testing/laws.hpp>

using namespace riemflow;

/// One coordinate in [−L/2, L/2). Chart is a manifold with a flat metric; what is left to say is how it
/// closes.
template <class T>
class Circle final : public Chart<T> {
 public:
  explicit Circle(double length) : Chart<T>(1), length_(static_cast<T>(length)) {}

  std::string name() const override { return fmt::format("circle:{}", length_); }
  bool compact() const override { return true; }
  double log_volume() const override { return std::log(static_cast<double>(length_)); }

  void project(Pack<T>* x) const override { x[0] = wrapped(x[0]); }
  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const override { y[0] = wrapped(x[0] + v[0]); }
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const override { v[0] = wrapped(y[0] - x[0]); }
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const override { return abs(wrapped(y[0] - x[0])); }
  void random_uniform(Random& random, Pack<T>* x, int lane) const override {
    x[0][lane] = length_ * static_cast<T>(random.uniform() - 0.5);
  }

 private:
  Pack<T> wrapped(Pack<T> a) const {
    for (T& value : a.lane)
      if (value < -length_ / 2 || value >= length_ / 2) {
        value = std::remainder(value, length_);
        if (value == length_ / 2) value = -value;
      }
    return a;
  }

  T length_;
};

TEST(Circle, ObeysTheLaws) {
  test::LawOptions options;
  options.length = 24;  // what is next is in its units
  options.injectivity = 0.5;
  test::check_laws(Circle<double>(24), options);
}
