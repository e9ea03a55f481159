// Adapters of a session: what is read from a folder, and what states of theirs are not.
#include "runtime/adapter/config.h"
#include "runtime/core/adapter.h"
#include "runtime/core/executor.h"
#include "runtime/core/state_file.h"
#include "runtime/format/safetensors/writer.h"
#include "runtime/support/output_file.h"
#include "runtime/test/temporary_folder.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace ane::rt;

namespace {

using Values = std::vector<float>;
constexpr int64_t kRank = 3, kInputs = 2, kOutputs = 4;

/// A layer with an adapter of rank 3, whose outputs are two heads, and a state beside it.
class AdapterTest : public testing::Test {
protected:
  AdapterTest() {
    manifest::TensorType a{ElementType::Float32, {kRank, kInputs}}, b{ElementType::Float32, {kOutputs, kRank}};
    m.tensors = {{"a", a}, {"b", b}, {"memory", a}};
    m.states = {{"a", a}, {"b", b}, {"memory", a}};
    m.functions = {{"main", {}, {}, {}, {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}}};
    m.adapters = {kRank, 6, {"q"}, {{"0.q", "w", "a", "b", false, 1}}};
    std::filesystem::create_directory(place);
    writeConfig(R"({"peft_type": "LORA", "r": 2, "lora_alpha": 3, "target_modules": ["q"]})");
    writeTensors({{"0.q", 'A', {2, kInputs}, {1, 2, 3, 4}}, {"0.q", 'B', {kOutputs, 2}, {1, 2, 3, 4, 5, 6, 7, 8}}});
  }

  struct Tensor {
    std::string layer;
    char matrix;
    std::vector<int64_t> shape;
    Values values;
  };

  void writeConfig(const std::string &text) {
    ASSERT_TRUE(writeFile(place + "/" + adapter::kConfig, text.data(), text.size()).ok());
  }

  void writeTensors(const std::vector<Tensor> &tensors) {
    std::vector<safetensors::TensorRecord> records;
    for (const Tensor &tensor : tensors)
      records.push_back({adapter::tensorName(tensor.layer, tensor.matrix), ElementType::Float32, tensor.shape});
    auto writer = safetensors::Writer::create(place + "/" + adapter::kTensors, records);
    ASSERT_TRUE(writer.ok()) << writer.status();
    for (const Tensor &tensor : tensors)
      ASSERT_TRUE(writer->write(tensor.values.data(), tensor.values.size() * sizeof(float)).ok());
    ASSERT_TRUE(writer->commit().ok());
  }

  std::unique_ptr<Executor> make() {
    BundleOptions options;
    options.device = "cpu";
    options.nativeCode = false;
    EXPECT_TRUE(manifest::verify(m).ok()) << manifest::verify(m);
    auto bundle = Bundle::make(folder.open(), m, options);
    EXPECT_TRUE(bundle.ok()) << bundle.status();
    auto executor = Executor::create(*bundle, "");
    EXPECT_TRUE(executor.ok()) << executor.status();
    return *std::move(executor);
  }

  static Values state(const Executor &executor, size_t index) {
    Values values(static_cast<size_t>(executor.states().all()[index].bytes) / sizeof(float));
    EXPECT_TRUE(executor.states().read(index, values.data(), executor.states().all()[index].bytes).ok());
    return values;
  }

  void set(Executor &executor) {
    auto matrices = readAdapter(*executor.owner(), place);
    ASSERT_TRUE(matrices.ok()) << matrices.status();
    EXPECT_EQ(setAdapter(executor.states(), *executor.owner(), *matrices), 4 * (kRank * kInputs + kOutputs * kRank));
  }

  void expectRefused(const std::string &says) {
    auto matrices = readAdapter(*make()->owner(), place);
    std::string message(matrices.status().message());
    EXPECT_NE(message.find(says), std::string::npos) << says << " not in: " << message;
  }

  manifest::Manifest m;
  test::TemporaryFolder folder;
  std::string place = folder.path("adapter");
};

/// Zeros fill the rank up; 3 / 2 of the adapter over 6 / 3 of the bundle goes into B, whose rows 0 1 2 3 are halves.
TEST_F(AdapterTest, IsScaledFilledUpAndReordered) {
  auto executor = make();
  set(*executor);
  EXPECT_EQ(state(*executor, 0), (Values{1, 2, 3, 4, 0, 0}));
  EXPECT_EQ(state(*executor, 1), (Values{0.75, 1.5, 0, 3.75, 4.5, 0, 2.25, 3, 0, 5.25, 6, 0}));
  writeConfig(R"({"peft_type": "LORA", "r": 2, "lora_alpha": 4, "use_rslora": true, "target_modules": ["q"]})");
  set(*executor);
  EXPECT_EQ(state(*executor, 1)[0], static_cast<float>(4 / std::sqrt(2.0) / 2));
}

TEST_F(AdapterTest, StaysWhatTheSessionComputesWith) {
  auto executor = make();
  EXPECT_EQ(adapterDigest(executor->states()), "");
  uint64_t before = executor->states().all()[0].now.version;
  set(*executor);
  EXPECT_GT(executor->states().all()[0].now.version, before);
  std::string digest = adapterDigest(executor->states());
  EXPECT_EQ(digest.size(), 32u);
  Values a = state(*executor, 0), seven(6, 7);
  ASSERT_TRUE(executor->states().write(2, seven.data(), 24).ok());
  ASSERT_TRUE(saveStates(executor->states(), folder.path("states")).ok());
  auto fork = executor->fork();
  ASSERT_TRUE(fork.ok());
  EXPECT_EQ(adapterDigest((*fork)->states()), digest);
  ASSERT_TRUE(executor->resetStates().ok());
  EXPECT_EQ(state(*executor, 0), a);
  EXPECT_EQ(state(*executor, 2), Values(6, 0));
  // Into a session without one, only what is remembered goes.
  auto other = make();
  ASSERT_TRUE(restoreStates(other->states(), folder.path("states")).ok());
  EXPECT_EQ(state(*other, 2), seven);
  EXPECT_EQ(adapterDigest(other->states()), "");
  ASSERT_TRUE(other->resetStates().ok());
  auto taken = other->states().take((*fork)->states(), 1);
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(*taken, 24);
  EXPECT_EQ(state(*other, 2), seven);
  EXPECT_EQ(adapterDigest(other->states()), "");
  EXPECT_EQ(setAdapter(executor->states(), *executor->owner(), {}), 72);
  EXPECT_EQ(adapterDigest(executor->states()), "");
  EXPECT_EQ(adapterDigest((*fork)->states()), digest);
}

/// States on disk do not tell a bundle with adapters from its base.
TEST_F(AdapterTest, IsInNoFileOfStates) {
  auto executor = make();
  set(*executor);
  ASSERT_TRUE(saveStates(executor->states(), folder.path("states")).ok());
  m.adapters.reset();
  m.states = {m.states[2]};
  m.functions[0].states = {{0, 2, 2}};
  ASSERT_TRUE(restoreStates(make()->states(), folder.path("states")).ok());
}

TEST_F(AdapterTest, MayHaveFewerLayers) {
  auto executor = make();
  writeConfig(R"({"peft_type": "LORA", "r": 2, "lora_alpha": 3, "target_modules": ["q"], "layers_to_transform": [1]})");
  writeTensors({});
  set(*executor);
  EXPECT_EQ(adapterDigest(executor->states()), "");
  writeConfig(R"({"peft_type": "LORA", "r": 2, "lora_alpha": 3, "target_modules": ["q"], "exclude_modules": ["0.q"]})");
  set(*executor);
}

TEST_F(AdapterTest, IsRefused) {
  writeTensors({{"0.q", 'A', {2, kInputs}, {1, 2, 3, 4}}});
  expectRefused("has no tensor \"base_model.model.0.q.lora_B.weight\"");
  writeTensors({{"0.q", 'A', {2, 3}, Values(6)}, {"0.q", 'B', {kOutputs, 2}, Values(8)}});
  expectRefused("is float32[2, 3], expected [2, 2]");
  auto write = [&](float a, float b) {
    writeTensors({{"0.q", 'A', {2, kInputs}, Values(4, a)}, {"0.q", 'B', {kOutputs, 2}, Values(8, b)}});
  };
  write(NAN, 1);
  expectRefused("lora_A.weight\" has an element that is nan, expected finite numbers");
  write(1, 1e38f);
  writeConfig(R"({"peft_type": "LORA", "r": 2, "lora_alpha": 30, "target_modules": ["q"]})");
  expectRefused("lora_B.weight\" has an element that is inf when it is multiplied by 7.5, expected finite numbers");
  writeConfig(R"({"peft_type": "LORA", "r": 2, "lora_alpha": 3, "target_modules": ["v"]})");
  expectRefused("lora_A.weight\" is of a layer that \"target_modules\" of adapter_config.json does not name: v");
  writeConfig(R"({"peft_type": "LORA", "r": 4, "lora_alpha": 3, "target_modules": ["q"]})");
  expectRefused(
      "\"r\" is 4, the bundle's adapters have rank 3; compile the model with --lora=rank=4,alpha=3,targets=q");
  m.adapters.reset();
  expectRefused("the bundle has no adapters; compile the model with --lora=rank=4");
}

/// A bundle made for an adapter trains it: the command that says so has all digits of its alpha.
TEST_F(AdapterTest, TrainsWithTheScaleThatItSays) {
  const std::string fields = R"({"peft_type": "LORA", "target_modules": ["q"], "r": )";
  for (const std::string &scale :
       {R"(8, "use_rslora": true, "lora_alpha": 16})", R"(3, "lora_alpha": 5.333333333333333})",
        R"(7, "lora_alpha": 1e-9})", R"(4, "lora_alpha": 8})"}) {
    writeConfig(fields + scale);
    auto flag = adapter::compilerFlag(place);
    ASSERT_TRUE(flag.ok()) << flag.status();
    long long rank = 0;
    double alpha = 0;
    ASSERT_EQ(std::sscanf(flag->c_str(), "rank=%lld,alpha=%lf,targets=q", &rank, &alpha), 2) << *flag;
    m.adapters->rank = rank;
    m.adapters->alpha = alpha;
    m.tensors[0].type.shape[0] = m.tensors[1].type.shape[1] = rank;
    for (size_t i : {0, 1})
      m.states[i].type.shape = m.tensors[i].type.shape;
    writeTensors({{"0.q", 'A', {rank, kInputs}, Values(static_cast<size_t>(rank * kInputs), 1)},
                  {"0.q", 'B', {kOutputs, rank}, Values(static_cast<size_t>(kOutputs * rank), 1)}});
    auto matrices = adapter::readAdapter(place, m, adapter::Use::Train);
    EXPECT_TRUE(matrices.ok()) << *flag << ": " << matrices.status();
    m.adapters->alpha = alpha * (1 + 1e-9);
    matrices = adapter::readAdapter(place, m, adapter::Use::Train);
    EXPECT_NE(matrices.status().message().find("; compile the model with --lora=" + *flag), absl::string_view::npos)
        << matrices.status();
  }
}

} // namespace
