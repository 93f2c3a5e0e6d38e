#include "riemflow/io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

constexpr std::size_t kBuffer = 1 << 16;

const char* advice_for(int code) {
  switch (code) {
    case ENOENT:
    case ENOTDIR:
      return "create its directory first, or name one that exists";
    case EISDIR:
      return "name a file, not a directory";
    case EACCES:
    case EPERM:
    case EROFS:
      return "name a file that you may write, in a directory that you may write";
    case ENOSPC:
    case EDQUOT:
      return "free some space, or write to another disk";
    case EFBIG:
      return "raise the limit of file sizes (ulimit -f), or write less";
    case ENAMETOOLONG:
      return "give a shorter name";
    case ELOOP:
      return "name the file itself instead of the link";
    default:
      return "write to another place";
  }
}

[[noreturn]] void fail(const std::string& path, int code) {
  throw Error(fmt::format("cannot write {}: {}", path, std::generic_category().message(code)),
              advice_for(code), Fault::cannot_write)
      .at({path});
}

template <class Call>
auto retried(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;

  int get() const { return value_; }
  bool good() const { return value_ >= 0; }
  /// File systems such as NFS report a failed write only here. On Linux the descriptor is gone even if
  /// interrupted.
  void close(const std::string& path) {
    if (::close(std::exchange(value_, -1)) != 0 && errno != EINTR) fail(path, errno);
  }

 private:
  int value_;
};

/// Some file systems have no fsync; that is not a failed write.
void sync(int descriptor, const std::string& path) {
  if (retried([&] { return ::fsync(descriptor); }) != 0 && errno != EINVAL && errno != ENOTSUP)
    fail(path, errno);
}

/// The descriptor a path such as /dev/stdout names. Opening such a path instead would start over at the
/// beginning of the file that the output was redirected to.
std::optional<int> named_descriptor(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(prefix)) continue;
    int number = 0;
    const auto [end, code] = std::from_chars(path.data() + prefix.size(), path.data() + path.size(), number);
    if (code == std::errc() && end == path.data() + path.size() && number >= 0) return number;
  }
  return std::nullopt;
}

void write_directly(const std::string& path, Descriptor file, const std::function<void(Sink&)>& writer) {
  if (!file.good()) fail(path, errno);
  Sink sink(file.get(), path);
  writer(sink);
  sink.flush();
  file.close(path);
}

/// A new file, gone unless renamed. It has no name until then where the file system can do that, so that a
/// process that is killed leaves nothing behind; elsewhere a hidden one.
class Temporary {
 public:
  Temporary(std::filesystem::path directory, mode_t mode, const std::string& path)
      : directory_(std::move(directory)), descriptor_(create(mode, path)) {}
  ~Temporary() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  Descriptor& descriptor() { return descriptor_; }
  /// With a name of its own from here on, so that the descriptor may be closed.
  void give_name(const std::string& path) {
    if (!name_.empty()) return;
    const std::string link = link_to(descriptor_.get());
    take_name(path, [&](const char* name) {
      return ::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
    });
  }
  void rename_to(const std::filesystem::path& target, const std::string& path) {
    if (::rename(name_.c_str(), target.c_str()) != 0) fail(path, errno);
    name_.clear();
  }

 private:
  int create(mode_t mode, const std::string& path) {
    const int nameless =
        retried([&] { return ::open(directory_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode); });
    if (nameless >= 0) {
      if (::access(link_to(nameless).c_str(), F_OK) == 0) return nameless;
      ::close(nameless);  // without /proc it could never be named
    }
    int file = -1;
    take_name(path, [&](const char* name) {
      return file = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    });
    return file;
  }

  /// name_ = one that nobody has: call(name) makes the file and returns a negative number if it cannot.
  template <class Call>
  void take_name(const std::string& path, const Call& call) {
    static std::atomic<unsigned> counter{0};
    for (;;) {
      name_ = directory_ / fmt::format(".riemflow-{}-{}.tmp", ::getpid(), counter++);
      if (retried([&] { return call(name_.c_str()); }) >= 0) return;
      const int code = errno;
      name_.clear();
      if (code != EEXIST) fail(path, code);
    }
  }

  static std::string link_to(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

  std::filesystem::path directory_, name_;
  Descriptor descriptor_;
};

void replace(const std::string& path, const std::filesystem::path& target, const struct stat* old,
             const std::function<void(Sink&)>& writer) {
  const std::filesystem::path directory = target.has_parent_path() ? target.parent_path() : ".";
  if (old && ::access(target.c_str(), W_OK) != 0) fail(path, errno);
  Temporary temporary(directory, old ? 0600 : 0666, path);
  Descriptor& file = temporary.descriptor();
  if (old) {
    const bool kept = ::fchown(file.get(), old->st_uid, old->st_gid) == 0;
    static_cast<void>(kept);  // another owner can be kept by root alone
    if (::fchmod(file.get(), old->st_mode & 0777) != 0) fail(path, errno);
  }
  Sink sink(file.get(), path, true);
  writer(sink);
  sink.flush();
  sync(file.get(), path);
  temporary.give_name(path);
  file.close(path);
  temporary.rename_to(target, path);
  // A directory that may be written but not read cannot be synced; the file is whole all the same.
  Descriptor parent(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.good()) sync(parent.get(), path);
}

}  // namespace

std::filesystem::path behind_links(const std::string& path) {
  std::filesystem::path target = path;
  for (int links = 0; links < 40; ++links) {
    std::error_code code;
    const std::filesystem::path next = std::filesystem::read_symlink(target, code);
    if (code) return target;
    target = target.parent_path() / next;
  }
  fail(path, ELOOP);
}

Sink::Sink(int descriptor, std::string path, bool rewritable)
    : descriptor_(descriptor), path_(std::move(path)), rewritable_(rewritable) {
  buffer_.reserve(kBuffer);
}

void Sink::write(std::span<const std::byte> bytes) {
  if (buffer_.size() + bytes.size() > kBuffer) flush();
  if (bytes.size() > kBuffer)
    drain(bytes);
  else
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void Sink::flush() {
  drain(buffer_);
  buffer_.clear();
}

void Sink::overwrite(std::uint64_t offset, std::string_view text) {
  require(rewritable_, fmt::format("cannot write {}: it is not a regular file", path_),
          "name a file that can be written in any order", Fault::cannot_write);
  flush();
  while (!text.empty()) {
    const ssize_t written =
        retried([&] { return ::pwrite(descriptor_, text.data(), text.size(), static_cast<off_t>(offset)); });
    if (written <= 0) fail(path_, written < 0 ? errno : EIO);
    text.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

void Sink::drain(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = retried([&] { return ::write(descriptor_, bytes.data(), bytes.size()); });
    if (written <= 0) fail(path_, written < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void write_file_atomically(const std::string& path, const std::function<void(Sink&)>& writer) {
  if (const auto number = named_descriptor(path)) {
    if (*number == STDOUT_FILENO) std::fflush(stdout);
    return write_directly(path, Descriptor(::fcntl(*number, F_DUPFD_CLOEXEC, 0)), writer);
  }
  if (path.empty()) fail("a file without a name", ENOENT);
  if (path.back() == '/') fail(path, EISDIR);
  const std::filesystem::path target = behind_links(path);
  struct stat old;
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) fail(path, errno);
  if (exists && S_ISDIR(old.st_mode)) fail(path, EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {
    const int file = retried([&] { return ::open(target.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC); });
    return write_directly(path, Descriptor(file), writer);
  }
  replace(path, target, exists ? &old : nullptr, writer);
}

void write_file_atomically(const std::string& path, std::span<const std::byte> content) {
  write_file_atomically(path, [&](Sink& sink) { sink.write(content); });
}

void write_file_atomically(const std::string& path, std::string_view content) {
  write_file_atomically(path, std::as_bytes(std::span(content)));
}

}  // namespace riemflow
