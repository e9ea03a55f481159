//===- NamePatterns.h - names that users write with wildcards --*- C++ -*-===//
#ifndef ANE_SUPPORT_NAMEPATTERNS_H
#define ANE_SUPPORT_NAMEPATTERNS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"
#include <list>
#include <optional>
#include <string>

namespace mlir::ane {

/// Patterns in which *, ? and [...] stand for what they do in file names. Each has to match something: see `unused`.
class NamePatterns {
public:
  /// Fails, with a message that begins with `flag`, if a text is no pattern.
  static llvm::Expected<NamePatterns> create(llvm::StringRef flag, llvm::ArrayRef<std::string> texts);

  bool empty() const { return patterns.empty(); }
  /// Whether any pattern matches.
  bool match(llvm::StringRef name);
  /// Whether one of them is the name itself.
  bool hasExactly(llvm::StringRef name) const;
  /// The text of the first pattern that has matched no name.
  std::optional<llvm::StringRef> unused() const;

private:
  struct Pattern {
    std::string text;
    llvm::GlobPattern glob; // refers to the text
    bool used = false;
  };
  std::list<Pattern> patterns; // which stay where they are
};

} // namespace mlir::ane

#endif // ANE_SUPPORT_NAMEPATTERNS_H
