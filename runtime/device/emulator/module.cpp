//===- module.cpp - The emulator as a part of its own ---------------------===//
#include "runtime/device/emulator/module.h"
#include "ane/runtime/ane.h"
#include "runtime/device/emulator/emulator_device.h"

namespace ane::rt::emulator {
namespace {

absl::Status checkMode(const std::string &mode) { return parseBehaviours(mode).status(); }

absl::Status checkTarget(const lint::TargetSpelling &target) { return lint::Target::parse(target).status(); }

absl::StatusOr<std::unique_ptr<Device>> makeDevice(const std::string &mode, const lint::TargetSpelling &target) {
  EmulatorOptions options;
  options.target = target;
  auto known = parseBehaviours(mode);
  if (!known.ok())
    return known.status();
  options.mode = known->mode;
  options.machine = known->machine;
  return makeEmulatorDevice(options);
}

const Module module = {ANE_VERSION, checkMode, checkTarget, makeDevice, runMil};

} // namespace
} // namespace ane::rt::emulator

extern "C" __attribute__((visibility("default"))) const ane::rt::emulator::Module *ane_emulator_module() {
  return &ane::rt::emulator::module;
}
