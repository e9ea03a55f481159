//===- Plan.cpp - kernels and memory of one function ----------------------===//

#include "Plan.h"
#include "RowOps.h"
#include "RowProgram.h"
#include "ane/Support/RegionHash.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

//===-- distinct kernels --------------------------------------------------===//

CodeModule::CodeModule(MLIRContext *context) : module(ModuleOp::create(UnknownLoc::get(context))) {}

std::optional<KernelCode> CodeModule::find(KernelOp op, const TileTable &tiles, ArrayAttr seen) const {
  auto [first, last] = known.equal_range(hashRegion(op.getBody()));
  for (const auto &[hash, other] : llvm::make_range(first, last))
    if (other.tiles == &tiles && other.seen == seen &&
        OperationEquivalence::isRegionEquivalentTo(other.ops.get(), &op.getBody(),
                                                   OperationEquivalence::IgnoreLocations)) {
      KernelCode code = other.code;
      for (auto [in, operand] : llvm::zip_equal(code.inputs, other.operands))
        in.root = op.getInputs()[operand];
      return code;
    }
  return std::nullopt;
}

void CodeModule::keep(KernelOp op, const TileTable &tiles, ArrayAttr seen, const KernelCode &code) {
  // The op goes with its function.
  auto ops = std::make_unique<Region>();
  IRMapping mapping;
  op.getBody().cloneInto(ops.get(), mapping);
  SmallVector<unsigned> operands;
  for (const KernelInput &in : code.inputs)
    operands.push_back(llvm::find(op.getInputs(), in.root) - op.getInputs().begin());
  known.emplace(hashRegion(*ops), Known{&tiles, seen, std::move(ops), code, std::move(operands)});
}

unsigned CodeModule::add(func::FuncOp function, StringRef what) {
  SmallVector<unsigned, 1> &alike = byHash[hashRegion(function.getBody())];
  auto same = llvm::find_if(alike, [&](unsigned number) {
    func::FuncOp other = functions[number];
    return other.getFunctionType() == function.getFunctionType() &&
           other.getArgAttrsAttr() == function.getArgAttrsAttr() &&
           OperationEquivalence::isRegionEquivalentTo(&other.getBody(), &function.getBody(),
                                                      OperationEquivalence::IgnoreLocations);
  });
  if (same != alike.end()) {
    function->erase();
    return *same;
  }
  alike.push_back(names.size());
  functions.push_back(function);
  // Named by what it computes, not by its number: a kernel is the same in another model (KernelCache.h).
  std::string text;
  llvm::raw_string_ostream(text) << function;
  names.push_back(llvm::formatv("{0}_{1:x-16}", what, llvm::xxh3_64bits(text)));
  function.setName(names.back());
  return alike.back();
}

//===-- planner -----------------------------------------------------------===//

namespace {

class Planner {
public:
  Planner(func::FuncOp function, const HostOptions &options, const TileTable &tiles, const ByteProducts *bytes,
          CodeModule &code, WeightPacker &weights)
      : function(function), options(options), tiles(tiles), bytes(bytes), code(code), weights(weights),
        builder(function.getContext()) {}
  FailureOr<FunctionPlan> run();

private:
  func::FuncOp function;
  const HostOptions &options;
  const TileTable &tiles;
  const ByteProducts *bytes;
  CodeModule &code;
  WeightPacker &weights;
  OpBuilder builder;
  FunctionPlan plan;

  /// Position in args of arguments and of the roots that results are written from.
  DenseMap<Value, unsigned> argumentOf;
  /// Arena buffers by root; `buffers` is filled in step order.
  DenseMap<Value, unsigned> bufferOf;
  SmallVector<Lifetime> buffers;
  /// What is changed in place, and by what result.
  DenseMap<Value, Value> becomes;
  /// Arena addresses refer to `buffers` until the arena is planned.
  std::vector<SmallVector<std::pair<unsigned, unsigned>>> patches;

  FloatType computeType() { return options.f64 ? builder.getF64Type() : builder.getF32Type(); }
  Type bufferType(Value root);
  uint64_t bytesOf(Value root);
  unsigned newBuffer(uint64_t bytes, unsigned step);
  LogicalResult add(KernelContext &context, KernelOp op);
  ArrayAttr seenBy(KernelContext &context, KernelOp op);
  FailureOr<KernelCode> codeOf(KernelContext &context, KernelOp op);
  FailureOr<Kernel> emit(KernelContext &context, KernelOp op);
};

} // namespace

/// `root` is outside of kernels, or is written by one.
Type Planner::bufferType(Value root) {
  if (auto kernel = dyn_cast<KernelOp>(root.getParentBlock()->getParentOp()))
    root = kernel.getResult(llvm::find(kernel.getWritten(), root) - kernel.getWritten().begin());
  Type element = elementOf(root);
  if (argumentOf.count(root) || !isa<FloatType>(element) || element.isF64())
    return Scalar::memoryType(element);
  return computeType();
}

uint64_t Planner::bytesOf(Value root) {
  return numElements(shapeOf(root)) * (bufferType(root).getIntOrFloatBitWidth() / 8);
}

unsigned Planner::newBuffer(uint64_t bytes, unsigned step) {
  buffers.push_back({bytes, step, step});
  return buffers.size() - 1;
}

/// For profilers: the first ops, without repetitions.
static std::string nameOf(KernelOp op) {
  if (op.getKind() == KernelKind::Copy)
    return "copy";
  llvm::SmallSetVector<StringRef, 4> names;
  for (Operation *part : op.getComputation()) {
    auto recurrence = dyn_cast<RecurrenceOp>(part);
    if (names.size() < 4)
      names.insert(recurrence ? stringifyRecurrenceKind(recurrence.getKind()) : part->getName().stripDialect());
  }
  return llvm::join(names, "_");
}

FailureOr<Kernel> Planner::emit(KernelContext &context, KernelOp op) {
  SmallVector<Operation *> ops = op.getComputation();
  bool isDouble = !ops.empty() && elementOf(ops.front()->getResult(0)).isF64();
  context.compute = isDouble ? builder.getF64Type() : context.base;
  FailureOr<RowProgram> program = failure();
  switch (op.getKind()) {
  case KernelKind::Copy:
    program = buildCopyProgram(op.getWritten().front());
    break;
  case KernelKind::Elementwise:
  case KernelKind::Row:
    program = buildRowProgram(ops, {}, ValueRange(op.getWritten()));
    break;
  case KernelKind::Product:
  case KernelKind::Depthwise:
    return emitProductKernel(context, op);
  default:
    return emitLoopKernel(context, ops.front());
  }
  if (failed(program))
    return op.emitOpError("can't be expressed as one sweep over rows");
  return emitRowKernel(context, op.getLoc(), *program);
}

/// What emitters learn from outside of a kernel: which buffers it reads and writes, and of constants what they ask.
/// Null if it reads through views outside, which no pass leaves there.
ArrayAttr Planner::seenBy(KernelContext &context, KernelOp op) {
  SmallVector<Attribute> seen{op.getKindAttr(), builder.getBoolAttr(op.getInPlace())};
  if (bytes)
    seen.push_back(builder.getStrArrayAttr({bytes->addQuads, bytes->multiplyPairs}));
  for (Value operand : op.getInputs()) {
    Operation *producer = operand.getDefiningOp();
    if (isView(producer))
      return {};
    seen.push_back(TypeAttr::get(bufferType(operand)));
    seen.push_back(builder.getDenseI64ArrayAttr(memoryOrder(operand)));
    if (!isWeight(producer))
      continue;
    seen.push_back(TypeAttr::get(context.storageType(operand)));
    if (ConstexprBlocksOp blocks = blocksOf(operand))
      seen.push_back(blocks.getFormatAttr());
    else if (splatConstant(operand))
      seen.push_back(cast<ConstOp>(producer).getValue());
  }
  for (Value result : op.getResults())
    seen.push_back(TypeAttr::get(bufferType(result)));
  return builder.getArrayAttr(seen);
}

FailureOr<KernelCode> Planner::codeOf(KernelContext &context, KernelOp op) {
  ArrayAttr seen = seenBy(context, op);
  if (std::optional<KernelCode> known = seen ? code.find(op, tiles, seen) : std::nullopt)
    return std::move(*known);
  builder.setInsertionPointToEnd(code.module->getBody());
  FailureOr<Kernel> kernel = emit(context, op);
  if (failed(kernel))
    return failure();
  ++code.emitted;
  KernelCode made{code.add(kernel->function, nameOf(op)), std::move(kernel->inputs), kernel->scratchBytes,
                  kernel->isRounded};
  bool isOfOperands = llvm::all_of(made.inputs, [&](auto &in) { return llvm::is_contained(op.getInputs(), in.root); });
  if (seen && isOfOperands)
    code.keep(op, tiles, seen, made);
  return made;
}

LogicalResult Planner::add(KernelContext &context, KernelOp op) {
  FailureOr<KernelCode> kernel = codeOf(context, op);
  if (failed(kernel))
    return failure();
  unsigned step = plan.calls.size();
  Call call;
  call.kernel = kernel->number;
  plan.isRounded |= kernel->isRounded;
  patches.emplace_back();
  auto place = [&](Value root) {
    while (Value result = becomes.lookup(root))
      root = result;
    if (auto it = argumentOf.find(root); it != argumentOf.end()) {
      call.arguments.push_back({Address::Argument, it->second});
      return;
    }
    auto [it, isNew] = bufferOf.try_emplace(root, 0);
    if (isNew)
      it->second = newBuffer(bytesOf(root), step);
    buffers[it->second].last = step;
    patches.back().push_back({call.arguments.size(), it->second});
    call.arguments.push_back({Address::Arena, 0});
  };
  for (const KernelInput &in : kernel->inputs) {
    if (!in.weight) {
      place(in.root);
      continue;
    }
    FailureOr<uint64_t> offset = weights.pack(in.root, *in.weight);
    if (failed(offset))
      return failure();
    call.arguments.push_back({Address::Weights, *offset});
  }
  for (Value result : op.getResults())
    place(result);
  if (kernel->scratchBytes) {
    patches.back().push_back({call.arguments.size(), newBuffer(kernel->scratchBytes, step)});
    call.arguments.push_back({Address::Arena, 0});
  }
  plan.calls.push_back(std::move(call));
  return success();
}

FailureOr<FunctionPlan> Planner::run() {
  HostFunction &signature = plan.signature;
  signature.name = signature.symbol = function.getName().str();
  auto tensorOf = [](Value v) { return HostTensor{elementOf(v), llvm::to_vector(shapeOf(v))}; };
  for (BlockArgument argument : function.getArguments()) {
    argumentOf[argument] = argumentOf.size();
    signature.inputs.push_back(tensorOf(argument));
  }
  for (Value result : function.getBody().front().getTerminator()->getOperands()) {
    if (numElements(shapeOf(result)) != 0) // else nothing is written
      argumentOf[trace(result).root] = signature.inputs.size() + signature.outputs.size();
    signature.outputs.push_back(tensorOf(result));
  }

  builder.setInsertionPointToEnd(code.module->getBody());
  KernelContext context{builder,
                        computeType(),
                        computeType(),
                        tiles,
                        options.weights,
                        bytes,
                        options.activations == ActivationKind::Int8,
                        [&](Value v) { return bufferType(v); }};
  for (KernelOp op : function.getOps<KernelOp>()) {
    if (!op.getInPlace())
      continue;
    Value data = op.getScattered(), result = op.getResult(0);
    if (bufferType(data) == bufferType(result))
      becomes[data] = result;
    else
      op.setInPlace(false);
  }
  for (KernelOp op : function.getOps<KernelOp>()) {
    // Nothing is written.
    bool isEmpty = op.getKind() == KernelKind::Copy && numElements(shapeOf(op.getResult(0))) == 0;
    if (!isEmpty && failed(add(context, op)))
      return failure();
  }
  signature.arenaBytes = planArena(buffers);
  for (auto [call, patch] : llvm::zip_equal(plan.calls, patches))
    for (auto [argument, buffer] : patch)
      call.arguments[argument].value = buffers[buffer].offset;
  return std::move(plan);
}

FailureOr<FunctionPlan> host::planFunction(func::FuncOp function, const HostOptions &options, const TileTable &tiles,
                                           const ByteProducts *bytes, CodeModule &code, WeightPacker &weights) {
  return Planner(function, options, tiles, bytes, code, weights).run();
}
