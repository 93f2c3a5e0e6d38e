#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "riemflow/model/mixture_density.hpp"
#include "tests/model/changed_model.hpp"

namespace riemflow {
namespace {

template <class T>
Model flow_model(const std::string& manifold, std::uint64_t seed) {
  FlowConfig config;
  config.manifold = manifold;
  config.field.width = 4;
  config.field.depth = 1;
  config.solver.rtol = config.solver.atol = 1e-4;
  Model model = make_model<T>(*make_transport<T>(config, seed, 1));
  model.metadata["name"] = "flow " + std::to_string(seed);
  model.state.push_back(make_tensor<double>("state.x", {1}, std::span<const double>(std::vector<double>{1})));
  return model;
}

Model mixture_model() {
  MixtureParameters p{Points<double>(2, 3), {0.25, 0.75}, {3, 1e4}};
  p.means.values = {0, 0.6, 0.8, 1, 0, 0};
  return make_model("sphere:2", p);
}

Model small_pool() {
  return make_pool({flow_model<float>("sphere:2", 1), mixture_model(), flow_model<float>("sphere:2", 2)},
                   {0.2, 0.5, 0.3});
}

TEST(ModelFilePool, HoldsItsMembersWhole) {
  const Model read = through_a_file(small_pool());
  EXPECT_EQ(read.config.model, ModelKind::pool);
  EXPECT_EQ(precision_of(read), "float");
  const Pool& pool = pool_of(read);
  EXPECT_EQ(pool.weights, (std::vector<double>{0.2, 0.5, 0.3}));
  ASSERT_EQ(pool.members.size(), 3u);
  const Model flow = flow_model<float>("sphere:2", 2);
  EXPECT_EQ(tensors_of(pool.members[2]), tensors_of(flow));
  EXPECT_EQ(pool.members[2].metadata.at("name"), "flow 2");
  EXPECT_TRUE(pool.members[2].state.empty());
  EXPECT_EQ(tensors_of(pool.members[1]), tensors_of(mixture_model()));
  const auto density = make_density(read, {0, 1});
  const Points<double> points = density->sample(50, 1).frames.back();
  const auto own = density->log_prob(points).values,
             a = make_density(flow_model<float>("sphere:2", 1), {0, 1})->log_prob(points).values,
             b = make_density(mixture_model(), {0, 1})->log_prob(points).values,
             c = make_density(flow, {0, 1})->log_prob(points).values;
  for (std::size_t i = 0; i < points.size(); ++i)
    EXPECT_NEAR(own[i], std::log(0.2 * std::exp(a[i]) + 0.5 * std::exp(b[i]) + 0.3 * std::exp(c[i])), 1e-5);
}

TEST(ModelFilePool, OfPoolsIsAPoolAndWhatHasNoWeightIsLeftOut) {
  const Model outer = make_pool({small_pool(), mixture_model(), flow_model<float>("sphere:2", 9)}, {1, 3, 0});
  const Pool pool = pool_of(through_a_file(outer));
  ASSERT_EQ(pool.members.size(), 4u);
  for (const auto& [m, weight] : {std::pair{0, 0.05}, {1, 0.125}, {2, 0.075}, {3, 0.75}})
    EXPECT_NEAR(pool.weights[static_cast<std::size_t>(m)], weight, 1e-15);
}

TEST(ModelFilePool, LeadingFlow) {
  EXPECT_EQ(leading_flow(small_pool())->metadata.at("name"), "flow 2");
  EXPECT_FALSE(leading_flow(mixture_model()).has_value());
  EXPECT_FALSE(leading_flow(make_pool({mixture_model()}, {1})).has_value());
  EXPECT_EQ(leading_flow(flow_model<double>("torus:2", 3))->metadata.at("name"), "flow 3");
}

TEST(ModelFilePool, RefusesMembersThatDoNotGoTogether) {
  EXPECT_THROW(make_pool({flow_model<float>("sphere:2", 1), flow_model<float>("torus:2", 1)}, {1, 1}), Error);
  EXPECT_THROW(make_pool({flow_model<float>("sphere:2", 1), flow_model<double>("sphere:2", 1)}, {1, 1}),
               Error);
  EXPECT_THROW(make_pool({}, {}), Error);
  EXPECT_THROW(make_pool({mixture_model()}, {0}), Error);
  EXPECT_EQ(precision_of(make_pool({mixture_model(), flow_model<double>("sphere:2", 1)}, {1, 1})), "double");
}

void expect_refused(const Change& change, const std::string& part) {
  riemflow::expect_refused(refusal(small_pool(), change), part);
}

Change weight(std::size_t m, double value) { return set("weights", m, value); }
Change metadata(const char* key, const std::string& value) {
  return [=](SafeTensors& content) { content.metadata[key] = value; };
}
Change renamed(const char* from, const char* to) {
  return [=](SafeTensors& content) { tensor(content, from).name = to; };
}

TEST(ModelFilePool, RefusesAnythingElse) {
  EXPECT_EQ(refusal(small_pool(), [](SafeTensors&) {}), "");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, -0.5, nan, 2.0, std::numeric_limits<double>::infinity()})
    expect_refused(weight(1, bad), "weight 1 is ");
  expect_refused(weight(1, 0.4), "the weights add up to 0.9");
  expect_refused(renamed("weights", "member.0.weights"), "tensor weights is missing");
  expect_refused([](SafeTensors& content) { tensor(content, "weights").dtype = DType::I64; },
                 "tensor weights is I64");
  expect_refused(
      [](SafeTensors& content) {
        tensor(content, "weights").shape = {1, 3};
      },
      "tensor weights is F64 [1, 3]");
  for (const char* key : {"config", "precision"}) {
    expect_refused([&](SafeTensors& content) { content.metadata.erase(std::string("member.1.") + key); },
                   std::string("no member.1.") + key);
  }
  expect_refused(metadata("member.1.config", "{}"), "member 1: ");
  expect_refused(metadata("member.1.precision", "half"), "member 1: ");
  expect_refused(metadata("member.0.precision", "double"), "member 0 is of precision \"double\"");
  expect_refused(metadata("member.3.name", "x"), "member.3.name\" has no weight");
  expect_refused(renamed("member.1.means", "member.1.meens"), "member 1: ");
  expect_refused(renamed("member.1.means", "member.9.means"), "is none of its members'");
  expect_refused(renamed("member.1.means", "member.01.means"), "is none of its members'");
  expect_refused(renamed("member.1.means", "member.99999999999999999999.means"), "is none of its members'");
  expect_refused(renamed("member.1.means", "member.means"), "is none of its members'");
  expect_refused(renamed("member.1.means", "means"), "is none of its members'");
  expect_refused(
      [](SafeTensors& content) {
        std::string& config = content.metadata["member.1.config"];
        config.replace(config.find("vmf-mixture"), 11, "pool");
      },
      "member 1 is a pool");
  expect_refused(
      [](SafeTensors& content) {
        std::string& config = content.metadata["member.1.config"];
        config.replace(config.find("sphere:2"), 8, "sphere:3");
      },
      "member 1 is on \"sphere:3\", the pool on \"sphere:2\"");
  expect_refused(
      [](SafeTensors& content) {
        for (Tensor& t : content.tensors)
          if (t.name.starts_with("member.0.")) std::memset(t.bytes.data(), 0xFF, t.bytes.size());  // NaN
      },
      "member 0: ");
}

TEST(ModelFilePool, CutOffAnywhereIsBadData) {
  const std::vector<std::byte> bytes = serialise(model_to_tensors(small_pool()));
  for (std::size_t n = 0; n < bytes.size(); n += 97) {
    try {
      model_from_tensors(parse_safetensors(std::span(bytes).first(n), "cut"), "cut");
      ADD_FAILURE() << n;
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::bad_data) << n;
    }
  }
}

}  // namespace
}  // namespace riemflow
