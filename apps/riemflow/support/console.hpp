#pragma once
// Results go to standard output, everything said to people to standard error. Names and texts of files may
// hold what a terminal obeys: it is escaped here (io/message.hpp), and only the data that a command writes
// are not.

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace riemflow::app {

/// ‹rate› (core/setting.hpp) as --rate.
std::string with_flags(std::string_view text);

/// A line for people, from any thread.
void say_text(const std::string& text);
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  say_text(fmt::format(format, std::forward<Args>(args)...));
}

/// The line of a terminal that is rewritten in place until end_line(); what is said meanwhile goes below it.
void rewrite_line(const std::string& text);
void end_line();

/// Whether standard error is a terminal.
bool errors_on_terminal();
/// Seconds between two showings of progress there and elsewhere.
inline constexpr double kTerminalEvery = 0.1, kPlainEvery = 10;

/// The voice of a command that can be asked to be quiet: then it says nothing beside results and errors.
struct Voice {
  bool quiet = false;

  void say_text(const std::string& text) const {
    if (!quiet) app::say_text(text);
  }
  template <class... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) const {
    say_text(fmt::format(format, std::forward<Args>(args)...));
  }
};

/// A result for people.
void answer_text(const std::string& text);
template <class... Args>
void answer(fmt::format_string<Args...> format, Args&&... args) {
  answer_text(fmt::format(format, std::forward<Args>(args)...));
}

/// A result: indented, keys in their order, numbers that read back as the same, NaN and infinities as null.
void print_json(const nlohmann::ordered_json& value);

/// Standard output is written out. Throws Error(Fault::cannot_write) if some of it was lost.
void finish_output();

}  // namespace riemflow::app
