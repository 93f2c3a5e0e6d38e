#pragma once
// Data sets known by name: two that are compiled into the library, and the paper's, which users have as files
// and which are recognised by their SHA-256.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "riemflow/io/point_source.hpp"

namespace riemflow {

struct KnownData {
  std::string_view name;
  std::string_view what;
  std::string_view file;    ///< under the data folder; of an embedded set, its name when exported
  std::string_view sha256;  ///< of the whole file
  std::size_t rows;         ///< that are points
  std::size_t distinct;     ///< of them
  std::string_view manifold;
  std::string_view columns;  ///< as ReadOptions::columns
  std::string_view source;   ///< where it is from, and its licence where it is known
  bool embedded;
};

std::span<const KnownData> known_data_sets();

/// Throws Error(Fault::usage) for a name that is none, with the near one.
const KnownData& known_data_set(std::string_view name);

/// Where the paper's sets are: `data_dir`, or $RIEMFLOW_DATA where that is empty, or "" where neither is
/// given.
std::string data_folder(const std::string& data_dir);

struct FoundData {
  const KnownData* known;
  std::string path;        ///< empty: embedded
  std::string_view bytes;  ///< of an embedded set

  /// The file's hash where it is not the known one: the set has been changed. Reads all of it.
  std::optional<std::string> other_hash() const;
};

/// As known_data_set; nothing if the set is a file that is not there.
std::optional<FoundData> look_for_data_set(std::string_view name, const std::string& data_dir);
/// Throws Error(Fault::no_input), with where to get it, if the set is a file that is not there.
FoundData find_data_set(std::string_view name, const std::string& data_dir);

/// A file (or "-") if there is one, else a known data set. Columns and manifold of a set are its own unless
/// the options say otherwise; a changed file is a warning among the assumptions. Throws Error as open_points,
/// with a near name.
std::unique_ptr<PointSource> open_data(const std::string& path_or_name, const ReadOptions& options,
                                       const std::string& data_dir = "");

/// The bytes that open_data reads; throws as it.
std::unique_ptr<io::ByteSource> open_data_bytes(const std::string& path_or_name,
                                                const std::string& data_dir = "");

}  // namespace riemflow
