//===- talk.h - Answers and embeddings on the terminal ----------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_TALK_H
#define ANE_RUNTIME_TOOLS_TALK_H

#include "runtime/tools/run_options.h"
#include "runtime/tools/streams.h"

namespace ane::rt::tools {

/// --prompt, --chat and --text, as runHelp() says. Answers are flushed token by token. Cancelled
/// where SIGINT ended the work; where nobody reads what is printed, the work ends, too, and all is well.
absl::Status runLanguage(const RunOptions &options, const Streams &streams);

/// --text: the part of it for encoders.
absl::Status printEmbeddings(const RunOptions &options, const Streams &streams);

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_TALK_H
