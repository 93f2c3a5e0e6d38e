#include "riemflow/io/csv_record.hpp"

#include <gtest/gtest.h>

namespace riemflow::io {
namespace {

using Rows = std::vector<std::vector<std::string>>;

/// All rows of a text that ends where it ends.
Rows rows_of(const std::string& text, char delimiter = ',') {
  Rows rows;
  for_each_record(text, true, Dialect(delimiter), 1, [&](Scan scan, const Record& record, std::uint64_t) {
    if (scan != Scan::row) return true;
    rows.emplace_back();
    for (const Field& field : record.fields) rows.back().push_back(field.unescaped());
    return true;
  });
  return rows;
}

Scan scan_of(const std::string& text, bool last, Record& record, char delimiter = ',') {
  return scan_record(text.data(), text.data() + text.size(), last, Dialect(delimiter), record);
}

TEST(CsvRecord, SplitsAndTrims) {
  EXPECT_EQ(rows_of("a,b\n1, 2 \n\t3 ,\n"), (Rows{{"a", "b"}, {"1", "2"}, {"3", ""}}));
  EXPECT_EQ(rows_of("a\t b b \t\n", '\t'), (Rows{{"a", "b b", ""}}));
  EXPECT_EQ(rows_of("1;2,5", ';'), (Rows{{"1", "2,5"}}));
  EXPECT_EQ(rows_of(",\n"), (Rows{{"", ""}}));
}

TEST(CsvRecord, RunsOfSpacesAreOneDelimiter) {
  EXPECT_EQ(rows_of("  1   2\t 3  \n4\t5 6", ' '), (Rows{{"1", "2", "3"}, {"4", "5", "6"}}));
  EXPECT_EQ(rows_of("\"a b\"  \"c\" 1\n", ' '), (Rows{{"a b", "c", "1"}}));
}

TEST(CsvRecord, AllLineEnds) {
  const Rows expected{{"1", "2"}, {"3", "4"}};
  for (const char* text :
       {"1,2\n3,4\n", "1,2\r\n3,4\r\n", "1,2\r3,4\r", "1,2\n3,4", "1,2\r\n3,4\r", "1,2\r3,4\n"})
    EXPECT_EQ(rows_of(text), expected) << text;
}

TEST(CsvRecord, BlankLinesAndCommentsCountAsLines) {
  std::vector<std::uint64_t> lines;
  const std::string text = "# \"one\n\n1,2\r\n  # three\r\r  \n3,4";
  for_each_record(text, true, Dialect(), 1, [&](Scan scan, const Record&, std::uint64_t line) {
    if (scan == Scan::row) lines.push_back(line);
    return true;
  });
  EXPECT_EQ(lines, (std::vector<std::uint64_t>{3, 7}));
}

TEST(CsvRecord, Quotes) {
  EXPECT_EQ(rows_of("\"a,b\",\"c\"\"d\" , \"\"\n"), (Rows{{"a,b", "c\"d", ""}}));
  EXPECT_EQ(rows_of("\"two\nlines\",1\n2,3\n"), (Rows{{"two\nlines", "1"}, {"2", "3"}}));
  EXPECT_EQ(rows_of("5\" pipe,a\"b\"\n"), (Rows{{"5\" pipe", "a\"b\""}}));
  Record record;
  EXPECT_EQ(scan_of("\"two\r\nlines\rthree\",1\n", true, record), Scan::row);
  EXPECT_EQ(record.lines, 3u);
}

TEST(CsvRecord, Faults) {
  Record record;
  const std::string zero("1,\0,2\n", 6), zero_quoted("\"a\0\"\n", 5), zero_comment("#\0\n", 3);
  EXPECT_EQ(scan_of(zero, true, record), Scan::zero_byte);
  EXPECT_EQ(record.fault, zero.data() + 2);
  EXPECT_EQ(scan_of(zero_quoted, true, record), Scan::zero_byte);
  EXPECT_EQ(scan_of(zero_comment, true, record), Scan::zero_byte);
  const std::string open = "1,\"a\"\"\n2";
  EXPECT_EQ(scan_of(open, true, record), Scan::open_quote);
  EXPECT_EQ(record.fault, open.data() + 2);
  const std::string after = "\"a\"b,1\n";
  EXPECT_EQ(scan_of(after, true, record), Scan::after_quote);
  EXPECT_EQ(record.fault, after.data() + 3);
  EXPECT_EQ(scan_of("\"a\"b 1\n", true, record, ' '), Scan::after_quote);
}

// However a text is cut, what can be seen of its first record is all of it or "incomplete".
TEST(CsvRecord, CutAnywhereItIsIncompleteOrTheSame) {
  for (const std::string text :
       {"ab, cd ,\"e\"\"f\"\r\nx", "# comment\r\nx", "  \r\nx", "\"q\" ,1\nx", "1 , 2\rx"}) {
    Record whole;
    const Scan expected = scan_of(text, true, whole);
    for (std::size_t n = 1; n < text.size(); ++n) {
      const std::string part = text.substr(0, n);
      Record record;
      const Scan scan = scan_of(part, false, record);
      if (scan == Scan::incomplete) continue;
      EXPECT_EQ(scan, expected) << part;
      EXPECT_EQ(record.text(), whole.text()) << part;
      ASSERT_EQ(record.fields.size(), whole.fields.size());
      for (std::size_t i = 0; i < record.fields.size(); ++i)
        EXPECT_EQ(record.fields[i].text, whole.fields[i].text);
    }
  }
}

TEST(CsvRecord, PlaceAcrossLines) {
  const std::string text = "a\r\nb\rc\nde";
  const Place place = place_of(text.data(), text.data() + text.find('e'), 10);
  EXPECT_EQ(place.line, 13u);
  EXPECT_EQ(place.column, 2u);
}

}  // namespace
}  // namespace riemflow::io
