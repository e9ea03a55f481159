//===- devices.cpp - The devices of a process -----------------------------===//
#include "runtime/core/devices.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/emulator.h"
#include "runtime/core/evaluation_paths.h"
#include "runtime/device/ane/ane_device.h"
#include "runtime/device/ane/ioreport.h"
#include "runtime/device/ane/machine.h"
#include "runtime/support/of_process.h"
#include <algorithm>
#include <map>

namespace ane::rt {

namespace {

/// A kind of device that runs programs.
struct Kind {
  std::string_view name;
  bool staysInProcess;
  /// Choices of one key are one device.
  std::string (*keyOf)(const DeviceChoice &choice);
  absl::StatusOr<std::unique_ptr<Device>> (*make)(const DeviceChoice &choice);
  /// Has a device that is there do what a choice asks of all who use it. Null: nothing.
  absl::Status (*tune)(Device &device, const DeviceChoice &choice);
};

/// "ane:FILE" names a library that has the framework.
constexpr char kAneWith[] = "ane:";

constexpr Kind kAne = {"ane", true, [](const DeviceChoice &choice) { return choice.name; },
                       [](const DeviceChoice &choice) -> absl::StatusOr<std::unique_ptr<Device>> {
                         const std::vector<std::string> libraries = librariesOf(choice.name);
                         auto made = engine::makeAneDevice(libraries);
                         if (made.ok())
                           if (auto kept = keptPath(libraries))
                             (*made)->take(*kept).IgnoreError(); // else it stays the standard one
                         return made;
                       },
                       [](Device &device, const DeviceChoice &choice) -> absl::Status {
                         auto path = engine::evaluationPathFrom(choice.evaluation);
                         if (!path.ok())
                           return absl::InvalidArgumentError(absl::StrCat("evaluation: ", path.status().message()));
                         return *path ? takePath(static_cast<engine::AneDevice &>(device), **path) : absl::OkStatus();
                       }};

constexpr Kind kEmulator = {"emulator", false,
                            [](const DeviceChoice &choice) {
                              const manifest::Target &target = choice.target;
                              return absl::StrCat("emulator\n", choice.mode, "\n", target.chip, "\n", target.route,
                                                  "\n", target.os, "\n", target.strictness);
                            },
                            [](const DeviceChoice &choice) -> absl::StatusOr<std::unique_ptr<Device>> {
                              auto module = emulatorModule();
                              if (!module.ok())
                                return module.status();
                              const manifest::Target &target = choice.target;
                              return (*module)->makeDevice(choice.mode,
                                                           {target.chip, target.route, target.os, target.strictness});
                            },
                            nullptr};

/// Null for the CPU, of a name that was checked.
const Kind *kindOf(const std::string &name) {
  if (name == "cpu")
    return nullptr;
  return name == kEmulator.name ? &kEmulator : &kAne;
}

/// The choice with "auto" resolved.
absl::StatusOr<DeviceChoice> resolved(DeviceChoice choice) {
  if (absl::Status status = checkDeviceName(choice.name); !status.ok())
    return status;
  if (choice.name == "auto") {
    static const bool hasEngine = engine::makeAneDevice().ok();
    choice.name = hasEngine ? "ane" : "cpu";
  }
  return choice;
}

} // namespace

absl::Status checkDeviceName(const std::string &name) {
  if (name == "auto" || name == kAne.name || name == kEmulator.name || name == "cpu" ||
      (absl::StartsWith(name, kAneWith) && name != kAneWith))
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("device: is \"", name, "\", expected auto, ane, emulator or cpu"));
}

absl::StatusOr<std::unique_ptr<Device>> makeDevice(const DeviceChoice &wanted) {
  auto choice = resolved(wanted);
  if (!choice.ok())
    return choice.status();
  const Kind *kind = kindOf(choice->name);
  return kind ? kind->make(*choice) : std::unique_ptr<Device>();
}

std::shared_ptr<Devices> Devices::process() { return ofProcess<Devices>(); }

std::vector<std::string> librariesOf(const std::string &name) {
  return absl::StartsWith(name, kAneWith) ? std::vector{name.substr(sizeof kAneWith - 1)} : std::vector<std::string>();
}

std::string noteOfChips(const std::string &device, const std::string &chips) {
  DeviceChoice wanted;
  wanted.name = device;
  auto choice = resolved(std::move(wanted));
  if (!choice.ok() || kindOf(choice->name) != &kAne)
    return "";
  // A machine stays what it is, and to ask it takes a walk over all its devices.
  static std::mutex mutex;
  static auto *machines = new std::map<std::string, absl::StatusOr<engine::Machine>>;
  std::lock_guard<std::mutex> lock(mutex);
  auto known = machines->find(choice->name);
  if (known == machines->end())
    known = machines->emplace(choice->name, engine::readMachine(librariesOf(choice->name))).first;
  const absl::StatusOr<engine::Machine> &machine = known->second;
  return machine.ok() && engine::targetsOf(*machine).ok() ? std::string(engine::checkTarget(chips, *machine).message())
                                                          : "";
}

std::unique_ptr<EnergyMeter> energyMeter(const std::string &name) {
  auto meter = engine::makeEnergyMeter(librariesOf(name));
  return meter.ok() ? *std::move(meter) : nullptr;
}

absl::StatusOr<std::shared_ptr<DevicePrograms>> Devices::get(const DeviceChoice &wanted) {
  auto choice = resolved(wanted);
  if (!choice.ok())
    return choice.status();
  const Kind *kind = kindOf(choice->name);
  if (!kind)
    return std::shared_ptr<DevicePrograms>();
  auto found = devices.get(kind->keyOf(*choice), [&]() -> absl::StatusOr<std::unique_ptr<DevicePrograms>> {
    auto made = kind->make(*choice);
    if (!made.ok())
      return made.status();
    return std::make_unique<DevicePrograms>(*std::move(made));
  });
  if (!found.ok() || !kind->staysInProcess)
    return found;
  if (absl::Status status = kind->tune ? kind->tune(*(*found)->device, *choice) : absl::OkStatus(); !status.ok())
    return status;
  std::lock_guard<std::mutex> lock(mutex);
  if (std::find(engines.begin(), engines.end(), *found) == engines.end())
    engines.push_back(*found);
  return found;
}

} // namespace ane::rt
