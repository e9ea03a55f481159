//===- restart.cpp - A process that can compile no more -------------------===//
#include "runtime/tools/restart.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

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

/// Tells a process how many programs the one before it has left.
constexpr char kLeft[] = "ANE_LEFT_TO_COMPILE";

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

void declareAtCompileLimit(CommandLine &line, std::string &what) {
  line.option("at-compile-limit", &what, "WHAT",
              "where a bundle has more programs than the engine compiles for a\n"
              "process: restart (default) begins anew, and compiles the rest;\n"
              "stay runs them on the CPU");
}

absl::Status checkAtCompileLimit(const std::string &what) {
  if (what == "restart" || what == "stay")
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--at-compile-limit: is \"", what, "\", expected restart or stay"));
}

void restartIfCompiledOut(const std::string &device, const ProgramCache &cache) {
  const int64_t left = cache.leftToCompile();
  if (device != "ane" || left == 0 || cache.compiled() == 0)
    return;
  // Where no fewer are left, the engine forgets what it has compiled, or never takes the rest.
  int64_t before = kNoLimit;
  if (const char *text = std::getenv(kLeft); text && !absl::SimpleAtoi(text, &before))
    return;
  if (left >= before)
    return;
  std::vector<std::string> arguments = argumentsOfThisProcess();
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  if (arguments.empty() || setenv(kLeft, absl::StrCat(left).c_str(), 1) != 0)
    return;
  execv(pathOfThisProcess().c_str(), pointers.data()); // which returns where it fails
}

} // namespace ane::rt::tools
