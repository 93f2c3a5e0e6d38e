#pragma once
// The points that a command works on: a file, standard input or a data set by name.

#include <memory>
#include <string>

#include "apps/riemflow/support/options.hpp"
#include "riemflow/io/point_source.hpp"

namespace riemflow::app {

/// How help and completions call the type of such an option.
inline constexpr const char* kDataType = "FILE|NAME";

/// DATA, --data-dir and how to read it.
struct DataChoice {
  std::string path, data_dir;
  ReadingChoice reading;
  std::shared_ptr<const std::string> held;  ///< all its bytes, where it was a pipe; else null

  /// Opened, with what was assumed of it said. manifold: empty: inferred.
  std::unique_ptr<PointSource> open(const std::string& manifold) const;
  /// The same, such that it can be opened more than once: standard input and pipes are read into memory.
  /// Throws Error as open_data where there are no such data.
  DataChoice reopenable() const;
};

/// Whether it can be read a second time: not a pipe, standard input or a device.
bool is_regular(const std::string& path);

/// name: "DATA" for the positional, or an option such as "--from-data".
CLI::Option* add_data(CLI::App& command, DataChoice& choice, const std::string& name = "DATA");

/// --data-dir
void add_data_dir(CLI::App& command, std::string& folder);

/// Where a point came from: "quakes.csv:17", or "points.npy: row 17" where rows are not lines.
std::string place_of(const Assumptions& assumptions, std::uint64_t line);

}  // namespace riemflow::app
