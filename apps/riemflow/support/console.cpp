#include "apps/riemflow/support/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>

#include "riemflow/core/error.hpp"
#include "riemflow/core/setting.hpp"
#include "riemflow/io/message.hpp"

namespace riemflow::app {
namespace {

std::mutex mutex;        // of standard error
bool line_open = false;  // one that rewrites itself

/// Characters a line of the terminal; 80 where that is not known.
std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

bool errors_on_terminal() { return isatty(STDERR_FILENO) == 1; }

std::string with_flags(std::string_view text) {
  return with_settings(text, [](std::string_view name) { return "--" + std::string(name); });
}

void say_text(const std::string& text) {
  // A message that nobody can receive is no reason to fail.
  const std::lock_guard lock(mutex);
  std::fputs(((line_open ? "\n" : "") + io::printable(with_flags(text)) + "\n").c_str(), stderr);
  line_open = false;
}

void rewrite_line(const std::string& text) {
  // A line that wraps cannot be rewritten. One character a code point is near enough here.
  const std::string shown = io::printable(text);
  std::size_t characters = 0, end = 0;
  for (const std::size_t width = terminal_width(); end < shown.size(); ++end)
    if ((shown[end] & 0xC0) != 0x80 && ++characters == width) break;
  const std::lock_guard lock(mutex);
  std::fputs(("\r" + shown.substr(0, end) + "\x1b[K").c_str(), stderr);
  std::fflush(stderr);
  line_open = true;
}

void end_line() {
  const std::lock_guard lock(mutex);
  if (line_open) std::fputs("\n", stderr);
  line_open = false;
}

void answer_text(const std::string& text) {
  const std::string shown = io::printable(with_flags(text));
  std::fwrite(shown.data(), 1, shown.size(), stdout);  // finish_output tells if it failed
}

void print_json(const nlohmann::ordered_json& value) {
  const std::string text =
      with_flags(value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);  // finish_output tells if it failed
}

void finish_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw Error(
      fmt::format("<stdout>: cannot be written: {}", errno == 0 ? "lost output" : std::strerror(errno)),
      "make room, or write to another place with -o", Fault::cannot_write);
}

}  // namespace riemflow::app
