// Points from GeoJSON.

#include <fmt/format.h>

#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/core/suggest.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/io/geojson_reader.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/number.hpp"
#include "riemflow/io/open_format.hpp"
#include "riemflow/io/recipe.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow::io {
namespace {

class GeoJsonSource : public PointSource {
 public:
  GeoJsonSource(Window window, Recipe recipe, Assumptions assumptions, bool skip_invalid)
      : PointSource(std::move(assumptions), recipe.coordinates(), skip_invalid),
        reader_(std::move(window), assumptions_.path, assumptions_.weight ? assumptions_.weight->name : ""),
        recipe_(std::move(recipe)) {}

  std::vector<std::string> remarks() const override {
    std::vector<std::string> all = PointSource::remarks();
    if (!reader_.others().empty())
      all.push_back(fmt::format("Passed over, being no points: {}.", listed_others()));
    return all;
  }

 protected:
  std::size_t take(std::size_t most, Points<double>& chunk, std::vector<std::uint64_t>* lines,
                   Weights* weights) override {
    GeoPosition position;
    std::size_t n = 0;
    double point[3];
    while (n < most && reader_.next(position)) {
      if (!convert(position, point) || (assumptions_.weight && !has_weight(position))) continue;
      chunk.values.insert(chunk.values.end(), point, point + dimension());
      if (lines != nullptr) lines->push_back(position.feature);
      if (weights != nullptr && assumptions_.weight) weights->push_back(position.weight.value);
      ++n;
    }
    return n;
  }

  std::string why_empty() const override {
    if (skipped() > 0) return "every point was skipped";
    return reader_.others().empty() ? "it has no geometry" : "only " + listed_others();
  }

  std::string advice_for_empty() const override {
    return "give a geometry of type Point or MultiPoint, as centroids are";
  }

 private:
  template <class MakeError>
  void reject(MakeError&& error) {
    if (!skips_invalid()) throw error();
    count_skipped(error);
  }

  std::string listed_others() const {
    std::string list;
    for (const auto& [type, count] : reader_.others())
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count, type);
    return list;
  }

  bool has_weight(const GeoPosition& position) {
    const GeoPosition::Number& weight = position.weight;
    if (weight.line != 0 && is_weight(weight.value)) return true;
    reject([&] {
      const std::string& path = assumptions_.path;
      const std::string name = in_quotes(assumptions_.weight->name);
      if (weight.line != 0)
        return invalid_row(
                   {path, weight.line, weight.column},
                   fmt::format("weight (property {}) of feature {} is {}{}", name, position.feature,
                               in_quotes(reader_.weight_text()),
                               std::isnan(weight.value) ? ", which is not a number"
                                                        : " where a finite number from 0 is expected"),
                   "give a number from 0 without quotes, with 0 for a feature that does not count")
            .of_value(reader_.weight_text());
      const std::vector<std::string_view> known(reader_.properties().begin(), reader_.properties().end());
      const std::string_view nearest = nearest_name(assumptions_.weight->name, known);
      std::string list;
      for (const std::string_view other : known)
        list += fmt::format("{}{}", list.empty() ? "" : ", ", in_quotes(other));
      return invalid_row(
                 {path, position.line, position.column},
                 fmt::format("feature {} has no property {}", position.feature, name),
                 (nearest.empty() ? "" : fmt::format("perhaps you meant {}? ", in_quotes(nearest))) +
                     (known.empty() ? "it has no properties: weights are numbers in those of each feature"
                                    : "its properties are " + list))
          .of_setting("weights", assumptions_.weight->name);
    });
    return false;
  }

  bool convert(const GeoPosition& position, double* point) {
    const std::string& path = assumptions_.path;
    if (position.longitude.line == 0 || position.latitude.line == 0) {
      reject([&] {
        return invalid_row({path, position.line, position.column}, "a position without two numbers",
                           "give [longitude, latitude]");
      });
      return false;
    }
    const double row[] = {position.latitude.value, position.longitude.value};
    const auto complaint = recipe_.make(row, point);
    if (!complaint) return true;
    reject([&] {
      const bool is_latitude = complaint->number == 0;
      const GeoPosition::Number& number = is_latitude ? position.latitude : position.longitude;
      std::string text;
      append_number(text, number.value);
      return invalid_row({path, number.line, number.column},
                         fmt::format("{} of feature {} is {} {}", is_latitude ? "latitude" : "longitude",
                                     position.feature, in_quotes(text), complaint->problem),
                         complaint->advice)
          .of_value(text);
    });
    return false;
  }

  GeoJsonReader reader_;
  Recipe recipe_;
};

}  // namespace

std::unique_ptr<PointSource> open_geojson(Window window, const std::string& path,
                                          const ReadOptions& options) {
  require(options.columns.empty(), fmt::format("{}: GeoJSON has no columns", path), "leave out ‹columns›",
          Fault::usage);
  require(options.units != Units::radians, fmt::format("{}: GeoJSON is in degrees", path),
          "leave out ‹units› radians", Fault::usage);
  const auto manifold = parse_manifold<double>(options.manifold.empty() ? "sphere:2" : options.manifold);
  require(manifold->column_form().places != ColumnForm::Places::none,
          fmt::format("{}: GeoJSON holds points of sphere:2, not of {}", path, manifold->name()),
          "leave out ‹manifold›, or give the points as CSV", Fault::usage);
  window.fill(1);
  if (window.size() == 0) throw Error(FilePlace{path, 1, 1}, "the file is empty", "give a GeoJSON object");

  Recipe recipe;
  recipe.parts.push_back({Recipe::Kind::degrees_on_sphere, 2, 3, manifold->column_form().radius,
                          "latitude and longitude seem to be swapped: GeoJSON wants [longitude, latitude]"});
  Assumptions assumptions;
  if (!options.weights.empty()) assumptions.weight = {"weight", 0, std::string(trimmed(options.weights))};
  assumptions.path = path;
  assumptions.format = "geojson";
  assumptions.layout = "GeoJSON, with positions [longitude, latitude] in degrees";
  assumptions.row = "feature";
  assumptions.units = Units::degrees;
  assumptions.manifold = manifold->name();
  assumptions.manifold_inferred = options.manifold.empty();
  assumptions.coordinates = "(cos lat cos lon, cos lat sin lon, sin lat)";
  return std::make_unique<GeoJsonSource>(std::move(window), std::move(recipe), std::move(assumptions),
                                         options.skip_invalid);
}

}  // namespace riemflow::io
