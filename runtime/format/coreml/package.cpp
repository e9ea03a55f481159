//===- package.cpp - packages of Core ML ----------------------------------===//

#include "runtime/format/coreml/package.h"
#include "absl/strings/str_cat.h"
#include "runtime/support/folder.h"
#include "runtime/support/hash.h"
#include "runtime/support/quote.h"

#include <filesystem>
#include <nlohmann/json.hpp>

using namespace ane::rt;
using namespace ane::rt::coreml;

namespace {

constexpr int64_t kMaxManifestBytes = int64_t(1) << 20;
constexpr const char *kAuthor = "com.apple.CoreML";

absl::Status wrong(const Folder &folder, std::string_view file, const std::string &what) {
  return absl::InvalidArgumentError(absl::StrCat(folder.nameOf(file), ": ", what));
}

const nlohmann::json *member(const nlohmann::json &object, const char *key) {
  auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() ? &*found : nullptr;
}

/// Where the manifest says that the model is, relative to the package.
absl::StatusOr<std::string> modelPathOf(const Folder &folder, const std::string &text) {
  auto bad = [&](const std::string &what) { return wrong(folder, kManifestPath, what); };
  nlohmann::json manifest = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!manifest.is_object())
    return bad("is no JSON object");
  const nlohmann::json *version = member(manifest, "fileFormatVersion"),
                       *root = member(manifest, "rootModelIdentifier"), *items = member(manifest, "itemInfoEntries");
  if (!version || !version->is_string() || version->get<std::string>().rfind("1.", 0) != 0)
    return bad("fileFormatVersion is 1.0.0 in all packages that are known");
  if (!root || !root->is_string() || !items)
    return bad("rootModelIdentifier and itemInfoEntries say which file is the model; one is missing");
  const std::string key = root->get<std::string>();
  const nlohmann::json *item = member(*items, key.c_str()), *path = item ? member(*item, "path") : nullptr;
  if (!path || !path->is_string())
    return bad(absl::StrCat("rootModelIdentifier is ", quote(key), ", and itemInfoEntries has no path for it"));
  return "Data/" + path->get<std::string>();
}

} // namespace

Kind coreml::findModel(const std::string &path) {
  std::error_code ignored;
  auto holds = [&](const char *name) { return std::filesystem::exists(std::filesystem::path(path) / name, ignored); };
  return holds(kManifestPath) && holds("Data") ? Kind::Package : holds(kCompiledPath) ? Kind::Compiled : Kind::None;
}

absl::StatusOr<Package> coreml::readPackage(const std::string &path) {
  absl::StatusOr<Folder> folder = Folder::open(path);
  if (!folder.ok())
    return folder.status();
  absl::StatusOr<std::string> manifest = folder->read(kManifestPath, kMaxManifestBytes);
  if (!manifest.ok())
    return manifest.status();
  absl::StatusOr<std::string> place = modelPathOf(*folder, *manifest);
  if (!place.ok())
    return place.status();
  absl::StatusOr<MappedFile> file = folder->map(*place);
  if (!file.ok())
    return file.status();
  absl::StatusOr<Model> model = parse({reinterpret_cast<const char *>(file->data()), file->size()});
  if (!model.ok())
    return wrong(*folder, *place, std::string(model.status().message()));
  return Package{std::move(*model), path + "/" + place->substr(0, place->rfind('/'))};
}

std::string coreml::printManifest(std::string_view digest) {
  // Any text that is unique in the package is an identifier; coremltools writes random ones.
  auto identifier = [&](const char *which) { return absl::StrCat(which, "-", std::string(digest)); };
  nlohmann::ordered_json manifest;
  manifest["fileFormatVersion"] = "1.0.0";
  auto add = [&](const char *which, const char *name, const char *description) {
    manifest["itemInfoEntries"][identifier(which)] = {
        {"author", kAuthor}, {"description", description}, {"name", name}, {"path", absl::StrCat(kAuthor, "/", name)}};
  };
  add("model", "model.mlmodel", "CoreML Model Specification");
  add("weights", "weights", "CoreML Model Weights");
  manifest["rootModelIdentifier"] = identifier("model");
  return manifest.dump(4) + "\n";
}
