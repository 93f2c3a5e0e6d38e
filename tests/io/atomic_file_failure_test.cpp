#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>

#include "riemflow/core/error.hpp"
#include "riemflow/io/atomic_file.hpp"

namespace riemflow {
namespace {

namespace fs = std::filesystem;

class AtomicFileFailure : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "riemflow-failure-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory = pattern;
    fs::permissions(directory, fs::perms(0777));
    file = (directory / "model").string();
  }
  void TearDown() override { fs::remove_all(directory); }

  static std::string content(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  /// The message of the failure that writing to `path` must be.
  static std::string failure(const std::string& path, const std::string& text = "new") {
    try {
      write_file_atomically(path, text);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::cannot_write);
      EXPECT_FALSE(error.advice().empty());
      return error.what();
    }
    ADD_FAILURE() << path << " could be written";
    return "";
  }

  /// The text of `question` asked by a process that is not root.
  static std::string as_nobody(const std::function<std::string()>& question) {
    int pipe[2];
    EXPECT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const bool changed = ::getuid() != 0 || (::setgid(65534) == 0 && ::setuid(65534) == 0);
      const std::string answer = changed ? question() : "still root";
      ::_exit(::write(pipe[1], answer.data(), answer.size()) < 0 ? 1 : 0);
    }
    ::close(pipe[1]);
    std::string answer(4096, '\0');
    answer.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(pipe[0], answer.data(), 4096))));
    ::close(pipe[0]);
    ::waitpid(child, nullptr, 0);
    return answer;
  }

  /// The directory holds nothing but the file `name`, with this content.
  void expect_only(const std::string& name, const std::string& text) {
    for (const auto& entry : fs::directory_iterator(directory)) EXPECT_EQ(entry.path().filename(), name);
    EXPECT_EQ(content(directory / name), text);
  }

  fs::path directory;
  std::string file;
};

TEST_F(AtomicFileFailure, PlacesThatCannotBeFiles) {
  write_file_atomically(file, "old");
  EXPECT_EQ(failure(directory),
            "cannot write " + directory.string() + ": Is a directory; name a file, not a directory");
  EXPECT_NE(failure(directory.string() + "/").find("Is a directory"), std::string::npos);
  EXPECT_EQ(failure((directory / "missing" / "x").string()),
            "cannot write " + (directory / "missing" / "x").string() +
                ": No such file or directory; create its directory first, or name one that exists");
  EXPECT_NE(failure(file + "/x").find("Not a directory"), std::string::npos);
  EXPECT_NE(failure("").find("No such file"), std::string::npos);
  EXPECT_NE(failure((directory / std::string(300, 'n')).string()).find("File name too long"),
            std::string::npos);
  expect_only("model", "old");
}

TEST_F(AtomicFileFailure, LinksInACircle) {
  fs::create_symlink("b", directory / "a");
  fs::create_symlink("a", directory / "b");
  EXPECT_NE(failure((directory / "a").string()).find("symbolic links"), std::string::npos);
}

TEST_F(AtomicFileFailure, FullDevice) {
  EXPECT_EQ(failure("/dev/full"),
            "cannot write /dev/full: No space left on device; free some space, or write to another disk");
  EXPECT_NE(failure("/dev/full", std::string(1 << 20, 'x')).find("No space left"), std::string::npos);
}

TEST_F(AtomicFileFailure, SizeLimit) {
  write_file_atomically(file, "old");
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  for (const std::size_t size : {5000u, 70000u, 1u << 20}) {
    rlimit tiny = before;
    tiny.rlim_cur = 4096;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tiny), 0);
    std::string message;
    try {
      write_file_atomically(file, std::string(size, 'x'));
    } catch (const Error& error) {
      message = error.what();
    }
    ::setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(message, "cannot write " + file +
                           ": File too large; raise the limit of file sizes (ulimit -f), or write less");
    expect_only("model", "old");
  }
  std::signal(SIGXFSZ, handler);
}

TEST_F(AtomicFileFailure, FullDisk) {
  if (::mount("tmpfs", directory.c_str(), "tmpfs", 0, "size=64k") != 0)
    GTEST_SKIP() << "a tmpfs cannot be mounted here";
  const std::shared_ptr<void> unmount(nullptr, [&](void*) { ::umount2(directory.c_str(), MNT_DETACH); });
  write_file_atomically(file, std::string(20000, 'o'));
  EXPECT_NE(failure(file, std::string(200000, 'n')).find("No space left on device"), std::string::npos);
  expect_only("model", std::string(20000, 'o'));
  write_file_atomically(file, std::string(20000, 'p'));  // the room is back
  expect_only("model", std::string(20000, 'p'));
}

TEST_F(AtomicFileFailure, NoPermission) {
  write_file_atomically(file, "old");
  const auto attempt = [&] { return failure(file); };
  fs::permissions(directory, fs::perms(0555));
  fs::permissions(file, fs::perms(0666));
  EXPECT_EQ(as_nobody(attempt),
            "cannot write " + file +
                ": Permission denied; name a file that you may write, in a directory that "
                "you may write");
  expect_only("model", "old");
  // A file that its owner made read-only is not replaced behind his back.
  fs::permissions(directory, fs::perms(0777));
  fs::permissions(file, fs::perms(0444));
  EXPECT_NE(as_nobody(attempt).find("Permission denied"), std::string::npos);
  expect_only("model", "old");
  fs::permissions(file, fs::perms(0666));
  EXPECT_EQ(as_nobody([&] {
              write_file_atomically(file, "new");
              return std::string("written");
            }),
            "written");
  expect_only("model", "new");
}

}  // namespace
}  // namespace riemflow
