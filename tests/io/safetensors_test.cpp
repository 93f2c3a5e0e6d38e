#include "riemflow/io/safetensors.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace riemflow {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

SafeTensors example() {
  SafeTensors content;
  content.metadata = {{"b", "two"}, {"a", "quote \" newline \n umlaut \u00e4 nul \x01"}};
  const std::vector<double> wide = {
      -0.0, 5e-324, std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity(),
      0.1,  1e308};
  const std::vector<std::int64_t> whole = {std::numeric_limits<std::int64_t>::min(), -1};
  content.tensors.push_back(make_tensor<double>("w", {2, 3}, wide));
  content.tensors.push_back(make_tensor<std::int64_t>("i", {2}, whole));
  content.tensors.push_back(make_tensor<std::uint64_t>("empty", {0, 7}, {}));
  content.tensors.push_back(make_tensor<float>("x", {1, 1, 3}, std::vector<float>{1.5f, -2, 3e38f}));
  content.tensors.push_back(make_tensor<std::uint8_t>("bytes", {3}, std::vector<std::uint8_t>{0, 127, 255}));
  content.tensors.push_back(make_tensor<std::uint8_t>("scalar \u2202", {}, std::vector<std::uint8_t>{9}));
  return content;
}

TEST(SafeTensors, TheBytesAreTheFormats) {
  SafeTensors content;
  content.metadata["k"] = "v";
  content.tensors.push_back(make_tensor<float>("t", {1, 2}, std::vector<float>{1, -2}));
  const std::string header =
      R"({"__metadata__":{"k":"v"},"t":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}})";
  ASSERT_EQ(header.size(), 81u);
  EXPECT_EQ(text_of(serialise(content)), std::string("\x58\0\0\0\0\0\0\0", 8) + header + std::string(7, ' ') +
                                             std::string("\0\0\x80\x3f\0\0\0\xc0", 8));
  EXPECT_EQ(text_of(serialise({})), std::string("\x08\0\0\0\0\0\0\0", 8) + "{}      ");
}

TEST(SafeTensors, RoundTrip) {
  const SafeTensors content = example();
  const std::vector<std::byte> bytes = serialise(content);
  EXPECT_EQ(parse_safetensors(bytes, "x"), content);
  EXPECT_EQ(serialise(parse_safetensors(bytes, "x")), bytes);
  EXPECT_EQ(parse_safetensors(serialise({}), "x"), SafeTensors{});
  EXPECT_EQ(values_of<std::uint8_t>(content.tensors[4])[2], 255);
}

TEST(SafeTensors, EveryTensorIsAligned) {
  SafeTensors content;
  content.tensors.push_back(make_tensor<std::uint8_t>("u", {1}, std::vector<std::uint8_t>{1}));
  content.tensors.push_back(make_tensor<float>("f", {1}, std::vector<float>{2}));
  content.tensors.push_back(make_tensor<double>("d", {1}, std::vector<double>{3}));
  content.tensors.push_back(make_tensor<float>("g", {1}, std::vector<float>{4}));
  const SafeTensors back = parse_safetensors(serialise(content), "x");
  ASSERT_EQ(back.tensors.size(), 4u);
  EXPECT_EQ(back.tensors[0], content.tensors[2]);
  EXPECT_EQ(back.tensors[1], content.tensors[1]);
  EXPECT_EQ(back.tensors[2], content.tensors[3]);
  EXPECT_EQ(back.tensors[3], content.tensors[0]);
  for (const SafeTensors& any : {content, example()}) {
    std::uint64_t length = 0;
    const std::vector<std::byte> bytes = serialise(any);
    std::memcpy(&length, bytes.data(), 8);
    EXPECT_EQ(length % 8, 0u);
  }
}

TEST(SafeTensors, MetadataIsText) {
  SafeTensors content;
  content.metadata["name"] = "caf\xe9.csv";
  EXPECT_EQ(parse_safetensors(serialise(content), "x").metadata.at("name"), "caf\ufffd.csv");
}

TEST(SafeTensors, RefusesToWriteWhatCannotBeRead) {
  const auto refuses = [](const std::vector<Tensor>& tensors) {
    try {
      serialise({{}, tensors});
    } catch (const Error& error) {
      return error.fault() == Fault::internal;
    }
    return false;
  };
  const Tensor good = make_tensor<float>("t", {1}, std::vector<float>{1});
  Tensor metadata = good, latin = good, size = good, huge = good;
  metadata.name = "__metadata__";
  latin.name = "\xe9";
  size.shape = {2};
  huge.shape = {std::uint64_t{1} << 63, 2};
  EXPECT_FALSE(refuses({good}));
  EXPECT_TRUE(refuses({good, good}));
  for (const Tensor& tensor : {metadata, latin, size, huge}) EXPECT_TRUE(refuses({tensor}));
}

TEST(SafeTensors, ValuesOfAnotherTypeAreRefused) {
  EXPECT_THROW(values_of<double>(make_tensor<float>("t", {1}, std::vector<float>{1})), Error);
}

class SafeTensorsFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "riemflow-tensors-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory = pattern;
  }
  void TearDown() override { fs::remove_all(directory); }

  static Fault fault(const std::string& path) {
    try {
      read_safetensors(path);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
      return error.fault();
    }
    return Fault::usage;
  }

  fs::path directory;
};

TEST_F(SafeTensorsFile, RoundTrip) {
  SafeTensors content = example();
  // Longer than the first piece that is read.
  content.tensors.push_back(make_tensor<float>("long", {300000}, std::vector<float>(300000, 0.5f)));
  const std::string path = directory / "a.safetensors";
  write_safetensors(path, content);
  const SafeTensors back = read_safetensors(path);
  EXPECT_EQ(serialise(back), serialise(content));
  EXPECT_EQ(fs::file_size(path), serialise(content).size());
}

TEST_F(SafeTensorsFile, WhatCannotBeRead) {
  EXPECT_EQ(fault(directory / "missing"), Fault::no_input);
  EXPECT_EQ(fault(directory), Fault::no_input);
  EXPECT_EQ(fault("/dev/null"), Fault::bad_data);
  EXPECT_EQ(fault("/dev/zero"), Fault::bad_data);  // endless
  EXPECT_EQ(fault("/proc/self/mem"), Fault::no_input);
  std::ofstream(directory / "text") << "latitude,longitude\n1,2\n";
  EXPECT_EQ(fault(directory / "text"), Fault::bad_data);
}

}  // namespace
}  // namespace riemflow
