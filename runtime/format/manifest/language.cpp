//===- language.cpp - Consistency of a manifest's language model ----------===//
#include "runtime/format/manifest/diagnostic.h"
#include <algorithm>

namespace ane::rt::manifest {
namespace {

constexpr char kWhere[] = "$.language_model";

const Port *portNamed(const std::vector<Port> &ports, std::string_view name) {
  auto found = std::find_if(ports.begin(), ports.end(), [&](const Port &port) { return port.name == name; });
  return found == ports.end() ? nullptr : &*found;
}

/// A function of tokens, with the inputs that its kind has, and logits or the token with the largest.
absl::Status checkFunction(const Manifest &m, const std::string &where, const std::string &name, bool isPrompt,
                           int64_t sequences = 1) {
  const LanguageModel &model = *m.languageModel;
  auto function =
      std::find_if(m.functions.begin(), m.functions.end(), [&](const Function &f) { return f.name == name; });
  if (function == m.functions.end())
    return errorAt(where, quote(name), " is no function of the bundle");
  for (const char *input : {"input_ids", "position", "length"})
    if ((isPrompt || input != std::string_view("length")) && !portNamed(function->inputs, input))
      return errorAt(where, "function ", quote(name), " has no input ", quote(input));
  const Port *logits = portNamed(function->outputs, "logits"), *argmax = portNamed(function->outputs, "argmax");
  if (!logits && !argmax)
    return errorAt(where, "function ", quote(name), " has no output \"logits\" or \"argmax\"");
  auto check = [&](const Port *port, int64_t count, const char *what) {
    if (!port || elementCount(m.tensors[port->tensor].type.shape) == count)
      return absl::OkStatus();
    return errorAt(where, "function ", quote(name), " gives ", typeText(m.tensors[port->tensor].type), ", expected ",
                   count, what);
  };
  ANE_RETURN_IF_ERROR(check(logits, sequences * model.vocabulary, " logits"));
  return check(argmax, sequences, " token");
}

absl::Status checkTogether(const Manifest &m) {
  const LanguageModel &model = *m.languageModel;
  std::string where = absl::StrCat(kWhere, ".together"), subject = absl::StrCat("function ", quote(*model.together));
  auto function = std::find_if(m.functions.begin(), m.functions.end(),
                               [&](const Function &f) { return f.name == *model.together; });
  auto countOf = [&](const char *input) {
    const Port *port = function == m.functions.end() ? nullptr : portNamed(function->inputs, input);
    return port ? elementCount(m.tensors[port->tensor].type.shape) : 2;
  };
  int64_t sequences = countOf("input_ids");
  if (sequences < 2 || sequences > kMaxSequences)
    return errorAt(where, subject, " takes ", sequences, " tokens, expected 2 to ", kMaxSequences);
  ANE_RETURN_IF_ERROR(checkFunction(m, where, *model.together, /*isPrompt=*/false, sequences));
  if (int64_t count = countOf("position"); count != sequences)
    return errorAt(where, subject, " takes ", count, " positions, expected ", sequences);
  if (!portNamed(function->outputs, "logits"))
    return errorAt(where, subject, " has no output \"logits\"");
  absl::StatusOr<std::vector<TogetherState>> states = togetherStates(m, sequences);
  return states.ok() ? absl::OkStatus() : errorAt(where, states.status().message());
}

} // namespace

absl::StatusOr<std::vector<TogetherState>> togetherStates(const Manifest &m, int64_t sequences) {
  const Function &decode = *std::find_if(m.functions.begin(), m.functions.end(),
                                         [&](const Function &f) { return f.name == m.languageModel->decode; });
  std::vector<TogetherState> found;
  std::set<size_t> adapters = adapterStates(m);
  for (const StateUse &use : decode.states) {
    if (adapters.count(static_cast<size_t>(use.state)))
      continue;
    const State &single = m.states[use.state];
    std::string name = absl::StrCat("together.", single.name);
    auto update = std::find_if(decode.steps.begin(), decode.steps.end(), [&](const Step &step) {
      return step.kind == Step::Kind::Update && step.target == single.name;
    });
    auto partner =
        std::find_if(m.states.begin(), m.states.end(), [&](const State &state) { return state.name == name; });
    if (update == decode.steps.end() || partner == m.states.end())
      return absl::NotFoundError(
          absl::StrCat(update == decode.steps.end() ? "no entries are written to state " : "there is no state ",
                       quote(update == decode.steps.end() ? single.name : name)));
    TensorType expected = single.type;
    expected.shape[update->axis] *= sequences;
    if (typeText(expected) != typeText(partner->type))
      return absl::NotFoundError(absl::StrCat("state ", quote(name), " is ", typeText(partner->type), ", expected ",
                                              typeText(expected), " for ", sequences, " sequences"));
    found.push_back({static_cast<size_t>(use.state), static_cast<size_t>(partner - m.states.begin()),
                     static_cast<size_t>(update->axis)});
  }
  return found;
}

absl::Status verifyLanguageModel(const Manifest &m) {
  if (!m.languageModel)
    return absl::OkStatus();
  const LanguageModel &model = *m.languageModel;
  std::string where = kWhere;
  bool isEncoder = model.kind == "encoder";
  if (model.kind != "decoder" && !isEncoder)
    return errorAt(where + ".kind", "is ", quote(model.kind), ", known are \"decoder\" and \"encoder\"");
  ANE_RETURN_IF_ERROR(checkName(where + ".architecture", model.architecture));
  auto checkRange = [&](const std::string &field, int64_t value, int64_t least, int64_t most) {
    return value >= least && value <= most ? absl::OkStatus()
                                           : errorAt(field, "is ", value, ", expected ", least, " to ", most);
  };
  ANE_RETURN_IF_ERROR(checkRange(where + ".context", model.context, 1, kMaxElements));
  ANE_RETURN_IF_ERROR(checkRange(where + ".vocabulary", model.vocabulary, 1, kMaxElements));
  if (model.window)
    ANE_RETURN_IF_ERROR(checkRange(where + ".window", *model.window, 1, kMaxElements));
  if (model.bos)
    ANE_RETURN_IF_ERROR(checkRange(where + ".bos", *model.bos, 0, model.vocabulary - 1));
  for (size_t i = 0; i < model.stopTokens.size(); ++i)
    ANE_RETURN_IF_ERROR(checkRange(at(where + ".stop_tokens", i), model.stopTokens[i], 0, model.vocabulary - 1));
  if (isEncoder) {
    bool isBucket = std::any_of(m.buckets.begin(), m.buckets.end(),
                                [&](const Bucket &bucket) { return bucket.name == model.decode; });
    return isBucket && model.prefill.empty()
               ? absl::OkStatus()
               : errorAt(where + ".decode", quote(model.decode), " is no function with buckets; an encoder is one");
  }
  ANE_RETURN_IF_ERROR(checkFunction(m, where + ".decode", model.decode, /*isPrompt=*/false));
  for (size_t i = 0; i < model.prefill.size(); ++i)
    ANE_RETURN_IF_ERROR(checkFunction(m, at(where + ".prefill", i), model.prefill[i], /*isPrompt=*/true));
  return model.together ? checkTogether(m) : absl::OkStatus();
}

} // namespace ane::rt::manifest
