#include "riemflow/io/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "riemflow/core/error.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/io/choose_columns.hpp"
#include "riemflow/io/columns.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/writings.hpp"

namespace riemflow::io {
namespace {

using Kind = Recipe::Kind;

bool is_angular(Kind kind) {
  return kind != Kind::vector_on_sphere && kind != Kind::in_ball && kind != Kind::anything &&
         kind != Kind::notated;
}

/// Parts in degrees, to be changed once the units are known.
Recipe recipe_for(const Manifold<double>& manifold, const std::vector<Writing>& writings) {
  Recipe recipe;
  const auto factors = manifold.factors();
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const auto& factor = factors[i];
    const int ambient = factor.manifold->ambient();
    const ColumnForm own = factor.manifold->column_form();
    if (const auto& notation = writings[i].notation) {
      recipe.parts.push_back({notation->angular ? Kind::notated_in_degrees : Kind::notated,
                              static_cast<int>(notation->columns.size()), ambient});
      recipe.parts.back().notation = notation;
      continue;
    }
    if (writings[i].latitude) {
      recipe.parts.push_back({Kind::degrees_on_sphere, 2, 3, own.radius});
      continue;
    }
    switch (own.kind) {
      case ColumnForm::Kind::vector:
        recipe.parts.push_back({Kind::vector_on_sphere, ambient, ambient, own.radius});
        break;
      case ColumnForm::Kind::angles:
        recipe.parts.push_back({Kind::angle_in_degrees, ambient, ambient});
        break;
      case ColumnForm::Kind::inside:
        recipe.parts.push_back({Kind::in_ball, ambient, ambient, own.radius});
        break;
      case ColumnForm::Kind::plain:
        recipe.parts.push_back({Kind::anything, ambient, ambient});
        break;
    }
  }
  return recipe;
}

/// What the first rows say of columns of latitude and longitude that may be swapped. They are if no longitude
/// among them exceeds a right angle and several latitudes do; one that does may be a slip.
std::string swap_advice(const Table& table, std::size_t latitude, std::size_t longitude, Units units,
                        const std::string& remedy) {
  const double right_angle = units == Units::radians ? std::numbers::pi / 2 : 90;
  std::size_t beyond = 0;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    if (std::abs(table.value(r, longitude)) > right_angle) return "";
    beyond += std::abs(table.value(r, latitude)) > right_angle;
  }
  if (beyond > 1) return "latitude and longitude seem to be swapped: " + remedy;
  return fmt::format("correct it, or if latitude and longitude are swapped {}", remedy);
}

/// What exchanges the columns of numbers i and i + 1 of a row.
std::string swap_remedy(const Table& table, const Layout& layout, std::size_t i) {
  std::vector<std::size_t> columns = layout.columns;
  if (order_by_names(table.name(columns[i]), table.name(columns[i + 1])) == Order::as_given)
    return fmt::format("exchange their names in {}", table.named_by_option ? "‹columns›" : "the header");
  std::swap(columns[i], columns[i + 1]);
  std::string list;
  for (std::size_t c : columns) list += fmt::format("{}{}", list.empty() ? "" : ",", c + 1);
  return "say ‹columns› " + list;
}

/// Once columns and units are known.
void suspect_swaps(const Table& table, Units units, Layout& layout) {
  std::size_t next = 0;
  for (auto& part : layout.recipe.parts) {
    if (part.kind == Kind::degrees_on_sphere)
      part.swap_advice = swap_advice(table, layout.columns[next], layout.columns[next + 1], units,
                                     swap_remedy(table, layout, next));
    next += static_cast<std::size_t>(part.numbers);
  }
}

/// Names the numbers of each part, and puts a latitude before its longitude where their names tell them
/// apart. Returns how it was told of the first place: by names, or by the order.
Order name_numbers(const Table& table, Layout& layout) {
  std::size_t next = 0, angles = 0;
  std::optional<Order> told;
  for (auto& part : layout.recipe.parts) {
    layout.angular.insert(layout.angular.end(), static_cast<std::size_t>(part.numbers),
                          is_angular(part.kind));
    const auto n = static_cast<std::size_t>(part.numbers);
    if (part.kind == Kind::degrees_on_sphere) {
      std::size_t &first = layout.columns[next], &second = layout.columns[next + 1];
      const Order order = order_by_names(table.name(first), table.name(second));
      if (order == Order::exchanged) std::swap(first, second);
      told = told.value_or(order);
      const Named latitude = meaning_of(table.name(first)), longitude = meaning_of(table.name(second));
      part.south = latitude.reversed && latitude.meaning == Meaning::latitude;
      part.west = longitude.reversed && longitude.meaning == Meaning::longitude;
      layout.meanings.insert(layout.meanings.end(), {"latitude", "longitude"});
    } else if (part.notation) {
      layout.meanings.insert(layout.meanings.end(), part.notation->columns.begin(),
                             part.notation->columns.end());
    } else if (part.kind == Kind::angle_in_degrees) {
      for (std::size_t i = 0; i < n; ++i) layout.meanings.push_back(fmt::format("angle {}", ++angles));
    } else {
      for (std::size_t i = 0; i < n; ++i)
        layout.meanings.push_back(n <= 3 ? std::string(1, "xyz"[i]) : fmt::format("coordinate {}", i + 1));
    }
    next += n;
  }
  return told.value_or(Order::as_given);
}

/// What the columns' names say.
Units units_named(const Table& table, const Layout& layout) {
  Units named = Units::automatic;
  for (std::size_t c : layout.columns) {
    const Units units = meaning_of(table.name(c)).units;
    if (units == Units::automatic) continue;
    require(named == Units::automatic || named == units,
            fmt::format("{}: some columns are named as degrees and some as radians", table.path),
            "say which it is with ‹units›", Fault::bad_data);
    named = units;
  }
  return named;
}

/// What the option says, else what the columns' names say, else the custom of the format.
Units units_of(const Table& table, const ReadOptions& options, const Layout& layout) {
  bool angular = false, torus = false, sphere = false;
  for (const auto& part : layout.recipe.parts) {
    angular |= is_angular(part.kind);
    sphere |= part.kind == Kind::degrees_on_sphere;
    torus |= part.kind == Kind::angle_in_degrees || part.kind == Kind::notated_in_degrees;
  }
  if (!angular) {
    require(options.units == Units::automatic,
            fmt::format("{}: these columns have no unit of angle", table.path),
            "leave out ‹units›, or choose columns of latitude and longitude or of angles", Fault::usage);
    return Units::automatic;
  }
  if (options.units != Units::automatic) return options.units;

  const Units named = units_named(table, layout);
  if (named != Units::automatic) return named;
  require(!(table.binary && torus && sphere),
          fmt::format("{}: the units of latitude, longitude and angles are not known", table.path),
          "say ‹units› degrees or ‹units› radians", Fault::bad_data);
  return table.binary && torus ? Units::radians : Units::degrees;
}

/// No angle among the first rows exceeds 2π.
bool could_be_radians(const Table& table, const Layout& layout) {
  bool any = false;
  std::size_t next = 0;
  for (const auto& part : layout.recipe.parts) {
    for (int i = 0; i < part.numbers; ++i, ++next)
      for (std::size_t r = 0; is_angular(part.kind) && r < table.rows(); ++r) {
        const double value = table.value(r, layout.columns[next]);
        if (std::abs(value) > 2 * std::numbers::pi) return false;
        any |= std::isfinite(value);
      }
  }
  return any;
}

constexpr double kPlainTurns = 2;

/// The largest angle of a torus among the first rows; those of a place have a range.
double largest_turns(const Table& table, const Layout& layout, Units units) {
  double most = 0;
  std::size_t next = 0;
  for (const auto& part : layout.recipe.parts)
    for (int i = 0; i < part.numbers; ++i, ++next)
      for (std::size_t r = 0; part.kind == Kind::angle_in_degrees && r < table.rows(); ++r)
        if (const double value = std::abs(table.value(r, layout.columns[next])); value > most) most = value;
  return most / (units == Units::radians ? 2 * std::numbers::pi : 360);
}

/// Of columns that are west or south by their names.
void remark_on_directions(const Table& table, const Layout& layout, Assumptions& assumptions) {
  std::size_t next = 0;
  const auto remark = [&](std::size_t i, const char* direction, const char* opposite) {
    assumptions.warnings.push_back(
        fmt::format("column {} {} is {} by its name, so its numbers are negated; if they count {} already, "
                    "call it {}.",
                    layout.columns[i] + 1, in_quotes(table.name(layout.columns[i])), direction, opposite,
                    layout.meanings[i]));
  };
  for (const auto& part : layout.recipe.parts) {
    if (part.south) remark(next, "south", "north");
    if (part.west) remark(next + 1, "west", "east");
    next += static_cast<std::size_t>(part.numbers);
  }
}

/// Of the first row in which a notation finds something unusual.
void remark_on_doubts(const Table& table, const Layout& layout, Assumptions& assumptions) {
  std::size_t next = 0;
  for (const auto& part : layout.recipe.parts) {
    const auto n = static_cast<std::size_t>(part.numbers);
    std::string doubt;
    for (std::size_t r = 0; r < table.rows() && doubt.empty() && part.notation && part.notation->doubt; ++r) {
      std::vector<double> numbers(n);
      for (std::size_t i = 0; i < n; ++i) numbers[i] = table.value(r, layout.columns[next + i]);
      if (part.notation->angular && assumptions.units != Units::radians)
        for (double& number : numbers) number *= std::numbers::pi / 180;
      if (std::any_of(numbers.begin(), numbers.end(), [](double a) { return std::isnan(a); })) continue;
      doubt = part.notation->doubt(numbers.data());
      if (doubt.empty()) continue;
      std::string columns;
      for (std::size_t i = 0; i < n; ++i)
        columns += fmt::format("{}{} = {}", i == 0 ? "" : ", ", part.notation->columns[i],
                               layout.columns[next + i] + 1);
      assumptions.warnings.push_back(fmt::format("{} {}: {}; are the columns ({}) swapped?", assumptions.row,
                                                 table.row_lines[r], doubt, columns));
    }
    next += n;
  }
}

std::string coordinates_of(const Recipe& recipe) {
  std::string all;
  for (const auto& part : recipe.parts) {
    if (!all.empty()) all += ", then ";
    const std::string scale = part.radius == 1 ? "" : fmt::format("{:.6g} ", part.radius);
    if (part.notation)
      all += part.notation->name;
    else if (part.kind == Kind::degrees_on_sphere || part.kind == Kind::radians_on_sphere)
      all += scale + "(cos lat cos lon, cos lat sin lon, sin lat)";
    else if (part.kind == Kind::vector_on_sphere)
      all += fmt::format("vectors, rescaled to norm {:.6g}", part.radius);
    else if (is_angular(part.kind))
      all += "angles, wrapped to [-π, π)";
    else
      all += "coordinates as they are";
  }
  return all;
}

/// "latitude (column 2, 'lat')"
std::string described(const std::string& meaning, std::size_t column, const Table& table) {
  const std::string name = table.name(column);
  return fmt::format("{} (column {}{})", meaning, column + 1,
                     name.empty() ? "" : fmt::format(", {}", in_quotes(name)));
}

}  // namespace

std::string Layout::column_name(std::size_t i, const Table& table) const {
  return described(meanings[i], columns[i], table);
}

std::string Layout::weight_name(const Table& table) { return described("weight", *table.weight, table); }

Layout lay_out(Table& table, const ReadOptions& options, Assumptions& assumptions) {
  if (!options.weights.empty()) {
    table.weight = find_column("weights", std::string(trimmed(options.weights)), table);
    assumptions.weight = {"weight", *table.weight + 1, table.name(*table.weight)};
  }
  Choice choice = choose_columns(table, options);
  Layout layout;
  layout.columns = std::move(choice.columns);
  layout.recipe = recipe_for(*choice.manifold, choice.writings);
  const Order told = name_numbers(table, layout);
  if (!options.columns.empty() && told != Order::as_given)
    choice.how += told == Order::exchanged ? ", told apart by their names" : ", in the order given";

  assumptions.units = units_of(table, options, layout);
  const bool said = options.units != Units::automatic || units_named(table, layout) != Units::automatic;
  if (assumptions.units == Units::degrees && !said && could_be_radians(table, layout))
    assumptions.warnings.push_back(
        "no angle in the first rows exceeds 2π; if they are in radians, say ‹units› radians.");
  assumptions.warnings.insert(assumptions.warnings.end(), choice.warnings.begin(), choice.warnings.end());
  suspect_swaps(table, assumptions.units, layout);
  remark_on_doubts(table, layout, assumptions);
  remark_on_directions(table, layout, assumptions);
  if (const double most = largest_turns(table, layout, assumptions.units); most > kPlainTurns)
    assumptions.warnings.push_back(
        fmt::format("an angle in the first rows is {:.4g} turns; all are wrapped to one: are they angles{}?",
                    most, said ? "" : fmt::format(", in {}", name_of(assumptions.units))));
  const bool modest = table.binary && options.units == Units::automatic;
  for (auto& part : layout.recipe.parts)
    if (assumptions.units == Units::radians && is_angular(part.kind))
      part.kind = part.kind == Kind::degrees_on_sphere ? Kind::radians_on_sphere
                  : part.notation                      ? Kind::notated
                  : modest                             ? Kind::modest_radians
                                                       : Kind::angle_in_radians;

  for (std::size_t i = 0; i < layout.columns.size(); ++i)
    assumptions.columns.push_back({layout.meanings[i], layout.columns[i] + 1, table.name(layout.columns[i])});
  assumptions.columns_how = choice.how;
  assumptions.manifold = choice.manifold->name();
  assumptions.manifold_inferred = choice.manifold_inferred;
  assumptions.coordinates = coordinates_of(layout.recipe);
  return layout;
}

}  // namespace riemflow::io
