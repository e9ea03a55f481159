#include "runtime/test/train/training_bundle.h"
#include "runtime/device/cpu/host_library.h"
#include "runtime/format/blob/blob.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;

namespace ane::rt::test {
namespace {

using manifest::TensorType;

/// Adds a function of one host function, whose tensors are its own.
void addFunction(manifest::Manifest &m, const std::string &name,
                 const std::vector<std::pair<std::string, TensorType>> &inputs,
                 const std::vector<std::pair<std::string, TensorType>> &outputs) {
  manifest::Function function{name, {}, {}, {{manifest::Step::Kind::Host, name, {}, {}}}};
  manifest::HostFunction host{name, "test_" + name, {}, {}, 0};
  auto add = [&](const auto &list, auto &ports, auto &indices, auto &types) {
    for (const auto &[port, type] : list) {
      auto index = static_cast<int64_t>(m.tensors.size());
      m.tensors.push_back({name + "." + port, type});
      ports.push_back({port, index});
      indices.push_back(index);
      types.push_back(type);
    }
  };
  add(inputs, function.inputs, function.steps[0].inputs, host.inputs);
  add(outputs, function.outputs, function.steps[0].outputs, host.outputs);
  m.functions.push_back(std::move(function));
  m.hostFunctions.push_back(std::move(host));
}

TensorType floats(std::vector<int64_t> shape) { return {ElementType::Float32, std::move(shape)}; }

} // namespace

TrainingBundle::TrainingBundle(const std::string &hostLibrary) : root(folder.path("bundle")) {
  fs::create_directories(path("host"));
  fs::copy_file(hostLibrary, path("host/test.so"));
  manifest::Manifest &m = content;
  m.producer = "test";
  m.target = {"h16g", "in-memory", "macos-15", "ios18", "catalog"};
  const TensorType x = floats({kRows, kColumns}), y = floats({kRows}), b = floats({1}), table = floats({5, 8}),
                   w = floats({kColumns, 1}), one = floats({1}), part = floats({kSweep});
  addFunction(m, "step", {{"x", x}, {"y", y}, {"loss_scale", one}, {"b", b}, {"table", table}, {"w", w}},
              {{"loss", one}, {"grad.b", b}, {"grad.table", table}, {"grad.w", w}});
  addFunction(m, "evaluate", {{"x", x}, {"y", y}, {"b", b}, {"table", table}, {"w", w}}, {{"loss", one}});
  manifest::Training training;
  training.step = "step";
  training.evaluate = "evaluate";
  training.loss = "mse";
  training.target = "y";
  training.lossScale = "loss_scale";
  training.parameters = {{"b", false}, {"table", true}, {"w", true}};
  training.weights = "weights.safetensors";
  training.sweep = kSweep;
  for (const std::string &kind : manifest::optimizerKinds()) {
    const manifest::OptimizerPorts &ports = *manifest::optimizerPorts(kind);
    std::vector<std::pair<std::string, TensorType>> inputs, outputs;
    for (const char *name : ports.arrays)
      inputs.emplace_back(name, part);
    for (const char *name : ports.scalars)
      inputs.emplace_back(name, one);
    for (const char *name : ports.outputs)
      outputs.emplace_back(name, part);
    addFunction(m, kind, inputs, outputs);
    training.optimizers.push_back({kind, kind});
  }
  addFunction(m, "squares", {{"gradient", part}}, {{"squares", one}});
  addFunction(m, "sum", {{"into", part}, {"from", part}}, {{"sum", part}});
  training.squares = "squares";
  training.add = "sum";
  m.training = std::move(training);
  m.hostLibraries = {{machineTriple(), "host/test.so"}};
  m.files = {{"host/test.so", 0, ""}, {"weights.safetensors", 0, ""}};

  float values[1 + kTable + kColumns] = {0.5f};
  const float first[kColumns] = {1, -1, 0.25f};
  std::copy(first, first + kColumns, values + 1 + kTable);
  writeWeights(R"({"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
               R"("table":{"dtype":"F32","shape":[5,8],"data_offsets":[4,164]},)"
               R"("w":{"dtype":"F32","shape":[3,1],"data_offsets":[164,176]}})",
               {reinterpret_cast<const char *>(values), sizeof values});
  write();
}

void TrainingBundle::useProgram() {
  fs::create_directories(path("programs"));
  std::ofstream(path("programs/copy.mil")) << R"(program(1.3)
{
    func main<ios18>(tensor<fp16, [1, 8, 1, 32]> x) {
        fp16 one = const()[name = string("one"), val = fp16(0x1p+0)];
        tensor<fp16, [1, 8, 1, 32]> y = mul(x = x, y = one)[name = string("y")];
    } -> (y);
}
)";
  manifest::Manifest &m = content;
  const manifest::Surface x = {"x", ElementType::Float16, {1, 8, 1, 32}, 64, 49152, {5, 8}, {1, 0}};
  manifest::Surface y = x;
  y.name = "y";
  m.programs = {{"copy", "programs/copy.mil", {}, {{"main", "copy", {x}, {y}}}}};
  m.files.push_back({"programs/copy.mil", 0, ""});
  manifest::Step &host = m.functions[0].steps[0];
  int64_t &table = host.inputs[4];
  const TensorType type = m.tensors[table].type;
  m.hostFunctions.push_back({"copy", "test_copy", {type}, {type}, 0});
  const auto rounded = static_cast<int64_t>(m.tensors.size());
  m.tensors.push_back({"step.rounded", type});
  manifest::Step program = {manifest::Step::Kind::Program, "copy", {table}, {rounded}, "main"};
  table = rounded;
  m.functions[0].steps.insert(m.functions[0].steps.begin(), program);
}

void TrainingBundle::bakeTable() {
  fs::create_directories(path("programs"));
  fs::create_directories(path("weights"));
  std::ofstream(path("programs/table.mil")) << R"(program(1.3)
{
    func main<ios18>(tensor<fp16, [1, 8, 1, 32]> x) {
        tensor<fp16, [5, 8, 1, 1]> table = const()[name = string("table"), val = tensor<fp16, [5, 8, 1, 1]>(BLOBFILE(path = string("@model_path/weights/table.bin"), offset = uint64(64)))];
        tensor<int32, [2]> ones = const()[name = string("ones"), val = tensor<int32, [2]>([1, 1])];
        int32 groups = const()[name = string("groups"), val = int32(1)];
        tensor<int32, [4]> pad = const()[name = string("pad"), val = tensor<int32, [4]>([0, 0, 0, 0])];
        string valid = const()[name = string("valid"), val = string("valid")];
        tensor<fp16, [1, 5, 1, 32]> y = conv(dilations = ones, groups = groups, pad = pad, pad_type = valid, strides = ones, weight = table, x = x)[name = string("y")];
    } -> (y);
}
)";
  const std::vector<char> zeros(kTable * sizeof(float));
  manifest::Manifest &m = content;
  manifest::Weight table = {"table", floats({5, 8})};
  table.trainable = true;
  for (auto [file, type] :
       {std::pair("weights/table.bin", ElementType::Float16), {"weights/host.bin", ElementType::Float32}}) {
    auto writer = blob::Writer::create(path(file));
    if (!writer.ok() || !writer->add(type, kTable, zeros.data()).ok() || !writer->finish().ok())
      std::abort();
    m.files.push_back({file, 0, ""});
    manifest::StoredWeight stored;
    stored.file = file;
    stored.offset = 128;
    stored.bytes = kTable * byteWidth(type);
    stored.hash = std::string(32, '0');
    (type == ElementType::Float16 ? stored.programs : stored.hostFunctions) = {"table"};
    stored.dtype = type;
    stored.shape = {kTable};
    stored.strides = {1};
    table.stored.push_back(std::move(stored));
  }
  m.weights = {std::move(table)};
  m.hostWeights = {"weights/host.bin"};
  const manifest::Surface x = {"x", ElementType::Float16, {1, 8, 1, 32}, 64, 49152, {8, 8}, {0, 1}};
  const manifest::Surface y = {"y", ElementType::Float16, {1, 5, 1, 32}, 64, 49152, {5, 8}, {0, 1}};
  m.programs = {{"table", "programs/table.mil", {"weights/table.bin"}, {{"main", "table", {x}, {y}}}}};
  m.files.push_back({"programs/table.mil", 0, ""});
  const TensorType eye = floats({8, 8}), type = floats({5, 8});
  m.hostFunctions.push_back({"eye", "test_eye", {}, {eye}, 0});
  m.hostFunctions.push_back({"table", "test_table", {eye}, {type}, 0});
  for (size_t i : {0, 1}) { // step and evaluate
    manifest::Function &function = m.functions[i];
    auto port = std::find_if(function.inputs.begin(), function.inputs.end(), [](auto &p) { return p.name == "table"; });
    const int64_t value = port->tensor, matrix = static_cast<int64_t>(m.tensors.size());
    m.tensors.push_back({function.name + ".eye", eye});
    function.inputs.erase(port);
    function.steps.insert(function.steps.begin(),
                          {{manifest::Step::Kind::Host, "eye", {}, {matrix}},
                           {manifest::Step::Kind::Program, "table", {matrix}, {value}, "main"}});
  }
  m.training->parameters[1].isBaked = true;
}

void TrainingBundle::writeWeights(const std::string &header, const std::string &data) {
  const uint64_t size = header.size();
  std::ofstream file(path("weights.safetensors"), std::ios::binary);
  file.write(reinterpret_cast<const char *>(&size), sizeof size);
  file << header << data;
}

void TrainingBundle::write() {
  for (manifest::File &file : content.files) {
    file.bytes = static_cast<int64_t>(fs::file_size(path(file.path)));
    file.hash = *manifest::hashFile(path(file.path));
  }
  std::ofstream(path("manifest.json")) << manifest::print(content);
}

TrainingBundle::X TrainingBundle::x(int i) {
  X x;
  for (size_t k = 0; k < x.size(); ++k)
    x[k] = std::sin(static_cast<float>(k + 1) * 1.7f + static_cast<float>(i));
  return x;
}

TrainingBundle::Y TrainingBundle::y(int i) {
  Y y;
  for (size_t k = 0; k < y.size(); ++k)
    y[k] = std::cos(static_cast<float>(k) * 2.3f + static_cast<float>(i));
  return y;
}

} // namespace ane::rt::test
