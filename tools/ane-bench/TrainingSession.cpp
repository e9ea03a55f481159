//===- TrainingSession.cpp - steps of a training bundle -------------------===//

#include "TrainingSession.h"
#include "Session.h"
#include <chrono>

using namespace ane::bench;

TrainingSession::~TrainingSession() { ane_trainer_destroy(trainer); }

std::string TrainingSession::open(const std::string &bundle, int threads) {
  ane_trainer_options options = ANE_TRAINER_OPTIONS_INIT;
  options.device = "cpu";
  options.threads = threads;
  options.learning_rate = 3e-4;
  options.weight_decay = 0.1;
  options.clip = 1;
  if (ane_status *status = ane_trainer_create(bundle.c_str(), &options, &trainer))
    return messageOf(status);
  for (size_t i = 0; i < ane_trainer_input_count(trainer); ++i) {
    ane_tensor_info info = ANE_TENSOR_INFO_INIT;
    if (ane_status *status = ane_trainer_input_info(trainer, i, &info))
      return messageOf(status);
    if (info.name == std::string("input_ids") && info.dtype == ANE_INT32 && info.rank == 2) {
      idsInput = i;
      batch = info.shape[0];
      sequence = info.shape[1];
    } else if (info.name == std::string("target") && info.dtype == ANE_INT64) {
      targetInput = i;
    } else {
      return std::string("the bundle has the input '") + info.name + "'; expected a language model's";
    }
  }
  ids.resize(batch * sequence);
  target.resize(batch * sequence);
  return "";
}

/// Tokens 1 to 100, which every vocabulary has.
void TrainingSession::drawTokens() {
  for (int64_t row = 0; row < batch; ++row) {
    auto token = [&](int64_t i) {
      auto number = static_cast<uint32_t>((done * batch + row) * (sequence + 1) + i);
      return 1 + ((number * 2654435761u) >> 16) % 100;
    };
    for (int64_t i = 0; i < sequence; ++i) {
      ids[row * sequence + i] = static_cast<int32_t>(token(i));
      target[row * sequence + i] = token(i + 1);
    }
  }
}

std::string TrainingSession::step(double &backward, double &update) {
  using Clock = std::chrono::steady_clock;
  drawTokens();
  ++done;
  auto nanoseconds = [](Clock::duration time) { return std::chrono::duration<double, std::nano>(time).count(); };
  auto start = Clock::now();
  float value;
  ane_status *status = ane_trainer_set_input(trainer, idsInput, ids.data(), ids.size() * sizeof(int32_t));
  if (!status)
    status = ane_trainer_set_input(trainer, targetInput, target.data(), target.size() * sizeof(int64_t));
  if (!status)
    status = ane_trainer_backward(trainer, &value);
  auto middle = Clock::now();
  if (!status)
    status = ane_trainer_update(trainer, nullptr);
  backward = nanoseconds(middle - start);
  update = nanoseconds(Clock::now() - middle);
  if (status)
    return messageOf(status);
  loss = value;
  return "";
}

uint64_t TrainingSession::parameters() const {
  uint64_t count = 0;
  for (size_t i = 0; i < ane_trainer_parameter_count(trainer); ++i) {
    ane_tensor_info info = ANE_TENSOR_INFO_INIT;
    ane_status_free(ane_trainer_parameter_info(trainer, i, &info));
    count += info.bytes / sizeof(float);
  }
  return count;
}
