//===- open.cpp - Files of examples ---------------------------------------===//
#include "runtime/train/data/open.h"
#include "absl/strings/str_cat.h"
#include "runtime/train/data/readers.h"
#include <algorithm>

namespace ane::rt::train {
namespace {

enum class Kind { Text, JsonLines, Tokens, Arrays };
constexpr const char *kNames[] = {"text", "JSON lines (.jsonl)", "tokens of llama2.c (.bin)", "arrays (.npz)"};

Kind kindOf(const std::string &path) {
  auto ends = [&](std::string_view with) {
    return path.size() > with.size() && path.compare(path.size() - with.size(), with.size(), with) == 0;
  };
  return ends(".npz") ? Kind::Arrays : ends(".bin") ? Kind::Tokens : ends(".jsonl") ? Kind::JsonLines : Kind::Text;
}

} // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> openData(const std::vector<std::string> &paths,
                                                        const Signature &signature, const DataOptions &options) {
  if (paths.empty())
    return absl::InvalidArgumentError("no file of data is given; give text, .jsonl, .bin or .npz");
  Kind kind = kindOf(paths[0]);
  for (const std::string &path : paths)
    if (kindOf(path) != kind)
      return absl::InvalidArgumentError(absl::StrCat(paths[0], " is ", kNames[static_cast<int>(kind)], " and ", path,
                                                     " ", kNames[static_cast<int>(kindOf(path))],
                                                     "; all files of data are of one kind"));
  if (paths.size() > 1 && (kind == Kind::Tokens || kind == Kind::Arrays))
    return absl::InvalidArgumentError(absl::StrCat(paths.size(), " files of ", kNames[static_cast<int>(kind)],
                                                   " are given, such as ", paths[1], "; these are read one at a time"));
  switch (kind) {
  case Kind::Arrays:
    return openArrays(paths[0], signature);
  case Kind::Tokens:
    return openTokenFile(paths[0], signature, options.sequence);
  default:
    break;
  }
  if (!options.tokenizer)
    return absl::InvalidArgumentError(absl::StrCat(paths[0], " is ", kNames[static_cast<int>(kind)],
                                                   ", but the bundle has no tokenizer; compile it with one "
                                                   "(ane-compile --tokenizer=PATH), or give tokens as .bin or .npz"));
  if (takesPairs(signature) && kind == Kind::Text)
    return absl::InvalidArgumentError(
        absl::StrCat(paths[0], " is text, and the bundle is trained with pairs of texts: give .jsonl, whose lines are "
                               "objects with two texts that belong together as \"anchor\" and \"positive\""));
  if (takesPairs(signature))
    return readPairs(paths, signature, options.sequence, *options.tokenizer);
  absl::StatusOr<Documents> documents = readTexts(paths, kind == Kind::JsonLines, *options.tokenizer);
  if (!documents.ok())
    return documents.status();
  return makeWindows(*std::move(documents), signature, options.sequence);
}

} // namespace ane::rt::train
