//===- Translate.h - the body of ane-translate -----------------*- C++ -*-===//
#ifndef ANE_TOOLS_TRANSLATE_H
#define ANE_TOOLS_TRANSLATE_H

#include "mlir/Support/LLVM.h"

namespace mlir::ane {
/// Parses the command line and translates; for toolMain().
LogicalResult translate(int argc, char **argv);

/// Registers `--onnx-to-ane` and its options `--dim`, `--shape`, `--value`.
void registerONNXTranslation();
} // namespace mlir::ane

#endif // ANE_TOOLS_TRANSLATE_H
