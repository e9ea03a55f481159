//===- constant.h - Constants of programs, by value -------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_DIFF_CONSTANT_H
#define ANE_RUNTIME_TOOLS_DIFF_CONSTANT_H

#include "absl/status/statusor.h"
#include "runtime/format/blob/blob.h"
#include "runtime/format/mil/ast.h"
#include "runtime/support/folder.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ane::rt::mildiff {

/// What two programs may differ in and be equal.
struct Tolerance {
  bool weights = false;  ///< values of weights
  bool types = false;    ///< which float type a value has, and casts between them
  bool operands = false; ///< order of the operands of commutative operations
};

/// A literal or a blob. Two are equal if their types and bytes are.
struct Constant {
  mil::Type type;
  uint64_t elements = 0;
  /// Packed elements, in `owned` or in a mapped file; of strings, lengths and texts.
  const uint8_t *data = nullptr;
  uint64_t bytes = 0;
  std::vector<uint8_t> owned;
  std::string file; ///< "weights/w.bin", empty for a literal
  uint64_t offset = 0;
  /// A blob, or a literal that may stand for one: with axes, and of a type that parameters of operations don't have.
  bool isWeight = false;
  const mil::Value *written = nullptr;

  Constant() = default;
  Constant(Constant &&) = default;
  Constant(const Constant &) = delete;
};

/// Element `index`; 0 for strings. Sub-byte types are read one by one.
double elementOf(const Constant &constant, uint64_t index);

/// How constants of one type differ.
struct ValueDifference {
  uint64_t elements = 0, differing = 0;
  std::vector<int64_t> place; ///< of the largest difference
  double a = 0, b = 0;        ///< the elements there
  double largest = 0;         ///< |a - b|; infinite where one is no number
};
ValueDifference compareValues(const Constant &a, const Constant &b);

/// Reads the constants of the programs of one folder. Weight files are mapped, each once.
class ConstantReader {
public:
  /// `folder` is what @model_path stands for; null: nowhere.
  ConstantReader(std::shared_ptr<const Folder> folder, Tolerance tolerance)
      : folder(std::move(folder)), tolerance(tolerance) {}

  /// `bareFloat` is what a literal without type is that looks like a float. The constant keeps a pointer to `value`.
  absl::StatusOr<Constant> read(const mil::Value &value, ElementType bareFloat);

  /// What weight files have in place of what the texts say (blob::Reader::readAs).
  const std::vector<std::string> &deviations() const { return found; }

private:
  std::shared_ptr<const Folder> folder;
  Tolerance tolerance;
  std::map<std::string, blob::Reader> files;
  std::vector<std::string> found;

  absl::StatusOr<const blob::Reader *> file(const std::string &name);
  absl::Status readBlob(const mil::Value &value, Constant &constant);
  absl::Status readLiteral(const mil::Value &value, Constant &constant);
};

/// The type as one text that is the same for both spellings of a scalar; `anyFloat`: and for all float types.
std::string typeKey(const mil::Type &type, bool anyFloat = false);

} // namespace ane::rt::mildiff

#endif // ANE_RUNTIME_TOOLS_DIFF_CONSTANT_H
