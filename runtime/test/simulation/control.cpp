//===- control.cpp - What tests ask of the simulated framework ------------===//
#include "runtime/test/simulation/control.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

struct Documented {
  long code;
  const char *text;
};

/// ane-programming.md 1.8, ane-op-chip-matrix.md "Error codes"; the last is what NSXPCConnection gives for a service
/// that has ended.
constexpr Documented kDocumented[] = {
    {1, "ANECCompile() FAILED: err=()"},
    {1, "InvalidMILProgram"},
    {9, "ANEProgramProcessRequestDirect() Failed with status=0x1d : statusType=0x9: Program Inference error"},
    {2, "error 0x2"},
    {0x12, "mapIOSurfaces failed"},
    {13, "mapIOSurfaces failed"},
    {0x50004, "Program load failure (0x50004)"},
    {0x20004, "Program load failure (0x20004)"},
    {15, "ANEProgramChainingPrepare() Failed"},
    {10, "verifyBundleAtPath"},
    {42, "IOSurface"},
    {1, "0xe00002bd"},
    {4097, "connection to service was interrupted"},
};
constexpr const Documented &kServiceEnded = kDocumented[std::size(kDocumented) - 1];

struct Fault {
  int kinds;
  int64_t first, times;
  enum class What : uint8_t { Error, Exception, Service } what;
  long code;
  std::string text;
};

/// Never destroyed: objects may go after everything else.
struct State {
  std::mutex mutex;
  int findings = 0;
  std::string texts;
  std::map<std::string, std::string> options = {
      {"compilations", "119"},   {"loaded", "127"},        {"megabytes", "3584"},    {"weights", "stale"},
      {"compile_ms", "0"},       {"keeps", "yes"},         {"counts", "no"},         {"subtype", "h16g"},
      {"weight_files", "16"},    {"constants", "0"},       {"direct", "works"},      {"real_time", "works"},
      {"standard_us", "0"},      {"direct_us", "0"},       {"real_time_us", "0"},    {"chain", "refused"},
      {"identifier", "content"}, {"records", "tolerated"}, {"temporary", "variable"}};
  std::vector<Fault> faults;
  std::optional<std::pair<std::mt19937, int>> random;
  int failed = 0;
  int64_t calls[10] = {};
  std::vector<int64_t> seen; ///< of each fault's calls
  std::atomic<int> service{0};

  static State &get() {
    static State *state = [] {
      auto *made = new State;
      if (const char *words = std::getenv("SIMULATED_ENGINE"); words && !made->set(words))
        made->note("SIMULATED_ENGINE", words);
      if (const char *faults = std::getenv("SIMULATED_FAULTS"); faults && !made->schedule(faults))
        made->note("SIMULATED_FAULTS", faults);
      return made;
    }();
    return *state;
  }

  void note(const char *name, const char *words) {
    std::fprintf(stderr, "simulated framework: %s=\"%s\" can't be read\n", name, words);
    _exit(2); // what runs at the end asks for this, which is not made yet
  }

  /// The words of an option; others are numbers, but for a name.
  static bool isValue(const std::string &option, const std::string &value) {
    static const std::vector<std::string> answers = {"yes", "no"}, path = {"works", "missing", "fails", "zeros"};
    static const std::map<std::string, std::vector<std::string>> words = {
        {"weights", {"stale", "fresh"}},
        {"records", {"tolerated", "refused"}},
        {"keeps", answers},
        {"counts", answers},
        {"direct", path},
        {"real_time", path},
        {"identifier", {"content", "keys"}},
        {"temporary", {"variable", "own"}},
        {"chain", {"refused", "prepared", "accepted"}}};
    int64_t number;
    if (auto known = words.find(option); known != words.end())
      return std::count(known->second.begin(), known->second.end(), value) != 0;
    return option == "subtype" || (absl::SimpleAtoi(value, &number) && number >= 0);
  }

  bool set(const char *words) {
    for (absl::string_view word : absl::StrSplit(words, ' ', absl::SkipEmpty())) {
      const std::vector<std::string> parts = absl::StrSplit(word, absl::MaxSplits('=', 1));
      if (parts.size() != 2 || !options.count(parts[0]) || !isValue(parts[0], parts[1]))
        return false;
      options[parts[0]] = parts[1];
    }
    return true;
  }

  bool schedule(const char *text) {
    faults.clear();
    random.reset();
    failed = 0;
    for (absl::string_view word : absl::StrSplit(text, ';', absl::SkipEmpty())) {
      if (absl::ConsumePrefix(&word, "random=")) {
        const std::vector<std::string> parts = absl::StrSplit(word, '/');
        uint32_t seed;
        int likely;
        if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &seed) || !absl::SimpleAtoi(parts[1], &likely))
          return false;
        random.emplace(std::mt19937(seed), likely);
      } else if (!parse(std::string(word))) {
        return false;
      }
    }
    seen.assign(faults.size(), 0);
    return true;
  }

  bool parse(const std::string &word) {
    static const std::map<std::string, int> kinds = {
        {"any", kSimulatedAny},           {"describe", kSimulatedDescribe},
        {"compile", kSimulatedCompile},   {"load", kSimulatedLoad},
        {"evaluate", kSimulatedEvaluate}, {"unload", kSimulatedUnload},
        {"request", kSimulatedRequest},   {"surface", kSimulatedSurface},
        {"lock", kSimulatedLock},         {"attributes", kSimulatedAttributes},
        {"exists", kSimulatedExists}};
    const size_t at = word.find('@'), is = word.find('=');
    if (at == std::string::npos || is == std::string::npos || is < at)
      return false;
    Fault fault{0, 1, 1, Fault::What::Error, 0, ""};
    for (const std::string &kind : std::vector<std::string>(absl::StrSplit(word.substr(0, at), '+'))) {
      if (!kinds.count(kind))
        return false;
      fault.kinds |= kinds.at(kind);
    }
    const std::vector<std::string> when = absl::StrSplit(word.substr(at + 1, is - at - 1), 'x');
    if (!absl::SimpleAtoi(when[0], &fault.first) || (when.size() == 2 && !absl::SimpleAtoi(when[1], &fault.times)))
      return false;
    const std::string what = word.substr(is + 1);
    if (what == "exception") {
      fault.what = Fault::What::Exception;
    } else if (what == "daemon") {
      fault.what = Fault::What::Service;
    } else {
      char *end;
      fault.code = std::strtol(what.c_str(), &end, 0);
      if (*end != ':')
        return false;
      fault.text = end + 1;
    }
    faults.push_back(std::move(fault));
    return true;
  }

  std::optional<Fault> faultOf(int call) {
    std::optional<Fault> found;
    for (size_t i = 0; i < faults.size(); ++i)
      if ((faults[i].kinds & call) && ++seen[i] >= faults[i].first && seen[i] < faults[i].first + faults[i].times)
        found = faults[i];
    if (random && static_cast<int>(random->first() % 1000) < random->second) {
      const size_t which = random->first() % (std::size(kDocumented) + 1);
      found = Fault{call, 0, 0, Fault::What::Error, 0, ""};
      if (which == std::size(kDocumented)) {
        found->what = Fault::What::Exception;
      } else if (&kDocumented[which] == &kServiceEnded) {
        found->what = Fault::What::Service;
      } else {
        found->code = kDocumented[which].code;
        found->text = kDocumented[which].text;
      }
    }
    return found;
  }
};

} // namespace

void simulated_finding(const char *source, const char *fact, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, fact);
  vsnprintf(text, sizeof text, fact, arguments);
  va_end(arguments);
  std::fprintf(stderr, "simulated framework: %s (%s)\n", text, source);
  State &state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  ++state.findings;
  state.texts += std::string(text) + " (" + source + ")\n";
}

int simulated_findings() { return State::get().findings; }
const char *simulated_finding_texts() { return State::get().texts.c_str(); }
void simulated_forget_findings() {
  State::get().findings = 0;
  State::get().texts.clear();
}

int simulated_set(const char *words) {
  State &state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  return state.set(words);
}

const char *simulated_word(const char *name) {
  State &state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  return state.options.at(name).c_str();
}

int64_t simulated_option(const char *name) { return std::strtoll(simulated_word(name), nullptr, 10); }

int simulated_schedule(const char *faults) {
  State &state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  return state.schedule(faults);
}

int simulated_stop_failing() {
  State &state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  const int failed = state.failed;
  state.schedule("");
  return failed;
}

int64_t simulated_calls(int kinds) {
  State &state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  int64_t sum = 0;
  for (int i = 0; i < 10; ++i)
    sum += kinds >> i & 1 ? state.calls[i] : 0;
  return sum;
}

SimulatedFault simulated_fault(SimulatedCall call, long *code, char *text) {
  State &state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  for (int i = 0; i < 10; ++i)
    state.calls[i] += call >> i & 1;
  const std::optional<Fault> fault = state.faultOf(call);
  if (!fault)
    return kSimulatedNone;
  ++state.failed;
  const bool hasEnded = fault->what == Fault::What::Service;
  if (hasEnded)
    ++state.service;
  *code = hasEnded ? kServiceEnded.code : fault->code;
  std::snprintf(text, 256, "%s", hasEnded ? kServiceEnded.text : fault->text.c_str());
  return fault->what == Fault::What::Exception ? kSimulatedException : kSimulatedError;
}

/// As static destructors of others may still call.
__attribute__((destructor)) static void tellCounts() {
  if (std::strcmp(simulated_word("counts"), "yes") != 0)
    return;
  constexpr const char *kNames[] = {"describe", "compile", "load", "evaluate",   "unload",
                                    "request",  "surface", "lock", "attributes", "exists"};
  std::fprintf(stderr, "simulated calls:");
  for (int i = 0; i < 10; ++i)
    std::fprintf(stderr, " %s %lld", kNames[i], static_cast<long long>(simulated_calls(1 << i)));
  std::fprintf(stderr, "\n");
}

int simulated_service() { return State::get().service; }
