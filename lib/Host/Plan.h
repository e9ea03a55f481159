//===- Plan.h - steps and memory of a host function ------------*- C++ -*-===//
#ifndef ANE_LIB_HOST_PLAN_H
#define ANE_LIB_HOST_PLAN_H

#include "Kernel.h"
#include "ane/Host/WeightIndex.h"
#include "mlir/IR/BuiltinAttributes.h"
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
  bool isRounded = false; // by a kernel that it calls
};

/// What a call of a kernel needs to know of its code.
struct KernelCode {
  unsigned number; // index into CodeModule::names
  SmallVector<KernelInput> inputs;
  int64_t scratchBytes;
  bool isRounded;
};

/// The distinct kernels of a build, of all its functions and machines.
class CodeModule {
public:
  explicit CodeModule(MLIRContext *context);
  /// The code of a kernel of the same ops, for the same registers, where operands and results were `seen` alike, if
  /// there is one. What is alike in layers and functions of a model is so emitted once.
  std::optional<KernelCode> find(KernelOp op, const TileTable &tiles, ArrayAttr seen) const;
  /// Keeps `code`, whose inputs are operands of `op`, for later calls of find().
  void keep(KernelOp op, const TileTable &tiles, ArrayAttr seen, const KernelCode &code);
  /// The number of the kernel whose code equals `function`'s, which is erased if there is one and kept otherwise. Its
  /// name is `what` and a hash of its code.
  unsigned add(func::FuncOp function, StringRef what);

  OwningOpRef<ModuleOp> module;
  std::vector<std::string> names;
  /// Kernels that were emitted; equal ones count each time.
  unsigned emitted = 0;

private:
  struct Known {
    const TileTable *tiles;
    ArrayAttr seen;
    std::unique_ptr<Region> ops;
    KernelCode code;
    SmallVector<unsigned> operands; // for each input, its number among the operands
  };
  std::unordered_multimap<size_t, Known> known; // by hash of the ops
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

/// Emits and places the kernels of `function`. Adds kernels to `code` and constants to `weights`. `bytes` as in
/// KernelContext.
FailureOr<FunctionPlan> planFunction(func::FuncOp function, const HostOptions &options, const TileTable &tiles,
                                     const ByteProducts *bytes, CodeModule &code, WeightPacker &weights);

/// A buffer that lives from step `first` to step `last` inclusive.
struct Lifetime {
  uint64_t bytes;
  unsigned first, last;
  uint64_t offset = 0;
};
/// Sets the offset of each buffer in the arena; returns the arena's bytes.
uint64_t planArena(MutableArrayRef<Lifetime> buffers);

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_PLAN_H
