#include "riemflow/io/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "riemflow/io/bytes.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace riemflow {
namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const std::byte* b) {
  return std::to_integer<std::uint32_t>(b[0]) << 24 | std::to_integer<std::uint32_t>(b[1]) << 16 |
         std::to_integer<std::uint32_t>(b[2]) << 8 | std::to_integer<std::uint32_t>(b[3]);
}

void compress_blocks(std::uint32_t* state, const std::byte* block, std::size_t blocks) {
  for (; blocks > 0; --blocks, block += 64) {
    std::array<std::uint32_t, 64> w;
    for (std::size_t t = 0; t < 16; ++t) w[t] = big_endian(block + 4 * t);
    for (std::size_t t = 16; t < 64; ++t) {
      const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
      const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
      w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    std::uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5],
                  g = state[6], h = state[7];
    for (std::size_t t = 0; t < 64; ++t) {
      const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      const std::uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + kRound[t] + w[t];
      const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      const std::uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    const std::uint32_t step[] = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state[i] += step[i];
  }
}

#if defined(__x86_64__)
/// SHA-NI, with SSSE3 and SSE4.1 for the shuffles around it.
bool has_instructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kShuffles = 1u << 9 | 1u << 19, kSha = 1u << 29;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kShuffles) != kShuffles) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kSha) != 0;
}

/// Four rounds a step. The instructions hold a b e f and c d g h, each with its first letter in the highest
/// lane, and the last sixteen w in four vectors.
__attribute__((target("sha,sse4.1"))) void compress_with_instructions(std::uint32_t* state,
                                                                      const std::byte* block,
                                                                      std::size_t blocks) {
  const auto load = [](const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); };
  const __m128i big_to_little = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const __m128i badc = _mm_shuffle_epi32(load(state), 0xb1), hgfe = _mm_shuffle_epi32(load(state + 4), 0x1b);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8), cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
  for (; blocks > 0; --blocks, block += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];
    for (std::size_t t = 0; t < 16; ++t) {
      __m128i& own = w[t % 4];
      const __m128i &w1 = w[(t + 1) % 4], &w2 = w[(t + 2) % 4], &w3 = w[(t + 3) % 4];  // own is the oldest
      own = t < 4 ? _mm_shuffle_epi8(load(block + 16 * t), big_to_little)
                  : _mm_sha256msg2_epu32(
                        _mm_add_epi32(_mm_sha256msg1_epu32(own, w1), _mm_alignr_epi8(w3, w2, 4)), w3);
      const __m128i sum = _mm_add_epi32(own, load(&kRound[4 * t]));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i abef_up = _mm_shuffle_epi32(abef, 0x1b), ghcd = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state), _mm_blend_epi16(abef_up, ghcd, 0xf0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state + 4), _mm_alignr_epi8(ghcd, abef_up, 8));
}
#endif

auto fastest() {
#if defined(__x86_64__)
  static const bool instructions = has_instructions();
  if (instructions) return compress_with_instructions;
#endif
  return compress_blocks;
}

}  // namespace

Sha256::Sha256(bool portable) : compress_(portable ? compress_blocks : fastest()) {}

void Sha256::update(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t filled = length_ % 64;
    if (filled == 0 && bytes.size() >= 64) {  // whole blocks, from where they are
      const std::size_t blocks = bytes.size() / 64;
      compress_(state_.data(), bytes.data(), blocks);
      length_ += 64 * blocks;
      bytes = bytes.subspan(64 * blocks);
      continue;
    }
    const std::size_t taken = std::min(bytes.size(), 64 - filled);
    std::copy_n(bytes.begin(), taken, pending_.begin() + static_cast<std::ptrdiff_t>(filled));
    length_ += taken;
    bytes = bytes.subspan(taken);
    if (length_ % 64 == 0) compress_(state_.data(), pending_.data(), 1);
  }
}

// The message is followed by the bit 1, zeros, and its length in bits as a big-endian 64-bit number, so that
// whole blocks result.
std::string Sha256::hex() const {
  Sha256 end = *this;
  std::array<std::byte, 72> tail{std::byte{0x80}};
  const std::size_t zeros = (119 - length_ % 64) % 64;
  for (std::size_t i = 0; i < 8; ++i)
    tail[1 + zeros + i] = static_cast<std::byte>((length_ * 8) >> (56 - 8 * i));
  end.update(std::span(tail).first(1 + zeros + 8));
  std::string digits;
  for (const std::uint32_t word : end.state_) digits += fmt::format("{:08x}", word);
  return digits;
}

std::string sha256_hex(std::string_view text) {
  Sha256 hash;
  hash.update(text);
  return hash.hex();
}

std::string sha256_of_file(const std::string& path) { return io::HashedBytes(io::open_bytes(path)).sha256(); }

}  // namespace riemflow
