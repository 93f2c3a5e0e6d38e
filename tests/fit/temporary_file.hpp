#pragma once
// A path for one test, removed after it.

#include <unistd.h>

#include <filesystem>
#include <string>

namespace riemflow {

struct TemporaryFile {
  explicit TemporaryFile(const std::string& name)
      : path(
            (std::filesystem::temp_directory_path() / ("riemflow-" + name + "-" + std::to_string(::getpid())))
                .string()) {
    std::filesystem::remove(path);
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::string path;
};

}  // namespace riemflow
