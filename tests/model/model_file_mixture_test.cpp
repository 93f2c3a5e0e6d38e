#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "riemflow/model/mixture_density.hpp"
#include "tests/model/changed_model.hpp"

namespace riemflow {
namespace {

MixtureParameters two_components() {
  MixtureParameters p{Points<double>(2, 3), {0.25, 0.75}, {3, 1e6}};
  p.means.values = {0, 0.6, 0.8, 1, 0, 0};
  return p;
}

TEST(ModelFileMixture, ComesBackBitForBit) {
  for (const char* manifold : {"sphere:2", "sphere:2,K=0.25"}) {
    const Model read = through_a_file(make_model(manifold, two_components()));
    EXPECT_EQ(read.config.model, ModelKind::vmf_mixture);
    EXPECT_EQ(read.config.manifold, manifold);
    EXPECT_EQ(precision_of(read), "double");
    const MixtureParameters mixture = mixture_of(read);
    EXPECT_EQ(mixture.weights, two_components().weights);
    EXPECT_EQ(mixture.means.values, two_components().means.values);
    EXPECT_EQ(mixture.kappas, two_components().kappas);
    const auto density = make_density(read, {0, 1});
    MixtureDensity expected(manifold, two_components(), 1);
    const Points<double> points = expected.sample(20, 1).frames.back();
    EXPECT_EQ(density->log_prob(points).values, expected.log_prob(points).values);
    EXPECT_THROW(make_flow<double>(read, 1), Error);
  }
}

/// What reading says of a mixture that was changed after it was made.
std::string refusal(const Change& change) {
  return refusal(make_model("sphere:2", two_components()), change);
}

Change on_manifold(const std::string& manifold) {
  return [=](SafeTensors& content) {
    std::string& config = content.metadata["config"];
    config.replace(config.find("sphere:2"), 8, manifold);
    content.metadata["manifold"] = manifold;
  };
}

TEST(ModelFileMixture, RefusesNumbersThatAreNone) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal([](SafeTensors&) {}), "");
  for (const double bad : {-1e-3, nan, inf, -inf, 2.0})
    expect_refused(refusal(set("weights", 1, bad)), "weight 1 is ");
  expect_refused(refusal(set("weights", 1, 0.75 + 1e-8)), "the weights add up to 1.00000001");
  EXPECT_EQ(refusal(set("weights", 1, 0.75 + 1e-10)), "");
  for (const double bad : {-1e-300, nan, inf, 1.01e8})
    expect_refused(refusal(set("concentrations", 0, bad)), "concentration 0 is ");
  EXPECT_EQ(refusal(set("concentrations", 0, 0)), "");
  EXPECT_EQ(refusal(set("concentrations", 0, 1e8)), "");
  for (const double bad : {0.0, nan, inf, 1 + 1e-5, 1e200})
    expect_refused(refusal(set("means", 3, bad)), "mean 1 is of length ");
  EXPECT_EQ(refusal(set("means", 3, 1 + 1e-7)), "");
}

TEST(ModelFileMixture, RefusesTensorsThatDoNotFit) {
  for (const char* name : {"weights", "means", "concentrations"}) {
    expect_refused(refusal(without(name)), std::string("tensor ") + name + " is missing");
    expect_refused(refusal([&](SafeTensors& content) { tensor(content, name).dtype = DType::I64; }),
                   std::string("tensor ") + name + " is I64");
    expect_refused(refusal([&](SafeTensors& content) {
                     Tensor& t = tensor(content, name);
                     t.shape = {t.shape[0] * t.shape[1]};
                   }),
                   std::string("tensor ") + name + " is F64 [");
  }
  expect_refused(refusal([](SafeTensors& content) {
                   tensor(content, "concentrations") = make_tensor<double>(
                       "concentrations", {3, 1}, std::span<const double>(std::vector<double>{1, 2, 3}));
                 }),
                 "tensor concentrations is F64 [3, 1]");
  expect_refused(refusal([](SafeTensors& content) {
                   for (Tensor& t : content.tensors) {
                     t.shape[0] = 0;
                     t.bytes.clear();
                   }
                 }),
                 "tensor weights is F64 [0, 1]");
  expect_refused(refusal([](SafeTensors& content) {
                   content.tensors.push_back(
                       make_tensor<double>("more", {1, 1}, std::span<const double>(std::vector<double>{1})));
                 }),
                 "tensors that are none of a mixture's");
  expect_refused(refusal([](SafeTensors& content) { content.metadata["precision"] = "float"; }),
                 "a mixture of precision \"float\"");
  for (const char* manifold : {"torus:2", "ball:2", "sphere:2 x torus:1"})
    expect_refused(refusal(on_manifold(manifold)), "a mixture of von Mises–Fisher distributions on");
  expect_refused(refusal(on_manifold("sphere:3")), "tensor means is F64 [2, 3]");
}

TEST(ModelFileMixture, WhatCannotBeReadBackIsNotWritten) {
  MixtureParameters mixture = two_components();
  mixture.kappas[0] = std::numeric_limits<double>::quiet_NaN();
  try {
    model_to_tensors(make_model("sphere:2", mixture));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::numerical);
  }
  EXPECT_THROW(model_to_tensors(make_model("torus:2", two_components())), Error);
}

}  // namespace
}  // namespace riemflow
