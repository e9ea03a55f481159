//===- LanguageModel.h - what a module says of its model -------*- C++ -*-===//
#ifndef ANE_IR_LANGUAGEMODEL_H
#define ANE_IR_LANGUAGEMODEL_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::ane {

/// A dictionary on the module of a language model, whose fields are those of manifest::LanguageModel: strings `kind`,
/// `architecture` and `decode`, integers `context` and `vocabulary`, `bos` and `window` if there are such,
/// `stop_tokens` (array<i64>), `prefill` (a list of strings), and `together`, a string, if sequences decode together.
inline constexpr StringLiteral languageModelName = "ane.language_model";

} // namespace mlir::ane

#endif // ANE_IR_LANGUAGEMODEL_H
