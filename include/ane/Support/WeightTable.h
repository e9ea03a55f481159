//===- WeightTable.h - mapped weight files ---------------------*- C++ -*-===//
//
// Weights are named by the IR (`#ane.weight<"file", offset, bytes>`) and never owned by it. This table maps each file
// once, read-only, on first use, and keeps it mapped for the life of the context: file pages count as cache, not as
// memory of the process.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_SUPPORT_WEIGHTTABLE_H
#define ANE_SUPPORT_WEIGHTTABLE_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include <functional>
#include <memory>
#include <mutex>

namespace mlir::ane {

/// Bytes of a file, as `#ane.weight` names them (the attribute converts to this).
struct WeightRange {
  StringRef file;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  StringRef sha256; ///< lower-case hexadecimal digits; empty: not checked
};

class WeightTable {
public:
  /// The bytes that `weight` names, row-major and little-endian. Emits an error through `emitError` and returns
  /// nothing if the file can't be mapped, ends before the range, or has another hash than the range says.
  FailureOr<ArrayRef<char>> lookup(const WeightRange &weight, function_ref<InFlightDiagnostic()> emitError);

  /// Maps `file`, or returns the mapping it already has.
  FailureOr<ArrayRef<char>> map(StringRef file, function_ref<InFlightDiagnostic()> emitError);

private:
  std::mutex mutex;
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> files;
};

} // namespace mlir::ane

#endif // ANE_SUPPORT_WEIGHTTABLE_H
