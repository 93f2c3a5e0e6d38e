#include "riemflow/model/model_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/von_mises_fisher.hpp"
#include "riemflow/model/config_json.hpp"

namespace riemflow {
namespace {

namespace fs = std::filesystem;

FlowConfig small(const std::string& manifold) {
  FlowConfig config;
  config.manifold = manifold;
  config.field.width = 5;
  config.field.depth = 2;
  config.solver.rtol = config.solver.atol = 1e-3;
  return config;
}

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

class ModelFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "riemflow-model-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory = pattern;
    path = (directory / "model.safetensors").string();
  }
  void TearDown() override { fs::remove_all(directory); }

  template <class T>
  void expect_round_trip(const FlowConfig& config, std::uint64_t seed) {
    const auto made = make_transport<T>(config, seed, 1);
    Transport<T>& flow = *made;
    flow.parameters()[0] = -T(0);
    flow.parameters()[1] = std::numeric_limits<T>::denorm_min();
    flow.parameters()[2] = std::nextafter(T(1), T(2));
    save_model(path, make_model(flow));
    const Model model = load_model(path);
    EXPECT_EQ(config_to_json(model.config), config_to_json(config));
    const auto back = make_flow<T>(model, 1);
    EXPECT_EQ(config_to_json(back->config()), config_to_json(config));
    EXPECT_TRUE(same_bits<T>(back->parameters(), flow.parameters())) << config.manifold.name();
    const Points<T> points = flow.sample_base(5, 1);
    const LogProb<T> a = flow.log_prob(points), b = back->log_prob(points);
    EXPECT_TRUE(same_bits<T>(a.values, b.values)) << config.manifold.name();
    const std::string first = bytes_of(path);
    save_model(path, model);
    EXPECT_TRUE(bytes_of(path) == first) << config.manifold.name();
  }

  fs::path directory;
  std::string path;
};

TEST_F(ModelFile, ALearnedBaseAndWavesBitForBit) {
  FlowConfig config = small("sphere:2");
  config.base = {BaseKind::vmf_mixture, 4};
  config.field.input = InputLayer::fourier;
  config.field.frequency = 2.5;
  expect_round_trip<float>(config, 1);
  expect_round_trip<double>(config, 2);
}

TEST_F(ModelFile, EveryManifoldBitForBit) {
  for (const char* manifold :
       {"euclidean:1", "euclidean:3", "sphere:1", "sphere:2", "sphere:3,K=0.25", "ball:2", "ball:3,K=-0.7",
        "torus:1", "torus:2", "sphere:2 x torus:1", "euclidean:1 x ball:2 x sphere:1 x torus:1"}) {
    for (const InputLayer input : {InputLayer::linear, InputLayer::geodesic}) {
      FlowConfig config = small(manifold);
      config.field.input = input;
      expect_round_trip<float>(config, 1);
      expect_round_trip<double>(config, 2);
    }
  }
}

TEST_F(ModelFile, EveryKindOfFlowBitForBit) {
  const auto of_kind = [](ModelKind kind, const char* manifold) {
    FlowConfig config = small(manifold);
    config.model = kind;
    return config;
  };
  expect_round_trip<float>(of_kind(ModelKind::stereographic, "sphere:2,K=0.5"), 1);
  expect_round_trip<double>(of_kind(ModelKind::stereographic, "sphere:3"), 2);
  expect_round_trip<float>(of_kind(ModelKind::wrapped, "ball:2"), 3);
  expect_round_trip<double>(of_kind(ModelKind::autoregressive, "torus:3"), 4);
  expect_round_trip<float>(of_kind(ModelKind::autoregressive, "ball:2 x sphere:2"), 5);
}

TEST_F(ModelFile, EveryOptionBitForBit) {
  FlowConfig config = small("ball:2");
  for (const BallScaling scaling : {BallScaling::none, BallScaling::unit, BallScaling::paper}) {
    config.field.scaling = scaling;
    expect_round_trip<float>(config, 1);
  }
  config.field.activation = Activation::swish;
  config.field.bound = 0.7;
  config.field.depth = 1;
  config.field.width = 1;
  expect_round_trip<double>(config, 2);
  config.field.depth = 12;
  for (const Noise noise : {Noise::rademacher, Noise::gaussian}) {
    config.divergence = {DivergenceEstimator::hutchinson, noise, 3};
    expect_round_trip<float>(config, 3);
  }
  config.regularisation = {0.1, 1e-30};
  for (const char* method : {"dopri5", "tsit5", "bosh3"}) {
    config.solver.method = method;
    expect_round_trip<double>(config, 4);
  }
  config.solver.method = "rk4";
  config.solver.fixed_steps = 3;
  config.solver.max_evaluations = 77;
  config.solver.tape_bytes = 0;
  expect_round_trip<float>(config, 5);
}

TEST_F(ModelFile, OtherParametersThanTheFlows) {
  const Flow<float> flow(small("sphere:2"), 1, 1);
  std::vector<float> average(flow.parameters().begin(), flow.parameters().end());
  for (float& p : average) p *= 2;
  save_model(path, make_model<float>(flow, average));
  EXPECT_TRUE(same_bits<float>(make_flow<float>(load_model(path), 1)->parameters(), average));
  average.pop_back();
  EXPECT_THROW(make_model<float>(flow, average), Error);
}

TEST_F(ModelFile, MetadataAndState) {
  Model model = make_model(Flow<float>(small("torus:2"), 1, 1));
  model.metadata["seed"] = "18446744073709551615";
  model.metadata["provenance"] = R"({"command":"riemflow fit \"a b.csv\"","scores":[1.5,null]})";
  model.metadata["a later key"] = "kept";
  const std::vector<double> moments = {1, -2, std::numeric_limits<double>::infinity()};
  model.state.push_back(make_tensor<double>("state.adam.mean", {3}, moments));
  model.state.push_back(make_tensor<std::uint64_t>("state.iteration", {}, std::vector<std::uint64_t>{1234}));
  save_model(path, model);
  const Model back = load_model(path);
  EXPECT_EQ(back.path, path);
  EXPECT_EQ(precision_of(back), "float");
  EXPECT_EQ(back.state, model.state);
  auto expected = model.metadata;
  expected["base"] = "default";
  for (const char* key : {"riemflow_version", "data_sha256", "data_name"}) expected[key] = "";
  EXPECT_EQ(back.metadata, expected);
  EXPECT_NO_THROW(make_flow<float>(back, 1));

  const auto metadata = read_safetensors(path).metadata;
  EXPECT_EQ(metadata.at("format"), "riemflow-model");
  EXPECT_EQ(metadata.at("format_version"), "1");
  EXPECT_EQ(metadata.at("precision"), "float");
  EXPECT_EQ(metadata.at("manifold"), "torus:2");
  EXPECT_EQ(metadata.at("config"), config_to_json(model.config));

  // Saved again elsewhere: the same bytes.
  save_model(path + "2", back);
  EXPECT_TRUE(bytes_of(path) == bytes_of(path + "2"));
}

TEST_F(ModelFile, AModelThatCouldNotBeReadIsNotSaved) {
  const Model good = make_model(Flow<double>(small("sphere:2"), 1, 1));
  save_model(path, good);
  const std::string before = bytes_of(path);
  const auto fault = [&](const Model& model) {
    try {
      save_model(path, model);
    } catch (const Error& error) {
      return error.fault();
    }
    return Fault::usage;
  };
  Model nan = good, state = good, own = good, missing = good, solver = good;
  const double value = std::numeric_limits<double>::quiet_NaN();
  const auto numbers = [](Model& model) -> std::vector<double>& {
    return std::get<std::vector<double>>(std::get<FlowParameters>(model.content).values);
  };
  numbers(nan)[7] = value;
  EXPECT_EQ(fault(nan), Fault::numerical);
  state.state.push_back(make_tensor<double>("adam", {0}, {}));
  EXPECT_EQ(fault(state), Fault::internal);
  own.metadata["config"] = "{}";
  EXPECT_EQ(fault(own), Fault::internal);
  numbers(missing).pop_back();
  EXPECT_EQ(fault(missing), Fault::internal);
  solver.config.solver.rtol = value;
  EXPECT_EQ(fault(solver), Fault::configuration);
  EXPECT_TRUE(bytes_of(path) == before);
  EXPECT_EQ(fault(good), Fault::usage);
}

TEST_F(ModelFile, ABaseOfItsOwnMustBeSupplied) {
  const auto base = std::make_shared<VonMisesFisher<float>>(Eigen::Vector3d(0, 0, 1), 2.0);
  const auto other = std::make_shared<VonMisesFisher<float>>(Eigen::Vector3d(0, 0, 1), 3.0);
  const Flow<float> flow(small("sphere:2"), 1, 1, base);
  save_model(path, make_model(flow));
  const Model model = load_model(path);
  EXPECT_THROW(make_flow<float>(model, 1), Error);
  EXPECT_THROW(make_flow<float>(model, 1, other), Error);
  EXPECT_EQ(make_flow<float>(model, 1, base)->base_name(), base->name());
  EXPECT_THROW(make_flow<float>(make_model(Flow<float>(small("sphere:2"), 1, 1)), 1, base), Error);
}

TEST_F(ModelFile, PythonReadsIt) {
  if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0)
    GTEST_SKIP() << "/usr/bin/python3 has no numpy";
  std::ofstream(directory / "read.py") << R"(
import json, sys
import numpy
data = open(sys.argv[1], 'rb').read()
n = int.from_bytes(data[:8], 'little')
header = json.loads(data[8:8 + n])
config = json.loads(header.pop('__metadata__')['config'])
print(config['manifold'], config['field']['width'], config['solver']['rtol'])
for name, t in header.items():
    begin, end = t['data_offsets']
    dtype = {'F32': '<f4', 'F64': '<f8'}[t['dtype']]
    a = numpy.frombuffer(data[8 + n:][begin:end], dtype).reshape(t['shape'])
    print(name, *a.shape, *(float(x).hex() for x in a.flat))
)";
  const auto expect_same = [&](const auto& flow) {
    save_model(path, make_model(flow));
    const std::unique_ptr<FILE, int (*)(FILE*)> python(
        ::popen(("/usr/bin/python3 " + (directory / "read.py").string() + " " + path).c_str(), "r"),
        &::pclose);
    std::string output(1 << 20, '\0');
    output.resize(std::fread(output.data(), 1, output.size(), python.get()));
    std::istringstream lines(output);
    std::string line, word;
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(line, "sphere:2 x torus:1 5 0.001");
    for (const ParameterBlock& block : flow.field().layout().blocks()) {
      ASSERT_TRUE(std::getline(lines, line)) << output;
      std::istringstream words(line);
      words >> word;
      EXPECT_EQ(word, block.name);
      words >> word;
      EXPECT_EQ(word, std::to_string(block.rows));
      words >> word;
      EXPECT_EQ(word, std::to_string(block.columns));
      for (std::size_t i = 0; i < block.size(); ++i) {
        ASSERT_TRUE(words >> word) << block.name;
        EXPECT_EQ(std::strtod(word.c_str(), nullptr),
                  static_cast<double>(flow.parameters()[block.offset + i]));
      }
      EXPECT_FALSE(words >> word);
    }
    EXPECT_FALSE(std::getline(lines, line));
  };
  expect_same(Flow<float>(small("sphere:2 x torus:1"), 3, 1));
  expect_same(Flow<double>(small("sphere:2 x torus:1"), 4, 1));
}

}  // namespace
}  // namespace riemflow
