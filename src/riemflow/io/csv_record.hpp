#pragma once
// One record of delimited text (RFC 4180 with the liberties of real files).
//
// Fields lose the spaces around them. A field that begins with a double quote ends at the next lone one;
// inside,
// "" stands for one quote, and delimiters and line ends are text. A quote elsewhere is a character like
// others. A line ends with LF, CRLF or CR. A line whose first visible character is # is a comment.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace riemflow::io {

struct Dialect {
  explicit Dialect(char separator = ',');

  /// ' ' is any run of spaces and tabs, and those around a line are nothing.
  char delimiter;
  char decimal = '.';
  std::array<bool, 256> stops{};  ///< characters that end an unquoted field
};

struct Field {
  std::string_view text;  ///< between the quotes, "" as it stands
  bool was_quoted;

  /// With "" made ".
  std::string unescaped() const;
};

enum class Scan {
  row,
  blank,
  comment,     ///< text(): the line
  incomplete,  ///< more bytes are needed to see its end
  zero_byte,   ///< `fault` points to it, as in the next two
  open_quote,  ///< never closed
  after_quote  ///< text between a closing quote and the delimiter
};

struct Record {
  const char* begin = nullptr;
  const char* end = nullptr;  ///< after the line end
  std::uint64_t lines = 0;    ///< line ends from begin to end; 1 for a last line without
  const char* fault = nullptr;
  std::vector<Field> fields;

  std::string_view text() const { return {begin, static_cast<std::size_t>(end - begin)}; }
};

/// The record that starts at `begin` < `end`, where *end is zero; `last`: nothing follows end.
Scan scan_record(const char* begin, const char* end, bool last, const Dialect& dialect, Record& record);

/// Calls f(scan, record, line) for each record of `text` until f returns false or the text ends or cannot be
/// read; `last`: no byte follows it.
template <class F>
void for_each_record(std::string_view text, bool last, const Dialect& dialect, std::uint64_t line, F&& f) {
  Record record;
  const char *p = text.data(), *const end = p + text.size();
  while (p < end) {
    const Scan scan = scan_record(p, end, last, dialect, record);
    if (scan == Scan::incomplete || !f(scan, record, line)) return;
    if (scan != Scan::row && scan != Scan::blank && scan != Scan::comment) return;
    line += record.lines;
    p = record.end;
  }
}

/// Lines and bytes from `begin`, at the start of line `line`, to `place`; both from 1.
struct Place {
  std::uint64_t line, column;
};
Place place_of(const char* begin, const char* place, std::uint64_t line);

}  // namespace riemflow::io
