//===- ane_train.cpp - ane-train ------------------------------------------===//
#include "runtime/tools/train/ane_train.h"
#include "absl/strings/str_cat.h"
#include "runtime/adapter/peft.h"
#include "runtime/tools/interrupts.h"
#include "runtime/tools/run_report.h"
#include "runtime/tools/run_session.h"
#include "runtime/tools/tool_process.h"
#include "runtime/tools/train/compile_model.h"
#include "runtime/tools/train/train_run.h"
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <unistd.h>

namespace ane::rt::tools {
namespace {

constexpr const char *kName = "ane-train";

/// A folder of its own, removed with what is in it.
class TemporaryBundle {
public:
  absl::StatusOr<std::string> path() {
    std::error_code none;
    std::filesystem::path place = std::filesystem::temp_directory_path(none);
    folder = ((none ? std::filesystem::path("/tmp") : place) / "ane-train-XXXXXX").string();
    if (!mkdtemp(folder.data())) {
      folder.clear();
      return absl::NotFoundError(
          absl::StrCat("there is no room for a bundle in ", place.string(), "; give its place with --bundle=NAME"));
    }
    return folder + "/model.anebundle";
  }
  ~TemporaryBundle() {
    std::error_code none;
    if (!folder.empty())
      std::filesystem::remove_all(folder, none);
  }

private:
  std::string folder;
};

absl::Status compile(const TrainOptions &options, const std::string &bundle) {
  std::vector<std::string> arguments = {
      options.model, absl::StrCat("--train", options.loss.empty() ? "" : "=", options.loss), "-o", bundle};
  if (options.batch)
    arguments.push_back(absl::StrCat("--batch=", options.batch));
  if (options.sequence)
    arguments.push_back(absl::StrCat("--sequence=", options.sequence));
  if (!options.adapters.empty())
    arguments.push_back("--lora=" + options.adapters);
  for (const std::string &pattern : options.trainer.frozen)
    arguments.push_back("--freeze=" + pattern);
  for (const auto &[name, value] : options.compilerOptions)
    if (!value.empty())
      arguments.push_back(absl::StrCat("--", name, "=", value));
  arguments.insert(arguments.end(), options.compilerFlags.begin(), options.compilerFlags.end());
  if (options.json)
    arguments.insert(arguments.end(), {"--quiet", "--diagnostics=json"});
  return runCompiler(arguments);
}

absl::Status train(const TrainOptions &options, const std::string &bundle, const Streams &streams) {
  if (options.dryRun)
    return dryRun(options, bundle, streams.out);
  auto run = TrainRun::open(options, bundle, streams);
  absl::Status status = run.ok() ? (*run)->run() : run.status();
  if (status.ok() || absl::IsCancelled(status))
    printSummary((*run)->summary(), options.json, streams.out);
  return status;
}

/// A bundle was compiled: what says how a model is to be has come too late.
absl::Status checkBundleOptions(const TrainOptions &options) {
  auto refused = [&](const std::string &flag) {
    return absl::InvalidArgumentError(absl::StrCat(flag, " is for a model that is compiled, and ", options.model,
                                                   " is a bundle, which was; give the model, or leave it out"));
  };
  if (!isBundle(options.model))
    return absl::OkStatus();
  for (auto [flag, isGiven] : {std::pair("--batch", options.batch != 0),
                               {"--loss", !options.loss.empty()},
                               {"--lora", !options.adapters.empty()},
                               {"--compile-flag", !options.compilerFlags.empty()},
                               {"--bundle", !options.bundle.empty()}})
    if (isGiven)
      return refused(flag);
  for (const auto &[name, value] : options.compilerOptions)
    if (!value.empty())
      return refused("--" + name);
  return absl::OkStatus();
}

absl::Status act(TrainOptions options, const Streams &streams) {
  if (options.help) {
    streams.out << trainHelp();
    return absl::OkStatus();
  }
  if (options.version) {
    streams.out << kName << " " << ANE_VERSION << "\n";
    return absl::OkStatus();
  }
  try {
    if (isBundle(options.model))
      return train(options, options.model, streams);
    if (options.source.empty())
      options.source = options.model;
    if (options.adapters.empty() && !options.initialAdapter.empty()) {
      auto flag = adapter::compilerFlag(options.initialAdapter);
      if (!flag.ok())
        return adapterError(flag.status());
      options.adapters = *std::move(flag);
    }
    TemporaryBundle temporary;
    auto bundle = options.bundle.empty() ? temporary.path() : absl::StatusOr<std::string>(options.bundle);
    if (!bundle.ok())
      return bundle.status();
    if (absl::Status s = compile(options, *bundle); !s.ok())
      return s;
    // The bundle does not know them.
    options.trainer.frozen.clear();
    return train(options, *bundle, streams);
  } catch (const std::bad_alloc &) {
    return absl::ResourceExhaustedError("there is not enough memory for training");
  }
}

} // namespace

int aneTrain(const std::vector<std::string> &arguments, const Streams &streams) {
  constexpr int kBadInput = 1, kBadUsage = 2, kSignalled = 128;
  const bool json = asksForJson(arguments);
  auto options = parseTrainOptions(arguments);
  if (!options.ok()) {
    printMessage("error", options.status().message(), json, streams.err, kName);
    return kBadUsage;
  }
  if (absl::Status s = options->help || options->version ? absl::OkStatus() : checkBundleOptions(*options); !s.ok()) {
    printMessage("error", s.message(), json, streams.err, kName);
    return kBadUsage;
  }
  absl::Status status = act(*std::move(options), streams);
  if (absl::IsCancelled(status))
    return kSignalled + (Interrupts::ended() != 0 ? Interrupts::ended() : SIGINT);
  if (!status.ok())
    printMessage("error", status.message(), json, streams.err, kName);
  return status.ok() ? 0 : kBadInput;
}

int aneTrainProcess(const std::vector<std::string> &arguments) {
  return onProcessStreams(kName, asksForJson(arguments),
                          [&](const Streams &streams) { return aneTrain(arguments, streams); });
}

} // namespace ane::rt::tools
