#include "apps/riemflow/support/data.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "apps/riemflow/support/console.hpp"
#include "riemflow/io/data_sets.hpp"

namespace riemflow::app {

std::unique_ptr<PointSource> DataChoice::open(const std::string& manifold) const {
  const ReadOptions options = reading.options(manifold);
  auto source = held ? open_points_in(*held, path == "-" ? "<stdin>" : path, options)
                     : open_data(path, options, data_dir);
  for (const std::string& sentence : source->assumptions().sentences()) say_text(sentence);
  return source;
}

DataChoice DataChoice::reopenable() const {
  std::error_code ignored;
  if (held || is_regular(path) || (path != "-" && !std::filesystem::exists(path, ignored))) return *this;
  const auto source = io::open_bytes(path);
  std::string all, piece(std::size_t{1} << 16, '\0');
  while (const std::size_t n = source->read(piece.data(), piece.size())) all.append(piece, 0, n);
  DataChoice copy = *this;
  copy.held = std::make_shared<const std::string>(std::move(all));
  return copy;
}

bool is_regular(const std::string& path) {
  std::error_code ignored;
  return path != "-" && std::filesystem::is_regular_file(path, ignored);
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
