//===- language_bundle.h - A bundle and its texts ---------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_LANGUAGE_BUNDLE_H
#define ANE_RUNTIME_TOOLS_LANGUAGE_BUNDLE_H

#include "runtime/text/conversation/conversation.h"
#include "runtime/text/tokenizer/tokenizer.h"
#include "runtime/tools/run_options.h"

namespace ane::rt::tools {

/// A bundle of a language model, which can do what it is asked for.
struct LanguageBundle {
  std::shared_ptr<Bundle> bundle;
  text::Tokenizer tokenizer;

  const manifest::LanguageModel &record() const { return *bundle->manifest().languageModel; }
};

/// InvalidArgument for a bundle that is no such model, or has no tokenizer, or one with
/// other tokens; the message says what helps.
absl::StatusOr<LanguageBundle> openLanguageBundle(const RunOptions &options);

/// What its chats are rendered with: the bundle's template or, if `ownTemplate` is not empty, that file.
absl::StatusOr<text::ChatFormat> readChatFormat(const Bundle &bundle, const std::string &ownTemplate);

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_LANGUAGE_BUNDLE_H
