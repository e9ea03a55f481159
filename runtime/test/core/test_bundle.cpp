#include "runtime/test/core/test_bundle.h"
#include "runtime/device/cpu/host_library.h"
#include "runtime/format/blob/blob.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

namespace fs = std::filesystem;

namespace ane::rt::test {
namespace {

// One statement per constant, a scalar multiply and an add, as the compiler
// spells them.
const char kMil[] = R"(program(1.3)
[buildInfo = dict<string, string>({})]
{
    func main<ios18>(tensor<fp16, [1, 64, 1, 32]> x) {
        fp16 two = const()[name = string("two"), val = fp16(0x1p+1)];
        tensor<fp16, [1, 64, 1, 32]> doubled = mul(x = x, y = two)[name = string("doubled")];
        fp16 one = const()[name = string("one"), val = fp16(0x1p+0)];
        tensor<fp16, [1, 64, 1, 32]> y = add(x = doubled, y = one)[name = string("y")];
    } -> (y);
}
)";

} // namespace

TestBundle::TestBundle(const std::string &hostLibrary) {
  std::string pattern = (fs::temp_directory_path() / "ane-XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    std::abort();
  root = pattern;
  for (const char *part : {"programs", "weights", "host"})
    fs::create_directories(path(part));
  std::ofstream(path("programs/affine.mil")) << kMil;
  std::vector<float> weights(kVocabulary * kColumns);
  for (int id = 0; id < kVocabulary; ++id)
    for (int column = 0; column < kColumns; ++column)
      weights[id * kColumns + column] = weight(id, column);
  auto writer = blob::Writer::create(path("weights/table.bin"));
  if (!writer.ok() || !writer->add(ElementType::Float32, weights.size(), weights.data()).ok() || !writer->finish().ok())
    std::abort();
  fs::copy_file(hostLibrary, path("host/test.so"));

  using manifest::Step;
  manifest::TensorType ids{ElementType::Int64, {kIds}};
  manifest::TensorType hidden{ElementType::Float32, {1, kIds, kColumns}};
  manifest::Manifest &m = content;
  m.producer = "test";
  m.target = {"h16g", "in-memory", "macos-15", "ios18", "catalog"};
  m.tensors = {{"ids", ids}, {"embedded", hidden}, {"affine", hidden}, {"sum", hidden}};
  m.hostFunctions = {{"embed", "test_embed", {ids}, {hidden}, 0},
                     {"affine_twin", "test_affine", {hidden}, {hidden}, 2048},
                     {"add", "test_add", {hidden, hidden}, {hidden}, 0}};
  manifest::Surface x{"x",
                      ElementType::Float16,
                      {1, kColumns, 1, 32}, // rows of 64 bytes, kIds are used
                      64,
                      49152,
                      {kIds, kColumns},
                      {1, 0}};
  manifest::Surface y = x;
  y.name = "y";
  m.programs = {{"affine", "programs/affine.mil", {}, {{"main", "affine_twin", {x}, {y}}}}};
  m.functions = {{"main",
                  {{"input_ids", 0}},
                  {{"out/sum", 3}, {"affine", 2}},
                  {{Step::Kind::Host, "embed", {0}, {1}},
                   {Step::Kind::Program, "affine", {1}, {2}, "main"},
                   {Step::Kind::Host, "add", {1, 2}, {3}}}}};
  m.hostLibraries = {{machineTriple(), "host/test.so"}};
  m.hostWeights = {"weights/table.bin"};
  for (const char *file : {"host/test.so", "programs/affine.mil", "weights/table.bin"})
    m.files.push_back({file, 0, ""});
  write();
}

TestBundle::~TestBundle() { fs::remove_all(root); }

void TestBundle::write() {
  for (manifest::File &file : content.files) {
    file.bytes = static_cast<int64_t>(fs::file_size(path(file.path)));
    file.hash = *manifest::hashFile(path(file.path));
  }
  std::ofstream(path("manifest.json")) << manifest::print(content);
}

} // namespace ane::rt::test
