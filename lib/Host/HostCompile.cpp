//===- HostCompile.cpp - pass that compiles CPU functions -----------------===//

#include "ane/Host/BlobSink.h"
#include "ane/Host/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

namespace mlir::ane {
#define GEN_PASS_DEF_HOSTCOMPILE
#include "ane/Host/HostPasses.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static llvm::json::Array tensors(ArrayRef<HostTensor> list) {
  llvm::json::Array result;
  for (const HostTensor &tensor : list) {
    std::string type;
    llvm::raw_string_ostream(type) << tensor.elementType;
    result.push_back(llvm::json::Object{{"dtype", type}, {"shape", llvm::json::Array(tensor.shape)}});
  }
  return result;
}

namespace {
/// Only counts offsets: printing needs no weights.
struct NullSink : HostWeightSink {
  uint64_t size = 0;
  uint64_t add(Type, uint64_t bytes, HostWeightBytes) override {
    uint64_t offset = size;
    size += llvm::alignTo(bytes, 64);
    return offset;
  }
};

struct HostCompile : mlir::ane::impl::HostCompileBase<HostCompile> {
  using HostCompileBase::HostCompileBase;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run() {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    HostOptions options;
    std::string wrong;
    auto targets = findHostTargets({host}, /*onePerTriple=*/false, wrong);
    if (failed(targets))
      return module.emitError() << "option 'host': " << wrong;
    if (targets->size() != 1)
      return module.emitError() << "option 'host' is '" << host << "', must name one machine";
    options.targets = *targets;
    options.f64 = doublePrecision;
    options.f32 = singlePrecision;
    if (weights != "source" && weights != "fp16")
      return module.emitError() << "option 'weights' is '" << weights << "', must be source or fp16";
    options.weights = weights == "fp16" ? WeightKind::Fp16 : WeightKind::Source;
    if (activations != "exact" && activations != "int8")
      return module.emitError() << "option 'activations' is '" << activations << "', must be exact or int8";
    options.activations = activations == "int8" ? ActivationKind::Int8 : ActivationKind::Exact;
    if (printKernels) {
      NullSink sink;
      options.printKernels = &llvm::outs();
      return LogicalResult(compileHost(module, functions, options, sink));
    }
    auto path = [&](StringRef name) {
      SmallString<128> full(outputDir.getValue());
      llvm::sys::path::append(full, name);
      return full.str().str();
    };
    if (std::error_code code = llvm::sys::fs::create_directories(outputDir.getValue()))
      return module.emitError() << "can't create folder '" << outputDir << "': " << code.message();
    options.libraryPath = [&](const HostTarget &) { return path("host.so"); };
    HostBlobSink sink(path("host.bin"));
    FailureOr<HostBuild> build = compileHost(module, functions, options, sink);
    if (failed(build))
      return failure();
    if (auto file = sink.wait(); !file.ok())
      return module.emitError() << std::string(file.status().message());
    return writeDescription(path("host.json"), *build);
  }

  LogicalResult writeDescription(const std::string &path, const HostBuild &build) {
    llvm::json::Array functions;
    for (const HostFunction &function : build.functions)
      functions.push_back(llvm::json::Object{{"name", function.name},
                                             {"symbol", function.symbol},
                                             {"inputs", tensors(function.inputs)},
                                             {"outputs", tensors(function.outputs)},
                                             {"arena_bytes", function.arenaBytes}});
    llvm::json::Object root{{"functions", std::move(functions)},
                            {"kernels", build.kernels},
                            {"calls", build.calls},
                            {"weight_bytes", build.weightBytes}};
    std::error_code code;
    llvm::raw_fd_ostream stream(path, code);
    if (code)
      return getOperation().emitError() << "can't write '" << path << "': " << code.message();
    stream << llvm::formatv("{0:2}", llvm::json::Value(std::move(root))) << '\n';
    return success();
  }
};
} // namespace
