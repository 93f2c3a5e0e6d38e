#include "riemflow/io/output_guard.hpp"

#include <sys/stat.h>

#include "tests/io/reading.hpp"

namespace riemflow {
namespace {

const std::string kModelBytes =
    std::string("\x40\0\0\0\0\0\0\0", 8) + R"({"__metadata__":{"format":"riemflow-model"}})";

TEST(OutputGuard, KnowsFilesByTheirFirstBytes) {
  EXPECT_EQ(kind_of_bytes(kModelBytes), FileKind::model);
  EXPECT_EQ(kind_of_bytes(std::string("\x40\0\0\0\0\0\0\0", 8) + R"({"model.embed.weight":{}})"),
            FileKind::unknown);
  EXPECT_EQ(kind_of_bytes("lat,lon\n1,2\n"), FileKind::table);
  EXPECT_EQ(kind_of_bytes("\xef\xbb\xbf{\"iteration\":10}"), FileKind::json);
  EXPECT_EQ(kind_of_bytes(" \n<!doctype html>"), FileKind::page);
  EXPECT_EQ(kind_of_bytes("\x93NUMPY\x01"), FileKind::npy);
  EXPECT_EQ(kind_of_bytes("\x89PNG\r\n"), FileKind::png);
  EXPECT_EQ(kind_of_bytes("%PDF-1.4"), FileKind::pdf);
  EXPECT_EQ(kind_of_bytes("\x89HDF\r\n"), FileKind::netcdf);
  EXPECT_EQ(kind_of_bytes("CDF\x02"), FileKind::netcdf);
  EXPECT_EQ(kind_of_bytes(std::string("ELF\0\1\2", 6)), FileKind::unknown);
}

TEST(OutputGuard, KnowsFilesByTheirNames) {
  EXPECT_EQ(kind_of_name("a/points.csv"), FileKind::table);
  EXPECT_EQ(kind_of_name("POINTS.CSV"), FileKind::table);
  EXPECT_EQ(kind_of_name("table.md"), FileKind::table);
  EXPECT_EQ(kind_of_name("a.json"), FileKind::json);
  EXPECT_EQ(kind_of_name("log.jsonl"), FileKind::json);
  EXPECT_EQ(kind_of_name("report.html"), FileKind::page);
  EXPECT_EQ(kind_of_name("map.Svg"), FileKind::page);
  EXPECT_EQ(kind_of_name("map.png"), FileKind::png);
  EXPECT_EQ(kind_of_name("map.pdf"), FileKind::pdf);
  EXPECT_EQ(kind_of_name("a.npy"), FileKind::npy);
  EXPECT_EQ(kind_of_name("grid.nc"), FileKind::netcdf);
  EXPECT_EQ(kind_of_name("a.model"), FileKind::unknown);
  EXPECT_EQ(kind_of_name("csv"), FileKind::unknown);
}

/// The fault and the text of what is refused; 0 where all is well.
int fault_of(const std::vector<InputFile>& inputs, const std::vector<OutputFile>& outputs, bool force,
             std::string* text = nullptr) {
  try {
    require_safe(inputs, outputs, force);
  } catch (const Error& error) {
    if (text != nullptr) *text = error.what();
    return static_cast<int>(error.fault());
  }
  return 0;
}

TEST(OutputGuard, AnInputIsNeverWritten) {
  const TemporaryFile data("lat,lon\n1,2\n");
  const std::string folder = data.folder(), hard = folder + "/hard.csv", soft = folder + "/soft.csv",
                    dotted =
                        folder + "/../" + std::filesystem::path(folder).filename().string() + "/points.csv";
  std::filesystem::create_hard_link(data.path(), hard);
  std::filesystem::create_symlink("points.csv", soft);
  const std::vector<InputFile> inputs = {
      {"MODEL", folder + "/m.model"}, {"DATA", data.path()}, {"‹log›", ""}};
  for (const std::string& path : {data.path(), hard, soft, dotted})
    for (const bool force : {false, true}) {
      std::string text;
      EXPECT_EQ(fault_of(inputs, {{"-o", path, FileKind::table}}, force, &text), 2) << path;
      EXPECT_EQ(text, "-o " + path + " and DATA " + data.path() +
                          " are the same file, and what is in it would be lost; name another file to write");
    }
  EXPECT_EQ(fault_of(inputs, {{"-o", folder + "/new.csv", FileKind::table}}, false), 0);
  // "-" is what stands behind standard input.
  const int kept = ::dup(STDIN_FILENO);
  ASSERT_NE(std::freopen(data.path().c_str(), "r", stdin), nullptr);
  EXPECT_EQ(fault_of({{"DATA", "-"}}, {{"-o", data.path(), FileKind::table}}, true), 2);
  EXPECT_EQ(fault_of({{"DATA", "-"}}, {{"-o", folder + "/new.csv", FileKind::table}}, true), 0);
  ::dup2(kept, STDIN_FILENO);
  ::close(kept);
  EXPECT_EQ(fault_of({{"DATA", "/dev/null"}, {"DATA", "-"}}, {{"-o", "/dev/null", FileKind::table}}, false),
            0);
}

TEST(OutputGuard, TwoOutputsAreNotOneFile) {
  const TemporaryFile there("{}");
  const std::string folder = there.folder(), link = folder + "/link";
  std::filesystem::create_symlink(folder + "/new", link);
  for (const auto& [one, other] : {std::pair(folder + "/new", folder + "/new"),
                                   {folder + "/new", link},
                                   {folder + "/new", folder + "/./new"},
                                   {there.path(), there.path()}})
    EXPECT_EQ(fault_of({}, {{"-o", one, FileKind::json}, {"‹log›", other, FileKind::json}}, true), 2)
        << other;
  EXPECT_EQ(fault_of({},
                     {{"-o", folder + "/a", FileKind::model},
                      {"‹log›", folder + "/b", FileKind::json},
                      {"", "", FileKind::json},
                      {"", "", FileKind::json}},
                     false),
            0);
}

TEST(OutputGuard, AFileIsReplacedByItsOwnKind) {
  const TemporaryFile table("lat,lon\n1,2\n"), model(kModelBytes, "a.model"), empty("", "e.csv");
  const auto code = [](const TemporaryFile& file, FileKind kind, bool force = false) {
    return fault_of({}, {{"-o", file.path(), kind}}, force);
  };
  EXPECT_EQ(code(table, FileKind::table), 0);
  EXPECT_EQ(code(model, FileKind::model), 0);
  EXPECT_EQ(code(table, FileKind::model), 73);
  EXPECT_EQ(code(table, FileKind::json), 73);
  EXPECT_EQ(code(model, FileKind::table), 73);
  EXPECT_EQ(code(model, FileKind::unknown), 73);
  EXPECT_EQ(code(table, FileKind::unknown), 0);
  EXPECT_EQ(code(model, FileKind::table, true), 0);
  EXPECT_EQ(code(empty, FileKind::model), 0);
  std::string text;
  fault_of({}, {{"-o", table.path(), FileKind::model}}, false, &text);
  EXPECT_EQ(text, "-o " + table.path() +
                      " is there already, and is text, where a model is to be written; name "
                      "another file, or replace it with ‹force›");
}

}  // namespace
}  // namespace riemflow
