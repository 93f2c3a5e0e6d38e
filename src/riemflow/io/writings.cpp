#include "riemflow/io/writings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "riemflow/core/error.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/io/columns.hpp"
#include "riemflow/io/coordinates.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow::io {
namespace {

using Columns = std::vector<std::size_t>;
using NameList = std::vector<std::string>;
using Factors = std::vector<Factor<double>>;

/// Of the columns of one factor.
NameList own_names(const Factor<double>& factor, const Writing& writing, const std::string& number = "") {
  NameList names;
  if (writing.notation) {
    for (const std::string& name : writing.notation->columns) names.push_back(name + number);
  } else if (writing.latitude) {
    names = {"latitude" + number, "longitude" + number};
  } else {
    for (int k = 1; k <= factor.manifold->ambient(); ++k)
      names.push_back(fmt::format("{}{}_{}", stem_of(factor), number, k));
  }
  return names;
}

/// All ways to write one factor, the usual one first.
std::vector<Writing> ways_of(const Factor<double>& factor) {
  std::vector<Writing> ways;
  for (Notation& notation : factor.manifold->notations())
    ways.push_back({std::make_shared<const Notation>(std::move(notation))});
  if (!ways.empty()) return ways;
  if (has_latitude(factor)) return {{nullptr, true}, {}};
  if (factor.manifold->column_form().places == ColumnForm::Places::taken) return {{}, {nullptr, true}};
  return {{}};
}

std::size_t width_of(const Factor<double>& factor, const Writing& writing) {
  return writing.notation   ? writing.notation->columns.size()
         : writing.latitude ? 2
                            : static_cast<std::size_t>(factor.manifold->ambient());
}

/// The ways to write factors that take so many columns together, in any of the ways that differ in how many
/// each factor has: the first two of them.
struct OfCount {
  std::size_t count = 0;
  std::vector<Writing> first, second;
};

std::vector<OfCount> ways_by_count(const Factors& factors) {
  std::vector<OfCount> all(1);
  for (const Factor<double>& factor : factors) {
    std::map<std::size_t, Writing> usual;  // of each width
    std::vector<std::size_t> widths;
    for (const Writing& way : ways_of(factor))
      if (usual.emplace(width_of(factor, way), way).second) widths.push_back(width_of(factor, way));
    std::vector<OfCount> longer;
    for (const OfCount& before : all)
      for (const std::size_t width : widths) {
        OfCount next{before.count + width, before.first, before.second};
        next.first.push_back(usual.at(width));
        if (!next.second.empty()) next.second.push_back(usual.at(width));
        const auto same = std::find_if(longer.begin(), longer.end(),
                                       [&](const OfCount& other) { return other.count == next.count; });
        if (same == longer.end())
          longer.push_back(std::move(next));
        else if (same->second.empty())
          same->second = std::move(next.first);
      }
    all = std::move(longer);
  }
  return all;
}

/// As they would be named.
std::string spelled(const Factors& factors, const std::vector<Writing>& writings) {
  NameList names;
  for (std::size_t f = 0; f < factors.size(); ++f)
    for (std::string& name : own_names(factors[f], writings[f])) names.push_back(std::move(name));
  return fmt::format("{}", fmt::join(names, " "));
}

/// Of the one way to write the factors in so many columns; nothing if there is none.
std::optional<std::vector<Writing>> only_way(const Factors& factors, const Table& table, std::size_t count) {
  for (const OfCount& ways : ways_by_count(factors)) {
    if (ways.count != count) continue;
    if (!ways.second.empty())
      throw Error(FilePlace{table.path},
                  fmt::format("{} columns may be {} or {}", count, spelled(factors, ways.first),
                              spelled(factors, ways.second)),
                  "call them so in a header, as files of CSV have");
    return ways.first;
  }
  return std::nullopt;
}

/// Lower case, without a unit behind it: "phi1 (deg)" and Phi1_deg are phi1.
std::string bare(std::string_view name) {
  std::string plain = lower(trimmed(name.substr(0, name.find_first_of("(["))));
  for (const char* unit : {"degrees", "degree", "deg", "radians", "radian", "rad"})
    for (const char separator : {'_', ' '})
      if (const std::string ending = separator + std::string(unit);
          plain.size() > ending.size() && plain.ends_with(ending))
        return std::string(trimmed(std::string_view(plain).substr(0, plain.size() - ending.size())));
  return plain;
}

/// Those of `columns` that have these names; empty unless each is there once.
Columns columns_named(const Table& table, const Columns& columns, const NameList& names) {
  Columns result;
  for (const std::string& name : names) {
    Columns found;
    for (const std::size_t c : columns)
      if (bare(table.name(c)) == name) found.push_back(c);
    if (found.size() != 1) return {};
    result.push_back(found.front());
  }
  return result;
}

/// A latitude and a longitude by what their names mean; empty unless there is one of each. A declination is a
/// latitude beside a right ascension.
Columns place_among(const Table& table, const Columns& columns) {
  Columns latitudes, longitudes;
  for (const std::size_t c : columns) {
    const Meaning meaning = meaning_of(table.name(c)).meaning;
    if (meaning == Meaning::latitude) latitudes.push_back(c);
    if (meaning == Meaning::longitude) longitudes.push_back(c);
  }
  if (latitudes.size() != 1 || longitudes.size() != 1) return {};
  return {latitudes.front(), longitudes.front()};
}

/// What the columns of one factor are called: of a notation each set of names that it goes by.
std::vector<NameList> sets_of_names(const Factor<double>& factor, const Writing& writing,
                                    const std::string& number) {
  std::vector<NameList> sets = {own_names(factor, writing, number)};
  if (writing.notation)
    for (const NameList& also : writing.notation->also) {
      sets.push_back(also);
      for (std::string& name : sets.back()) name += number;
    }
  return sets;
}

std::string numbered(std::size_t factor) { return fmt::format("_{}", factor + 1); }

/// A factor by the names of its columns.
struct Found {
  Writing writing;
  Columns columns;
  bool numbered = false;  ///< the names have the factor's number
};

/// The usual of the ways that names tell, but a longer one if that has all columns of it: a whole matrix, not
/// its triangle. Names of one number, as y of positive:1, are anybody's: with `loose` they tell too.
std::optional<Found> found_in(const Factors& factors, std::size_t f, const Table& table,
                              const Columns& columns, bool loose) {
  std::optional<Found> best;
  const auto offer = [&](const Writing& way, Columns named, bool with_number) {
    const auto has = [&](std::size_t c) { return std::find(named.begin(), named.end(), c) != named.end(); };
    if (!named.empty() && (!best || std::all_of(best->columns.begin(), best->columns.end(), has)))
      best = Found{way, std::move(named), with_number};
  };
  for (const Writing& way : ways_of(factors[f])) {
    if (way.latitude) offer(way, place_among(table, columns), false);
    for (const std::string& number : {std::string(), numbered(f)})
      for (const NameList& names : sets_of_names(factors[f], way, number))
        if (loose || !number.empty() || !way.notation || names.size() > 1)
          offer(way, columns_named(table, columns, names), !number.empty());
  }
  return best;
}

Columns without(const Columns& columns, const Columns& taken) {
  Columns left;
  for (const std::size_t c : columns)
    if (std::find(taken.begin(), taken.end(), c) == taken.end()) left.push_back(c);
  return left;
}

using FoundFactors = std::vector<std::optional<Found>>;

/// The factor with most columns first, so that w x y z is not a vector x y z beside w.
FoundFactors found_factors(const Factors& factors, const Table& table, Columns columns, bool loose) {
  FoundFactors all(factors.size());
  for (;;) {
    std::optional<std::size_t> longest;
    FoundFactors next(factors.size());
    for (std::size_t f = 0; f < factors.size(); ++f) {
      if (all[f]) continue;
      next[f] = found_in(factors, f, table, columns, loose);
      if (next[f] && (!longest || next[f]->columns.size() > next[*longest]->columns.size())) longest = f;
    }
    if (!longest) return all;
    all[*longest] = std::move(next[*longest]);
    columns = without(columns, all[*longest]->columns);
  }
}

/// Names without a number that several factors may have tell nothing where one of these was not found, and
/// are in the factors' order where all were.
void settle_shared_names(const Factors& factors, const Table& table, FoundFactors& found) {
  const auto may_have = [&](std::size_t g, const Found& of) {
    const auto there = found_in(factors, g, table, of.columns, false);
    return there && there->columns.size() == of.columns.size();
  };
  for (std::size_t f = 0; f < factors.size(); ++f)
    for (std::size_t g = 0; g < factors.size(); ++g)
      if (f != g && found[f] && !found[f]->numbered && !found[g] && may_have(g, *found[f])) found[f].reset();
  for (std::size_t f = 0; f < factors.size(); ++f)
    for (std::size_t g = f + 1; g < factors.size(); ++g)
      if (found[f] && found[g] && !found[f]->numbered && !found[g]->numbered && may_have(g, *found[f]) &&
          may_have(f, *found[g]) && found[g]->columns.front() < found[f]->columns.front())
        std::swap(found[f], found[g]);
}

bool is_of_angles(const Factor<double>& factor) {
  return factor.manifold->notations().empty() &&
         factor.manifold->column_form().kind == ColumnForm::Kind::angles;
}

/// `columns` in the order of the factors: where as many as these have angles are angles by their names, those
/// are theirs; else as they are.
Columns angles_to_angles(const Factors& factors, const std::vector<Writing>& writings, const Table& table,
                         const Columns& columns) {
  std::size_t wanted = 0;
  for (const Factor<double>& factor : factors)
    if (is_of_angles(factor)) wanted += static_cast<std::size_t>(factor.manifold->ambient());
  Columns angles, others;
  for (const std::size_t c : columns) {
    const Meaning meaning = meaning_of(table.name(c)).meaning;
    const bool angle = meaning == Meaning::phi || meaning == Meaning::psi || meaning == Meaning::angle;
    (angle ? angles : others).push_back(c);
  }
  if (angles.size() != wanted) return columns;
  Columns ordered;
  auto angle = angles.begin(), other = others.begin();
  for (std::size_t f = 0; f < factors.size(); ++f)
    for (std::size_t i = 0; i < width_of(factors[f], writings[f]); ++i)
      ordered.push_back(is_of_angles(factors[f]) ? *angle++ : *other++);
  return ordered;
}

/// "1 'X', 2 'Y'"
std::string named_list(const Table& table, const Columns& columns) {
  std::string list;
  for (const std::size_t c : columns)
    list += fmt::format("{}{}{}", list.empty() ? "" : ", ", c + 1,
                        table.name(c).empty() ? "" : " " + in_quotes(table.name(c)));
  return list;
}

/// The factors that names told are these; the others have not what they need.
[[noreturn]] void refuse_rest(const Factors& factors, const FoundFactors& found, const Table& table,
                              const Columns& left) {
  std::string told, needed;
  Columns columns;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    if (found[f]) {
      told += fmt::format("{}columns {} are of {} by their names", told.empty() ? "" : ", ",
                          named_list(table, found[f]->columns), factors[f].manifold->name());
      columns.insert(columns.end(), found[f]->columns.begin(), found[f]->columns.end());
    } else {
      std::string widths;
      for (const OfCount& ways : ways_by_count({factors[f]}))
        widths += fmt::format("{}{}", widths.empty() ? "" : " or ", ways.count);
      needed += fmt::format("{}{} needs {}", needed.empty() ? "" : ", ", factors[f].manifold->name(), widths);
    }
  }
  throw Error(FilePlace{table.path},
              fmt::format("{}; {}, and {}", told, needed,
                          left.empty() ? "none are left" : "left are " + named_list(table, left)),
              "choose the columns of all factors by their names or numbers with ‹columns›");
}

}  // namespace

bool has_notations(const Manifold<double>& manifold) {
  const Factors factors = manifold.factors();
  return std::any_of(factors.begin(), factors.end(),
                     [](const Factor<double>& factor) { return !factor.manifold->notations().empty(); });
}

std::vector<Writing> usual_writings(const Manifold<double>& manifold) {
  std::vector<Writing> usual;
  for (const Factor<double>& factor : manifold.factors()) usual.push_back(ways_of(factor).front());
  return usual;
}

std::vector<std::string> column_names(const Manifold<double>& manifold,
                                      const std::vector<Writing>& writings) {
  const Factors factors = manifold.factors();
  std::map<std::string, int> uses;
  for (std::size_t f = 0; f < factors.size(); ++f)
    for (const std::string& name : own_names(factors[f], writings[f])) ++uses[name];
  // x_1 of the first factor's x may be what another factor's first coordinate is called: then all have
  // numbers.
  for (const bool all : {false, true}) {
    NameList names;
    for (std::size_t f = 0; f < factors.size(); ++f) {
      const NameList plain = own_names(factors[f], writings[f]);
      const bool unique =
          std::all_of(plain.begin(), plain.end(), [&](const auto& name) { return uses[name] == 1; });
      const NameList own = unique && !all ? plain : own_names(factors[f], writings[f], numbered(f));
      names.insert(names.end(), own.begin(), own.end());
    }
    NameList sorted = names;
    std::sort(sorted.begin(), sorted.end());
    if (all || std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) return names;
  }
  return {};
}

std::vector<std::vector<Writing>> writings_by_count(const Manifold<double>& manifold) {
  std::vector<std::vector<Writing>> all;
  for (OfCount& ways : ways_by_count(manifold.factors())) all.push_back(std::move(ways.first));
  return all;
}

std::optional<Reading> in_their_order(const Manifold<double>& manifold, const Table& table,
                                      const std::vector<std::size_t>& columns) {
  const Factors factors = manifold.factors();
  auto writings = only_way(factors, table, columns.size());
  if (!writings) return std::nullopt;
  return Reading{std::move(*writings), columns, std::vector<bool>(factors.size(), false)};
}

std::optional<Reading> by_names(const Manifold<double>& manifold, const Table& table,
                                const std::vector<std::size_t>& columns, bool asked) {
  const Factors factors = manifold.factors();
  const auto is_found = [](const std::optional<Found>& f) { return f.has_value(); };
  FoundFactors found = found_factors(factors, table, columns, true);
  if (!std::all_of(found.begin(), found.end(), is_found))
    found = found_factors(factors, table, columns, false);
  settle_shared_names(factors, table, found);
  if (std::none_of(found.begin(), found.end(), is_found)) return std::nullopt;

  Factors others;
  Columns left = columns;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    if (found[f])
      left = without(left, found[f]->columns);
    else
      others.push_back(factors[f]);
  }
  std::optional<std::vector<Writing>> writings = std::vector<Writing>();
  if (!others.empty() || asked) writings = only_way(others, table, left.size());
  if (!writings && !asked) {
    Columns numbers;
    for (const std::size_t c : left)
      if (table.numeric[c]) numbers.push_back(c);
    left = numbers;
    writings = only_way(others, table, left.size());
    if (!writings) refuse_rest(factors, found, table, left);
  }
  if (!writings) return std::nullopt;

  if (!others.empty()) left = angles_to_angles(others, *writings, table, left);
  Reading reading;
  auto next = left.begin();
  auto other = writings->begin();
  for (std::size_t f = 0; f < factors.size(); ++f) {
    reading.named.push_back(found[f].has_value());
    reading.writings.push_back(found[f] ? found[f]->writing : *other++);
    const auto width = static_cast<std::ptrdiff_t>(width_of(factors[f], reading.writings.back()));
    if (found[f]) {
      reading.columns.insert(reading.columns.end(), found[f]->columns.begin(), found[f]->columns.end());
    } else {
      reading.columns.insert(reading.columns.end(), next, next + width);
      next += width;
    }
  }
  return reading;
}

std::vector<Doubt> doubts_of(const Manifold<double>& manifold, const Table& table, const Reading& reading) {
  std::vector<Doubt> doubts;
  const Factors factors = manifold.factors();
  auto next = reading.columns.begin();
  for (std::size_t f = 0; f < factors.size(); ++f) {
    const std::size_t width = width_of(factors[f], reading.writings[f]);
    const Columns columns(next, next + static_cast<std::ptrdiff_t>(width));
    next += static_cast<std::ptrdiff_t>(width);
    const auto& notation = reading.writings[f].notation;
    if (reading.named[f] || !notation || width < 2) continue;
    if (std::all_of(columns.begin(), columns.end(), [&](std::size_t c) { return table.name(c).empty(); }))
      continue;

    const std::vector<Writing> ways = ways_of(factors[f]);
    // Whether column i is called so by a set of names for which `is` holds.
    const auto is_called = [&](const NameList& names, std::size_t i) {
      return i < names.size() && bare(table.name(columns[i])) == names[i];
    };
    std::string contradiction, known;
    bool said = false;
    std::vector<bool> right(width, false), known_elsewhere(width, false);
    for (const Writing& way : ways) {
      known += (known.empty() ? "" : "; ") + way.notation->name;
      for (const std::string& number : {std::string(), numbered(f)})
        for (const NameList& names : sets_of_names(factors[f], way, number)) {
          const bool taken = way.notation->columns == notation->columns;
          bool all = taken;
          for (std::size_t i = 0; i < width; ++i) {
            all &= is_called(names, i);
            if (taken && is_called(names, i)) right[i] = true;
            known_elsewhere[i] = known_elsewhere[i] || std::find(names.begin(), names.end(),
                                                                 bare(table.name(columns[i]))) != names.end();
          }
          said |= all;
        }
    }
    if (said) continue;
    for (std::size_t i = 0; i < width && contradiction.empty(); ++i)
      if (!right[i] && known_elsewhere[i])
        contradiction = fmt::format(
            "column {} {} has the name of another number than {}, which it would be in this order",
            columns[i] + 1, in_quotes(table.name(columns[i])), notation->columns[i]);
    const std::string advice =
        fmt::format("call the columns of {} what they are ({})", factors[f].manifold->name(), known);
    if (!contradiction.empty())
      doubts.push_back({contradiction, advice, true});
    else
      doubts.push_back(
          {fmt::format("the names of columns {} do not say what they are; they are taken in this "
                       "order for {}, of {}",
                       named_list(table, columns), fmt::join(notation->columns, ", "), notation->name),
           advice, false});
  }
  return doubts;
}

std::optional<Suggestion> space_named_by(const Table& table, const std::vector<std::size_t>& columns) {
  // "phi" of phi1, for a series of names goes on in columns of the same stem.
  const auto stem = [&](std::size_t c) {
    const std::string name = bare(table.name(c));
    return name.substr(0, name.find_first_of("0123456789"));
  };
  std::optional<Suggestion> longest;
  for (const auto& [name, grouped] : space_examples()) {
    const auto space = parse_manifold<double>(name);
    const Factors factors = space->factors();
    const auto found = found_in(factors, 0, table, columns, false);
    if (!found || !found->writing.notation || (longest && longest->columns.size() >= found->columns.size()))
      continue;
    const Columns left = without(columns, found->columns);
    const bool goes_on = std::any_of(left.begin(), left.end(), [&](std::size_t c) {
      return bare(table.name(c)) != stem(c) &&
             std::any_of(found->columns.begin(), found->columns.end(),
                         [&](std::size_t of) { return stem(of) == stem(c); });
    });
    if (!goes_on)
      longest =
          Suggestion{std::string(name), std::string(grouped), found->writing.notation->name, found->columns};
  }
  return longest;
}

}  // namespace riemflow::io
