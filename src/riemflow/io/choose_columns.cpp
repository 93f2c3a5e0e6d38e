#include "riemflow/io/choose_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "riemflow/core/error.hpp"
#include "riemflow/io/columns.hpp"
#include "riemflow/io/coordinates.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/recipe.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow::io {
namespace {

using Columns = std::vector<std::size_t>;

Columns with_meaning(const Table& table, std::initializer_list<Meaning> wanted) {
  Columns found;
  for (std::size_t i = 0; i < table.names.size(); ++i)
    if (i != table.weight &&
        std::find(wanted.begin(), wanted.end(), meaning_of(table.names[i]).meaning) != wanted.end())
      found.push_back(i);
  return found;
}

/// "3-9", "1,2", "1,3,4"
std::string listed(const Columns& columns) {
  bool run = columns.size() > 2;
  for (std::size_t i = 1; i < columns.size(); ++i) run &= columns[i] == columns[i - 1] + 1;
  if (run) return fmt::format("{}-{}", columns.front() + 1, columns.back() + 1);
  std::string list;
  for (std::size_t c : columns) list += fmt::format("{}{}", list.empty() ? "" : ",", c + 1);
  return list;
}

/// One column of each meaning; empty if one has none. Two for one are for the user to decide.
Columns one_of_each(const Table& table, std::initializer_list<Meaning> wanted) {
  Columns columns;
  for (Meaning meaning : wanted) {
    const Columns found = with_meaning(table, {meaning});
    if (found.empty()) return {};
    columns.push_back(found[0]);
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Columns found = with_meaning(table, {wanted.begin()[i]});
    if (found.size() == 1) continue;
    throw Error(FilePlace{table.path},
                fmt::format("columns {} {} and {} {} mean the same", found[0] + 1,
                            in_quotes(table.names[found[0]]), found[1] + 1, in_quotes(table.names[found[1]])),
                fmt::format("choose with ‹columns›, as in ‹columns› {}", listed(columns)));
  }
  return columns;
}

bool may_be_places(const Manifold<double>& factor) {
  return factor.column_form().places != ColumnForm::Places::none;
}

/// Columns with the names that coordinate_names gives; empty if one is missing or there twice.
Columns as_written(const Table& table, const Manifold<double>& manifold) {
  Columns columns;
  for (const std::string& name : coordinate_names(manifold)) {
    Columns found;
    for (std::size_t i = 0; i < table.names.size(); ++i)
      if (i != table.weight && lower(table.names[i]) == name) found.push_back(i);
    if (found.size() != 1) return {};
    columns.push_back(found.front());
  }
  return columns;
}

/// A space is read factor by factor where it has several or they have notations (writings.hpp).
bool in_factors(const Manifold<double>& manifold) {
  return manifold.factors().size() > 1 || has_notations(manifold);
}

/// Of any other.
Columns by_name(const Table& table, const Manifold<double>* manifold) {
  const int ambient = manifold == nullptr ? 3 : manifold->ambient();
  Columns columns;
  if (manifold == nullptr || may_be_places(*manifold))
    columns = one_of_each(table, {Meaning::latitude, Meaning::longitude});
  if (columns.empty() && manifold != nullptr) columns = as_written(table, *manifold);
  const bool angles = manifold != nullptr && manifold->column_form().kind == ColumnForm::Kind::angles;
  if (columns.empty() && ambient == 3 && !angles)
    columns = one_of_each(table, {Meaning::x, Meaning::y, Meaning::z});
  if (columns.empty() && ambient == 2 && !angles) columns = one_of_each(table, {Meaning::x, Meaning::y});
  if (columns.empty() && (manifold == nullptr || (angles && ambient == 2)))
    columns = one_of_each(table, {Meaning::phi, Meaning::psi});
  if (columns.empty() && manifold == nullptr) {
    columns = with_meaning(table, {Meaning::angle});
    if (columns.size() != table.free_width()) columns.clear();
    if (columns.empty()) columns = one_of_each(table, {Meaning::x, Meaning::y});
  }
  if (columns.empty() && angles) {
    columns = with_meaning(table, {Meaning::phi, Meaning::psi, Meaning::angle});
    if (columns.size() != static_cast<std::size_t>(ambient)) columns.clear();
  }
  return columns;
}

bool fits(std::size_t columns, const Manifold<double>& manifold) {
  if (has_notations(manifold)) {
    const auto ways = writings_by_count(manifold);
    return std::any_of(ways.begin(), ways.end(), [&](const std::vector<Writing>& writings) {
      return column_names(manifold, writings).size() == columns;
    });
  }
  return !factors_with_latitude(manifold, columns).empty();
}

/// "2 columns (latitude, longitude) or 3 (coordinates)"
std::string needs(const Manifold<double>& manifold) {
  if (has_notations(manifold)) {
    std::string all;
    for (const std::vector<Writing>& writings : writings_by_count(manifold)) {
      const std::vector<std::string> names = column_names(manifold, writings);
      all += fmt::format("{}{} ({})", all.empty() ? "" : " or ", names.size(), fmt::join(names, " "));
    }
    return all + " columns";
  }
  const auto ambient = static_cast<std::size_t>(manifold.ambient());
  const std::size_t spheres = places_in(manifold);
  if (spheres == 0) return fmt::format("{} column{}", ambient, ambient == 1 ? "" : "s");
  const std::size_t written = coordinate_names(manifold).size();
  const bool mixed = written != ambient && written != ambient - spheres;
  return fmt::format("{} columns (latitude and longitude){} or {} (coordinates)", ambient - spheres,
                     mixed ? fmt::format(", {} (where the radius is 1)", written) : "", ambient);
}

Columns all_of(const Table& table, bool numeric_only) {
  Columns columns;
  for (std::size_t i = 0; i < table.width; ++i)
    if (i != table.weight && (!numeric_only || table.numeric[i])) columns.push_back(i);
  return columns;
}

/// Columns without a single number in the first rows: text, whatever their place.
Columns without_numbers(const Table& table) {
  Columns columns;
  for (std::size_t i = 0; !table.binary && i < table.width; ++i) {
    bool any = table.rows() == 0 || i == table.weight;
    for (std::size_t r = 0; !any && r < table.rows(); ++r) any = !std::isnan(table.value(r, i));
    if (!any) columns.push_back(i);
  }
  return columns;
}

/// What to say instead: the columns that hold numbers, as many as are needed where that is known, and what
/// they may be.
std::string example(const Table& table, const Manifold<double>* manifold) {
  constexpr std::size_t kMost = 16;
  Columns columns = all_of(table, true);
  const std::size_t needed = manifold == nullptr
                                 ? std::min(std::max<std::size_t>(columns.size(), 2), kMost)
                                 : static_cast<std::size_t>(manifold->ambient()) - places_in(*manifold);
  for (std::size_t i = 0; columns.size() < needed; ++i)
    if (i != table.weight && std::find(columns.begin(), columns.end(), i) == columns.end())
      columns.push_back(i);
  columns.resize(needed);
  if (manifold != nullptr) return "‹columns› " + listed(columns);
  return fmt::format("‹columns› {} ‹manifold› {}", listed(columns),
                     needed == 2 ? "sphere:2 for latitude and longitude" : fmt::format("torus:{}", needed));
}

/// As many columns as the manifold needs, but one of them is text.
[[noreturn]] void refuse_text(const Table& table, std::size_t column, const Manifold<double>& manifold) {
  const std::string name = table.name(column);
  const Columns numeric = all_of(table, true);
  throw Error(FilePlace{table.path},
              fmt::format("{} needs {}, and there are {}, but column {}{} holds no number in the first rows",
                          manifold.name(), needs(manifold), table.free_width(), column + 1,
                          name.empty() ? "" : " " + in_quotes(name)),
              numeric.empty() ? std::string("give a file with numbers in its columns")
                              : fmt::format("give the column that is missing, or another ‹manifold›; numbers "
                                            "are in column{} {}",
                                            numeric.size() == 1 ? "" : "s", listed(numeric)));
}

[[noreturn]] void ask_for_columns(const Table& table, const Manifold<double>* manifold) {
  std::string found;
  if (table.width == 1)
    found += "there is only one column" + (table.names.empty() ? "" : ", " + in_quotes(table.names[0]));
  else if (table.names.empty())
    found += fmt::format("{} columns without a header to name them", table.width);
  else
    found +=
        "no columns with names that are known, as latitude and longitude, or x, y and z, are; there are " +
        listed_columns(table);
  if (table.weight) found += fmt::format(", of which column {} is the weight", *table.weight + 1);
  if (manifold != nullptr) found += fmt::format(", and {} needs {}", manifold->name(), needs(*manifold));
  if (table.width == 1)
    throw Error(FilePlace{table.path}, found,
                "put commas, tabs, semicolons, | or spaces between columns, and # before a line that is no "
                "data; a single column of angles is ‹manifold› torus:1");
  throw Error(FilePlace{table.path}, found,
              fmt::format("choose by name or number{}, as in {}",
                          manifold == nullptr ? ", and say what they are" : "", example(table, manifold)));
}

/// What a name of this meaning says that a column holds.
std::string_view held_by(Meaning meaning) {
  switch (meaning) {
    case Meaning::latitude:
      return "latitude";
    case Meaning::longitude:
      return "longitude";
    case Meaning::phi:
    case Meaning::psi:
    case Meaning::angle:
      return "angle";
    default:
      return "coordinate";
  }
}

/// What a column of this kind holds; empty where any number may stand.
std::string_view held_by(ColumnForm::Kind kind) {
  switch (kind) {
    case ColumnForm::Kind::angles:
      return "angle";
    case ColumnForm::Kind::vector:
    case ColumnForm::Kind::inside:
      return "coordinate";
    case ColumnForm::Kind::plain:
      break;
  }
  return "";
}

/// What a column of a notation holds: anything but a place.
constexpr std::string_view kOfNotation = "number";

/// What each of the columns of the manifold holds; empty where any number may stand.
std::vector<std::string_view> wanted_of(const Manifold<double>& manifold,
                                        const std::vector<Writing>& writings) {
  std::vector<std::string_view> wanted;
  const auto factors = manifold.factors();
  for (std::size_t f = 0; f < factors.size(); ++f) {
    const auto ambient = static_cast<std::size_t>(factors[f].manifold->ambient());
    if (const auto& notation = writings[f].notation)
      wanted.insert(wanted.end(), notation->columns.size(), kOfNotation);
    else if (writings[f].latitude)
      wanted.insert(wanted.end(), {"latitude", "longitude"});
    else
      wanted.insert(wanted.end(), ambient, held_by(factors[f].manifold->column_form().kind));
  }
  return wanted;
}

/// Columns that nobody chose and whose names say that they are of another manifold: torsions would pass for
/// latitudes and longitudes wherever they lie in range. x, y, z may be anyone's but a latitude's: they are
/// as often longitude first.
void refuse_foreign_names(const Table& table, const Columns& columns, const Manifold<double>& manifold,
                          const std::vector<Writing>& writings) {
  const std::vector<std::string_view> wanted = wanted_of(manifold, writings);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto [meaning, units, reversed, doubtful] = meaning_of(table.name(columns[i]));
    if (doubtful && wanted[i] == "latitude" &&
        order_by_names(table.name(columns[i]), table.name(columns[i + 1])) == Order::unknown)
      throw Error(FilePlace{table.path},
                  fmt::format("column {} {} is a latitude beside a right ascension, but a longitude beside "
                              "an inclination",
                              columns[i] + 1, in_quotes(table.name(columns[i]))),
                  fmt::format("give latitude and longitude in this order, as in ‹columns› {},{}",
                              columns[i + 1] + 1, columns[i] + 1));
    if (meaning == Meaning::none || wanted[i].empty() || held_by(meaning) == wanted[i]) continue;
    if (held_by(meaning) == "coordinate" && wanted[i] == "angle") continue;
    if (wanted[i] == kOfNotation && meaning != Meaning::latitude && meaning != Meaning::longitude) continue;
    throw Error(
        FilePlace{table.path},
        fmt::format("column {} {} is {} {} by its name, but {} would take it for {} {}", columns[i] + 1,
                    in_quotes(table.name(columns[i])), held_by(meaning) == "angle" ? "an" : "a",
                    held_by(meaning), manifold.name(), wanted[i] == "angle" ? "an" : "a", wanted[i]),
        fmt::format("if the columns are what {} needs, choose them, as in ‹columns› {}; else the data are "
                    "of another manifold",
                    manifold.name(), listed(columns)));
  }
}

/// Columns that are called after a space which must be asked for, where none are `found` by names that say
/// more, or only some of them.
void refuse_if_named_for_space(const Table& table, const Columns& among, const Columns& found) {
  const std::optional<Suggestion> named = space_named_by(table, among);
  if (!named || named->columns.size() == found.size() ||
      !std::all_of(found.begin(), found.end(), [&](std::size_t column) {
        return std::find(named->columns.begin(), named->columns.end(), column) != named->columns.end();
      }))
    return;
  throw Error(FilePlace{table.path},
              fmt::format("columns {} have the names of {}", listed(named->columns), named->notation),
              fmt::format("say ‹manifold› {}{}; or choose other columns with ‹columns›", named->space,
                          named->grouped.empty()
                              ? ""
                              : fmt::format(", or with a crystal's point group, as in {}", named->grouped)));
}

[[noreturn]] void refuse_count(const Table& table, std::size_t columns, const Manifold<double>& manifold) {
  throw Error(FilePlace{table.path},
              fmt::format("{} column{}, but {} needs {}", columns, columns == 1 ? "" : "s", manifold.name(),
                          needs(manifold)),
              "choose other columns with ‹columns› or another ‹manifold›");
}

/// The manifold of columns whose table names it: by their meanings, or by unit norms.
std::string infer(const Table& table, const Columns& columns) {
  std::vector<Meaning> meanings;
  for (std::size_t c : columns) meanings.push_back(meaning_of(table.name(c)).meaning);
  const auto any = [&](Meaning m) {
    return std::find(meanings.begin(), meanings.end(), m) != meanings.end();
  };
  const bool nameless =
      std::all_of(meanings.begin(), meanings.end(), [](Meaning m) { return m == Meaning::none; });
  if (columns.size() == 2 && !table.binary && (nameless || any(Meaning::latitude) || any(Meaning::longitude)))
    return "sphere:2";
  if (columns.size() == 2 && any(Meaning::phi) && any(Meaning::psi)) return "torus:2";
  if (std::all_of(meanings.begin(), meanings.end(), [](Meaning m) { return m == Meaning::angle; }))
    return fmt::format("torus:{}", columns.size());

  const bool vector =
      columns.size() == 3 && (nameless || (any(Meaning::x) && any(Meaning::y) && any(Meaning::z)));
  for (std::size_t r = 0; vector && r < table.rows(); ++r) {
    double square = 0;
    for (std::size_t c : columns) square += table.value(r, c) * table.value(r, c);
    if (!(std::abs(std::sqrt(square) - 1) > kNormTolerance)) continue;
    throw Error(
        FilePlace{table.path, table.row_lines[r], 1},
        fmt::format("three numbers of norm {:.6g}, so they are no unit vector", std::sqrt(square)),
        "say what they are with ‹manifold›, as in ‹manifold› euclidean:3, or divide each row by its norm");
  }
  if (vector) return "sphere:2";
  throw Error(
      FilePlace{table.path},
      columns.size() == 2 && any(Meaning::x) && any(Meaning::y)
          ? fmt::format("x and y, columns {}, may be of any manifold of two coordinates", listed(columns))
          : fmt::format("{} column{} of unknown meaning", columns.size(), columns.size() == 1 ? "" : "s"),
      columns.size() == 2 ? "say what they are with ‹manifold›, as in ‹manifold› sphere:2 for latitude and "
                            "longitude, torus:2, ball:2 or euclidean:2"
                          : fmt::format("say what they are with ‹manifold›, as in ‹manifold› torus:{} or "
                                        "‹manifold› euclidean:{}",
                                        columns.size(), columns.size()));
}

/// By the order of so many columns as fit.
Reading ordered(const Manifold<double>& manifold, const Table& table, Columns columns) {
  if (has_notations(manifold)) return in_their_order(manifold, table, columns).value();
  Reading reading;
  for (const bool latitude : factors_with_latitude(manifold, columns.size()))
    reading.writings.push_back({nullptr, latitude});
  reading.columns = std::move(columns);
  reading.named.assign(reading.writings.size(), false);
  return reading;
}

/// Columns that the user chose.
Reading read_chosen(const Manifold<double>& manifold, const Table& table, const Columns& columns,
                    std::string& how) {
  how = "as chosen";
  if (in_factors(manifold))
    if (auto named = by_names(manifold, table, columns, true)) {
      if (named->columns != columns) how += ", told apart by their names";
      return *named;
    }
  if (!fits(columns.size(), manifold)) refuse_count(table, columns.size(), manifold);
  return ordered(manifold, table, columns);
}

/// Columns by their names; where these say nothing, as many as the manifold needs.
Reading read_found(const Manifold<double>& manifold, const Table& table, std::string& how) {
  how = "by name";
  if (in_factors(manifold)) {
    if (auto named = by_names(manifold, table, all_of(table, false), false)) {
      if (std::find(named->named.begin(), named->named.end(), false) != named->named.end())
        how += ", the others in their order";
      return *named;
    }
  } else if (Columns columns = by_name(table, &manifold); !columns.empty()) {
    return ordered(manifold, table, std::move(columns));
  }
  how = "in their order";
  const Columns text = without_numbers(table), numeric = all_of(table, true);
  if (table.binary && !fits(table.free_width(), manifold)) refuse_count(table, table.free_width(), manifold);
  if (table.binary || (text.empty() && fits(table.free_width(), manifold)))
    return ordered(manifold, table, all_of(table, false));
  if (fits(numeric.size(), manifold)) {
    how = "that hold numbers only";
    return ordered(manifold, table, numeric);
  }
  if (fits(table.free_width(), manifold)) refuse_text(table, text.front(), manifold);
  ask_for_columns(table, &manifold);
}

/// `chosen` is empty where they are to be found.
void read_as(const Manifold<double>& manifold, const Table& table, const Columns& chosen, Choice& choice) {
  Reading reading = chosen.empty() ? read_found(manifold, table, choice.how)
                                   : read_chosen(manifold, table, chosen, choice.how);
  if (chosen.empty()) refuse_foreign_names(table, reading.columns, manifold, reading.writings);
  for (const Doubt& doubt : doubts_of(manifold, table, reading)) {
    if (doubt.contradicts && chosen.empty())
      throw Error(FilePlace{table.path}, doubt.problem,
                  fmt::format("{}, or choose them in that order, as in ‹columns› {}", doubt.advice,
                              listed(reading.columns)));
    choice.warnings.push_back(fmt::format("{}; if that is wrong, {}.", doubt.problem, doubt.advice));
  }
  choice.columns = std::move(reading.columns);
  choice.writings = std::move(reading.writings);
}

/// The same where the manifold is to be found too.
void infer_from(const Table& table, const Columns& chosen, Choice& choice) {
  choice.columns = chosen.empty() ? by_name(table, nullptr) : chosen;
  const auto is_angle = [&](std::size_t c) { return meaning_of(table.name(c)).meaning == Meaning::angle; };
  if (chosen.empty()) {
    refuse_if_named_for_space(table, all_of(table, false), choice.columns);
    choice.how = "by name";
    if (choice.columns.empty()) {
      if (!table.binary && !(table.names.empty() && table.free_width() == 2)) ask_for_columns(table, nullptr);
      choice.columns = all_of(table, false);
      choice.how = table.binary ? "in their order" : "assumed from their order";
    }
  } else {
    if (!std::all_of(chosen.begin(), chosen.end(), is_angle)) refuse_if_named_for_space(table, chosen, {});
    choice.how = "as chosen";
  }
  choice.manifold = parse_manifold<double>(infer(table, choice.columns));
  choice.manifold_inferred = true;
  choice.writings = ordered(*choice.manifold, table, choice.columns).writings;
}

}  // namespace

std::size_t places_in(const Manifold<double>& manifold) {
  std::size_t n = 0;
  for (const auto& factor : manifold.factors()) n += may_be_places(*factor.manifold);
  return n;
}

std::vector<bool> factors_with_latitude(const Manifold<double>& manifold, std::size_t columns) {
  const auto ambient = static_cast<std::size_t>(manifold.ambient());
  const bool none = columns == ambient, all = columns == ambient - places_in(manifold);
  if (!none && !all && columns != coordinate_names(manifold).size()) return {};
  std::vector<bool> result;
  for (const auto& factor : manifold.factors()) {
    result.push_back(!none && may_be_places(*factor.manifold) && (all || has_latitude(factor)));
  }
  return result;
}

Choice choose_columns(const Table& table, const ReadOptions& options) {
  Choice choice;
  if (!options.manifold.empty()) choice.manifold = parse_manifold<double>(options.manifold);
  const Columns chosen = options.columns.empty() ? Columns() : find_columns(options.columns, table);
  for (const std::size_t c : chosen)
    require(c != table.weight,
            fmt::format("column {}{} is named in both ‹columns› and ‹weights›", c + 1,
                        table.name(c).empty() ? "" : " " + in_quotes(table.name(c))),
            "a column is a coordinate or the weight: leave it out of one of them", Fault::usage);
  if (choice.manifold != nullptr)
    read_as(*choice.manifold, table, chosen, choice);
  else
    infer_from(table, chosen, choice);
  return choice;
}

}  // namespace riemflow::io
