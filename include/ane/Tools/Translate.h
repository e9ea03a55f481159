//===- Translate.h - the body of ane-translate -----------------*- C++ -*-===//
#ifndef ANE_TOOLS_TRANSLATE_H
#define ANE_TOOLS_TRANSLATE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::ane {
/// Parses the command line and translates; for toolMain().
LogicalResult translate(int argc, char **argv);

/// Registers `--onnx-to-ane` and its options `--dim`, `--shape`, `--value`.
void registerONNXTranslation();

/// Registers `--mlpackage-to-ane` and `--ane-to-mlpackage`. The latter, which has this description, writes a folder, at
/// `output` when it runs, and nothing into the stream that it is given.
void registerCoreMLTranslations(const std::string &output);
inline constexpr llvm::StringLiteral toPackageText = "write an ane program as a package of Core ML: -o NAME.mlpackage";
} // namespace mlir::ane

#endif // ANE_TOOLS_TRANSLATE_H
