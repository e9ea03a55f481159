// Any bytes are imported or refused with a message: no crash, no undefined behaviour, no unbounded memory.
#include "ane/IR/ANE.h"
#include "ane/Import/ONNX.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;

/// The importer maps files, so the bytes become one, without a name in the file system.
static std::string fileOf(const uint8_t *data, size_t size, int &descriptor) {
  descriptor = memfd_create("model", 0);
  if (descriptor < 0 || write(descriptor, data, size) != static_cast<ssize_t>(size))
    std::abort();
  return "/proc/self/fd/" + std::to_string(descriptor);
}

static void check(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "onnx_fuzz: %s\n", what);
  std::abort();
}

/// A context keeps all attributes it has seen, and files that it mapped: a new one now and then. Making it takes longer
/// than most imports.
static MLIRContext &contextOfNow() {
  static std::unique_ptr<MLIRContext> context;
  static unsigned imports = 0;
  if (imports++ % 64 == 0) {
    context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
    context->loadDialect<mlir::ane::ANEDialect, func::FuncDialect>();
  }
  return *context;
}

/// Returns whether the model was imported.
static bool import(const std::string &path, const mlir::ane::ONNXImportOptions &options) {
  MLIRContext &context = contextOfNow();
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  FailureOr<OwningOpRef<ModuleOp>> module = mlir::ane::importONNX(path, options, &context);
  if (failed(module))
    check(errors == 1, "a refused model gives exactly one error");
  else
    check(errors == 0 && succeeded(verify(**module)), "an imported model is a valid module");
  return succeeded(module);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int descriptor = -1;
  std::string path = fileOf(data, size, descriptor);
  mlir::ane::ONNXImportOptions none, dims;
  check(dims.addDim("n=2").empty() && dims.addDim("m=3").empty(), "dimensions are refused");
  // Names of dimensions that a model lacks are an error.
  if (!import(path, none))
    import(path, dims);
  close(descriptor);
  return 0;
}
