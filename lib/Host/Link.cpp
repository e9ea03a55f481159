//===- Link.cpp - shared libraries with lld -------------------------------===//

#include "Plan.h"
#include "lld/Common/Driver.h"
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

LogicalResult host::linkLibrary(StringRef object, StringRef path, StringRef triple,
                                function_ref<InFlightDiagnostic()> error) {
  // The linker keeps its state in globals.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  std::string objectPath = object.str(), outputPath = path.str();
  // No undefined symbol may be left: a host library links nothing. No build id: equal input gives equal bytes.
  // The names of kernels stay, for profilers.
  std::vector<const char *> arguments{
      "ld.lld", "-shared", "--no-undefined", "--gc-sections",   "--hash-style=gnu", "--build-id=none",     "-z",
      "now",    "-z",      "noexecstack",    "--threads=1",     "-z",               "separate-loadable-segments",
      "-o",      outputPath.c_str(), objectPath.c_str()};
  std::string out, messages;
  llvm::raw_string_ostream outStream(out), messageStream(messages);
  lld::Result result = lld::lldMain(arguments, outStream, messageStream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode == 0)
    return success();
  return error() << "linking the CPU library for " << triple << " failed: " << messages, failure();
}
