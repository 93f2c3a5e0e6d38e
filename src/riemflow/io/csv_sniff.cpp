#include "riemflow/io/csv_sniff.hpp"

#include <algorithm>
#include <map>

#include "riemflow/io/number.hpp"

namespace riemflow::io {
namespace {

constexpr std::size_t kSniffedRows = 100;

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

}  // namespace

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

}  // namespace riemflow::io
