#include "riemflow/manifold/parse.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/covering.hpp"

namespace riemflow {
namespace {

std::string name_of(std::string_view text) { return parse_manifold<double>(text)->name(); }

/// what() of the Error that parsing throws.
std::string error_of(std::string_view text) {
  try {
    parse_manifold<float>(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Parse, NamesRoundTrip) {
  for (const char* name : {"euclidean:2",
                           "sphere:2",
                           "sphere:3,K=0.5",
                           "ball:2",
                           "ball:5,K=-0.1",
                           "torus:2",
                           "torus:4096",
                           "sphere:2 x torus:1",
                           "sphere:1,K=1e-08 x ball:2,K=-4 x euclidean:7 x torus:3",
                           "ball:1,K=-0.30000000000000004",
                           "hyperboloid:2",
                           "hyperboloid:3,K=-0.5",
                           "spd:3",
                           "simplex:6",
                           "interval:1",
                           "positive:1 x positive:1",
                           "interval:1,from=-5,to=300",
                           "torus:2,L=24;365",
                           "torus:3,L=24",
                           "axis:2",
                           "rotation:3/432",
                           "rotation:3 x euclidean:3",
                           "interval:1 x torus:1,L=24 x spd:2"}) {
    EXPECT_EQ(name_of(name), name);
    EXPECT_EQ(parse_manifold<float>(name)->name(), name);
  }
}

TEST(Parse, SaysTheSameInOtherWays) {
  EXPECT_EQ(name_of("Sphere:2"), "sphere:2");
  EXPECT_EQ(name_of("  SPHERE : 2 , k = 0.5 "), "sphere:2,K=0.5");
  EXPECT_EQ(name_of("sphere:2,K=1"), "sphere:2");
  EXPECT_EQ(name_of("ball:2,K=-1.0"), "ball:2");
  EXPECT_EQ(name_of("ball:2,K=-1e0"), "ball:2");
  EXPECT_EQ(name_of("sphere:+2,K=+0.5"), "sphere:2,K=0.5");
  EXPECT_EQ(name_of("sphere:2xtorus:1"), "sphere:2 x torus:1");
  EXPECT_EQ(name_of("sphere:2 X torus:1"), "sphere:2 x torus:1");
  EXPECT_EQ(name_of("sphere:2x torus:1\tx\tball:2,K=-2xeuclidean:1"),
            "sphere:2 x torus:1 x ball:2,K=-2 x euclidean:1");
}

TEST(Parse, MakesWhatItSays) {
  const auto m = parse_manifold<double>("sphere:3,K=0.5 x torus:2");
  EXPECT_EQ(m->dimension(), 5);
  EXPECT_EQ(m->ambient(), 6);
  ASSERT_EQ(m->factors().size(), 2u);
  EXPECT_EQ(m->factors()[0].manifold->name(), "sphere:3,K=0.5");
  EXPECT_EQ(m->factors()[0].manifold->curvature(), 0.5);
  EXPECT_EQ(m->factors()[1].row, 4);
  EXPECT_EQ(parse_manifold<double>("ball:2")->curvature(), -1);
}

TEST(Parse, SuggestsTheNearestName) {
  const std::string known =
      "the manifolds are euclidean, sphere, ball, torus, hyperboloid, interval, positive, simplex, spd, "
      "axis, "
      "stiefel, grassmann, rotation";
  EXPECT_EQ(error_of("shpere:2"), "unknown manifold 'shpere'; perhaps you meant sphere? " + known);
  EXPECT_EQ(error_of("torus:1 x euclidian:2"),
            "unknown manifold 'euclidian'; perhaps you meant euclidean? " + known);
  EXPECT_EQ(error_of("spheres:2"), "unknown manifold 'spheres'; perhaps you meant sphere? " + known);
  EXPECT_EQ(error_of("bal:2"), "unknown manifold 'bal'; perhaps you meant ball? " + known);
  EXPECT_EQ(error_of("klein-bottle:2"), "unknown manifold 'klein-bottle'; " + known);
  EXPECT_EQ(error_of("2"), "unknown manifold '2'; " + known);
  EXPECT_EQ(error_of("box:2"), "unknown manifold 'box'; " + known);
}

TEST(Parse, BadDimensions) {
  for (const char* d :
       {"0", "-1", "1e9", "abc", "", "2.5", "4097", "99999999999", "2 3", "2junk", "0x10", "+-2", "2;K=1"}) {
    const std::string text = fmt::format("sphere:{}", d);
    EXPECT_EQ(error_of(text),
              fmt::format("'{}' in '{}' is not a dimension; give a whole number from 1 to 4096", d, text));
  }
  EXPECT_EQ(error_of("sphere"), "no dimension in 'sphere'; write it after a colon, as in sphere:2");
  for (const SpaceExample& example : space_examples()) {
    const std::string name(example.name), kind = name.substr(0, name.find(':'));
    EXPECT_EQ(name_of(name), name);
    EXPECT_EQ(error_of(kind),
              fmt::format("no dimension in '{}'; write it after a colon, as in {}", kind, name));
    if (!example.grouped.empty()) {
      EXPECT_EQ(name_of(example.grouped), example.grouped);
    }
  }
  EXPECT_EQ(space_examples().back().grouped, "rotation:3/432");
  EXPECT_EQ(error_of("rotation:3/"),
            "'rotation:3/' names no group behind its slash; write rotation:3, or one as in rotation:3/432");
  EXPECT_EQ(error_of("sphere:2/432"),
            "'sphere:2/432' names a group, and sphere has none; orientations of crystals have one, as in "
            "rotation:3/432");
  EXPECT_EQ(error_of("stiefel:3"), "'stiefel:3' has one number; give two, n and p, as in stiefel:3,2");
  EXPECT_EQ(error_of("torus:2 x ball:0"),
            "'0' in 'ball:0' is not a dimension; give a whole number from 1 to 4096");
}

TEST(Parse, BadCurvatures) {
  for (const char* K : {"", "abc", "1.5e", "0x10", "1.5.5"}) {
    const std::string text = fmt::format("sphere:2,K={}", K);
    EXPECT_NE(error_of(text).find(fmt::format("in '{}' is not a", text)), std::string::npos)
        << error_of(text);
  }
  EXPECT_EQ(error_of("sphere:2,K=abc"),
            "'abc' in 'sphere:2,K=abc' is not a number; give the curvature as in K=0.5");
  EXPECT_EQ(error_of("sphere:2,R=2"),
            "'R=2' in 'sphere:2,R=2' is not an option; the only option is the curvature, as in K=0.5");
  EXPECT_EQ(error_of("sphere:2,K"),
            "'K' in 'sphere:2,K' is not an option; the only option is the curvature, as in K=0.5");
  EXPECT_EQ(error_of("sphere:2,"),
            "'' in 'sphere:2,' is not an option; the only option is the curvature, as in K=0.5");
  EXPECT_EQ(error_of("sphere:2,K=1,K=2"), "'K=2' in 'sphere:2,K=1,K=2' is one option too many; give K once");
  EXPECT_EQ(
      error_of("torus:2,K=1"),
      "'torus:2,K=1' gives a curvature, but torus has none of its own; leave K out, or use sphere (K > 0), "
      "ball or hyperboloid (K < 0)");
  for (const char* bad :
       {"sphere:2,K=0", "sphere:2,K=-1", "sphere:2,K=inf", "sphere:2,K=nan", "sphere:2,K=1e999", "ball:2,K=0",
        "ball:2,K=1", "ball:2,K=-inf", "ball:2,K=-1e20", "euclidean:2,K=0"})
    EXPECT_NE(error_of(bad), "no error") << bad;
  EXPECT_NE(error_of("sphere:2,K=-1").find("sphere: curvature K = -1 is not positive"), std::string::npos);
}

TEST(Parse, SpacesThroughOthers) {
  EXPECT_EQ(name_of("Interval:1, To=5"), "interval:1,from=0,to=5");
  EXPECT_EQ(name_of("interval:1,to=1,from=0"), "interval:1");
  EXPECT_EQ(name_of("torus:2,L=24;24.0"), "torus:2,L=24");
  EXPECT_EQ(name_of("torus:2,l=24; 7x axis:2"), "torus:2,L=24;7 x axis:2");
  EXPECT_EQ(name_of("hyperboloid:2,K=-1"), "hyperboloid:2");
  EXPECT_EQ(parse_manifold<double>("spd:3")->covering()->cover()->name(), "euclidean:6");
  EXPECT_EQ(parse_manifold<double>("rotation:3 x euclidean:3")->covering()->cover()->name(),
            "sphere:3,K=0.25 x euclidean:3");
  EXPECT_EQ(parse_manifold<double>("torus:2 x sphere:2")->covering(), nullptr);
  EXPECT_EQ(error_of("interval:2"),
            "'interval:2' has more than one dimension; boxes are products, as in interval:1 x interval:1");
  EXPECT_EQ(error_of("interval:1,from=0;1"), "'interval:1,from=0;1' gives 2 values of from; give one");
  EXPECT_EQ(error_of("interval:1,by=1"),
            "'by=1' in 'interval:1,by=1' is not an option; the options are from, to");
  EXPECT_EQ(error_of("torus:3,L=24;365"),
            "torus: 2 periods for 3 dimensions; give one L for all, or 3 parted by semicolons");
  EXPECT_EQ(error_of("torus:1,L=day"), "'day' in 'torus:1,L=day' is not a number; give L as in L=0.5");
  EXPECT_EQ(
      error_of("hyperboloid:2,K=1"),
      "hyperboloid: curvature K = 1 is not negative; give a finite negative K, such as -1, or use euclidean "
      "for K = 0");
  EXPECT_EQ(error_of("spd:9"), "spd:9: matrices of 9 rows; give 1 to 8 rows, which are up to 36 dimensions");
  EXPECT_NE(error_of("simplex:7").find("simplex:7: a density of 8 proportions would be a sum over 2^8 lifts"),
            std::string::npos);
}

TEST(Parse, MissingFactors) {
  EXPECT_EQ(error_of(""), "a manifold is missing in ''; write it as in sphere:2 x torus:1");
  EXPECT_EQ(error_of("  "), "a manifold is missing in '  '; write it as in sphere:2 x torus:1");
  EXPECT_EQ(error_of("sphere:2 x"),
            "a manifold is missing in 'sphere:2 x'; write it as in sphere:2 x torus:1");
  EXPECT_EQ(error_of("x torus:1"), "a manifold is missing in 'x torus:1'; write it as in sphere:2 x torus:1");
  EXPECT_EQ(error_of("sphere:2 x x torus:1"),
            "a manifold is missing in 'sphere:2 x x torus:1'; write it as in sphere:2 x torus:1");
  EXPECT_EQ(error_of(":2"), "no manifold named in ':2'; write it as in sphere:2 x torus:1");
  EXPECT_NE(error_of("sphere:2 torus:1"), "no error");
  EXPECT_NE(error_of("sphere:2 * torus:1"), "no error");
}

}  // namespace
}  // namespace riemflow
