#include "riemflow/io/atomic_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

namespace fs = std::filesystem;

class AtomicFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "riemflow-atomic-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory = pattern;
    file = (directory / "result.csv").string();
  }
  void TearDown() override { fs::remove_all(directory); }

  static std::string content(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), {}));
  }

  fs::path directory;
  std::string file;
};

TEST_F(AtomicFile, HoldsWhatWasWritten) {
  write_file_atomically(file, "first");
  EXPECT_EQ(content(file), "first");
  write_file_atomically(file, "");
  EXPECT_EQ(content(file), "");
  // Pieces below, at and above the buffer, in order.
  std::string expected;
  write_file_atomically(file, [&](Sink& sink) {
    for (std::size_t n : {1u, 65535u, 65536u, 1u, 65537u, 200000u, 3u}) {
      const std::string piece(n, static_cast<char>('a' + expected.size() % 26));
      sink.write(piece);
      expected += piece;
    }
  });
  EXPECT_TRUE(content(file) == expected);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(AtomicFile, AHeaderCanBeWrittenLast) {
  const std::string rest(70000, 'x');
  write_file_atomically(file, [&](Sink& sink) {
    EXPECT_TRUE(sink.rewritable());
    sink.write("????:");
    sink.write(rest);
    sink.overwrite(0, "1234");
    sink.write("end");  // goes on at the end
    sink.overwrite(5 + rest.size(), "E");
  });
  EXPECT_TRUE(content(file) == "1234:" + rest + "End");
  try {
    write_file_atomically("/dev/null", [](Sink& sink) {
      EXPECT_FALSE(sink.rewritable());
      sink.write("????");
      sink.overwrite(0, "1");
    });
    ADD_FAILURE() << "a device was rewritten";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::cannot_write);
  }
}

TEST_F(AtomicFile, TheOldContentStaysUntilTheNewIsWhole) {
  write_file_atomically(file, "old");
  write_file_atomically(file, [&](Sink& sink) {
    sink.write(std::string(100000, 'x'));
    sink.flush();
    EXPECT_EQ(content(file), "old");
    EXPECT_LE(entries(), 2u);
    for (const auto& entry : fs::directory_iterator(directory))
      EXPECT_TRUE(entry.path() == file || entry.path().filename().string().starts_with("."));
  });
  EXPECT_EQ(content(file).size(), 100000u);
}

// Where the file system knows files without a name, as those of Linux do.
TEST_F(AtomicFile, AKilledWriterLeavesNothing) {
  const int probe = ::open(directory.c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (probe < 0) GTEST_SKIP() << "no nameless files here";
  ::close(probe);
  write_file_atomically(file, "old");
  const pid_t child = ::fork();
  if (child == 0) {
    write_file_atomically(file, [](Sink& sink) {
      sink.write(std::string(100000, 'x'));
      sink.flush();
      ::kill(::getpid(), SIGKILL);
    });
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(content(file), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(AtomicFile, AWriterThatThrowsLeavesNothing) {
  write_file_atomically(file, "old");
  const auto broken = [](Sink& sink) {
    sink.write(std::string(100000, 'x'));
    throw std::logic_error("no more");
  };
  EXPECT_THROW(write_file_atomically(file, broken), std::logic_error);
  EXPECT_EQ(content(file), "old");
  EXPECT_THROW(write_file_atomically((directory / "new").string(), broken), std::logic_error);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(AtomicFile, ALinkStaysALink) {
  fs::create_directory(directory / "there");
  fs::create_symlink("there/real", directory / "link");
  fs::create_symlink("link", directory / "outer");
  write_file_atomically((directory / "outer").string(), "new");  // the link dangles
  EXPECT_EQ(content(directory / "there" / "real"), "new");
  write_file_atomically((directory / "outer").string(), "newer");
  EXPECT_TRUE(fs::is_symlink(directory / "link") && fs::is_symlink(directory / "outer"));
  EXPECT_FALSE(fs::is_symlink(directory / "there" / "real"));
  EXPECT_EQ(content(directory / "there" / "real"), "newer");
}

TEST_F(AtomicFile, PermissionsAreKept) {
  const mode_t before = ::umask(027);
  write_file_atomically(file, "new");
  ::umask(before);
  struct stat status;
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  for (const mode_t mode : {0600u, 0604u, 0777u}) {
    ::chmod(file.c_str(), mode);
    write_file_atomically(file, "newer");
    ASSERT_EQ(::stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, mode);
  }
}

TEST_F(AtomicFile, LongAndRelativeNames) {
  const std::string longest = (directory / std::string(255, 'n')).string();
  write_file_atomically(longest, "long");
  EXPECT_EQ(content(longest), "long");
  const fs::path before = fs::current_path();
  fs::current_path(directory);
  write_file_atomically("plain", "relative");
  fs::current_path(before);
  EXPECT_EQ(content(directory / "plain"), "relative");
}

TEST_F(AtomicFile, AFifoIsWrittenDirectly) {
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = content(file); });
  write_file_atomically(file, std::string(100000, 'f'));
  reader.join();
  EXPECT_EQ(read, std::string(100000, 'f'));
  EXPECT_TRUE(fs::is_fifo(file));
  EXPECT_EQ(entries(), 1u);
}

// As after `>> log`: what is in the file, and what follows, stays.
TEST_F(AtomicFile, ADescriptorByNameIsContinued) {
  const int log = ::open(file.c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(::write(log, "before ", 7), 7);
  write_file_atomically("/dev/fd/" + std::to_string(log), "middle ");
  ASSERT_EQ(::write(log, "after", 5), 5);
  ::close(log);
  EXPECT_EQ(content(file), "before middle after");
  EXPECT_THROW(write_file_atomically("/dev/fd/" + std::to_string(log), "closed"), Error);
}

TEST_F(AtomicFile, StandardOutputIsWrittenDirectly) {
  ::testing::internal::CaptureStdout();
  std::printf("printed before ");
  write_file_atomically("/dev/stdout", "written");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "printed before written");
}

}  // namespace
}  // namespace riemflow
