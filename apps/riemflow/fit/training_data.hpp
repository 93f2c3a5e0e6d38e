#pragma once
// What a fit learns from: a user's file as training, validation and test points, or a target's density.

#include <memory>
#include <string>

#include "apps/riemflow/fit/settings.hpp"
#include "apps/riemflow/support/data.hpp"
#include "riemflow/distribution/distribution.hpp"
#include "riemflow/fit/split.hpp"
#include "riemflow/io/point_source.hpp"
#include "riemflow/model/standardisation.hpp"

namespace riemflow::app {

struct TrainingData {
  std::string name;    ///< of the file, without its directory
  std::string sha256;  ///< of the file's bytes, or of those that came through a pipe
  std::string manifold;
  Points<double> points;
  std::vector<std::uint64_t> lines;  ///< where each came from
  std::string line_word;             ///< what these count: "line", "row", "feature"
  std::vector<std::string> columns;  ///< their names in the file, or what they mean
  std::size_t rows = 0;              ///< that were read
  std::size_t duplicates = 0;        ///< of the rows
  std::vector<std::size_t> groups;   ///< of the points: those of one group are on one side of a split
  Split split;
  Standardisation standardisation;  ///< of the points, where they are standardised
  /// Learned by reverse KL in place of points; null: there are points.
  std::shared_ptr<const Distribution<double>> target;

  /// groups[i] for i of `part`.
  std::vector<std::size_t> groups_of(const std::vector<std::size_t>& part) const {
    std::vector<std::size_t> own;
    for (const std::size_t i : part) own.push_back(groups[i]);
    return own;
  }
};

struct DataIdentity {
  std::string name, sha256;  ///< as in TrainingData
};
/// Of data that can be opened again: reads all of them. Throws Error where there are none.
DataIdentity identity_of(const DataChoice& data);

/// Reads, says what was assumed, removes duplicates if that is wanted, and splits. Throws Error. Where to
/// look for data sets and how to read is in `choice`; `settings` says the rest.
TrainingData read_training_data(const DataChoice& choice, const FitSettings& settings);
/// path: a file, "-" or the name of a data set, all else as the settings have it.
TrainingData read_training_data(const std::string& path, const FitSettings& settings);

/// With Euclidean columns in units of their spread in the training points, which is said. Throws
/// Error(Fault::bad_data) where one is constant.
TrainingData standardised(const TrainingData& data);

/// settings.target in place of a file. Throws Error where it is none, or its manifold is neither given nor
/// plain from it.
TrainingData read_target(const FitSettings& settings);

/// points[i] for i of `part`.
template <class T>
Points<T> part_of(const Points<double>& points, const std::vector<std::size_t>& part) {
  Points<T> result(part.size(), points.dimension);
  for (std::size_t i = 0; i < part.size(); ++i)
    for (std::size_t j = 0; j < points[part[i]].size(); ++j)
      result[i][j] = static_cast<T>(points[part[i]][j]);
  return result;
}

}  // namespace riemflow::app
