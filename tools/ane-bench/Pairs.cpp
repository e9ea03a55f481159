//===- Pairs.cpp - two ways to run a model, side by side ------------------===//

#include "Pairs.h"
#include "Peer.h"
#include "Session.h"
#include "Turns.h"
#include <chrono>
#include <thread>

using namespace ane::bench;

namespace {

/// Runs of one side in a row; the first run warms the caches.
constexpr int blockRuns = 4;

std::string runBlock(const Side &side, Times &times) {
  std::this_thread::sleep_for(pauseBetween);
  for (int i = 0; i <= blockRuns; ++i) {
    double ns;
    if (std::string error = side(ns); !error.empty())
      return error;
    if (i > 0)
      times.ns.push_back(ns);
  }
  return "";
}

void compare(benchmark::State &state, const Side &first, const Side &second) {
  Times a, b;
  for (auto _ : state) {
    // Alternating, so that a busy minute of the machine meets both.
    size_t before = a.ns.size();
    std::string error = runBlock(first, a);
    if (error.empty())
      error = runBlock(second, b);
    if (!error.empty())
      return fail(state, error);
    double sum = 0;
    for (size_t i = before; i < a.ns.size(); ++i)
      sum += a.ns[i];
    state.SetIterationTime(sum / blockRuns * 1e-9);
  }
  state.counters["first_min_ms"] = a.minimum() * 1e-6;
  state.counters["first_median_ms"] = a.median() * 1e-6;
  state.counters["second_min_ms"] = b.minimum() * 1e-6;
  state.counters["second_median_ms"] = b.median() * 1e-6;
  state.counters["ratio_min"] = a.minimum() / b.minimum();
  state.counters["ratio_median"] = a.median() / b.median();
}

void compareWithPeer(benchmark::State &state, const Options &options, const Options::Bundle &bundle) {
  Session session;
  Peer peer;
  std::string error = session.open(bundle.path, "cpu", options.threads, options.inputs + "/" + bundle.name);
  if (error.empty())
    error = peer.start(options.peer + " " + bundle.name);
  if (!error.empty())
    return fail(state, error);
  compare(state, [&](double &ns) { return session.run(ns); }, [&](double &ns) { return peer.run(ns); });
}

void compareWithEmulator(benchmark::State &state, const Options &options, const Options::Bundle &bundle) {
  Session emulator, cpu;
  std::string inputs = options.inputs + "/" + bundle.name;
  std::string error = emulator.open(bundle.path, "emulator", options.threads, inputs);
  if (error.empty())
    error = cpu.open(bundle.path, "cpu", options.threads, inputs);
  if (!error.empty())
    return fail(state, error);
  compare(state, [&](double &ns) { return emulator.run(ns); }, [&](double &ns) { return cpu.run(ns); });
}

bool anyFailed = false;

} // namespace

void ane::bench::fail(benchmark::State &state, const std::string &error) {
  anyFailed = true;
  state.SkipWithError(error.c_str());
}

bool ane::bench::hasFailed() { return anyFailed; }

void ane::bench::registerPairs(const Options &options) {
  auto add = [&](const std::string &kind, const Options::Bundle &bundle, auto function) {
    benchmark::RegisterBenchmark((kind + "/" + bundle.name).c_str(),
                                 [=](benchmark::State &state) { function(state, options, bundle); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond)
        ->Iterations(options.rounds);
  };
  for (const Options::Bundle &bundle : options.bundles) {
    if (!options.peer.empty())
      add("cpu_vs_peer", bundle, compareWithPeer);
    add("emulator_vs_cpu", bundle, compareWithEmulator);
  }
}
