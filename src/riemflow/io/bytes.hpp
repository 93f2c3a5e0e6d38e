#pragma once
// Bytes of a file, of standard input or of memory, and the window through which readers see them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "riemflow/io/sha256.hpp"

namespace riemflow::io {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Bytes written to `to`, at most `most`; 0 at the end only.
  virtual std::size_t read(char* to, std::size_t most) = 0;
  /// All bytes, where that is known before reading.
  virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
};

/// "-" is standard input. Throws Error (no_input) if it cannot be opened.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);

/// `bytes` must outlive the source; a read gives at most `most_a_read`.
std::unique_ptr<ByteSource> memory_bytes(std::string_view bytes, std::size_t most_a_read = SIZE_MAX);

std::unique_ptr<ByteSource> owned_bytes(std::string bytes);

/// Hashes what passes: a pipe can be read only once, and a file may change between two readings.
class HashedBytes : public ByteSource {
 public:
  explicit HashedBytes(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}
  std::size_t read(char* to, std::size_t most) override;
  std::optional<std::uint64_t> size() const override { return source_->size(); }
  /// Of all bytes; reads those that are left.
  std::string sha256();

 private:
  std::unique_ptr<ByteSource> source_;
  Sha256 hash_;
};

/// A sliding part of a source, contiguous, of at most `capacity` bytes.
class Window {
 public:
  static constexpr std::size_t kCapacity = std::size_t{1} << 20;

  explicit Window(std::unique_ptr<ByteSource> source, std::size_t capacity = kCapacity);

  const char* begin() const { return buffer_.data() + first_; }
  /// A zero byte stands here.
  const char* end() const { return buffer_.data() + last_; }
  std::size_t size() const { return last_ - first_; }
  std::size_t capacity() const { return buffer_.size() - 1; }
  /// No byte follows those in the window.
  bool complete() const { return complete_; }
  /// Bytes of the source before begin().
  std::uint64_t offset() const { return offset_; }
  std::optional<std::uint64_t> source_size() const { return source_->size(); }
  const std::shared_ptr<HashedBytes>& source() const { return source_; }

  /// The window begins at `position`, a place in it.
  void advance(const char* position) {
    offset_ += static_cast<std::uint64_t>(position - begin());
    first_ = static_cast<std::size_t>(position - buffer_.data());
  }
  /// Appends what one read gives; pointers into the window die. False if it is full or complete.
  bool more();
  /// Reads until at least `bytes` are in the window, or all that fit or are left.
  void fill(std::size_t bytes) {
    while (size() < bytes && more()) {
    }
  }

 private:
  std::shared_ptr<HashedBytes> source_;
  std::vector<char> buffer_;  // one more than the capacity, for the zero
  std::size_t first_ = 0, last_ = 0;
  std::uint64_t offset_ = 0;
  bool complete_ = false;
};

}  // namespace riemflow::io
