// The folders of Core ML's models: which file is the model, and that no other one is read.
#include "runtime/format/coreml/package.h"
#include "runtime/test/format/coreml_models.h"
#include "runtime/test/matchers.h"
#include "runtime/test/temporary_folder.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

using namespace ane::rt;
using namespace ane::rt::coreml;
using namespace ane::rt::coreml::test;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

#define EXPECT_TEXT(text, part) EXPECT_PRED_FORMAT2(hasText, text, std::string(part))

class CoreMLPackage : public testing::Test {
protected:
  void SetUp() override {
    write(kModelPath, *print(modelOf(kRelu)));
    write(kManifestPath, printManifest("abc"));
  }
  void write(const std::string &name, const std::string &bytes) {
    fs::create_directories(at(name).parent_path());
    std::ofstream(at(name), std::ios::binary) << bytes;
  }
  void change(const std::function<void(Json &)> &edit) {
    Json manifest = Json::parse(printManifest("abc"));
    edit(manifest);
    write(kManifestPath, manifest.dump());
  }
  fs::path at(const std::string &name) const { return fs::path(folder.path("m.mlpackage")) / name; }
  std::string error() const { return std::string(readPackage(at("").parent_path().string()).status().message()); }
  /// The error after the path in the manifest has become `path`.
  std::string errorOfPath(const std::string &path) {
    change([&](Json &m) { m["itemInfoEntries"]["model-abc"]["path"] = path; });
    return error();
  }

  ane::rt::test::TemporaryFolder folder;
};

TEST_F(CoreMLPackage, IsRead) {
  absl::StatusOr<Package> package = readPackage(at("").parent_path().string());
  ASSERT_TRUE(package.ok()) << package.status();
  EXPECT_EQ(package->model.program, modelOf(kRelu).program);
  EXPECT_EQ(package->folder, at("Data/com.apple.CoreML").string());
}

TEST_F(CoreMLPackage, IsFoundByItsFiles) {
  EXPECT_EQ(findModel(at("").parent_path().string()), Kind::Package);
  EXPECT_EQ(findModel(at(kModelPath).string()), Kind::None);
  EXPECT_EQ(findModel(folder.path("none")), Kind::None);
  fs::create_directories(folder.path("m.mlmodelc"));
  EXPECT_EQ(findModel(folder.path("m.mlmodelc")), Kind::None);
  std::ofstream(folder.path("m.mlmodelc/model.mil")) << "program(1.0) {}";
  EXPECT_EQ(findModel(folder.path("m.mlmodelc")), Kind::Compiled);
}

TEST_F(CoreMLPackage, TheModelIsTheRootOfSeveralItems) {
  write("Data/other.author/a.mlmodel", *print(modelOf(kRelu)));
  write(kModelPath, "no model");
  change([](Json &m) {
    m["itemInfoEntries"]["another"] = {
        {"path", "other.author/a.mlmodel"}, {"name", "a.mlmodel"}, {"author", "other.author"}};
    m["itemInfoEntries"].erase("weights-abc");
    m["rootModelIdentifier"] = "another";
  });
  EXPECT_EQ(error(), "");
}

TEST_F(CoreMLPackage, NoFileOutsideIsRead) {
  std::ofstream(folder.path("outside"), std::ios::binary) << *print(modelOf(kRelu));
  for (const std::string path : {"../../outside", "/etc/hostname", "", ".", "com.apple.CoreML/",
                                 "com.apple.CoreML//model.mlmodel", "com.apple.CoreML/./model.mlmodel"}) {
    std::string said = errorOfPath(path);
    if (said.find("the weights are in") == said.npos)
      EXPECT_TEXT(said, ": is no plain path below the folder");
    change([&](Json &m) {
      m["itemInfoEntries"]["model-abc"]["path"] = path;
      m["itemInfoEntries"].erase("weights-abc");
    });
    EXPECT_TEXT(error(), ": is no plain path below the folder");
  }
  EXPECT_TEXT(errorOfPath(std::string("com.apple.CoreML/model.mlmodel\0x", 32)), "is no plain path below the folder");
  EXPECT_TEXT(errorOfPath("com.apple.CoreML/other.mlmodel"), "cannot open");
  change([](Json &) {});
  ASSERT_EQ(error(), "");

  fs::remove(at(kModelPath));
  fs::create_symlink(folder.path("outside"), at(kModelPath));
  EXPECT_TEXT(error(),
              "'model.mlmodel' is a symbolic link, which could lead out of the folder; put the file itself there");
  fs::remove(at(kModelPath));
  ASSERT_EQ(mkfifo(at(kModelPath).c_str(), 0600), 0);
  EXPECT_TEXT(error(), "is not a regular file");
  fs::remove_all(at("Data"));
  fs::create_directories(folder.path("elsewhere/com.apple.CoreML"));
  fs::copy(folder.path("outside"), folder.path("elsewhere/com.apple.CoreML/model.mlmodel"));
  fs::create_symlink(folder.path("elsewhere"), at("Data"));
  EXPECT_TEXT(error(), "'Data' is a symbolic link");
}

TEST_F(CoreMLPackage, WeightsLieBesideTheModel) {
  change([](Json &m) { m["itemInfoEntries"]["weights-abc"]["path"] = "com.apple.CoreML/other"; });
  EXPECT_TEXT(error(),
              "the weights are in \"com.apple.CoreML/other\"; of the model \"com.apple.CoreML/model.mlmodel\" they "
              "lie in \"com.apple.CoreML/weights\"; copy the package anew, as a whole");
}

TEST_F(CoreMLPackage, ManifestsThatSayTooLittle) {
  auto with = [&](const std::function<void(Json &)> &edit) {
    change(edit);
    std::string said = error();
    EXPECT_TEXT(said, at(kManifestPath).string() + ": ");
    EXPECT_TEXT(said, "; copy the package anew, as a whole");
    return said;
  };
  EXPECT_TEXT(with([](Json &m) { m["fileFormatVersion"] = "1.0.1"; }),
              "fileFormatVersion is \"1.0.1\"; 1.0.0 is known");
  EXPECT_TEXT(with([](Json &m) { m["fileFormatVersion"] = 1; }), "is missing, or no text");
  EXPECT_TEXT(with([](Json &m) { m.erase("rootModelIdentifier"); }), "rootModelIdentifier is missing, or no text");
  EXPECT_TEXT(with([](Json &m) { m["rootModelIdentifier"] = "x"; }),
              "rootModelIdentifier is \"x\", which is none of itemInfoEntries");
  EXPECT_TEXT(with([](Json &m) { m.erase("itemInfoEntries"); }), "itemInfoEntries is missing, or no object");
  EXPECT_TEXT(with([](Json &m) { m["itemInfoEntries"] = Json::array(); }), "itemInfoEntries is missing, or no object");
  EXPECT_TEXT(with([](Json &m) { m["itemInfoEntries"]["model-abc"] = 3; }), "item \"model-abc\" has no path");
  EXPECT_TEXT(with([](Json &m) { m = Json::array(); }), "is no JSON object");
  write(kManifestPath, std::string(60'000, '['));
  EXPECT_TEXT(error(), "is nested deeper than 16");
  write(kManifestPath, std::string((1 << 16) + 1, ' '));
  EXPECT_TEXT(error(), "has 65537 bytes, limit 65536");
  fs::remove(at(kManifestPath));
  EXPECT_TEXT(error(), "cannot open");
}

TEST_F(CoreMLPackage, ErrorsNameTheFile) {
  write(kModelPath, "\x08\x04");
  EXPECT_TEXT(error(), "m.mlpackage/Data/com.apple.CoreML/model.mlmodel: is neither a program nor a neural network");
}

TEST_F(CoreMLPackage, TheSameModelHasTheSameManifest) {
  EXPECT_EQ(printManifest("abc"), printManifest("abc"));
  EXPECT_NE(printManifest("abc"), printManifest("abd"));
}

} // namespace
