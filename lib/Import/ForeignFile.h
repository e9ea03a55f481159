//===- ForeignFile.h - files that are something else -----------*- C++ -*-===//
//
// Whoever gives the compiler a PyTorch checkpoint, or the web page that a download left, should be told so, and not
// that byte 3 of an ONNX model is damaged.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_IMPORT_FOREIGNFILE_H
#define ANE_LIB_IMPORT_FOREIGNFILE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::ane {

/// What a file with these `contents` is, by its first bytes, and what to do: "is a PyTorch model (.pt); remedy: ...".
/// Empty if it may be an ONNX model, or, unless `anyText`, text of no kind that is known.
std::string describeForeignFile(llvm::StringRef contents, bool anyText);

/// The same of the directory `path`, by what lies in it.
std::string describeForeignDirectory(llvm::StringRef path);

/// Core ML's Model and ONNX's ModelProto are protobuf messages that begin with a version; whether these `contents` are
/// the former.
bool isCoreML(llvm::StringRef contents);

} // namespace mlir::ane

#endif // ANE_LIB_IMPORT_FOREIGNFILE_H
