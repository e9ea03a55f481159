//===- Holds.h - what must hold of a program's inputs ----------*- C++ -*-===//
#ifndef ANE_TRANSFORMS_HOLDS_H
#define ANE_TRANSFORMS_HOLDS_H

#include "ane/IR/ANE.h"

namespace mlir::ane {

/// What must hold of an input of an island, whose bodies are as they will be outlined, for its program to compute what
/// the model says (attrs::holds); null: nothing.
ArrayAttr holdsOf(IslandOp island, unsigned input);

/// How an input that is a mask becomes numbers of fp16 (attrs::maskRows); null: as any other.
DictionaryAttr maskRowsOf(IslandOp island, unsigned input);

} // namespace mlir::ane

#endif // ANE_TRANSFORMS_HOLDS_H
