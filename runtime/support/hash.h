//===- hash.h - A hash that finds damage ------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_SUPPORT_HASH_H
#define ANE_RUNTIME_SUPPORT_HASH_H

#include <cstddef>
#include <memory>
#include <string>

namespace ane::rt {

/// XXH3 with 128 bits, as `xxh128sum` prints it. It finds damage at the speed of
/// memory; it proves nobody's identity, for who can change a bundle can change
/// its manifest, too.
class Hash {
public:
  Hash();
  ~Hash();
  Hash(const Hash &) = delete;

  void update(const void *data, size_t size);
  /// Of all bytes so far, as 32 lower-case hexadecimal digits.
  std::string digest() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_SUPPORT_HASH_H
