//===- config.h - adapter_config.json -----------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_ADAPTER_CONFIG_H
#define ANE_RUNTIME_ADAPTER_CONFIG_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ane::rt::adapter {

/// The names of an adapter's files.
inline constexpr char kConfig[] = "adapter_config.json", kTensors[] = "adapter_model.safetensors";

/// What adapter_config.json says of a LoRA adapter.
struct Config {
  int64_t rank = 0;
  double alpha = 0;
  bool isRankStabilised = false;    ///< use_rslora
  std::vector<std::string> targets; ///< empty: target_modules is a pattern
  bool isOfAllLayers = true;        ///< each layer that a target names has an adapter

  /// The factor of B (A x): alpha / rank, or alpha / sqrt(rank).
  double scale() const;
  /// Whether a target is the layer's name, or its end behind a dot.
  bool isTarget(std::string_view layer) const;
};

/// InvalidArgument, naming the file and the field, for a file that is none, another method than LoRA, and every field
/// that changes what is computed otherwise than by B (A x), also one that is not known.
absl::StatusOr<Config> readConfig(const std::string &folder);
/// The same of its text; `file` is for messages.
absl::StatusOr<Config> parseConfig(std::string_view text, const std::string &file);

} // namespace ane::rt::adapter
#endif // ANE_RUNTIME_ADAPTER_CONFIG_H
