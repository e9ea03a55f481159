//===- train_export.cpp - What a run of ane-train begins with and gives ---===//
#include "absl/strings/str_cat.h"
#include "runtime/adapter/peft.h"
#include "runtime/tools/run_session.h"
#include "runtime/tools/train/train_run.h"
#include "runtime/train/export/adapter.h"
#include "runtime/train/export/merge.h"
#include "runtime/train/export/tokenizer.h"

namespace ane::rt::tools {
namespace {

template <typename... Parts>
absl::Status wrong(const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

} // namespace

absl::Status TrainRun::openAdapter(const manifest::Manifest &manifest) {
  if (options.initialAdapter.empty())
    return absl::OkStatus();
  auto matrices = adapter::readAdapter(options.initialAdapter, manifest, adapter::Use::Train);
  if (!matrices.ok())
    return adapterError(matrices.status());
  for (size_t i = 0; i < matrices->size(); ++i) {
    const manifest::AdapterPair &pair = manifest.adapters->pairs[i];
    for (const auto &[name, values] : {std::pair(&pair.a, &(*matrices)[i].a), {&pair.b, &(*matrices)[i].b}})
      if (absl::Status s =
              trainer->writeParameter(*name, values->data(), static_cast<int64_t>(values->size() * sizeof(float)));
          !s.ok())
        return s;
  }
  progress.say(absl::StrCat("begins with the adapter ", options.initialAdapter));
  return absl::OkStatus();
}

absl::Status TrainRun::openExport(const train::TrainingFiles &files) {
  adapters = files.manifest.adapters;
  const std::string &path = options.exportPath;
  if (path.empty())
    return absl::OkStatus();
  const train::ExportKind kind = train::exportKind(path);
  if (options.merges && !adapters)
    return wrong("--merge: the bundle trains the model itself and has no adapters; leave it out");
  if (adapters && !options.merges && kind == train::ExportKind::Gguf)
    return wrong("--export: ", path,
                 " is a model's file, and the bundle trains adapters; give --merge for the model with them, or a "
                 "folder for the adapters alone");
  const bool needsModel = adapters ? options.merges : kind != train::ExportKind::Tensors;
  if (!needsModel)
    return train::checkPlace(path);
  if (options.source.empty())
    return wrong("--export: ", path,
                 " takes what is beside the weights from the model that was compiled; give it with --source=PATH");
  auto source = train::ModelFile::open(options.source);
  if (!source.ok())
    return source.status();
  model = *std::move(source);
  auto read = train::readForm(files.folder);
  if (!read.ok())
    return read.status();
  form = *std::move(read);
  std::vector<train::TrainedWeight> weights;
  if (options.merges)
    weights = train::mergedWeights(files.manifest);
  else
    for (const train::Identity::Parameter &parameter : train::identityOf(files.manifest).parameters)
      weights.push_back({parameter.name, parameter.type.shape, nullptr});
  if (absl::Status s = train::checkExport(*model, path, weights, form); !s.ok())
    return s;
  if (kind != train::ExportKind::Folder || !model->isGguf())
    return absl::OkStatus();
  auto texts = train::tokenizerFiles(files.folder, files.manifest);
  if (absl::IsUnimplemented(texts.status())) {
    progress.say(absl::StrCat("--export: the folder gets no tokenizer: ", texts.status().message()));
    return absl::OkStatus();
  }
  if (!texts.ok())
    return texts.status();
  form.files = *std::move(texts);
  return absl::OkStatus();
}

absl::Status TrainRun::exportWeights() {
  const std::string &path = options.exportPath;
  if (path.empty())
    return absl::OkStatus();
  std::vector<train::TrainedWeight> weights;
  for (const train::RunArray &array : trainer->arrays())
    if (array.moment.empty())
      weights.push_back({array.name, array.shape, array.data});
  train::MergedWeights merged;
  if (options.merges) {
    auto made = train::mergeAdapters(*model, *adapters, weights);
    if (!made.ok())
      return made.status();
    merged = *std::move(made);
    weights = merged.weights;
  }
  absl::Status status;
  if (model)
    status = train::exportModel(*model, path, weights, form);
  else if (train::exportKind(path) == train::ExportKind::Folder)
    status = train::exportAdapter(path, *adapters, {options.source, isOfTokens()}, weights);
  else
    status = train::exportSafetensors(path, weights);
  if (status.ok())
    result.exported = path;
  return status;
}

} // namespace ane::rt::tools
