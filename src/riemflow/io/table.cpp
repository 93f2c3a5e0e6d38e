#include "riemflow/io/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "riemflow/io/message.hpp"

namespace riemflow::io {

std::string listed_columns(const Table& table) {
  constexpr std::size_t kMost = 30;
  std::string list;
  for (std::size_t i = 0; i < std::min(table.width, kMost); ++i) {
    list += fmt::format("{}{}", i == 0 ? "" : ", ", i + 1);
    if (!table.name(i).empty()) list += fmt::format(" {}", in_quotes(table.name(i)));
  }
  return table.width > kMost ? list + ", …" : list;
}

}  // namespace riemflow::io
