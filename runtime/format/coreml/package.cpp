//===- package.cpp - packages of Core ML ----------------------------------===//

#include "runtime/format/coreml/package.h"
#include "absl/strings/str_cat.h"
#include "runtime/support/folder.h"
#include "runtime/support/json_text.h"
#include "runtime/support/quote.h"

#include <filesystem>

using namespace ane::rt;
using namespace ane::rt::coreml;

namespace {

using Json = nlohmann::json;

/// Real ones have less than one KiB. The library takes quadratic time for the objects of an object.
constexpr int64_t kMaxManifestBytes = int64_t(1) << 16;
constexpr const char *kAuthor = "com.apple.CoreML";
constexpr const char *kWeights = "weights";
constexpr const char *kRemedy = "; copy the package anew, as a whole";

absl::Status wrong(const std::string &name, const std::string &what) {
  return absl::InvalidArgumentError(absl::StrCat(name, ": ", what, kRemedy));
}

/// The text under `key` of an object.
std::optional<std::string> textOf(const Json &object, const std::string &key) {
  auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end() || !found->is_string())
    return std::nullopt;
  return found->get<std::string>();
}

/// "com.apple.CoreML/weights" of "com.apple.CoreML/model.mlmodel".
std::string weightsBeside(const std::string &model) { return model.substr(0, model.rfind('/') + 1) + kWeights; }

} // namespace

Kind coreml::findModel(const std::string &path) {
  std::error_code ignored;
  auto holds = [&](const char *name) { return std::filesystem::exists(std::filesystem::path(path) / name, ignored); };
  return holds(kManifestPath) && holds("Data") ? Kind::Package : holds(kCompiledPath) ? Kind::Compiled : Kind::None;
}

absl::StatusOr<std::string> coreml::parseManifest(std::string_view text, const std::string &name) {
  constexpr int kMaxDepth = 16;
  absl::StatusOr<Json> manifest = parseJsonObject<Json>(text, name, kMaxDepth, kRemedy);
  if (!manifest.ok())
    return manifest.status();
  std::optional<std::string> version = textOf(*manifest, "fileFormatVersion"),
                             root = textOf(*manifest, "rootModelIdentifier");
  if (!version || !root)
    return wrong(name, "fileFormatVersion or rootModelIdentifier is missing, or no text");
  if (*version != "1.0.0")
    return wrong(name, absl::StrCat("fileFormatVersion is ", quote(*version), "; 1.0.0 is known"));
  auto items = manifest->find("itemInfoEntries");
  if (items == manifest->end() || !items->is_object())
    return wrong(name, "itemInfoEntries is missing, or no object");
  std::optional<std::string> model, weights;
  for (const auto &[identifier, item] : items->items()) {
    std::optional<std::string> path = textOf(item, "path");
    if (!path)
      return wrong(name, absl::StrCat("item ", quote(identifier), " has no path"));
    if (identifier == *root)
      model = path;
    if (textOf(item, "name") == kWeights && textOf(item, "author") == kAuthor)
      weights = path;
  }
  if (!model)
    return wrong(name, absl::StrCat("rootModelIdentifier is ", quote(*root), ", which is none of itemInfoEntries"));
  // A program calls them by their place beside the model.
  if (weights && *weights != weightsBeside(*model))
    return wrong(name, absl::StrCat("the weights are in ", quote(*weights), "; of the model ", quote(*model),
                                    " they lie in ", quote(weightsBeside(*model))));
  return "Data/" + *model;
}

absl::StatusOr<Package> coreml::readPackage(const std::string &path) {
  absl::StatusOr<Folder> folder = Folder::open(path);
  if (!folder.ok())
    return folder.status();
  absl::StatusOr<std::string> manifest = folder->read(kManifestPath, kMaxManifestBytes);
  if (!manifest.ok())
    return manifest.status();
  absl::StatusOr<std::string> place = parseManifest(*manifest, folder->nameOf(kManifestPath));
  if (!place.ok())
    return place.status();
  absl::StatusOr<MappedFile> file = folder->map(*place);
  if (!file.ok())
    return file.status();
  absl::StatusOr<Model> model = parse({reinterpret_cast<const char *>(file->data()), file->size()});
  if (!model.ok())
    return absl::Status(model.status().code(),
                        absl::StrCat(folder->nameOf(*place), ": ", std::string(model.status().message())));
  return Package{std::move(*model), folder->nameOf(place->substr(0, place->rfind('/')))};
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
  add("weights", kWeights, "CoreML Model Weights");
  manifest["rootModelIdentifier"] = identifier("model");
  return manifest.dump(4) + "\n";
}
