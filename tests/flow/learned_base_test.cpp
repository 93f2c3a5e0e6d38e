// A flow whose base is learned with it: gradients, mass, threads, what refuses it.

#include <gtest/gtest.h>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/cubature.hpp"
#include "riemflow/model/mass.hpp"
#include "tests/flow/flows.hpp"
#include "tests/flow/linear_target.hpp"

namespace riemflow {
namespace {

using namespace test;

FlowConfig mixture_config(int components = 3) {
  FlowConfig config = small_config("sphere:2");
  config.field.width = 6;
  config.base = {BaseKind::vmf_mixture, components};
  return config;
}

TEST(LearnedBase, GradientAgainstDifferences) {
  FlowConfig config = mixture_config();
  config.solver.method = "rk4";
  config.solver.fixed_steps = 6;  // differences see the same steps
  Flow<double> flow(config, 3, 1);
  const Points<double> points = flow.sample(40, 5).frames.back();
  std::vector<double> gradient(flow.parameters().size());
  flow.gradient_of(LikelihoodBatch{points}, gradient);
  EXPECT_EQ(flow.layout().blocks().back().name, "base.log_concentration");
  EXPECT_EQ(flow.layout().size(), gradient.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    if (i % 5 != 0 && i + 15 < gradient.size()) continue;  // a few of the field's, all of the base's
    constexpr double h = 1e-4;
    const double before = flow.parameters()[i];
    const auto at = [&](double shift) {
      flow.parameters()[i] = before + shift;
      return -flow.log_prob(points).mean();
    };
    const double slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    flow.parameters()[i] = before;
    EXPECT_NEAR(gradient[i], slope, 1e-8) << "parameter " << i;
  }
}

TEST(LearnedBase, MassIsOneAndDrawsComeFromIt) {
  for (const std::uint64_t seed : {1u, 2u}) {
    const auto flow = random_flow<double>(mixture_config(), seed);
    const auto exact = in_double(*flow, flow->config());
    EXPECT_NEAR(flow_mass(*exact, {}).integral.value, 1, 2e-4);
    // Moved with the parameters, draws too: a mean at the pole with a large κ.
    const auto base = flow->parameters().last(15);
    for (std::size_t k = 0; k < 3; ++k) {
      base[3 + 3 * k] = base[4 + 3 * k] = 0;
      base[5 + 3 * k] = 2;
      base[12 + k] = 10;
    }
    const Points<double> draws = flow->sample_base(50, 1);
    for (std::size_t i = 0; i < draws.size(); ++i) EXPECT_GT(draws[i][2], 0.99);
    EXPECT_GT(flow->log_base(draws)[0], 3);
  }
}

TEST(LearnedBase, ThreadsDoNotChangeABit) {
  const auto one = random_flow<float>(mixture_config(7), 4, 1),
             two = random_flow<float>(mixture_config(7), 4, 2);
  const Points<float> points = one->sample(300, 5).frames.back();
  for (const bool matching : {false, true}) {
    std::vector<float> a(one->parameters().size()), b(a);
    const auto gradient = [&](Flow<float>& flow, std::span<float> g) {
      return matching ? flow.gradient_of(MatchingBatch{points}, g, {{1, 2}}).total
                      : flow.gradient_of(LikelihoodBatch{points}, g).total;
    };
    EXPECT_EQ(gradient(*one, a), gradient(*two, b));
    EXPECT_EQ(a, b);
    // Flow matching leaves the base as it is.
    EXPECT_EQ(a.back() == 0, matching);
  }
}

TEST(LearnedBase, RefusedWhereItCannotBe) {
  const auto refused = [](auto change) {
    FlowConfig config = mixture_config();
    change(config);
    EXPECT_THROW(make_transport<float>(config, 0, 1), Error);
  };
  refused([](FlowConfig& c) { c.manifold = "torus:2"; });
  refused([](FlowConfig& c) { c.manifold = "sphere:2,K=2"; });
  refused([](FlowConfig& c) { c.manifold = "sphere:2 x sphere:2"; });
  refused([](FlowConfig& c) { c.model = ModelKind::stereographic; });
  refused([](FlowConfig& c) { c.base.components = 0; });
  EXPECT_THROW(make_transport<float>(mixture_config(), 0, 1, Device::cuda), Error);
  EXPECT_NO_THROW(make_transport<float>(mixture_config(), 0, 1, Device::automatic));
  Flow<double> flow(mixture_config(), 0, 1);
  EXPECT_THROW(flow.check_target(LinearTarget<double>({1, 0, 0})), Error);
}

}  // namespace
}  // namespace riemflow
