//===- compile_model.cpp - ane-compile, for ane-train ---------------------===//
#include "runtime/tools/train/compile_model.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

extern char **environ;

namespace ane::rt::tools {
namespace {

/// This program's own file; empty if the system does not say.
std::filesystem::path ownFile() {
  std::error_code none;
#ifdef __APPLE__
  char name[4096];
  uint32_t size = sizeof name;
  return _NSGetExecutablePath(name, &size) == 0 ? std::filesystem::canonical(name, none) : std::filesystem::path();
#else
  return std::filesystem::read_symlink("/proc/self/exe", none);
#endif
}

/// The one of the same build, else whatever PATH has.
std::string compiler() {
  std::error_code none;
  std::filesystem::path beside = ownFile().parent_path() / "ane-compile";
  return std::filesystem::is_regular_file(beside, none) ? beside.string() : "ane-compile";
}

} // namespace

bool isBundle(const std::string &path) {
  std::error_code none;
  return std::filesystem::is_regular_file(std::filesystem::path(path) / "manifest.json", none);
}

absl::Status runCompiler(const std::vector<std::string> &arguments) {
  std::string program = compiler();
  std::vector<char *> words{program.data()};
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  if (int error = posix_spawnp(&child, program.c_str(), nullptr, nullptr, words.data(), environ); error != 0)
    return absl::NotFoundError(absl::StrCat("ane-compile cannot be run (", std::strerror(error),
                                            "); put it beside ane-train or in PATH, or compile the model to a bundle: "
                                            "ane-compile ",
                                            absl::StrJoin(arguments, " ")));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return absl::InternalError(absl::StrCat("ane-compile: ", std::strerror(errno)));
  if (WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) > 128))
    return absl::CancelledError("ane-compile was ended by a signal");
  if (WEXITSTATUS(status) != 0)
    return absl::InvalidArgumentError("the model could not be compiled for training, see above");
  return absl::OkStatus();
}

} // namespace ane::rt::tools
