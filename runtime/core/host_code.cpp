//===- host_code.cpp - The CPU code that a session runs -------------------===//
#include "runtime/core/host_code.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/annotate.h"
#include <algorithm>

namespace ane::rt {

absl::StatusOr<ane_host_fn> findCode(Bundle &bundle, const manifest::HostFunction &host) {
  auto code = bundle.code(host);
  if (!code.ok())
    return annotate(code.status(), "host function " + host.name);
  return code;
}

absl::StatusOr<const manifest::HostFunction *> findTwin(const Bundle &bundle, const manifest::Program &program,
                                                        const manifest::Procedure &procedure) {
  if (procedure.twin.empty())
    return absl::NotFoundError(absl::StrCat("program ", manifest::nameOf(program, procedure),
                                            " has no CPU twin; compile the model with --host=", machineTriple()));
  return &bundle.hostFunction(procedure.twin);
}

absl::Status HostCode::add(const manifest::HostFunction &host) {
  if (std::find(functions.begin(), functions.end(), &host) != functions.end())
    return absl::OkStatus();
  if (absl::Status s = ownWeights ? ownWeights->addReader(host.name) : absl::OkStatus(); !s.ok())
    return annotate(s, "host function " + host.name);
  if (host.arenaBytes <= scratch.bytes()) {
    functions.push_back(&host);
    return absl::OkStatus();
  }
  auto where = [&](const absl::Status &status) { return annotate(status, "arena of " + host.name); };
  if (absl::Status s = budget.take(host.arenaBytes - scratch.bytes(), "scratch memory"); !s.ok())
    return where(s);
  auto buffer = AlignedBuffer::allocate(host.arenaBytes);
  if (!buffer.ok())
    return where(buffer.status());
  scratch = *std::move(buffer);
  functions.push_back(&host);
  return absl::OkStatus();
}

absl::Status HostCode::use(std::unique_ptr<SessionWeights> weights) {
  for (const manifest::HostFunction *function : functions)
    if (absl::Status s = weights->addReader(function->name); !s.ok())
      return s;
  ownWeights = std::move(weights);
  return absl::OkStatus();
}

absl::Status HostCode::call(ane_host_fn code, Values &values, const std::vector<size_t> &inputs,
                            const std::vector<size_t> &outputs) {
  auto argument = arguments.begin();
  for (size_t index : inputs) {
    Value &value = values.at(index);
    if (absl::Status s = values.bringDense(value); !s.ok())
      return s;
    *argument++ = value.dense;
  }
  for (size_t index : outputs)
    *argument++ = values.at(index).dense;
  ane_host_context context = {ownWeights ? ownWeights->hostBases() : bundle.weights(), scratch.data()};
  code(arguments.data(), &context);
  for (size_t index : outputs)
    values.at(index).wroteDense();
  return absl::OkStatus();
}

} // namespace ane::rt
