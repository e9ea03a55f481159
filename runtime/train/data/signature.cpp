//===- signature.cpp - What a training step asks of an example ------------===//
#include "runtime/train/data/signature.h"
#include <algorithm>
#include <set>

namespace ane::rt::train {

absl::StatusOr<Signature> signatureOf(const manifest::Manifest &manifest) {
  if (!manifest.training)
    return absl::InvalidArgumentError(
        "the bundle does not train: its manifest has no \"training\"; compile the model with ane-compile --train");
  const manifest::Training &training = *manifest.training;
  std::set<std::string> others = {training.lossScale, training.target};
  for (const manifest::TrainedParameter &parameter : training.parameters)
    others.insert(parameter.name);
  const manifest::Function &step =
      *std::find_if(manifest.functions.begin(), manifest.functions.end(),
                    [&](const manifest::Function &function) { return function.name == training.step; });
  Signature signature;
  auto add = [&](const manifest::Port &port) {
    manifest::TensorType type = manifest.tensors[port.tensor].type;
    signature.batch = type.shape[0];
    type.shape.erase(type.shape.begin());
    signature.fields.push_back({port.name, std::move(type), port.min, port.max, port.reader});
  };
  for (const manifest::Port &port : step.inputs)
    if (!others.count(port.name))
      add(port);
  for (const manifest::Port &port : step.inputs)
    if (signature.hasTarget = !training.target.empty() && port.name == training.target; signature.hasTarget) {
      add(port);
      break;
    }
  if (training.loss == "cross-entropy")
    signature.ignore = training.ignore;
  if (training.classes != 0 && signature.hasTarget) {
    signature.fields.back().max = training.classes - 1;
    signature.fields.back().reader = "the loss; others don't count after ane-compile --ignore-label=CLASS";
  }
  // A token is what the embedding reads.
  if (manifest.languageModel)
    for (Field &field : signature.fields)
      if (field.name == "input_ids" && field.reader.empty()) {
        field.max = manifest.languageModel->vocabulary - 1;
        field.reader = "the vocabulary";
      }
  return signature;
}

} // namespace ane::rt::train
