#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <tuple>

#include "riemflow/core/error.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {
namespace {

class ModelRefusal : public ::testing::Test {
 protected:
  ModelRefusal() {
    FlowConfig config;
    config.field.width = 4;
    config.field.depth = 2;
    good = model_to_tensors(make_model(Flow<float>(config, 1, 1)));
  }

  /// "" if the content is a model, else the message, whose fault must be bad_data.
  static std::string answer(SafeTensors content) {
    try {
      model_from_tensors(std::move(content), "m.safetensors");
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::bad_data);
      EXPECT_TRUE(std::string(error.what()).starts_with("m.safetensors: ")) << error.what();
      return error.what();
    }
    return "";
  }
  /// After a change to the good content.
  std::string after(const std::function<void(SafeTensors&)>& change) const {
    SafeTensors content = good;
    change(content);
    return answer(std::move(content));
  }
  std::string with(const char* key, const std::string& value) const {
    return after([&](SafeTensors& content) { content.metadata[key] = value; });
  }
  static bool has(const std::string& message, const std::string& part) {
    if (message.find(part) != message.npos) return true;
    ADD_FAILURE() << message;
    return false;
  }

  SafeTensors good;
};

TEST_F(ModelRefusal, TheGoodOneIsTaken) {
  EXPECT_EQ(answer(good), "");
  EXPECT_EQ(good.tensors.size(), 9u);
}

TEST_F(ModelRefusal, FormatAndVersion) {
  EXPECT_TRUE(has(answer({}), "not a model of riemflow"));
  EXPECT_TRUE(has(with("format", "pt"), "not a model of riemflow"));
  for (const char* version : {"2", "10", "99999999999999999999"})
    EXPECT_TRUE(has(
        with("format_version", version),
        "written by a newer riemflow (format \"" + std::string(version) + "\", this one reads 1); use that"));
  for (const char* version : {"", "0", "-1", "1.0", "one", " 1", "1 "})
    EXPECT_TRUE(has(with("format_version", version), "format_version is")) << version;
}

TEST_F(ModelRefusal, MissingKeys) {
  for (const char* key : {"format", "format_version", "precision", "manifold", "config"})
    EXPECT_NE(after([&](SafeTensors& content) { content.metadata.erase(key); }), "") << key;
  for (const char* key : {"riemflow_version", "seed", "data_sha256", "data_name", "provenance", "base"}) {
    EXPECT_TRUE(good.metadata.contains(key)) << key;
    EXPECT_EQ(after([&](SafeTensors& content) { content.metadata.erase(key); }), "") << key;
  }
  EXPECT_TRUE(
      has(after([](SafeTensors& content) { content.metadata.erase("precision"); }), "has no precision"));
}

TEST_F(ModelRefusal, ContradictoryMetadata) {
  EXPECT_TRUE(has(with("manifold", "torus:2"), "\"torus:2\", but \"sphere:2\""));
  EXPECT_TRUE(has(with("precision", "half"), "its precision is \"half\""));
  EXPECT_TRUE(has(with("precision", "double"), "tensor input.0.weight is F32 [4, 3], expected F64 [4, 3]"));
  EXPECT_TRUE(has(with("config", "{"), "not JSON"));
  std::string config = good.metadata.at("config");
  config.replace(config.find("\"width\":4"), 9, "\"widht\":4");
  EXPECT_TRUE(has(with("config", config), "perhaps you meant width"));
  // Settings that nobody may give are damage in a file: its fault, not the user's.
  for (const auto& [was, is, problem] : {std::tuple("\"kinetic\":0.0", "\"kinetic\":-1.0", "weight is -1"),
                                         std::tuple("\"probes\":1", "\"probes\":5000", "probes is 5000"),
                                         std::tuple("\"kind\":\"default\",\"components\":0",
                                                    "\"kind\":\"default\",\"components\":7", "has none")}) {
    config = good.metadata.at("config");
    ASSERT_NE(config.find(was), config.npos) << config;
    config.replace(config.find(was), std::string(was).size(), is);
    EXPECT_TRUE(has(with("config", config), problem));
  }
  // Petabytes, were they asked for before the tensors are looked at.
  config = good.metadata.at("config");
  config.replace(config.find("\"width\":4,\"depth\":2"), 19, "\"width\":65536,\"depth\":1000");
  EXPECT_TRUE(has(with("config", config), "more weights than any memory takes"));
}

TEST_F(ModelRefusal, Tensors) {
  EXPECT_TRUE(has(after([](SafeTensors& c) { c.tensors.pop_back(); }),
                  "tensor output.bias is missing, expected F32 [3, 1]"));
  EXPECT_TRUE(has(after([](SafeTensors& c) {
                    c.tensors[0].shape = {3, 4};
                  }),
                  "tensor input.0.weight is F32 [3, 4], expected F32 [4, 3]"));
  EXPECT_TRUE(has(after([](SafeTensors& c) { c.tensors[0].shape = {12}; }), "is F32 [12], expected"));
  EXPECT_TRUE(has(after([](SafeTensors& c) { c.tensors[0].bytes.pop_back(); }), "47 bytes"));
  EXPECT_TRUE(
      has(after([](SafeTensors& c) { c.tensors[0].dtype = DType::I64; }), "is I64 [4, 3], expected F32"));
  EXPECT_TRUE(has(after([](SafeTensors& c) { c.tensors[3].name = "hidden.2.weight"; }),
                  "tensor hidden.1.weight is missing"));
  EXPECT_TRUE(has(after([](SafeTensors& c) { c.tensors.push_back(make_tensor<float>("extra\n", {0}, {})); }),
                  "tensor \"extra\\n\" is none of the field's"));
  EXPECT_TRUE(has(after([](SafeTensors& c) { c.tensors.push_back(c.tensors[0]); }), "stands twice"));
  EXPECT_EQ(after([](SafeTensors& c) { c.tensors.push_back(make_tensor<float>("state.extra", {0}, {})); }),
            "");
  EXPECT_EQ(after([](SafeTensors& c) { std::swap(c.tensors[0], c.tensors[5]); }), "");
}

TEST_F(ModelRefusal, NumbersThatAreNone) {
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    SafeTensors content = good;
    ASSERT_EQ(content.tensors[3].name, "hidden.1.weight");
    std::memcpy(content.tensors[3].bytes.data() + 4 * 6, &value, 4);
    EXPECT_TRUE(has(answer(content), fmt::format("tensor hidden.1.weight is {} at [1, 2]", value)));
  }
}

TEST_F(ModelRefusal, MakeFlowChecksAsWell) {
  const Model model = model_from_tensors(good, "m.safetensors");
  EXPECT_NO_THROW(make_flow<float>(model, 1));
  EXPECT_THROW(make_flow<double>(model, 1), Error);
  Model missing = model, wide = model;
  std::get<std::vector<float>>(std::get<FlowParameters>(missing.content).values).pop_back();
  EXPECT_THROW(make_flow<float>(missing, 1), Error);
  wide.config.field.width = 5;
  EXPECT_THROW(make_flow<float>(wide, 1), Error);
  EXPECT_THROW(make_flow<float>(model, -1), Error);
  Model base = model;
  base.metadata["base"] = "dfault";
  try {
    make_flow<float>(base, 1);
    ADD_FAILURE() << "a base that is nowhere";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::bad_data) << error.what();
  }
}

}  // namespace
}  // namespace riemflow
