#include "riemflow/io/unpack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "riemflow/core/error.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/unpacker.hpp"

namespace riemflow::io {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t kPackedAtOnce = std::size_t{1} << 17;
constexpr std::size_t kMostReadOn = std::size_t{1} << 30;  ///< unpacked bytes, to look for damage
constexpr std::size_t kMagic = 4;                          ///< bytes that tell what follows

bool begins_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"sv); }
/// A frame, or one to skip, as pzstd begins with.
bool begins_zstd(std::string_view bytes) {
  return bytes.starts_with("\x28\xb5\x2f\xfd"sv) ||
         (bytes.size() >= kMagic && (bytes[0] & '\xf0') == '\x50' && bytes.substr(1, 3) == "\x2a\x4d\x18"sv);
}

/// What is said of a way to pack.
struct Packing {
  const char *name, *library, *unpack, *test;
  bool (*begins)(std::string_view);
  std::unique_ptr<Unpacker> (*unpacker)();
};
constexpr Packing kPackings[] = {{"gzip", "zlib", "gunzip -c", "gzip -t", begins_gzip, gzip_unpacker},
                                 {"zstd", "libzstd", "zstd -dc", "zstd -t", begins_zstd, zstd_unpacker}};

class UnpackedBytes final : public ByteSource {
 public:
  UnpackedBytes(std::unique_ptr<ByteSource> source, std::string name)
      : source_(std::move(source)), name_(std::move(name)) {}

  std::size_t read(char* to, std::size_t most) override {
    if (!known_) look();
    if (packing_ == nullptr) return plain(to, most);
    while (most > 0) {
      if (!damage_.empty())
        fail(fmt::format("cannot be unpacked beyond its first {} bytes ({})", unpacked_, damage_));
      if (between_ && !next_member()) return 0;
      if (rest_.empty()) refill(1);
      Unpacker::Step step = unpacker_->step(rest_, to, most);
      rest_.remove_prefix(step.taken);
      unpacked_ += step.given;
      between_ = step.at_end;
      damage_ = std::move(step.damage);
      if (step.given > 0) return step.given;
      if (!between_ && step.taken == 0 && rest_.empty() && over_) damage_ = "the file is cut off";
    }
    return 0;
  }

  std::optional<std::uint64_t> size() const override {
    return known_ && packing_ == nullptr ? source_->size() : std::nullopt;
  }
  bool ready() const override { return !rest_.empty() || source_->ready(); }
  double share_read() const override { return source_->share_read(); }
  void require_whole() override {
    if (packing_ == nullptr) return;
    const auto scratch = std::make_unique_for_overwrite<char[]>(kPackedAtOnce);
    for (std::size_t n = 1, all = 0; n > 0 && all < kMostReadOn && ready(); all += n)
      n = read(scratch.get(), kPackedAtOnce);
  }

 private:
  /// Whether it is packed, and how.
  void look() {
    refill(kMagic);
    for (const Packing& packing : kPackings)
      if (packing.begins(rest_)) packing_ = &packing;
    if (packing_ != nullptr) unpacker_ = packing_->unpacker();
    known_ = packing_ == nullptr || unpacker_ != nullptr;
    if (!known_)
      throw Error(FilePlace{name_},
                  fmt::format("the file is compressed with {}, which this build of riemflow cannot read",
                              packing_->name),
                  fmt::format("unpack it first, as in {} FILE | riemflow … -, or build with {}",
                              packing_->unpack, packing_->library));
  }

  std::size_t plain(char* to, std::size_t most) {
    const std::size_t n = rest_.copy(to, most);
    rest_.remove_prefix(n);
    const bool enough = n == most || (n > 0 && !source_->ready());
    return enough ? n : n + source_->read(to + n, most - n);
  }

  /// rest_ has so many bytes, or all that are left.
  void refill(std::size_t least) {
    if (packed_ == nullptr) packed_ = std::make_unique_for_overwrite<char[]>(kPackedAtOnce);
    std::size_t n = rest_.size();
    if (n > 0) std::memmove(packed_.get(), rest_.data(), n);
    while (n < least && !over_) {
      const std::size_t more = source_->read(packed_.get() + n, kPackedAtOnce - n);
      over_ = more == 0;
      n += more;
    }
    rest_ = {packed_.get(), n};
  }

  /// False at the end. Zeros there are padding, of tapes; anything else that is no member is an error.
  bool next_member() {
    if (rest_.size() < kMagic) refill(kMagic);
    if (packing_->begins(rest_)) {
      unpacker_->restart();
      between_ = false;
      return true;
    }
    for (; !rest_.empty(); rest_ = {}, refill(1))
      if (const auto odd = rest_.find_first_not_of('\0'); odd != rest_.npos)
        throw Error(
            FilePlace{name_},
            fmt::format("bytes that are not {} follow the compressed data, which end after {} "
                        "unpacked bytes: {}",
                        packing_->name, unpacked_, in_quotes(rest_.substr(odd), 8)),
            fmt::format("give the compressed file alone; {} FILE shows what is in it", packing_->unpack));
    return false;
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(FilePlace{name_},
                fmt::format("the file is compressed with {}, and {}", packing_->name, problem),
                fmt::format("copy it again, or make it again; {} FILE tests it", packing_->test));
  }

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::unique_ptr<char[]> packed_;
  std::string_view rest_;  // of packed_, not yet used
  bool over_ = false;      // nothing follows rest_
  bool known_ = false;
  const Packing* packing_ = nullptr;  // null: it is not packed
  std::unique_ptr<Unpacker> unpacker_;
  bool between_ = false;  // two members, or behind the last
  std::string damage_;    // met, and not yet complained of
  std::uint64_t unpacked_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> source, std::string name) {
  return std::make_unique<UnpackedBytes>(std::move(source), std::move(name));
}

std::string_view unpacked_name(std::string_view path) {
  const std::string lowered = lower(path);
  for (const std::string_view ending : {".gz", ".zst"})
    if (lowered.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  return path;
}

}  // namespace riemflow::io
