//===- ConstantBlocks.h - constants as the blocks of a file ----*- C++ -*-===//
//
// A buffer may hold fp32 elements as the blocks in which a model file has them (ane.constexpr_blocks): the encoding of
// its type says in which.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_IR_CONSTANTBLOCKS_H
#define ANE_LIB_IR_CONSTANTBLOCKS_H

#include "ane/IR/ANE.h"
#include "ane/IR/ConstantEval.h"

namespace mlir::ane {

/// The type of a buffer whose bytes are blocks with the elements of `type`.
RankedTensorType typeOfBlocks(RankedTensorType type, BlockType format);

/// The format of a buffer's blocks; nothing if it holds elements.
std::optional<BlockType> formatOf(const ConstantBuffer &buffer);

/// The elements of the whole blocks that elements `first` to `last` are in. `first` becomes the first of them.
std::vector<float> expandBlocks(const ConstantBuffer &blocks, int64_t &first, int64_t last);

/// All elements.
ConstantBuffer expandedBlocks(const ConstantBuffer &blocks);

} // namespace mlir::ane

#endif // ANE_LIB_IR_CONSTANTBLOCKS_H
