//===- run_session.cpp - What ane-run runs --------------------------------===//
#include "runtime/tools/run_session.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/adapter.h"
#include "runtime/device/ane/machine.h"
#include <algorithm>

namespace ane::rt::tools {

absl::StatusOr<std::shared_ptr<Bundle>> openBundle(const RunOptions &options, const std::string &device) {
  BundleOptions bundleOptions;
  bundleOptions.device = device;
  bundleOptions.emulatorMode = options.emulatorMode;
  bundleOptions.evaluation = options.evaluation;
  bundleOptions.threads = static_cast<int>(options.threads);
  bundleOptions.verifyHashes = options.verify;
  bundleOptions.trust = options.trust;
  if (options.memoryLimit)
    bundleOptions.memoryLimit = options.memoryLimit;
  bundleOptions.numeric = options.numeric;
  auto bundle = Bundle::open(options.bundle, bundleOptions);
  if (!bundle.ok() || !engine::isNative(options.target.chip))
    return bundle;
  auto machine = engine::nativeMachine(options.target.chip);
  absl::Status status =
      machine.ok() ? engine::checkTarget((*bundle)->manifest().target.chip, *machine) : machine.status();
  if (!status.ok())
    return absl::Status(
        status.code(),
        absl::StrCat(
            options.bundle, ": ", absl::IsFailedPrecondition(status) ? "" : "--target=native: ", status.message(),
            absl::IsFailedPrecondition(status) ? "" : "; without it nobody looks at what the bundle is compiled for"));
  return bundle;
}

absl::StatusOr<std::unique_ptr<RunSession>> RunSession::create(std::shared_ptr<Bundle> bundle,
                                                               const std::string &function) {
  auto session = std::make_unique<RunSession>();
  if (const manifest::Bucket *bucket = bundle->bucket(function)) {
    auto made = Buckets::create(std::move(bundle), *bucket);
    if (!made.ok())
      return made.status();
    session->buckets = *std::move(made);
    session->executor = session->buckets->smallest();
    return session;
  }
  auto made = Executor::create(std::move(bundle), function);
  if (!made.ok())
    return made.status();
  session->executor = *std::move(made);
  return session;
}

absl::Status RunSession::setInput(size_t index, const void *data, int64_t bytes) {
  return buckets ? buckets->setInput(index, data, bytes) : executor->setInput(index, data, bytes);
}

absl::Status adapterError(const absl::Status &problem) {
  return absl::Status(problem.code(), absl::StrCat("--adapter: ", problem.message()));
}

absl::Status RunSession::setAdapter(const std::string &folder) {
  absl::StatusOr<std::vector<adapter::Matrices>> matrices = readAdapter(*executor->owner(), folder);
  if (!matrices.ok())
    return adapterError(matrices.status());
  rt::setAdapter(executor->states(), *executor->owner(), *matrices);
  return absl::OkStatus();
}

absl::Status RunSession::run() {
  if (buckets) {
    auto chosen = buckets->prepare();
    if (!chosen.ok())
      return chosen.status();
    executor = *std::move(chosen);
  }
  executor->traceTo(spans);
  return buckets ? buckets->run() : executor->run();
}

std::vector<Port> RunSession::outputs() const {
  std::vector<Port> ports = executor->outputs();
  for (size_t i = 0; buckets && i < ports.size(); ++i) {
    ports[i].type = buckets->outputs()[i].type;
    std::replace(ports[i].type.shape.begin(), ports[i].type.shape.end(), int64_t(-1), buckets->size());
    auto [data, bytes] = buckets->output(i);
    ports[i].data = const_cast<void *>(data); // nobody writes there
    ports[i].bytes = bytes;
  }
  return ports;
}

} // namespace ane::rt::tools
