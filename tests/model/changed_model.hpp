#pragma once
// Model files that were changed after they were written: reading must say what is wrong with them.

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>

#include "riemflow/core/error.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {

/// Written and read again, in memory.
inline Model through_a_file(const Model& model) {
  return model_from_tensors(parse_safetensors(serialise(model_to_tensors(model)), "m"), "m");
}

using Change = std::function<void(SafeTensors&)>;

/// What reading says of the model after the change; empty if it is taken. It must be the fault of the data,
/// and name the file.
inline std::string refusal(const Model& model, const Change& change) {
  SafeTensors content = model_to_tensors(model);
  change(content);
  try {
    model_from_tensors(parse_safetensors(serialise(content), "bad.model"), "bad.model");
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::bad_data) << error.what();
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("bad.model: ") || message.starts_with("bad.model, member ")) << message;
    return message;
  }
  return "";
}

inline void expect_refused(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << "expected: " << part << "\ngot: " << message;
}

inline Tensor& tensor(SafeTensors& content, const std::string& name) {
  for (Tensor& candidate : content.tensors)
    if (candidate.name == name) return candidate;
  throw std::runtime_error(name);
}

/// tensor[i] = value, of one in double.
inline Change set(const std::string& name, std::size_t i, double value) {
  return [=](SafeTensors& content) {
    std::memcpy(tensor(content, name).bytes.data() + i * sizeof(double), &value, sizeof(double));
  };
}

inline Change without(const std::string& name) {
  return [=](SafeTensors& content) {
    std::erase_if(content.tensors, [&](const Tensor& candidate) { return candidate.name == name; });
  };
}

}  // namespace riemflow
