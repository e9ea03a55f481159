//===- train_run.h - What ane-train does --------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_TRAIN_TRAIN_RUN_H
#define ANE_RUNTIME_TOOLS_TRAIN_TRAIN_RUN_H

#include "runtime/tools/streams.h"
#include "runtime/tools/train/train_options.h"
#include "runtime/tools/train/train_report.h"
#include "runtime/train/data/dataset.h"
#include "runtime/train/export/form.h"
#include "runtime/train/export/model_file.h"

namespace ane::rt::tools {

/// A trainer, its data, and where the run is kept.
class TrainRun {
public:
  /// `bundle`: that of the options, or what was made of their model.
  static absl::StatusOr<std::unique_ptr<TrainRun>> open(const TrainOptions &options, const std::string &bundle,
                                                        const Streams &streams);
  /// To the last step, or until a signal wants it to end: Cancelled then. In both cases the run is saved.
  absl::Status run();
  const TrainSummary &summary() const { return result; }

private:
  TrainRun(const TrainOptions &options, const Streams &streams)
      : options(options), streams(streams),
        progress(options.json ? nowhere : streams.err, streams.isShown && !options.json, options.steps) {}
  absl::Status openData(const train::TrainingFiles &files);
  absl::Status openCheckpoints();
  /// Takes the values of --adapter.
  absl::Status openAdapter(const manifest::Manifest &manifest);
  /// What is wrong with --export for this bundle is said before all the work.
  absl::Status openExport(const train::TrainingFiles &files);
  /// What of a run's state is not the trainer's.
  train::RunState ownState() const;
  /// Whether it is a language model's, whose data are tokens.
  bool isOfTokens() const { return signature.fields[0].name == "input_ids"; }
  absl::StatusOr<train::StepReport> computeStep();
  absl::Status runStep();
  absl::Status evaluate();
  /// Of a batch's targets, the mean of their losses times their share, and that share.
  struct LossSum {
    double loss = 0, share = 0;
  };
  absl::StatusOr<LossSum> evaluateBatch(const std::vector<uint64_t> &indices);
  // Nothing happens without --out, and without --export.
  absl::Status save();
  absl::Status saveOrTell();
  absl::Status exportWeights();
  absl::Status tell(const std::string &event);
  absl::Status finish();
  absl::Status failed(const absl::Status &why);
  absl::Status interrupted();

  const TrainOptions &options;
  const Streams &streams;
  std::ostream nowhere{nullptr};
  TrainProgress progress;
  TrainLog log;
  train::Signature signature;
  bool isOfExamples = true; ///< the loss is a mean over examples, which do not depend on each other
  std::unique_ptr<train::Trainer> trainer;
  std::optional<train::Feed> feed;
  std::shared_ptr<const train::Dataset> evaluation; ///< null: none
  std::vector<void *> places;                       ///< of the trainer's inputs
  std::optional<manifest::Adapters> adapters;       ///< of the bundle
  std::optional<train::ModelFile> model;            ///< what was compiled, if the export is a model
  train::HuggingFaceForm form;                      ///< of it
  int64_t savedStep = -1, evaluatedStep = -1;
  TrainSummary result;
};

/// Prints what a run of the bundle would take.
absl::Status dryRun(const TrainOptions &options, const std::string &bundle, std::ostream &out);

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_TRAIN_TRAIN_RUN_H
