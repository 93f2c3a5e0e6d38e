// riemflow plot: a model, its data and its samples as a figure.

#include <filesystem>
#include <set>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/fit/output_file.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/failures.hpp"
#include "apps/riemflow/support/numbers.hpp"
#include "apps/riemflow/support/outputs.hpp"
#include "apps/riemflow/support/signals.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/figure/draw.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/io/atomic_file.hpp"

namespace riemflow::app {
namespace {

/// As typed, before it is read.
struct PlotOptions {
  DrawOptions draw;
  ModelChoice model;  ///< MODEL, or a training log
  DataFile data;
  std::string output, test, scale, view, poles, lattice, contours, centre, projection = "robinson";
  double width = 180;
  bool no_coastlines = false, quiet = false, allow_failures = false, force = false;
  std::set<std::string> given;  ///< names of the options on the command line: "--per", "DATA"
  bool has(const std::string& option) const { return given.contains(option); }
};

/// Of learning curves.
const std::set<std::string> kOfCurves = {"MODEL",   "--force", "--output", "--title",
                                         "--width", "--dpi",   "--quiet"};

/// "50,90" in per cent, or "none".
std::vector<double> shares_of(const std::string& text) {
  std::vector<double> shares;
  if (text == "none") return shares;
  for (const double percent : numbers_of(text, 0, "--contours", "per cents such as 50,90,95, or none,"))
    shares.push_back(percent / 100);
  std::sort(shares.begin(), shares.end());
  shares.erase(std::unique(shares.begin(), shares.end()), shares.end());
  return shares;
}

void append(Points<double>& points, const Points<double>& more) {
  points.dimension = more.dimension;
  points.values.insert(points.values.end(), more.values.begin(), more.values.end());
}

/// What DATA and --test hold. Without --test, the file of the fit is drawn by its split.
void read_points(const Model& model, PlotOptions& options, Teller& teller) {
  const auto read = [&](const std::string& path) {
    DataFile choice = options.data.by(options.model.threads);
    choice.path = path;
    ModelData data = read_model_data(model, choice, teller);
    require(data.training.size() + data.validation.size() + data.test.size() > 0,
            fmt::format("{} holds no points", path), "give a file with points, or none", Fault::bad_data);
    return data;
  };
  NamedPoints &drawn = options.draw.data, &test = options.draw.test;
  if (options.has("DATA")) {
    const ModelData data = read(options.data.path);
    const bool by_split = data.split_known && !options.has("--test");
    drawn.label = by_split ? "training and validation points" : data.name;
    append(drawn.points, data.training);
    append(drawn.points, data.validation);
    append(by_split ? test.points : drawn.points, data.test);
    test.label = "test points";
  }
  if (options.has("--test")) {
    const ModelData data = read(options.test);
    test = {joined(data), data.name};
  }
}

Drawing curves_of(const PlotOptions& options) {
  for (const std::string& name : options.given)
    require(kOfCurves.contains(name), name + " has no meaning in a figure of a training log",
            "leave it out for " + options.model.path, Fault::usage);
  const TrainingHistory history = read_training_log(options.model.path);
  if (history.truncated)
    Voice{options.quiet}.say(
        "The last line of {} is only a part of one, as of a training that was stopped; it is left out.",
        options.model.path);
  return {draw_training(history, options.draw), 0, 0, {}};
}

Drawing figure_of(PlotOptions& options) {
  const Model model = load_model(options.model.path);
  Teller teller(options.quiet);
  read_points(model, options, teller);
  end_on_interrupts();  // no file has been begun
  return draw(model, options.draw, teller);
}

void finish(const PlotOptions& options, const Drawing& drawing) {
  const Voice voice{options.quiet};
  for (const std::string& sentence : drawing.failures.sentences()) voice.say_text(sentence);
  if (drawing.failed_cells > 0)
    voice.say("Warning: the density could not be computed in {} of {} cells; they are left blank in {}.",
              drawing.failed_cells, drawing.cells, options.output);
  if ((drawing.failed_cells == 0 && drawing.failures.count == 0) || options.allow_failures) return;
  voice.say("riemflow check tells more; --allow-failures accepts them.");
  throw Exit{static_cast<int>(Fault::numerical)};
}

void run(PlotOptions options) {
  DrawOptions& wanted = options.draw;
  wanted.kind = figure::file_kind(options.output);
  wanted.evaluation = options.model;
  if (options.has("--width")) wanted.width = options.width;
  if (options.has("--scale")) wanted.log_scale = options.scale == "log";
  if (options.has("--contours")) wanted.contours = shares_of(options.contours);
  if (options.has("--projection")) wanted.projection = figure::projection_kind(options.projection);
  if (options.has("--center")) {
    const auto n = numbers_of(options.centre, 2, "--center", "LAT,LON");
    wanted.centre = {n[0], n[1]};
  }
  wanted.coastlines = !options.no_coastlines;
  if (options.has("--view")) wanted.rotations = value_named<RotationView>(options.view);
  if (options.has("--poles"))
    for (const std::string_view plane :
         split(options.poles, [&](std::size_t i) { return options.poles[i] == ','; }))
      wanted.poles.emplace_back(plane);
  if (options.has("--lattice")) {
    const auto n = numbers_of(options.lattice, 3, "--lattice", "A,B,C");
    wanted.lattice = {n[0], n[1], n[2]};
  }
  DataFile test = options.data;
  test.path = options.test;
  require_safe({{"MODEL", options.model.path}, input_of(options.data), input_of(test, "--test")},
               {output_named(options.output)}, options.force);
  require_writable_file(options.output);
  const bool log = std::filesystem::path(options.model.path).extension() == ".jsonl";
  const Drawing drawing = log ? curves_of(options) : figure_of(options);
  watch_interrupts();
  write_file_atomically(options.output, drawing.bytes);
  if (!options.quiet) answer("figure   {}\n", options.output);
  finish_output();
  finish(options, drawing);
}

}  // namespace

void add_plot(CLI::App& app) {
  auto* command = app.add_subcommand("plot", "Draw a model's density, data and samples, as PNG, SVG or PDF");
  auto options = std::make_shared<PlotOptions>();
  DrawOptions& drawn = options->draw;
  add_text(*command, "MODEL", options->model.path, "FILE",
           "Model file that `riemflow fit` wrote, or the log of its training (.jsonl) for learning curves")
      ->required();
  add_evaluation(*command, options->model);
  add_text(*command, "-o,--output", options->output, "FILE", "File to write: .png, .svg or .pdf")->required();
  add_data(*command, options->data);
  add_text(*command, "--test", options->test, kDataType,
           "Points to draw in the colour of test points; read as DATA is");
  add_count(*command, "--samples", drawn.samples, 1, 1'000'000, "Points to draw from the model");
  add_count(*command, "--trajectories", drawn.trajectories, 1, 10'000,
            "Paths to draw, from the base to the model's density");
  command
      ->add_option(
          "--seed", drawn.seed,
          "Seed of samples and trajectories, and of the draws that show where a density of rotations is "
          "sharp: same seed, same points")
      ->capture_default_str();
  command
      ->add_option("--resolution", drawn.grid.resolution,
                   "Side of a cell of the density: degrees on sphere:2 (0.5 unless given) and torus:2 (1 "
                   "unless given); coordinates on ball:2 and euclidean:2")
      ->check(CLI::PositiveNumber);
  command->add_option("--extent", drawn.grid.extent, "Half the side of the square, on euclidean:2")
      ->check(CLI::PositiveNumber);
  add_choice(*command, "--per", drawn.grid.per, {"sr", "km2", "rad2", "volume", "euclid"},
             "What the density is per: sr or km2 on the Earth, rad2 on the torus, volume (hyperbolic) or "
             "euclid on the ball; the first unless given");
  add_choice(
      *command, "--scale", options->scale, {"linear", "log"},
      "Scale of the colours; unless given, log on maps, for rotations where the largest is above 100 times "
      "the uniform density, elsewhere where half of the mass lies below a tenth of the largest density");
  add_text(*command, "--contours", options->contours, "PERCENT,…|none",
           "Outlines of the smallest regions that hold these per cents of the mass, such as 50,90,95; none "
           "unless given");
  add_choice(*command, "--projection", options->projection,
             {"robinson", "mollweide", "plate-carree", "orthographic"}, "Projection of the map, on sphere:2");
  add_text(*command, "--center", options->centre, "LAT,LON",
           "Middle of the map in degrees, 0,0 unless given; of a map of the whole world, on the equator");
  command->add_flag("--no-coastlines", options->no_coastlines, "The sphere is not the Earth: no land on it");
  add_choice(
      *command, "--view", options->view, {"poles", "sections", "axis-angle"},
      "Of rotations: pole figures (of crystals unless given), sections of Euler angles at constant phi2, "
      "or the ball of rotation vectors (where there is no crystal, unless given)");
  add_text(*command, "--poles", options->poles, "HKL,…",
           "Of crystals: pole figures of these planes, such as 100,110,111 or 0001,10-10,11-20");
  add_text(*command, "--lattice", options->lattice, "A,B,C",
           "Lengths of the crystal's cell, where the direction of a plane depends on them");
  command
      ->add_option("--sections", drawn.sections, "Of rotations: degrees of phi2 from one section to the next")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--phi1", drawn.phi1,
                   "How far phi1 goes in sections, 360 unless given; rolled sheet needs 90")
      ->check(CLI::PositiveNumber);
  command->add_option("--title", drawn.title, "Title above the figure");
  add_ranged(*command, "--width", options->width, 40.0, 1000.0,
             "Width of the figure in mm: 180 is two columns of a journal, 88 one; 120 on an orthographic map "
             "unless given");
  add_ranged(*command, "--dpi", drawn.dpi, 30.0, 1200.0,
             "Pixels per inch, of a PNG and of the density within SVG and PDF");
  add_allow_failures(*command, options->allow_failures);
  add_force(*command, options->force);
  command->add_flag("--quiet", options->quiet, "Say nothing but errors");
  command->footer(
      R"(What is drawn depends on the model's manifold: a map of the Earth for sphere:2, the hyperbolic disk for
ball:2, axes of -180..180 degrees for torus:2, a square for euclidean:2, a globe for axis:2 with each axis at
both of its ends, pole figures for the orientations of crystals (rotation:3/432), the ball of rotation vectors
for rotation:3, and for any other the samples by pairs of coordinates. An option that has no meaning there is refused. If DATA is the file that the
model was trained on, training and test points have colours of their own.

Examples:
  riemflow plot quakes.model -o quakes.png
  riemflow plot quakes.model quakes.csv -o quakes.pdf --per km2 --scale linear --center 0,180
  riemflow plot quakes.model -o pacific.svg --projection orthographic --center -18,178 --contours 50,90
  riemflow plot quakes.model -o paths.png --trajectories 200 --samples 2000
  riemflow plot torsions.model torsions.csv -o ramachandran.pdf --scale log --width 88
  riemflow plot grains.model grains.csv -o poles.png --poles 100,110,111,311
  riemflow plot sheet.model -o sections.png --sections 5 --phi1 90
  riemflow plot training.jsonl -o curves.png)");
  command->callback([command, options] {
    for (const CLI::Option* option : command->get_options()) {
      if (option->count() == 0) continue;
      options->given.insert(option->get_lnames().empty() ? option->get_name()
                                                         : "--" + option->get_lnames().front());
    }
    run(*options);
  });
}

}  // namespace riemflow::app
