//===- HuggingFace.h - a model's names in Hugging Face's files -*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_LM_HUGGINGFACE_H
#define ANE_LIB_IMPORT_LM_HUGGINGFACE_H

#include "Description.h"
#include "TensorSource.h"

namespace mlir::ane::lm {

/// What ane/IR/HuggingFace.h says of the tensors of `source`, which `here` describes, and `there` as Hugging Face's
/// files have them. `config`: of a model in another file. Null where nothing differs.
DictionaryAttr huggingFaceForm(const Decoder &there, const Decoder &here, const TensorSource &source,
                               const nlohmann::json *config, MLIRContext *context);

} // namespace mlir::ane::lm

#endif // ANE_LIB_IMPORT_LM_HUGGINGFACE_H
