#pragma once
// Bytes as they were before gzip or zstd packed them. Which of the two it was, if any, the first bytes tell.
//
// What tools write is read: several members one after the other (gzip -c a b, pigz, pzstd, bgzip), empty ones
// and, of zstd, frames to skip. Checksums are compared. Memory is that of the packer's window: 32 KB of
// gzip, some megabytes of zstd, 128 at most.

#include <memory>
#include <string>

#include "riemflow/io/bytes.hpp"

namespace riemflow::io {

/// The source itself where it is not packed. Reading throws Error (bad_data) with `name` in front where
/// packed bytes are damaged, cut off or followed by others, after what could be unpacked has been given; and
/// where this build cannot unpack them.
std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> source, std::string name);

/// The name of a file without .gz or .zst at its end.
std::string_view unpacked_name(std::string_view path);

}  // namespace riemflow::io
