//===- Link.cpp - shared libraries with lld -------------------------------===//

#include "Plan.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

LLD_HAS_DRIVER(elf)
LLD_HAS_DRIVER(macho)

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

// No undefined symbol may be left: a host library calls nothing. Equal input gives equal bytes: no build id, names
// without folders. The names of kernels stay, for profilers.

static std::vector<std::string> elfArguments(StringRef object, StringRef path) {
  return {"ld.lld",
          "-shared",
          "--no-undefined",
          "--gc-sections",
          "--hash-style=gnu",
          "--build-id=none",
          "-z",
          "now",
          "-z",
          "noexecstack",
          "--threads=1",
          "-z",
          "separate-loadable-segments",
          "-o",
          path.str(),
          object.str()};
}

/// The linker signs code for arm64 ad hoc by itself. `stub` describes libSystem: macOS loads no library that names
/// none.
static std::vector<std::string> machOArguments(StringRef object, StringRef path, StringRef stub) {
  return {"ld64.lld",
          "-dylib",
          "-arch",
          "arm64",
          "-platform_version",
          "macos",
          "14.0",
          "14.0",
          "-undefined",
          "error",
          "-dead_strip",
          "--threads=1",
          "-install_name",
          ("@rpath/" + llvm::sys::path::filename(path)).str(),
          "-o",
          path.str(),
          object.str(),
          stub.str()};
}

/// Describes the one library that every macOS process has, as an SDK would; no symbol of it is used.
static constexpr StringLiteral libSystem = R"(--- !tapi-tbd
tbd-version: 4
targets: [ arm64-macos ]
install-name: '/usr/lib/libSystem.B.dylib'
...
)";

static std::error_code writeStub(SmallString<128> &path) {
  int file;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("libSystem", "tbd", file, path))
    return code;
  llvm::raw_fd_ostream stream(file, /*shouldClose=*/true);
  stream << libSystem;
  stream.close();
  std::error_code code = stream.error();
  stream.clear_error();
  return code;
}

LogicalResult host::linkLibrary(StringRef object, StringRef path, const HostTarget &target,
                                function_ref<InFlightDiagnostic()> error) {
  std::vector<std::string> arguments;
  SmallString<128> stub;
  llvm::FileRemover remover;
  if (llvm::Triple(target.llvmTriple).isOSDarwin()) {
    if (std::error_code code = writeStub(stub))
      return error() << "can't create a temporary file: " << code.message(), failure();
    remover.setFile(stub);
    arguments = machOArguments(object, path, stub);
  } else {
    arguments = elfArguments(object, path);
  }
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  // The linker keeps its state in globals.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  std::string out, messages;
  llvm::raw_string_ostream outStream(out), messageStream(messages);
  lld::Result result =
      lld::lldMain(pointers, outStream, messageStream, {{lld::Gnu, &lld::elf::link}, {lld::Darwin, &lld::macho::link}});
  if (result.retCode == 0)
    return success();
  return error() << "linking the CPU library for " << target.name() << " failed: " << messages, failure();
}
