//===- InputFile.cpp - files that users name ------------------------------===//

#include "ane/Support/InputFile.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::ane;
namespace fs = llvm::sys::fs;

static llvm::Error wrong(StringRef path, const Twine &problem) {
  return llvm::createStringError("can't read '" + path + "': " + problem);
}

llvm::Error mlir::ane::checkInputFile(StringRef path) {
  fs::file_status status;
  if (std::error_code error = fs::status(path, status))
    return wrong(path, error.message());
  return fs::is_regular_file(status) ? llvm::Error::success() : wrong(path, "not a regular file");
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> mlir::ane::readInputFile(StringRef path, bool isText) {
  if (llvm::Error error = checkInputFile(path))
    return std::move(error);
  auto buffer = llvm::MemoryBuffer::getFile(path, isText, /*RequiresNullTerminator=*/isText);
  if (!buffer)
    return wrong(path, buffer.getError().message());
  return std::move(*buffer);
}

llvm::Error mlir::ane::checkToolInput(StringRef path) {
  return path == "-" ? llvm::Error::success() : checkInputFile(path);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> mlir::ane::readToolInput(StringRef path) {
  if (path != "-")
    return readInputFile(path, /*isText=*/true);
  auto buffer = llvm::MemoryBuffer::getSTDIN();
  if (!buffer)
    return wrong("standard input", buffer.getError().message());
  return std::move(*buffer);
}
