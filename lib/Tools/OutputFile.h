//===- OutputFile.h - writes answers where the user wants them -*- C++ -*-===//
#ifndef ANE_LIB_TOOLS_OUTPUTFILE_H
#define ANE_LIB_TOOLS_OUTPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace mlir::ane {

/// Writes to standard output ("-"), to a device or a pipe as it stands, and to a file through a temporary name, so that
/// no half file appears. Returns the error, or "".
std::string writeOutput(const std::string &path, llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace mlir::ane

#endif // ANE_LIB_TOOLS_OUTPUTFILE_H
