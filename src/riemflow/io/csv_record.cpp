#include "riemflow/io/csv_record.hpp"

#include <cstring>

namespace riemflow::io {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_line_end(char c) { return c == '\n' || c == '\r'; }

/// Line ends in [begin, end); a CR at the end counts.
std::uint64_t count_lines(const char* begin, const char* end) {
  std::uint64_t lines = 0;
  for (const char* p = begin; p < end; ++p)
    lines += *p == '\n' || (*p == '\r' && (p + 1 == end || p[1] != '\n'));
  return lines;
}

/// `place` is at a line end or at `end`: sets record.end behind it. False if a LF may follow a CR that is
/// last.
bool finish(const char* place, const char* end, bool last, Record& record) {
  if (place == end && !last) return false;
  if (place < end && *place == '\r') {
    if (place + 1 == end && !last) return false;
    if (place[1] == '\n') ++place;
  }
  record.end = place < end ? place + 1 : end;
  ++record.lines;
  return true;
}

/// The quote that closes the one before `p`; null if it cannot be seen.
const char* closing_quote(const char* p, const char* end) {
  for (;;) {
    p = static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(end - p)));
    if (p == nullptr || p[1] != '"') return p;
    p += 2;
  }
}

}  // namespace

Dialect::Dialect(char separator) : delimiter(separator) {
  for (char c : {separator, '\n', '\r', '\0'}) stops[static_cast<unsigned char>(c)] = true;
  if (separator == ' ') stops['\t'] = true;
}

std::string Field::unescaped() const {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (was_quoted && text[i] == '"') ++i;
  }
  return result;
}

Scan scan_record(const char* begin, const char* end, bool last, const Dialect& dialect, Record& record) {
  record.begin = begin;
  record.lines = 0;
  record.fields.clear();
  const bool merge = dialect.delimiter == ' ';
  const bool tabs_are_space = dialect.delimiter != '\t';
  const char* p = begin;

  while (is_blank(*p)) ++p;
  if (p == end || is_line_end(*p)) return finish(p, end, last, record) ? Scan::blank : Scan::incomplete;
  if (*p == '#') {
    while (p < end && !is_line_end(*p) && *p != 0) ++p;
    if (p < end && *p == 0) {
      record.fault = p;
      return Scan::zero_byte;
    }
    return finish(p, end, last, record) ? Scan::comment : Scan::incomplete;
  }

  p = begin;
  for (;;) {
    while (*p == ' ' || (*p == '\t' && tabs_are_space)) ++p;
    if (merge && (p == end || is_line_end(*p)) && !record.fields.empty()) break;
    if (*p == '"') {
      const char* const open = p;
      p = closing_quote(open + 1, end);
      if (p == nullptr) {
        record.fault = open;
        return last ? Scan::open_quote : Scan::incomplete;
      }
      const std::string_view text(open + 1, static_cast<std::size_t>(p - open - 1));
      if (const void* zero = std::memchr(text.data(), 0, text.size())) {
        record.fault = static_cast<const char*>(zero);
        return Scan::zero_byte;
      }
      record.lines += count_lines(open, p);
      record.fields.push_back({text, true});
      ++p;
      while (*p == ' ' || (*p == '\t' && tabs_are_space)) ++p;
      if (!dialect.stops[static_cast<unsigned char>(*p)] && !(merge && is_blank(p[-1]))) {
        record.fault = p;
        return Scan::after_quote;
      }
    } else {
      const char* const start = p;
      while (!dialect.stops[static_cast<unsigned char>(*p)]) ++p;
      const char* stop = p;
      while (stop > start && is_blank(stop[-1])) --stop;
      record.fields.push_back({{start, static_cast<std::size_t>(stop - start)}, false});
    }

    if (p == end || is_line_end(*p)) break;
    if (*p == 0) {
      record.fault = p;
      return Scan::zero_byte;
    }
    if (*p == dialect.delimiter || (merge && *p == '\t')) ++p;
  }
  return finish(p, end, last, record) ? Scan::row : Scan::incomplete;
}

Place place_of(const char* begin, const char* place, std::uint64_t line) {
  const char* line_start = begin;
  for (const char* p = begin; p < place; ++p) {
    if (*p != '\n' && !(*p == '\r' && p[1] != '\n')) continue;
    ++line;
    line_start = p + 1;
  }
  return {line, static_cast<std::uint64_t>(place - line_start) + 1};
}

}  // namespace riemflow::io
