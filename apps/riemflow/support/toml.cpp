#include "apps/riemflow/support/toml.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

#include "riemflow/core/error.hpp"

namespace riemflow::app {
namespace {

bool is_key(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; }

/// One line and how far it has been read.
class Line {
 public:
  Line(std::string_view text, const std::string& name, int number)
      : text_(text), name_(name), number_(number) {}

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
  }
  bool ended() const { return at_ == text_.size() || text_[at_] == '#'; }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  std::string key() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_key(text_[at_])) ++at_;
    if (at_ == begin)
      refuse(peek() == '[' ? "a table" : "no name of a setting",
             "write one setting per line, as in width = 64");
    return std::string(text_.substr(begin, at_ - begin));
  }
  void equals() {
    if (peek() != '=')
      refuse("no '=' after the setting's name", "write one setting per line, as in width = 64");
    ++at_;
  }
  std::string value() {
    if (peek() == '"' || peek() == '\'') return quoted(text_[at_++]);
    const std::size_t begin = at_;
    while (!ended() && text_[at_] != ' ' && text_[at_] != '\t' && text_[at_] != '\r') ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    if (toml_value(word) == word) return word;
    at_ = begin;
    refuse(word.empty() ? "no value" : fmt::format("'{}' is neither a number nor true or false", word),
           "put text into quotes, as in solver = \"tsit5\"");
  }
  [[noreturn]] void refuse(const std::string& problem, const std::string& advice) const {
    throw Error(fmt::format("{}:{}:{}: {}", name_, number_, at_ + 1, problem), advice);
  }

 private:
  std::string quoted(char quote) {
    std::string value;
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      char c = text_[at_];
      if (c == '\\' && quote == '"') {
        const char escaped = ++at_ < text_.size() ? text_[at_] : '\0';
        const std::string_view from = "\"\\nt", to = "\"\\\n\t";
        const std::size_t which = from.find(escaped);
        if (escaped == '\0' || which == from.npos)
          refuse("an unknown escape", "use '…' for text with backslashes");
        c = to[which];
      }
      value += c;
    }
    if (at_ == text_.size()) refuse("a string that does not end", fmt::format("close it with {}", quote));
    ++at_;
    return value;
  }

  std::string_view text_;
  const std::string& name_;
  int number_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<TomlEntry> parse_toml(std::string_view text, const std::string& name) {
  std::vector<TomlEntry> entries;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Line line(text.substr(0, end), name, number);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.skip_spaces();
    if (line.ended()) continue;
    TomlEntry entry{line.key(), "", number};
    line.skip_spaces();
    line.equals();
    line.skip_spaces();
    entry.value = line.value();
    line.skip_spaces();
    if (!line.ended()) line.refuse("something after the value", "write one setting per line");
    for (const TomlEntry& other : entries)
      if (other.key == entry.key)
        throw Error(fmt::format("{}:{}: {} was set on line {} already", name, number, entry.key, other.line),
                    "set it once");
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string toml_value(const std::string& value) {
  double number = 0;
  const char *first = value.data(), *last = first + value.size();
  const auto [end, code] = std::from_chars(first + (value.starts_with('+') ? 1 : 0), last, number);
  const bool bare =
      value == "true" || value == "false" ||
      (code == std::errc() && end == last && value.find_first_not_of("+-.0123456789eE") == value.npos);
  if (bare) return value;
  std::string text = "\"";
  for (char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    if (c == '\n' || c == '\t')
      text += c == '\n' ? "\\n" : "\\t";
    else
      text += c;
  }
  return text + '"';
}

}  // namespace riemflow::app
