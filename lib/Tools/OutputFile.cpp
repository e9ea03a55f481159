//===- OutputFile.cpp - writes answers where the user wants them ----------===//

#include "OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include <cerrno>
#include <fcntl.h>

using namespace mlir;
using namespace mlir::ane;
namespace fs = llvm::sys::fs;

std::string OutputFile::wrong(const std::error_code &code) const {
  return "can't write " + (path.empty() ? "standard output" : "'" + path + "'") + ": " + code.message();
}

std::string OutputFile::open(const std::string &given) {
  if (given.empty() || given == "-")
    return "";
  path = given;
  std::error_code code;
  fs::file_status status;
  bool inPlace = !fs::status(path, status) && !fs::is_regular_file(status);
  if (inPlace) {
    // Opening a pipe would wait for one who reads it.
    int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
      return errno == ENXIO ? "can't write '" + path + "': nobody reads this pipe"
                            : wrong({errno, std::generic_category()});
    ::fcntl(descriptor, F_SETFL, O_WRONLY);
    owned = std::make_unique<llvm::raw_fd_ostream>(descriptor, /*shouldClose=*/true);
  } else {
    llvm::ErrorOr<Unfinished> made = Unfinished::create(path, Unfinished::Kind::File);
    code = made.getError();
    if (made) {
      file = std::move(*made);
      owned = std::make_unique<llvm::raw_fd_ostream>(file.descriptor(), /*shouldClose=*/false);
    }
  }
  stream = owned.get();
  return code ? wrong(code) : "";
}

std::string OutputFile::write(llvm::function_ref<void(llvm::raw_ostream &)> print) {
  print(*stream);
  stream->flush();
  std::error_code code = stream->error();
  stream->clear_error();
  // A reader that has gone away has seen what it wanted.
  return code && code != std::errc::broken_pipe ? wrong(code) : "";
}

std::string OutputFile::commit() {
  if (file.name().empty())
    return "";
  InterruptsWait wait;
  if (std::error_code code = fs::rename(file.name(), path))
    return wrong(code);
  file.release();
  return "";
}
