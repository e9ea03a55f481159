//===- InputFile.h - files that users name ---------------------*- C++ -*-===//
#ifndef ANE_SUPPORT_INPUTFILE_H
#define ANE_SUPPORT_INPUTFILE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::ane {

/// Refuses what is no file: reading a pipe may wait for ever, and a device may have no end.
llvm::Error checkInputFile(StringRef path);

/// Checks and reads. Text ends with a NUL after its last byte, as parsers of LLVM want it; other files are mapped,
/// whatever their size.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readInputFile(StringRef path, bool isText);

/// The same for what a tool is given, where "-" is standard input.
llvm::Error checkToolInput(StringRef path);
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readToolInput(StringRef path);

} // namespace mlir::ane

#endif // ANE_SUPPORT_INPUTFILE_H
