//===- HuggingFace.h - a model's names in Hugging Face's files -*- C++ -*-===//
#ifndef ANE_IR_HUGGINGFACE_H
#define ANE_IR_HUGGINGFACE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::ane {

/// A dictionary on the module of a language model whose tensors have other names, or other elements, than in a folder
/// that transformers loads. Its fields are those of rt::train::HuggingFaceForm (runtime/train/export/form.h):
/// `tensors`, a dictionary from names in the model's file to dictionaries with a string `name`, and an integer `heads`
/// and units `transposed` and `centred` where they say something; of a model that is no such folder also the string
/// `config`, its config.json, or the string `refused`: why there can be none.
inline constexpr StringLiteral huggingFaceName = "ane.hugging_face";

} // namespace mlir::ane

#endif // ANE_IR_HUGGINGFACE_H
