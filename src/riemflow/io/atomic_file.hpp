#pragma once
// Files that are never half written: a path holds its old content or the whole of the new one, whatever
// happens in between (full disk, kill -9, power cut).

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riemflow {

/// Where a writer puts its bytes, in order; buffered. Throws Error(Fault::cannot_write).
class Sink {
 public:
  /// rewritable: the descriptor is that of a new regular file, so that overwrite() can go back in it.
  Sink(int descriptor, std::string path, bool rewritable = false);
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void flush();

  bool rewritable() const { return rewritable_; }
  /// Replaces bytes that were written at `offset`; what follows goes to the end as before. For headers that
  /// count what comes after them.
  void overwrite(std::uint64_t offset, std::string_view text);

 private:
  void drain(std::span<const std::byte> bytes);

  int descriptor_;  // not owned
  std::string path_;
  bool rewritable_;
  std::vector<std::byte> buffer_;
};

/// The content goes to a nameless (or hidden) file in the same directory, to the disk, and then takes the
/// path's name in one step. A symbolic link stays one and its target is replaced; permissions of an existing
/// file are kept. On failure, or if `writer` throws, that file is gone and the path is as before;
/// Error(Fault::cannot_write) names path and reason. What is not a regular file (/dev/stdout, a FIFO, a
/// device) is written directly, and its sink is not rewritable.
void write_file_atomically(const std::string& path, const std::function<void(Sink&)>& writer);
void write_file_atomically(const std::string& path, std::span<const std::byte> content);
void write_file_atomically(const std::string& path, std::string_view content);

/// The path at the end of a chain of symbolic links, whether or not there is a file: what is replaced. Throws
/// Error(Fault::cannot_write) where the links have no end.
std::filesystem::path behind_links(const std::string& path);

}  // namespace riemflow
