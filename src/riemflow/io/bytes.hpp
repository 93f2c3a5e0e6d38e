#pragma once
// Bytes of a file, of standard input or of memory, unpacked where they are packed (io/unpack.hpp), and the
// window through which readers see them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "riemflow/io/sha256.hpp"

namespace riemflow::io {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Bytes written to `to`, at most `most`; 0 at the end only.
  virtual std::size_t read(char* to, std::size_t most) = 0;
  /// All bytes, where that is known before reading.
  virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
  /// A read does not have to wait for another program.
  virtual bool ready() const { return true; }
  /// For when the bytes make no sense. Throws Error where it is known, or becomes known by reading on for a
  /// few seconds at most and without waiting, that packed bytes are damaged.
  virtual void require_whole() {}
  /// What share of a file has been read, of one that is packed as it is packed; 0 where that is not known.
  virtual double share_read() const { return 0; }
};

/// "-" is standard input. Throws Error (no_input) if it cannot be opened.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);

/// As the file has them, packed or not.
std::unique_ptr<ByteSource> open_packed_bytes(const std::string& path);

/// As they are; `bytes` must outlive the source; a read gives at most `most_a_read`.
std::unique_ptr<ByteSource> memory_bytes(std::string_view bytes, std::size_t most_a_read = SIZE_MAX);

std::unique_ptr<ByteSource> owned_bytes(std::string bytes);

/// Hashes what passes: a pipe can be read only once, and a file may change between two readings.
class HashedBytes : public ByteSource {
 public:
  explicit HashedBytes(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}
  std::size_t read(char* to, std::size_t most) override;
  std::optional<std::uint64_t> size() const override { return source_->size(); }
  bool ready() const override { return source_->ready(); }
  void require_whole() override { source_->require_whole(); }
  double share_read() const override { return source_->share_read(); }
  /// Of all bytes; reads those that are left.
  std::string sha256();

  /// read() in two halves, of which one thread may do the first while another does the second of what was
  /// read before: the bytes, and their part in the hash, in the order in which they were read.
  std::size_t read_unhashed(char* to, std::size_t most) { return source_->read(to, most); }
  void hash(std::string_view bytes) { hash_.update(bytes); }

 private:
  std::unique_ptr<ByteSource> source_;
  Sha256 hash_;
};

/// A sliding part of a source, contiguous, of at most `capacity` bytes.
class Window {
 public:
  static constexpr std::size_t kCapacity = std::size_t{1} << 20;

  explicit Window(std::unique_ptr<ByteSource> source, std::size_t capacity = kCapacity);

  const char* begin() const { return buffer_.get() + first_; }
  /// A zero byte stands here.
  const char* end() const { return buffer_.get() + last_; }
  std::size_t size() const { return last_ - first_; }
  std::size_t capacity() const { return capacity_; }
  /// No byte follows those in the window.
  bool complete() const { return complete_; }
  /// Bytes of the source before begin().
  std::uint64_t offset() const { return offset_; }
  std::optional<std::uint64_t> source_size() const { return source_->size(); }
  const std::shared_ptr<HashedBytes>& source() const { return source_; }

  /// The window begins at `position`, a place in it.
  void advance(const char* position) {
    offset_ += static_cast<std::uint64_t>(position - begin());
    first_ = static_cast<std::size_t>(position - buffer_.get());
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
  std::size_t capacity_;
  std::unique_ptr<char[]> buffer_;  // one more than the capacity, for the zero
  std::size_t first_ = 0, last_ = 0;
  std::uint64_t offset_ = 0;
  bool complete_ = false;
};

}  // namespace riemflow::io
