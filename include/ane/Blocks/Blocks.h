//===- Blocks.h - constants in the blocks of model files -------*- C++ -*-===//
//
// An op of the ane dialect (include/ane/IR/Ops/Blocks.td) that few files name.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_BLOCKS_BLOCKS_H
#define ANE_BLOCKS_BLOCKS_H

#include "ane/IR/ANE.h"

#include "ane/Blocks/BlockType.h.inc"

#define GET_OP_CLASSES
#include "ane/Blocks/BlockOps.h.inc"

#endif // ANE_BLOCKS_BLOCKS_H
