//===- evaluator.cpp - What has requests evaluated ------------------------===//
#include "runtime/device/ane/evaluator.h"

#include "absl/strings/str_cat.h"

namespace ane::rt::engine {

using objc::Runtime;

absl::StatusOr<objc::Id> Evaluator::clientOf(EvaluationPath of) {
  std::lock_guard<std::mutex> lock(mutex);
  objc::Owned &client = clients[static_cast<size_t>(of)];
  if (!client) {
    auto made = Runtime::guarded(absl::StrCat("a client for ", nameOf(of), " evaluation"), [&] {
      Runtime::Pool pool(framework->objects().runtime);
      return framework->client(of);
    });
    if (!made.ok())
      return made.status();
    client = *std::move(made);
  }
  return client.get();
}

absl::Status Evaluator::take(EvaluationPath wanted) {
  if (wanted != EvaluationPath::Standard)
    if (auto client = clientOf(wanted); !client.ok())
      return client.status();
  path = wanted;
  return absl::OkStatus();
}

absl::Status Evaluator::evaluate(const std::string &subject, objc::Id model, objc::Id request, std::string &note) {
  EvaluationPath by = path;
  absl::Status failed;
  if (by != EvaluationPath::Standard) {
    failed = Runtime::guarded(subject, [&] {
      Runtime::Pool pool(framework->objects().runtime);
      return framework->evaluate(subject, model, request, by, clients[static_cast<size_t>(by)].get());
    });
    if (failed.ok())
      return failed;
  }
  absl::Status status = Runtime::guarded(subject, [&] {
    Runtime::Pool pool(framework->objects().runtime);
    return framework->evaluate(subject, model, request);
  });
  // Where both fail it is not the path's doing.
  if (status.ok() && !failed.ok()) {
    path.compare_exchange_strong(by, EvaluationPath::Standard);
    note = absl::StrCat(failed.message(), "; evaluations are standard ones from here on");
  }
  return status;
}

absl::Status Evaluator::chain(const std::string &subject, objc::Id model, const std::vector<Bound> &inputs,
                              const std::vector<Bound> &outputs, int64_t procedure) {
  auto client = clientOf(EvaluationPath::Direct);
  if (!client.ok())
    return client.status();
  return Runtime::guarded(subject, [&] {
    Runtime::Pool pool(framework->objects().runtime);
    return framework->chain(subject, model, inputs, outputs, procedure, *client);
  });
}

} // namespace ane::rt::engine
