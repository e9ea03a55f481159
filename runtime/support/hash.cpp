//===- hash.cpp - A hash that finds damage --------------------------------===//
#include "runtime/support/hash.h"

// The library's header holds all of it: nothing to find at run time.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ane::rt {

struct Hash::State {
  XXH3_state_t value;
};

Hash::Hash() : state(new State) { XXH3_128bits_reset(&state->value); }
Hash::~Hash() = default;

void Hash::update(const void *data, size_t size) { XXH3_128bits_update(&state->value, data, size); }

std::string Hash::digest() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state->value));
  std::string text;
  for (unsigned char byte : canonical.digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

} // namespace ane::rt
