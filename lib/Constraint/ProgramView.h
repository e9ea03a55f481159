//===- ProgramView.h - a body that is to run on the engine -----*- C++ -*-===//
//
// Records of scope PerProgram are evaluated on the owner of the body: a procedure of ane.program, or ane.island before
// it is outlined. This reads both alike.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_CONSTRAINT_PROGRAMVIEW_H
#define ANE_LIB_CONSTRAINT_PROGRAMVIEW_H

#include "CheckHelpers.h"

namespace mlir::ane {

class ProgramView {
public:
  explicit ProgramView(Operation *owner);

  /// An argument or a result of the body.
  struct Port {
    bool isInput;
    unsigned index;
    RankedTensorType type;
    std::string name;    // "ane.name" of a procedure; empty before names are assigned
    SurfaceAttr surface; // "ane.surface"; null before surfaces are assigned

    /// "input 'in00'" or "input 0".
    std::string subject() const;
    /// Bytes of the last axis, without padding.
    int64_t rowBytes() const;
    /// Bytes of the tensor, without padding.
    int64_t tensorBytes() const;
  };

  Block &body() const { return *block; }
  OperandRange results() const { return block->getTerminator()->getOperands(); }
  llvm::ArrayRef<Port> inputs() const { return inputPorts; }
  llvm::ArrayRef<Port> outputs() const { return outputPorts; }
  /// Inputs, then outputs.
  llvm::SmallVector<Port> ports() const;
  /// Bytes in fp16 of the constants that computed ops read, each counted once.
  int64_t weightBytes() const { return weightBytesOf({block}); }

  /// The bodies of all procedures of the program, which is loaded as a whole; none, but for the first procedure: what
  /// is said of the program, is said there.
  llvm::SmallVector<Block *> programBodies() const;
  static int64_t weightBytesOf(llvm::ArrayRef<Block *> bodies);

private:
  Operation *owner;
  Block *block;
  llvm::SmallVector<Port> inputPorts, outputPorts;
};

} // namespace mlir::ane

#endif // ANE_LIB_CONSTRAINT_PROGRAMVIEW_H
