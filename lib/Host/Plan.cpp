//===- Plan.cpp - kernels and memory of one function ----------------------===//

#include "Plan.h"
#include "Cluster.h"
#include "RowOps.h"
#include "ane/Support/RegionHash.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

//===-- distinct kernels --------------------------------------------------===//

CodeModule::CodeModule(MLIRContext *context) : module(ModuleOp::create(UnknownLoc::get(context))) {}

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
  Planner(func::FuncOp function, const HostOptions &options, const TileTable &tiles, CodeModule &code,
          WeightPacker &weights)
      : function(function), options(options), tiles(tiles), code(code), weights(weights),
        builder(function.getContext()) {}
  FailureOr<FunctionPlan> run();

private:
  func::FuncOp function;
  const HostOptions &options;
  const TileTable &tiles;
  CodeModule &code;
  WeightPacker &weights;
  OpBuilder builder;
  FunctionPlan plan;

  /// Position in args of arguments and of the roots that results are written from.
  DenseMap<Value, unsigned> argumentOf;
  /// Arena buffers by root; `buffers` is filled in step order.
  DenseMap<Value, unsigned> bufferOf;
  SmallVector<Lifetime> buffers;
  /// Arena addresses refer to `buffers` until the arena is planned.
  std::vector<SmallVector<std::pair<unsigned, unsigned>>> patches;
  llvm::DenseSet<Value> computed;

  FloatType computeType() { return options.f64 ? builder.getF64Type() : builder.getF32Type(); }
  Type bufferType(Value root);
  uint64_t bytesOf(Value root);
  unsigned newBuffer(uint64_t bytes, unsigned step);
  LogicalResult materialise(KernelContext &context, Value value);
  LogicalResult addKernel(KernelContext &context, FailureOr<Kernel> kernel, StringRef what);
  FailureOr<Kernel> emit(KernelContext &context, const Cluster &cluster);
};

} // namespace

Type Planner::bufferType(Value root) {
  if (argumentOf.count(root) || !isa<FloatType>(elementOf(root)))
    return Scalar::memoryType(elementOf(root));
  return computeType();
}

uint64_t Planner::bytesOf(Value root) {
  return numElements(shapeOf(root)) * (bufferType(root).getIntOrFloatBitWidth() / 8);
}

unsigned Planner::newBuffer(uint64_t bytes, unsigned step) {
  buffers.push_back({bytes, step, step});
  return buffers.size() - 1;
}

/// Copies the tensor that view op result `value` shows, so that kernels can read it densely.
LogicalResult Planner::materialise(KernelContext &context, Value value) {
  if (numElements(shapeOf(value)) == 0)
    return success();
  RowProgram program;
  Access source = trace(value);
  RowValue load;
  load.kind = RowValue::Load;
  load.element = elementOf(value);
  load.access = source;
  program.values.push_back(load);
  program.shape = llvm::to_vector(shapeOf(value));
  program.outputs.push_back({0, value, denseStrides(shapeOf(value))});
  if (std::optional<double> splat = splatConstant(source.root)) {
    program.values[0].kind = RowValue::Constant;
    program.values[0].constant = *splat;
    program.values[0].perLane = false;
  }
  if (program.shape.empty()) {
    program.shape = program.values[0].access.shape = {1};
    program.values[0].access.strides = program.outputs[0].strides = {1};
  }
  if (failed(program.simplify(0)))
    return failure();
  return addKernel(context, emitRowKernel(context, value.getLoc(), program), "copy");
}

LogicalResult Planner::addKernel(KernelContext &context, FailureOr<Kernel> kernel, StringRef what) {
  if (failed(kernel))
    return failure();
  // What the kernel reads must exist: views that strides can't express are copied first.
  unsigned number = code.add(kernel->function, what);
  builder.setInsertionPointToEnd(code.module->getBody());
  for (const KernelInput &in : kernel->inputs)
    if (!in.weight && isView(in.root.getDefiningOp()) && !computed.contains(in.root))
      if (failed(materialise(context, in.root)))
        return failure();

  unsigned step = plan.calls.size();
  Call call;
  call.kernel = number;
  patches.emplace_back();
  auto place = [&](Value root) {
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
      assert((computed.contains(in.root) || isa<BlockArgument>(in.root)) && "clusters are in order");
      place(in.root);
      continue;
    }
    FailureOr<uint64_t> offset = weights.pack(in.root, *in.weight);
    if (failed(offset))
      return failure();
    call.arguments.push_back({Address::Weights, *offset});
  }
  for (Value out : kernel->outputs) {
    place(out);
    computed.insert(out);
  }
  if (kernel->scratchBytes) {
    patches.back().push_back({call.arguments.size(), newBuffer(kernel->scratchBytes, step)});
    call.arguments.push_back({Address::Arena, 0});
  }
  plan.calls.push_back(std::move(call));
  return success();
}

/// For profilers: the first ops, without repetitions.
static std::string nameOf(const Cluster &cluster) {
  llvm::SmallSetVector<StringRef, 4> names;
  for (Operation *op : cluster.ops)
    if (names.size() < 4)
      names.insert(op->getName().stripDialect());
  return llvm::join(names, "_");
}

FailureOr<Kernel> Planner::emit(KernelContext &context, const Cluster &cluster) {
  Operation *first = cluster.ops.front();
  if (cluster.kind == Cluster::Row) {
    FailureOr<RowProgram> program = buildRowProgram(cluster.ops);
    assert(succeeded(program) && "clusters were built once");
    return emitRowKernel(context, first->getLoc(), *program);
  }
  if (cluster.kind == Cluster::Gemm) {
    FailureOr<Kernel> kernel = emitGemmKernel(context, first, ArrayRef(cluster.ops).drop_front());
    if (succeeded(kernel))
      return kernel;
    // Without the epilogue's ops, which then follow as a row program.
    kernel = emitGemmKernel(context, first, {});
    if (failed(kernel))
      kernel = emitGenericKernel(context, first);
    if (failed(kernel) || cluster.ops.size() == 1)
      return kernel;
    if (failed(addKernel(context, kernel, nameOf({Cluster::Gemm, {first}}))))
      return failure();
    return emit(context, {Cluster::Row, SmallVector<Operation *>(llvm::drop_begin(cluster.ops))});
  }
  return emitGenericKernel(context, first);
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
    argumentOf[trace(result).root] = argumentOf.size();
    signature.outputs.push_back(tensorOf(result));
  }

  builder.setInsertionPointToEnd(code.module->getBody());
  KernelContext context{builder, computeType(), tiles, options.weights, [&](Value v) { return bufferType(v); }};
  for (const Cluster &cluster : formClusters(function)) {
    builder.setInsertionPointToEnd(code.module->getBody());
    if (failed(addKernel(context, emit(context, cluster), nameOf(cluster))))
      return failure();
  }
  for (Value result : function.getBody().front().getTerminator()->getOperands()) {
    Value root = trace(result).root;
    if (!computed.contains(root) && failed(materialise(context, root)))
      return failure();
  }
  signature.arenaBytes = planArena(buffers);
  for (auto [call, patch] : llvm::zip_equal(plan.calls, patches))
    for (auto [argument, buffer] : patch)
      call.arguments[argument].value = buffers[buffer].offset;
  return std::move(plan);
}

FailureOr<FunctionPlan> host::planFunction(func::FuncOp function, const HostOptions &options, const TileTable &tiles,
                                           CodeModule &code, WeightPacker &weights) {
  return Planner(function, options, tiles, code, weights).run();
}
