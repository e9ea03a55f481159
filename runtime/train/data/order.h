//===- order.h - Shuffling without a table -----------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TRAIN_DATA_ORDER_H
#define ANE_RUNTIME_TRAIN_DATA_ORDER_H

#include <cstdint>

namespace ane::rt::train {

/// A permutation of 0 ... size - 1 that is computed place by place, and takes no memory whatever the size. A Feistel
/// network over the next power of 4 permutes these numbers, with Philox as its rounds' function; a number that is not
/// below `size` goes through it again ("cycle walking": Black, Rogaway, "Ciphers with arbitrary finite domains", 2002,
/// section 5). At most four passes on average.
class Permutation {
public:
  /// `stream` tells permutations of a seed apart: its epochs.
  Permutation(uint64_t size, uint64_t seed, uint64_t stream);

  /// What stands at `place`, which is below `size`.
  uint64_t operator()(uint64_t place) const;

private:
  uint64_t encipher(uint64_t number) const;

  uint64_t size, seed, stream;
  unsigned halfBits; ///< bits of each half
};

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_DATA_ORDER_H
