//===- Sessions.cpp - several sessions of a bundle ------------------------===//

#include "Sessions.h"
#include "Pairs.h"
#include "Session.h"
#include <algorithm>
#include <chrono>
#include <malloc.h>
#include <thread>

using namespace ane::bench;

namespace {

using Clock = std::chrono::steady_clock;

double msSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Bytes that the process has allocated.
double allocated() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

/// A bundle with its sessions. Methods return what went wrong, or nothing.
struct Sessions {
  ~Sessions() {
    for (ane_session *session : list)
      ane_session_destroy(session);
    ane_bundle_close(bundle);
  }

  std::string open(const std::string &path, const char *device, const Options &options, const std::string &inputs) {
    auto start = Clock::now();
    ane_options given = ANE_OPTIONS_INIT;
    given.device = device;
    given.threads = options.threads;
    if (ane_status *status = ane_bundle_open(path.c_str(), &given, &bundle))
      return messageOf(status);
    list.resize(static_cast<size_t>(options.sessions));
    double before = 0;
    for (ane_session *&session : list) {
      if (ane_status *status = ane_session_create(bundle, nullptr, &session))
        return messageOf(status);
      if (&session == &list.front()) {
        firstMs = msSince(start);
        before = allocated();
        start = Clock::now();
      }
    }
    if (const auto others = static_cast<double>(list.size() - 1); others > 0) {
      nextMs = msSince(start) / others;
      nextBytes = (allocated() - before) / others;
    }
    for (ane_session *session : list)
      if (std::string error = setInputs(session, inputs); !error.empty())
        return error;
    return "";
  }

  /// Each once, and the time of all. The first run of a session warms its memory.
  std::string run(bool atOnce, double &ms) {
    std::vector<std::string> errors(list.size());
    auto runOne = [&](size_t i) {
      double ns;
      errors[i] = timed(list[i], ns);
    };
    const auto start = Clock::now();
    if (atOnce) {
      std::vector<std::thread> threads;
      for (size_t i = 0; i < list.size(); ++i)
        threads.emplace_back(runOne, i);
      for (std::thread &thread : threads)
        thread.join();
    } else {
      for (size_t i = 0; i < list.size(); ++i)
        runOne(i);
    }
    ms = msSince(start);
    auto wrong = std::find_if(errors.begin(), errors.end(), [](const std::string &error) { return !error.empty(); });
    return wrong == errors.end() ? "" : *wrong;
  }

  ane_bundle *bundle = nullptr;
  std::vector<ane_session *> list;
  double firstMs = 0, nextMs = 0, nextBytes = 0;
};

void measure(benchmark::State &state, const Options &options, const Options::Bundle &bundle,
             const std::string &device) {
  Sessions sessions;
  double ms = 0, atOnce = 0, inTurn = 0;
  std::string error = sessions.open(bundle.path, device.c_str(), options, options.inputs + "/" + bundle.name);
  if (error.empty())
    error = sessions.run(false, ms);
  if (!error.empty())
    return fail(state, error);
  auto least = [&](double &of) { of = of == 0 ? ms : std::min(of, ms); };
  for (auto _ : state) {
    if (error = sessions.run(false, ms); !error.empty())
      return fail(state, error);
    least(inTurn);
    if (error = sessions.run(true, ms); !error.empty())
      return fail(state, error);
    least(atOnce);
    state.SetIterationTime(ms * 1e-3);
  }
  state.counters["first_session_ms"] = sessions.firstMs;
  state.counters["next_session_ms"] = sessions.nextMs;
  state.counters["next_session_bytes"] = sessions.nextBytes;
  state.counters["in_turn_min_ms"] = inTurn;
  state.counters["at_once_min_ms"] = atOnce;
  state.counters["times_faster"] = inTurn / atOnce;
}

} // namespace

void ane::bench::registerSessions(const Options &options) {
  if (options.sessions == 0)
    return;
  std::vector<std::string> devices = {"cpu", "emulator"};
  if (!options.device.empty())
    devices.push_back(options.device);
  for (const Options::Bundle &bundle : options.bundles)
    for (const std::string &device : devices)
      benchmark::RegisterBenchmark(("sessions/" + device.substr(0, device.find(':')) + "/" + bundle.name).c_str(),
                                   [=](benchmark::State &state) { measure(state, options, bundle, device); })
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond)
          ->Iterations(options.rounds);
}
