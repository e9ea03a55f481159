//===- sources.cpp - What ane-mil-diff compares ---------------------------===//
#include "runtime/tools/diff/sources.h"
#include "absl/strings/str_cat.h"
#include "runtime/format/coreml/package.h"
#include "runtime/format/mil/parser.h"
#include "runtime/support/quote.h"

#include <algorithm>
#include <filesystem>

namespace fs = std::filesystem;

namespace ane::rt::mildiff {
namespace {

constexpr const char *kPrograms = "programs";
constexpr const char *kManifest = "manifest.json";

absl::Status wrong(const std::string &path, const std::string &what) {
  return absl::InvalidArgumentError(absl::StrCat(quote(path), ": ", what));
}

absl::Status openFolder(Source &source, const std::string &path) {
  absl::StatusOr<Folder> folder = Folder::open(path);
  if (!folder.ok())
    return folder.status();
  source.folder = std::make_shared<Folder>(*std::move(folder));
  return absl::OkStatus();
}

absl::Status readText(Source &source, const std::string &path, std::string name) {
  absl::StatusOr<mil::Program> program = mil::parseFile(path);
  if (!program.ok())
    return program.status();
  source.programs.push_back({std::move(name), path, *std::move(program)});
  return absl::OkStatus();
}

absl::Status readPackage(Source &source) {
  absl::StatusOr<coreml::Package> package = coreml::readPackage(source.path);
  if (!package.ok())
    return package.status();
  source.programs.push_back({fs::path(source.path).stem().string(), source.path, std::move(package->model.program)});
  return openFolder(source, package->folder);
}

bool isBundle(const fs::path &path) {
  std::error_code ignored;
  return fs::is_regular_file(path / kManifest, ignored) && fs::is_directory(path / kPrograms, ignored);
}

absl::Status readBundle(Source &source) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator it(fs::path(source.path) / kPrograms, error), end; !error && it != end;
       it.increment(error))
    if (it->path().extension() == ".mil")
      files.push_back(it->path());
  if (error)
    return wrong(source.path, absl::StrCat("can't list ", kPrograms, ": ", error.message()));
  std::sort(files.begin(), files.end());
  for (const fs::path &file : files)
    if (absl::Status s = readText(source, file.string(), file.stem().string()); !s.ok())
      return s;
  return openFolder(source, source.path);
}

/// The folder of a text that lies alone; of one of a bundle's, the bundle.
std::string folderOf(const std::string &text) {
  fs::path folder = fs::path(text).parent_path();
  if (folder.filename() == kPrograms && isBundle(folder.parent_path().empty() ? "." : folder.parent_path()))
    folder = folder.parent_path();
  return folder.empty() ? "." : folder.string();
}

} // namespace

absl::StatusOr<Source> readSource(const std::string &path, const std::string &weights) {
  Source source;
  source.path = path;
  std::error_code error;
  absl::Status status;
  if (!fs::is_directory(path, error)) {
    status = readText(source, path, fs::path(path).stem().string());
    if (status.ok())
      status = openFolder(source, weights.empty() ? folderOf(path) : weights);
  } else if (!weights.empty()) {
    return wrong(path, "weights are in the folder itself; --weights-a and --weights-b are for a text");
  } else if (coreml::Kind kind = coreml::findModel(path); kind == coreml::Kind::Package) {
    status = readPackage(source);
  } else if (kind == coreml::Kind::Compiled) {
    status = readText(source, (fs::path(path) / coreml::kCompiledPath).string(), fs::path(path).stem().string());
    if (status.ok())
      status = openFolder(source, path);
  } else if (isBundle(path)) {
    status = readBundle(source);
  } else {
    return wrong(path, "is no package (Manifest.json and Data), no compiled model (model.mil) and no bundle "
                       "(manifest.json and programs)");
  }
  if (!status.ok())
    return status;
  return source;
}

} // namespace ane::rt::mildiff
