#include "riemflow/fit/training_log.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "riemflow/core/error.hpp"
#include "riemflow/io/atomic_file.hpp"

namespace riemflow {
namespace {

constexpr const char* kLogAdvice = "give the file that `riemflow fit ‹log›` wrote";
constexpr const char* kMatching = "flow matching";

/// NaN where it is null, as JSON has it for what is not finite, or missing.
double number_in(const nlohmann::json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_number() ? found->get<double>() : std::nan("");
}
std::string text_in(const nlohmann::json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

TrainingLog::TrainingLog(const std::string& path, long iteration, Warn warn)
    : path_(path), warn_(std::move(warn)) {
  if (path.empty()) return;
  if (iteration > 0) {
    std::string kept;
    std::ifstream old(path);
    for (std::string line; std::getline(old, line);) {
      const auto entry = nlohmann::json::parse(line, nullptr, false);
      if (entry.is_object() && number_in(entry, "iteration") <= static_cast<double>(iteration))
        kept += line + "\n";
    }
    old.close();
    write_file_atomically(path, kept);
  }
  file_ = std::fopen(path.c_str(), iteration > 0 ? "ae" : "we");
  if (file_ == nullptr)
    throw Error(fmt::format("cannot write {}: {}", path, std::strerror(errno)),
                "give ‹log› a file that can be written", Fault::cannot_write);
}

TrainingLog::~TrainingLog() {
  if (file_ != nullptr) std::fclose(file_);
}

void TrainingLog::add(const std::string& stage, const FitProgress& p, double seconds) {
  if (!stage.empty() && (stage != stage_ || p.iteration <= in_stage_)) {
    before_ += in_stage_;
    stage_ = stage;
  }
  in_stage_ = p.iteration;
  if (file_ == nullptr || (p.iteration % 10 != 0 && !p.validated)) return;
  nlohmann::ordered_json line;
  if (!stage.empty()) line["stage"] = stage;
  if (p.objective == Objective::flow_matching) line["objective"] = kMatching;
  line["iteration"] = iteration();
  line["seconds"] = std::round(seconds * 1000) / 1000;
  line["loss"] = p.loss;
  line["evaluations"] = p.evaluations;
  line["rate"] = p.rate;
  if (p.validated) {
    line["validation"] = p.validation;
    line["best"] = p.best;
    line["best_iteration"] = before_ + p.best_iteration;
  }
  if (p.skipped > 0) line["skipped"] = p.skipped;
  if (p.failed_points > 0) line["failed_points"] = p.failed_points;
  if (std::fputs((line.dump() + "\n").c_str(), file_) >= 0 && std::fflush(file_) == 0) return;
  warn_(fmt::format("Warning: {} cannot be written any more ({}); training goes on without a log.", path_,
                    std::strerror(errno)));
  std::fclose(file_);
  file_ = nullptr;
}

TrainingHistory read_training_log(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  require(file.is_open(), fmt::format("cannot read {}: {}", path, std::strerror(errno)),
          "check the name and the permissions", Fault::no_input);
  TrainingHistory history;
  double last = -INFINITY;
  std::string line;
  for (std::size_t number_of_line = 1; std::getline(file, line); ++number_of_line) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const auto entry = nlohmann::json::parse(line, nullptr, false);
    if (entry.is_discarded() && file.eof()) {
      history.truncated = true;
      break;
    }
    require(entry.is_object(), fmt::format("{}:{}: not a JSON object", path, number_of_line), kLogAdvice,
            Fault::bad_data);
    const double iteration = number_in(entry, "iteration");
    require(std::isfinite(iteration), fmt::format("{}:{}: no iteration", path, number_of_line), kLogAdvice,
            Fault::bad_data);
    require(iteration > last,
            fmt::format("{}:{}: iteration {:g} after {:g}", path, number_of_line, iteration, last),
            "give the log of one training", Fault::bad_data);
    last = iteration;
    const std::string name = text_in(entry, "stage");
    const Objective objective =
        text_in(entry, "objective") == kMatching ? Objective::flow_matching : Objective::likelihood;
    history.named = history.named || !name.empty();
    if (history.stages.empty() || history.stages.back().name != name ||
        history.stages.back().objective != objective)
      history.stages.push_back({name, objective, {}});
    history.stages.back().entries.push_back({iteration, number_in(entry, "seconds"), number_in(entry, "loss"),
                                             number_in(entry, "evaluations"),
                                             number_in(entry, "validation")});
  }
  require(!file.bad(), fmt::format("cannot read {}", path), "check the disk", Fault::no_input);
  require(!history.stages.empty(), fmt::format("{} holds no iteration", path),
          history.truncated ? "give a log of more than a part of a line" : kLogAdvice, Fault::bad_data);
  if (history.stages.size() > 1)
    for (TrainingStage& stage : history.stages)
      if (stage.name.empty())
        stage.name = stage.objective == Objective::flow_matching ? kMatching : "likelihood";
  return history;
}

const TrainingEntry* best_validation(const TrainingHistory& history) {
  const TrainingEntry* best = nullptr;
  for (const TrainingStage& stage : history.stages)
    for (const TrainingEntry& entry : stage.entries)
      if (std::isfinite(entry.validation) && (best == nullptr || entry.validation < best->validation))
        best = &entry;
  return best;
}

}  // namespace riemflow
