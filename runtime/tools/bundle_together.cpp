//===- bundle_together.cpp - Several sequences on a bundle ----------------===//
#include "runtime/tools/bundle_together.h"
#include "runtime/tools/ports.h"

namespace ane::rt::tools {

absl::StatusOr<std::unique_ptr<BundleTogether>> BundleTogether::create(const BundleModel &single) {
  const Executor &other = single.executor();
  const manifest::Manifest &m = other.owner()->manifest();
  if (!m.languageModel || !m.languageModel->together)
    return absl::InvalidArgumentError("the bundle has no function in which sequences decode together; compile the "
                                      "model with ane-compile --parallel=N, for N sequences");
  absl::StatusOr<std::unique_ptr<Executor>> executor = other.share(*m.languageModel->together);
  if (!executor.ok())
    return executor.status();
  std::unique_ptr<BundleTogether> model(new BundleTogether(single));
  model->executor = *std::move(executor);
  model->executor->useCancelFlag(other.cancelFlag());
  model->inputIds = portOf(model->executor->inputs(), "input_ids");
  model->position = portOf(model->executor->inputs(), "position");
  model->logitsPort = portOf(model->executor->outputs(), "logits");
  int64_t count = manifest::elementCount(model->executor->inputs()[model->inputIds].type.shape);
  model->positions.resize(static_cast<size_t>(count));
  absl::StatusOr<std::vector<manifest::TogetherState>> states = manifest::togetherStates(m, count);
  if (!states.ok())
    return states.status();
  model->states = *std::move(states);
  return model;
}

absl::Status BundleTogether::take(int64_t sequence) {
  States &all = executor->states();
  int64_t first = sequence * single.contextLength();
  for (const manifest::TogetherState &state : states)
    all.place(state.together, all.all()[state.single], state.axis, first, single.position());
  positions[static_cast<size_t>(sequence)] = single.position();
  return absl::OkStatus();
}

absl::Status BundleTogether::decode(absl::Span<const int32_t> tokens) {
  // A sequence without a token writes an entry of its own that is not read again: its state is taken anew.
  std::vector<int32_t> ids(tokens.begin(), tokens.end()), places(tokens.size(), 0);
  for (size_t i = 0; i < ids.size(); ++i)
    if (ids[i] < 0)
      ids[i] = 0;
    else
      places[i] = static_cast<int32_t>(positions[i]);
  absl::Status status = setIntegers(*executor, inputIds, ids);
  status.Update(setIntegers(*executor, position, places));
  if (status.ok())
    status = executor->run();
  if (!status.ok())
    return status;
  for (size_t i = 0; i < ids.size(); ++i)
    positions[i] += tokens[i] >= 0;
  rows = floatsOf(executor->outputs()[logitsPort], widened);
  return absl::OkStatus();
}

absl::Span<const float> BundleTogether::logits(int64_t sequence) const {
  size_t vocabulary = rows.size() / positions.size();
  return rows.subspan(static_cast<size_t>(sequence) * vocabulary, vocabulary);
}

text::DeviceWork BundleTogether::work() const { return workOf(*executor); }

} // namespace ane::rt::tools
