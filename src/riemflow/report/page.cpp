#include "riemflow/report/page.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "riemflow/core/error.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/figure/draw_parts.hpp"
#include "riemflow/figure/land.hpp"
#include "riemflow/manifold/earth.hpp"
#include "riemflow/model/space.hpp"
#include "riemflow/report/encode.hpp"

extern const unsigned char riemflow_report_page[];
extern const std::size_t riemflow_report_page_size;

namespace riemflow::report {
namespace {

using Json = nlohmann::ordered_json;
using figure::Colour;

int byte_of(double share) { return static_cast<int>(std::lround(255 * share)); }

std::string hex(const Colour& colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", byte_of(colour.red), byte_of(colour.green), byte_of(colour.blue));
}

/// heat() in 256 steps, three bytes each.
std::string heat_bytes() {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    const Colour colour = figure::heat(i / 255.0);
    for (const double share : {colour.red, colour.green, colour.blue})
      bytes += static_cast<char>(byte_of(share));
  }
  return bytes;
}

/// What the density is per, shortest first; log_size: of the unit, added to a log-density.
Json density_units(const Scene& scene) {
  switch (scene.surface) {
    case figure::Surface::globe:
      return {{{"name", "sr"}, {"log_size", 0}}, {{"name", "km²"}, {"log_size", -std::log(kEarthKm2PerSr)}}};
    case figure::Surface::torus:
      return {{{"name", "rad²"}, {"log_size", 0}}, {{"name", "deg²"}, {"log_size", 2 * std::log(kRadians)}}};
    case figure::Surface::disk:
      return Json::array({{{"name", "hyperbolic area"}, {"log_size", 0}}});
    case figure::Surface::plane:
      return Json::array({{{"name", "area"}, {"log_size", 0}}});
  }
  return {};
}

Json points_layer(const char* id, const std::string& label, const Colour& colour, const Scene& scene,
                  const Points<double>& points) {
  const Points<double> drawn = thinned(points, figure::kMostDots);
  return {{"id", id},
          {"label", label},
          {"colour", hex(colour)},
          {"count", drawn.size()},
          {"of", points.size()},
          {"points", base64(scene.sheet(drawn))}};
}

/// Coasts as data/README.md has them: points of each ring, and all points on the sheet.
Json land_json() {
  Json rings = Json::array();
  SheetPoints points;
  for (const auto& ring : figure::land(figure::LandScale::coarse)) {
    rings.push_back(ring.size());
    for (const figure::LatLon& place : ring) {
      points.push_back(static_cast<std::int16_t>(std::lround(place.longitude * 32767 / 180)));
      points.push_back(static_cast<std::int16_t>(std::lround(place.latitude * 32767 / 90)));
    }
  }
  return {{"rings", rings}, {"points", base64(points)}};
}

Json scene_json(const PageContent& content) {
  const Scene& scene = *content.scene;
  Json layers = Json::array();
  if (content.data) {
    const ModelData& data = *content.data;
    if (data.split_known) {
      Points<double> fitted = data.training;
      fitted.values.insert(fitted.values.end(), data.validation.values.begin(), data.validation.values.end());
      layers.push_back(points_layer("training", "Training and validation", figure::kBlue, scene, fitted));
      layers.push_back(points_layer("test", "Test", figure::kTeal, scene, data.test));
    } else {
      layers.push_back(points_layer("data", "Data", figure::kBlue, scene, data.test));
    }
  }
  SheetPoints all;
  for (const SheetPoints& frame : scene.frames) all.insert(all.end(), frame.begin(), frame.end());
  Json result = {{"kind", name_of(scene.surface)},
                 {"half", scene.half},
                 {"curvature", scene.curvature},
                 {"axes", content.axes},
                 {"density",
                  {{"rows", scene.rows},
                   {"columns", scene.columns},
                   {"low", scene.low},
                   {"high", scene.high},
                   {"shown_low", scene.shown_low},
                   {"precision", scene.precision()},
                   {"units", density_units(scene)},
                   {"codes", base64(scene.codes())}}},
                 {"heat", base64(heat_bytes())},
                 {"nothing", hex(figure::kNothing)},
                 {"layers", layers},
                 {"samples",
                  {{"colour", hex(figure::kPurple)},
                   {"count", scene.frames.front().size() / 2},
                   {"frames", scene.frames.size()},
                   {"points", base64(all)}}}};
  if (scene.surface == figure::Surface::globe) result["land"] = land_json();
  return result;
}

/// Four digits are more than a curve can show.
Json rounded(const std::vector<double>& values) {
  Json result = Json::array();
  for (const double value : values)
    result.push_back(std::isfinite(value) ? Json(std::round(value * 1e4) / 1e4) : Json());
  return result;
}

/// In each stage, means over equal pieces of the loss and the evaluations, and single validations with the
/// best and the last among them.
Json stage_json(const TrainingStage& stage, bool by_time, std::size_t most) {
  const auto x = [&](const TrainingEntry& entry) { return by_time ? entry.seconds : entry.iteration; };
  const std::vector<TrainingEntry>& all = stage.entries;
  const auto pieces = [&](std::size_t n) { return std::max<std::size_t>(1, (n + most - 1) / most); };
  std::vector<double> at, loss, evaluations, validated_at, validation;
  for (std::size_t i = 0, size = pieces(all.size()); i < all.size(); i += size) {
    const std::size_t end = std::min(i + size, all.size());
    const auto mean = [&](const auto& value) {
      double sum = 0;
      for (std::size_t k = i; k < end; ++k) sum += value(all[k]);
      return sum / static_cast<double>(end - i);
    };
    at.push_back(mean(x));
    loss.push_back(mean([](const TrainingEntry& entry) { return entry.loss; }));
    evaluations.push_back(mean([](const TrainingEntry& entry) { return entry.evaluations; }));
  }
  std::vector<TrainingEntry> validated;
  std::copy_if(all.begin(), all.end(), std::back_inserter(validated),
               [](const TrainingEntry& entry) { return std::isfinite(entry.validation); });
  const auto best = std::min_element(validated.begin(), validated.end(), [](const auto& a, const auto& b) {
    return a.validation < b.validation;
  });
  for (auto it = validated.begin(); it != validated.end(); ++it)
    if ((it - validated.begin()) % static_cast<std::ptrdiff_t>(pieces(validated.size())) == 0 || it == best ||
        it + 1 == validated.end()) {
      validated_at.push_back(x(*it));
      validation.push_back(it->validation);
    }
  return {{"name", stage.name},
          {"matching", stage.objective == Objective::flow_matching},
          {"end", x(all.back())},
          {"at", rounded(at)},
          {"loss", rounded(loss)},
          {"evaluations", rounded(evaluations)},
          {"validated_at", rounded(validated_at)},
          {"validation", rounded(validation)}};
}

/// Some hundred points for all stages.
Json curves_json(const TrainingHistory& history) {
  constexpr std::size_t kMost = 400, kLeast = 20;
  Json stages = Json::array();
  for (const TrainingStage& stage : history.stages)
    stages.push_back(stage_json(stage, history.named, std::max(kLeast, kMost / history.stages.size())));
  return {{"x", history.named ? "seconds" : "iteration"}, {"stages", stages}};
}

Json payload(const PageContent& content) {
  Json result = {{"check", examination_json(content.model_name, content.examination)}};
  if (content.scene) result["scene"] = scene_json(content);
  if (content.history) result["curves"] = curves_json(*content.history);
  return result;
}

std::string still_html(const PageContent& content) {
  return fmt::format("<img class=\"still\" alt=\"The density of {} on {}\" src=\"data:image/png;base64,{}\">",
                     html(content.model_name), html(space_of(*content.model)->words()),
                     base64(content.still));
}

std::string picture_note(const PageContent& content) {
  if (!content.scene) return still_html(content);
  const Scene& scene = *content.scene;
  std::string text;
  if (scene.frames.size() < 2)
    text += "This model is a mixture: nothing flows in it, and its samples stand still. ";
  if (scene.grid.summary.failed > 0)
    text += fmt::format("The density could not be computed in {} cells, shown in grey. ",
                        counted(scene.grid.summary.failed));
  if (scene.lost > 0) text += fmt::format("{} samples failed and are not shown. ", counted(scene.lost));
  return text.empty() ? "" : "<p class=\"note\">" + text + "</p>";
}

/// The template with each <!--riemflow:NAME--> replaced, in one pass: nothing put in is looked at again.
std::string filled(std::string_view page, const std::map<std::string, std::string, std::less<>>& places) {
  static constexpr std::string_view kOpen = "<!--riemflow:", kClose = "-->";
  std::string result;
  for (;;) {
    const std::size_t at = page.find(kOpen);
    result += page.substr(0, at);
    if (at == page.npos) return result;
    page.remove_prefix(at + kOpen.size());
    const std::size_t end = page.find(kClose);
    const auto place = places.find(page.substr(0, end));
    require(place != places.end(), "the page's template has an unknown place", "rebuild riemflow",
            Fault::internal);
    result += place->second;
    page.remove_prefix(end + kClose.size());
  }
}

}  // namespace

std::string page_of(const PageContent& content) {
  const std::string_view page(reinterpret_cast<const char*>(riemflow_report_page), riemflow_report_page_size);
  return filled(
      page, {{"title", html(content.title)},
             {"manifold", html(space_of(*content.model)->words())},
             {"kind", html(name_of(content.model->config.model))},
             {"verdict", html(verdict_sentence(content))},
             {"verdict-class", content.examination.trust.verdict() == Verdict::trustworthy ? "good" : "bad"},
             {"scene", content.scene ? name_of(content.scene->surface) : "none"},
             {"still", content.scene ? still_html(content) : ""},
             {"picture-note", picture_note(content)},
             {"scores", scores_section(content)},
             {"check", check_section(content)},
             {"curves", curves_section(content)},
             {"configuration", configuration_section(content)},
             {"payload", script_json(payload(content))}});
}

}  // namespace riemflow::report
