#include "riemflow/io/data_sets.hpp"

#include <cstdlib>
#include <filesystem>
#include <set>

#include "riemflow/io/duplicates.hpp"
#include "riemflow/io/embedded.hpp"
#include "riemflow/io/sha256.hpp"
#include "tests/io/reading.hpp"

namespace riemflow {
namespace {

std::filesystem::path shared_data() {
  if (const char* folder = std::getenv("RIEMFLOW_SHARED")) return std::filesystem::path(folder) / "data";
  return std::filesystem::path(RIEMFLOW_SOURCE_DIR) / "../shared/data";
}

TEST(DataSets, NamesAreUniqueAndNearOnesAreSuggested) {
  std::set<std::string_view> names;
  for (const KnownData& known : known_data_sets()) EXPECT_TRUE(names.insert(known.name).second);
  EXPECT_EQ(known_data_set("flood").file, "earth/flood.csv");
  const Error error = error_from([] { known_data_set("flod"); });
  EXPECT_EQ(error.fault(), Fault::usage);
  EXPECT_NE(std::string(error.what()).find("perhaps you meant 'flood'"), std::string::npos);
}

TEST(DataSets, WhatIsSaidOfTheEmbeddedOnesIsTrue) {
  for (const KnownData& known : known_data_sets()) {
    if (!known.embedded) continue;
    SCOPED_TRACE(known.name);
    const FoundData found = find_data_set(known.name, "/nowhere");
    EXPECT_EQ(sha256_hex(found.bytes), known.sha256);
    const ReadPoints data = read_all(*open_data(std::string(known.name), {}));
    EXPECT_EQ(data.assumptions.manifold, known.manifold);
    EXPECT_EQ(data.points.size(), known.rows);
    EXPECT_EQ(data.points.size() - count_duplicates(data), known.distinct);
    EXPECT_TRUE(data.assumptions.warnings.empty());
  }
}

TEST(DataSets, WhatIsSaidOfThePapersIsTrue) {
  if (!std::filesystem::is_directory(shared_data())) GTEST_SKIP() << shared_data() << " is not there";
  for (const KnownData& known : known_data_sets()) {
    if (known.embedded) continue;
    SCOPED_TRACE(known.name);
    const FoundData found = find_data_set(known.name, shared_data().string());
    EXPECT_EQ(found.other_hash(), std::nullopt);
    const ReadPoints data = read_all(*open_data(std::string(known.name), {}, shared_data().string()));
    EXPECT_EQ(data.assumptions.manifold, known.manifold);
    EXPECT_EQ(data.points.size(), known.rows);
    EXPECT_EQ(data.points.size() - count_duplicates(data), known.distinct);
    EXPECT_TRUE(data.assumptions.warnings.empty());
  }
}

TEST(DataSets, AnAbsentOneSaysWhereToGetIt) {
  EXPECT_FALSE(look_for_data_set("volcano", "/nowhere"));
  const Error error = error_from([] { open_data("volcano", {}, "/nowhere"); });
  EXPECT_EQ(error.fault(), Fault::no_input);
  for (const char* part : {"/nowhere/earth/volcano.csv", "github.com", "‹data-dir›", "RIEMFLOW_DATA"})
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
}

TEST(DataSets, AChangedOneIsReadWithAWarning) {
  const TemporaryFile file("lat,lon\n1,2\n", "unused.csv");
  const std::filesystem::path folder = file.folder();
  std::filesystem::create_directory(folder / "earth");
  std::filesystem::copy(file.path(), folder / "earth" / "flood.csv");
  ::setenv("RIEMFLOW_DATA", folder.c_str(), 1);
  const auto source = open_data("flood", {});
  ::unsetenv("RIEMFLOW_DATA");
  ASSERT_FALSE(source->assumptions().warnings.empty());
  EXPECT_NE(source->assumptions().warnings.back().find("not the flood set"), std::string::npos);
  EXPECT_EQ(read_all(*source).points.size(), 1u);
}

TEST(DataSets, AFileWinsAndNearNamesAreSuggested) {
  const TemporaryFile file("lat,lon\n1,2\n", "earthquakes");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(file.folder());
  const std::size_t points = read_all(*open_data("earthquakes", {})).points.size();
  std::filesystem::current_path(before);
  EXPECT_EQ(points, 1u);

  const Error near = error_from([] { open_data("torsion", {}); });
  EXPECT_EQ(near.fault(), Fault::no_input);
  EXPECT_NE(std::string(near.what()).find("perhaps you meant 'torsions'"), std::string::npos);
  const Error far = error_from([] { open_data("/no/such/file.csv", {}); });
  EXPECT_EQ(far.fault(), Fault::no_input);
  EXPECT_NE(std::string(far.what()).find("/no/such/file.csv: cannot be opened"), std::string::npos);
}

TEST(DataSets, WhatTheUserSaysGoesBeforeWhatTheSetSays) {
  ReadOptions options;
  options.columns = "psi_deg,phi_deg";
  const ReadPoints swapped = read_all(*open_data("torsions", options)),
                   plain = read_all(*open_data("torsions", {}));
  EXPECT_EQ(swapped.points[0][0], plain.points[0][1]);
  EXPECT_EQ(error_from([] { open_data("earthquakes", on("torus:2")); }).fault(), Fault::bad_data);
  EXPECT_EQ(open_data("earthquakes", columns("latitude,longitude", "torus:2"))->assumptions().manifold,
            "torus:2");
  EXPECT_EQ(open_data("earthquakes", on("sphere:2,K=1"))->assumptions().columns.size(), 2u);
}

}  // namespace
}  // namespace riemflow
