//===- sha256.h - SHA-256 ---------------------------------------*- C++ -*-===//
//
// Own code, so that a library embedded in applications depends on no crypto
// package for one checksum. Tested against the vectors of FIPS 180-4.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_SUPPORT_SHA256_H
#define ANE_RUNTIME_SUPPORT_SHA256_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace ane::rt {

class Sha256 {
public:
  void update(const void *data, size_t size);
  /// The digest as 64 lower-case hexadecimal digits. Call once.
  std::string finish();

private:
  /// `count` blocks of 64 bytes, with the processor's instructions where it has
  /// them.
  void blocks(const uint8_t *data, size_t count);
  void block(const uint8_t *data);

  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint8_t pending[64];
  size_t pendingSize = 0;
  uint64_t total = 0;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_SUPPORT_SHA256_H
