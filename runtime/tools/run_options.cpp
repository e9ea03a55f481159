//===- run_options.cpp - Command line of ane-run --------------------------===//
#include "runtime/tools/run_options.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/core/devices.h"
#include "runtime/core/emulator.h"
#include "runtime/device/ane/evaluation_path.h"
#include "runtime/device/ane/machine.h"
#include "runtime/tools/command_line.h"
#include "runtime/tools/machine_probe.h"
#include "runtime/tools/restart.h"
#include <algorithm>
#include <cstring>

namespace ane::rt::tools {
namespace {

const char kIntroduction[] =
    R"(ane-run: runs a compiled model, or one MIL program

usage: ane-run MODEL.anebundle [options]
       ane-run MODEL.anebundle --chat | --prompt TEXT | --text
       ane-run --mil PROGRAM.mil [options]

)";

const char kRest[] = R"(
Devices: cpu runs the native code of the bundle. emulator runs the engine
programs from their MIL text with the engine's arithmetic (slow; for testing),
and host functions natively. auto is the engine where there is one, else cpu.
A program that the device refuses runs on the CPU; the run says so.

Random inputs: floats are normal (mean 0, deviation 1), integers 0 to 99, bools
0 or 1. By name, integers and bools that contain "mask" are 1, "type" or
"segment" 0, "position" 0, 1, 2, ... along the last axis. Each input has a
sequence of its own, which --seed and its name choose.

A function with buckets (ane-compile --bucket) takes inputs of any size of their
dimension and runs in the smallest bucket; random ones are as large as the given
ones, or as the largest bucket.

--adapter takes a folder with adapter_config.json and adapter_model.safetensors,
as peft and ane-train --export write it. One of a smaller rank than the bundle's
fits, too. Nothing is compiled; without it the model is its base.

States begin with their initial values, or those of a file, in each run: also
with --repeat and --compare-device.

Outputs are written as NAME.npy, where every character of the name outside of
A-Z a-z 0-9 . _ : - is an underscore. Files appear only when complete.

Language models (what ane-compile makes of a GGUF file or a Hugging Face
directory): --prompt continues a text as it stands; --chat renders what was said
by the model's chat template. Answers appear as they come, and a line about them
on stderr. With --json a line for each token {index, token, text, seconds}, -1
for text that was held back to the end, then one {end, text, first_token_seconds,
reused_tokens, prefill, decode}; with --text a line for each text {index, tokens,
embedding}. Ctrl-C ends an answer, and at the prompt of a chat the conversation;
a line that ends in \ goes on in the next. The same seed gives the same text.
--prompts prints "> ", a line of the file and its answer, each when it has ended,
in the order of the file; the line on stderr is about all of them. With --json
there is also "prompt", from 0, in each object.
--profile says what each function of the model has cost when all answers are
there: on stderr, with --json as a last line {functions, phases}.
--prefill-device=emulator --decode-device=cpu runs prompts in one place and the
tokens that follow in another; the line on stderr and "state_bytes_moved" of the
phases say what went from one to the other.

Examples:
  ane-run chat.anebundle --chat --temperature 0.7 --top-p 0.9
  ane-run chat.anebundle --prompt "Once upon a time" --max-tokens 64 --json
  ane-run chat.anebundle --prompt "Once upon a time" --profile --trace=run.json
  ane-run chat.anebundle --prompts lines.txt --max-tokens 64
  ane-run chat.anebundle --chat --adapter pirate
  ane-run minilm.anebundle --text < sentences.txt
  ane-run m.anebundle --random-inputs
  ane-run m.anebundle --device=emulator --input input_ids=ids.npy \
      --input attention_mask=mask.npy --output-dir out
  ane-run m.anebundle --device=emulator --random-inputs --compare-device=cpu
  ane-run m.anebundle --random-inputs --repeat 20 --profile --json
  ane-run vad.anebundle --input input=second.npy --restore-states first.states \
      --save-states second.states --output-dir out
  ane-run --mil main_0.mil --weights m.anebundle --input x=x.npy --output-dir out

Exit code: 0; 1 when a file is wrong or a run fails; 2 for a wrong command line;
130 when Ctrl-C ended --prompt or --text.
Messages go to stderr, with --json as one object a line: {severity, message}.
)";

/// As NumericPolicy has them.
constexpr const char *kNumeric[] = {"rescue", "report", "off"};

/// Values that are looked at when all are there.
struct Raw {
  std::vector<std::string> inputs;
  std::string numeric = kNumeric[0], trust = "owner";
  bool noNativeCode = false;
  LanguageFlags language;
};

void declare(CommandLine &line, RunOptions &options, Raw &raw) {
  line.option("device", &options.device, "NAME", "auto (default: the engine, else cpu), ane, cpu or\nemulator");
  line.list("input", &raw.inputs, "NAME=FILE",
            "value of an input, a .npy file of its exact dtype and shape;\n"
            "may be given once for each input");
  line.flag("random-inputs", &options.randomInputs, "draw the inputs that --input does not give");
  line.number("seed", &options.seed, 0, INT64_MAX, "of random inputs and of sampling (default 0)");
  line.option("output-dir", &options.outputDir, "DIR", "write each output to DIR/NAME.npy");
  line.option("restore-states", &options.restoreStates, "FILE", "begin with the states that --save-states wrote");
  line.option("save-states", &options.saveStates, "FILE", "write the states that the run leaves");
  line.option("adapter", &options.adapter, "DIR",
              "of a bundle that was compiled with --lora: compute with the\n"
              "adapter in a folder, in PEFT's format");
  line.option("compare-device", &options.compareDevice, "NAME",
              "run there too, and print the error of each output against it:\n"
              "maximum, root mean square, cosine");
  line.number("repeat", &options.repeat, 1, 1000000,
              "run N times after one that is not timed; print the minimal\n"
              "and median time");
  line.flag("profile", &options.profile,
            "print what each step has cost and where it ran, and the phases\n"
            "of the whole, with the energy that the machine tells");
  line.option("trace", &options.trace, "FILE", "write when each step ran, for Perfetto or chrome://tracing");
  line.flag("json", &options.json,
            "print one JSON object: device, outputs, time_ms {min, median},\n"
            "events, compare, profile, phases, copies; of answers and embeddings\n"
            "several, see below");
  line.flag("verify", &options.verify, "compare the hash of every file");
  line.option("trust", &raw.trust, "WHO",
              "whose native code of the bundle is loaded: owner (default), the\n"
              "user's and the administrator's, unless every user can write it;\n"
              "anyone; or nobody, and what would run on the CPU is refused");
  line.flag("no-native-code", &raw.noNativeCode, "the same as --trust=nobody");
  line.option("function", &options.function, "NAME", "function of the bundle or program (default main)");
  line.number("threads", &options.threads, 1, 256, "of CPU code (default ANE_NUM_THREADS, else all processors)");
  line.number("memory-limit", &options.memoryLimit, 1, INT64_MAX,
              "bytes that the run may take for values and scratch memory\n"
              "(default: what the machine has left)");
  line.option("emulator-mode", &options.emulatorMode, "MODE",
              "what the emulator makes of misuse of the engine: lint (default)\n"
              "refuses it, naming the rule; faithful does what the engine\n"
              "would do, or faithful:WORDS a certain one (ane-train --help);\n"
              "plain only computes");
  declareAtCompileLimit(line, options.atCompileLimit);
  line.option("evaluation", &options.evaluation, "PATH",
              "how the engine is asked: standard, direct, real-time; or auto\n"
              "(default), what --probe=evaluation has found the fastest here,\n"
              "else standard, as where a path fails");
  line.option("numeric", &raw.numeric, "POLICY",
              "where fp16 on the engine does not hold the values of a run: rescue\n"
              "(default) computes the program again on the CPU, report says so,\n"
              "off does not look");
  line.option("target", &options.target.chip, "CHIP",
              "with --mil: engine to check for, such as m4 (default h16), or\n"
              "native, this Mac's; with a bundle: native demands that it is\n"
              "compiled for what this Mac's engine can do");
  line.option("route", &options.target.route, "ROUTE", "with --mil: in_memory (default), coreml, e5rt or netlist");
  line.option("os", &options.target.os, "N", "with --mil: macOS version (default 15)");
  line.option("strictness", &options.target.strictness, "WORD", "with --mil: catalog (default) or evidence");
  line.option("mil", &options.mil, "FILE", "run one MIL program on the emulator instead of a bundle");
  line.option("weights", &options.weights, "DIR",
              "with --mil: what @model_path stands for (default: the folder\n"
              "of the program)");
  line.option("probe", &options.probe, "WHAT",
              "run no bundle, try the device and print JSON: machine, which it is;\n"
              "constants, how many a program may have; weights, how they are\n"
              "changed; evaluation, which path is the fastest, which is kept for\n"
              "later runs; chain, whether the system takes one; programs, how many\n"
              "a process compiles and loads");
  raw.language.declare(line);
  line.flag("help", &options.help, "print this text");
  line.flag("version", &options.version, "print the version");
}

} // namespace

bool asksForJson(const std::vector<std::string> &arguments) {
  auto end = std::find(arguments.begin(), arguments.end(), "--");
  return std::any_of(arguments.begin(), end, [](const std::string &a) { return a == "--json" || a == "-json"; });
}

std::string runHelp() {
  RunOptions options;
  Raw raw;
  CommandLine line;
  declare(line, options, raw);
  return absl::StrCat(kIntroduction, line.help(), kRest);
}

absl::StatusOr<RunOptions> parseRunOptions(const std::vector<std::string> &arguments) {
  RunOptions options;
  std::vector<std::string> positional;
  Raw raw;
  CommandLine line;
  declare(line, options, raw);
  if (absl::Status status = line.parse(arguments, positional); !status.ok())
    return status;
  if (options.help || options.version)
    return options;
  auto wrong = [](auto &&...parts) { return absl::InvalidArgumentError(absl::StrCat(parts...)); };
  for (const std::string &input : raw.inputs) {
    size_t equals = input.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == input.size())
      return wrong("--input: is \"", input, "\", expected NAME=FILE, as in --input x=x.npy");
    options.inputs.emplace_back(input.substr(0, equals), input.substr(equals + 1));
    for (size_t i = 0; i + 1 < options.inputs.size(); ++i)
      if (options.inputs[i].first == options.inputs.back().first)
        return wrong("--input: ", options.inputs[i].first, " is given twice");
  }
  auto policy = std::find(std::begin(kNumeric), std::end(kNumeric), raw.numeric);
  if (policy == std::end(kNumeric))
    return wrong("--numeric: is \"", raw.numeric, "\", expected rescue, report or off");
  options.numeric = static_cast<NumericPolicy>(policy - std::begin(kNumeric));
  if (absl::Status status = checkAtCompileLimit(options.atCompileLimit); !status.ok())
    return status;
  if (auto path = engine::evaluationPathFrom(options.evaluation); !path.ok())
    return wrong("--evaluation: ", path.status().message());
  absl::StatusOr<Trust> trust = trustFrom(raw.trust);
  if (!trust.ok())
    return wrong("--trust: ", trust.status().message());
  options.trust = raw.noNativeCode ? Trust::Nobody : *trust;
  absl::StatusOr<LanguageOptions> language = raw.language.finish(line);
  if (!language.ok())
    return language.status();
  options.language = *std::move(language);
  options.language.sampling.seed = static_cast<uint64_t>(options.seed);
  // Without an emulator the run itself says so.
  absl::StatusOr<const emulator::Module *> module = absl::UnimplementedError("not asked for");
  if (line.given("evaluation") && (options.device == "cpu" || options.device == "emulator"))
    return wrong("--evaluation is a path to the engine, and has no meaning with --device=", options.device);
  if (line.given("emulator-mode") || line.given("mil"))
    module = emulatorModule();
  if (line.given("emulator-mode") && module.ok())
    if (absl::Status status = (*module)->checkMode(options.emulatorMode); !status.ok() || options.emulatorMode.empty())
      return wrong("--emulator-mode: ", status.ok() ? "is empty, expected lint, faithful or plain" : status.message());
  for (const auto &[name, device] : {std::pair("device", options.device),
                                     {"compare-device", options.compareDevice},
                                     {"prefill-device", options.language.prefillDevice},
                                     {"decode-device", options.language.decodeDevice}})
    if (line.given(name))
      if (absl::Status status = checkDeviceName(device); !status.ok())
        return wrong("--", name, status.message().substr(std::strlen("device")));
  if (!line.given("prefill-device"))
    options.language.prefillDevice = options.device;
  if (line.given("decode-device"))
    options.device = options.language.decodeDevice;
  if (line.given("probe")) {
    if (!positional.empty() || line.given("mil"))
      return wrong("--probe runs no bundle and no program: give it alone, with --device");
    if (absl::Status status = checkProbe(options.probe); !status.ok())
      return status;
    return options;
  }
  if (line.given("mil")) {
    if (!positional.empty())
      return wrong("--mil and a bundle (", positional[0], ") exclude each other");
    for (const char *name : {"adapter", "device", "random-inputs", "seed", "restore-states", "save-states",
                             "compare-device", "repeat", "profile", "trace", "verify", "threads", "memory-limit",
                             "no-native-code", "trust", "numeric", "at-compile-limit", "evaluation"})
      if (line.given(name))
        return wrong("--", name, " has no meaning with --mil");
    auto targets = engine::namedTargets(options.target.chip);
    if (!targets.ok())
      return wrong("--target: ", targets.status().message());
    options.target.chip = absl::StrJoin(*targets, ",");
    if (module.ok())
      if (absl::Status status = (*module)->checkTarget(options.target); !status.ok())
        return status;
    return options;
  }
  const bool forThisMachine = engine::isNative(options.target.chip);
  for (const char *name : {"weights", "target", "route", "os", "strictness"})
    if (line.given(name) && !(forThisMachine && name == std::string_view("target")))
      return wrong("--", name, " has no meaning without --mil",
                   name == std::string("weights") ? "" : "; a bundle has its target in the manifest");
  if (positional.empty())
    return wrong("no bundle given; usage: ane-run MODEL.anebundle [options], "
                 "see --help");
  if (positional.size() > 1)
    return wrong("one bundle at a time, got \"", positional[0], "\" and \"", positional[1], "\"");
  options.bundle = positional[0];
  return options;
}

} // namespace ane::rt::tools
