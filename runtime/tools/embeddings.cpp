//===- embeddings.cpp - Texts as vectors ----------------------------------===//
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/core/convert.h"
#include "runtime/tools/interrupts.h"
#include "runtime/tools/language_bundle.h"
#include "runtime/tools/run_outputs.h"
#include "runtime/tools/run_report.h"
#include "runtime/tools/run_session.h"
#include "runtime/tools/talk.h"
#include "runtime/tools/talk_profile.h"
#include <map>

namespace ane::rt::tools {
namespace {

class Embedder {
public:
  Embedder(const RunOptions &options, const Streams &streams, const text::Tokenizer &tokenizer, RunSession &session,
           TalkProfile &profile)
      : options(options), streams(streams), tokenizer(tokenizer), session(session), profile(profile) {
    session.running().useCancelFlag(Interrupts::flag());
  }

  absl::Status run() {
    std::string line;
    for (int64_t index = 0; streams.out && std::getline(streams.in, line); ++index)
      if (absl::Status status = embed(index, line); !status.ok())
        return status;
    std::vector<const Executor *> ran;
    for (const auto &[executor, events] : told)
      ran.push_back(executor);
    if (absl::Status status = profile.finish(ran, streams); !status.ok())
      return status;
    return *Interrupts::flag() ? absl::CancelledError("interrupted") : absl::OkStatus();
  }

private:
  absl::Status embed(int64_t index, const std::string &line) {
    auto tokens = tokenizer.encode(line);
    if (!tokens.ok())
      return tokens.status();
    if (absl::Status status = shorten(index, *tokens); !status.ok())
      return status;
    if (absl::Status status = setInputs(*tokens); !status.ok())
      return status;
    if (absl::Status status = session.run(); !status.ok())
      return status;
    for (const Port &port : session.outputs())
      if (port.name == "embedding")
        print(index, tokens->size(), elementsOf(port));
    const std::vector<Event> &events = session.running().events();
    for (size_t i = told[&session.running()]; i < events.size(); ++i)
      printMessage("note", eventText(events[i], options), options.json, streams.err);
    told[&session.running()] = events.size();
    return absl::OkStatus();
  }

  /// A text that is too long loses its end, but not what the tokenizer puts around each.
  absl::Status shorten(int64_t index, std::vector<int32_t> &tokens) {
    auto most = static_cast<size_t>(session.largestSize());
    const std::vector<int32_t> &suffix = tokenizer.model().suffix;
    if (tokens.size() <= most)
      return absl::OkStatus();
    if (suffix.size() + tokenizer.model().prefix.size() >= most)
      return absl::InvalidArgumentError(absl::StrCat(
          "the model takes ", most, " tokens, which leaves no room for a text; compile it with a larger --context"));
    printMessage("note",
                 absl::StrCat("line ", index + 1, " has ", tokens.size(), " tokens, and the model takes ", most,
                              ": its end is left out"),
                 options.json, streams.err);
    tokens.resize(most - suffix.size());
    tokens.insert(tokens.end(), suffix.begin(), suffix.end());
    return absl::OkStatus();
  }

  absl::Status setInputs(const std::vector<int32_t> &tokens) {
    const std::vector<Port> &ports = session.inputs();
    auto count = static_cast<int64_t>(tokens.size());
    for (size_t i = 0; i < ports.size(); ++i) {
      bool isMask = ports[i].name == "attention_mask";
      if (!isMask && ports[i].name != "input_ids")
        return absl::InvalidArgumentError(absl::StrCat("input ", ports[i].name,
                                                       " of the encoder is unknown; --text gives input_ids and "
                                                       "attention_mask"));
      std::vector<int32_t> values = isMask ? std::vector<int32_t>(tokens.size(), 1) : tokens;
      ElementType type = ports[i].type.dtype;
      std::vector<uint8_t> data(static_cast<size_t>(count * byteWidth(type)));
      convertElements(values.data(), ElementType::Int32, data.data(), type, count);
      if (absl::Status status = session.setInput(i, data.data(), static_cast<int64_t>(data.size())); !status.ok())
        return status;
    }
    return absl::OkStatus();
  }

  void print(int64_t index, size_t tokens, const std::vector<double> &values) {
    std::string text;
    for (double value : values) // as many digits as tell all fp32 apart
      absl::StrAppendFormat(&text, "%s%.9g", text.empty() ? "" : options.json ? "," : " ", value);
    if (options.json)
      streams.out << "{\"index\":" << index << ",\"tokens\":" << tokens << ",\"embedding\":[" << text << "]}\n";
    else
      streams.out << text << "\n";
    streams.out << std::flush;
  }

  const RunOptions &options;
  const Streams &streams;
  const text::Tokenizer &tokenizer;
  RunSession &session;
  TalkProfile &profile;
  std::map<const Executor *, size_t> told; ///< events
};

} // namespace

absl::Status printEmbeddings(const RunOptions &options, const Streams &streams) {
  TalkProfile profile(options);
  auto opened = openLanguageBundle(options);
  if (!opened.ok())
    return opened.status();
  printNoteOfChips(options, *opened->bundle, streams.err);
  auto session = RunSession::create(opened->bundle, opened->record().decode);
  if (!session.ok())
    return session.status();
  if (!options.adapter.empty())
    if (absl::Status status = (*session)->setAdapter(options.adapter); !status.ok())
      return status;
  (*session)->traceTo(profile.trace());
  profile.endPhase("load");
  return Embedder(options, streams, opened->tokenizer, **session, profile).run();
}

} // namespace ane::rt::tools
