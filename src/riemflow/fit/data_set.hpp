#pragma once
// What a fit learns from: points as training, validation and test, or a target's density.

#include <memory>
#include <string>

#include "riemflow/distribution/distribution.hpp"
#include "riemflow/fit/fit_options.hpp"
#include "riemflow/fit/observer.hpp"
#include "riemflow/fit/split.hpp"
#include "riemflow/io/data_file.hpp"
#include "riemflow/model/standardisation.hpp"

namespace riemflow {

struct DataSet {
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

/// Reads, says what was assumed, removes duplicates if that is wanted, and splits. Throws Error. Where to
/// look for data sets and how to read is in `file`; `options` says the rest.
DataSet read_data_set(const DataFile& file, const FitOptions& options, Observer& observer);
/// path: a file, "-" or the name of a data set, all else as the options have it.
DataSet read_data_set(const std::string& path, const FitOptions& options, Observer& observer);

/// Of points in memory, on options.manifold, which must be given. name: for messages and the model file.
/// Throws Error where one is not on the manifold.
DataSet data_set_of(Points<double> points, const FitOptions& options, Observer& observer,
                    const std::string& name = "points");

/// The same points, divided anew: without duplicates if that is wanted, in the options' groups and split.
/// data: with all the points that were read.
DataSet divided(DataSet data, const FitOptions& options, Observer& observer);

/// With Euclidean columns in units of their spread in the training points, which is said. Throws
/// Error(Fault::bad_data) where one is constant.
DataSet standardised(const DataSet& data, Observer& observer);

/// options.target in place of data. Throws Error where it is none, or its manifold is neither given nor plain
/// from it.
DataSet target_of(const FitOptions& options);

/// points[i] for i of `part`.
template <class T>
Points<T> part_of(const Points<double>& points, const std::vector<std::size_t>& part) {
  Points<T> result(part.size(), points.dimension);
  for (std::size_t i = 0; i < part.size(); ++i)
    for (std::size_t j = 0; j < points[part[i]].size(); ++j)
      result[i][j] = static_cast<T>(points[part[i]][j]);
  return result;
}

}  // namespace riemflow
