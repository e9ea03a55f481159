//===- form.h - How Hugging Face's files have a model ------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TRAIN_EXPORT_FORM_H
#define ANE_RUNTIME_TRAIN_EXPORT_FORM_H

#include "absl/status/statusor.h"
#include "runtime/support/folder.h"

#include <map>
#include <string>

namespace ane::rt::train {

/// Of a model that was compiled from another file than Hugging Face's: the bundle's training/huggingface.json.
struct HuggingFaceForm {
  struct Tensor {
    std::string name;
    /// Above 0: the model's file has the rows of so many heads with the elements that a position turns together side by
    /// side, and Hugging Face's half a head apart.
    int64_t heads = 0;
    bool isTransposed = false; ///< the matrix
    bool isCentred = false;    ///< the elements are less by 1
  };
  std::string config;  ///< config.json; empty: there is none, as the model is such a folder
  std::string refused; ///< why there is none
  std::map<std::string, Tensor, std::less<>> tensors; ///< by names in the model's file
  std::map<std::string, std::string> files;           ///< what else a folder has, by name: a tokenizer
};

/// Nothing in a bundle without such a file, whose model was a folder of Hugging Face. InvalidArgument for a damaged
/// one.
absl::StatusOr<HuggingFaceForm> readForm(const Folder &bundle);

/// The shape that a tensor of `shape` in the model's file has in Hugging Face's. InvalidArgument if the form is not of
/// such tensors: heads that don't cut the rows into pairs, and what is transposed but no matrix.
absl::StatusOr<std::vector<int64_t>> shapeInHuggingFace(const HuggingFaceForm::Tensor &form,
                                                        std::vector<int64_t> shape);
/// The tensor's elements in the order of Hugging Face's; `shape` is that of the model's file, which fits.
std::vector<float> toHuggingFace(const HuggingFaceForm::Tensor &form, std::vector<float> elements,
                                 const std::vector<int64_t> &shape);

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_EXPORT_FORM_H
