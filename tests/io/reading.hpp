#pragma once
// Files of the tests: text in memory, what reading it gives, and the Error it throws.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "riemflow/core/error.hpp"
#include "riemflow/io/npy.hpp"
#include "riemflow/io/point_source.hpp"

namespace riemflow {

inline ReadOptions on(std::string manifold) {
  ReadOptions options;
  options.manifold = std::move(manifold);
  return options;
}
inline ReadOptions columns(std::string chosen, std::string manifold = "") {
  ReadOptions options = on(std::move(manifold));
  options.columns = std::move(chosen);
  return options;
}
inline ReadOptions skipping() {
  ReadOptions options;
  options.skip_invalid = true;
  return options;
}
inline ReadOptions in(Units units, std::string manifold = "") {
  ReadOptions options = on(std::move(manifold));
  options.units = units;
  return options;
}

inline ReadPoints read_text(std::string_view bytes, const ReadOptions& options = {},
                            const std::string& name = "f") {
  return read_all(*open_points_in(bytes, name, options));
}

/// The Error that f throws; fails the test if it throws none.
template <class F>
Error error_from(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "no error";
  return Error("no error", "");
}

inline Error error_of(std::string_view bytes, const ReadOptions& options = {}) {
  return error_from([&] { read_text(bytes, options); });
}
/// what(), of an Error that must be the fault of the data.
inline std::string complaint(std::string_view bytes, const ReadOptions& options = {}) {
  const Error e = error_of(bytes, options);
  EXPECT_EQ(e.fault(), Fault::bad_data) << e.what();
  return e.what();
}

inline double latitude(const ReadPoints& data, std::size_t i) {
  return std::asin(data.points[i][2]) / std::acos(-1.0) * 180;
}
inline double longitude(const ReadPoints& data, std::size_t i) {
  return std::atan2(data.points[i][1], data.points[i][0]) / std::acos(-1.0) * 180;
}

inline void expect_place(const ReadPoints& data, std::size_t i, double lat, double lon) {
  ASSERT_LT(i, data.points.size());
  ASSERT_EQ(data.points.dimension, 3);
  EXPECT_NEAR(latitude(data, i), lat, 1e-9) << "point " << i;
  EXPECT_NEAR(std::remainder(longitude(data, i) - lon, 360), 0, 1e-9) << "point " << i;
}

/// The bytes of an NPY file.
template <class T>
std::string npy_file(std::initializer_list<std::size_t> shape, const std::vector<T>& values) {
  return npy_header<T>(shape) +
         std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

/// A file that is gone at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view bytes, const std::string& name = "points.csv") {
    folder_ = std::filesystem::temp_directory_path() /
              ("riemflow_io_" + std::to_string(::getpid()) + "_" + std::to_string(count()++));
    std::filesystem::create_directory(folder_);
    std::ofstream(path_ = (folder_ / name).string(), std::ios::binary) << bytes;
  }
  ~TemporaryFile() { std::filesystem::remove_all(folder_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }
  std::string folder() const { return folder_.string(); }

 private:
  static int& count() {
    static int n = 0;
    return n;
  }
  std::filesystem::path folder_;
  std::string path_;
};

}  // namespace riemflow
