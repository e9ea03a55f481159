//===- trainer.cpp - Trains the model of a training bundle ----------------===//
#include "runtime/train/trainer.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/format/safetensors/safetensors.h"
#include "runtime/support/memory_budget.h"
#include "runtime/support/number_text.h"
#include "runtime/support/quote.h"
#include "runtime/train/plan.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace ane::rt::train {
namespace {

constexpr char kInputs[] = "inputs";

/// FailedPrecondition if a program has run elsewhere than it was meant to, where its values have other bits.
absl::Status checkPlaces(const Function &function) {
  for (const DeviceEvent &event : eventsOf(function))
    if (event.isElsewhere)
      return absl::FailedPreconditionError(absl::StrCat("program ", event.program, " was to run on ", event.device,
                                                        " and ran on the CPU, which gives other bits: ", event.reason,
                                                        "; train with device cpu, or not deterministically"));
  return absl::OkStatus();
}

/// What fp16 holds of powers of two.
constexpr double kLargestInFp16 = LossScale::kFirst;

/// fp16 loses gradients below 2^-24. A scale that is clamped, too, would be another one than gradients are divided by.
LossScale::Options scaleFor(const TrainerOptions &given, const std::string &device) {
  LossScale::Options options;
  options.isDynamic = device != "cpu";
  options.first = options.isDynamic ? LossScale::kFirst : 1;
  if (given.lossScale)
    options = *given.lossScale;
  if (given.device.clampsFp16 && options.isDynamic) {
    options.most = std::min(options.most, kLargestInFp16);
    options.first = std::min(options.first, options.most);
  }
  return options;
}

} // namespace

absl::Status Trainer::check(const TrainerOptions &options) {
  if (absl::Status s = options.schedule.check(); !s.ok())
    return s;
  if (absl::Status s = Optimizer::check(options.optimizer); !s.ok())
    return s;
  if (!(options.clip >= 0) || !std::isfinite(options.clip))
    return absl::InvalidArgumentError(
        absl::StrCat("gradients are clipped to norm ", options.clip, ", expected 0 (not at all) or more"));
  if (options.accumulate < 1)
    return absl::InvalidArgumentError(
        absl::StrCat("a step accumulates ", options.accumulate, " micro-batches, expected 1 or more"));
  if (!options.lossScale)
    return absl::OkStatus();
  if (options.device.clampsFp16 && !options.lossScale->isDynamic && options.lossScale->first > kLargestInFp16)
    return absl::InvalidArgumentError(absl::StrCat("loss scale: is ", options.lossScale->first,
                                                   ", which fp16 would clamp, too; expected at most ", kLargestInFp16,
                                                   " where infinite elements are clamped"));
  return LossScale::check(*options.lossScale);
}

absl::StatusOr<std::unique_ptr<Trainer>> Trainer::create(const std::string &bundle, const TrainerOptions &options) {
  if (absl::Status s = check(options); !s.ok())
    return s;
  std::unique_ptr<Trainer> trainer(new Trainer(options));
  if (absl::Status s = trainer->open(bundle); !s.ok())
    return s;
  return trainer;
}

absl::Status Trainer::open(const std::string &path) {
  auto files = openTraining(path);
  if (!files.ok())
    return files.status();
  training = *files->manifest.training;
  identity = identityOf(files->manifest);
  auto opened = openBundle(path, given.device);
  if (!opened.ok())
    return opened.status();
  bundle = *std::move(opened);
  if (absl::Status s = findWay(); !s.ok())
    return s;
  lossScale = LossScale(scaleFor(given, device()));
  auto planned = planTraining(files->manifest, given, device());
  if (!planned.ok())
    return planned.status();
  places = std::move(planned->parameters);
  gradientOrder = std::move(planned->gradientOrder);
  if (absl::Status s = MemoryBudget().has(planned->arenaBytes(), "training needs " + planned->memoryText()); !s.ok())
    return s;
  auto reader = openReader(training.step);
  if (!reader.ok())
    return reader.status();
  stepReader = *std::move(reader);
  if (absl::Status s = findPorts(planned->sharedGradients); !s.ok())
    return s;
  if (absl::Status s = makeInputs(); !s.ok())
    return s;
  struct Wanted {
    Arena &arena;
    int64_t floats;
    const char *what;
  };
  for (const Wanted &want :
       {Wanted{weights, places.weightFloats(), "weights"}, Wanted{gradients, places.trainedFloats(), "gradients"},
        Wanted{more, given.accumulate > 1 ? places.trainedFloats() : 0, "gradients of a micro-batch"}}) {
    auto arena = Arena::map(want.floats, want.what);
    if (!arena.ok())
      return arena.status();
    want.arena = *std::move(arena);
  }
  if (absl::Status s = loadWeights(files->folder); !s.ok())
    return s;
  auto made = Optimizer::create(bundle, training, places, given.optimizer);
  if (!made.ok())
    return made.status();
  optimizer = *std::move(made);
  auto summing = GradientSums::create(bundle, training, places);
  if (!summing.ok())
    return summing.status();
  sums = *std::move(summing);
  return bindGradients(gradients.data());
}

/// Probes the device where weights are to be set there.
absl::Status Trainer::findWay() {
  const auto &parameters = training.parameters;
  const bool isBaked = std::any_of(parameters.begin(), parameters.end(), [](auto &p) { return p.isBaked; });
  const std::string &wanted = given.device.weightsBy;
  const bool isAny = wanted.empty() || wanted == "auto";
  if (!isAny && isBaked == (wanted == kInputs))
    return absl::InvalidArgumentError(absl::StrCat(
        "weights by ", wanted, ": the bundle has them ", isBaked ? "in its programs" : "as inputs",
        "; compile the model with ane-compile --train --parameters=", isBaked ? "inputs" : "baked, or leave it out"));
  way = kInputs;
  const char *found = nullptr;
  absl::Status status = isBaked ? toStatus(ane_bundle_weights_by(bundle.get(), &found)) : absl::OkStatus();
  if (found)
    way = found;
  return status;
}

std::string Trainer::device() const { return ane_bundle_device(bundle.get()); }

absl::Status Trainer::loadWeights(const Folder &folder) {
  auto file = folder.map(training.weights);
  if (!file.ok())
    return file.status();
  const std::string name = folder.nameOf(training.weights);
  auto tensors = safetensors::parse(file->data(), file->size(), name);
  if (!tensors.ok())
    return tensors.status();
  for (const Parameter &parameter : places.all()) {
    auto found = tensors->find(parameter.name);
    if (found == tensors->end())
      return absl::DataLossError(absl::StrCat(name, ": has no tensor ", quote(parameter.name)));
    const safetensors::Tensor &tensor = found->second;
    if (tensor.type != ElementType::Float32 || tensor.shape != parameter.shape)
      return absl::DataLossError(absl::StrCat(name, ": tensor ", quote(parameter.name), " is ", tensor.describe(),
                                              ", expected ",
                                              manifest::typeText({ElementType::Float32, parameter.shape})));
    std::memcpy(weights.data() + parameter.offset, tensor.data, tensor.bytes);
  }
  return absl::OkStatus();
}

absl::Status Trainer::makeInputs() {
  const Port *target = nullptr;
  for (const Port &port : stepReader.function.inputs()) {
    if (port.name == training.lossScale || places.find(port.name))
      continue;
    if (port.name == training.target)
      target = &port;
    else
      inputPorts.push_back(port);
  }
  if (target)
    inputPorts.push_back(*target);
  inputSet.resize(inputPorts.size());
  for (const Port &port : inputPorts) {
    auto buffer = AlignedBuffer::allocate(port.bytes);
    if (!buffer.ok())
      return buffer.status();
    inputMemory.push_back(*std::move(buffer));
  }
  return bindInputs(stepReader.function);
}

absl::StatusOr<Trainer::Reader> Trainer::openReader(const std::string &name) const {
  auto function = Function::open(bundle, name);
  if (!function.ok())
    return function.status();
  Reader reader;
  reader.function = *std::move(function);
  auto loss = reader.function.need(reader.function.outputs(), "loss", 1, "the trainer");
  if (!loss.ok())
    return loss.status();
  reader.loss = *loss;
  if (reader.function.output(manifest::kLossShare)) {
    auto share = reader.function.need(reader.function.outputs(), manifest::kLossShare, 1, "the trainer");
    if (!share.ok())
      return share.status();
    reader.share = *share;
  }
  for (const Parameter &parameter : places.all()) {
    if (parameter.isBaked) {
      reader.weights.push_back(nullptr);
      continue;
    }
    auto port = reader.function.need(reader.function.inputs(), parameter.name, parameter.elements, "the trainer");
    if (!port.ok())
      return port.status();
    reader.weights.push_back(*port);
  }
  return reader;
}

/// Those that only `step` has.
absl::Status Trainer::findPorts(const std::set<std::string> &sharedGradients) {
  const Function &step = stepReader.function;
  auto scale = step.need(step.inputs(), training.lossScale, 1, "the trainer");
  if (!scale.ok())
    return scale.status();
  lossScalePort = *scale;
  for (const Parameter &parameter : places.all()) {
    auto port =
        step.need(step.outputs(), (parameter.isStatistic ? manifest::kNext : manifest::kGradient) + parameter.name,
                  parameter.elements, "the trainer");
    if (!port.ok())
      return port.status();
    if (parameter.isStatistic)
      statistics.emplace_back(*port, &parameter);
    const bool isShared = sharedGradients.count(parameter.name) != 0;
    gradientPorts.push_back(parameter.frozen || isShared ? nullptr : *port);
    if (isShared && !parameter.frozen)
      copiedGradients.emplace_back(*port, &parameter);
  }
  return absl::OkStatus();
}

absl::Status Trainer::bindInputs(Function &function) {
  for (size_t i = 0; i < inputPorts.size(); ++i)
    if (const Port *port = function.input(inputPorts[i].name)) {
      if (port->bytes != inputPorts[i].bytes)
        return absl::InvalidArgumentError(absl::StrCat("input ", port->name, " of function ", function.name(), " has ",
                                                       port->bytes, " bytes, that of ", training.step, " ",
                                                       inputPorts[i].bytes));
      if (absl::Status s = function.bind(*port, inputMemory[i].data(), /*isConstant=*/false); !s.ok())
        return s;
    }
  return absl::OkStatus();
}

absl::Status Trainer::bindGradients(float *arena) {
  if (gradientsBound == arena)
    return absl::OkStatus();
  gradientsBound = nullptr;
  for (size_t i = 0; i < gradientPorts.size(); ++i)
    if (gradientPorts[i])
      if (absl::Status s = stepReader.function.bindOutput(*gradientPorts[i], arena + places.all()[i].offset); !s.ok())
        return s;
  gradientsBound = arena;
  return absl::OkStatus();
}

absl::Status Trainer::copyGradients(float *arena) {
  for (const auto &[port, parameter] : copiedGradients) {
    auto value = stepReader.function.floats(*port);
    if (!value.ok())
      return value.status();
    std::memcpy(arena + parameter->offset, *value, static_cast<size_t>(port->bytes));
  }
  return absl::OkStatus();
}

/// Whether the reader has the value of the parameter.
bool Trainer::isCurrent(const Reader &reader, const Parameter &parameter) const {
  if (parameter.isStatistic) // which changes with each run
    return false;
  if (reader.version == weightsVersion || (reader.version != 0 && parameter.frozen))
    return true;
  const bool isFirst = hasFirstWeights && (weightsVersion == 1 || parameter.frozen);
  return parameter.isBaked && reader.version == 0 && isFirst;
}

/// What reads the weights learns that they have changed.
absl::Status Trainer::bindWeights(Reader &reader) {
  for (size_t i = 0; i < reader.weights.size(); ++i) {
    const Parameter &parameter = places.all()[i];
    const float *value = weights.data() + parameter.offset;
    if (isCurrent(reader, parameter))
      continue;
    absl::Status status = reader.weights[i] ? reader.function.bind(*reader.weights[i], value, /*isConstant=*/true)
                                            : reader.function.bindWeight(parameter.name, value, parameter.elements);
    if (!status.ok())
      return status;
  }
  reader.version = weightsVersion;
  return absl::OkStatus();
}

absl::Status Trainer::setInput(size_t index, const void *data, int64_t bytes) {
  if (index >= inputPorts.size())
    return absl::InvalidArgumentError(
        absl::StrCat("input ", index, ": a micro-batch has ", inputPorts.size(), " inputs"));
  const Port &port = inputPorts[index];
  if (bytes != port.bytes)
    return absl::InvalidArgumentError(
        absl::StrCat("input ", port.name, ": has ", unsignedSize(bytes), " bytes, expected ", port.bytes));
  if (bytes != 0)
    std::memcpy(inputData(index), data, static_cast<size_t>(bytes));
  return absl::OkStatus();
}

void *Trainer::inputData(size_t index) {
  inputSet[index] = true;
  return inputMemory[index].data();
}

absl::Status Trainer::checkWhole() const {
  if (isTorn)
    return absl::FailedPreconditionError(
        "an update has failed halfway, so that weights are of no step: go on from a checkpoint");
  for (size_t i = 0; i < inputSet.size(); ++i)
    if (!inputSet[i])
      return absl::FailedPreconditionError(absl::StrCat("input ", inputPorts[i].name, " was not set"));
  return absl::OkStatus();
}

/// A target is a class, or the one that does not count.
absl::Status Trainer::checkTarget() const {
  if (training.classes == 0 || training.target.empty())
    return absl::OkStatus();
  const Port &port = inputPorts.back();
  const int64_t width = port.dtype == ANE_INT64 ? 8 : 4;
  for (int64_t i = 0; i < port.bytes / width; ++i) {
    int64_t label = 0;
    if (width == 8) {
      std::memcpy(&label, inputMemory.back().data() + i * width, sizeof label);
    } else {
      int32_t narrow;
      std::memcpy(&narrow, inputMemory.back().data() + i * width, sizeof narrow);
      label = narrow;
    }
    if ((label < 0 || label >= training.classes) && label != training.ignore)
      return absl::InvalidArgumentError(
          absl::StrCat("input ", port.name, ": element ", i, " is ", label, ", expected a class, 0 to ",
                       training.classes - 1, ", or ", training.ignore,
                       ", which does not count; another one does not after ane-compile --ignore-label=", label));
  }
  return absl::OkStatus();
}

absl::StatusOr<float> Trainer::readLoss(Reader &reader) {
  share = 1;
  if (reader.share) {
    auto value = reader.function.scalar(*reader.share);
    if (!value.ok())
      return value.status();
    share = *value;
  }
  return reader.function.scalar(*reader.loss);
}

/// As PyTorch has it, each batch moves them, also one of several of a step.
absl::Status Trainer::takeStatistics(bool isFirst) {
  if (isFirst)
    statisticsBefore.clear();
  for (const auto &[port, parameter] : statistics) {
    float *place = weights.data() + parameter->offset;
    if (isFirst)
      statisticsBefore.emplace_back(place, place + parameter->elements);
    auto value = stepReader.function.floats(*port);
    if (!value.ok())
      return value.status();
    std::memcpy(place, *value, static_cast<size_t>(port->bytes));
  }
  return absl::OkStatus();
}

/// Of a step that changes nothing.
void Trainer::restoreStatistics() {
  for (size_t i = 0; i < statisticsBefore.size(); ++i)
    std::copy(statisticsBefore[i].begin(), statisticsBefore[i].end(), weights.data() + statistics[i].second->offset);
  statisticsBefore.clear();
}

absl::StatusOr<float> Trainer::backward() {
  if (absl::Status s = checkWhole(); !s.ok())
    return s;
  if (absl::Status s = checkTarget(); !s.ok())
    return s;
  const bool isFirst = microBatches == 0;
  if (!isFirst && !more.data())
    return absl::FailedPreconditionError(
        "a second micro-batch before the update: make the trainer with `accumulate` above 1");
  const auto scale = static_cast<float>(lossScale.scale());
  absl::Status status = stepReader.function.set(*lossScalePort, &scale);
  if (status.ok())
    status = bindGradients(isFirst ? gradients.data() : more.data());
  if (status.ok())
    status = bindWeights(stepReader);
  if (!status.ok())
    return status;
  // What an error or an exception leaves in the arena is of no step.
  const int64_t before = std::exchange(microBatches, 0);
  gradientScale = 0;
  status = stepReader.function.run();
  if (status.ok() && given.deterministic)
    status = checkPlaces(stepReader.function);
  if (status.ok())
    status = copyGradients(gradientsBound);
  if (status.ok() && !isFirst)
    status = sums->add(gradients.data(), more.data());
  if (status.ok())
    status = takeStatistics(isFirst);
  auto loss = status.ok() ? readLoss(stepReader) : absl::StatusOr<float>(status);
  if (!loss.ok()) {
    restoreStatistics();
    return loss.status();
  }
  // Gradients are multiplied by the share already.
  lossSum = (isFirst ? 0 : lossSum) + *loss * share;
  shareSum = (isFirst ? 0 : shareSum) + share;
  microBatches = before + 1;
  gradientScale = 1 / (lossScale.scale() * (shareSum > 0 ? shareSum : 1));
  return *loss;
}

absl::StatusOr<StepReport> Trainer::update() {
  if (absl::Status s = checkWhole(); !s.ok())
    return s;
  if (microBatches == 0)
    return absl::FailedPreconditionError("there are no gradients to update by: compute some first");
  StepReport report;
  report.step = stepsDone + 1;
  report.loss = lossSum / (shareSum > 0 ? shareSum : 1);
  report.rate = given.schedule.at(stepsDone);
  report.lossScale = lossScale.scale();
  auto squares = sums->squares(gradients.data());
  if (!squares.ok())
    return squares.status();
  report.norm = std::sqrt(*squares) * gradientScale;
  if (!std::isfinite(*squares) || !std::isfinite(report.loss))
    return skip(std::move(report), describeNonFinite(places, gradientOrder, gradients.data()));
  const double clipped = given.clip > 0 && report.norm > given.clip ? given.clip / report.norm : 1;
  absl::Status status = optimizer->update(weights.data(), gradients.data(), gradientScale * clipped, report.rate,
                                          updatesDone + 1, isTorn);
  if (!status.ok())
    return status;
  ++weightsVersion;
  ++updatesDone;
  ++stepsDone;
  microBatches = 0;
  statisticsBefore.clear();
  noteDevice(report);
  if (report.work.clamped == 0)
    lossScale.wasFinite();
  else
    lossScale.wasClamped();
  return report;
}

absl::StatusOr<StepReport> Trainer::skip(StepReport report, std::string trouble) {
  if (!std::isfinite(report.loss))
    trouble = absl::StrCat("the loss is ", std::isnan(report.loss) ? "NaN" : "infinite",
                           trouble.empty() ? "" : ", and ", trouble);
  else if (trouble.empty())
    trouble = "the sum of the squares of all gradients is beyond float32";
  absl::StrAppendFormat(&trouble, ", with loss scale %.9g", lossScale.scale());
  microBatches = 0;
  restoreStatistics();
  if (!lossScale.wasNotFinite())
    return absl::FailedPreconditionError(absl::StrCat("step ", report.step, ": ", trouble,
                                                      "; weights are those before it; a smaller learning rate, or "
                                                      "clipping of gradients, may help"));
  ++stepsDone;
  report.skipped = std::move(trouble);
  noteDevice(report);
  return report;
}

/// What the device has done since the last step.
void Trainer::noteDevice(StepReport &report) {
  const DeviceWork now = workOf(stepReader.function), before = std::exchange(workBefore, now);
  report.work = {now.evaluations - before.evaluations, now.stagedBytes - before.stagedBytes,
                 now.clamped - before.clamped};
  report.events = takeEvents();
}

std::vector<std::string> Trainer::takeEvents() {
  std::vector<std::string> events = newEvents(stepReader.function, stepReader.eventsTold);
  if (evaluateReader)
    for (std::string &event : newEvents(evaluateReader->function, evaluateReader->eventsTold))
      events.push_back(std::move(event));
  return events;
}

absl::StatusOr<float> Trainer::evaluate() {
  if (absl::Status s = checkWhole(); !s.ok())
    return s;
  if (absl::Status s = checkTarget(); !s.ok())
    return s;
  if (training.evaluate.empty())
    return absl::UnimplementedError("the bundle has no function that evaluates: compile it with one");
  if (!evaluateReader) {
    auto reader = openReader(training.evaluate);
    if (!reader.ok())
      return reader.status();
    if (absl::Status s = bindInputs(reader->function); !s.ok())
      return s;
    evaluateReader = *std::move(reader);
  }
  absl::Status status = bindWeights(*evaluateReader);
  if (status.ok())
    status = evaluateReader->function.run();
  return status.ok() ? readLoss(*evaluateReader) : status;
}

} // namespace ane::rt::train
