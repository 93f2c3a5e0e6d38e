#pragma once
// How a model scores a data file, and which points carry the score.

#include <optional>
#include <string>
#include <vector>

#include "riemflow/core/task_observer.hpp"
#include "riemflow/io/point_source.hpp"
#include "riemflow/model/density.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {

struct ScoredRow {
  std::uint64_t line;
  double log_density;
};

struct DataScores {
  std::string path, row_word;  ///< row_word: what `line` counts, "line" or "row"
  std::size_t points = 0, failed = 0;
  std::uint64_t first_failed = 0;      ///< its line
  double nll = 0, standard_error = 0;  ///< over the points that did not fail
  std::vector<ScoredRow> worst;        ///< at most five, the worst first
  std::size_t tail_points = 0;         ///< the worst 1 %, at least one
  double tail_raise = 0;               ///< mean NLL of all less that of the others
  /// Their share of the sum of the NLL; none where the sum or the points' part of it is not positive.
  std::optional<double> tail_share;
  bool is_training_data = false;  ///< the file's SHA-256 is that in the model
};

/// Whether the model was trained on these very bytes; reads those that are left.
bool is_training_data(const Model& model, PointSource& source);

/// Reads all of `source`, which is `path`. Throws Error(Fault::bad_data) as the source does, and as
/// require_density_at.
DataScores score_data(const Density& density, PointSource& source, const std::string& path,
                      const Model& model, TaskObserver& observer);

}  // namespace riemflow
