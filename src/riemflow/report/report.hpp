#pragma once
// All there is to know of a model, in one HTML page that opens anywhere: its density and samples as an
// interactive picture, learning curves, scores against baselines, whether its likelihood is to be trusted,
// and its configuration.

#include <string>

#include "riemflow/fit/provenance.hpp"
#include "riemflow/fit/training_log.hpp"
#include "riemflow/model/examination.hpp"

namespace riemflow {

struct ReportOptions {
  std::string title;    ///< empty: the name of the model's file
  std::string command;  ///< that makes this page, to be shown; empty: none
  Evaluation evaluation;
};

struct Report {
  std::string page;         ///< bytes of the file
  Examination examination;  ///< whether the likelihood is to be trusted, which the page says too
};

/// data: to draw and, of their test points, to score; history: of the training. Either may be null. Same
/// content, same bytes, for any number of threads. Throws Error, and Cancelled where the observer asks for
/// it.
Report make_report(const Model& model, const ModelData* data, const TrainingHistory* history,
                   const ReportOptions& options, TaskObserver& observer);

}  // namespace riemflow
