//===- Host.h - native code for CPU functions ------------------*- C++ -*-===//
//
// Compiles functions of canonical `ane` ops ahead of time into one shared library per target, which follows
// runtime/include/ane/runtime/host_abi.h: it imports no symbol, its weights lie in files that the loader maps, and its
// intermediate values in an arena that the caller gives. Inputs and outputs are dense row-major tensors.
//
// How: ops are clustered into kernels (a matrix product with the element-wise ops that follow it; sweeps over rows,
// with reductions, gathers and element-wise ops; any other op by itself, as plain loops). Kernels with equal code are
// one kernel, whatever functions call it, with weights as arguments; all are compiled side by side, each to an object
// file of its own. A driver per function calls them with addresses planned by liveness.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_HOST_HOST_H
#define ANE_HOST_HOST_H

#include "ane/Host/HostTarget.h"
#include "ane/IR/ANE.h"
#include <functional>
#include <string>
#include <vector>

namespace mlir::ane {

/// Storage of float weights: as in the model, or rounded to fp16 (half the memory traffic; large tensors only).
enum class WeightKind { Source, Fp16 };

/// What products with weights in blocks of integers make of their other operand: as it is, or rounded to integers of 8
/// bits for each run of steps that shares a scale in the weight.
enum class ActivationKind { Exact, Int8 };

/// Makes the bytes of a packed tensor, in order, until the receiver returns false. Reads no IR and may be called later
/// and on another thread.
using HostWeightBytes = std::function<void(function_ref<bool(ArrayRef<char>)> receive)>;

/// Where packed weights go. Implemented on a MIL blob file (BlobSink.h).
class HostWeightSink {
public:
  virtual ~HostWeightSink() = default;
  /// Enters a tensor of `bytes` bytes and returns the offset of its first byte in the file, a multiple of 64.
  virtual uint64_t add(Type elementType, uint64_t bytes, HostWeightBytes make) = 0;
  /// All tensors are entered; code generation, which takes a while, begins.
  virtual void complete() {}
};

struct HostOptions {
  /// Machines to compile for, one library each; weights are shared where their layouts agree.
  std::vector<const HostTarget *> targets;
  /// Compute in double: the reference build of the tests. Inputs, outputs and weights keep their types.
  bool f64 = false;
  /// Compute what is float64 in the model in single, too.
  bool f32 = false;
  WeightKind weights = WeightKind::Source;
  ActivationKind activations = ActivationKind::Exact; // f64 ignores it
  /// Index of the weight file in the manifest's host_weights.
  unsigned weightFile = 0;
  /// Returns the path of a target's library.
  std::function<std::string(const HostTarget &target)> libraryPath;
  /// If set, hears how many of all kernels are compiled; called on any thread, but not twice at a time.
  std::function<void(size_t done, size_t all)> progress;
  /// Folder with objects of kernels that were compiled before, and where new ones are put; empty for none.
  std::string kernelCache;
  /// If set, prints the distinct kernels (vector, scf, memref) of each target and generates no code; for tests.
  llvm::raw_ostream *printKernels = nullptr;
};

/// A tensor of a function's signature.
struct HostTensor {
  Type elementType;
  SmallVector<int64_t> shape;
};

struct HostFunction {
  std::string name, symbol;
  std::vector<HostTensor> inputs, outputs;
  uint64_t arenaBytes = 0;
};

struct HostLibrary {
  const HostTarget *target;
  std::string path;
  /// Whether it has products that round: ActivationKind::Int8.
  bool isRounded = false;
};

struct HostBuild {
  std::vector<HostFunction> functions;
  std::vector<HostLibrary> libraries;
  /// Distinct kernels and calls of kernels of the first target, bytes of packed weights: for the report.
  uint64_t kernels = 0, calls = 0, weightBytes = 0;
  /// Kernels, of all targets, whose code was emitted, equal ones as often as that was.
  uint64_t kernelsEmitted = 0;
  /// Kernels, of all targets, that `kernelCache` had.
  uint64_t kernelsFromCache = 0;
};

/// Compiles `functions` of `module`. An error names the op, its types and the model's node, and nothing is left behind.
FailureOr<HostBuild> compileHost(ModuleOp module, ArrayRef<func::FuncOp> functions, const HostOptions &options,
                                 HostWeightSink &sink);

} // namespace mlir::ane

#endif // ANE_HOST_HOST_H
