//===- Blocks.cpp - constants in the blocks of model files ----------------===//

#include "runtime/format/gguf/blocks.h"
#include "ane/IR/ANE.h"
#include "ane/IR/Dtype.h"
#include "ane/IR/Inference.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::ane;

#include "ane/IR/BlockType.cpp.inc"

LogicalResult ConstexprBlocksOp::inferReturnTypes(MLIRContext *context, OptionalLoc loc, Adaptor adaptor,
                                                  Types &types) {
  auto element = parseDtypeName(context, adaptor.getOutputDtype(), loc, "output_dtype");
  if (failed(element))
    return failure();
  if (!element->isF32() && !element->isF16())
    return emitOptionalError(loc, "output_dtype is '", adaptor.getOutputDtype(), "', expected fp32 or fp16");
  auto info = ::ane::rt::gguf::blockInfo(static_cast<uint32_t>(adaptor.getFormat()));
  assert(info && "the reader has all types of the attribute");
  SmallVector<int64_t> shape(tensorOf(adaptor.getData()).getShape());
  if (shape.empty() || shape.back() % info->bytes != 0)
    return emitOptionalError(loc, "data [", shape, "] does not end in whole blocks: one of ",
                             stringifyBlockType(adaptor.getFormat()), " has ", info->bytes, " bytes");
  shape.back() = shape.back() / info->bytes * info->elements;
  types.push_back(RankedTensorType::get(shape, *element));
  return success();
}
