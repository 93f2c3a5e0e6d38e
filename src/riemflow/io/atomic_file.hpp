#pragma once
// Files that are never half written: a path holds its old content or the whole of the new one, whatever
// happens in between (full disk, kill -9, power cut).

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riemflow {

/// Where a writer puts its bytes, in order; buffered. Throws Error(Fault::cannot_write).
class Sink {
 public:
  Sink(int descriptor, std::string path);
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void flush();

 private:
  void drain(std::span<const std::byte> bytes);

  int descriptor_;  // not owned
  std::string path_;
  std::vector<std::byte> buffer_;
};

/// The content goes to a hidden file in the same directory, to the disk, and then takes the path's name in
/// one step. A symbolic link stays one and its target is replaced; permissions of an existing file are kept.
/// On failure, or if `writer` throws, the hidden file is removed and the path is as before;
/// Error(Fault::cannot_write) names path and reason. What is not a regular file (/dev/stdout, a FIFO, a
/// device) is written directly.
void write_file_atomically(const std::string& path, const std::function<void(Sink&)>& writer);
void write_file_atomically(const std::string& path, std::span<const std::byte> content);
void write_file_atomically(const std::string& path, std::string_view content);

}  // namespace riemflow
