//===- Compile.cpp - time to compile models -------------------------------===//

#include "Compile.h"
#include <cstdlib>
#include <filesystem>
#include <sys/resource.h>

using namespace ane::bench;

/// Seconds on a processor of all children that ended.
static double childSeconds() {
  rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  auto seconds = [](const timeval &time) { return double(time.tv_sec) + 1e-6 * double(time.tv_usec); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void ane::bench::registerCompilations(const Options &options) {
  for (const Options::Bundle &model : options.models)
    benchmark::RegisterBenchmark(("compile/" + model.name).c_str(),
                                 [=](benchmark::State &state) {
                                   std::string bundle =
                                       std::filesystem::temp_directory_path() / ("ane-bench-" + model.name);
                                   for (auto _ : state) {
                                     double before = childSeconds();
                                     std::string command =
                                         options.compiler + " '" + model.path + "' -o '" + bundle + "' --quiet";
                                     if (std::system(command.c_str()) != 0)
                                       return fail(state, "the compiler failed on " + model.path);
                                     state.SetIterationTime(childSeconds() - before);
                                   }
                                   std::filesystem::remove_all(bundle);
                                 })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1);
}
