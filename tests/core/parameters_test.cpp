// The parameter vector: its layout, how it starts, and the working weights made from it.

#include "riemflow/core/parameters.hpp"

#include <gtest/gtest.h>

#include <map>

#include "riemflow/core/error.hpp"
#include "riemflow/flow/field/vector_field.hpp"
#include "riemflow/manifold/parse.hpp"
#include "tests/flow/field/correspondence.hpp"

namespace riemflow {
namespace {

using namespace test;

template <class T>
VectorField<T> make_field(const FieldSpec& spec) {
  return {std::shared_ptr<const Manifold<T>>(parse_manifold<T>(manifold_name(spec))), field_config(spec)};
}

TEST(ParameterLayout, NamesAndShapesOfAProduct) {
  const FieldSpec spec{{{Kind::sphere, 2, 1}, {Kind::torus, 3}, {Kind::ball, 2, -1}}, 7, 3, {}, true};
  struct Expected {
    const char* name;
    int rows, columns;
  };
  const std::vector<Expected> expected = {
      {"input.0.weight", 7, 3},  {"input.1.weight", 7, 6},  {"input.2.weight", 7, 2}, {"input.time", 7, 1},
      {"input.bias", 7, 1},      {"hidden.1.weight", 7, 7}, {"hidden.1.time", 7, 1},  {"hidden.1.bias", 7, 1},
      {"hidden.2.weight", 7, 7}, {"hidden.2.time", 7, 1},   {"hidden.2.bias", 7, 1},  {"output.weight", 8, 7},
      {"output.time", 8, 1},     {"output.bias", 8, 1}};
  const VectorField<float> field = make_field<float>(spec);
  const auto& blocks = field.layout().blocks();
  ASSERT_EQ(blocks.size(), expected.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(blocks[i].name, expected[i].name);
    EXPECT_EQ(blocks[i].rows, expected[i].rows) << blocks[i].name;
    EXPECT_EQ(blocks[i].columns, expected[i].columns) << blocks[i].name;
  }
}

TEST(ParameterLayout, IsContiguousAndAsLongAsTheReferences) {
  for (const auto& [name, spec] : reference::cases()) {
    const VectorField<double> field = make_field<double>(spec);
    std::size_t offset = 0;
    for (const ParameterBlock& block : field.layout().blocks()) {
      EXPECT_EQ(block.offset, offset) << name << " " << block.name;
      offset += block.size();
    }
    EXPECT_EQ(field.layout().size(), offset) << name;
    EXPECT_EQ(offset, static_cast<std::size_t>(reference::parameter_count(spec))) << name;
    EXPECT_EQ(field.initial_parameters(3).size(), offset) << name;
  }
}

TEST(InitialParameters, FillTheRangeOfTheirFanIn) {
  const FieldSpec spec{{{Kind::sphere, 2, 1}}, 64, 3};
  const VectorField<double> field = make_field<double>(spec);
  const std::vector<double> parameters = field.initial_parameters(5);
  for (const ParameterBlock& block : field.layout().blocks()) {
    const double range = 1 / std::sqrt(block.name.starts_with("input") ? 4.0 : 65.0);
    double squares = 0, largest = 0;
    for (std::size_t i = block.offset; i < block.offset + block.size(); ++i) {
      squares += parameters[i] * parameters[i];
      largest = std::max(largest, std::abs(parameters[i]));
    }
    EXPECT_LE(largest, range) << block.name;
    if (block.size() >= 64) {
      const auto n = static_cast<double>(block.size());
      // The square of a uniform number in ±r has mean r²/3 and variance 4r⁴/45.
      EXPECT_NEAR(squares / n, range * range / 3, 4.5 * range * range * std::sqrt(4 / 45.0 / n))
          << block.name;
    }
  }
}

TEST(InitialParameters, WavesHaveTheFrequencyAndAnyPhase) {
  FieldConfig config;
  config.width = 400;
  config.input = InputLayer::fourier;
  config.frequency = 3;
  const VectorField<double> field(parse_manifold<double>("sphere:2"), config);
  const std::vector<double> parameters = field.initial_parameters(2);
  for (const ParameterBlock& block : field.layout().blocks()) {
    double squares = 0;
    for (std::size_t i = block.offset; i < block.offset + block.size(); ++i)
      squares += parameters[i] * parameters[i] / static_cast<double>(block.size());
    const std::map<std::string, std::pair<double, double>> expected = {
        {"input.0.weight", {9, 4.5 * 9 * std::sqrt(2 / 1200.0)}},
        {"input.bias", {3.29, 0.7}},  // π²/3
        {"input.time", {1 / 12.0, 0.02}},
        {"hidden.1.weight", {1 / 1203.0, 1e-4}}};
    if (const auto found = expected.find(block.name); found != expected.end()) {
      EXPECT_NEAR(squares, found->second.first, found->second.second) << block.name;
    }
  }
}

TEST(InitialParameters, DependOnTheSeedAlone) {
  const FieldSpec spec{{{Kind::ball, 2, -1}}, 9, 2, {}, true};
  const auto parameters = make_field<double>(spec).initial_parameters(1);
  EXPECT_EQ(parameters, make_field<double>(spec).initial_parameters(1));
  EXPECT_NE(parameters, make_field<double>(spec).initial_parameters(2));
  const auto single = make_field<float>(spec).initial_parameters(1);
  for (std::size_t i = 0; i < parameters.size(); ++i) EXPECT_EQ(single[i], static_cast<float>(parameters[i]));
}

TEST(WorkingWeights, OfALinearFieldAreTheParameters) {
  for (const auto& [name, spec] : reference::cases()) {
    if (spec.geodesic) continue;
    const VectorField<double> field = make_field<double>(spec);
    const std::vector<double> parameters = field.initial_parameters(7);
    std::vector<double> working(field.working_size()), gradient(parameters.size());
    field.prepare(parameters, working.data());
    EXPECT_EQ(working, parameters) << name;
    field.pull_back(parameters, working.data(), gradient);
    EXPECT_EQ(gradient, parameters) << name;
  }
}

// pull_back is the transposed derivative of prepare: ⟨w̄, prepare(p)⟩ by central differences.
TEST(WorkingWeights, PullBackIsTheTransposedDerivativeOfPrepare) {
  reference::Draw draw{std::mt19937_64{13}};
  for (const auto& [name, spec] : reference::cases()) {
    const VectorField<double> field = make_field<double>(spec);
    const std::vector<double> parameters = draw.parameters(spec);
    std::vector<double> working_bar(field.working_size()), gradient(parameters.size());
    for (double& w : working_bar) w = draw(-1, 1);
    field.pull_back(parameters, working_bar.data(), gradient);
    const auto contracted = [&](const std::vector<double>& p) {
      std::vector<double> working(field.working_size());
      field.prepare(p, working.data());
      return reference::dot(working, working_bar);
    };
    const double step = 1e-5;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      std::vector<double> up = parameters, down = parameters;
      up[i] += step, down[i] -= step;
      EXPECT_NEAR(gradient[i], (contracted(up) - contracted(down)) / (2 * step), 2e-7) << name << ", " << i;
    }
  }
}

// A geodesic neuron with weights zero has no direction; it must not make NaN of the field.
TEST(WorkingWeights, OfANullNeuronAreFinite) {
  for (const FactorSpec& factor : {FactorSpec{Kind::sphere, 2, 1}, FactorSpec{Kind::ball, 2, -1}}) {
    const VectorField<float> field = make_field<float>({{factor}, 4, 2, {}, true});
    const std::vector<float> parameters(field.layout().size(), 0.0f);
    std::vector<float> working(field.working_size()), gradient(parameters.size());
    field.prepare(parameters, working.data());
    for (const float w : working) EXPECT_TRUE(std::isfinite(w));
    field.pull_back(parameters, working.data(), gradient);
    for (const float g : gradient) EXPECT_TRUE(std::isfinite(g));
  }
}

TEST(VectorField, RejectsSizesThatCannotBeMeant) {
  const auto make = [](int width, int depth, double bound) {
    FieldSpec spec{{{Kind::sphere, 2, 1}}, width, depth};
    spec.bound = bound;
    return make_field<double>(spec);
  };
  EXPECT_THROW(make(0, 3, 0), Error);
  EXPECT_THROW(make(64, 0, 0), Error);
  EXPECT_THROW(make(64, 3, -1), Error);
  EXPECT_THROW(make(64, 3, std::nan("")), Error);
  EXPECT_NO_THROW(make(1, 1, 0));
}

}  // namespace
}  // namespace riemflow
