#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>

#include "riemflow/core/error.hpp"
#include "riemflow/model/config_json.hpp"

namespace riemflow {
namespace {

const std::string kDefaults =
    R"({"model":"riemannian","manifold":"sphere:2",)"
    R"("field":{"width":64,"depth":3,"activation":"tanh","input":"linear","scaling":"unit","frequency":8.0,"bound":0.0},)"
    R"("divergence":{"estimator":"exact","noise":"rademacher","probes":1},)"
    R"("solver":{"method":"dopri5","rtol":1e-05,"atol":1e-05,"max_evaluations":10000,"fixed_steps":0,)"
    R"("tape_bytes":268435456},)"
    R"("regularisation":{"kinetic":0.0,"frobenius":0.0},"base":{"kind":"default","components":0}})";

/// The defaults with one piece of text replaced.
std::string with(const std::string& old, const std::string& text) {
  std::string config = kDefaults;
  const std::size_t at = config.find(old);
  EXPECT_NE(at, config.npos) << old;
  return config.replace(at, old.size(), text);
}

/// "" if the text is taken, else the message.
std::string answer(const std::string& text) {
  try {
    config_from_json(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::configuration);
    return error.what();
  }
  return "";
}

TEST(ConfigJson, TheTextIsReadable) {
  EXPECT_EQ(config_to_json(FlowConfig{}), kDefaults);
  EXPECT_EQ(config_to_json(config_from_json(kDefaults)), kDefaults);
}

TEST(ConfigJson, FilesFromBeforeLearnedBasesAreRead) {
  EXPECT_EQ(config_to_json(config_from_json(with(R"("frequency":8.0,)", ""))), kDefaults);
  const std::string base = R"(,"base":{"kind":"default","components":0})";
  EXPECT_EQ(config_to_json(config_from_json(with(base, ""))), kDefaults);
  const auto based = [&](const std::string& text) { return answer(with(base, ",\"base\":" + text)); };
  EXPECT_EQ(based(R"({"kind":"vmf-mixture","components":7})"), "");
  EXPECT_NE(based(R"({"kind":"vmf-mixture","components":0})").find("components"), std::string::npos);
  EXPECT_NE(based(R"({"kind":"vmf-mixture","components":1000000000})").find("components"), std::string::npos);
  EXPECT_NE(based(R"({"kind":"default","components":7})").find("has none"), std::string::npos);
  EXPECT_NE(based(R"({"kind":"vmf-mixture"})").find("base.components is missing"), std::string::npos);
}

TEST(ConfigJson, FilesWithoutAModelAreRiemannianFlows) {
  EXPECT_EQ(config_to_json(config_from_json(with(R"("model":"riemannian",)", ""))), kDefaults);
  EXPECT_NE(answer(with("riemannian", "riemanian")).find("perhaps you meant riemannian?"), std::string::npos);
  EXPECT_NE(answer(with("riemannian", "wrapped")).find("no wrapped chart"), std::string::npos);
  EXPECT_NE(answer(with("riemannian", "autoregressive")).find("one factor"), std::string::npos);
  for (const char* fine : {"stereographic", "vmf-mixture"}) EXPECT_EQ(answer(with("riemannian", fine)), "");
}

TEST(ConfigJson, EveryFieldComesBack) {
  FlowConfig config;
  config.manifold = "sphere:3,K=0.3 x torus:1";
  config.field = {7, 5, Activation::swish, InputLayer::geodesic, BallScaling::paper, 0.7, 1.0 / 3, 0};
  config.divergence = {DivergenceEstimator::hutchinson, Noise::gaussian, 4};
  config.solver = {.method = "rk4",
                   .rtol = 1e-7,
                   .atol = std::nextafter(1e-9, 1),
                   .max_evaluations = 123,
                   .fixed_steps = 45,
                   .tape_bytes = 6789012345};
  config.regularisation = {0.1, 5e-324};
  const FlowConfig back = config_from_json(config_to_json(config));
  EXPECT_EQ(back.manifold, config.manifold);
  EXPECT_EQ(back.field.width, 7);
  EXPECT_EQ(back.field.depth, 5);
  EXPECT_EQ(back.field.activation, Activation::swish);
  EXPECT_EQ(back.field.input, InputLayer::geodesic);
  EXPECT_EQ(back.field.scaling, BallScaling::paper);
  EXPECT_EQ(back.field.frequency, 0.7);
  EXPECT_EQ(back.field.bound, 1.0 / 3);
  EXPECT_EQ(back.divergence.estimator, DivergenceEstimator::hutchinson);
  EXPECT_EQ(back.divergence.noise, Noise::gaussian);
  EXPECT_EQ(back.divergence.probes, 4);
  EXPECT_EQ(back.solver.method, "rk4");
  EXPECT_EQ(back.solver.rtol, 1e-7);
  EXPECT_EQ(back.solver.atol, config.solver.atol);
  EXPECT_EQ(back.solver.max_evaluations, 123);
  EXPECT_EQ(back.solver.fixed_steps, 45);
  EXPECT_EQ(back.solver.tape_bytes, 6789012345u);
  EXPECT_EQ(back.regularisation.kinetic, 0.1);
  EXPECT_EQ(back.regularisation.frobenius, 5e-324);
}

TEST(ConfigJson, EveryNameOfAnEnum) {
  for (const auto& [key, value] : {std::pair("activation", "tanh"),
                                   {"activation", "swish"},
                                   {"input", "linear"},
                                   {"input", "geodesic"},
                                   {"scaling", "none"},
                                   {"scaling", "unit"},
                                   {"scaling", "paper"}}) {
    const std::string text = "\"" + std::string(key) + "\":\"" + value + "\"";
    const std::size_t at = kDefaults.find("\"" + std::string(key) + "\":");
    const std::string old = kDefaults.substr(at, kDefaults.find(',', at) - at);
    EXPECT_NE(config_to_json(config_from_json(with(old, text))).find(text), std::string::npos) << text;
  }
}

TEST(ConfigJson, AMistypedNameGetsASuggestion) {
  EXPECT_EQ(
      answer(with("\"width\"", "\"widht\"")),
      "field has no setting \"widht\"; perhaps you meant width? the settings are width, depth, activation, "
      "input, scaling, frequency, bound");
  EXPECT_EQ(answer(with("\"tanh\"", "\"tanj\"")),
            "field.activation is \"tanj\"; perhaps you meant tanh? give one of tanh, swish");
  EXPECT_NE(answer(with("\"solver\"", "\"sovler\"")).find("perhaps you meant solver"), std::string::npos);
  EXPECT_EQ(answer(with("\"width\"", "\"banana\"")).find("perhaps"), std::string::npos);
  EXPECT_LT(answer(with("\"width\"", "\"" + std::string(100000, 'w') + "\"")).size(), 300u);
}

TEST(ConfigJson, MissingAndRepeated) {
  EXPECT_EQ(answer(with("\"width\":64,", "")), "field.width is missing; give every setting");
  EXPECT_EQ(answer(with("\"manifold\":\"sphere:2\",", "")), "manifold is missing; give every setting");
  EXPECT_NE(answer(with("\"width\":64,", "\"width\":64,\"width\":64,")).find("\"width\" stands twice"),
            std::string::npos);
  EXPECT_NE(answer("{}").find("missing"), std::string::npos);
}

TEST(ConfigJson, WrongTypes) {
  EXPECT_EQ(answer(with(":64", ":64.0")), "field.width is 64.0; give a whole number up to 2147483647");
  for (const char* value : {"\"64\"", "null", "true", "[64]", "{}", "1e3", "2147483648", "-2147483649",
                            "18446744073709551615", "99999999999999999999"})
    EXPECT_NE(answer(with(":64", std::string(":") + value)).find("field.width is"), std::string::npos)
        << value;
  EXPECT_EQ(answer(with("\"rtol\":1e-05", "\"rtol\":\"1e-05\"")), "solver.rtol is \"1e-05\"; give a number");
  EXPECT_EQ(answer(with("\"tanh\"", "0")), "field.activation is 0; give one of tanh, swish");
  EXPECT_EQ(answer(with("\"sphere:2\"", "2")), "manifold is 2; give a string");
  EXPECT_NE(answer(with("268435456", "-1")).find("solver.tape_bytes is -1"), std::string::npos);
  EXPECT_EQ(answer(with("{\"kinetic\":0.0,\"frobenius\":0.0}", "[]")),
            "regularisation is []; give an object");
  EXPECT_EQ(answer("[]"), "the configuration is []; give an object");
  EXPECT_EQ(answer(with("\"bound\":0.0", "\"bound\":2")), "");
}

TEST(ConfigJson, OutOfRange) {
  for (const auto& [old, text] : {std::pair(":64", ":0"),
                                  {":64", ":65537"},
                                  {"\"depth\":3", "\"depth\":0"},
                                  {"\"bound\":0.0", "\"bound\":-1"},
                                  {"\"probes\":1", "\"probes\":0"},
                                  {"\"rtol\":1e-05", "\"rtol\":0"},
                                  {"\"atol\":1e-05", "\"atol\":1e999"},
                                  {"dopri5", "euler"},
                                  {"dopri5", "rk4"},
                                  {"\"kinetic\":0.0", "\"kinetic\":-1"},
                                  {"sphere:2", "sphere"},
                                  {"sphere:2", "sphere:2,K=-1"},
                                  {"\"fixed_steps\":0", "\"fixed_steps\":-1"}})
    EXPECT_NE(answer(with(old, text)), "") << text;
}

TEST(ConfigJson, NotJson) {
  EXPECT_NE(answer(""), "");
  EXPECT_NE(answer(kDefaults + "x"), "");
  EXPECT_NE(answer(kDefaults + std::string(1, '\0')), "");
  EXPECT_NE(answer(kDefaults.substr(0, 100)), "");
  EXPECT_NE(answer(std::string(100000, '[')).find("deep"), std::string::npos);
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  EXPECT_NE(answer(objects).find("deep"), std::string::npos);
  std::string factors = "torus:4096";
  for (int i = 0; i < 600000; ++i) factors += " x torus:4096";
  EXPECT_NE(answer(with("sphere:2", factors)).find("too long"), std::string::npos);
}

}  // namespace
}  // namespace riemflow
