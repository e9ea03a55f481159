//===- Plan.h - steps and memory of a host function ------------*- C++ -*-===//
#ifndef ANE_LIB_HOST_PLAN_H
#define ANE_LIB_HOST_PLAN_H

#include "Kernel.h"
#include "ane/Host/WeightIndex.h"
#include "llvm/ADT/StringMap.h"
#include <unordered_map>

namespace mlir::ane::host {

/// Where the bytes of a kernel argument are.
struct Address {
  enum Base { Argument, Arena, Weights } base;
  /// Argument: position in args. Otherwise bytes from the base.
  uint64_t value;
};

struct Call {
  /// Index into CodeModule::names.
  unsigned kernel;
  SmallVector<Address> arguments;
};

struct FunctionPlan {
  HostFunction signature;
  std::vector<Call> calls;
};

/// The distinct kernels of a build, of all its functions and machines.
class CodeModule {
public:
  explicit CodeModule(MLIRContext *context);
  /// The number of the kernel whose code equals `function`'s, which is erased if there is one and kept otherwise. Its
  /// name is `what` and a hash of its code.
  unsigned add(func::FuncOp function, StringRef what);

  OwningOpRef<ModuleOp> module;
  std::vector<std::string> names;

private:
  std::vector<func::FuncOp> functions;
  std::unordered_map<size_t, SmallVector<unsigned, 1>> byHash; // the numbers of functions
};

/// Enters the constants of kernels in the sink, each distinct layout once.
class WeightPacker {
public:
  explicit WeightPacker(HostWeightSink &sink) : sink(sink) {}
  /// Offset of `constant` in layout `weight`.
  FailureOr<uint64_t> pack(Value constant, const WeightLayout &weight);
  uint64_t bytes = 0;
  /// What was entered.
  std::vector<HostWeight> entries;
  /// The function whose kernels come next.
  std::string reader;

private:
  HostWeightSink &sink;
  llvm::StringMap<size_t> byKey; // numbers of entries
};

/// Emits and places the kernels of `function`. Adds kernels to `code` and constants to `weights`.
FailureOr<FunctionPlan> planFunction(func::FuncOp function, const HostOptions &options, const TileTable &tiles,
                                     CodeModule &code, WeightPacker &weights);

/// Offsets of buffers that live from step `first` to step `last` inclusive; returns the arena's bytes.
struct Lifetime {
  uint64_t bytes;
  unsigned first, last;
  uint64_t offset = 0;
};
uint64_t planArena(MutableArrayRef<Lifetime> buffers);

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_PLAN_H
