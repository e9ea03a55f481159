//===- CompileFlags.cpp - the command line of ane-compile -----------------===//

#include "CompileFlags.h"
#include "ane/Constraint/TargetEnv.h"
#include "ane/Pipeline/Pipelines.h"
#include "ane/Support/NamePatterns.h"
#include "ane/Tools/ToolMain.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;
namespace cl = llvm::cl;

namespace {
cl::OptionCategory category("Flags"); // before LLVM's "Generic Options", in the order of the alphabet

struct Flags {
  cl::list<std::string> inputs{cl::Positional,
                               cl::desc("<model.onnx | model.mlpackage | program.mil | module.mlir | language model>, "
                                        "or name=<model> for each function"),
                               cl::cat(category)};
  cl::opt<std::string> output{
      "o",
      cl::desc("Bundle to write, or NAME.mlpackage for Core ML (or file, with --compile-to; '-' is "
               "standard output)"),
      cl::value_desc("path"), cl::cat(category)};
  cl::opt<std::string> target{
      "target",
      cl::desc("Chip: h13 ... h17d, or m1, m2pro, a17, ...; or several, on each of which the one bundle "
               "is legal; any-m is every Mac's, native this Mac's (default m4)"),
      cl::value_desc("chip,..."), cl::init(defaultTargetName.str()), cl::cat(category)};
  cl::opt<std::string> route{
      "route",
      cl::desc("How programs reach the engine: in_memory (private API), coreml, e5rt; netlist takes no "
               "MIL (default in_memory)"),
      cl::value_desc("route"), cl::init("in_memory"), cl::cat(category)};
  cl::opt<int64_t> os{"os", cl::desc("Oldest macOS major version that must run the bundle (default 15)"), cl::init(15),
                      cl::value_desc("version"), cl::cat(category)};
  cl::opt<std::string> precision{"precision",
                                 cl::desc("Of a package: fp16 for what the engine takes and the model's types for the "
                                          "rest, or fp32, which keeps the model off the engine (default fp16)"),
                                 cl::value_desc("type"), cl::cat(category)};
  cl::opt<std::string> minimumOS{"minimum-os",
                                 cl::desc("Oldest system that must run the package: iOS16 ... iOS18, or macOS13 ... "
                                          "macOS15 (default iOS16)"),
                                 cl::value_desc("system"), cl::cat(category)};
  cl::opt<std::string> strictness{"strictness",
                                  cl::desc("catalog: all published rules; evidence: without those that were measured "
                                           "to be false for the target (default catalog)"),
                                  cl::value_desc("level"), cl::init("catalog"), cl::cat(category)};
  cl::list<std::string> keep{
      "keep",
      cl::desc("Published rules that --strictness=evidence does not lift, and rules that sources "
               "dispute, which are not enforced without ('disputed' is all of them)"),
      cl::value_desc("id,..."), cl::CommaSeparated, cl::cat(category)};
  cl::opt<std::string> prefer{
      "prefer",
      cl::desc("accuracy: ops whose values the engine gets wrong by percents are spelled longer; speed: "
               "they stay, and the report lists them (default accuracy)"),
      cl::value_desc("what"), cl::init("accuracy"), cl::cat(category)};
  cl::list<std::string> dims{"dim", cl::desc("Bind a dynamic dimension of the model"), cl::value_desc("name=size"),
                             cl::cat(category)};
  cl::list<std::string> shapes{"shape", cl::desc("Bind the whole shape of an input"), cl::value_desc("input=AxBxC"),
                               cl::cat(category)};
  cl::list<std::string> values{"value",
                               cl::desc("Compile an input in as a constant: a number, which fills it, numbers with "
                                        "commas between them, or a .npy file"),
                               cl::value_desc("input=value"), cl::cat(category)};
  cl::list<std::string> states{"state",
                               cl::desc("Keep an input from run to run: its value is what the output was in the run "
                                        "before (of an output longer along one axis, the last entries)"),
                               cl::value_desc("input=output"), cl::cat(category)};
  cl::opt<std::string> findStates{"states",
                                  cl::desc("auto: find the states by the names that exporters give them, such as "
                                           "past_key_values.0.key and present.0.key"),
                                  cl::value_desc("how"), cl::cat(category)};
  cl::list<std::string> stateValues{
      "state-init", cl::desc("What a state, named by its input, holds at first: as --value (default 0)"),
      cl::value_desc("input=value"), cl::cat(category)};
  cl::list<std::string> buckets{
      "bucket",
      cl::desc("Make a function for each of these sizes of a dynamic dimension, which share weights; an input "
               "runs in the smallest that it fits in"),
      cl::value_desc("name=size,size,..."), cl::cat(category)};
  cl::opt<std::string> bucketPad{"bucket-pad",
                                 cl::desc("zeros: fill inputs up to a bucket's size though the model has no "
                                          "attention_mask that hides it"),
                                 cl::value_desc("with"), cl::cat(category)};
  cl::opt<int64_t> context{"context",
                           cl::desc("Tokens that a language model's caches have room for (default: what it was made "
                                    "for, at most 2048)"),
                           cl::value_desc("tokens"), cl::cat(category)};
  cl::list<int64_t> prefill{"prefill",
                            cl::desc("Sizes of a language model's functions for prompts (default: 32, 64, ... 1024, up "
                                     "to the context)"),
                            cl::value_desc("tokens,..."), cl::CommaSeparated, cl::cat(category)};
  cl::opt<int64_t> parallel{"parallel",
                            cl::desc("Make a function, too, in which so many sequences of a language model decode "
                                     "together (ane-run --prompts)"),
                            cl::value_desc("sequences"), cl::cat(category)};
  cl::opt<std::string> cacheType{
      "kv-cache",
      cl::desc("Type in which a language model's caches hold keys and values: fp32 (default), "
               "or fp16, half of the memory, which is read faster; logits then move by up to "
               "1e-3 of the largest"),
      cl::value_desc("type"), cl::cat(category)};
  cl::opt<std::string> tokenizer{"tokenizer",
                                 cl::desc("File or folder with a language model's tokenizer (default: the model's "
                                          "own), or none, for a bundle that takes no text"),
                                 cl::value_desc("path"), cl::cat(category)};
  cl::list<std::string> trainable{
      "trainable",
      cl::desc(
          "Weights, by their names in the model, whose values will change after compiling: those that can't are an "
          "error. With --train, weights that are trained beside the model's parameters. *, ? and [...] stand for what "
          "they do in file names"),
      cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> train{
      "train",
      cl::desc(
          "Make functions that train the model (ane-train) instead of those that run it. What its loss is: "
          "cross-entropy, mse or bce, between an output and a new input `target`; contrastive, of the embeddings of "
          "pairs; or model, an output that is a scalar (default cross-entropy)"),
      cl::value_desc("loss"), cl::ValueOptional, cl::cat(category)};
  cl::opt<std::string> lossOutput{
      "loss-output",
      cl::desc("With --train, the output that the loss compares, or that it is (default: the only one that can be); of "
               "contrastive one for anchors and positives in turn, or two: anchors,positives"),
      cl::value_desc("name"), cl::cat(category)};
  cl::opt<double> temperature{"temperature",
                              cl::desc("With --train=contrastive, what cosines are divided by (default 0.05)"),
                              cl::value_desc("number"), cl::cat(category)};
  cl::opt<int64_t> ignoreLabel{
      "ignore-label",
      cl::desc("With --train=cross-entropy, the target that does not count (default -100); any "
               "other that is no class is an error"),
      cl::value_desc("class"), cl::cat(category)};
  cl::opt<std::string> classAxis{
      "class-axis",
      cl::desc("With --train=cross-entropy or bce, the output's axis of classes (default 1 of "
               "three and more, but for a language model, else the last)"),
      cl::value_desc("axis"), cl::init("auto"), cl::cat(category)};
  cl::list<double> classWeights{"class-weights",
                                cl::desc("With --train=cross-entropy, a factor of each class, as PyTorch has it"),
                                cl::value_desc("number,..."), cl::CommaSeparated, cl::cat(category)};
  cl::opt<double> smoothing{"label-smoothing",
                            cl::desc("With --train=cross-entropy, the share of each target that all classes have"),
                            cl::value_desc("share"), cl::cat(category)};
  cl::list<double> positiveWeights{
      "positive-weights",
      cl::desc("With --train=bce, a factor of positive targets, one or one for each class (PyTorch's pos_weight)"),
      cl::value_desc("number,..."), cl::CommaSeparated, cl::cat(category)};
  cl::opt<std::string> batchNorm{
      "batch-norm",
      cl::desc(
          "With --train, what batch norms normalise by: batch, the statistics of each batch, and the running ones "
          "follow, as PyTorch trains; or running, which keep their values (default: as the file says, else running)"),
      cl::value_desc("statistics"), cl::cat(category)};
  cl::opt<bool> symmetric{"symmetric",
                          cl::desc("With --train=contrastive, the mean of the losses of anchors and of positives"),
                          cl::cat(category)};
  cl::list<std::string> frozen{
      "freeze", cl::desc("With --train, parameters that are not trained, by their names; as --trainable"),
      cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> parameters{
      "parameters",
      cl::desc(
          "With --train, where programs have what is trained: inputs (default), which no update compiles or loads "
          "again, or baked, weights that are patched after an update (ane-train --weights-by); those that can't be "
          "stay inputs"),
      cl::value_desc("place"), cl::init("inputs"), cl::cat(category)};
  cl::list<std::string> unbaked{"unbaked",
                                cl::desc("With --parameters=baked, parameters that stay inputs all the same, by their "
                                         "names; as --trainable"),
                                cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> adapters{
      "lora",
      cl::desc(
          "Add low-rank adapters to linear layers whose weights' names end so: rank=8,alpha=16,targets=q_proj,v_proj. "
          "With --train they alone are trained, and without they are states, zero at first (ane-run --adapter)"),
      cl::value_desc("sizes"), cl::cat(category)};
  cl::opt<int64_t> sequence{"sequence",
                            cl::desc("With --train, tokens of an example of a language model (default 256)"),
                            cl::value_desc("tokens"), cl::cat(category)};
  cl::opt<int64_t> batch{"batch", cl::desc("With --train, examples of a language model in a step (default 1)"),
                         cl::value_desc("examples"), cl::cat(category)};
  cl::opt<std::string> documents{
      "documents",
      cl::desc("With --train, what a decoder's tokens see of other documents in their example: joined, what stands "
               "before them (default), or apart, nothing, and positions begin anew with each document"),
      cl::value_desc("how"), cl::cat(category)};
  cl::list<std::string> host{"host",
                             cl::desc("Machines to compile the CPU functions for, or none; see above (default: this "
                                      "machine's triple)"),
                             cl::value_desc("machine,..."), cl::CommaSeparated, cl::cat(category)};
  cl::opt<bool> deterministic{
      "deterministic",
      cl::desc("The same bits on every processor of a triple: one library for each, not one per "
               "level. (Runs and numbers of threads never change bits)"),
      cl::cat(category)};
  cl::opt<std::string> weights{"cpu-weights", cl::desc("Weights of the CPU functions: source or fp16 (default source)"),
                               cl::value_desc("kind"), cl::init("source"), cl::cat(category)};
  cl::opt<std::string> activations{
      "activations",
      cl::desc("What CPU products with weights in blocks of integers (GGUF's Q8_0, Q4_1, ...) make of the rows that "
               "meet them: exact, or int8, integers of 8 bits for each run of 32, which is faster and moves a language "
               "model's logits by percents of the largest (default exact)"),
      cl::value_desc("kind"), cl::init("exact"), cl::cat(category)};
  cl::opt<std::string> kernelCache{"kernel-cache",
                                   cl::desc("Take machine code of kernels from this folder, and put there what is new "
                                            "(default: none)"),
                                   cl::value_desc("folder"), cl::cat(category)};
  cl::opt<bool> f64{"cpu-f64", cl::desc("Compute the CPU functions in double: a reference to compare with"),
                    cl::cat(category)};
  cl::opt<bool> f32{"cpu-f32",
                    cl::desc("Compute what is float64 in the model in single on the CPU, which is faster and holds 7 "
                             "digits (default: in double, as the model says)"),
                    cl::cat(category)};
  cl::opt<bool> channelsOnHost{"channels-on-host",
                               cl::desc("Send ops with too many channels to the CPU instead of splitting them (C16)"),
                               cl::cat(category)};
  cl::opt<std::string> procedures{
      "procedures",
      cl::desc("When programs become procedures of one program, where the target can: auto (if they share weights, or "
               "are more than a process compiles), never, always (default auto; with --train never)"),
      cl::value_desc("when"), cl::init("auto"), cl::cat(category)};
  cl::opt<std::string> partition{
      "partition",
      cl::desc(
          "Programs that functions are cut into: auto (as few as the target's records allow), chunks:N (at least N), "
          "layers (one layer in each), layer-halves (2 for a layer, attention on the CPU), layer-thirds (3, only "
          "linears and MLPs on the engine), with --train also layer-sixths (6 for a layer and its gradients) and "
          "layer-tenths (10) "
          "(default auto)"),
      cl::value_desc("how"), cl::init("auto"), cl::cat(category)};
  cl::opt<int64_t> constantsPerProgram{
      "constants-per-program",
      cl::desc("Cut programs so that each has at most so many weight constants, 1 to 16: 16 is safe if constants count "
               "in whatever files they are, which sources dispute (C224; default: no limit)"),
      cl::value_desc("constants"), cl::cat(category)};
  cl::list<std::string> recompute{
      "recompute",
      cl::desc(
          "With --train: what gradients read of the forward pass is computed anew instead of kept: auto (what costs "
          "less than to move it), attention (what needs no product of the forward pass again), none, all (all but "
          "what leads from layer to layer); PATTERN=how decides for nodes of such names (default auto)"),
      cl::value_desc("how,..."), cl::CommaSeparated, cl::cat(category)};
  cl::opt<std::string> weightGradients{
      "weight-gradients",
      cl::desc(
          "With --train: where the gradients of weights are computed: auto (on the CPU where published speeds of the "
          "target say that it costs less, with the way out of the engine), engine, cpu (default auto)"),
      cl::value_desc("device"), cl::init("auto"), cl::cat(category)};
  cl::list<std::string> head{"head",
                             cl::desc("What a language model's functions give: logits, and argmax, the token with the "
                                      "largest (default logits)"),
                             cl::value_desc("output,..."), cl::CommaSeparated, cl::cat(category)};
  cl::opt<std::string> compileTo{"compile-to",
                                 cl::desc("Stop after a phase and print the module: input, canonical, legal, "
                                          "partitioned, emittable (default bundle)"),
                                 cl::value_desc("phase"), cl::init("bundle"), cl::cat(category)};
  cl::opt<std::string> report{"report", cl::desc("Print where each op runs and why, or write it to a file"),
                              cl::value_desc("file"), cl::ValueOptional, cl::cat(category)};
  cl::opt<bool> json{"json", cl::desc("The report, or the answer to a question, as JSON"), cl::cat(category)};
  cl::opt<double> requireEngine{
      "require-engine",
      cl::desc("Fail, name the ops on the CPU and write no bundle if less than this share of the FLOPs "
               "runs on the engine; a model without FLOPs passes"),
      cl::value_desc("percent"), cl::init(0), cl::cat(category)};
  cl::opt<std::string> diagnostics{
      "diagnostics", cl::desc("Messages on standard error: text, or json, one object a line (default text)"),
      cl::value_desc("format"), cl::init("text"), cl::cat(category)};
  cl::opt<bool> quiet{"quiet", cl::desc("No progress on standard error"), cl::cat(category)};
  cl::opt<std::string> targets{
      "targets",
      cl::desc("Compile for each of these chips by itself, print where the model runs, and stop: no "
               "bundle. all is every chip that can run something, every is those without a path for programs, too"),
      cl::value_desc("chip,..."), cl::cat(category)};
  cl::list<std::string> why{
      "why", cl::desc("Tell what became of a node of the model, where its ops run and why, and stop: no bundle"),
      cl::value_desc("node"), cl::cat(category)};
  cl::opt<std::string> explain{"explain", cl::desc("Explain a constraint, or list all without a value, and stop"),
                               cl::value_desc("id"), cl::ValueOptional, cl::cat(category)};
  cl::opt<bool> listTargets{"list-targets", cl::desc("List the chips and stop"), cl::cat(category)};
};
} // namespace

static constexpr StringLiteral overview = R"(Compiles a model for Apple's Neural Engine.

Examples:
  ane-compile model.onnx -o model.anebundle --dim batch=1 --dim sequence=128 --report
  ane-compile model.onnx -o model.anebundle --shape x=1x3x640x640 --target=m1 --host=none
  ane-compile model.onnx -o model.mlpackage --dim batch=1 --minimum-os=iOS17
  ane-compile model.mlpackage -o model.anebundle --report
  ane-compile model.onnx --compile-to=legal --dim batch=1
  ane-compile model.onnx -o model.anebundle --target=m1,m4,m5 --strictness=evidence --os=26
  ane-compile model.onnx -o model.anebundle --target=any-m --require-engine=95
  ane-compile model.onnx --targets=all --report=matrix.txt
  ane-compile decoder.onnx -o decoder.anebundle --states=auto --dim past_sequence_length=255
  ane-compile prefill=model.onnx decode=model.onnx -o m.anebundle --states=auto --dim prefill:sequence=128 --dim decode:sequence=1
  ane-compile model.onnx -o m.anebundle --dim batch=1 --bucket sequence=32,64,128,256
  ane-compile silero_vad.onnx -o vad.anebundle --state state=stateN --shape state=2x1x128 --shape input=1x576 --value sr=16000
  ane-compile SmolLM2-135M-Instruct/ -o chat.anebundle --context=2048
  ane-compile SmolLM2-135M-Instruct-Q4_1.gguf -o fast.anebundle --activations=int8 --kv-cache=fp16 --parallel=8
  ane-compile SmolLM2-135M-Instruct/ -o training.anebundle --train --sequence=256 --batch=2 --freeze='*norm*'
  ane-compile stories15M.bin -o baked.anebundle --train --parameters=baked
  ane-compile stories110M/ -o training.anebundle --train --partition=layers --recompute=auto,'model.layers.0.*=none'
  ane-compile all-MiniLM-L6-v2/ -o training.anebundle --train=contrastive --sequence=64 --batch=16
  ane-compile SmolLM2-135M-Instruct/ -o lora.anebundle --train --lora=rank=8,alpha=16,targets=q_proj,v_proj
  ane-compile model.onnx --why=/encoder/layer.0/attention/MatMul --target=m2
  ane-compile --explain=C16 --route=e5rt
  ane-compile --list-targets --json

Models (NAME=FILE for each) become functions of one bundle, which share weights and states. --dim, --shape, --value, --state,
--state-init and --bucket are for all of them, or with NAME: before their value for one.

Machines (--host=machine,...; processor and system count, "x86_64-linux-musl" is the first):
  x86_64-unknown-linux-gnu   libraries of which the runtime takes the first that the processor runs:
                             x86_64-unknown-linux-gnu:x86-64-v4-vnni (if the model has weights in blocks of integers),
                             x86_64-unknown-linux-gnu:x86-64-v4 and x86_64-unknown-linux-gnu:x86-64-v3
  aarch64-unknown-linux-gnu
  arm64-apple-macos          from macOS 14, signed ad hoc
  native                     the one library that this processor runs best
  all, none                  all of the above; none
)";

std::string CompileFlags::checkConstants(bool isInMemory, int64_t os) const {
  if (!constantsPerProgram)
    return "";
  if (!isInMemory)
    return "--constants-per-program is for the in-memory route: no record limits constants elsewhere (C224)";
  const int64_t most = limitOf(Limit::WeightConstants, Tier::Unknown, unsigned(Route::InMemory), os);
  if (*constantsPerProgram < 1 || *constantsPerProgram > most)
    return "--constants-per-program: is " + std::to_string(*constantsPerProgram) + ", expected 1 to " +
           std::to_string(most) + " (C224)";
  return "";
}

template <typename T>
static std::vector<T> listOf(const cl::list<T> &flag) {
  return {flag.begin(), flag.end()};
}

CompileFlags mlir::ane::parseCompileFlags(int argc, char **argv) {
  // lld uses LLVM's parser of flags, too, which keeps pointers to these.
  static Flags flags;
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  cl::HideUnrelatedOptions(category);
  parseFlags(argc, argv, overview);
  CompileFlags result;
  result.inputs = listOf(flags.inputs);
  result.output = flags.output;
  result.target = flags.target;
  result.route = flags.route;
  result.strictness = flags.strictness;
  result.precision = flags.precision;
  result.minimumOS = flags.minimumOS;
  result.prefer = flags.prefer;
  result.preferGiven = flags.prefer.getNumOccurrences();
  result.weights = flags.weights;
  result.compileTo = flags.compileTo;
  result.report = flags.report;
  // The value is optional, so that the parser takes the word after "--explain C16" for the model.
  result.explain = flags.explain.empty() && !flags.inputs.empty() ? flags.inputs.front() : flags.explain.getValue();
  // Who asks for JSON gets errors as JSON, too.
  result.diagnostics = flags.json && !flags.diagnostics.getNumOccurrences() ? "json" : flags.diagnostics.getValue();
  result.targets = flags.targets;
  result.dims = listOf(flags.dims);
  result.shapes = listOf(flags.shapes);
  result.values = listOf(flags.values);
  result.states = listOf(flags.states);
  result.stateValues = listOf(flags.stateValues);
  result.findStates = flags.findStates;
  result.buckets = listOf(flags.buckets);
  result.bucketPad = flags.bucketPad;
  if (flags.context.getNumOccurrences())
    result.context = flags.context;
  if (flags.parallel.getNumOccurrences())
    result.parallel = flags.parallel;
  result.cacheType = flags.cacheType;
  result.tokenizer = flags.tokenizer;
  result.prefill = listOf(flags.prefill);
  if (flags.ignoreLabel.getNumOccurrences())
    result.ignoreLabel = flags.ignoreLabel;
  result.classAxis = flags.classAxis;
  result.classWeights.assign(flags.classWeights.begin(), flags.classWeights.end());
  result.positiveWeights.assign(flags.positiveWeights.begin(), flags.positiveWeights.end());
  if (flags.smoothing.getNumOccurrences())
    result.smoothing = flags.smoothing;
  result.batchNorm = flags.batchNorm;
  result.trainable = listOf(flags.trainable);
  result.wantsTraining = flags.train.getNumOccurrences();
  result.train = flags.train.empty() ? "cross-entropy" : flags.train.getValue();
  result.lossOutput = flags.lossOutput;
  result.parameters = flags.parameters;
  result.unbaked = listOf(flags.unbaked);
  if (flags.temperature.getNumOccurrences())
    result.temperature = flags.temperature;
  result.symmetric = flags.symmetric;
  result.documents = flags.documents;
  result.adapters = flags.adapters;
  result.frozen = listOf(flags.frozen);
  if (flags.sequence.getNumOccurrences())
    result.sequence = flags.sequence;
  if (flags.batch.getNumOccurrences())
    result.batch = flags.batch;
  result.host = listOf(flags.host);
  result.keep = listOf(flags.keep);
  result.why = listOf(flags.why);
  result.os = flags.os;
  result.requireEngine = flags.requireEngine;
  result.f64 = flags.f64;
  result.f32 = flags.f32;
  result.activations = flags.activations;
  result.kernelCache = flags.kernelCache;
  result.deterministic = flags.deterministic;
  result.channelsOnHost = flags.channelsOnHost;
  result.procedures = flags.procedures;
  result.proceduresGiven = flags.procedures.getNumOccurrences();
  result.partition = flags.partition;
  result.constantsPerProgram =
      flags.constantsPerProgram.getNumOccurrences() ? std::optional<int64_t>(flags.constantsPerProgram) : std::nullopt;
  result.partitionGiven = flags.partition.getNumOccurrences();
  result.recompute = listOf(flags.recompute);
  result.weightGradients = flags.weightGradients;
  result.head = listOf(flags.head);
  result.json = flags.json;
  result.quiet = flags.quiet;
  result.listTargets = flags.listTargets;
  result.wantsReport = flags.report.getNumOccurrences() || flags.json;
  result.wantsExplanation = flags.explain.getNumOccurrences();
  result.wantsMatrix = flags.targets.getNumOccurrences();
  result.targetGiven = flags.target.getNumOccurrences() || flags.route.getNumOccurrences() ||
                       flags.os.getNumOccurrences() || flags.strictness.getNumOccurrences() ||
                       flags.keep.getNumOccurrences();
  return result;
}

static std::string checkLossFlags(const CompileFlags &flags) {
  if ((flags.temperature || flags.symmetric) && (!flags.wantsTraining || flags.train != "contrastive"))
    return "--temperature and --symmetric are of a loss: add --train=contrastive";
  if (flags.temperature && !(*flags.temperature > 0 && std::isfinite(*flags.temperature)))
    return "--temperature=" + std::to_string(*flags.temperature) + ": a number above 0";
  bool isEntropy = flags.wantsTraining && flags.train == "cross-entropy",
       isBinary = flags.wantsTraining && flags.train == "bce";
  if (!isEntropy && (flags.ignoreLabel || !flags.classWeights.empty() || flags.smoothing))
    return "--ignore-label, --class-weights and --label-smoothing are of a loss: add --train=cross-entropy";
  if (!isBinary && !flags.positiveWeights.empty())
    return "--positive-weights are of a loss: add --train=bce";
  if (int64_t axis; flags.classAxis != "auto" && llvm::StringRef(flags.classAxis).getAsInteger(10, axis))
    return "--class-axis=" + flags.classAxis + ": the number of an axis";
  if (!isEntropy && !isBinary && flags.classAxis != "auto")
    return "--class-axis is of a loss: add --train=cross-entropy or --train=bce";
  for (auto [flag, weights] :
       {std::pair("--class-weights", &flags.classWeights), std::pair("--positive-weights", &flags.positiveWeights)})
    for (double weight : *weights)
      if (!(weight >= 0 && std::isfinite(weight)))
        return std::string(flag) + ": " + std::to_string(weight) + " is none of finite numbers from 0";
  if (flags.smoothing && !(*flags.smoothing >= 0 && *flags.smoothing <= 1))
    return "--label-smoothing=" + std::to_string(*flags.smoothing) + ": a share is 0 to 1";
  if (!flags.batchNorm.empty() && flags.batchNorm != "batch" && flags.batchNorm != "running")
    return "--batch-norm=" + flags.batchNorm + ": batch or running";
  if (!flags.batchNorm.empty() && !flags.wantsTraining)
    return "--batch-norm is for functions that train: add --train";
  return "";
}

std::string mlir::ane::checkTrainingFlags(const CompileFlags &flags) {
  for (auto [flag, texts] : {std::pair("--trainable", &flags.trainable), std::pair("--freeze", &flags.frozen),
                             std::pair("--unbaked", &flags.unbaked)})
    if (auto patterns = NamePatterns::create(flag, *texts); !patterns)
      return llvm::toString(patterns.takeError());
  if (!llvm::is_contained({"cross-entropy", "mse", "bce", "contrastive", "model"}, flags.train))
    return "no loss '" + flags.train + "' (--train): cross-entropy, mse, bce, contrastive or model";
  if (std::string wrong = checkLossFlags(flags); !wrong.empty())
    return wrong;
  if (AdapterOptions adapters; !flags.adapters.empty())
    if (std::string wrong = adapters.take(flags.adapters); !wrong.empty())
      return "--lora=" + flags.adapters + ": " + wrong;
  if (!flags.adapters.empty() && (!flags.frozen.empty() || !flags.trainable.empty()))
    return "--lora trains adapters and freezes all else: leave out --trainable and --freeze";
  if (flags.parameters != "inputs" && flags.parameters != "baked")
    return "no place of parameters '" + flags.parameters + "' (--parameters): inputs or baked";
  if (flags.parameters == "baked" && (!flags.wantsTraining || !flags.adapters.empty()))
    return "--parameters=baked is for weights of the model that are trained: add --train, and leave out --lora";
  if (flags.parameters != "baked" && !flags.unbaked.empty())
    return "--unbaked names parameters that stay inputs: add --parameters=baked";
  if (!flags.wantsTraining && (!flags.frozen.empty() || !flags.lossOutput.empty()))
    return "--freeze and --loss-output are for functions that train: add --train";
  return "";
}

bool CompileFlags::isPackage() const { return StringRef(output).rtrim('/').ends_with(".mlpackage"); }

/// Whether a path leads to a folder or into it, links aside.
static bool isInside(StringRef file, StringRef folder) {
  SmallString<128> inner(file), outer(folder);
  for (SmallString<128> *path : {&inner, &outer}) {
    llvm::sys::fs::make_absolute(*path);
    llvm::sys::path::remove_dots(*path, /*remove_dot_dot=*/true);
  }
  return inner == outer || inner.str().starts_with((outer + "/").str());
}

bool CompileFlags::isInsideOutput(const std::string &path) const { return isInside(path, output); }

std::string CompileFlags::checkKernelCache() const {
  if (kernelCache.empty())
    return "";
  if (isInside(kernelCache + "/kernel", output))
    return "--kernel-cache=" + kernelCache + " is inside the bundle, which is written anew: choose another place";
  std::error_code code = llvm::sys::fs::create_directories(kernelCache);
  if (!code && !llvm::sys::fs::is_directory(kernelCache))
    code = std::make_error_code(std::errc::not_a_directory);
  return code ? "--kernel-cache=" + kernelCache + ": can't make the folder: " + code.message() +
                    "; name one that can be written"
              : "";
}

std::string mlir::ane::percent(double share) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.15g", share);
  return text;
}
