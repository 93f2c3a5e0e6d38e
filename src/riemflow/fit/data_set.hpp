#pragma once
// What a fit learns from: points as training, validation and test, or a target's density.

#include <memory>
#include <optional>
#include <string>

#include "riemflow/core/weights.hpp"
#include "riemflow/distribution/distribution.hpp"
#include "riemflow/fit/fit_options.hpp"
#include "riemflow/fit/observer.hpp"
#include "riemflow/fit/split.hpp"
#include "riemflow/io/data_file.hpp"
#include "riemflow/manifold/space.hpp"
#include "riemflow/model/standardisation.hpp"

namespace riemflow {

/// points[i] for i of `part`.
template <class T>
Points<T> part_of(const Points<double>& points, const std::vector<std::size_t>& part) {
  Points<T> result(part.size(), points.dimension);
  for (std::size_t i = 0; i < part.size(); ++i)
    for (std::size_t j = 0; j < points[part[i]].size(); ++j)
      result[i][j] = static_cast<T>(points[part[i]][j]);
  return result;
}

struct DataSet {
  std::string name;    ///< of the file, without its directory
  std::string sha256;  ///< of the file's bytes, or of those that came through a pipe
  Space manifold;
  Points<double> points;
  std::vector<std::uint64_t> lines;  ///< where each came from
  std::string line_word;             ///< what these count: "line", "row", "feature"
  std::vector<std::string> columns;  ///< their names in the file, or what they mean; of lifted points those
                                     ///< of the points
  std::size_t rows = 0;              ///< that were read
  std::size_t duplicates = 0;        ///< of the rows
  std::vector<std::size_t> groups;   ///< of the points: those of one group are on one side of a split
  std::vector<double> weights;       ///< of the points, > 0, of mean 1; empty: all alike
  std::string weight_column;         ///< that they come from, by name or number; empty: none
  Split split;
  Standardisation standardisation;  ///< of the points, where they are standardised
  std::optional<Space> space;       ///< of lifted points (fit/lifted.hpp) the manifold that is covered
  double lift_unit = 0;             ///< of lifted points the mean of log J − log(lifts a point)
  std::size_t lifts = 1;            ///< of each point, rows one after the other
  /// Learned by reverse KL in place of points; null: there are points.
  std::shared_ptr<const Distribution<double>> target;

  /// groups[i] for i of `part`.
  std::vector<std::size_t> groups_of(const std::vector<std::size_t>& part) const {
    std::vector<std::size_t> own;
    for (const std::size_t i : part) own.push_back(groups[i]);
    return own;
  }
  /// weights[i] for i of `part`; empty: all alike.
  Weights weights_of(const std::vector<std::size_t>& part) const {
    Weights own;
    for (const std::size_t i : part)
      if (!weights.empty()) own.push_back(weights[i]);
    return own;
  }
  /// Of `part`, which has all lifts of its points, one for each point.
  std::vector<std::size_t> first_lifts(std::vector<std::size_t> part) const {
    if (lifts > 1) std::erase_if(part, [this](std::size_t row) { return row % lifts != 0; });
    return part;
  }
  /// The points of first_lifts(part), the lifts of each one after the other.
  Points<double> with_lifts(const std::vector<std::size_t>& part) const {
    std::vector<std::size_t> all;
    for (const std::size_t first : first_lifts(part))
      for (std::size_t s = 0; s < lifts; ++s) all.push_back(first + s);
    return part_of<double>(points, all);
  }
  /// What the mean NLL of standardised and lifted points is less than that of the data.
  double log_unit() const { return standardisation.log_scale() + lift_unit; }
  /// Those of a density that is the same at all lifts of a point, one of which is then scored for all.
  std::vector<Fold> folds() const {
    std::vector<Fold> all = folds_of(split, groups, lifts);
    for (Fold& fold : all) std::erase_if(fold.held_out, [this](std::size_t row) { return row % lifts != 0; });
    return all;
  }
  SplitWeights split_weights() const { return {weights_of(split.training), weights_of(split.validation)}; }
};

/// Reads, says what was assumed, removes duplicates if that is wanted, and splits. Throws Error. Where to
/// look for data sets and how to read is in `file`; `options` says the rest.
DataSet read_data_set(const DataFile& file, const FitOptions& options, Observer& observer);
/// path: a file, "-" or the name of a data set, all else as the options have it.
DataSet read_data_set(const std::string& path, const FitOptions& options, Observer& observer);

/// Of points that were read. name: of the file, without its directory. weights: as below; none: those that
/// were read with the points, if any.
DataSet data_set_of(ReadPoints read, const std::string& name, const FitOptions& options, Observer& observer,
                    const Weights& weights = {});

/// data: the points of `read`, and their lines. Gives them the weights that were read with them, if any:
/// those of weight 0 are left out, which is said, and weights that are all alike are none. Throws Error where
/// all are 0.
void take_weights(DataSet& data, const ReadPoints& read, Observer& observer);

/// Of weights that a caller gives to points: throws Error(Fault::bad_data) naming the first that is not
/// finite or is below 0, where they are not as many as the points, or all 0.
void check_weights(const Weights& weights, std::size_t points);

/// Of points in memory, on options.manifold, which must be given. name: for messages and the model file.
/// Throws Error where one is not on the manifold.
///
/// weights: what each point counts, in proportion alone, in all that is learned, chosen and scored, but for
/// the split, which counts points; none: all alike. Points of weight 0 are left out as if they had never been
/// given, which is said; equal weights are none. Throws Error as check_weights.
DataSet data_set_of(Points<double> points, const FitOptions& options, Observer& observer,
                    const std::string& name = "points", const std::vector<double>& weights = {});

/// Of their numbers: what names points that are in no file.
std::string sha256_of(const Points<double>& points, const Weights& weights = {});

/// The same points, divided anew: without duplicates if that is wanted, in the options' groups and split.
/// Without duplicates, points with weights have those of their duplicates added to theirs. data: with all
/// the points that were read.
DataSet divided(DataSet data, const FitOptions& options, Observer& observer);

/// With Euclidean columns in units of their spread in the training points, which is said. Throws
/// Error(Fault::bad_data) where one is constant.
DataSet standardised(const DataSet& data, Observer& observer);

/// The same on a space that needs no name; options.manifold is not asked.
DataSet data_set_of(Points<double> points, const Space& manifold, const FitOptions& options,
                    Observer& observer, const std::string& name = "points",
                    const std::vector<double>& weights = {});

/// options.target in place of data. Throws Error where it is none, or its manifold is neither given nor plain
/// from it.
DataSet target_of(const FitOptions& options);

}  // namespace riemflow
