//===- language_options.h - ane-run's options for language models -*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_LANGUAGE_OPTIONS_H
#define ANE_RUNTIME_TOOLS_LANGUAGE_OPTIONS_H

#include "runtime/text/conversation/generate.h"
#include "runtime/tools/command_line.h"

namespace ane::rt::tools {

/// What a bundle of a language model is asked for.
enum class Talk {
  None,
  Prompt, ///< to continue a text, or each line of a file
  Chat,   ///< to answer lines of the standard input, turn by turn
  Text    ///< to give an embedding for each line of the standard input
};

struct LanguageOptions {
  Talk talk = Talk::None;
  std::string prompt, prompts;
  text::SamplingOptions sampling;          ///< without the seed
  text::GenerateOptions generate;          ///< without the model's own stop tokens
  std::string prefillDevice, decodeDevice; ///< without one: RunOptions::device
  std::string system, chatTemplate, saveConversation, restoreConversation;
};

/// As the command line has them.
class LanguageFlags {
public:
  void declare(CommandLine &line);
  /// InvalidArgument for values out of their range, and for options that mean nothing together.
  absl::StatusOr<LanguageOptions> finish(const CommandLine &line);

private:
  bool chat = false, text = false;
  std::string overflow = "stop";
  std::vector<std::string> biases;
  LanguageOptions options;
};

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_LANGUAGE_OPTIONS_H
