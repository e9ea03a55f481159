//===- Link.cpp - shared libraries with lld -------------------------------===//

#include "Codegen.h"
#include "lld/Common/Driver.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/CrashRecoveryContext.h"
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

static std::vector<std::string> elfArguments(StringRef archive, StringRef path) {
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
          "--whole-archive",
          archive.str()};
}

/// The linker signs code for arm64 ad hoc by itself. `stub` describes libSystem: macOS loads no library that names
/// none.
static std::vector<std::string> machOArguments(StringRef archive, StringRef path, StringRef stub) {
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
          "-all_load",
          archive.str(),
          stub.str()};
}

/// Describes the one library that every macOS process has, as an SDK would; no symbol of it is used.
static constexpr StringLiteral libSystem = R"(--- !tapi-tbd
tbd-version: 4
targets: [ arm64-macos ]
install-name: '/usr/lib/libSystem.B.dylib'
...
)";

/// Creates a file beside the library, where whoever removes an unfinished bundle finds it. The linker reads it and
/// `remover` removes it.
static std::error_code writeBeside(StringRef library, StringRef suffix, StringRef contents, SmallString<128> &path,
                                   llvm::FileRemover &remover) {
  int file;
  if (std::error_code code = llvm::sys::fs::createUniqueFile(library + "-%%%%%%" + suffix, file, path))
    return code;
  remover.setFile(path);
  llvm::raw_fd_ostream stream(file, /*shouldClose=*/true);
  stream << contents;
  stream.close();
  std::error_code code = stream.error();
  stream.clear_error();
  return code;
}

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> archiveOf(ArrayRef<const Object *> objects, bool isMac) {
  std::vector<llvm::NewArchiveMember> members;
  for (const Object *object : objects)
    members.emplace_back(llvm::MemoryBufferRef(StringRef(object->data(), object->size()), "kernel.o"));
  return llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NormalSymtab,
                                    isMac ? llvm::object::Archive::K_DARWIN : llvm::object::Archive::K_GNU,
                                    /*Deterministic=*/true, /*Thin=*/false);
}

LogicalResult host::linkLibrary(ArrayRef<const Object *> objects, StringRef path, const HostTarget &target,
                                function_ref<InFlightDiagnostic()> error) {
  bool isMac = llvm::Triple(target.llvmTriple).isOSDarwin();
  auto contents = archiveOf(objects, isMac);
  if (!contents)
    return error() << "can't collect the CPU code for " << target.name() << ": "
                   << llvm::toString(contents.takeError()),
           failure();
  SmallString<128> archive, stub;
  llvm::FileRemover archiveRemover, stubRemover;
  std::error_code code = writeBeside(path, ".a", (*contents)->getBuffer(), archive, archiveRemover);
  if (!code && isMac)
    code = writeBeside(path, ".tbd", libSystem, stub, stubRemover);
  if (code)
    return error() << "can't write what is linked beside " << path << ": " << code.message(), failure();
  std::vector<std::string> arguments = isMac ? machOArguments(archive, path, stub) : elfArguments(archive, path);
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  // The linker keeps its state in globals.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  // It ends by exit() where a file can't be read or written, and the process with it, whatever that has left
  // unfinished. LLVM's recovery makes an error of this; what the linker knows is lost then, and it can't run again.
  static bool canRun = true;
  std::string out, messages = canRun ? "" : "the linker has stopped before";
  if (canRun) {
    llvm::raw_string_ostream outStream(out), messageStream(messages);
    llvm::CrashRecoveryContext::Enable();
    lld::Result result = lld::lldMain(pointers, outStream, messageStream,
                                      {{lld::Gnu, &lld::elf::link}, {lld::Darwin, &lld::macho::link}});
    llvm::CrashRecoveryContext::Disable();
    canRun = result.canRunAgain;
    if (result.retCode == 0)
      return success();
  }
  return error() << "linking the CPU library for " << target.name() << " failed: " << messages, failure();
}
