//===- OutputFile.cpp - writes answers where the user wants them ----------===//

#include "OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

/// Writes and flushes; the error, or "".
static std::string writeTo(llvm::raw_fd_ostream &os, const std::string &name,
                           llvm::function_ref<void(llvm::raw_ostream &)> write) {
  write(os);
  os.flush();
  std::error_code code = os.error();
  os.clear_error();
  return code ? "can't write " + name + ": " + code.message() : "";
}

std::string mlir::ane::writeOutput(const std::string &path, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  if (path == "-")
    return writeTo(llvm::outs(), "standard output", write);
  llvm::sys::fs::file_status status;
  bool inPlace =
      !llvm::sys::fs::status(path, status) && llvm::sys::fs::exists(status) && !llvm::sys::fs::is_regular_file(status);
  std::string name = inPlace ? path : path + ".tmp" + std::to_string(llvm::sys::Process::getProcessId());
  std::error_code code;
  llvm::raw_fd_ostream file(name, code, llvm::sys::fs::OF_Text);
  if (code)
    return "can't write '" + path + "': " + code.message();
  std::string error = writeTo(file, "'" + path + "'", write);
  file.close();
  if (inPlace)
    return error;
  if (!error.empty()) {
    llvm::sys::fs::remove(name);
    return error;
  }
  if ((code = llvm::sys::fs::rename(name, path)))
    return "can't rename '" + name + "': " + code.message();
  return "";
}
