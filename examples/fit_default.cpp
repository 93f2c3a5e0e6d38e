// Fits what `riemflow fit` fits by default, a pool of kernel densities and flows, to the earthquakes that
// come with the library; then scores, saves, loads, samples and draws.
//
//   fit_default [model file = quakes.model] [figure = quakes.png]

#include <fmt/format.h>

#include <fstream>
#include <riemflow/riemflow.hpp>

using namespace riemflow;

int main(int argc, char** argv) try {
  const std::string file = argc > 1 ? argv[1] : "quakes.model", picture = argc > 2 ? argv[2] : "quakes.png";
  // By steps, to be quick and the same everywhere. Without these two it takes a minute, and is better.
  const FitOptions options =
      options_of(overridden(preset_values("auto"), {{"flow-steps", "20"}, {"time-limit", "none"}}));
  Observer silent;
  const DataSet data = read_data_set("earthquakes", options, silent);
  const FitResult result = fit(data, options, silent);
  fmt::print("NLL of {} test points {:.3f} ± {:.3f} nats; of the {} {:.3f}\n", data.split.test.size(),
             result.test_nll, result.test_error, result.reference, result.reference_nll);
  save_model(file, *result.model);

  const Model model = load_model(file);
  Points<double> place(1, 3);
  unit_vector(35.7, 139.7, place[0]);
  fmt::print("log density in Tokyo {:.3f} nats\n", log_densities_of_model(model, {}, place)[0]);
  const Points<double> draws = make_density(model)->sample(3, /*seed=*/1).frames[0];
  for (std::size_t i = 0; i < draws.size(); ++i) fmt::print("draw {:.3f}\n", fmt::join(draws[i], " "));
  DrawOptions drawn;
  drawn.grid.resolution = 2;  // degrees
  drawn.contours = {0.5, 0.9};
  std::ofstream(picture, std::ios::binary) << draw(model, drawn, silent).bytes;
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
