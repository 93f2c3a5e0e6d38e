// Files that can and cannot be opened, and standard input.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "tests/io/reading.hpp"

namespace riemflow {
namespace {

Error opening(const std::string& path) {
  return error_from([&] { open_points(path, {}); });
}

TEST(Files, Reads) {
  const TemporaryFile file("lat,lon\n10,20\n");
  const ReadPoints data = read_points(file.path(), {});
  expect_place(data, 0, 10, 20);
  EXPECT_EQ(data.assumptions.path, file.path());
}

TEST(Files, MessagesBeginWithThePath) {
  const TemporaryFile file("lat,lon\n10,x\n");
  const Error e = error_from([&] { read_points(file.path(), {}); });
  EXPECT_EQ(std::string(e.what()).find(file.path() + ":2:4: longitude"), 0u) << e.what();
}

TEST(Files, MissingFile) {
  const TemporaryFile file("", "quakes.csv");
  const Error near = opening(file.folder() + "/quaks.csv");
  EXPECT_EQ(near.fault(), Fault::no_input);
  EXPECT_EQ(near.what(), file.folder() +
                             "/quaks.csv: cannot be opened: No such file or directory; perhaps you meant " +
                             file.path() + "?");
  EXPECT_EQ(opening(file.folder() + "/else").advice(), "check the path; - reads standard input");
  EXPECT_EQ(opening(file.folder() + "/no/such/folder").fault(), Fault::no_input);
  EXPECT_EQ(opening("").fault(), Fault::no_input);
}

TEST(Files, Directory) {
  const TemporaryFile file("");
  const Error e = opening(file.folder());
  EXPECT_EQ(e.fault(), Fault::no_input);
  EXPECT_EQ(e.what(), file.folder() + ": is a directory; give one file of it");
}

TEST(Files, NoPermission) {
  const TemporaryFile file("lat,lon\n10,20\n");
  ASSERT_EQ(::chmod(file.path().c_str(), 0), 0);
  const bool root = ::geteuid() == 0;  // root may read anything, so the test becomes nobody for a moment
  if (root && ::seteuid(65534) != 0) GTEST_SKIP() << "cannot give up the rights of root";
  const Error e = opening(file.path());
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  EXPECT_EQ(e.fault(), Fault::no_input);
  EXPECT_EQ(e.what(),
            file.path() + ": cannot be opened: Permission denied; allow reading it, as with chmod +r");
}

TEST(Files, EmptyFile) {
  for (const char* name : {"a.csv", "a.npy", "a.geojson"}) {
    const TemporaryFile file("", name);
    const Error e = error_from([&] { read_points(file.path(), {}); });
    EXPECT_EQ(e.fault(), Fault::bad_data);
    EXPECT_NE(std::string(e.what()).find("the file is empty"), std::string::npos) << e.what();
  }
}

TEST(Files, NamesDecideWhereContentDoesNot) {
  const TemporaryFile json("x", "a.GeoJSON"), npy("lat,lon\n1,2\n", "a.npy"),
      json_as_text("{\"type\":\"Point\",\"coordinates\":[2,1]}", "a.txt");
  EXPECT_NE(std::string(error_from([&] { read_points(json.path(), {}); }).what()).find("a value is expected"),
            std::string::npos);
  EXPECT_NE(std::string(error_from([&] { read_points(npy.path(), {}); }).what()).find("this is no NPY file"),
            std::string::npos);
  EXPECT_EQ(read_points(json_as_text.path(), {}).points.size(), 1u);
}

/// Standard input is the read end of a pipe into which `text` is written, for the time of f.
template <class F>
void with_standard_input(const std::string& text, F&& f) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const int kept = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  ::close(ends[0]);
  std::thread writer([&] {
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t n = ::write(ends[1], text.data() + done, std::min<std::size_t>(text.size() - done, 1000));
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    ::close(ends[1]);
  });
  f();
  writer.join();
  ::dup2(kept, STDIN_FILENO);
  ::close(kept);
}

TEST(Files, StandardInput) {
  std::string text = "lat,lon\n";
  for (int i = 0; i < 200000; ++i) text += "10,20\n";
  with_standard_input(text, [&] {
    const ReadPoints data = read_points("-", {});
    EXPECT_EQ(data.points.size(), 200000u);
    EXPECT_EQ(data.assumptions.path, "<stdin>");
  });
  with_standard_input("lat,lon\n1,x\n", [&] {
    const Error e = error_from([] { read_points("-", {}); });
    EXPECT_EQ(std::string(e.what()).find("<stdin>:2:3: longitude"), 0u);
  });
}

// Through a pipe the size is not known beforehand.
TEST(Files, CutOffNpyOnStandardInput) {
  const std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }\n";
  const std::string file = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' +
                           header + std::string(48, '\0');
  with_standard_input(file, [] { EXPECT_EQ(read_points("-", on("euclidean:2")).points.size(), 3u); });
  with_standard_input(file.substr(0, file.size() - 1), [] {
    const Error e = error_from([] { read_points("-", on("euclidean:2")); });
    EXPECT_STREQ(e.what(), "<stdin>: the file ends inside row 3 of 3; copy or save it again");
  });
  with_standard_input(file + "x", [] {
    const Error e = error_from([] { read_points("-", on("euclidean:2")); });
    EXPECT_STREQ(e.what(),
                 "<stdin>: more bytes follow the array than its header says; give a file with one array");
  });
}

}  // namespace
}  // namespace riemflow
