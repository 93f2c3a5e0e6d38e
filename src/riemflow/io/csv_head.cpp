#include "riemflow/io/csv_head.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "riemflow/core/error.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/io/columns.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/number.hpp"

namespace riemflow::io {
namespace {

constexpr std::size_t kFirstLook = 1 << 16;  // bytes read ahead, more only if no row ends in them
constexpr std::size_t kTableRows = 1000;
constexpr std::size_t kSniffedRows = 100;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_number(const Field& field, char decimal) {
  double ignored;
  return read_number(field.text, decimal, ignored) == NumberKind::finite;
}

/// How well a dialect explains the first rows: the share of rows with the commonest number of fields, times
/// the share of numbers among these plus a half. 0 if that number is one.
double fitness(std::string_view text, bool last, const Dialect& dialect) {
  struct Count {
    std::size_t rows = 0, numbers = 0;
  };
  std::map<std::size_t, Count> widths;
  std::size_t rows = 0;
  for_each_record(text, last, dialect, 1, [&](Scan scan, const Record& record, std::uint64_t) {
    if (scan != Scan::row) return true;
    Count& count = widths[record.fields.size()];
    ++count.rows;
    for (const Field& field : record.fields)
      count.numbers += is_number(field, '.') || (dialect.delimiter != ',' && is_number(field, ','));
    return ++rows < kSniffedRows;
  });
  double best = 0;
  for (const auto& [width, count] : widths) {
    if (width < 2) continue;
    const double agreement = static_cast<double>(count.rows) / static_cast<double>(rows);
    const double share = static_cast<double>(count.numbers) / static_cast<double>(count.rows * width);
    best = std::max(best, agreement * (share + 0.5));
  }
  return best;
}

/// Decimal commas: some fields are numbers with one, none is a number with a point.
char decimal_of(std::string_view text, bool last, const Dialect& dialect) {
  if (dialect.delimiter == ',') return '.';
  std::size_t rows = 0;
  bool commas = false, points = false;
  for_each_record(text, last, dialect, 1, [&](Scan scan, const Record& record, std::uint64_t) {
    if (scan != Scan::row) return true;
    for (const Field& field : record.fields) {
      commas |= field.text.find(',') != field.text.npos && is_number(field, ',');
      points |= field.text.find('.') != field.text.npos && is_number(field, '.');
    }
    return ++rows < kSniffedRows;
  });
  return commas && !points ? ',' : '.';
}

/// The dialect that explains `text` best; a comma for a single column. A zero byte stands behind the text;
/// `last`: no other byte does. format "tsv": tabs without looking.
Dialect sniff_dialect(std::string_view text, bool last, const std::string& format) {
  Dialect best(format == "tsv" ? '\t' : ',');
  double most = 0;
  for (char delimiter : {',', '\t', ';', '|', ' '}) {
    if (format == "tsv") break;
    const Dialect dialect(delimiter);
    const double fit = fitness(text, last, dialect);
    if (fit <= most) continue;
    most = fit;
    best = dialect;
  }
  best.decimal = decimal_of(text, last, best);
  return best;
}

std::vector<std::string> names_in(const Record& record) {
  std::vector<std::string> names;
  for (const Field& field : record.fields) names.push_back(field.unescaped());
  return names;
}

/// ReadOptions::columns or weights names one of these.
bool names_requested_column(const ReadOptions& options, const std::vector<std::string>& names) {
  std::vector<std::string> entries = split_columns(options.columns);
  entries.emplace_back(trimmed(options.weights));
  for (const std::string& entry : entries)
    for (const std::string& name : names)
      if (!entry.empty() && entry.find_first_not_of("0123456789-") != entry.npos &&
          lower(entry) == lower(name))
        return true;
  return false;
}

/// `unmistakable`: by names that no one gives to anything else, as x is given to a residue.
bool has_known_names(const std::vector<std::string>& names, const ReadOptions& options, bool unmistakable) {
  const auto is_known = [&](const std::string& name) {
    const Meaning m = meaning_of(name).meaning;
    const bool certain =
        m == Meaning::latitude || m == Meaning::longitude || m == Meaning::phi || m == Meaning::psi;
    return unmistakable ? certain : m != Meaning::none;
  };
  return std::count_if(names.begin(), names.end(), is_known) >= 2 || names_requested_column(options, names);
}

/// The first row names the columns: by names that are known, or because nothing in it is a value.
bool is_header(const Record& record, const Dialect& dialect, const ReadOptions& options) {
  bool any_value = false, any_text = false;
  for (const Field& field : record.fields) {
    double ignored;
    const NumberKind kind = read_number(field.text, dialect.decimal, ignored);
    any_text |= kind == NumberKind::text;
    any_value |= kind != NumberKind::text && !field.text.empty();
  }
  return (any_text && !any_value) || has_known_names(names_in(record), options, true);
}

/// The names in "#EventID|Time|Latitude|…" just above the data, as FDSN services and numpy write them.
std::vector<std::string> names_in_comment(std::string_view comment, const CsvHead& head,
                                          const ReadOptions& options) {
  const std::string text(comment.substr(std::min(comment.find('#'), comment.size() - 1) + 1));
  std::vector<std::string> names;
  for_each_record(text, true, head.dialect, 1, [&](Scan scan, const Record& record, std::uint64_t) {
    if (scan == Scan::row) names = names_in(record);
    return false;
  });
  if (names.size() != head.table.width || !has_known_names(names, options, false)) names.clear();
  return names;
}

/// Rows with a delimiter after their last field have one field more, always empty; it is no column.
std::size_t width_of(std::string_view text, bool last, const Dialect& dialect, std::size_t fields,
                     bool last_is_empty) {
  if (!last_is_empty || fields < 2) return fields;
  bool used = false;
  std::size_t rows = 0;
  for_each_record(text, last, dialect, 1, [&](Scan scan, const Record& record, std::uint64_t) {
    if (scan == Scan::row && record.fields.size() == fields) used = !record.fields.back().text.empty();
    return !used && ++rows < kTableRows;
  });
  return used ? fields : fields - 1;
}

/// Takes record after record, until it knows enough.
class HeadReader {
 public:
  /// `text`: what can be seen of the file, from `start` bytes after its beginning; `last`: all there is.
  HeadReader(const std::string& path, std::string_view text, std::size_t start, bool last,
             const ReadOptions& options)
      : text_(text), start_(start), last_(last), options_(options) {
    head_.table.path = path;
    head_.dialect = sniff_dialect(text, last, options.format);
  }

  CsvHead read() {
    for_each_record(text_, last_, head_.dialect, 1, [&](Scan scan, const Record& record, std::uint64_t line) {
      return take(scan, record, line);
    });
    for (std::size_t i = 0; i < head_.table.width; ++i)
      head_.table.numeric[i] = head_.table.numeric[i] && !spoiled_[i];
    return std::move(head_);
  }
  bool has_row() const { return has_row_; }

 private:
  bool take(Scan scan, const Record& record, std::uint64_t line) {
    if (scan == Scan::comment) {
      comment_ = record.text();
      comment_line_ = line;
    }
    if (scan == Scan::blank || scan == Scan::comment) return true;
    if (scan != Scan::row) {
      if (has_row_) return false;  // for the reader to complain of
      throw scan_error(scan, record, head_.table.path, line);
    }
    if (head_.table.width == 0 && take_first(record, line)) return true;
    if (!has_row_) {
      has_row_ = true;
      head_.data_line = line;
      head_.data_offset = start_ + static_cast<std::size_t>(record.begin - text_.data());
    }
    add_row(record, line);
    return head_.table.rows() < kTableRows;
  }

  /// Sets width and names; true if this row is the header.
  bool take_first(const Record& record, std::uint64_t line) {
    refuse_control_bytes(record, line);
    Table& table = head_.table;
    const std::string_view rest = text_.substr(static_cast<std::size_t>(record.begin - text_.data()));
    table.width =
        width_of(rest, last_, head_.dialect, record.fields.size(), record.fields.back().text.empty());
    table.numeric.assign(table.width, false);
    spoiled_.assign(table.width, false);
    if (is_header(record, head_.dialect, options_)) {
      table.names = names_in(record);
      table.names.resize(table.width);
      head_.header_line = line;
      return true;
    }
    if (!comment_.empty()) table.names = names_in_comment(comment_, head_, options_);
    if (!table.names.empty())
      head_.header_line = comment_line_;
    else
      take_names_from_option();
    return false;
  }

  /// As many known names in ReadOptions::columns as there are columns name them.
  void take_names_from_option() {
    const std::vector<std::string> entries = split_columns(options_.columns);
    const auto is_known = [](const std::string& name) { return meaning_of(name).meaning != Meaning::none; };
    if (entries.size() != head_.table.width || !std::all_of(entries.begin(), entries.end(), is_known)) return;
    head_.table.names = entries;
    head_.table.named_by_option = true;
  }

  /// Bytes of no meaning in a text, in its first row: a file of another kind.
  void refuse_control_bytes(const Record& record, std::uint64_t line) const {
    const auto is_control = [](char c) {
      return ('\0' <= c && c < '\t') || ('\r' < c && c < ' ') || c == 0x7f;
    };
    const char* const found = std::find_if(record.begin, record.end, is_control);
    if (found == record.end) return;
    const Place place = place_of(record.begin, found, line);
    throw Error(FilePlace{head_.table.path, place.line, place.column},
                fmt::format("byte {}: this is not text", in_quotes({found, 1})),
                "give CSV, TSV, NPY or GeoJSON");
  }

  /// Rows of another width are for the reader to complain of.
  void add_row(const Record& record, std::uint64_t line) {
    Table& table = head_.table;
    if (record.fields.size() < table.width || record.fields.size() > table.width + 1) return;
    table.row_lines.push_back(line);
    for (std::size_t i = 0; i < table.width; ++i) {
      double value;
      const NumberKind kind = read_number(record.fields[i].text, head_.dialect.decimal, value);
      table.values.push_back(value);
      if (kind == NumberKind::finite) table.numeric[i] = true;
      if (kind == NumberKind::text) spoiled_[i] = true;
    }
  }

  std::string_view text_;
  std::size_t start_;
  bool last_;
  const ReadOptions& options_;
  CsvHead head_;
  std::vector<bool> spoiled_;  // columns with text in them
  std::string_view comment_;   // the last one
  std::uint64_t comment_line_ = 0;
  bool has_row_ = false;
};

[[noreturn]] void throw_no_row(const Window& window, const std::string& path, std::uint64_t header_line) {
  if (!window.complete())
    throw Error(FilePlace{path, 1, 1},
                fmt::format("no row ends within the first {} bytes", window.capacity()),
                "give text with one point per line");
  const char* problem = window.size() == 0 ? "the file is empty"
                        : header_line == 0 ? "there is nothing but blank lines and comments"
                                           : "there is no row after the header";
  throw Error(FilePlace{path, std::max<std::uint64_t>(header_line, 1), 1}, problem,
              "give one point per line");
}

}  // namespace

Error scan_error(Scan scan, const Record& record, const std::string& path, std::uint64_t line) {
  const Place place = place_of(record.begin, record.fault, line);
  const FilePlace where{path, place.line, place.column};
  if (scan == Scan::zero_byte)
    return Error(where, "a zero byte: this is not text",
                 "give CSV, TSV, NPY or GeoJSON; save UTF-16 text as UTF-8");
  if (scan == Scan::open_quote)
    return Error(where, "a quote is opened and never closed", "close it, or remove it");
  const std::string_view rest(record.fault, std::min<std::size_t>(std::strlen(record.fault), 200));
  return Error(where, in_quotes(rest.substr(0, rest.find_first_of("\r\n"))) + " after a closing quote",
               "a quote inside a quoted field is written twice");
}

CsvHead read_csv_head(Window& window, const std::string& path, const ReadOptions& options) {
  std::uint64_t header_line = 0;
  for (std::size_t look : {kFirstLook, window.capacity()}) {
    window.fill(look);
    std::string_view text(window.begin(), window.size());
    const std::size_t start = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    text.remove_prefix(start);
    if (const std::size_t zero = text.find('\0'); zero != text.npos) {
      Record record;
      record.begin = text.data();
      record.fault = text.data() + zero;
      throw scan_error(Scan::zero_byte, record, path, 1);
    }
    HeadReader reader(path, text, start, window.complete(), options);
    CsvHead head = reader.read();
    if (reader.has_row()) return head;
    header_line = head.header_line;
    if (window.complete()) break;
  }
  throw_no_row(window, path, header_line);
}

}  // namespace riemflow::io
