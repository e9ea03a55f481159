//===- train_run.cpp - What ane-train does --------------------------------===//
#include "runtime/tools/train/train_run.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/core/context.h"
#include "runtime/core/devices.h"
#include "runtime/support/clock.h"
#include "runtime/text/tokenizer/tokenizer.h"
#include "runtime/tools/interrupts.h"
#include "runtime/tools/restart.h"
#include "runtime/tools/run_report.h"
#include "runtime/tools/train/compile_model.h"
#include "runtime/train/data/open.h"
#include "runtime/train/plan.h"
#include <algorithm>
#include <numeric>

namespace ane::rt::tools {
namespace {

double secondsSince(int64_t start) { return static_cast<double>(nowNs() - start) / 1e9; }

/// Tells of two errors, which have the first one's code.
absl::Status both(const absl::Status &first, const absl::Status &second) {
  if (first.ok() || second.ok() || first == second)
    return first.ok() ? second : first;
  return absl::Status(first.code(), absl::StrCat(first.message(), "; also: ", second.message()));
}

} // namespace

absl::Status dryRun(const TrainOptions &options, const std::string &path, std::ostream &out) {
  auto files = train::openTraining(path);
  if (!files.ok())
    return files.status();
  auto bundle = train::openBundle(path, options.trainer.device);
  if (!bundle.ok())
    return bundle.status();
  const std::string device = ane_bundle_device(bundle->get());
  auto plan = train::planTraining(files->manifest, options.trainer, device);
  if (plan.ok())
    printPlan(*plan, device, options.json, out);
  return plan.status();
}

absl::StatusOr<std::unique_ptr<TrainRun>> TrainRun::open(const TrainOptions &options, const std::string &bundle,
                                                         const Streams &streams) {
  auto files = train::openTraining(bundle);
  if (!files.ok())
    return files.status();
  std::unique_ptr<TrainRun> run(new TrainRun(options, streams));
  if (absl::Status s = run->openExport(*files); !s.ok())
    return s;
  if (absl::Status s = run->openData(*files); !s.ok())
    return s;
  auto trainer = train::Trainer::create(bundle, options.trainer);
  if (!trainer.ok())
    return trainer.status();
  run->trainer = *std::move(trainer);
  // Nothing is written yet. The bundle of a model would be compiled again.
  if (options.atCompileLimit == "restart" && isBundle(options.model))
    restartIfCompiledOut(run->trainer->device(), Context::process()->cache());
  const std::string &device = options.trainer.device.device;
  if (const std::string note = noteOfChips(device.empty() ? "auto" : device, files->manifest.target.chip);
      !note.empty())
    printMessage("note", absl::StrCat(bundle, ": ", note), options.json, streams.err, "ane-train");
  run->progress.say(parametersText(run->trainer->parameters()));
  for (size_t i = 0; i < run->trainer->inputs().size(); ++i)
    run->places.push_back(run->trainer->inputData(i));
  auto log = TrainLog::open(options.log);
  if (!log.ok())
    return log.status();
  run->log = *std::move(log);
  run->result.device = run->trainer->device();
  run->result.weightsBy = run->trainer->weightsBy();
  if (run->result.device != "cpu" && run->result.weightsBy != "inputs")
    run->progress.say(absl::StrCat("weights by ", run->result.weightsBy));
  if (absl::Status s = run->openCheckpoints(); !s.ok())
    return s;
  if (absl::Status s = run->openAdapter(files->manifest); !s.ok())
    return s;
  return run;
}

absl::Status TrainRun::openData(const train::TrainingFiles &files) {
  auto found = train::signatureOf(files.manifest);
  if (!found.ok())
    return found.status();
  signature = *std::move(found);
  isOfExamples = files.manifest.training->loss != "contrastive" && files.manifest.training->loss != "model";
  std::optional<text::Tokenizer> tokenizer;
  // Where there is none, data that need one say so.
  const auto &listed = files.manifest.files;
  if (std::any_of(listed.begin(), listed.end(), [](auto &file) { return file.path == "tokenizer/tokenizer.json"; })) {
    const auto &model = files.manifest.languageModel;
    auto read = text::Tokenizer::ofBundle(files.folder, model ? std::optional(model->vocabulary) : std::nullopt);
    if (!read.ok())
      return read.status();
    tokenizer = *std::move(read);
  }
  const train::DataOptions how = {tokenizer ? &*tokenizer : nullptr, options.sequence};
  auto data = train::openData(options.data, signature, how);
  if (!data.ok())
    return data.status();
  std::shared_ptr<const train::Dataset> training = *data;
  if (options.evaluationSplit > 0) {
    auto parts = train::split(training, options.evaluationSplit, static_cast<uint64_t>(options.seed));
    if (!parts.ok())
      return parts.status();
    training = parts->training;
    evaluation = parts->evaluation;
  } else if (!options.evaluationData.empty()) {
    auto held = train::openData(options.evaluationData, signature, how);
    if (!held.ok())
      return held.status();
    evaluation = *held;
  }
  progress.say(training->describe());
  if (evaluation)
    progress.say(absl::StrCat("held out: ", evaluation->describe()));
  feed.emplace(training, static_cast<uint64_t>(options.seed));
  return absl::OkStatus();
}

absl::Status TrainRun::run() {
  Interrupts interrupts;
  const int64_t start = nowNs();
  result.first = trainer->state().step + 1;
  absl::Status status;
  while (status.ok() && trainer->state().step < options.steps && !*Interrupts::flag()) {
    status = runStep();
    const int64_t step = trainer->state().step;
    if (status.ok() && options.evaluateEvery != 0 && step % options.evaluateEvery == 0)
      status = evaluate();
    // The last one is finish()'s.
    if (status.ok() && options.saveEvery != 0 && step % options.saveEvery == 0 && step < options.steps)
      status = saveOrTell();
  }
  result.seconds = secondsSince(start);
  // The log of the last step may be all that has failed.
  if (trainer->state().step >= options.steps)
    return both(status, finish());
  return status.ok() ? interrupted() : failed(status);
}

absl::StatusOr<train::StepReport> TrainRun::computeStep() {
  for (int64_t i = 0; i < options.trainer.accumulate; ++i) {
    feed->next(signature, places);
    if (auto loss = trainer->backward(); !loss.ok())
      return loss.status();
  }
  return trainer->update();
}

absl::Status TrainRun::runStep() {
  const int64_t start = nowNs();
  const train::DataPosition before = feed->position();
  TrainedStep step;
  auto report = computeStep();
  if (!report.ok()) {
    // Who goes on makes this step anew, of the same data.
    if (absl::Status s = feed->seek(before); !s.ok())
      return both(report.status(), s);
    return report.status();
  }
  step.report = *std::move(report);
  step.seconds = secondsSince(start);
  step.examples = signature.batch * options.trainer.accumulate;
  if (isOfTokens())
    step.tokens = step.examples * (options.sequence ? options.sequence : signature.fields[0].elements());
  ++result.steps;
  result.loss = step.report.loss;
  result.skipped += !step.report.skipped.empty();
  result.examples += step.examples;
  result.tokens += step.tokens;
  result.work.evaluations += step.report.work.evaluations;
  result.work.stagedBytes += step.report.work.stagedBytes;
  result.work.clamped += step.report.work.clamped;
  for (const std::string &event : step.report.events)
    if (absl::Status s = tell(event); !s.ok())
      return s;
  progress.show(step);
  return log.step(step);
}

absl::StatusOr<TrainRun::LossSum> TrainRun::evaluateBatch(const std::vector<uint64_t> &indices) {
  train::readBatch(*evaluation, signature, indices, places);
  auto loss = trainer->evaluate();
  if (!loss.ok())
    return loss.status();
  return LossSum{*loss * trainer->lastShare(), trainer->lastShare()};
}

/// The mean over all targets. A batch that the last examples do not fill has the first of them in the rest, of which as
/// much is taken away as a batch of it alone has. Where examples of a batch depend on each other there are whole
/// batches only, or one of what there is.
absl::Status TrainRun::evaluate() {
  const int64_t step = trainer->state().step;
  if (!evaluation || evaluatedStep == step)
    return absl::OkStatus();
  const auto batch = static_cast<uint64_t>(signature.batch);
  const uint64_t rest = evaluation->size() % batch, whole = evaluation->size() - rest;
  LossSum all;
  std::vector<uint64_t> indices(batch);
  auto add = [&](double factor) {
    auto sum = evaluateBatch(indices);
    if (sum.ok())
      all = {all.loss + factor * sum->loss, all.share + factor * sum->share};
    return sum.status();
  };
  for (uint64_t first = 0; first < whole; first += batch) {
    std::iota(indices.begin(), indices.end(), first);
    if (absl::Status s = add(1); !s.ok())
      return s;
  }
  if (rest != 0 && (isOfExamples || whole == 0)) {
    for (uint64_t k = 0; k < batch; ++k)
      indices[k] = isOfExamples ? whole + (k < rest ? k : 0) : k % rest;
    if (absl::Status s = add(1); !s.ok())
      return s;
    std::fill(indices.begin(), indices.end(), whole);
    const double filled = static_cast<double>(batch - rest) / static_cast<double>(batch);
    if (isOfExamples)
      if (absl::Status s = add(-filled); !s.ok())
        return s;
  }
  evaluatedStep = step;
  result.evaluationLoss = all.share > 0 ? all.loss / all.share : 0;
  progress.say(absl::StrFormat("step %d  evaluation loss %.4f", step, *result.evaluationLoss));
  return log.evaluation(step, *result.evaluationLoss);
}

/// Where one of the places can't be written, the others still get what was trained.
absl::Status TrainRun::finish() {
  const absl::Status evaluated = evaluate(), saved = save();
  progress.end();
  absl::Status exported = exportWeights();
  absl::Status status = both(both(evaluated, saved), exported);
  if (!saved.ok() && exported.ok() && !result.exported.empty())
    status = absl::Status(status.code(), absl::StrCat(status.message(), "; the weights are in ", result.exported));
  return status;
}

/// What is done is kept, whatever has ended the run.
absl::Status TrainRun::failed(const absl::Status &why) {
  if (trainer->state().step < result.first)
    return why;
  absl::Status saved = save();
  if (!saved.ok() || result.checkpoint.empty())
    return both(why, saved);
  return absl::Status(why.code(), absl::StrCat(why.message(), "; the run is kept in ", result.checkpoint,
                                               ", and the same command with --resume goes on from there"));
}

absl::Status TrainRun::interrupted() {
  if (absl::Status s = save(); !s.ok())
    return s;
  const int64_t step = trainer->state().step;
  progress.say(options.out.empty() ? absl::StrCat("ended behind step ", step, "; nothing is kept without --out DIR")
                                   : absl::StrCat("ended behind step ", step, ", which ", result.checkpoint,
                                                  " has; the same command with --resume goes on from there"));
  return absl::CancelledError("training was ended");
}

} // namespace ane::rt::tools
