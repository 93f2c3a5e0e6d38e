#pragma once
// The points that somebody names: a file, standard input or a data set by its name, and how to read it.

#include <memory>
#include <string>

#include "riemflow/io/point_source.hpp"

namespace riemflow {

struct DataFile {
  std::string path, data_dir;
  ReadOptions reading;
  std::shared_ptr<const std::string> held =
      nullptr;  ///< all its bytes unpacked, where it was a pipe; else null

  /// manifold: in place of that of `reading`; empty: inferred.
  std::unique_ptr<PointSource> open(const std::string& manifold) const;
  /// The same, read by so many threads; 0: one for each core.
  DataFile by(int threads) const;
  /// The same, such that it can be opened more than once: standard input and pipes are read into memory.
  /// Throws Error as open_data where there are no such data.
  DataFile reopenable() const;

  /// The file's, without its directory.
  std::string name() const;
  /// Of data that can be opened again: reads all of them. Throws Error where there are none.
  std::string sha256() const;
};

/// Whether it can be read a second time: not a pipe, standard input or a device.
bool is_regular(const std::string& path);

}  // namespace riemflow
