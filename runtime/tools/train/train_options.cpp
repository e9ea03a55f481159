//===- train_options.cpp - Command line of ane-train ----------------------===//
#include "runtime/tools/train/train_options.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/devices.h"
#include "runtime/core/weight_ways.h"
#include "runtime/device/cpu/trust.h"
#include "runtime/tools/command_line.h"
#include "runtime/tools/restart.h"
#include <cstring>

namespace ane::rt::tools {
namespace {

const char kIntroduction[] =
    R"(ane-train: trains the model of a training bundle

usage: ane-train MODEL.anebundle --data FILE --steps N [options]
       ane-train MODEL --data FILE --steps N [options]
       ane-train MODEL.anebundle --dry-run [options]

The first argument is a bundle that ane-compile --train wrote. Anything else is
taken as a model that ane-compile reads, and compiled first, by the ane-compile
beside this program or in PATH.

)";

const char kRest[] = R"(
Data: text files (UTF-8), .jsonl files (a document as "text" of each line) and
llama2.c's token files (.bin) for language models; .jsonl files with "anchor" and
"positive" on each line for encoders, which a contrastive loss trains; .npz files
with an array for each input and the target for all models; axis 0 is examples.
Examples are shuffled anew in each pass, in an order that --seed alone decides.
Documents in an example see those before them, unless the bundle is of
ane-compile --documents=apart.

A step runs --accumulate micro-batches of the bundle's batch, and updates the
weights by the mean of their gradients. Weights, gradients and moments are
float32 on every device. The same bundle, options and data give the same bits,
with any number of threads.

Optimizers: adamw (beta1 0.9, beta2 0.999, epsilon 1e-8), sgd (momentum 0), lion
(beta1 0.9, beta2 0.99). Schedules fall behind the warm-up to --lr-end of --lr at
the last step: constant does not, linear and cosine do.

Loss scale: 1 on the CPU; elsewhere dynamic from 32768, so that small gradients
do not vanish in fp16. A dynamic one doubles after 2000 steps and is halved when a
gradient is not finite; that step is skipped. Where that can't help, training ends
with an error that names the first parameter in trouble, as gradients are computed. With --clamp-fp16 infinite
elements that go into a program or come out of one become 65504, with their signs;
the scale, at most 32768 then, is halved behind a step that has any, which counts
them (clamped).

--out keeps checkpoints, one in --save-every steps and one at the end, the last
--keep of them. One that does not fit is said, and the run goes on. --resume goes on from the newest, bit for bit as if the run had
not ended. Ctrl-C ends the step that runs, saves, and says how to go on; so do
SIGTERM and SIGHUP.

Weights are inputs of the programs or, in a bundle of ane-compile
--parameters=baked (of a model --compile-flag=--parameters=baked), in them. An
update changes these by patch (the program is loaded again, with its weight files
overwritten), donor (a new one takes over what was compiled) or recompile, of
which a process has a budget. A probe at the start finds out which of them the
device takes; the cheapest is taken, or --weights-by before it, and the next one
when it fails. That is printed, as are programs that go to the CPU.
--at-compile-limit=restart is for bundles, and happens before the first step: a model
would be compiled again, so that the programs that are left run on the CPU.
--emulator-mode=faithful:reload=stale,donor=refused,compilations=20,failures=50 is an
engine that keeps old weights when a program is loaded again (or reload=fresh), takes
no donors (or donor=taken), compiles 20 programs, and fails once in 50 evaluations.

--log appends one JSON object a line: of each step {step, loss, rate, norm,
loss_scale, skipped, clamped, examples, tokens, seconds, evaluations, staged_bytes},
of evaluations {step, evaluation_loss}, of what went otherwise than asked {step, event};
of a resumed run first {resumed: step}.

Examples:
  ane-train stories.anebundle --data story.txt --steps 1000 --lr 3e-4 \
      --schedule cosine --warmup 100 --clip 1 --out run --save-every 200
  ane-train stories.anebundle --data story.txt --steps 1000 --out run --resume
  ane-train mnist.anebundle --data train.npz --eval-data test.npz --steps 500 \
      --optimizer sgd --lr 0.1 --momentum 0.9 --eval-every 100
  ane-train SmolLM2-135M --batch 1 --seq 256 --data book.txt --steps 100 \
      --freeze 'model.embed_tokens.*' --export tuned.safetensors
  ane-train SmolLM2-135M --data book.txt --steps 100 --export adapter \
      --lora rank=8,alpha=16,targets=q_proj,v_proj
  ane-train SmolLM2-135M --data more.txt --steps 100 --adapter adapter \
      --export tuned --merge
  ane-train all-MiniLM-L6-v2 --loss contrastive --data pairs.jsonl --batch 32 \
      --seq 64 --steps 500 --lr 2e-5 --export tuned
  ane-train stories.anebundle --dry-run --optimizer lion --accumulate 8

Exit code: 0; 1 when a file is wrong or training fails; 2 for a wrong command
line; 130 when Ctrl-C ended training, which is saved then if --out is given.
Messages go to stderr, with --json as one object a line: {severity, message}.
)";

/// Values that are looked at when all are there.
struct Raw {
  std::string schedule = "constant", lossScale, trust = "owner";
  double beta1 = 0, beta2 = 0, epsilon = 0, momentum = 0;
  int64_t threads = 0;
};

void declareRun(CommandLine &line, TrainOptions &options) {
  line.list("data", &options.data, "FILE", "what to train on; may be given many times");
  line.number("steps", &options.steps, 1, INT64_MAX, "of the whole run, with those that it is resumed from");
  line.number("seed", &options.seed, 0, INT64_MAX, "of the order of examples (default 0)");
  line.list("eval-data", &options.evaluationData, "FILE", "what the loss is evaluated on; may be given many times");
  line.real("eval-split", &options.evaluationSplit, "evaluate on this share of the data instead, its end");
  line.number("eval-every", &options.evaluateEvery, 1, INT64_MAX,
              "evaluate after each N steps, and at the end (default: at the\nend only)");
  line.option("out", &options.out, "DIR", "folder of checkpoints");
  line.number("save-every", &options.saveEvery, 1, INT64_MAX,
              "steps from checkpoint to checkpoint (default: at the end)");
  line.number("keep", &options.keep, 1, 1000000, "checkpoints to keep (default 3)");
  line.option("adapter", &options.initialAdapter, "DIR", "of adapters: begin with those in a folder, in PEFT's format");
  line.flag("resume", &options.resume, "go on from the newest checkpoint of --out; begin if there is none");
  line.option("export", &options.exportPath, "NAME",
              "at the end write the weights: NAME.safetensors, or with --source\n"
              "NAME.gguf or a folder that transformers loads; of adapters\n"
              "NAME.safetensors or a folder that peft loads");
  line.flag("merge", &options.merges,
            "with --export: add adapters to their model's weights, and write\nthe model (with --source)");
  line.option("source", &options.source, "PATH", "the model that the bundle was compiled from, for --export");
  line.option("log", &options.log, "FILE", "append a line of JSON for each step, see below");
  line.flag("json", &options.json, "print one JSON object at the end, and no progress");
  line.flag("dry-run", &options.dryRun, "print memory, and what a step takes, and do nothing");
}

void declareOptimizer(CommandLine &line, TrainOptions &options, Raw &raw) {
  train::TrainerOptions &trainer = options.trainer;
  line.option("optimizer", &trainer.optimizer.kind, "NAME", "adamw (default), sgd or lion");
  line.real("lr", &trainer.schedule.rate, "learning rate (default 3e-4)");
  line.real("beta1", &raw.beta1, "of adamw and lion");
  line.real("beta2", &raw.beta2, "of adamw and lion");
  line.real("epsilon", &raw.epsilon, "of adamw");
  line.real("momentum", &raw.momentum, "of sgd");
  line.real("weight-decay", &trainer.optimizer.decay, "of parameters with two dimensions and more (default 0)");
  line.option("schedule", &raw.schedule, "NAME", "constant (default), linear or cosine");
  line.number("warmup", &trainer.schedule.warmup, 0, INT64_MAX, "steps in which the learning rate rises (default 0)");
  line.real("lr-end", &trainer.schedule.end, "share of the learning rate at the last step (default 0)");
  line.real("clip", &trainer.clip, "largest norm of all gradients together (default 1; 0: any)");
  line.number("accumulate", &trainer.accumulate, 1, 1000000, "micro-batches of a step (default 1)");
  line.option("loss-scale", &raw.lossScale, "X", "a number, or dynamic, or dynamic:X to begin with X, see below");
  line.flag("clamp-fp16", &trainer.device.clampsFp16,
            "what fp16 makes infinite becomes 65504 and is counted, and the\nstep is not skipped, see below");
  line.list("freeze", &trainer.frozen, "PATTERN",
            "parameters that keep their values; * stands for any characters;\nmay be given many times");
}

void declareMachine(CommandLine &line, TrainOptions &options, Raw &raw) {
  train::DeviceOptions &device = options.trainer.device;
  line.option("device", &device.device, "NAME", "auto (default: the engine, else cpu), ane, cpu or\nemulator");
  line.option("emulator-mode", &device.emulatorMode, "MODE",
              "lint (default), faithful or plain, as ane-run has it; see below");
  line.option("weights-by", &device.weightsBy, "WAY",
              "how updated weights get into programs: auto (default), inputs,\npatch, donor or recompile, see below");
  declareAtCompileLimit(line, options.atCompileLimit);
  line.number("threads", &raw.threads, 1, 256, "of CPU code (default ANE_NUM_THREADS, else all processors)");
  line.flag("deterministic", &options.trainer.deterministic,
            "refuse what may give other bits: to resume on another device or\n"
            "processor, and programs of the device that go to the CPU");
  line.flag("verify", &device.verify, "compare the hash of every file of the bundle");
  line.option("trust", &raw.trust, "WHO", "whose native code is loaded: owner (default) or anyone, as ane-run\nhas it");
  line.option("bundle", &options.bundle, "NAME",
              "of a model: keep its bundle under this name (default: it is removed)");
  line.number("batch", &options.batch, 1, INT64_MAX, "of a model: examples of a micro-batch");
  line.number("seq", &options.sequence, 1, INT64_MAX,
              "of a language model: tokens of an example (default: those of the\nbundle, which has room for as many)");
  line.option("lora", &options.adapters, "LIST",
              "of a model: train adapters only, as ane-compile --lora has them:\n"
              "rank=8,alpha=16,targets=q_proj,v_proj");
  line.list("compile-flag", &options.compilerFlags, "FLAG",
            "of a model: another option of ane-compile; may be given many\ntimes");
  line.option("loss", &options.loss, "NAME", "of a model: as ane-compile --train=NAME has it");
  for (auto [name, argument, help] :
       {std::tuple("ignore-label", "CLASS", "of a model: the target that does not count (default -100)"),
        {"class-axis", "AXIS", "of a model: its output's axis of classes"},
        {"class-weights", "X,...", "of a model: a factor of each class"},
        {"label-smoothing", "X", "of a model: the share of each target that all classes have"},
        {"positive-weights", "X,...", "of a model, for bce: factors of positive targets"},
        {"batch-norm", "WHAT", "of a model: batch, or running, as ane-compile has it"},
        {"trainable", "PATTERN", "of a model: weights that are trained beside its parameters"}})
    line.option(name, &options.compilerOptions[name], argument, help);
  line.flag("help", &options.help, "print this text");
  line.flag("version", &options.version, "print the version");
}

void declare(CommandLine &line, TrainOptions &options, Raw &raw) {
  options.trainer.schedule.rate = 3e-4;
  options.trainer.clip = 1;
  options.keep = 3;
  declareRun(line, options);
  declareOptimizer(line, options, raw);
  declareMachine(line, options, raw);
}

template <typename... Parts>
absl::Status wrong(const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

/// "", "X", "dynamic" or "dynamic:X".
absl::Status readLossScale(absl::string_view text, std::optional<train::LossScale::Options> &scale) {
  if (text.empty())
    return absl::OkStatus();
  constexpr absl::string_view kDynamic = "dynamic";
  scale.emplace();
  scale->isDynamic = text.substr(0, kDynamic.size()) == kDynamic;
  scale->first = train::LossScale::kFirst;
  absl::string_view number = text;
  if (scale->isDynamic)
    number.remove_prefix(kDynamic.size());
  if (scale->isDynamic && number.empty())
    return absl::OkStatus();
  if (scale->isDynamic && number[0] == ':')
    number.remove_prefix(1);
  else if (scale->isDynamic)
    number = {};
  if (!absl::SimpleAtod(number, &scale->first) || !train::LossScale::check(*scale).ok())
    return wrong("--loss-scale: is \"", text, "\", expected a number above 0, or dynamic, or dynamic:X from 1 to 2^24");
  return absl::OkStatus();
}

absl::Status checkTogether(const CommandLine &line, const TrainOptions &options) {
  if (options.dryRun)
    return absl::OkStatus();
  if (options.data.empty())
    return wrong("no data given; use --data FILE, or --dry-run to see what training takes");
  if (!line.given("steps"))
    return wrong("the number of steps is not given; use --steps N");
  if (line.given("eval-data") && line.given("eval-split"))
    return wrong("--eval-data and --eval-split exclude each other");
  if (!(options.evaluationSplit >= 0 && options.evaluationSplit < 1))
    return wrong("--eval-split: is ", options.evaluationSplit, ", expected 0 to less than 1");
  if (line.given("eval-every") && !line.given("eval-data") && options.evaluationSplit == 0)
    return wrong("--eval-every has nothing to evaluate on; give --eval-data or --eval-split");
  if (line.given("merge") && !line.given("export"))
    return wrong("--merge says what --export writes; give --export NAME, too");
  if (line.given("adapter") && line.given("resume"))
    return wrong("--adapter begins a run, and --resume goes on with one, which has its adapters; give one");
  for (const char *name : {"save-every", "keep", "resume"})
    if (line.given(name) && !line.given("out"))
      return wrong("--", name, " needs the folder of checkpoints: --out DIR");
  return absl::OkStatus();
}

} // namespace

std::string trainHelp() {
  TrainOptions options;
  Raw raw;
  CommandLine line;
  declare(line, options, raw);
  return absl::StrCat(kIntroduction, line.help(), kRest);
}

absl::StatusOr<TrainOptions> parseTrainOptions(const std::vector<std::string> &arguments) {
  TrainOptions options;
  std::vector<std::string> positional;
  Raw raw;
  CommandLine line;
  declare(line, options, raw);
  if (absl::Status status = line.parse(arguments, positional); !status.ok())
    return status;
  if (options.help || options.version)
    return options;
  if (positional.empty())
    return wrong("no bundle given; usage: ane-train MODEL.anebundle --data FILE --steps N, see --help");
  if (positional.size() > 1)
    return wrong("one bundle at a time, got \"", positional[0], "\" and \"", positional[1], "\"");
  options.model = positional[0];
  if (absl::Status status = checkTogether(line, options); !status.ok())
    return status;

  train::TrainerOptions &trainer = options.trainer;
  trainer.device.threads = static_cast<int32_t>(raw.threads);
  if (line.given("device"))
    if (absl::Status status = checkDeviceName(trainer.device.device); !status.ok())
      return wrong("--device", status.message().substr(std::strlen("device")));
  if (absl::Status status = checkAtCompileLimit(options.atCompileLimit); !status.ok())
    return status;
  absl::StatusOr<Trust> trust = trustFrom(raw.trust);
  if (!trust.ok())
    return wrong("--trust: ", trust.status().message());
  trainer.device.trust = static_cast<int32_t>(*trust);
  if (trainer.device.weightsBy != "inputs")
    if (auto way = weightWayFrom(trainer.device.weightsBy); !way.ok())
      return wrong("--weights-by: ", way.status().message(), ", or inputs");
  auto kind = train::scheduleKind(raw.schedule);
  if (!kind.ok())
    return wrong("--", kind.status().message());
  trainer.schedule.kind = *kind;
  trainer.schedule.steps = options.steps;
  if (absl::Status status = readLossScale(raw.lossScale, trainer.lossScale); !status.ok())
    return status;
  for (auto [name, value, target] : {std::tuple("beta1", &raw.beta1, &trainer.optimizer.beta1),
                                     {"beta2", &raw.beta2, &trainer.optimizer.beta2},
                                     {"epsilon", &raw.epsilon, &trainer.optimizer.epsilon},
                                     {"momentum", &raw.momentum, &trainer.optimizer.momentum}})
    if (line.given(name))
      *target = *value;
  // A dry run knows no last step, and needs no schedule.
  if (options.dryRun && options.steps == 0)
    trainer.schedule.kind = train::Schedule::Kind::Constant;
  if (absl::Status status = train::Trainer::check(trainer); !status.ok())
    return status;
  return options;
}

} // namespace ane::rt::tools
