#include "apps/riemflow/fit/run.hpp"

#include <filesystem>
#include <memory>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/fit/output_file.hpp"
#include "apps/riemflow/fit/progress.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/signals.hpp"
#include "apps/riemflow/support/task_progress.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/fit/training_log.hpp"

namespace riemflow::app {
namespace {

class FitObserver final : public Observer {
 public:
  explicit FitObserver(const FitRequest& request)
      : request_(request),
        voice_{request.options.quiet},
        log_(request.options.log, request.resume == nullptr ? 0 : iterations_of(*request.resume),
             [voice = voice_](const std::string& text) { voice.say_text(text); }) {}

  void say(const std::string& sentence) override { voice_.say_text(request_.label + sentence); }

  void begin(const PlannedStage& stage) override {
    stage_ = stage.name;
    if (request_.label.empty())
      line_ = std::make_unique<ProgressLine>(stage.iterations, stage.seconds, request_.options.quiet);
  }
  void step(const FitProgress& progress, const std::string& note) override {
    log_.add(stage_, progress, seconds_since(start_));
    if (line_ == nullptr) return;
    line_->note(note.empty() ? stage_ : note);
    line_->update(progress);
  }
  void end_stage() override { line_.reset(); }
  void logged(const std::string& stage, const FitProgress& progress) override {
    log_.add(stage, progress, seconds_since(start_));
  }

  void begin_task(const std::string& name, double units) override {
    task_ = std::make_unique<TaskProgress>(name, units, request_.options.quiet);
  }
  void task(double done, double of, const char*) override { task_->reach(done, of); }
  void end_task() override { task_.reset(); }

  /// A first one is to see that it can be written, and leaves what is there from an earlier fit.
  void checkpoint(const Model& model) override {
    const std::string path = partial_path(request_.output);
    const bool first = !std::exchange(begun_, true);
    if (first && is_flow(model.config.model)) {
      if (!std::filesystem::exists(path)) return save_model(path, model);
      if (request_.resume == nullptr)
        say(fmt::format(
            "{} is of an earlier fit, and the next checkpoint replaces it; --resume would go on from it.",
            path));
      return;
    }
    // One that cannot be written is no reason to lose the training: the disk may have room again.
    try {
      save_model(path, model);
    } catch (const Error& error) {
      if (error.fault() != Fault::cannot_write) throw;
      say(fmt::format("Warning: {}. Training goes on.", error.what()));
    }
  }

  bool cancelled() const override { return interrupted(); }

 private:
  static long iterations_of(const Model& model) {
    const auto about = read_provenance(metadata_of(model, "provenance"));
    return about.is_object() ? about.value("iterations", 0L) : 0;
  }

  const FitRequest request_;
  const Voice voice_;
  TrainingLog log_;
  Clock::time_point start_ = Clock::now();
  std::string stage_;
  std::unique_ptr<ProgressLine> line_;
  std::unique_ptr<TaskProgress> task_;
  bool begun_ = false;
};

void say_interrupted(const FitRequest& request, const FitResult& result) {
  if (!result.model) return;
  const std::string path = partial_path(request.output);
  const ModelKind kind = result.model->config.model;
  const Voice voice{request.options.quiet};
  if (is_flow(kind))
    voice.say(
        "Interrupted after {} iterations; {} holds the best model so far, for every command to use. The same "
        "command with --resume goes on.",
        result.progress.iteration, path);
  else
    voice.say("Interrupted; {} holds the {}, for every command to use. The fit of a {} cannot be resumed.",
              path, kind == ModelKind::pool ? "pool of what there is" : "best mixture so far",
              kind == ModelKind::pool ? "pool" : "mixture");
}

}  // namespace

std::unique_ptr<Observer> make_fit_observer(const FitRequest& request) {
  return std::make_unique<FitObserver>(request);
}

void save_result(const std::string& output, const FitResult& result) {
  if (result.stopped != "interrupted")
    save_finished(output, *result.model);
  else if (result.model)
    save_model(partial_path(output), *result.model);
}

FitResult run_fit(const FitRequest& request, const DataSet& data) {
  require_place(request.output);
  watch_interrupts();
  FitResult result = fit(data, request.options, *make_fit_observer(request), request.resume);
  save_result(request.output, result);
  if (result.stopped != "interrupted") return result;
  say_interrupted(request, result);
  throw Exit{kInterrupted};
}

}  // namespace riemflow::app
