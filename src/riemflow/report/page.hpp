#pragma once
// The page of a report: the embedded template with its places filled.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "riemflow/fit/baselines.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/fit/training_log.hpp"
#include "riemflow/model/examination.hpp"
#include "riemflow/report/scene.hpp"

namespace riemflow::report {

struct PageContent {
  std::string title, model_name, command;  ///< the command may be empty
  const Model* model = nullptr;
  const ModelData* data = nullptr;  ///< null: none
  /// On the test points, the model last; empty without data.
  std::vector<PointScores> scores;
  std::size_t scored = 0,
              failed_scores = 0;  ///< test points whose density could not be computed; they are left out
  Examination examination;
  std::optional<Scene> scene;
  std::string still;                         ///< PNG of the scene, or of the figure where there is none
  std::array<std::string, 2> axes;           ///< of its sheet, across and up
  const TrainingHistory* history = nullptr;  ///< null: none
};

/// The whole file. Same content, same bytes.
std::string page_of(const PageContent& content);

// Its parts that are plain HTML, readable without scripts. What came from files is text in them.

/// One sentence, or two: may it be trusted, and how good is it.
std::string verdict_sentence(const PageContent& content);

std::string scores_section(const PageContent& content);
std::string check_section(const PageContent& content);
/// The frame of the curves and their summary; empty without a log.
std::string curves_section(const PageContent& content);
std::string configuration_section(const PageContent& content);

}  // namespace riemflow::report
