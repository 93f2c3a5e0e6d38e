// Points from delimited text.

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "riemflow/core/error.hpp"
#include "riemflow/io/csv_head.hpp"
#include "riemflow/io/layout.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/number.hpp"
#include "riemflow/io/open_format.hpp"
#include "riemflow/io/row_source.hpp"

namespace riemflow::io {
namespace {

std::string name_of(char delimiter) {
  switch (delimiter) {
    case '\t':
      return "tab-separated text";
    case ';':
      return "semicolon-separated text";
    case '|':
      return "text separated by |";
    case ' ':
      return "space-separated text";
    default:
      return "comma-separated text";
  }
}

class CsvRows final : public RowReader {
 public:
  CsvRows(CsvHead head, Layout layout, Units units, bool skip_invalid, std::size_t longest_row)
      : dialect_(head.dialect),
        table_(std::move(head.table)),
        header_line_(head.header_line),
        layout_(std::move(layout)),
        units_(units),
        skip_invalid_(skip_invalid),
        dimension_(layout_.recipe.coordinates()),
        longest_row_(longest_row) {}

  int dimension() const override { return dimension_; }
  std::size_t longest_row() const override { return longest_row_; }

  /// Behind an end of a line with an even number of quotes before it, or at all.
  const char* likely_row(const char* begin, const char* from, const char* end) const override {
    bool inside = odd_quotes(begin, from);
    const char* const first = line_after(from, end);
    for (const char* place = first; place != nullptr; from = place, place = line_after(from, end)) {
      inside ^= odd_quotes(from, place);
      if (!inside) return place;
    }
    return first;
  }

  void make(const Piece& piece, Rows& rows) const override {
    Record record;
    std::vector<double> numbers(layout_.columns.size());
    const auto width = static_cast<std::size_t>(dimension_);
    const char* at = piece.begin;
    std::uint64_t line = 0;
    for (; at < piece.limit; line += record.lines, at = record.end) {
      const Scan scan = scan_record(at, piece.end, piece.last, dialect_, record);
      if (is_too_long(scan, record, piece.end)) return rows.stop_at(at, line, Stop::bad);
      if (scan == Scan::incomplete) return rows.stop_at(at, line, Stop::incomplete);
      if (scan == Scan::blank || scan == Scan::comment) continue;
      if (scan != Scan::row) return rows.stop_at(at, line, Stop::bad);
      rows.points.resize(rows.points.size() + width);
      double weight = 1;
      if (read({record, line}, numbers, &*(rows.points.end() - static_cast<std::ptrdiff_t>(width)), weight,
               [](const auto&) {})) {
        rows.point_lines.push_back(line);
        if (table_.weight) rows.weights.push_back(weight);
        continue;
      }
      rows.points.resize(rows.points.size() - width);
      if (!skip_invalid_) return rows.stop_at(at, line, Stop::bad);
      rows.left_out.push_back({rows.size(), at, line});
    }
    rows.stop_at(at, line, Stop::limit);
  }

  Error error_of(const Piece& piece, std::uint64_t line) const override {
    Record record;
    const Scan scan = scan_record(piece.begin, piece.end, piece.last, dialect_, record);
    if (is_too_long(scan, record, piece.end))
      return Error(FilePlace{table_.path, line, 1}, fmt::format("a row of more than {} bytes", longest_row_),
                   "close a quote that may be open, and give one point per line");
    if (scan != Scan::row) return scan_error(scan, record, table_.path, line);
    std::optional<Error> found;
    std::vector<double> numbers(layout_.columns.size()), point(static_cast<std::size_t>(dimension_));
    double weight = 1;
    read({record, line}, numbers, point.data(), weight, [&](const auto& error) { found = error(); });
    return *found;
  }

 private:
  struct Row {
    const Record& record;
    std::uint64_t line;
  };

  static bool odd_quotes(const char* begin, const char* end) {
    bool odd = false;
    while ((begin = static_cast<const char*>(
                std::memchr(begin, '"', static_cast<std::size_t>(end - begin)))) != nullptr)
      odd = !odd, ++begin;
    return odd;
  }
  /// Where a line begins behind `from`; null if none does up to `end`. Lines end with CR where none ends with
  /// LF.
  static const char* line_after(const char* from, const char* end) {
    for (const char mark : {'\n', '\r'})
      if (const void* found = std::memchr(from, mark, static_cast<std::size_t>(end - from)))
        return static_cast<const char*>(found) + 1;
    return nullptr;
  }

  /// More bytes were looked at than a row may have.
  bool is_too_long(Scan scan, const Record& record, const char* end) const {
    const char* seen = scan == Scan::incomplete || scan == Scan::open_quote   ? end
                       : scan == Scan::zero_byte || scan == Scan::after_quote ? record.fault + 1
                                                                              : record.end;
    return static_cast<std::size_t>(seen - record.begin) > longest_row_;
  }

  /// The point and the weight of a row. If it is none: false, and wrong(error) is called, where error() is
  /// what is wrong.
  template <class Wrong>
  bool read(const Row& row, std::vector<double>& numbers, double* point, double& weight,
            Wrong&& wrong) const {
    if (!has_width(row, wrong) || !read_numbers(row, numbers, wrong) ||
        (table_.weight && !read_weight(row, weight, wrong)))
      return false;
    const auto complaint = layout_.recipe.make(numbers.data(), point);
    if (complaint) wrong([&] { return no_point(row, *complaint); });
    return !complaint;
  }

  FilePlace where(const Row& row, const char* place) const {
    const Place p = place_of(row.record.begin, place, row.line);
    return {table_.path, p.line, p.column};
  }

  template <class Wrong>
  bool has_width(const Row& row, Wrong&& wrong) const {
    const std::vector<Field>& fields = row.record.fields;
    const std::size_t found = fields.size();
    if (found == table_.width || (found == table_.width + 1 && fields.back().text.empty())) return true;
    wrong([&] {
      return invalid_row(
          where(row, row.record.begin),
          fmt::format("{} field{} where {} {} expected, as {}", found, found == 1 ? "" : "s", table_.width,
                      table_.width == 1 ? "is" : "are",
                      header_line_ != 0 ? fmt::format("in the header on line {}", header_line_)
                                        : fmt::format("on line {}", table_.row_lines[0])),
          "complete the row, quote text that holds the delimiter, or put # before a line that is no data");
    });
    return false;
  }

  /// numbers = the chosen fields of the row.
  template <class Wrong>
  bool read_numbers(const Row& row, std::vector<double>& numbers, Wrong&& wrong) const {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const Field& field = row.record.fields[layout_.columns[i]];
      const NumberKind kind = read_number(field.text, dialect_.decimal, numbers[i]);
      if (kind == NumberKind::finite) continue;
      wrong([&] {
        return no_number(row, field, kind, layout_.column_name(i, table_),
                         advice_on(field.text, kind, layout_.angular[i]));
      });
      return false;
    }
    return true;
  }

  /// weight = the field of weights of the row.
  template <class Wrong>
  bool read_weight(const Row& row, double& weight, Wrong&& wrong) const {
    const Field& field = row.record.fields[*table_.weight];
    const NumberKind kind = read_number(field.text, dialect_.decimal, weight);
    if (kind == NumberKind::finite && is_weight(weight)) return true;
    wrong([&] {
      const std::string name = Layout::weight_name(table_);
      if (kind != NumberKind::finite)
        return no_number(row, field, kind, name, other_decimals(field.text).value_or(Layout::kWeightAdvice));
      return invalid_row(where(row, field.text.data()),
                         fmt::format("{} is {} {}", name, in_quotes(field.text), Layout::kWeightExpected),
                         Layout::kWeightAdvice)
          .of_value(std::string(field.text));
    });
    return false;
  }

  /// Of a field that holds no finite number.
  Error no_number(const Row& row, const Field& field, NumberKind kind, const std::string& name,
                  const std::string& advice) const {
    return invalid_row(where(row, field.text.data()),
                       fmt::format("{} is {}{}", name, in_quotes(field.text),
                                   kind == NumberKind::missing    ? ", a missing value"
                                   : kind == NumberKind::infinite ? " where a finite number is expected"
                                                                  : ", which is not a number"),
                       advice)
        .of_value(std::string(field.text));
  }

  /// What to do about a number that is one with the other sign of decimals.
  std::optional<std::string> other_decimals(std::string_view text) const {
    double ignored;
    if (read_number(text, dialect_.decimal == ',' ? '.' : ',', ignored) != NumberKind::finite)
      return std::nullopt;
    return fmt::format("write decimals with a {}, as in the other rows",
                       dialect_.decimal == ',' ? "comma" : "point");
  }

  std::string advice_on(std::string_view text, NumberKind kind, bool angular) const {
    if (kind == NumberKind::missing) return "fill it in";
    if (kind == NumberKind::infinite) return "correct it";
    if (const auto advice = other_decimals(text)) return *advice;
    return fmt::format("give {}, or choose other columns with ‹columns›",
                       !angular                   ? "a number such as -12.5"
                       : units_ == Units::radians ? "radians such as -0.25"
                                                  : "decimal degrees such as -12.5");
  }

  Error no_point(const Row& row, const Complaint& complaint) const {
    if (!complaint.number)
      return invalid_row(where(row, row.record.begin), "the point " + complaint.problem, complaint.advice);
    const std::string_view text = row.record.fields[layout_.columns[*complaint.number]].text;
    return invalid_row(where(row, text.data()),
                       fmt::format("{} is {} {}", layout_.column_name(*complaint.number, table_),
                                   in_quotes(text), complaint.problem),
                       complaint.advice)
        .of_value(std::string(text));
  }

  Dialect dialect_;
  Table table_;
  std::uint64_t header_line_;
  Layout layout_;
  Units units_;
  bool skip_invalid_;
  int dimension_;
  std::size_t longest_row_;
};

}  // namespace

std::unique_ptr<PointSource> open_csv(Window window, const std::string& path, const ReadOptions& options) {
  CsvHead head = read_csv_head(window, path, options);
  Assumptions assumptions;
  assumptions.path = path;
  assumptions.format = head.dialect.delimiter == '\t' ? "tsv" : "csv";
  assumptions.delimiter = head.dialect.delimiter;
  assumptions.layout = head.table.width == 1 ? "text of one column" : name_of(head.dialect.delimiter);
  assumptions.decimal_comma = head.dialect.decimal == ',';
  assumptions.header_line = head.header_line;
  Layout layout = lay_out(head.table, options, assumptions);
  head.table.values = {};
  window.advance(window.begin() + head.data_offset);
  const std::uint64_t first_line = head.data_line;
  auto rows = std::make_unique<CsvRows>(std::move(head), std::move(layout), assumptions.units,
                                        options.skip_invalid, window.capacity());
  return open_rows(std::move(window), std::move(rows), first_line, std::move(assumptions), options);
}

}  // namespace riemflow::io
