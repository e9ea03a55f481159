//===- judgement.cpp - What the records say of a program ------------------===//

#include "runtime/device/emulator/judgement.h"

#include "absl/strings/str_cat.h"
#include "runtime/format/blob/blob.h"
#include "runtime/format/mil/parser.h"
#include "runtime/lint/linter.h"
#include "runtime/support/hash.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace ane::rt::emulator {

FileStamp FileStamp::of(const Folder &folder, const std::string &path) {
  absl::StatusOr<FolderFile> file = folder.openFile(path);
  if (!file.ok())
    return {path, -1, {}};
  return {path, file->bytes(), {file->modified().tv_sec, file->modified().tv_nsec}};
}
int64_t Process::compiledBefore(const std::optional<std::string> &identity) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!identity)
    return compiled++;
  auto [first, isNew] = places.try_emplace(*identity, compiled);
  compiled += isNew;
  return first->second;
}

/// What programs share when a second one is loaded from what was compiled of the first: their texts are the
/// same, and the bytes of the weights that they name.
static std::string identityOf(const ProgramDesc &desc, const mil::Program &tree) {
  Hash all;
  all.update(desc.milText.data(), desc.milText.size());
  std::map<std::string_view, absl::StatusOr<blob::Reader>> files;
  auto add = [&](const mil::Value &value) {
    std::optional<std::string_view> path = weightPath(value.path);
    if (value.kind != mil::Value::Kind::Blob || !path)
      return;
    auto [file, isNew] = files.try_emplace(*path, absl::NotFoundError(""));
    if (isNew)
      if (auto content = desc.folder->map(*path); content.ok())
        file->second = blob::Reader::of(*std::move(content), "");
    if (!file->second.ok())
      return;
    std::vector<std::string> deviations;
    const auto elements = static_cast<uint64_t>(value.type.numElements().value_or(0));
    if (auto found = file->second->readAs(value.offset, value.type.dtype, elements, deviations); found.ok())
      all.update(found->data, found->bytes);
  };
  if (desc.folder)
    for (const mil::Function &function : tree.functions)
      for (const mil::Statement &statement : function.statements)
        for (const auto *list : {&statement.arguments, &statement.attributes})
          for (const mil::NamedValue &named : *list)
            add(named.value);
  return all.digest();
}

absl::StatusOr<std::shared_ptr<const ParsedText>> parseText(const ProgramDesc &desc) {
  auto text = std::make_shared<ParsedText>();
  text->source = desc.source.empty() ? desc.name : desc.source;
  mil::ParseOptions parse;
  parse.fileName = text->source;
  absl::StatusOr<mil::Program> tree = mil::parse(desc.milText, parse);
  if (!tree.ok())
    return tree.status();
  text->tree = *std::move(tree);
  text->desc = desc;
  return text;
}

absl::StatusOr<int64_t> countCompilation(const ParsedText &text, Process &process) {
  const Mode mode = process.options.mode;
  if (mode == Mode::Plain)
    return 0;
  // In faithful mode each is a compilation, as the context counts them.
  const int64_t before =
      process.compiledBefore(mode == Mode::Lint ? std::optional(identityOf(text.desc, text.tree)) : std::nullopt);
  const std::optional<int64_t> most = process.options.machine.compilations;
  if (mode == Mode::Faithful && most && before >= *most)
    return absl::FailedPreconditionError(absl::StrCat("ANECCompile() FAILED: err=(); program '", text.desc.name,
                                                      "': the process has compiled ", before,
                                                      ", and this machine compiles no more (C05)"));
  return before;
}

absl::StatusOr<Judgement> judge(const std::shared_ptr<const ParsedText> &text, int64_t compiledBefore,
                                const std::shared_ptr<const Folder> &folder, const Process &process) {
  const EmulatorOptions &options = process.options;
  const ProgramDesc &desc = text->desc;
  const mil::Program &tree = text->tree;
  Judgement judgement;
  judgement.behaviours.resize(desc.procedures.size());
  if (options.mode == Mode::Plain)
    return judgement;
  absl::StatusOr<lint::Target> target = lint::Target::parse(options.target);
  if (!target.ok())
    return target.status();
  lint::LintOptions lintOptions;
  lintOptions.procedures = desc.procedures;
  lintOptions.folder = folder.get();
  // What a machine is said to compile was looked at when it was compiled.
  const bool isCounted = options.mode != Mode::Faithful || !options.machine.compilations;
  lintOptions.compiled = isCounted ? compiledBefore : 0;
  lintOptions.loadedPrograms = process.loaded;
  lintOptions.loadedBytes = process.loadedBytes;
  lintOptions.source = desc.milText;
  lintOptions.measuredOnly = options.mode == Mode::Faithful;
  std::vector<lint::Diagnostic> found = lint::lint(tree, *target, lintOptions);
  if (folder)
    for (const std::string &path : lint::weightFiles(tree, *folder)) {
      judgement.weights.push_back(FileStamp::of(*folder, path));
      judgement.weightBytes += std::max<int64_t>(judgement.weights.back().bytes, 0);
    }
  if (options.mode == Mode::Faithful) {
    judgement.weights.clear(); // a changed file has no effect
    for (size_t i = 0; i < desc.procedures.size(); ++i) {
      std::vector<lint::Diagnostic> own;
      std::copy_if(found.begin(), found.end(), std::back_inserter(own), [&](const lint::Diagnostic &diagnostic) {
        return diagnostic.function == desc.procedures[i].function;
      });
      judgement.behaviours[i] = behaviourOf(own, *target);
      if (!judgement.behaviours[i].load.ok())
        return judgement.behaviours[i].load;
    }
    return judgement;
  }
  // An operation that nobody has heard of is no misuse of this engine: the
  // loader refuses it, and the caller has a twin for that.
  found.erase(std::remove_if(found.begin(), found.end(),
                             [](const lint::Diagnostic &diagnostic) {
                               return !diagnostic.op.empty() && !lint::isKnownOperation(diagnostic.op);
                             }),
              found.end());
  if (absl::Status status = lint::lintStatus(found, *target, text->source, desc.milText); !status.ok())
    return status;
  lintOptions.source = {};
  judgement.reportChanged = [text, folder, target = *target, lintOptions](std::vector<std::string> files) {
    lint::LintOptions now = lintOptions;
    now.changedFiles = std::move(files);
    now.folder = folder.get();
    now.source = text->desc.milText;
    return lint::lintStatus(lint::lint(text->tree, target, now), target, text->source, text->desc.milText);
  };
  return judgement;
}

} // namespace ane::rt::emulator
