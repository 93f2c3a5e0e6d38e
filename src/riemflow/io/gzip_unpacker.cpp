#include "riemflow/io/unpacker.hpp"

#ifdef RIEMFLOW_WITH_ZLIB
#include <zlib.h>

#include <algorithm>
#include <new>

namespace riemflow::io {
namespace {

class GzipUnpacker final : public Unpacker {
 public:
  GzipUnpacker() {
    constexpr int kGzip = 16;  // its header and checksum around the data, and no other
    if (inflateInit2(&stream_, MAX_WBITS + kGzip) != Z_OK) throw std::bad_alloc();
  }
  ~GzipUnpacker() override { inflateEnd(&stream_); }
  GzipUnpacker(const GzipUnpacker&) = delete;
  GzipUnpacker& operator=(const GzipUnpacker&) = delete;

  Step step(std::string_view packed, char* to, std::size_t most) override {
    const auto count = [](std::size_t n) { return static_cast<uInt>(std::min<std::size_t>(n, 1u << 30)); };
    const uInt in = count(packed.size()), room = count(most);
    stream_.next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = in;
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = room;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    Step step{in - stream_.avail_in, room - stream_.avail_out, code == Z_STREAM_END};
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
      step.damage = stream_.msg != nullptr ? stream_.msg : "they contradict themselves";
    return step;
  }
  void restart() override { inflateReset(&stream_); }

 private:
  z_stream stream_{};
};

}  // namespace

std::unique_ptr<Unpacker> gzip_unpacker() { return std::make_unique<GzipUnpacker>(); }

}  // namespace riemflow::io
#else
namespace riemflow::io {
std::unique_ptr<Unpacker> gzip_unpacker() { return nullptr; }
}  // namespace riemflow::io
#endif
