//===- train.cpp - C API: training ----------------------------------------===//
#include "ane/runtime/train.h"
#include "runtime/api/handles.h"
#include "runtime/train/trainer.h"

using namespace ane::rt;
using namespace ane::rt::api;
using namespace ane::rt::train;

struct ane_trainer {
  std::unique_ptr<Trainer> impl;
  std::string device;
  std::string skipped; ///< of the last step
  std::vector<std::string> events = {};
};

namespace {

/// As guarded(), for a trainer that is there.
template <typename Fn>
ane_status *withTrainer(const ane_trainer *trainer, Fn &&fn) noexcept {
  return guarded([&]() -> ane_status * { return trainer ? fn() : invalid("trainer is NULL"); });
}

std::optional<double> unlessDefault(double value) {
  if (value == 0)
    return std::nullopt;
  return value == ANE_TRAIN_ZERO ? 0 : value;
}

absl::StatusOr<TrainerOptions> readOptions(const ane_trainer_options *options) {
  auto read = readStruct("options", options);
  if (!read.ok())
    return read.status();
  TrainerOptions result;
  auto text = [](const char *given, const char *otherwise) { return std::string(given ? given : otherwise); };
  result.device = {text(read->device, ""), text(read->emulator_mode, ""), read->context,         read->threads,
                   read->verify != 0,      text(read->weights_by, ""),    read->clamp_fp16 != 0, read->trust};
  result.optimizer = {text(read->optimizer, "adamw"), unlessDefault(read->beta1),    unlessDefault(read->beta2),
                      unlessDefault(read->epsilon),   unlessDefault(read->momentum), read->weight_decay};
  auto kind = scheduleKind(text(read->schedule, "constant"));
  if (!kind.ok())
    return kind.status();
  result.schedule = {*kind, read->learning_rate == 0 ? 3e-4 : read->learning_rate, read->end_share, read->warmup,
                     read->steps};
  result.clip = read->clip;
  result.accumulate = read->accumulate == 0 ? 1 : read->accumulate;
  if (read->loss_scale != 0 || read->dynamic_loss_scale != 0) {
    result.lossScale.emplace();
    result.lossScale->isDynamic = read->dynamic_loss_scale != 0;
    result.lossScale->first = read->loss_scale != 0 ? read->loss_scale : LossScale::kFirst;
  }
  result.deterministic = read->deterministic != 0;
  if (read->frozen_count != 0 && !read->frozen)
    return absl::InvalidArgumentError("options: frozen is NULL");
  for (size_t i = 0; i < read->frozen_count; ++i) {
    if (!read->frozen[i])
      return absl::InvalidArgumentError(absl::StrCat("options: frozen[", i, "] is NULL"));
    result.frozen.push_back(read->frozen[i]);
  }
  return result;
}

void keepEvents(ane_trainer *trainer, std::vector<std::string> events) {
  std::move(events.begin(), events.end(), std::back_inserter(trainer->events));
}

/// Also without a struct, as nobody need ask.
ane_status *giveStep(ane_trainer *trainer, StepReport report, ane_train_step *step) {
  trainer->skipped = std::move(report.skipped);
  keepEvents(trainer, std::move(report.events));
  if (!step)
    return nullptr;
  ane_train_step value = {sizeof value,
                          report.step,
                          report.loss,
                          report.rate,
                          report.norm,
                          report.lossScale,
                          trainer->skipped.empty() ? nullptr : trainer->skipped.c_str(),
                          report.work.evaluations,
                          report.work.stagedBytes,
                          1,
                          0,
                          report.work.clamped};
  return fillStruct("step", value, step);
}

/// Before anything runs: a step can't be taken back.
absl::Status checkStep(const ane_train_step *step) {
  return step ? checkSize<ane_train_step>("step", step->size) : absl::OkStatus();
}

ane_status *update(ane_trainer *trainer, ane_train_step *step) {
  auto report = trainer->impl->update();
  return report.ok() ? giveStep(trainer, *std::move(report), step) : toStatus(report.status());
}

ane_status *outOfRange(const char *what, size_t index, size_t count) {
  return invalid(absl::StrCat(what, " ", index, ": the trainer has ", count));
}

} // namespace

extern "C" {

ane_status *ane_trainer_create(const char *path, const ane_trainer_options *options, ane_trainer **trainer) {
  return guarded([&]() -> ane_status * {
    if (!path || !trainer)
      return invalid(path ? "trainer is NULL" : "path is NULL");
    auto read = readOptions(options);
    if (!read.ok())
      return toStatus(read.status());
    auto made = Trainer::create(path, *read);
    if (!made.ok())
      return toStatus(made.status());
    std::string device = (*made)->device();
    *trainer = new ane_trainer{*std::move(made), std::move(device), ""};
    return nullptr;
  });
}
void ane_trainer_destroy(ane_trainer *trainer) { delete trainer; }

const char *ane_trainer_device(const ane_trainer *trainer) { return trainer ? trainer->device.c_str() : nullptr; }
const char *ane_trainer_weights_by(const ane_trainer *trainer) {
  return trainer ? trainer->impl->weightsBy().c_str() : nullptr;
}

size_t ane_trainer_event_count(const ane_trainer *trainer) { return trainer ? trainer->events.size() : 0; }
const char *ane_trainer_event(const ane_trainer *trainer, size_t index) {
  return index < ane_trainer_event_count(trainer) ? trainer->events[index].c_str() : nullptr;
}

size_t ane_trainer_input_count(const ane_trainer *trainer) { return trainer ? trainer->impl->inputs().size() : 0; }
ane_status *ane_trainer_input_info(const ane_trainer *trainer, size_t index, ane_tensor_info *info) {
  return withTrainer(trainer, [&] {
    const auto &inputs = trainer->impl->inputs();
    if (index >= inputs.size())
      return outOfRange("input", index, inputs.size());
    const train::Port &port = inputs[index];
    ane_tensor_info value = {sizeof value,
                             port.name.c_str(),
                             port.dtype,
                             0,
                             port.shape.size(),
                             port.shape.data(),
                             static_cast<size_t>(port.bytes)};
    return fillStruct("info", value, info);
  });
}
ane_status *ane_trainer_set_input(ane_trainer *trainer, size_t index, const void *data, size_t bytes) {
  return withTrainer(trainer, [&] {
    if (!data && bytes != 0)
      return invalid("data is NULL");
    return toStatus(trainer->impl->setInput(index, data, static_cast<int64_t>(bytes)));
  });
}

ane_status *ane_trainer_step(ane_trainer *trainer, ane_train_step *step) {
  return withTrainer(trainer, [&]() -> ane_status * {
    if (absl::Status s = checkStep(step); !s.ok())
      return toStatus(s);
    auto loss = trainer->impl->backward();
    if (!loss.ok())
      return toStatus(loss.status());
    if (trainer->impl->accumulated() >= trainer->impl->options().accumulate)
      return update(trainer, step);
    ane_train_step value = ANE_TRAIN_STEP_INIT;
    value.loss = *loss;
    return step ? fillStruct("step", value, step) : nullptr;
  });
}
ane_status *ane_trainer_backward(ane_trainer *trainer, float *loss) {
  return withTrainer(trainer, [&] {
    auto value = trainer->impl->backward();
    if (value.ok() && loss)
      *loss = *value;
    return toStatus(value.status());
  });
}
ane_status *ane_trainer_update(ane_trainer *trainer, ane_train_step *step) {
  return withTrainer(trainer, [&] {
    absl::Status status = checkStep(step);
    return status.ok() ? update(trainer, step) : toStatus(status);
  });
}
ane_status *ane_trainer_evaluate(ane_trainer *trainer, float *loss) {
  return withTrainer(trainer, [&] {
    if (!loss)
      return invalid("loss is NULL");
    auto value = trainer->impl->evaluate();
    keepEvents(trainer, trainer->impl->takeEvents());
    if (value.ok())
      *loss = *value;
    return toStatus(value.status());
  });
}

size_t ane_trainer_parameter_count(const ane_trainer *trainer) {
  return trainer ? trainer->impl->parameters().all().size() : 0;
}
ane_status *ane_trainer_parameter_info(const ane_trainer *trainer, size_t index, ane_tensor_info *info) {
  return withTrainer(trainer, [&] {
    const auto &all = trainer->impl->parameters().all();
    if (index >= all.size())
      return outOfRange("parameter", index, all.size());
    const Parameter &parameter = all[index];
    ane_tensor_info value = {sizeof value,
                             parameter.name.c_str(),
                             ANE_FLOAT32,
                             0,
                             parameter.shape.size(),
                             parameter.shape.data(),
                             static_cast<size_t>(parameter.elements) * sizeof(float)};
    return fillStruct("info", value, info);
  });
}
int32_t ane_trainer_parameter_frozen(const ane_trainer *trainer, size_t index) {
  return index < ane_trainer_parameter_count(trainer) && trainer->impl->parameters().all()[index].frozen;
}
ane_status *ane_trainer_read_parameter(const ane_trainer *trainer, const char *name, float *data, size_t bytes) {
  return withTrainer(trainer, [&] {
    if (!name || !data)
      return invalid(name ? "data is NULL" : "name is NULL");
    return toStatus(trainer->impl->readParameter(name, data, static_cast<int64_t>(bytes)));
  });
}
ane_status *ane_trainer_write_parameter(ane_trainer *trainer, const char *name, const float *data, size_t bytes) {
  return withTrainer(trainer, [&] {
    if (!name || !data)
      return invalid(name ? "data is NULL" : "name is NULL");
    return toStatus(trainer->impl->writeParameter(name, data, static_cast<int64_t>(bytes)));
  });
}
ane_status *ane_trainer_read_gradient(const ane_trainer *trainer, const char *name, float *data, size_t bytes) {
  return withTrainer(trainer, [&] {
    if (!name || !data)
      return invalid(name ? "data is NULL" : "name is NULL");
    return toStatus(trainer->impl->readGradient(name, data, static_cast<int64_t>(bytes)));
  });
}

ane_status *ane_trainer_counters(const ane_trainer *trainer, ane_train_counters *counters) {
  return withTrainer(trainer, [&] {
    const RunState state = trainer->impl->state();
    ane_train_counters value = {sizeof value,
                                state.step,
                                state.updates,
                                state.skippedSteps,
                                trainer->impl->accumulated(),
                                state.lossScale,
                                static_cast<uint64_t>(trainer->impl->arenaBytes())};
    return fillStruct("counters", value, counters);
  });
}

ane_status *ane_trainer_save(const ane_trainer *trainer, const char *folder, uint32_t keep) {
  return withTrainer(trainer, [&] {
    return folder ? toStatus(trainer->impl->save(folder, {}, keep).status()) : invalid("folder is NULL");
  });
}
ane_status *ane_trainer_load(ane_trainer *trainer, const char *path) {
  return withTrainer(trainer,
                     [&] { return path ? toStatus(trainer->impl->load(path, {}).status()) : invalid("path is NULL"); });
}

} // extern "C"
