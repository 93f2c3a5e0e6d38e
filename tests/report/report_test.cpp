// The page of a model: its picture, its scores and its mass are those of the model.

#include "riemflow/report/report.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/running_mean.hpp"
#include "riemflow/distribution/uniform.hpp"
#include "riemflow/report/encode.hpp"
#include "riemflow/report/scene.hpp"
#include "tests/figure/models.hpp"

namespace riemflow::report {
namespace {

constexpr double kPi = std::numbers::pi;

bool has(const std::string& page, const std::string& text) { return page.find(text) != page.npos; }

Points<double> some_draws(const Model& model, std::size_t n, std::uint64_t seed) {
  return make_density(model)->sample(n, seed).frames.front();
}

ModelData data_of(const Model& model, std::size_t training, std::size_t validation, std::size_t test) {
  ModelData data;
  data.name = "quakes & <b>.csv";
  data.split_known = training > 0;
  data.training = some_draws(model, training, 1);
  data.validation = some_draws(model, validation, 2);
  data.test = some_draws(model, test, 3);
  return data;
}

TEST(ReportPage, HoldsTheScoresAndTheMass) {
  const Model model = kernel_at("sphere:2", {0.6, 0, 0.8}, 0.4);
  const ModelData data = data_of(model, 120, 40, 30);
  Listener listener;
  const Report report =
      make_report(model, &data, nullptr, {"A & <B>", "riemflow report one.model", {}}, listener);
  double mean = 0;
  for (const double log_p : log_densities_of_model(model, {}, data.test)) mean -= log_p / 30;
  for (const std::string& text :
       {std::string("<title>A &amp; &lt;B&gt;"), fmt::format("<td>{:.4f} ± ", mean),
        std::string("<td>2.5310</td>"), std::string("uniform density"),
        std::string("kernel density (one bandwidth)"), std::string("this model"),
        std::string("30 test points of quakes &amp; &lt;b&gt;.csv"), std::string("\"id\":\"training\""),
        std::string("<th scope=\"row\">total mass</th><td>1.000000 ± "),
        std::string("<pre><code>riemflow report one.model</code></pre>"), std::string("\"kind\":\"globe\""),
        std::string("one.model"), std::string("src=\"data:image/png;base64,iVBOR")})
    EXPECT_TRUE(has(report.page, text)) << text;
  EXPECT_FALSE(has(report.page, "<!--riemflow:"));
  EXPECT_FALSE(has(report.page, "id=\"curves\""));
  EXPECT_EQ(report.examination.trust.verdict(), Verdict::trustworthy);
  EXPECT_NEAR(report.examination.trust.mass.integral.value, 1, 1e-4);
  EXPECT_EQ(listener.sentences,
            (std::vector<std::string>{"Computing the density in 360 × 720 cells.", "Drawing the picture.",
                                      "Scoring the points.", "Fitting kernel densities to compare with.",
                                      "Checking whether the likelihood is to be trusted."}));
}

/// The numbers of a row of the page: "1.2345 ± 0.1234" of the density.
std::string score_of(const std::string& page, const std::string& density) {
  const std::string head = fmt::format("<th scope=\"row\">{}</th><td>", density);
  const std::size_t at = page.find(head);
  return at == page.npos ? "" : page.substr(at + head.size(), page.find("</td>", at) - at - head.size());
}

TEST(ReportPage, ScoresAreByTheWeightsOfThePoints) {
  const Model model = kernel_at("sphere:2", {0.6, 0, 0.8}, 0.4);
  ModelData data = data_of(model, 120, 40, 30);
  TaskObserver silent;
  const std::string plain = make_report(model, &data, nullptr, {}, silent).page;
  EXPECT_FALSE(has(plain, "Each point counts by its weight"));
  for (std::size_t i = 0; i < 120; ++i) data.weights.training.push_back(data.training[i][1] > 0 ? 20 : 1);
  data.weights.validation.assign(40, 1);
  for (std::size_t i = 0; i < 30; ++i) data.test_weights.push_back(data.test[i][1] > 0 ? 3 : 1);
  const std::string page = make_report(model, &data, nullptr, {}, silent).page;
  EXPECT_TRUE(has(page, "Each point counts by its weight"));
  const std::vector<double> log_p = log_densities_of_model(model, {}, data.test);
  RunningMean mean;
  for (std::size_t i = 0; i < 30; ++i) mean.add(-log_p[i], data.test_weights[i]);
  EXPECT_EQ(score_of(page, "this model"), fmt::format("{:.4f} ± {:.4f}", mean.mean(), mean.standard_error()));
  EXPECT_NE(score_of(page, "this model"), score_of(plain, "this model"));
  // Centres have their weights too: with test points that count alike, kernels have other scores.
  data.test_weights.clear();
  const std::string learned = make_report(model, &data, nullptr, {}, silent).page;
  EXPECT_EQ(score_of(learned, "this model"), score_of(plain, "this model"));
  EXPECT_NE(score_of(learned, "kernel density (one bandwidth)"), "");
  EXPECT_NE(score_of(learned, "kernel density (one bandwidth)"),
            score_of(plain, "kernel density (one bandwidth)"));
}

TEST(ReportPage, OfAFlowIsTheSameForAnyThreads) {
  const Model model = some_flow("torus:2");
  TaskObserver silent;
  ReportOptions options;
  options.evaluation.threads = 1;
  const std::string one = make_report(model, nullptr, nullptr, options, silent).page;
  options.evaluation.threads = 3;
  EXPECT_TRUE(one == make_report(model, nullptr, nullptr, options, silent).page);
  EXPECT_TRUE(has(one, "\"kind\":\"torus\""));
  EXPECT_TRUE(has(one, "\"count\":2000,\"frames\":40"));
  EXPECT_FALSE(has(one, "id=\"scores\""));
  EXPECT_FALSE(has(one, "The command that made this page"));
}

TEST(ReportPage, OfASpaceThatIsNotTurnedHasTheFigure) {
  const Model model = kernel_at("sphere:3", {0, 0, 0, 1}, 0.4);
  ModelData data = data_of(model, 0, 0, 20);
  TrainingHistory history;
  history.stages = {{"", Objective::likelihood, {{10, 0.1, 3.5, 13, NAN}, {20, 0.2, 2.5, 13, 2.6}}}};
  TaskObserver silent;
  const std::string page = make_report(model, &data, &history, {}, silent).page;
  EXPECT_TRUE(has(page, "<img class=\"still\""));
  EXPECT_TRUE(has(page, "data-scene=\"none\""));
  EXPECT_TRUE(has(page, "total mass"));
  EXPECT_TRUE(has(page, "nothing is known of which points it has seen"));
  EXPECT_TRUE(has(page,
                  "20 iterations; the loss went from 3.5000 to 2.5000 nats; the validation was lowest at "
                  "iteration 20, 2.6000 nats"));
  EXPECT_TRUE(has(page, "\"loss\":[3.5,2.5]"));
}

TEST(ReportPage, EndsWhenCancelled) {
  Listener listener;
  listener.cancel = true;
  for (const char* manifold : {"sphere:2", "sphere:3"})  // in the picture, and in the check
    EXPECT_THROW(make_report(some_flow(manifold), nullptr, nullptr, {}, listener), Cancelled) << manifold;
}

/// Where on the sheet, (across, up) in [−1, 1]², the density is largest, and how large.
struct Top {
  double across, up, log_density;
};
Top top_of(const Scene& scene) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < scene.log_density.size(); ++i)
    if (scene.log_density[i] > scene.log_density[best]) best = i;
  const auto share = [](std::size_t i, std::size_t n) {
    return (2 * static_cast<double>(i) + 1) / static_cast<double>(n) - 1;
  };
  return {share(best % scene.columns, scene.columns), share(best / scene.columns, scene.rows),
          scene.log_density[best]};
}

TEST(ReportScene, HasTheDensityAndThePointsAtTheSamePlace) {
  const double lat = 40 * kPi / 180, lon = -75 * kPi / 180;
  struct Case {
    const char* manifold;
    std::vector<double> centre;
    double across, up;
  };
  TaskObserver silent;
  for (const Case& c : {Case{"sphere:2",
                             {std::cos(lat) * std::cos(lon), std::cos(lat) * std::sin(lon), std::sin(lat)},
                             -75 / 180.0,
                             40 / 90.0},
                        Case{"torus:2", {1, -2}, 1 / kPi, -2 / kPi}, Case{"ball:2", {0.5, -0.25}, 0.5, -0.25},
                        Case{"euclidean:2", {2, -1}, NAN, NAN}}) {
    const double h = 0.2, normal = -std::log(2 * kPi * h * h);
    const Model model = kernel_at(c.manifold, c.centre, h);
    const auto scene = make_scene(model, {}, {}, silent);
    ASSERT_TRUE(scene) << c.manifold;
    const double across = std::isnan(c.across) ? 2 / scene->half : c.across,
                 up = std::isnan(c.up) ? -1 / scene->half : c.up;
    const Top top = top_of(*scene);
    EXPECT_NEAR(top.across, across, 0.01) << c.manifold;
    EXPECT_NEAR(top.up, up, 0.01) << c.manifold;
    EXPECT_NEAR(top.log_density, normal, 0.02) << c.manifold;  // von Mises' is a little higher
    EXPECT_EQ(scene->high, top.log_density);
    // 99.5 % of the mass lie where the density is above 0.005 of its largest.
    EXPECT_NEAR(scene->shown_low - scene->high, std::log(0.005), 0.15) << c.manifold;
    Points<double> centre(1, static_cast<int>(c.centre.size()));
    centre.values = c.centre;
    const SheetPoints at = scene->sheet(centre);
    EXPECT_NEAR(at[0] / 32767.0, across, 1e-4) << c.manifold;
    EXPECT_NEAR(at[1] / 32767.0, up, 1e-4) << c.manifold;
    // The codes give back the densities to the precision that is told.
    const std::string codes = scene->codes();
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const auto code = static_cast<unsigned char>(codes[i]);
      ASSERT_NE(code, 0) << c.manifold << " " << i;  // beyond the rim of the ball too
      const double back = scene->low + (code - 1) / 254.0 * (scene->high - scene->low);
      const double value = std::max(scene->log_density[i], scene->low);
      ASSERT_LE(std::abs(std::expm1(back - value)), scene->precision() * 1.001);
    }
    EXPECT_EQ(scene->frames.size(), 1u);  // nothing flows
    EXPECT_EQ(scene->frames[0].size(), 4000u);
    EXPECT_EQ(scene->lost, 0u);
  }
  EXPECT_FALSE(make_scene(kernel_at("torus:3", {0, 0, 0}, 0.2), {}, {}, silent));
}

TEST(ReportEncode, TextIsTextAndBytesComeBack) {
  EXPECT_EQ(html("<a href=\"x\">'&'\x01"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;\xEF\xBF\xBD");
  EXPECT_EQ(script_json({{"a", "</script>é"}}), "{\"a\":\"\\u003c/script>\\u00e9\"}");
  EXPECT_EQ(base64(std::string_view("")), "");
  EXPECT_EQ(base64(std::string_view("f")), "Zg==");
  EXPECT_EQ(base64(std::string_view("fo")), "Zm8=");
  EXPECT_EQ(base64(std::string_view("foobar")), "Zm9vYmFy");
  EXPECT_EQ(base64(std::vector<std::int16_t>{-1, 258}), "//8CAQ==");
}

}  // namespace
}  // namespace riemflow::report
