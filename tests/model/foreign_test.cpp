// Files of other kinds are known by their first bytes, and the message says what to do.

#include "tests/io/reading.hpp"

namespace riemflow {
namespace {

using namespace std::string_literals;

TEST(Foreign, KindsAreNamed) {
  const std::pair<std::string, const char*> cases[] = {
      {"BZh91AY&SY"s, "compressed with bzip2; unpack it first, as in bunzip2 -c"},
      {"\xfd\x37zXZ\0\0"s, "compressed with xz; unpack it first, as in xz -dc"},
      {"\x04\x22\x4d\x18\x64"s, "compressed with lz4; unpack it first, as in lz4 -dc"},
      {"PK\x03\x04\x14\0"s,
       "a zip archive, as NPZ and XLSX files are; unpack it, or save it from the spreadsheet"},
      {"PK\x05\x06"s + std::string(18, '\0'), "an empty zip archive"},
      {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"s, "an old Excel file; save it as CSV"},
      {"PAR1\x15\0"s, "a Parquet file; read it in Python, as in rf.read(pandas.read_parquet('FILE'))"},
      {"ARROW1\0\0\xff"s,
       "an Arrow file, also called Feather; read it in Python, as in "
       "rf.read(pandas.read_feather('FILE'))"},
      {"FEA1\0\0"s, "a Feather file; read it in Python"},
      {"\xff\xff\xff\xff\x10\0"s,
       "a stream of Arrow; read it in Python, as in rf.read(pyarrow.ipc.open_stream("},
      {"%PDF-1.7\n"s, "a PDF document"},
      {"\x7f\x45LF\x02\x01"s, "a program"},
      {"\x80\x04\x95\x10\0"s, "a Python pickle, which can run any code"},
      {"SQLite format 3\0"s, "an SQLite database"},
      {"\x89HDF\r\n"s, "an HDF5 or NetCDF file"},
      {"CDF\x01\0"s, "a NetCDF file"},
      {"\xff\xfel\0a\0t\0"s, "UTF-16 text; save it as UTF-8"},
      {"\xfe\xff\0l\0a\0t"s, "UTF-16 text; save it as UTF-8"},
      {"l\0a\0t\0,\0"s, "UTF-16 text; save it as UTF-8"},
      {"\0l\0a\0t\0,"s, "UTF-16 text; save it as UTF-8"},
      {"\xff\xfe\0\0l\0\0\0"s, "UTF-32 text; save it as UTF-8"},
      {"<!DOCTYPE html>\n<html>"s, "HTML or XML, perhaps a web page"},
      {"\xef\xbb\xbf <?xml version='1.0'?>\n<kml>"s, "HTML or XML, perhaps a web page"}};
  for (const auto& [bytes, what] : cases)
    EXPECT_NE(complaint(bytes).find(what), std::string::npos) << complaint(bytes);
}

TEST(Foreign, AModelInThePlaceOfData) {
  const std::string header = R"({"__metadata__":{"format":"riemflow-model"}})";
  for (const std::string& start : {"\x30\0\0\0\0\0\0\0"s, "l\0a\0\0\0\0\0"s})
    EXPECT_EQ(complaint(start + header),
              "f: the file is a model of riemflow; give the data here, and a model before them, as in "
              "riemflow score "
              "MODEL DATA");
  EXPECT_NE(complaint("\x30\0\0\0\0\0\0\0{\"a\":{}}"s).find("f: the file is a safetensors file; "),
            std::string::npos);
}

TEST(Foreign, SayingTheFormatDoesNotMakeItSo) {
  ReadOptions options;
  for (const char* format : {"csv", "tsv", "geojson"}) {
    options.format = format;
    EXPECT_NE(complaint("BZh91AY&SY"s, options).find("compressed with bzip2"), std::string::npos) << format;
  }
  options.format = "npy";
  EXPECT_NE(complaint("BZh91AY&SY"s, options).find("this is no NPY file"), std::string::npos);
  options.format = "csv";
  EXPECT_EQ(read_text("<lat>,<lon>\n10,20\n",
                      [&] {
                        options.columns = "1,2";
                        return options;
                      }())
                .points.size(),
            1u);
}

TEST(Foreign, BytesThatAreNoText) {
  std::string garbage;
  for (unsigned i = 0; i < 3000; ++i) garbage += static_cast<char>(i * 7919 % 255 + 1);
  EXPECT_NE(complaint(garbage).find(": this is not text; give CSV, TSV, NPY or GeoJSON"), std::string::npos)
      << complaint(garbage);
  EXPECT_EQ(complaint("a\x02,b\n1,2\n"),
            "f:1:2: byte '\\x02': this is not text; give CSV, TSV, NPY or GeoJSON");
  EXPECT_EQ(complaint("\n\"a\n\x1f\",b\n1,2\n"),
            "f:3:1: byte '\\x1f': this is not text; give CSV, TSV, NPY or GeoJSON");
  // Letters of other alphabets and encodings are.
  EXPECT_EQ(read_text("lat,lon,größe\n1,2,M\xfcnchen\n").points.size(), 1u);
}

}  // namespace
}  // namespace riemflow
