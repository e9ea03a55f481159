//===- OutputFile.h - writes answers where the user wants them -*- C++ -*-===//
#ifndef ANE_LIB_TOOLS_OUTPUTFILE_H
#define ANE_LIB_TOOLS_OUTPUTFILE_H

#include "ane/Bundle/Unfinished.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <string>

namespace mlir::ane {

/// Where an answer goes: standard output, a device or a pipe as it stands, or a file, which appears when it is whole.
/// Each call returns the error, or "".
class OutputFile {
public:
  /// "-" or "" is standard output. A file that can't be written is an error here, before the work for it is done.
  std::string open(const std::string &path);
  std::string write(llvm::function_ref<void(llvm::raw_ostream &)> print);
  /// Gives the file its name.
  std::string commit();

private:
  std::string wrong(const std::error_code &code) const;

  std::string path;
  Unfinished file;                             // none for standard output, devices and pipes
  std::unique_ptr<llvm::raw_fd_ostream> owned; // what open() opened
  llvm::raw_fd_ostream *stream = &llvm::outs();
};

} // namespace mlir::ane

#endif // ANE_LIB_TOOLS_OUTPUTFILE_H
