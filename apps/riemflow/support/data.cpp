#include "apps/riemflow/support/data.hpp"

#include "riemflow/fit/option_field.hpp"

namespace riemflow::app {

std::unique_ptr<PointSource> open_said(const DataFile& data, const std::string& manifold) {
  auto source = data.open(manifold);
  for (const std::string& sentence : source->assumptions().sentences()) say_text(sentence);
  return source;
}

CLI::Option* add_data(CLI::App& command, DataFile& data, const std::string& name) {
  auto* option = add_text(command, name, data.path, kDataType,
                          "File of points (CSV, TSV, NPY, GeoJSON, packed with gzip or zstd or not), - for "
                          "standard input, or the name of a data set (`riemflow data list`)");
  add_reading(command, data.reading);
  add_data_dir(command, data.data_dir);
  return option;
}

void add_data_dir(CLI::App& command, std::string& folder) {
  const OptionField& field = *option_field("data-dir");
  add_text(command, "--data-dir", folder, field.type, field.help)->group(field.group);
}

}  // namespace riemflow::app
