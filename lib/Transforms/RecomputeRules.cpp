//===- RecomputeRules.cpp - what a backward pass computes anew ------------===//

#include "ane/Transforms/RecomputeRules.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir::ane;

llvm::Expected<RecomputeRules> RecomputeRules::create(llvm::ArrayRef<std::string> texts) {
  RecomputeRules result;
  for (const std::string &text : texts) {
    auto [pattern, word] = llvm::StringRef(text).rsplit('=');
    if (word.empty())
      std::tie(pattern, word) = std::pair(llvm::StringRef("*"), llvm::StringRef(text));
    auto how = llvm::StringSwitch<std::optional<Recomputing>>(word)
                   .Case("auto", Recomputing::Auto)
                   .Case("attention", Recomputing::Attention)
                   .Case("none", Recomputing::None)
                   .Case("all", Recomputing::All)
                   .Default(std::nullopt);
    if (!how)
      return llvm::createStringError("--recompute=" + text + ": '" + word.str() +
                                     "' is none of auto, attention, none and all");
    auto patterns = NamePatterns::create("--recompute", {pattern.str()});
    if (!patterns)
      return patterns.takeError();
    result.rules.emplace_back(std::move(*patterns), *how);
  }
  return std::move(result);
}

Recomputing RecomputeRules::of(llvm::StringRef node) {
  Recomputing last = Recomputing::Auto;
  for (auto &[patterns, how] : rules)
    if (patterns.match(node))
      last = how;
  return last;
}

std::optional<llvm::StringRef> RecomputeRules::unused() const {
  for (auto &[patterns, how] : rules)
    if (auto text = patterns.unused(); text && *text != "*")
      return text;
  return std::nullopt;
}
