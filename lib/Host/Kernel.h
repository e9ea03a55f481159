//===- Kernel.h - one function of generated code ---------------*- C++ -*-===//
#ifndef ANE_LIB_HOST_KERNEL_H
#define ANE_LIB_HOST_KERNEL_H

#include "Access.h"
#include "RowProgram.h"
#include "WeightBlocks.h"
#include "ane/Host/Host.h"
#include "ane/Host/HostDialect.h"

namespace mlir::ane::host {

/// A register tile of a matrix product: rows x vectors of columns. `cost`: time of a multiplication relative to
/// the fastest tile's.
struct RegisterTile {
  int64_t lanes, vectors, rows;
  double cost;

  int64_t columns() const { return lanes * vectors; }
};

/// What a machine's registers hold: one table per family of processors (Targets.cpp). Nothing else knows the machine.
struct TileTable {
  /// Lanes (f32) of a register.
  int64_t registerLanes = 8;
  /// Tiles with 12 sums, which with a row's element and the weights fill 16 registers (cpu-codegen.md 3 and 8: 6x16 on
  /// AVX2). Narrow ones are for few columns; they load more per multiplication. The columns decide how weights are
  /// packed: machines whose tables have the same columns and costs share the packed weights.
  std::vector<RegisterTile> tiles{{8, 2, 6, 1.0}, {8, 3, 4, 1.02}, {8, 1, 12, 1.12}};
  /// Rows of a tile whose weights stay in blocks (BlockProduct.cpp): two integer sums for each row and vector of
  /// columns.
  int64_t blockRows = 2;
  /// Sums that stay in registers where few rows meet what is read only once.
  int64_t sums = 12;
  /// Rows of a depthwise tile: sums of 2 vectors and the weights of a tap stay in registers.
  int64_t depthwiseRows = 4;
  /// Lanes of a row program's vectors (f32).
  int64_t lanes = 16;
  /// First- and second-level cache of a core.
  int64_t innerCacheBytes = 32 * 1024, cacheBytes = 1 << 20;
  /// Bytes that a thread may take from its stack.
  int64_t stackBytes = 256 * 1024;
  /// The intrinsic of LLVM that multiplies registers of 16-bit integers and adds each product to its neighbour's;
  /// empty: there is none, and LLVM finds the instructions for products that stay apart.
  StringRef multiplyPairs = "llvm.x86.avx2.pmadd.wd";

  int64_t registerLanesOf(FloatType type) const { return scaled(registerLanes, type); }
  int64_t lanesOf(FloatType type) const { return scaled(lanes, type); }
  static int64_t scaled(int64_t lanes, FloatType type) { return lanes * 32 / std::max(32u, type.getWidth()); }
};

/// How a machine multiplies integers of 8 bits and adds four products in 32 bits (RoundedProduct.cpp), as intrinsics of
/// LLVM. Without any, LLVM finds the instructions for products that stay apart.
struct ByteProducts {
  /// Adds the products of four bytes to their 32 bits.
  StringRef addQuads;
  /// Else: multiplies bytes and adds two products in 16 bits, which saturate; TileTable::multiplyPairs adds those.
  StringRef multiplyPairs;
  /// Whether the bytes of the weight are taken as unsigned.
  bool isUnsigned = false;
};

/// How the data of a constant is laid out in the weight file.
struct WeightLayout {
  /// Dense: the constant as it is. Panels: [batch][ceil(n/columns)][k..][columns], the view (batch, k.., n) of the
  /// constant; columns beyond n are 0. Blocks: as WeightBlocks packs that view.
  enum Kind { Dense, Panels, Blocks } kind = Dense;
  Access view;
  int64_t columns = 0;
  Type storage; // Blocks: bytes
  std::optional<WeightBlocks> blocks = std::nullopt;

  /// Elements of type `storage` in the file.
  int64_t count() const;
};

/// An input of a kernel: a buffer named by the value it holds, or a constant in some layout.
struct KernelInput {
  Value root;
  std::optional<WeightLayout> weight;
};

/// One call of a kernel. The function's arguments are inputs, outputs, then (if scratchBytes is not 0) scratch memory.
struct Kernel {
  func::FuncOp function;
  SmallVector<KernelInput> inputs;
  SmallVector<Value> outputs;
  int64_t scratchBytes = 0;
  /// Whether rows are rounded to 8 bits.
  bool isRounded = false;
};

/// The floats of 16 bits that the constant `root` is in fp32, if it is nothing but that; null otherwise.
Value widenedBy(Value root);

/// Everything the emitters share.
struct KernelContext {
  OpBuilder &builder;
  /// What floats other than f64 are computed in.
  FloatType base;
  /// What the kernel's product or loops are computed in: `base`, or f64 where they are of f64.
  FloatType compute;
  TileTable tiles;
  WeightKind weights;
  /// Rows that meet weights in blocks are multiplied as bytes; null: the machine has nothing for bytes of exact rows.
  const ByteProducts *bytes;
  /// Those rows are rounded to 8 bits.
  bool isRounding;
  /// Element type of the buffer that holds `root`: the ABI's for arguments and results of the function, else the
  /// compute type or a plain integer.
  std::function<Type(Value root)> bufferType;

  /// Element type of a constant in the weight file.
  Type storageType(Value constant) const;
};

/// A kernel function under construction: 1-D memref arguments by root.
class KernelBuilder {
public:
  KernelBuilder(KernelContext &context, Location loc) : context(context), loc(loc) {}
  /// Adds an input unless it is there already. `weight` must be given for constants that are not read densely.
  void addInput(Value root, std::optional<WeightLayout> weight = std::nullopt);
  void addOutput(Value result);
  /// Memory that lasts for the call, at a multiple of 64 bytes.
  void addScratch(int64_t bytes) { kernel.scratchBytes = bytes; }
  /// Creates the (empty) function and enters it.
  void begin();
  Kernel finish();

  KernelContext &context;
  Location loc;
  Kernel kernel;
  DenseMap<Value, Value> inputs;
  SmallVector<Value> outputs;
  Value scratch; // bytes; null without any
};

/// Loops with this mark get a function for their body: its stack buffers are freed after each iteration, and its
/// pointers are known not to alias.
inline constexpr StringLiteral outlineMark = "host.outline";

/// The number of a kernel's job, on its module.
inline constexpr StringLiteral jobMark = "host.job";

/// for (i = 0; i < count; ++i) body(i), on all threads if `work` (a rough count of cycles) is worth it.
void parallelFor(OpBuilder &b, Location loc, int64_t count, int64_t work, function_ref<void(OpBuilder &, Value)> body);

/// The indices of element `linear` of a row-major index space.
SmallVector<Value> delinearize(OpBuilder &b, Location loc, Value linear, ArrayRef<int64_t> shape);

/// Emits the kernel of a row program.
FailureOr<Kernel> emitRowKernel(KernelContext &context, Location loc, const RowProgram &program);

/// Whether a convolution has constant weights and computed data.
bool hasConstantWeight(Operation *conv);
/// Convolutions without padding and bias whose weights can be packed: one kernel for one filter per channel, one for
/// all others.
bool isDepthwiseConv(Operation *op);
bool isDirectConv(Operation *op);
/// The same for transposed convolutions whose windows don't overlap.
bool isDirectTransposed(Operation *op);
/// Emits a depthwise convolution and the row program that follows it.
FailureOr<Kernel> emitDepthwiseKernel(KernelContext &context, Operation *op, const RowProgram &program);

/// Product or Depthwise if `op` is a matrix product or convolution of that kind.
std::optional<KernelKind> productKind(Operation *op);
/// Emits a kernel of kind Product or Depthwise: the product and the element-wise ops that follow it.
FailureOr<Kernel> emitProductKernel(KernelContext &context, KernelOp op);

/// The kind of the kernel with loops of its own that `op` has, if it has one.
std::optional<KernelKind> loopKind(Operation *op);
/// Emits the kernel of an op that has a loopKind(); an error names what can't be lowered.
FailureOr<Kernel> emitLoopKernel(KernelContext &context, Operation *op);

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_KERNEL_H
