#include "runtime/tools/train/train_options.h"
#include <gtest/gtest.h>

using namespace ane::rt;
using namespace ane::rt::tools;

namespace {

absl::StatusOr<TrainOptions> parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"m.anebundle", "--data=d.npz", "--steps=10"});
  return parseTrainOptions(arguments);
}

TEST(TrainOptions, HaveDefaults) {
  auto options = parse({});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->model, "m.anebundle");
  EXPECT_EQ(options->data, std::vector<std::string>{"d.npz"});
  EXPECT_EQ(options->trainer.optimizer.kind, "adamw");
  EXPECT_EQ(options->trainer.schedule.rate, 3e-4);
  EXPECT_EQ(options->trainer.schedule.steps, 10);
  EXPECT_EQ(options->trainer.clip, 1);
  EXPECT_EQ(options->keep, 3);
  EXPECT_FALSE(options->trainer.lossScale);
  EXPECT_FALSE(options->trainer.optimizer.beta1);
}

TEST(TrainOptions, ReadAll) {
  auto options = parse({"--optimizer=lion",  "--lr=0.1",
                        "--beta2",           "0",
                        "--schedule=cosine", "--warmup=3",
                        "--lr-end=0.5",      "--clip=0",
                        "--accumulate=4",    "--loss-scale=dynamic:1024",
                        "--freeze=a*",       "--freeze=b",
                        "--device=cpu",      "--threads=2",
                        "--deterministic",   "--out=run",
                        "--resume",          "--save-every=5",
                        "--keep=9",          "--eval-split=0.1",
                        "--eval-every=2",    "--export=w.safetensors"});
  ASSERT_TRUE(options.ok()) << options.status();
  const train::TrainerOptions &trainer = options->trainer;
  EXPECT_EQ(trainer.optimizer.kind, "lion");
  EXPECT_EQ(trainer.optimizer.beta2, 0);
  EXPECT_EQ(trainer.schedule.kind, train::Schedule::Kind::Cosine);
  EXPECT_EQ(trainer.schedule.at(0), 0.1 / 3);
  EXPECT_EQ(trainer.clip, 0);
  EXPECT_TRUE(trainer.lossScale->isDynamic);
  EXPECT_EQ(trainer.lossScale->first, 1024);
  EXPECT_EQ(trainer.frozen, (std::vector<std::string>{"a*", "b"}));
  EXPECT_TRUE(trainer.deterministic);
  EXPECT_EQ(options->evaluationSplit, 0.1);
  EXPECT_TRUE(options->resume);
}

TEST(TrainOptions, ReadLossScales) {
  EXPECT_FALSE(parse({"--loss-scale=8"})->trainer.lossScale->isDynamic);
  EXPECT_EQ(parse({"--loss-scale=8"})->trainer.lossScale->first, 8);
  EXPECT_EQ(parse({"--loss-scale=dynamic"})->trainer.lossScale->first, 32768);
  for (const char *wrong : {"0", "-1", "dynamics", "dynamic:", "dynamic:0.5", "dynamic:1e9", "x", "nan"})
    EXPECT_NE(parse({std::string("--loss-scale=") + wrong}).status().message().find("--loss-scale: is"),
              std::string::npos)
        << wrong;
}

TEST(TrainOptions, RefuseWhatMeansNothing) {
  const std::pair<std::vector<std::string>, const char *> cases[] = {
      {{"--resume"}, "--resume needs the folder of checkpoints"},
      {{"--save-every=3"}, "--save-every needs the folder of checkpoints"},
      {{"--eval-every=3"}, "--eval-every has nothing to evaluate on"},
      {{"--eval-split=1"}, "--eval-split: is 1, expected 0 to less than 1"},
      {{"--eval-split=0.5", "--eval-data=x.npz"}, "exclude each other"},
      {{"--optimizer=adam"}, "optimizer is \"adam\", expected one of adamw, lion, sgd"},
      {{"--momentum=0.9"}, "optimizer adamw: has no momentum"},
      {{"--beta1=1"}, "beta1 is 1, expected 0 to less than 1"},
      {{"--schedule=step"}, "--schedule is \"step\""},
      {{"--schedule=linear", "--warmup=11"}, "warm-up takes 11 steps of 10"},
      {{"--lr=0"}, "learning rate is 0"},
      {{"--clip=-1"}, "clipped to norm -1"},
      {{"--accumulate=0"}, "--accumulate: is \"0\""},
      {{"--device=gpu"}, "--device"},
      {{"other.anebundle"}, "one bundle at a time"},
      {{"--nonsense"}, "unknown option --nonsense"},
  };
  for (const auto &[arguments, words] : cases) {
    auto options = parse(arguments);
    EXPECT_EQ(options.status().code(), absl::StatusCode::kInvalidArgument) << words;
    EXPECT_NE(options.status().message().find(words), std::string::npos) << options.status();
  }
  EXPECT_NE(parseTrainOptions({"m.anebundle"}).status().message().find("no data given"), std::string::npos);
  EXPECT_NE(parseTrainOptions({"m", "--data=x"}).status().message().find("number of steps"), std::string::npos);
  EXPECT_NE(parseTrainOptions({}).status().message().find("no bundle given"), std::string::npos);
  EXPECT_TRUE(parseTrainOptions({"m.anebundle", "--dry-run", "--schedule=cosine"}).ok());
}

TEST(TrainOptions, HelpHasEachOption) {
  const std::string help = trainHelp();
  for (const char *words : {"--optimizer=NAME", "--freeze=PATTERN", "--dry-run", "Examples:", "Exit code"})
    EXPECT_NE(help.find(words), std::string::npos) << words;
}

} // namespace
