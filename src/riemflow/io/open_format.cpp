#include "riemflow/io/open_format.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "riemflow/core/error.hpp"
#include "riemflow/core/suggest.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/unpack.hpp"

namespace riemflow::io {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t kLook = 4096;
constexpr std::string_view kFormats[] = {"csv", "tsv", "npy", "geojson"};

constexpr std::string_view kUtf8 = "save it as UTF-8, as with iconv -f UTF-16 -t UTF-8";

constexpr std::string_view kThroughParquet =
    "read it in Python, as in rf.read(pandas.read_parquet('FILE')), or save it there as CSV, as in "
    "pandas.read_parquet('FILE').to_csv('FILE.csv.gz')";
constexpr std::string_view kThroughFeather =
    "read it in Python, as in rf.read(pandas.read_feather('FILE')), or save it there as CSV, as in "
    "pandas.read_feather('FILE').to_csv('FILE.csv.gz')";

struct Foreign {
  std::string_view magic, what, advice;
};
constexpr Foreign kForeign[] = {
    {"\x1f\x8b"sv, "compressed more than once", "unpack it, as in gunzip -c FILE | riemflow … -"},
    {"\x28\xb5\x2f\xfd"sv, "compressed more than once", "unpack it, as in zstd -dc FILE | riemflow … -"},
    {"BZh"sv, "compressed with bzip2",
     "unpack it first, as in bunzip2 -c FILE | riemflow … -; .gz and .zst are read as they are"},
    {"\xfd\x37zXZ"sv, "compressed with xz",
     "unpack it first, as in xz -dc FILE | riemflow … -; .gz and .zst are read as they are"},
    {"\x04\x22\x4d\x18"sv, "compressed with lz4",
     "unpack it first, as in lz4 -dc FILE | riemflow … -; .gz and .zst are read as they are"},
    {"PK\x03\x04"sv, "a zip archive, as NPZ and XLSX files are",
     "unpack it, or save it from the spreadsheet as CSV, or with numpy.save as NPY; .gz and .zst are read as "
     "they are"},
    {"PK\x05\x06"sv, "an empty zip archive", "give CSV, TSV, NPY or GeoJSON"},
    {"\xd0\xcf\x11\xe0"sv, "an old Excel file", "save it as CSV"},
    {"PAR1"sv, "a Parquet file", kThroughParquet},
    {"PARE"sv, "an encrypted Parquet file", kThroughParquet},
    {"ARROW1\0\0"sv, "an Arrow file, also called Feather", kThroughFeather},
    {"FEA1"sv, "a Feather file", kThroughFeather},
    {"\xff\xff\xff\xff"sv, "a stream of Arrow",
     "read it in Python, as in rf.read(pyarrow.ipc.open_stream('FILE').read_pandas()), or save the columns "
     "as "
     "CSV"},
    {"%PDF"sv, "a PDF document", "give the table itself as CSV"},
    {"\x7f\x45LF"sv, "a program", "give CSV, TSV, NPY or GeoJSON"},
    {"\x80\x02"sv, "a Python pickle, which can run any code when it is loaded", "save it with numpy.save"},
    {"\x80\x03"sv, "a Python pickle, which can run any code when it is loaded", "save it with numpy.save"},
    {"\x80\x04"sv, "a Python pickle, which can run any code when it is loaded", "save it with numpy.save"},
    {"\x80\x05"sv, "a Python pickle, which can run any code when it is loaded", "save it with numpy.save"},
    {"SQLite format 3"sv, "an SQLite database", "export the columns as CSV"},
    {"\x89HDF"sv, "an HDF5 or NetCDF file", "save the columns as CSV or NPY"},
    {"CDF\x01"sv, "a NetCDF file", "save the columns as CSV or NPY"},
    {"CDF\x02"sv, "a NetCDF file", "save the columns as CSV or NPY"},
    {"\xff\xfe\0\0"sv, "UTF-32 text", "save it as UTF-8"},
    {"\0\0\xfe\xff"sv, "UTF-32 text", "save it as UTF-8"},
    {"\xff\xfe"sv, "UTF-16 text", kUtf8},
    {"\xfe\xff"sv, "UTF-16 text", kUtf8}};

[[noreturn]] void fail_foreign(const std::string& path, std::string_view what, std::string_view advice) {
  throw Error(fmt::format("{}: the file is {}", path, what), std::string(advice), Fault::bad_data);
}

/// Letters of ASCII with a zero before or after each: UTF-16 without a mark.
bool is_unmarked_utf16(std::string_view text) {
  if (text.size() < 4) return false;
  const auto is_letter = [&](std::size_t i) { return text[i] > 0; };
  const auto is_zero = [&](std::size_t i) { return text[i] == 0; };
  return (is_letter(0) && is_zero(1) && is_letter(2) && is_zero(3)) ||
         (is_zero(0) && is_letter(1) && is_zero(2) && is_letter(3));
}

/// A length of eight bytes, little-endian, then JSON: io/safetensors.hpp.
bool is_safetensors(std::string_view text) {
  return text.size() > 8 && text[8] == '{' && text.substr(4, 4) == "\0\0\0\0"sv;
}

/// Throws if the file is known to be something else.
void refuse_foreign(std::string_view text, const std::string& path) {
  if (is_safetensors(text))
    fail_foreign(path,
                 text.find("\"riemflow-model\"") == text.npos ? "a safetensors file" : "a model of riemflow",
                 "give the data here, and a model before them, as in riemflow score MODEL DATA");
  for (const Foreign& foreign : kForeign)
    if (text.starts_with(foreign.magic)) fail_foreign(path, foreign.what, foreign.advice);
  if (is_unmarked_utf16(text)) fail_foreign(path, "UTF-16 text", kUtf8);
}

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
    window.fill(kLook);
    if (options.format != "npy") refuse_foreign({window.begin(), window.size()}, path);
    return options.format == "tsv" ? "csv" : options.format;
  }
  window.fill(kLook);
  std::string_view text(window.begin(), window.size());
  if (text.starts_with("\x93NUMPY")) return "npy";
  refuse_foreign(text, path);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const std::size_t visible = text.find_first_not_of(" \t\r\n");
  if (visible != text.npos && text[visible] == '{') return "geojson";
  if (visible != text.npos && text[visible] == '<')
    fail_foreign(
        path, "HTML or XML, perhaps a web page about an error",
        "download the data themselves; save KML or GPX as GeoJSON or CSV; ‹format› csv reads it as text");
  const std::string name = lower(unpacked_name(path));
  if (name.ends_with(".npy")) return "npy";
  if (name.ends_with(".geojson") || name.ends_with(".json")) return "geojson";
  return "csv";
}

std::unique_ptr<PointSource> open_format(Window window, const std::string& path, const ReadOptions& options) {
  const std::shared_ptr<HashedBytes> bytes = window.source();
  try {
    const std::string format = format_of(window, path, options);
    auto source = format == "npy"       ? open_npy(std::move(window), path, options)
                  : format == "geojson" ? open_geojson(std::move(window), path, options)
                                        : open_csv(std::move(window), path, options);
    source->bytes_ = bytes;
    return source;
  } catch (const Error&) {
    bytes->require_whole();
    throw;
  }
}

}  // namespace riemflow::io
