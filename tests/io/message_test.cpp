#include "riemflow/io/message.hpp"

#include <gtest/gtest.h>

namespace riemflow::io {
namespace {

TEST(Message, QuotesPlainText) {
  EXPECT_EQ(in_quotes(""), "''");
  EXPECT_EQ(in_quotes("12.5"), "'12.5'");
  EXPECT_EQ(in_quotes("Réunion 東"), "'Réunion 東'");
}

TEST(Message, EscapesWhatDisturbsATerminal) {
  EXPECT_EQ(in_quotes("a\tb\nc\rd"), "'a\\tb\\nc\\rd'");
  EXPECT_EQ(in_quotes("\x1b[31m"), "'\\x1b[31m'");
  EXPECT_EQ(in_quotes("\x7f"), "'\\x7f'");
  EXPECT_EQ(in_quotes("\xc2\x9b"), "'\\xc2\\x9b'");           // a control character of U+0080..9F
  EXPECT_EQ(in_quotes("\xff|\xc3"), "'\\xff|\\xc3'");         // no UTF-8
  EXPECT_EQ(in_quotes("\xc0\xaf"), "'\\xc0\\xaf'");           // overlong
  EXPECT_EQ(in_quotes("\xed\xa0\x80"), "'\\xed\\xa0\\x80'");  // surrogate
  EXPECT_EQ(in_quotes(std::string_view("\0", 1)), "'\\x00'");
}

TEST(Message, PrintableTextKeepsItsLines) {
  EXPECT_EQ(printable("Réunion\t東\n± 1"), "Réunion\t東\n± 1");
  EXPECT_EQ(printable("a\x1b]0;title\x07\rb\xc2\x9b\xff"), "a\\x1b]0;title\\x07\\x0db\\xc2\\x9b\\xff");
}

TEST(Message, ShortensTo40Characters) {
  EXPECT_EQ(in_quotes(std::string(40, 'x')), "'" + std::string(40, 'x') + "'");
  EXPECT_EQ(in_quotes(std::string(41, 'x')), "'" + std::string(40, 'x') + "…'");
  std::string accents, expected;
  for (int i = 0; i < 50; ++i) accents += "é";
  for (int i = 0; i < 40; ++i) expected += "é";
  EXPECT_EQ(in_quotes(accents), "'" + expected + "…'");
}

}  // namespace
}  // namespace riemflow::io
