// Points from delimited text.

#include <fmt/format.h>

#include "riemflow/core/error.hpp"
#include "riemflow/io/csv_head.hpp"
#include "riemflow/io/layout.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/number.hpp"
#include "riemflow/io/open_format.hpp"

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

class CsvSource : public PointSource {
 public:
  CsvSource(Window window, CsvHead head, Layout layout, Assumptions assumptions, bool skip_invalid)
      : PointSource(std::move(assumptions), layout.recipe.coordinates(), skip_invalid),
        window_(std::move(window)),
        dialect_(head.dialect),
        table_(std::move(head.table)),
        header_line_(head.header_line),
        next_line_(head.data_line),
        layout_(std::move(layout)),
        numbers_(layout_.columns.size()) {
    window_.advance(window_.begin() + head.data_offset);
  }

 protected:
  bool next_point(double* point, std::uint64_t& line, double& weight) override {
    while (next_row()) {
      if (!has_width() || !read_numbers() || (table_.weight && !read_weight(weight))) continue;
      if (const auto complaint = layout_.recipe.make(numbers_.data(), point)) {
        reject_point(*complaint);
        continue;
      }
      line = line_;
      return true;
    }
    return false;
  }

 private:
  /// record_ = the next row, which starts on line_.
  bool next_row() {
    for (;;) {
      if (window_.size() == 0 && !window_.more()) return false;
      const Scan scan = scan_record(window_.begin(), window_.end(), window_.complete(), dialect_, record_);
      if (scan == Scan::incomplete) {
        if (!window_.more() && !window_.complete())
          throw Error(FilePlace{table_.path, next_line_, 1},
                      fmt::format("a row of more than {} bytes", window_.capacity()),
                      "close a quote that may be open, and give one point per line");
        continue;
      }
      line_ = next_line_;
      if (scan != Scan::row && scan != Scan::blank && scan != Scan::comment)
        throw_scan(scan, record_, table_.path, line_);
      next_line_ += record_.lines;
      window_.advance(record_.end);
      if (scan == Scan::row) return true;
    }
  }

  FilePlace where(const char* place) const {
    const Place p = place_of(record_.begin, place, line_);
    return {table_.path, p.line, p.column};
  }

  bool has_width() {
    const std::size_t found = record_.fields.size();
    if (found == table_.width || (found == table_.width + 1 && record_.fields.back().text.empty()))
      return true;
    reject([&] {
      return invalid(
          where(record_.begin),
          fmt::format("{} field{} where {} {} expected, as {}", found, found == 1 ? "" : "s", table_.width,
                      table_.width == 1 ? "is" : "are",
                      header_line_ != 0 ? fmt::format("in the header on line {}", header_line_)
                                        : fmt::format("on line {}", table_.row_lines[0])),
          "complete the row, quote text that holds the delimiter, or put # before a line that is no data");
    });
    return false;
  }

  /// numbers_ = the chosen fields of the row.
  bool read_numbers() {
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      const Field& field = record_.fields[layout_.columns[i]];
      const NumberKind kind = read_number(field.text, dialect_.decimal, numbers_[i]);
      if (kind == NumberKind::finite) continue;
      reject([&] {
        return no_number(field, kind, layout_.column_name(i, table_),
                         advice_on(field.text, kind, layout_.angular[i]));
      });
      return false;
    }
    return true;
  }

  /// weight = the field of weights of the row.
  bool read_weight(double& weight) {
    const Field& field = record_.fields[*table_.weight];
    const NumberKind kind = read_number(field.text, dialect_.decimal, weight);
    if (kind == NumberKind::finite && is_weight(weight)) return true;
    reject([&] {
      const std::string name = Layout::weight_name(table_);
      if (kind != NumberKind::finite)
        return no_number(field, kind, name, other_decimals(field.text).value_or(Layout::kWeightAdvice));
      return invalid(where(field.text.data()),
                     fmt::format("{} is {} {}", name, in_quotes(field.text), Layout::kWeightExpected),
                     Layout::kWeightAdvice)
          .of_value(std::string(field.text));
    });
    return false;
  }

  /// Of a field that holds no finite number.
  Error no_number(const Field& field, NumberKind kind, const std::string& name,
                  const std::string& advice) const {
    return invalid(where(field.text.data()),
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
                       !angular                               ? "a number such as -12.5"
                       : assumptions_.units == Units::radians ? "radians such as -0.25"
                                                              : "decimal degrees such as -12.5");
  }

  void reject_point(const Complaint& complaint) {
    reject([&] {
      if (!complaint.number)
        return invalid(where(record_.begin), "the point " + complaint.problem, complaint.advice);
      const std::string_view text = record_.fields[layout_.columns[*complaint.number]].text;
      return invalid(where(text.data()),
                     fmt::format("{} is {} {}", layout_.column_name(*complaint.number, table_),
                                 in_quotes(text), complaint.problem),
                     complaint.advice)
          .of_value(std::string(text));
    });
  }

  Window window_;
  Dialect dialect_;
  Table table_;
  std::uint64_t header_line_;
  std::uint64_t next_line_, line_ = 0;
  Layout layout_;
  Record record_;
  std::vector<double> numbers_;
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
  return std::make_unique<CsvSource>(std::move(window), std::move(head), std::move(layout),
                                     std::move(assumptions), options.skip_invalid);
}

}  // namespace riemflow::io
