// The laws of spaces that are told through others, over every one of the library.

#include "tests/manifold/covering_laws.hpp"

#include <fmt/format.h>
#include <gtest/gtest-spi.h>

#include <numbers>
#include <set>

#include "riemflow/manifold/crystal_group.hpp"
#include "riemflow/manifold/parse.hpp"
#include "tests/sanitized.hpp"

namespace riemflow::test {
namespace {

using std::numbers::pi;

void check_coverings(const std::string& name, CoveringLawOptions options) {
  const auto space = parse_manifold<double>(name);
  ASSERT_NE(space->covering(), nullptr) << name;
  for (std::uint64_t seed = 1; seed <= (kSanitized ? 1 : 3); ++seed) {
    options.seed = seed;
    check_covering(*space, *space->covering(), options);
  }
}

/// The laws of manifold.hpp, in double and in float.
void check_geometry(const std::string& name, LawOptions options, double float_tolerance) {
  options.fields = false;
  for (std::uint64_t seed = 1; seed <= (kSanitized ? 1 : 3); ++seed) {
    options.seed = seed;
    check_laws(*parse_manifold<double>(name), options);
    LawOptions coarse = options;
    coarse.tolerance = float_tolerance;
    if (float_tolerance > 0) check_laws(*parse_manifold<float>(name), coarse);
  }
}

/// The angle of the smallest turn of a crystal's group, in radians.
double least_turn_of(const std::string& group) {
  double least = 2 * pi;  // of −1, which is the identity
  for (const auto& s : crystal_group(group).elements)
    if (const double angle = rotation::angle(s); angle > 0) least = std::min(least, angle);
  return least;
}

TEST(CoveringLaws, Axis) {
  for (int d : {1, 2, 3, 8}) {
    const std::string name = fmt::format("axis:{}", d);
    Numbers corner(static_cast<std::size_t>(d + 1), 0.0);
    corner.back() = -1;
    check_coverings(name, {.images = true, .hard = {corner}});
    check_geometry(name, {.tolerance = 1e-12, .injectivity = pi / 2}, 5e-6);
  }
}

TEST(CoveringLaws, Rotation) {
  const double h = std::sqrt(0.5);
  for (const std::string& group : crystal_group_names()) {
    const std::string name = group == "1" ? "rotation:3" : "rotation:3/" + group;
    check_coverings(name, {.cover_length = 2,
                           .images = true,
                           .points = 6,
                           .hard = {{1, 0, 0, 0}, {0, 0, 0, 1}, {h, h, 0, 0}, {0.5, 0.5, 0.5, 0.5}}});
    check_geometry(name, {.tolerance = 1e-12, .injectivity = least_turn_of(group) / 2, .tiles = 2},
                   group == "1" || group == "432" ? 2e-5 : 0);
  }
}

TEST(CoveringLaws, Simplex) {
  for (int n : {1, 2, 3, 6}) {
    const std::string name = fmt::format("simplex:{}", n);
    Numbers corner(static_cast<std::size_t>(n + 1), 0.0), edge = corner;
    corner.back() = 1;
    edge[0] = edge[1] = std::sqrt(0.5);
    check_coverings(name, {.images = true, .points = n < 6 ? 12 : 3, .hard = {corner, edge}});
    check_geometry(name, {.tolerance = 1e-12, .bordered = true, .tiles = n < 6 ? 4 : 1}, n < 6 ? 5e-6 : 0);
  }
}

TEST(CoveringLaws, Interval) {
  for (const auto& [name, from, to] :
       {std::tuple("interval:1", 0.0, 1.0), std::tuple("interval:1,from=-5,to=300", -5.0, 300.0),
        std::tuple("interval:1,from=1e-07,to=2e-07", 1e-7, 2e-7)}) {
    const double length = to - from;
    check_coverings(name, {.length = length, .similarity = length / pi, .hard = {{from}, {to}}});
    check_geometry(name, {.tolerance = 1e-12, .length = length, .bordered = true}, 5e-6);
  }
}

TEST(CoveringLaws, Positive) {
  check_coverings("positive:1", {.similarity = 0, .hard = {{1e-300}, {1e3}}, .hard_above = {{-30}, {30}}});
  check_geometry("positive:1", {.tolerance = 1e-12, .bordered = true}, 5e-6);
}

TEST(CoveringLaws, PeriodicTorus) {
  for (const auto& [name, similarity] :
       {std::pair("torus:1,L=24", 24 / (2 * pi)), std::pair("torus:3,L=0.001", 0.001 / (2 * pi)),
        std::pair("torus:2,L=24;365", 0.0)}) {
    const double length = std::string(name).find("0.001") != std::string::npos ? 0.001 : 24;
    check_coverings(name, {.length = length, .similarity = similarity});
    check_geometry(name, {.tolerance = 1e-12, .length = length, .injectivity = 0.5}, 1e-5);
  }
}

// The tolerances are those of points up to 6 from the origin, where λ is 200.
TEST(CoveringLaws, Hyperboloid) {
  for (int d : {1, 2, 3, 8})
    for (double K : {-1e-8, -0.5, -1.0, -4.0}) {
      const double length = 1 / std::sqrt(-K);
      const std::string name = fmt::format("hyperboloid:{},K={}", d, K);
      Numbers origin(static_cast<std::size_t>(d + 1), 0.0);
      origin[0] = length;
      check_coverings(name, {.length = length, .cover_length = length, .hard = {origin}});
      check_geometry(name, {.tolerance = 1e-10, .length = length}, d < 8 ? 0.02 : 0);
    }
}

TEST(CoveringLaws, Spd) {
  for (int n : {1, 2, 3, 4}) {
    const std::string name = fmt::format("spd:{}", n);
    const auto size = static_cast<std::size_t>(n * (n + 1) / 2);
    // The identity; a multiple of it; two equal eigenvalues of three; two that nearly are.
    CoveringLawOptions options{.tolerance = 1e-10, .difference = 1e-7, .similarity = n == 1 ? 1.0 : 0.0};
    Numbers equal(size, 0.0), near = equal;
    for (std::size_t i = 0, at = 0; i < static_cast<std::size_t>(n);
         at += static_cast<std::size_t>(n) - i++) {
      equal[at] = -2;
      near[at] = i == 0 ? 3 : 1 + 1e-7 * static_cast<double>(i);
    }
    options.hard_above = {Numbers(size, 0.0), equal, near};
    check_coverings(name, options);
    check_geometry(name, {.tolerance = 1e-10, .tiles = 2}, 0);
  }
}

TEST(CoveringLaws, SpdOfManyRows) {
  check_coverings("spd:8", {.tolerance = 1e-9, .difference = 1e-7, .similarity = 0, .points = 1});
  check_geometry("spd:8", {.tolerance = 1e-9, .tiles = 1}, 0);
}

TEST(CoveringLaws, Products) {
  check_coverings("rotation:3 x euclidean:3", {.cover_length = 2});
  check_coverings("axis:2 x euclidean:1", {});
  check_coverings("sphere:2 x axis:2 x rotation:3/222", {.similarity = 1, .points = 4});
  check_coverings("interval:1 x torus:1", {.similarity = 0});
  check_coverings("spd:2 x sphere:2", {.tolerance = 1e-10, .similarity = 0});
  check_coverings("hyperboloid:2 x simplex:2 x torus:1,L=24", {.similarity = 0});
  check_geometry("rotation:3 x euclidean:3", {.tolerance = 1e-11, .injectivity = pi / std::sqrt(2.0)}, 5e-5);
  check_geometry("axis:2 x euclidean:1", {.tolerance = 1e-11, .injectivity = pi / 2}, 5e-5);
  check_geometry("spd:2 x sphere:2", {.tolerance = 1e-10, .injectivity = pi / std::sqrt(2.0)}, 0);
  check_geometry("interval:1 x torus:1", {.tolerance = 1e-11, .bordered = true}, 5e-5);
}

// The kit itself: what it says of coverings with one mistake each.
class MistakenCovering : public Covering {
 public:
  explicit MistakenCovering(const Covering& right) : right_(right) {}
  const std::shared_ptr<const Manifold<double>>& cover() const override { return right_.cover(); }
  int ambient() const override { return right_.ambient(); }
  std::size_t sheets() const override { return right_.sheets(); }
  std::optional<std::string> defect(const double* y) const override { return right_.defect(y); }
  void lift(const double* y, std::size_t s, double* x) const override { right_.lift(y, s, x); }
  void drop(const double* x, double* y) const override { right_.drop(x, y); }
  double log_stretch(const double* x, double* x_bar) const override { return right_.log_stretch(x, x_bar); }
  void pull_back(const double* y, std::size_t s, const double* x, const double* x_bar,
                 double* y_bar) const override {
    right_.pull_back(y, s, x, x_bar, y_bar);
  }
  void carry(const double* x, std::size_t s, double* v) const override { right_.carry(x, s, v); }

 protected:
  const Covering& right_;
};

/// One sheet twice.
struct LostSheet : MistakenCovering {
  using MistakenCovering::MistakenCovering;
  void lift(const double* y, std::size_t, double* x) const override { right_.lift(y, 0, x); }
};
/// Any of the images, as it comes.
struct NothingKept : MistakenCovering {
  using MistakenCovering::MistakenCovering;
  void drop(const double* x, double* y) const override { std::copy_n(x, ambient(), y); }
};
/// 1/J.
struct UpsideDown : MistakenCovering {
  using MistakenCovering::MistakenCovering;
  double log_stretch(const double* x, double* x_bar) const override {
    std::vector<double> bar(static_cast<std::size_t>(cover()->ambient()));
    const double right = right_.log_stretch(x, bar.data());
    for (std::size_t i = 0; i < bar.size() && x_bar != nullptr; ++i) x_bar[i] -= bar[i];
    return -right;
  }
};
/// `=` where `+=` is asked for.
struct Overwritten : MistakenCovering {
  using MistakenCovering::MistakenCovering;
  double log_stretch(const double* x, double* x_bar) const override {
    if (x_bar != nullptr) std::fill_n(x_bar, cover()->ambient(), 0.0);
    return right_.log_stretch(x, x_bar);
  }
};
/// The covector of another sheet.
struct WrongSheet : MistakenCovering {
  using MistakenCovering::MistakenCovering;
  void pull_back(const double* y, std::size_t, const double* x, const double* x_bar,
                 double* y_bar) const override {
    right_.pull_back(y, 0, x, x_bar, y_bar);
  }
};
/// Of x as if it were the image that is kept.
struct CarriedFromKept : MistakenCovering {
  using MistakenCovering::MistakenCovering;
  void carry(const double* x, std::size_t s, double* v) const override {
    Numbers y(static_cast<std::size_t>(ambient())), kept(static_cast<std::size_t>(cover()->ambient()));
    right_.drop(x, y.data());
    right_.lift(y.data(), 0, kept.data());
    right_.carry(kept.data(), s, v);
  }
};

std::set<std::string> broken_covering_laws(const Manifold<double>& space, const Covering& covering,
                                           const CoveringLawOptions& options) {
  testing::TestPartResultArray failures;
  {
    testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    check_covering(space, covering, options);
  }
  std::set<std::string> laws;
  for (int i = 0; i < failures.size(); ++i) {
    const std::string message = failures.GetTestPartResult(i).message();
    laws.insert(message.substr(message.rfind(": ") + 2));
  }
  return laws;
}

TEST(CoveringLawKit, FindsTheMistake) {
  const auto axis = parse_manifold<double>("axis:2");
  const auto spd = parse_manifold<double>("spd:2");
  const Covering &signs = *axis->covering(), &exponential = *spd->covering();
  const CoveringLawOptions quotient{.images = true}, chart{.tolerance = 1e-10, .similarity = 0};
  using Laws = std::set<std::string>;
  EXPECT_EQ(broken_covering_laws(*axis, MistakenCovering(signs), quotient), Laws{});
  EXPECT_EQ(broken_covering_laws(*spd, MistakenCovering(exponential), chart), Laws{});
  EXPECT_TRUE(broken_covering_laws(*axis, LostSheet(signs), quotient).contains("lifts are apart"));
  EXPECT_TRUE(broken_covering_laws(*axis, LostSheet(signs), quotient).contains("x is a lift of drop(x)"));
  EXPECT_TRUE(
      broken_covering_laws(*axis, LostSheet(signs), quotient).contains("distances are the least of lifts"));
  EXPECT_TRUE(
      broken_covering_laws(*axis, NothingKept(signs), quotient).contains("drop keeps what project keeps"));
  EXPECT_EQ(broken_covering_laws(*spd, UpsideDown(exponential), chart), Laws{"J is the ratio of volumes"});
  EXPECT_EQ(broken_covering_laws(*spd, Overwritten(exponential), chart), Laws{"the gradient of log J"});
  EXPECT_EQ(broken_covering_laws(*axis, WrongSheet(signs), quotient),
            Laws{"pull_back is the transposed differential of lift"});
  EXPECT_EQ(broken_covering_laws(*axis, CarriedFromKept(signs), quotient),
            (Laws{"carry is the differential of the symmetry", "carry takes x to the lift"}));
  CoveringLawOptions similar = chart;
  similar.similarity = 1;
  EXPECT_EQ(broken_covering_laws(*spd, exponential, similar), Laws{"distances are the least of lifts"});
}

}  // namespace
}  // namespace riemflow::test
