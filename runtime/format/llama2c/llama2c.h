//===- llama2c.h - Checkpoints of llama2.c ----------------------*- C++ -*-===//
//
// Sizes and tensors of a Llama, in one mapped file without names: versions 0
// (no magic), 1 (float32) and 2 (int8 with a float32 scale for each group), all
// little-endian. Source of the format: export.py, run.c and runq.c of llama2.c.
// Tensors get the names that its model.py has for them.
//
// Version 0 begins with 28 bytes of sizes, which any file might. So it counts as
// one only if they are sizes of a model, and those of the file are what they say.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_FORMAT_LLAMA2C_LLAMA2C_H
#define ANE_RUNTIME_FORMAT_LLAMA2C_LLAMA2C_H

#include "absl/status/statusor.h"
#include "runtime/support/mapped_file.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ane::rt::llama2c {

/// Bytes from which header() tells everything.
constexpr uint64_t kHeaderBytes = 256;

struct Header {
  int version = 0;
  int64_t width = 0;  ///< elements of a token
  int64_t hidden = 0; ///< outputs of w1 and w3
  int64_t layers = 0;
  int64_t heads = 0;  ///< of queries; divides the width
  int64_t groups = 0; ///< heads of keys and values; divides the heads
  int64_t vocabulary = 0;
  int64_t positions = 0;
  bool isTied = false;   ///< logits are products with the embedding
  int64_t groupSize = 0; ///< elements that share a scale; 0: the file is float32

  /// The size of a file with these tensors.
  uint64_t fileBytes() const;
};

struct Tensor {
  std::string name;           ///< "layers.0.attention.wq.weight"
  std::vector<int64_t> shape; ///< outermost first, row-major
  uint64_t offset;            ///< of the elements in the file
  uint64_t scales; ///< of int8 elements: of their float32 scales, one for each groupSize elements in order; 0: float32

  int64_t elements() const;
  uint64_t bytes() const;
};

/// Reads the header of a file of `fileBytes` bytes, of which `data` holds the first `size`. Errors name the file, the
/// field, its value and what is expected.
absl::StatusOr<Header> header(const uint8_t *data, uint64_t size, uint64_t fileBytes, const std::string &name);

/// Whether a file that begins so is a checkpoint, of any version, whole or not. Version 0 has no magic number: seven
/// sizes that fit each other are no other format's first 28 bytes, of which every fourth would be 0.
bool recognise(const uint8_t *data, uint64_t size);

/// What a file holds: places in it, no memory that has to live on.
class File {
public:
  /// Memory is bounded by a multiple of the file's size.
  static absl::StatusOr<File> parse(const uint8_t *data, uint64_t size, const std::string &name);
  static absl::StatusOr<File> open(const std::string &path);

  const Header &sizes() const { return head; }
  /// In the order of the file.
  const std::vector<Tensor> &tensors() const { return records; }

private:
  Header head;
  std::vector<Tensor> records;
};

} // namespace ane::rt::llama2c

#endif // ANE_RUNTIME_FORMAT_LLAMA2C_LLAMA2C_H
