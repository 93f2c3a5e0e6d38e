// Memory does not grow with a file, whatever it holds or claims.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "riemflow/io/open_format.hpp"
#include "riemflow/io/unpacker.hpp"
#include "tests/io/reading.hpp"
#include "tests/sanitized.hpp"

namespace riemflow {
namespace {

using namespace std::string_literals;

constexpr std::size_t kMegabyte = 1 << 20;

/// `head`, then `size` times `filler`, then `tail`, of which nothing is held.
class Made : public io::ByteSource {
 public:
  Made(std::string head, std::size_t size, char filler, std::string tail, std::size_t& given)
      : head_(std::move(head)), tail_(std::move(tail)), size_(size), filler_(filler), given_(given) {}
  std::size_t read(char* to, std::size_t most) override {
    std::size_t n = 0;
    for (; n < most && place_ < head_.size() + size_ + tail_.size(); ++n, ++place_)
      to[n] = place_ < head_.size()           ? head_[place_]
              : place_ < head_.size() + size_ ? filler_
                                              : tail_[place_ - head_.size() - size_];
    given_ += n;
    return n;
  }

 private:
  std::string head_, tail_;
  std::size_t size_, place_ = 0;
  char filler_;
  std::size_t& given_;
};

std::string error_in_made(const std::string& head, std::size_t size, char filler, std::size_t& given,
                          const ReadOptions& options = {}) {
  given = 0;
  return error_from([&] {
           auto source = io::open_format(io::Window(std::make_unique<Made>(head, size, filler, "", given)),
                                         "f", options);
           Points<double> chunk;
           while (source->next(1000, chunk)) {
           }
         })
      .what();
}

/// Bytes by which f raises the most that a process of its own has held.
template <class F>
std::size_t growth(F&& f) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    std::size_t pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    f();
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto before = resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const auto most = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
    const std::size_t grown = most > before ? most - before : 0;
    ::_exit(::write(ends[1], &grown, sizeof grown) == sizeof grown ? 0 : 1);
  }
  ::close(ends[1]);  // so that a child that writes nothing is noticed
  std::size_t grown = SIZE_MAX;
  EXPECT_EQ(::read(ends[0], &grown, sizeof grown), static_cast<ssize_t>(sizeof grown));
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  ::close(ends[0]);
  return grown;
}

/// Of files of 30 megabytes and more. What AddressSanitizer keeps of memory that was given back is some of
/// it.
constexpr std::size_t kLittle = (kSanitized ? 20 : 10) * kMegabyte;

TEST(Memory, GrowthIsMeasured) {
  EXPECT_GT(growth([] {
              std::vector<char> held(40 * kMegabyte, 'x');
              volatile char used = held[held.size() / 2];
              static_cast<void>(used);
            }),
            30 * kMegabyte);
}

// A row has a megabyte at most; as much is read with it, and as much while it is looked at.
TEST(Memory, ALineWithoutEndIsNotReadToTheEnd) {
  std::size_t given = 0;
  ReadOptions options;
  options.threads = 2;
  EXPECT_NE(error_in_made("", 100 * kMegabyte, 'x', given, options)
                .find("f:1:1: no row ends within the first 1048576 bytes"),
            std::string::npos);
  EXPECT_LE(given, 3 * kMegabyte);
  EXPECT_NE(error_in_made("#", 100 * kMegabyte, 'x', given, options).find("f:1:1: no row ends within"),
            std::string::npos);
  EXPECT_LE(given, 3 * kMegabyte);
  EXPECT_NE(error_in_made("lat,lon\n1,2\n", 100 * kMegabyte, '9', given, options)
                .find("f:3:1: a row of more than 1048576 bytes"),
            std::string::npos);
  EXPECT_LE(given, 3 * kMegabyte);
  EXPECT_NE(error_in_made("lat,lon\n1,2\n\"", 100 * kMegabyte, '\n', given, options)
                .find("f:3:1: a row of more than"),
            std::string::npos);
  EXPECT_LE(given, 3 * kMegabyte);
  EXPECT_NE(
      error_in_made("lat,lon\n1,2\n", 100 * kMegabyte, ',', given, options).find("f:3:1: a row of more than"),
      std::string::npos);
  EXPECT_LE(given, 3 * kMegabyte);
}

TEST(Memory, LongTextInGeoJsonIsNotHeld) {
  EXPECT_LT(growth([] {
              std::size_t given = 0;
              auto source = io::open_format(
                  io::Window(std::make_unique<Made>(R"({"type":"Point","name":")", 30 * kMegabyte, 'x',
                                                    R"(","coordinates":[20,10]})", given)),
                  "f", {});
              Points<double> chunk;
              if (!source->next(10, chunk) || given < 30 * kMegabyte) ::_exit(2);
            }),
            kLittle);
}

TEST(Memory, ChunksOfALongFileAreNotHeld) {
  EXPECT_LT(growth([] {
              std::size_t given = 0, points = 0;
              auto source = io::open_format(
                  io::Window(std::make_unique<Made>("1\n1", 30 * kMegabyte, '\n', "3", given)), "f",
                  on("euclidean:1"));
              Points<double> chunk;
              while (source->next(10, chunk)) points += chunk.size();
              if (points != 3 || given < 30 * kMegabyte) ::_exit(2);
            }),
            kLittle);
}

TEST(Memory, WhatAPackedFileUnpacksToIsNotHeld) {
  if (io::gzip_unpacker() == nullptr) GTEST_SKIP() << "built without zlib";
  const TemporaryFile file("");
  ASSERT_EQ(std::system(("{ echo 1; yes '' | head -c 60000000; echo 3; } | gzip -1 >" + file.path()).c_str()),
            0);
  ASSERT_LT(std::filesystem::file_size(file.path()), kMegabyte);
  EXPECT_LT(growth([&] {
              const auto source = open_points(file.path(), on("euclidean:1"));
              Points<double> chunk;
              std::size_t points = 0;
              while (source->next(10, chunk)) points += chunk.size();
              if (points != 2) ::_exit(2);
            }),
            kLittle);
}

// From a pipe the size of a file cannot be compared with what the header claims.
TEST(Memory, AShapeThatIsNotThereIsNotAllocated) {
  for (const char* order : {"False", "True"}) {
    std::string header = "{'descr': '<f8', 'fortran_order': "s + order + ", 'shape': (1000000000000, 3), }\n";
    header = "\x93NUMPY\x01\0"s + static_cast<char>(header.size()) + '\0' + header;
    EXPECT_LT(growth([&] {
                std::size_t given = 0;
                const std::string what = error_in_made(header, 24, '\0', given, on("euclidean:3"));
                const bool said =
                    what.find("the file ends inside row") != what.npos ||
                    what.find("24 bytes of numbers follow the header, which says 24000000000000") !=
                        what.npos;
                if (!said) ::_exit(2);
              }),
              kLittle);
  }
}

}  // namespace
}  // namespace riemflow
