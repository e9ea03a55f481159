//===- Kernel.cpp - parts that all kernels share --------------------------===//

#include "Kernel.h"
#include "RowEmitter.h"
#include "RowOps.h"
#include "ane/IR/ConstantEval.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

Value host::widenedBy(Value root) {
  auto blob = root.getDefiningOp<BlobOp>();
  auto cast = blob ? blob.getBody().front().getTerminator()->getOperand(0).getDefiningOp<CastOp>() : CastOp();
  if (!cast || !elementOf(root).isF32())
    return {};
  Type narrow = elementOf(cast.getX());
  return (narrow.isF16() || narrow.isBF16()) && !isUnrounded(cast.getX()) ? cast.getX() : Value();
}

Type KernelContext::storageType(Value constant) const {
  Type element = elementOf(constant);
  // As exact as the model has it, in half the memory.
  if (Value narrow = widenedBy(constant))
    return elementOf(narrow);
  // Blocks of one element each, which are expanded where they are loaded.
  if (ConstexprBlocksOp blocks = blocksOf(constant); blocks && element.isF32()) {
    if (blocks.getFormat() == BlockType::F16)
      return Float16Type::get(element.getContext());
    if (blocks.getFormat() == BlockType::BF16)
      return BFloat16Type::get(element.getContext());
  }
  // Computed in fp32, as kernels would.
  if (isUnrounded(constant))
    return Float32Type::get(element.getContext());
  bool large = numElements(shapeOf(constant)) >= 1024;
  if (weights == WeightKind::Fp16 && large && element.isF32())
    return Float16Type::get(element.getContext());
  return Scalar::memoryType(element);
}

void KernelBuilder::addInput(Value root, std::optional<WeightLayout> weight) {
  if (llvm::any_of(kernel.inputs, [&](const KernelInput &in) { return in.root == root; }))
    return;
  if (!weight && isWeight(root.getDefiningOp())) {
    weight.emplace();
    weight->view = Access::dense(root);
    weight->storage = context.storageType(root);
  }
  kernel.inputs.push_back({root, std::move(weight)});
}

void KernelBuilder::addOutput(Value result) { kernel.outputs.push_back(result); }

int64_t WeightLayout::count() const {
  if (kind == Dense)
    return view.numElements();
  int64_t n = view.shape.back();
  if (kind == Blocks)
    return llvm::divideCeil(n, WeightBlocks::columns) * blocks->panelBytes(view.shape[1]);
  return view.numElements() / n * llvm::divideCeil(n, columns) * columns;
}

void KernelBuilder::begin() {
  SmallVector<Type> types;
  for (const KernelInput &in : kernel.inputs) {
    if (in.weight)
      types.push_back(MemRefType::get({in.weight->count()}, in.weight->storage));
    else
      types.push_back(MemRefType::get({numElements(shapeOf(in.root))}, context.bufferType(in.root)));
  }
  for (Value out : kernel.outputs)
    types.push_back(MemRefType::get({numElements(shapeOf(out))}, context.bufferType(out)));
  OpBuilder &b = context.builder;
  if (kernel.scratchBytes)
    types.push_back(MemRefType::get({kernel.scratchBytes}, b.getI8Type()));
  kernel.function = b.create<func::FuncOp>(loc, "kernel", b.getFunctionType(types, {}));
  kernel.function.setPrivate();
  Block *entry = kernel.function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  for (auto [i, in] : llvm::enumerate(kernel.inputs))
    inputs[in.root] = entry->getArgument(i);
  for (size_t i = 0; i < kernel.outputs.size(); ++i)
    outputs.push_back(entry->getArgument(kernel.inputs.size() + i));
  if (kernel.scratchBytes)
    scratch = entry->getArguments().back();
}

Kernel KernelBuilder::finish() {
  OpBuilder &b = context.builder;
  b.setInsertionPointToEnd(&kernel.function.getBody().front());
  b.create<func::ReturnOp>(loc);
  b.setInsertionPointAfter(kernel.function);
  return std::move(kernel);
}

void host::parallelFor(OpBuilder &b, Location loc, int64_t count, int64_t work,
                       function_ref<void(OpBuilder &, Value)> body) {
  Value zero = b.create<arith::ConstantIndexOp>(loc, 0);
  if (count == 1) {
    body(b, zero);
    return;
  }
  Value one = b.create<arith::ConstantIndexOp>(loc, 1), end = b.create<arith::ConstantIndexOp>(loc, count);
  // A region costs about as much as 5 us of work (cpu-codegen.md 5).
  constexpr int64_t worthThreads = 40000;
  Operation *loop;
  if (work < worthThreads)
    loop =
        b.create<scf::ForOp>(loc, zero, end, one, ValueRange(), [&](OpBuilder &inner, Location, Value i, ValueRange) {
          body(inner, i);
          inner.create<scf::YieldOp>(loc);
        });
  else
    loop = b.create<scf::ParallelOp>(loc, zero, end, one,
                                     [&](OpBuilder &inner, Location, ValueRange i) { body(inner, i.front()); });
  loop->setAttr(outlineMark, b.getUnitAttr());
}

SmallVector<Value> host::delinearize(OpBuilder &b, Location loc, Value linear, ArrayRef<int64_t> shape) {
  SmallVector<Value> indices(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    if (d == 0) {
      indices[d] = linear;
      break;
    }
    Value size = b.create<arith::ConstantIndexOp>(loc, shape[d]);
    indices[d] = b.create<arith::RemUIOp>(loc, linear, size);
    linear = b.create<arith::DivUIOp>(loc, linear, size);
  }
  return indices;
}

/// A table in blocks of integers that a program takes rows of stays in them, packed as the weight of a product: the
/// embeddings of a language model may be its head's weight.
static std::optional<WeightLayout> tableLayout(KernelContext &context, const RowProgram &program, Value root) {
  if (!context.base.isF32() || shapeOf(root).size() != 2 || !blocksOf(root))
    return std::nullopt;
  for (const RowValue &v : program.values)
    if (!v.access.strides.empty() && v.access.root == root && v.kind != RowValue::Gather)
      return std::nullopt;
  Access view = WeightBlocks::columnsOf(root);
  std::optional<WeightBlocks> blocks = WeightBlocks::of(view);
  if (!blocks)
    return std::nullopt;
  return WeightLayout{WeightLayout::Blocks, view, WeightBlocks::columns, context.builder.getI8Type(), blocks};
}

FailureOr<Kernel> host::emitRowKernel(KernelContext &context, Location loc, const RowProgram &program) {
  KernelBuilder k(context, loc);
  for (Value root : program.inputs())
    k.addInput(root, tableLayout(context, program, root));
  for (const RowOutput &out : program.outputs)
    k.addOutput(out.result);
  k.begin();
  OpBuilder &b = context.builder;
  // A cycle for a cheap value, some more for the others.
  int64_t cost = 0;
  for (const RowValue &v : program.values)
    cost += v.cheap ? 1 : 8;
  ArrayRef<int64_t> rowShape = ArrayRef(program.shape).drop_back();
  bool hasDoubles = llvm::any_of(program.values, [](const RowValue &v) { return v.element.isF64(); });
  int64_t lanes = context.tiles.lanesOf(hasDoubles ? b.getF64Type() : context.base), lanesPerCycle = lanes / 2;
  RowEmitter probe(program, context.base, 1, k.inputs, k.outputs);
  if (probe.needsScalars())
    lanesPerCycle = 1;
  parallelFor(b, loc, program.rows(), program.rows() * (program.lanes() / lanesPerCycle + 4) * cost,
              [&](OpBuilder &inner, Value row) {
                RowEmitter emitter(program, context.base, lanes, k.inputs, k.outputs);
                emitter.emitRow(inner, loc, delinearize(inner, loc, row, rowShape));
              });
  return k.finish();
}
