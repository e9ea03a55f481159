//===- bundle_together.h - Several sequences on a bundle --------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_BUNDLE_TOGETHER_H
#define ANE_RUNTIME_TOOLS_BUNDLE_TOGETHER_H

#include "runtime/text/conversation/together.h"
#include "runtime/tools/bundle_model.h"

namespace ane::rt::tools {

/// The function `together` of the manifest's language model, on the states that `single` has, too.
class BundleTogether : public text::ParallelModel {
public:
  /// InvalidArgument for a bundle without such a function. `single` outlives it.
  static absl::StatusOr<std::unique_ptr<BundleTogether>> create(const BundleModel &single);

  int64_t sequences() const override { return static_cast<int64_t>(positions.size()); }
  absl::Status take(int64_t sequence) override;
  absl::Status decode(absl::Span<const int32_t> tokens) override;
  absl::Span<const float> logits(int64_t sequence) const override;
  text::DeviceWork work() const override;

  /// What runs, for its profile and trace.
  Executor &running() { return *executor; }

private:
  explicit BundleTogether(const BundleModel &single) : single(single) {}

  const BundleModel &single;
  std::unique_ptr<Executor> executor;
  std::vector<manifest::TogetherState> states;
  size_t inputIds = 0, position = 0, logitsPort = 0;
  std::vector<int64_t> positions; ///< tokens that each sequence's state is of
  absl::Span<const float> rows;   ///< [sequences, vocabulary]
  std::vector<float> widened;
};

} // namespace ane::rt::tools

#endif // ANE_RUNTIME_TOOLS_BUNDLE_TOGETHER_H
