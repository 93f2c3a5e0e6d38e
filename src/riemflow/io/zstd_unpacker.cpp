#include "riemflow/io/unpacker.hpp"

#ifdef RIEMFLOW_WITH_ZSTD
#include <zstd.h>

#include <algorithm>
#include <new>

namespace riemflow::io {
namespace {

class ZstdUnpacker final : public Unpacker {
 public:
  ZstdUnpacker() : stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~ZstdUnpacker() override { ZSTD_freeDStream(stream_); }
  ZstdUnpacker(const ZstdUnpacker&) = delete;
  ZstdUnpacker& operator=(const ZstdUnpacker&) = delete;

  Step step(std::string_view packed, char* to, std::size_t most) override {
    // Block by block: a call that fails does not say what it wrote before.
    ZSTD_inBuffer in{packed.data(), std::min(packed.size(), wanted_), 0};
    ZSTD_outBuffer out{to, most, 0};
    const std::size_t left = ZSTD_decompressStream(stream_, &out, &in);
    Step step{in.pos, out.pos, left == 0};
    if (ZSTD_isError(left) != 0) step.damage = ZSTD_getErrorName(left);
    wanted_ = std::max<std::size_t>(1, left);
    return step;
  }
  void restart() override { ZSTD_DCtx_reset(stream_, ZSTD_reset_session_only); }

 private:
  ZSTD_DStream* stream_;
  std::size_t wanted_ = 1;  // bytes that make a block whole, as far as it is known
};

}  // namespace

std::unique_ptr<Unpacker> zstd_unpacker() { return std::make_unique<ZstdUnpacker>(); }

}  // namespace riemflow::io
#else
namespace riemflow::io {
std::unique_ptr<Unpacker> zstd_unpacker() { return nullptr; }
}  // namespace riemflow::io
#endif
