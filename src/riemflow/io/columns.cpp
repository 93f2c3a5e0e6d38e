#include "riemflow/io/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "riemflow/core/error.hpp"
#include "riemflow/core/suggest.hpp"
#include "riemflow/io/message.hpp"

namespace riemflow::io {
namespace {

constexpr std::size_t kMostColumns = 65536;

struct Names {
  Meaning meaning;
  std::string_view names[11];  ///< empty ones behind the last
};
constexpr Names kNames[] = {
    {Meaning::latitude,
     {"lat", "latitude", "decimallatitude", "reclat", "dec", "decl", "declination", "decj2000"}},
    {Meaning::longitude,
     {"lon", "long", "lng", "longitude", "decimallongitude", "reclong", "ra", "rightascension", "raj2000"}},
    {Meaning::x, {"x"}},
    {Meaning::y, {"y"}},
    {Meaning::z, {"z"}},
    {Meaning::phi, {"phi"}},
    {Meaning::psi, {"psi"}},
    {Meaning::angle,
     {"theta", "omega", "chi", "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "tau", "angle"}}};

constexpr std::pair<std::string_view, Units> kUnits[] = {
    {"degrees", Units::degrees}, {"degree", Units::degrees}, {"deg", Units::degrees}, {"°", Units::degrees},
    {"radians", Units::radians}, {"radian", Units::radians}, {"rad", Units::radians}};

Meaning known(std::string_view name) {
  if (name.empty()) return Meaning::none;
  for (const auto& [meaning, names] : kNames)
    if (std::find(std::begin(names), std::end(names), name) != std::end(names)) return meaning;
  // chi1, angle2
  const std::size_t digits = name.find_first_of("0123456789");
  if (digits == name.npos || name.find_first_not_of("0123456789", digits) != name.npos) return Meaning::none;
  const Meaning meaning = digits == 0 ? Meaning::none : known(name.substr(0, digits));
  return meaning == Meaning::phi || meaning == Meaning::psi || meaning == Meaning::angle ? Meaning::angle
                                                                                         : Meaning::none;
}

bool is_letter_or_digit(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || (c & 0x80) != 0;
}

/// Words of letters and digits, lower case: "lonW (°W)" is lon, w, °, w.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i], before = i == 0 ? ' ' : name[i - 1];
    if (!is_letter_or_digit(c)) continue;
    const bool goes_on = is_letter_or_digit(before) && ((c ^ before) & 0x80) == 0 &&
                         !('a' <= before && before <= 'z' && 'A' <= c && c <= 'Z');
    if (!goes_on) words.emplace_back();
    words.back() += c;
  }
  for (std::string& word : words) word = lower(word);
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += word;
  return all;
}

/// 'n', 'e', 's' or 'w' of the one word that is a direction, which is taken out; 0 if there is none, if there
/// are several ("E/W"), or if it says what is negative.
char take_direction(std::vector<std::string>& words) {
  const auto is_direction = [](const std::string& word) {
    return word == "north" || word == "east" || word == "south" || word == "west" ||
           (word.size() == 1 && std::string_view("nesw").find(word[0]) != std::string_view::npos);
  };
  const auto says_negative = [](const std::string& word) { return word == "negative" || word == "neg"; };
  if (std::count_if(words.begin(), words.end(), is_direction) != 1 ||
      std::any_of(words.begin(), words.end(), says_negative))
    return 0;
  const auto found = std::find_if(words.begin(), words.end(), is_direction);
  const char direction = found->front();
  words.erase(found);
  return direction;
}

bool is_angular(Meaning m) {
  return m != Meaning::none && m != Meaning::x && m != Meaning::y && m != Meaning::z;
}

/// By `base`, letters and digits in lower case, a unit at the end among them.
Named named_by(const std::string& base) {
  Named result;
  result.meaning = known(base);
  for (const auto& [suffix, units] : kUnits) {
    if (result.meaning != Meaning::none || !base.ends_with(suffix)) continue;
    const Named rest = named_by(base.substr(0, base.size() - suffix.size()));
    if (is_angular(rest.meaning)) return {rest.meaning, units, false, rest.doubtful};
  }
  result.doubtful =
      result.meaning == Meaning::latitude && base.starts_with("dec") && !base.ends_with("latitude");
  return result;
}

std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

[[noreturn]] void no_such_column(const std::string& setting, std::string_view name, const Table& table) {
  std::vector<std::string> lowered;
  for (const std::string& n : table.names) lowered.push_back(lower(n));
  const std::vector<std::string_view> views(lowered.begin(), lowered.end());
  const std::string_view nearest = nearest_name(lower(name), views);
  const std::string found = fmt::format("the columns are {}", listed_columns(table));
  throw Error(FilePlace{table.path},
              fmt::format("there is no column {}{}", in_quotes(name),
                          table.names.empty() ? ", nor a header that could name it" : ""),
              nearest.empty() ? found : fmt::format("perhaps you meant {}? {}", in_quotes(nearest), found))
      .of_setting(setting, std::string(name));
}

std::size_t numbered_column(const std::string& setting, std::size_t number, const Table& table) {
  require(number != 0, fmt::format("‹{}›: there is no column 0", setting), "count columns from 1",
          Fault::usage);
  if (number > table.width) no_such_column(setting, std::to_string(number), table);
  return number - 1;
}

/// Indices that one entry stands for.
void append_entry(const std::string& entry, const Table& table, std::vector<std::size_t>& indices) {
  const std::size_t dash = entry.find('-');
  const auto from = whole_number(std::string_view(entry).substr(0, dash));
  const auto to = dash == entry.npos ? std::nullopt : whole_number(std::string_view(entry).substr(dash + 1));
  if (from && to) {
    require(*from <= *to, fmt::format("‹columns›: '{}' runs backwards", entry), "put the lower number first",
            Fault::usage);
    for (std::size_t i = *from; i <= std::min(*to, kMostColumns); ++i)
      indices.push_back(numbered_column("columns", i, table));
    return;
  }
  indices.push_back(find_column("columns", entry, table));
}

}  // namespace

std::string listed_columns(const Table& table) {
  constexpr std::size_t kMost = 30;
  std::string list;
  for (std::size_t i = 0; i < std::min(table.width, kMost); ++i) {
    list += fmt::format("{}{}", i == 0 ? "" : ", ", i + 1);
    if (!table.name(i).empty()) list += fmt::format(" {}", in_quotes(table.name(i)));
  }
  return table.width > kMost ? list + ", …" : list;
}

Named meaning_of(std::string_view name) {
  const std::size_t bracket = name.find_first_of("([");
  std::vector<std::string> words = words_of(name.substr(0, bracket));
  Named result = named_by(joined(words));
  char direction = 0;
  if (result.meaning == Meaning::none && (direction = take_direction(words)) != 0) {
    result = named_by(joined(words));
    const bool fits = result.meaning == Meaning::latitude    ? direction == 'n' || direction == 's'
                      : result.meaning == Meaning::longitude ? direction == 'e' || direction == 'w'
                                                             : false;
    if (!fits) return {};
  }
  if (!is_angular(result.meaning)) return result;
  if (bracket != name.npos) {
    std::vector<std::string> unit = words_of(name.substr(bracket));
    if (direction == 0) direction = take_direction(unit);
    for (const auto& [word, units] : kUnits)
      if (joined(unit) == word) result.units = units;
  }
  result.reversed = (result.meaning == Meaning::longitude && direction == 'w') ||
                    (result.meaning == Meaning::latitude && direction == 's');
  return result;
}

Order order_by_names(std::string_view first, std::string_view second) {
  const Named a = meaning_of(first), b = meaning_of(second);
  const auto is_longitude = [](const Named& name) {
    return name.meaning == Meaning::longitude || name.meaning == Meaning::x;
  };
  const auto is_latitude = [&](const Named& name, const Named& other) {
    return name.meaning == Meaning::y ||
           (name.meaning == Meaning::latitude && (!name.doubtful || is_longitude(other)));
  };
  const bool as_given = is_latitude(a, b) || is_longitude(b),
             exchanged = is_longitude(a) || is_latitude(b, a);
  return as_given == exchanged ? Order::unknown : as_given ? Order::as_given : Order::exchanged;
}

std::vector<std::string> split_columns(const std::string& columns) {
  std::vector<std::string> entries;
  for (std::size_t begin = 0; begin <= columns.size();) {
    const std::size_t end = std::min(columns.find(',', begin), columns.size());
    std::string_view entry = std::string_view(columns).substr(begin, end - begin);
    while (!entry.empty() && entry.front() == ' ') entry.remove_prefix(1);
    while (!entry.empty() && entry.back() == ' ') entry.remove_suffix(1);
    entries.emplace_back(entry);
    begin = end + 1;
  }
  return entries;
}

std::size_t find_column(const std::string& setting, const std::string& entry, const Table& table) {
  if (const auto number = whole_number(entry)) return numbered_column(setting, *number, table);
  const std::string wanted = lower(entry);
  std::vector<std::size_t> matches;
  for (std::size_t i = 0; i < table.names.size(); ++i)
    if (lower(table.names[i]) == wanted) matches.push_back(i);
  if (matches.empty()) no_such_column(setting, entry, table);
  require(matches.size() == 1,
          fmt::format("{}: {} columns are named {}", table.path, matches.size(), in_quotes(entry)),
          fmt::format("choose by number, as in ‹{}› {}", setting, matches[0] + 1), Fault::bad_data);
  return matches[0];
}

std::vector<std::size_t> find_columns(const std::string& columns, const Table& table) {
  std::vector<std::size_t> indices;
  for (const std::string& entry : split_columns(columns)) {
    require(!entry.empty(), fmt::format("‹columns›: an entry is missing in {}", in_quotes(columns)),
            "give names or numbers with commas between, as in lat,lon or 4,5", Fault::usage);
    append_entry(entry, table, indices);
  }
  std::vector<std::size_t> sorted = indices;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  require(twice == sorted.end(),
          fmt::format("‹columns›: {} has column {} twice", in_quotes(columns),
                      twice == sorted.end() ? 0 : *twice + 1),
          "give each column once", Fault::usage);
  return indices;
}

}  // namespace riemflow::io
