//===- simulation.h - Tests on the simulated framework ----------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEST_SIMULATION_SIMULATION_H
#define ANE_RUNTIME_TEST_SIMULATION_SIMULATION_H

#include "runtime/core/executor.h"
#include "runtime/device/ane/ane_device.h"
#include "runtime/test/core/test_bundle.h"
#include "runtime/test/simulation/control.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <gtest/gtest.h>

namespace ane::rt::test {

/// A function of the simulation, called.
template <typename Result, typename... Arguments>
Result ask(const char *name, Arguments... arguments) {
  void *library = dlopen(ANE_SIMULATED_FRAMEWORK, RTLD_NOW | RTLD_NOLOAD);
  auto *function = reinterpret_cast<Result (*)(Arguments...)>(dlsym(library, name));
  dlclose(library); // which stays: a device has opened it
  return function(arguments...);
}

inline bool schedule(const std::string &faults) { return ask<int>("simulated_schedule", faults.c_str()) != 0; }
inline bool set(const std::string &words) { return ask<int>("simulated_set", words.c_str()) != 0; }

inline std::unique_ptr<engine::AneDevice> simulatedDevice() {
  auto made = engine::makeAneDevice({ANE_SIMULATED_FRAMEWORK});
  EXPECT_TRUE(made.ok()) << made.status();
  return made.ok() ? *std::move(made) : nullptr;
}

/// Temporary files of the framework are the test's, and nothing is left of the client's objects, locks and misuse.
class Simulation : public testing::Test {
protected:
  Simulation() {
    char name[] = "/tmp/ane_device_XXXXXX";
    root = mkdtemp(name);
    setenv("TMPDIR", root.c_str(), 1);
    device = simulatedDevice();
  }
  ~Simulation() override {
    device.reset();
    ask<int>("simulated_stop_failing");
    EXPECT_TRUE(set("weights=stale compile_ms=0 direct=works real_time=works standard_us=0 direct_us=0 real_time_us=0 "
                    "chain=refused identifier=content"));
    EXPECT_EQ(ask<int>("simulated_findings"), 0) << ask<const char *>("simulated_finding_texts");
    EXPECT_EQ(ask<int>("simulated_live_objects"), 0);
    EXPECT_EQ(ask<int>("simulated_held_locks"), 0);
    std::filesystem::remove_all(root);
  }

  std::string root;
  std::unique_ptr<engine::AneDevice> device;
};

/// What a bundle gives, run several times on a device.
struct Ran {
  std::vector<float> values; ///< of the last run
  std::vector<Event> events;
  absl::Status status; ///< of the first run that failed
};

inline Ran run(const std::string &dir, std::unique_ptr<Device> device, int times = 3) {
  BundleOptions options;
  options.context = std::make_shared<Context>();
  options.makeDevice = [&] { return std::move(device); };
  Ran ran;
  auto bundle = Bundle::open(dir, options);
  EXPECT_TRUE(bundle.ok()) << bundle.status();
  auto executor = Executor::create(*bundle, "");
  EXPECT_TRUE(executor.ok()) << executor.status();
  if (!executor.ok())
    return ran;
  const int64_t ids[kIds] = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_TRUE((*executor)->setInput(0, ids, sizeof ids).ok());
  const auto *data = static_cast<const float *>((*executor)->outputs()[0].data);
  for (int i = 0; i < times; ++i) {
    absl::Status status = (*executor)->run();
    if (status.ok())
      ran.values.assign(data, data + kIds * kColumns);
    else if (ran.status.ok())
      ran.status = status;
  }
  ran.events = (*executor)->events();
  return ran;
}

/// What test::TestBundle computes.
inline std::vector<float> wantedValues() {
  std::vector<float> values;
  for (int id = 1; id <= kIds; ++id)
    for (int column = 0; column < kColumns; ++column)
      values.push_back(TestBundle::expected(id, column));
  return values;
}

} // namespace ane::rt::test
#endif // ANE_RUNTIME_TEST_SIMULATION_SIMULATION_H
