#pragma once
// What unpacks one kind of packed bytes; io/unpack.hpp makes a source of it.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace riemflow::io {

class Unpacker {
 public:
  virtual ~Unpacker() = default;

  struct Step {
    std::size_t taken = 0, given = 0;
    bool at_end = false;      ///< of a member
    std::string damage = {};  ///< what is wrong, if anything
  };
  /// Some of `packed`, unpacked to `to`, at most `most`.
  virtual Step step(std::string_view packed, char* to, std::size_t most) = 0;
  /// The next bytes are those of another member.
  virtual void restart() = 0;
};

/// Null in a build without zlib or libzstd.
std::unique_ptr<Unpacker> gzip_unpacker();
std::unique_ptr<Unpacker> zstd_unpacker();

}  // namespace riemflow::io
