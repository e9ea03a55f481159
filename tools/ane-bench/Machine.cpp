//===- Machine.cpp - what the measurements run on -------------------------===//

#include "Machine.h"
#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <sstream>

using namespace ane::bench;

static const char *const known[] = {"avx2",        "fma",      "f16c",        "avx512f",  "avx512bw",
                                    "avx512_vnni", "avx_vnni", "avx512_bf16", "amx_int8", "amx_bf16",
                                    "asimddp",     "i8mm",     "bf16",        "sve"};

Machine Machine::describe() {
  Machine machine = {"", std::thread::hardware_concurrency(), {}, 0};
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    size_t colon = line.find(": ");
    if (colon == std::string::npos)
      continue;
    std::string key = line.substr(0, line.find_first_of("\t:")), value = line.substr(colon + 2);
    if (key == "model name" && machine.processor.empty())
      machine.processor = value;
    if ((key != "flags" && key != "Features") || !machine.features.empty())
      continue;
    std::istringstream names(value);
    for (std::string name; names >> name;)
      if (std::find(std::begin(known), std::end(known), name) != std::end(known))
        machine.features.push_back(name);
  }
  std::ifstream("/proc/loadavg") >> machine.load;
  return machine;
}

double Reading::run() const {
  auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> others;
  auto part = [&](size_t i) { return words.data() + words.size() * i / threads; };
  auto read = [&](size_t i) { benchmark::DoNotOptimize(std::accumulate(part(i), part(i + 1), uint64_t(0))); };
  for (int i = 1; i < threads; ++i)
    others.emplace_back(read, i);
  read(0);
  for (std::thread &other : others)
    other.join();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

/// 0 if the process is gone.
static uint64_t anonymousBytes(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  uint64_t kilobytes = 0;
  for (std::string word; status >> word;)
    if (word == "RssAnon:" && status >> kilobytes)
      break;
  return kilobytes * 1024;
}

void AnonymousPeak::look() {
  std::lock_guard lock(looking);
  most = std::max<uint64_t>(most, anonymousBytes(process));
}

AnonymousPeak::AnonymousPeak(pid_t process) : process(process) {
  watcher = std::thread([this] {
    for (; !isOver; std::this_thread::sleep_for(std::chrono::milliseconds(5)))
      if (isWatching)
        look();
  });
}

AnonymousPeak::~AnonymousPeak() {
  isOver = true;
  watcher.join();
}
