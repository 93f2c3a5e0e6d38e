#include "riemflow/io/bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "riemflow/core/error.hpp"
#include "riemflow/core/suggest.hpp"
#include "riemflow/io/unpack.hpp"

namespace riemflow::io {
namespace {

class FileBytes : public ByteSource {
 public:
  FileBytes(std::string path, int descriptor, std::optional<std::uint64_t> size)
      : path_(std::move(path)), descriptor_(descriptor), size_(size) {}
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes() override {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }

  std::size_t read(char* to, std::size_t most) override {
    for (;;) {
      const ssize_t n = ::read(descriptor_, to, most);
      if (n >= 0) {
        read_ += static_cast<std::uint64_t>(n);
        return static_cast<std::size_t>(n);
      }
      if (errno == EINTR) continue;
      throw Error(FilePlace{path_}, fmt::format("reading failed: {}", std::strerror(errno)),
                  "check the disk or the program that writes to it", Fault::no_input);
    }
  }
  std::optional<std::uint64_t> size() const override { return size_; }
  bool ready() const override {
    pollfd asked{descriptor_, POLLIN, 0};
    return size_ || ::poll(&asked, 1, 0) != 0;
  }
  double share_read() const override {
    return size_ ? std::min(1.0, static_cast<double>(read_) / static_cast<double>(*size_)) : 0;
  }

 private:
  std::string path_;
  int descriptor_;
  std::optional<std::uint64_t> size_;  // of a regular file
  std::uint64_t read_ = 0;
};

class MemoryBytes : public ByteSource {
 public:
  MemoryBytes(std::string_view bytes, std::size_t most_a_read)
      : rest_(bytes), most_(most_a_read), size_(bytes.size()) {}
  explicit MemoryBytes(std::string&& bytes)
      : owned_(std::move(bytes)), rest_(owned_), most_(SIZE_MAX), size_(owned_.size()) {}
  MemoryBytes(const MemoryBytes&) = delete;
  MemoryBytes& operator=(const MemoryBytes&) = delete;
  std::size_t read(char* to, std::size_t most) override {
    const std::size_t n = rest_.copy(to, std::min(most, most_));
    rest_.remove_prefix(n);
    return n;
  }
  std::optional<std::uint64_t> size() const override { return size_; }
  double share_read() const override {
    return size_ > 0 ? 1 - static_cast<double>(rest_.size()) / static_cast<double>(size_) : 1;
  }

 private:
  std::string owned_;
  std::string_view rest_;
  std::size_t most_;
  std::uint64_t size_;
};

/// What to do about a path that is not there: the file of the same folder whose name is nearest, if any is
/// near.
std::string advice_for_missing(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (names.size() < 10000) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view nearest = nearest_name(path.filename().string(), known);
  if (nearest.empty()) return "check the path; - reads standard input";
  return fmt::format("perhaps you meant {}?", (path.parent_path() / nearest).string());
}

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const std::string& path) {
  return unpacked(open_packed_bytes(path), path == "-" ? "<stdin>" : path);
}

std::unique_ptr<ByteSource> open_packed_bytes(const std::string& path) {
  if (path == "-") return std::make_unique<FileBytes>("<stdin>", STDIN_FILENO, std::nullopt);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    const int code = errno;
    throw Error(FilePlace{path}, fmt::format("cannot be opened: {}", std::strerror(code)),
                code == ENOENT   ? advice_for_missing(path)
                : code == EACCES ? "allow reading it, as with chmod +r"
                                 : "check the path; - reads standard input",
                Fault::no_input);
  }
  struct stat info {};
  if (::fstat(descriptor, &info) == 0 && S_ISDIR(info.st_mode)) {
    ::close(descriptor);
    throw Error(FilePlace{path}, "is a directory", "give one file of it", Fault::no_input);
  }
  std::optional<std::uint64_t> size;
  if (S_ISREG(info.st_mode) && info.st_size > 0) size = static_cast<std::uint64_t>(info.st_size);
  return std::make_unique<FileBytes>(path, descriptor, size);
}

std::unique_ptr<ByteSource> memory_bytes(std::string_view bytes, std::size_t most_a_read) {
  return std::make_unique<MemoryBytes>(bytes, most_a_read);
}

std::unique_ptr<ByteSource> owned_bytes(std::string bytes) {
  return std::make_unique<MemoryBytes>(std::move(bytes));
}

std::size_t HashedBytes::read(char* to, std::size_t most) {
  const std::size_t n = source_->read(to, most);
  hash_.update(std::string_view(to, n));
  return n;
}

std::string HashedBytes::sha256() {
  std::string rest(std::size_t{1} << 16, '\0');
  while (read(rest.data(), rest.size()) > 0) {
  }
  return hash_.hex();
}

Window::Window(std::unique_ptr<ByteSource> source, std::size_t capacity)
    : source_(std::make_shared<HashedBytes>(std::move(source))),
      capacity_(capacity),
      buffer_(std::make_unique_for_overwrite<char[]>(capacity + 1)) {
  buffer_[0] = 0;
}

bool Window::more() {
  if (complete_ || size() == capacity()) return false;
  if (first_ > 0) {
    std::memmove(buffer_.get(), begin(), size());
    last_ -= first_;
    first_ = 0;
  }
  const std::size_t n = source_->read(buffer_.get() + last_, capacity() - last_);
  last_ += n;
  buffer_[last_] = 0;
  complete_ = n == 0;
  return n > 0;
}

}  // namespace riemflow::io
