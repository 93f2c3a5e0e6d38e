#include "apps/riemflow/support/data.hpp"

#include <CLI/CLI.hpp>

#include "apps/riemflow/support/console.hpp"
#include "riemflow/io/data_sets.hpp"

namespace riemflow::app {

std::unique_ptr<PointSource> DataChoice::open(const std::string& manifold) const {
  auto source = open_data(path, reading.options(manifold), data_dir);
  for (const std::string& sentence : source->assumptions().sentences()) say_text(sentence);
  return source;
}

CLI::Option* add_data(CLI::App& command, DataChoice& choice, const std::string& name) {
  auto* option =
      command
          .add_option(name, choice.path,
                      "File of points (CSV, TSV, NPY, GeoJSON), - for standard input, or the name of "
                      "a data set (`riemflow data list`)")
          ->type_name(kDataType);
  add_reading(command, choice.reading);
  add_data_dir(command, choice.data_dir);
  return option;
}

void add_data_dir(CLI::App& command, std::string& folder) {
  command
      .add_option("--data-dir", folder,
                  "Folder of the paper's data sets, with earth/ and torus/ in it; RIEMFLOW_DATA unless given")
      ->type_name("DIR")
      ->group("Reading");
}

std::string place_of(const Assumptions& assumptions, std::uint64_t line) {
  return assumptions.row == "line" ? fmt::format("{}:{}", assumptions.path, line)
                                   : fmt::format("{}: {} {}", assumptions.path, assumptions.row, line);
}

}  // namespace riemflow::app
