#include "python/src/listener.hpp"

#include <utility>

namespace riemflow::python {

Listener::Listener(py::object target, const std::string& log)
    : target_(std::move(target)), log_(log, 0, [this](const std::string& text) { say(text); }) {}

Listener::~Listener() {
  const py::gil_scoped_acquire lock;
  target_ = py::object();
}

template <class Call>
void Listener::tell_python(const Call& call) {
  const py::gil_scoped_acquire lock;
  if (target_.is_none()) return;
  try {
    call();
  } catch (py::error_already_set& error) {
    interrupts_.stop(std::move(error));
  }
}

bool Listener::due() {
  const double now = seconds_since(start_);
  if (told_ >= 0 && now - told_ < 0.1) return false;
  told_ = now;
  return true;
}

void Listener::say(const std::string& sentence) {
  tell_python([&] { target_.attr("say")(sentence); });
}

void Listener::begin(const PlannedStage& stage) {
  stage_ = stage.name;
  tell_python([&] { target_.attr("stage")(stage.name, stage.iterations, stage.seconds); });
}

void Listener::step(const FitProgress& progress, const std::string& note) {
  log_.add(stage_, progress, seconds_since(start_));
  if (!due()) return;
  tell_python([&] {
    using namespace py::literals;
    target_.attr("step")("stage"_a = stage_, "iteration"_a = progress.iteration, "loss"_a = progress.loss,
                         "validation"_a = progress.validation, "best"_a = progress.best, "note"_a = note);
  });
}

void Listener::end_stage() {
  tell_python([&] { target_.attr("end")(); });
}

void Listener::begin_task(const std::string& name, double) { task_ = name; }

void Listener::task(double done, double of, const char* note) {
  if (!due()) return;
  tell_python([&] { target_.attr("task")(task_, done, of, note); });
}

void Listener::end_task() {
  tell_python([&] { target_.attr("end")(); });
}

}  // namespace riemflow::python
