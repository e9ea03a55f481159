//===- tokenizer.h - A bundle's tokenizer for Hugging Face -------*- C++ -*-===//
#ifndef ANE_RUNTIME_TRAIN_EXPORT_TOKENIZER_H
#define ANE_RUNTIME_TRAIN_EXPORT_TOKENIZER_H

#include "absl/status/statusor.h"
#include "runtime/format/manifest/manifest.h"

#include <map>

namespace ane::rt::train {

/// The files by which transformers has a bundle's tokenizer and chat template, by name: none if the bundle has no
/// tokenizer. Unimplemented for one that its file can't hold.
absl::StatusOr<std::map<std::string, std::string>> tokenizerFiles(const Folder &bundle,
                                                                  const manifest::Manifest &manifest);

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_EXPORT_TOKENIZER_H
