#include "apps/riemflow/support/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace riemflow::app {

bool errors_on_terminal() { return isatty(STDERR_FILENO) == 1; }

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace riemflow::app
