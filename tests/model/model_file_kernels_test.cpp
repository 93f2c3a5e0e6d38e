#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "riemflow/model/kernel_density.hpp"
#include "riemflow/model/model_content.hpp"
#include "tests/kernel/kernel_cases.hpp"
#include "tests/model/changed_model.hpp"

namespace riemflow {
namespace {

KernelParameters some_kernels(const char* manifold, double stretch) {
  return density_test::kernels_on(parse_manifold<double>(manifold), 4, 0.1, 2, stretch, 31);
}

Model flow_over_kernels() {
  FlowConfig config;
  config.field.width = 4;
  config.field.depth = 1;
  const auto base =
      std::make_shared<KernelMixture>(parse_manifold<double>("sphere:2"), some_kernels("sphere:2", 2));
  return make_model(*make_transport<float>(config, 1, 1, Device::cpu, base));
}

TEST(ModelFileKernels, ComeBackBitForBit) {
  for (const char* manifold : {"sphere:2", "torus:2", "ball:2", "euclidean:1", "sphere:2 x torus:1"})
    for (const double stretch : {1.0, 2.0}) {
      const KernelParameters kernels = some_kernels(manifold, stretch);
      const Model read = through_a_file(make_model(manifold, kernels));
      EXPECT_EQ(read.config.model, ModelKind::kde);
      const KernelParameters& back = kernels_of(read)->parameters();
      EXPECT_EQ(back.centres.values, kernels.centres.values);
      EXPECT_EQ(back.weights, kernels.weights);
      EXPECT_EQ(back.bandwidths, kernels.bandwidths);
      EXPECT_EQ(back.shapes, kernels.shapes);
      EXPECT_EQ(back.wide, kernels.wide);
      const auto density = make_density(read, {0, 1});
      KernelDensity expected(manifold, kernels, 1);
      const Points<double> points = expected.sample(20, 1).frames.back();
      EXPECT_EQ(density->log_prob(points).values, expected.log_prob(points).values);
      EXPECT_THROW(make_flow<double>(read, 1), Error);
      EXPECT_THROW(make_density(read, {0, 1, Device::cuda}), Error);
    }
}

/// Trees are built when a model is read, and never again.
TEST(ModelFileKernels, AreBuiltOnce) {
  const Model read = through_a_file(make_model("sphere:2", some_kernels("sphere:2", 1)));
  const Model copy = read, pool = make_pool({read}, {1});
  for (const Model* model : {&read, &copy, &pool}) {
    const auto density = make_density(*model, {0, 1});
    EXPECT_EQ(&std::get<const KernelDensity*>(density->parts().front().density)->kernels(),
              kernels_of(read).get());
  }
  const Model flow = through_a_file(flow_over_kernels());
  EXPECT_EQ(make_flow<float>(flow, 1)->exact_base(), kernels_of(flow));
}

TEST(ModelFileKernels, AFlowBringsItsBaseAlong) {
  const Model model = flow_over_kernels(), read = through_a_file(model);
  EXPECT_EQ(read.metadata.at("base"), "kde");
  const auto flow = make_flow<float>(read, 1), again = make_flow<float>(model, 1);
  EXPECT_EQ(flow->base_name(), "kde");
  const Points<float> points = flow->sample(30, 2).frames.back();
  EXPECT_EQ(flow->log_prob(points).values, again->log_prob(points).values);
  EXPECT_NO_THROW(make_model(*flow));
  EXPECT_EQ(tensors_of(make_model(*flow)), tensors_of(model));
}

TEST(ModelFileKernels, RefusesWhatIsNoKernelDensity) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const Model alone = make_model("sphere:2", some_kernels("sphere:2", 2)), flow = flow_over_kernels();
  for (const auto& [model, prefix] : {std::pair{alone, std::string()}, {flow, std::string(kBasePrefix)}}) {
    EXPECT_EQ(refusal(model, [](SafeTensors&) {}), "");
    for (const double bad : {-1.0, 0.0, nan, inf, 1e10})
      expect_refused(refusal(model, set(prefix + "bandwidths", 1, bad)), "bandwidth 1 is ");
    for (const double bad : {-1.0, nan, inf, 2.0})
      expect_refused(refusal(model, set(prefix + "weights", 2, bad)), "weight 2 is ");
    expect_refused(refusal(model, set(prefix + "weights", 2, 0)), "the weights add up to");
    for (const double bad : {0.0, nan, inf, -1.0, 1.5})
      expect_refused(refusal(model, set(prefix + "wide", 0, bad)), "the share of the wide component is");
    for (const double bad : {7.0, nan, inf})
      expect_refused(refusal(model, set(prefix + "centres", 3, bad)), "centre 1 is not on sphere:2");
    for (const double bad : {-1e9, nan, inf})
      expect_refused(refusal(model, set(prefix + "shapes", 0, bad)), "kernel 0 is not positive definite");
    for (const std::string name : {"centres", "weights", "bandwidths", "wide", "shapes"}) {
      if (name != "shapes") expect_refused(refusal(model, without(prefix + name)), name + " is missing");
      expect_refused(
          refusal(model,
                  [&, p = prefix](SafeTensors& content) { tensor(content, p + name).dtype = DType::I64; }),
          name + " is I64");
      expect_refused(refusal(model,
                             [&, p = prefix](SafeTensors& content) {
                               Tensor& t = tensor(content, p + name);
                               t.shape = {t.shape[0] * t.shape[1]};
                             }),
                     name + " is F64 [");
    }
    expect_refused(refusal(model,
                           [p = prefix](SafeTensors& content) {
                             content.tensors.push_back(make_tensor<double>(
                                 p + "more", {1, 1}, std::span<const double>(std::vector<double>{1})));
                           }),
                   "none of a kernel density's");
  }
  expect_refused(refusal(alone, [](SafeTensors& content) { content.metadata["precision"] = "float"; }),
                 "a kernel density of precision");
  // A flow that says it has another base has tensors too many.
  expect_refused(refusal(flow, [](SafeTensors& content) { content.metadata["base"] = "default"; }),
                 "is none of the field's");
  EXPECT_NE(refusal(flow,
                    [](SafeTensors& content) {
                      std::string& config = content.metadata["config"];
                      config.replace(config.find("riemannian"), 10, "stereographic");
                    }),
            "");
}

}  // namespace
}  // namespace riemflow
