//===- bundle_model.cpp - The language model of a bundle ------------------===//
#include "runtime/tools/bundle_model.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/adapter.h"
#include "runtime/core/state_file.h"
#include "runtime/format/manifest/memory.h"
#include "runtime/support/quote.h"
#include "runtime/tools/ports.h"

#include <algorithm>

namespace ane::rt::tools {
namespace {

/// Bytes that CPU code takes for itself in a run of a function. Its attention makes all scores of a prompt, which grow
/// with the prompt's length; in parts, it does the same work in less memory.
int64_t scratchOf(const Bundle &bundle, const std::string &name) {
  auto function = bundle.function(name);
  return function.ok() ? manifest::runMemory(bundle.manifest(), **function, 0, bundle.device() != nullptr).scratch : 0;
}
constexpr int64_t kMostScratch = int64_t{64} << 20;

} // namespace

absl::StatusOr<BundleModel::Sized> BundleModel::describe(const Bundle &bundle, const std::string &name, bool isPrompt) {
  absl::StatusOr<const manifest::Function *> found = bundle.function(name);
  if (!found.ok())
    return found.status();
  const manifest::Function &function = **found;
  Sized sized = {function.name,
                 1,
                 portOf(function.inputs, "input_ids"),
                 portOf(function.inputs, "position"),
                 portOf(function.inputs, "length"),
                 portOf(function.outputs, "logits"),
                 nullptr};
  auto missing = [&](const char *what) {
    return absl::InvalidArgumentError(
        absl::StrCat("function ", quote(name), " of the bundle has no ", what, "; is it a language model?"));
  };
  auto isInteger = [&](size_t port, int64_t count) {
    if (port == function.inputs.size())
      return false;
    const manifest::TensorType &type =
        bundle.manifest().tensors[static_cast<size_t>(function.inputs[port].tensor)].type;
    return (type.dtype == ElementType::Int32 || type.dtype == ElementType::Int64) &&
           manifest::elementCount(type.shape) == count;
  };
  if (sized.inputIds == function.inputs.size())
    return missing("input \"input_ids\"");
  const manifest::TensorType &ids =
      bundle.manifest().tensors[static_cast<size_t>(function.inputs[sized.inputIds].tensor)].type;
  sized.tokens = manifest::elementCount(ids.shape);
  if (!isInteger(sized.inputIds, sized.tokens) || !isInteger(sized.position, 1))
    return missing("integers \"input_ids\" and \"position\"");
  if (!isPrompt && sized.tokens != 1)
    return missing("\"input_ids\" of one token");
  if (isPrompt && !isInteger(sized.length, 1))
    return missing("integer \"length\"");
  if (sized.logits == function.outputs.size())
    return missing("output \"logits\", which texts are drawn from (ane-compile --head=logits)");
  ElementType dtype = bundle.manifest().tensors[static_cast<size_t>(function.outputs[sized.logits].tensor)].type.dtype;
  if (dtype != ElementType::Float32 && dtype != ElementType::Float16)
    return missing("float32 or float16 \"logits\"");
  return sized;
}

absl::StatusOr<std::unique_ptr<BundleModel>> BundleModel::create(std::shared_ptr<Bundle> bundle,
                                                                 std::shared_ptr<Bundle> forPrompts) {
  const std::optional<manifest::LanguageModel> &record = bundle->manifest().languageModel;
  if (!record || record->kind != "decoder")
    return absl::InvalidArgumentError("the bundle's manifest has no \"language_model\" that is a decoder");
  std::unique_ptr<BundleModel> model(new BundleModel);
  model->context = record->context;
  model->cancelled = std::make_shared<std::atomic<bool>>(false);
  absl::StatusOr<Sized> sized = describe(*bundle, record->decode, /*isPrompt=*/false);
  if (!sized.ok())
    return sized.status();
  model->single = *std::move(sized);
  for (const std::string &name : record->prefill) {
    sized = describe(*bundle, name, /*isPrompt=*/true);
    if (!sized.ok())
      return sized.status();
    model->prompts.push_back(*std::move(sized));
  }
  std::sort(model->prompts.begin(), model->prompts.end(),
            [](const Sized &a, const Sized &b) { return a.tokens < b.tokens; });
  while (model->prompts.size() > 1 && scratchOf(*bundle, model->prompts.back().name) > kMostScratch)
    model->prompts.pop_back();
  absl::StatusOr<std::unique_ptr<Executor>> executor = Executor::create(std::move(bundle), model->single.name);
  if (!executor.ok())
    return executor.status();
  model->single.executor = *std::move(executor);
  if (absl::Status status = model->single.executor->resetStates(); !status.ok())
    return status;
  if (forPrompts) {
    absl::StatusOr<std::unique_ptr<BundleModel>> other = create(std::move(forPrompts));
    if (!other.ok())
      return other.status();
    model->elsewhere = *std::move(other);
  }
  return model;
}

void BundleModel::useCancelFlag(std::shared_ptr<std::atomic<bool>> flag) {
  cancelled = std::move(flag);
  single.executor->useCancelFlag(cancelled);
  for (Sized &prompt : prompts)
    if (prompt.executor)
      prompt.executor->useCancelFlag(cancelled);
  if (elsewhere)
    elsewhere->useCancelFlag(cancelled);
}

std::vector<const Executor *> BundleModel::executors() const {
  std::vector<const Executor *> all = elsewhere ? elsewhere->executors() : std::vector<const Executor *>();
  auto add = [&](const Sized &function) {
    if (function.executor && !function.executor->profile().empty() && function.executor->profile().front().runs != 0)
      all.push_back(function.executor.get());
  };
  std::for_each(prompts.begin(), prompts.end(), add);
  add(single);
  return all;
}

void BundleModel::traceTo(std::vector<Span> *trace) {
  spans = trace;
  if (elsewhere)
    elsewhere->traceTo(trace);
}

std::vector<Event> BundleModel::takeEvents() {
  std::vector<Event> events = elsewhere ? elsewhere->takeEvents() : std::vector<Event>();
  auto take = [&](Sized &function) {
    if (!function.executor)
      return;
    const std::vector<Event> &all = function.executor->events();
    events.insert(events.end(), all.begin() + static_cast<ptrdiff_t>(function.told), all.end());
    function.told = all.size();
  };
  take(single);
  std::for_each(prompts.begin(), prompts.end(), take);
  return events;
}

absl::Status BundleModel::load(Sized &function) {
  if (function.executor)
    return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<Executor>> executor = single.executor->share(function.name);
  if (!executor.ok())
    return executor.status();
  function.executor = *std::move(executor);
  function.executor->useCancelFlag(cancelled);
  return absl::OkStatus();
}

absl::Status BundleModel::run(Sized &function, absl::Span<const int32_t> tokens, int64_t at) {
  if (absl::Status status = load(function); !status.ok())
    return status;
  Executor &executor = *function.executor;
  std::vector<int32_t> filled(tokens.begin(), tokens.end());
  filled.resize(static_cast<size_t>(function.tokens));
  int32_t position = static_cast<int32_t>(at), length = static_cast<int32_t>(tokens.size());
  absl::Status status = setIntegers(executor, function.inputIds, filled);
  status.Update(setIntegers(executor, function.position, {&position, 1}));
  if (&function != &single)
    status.Update(setIntegers(executor, function.length, {&length, 1}));
  executor.traceTo(spans);
  if (status.ok())
    status = executor.run();
  return status;
}

/// The smallest that takes all tokens, or else the largest; of those that end within the context. Null if there is
/// none.
BundleModel::Sized *BundleModel::promptFor(int64_t tokens, int64_t at) {
  Sized *best = nullptr;
  for (Sized &prompt : prompts)
    if (at + prompt.tokens <= context && (!best || best->tokens < tokens))
      best = &prompt;
  return best;
}

absl::StatusOr<absl::Span<const float>> BundleModel::prefill(absl::Span<const int32_t> tokens) {
  int64_t at = held, end = held + static_cast<int64_t>(tokens.size());
  if (tokens.empty() || end > context)
    return absl::InvalidArgumentError(
        absl::StrCat("the context has room for ", context - held, " tokens, not for ", tokens.size()));
  if (elsewhere && tokens.size() > 1)
    return prefillElsewhere(tokens);
  Sized *last = nullptr;
  while (at < end) {
    last = end - at > 1 ? promptFor(end - at, at) : nullptr;
    if (!last)
      last = &single;
    auto part = tokens.subspan(static_cast<size_t>(at - held), static_cast<size_t>(last->tokens));
    if (absl::Status status = run(*last, part, at); !status.ok())
      return status;
    at += static_cast<int64_t>(part.size());
  }
  held = end;
  return floatsOf(last->executor->outputs()[last->logits], logits);
}

/// The states of the first `tokens`, which the other one has.
absl::Status BundleModel::takeStates(BundleModel &from, int64_t tokens) {
  absl::StatusOr<int64_t> bytes = single.executor->states().take(from.single.executor->states(), tokens);
  if (!bytes.ok())
    return bytes.status();
  moved += static_cast<uint64_t>(*bytes);
  held = tokens;
  return absl::OkStatus();
}

absl::StatusOr<absl::Span<const float>> BundleModel::prefillElsewhere(absl::Span<const int32_t> tokens) {
  if (elsewhere->held < held)
    if (absl::Status status = elsewhere->takeStates(*this, held); !status.ok())
      return status;
  absl::StatusOr<absl::Span<const float>> logits = elsewhere->prefill(tokens);
  if (!logits.ok())
    return logits;
  if (absl::Status status = takeStates(*elsewhere, elsewhere->held); !status.ok()) {
    elsewhere->held = held;
    return status;
  }
  return logits;
}

absl::StatusOr<absl::Span<const float>> BundleModel::decode(int32_t token) { return prefill({&token, 1}); }

absl::Status BundleModel::truncate(int64_t position) {
  if (position < 0 || position > held)
    return absl::InvalidArgumentError(absl::StrCat("can't go back to ", position, " of ", held, " tokens"));
  held = position;
  if (elsewhere)
    elsewhere->held = std::min(elsewhere->held, held);
  return absl::OkStatus();
}

absl::Status BundleModel::save(const std::string &path) const { return saveStates(single.executor->states(), path); }

absl::Status BundleModel::restore(const std::string &path, int64_t position) {
  if (position < 0 || position > context)
    return absl::InvalidArgumentError(absl::StrCat("a context of ", context, " tokens can't hold ", position));
  absl::Status status = restoreStates(single.executor->states(), path);
  if (status.ok())
    held = position;
  if (elsewhere)
    elsewhere->held = 0;
  return status;
}

absl::StatusOr<std::unique_ptr<text::LanguageModel>> BundleModel::fork() const { return copied(); }

absl::StatusOr<std::unique_ptr<BundleModel>> BundleModel::copied() const {
  absl::StatusOr<std::unique_ptr<Executor>> executor = single.executor->fork();
  if (!executor.ok())
    return executor.status();
  std::unique_ptr<BundleModel> other(new BundleModel);
  other->context = context;
  other->held = held;
  other->spans = spans;
  other->single = single;
  other->single.executor = *std::move(executor);
  other->single.told = 0;
  other->useCancelFlag(cancelled);
  other->prompts = prompts;
  for (Sized &prompt : other->prompts) {
    prompt.executor = nullptr;
    prompt.told = 0;
  }
  if (elsewhere) {
    absl::StatusOr<std::unique_ptr<BundleModel>> copy = elsewhere->copied();
    if (!copy.ok())
      return copy.status();
    other->elsewhere = *std::move(copy);
  }
  return other;
}

std::string BundleModel::variant() const { return adapterDigest(single.executor->states()); }

absl::Status BundleModel::setAdapter(const std::string &folder) {
  absl::StatusOr<std::vector<adapter::Matrices>> matrices = std::vector<adapter::Matrices>();
  if (!folder.empty())
    matrices = readAdapter(*single.executor->owner(), folder);
  if (!matrices.ok())
    return matrices.status();
  for (BundleModel *model : {this, elsewhere.get()})
    if (model) {
      Executor &executor = *model->single.executor;
      rt::setAdapter(executor.states(), *executor.owner(), *matrices);
      model->held = 0;
    }
  return absl::OkStatus();
}

text::DeviceWork BundleModel::work() const {
  text::DeviceWork work = elsewhere ? elsewhere->work() : text::DeviceWork();
  work.moved += moved;
  auto add = [&](const Sized &function) {
    if (function.executor)
      work += workOf(*function.executor);
  };
  add(single);
  std::for_each(prompts.begin(), prompts.end(), add);
  return work;
}

} // namespace ane::rt::tools
