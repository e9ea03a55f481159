//===- sha256.cpp - SHA-256 (FIPS 180-4) ----------------------------------===//
#include "runtime/support/sha256.h"
#include <algorithm>
#include <cstring>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace ane::rt {
namespace {

constexpr uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }

#if defined(__x86_64__)
bool hasShaInstructions() {
  unsigned a, b, c, d;
  bool sse = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_1);
  return sse && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

/// The processor's own rounds, six times as fast: bundles are hundreds of
/// megabytes. It keeps the state as two vectors, ABEF and CDGH.
__attribute__((target("sha,sse4.1"))) void blocksInHardware(uint32_t *state, const uint8_t *data, size_t count) {
  const __m128i bigEndian = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  __m128i low = _mm_loadu_si128(reinterpret_cast<__m128i *>(state));
  __m128i high = _mm_loadu_si128(reinterpret_cast<__m128i *>(state + 4));
  low = _mm_shuffle_epi32(low, 0xb1);
  high = _mm_shuffle_epi32(high, 0x1b);
  __m128i abef = _mm_alignr_epi8(low, high, 8);
  __m128i cdgh = _mm_blend_epi16(high, low, 0xf0);
  for (; count != 0; --count, data += 64) {
    __m128i abefBefore = abef, cdghBefore = cdgh, w[4];
    for (int i = 0; i < 16; ++i) {
      __m128i &next = w[i % 4];
      if (i < 4) {
        next = _mm_loadu_si128(reinterpret_cast<const __m128i *>(data) + i);
        next = _mm_shuffle_epi8(next, bigEndian);
      } else {
        __m128i last = w[(i + 3) % 4], middle = w[(i + 2) % 4];
        next = _mm_sha256msg1_epu32(next, w[(i + 1) % 4]);
        next = _mm_add_epi32(next, _mm_alignr_epi8(last, middle, 4));
        next = _mm_sha256msg2_epu32(next, last);
      }
      __m128i sum = _mm_add_epi32(next, _mm_loadu_si128(reinterpret_cast<const __m128i *>(kRound) + i));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
    }
    abef = _mm_add_epi32(abef, abefBefore);
    cdgh = _mm_add_epi32(cdgh, cdghBefore);
  }
  low = _mm_shuffle_epi32(abef, 0x1b);
  high = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(reinterpret_cast<__m128i *>(state), _mm_blend_epi16(low, high, 0xf0));
  _mm_storeu_si128(reinterpret_cast<__m128i *>(state + 4), _mm_alignr_epi8(high, low, 8));
}
#endif

} // namespace

void Sha256::blocks(const uint8_t *data, size_t count) {
#if defined(__x86_64__)
  static const bool inHardware = hasShaInstructions();
  if (inHardware)
    return blocksInHardware(state, data, count);
#endif
  for (; count != 0; --count, data += 64)
    block(data);
}

void Sha256::block(const uint8_t *data) {
  uint32_t w[64];
  for (int i = 0; i < 16; ++i)
    w[i] = uint32_t(data[4 * i]) << 24 | uint32_t(data[4 * i + 1]) << 16 | uint32_t(data[4 * i + 2]) << 8 |
           data[4 * i + 3];
  for (int i = 16; i < 64; ++i) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
  }
  uint32_t s[8];
  std::copy(state, state + 8, s);
  for (int i = 0; i < 64; ++i) {
    uint32_t e = s[4], a = s[0];
    uint32_t t1 = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + kRound[i] + w[i];
    uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    std::copy_backward(s, s + 7, s + 8);
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (int i = 0; i < 8; ++i)
    state[i] += s[i];
}

void Sha256::update(const void *data, size_t size) {
  auto *bytes = static_cast<const uint8_t *>(data);
  total += size;
  if (pendingSize != 0) {
    size_t part = std::min(size, sizeof(pending) - pendingSize);
    memcpy(pending + pendingSize, bytes, part);
    pendingSize += part;
    bytes += part;
    size -= part;
    if (pendingSize < sizeof(pending))
      return;
    blocks(pending, 1);
    pendingSize = 0;
  }
  blocks(bytes, size / 64);
  bytes += size / 64 * 64;
  size %= 64;
  if (size != 0)
    memcpy(pending, bytes, size);
  pendingSize = size;
}

std::string Sha256::finish() {
  uint64_t bits = total * 8;
  uint8_t tail[72] = {0x80};
  size_t zeros = (pendingSize < 56 ? 56 : 120) - pendingSize;
  for (int i = 0; i < 8; ++i)
    tail[zeros + i] = uint8_t(bits >> (56 - 8 * i));
  update(tail, zeros + 8);
  std::string text;
  for (uint32_t word : state)
    for (int shift = 28; shift >= 0; shift -= 4)
      text += "0123456789abcdef"[word >> shift & 15];
  return text;
}

} // namespace ane::rt
