// The parts of the page that are plain HTML.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "riemflow/core/setting.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/core/version.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/model/config_json.hpp"
#include "riemflow/model/space.hpp"
#include "riemflow/report/encode.hpp"
#include "riemflow/report/page.hpp"

namespace riemflow::report {
namespace {

using Json = nlohmann::ordered_json;

/// A number with a real minus sign.
std::string nats(double value) {
  if (!std::isfinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "–";
  const std::string text = fmt::format("{:.4f}", std::abs(value));
  return (value < 0 && text != "0.0000" ? "−" : "") + text;
}

std::string with_error(double value, double error) {
  return nats(value) + (std::isfinite(error) && error > 5e-5 ? fmt::format(" ± {:.4f}", error) : "");
}

std::string section(const char* id, const char* title, const std::string& body) {
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n{2}</section>\n",
      id, title, body);
}

/// "kernel density (one bandwidth)" as it is said: kernel density with one bandwidth.
std::string in_a_sentence(const std::string& name) {
  const std::size_t bracket = name.find(" (");
  if (bracket == name.npos) return name;
  return name.substr(0, bracket) + " with " + name.substr(bracket + 2, name.size() - bracket - 3);
}

/// A measure of the check: what, its value, its bar, and whether it is within.
std::string check_row(const std::string& what, const std::string& value, const std::string& bar,
                      bool within) {
  return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td class=\"{}\">{}</td></tr>\n",
                     what, value, bar, within ? "good" : "bad", within ? "✓ within" : "✗ outside");
}

/// A row for each value, nested names joined by dots.
void append_fields(const std::string& name, const Json& value, std::string& rows) {
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, inner] : value.items())
      append_fields(name.empty() ? key : name + "." + key, inner, rows);
    return;
  }
  const std::string text = value.is_string() ? value.get<std::string>()
                                             : value.dump(-1, ' ', false, Json::error_handler_t::replace);
  rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", html(name), html(text));
}

std::string fields(const char* title, const Json& value, bool open) {
  std::string rows;
  append_fields("", value, rows);
  return fmt::format(
      "<details{}><summary>{}</summary>\n<table class=\"fields\"><tbody>\n{}</tbody></table></details>\n",
      open ? " open" : "", title, rows);
}

}  // namespace

std::string verdict_sentence(const PageContent& content) {
  const Trust& trust = content.examination.trust;
  const Integral& mass = trust.mass.integral;
  std::string text;
  if (trust.verdict() == Verdict::trustworthy)
    text = fmt::format("Its likelihood can be trusted: the density adds up to {:.4f} ± {:.4f}{}.", mass.value,
                       std::max(mass.error, 1e-4),
                       content.examination.is_flow
                           ? fmt::format(" and {} samples find their way back", counted(trust.points))
                           : "");
  else
    text = trust.verdict() == Verdict::not_settled
               ? fmt::format("Whether its likelihood is to be trusted is not settled: {}.",
                             fmt::join(trust.open, "; "))
               : fmt::format("Its likelihood is not to be trusted: {}.", fmt::join(trust.reasons, "; "));
  if (content.scores.empty()) return text;
  const PointScores& model = content.scores.back();
  text += fmt::format(" On {} {} it scores {} nats", counted(model.log_densities.size()),
                      content.data->split_known ? "points it has not seen" : "points of the data",
                      nats(model.nll()));
  std::string others;
  for (std::size_t i = 0; i + 1 < content.scores.size(); ++i) {
    const PointScores& other = content.scores[i];
    others += fmt::format("{}{} of the {}", i == 0 ? ", against " : " and ", nats(other.nll()),
                          in_a_sentence(other.name));
  }
  return text + others + "; lower is better.";
}

std::string scores_section(const PageContent& content) {
  if (content.scores.empty()) return "";
  const PointScores& model = content.scores.back();
  const ModelData& data = *content.data;
  std::string rows;
  for (const PointScores& score : content.scores) {
    const bool own = &score == &model;
    rows += fmt::format("<tr{}><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n",
                        own ? " class=\"own\"" : "", html(score.name),
                        with_error(score.nll(), score.standard_error()),
                        own ? "" : with_error(score.worse_than(model), score.worse_than_error(model)));
  }
  const std::size_t all = data.test.size();
  const std::string count = content.scored < all
                                ? fmt::format("{} of the {}", counted(content.scored), counted(all))
                                : "the " + counted(all);
  const std::string of =
      data.split_known
          ? fmt::format("{} test points of {}, which no part of the fit has seen", count, html(data.name))
          : fmt::format("{} points of {}", count, html(data.name));
  std::string body = fmt::format(
      "<table class=\"numbers\"><caption>Mean negative log-likelihood on {}: how surprised each density is. "
      "In nats, ± "
      "one standard error; lower is better.{}</caption>\n"
      "<thead><tr><th scope=\"col\">density</th><th scope=\"col\">nats per point</th><th scope=\"col\">worse "
      "than the "
      "model by</th></tr></thead>\n<tbody>\n{}</tbody></table>\n",
      of, model.weights.empty() ? "" : " Each point counts by its weight.", rows);
  if (content.failed_scores > 0)
    body += fmt::format(
        "<p class=\"warning\">The density could not be computed at {} points, which are left out.</p>\n",
        counted(content.failed_scores));
  if (!data.split_known)
    body +=
        "<p class=\"note\">This is not the file that the model was fitted to, or the model does not tell; "
        "nothing is "
        "known of which points it has seen.</p>\n";
  return section("scores", "Scores", body);
}

std::string check_section(const PageContent& content) {
  const Examination& found = content.examination;
  const Trust& trust = found.trust;
  const Integral& mass = trust.mass.integral;
  std::string rows =
      check_row("total mass", fmt::format("{:.6f} ± {:.1g}", mass.value, mass.error),
                fmt::format("1 ± {:g}, error included", kMassBar),
                mass.failures == 0 && std::abs(mass.value - 1) + trust.mass.bound() <= kMassBar);
  if (found.is_flow) {
    rows +=
        check_row("round trip base → data → base misses by",
                  fmt::format("{:.2g} (99 %), {:.2g} (worst)", trust.round_trip.most, trust.round_trip.worst),
                  fmt::format("{:g}, {:g}", kRoundTripBar, kRoundTripWorstBar),
                  trust.round_trip.most <= kRoundTripBar && trust.round_trip.worst <= kRoundTripWorstBar);
    rows += check_row("log-density against a tighter solve, nats",
                      fmt::format("{:.2g} (mean), {:.2g} (worst)", trust.accuracy.mean, trust.accuracy.worst),
                      fmt::format("{:g}, {:g}", kAccuracyMeanBar, kAccuracyWorstBar),
                      trust.accuracy.mean <= kAccuracyMeanBar && trust.accuracy.worst <= kAccuracyWorstBar);
    rows += check_row("points of paths off the manifold", std::to_string(trust.off_manifold), "0",
                      trust.off_manifold == 0);
    rows += check_row("samples that failed", fmt::format("{} of {}", trust.failed, counted(trust.points)),
                      "0", trust.failed == 0);
  }
  const bool trusted = trust.verdict() == Verdict::trustworthy;
  const std::string body = fmt::format(
      "<p class=\"verdict {}\">{}</p>\n"
      "<table class=\"numbers checks\"><caption>What riemflow check measures: {}, {} precision{}.</caption>\n"
      "<thead><tr><th scope=\"col\">measure</th><th scope=\"col\">value</th><th scope=\"col\">bar</th><th "
      "scope=\"col\">verdict</th></tr></thead>\n<tbody>\n{}</tbody></table>\n",
      trusted ? "good" : "bad",
      trusted ? "✓ Trustworthy"
              : "✗ " + html(with_settings(verdict_of(found),
                                          [](std::string_view name) { return std::string(name); })),
      html(found.solver), html(found.precision),
      found.is_flow ? fmt::format(", {:.0f} evaluations per solve", trust.solves.mean_evaluations()) : "",
      rows);
  return section("check", "Check", body);
}

std::string curves_section(const PageContent& content) {
  if (!content.history) return "";
  const std::vector<TrainingStage>& stages = content.history->stages;
  const auto whole = [](double iteration) {
    return counted(static_cast<std::size_t>(std::lround(iteration)));
  };
  std::string body = "<div id=\"curves\" class=\"curves\"></div>\n<p class=\"note\">";
  body += fmt::format("{} iterations", whole(stages.back().entries.back().iteration));
  if (stages.size() > 1)
    body += fmt::format(" in {} stages", stages.size());
  else if (stages.front().objective == Objective::likelihood)
    body += fmt::format("; the loss went from {} to {} nats", nats(stages.front().entries.front().loss),
                        nats(stages.front().entries.back().loss));
  if (const TrainingEntry* best = best_validation(*content.history))
    body += fmt::format("; the validation was lowest at iteration {}, {} nats", whole(best->iteration),
                        nats(best->validation));
  return section("learning", "Learning curves", body + ".</p>\n");
}

std::string configuration_section(const PageContent& content) {
  const Model& model = *content.model;
  Json config = Json::parse(config_to_json(model.config));
  if (const std::string space = space_of(model).name(); space != model.config.manifold.name())
    config["manifold"] = fmt::format("{}, computed on {}", space, model.config.manifold.name());
  Json file = {{"name", content.model_name}, {"precision", precision_of(model)}};
  Json provenance;
  for (const auto& [key, value] : model.metadata)
    if (key == "provenance")
      provenance = read_provenance(value);
    else
      file[key] = value;
  std::string body = fields("The model", config, true);
  if (!provenance.is_null()) body += fields("The fit: its settings and what came of it", provenance, false);
  body += fields("The file", file, false);
  if (!content.command.empty())
    body += fmt::format("<h3>The command that made this page</h3>\n<pre><code>{}</code></pre>\n",
                        html(content.command));
  body += fmt::format("<p class=\"note\">riemflow {}</p>\n", html(kVersion));
  return section("configuration", "Configuration", body);
}

}  // namespace riemflow::report
