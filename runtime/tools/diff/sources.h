//===- sources.h - What ane-mil-diff compares -------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_DIFF_SOURCES_H
#define ANE_RUNTIME_TOOLS_DIFF_SOURCES_H

#include "runtime/tools/diff/constant.h"

#include <string>
#include <vector>

namespace ane::rt::mildiff {

struct NamedProgram {
  std::string name; ///< of a bundle's file; else of the file or folder
  std::string file; ///< for messages
  mil::Program program;
};

/// A MIL text, a package, a compiled model or a bundle.
struct Source {
  std::string path;
  std::vector<NamedProgram> programs; ///< by name
  /// What @model_path stands for in all of them.
  std::shared_ptr<const Folder> folder;
};

/// Reads `path`; `weights` is the folder that @model_path of a text stands for, empty: its own, or its bundle.
/// Everything is taken as hostile.
absl::StatusOr<Source> readSource(const std::string &path, const std::string &weights);

} // namespace ane::rt::mildiff

#endif // ANE_RUNTIME_TOOLS_DIFF_SOURCES_H
