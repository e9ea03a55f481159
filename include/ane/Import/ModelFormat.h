//===- ModelFormat.h - what the file of a model is -------------*- C++ -*-===//
#ifndef ANE_IMPORT_MODELFORMAT_H
#define ANE_IMPORT_MODELFORMAT_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace mlir::ane {

enum class ModelFormat { ONNX, MIL, MLIR, CoreML };

/// By the first bytes of a file; nothing if they don't tell.
std::optional<ModelFormat> formatOfContents(llvm::StringRef contents);

/// Of the file `path`: by its first bytes, or if these don't tell, by its extension. A folder may be a model of Core
/// ML. ONNX for all else, since the import of ONNX says what a file is instead, or that there is none.
ModelFormat formatOfFile(llvm::StringRef path);

} // namespace mlir::ane

#endif // ANE_IMPORT_MODELFORMAT_H
