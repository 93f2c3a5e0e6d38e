#pragma once
// Which format a file has.

#include <memory>

#include "riemflow/io/bytes.hpp"
#include "riemflow/io/point_source.hpp"

namespace riemflow::io {

/// "csv", "npy" or "geojson": what the options say, else what the first bytes are, else what `path` ends
/// with. Throws Error for files that are known to be something else.
std::string format_of(Window& window, const std::string& path, const ReadOptions& options);

std::unique_ptr<PointSource> open_format(Window window, const std::string& path, const ReadOptions& options);

// One each.
std::unique_ptr<PointSource> open_csv(Window window, const std::string& path, const ReadOptions& options);
std::unique_ptr<PointSource> open_npy(Window window, const std::string& path, const ReadOptions& options);
std::unique_ptr<PointSource> open_geojson(Window window, const std::string& path, const ReadOptions& options);

}  // namespace riemflow::io
