#include "riemflow/io/open_format.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "riemflow/core/error.hpp"
#include "riemflow/core/suggest.hpp"
#include "riemflow/io/message.hpp"

namespace riemflow::io {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t kLook = 4096;
constexpr std::string_view kFormats[] = {"csv", "tsv", "npy", "geojson"};

struct Foreign {
  std::string_view magic, what, advice;
};
constexpr Foreign kForeign[] = {
    {"\x1f\x8b"sv, "compressed with gzip", "unpack it first, as in gunzip -c FILE | riemflow … -"},
    {"PK\x03\x04"sv, "a zip archive, as NPZ and XLSX files are", "unpack it, or save it as CSV or NPY"},
    {"\x89HDF"sv, "an HDF5 or NetCDF file", "save the columns as CSV or NPY"},
    {"CDF\x01"sv, "a NetCDF file", "save the columns as CSV or NPY"},
    {"CDF\x02"sv, "a NetCDF file", "save the columns as CSV or NPY"},
    {"\xff\xfe"sv, "UTF-16 text", "save it as UTF-8"},
    {"\xfe\xff"sv, "UTF-16 text", "save it as UTF-8"}};

}  // namespace

std::string format_of(Window& window, const std::string& path, const ReadOptions& options) {
  if (!options.format.empty()) {
    const bool known =
        std::find(std::begin(kFormats), std::end(kFormats), options.format) != std::end(kFormats);
    const std::string_view nearest = nearest_name(options.format, kFormats);
    require(known, fmt::format("unknown format {}", in_quotes(options.format)),
            nearest.empty()
                ? "the formats are csv, tsv, npy and geojson"
                : fmt::format("perhaps you meant {}? the formats are csv, tsv, npy and geojson", nearest),
            Fault::usage);
    return options.format == "tsv" ? "csv" : options.format;
  }
  window.fill(kLook);
  std::string_view text(window.begin(), window.size());
  if (text.starts_with("\x93NUMPY")) return "npy";
  for (const Foreign& foreign : kForeign)
    if (text.starts_with(foreign.magic))
      throw Error(fmt::format("{}: the file is {}", path, foreign.what), std::string(foreign.advice),
                  Fault::bad_data);

  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const std::size_t visible = text.find_first_not_of(" \t\r\n");
  if (visible != text.npos && text[visible] == '{') return "geojson";
  const std::string name = lower(path);
  if (name.ends_with(".npy")) return "npy";
  if (name.ends_with(".geojson") || name.ends_with(".json")) return "geojson";
  return "csv";
}

std::unique_ptr<PointSource> open_format(Window window, const std::string& path, const ReadOptions& options) {
  const std::string format = format_of(window, path, options);
  if (format == "npy") return open_npy(std::move(window), path, options);
  if (format == "geojson") return open_geojson(std::move(window), path, options);
  return open_csv(std::move(window), path, options);
}

}  // namespace riemflow::io
