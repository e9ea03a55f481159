//===- NamePatterns.cpp - names that users write with wildcards -----------===//

#include "ane/Support/NamePatterns.h"

using namespace mlir::ane;

llvm::Expected<NamePatterns> NamePatterns::create(llvm::StringRef flag, llvm::ArrayRef<std::string> texts) {
  NamePatterns result;
  for (const std::string &text : texts) {
    Pattern &pattern = result.patterns.emplace_back();
    pattern.text = text;
    llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern.text);
    if (!glob)
      return llvm::createStringError(flag + "=" + text + ": " + llvm::toString(glob.takeError()) +
                                     "; remedy: write \\[ for the character itself");
    pattern.glob = std::move(*glob);
  }
  return std::move(result);
}

bool NamePatterns::match(llvm::StringRef name) {
  bool matches = false;
  for (Pattern &pattern : patterns)
    if (pattern.glob.match(name))
      matches = pattern.used = true;
  return matches;
}

std::optional<llvm::StringRef> NamePatterns::unused() const {
  for (const Pattern &pattern : patterns)
    if (!pattern.used)
      return llvm::StringRef(pattern.text);
  return std::nullopt;
}

bool NamePatterns::hasExactly(llvm::StringRef name) const {
  return llvm::any_of(patterns, [&](const Pattern &pattern) { return pattern.text == name; });
}
