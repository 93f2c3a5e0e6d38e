#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "riemflow/core/error.hpp"
#include "riemflow/model/model_file.hpp"
#include "tests/sanitized.hpp"

// The fuzzer's body, on the inputs it once found and others that were hard.
#define LLVMFuzzerTestOneInput riemflow_safetensors_fuzzer
#include "fuzz/safetensors_fuzzer.cpp"
#undef LLVMFuzzerTestOneInput

namespace riemflow {
namespace {

namespace fs = std::filesystem;

Model small_model(std::uint64_t seed) {
  FlowConfig config;
  config.field.width = 3;
  config.field.depth = 2;
  Model model = make_model(Flow<float>(config, seed, 1));
  model.state.push_back(make_tensor<std::uint64_t>("state.iteration", {1}, std::vector<std::uint64_t>{seed}));
  return model;
}

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class ModelDamage : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "riemflow-damage-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory = pattern;
    path = (directory / "model").string();
  }
  void TearDown() override { fs::remove_all(directory); }

  fs::path directory;
  std::string path;
};

TEST_F(ModelDamage, CutAnywhere) {
  save_model(path, small_model(1));
  const std::string whole = content(path);
  ASSERT_GT(whole.size(), 1000u);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::ofstream(path, std::ios::binary).write(whole.data(), static_cast<std::streamsize>(size));
    try {
      load_model(path);
      ADD_FAILURE() << "cut at " << size << " of " << whole.size();
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::bad_data);
      EXPECT_TRUE(std::string(error.what()).starts_with(path + ": ")) << error.what();
    }
  }
}

TEST_F(ModelDamage, AnyBitOfTheHeaderFlipped) {
  std::vector<std::byte> bytes = serialise(model_to_tensors(small_model(1)));
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  int loaded = 0, refused = 0;
  for (std::size_t at = 0; at < 8 + length; ++at) {
    for (const int mask : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      const std::byte before = std::exchange(bytes[at], bytes[at] ^ static_cast<std::byte>(mask));
      try {
        make_flow<float>(model_from_tensors(parse_safetensors(bytes, "flipped"), "flipped"), 1);
        ++loaded;
      } catch (const Error&) {
        ++refused;
      }
      bytes[at] = before;
    }
  }
  EXPECT_GT(loaded, 50);  // a digit of a tolerance, a letter of a free text
  EXPECT_GT(refused, 5000);
}

// Header and tensors: what loads is what was written.
TEST_F(ModelDamage, AnyBitOfAFileFlipped) {
  Model model = small_model(1);
  model.metadata["data_name"] = "caf\xe9.csv";  // no UTF-8: what is written is another text
  save_model(path, model);
  const std::string whole = content(path);
  const Model before = load_model(path);
  std::size_t said = 0;
  constexpr std::size_t kStep = kSanitized ? 13 : 3;
  for (std::size_t at = 0; at < whole.size(); at += kStep) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
    std::ofstream(path, std::ios::binary) << flipped;
    try {
      const Model model_read = load_model(path);
      Model known = before;
      // The key of the checksum may be another: then it is one more among the metadata.
      if (model_read.metadata.size() > known.metadata.size()) known.metadata = model_read.metadata;
      EXPECT_EQ(model_read.metadata, known.metadata) << at;
      EXPECT_EQ(tensors_of(model_read), tensors_of(before)) << at;
      EXPECT_EQ(model_read.state, before.state) << at;
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::bad_data) << error.what();
      EXPECT_TRUE(std::string(error.what()).starts_with(path + ": ")) << error.what();
      said += std::string(error.what()).find("does not have the checksum") != std::string::npos;
    }
  }
  EXPECT_GT(said, whole.size() / (3 * kStep));
}

TEST_F(ModelDamage, TheChecksumIsOfTheContentNotOfItsOrder) {
  const Model model = small_model(1);
  save_model(path, model);
  SafeTensors file = read_safetensors(path);
  std::reverse(file.tensors.begin(), file.tensors.end());  // as other programs may write them
  write_safetensors(path, file);
  EXPECT_EQ(load_model(path).state, model.state);
  EXPECT_FALSE(load_model(path).metadata.contains("checksum"));
  SafeTensors reshaped = file;  // the same bytes in another shape
  for (Tensor& tensor : reshaped.tensors)
    if (tensor.name == "state.iteration") tensor.shape = {1, 1};
  write_safetensors(path, reshaped);
  try {
    load_model(path);
    ADD_FAILURE() << "another shape is taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("does not have the checksum"), std::string::npos)
        << error.what();
  }
  file.metadata["seed"] = "7";
  write_safetensors(path, file);
  EXPECT_THROW(load_model(path), Error);
  file.metadata.erase("checksum");  // as the files of version 0.1
  write_safetensors(path, file);
  EXPECT_EQ(load_model(path).metadata["seed"], "7");
}

TEST_F(ModelDamage, AFailedSaveLeavesTheOldModel) {
  save_model(path, small_model(1));
  const std::string before = content(path);
  rlimit limit;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const auto now = limit.rlim_cur;
  const Model next = small_model(2);
  for (const rlim_t room : {0u, 1u, 8u, 500u, static_cast<unsigned>(before.size()) - 1}) {
    limit.rlim_cur = room;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    EXPECT_THROW(save_model(path, next), Error);
    limit.rlim_cur = now;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    EXPECT_TRUE(content(path) == before) << room;
    EXPECT_EQ(std::distance(fs::directory_iterator(directory), {}), 1);
  }
  std::signal(SIGXFSZ, handler);
  EXPECT_THROW(save_model("/dev/full", next), Error);
}

TEST_F(ModelDamage, KilledAtAnyMomentThePathLoads) {
  const Model models[] = {small_model(1), small_model(2)};
  save_model(path, models[0]);
  std::mt19937 random(7);
  int changes = 0;
  for (int round = 0; round < 20; ++round) {
    const Model before = load_model(path);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (std::size_t i = 0;; ++i) save_model(path, models[(i + 1) % 2]);
    }
    ::usleep(500 + static_cast<useconds_t>(random() % 20000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const Model model = load_model(path);
    EXPECT_TRUE(tensors_of(model) == tensors_of(models[0]) || tensors_of(model) == tensors_of(models[1]));
    EXPECT_EQ(values_of<std::uint64_t>(model.state[0])[0],
              tensors_of(model) == tensors_of(models[0]) ? 1u : 2u);
    changes += tensors_of(model) != tensors_of(before);
    for (const auto& entry : fs::directory_iterator(directory)) {
      if (entry.path() == path) continue;
      EXPECT_TRUE(entry.path().filename().string().starts_with(".riemflow-"));
      fs::remove(entry.path());
    }
  }
  EXPECT_GT(changes, 0);  // the child did write
}

TEST(ModelFuzz, TheCorpus) {
  const fs::path corpus = fs::path(RIEMFLOW_SOURCE_DIR) / "fuzz/corpus/safetensors";
  int files = 0;
  for (const auto& entry : fs::directory_iterator(corpus)) {
    const std::string input = content(entry.path());
    EXPECT_NO_THROW(
        riemflow_safetensors_fuzzer(reinterpret_cast<const std::uint8_t*>(input.data()), input.size()))
        << entry.path();
    ++files;
  }
  EXPECT_GE(files, 10);
}

}  // namespace
}  // namespace riemflow
