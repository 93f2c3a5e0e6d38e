#pragma once
// The points that a command works on (riemflow/io/data_file.hpp): DATA, --data-dir and how to read it.

#include <memory>
#include <string>

#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/options.hpp"
#include "apps/riemflow/support/signals.hpp"
#include "apps/riemflow/support/task_progress.hpp"
#include "riemflow/fit/observer.hpp"
#include "riemflow/io/data_file.hpp"

namespace riemflow::app {

/// How help and completions call the type of such an option.
inline constexpr const char* kDataType = "FILE|NAME";

/// Opened, with what was assumed of it said. manifold: empty: inferred.
std::unique_ptr<PointSource> open_said(const DataFile& data, const std::string& manifold);

/// name: "DATA" for the positional, or an option such as "--from-data".
CLI::Option* add_data(CLI::App& command, DataFile& data, const std::string& name = "DATA");

/// --data-dir
void add_data_dir(CLI::App& command, std::string& folder);

/// Says what it is told, shows how far a task is, and ends on Ctrl-C.
class Teller : public Observer {
 public:
  explicit Teller(bool quiet = false) : quiet_(quiet) {}
  void say(const std::string& sentence) override { Voice{quiet_}.say_text(sentence); }
  void begin_task(const std::string& name, double units) override {
    progress_ = std::make_unique<TaskProgress>(name, units, quiet_);
  }
  void task(double done, double of, const char* note) override {
    if (*note != '\0') progress_->note(note);
    progress_->reach(done, of);
  }
  void end_task() override { progress_.reset(); }
  bool cancelled() const override { return interrupted(); }

 private:
  bool quiet_;
  std::unique_ptr<TaskProgress> progress_;
};

}  // namespace riemflow::app
