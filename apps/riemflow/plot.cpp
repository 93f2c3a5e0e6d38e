// riemflow plot: a model, its data and its samples as a figure.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/fit/output_file.hpp"
#include "apps/riemflow/plot/request.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/count.hpp"
#include "apps/riemflow/support/numbers.hpp"
#include "apps/riemflow/support/outputs.hpp"
#include "apps/riemflow/support/signals.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/io/atomic_file.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow::app {
namespace {

constexpr double kMostPixels = 15000;  // of a side

/// As typed, before it is read.
struct PlotOptions {
  PlotRequest request;
  std::string contours, centre;
  bool no_coastlines = false, force = false;
};

/// One of the figures: what it is of, what draws it, and the options that have a meaning there beside those
/// of every figure.
struct Figure {
  const char* what;
  Drawing (*draw)(const PlotRequest&);
  std::vector<std::string> options;
};

const std::vector<std::string> kOfEveryFigure = {"MODEL",   "--force", "--output", "--title",
                                                 "--width", "--dpi",   "--quiet"};
const std::vector<std::string> kOfEveryModel = {
    "DATA",     "--tolerance", "--threads", "--device",         "--columns", "--units",  "--skip-invalid",
    "--format", "--data-dir",  "--test",    "--allow-failures", "--seed",    "--samples"};
const std::vector<std::string> kOfEveryDensity = {"--per", "--resolution", "--scale", "--contours",
                                                  "--trajectories"};

std::vector<std::string> joined(std::vector<std::string> list,
                                std::initializer_list<std::vector<std::string>> more) {
  for (const auto& names : more) list.insert(list.end(), names.begin(), names.end());
  return list;
}

Figure curves_figure() { return {"a training log", plot_curves, kOfEveryFigure}; }

Figure figure_of(const Model& model) {
  const auto manifold = parse_manifold<double>(model.config.manifold);
  const std::vector<Factor<double>> factors = manifold->factors();
  const auto of_density = [](const char* what, auto draw, std::vector<std::string> own) {
    return Figure{what, draw, joined(std::move(own), {kOfEveryFigure, kOfEveryModel, kOfEveryDensity})};
  };
  if (factors.size() == 1 && manifold->dimension() == 2) switch (factors[0].geometry) {
      case Geometry::sphere:
        if (factors[0].curvature != 1) break;
        return of_density("sphere:2", plot_map, {"--projection", "--center", "--no-coastlines"});
      case Geometry::ball:
        return of_density("ball:2", plot_disk, {});
      case Geometry::torus:
        return of_density("torus:2", plot_torus, {});
      case Geometry::euclidean:
        return of_density("euclidean:2", plot_plane, {"--extent"});
    }
  return {"the coordinates of samples, by pairs", plot_pairs, joined(kOfEveryFigure, {kOfEveryModel})};
}

/// Throws for the first option that has no meaning on it.
void require_meaning(const PlotRequest& request, const Figure& figure) {
  for (const std::string& name : request.given)
    require(std::find(figure.options.begin(), figure.options.end(), name) != figure.options.end(),
            fmt::format("{} has no meaning in a figure of {}", name, figure.what),
            fmt::format("leave it out for {}", request.choice.path), Fault::usage);
}

/// "50,90" in per cent, or "none".
std::vector<double> shares_of(const std::string& text) {
  std::vector<double> shares;
  if (text == "none") return shares;
  for (const double percent : numbers_of(text, 0, "--contours", "per cents such as 50,90,95, or none,")) {
    require(percent > 0 && percent < 100,
            fmt::format("--contours: {:g} % of the mass has no contour", percent),
            "give per cents between 0 and 100, or none", Fault::usage);
    shares.push_back(percent / 100);
  }
  std::sort(shares.begin(), shares.end());
  shares.erase(std::unique(shares.begin(), shares.end()), shares.end());
  return shares;
}

/// On a world map the middle is a point of the equator.
void read_centre(const std::string& text, PlotRequest& request) {
  const auto n = numbers_of(text, 2, "--center", "LAT,LON");
  require(std::abs(n[0]) <= 90 && std::abs(n[1]) <= 360,
          fmt::format("--center {}: there is no such place", text),
          "give a latitude in -90..90 and a longitude in -180..180, in degrees", Fault::usage);
  require(n[0] == 0 || request.projection == "orthographic",
          fmt::format("--center {}: the middle of a {} map is on the equator", text, request.projection),
          fmt::format("give --center 0,{:g}, or --projection orthographic", n[1]), Fault::usage);
  request.centre_latitude = n[0];
  request.centre_longitude = std::remainder(n[1], 360);
}

void append(Points<double>& points, const Points<double>& more) {
  points.dimension = more.dimension;
  points.values.insert(points.values.end(), more.values.begin(), more.values.end());
}

/// What DATA and --test hold. Without --test, the file of the fit is drawn by its split.
void read_points(PlotRequest& request) {
  const auto read = [&](const std::string& path) {
    DataFile choice = request.data_choice;
    choice.path = path;
    Teller teller;
    ModelData data = read_model_data(request.model, choice, teller);
    require(data.training.size() + data.validation.size() + data.test.size() > 0,
            fmt::format("{} holds no points", path), "give a file with points, or none", Fault::bad_data);
    return data;
  };
  if (request.has("DATA")) {
    const ModelData data = read(request.data_choice.path);
    const bool by_split = data.split_known && !request.has("--test");
    request.data.label = by_split ? "training and validation points" : data.name;
    append(request.data.points, data.training);
    append(request.data.points, data.validation);
    append(by_split ? request.test.points : request.data.points, data.test);
    request.test.label = "test points";
  }
  if (request.has("--test")) {
    const ModelData data = read(request.test_path);
    for (const auto* part : {&data.training, &data.validation, &data.test})
      append(request.test.points, *part);
    request.test.label = data.name;
  }
}

void finish(const PlotRequest& request, const Drawing& drawing) {
  for (const std::string& sentence : drawing.failures.sentences()) say_text(sentence);
  if (drawing.failed_cells > 0)
    say("Warning: the density could not be computed in {} of {} cells; they are left blank in {}.",
        drawing.failed_cells, drawing.cells, request.output);
  if ((drawing.failed_cells == 0 && drawing.failures.count == 0) || request.allow_failures) return;
  say("riemflow check tells more; --allow-failures accepts them.");
  throw Exit{static_cast<int>(Fault::numerical)};
}

void run(PlotOptions options, std::set<std::string> given) {
  PlotRequest& request = options.request;
  request.given = std::move(given);
  if (request.quiet) be_quiet();
  request.kind = figure::file_kind(request.output);
  require(request.width_mm / 25.4 * request.dpi <= kMostPixels,
          fmt::format("{:g} mm at {:g} dpi are {:.0f} pixels", request.width_mm, request.dpi,
                      request.width_mm / 25.4 * request.dpi),
          fmt::format("give a smaller --width or --dpi, for at most {:.0f}", kMostPixels), Fault::usage);
  if (request.has("--contours")) request.contours = shares_of(options.contours);
  if (request.has("--center")) read_centre(options.centre, request);
  request.coastlines = !options.no_coastlines;
  DataFile test = request.data_choice;
  test.path = request.test_path;
  require_safe({{"MODEL", request.choice.path}, input_of(request.data_choice), input_of(test, "--test")},
               {output_named(request.output)}, options.force);
  const bool log = std::filesystem::path(request.choice.path).extension() == ".jsonl";
  if (!log) request.model = load_model(request.choice.path);
  const Figure figure = log ? curves_figure() : figure_of(request.model);
  require_meaning(request, figure);
  require(
      request.trajectories == 0 || leading_flow(request.model).has_value(),
      fmt::format("{}: a {} has no trajectories", request.choice.path, name_of(request.model.config.model)),
      "give a model that is a flow, or leave out --trajectories");
  require_file(request.output);
  require_writable(request.output);
  if (!log) read_points(request);

  end_on_interrupts();  // no file has been begun
  const Drawing drawing = figure.draw(request);
  watch_interrupts();
  write_file_atomically(request.output, drawing.bytes);
  if (!request.quiet) answer("figure   {}\n", request.output);
  finish_output();
  finish(request, drawing);
}

}  // namespace

void add_plot(CLI::App& app) {
  auto* command = app.add_subcommand("plot", "Draw a model's density, data and samples, as PNG, SVG or PDF");
  auto options = std::make_shared<PlotOptions>();
  PlotRequest& request = options->request;
  command
      ->add_option(
          "MODEL", request.choice.path,
          "Model file that `riemflow fit` wrote, or the log of its training (.jsonl) for learning curves")
      ->required()
      ->type_name("FILE");
  add_evaluation(*command, request.choice);
  command->add_option("-o,--output", request.output, "File to write: .png, .svg or .pdf")
      ->required()
      ->type_name("FILE");
  add_data(*command, request.data_choice);
  command
      ->add_option("--test", request.test_path,
                   "Points to draw in the colour of test points; read as DATA is")
      ->type_name(kDataType);
  add_count(*command, "--samples", request.samples, 1, 1'000'000, "Points to draw from the model");
  add_count(*command, "--trajectories", request.trajectories, 1, 10'000,
            "Paths to draw, from the base to the model's density");
  command->add_option("--seed", request.seed, "Seed of samples and trajectories: same seed, same points")
      ->capture_default_str();
  command
      ->add_option(
          "--resolution", request.grid.resolution,
          "Side of a cell of the density: degrees on sphere:2 (0.5 unless given) and torus:2 (1 unless "
          "given); coordinates on ball:2 and euclidean:2")
      ->check(CLI::PositiveNumber);
  command->add_option("--extent", request.grid.extent, "Half the side of the square, on euclidean:2")
      ->check(CLI::PositiveNumber);
  add_choice(
      *command, "--per", request.grid.per, {"sr", "km2", "rad2", "volume", "euclid"},
      "What the density is per: sr or km2 on the Earth, rad2 on the torus, volume (hyperbolic) or euclid on "
      "the ball; the first unless given");
  add_choice(*command, "--scale", request.scale, {"linear", "log"},
             "Scale of the colours; unless given, log on maps, elsewhere where half of the mass lies below a "
             "tenth of the "
             "largest density");
  command
      ->add_option(
          "--contours", options->contours,
          "Outlines of the smallest regions that hold these per cents of the mass, such as 50,90,95; "
          "none unless given")
      ->type_name("PERCENT,…|none");
  add_choice(*command, "--projection", request.projection,
             {"robinson", "mollweide", "plate-carree", "orthographic"}, "Projection of the map, on sphere:2");
  command
      ->add_option(
          "--center", options->centre,
          "Middle of the map in degrees, 0,0 unless given; of a map of the whole world, on the equator")
      ->type_name("LAT,LON");
  command->add_flag("--no-coastlines", options->no_coastlines, "The sphere is not the Earth: no land on it");
  command->add_option("--title", request.title, "Title above the figure");
  command
      ->add_option(
          "--width", request.width_mm,
          "Width of the figure in mm: 180 is two columns of a journal, 88 one; 120 on an orthographic map "
          "unless given")
      ->capture_default_str()
      ->check(CLI::Range(40.0, 1000.0));
  command->add_option("--dpi", request.dpi, "Pixels per inch, of a PNG and of the density within SVG and PDF")
      ->capture_default_str()
      ->check(CLI::Range(30.0, 1200.0));
  add_allow_failures(*command, request.allow_failures);
  add_force(*command, options->force);
  command->add_flag("--quiet", request.quiet, "Say nothing but errors");
  command->footer(
      "What is drawn depends on the model's manifold: a map of the Earth for sphere:2, the hyperbolic disk "
      "for\n"
      "ball:2, axes of -180..180 degrees for torus:2, a square for euclidean:2, and for any other the "
      "samples\n"
      "by pairs of coordinates. An option that has no meaning there is refused. If DATA is the file that "
      "the\n"
      "model was trained on, training and test points have colours of their own.\n\n"
      "Examples:\n"
      "  riemflow plot quakes.model -o quakes.png\n"
      "  riemflow plot quakes.model quakes.csv -o quakes.pdf --per km2 --scale linear --center 0,180\n"
      "  riemflow plot quakes.model -o pacific.svg --projection orthographic --center -18,178 --contours "
      "50,90\n"
      "  riemflow plot quakes.model -o paths.png --trajectories 200 --samples 2000\n"
      "  riemflow plot torsions.model torsions.csv -o ramachandran.pdf --scale log --width 88\n"
      "  riemflow plot training.jsonl -o curves.png");
  command->callback([command, options] {
    std::set<std::string> given;
    for (const CLI::Option* option : command->get_options()) {
      if (option->count() == 0) continue;
      given.insert(option->get_lnames().empty() ? option->get_name() : "--" + option->get_lnames().front());
    }
    run(*options, std::move(given));
  });
}

}  // namespace riemflow::app
