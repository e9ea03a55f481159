//===- talk.cpp - Answers on the terminal ---------------------------------===//
#include "runtime/tools/talk.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/text/conversation/tokenizer_codec.h"
#include "runtime/tools/bundle_together.h"
#include "runtime/tools/interrupts.h"
#include "runtime/tools/language_bundle.h"
#include "runtime/tools/restart.h"
#include "runtime/tools/run_report.h"
#include "runtime/tools/run_session.h"
#include "runtime/tools/talk_profile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace ane::rt::tools {
namespace {

using nlohmann::ordered_json;

class Talker {
public:
  static absl::Status run(const RunOptions &options, const Streams &streams) {
    TalkProfile profile(options);
    auto opened = openLanguageBundle(options);
    if (!opened.ok())
      return opened.status();
    absl::StatusOr<std::shared_ptr<Bundle>> forPrompts = nullptr;
    if (options.language.prefillDevice != options.device)
      forPrompts = openBundle(options, options.language.prefillDevice);
    if (!forPrompts.ok())
      return forPrompts.status();
    auto model = BundleModel::create(opened->bundle, *std::move(forPrompts));
    if (options.atCompileLimit == "restart")
      restartIfCompiledOut(opened->bundle->deviceName(), opened->bundle->context().cache());
    printNoteOfChips(options, *opened->bundle, streams.err);
    if (!model.ok())
      return model.status();
    (*model)->useCancelFlag(Interrupts::flag());
    if (!options.adapter.empty())
      if (absl::Status status = (*model)->setAdapter(options.adapter); !status.ok())
        return adapterError(status);
    auto sampler = text::Sampler::create(options.language.sampling);
    if (!sampler.ok())
      return sampler.status();
    (*model)->traceTo(profile.trace());
    profile.endPhase("load");
    Talker talker(options, streams, *std::move(opened), **model, profile);
    text::Context context(*std::move(model));
    if (!options.language.prompts.empty())
      return talker.continueLines(std::move(context), *sampler);
    return options.language.talk == Talk::Chat ? talker.chat(std::move(context), *std::move(sampler))
                                               : talker.continueText(std::move(context), *std::move(sampler));
  }

private:
  Talker(const RunOptions &options, const Streams &streams, LanguageBundle opened, BundleModel &model,
         TalkProfile &profile)
      : options(options), streams(streams), bundle(opened.bundle), codec(std::move(opened.tokenizer)), model(model),
        profile(profile), generation(options.language.generate) {
    const manifest::LanguageModel &record = *bundle->manifest().languageModel;
    generation.stopTokens.assign(record.stopTokens.begin(), record.stopTokens.end());
    if (const auto &eos = codec.tokenizer().model().eos; generation.stopTokens.empty() && eos)
      generation.stopTokens = {*eos};
    generation.kept = kKept;
  }

  absl::Status continueText(text::Context context, text::Sampler sampler) {
    auto tokens = codec.tokenizer().encode(options.language.prompt);
    if (!tokens.ok())
      return tokens.status();
    auto answer = text::generate(context, codec, sampler, *tokens, generation, listener(), *Interrupts::flag());
    if (!answer.ok())
      return answer.status();
    finish(*answer);
    if (absl::Status status = profile.finish(model.executors(), streams); !status.ok())
      return status;
    return Interrupts::count() > 0 ? absl::CancelledError("interrupted") : ending();
  }

  /// As many at once as the bundle allows.
  absl::Status continueLines(text::Context context, const text::Sampler &sampler) {
    auto together = BundleTogether::create(model);
    if (!together.ok())
      return absl::Status(together.status().code(), absl::StrCat("--prompts: ", together.status().message()));
    std::vector<std::string> lines;
    if (absl::Status status = readLines(lines); !status.ok())
      return status;
    std::vector<std::vector<int32_t>> prompts;
    for (const std::string &line : lines) {
      auto tokens = codec.tokenizer().encode(line);
      if (!tokens.ok())
        return absl::Status(tokens.status().code(),
                            absl::StrCat("prompt ", prompts.size() + 1, ": ", tokens.status().message()));
      prompts.push_back(*std::move(tokens));
    }
    (*together)->running().traceTo(profile.trace());
    text::TogetherListeners listeners;
    if (options.json)
      listeners.token = [&](size_t prompt, const text::TokenEvent &event) {
        ordered_json json = {{"prompt", prompt}};
        json.update(text::toJson(event));
        printJson(json);
      };
    listeners.answer = [&](size_t prompt, const text::Answer &answer) {
      if (options.json)
        printJson({{"prompt", prompt}, {"end", text::endName(answer.end)}, {"text", answer.text}});
      else
        streams.out << "> " << lines[prompt] << "\n" << answer.text << "\n" << std::flush;
      if (!streams.out) // nobody reads
        *Interrupts::flag() = true;
    };
    auto cost = text::generateTogether(context, **together, codec, sampler, prompts, generation, listeners,
                                       *Interrupts::flag());
    if (!cost.ok())
      return cost.status();
    text::Statistics statistics = withSizes(*cost);
    if (options.json)
      printJson(statistics.json());
    else
      streams.err << statistics.summary() << "\n";
    tellEvents();
    std::vector<const Executor *> ran = model.executors();
    ran.push_back(&(*together)->running());
    if (absl::Status status = profile.finish(ran, streams); !status.ok())
      return status;
    return Interrupts::count() > 0 ? absl::CancelledError("interrupted") : absl::OkStatus();
  }

  absl::Status readLines(std::vector<std::string> &lines) {
    std::ifstream file;
    const std::string &path = options.language.prompts;
    if (path != "-") {
      file.open(path);
      if (!file)
        return absl::NotFoundError(absl::StrCat("--prompts: can't read ", path, ": ", std::strerror(errno)));
    }
    std::istream &in = path == "-" ? streams.in : file;
    for (std::string line; std::getline(in, line);)
      lines.push_back(line);
    if (lines.empty())
      return absl::InvalidArgumentError(absl::StrCat("--prompts: ", path, " has no lines; each is a prompt"));
    return absl::OkStatus();
  }

  absl::Status chat(text::Context context, text::Sampler sampler) {
    const LanguageOptions &language = options.language;
    auto format = readChatFormat(*bundle, language.chatTemplate);
    if (!format.ok())
      return format.status();
    text::Conversation conversation(std::move(context), codec, *std::move(format), std::move(sampler), generation);
    if (!language.system.empty())
      conversation.add({{"role", "system"}, {"content", language.system}});
    if (!language.restoreConversation.empty())
      if (absl::Status status = conversation.restore(language.restoreConversation); !status.ok())
        return status;
    absl::Status status = takeTurns(conversation);
    if (!language.saveConversation.empty())
      status.Update(conversation.save(language.saveConversation));
    if (status.ok() || absl::IsCancelled(status))
      if (absl::Status written = profile.finish(model.executors(), streams); !written.ok())
        return written;
    return status;
  }

  absl::Status takeTurns(text::Conversation &conversation) {
    for (;;) {
      Interrupts::clear();
      std::string message;
      if (!readMessage(message))
        return ending();
      auto answer = conversation.ask(message, listener(), *Interrupts::flag());
      // Who types may say it shorter.
      bool isTooLong = absl::IsResourceExhausted(answer.status()) && streams.isTyped;
      if (isTooLong)
        printMessage("error", answer.status().message(), options.json, streams.err);
      else if (!answer.ok())
        return answer.status();
      else
        finish(*answer);
      if (!streams.out || Interrupts::count() > 1 || Interrupts::ended() != 0)
        return ending();
    }
  }

  /// How a chat ends that nothing is wrong with.
  static absl::Status ending() { return Interrupts::ended() != 0 ? absl::CancelledError("ended") : absl::OkStatus(); }

  /// The next message that is not empty; false where there is none. Shown behind a prompt, so that what is printed
  /// reads as a conversation.
  bool readMessage(std::string &message) {
    bool isShown = !options.json;
    while (absl::StripAsciiWhitespace(message).empty()) {
      message.clear();
      for (bool goesOn = true; goesOn;) {
        const char *prompt = message.empty() ? "> " : "  ";
        if (isShown && streams.isTyped)
          streams.out << prompt << std::flush;
        std::string line;
        if (!std::getline(streams.in, line)) {
          if (isShown && streams.isTyped)
            streams.out << "\n" << std::flush;
          return false;
        }
        if (isShown && !streams.isTyped)
          streams.out << prompt << line << "\n" << std::flush;
        goesOn = !line.empty() && line.back() == '\\';
        if (goesOn)
          line.back() = '\n';
        message += line;
      }
    }
    return true;
  }

  text::Listener listener() {
    return [this](const text::TokenEvent &event) {
      if (options.json)
        printJson(text::toJson(event));
      else
        streams.out << event.text << std::flush;
      if (!streams.out) // nobody reads
        *Interrupts::flag() = true;
    };
  }

  void printJson(const ordered_json &json) {
    streams.out << json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << "\n" << std::flush;
  }

  text::Statistics withSizes(text::Statistics statistics) const {
    const manifest::Manifest &manifest = bundle->manifest();
    for (const manifest::File &file : manifest.files)
      if (std::count(manifest.hostWeights.begin(), manifest.hostWeights.end(), file.path) > 0)
        statistics.cpuWeightBytes += static_cast<uint64_t>(file.bytes);
    for (const State &state : model.executor().states().all())
      if (!state.isAdapter)
        statistics.stateBytes += static_cast<uint64_t>(state.bytes);
    return statistics;
  }

  /// What there is to say behind an answer.
  void finish(const text::Answer &answer) {
    text::Statistics statistics = withSizes(answer.statistics);
    if (options.json) {
      ordered_json json = {{"end", text::endName(answer.end)}, {"text", answer.text}};
      json.update(statistics.json());
      printJson(json);
    } else {
      streams.out << "\n" << std::flush;
      streams.err << statistics.summary() << "\n";
    }
    if (answer.end == text::End::Context)
      printMessage("note",
                   absl::StrCat("the answer ended where the context of ", model.contextLength(),
                                " tokens was full; --on-overflow=shift goes on without the older half"),
                   options.json, streams.err);
    tellEvents();
  }

  void tellEvents() {
    for (const Event &event : model.takeEvents())
      printMessage("note", eventText(event, options), options.json, streams.err);
    streams.err << std::flush;
  }

  /// First tokens that a shift keeps: models lean on them, whatever they say.
  static constexpr int64_t kKept = 4;

  const RunOptions &options;
  const Streams &streams;
  std::shared_ptr<Bundle> bundle;
  text::TokenizerCodec codec;
  BundleModel &model;
  TalkProfile &profile;
  text::GenerateOptions generation;
};

} // namespace

absl::Status runLanguage(const RunOptions &options, const Streams &streams) {
  Interrupts interrupts;
  absl::Status status =
      options.language.talk == Talk::Text ? printEmbeddings(options, streams) : Talker::run(options, streams);
  return streams.out || !status.ok() ? status : absl::OkStatus();
}

} // namespace ane::rt::tools
