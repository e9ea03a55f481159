//===- peft.h - Adapters in PEFT's format -------------------------*- C++ -*-===//
//
// A folder with adapter_config.json and adapter_model.safetensors: what
// save_pretrained of peft writes, and PeftModel.from_pretrained reads.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_ADAPTER_PEFT_H
#define ANE_RUNTIME_ADAPTER_PEFT_H

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/format/manifest/manifest.h"

#include <string>
#include <vector>

namespace ane::rt::adapter {

/// A layer's matrices as the bundle takes them: A [rank, inputs] and B [outputs, rank], row-major, with the bundle's
/// rank, scale and order of outputs.
struct Matrices {
  std::vector<float> a, b;
};

/// What an adapter is read for.
enum class Use {
  /// It may have a smaller rank, which zeros fill up, another scale, which goes into B, and fewer layers: B is zero
  /// then.
  Run,
  /// Rank and scale are the bundle's, and each of its layers has an adapter.
  Train
};

/// The matrices of each pair of the manifest's `adapters`, in its order. Elements are float32, or float16 or bfloat16,
/// which are widened. InvalidArgument, naming file, field or tensor, and what helps, for an adapter that does not fit
/// the bundle, is not whole, or is none.
absl::StatusOr<std::vector<Matrices>> readAdapter(const std::string &folder, const manifest::Manifest &manifest,
                                                  Use use);

/// "base_model.model.LAYER.lora_A.weight", or lora_B.
std::string tensorName(const std::string &layer, char matrix);

/// Rows of a matrix of `heads` heads from the order in which the elements that a position turns are neighbours to the
/// one in which they are half a head apart, or back.
void splitPairs(const float *from, float *to, int64_t rows, int64_t columns, int64_t heads);
void joinPairs(const float *from, float *to, int64_t rows, int64_t columns, int64_t heads);

/// "rank=8,alpha=16,targets=q_proj,v_proj", as ane-compile --lora takes it, of the adapter in a folder.
absl::StatusOr<std::string> compilerFlag(const std::string &folder);

} // namespace ane::rt::adapter
#endif // ANE_RUNTIME_ADAPTER_PEFT_H
