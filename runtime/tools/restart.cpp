//===- restart.cpp - A process that can compile no more -------------------===//
#include "runtime/tools/restart.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/context.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>
#ifdef __APPLE__
#include <crt_externs.h>
#include <mach-o/dyld.h>
#endif

namespace ane::rt::tools {
namespace {

/// Tells a process how many came before it.
constexpr char kCount[] = "ANE_RESTARTS";

std::vector<std::string> argumentsOfThisProcess() {
#ifdef __APPLE__
  return {*_NSGetArgv(), *_NSGetArgv() + *_NSGetArgc()};
#else
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string each; std::getline(file, each, '\0');)
    arguments.push_back(each);
  return arguments;
#endif
}

std::string pathOfThisProcess() {
#ifdef __APPLE__
  std::string path(4096, '\0');
  auto room = static_cast<uint32_t>(path.size());
  return _NSGetExecutablePath(path.data(), &room) == 0 ? path.c_str() : "";
#else
  return "/proc/self/exe";
#endif
}

} // namespace

void restartIfCompiledOut(const Bundle &bundle) {
  const ProgramCache &cache = bundle.context().cache();
  const int64_t compiled = cache.counters().compilations;
  if (bundle.deviceName() != "ane" || !cache.isCompiledOut() || compiled == 0)
    return;
  // Where more are needed, the engine forgets what it has compiled.
  const int64_t most = static_cast<int64_t>(bundle.manifest().programs.size()) / compiled + 1;
  int64_t before = 0;
  if (const char *count = std::getenv(kCount); count && (!absl::SimpleAtoi(count, &before) || before >= most))
    return;
  std::vector<std::string> arguments = argumentsOfThisProcess();
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  if (arguments.empty() || setenv(kCount, absl::StrCat(before + 1).c_str(), 1) != 0)
    return;
  execv(pathOfThisProcess().c_str(), pointers.data()); // which returns where it fails
}

} // namespace ane::rt::tools
