//===- Compile.cpp - the compiler driver ----------------------------------===//

#include "ane/Tools/Compile.h"
#include "ModelDiagnostics.h"
#include "ane/Bundle/Bundle.h"
#include "ane/Bundle/BundleDirectory.h"
#include "ane/Constraint/Constraints.h"
#include "ane/Import/ONNX.h"
#include "ane/InitAll.h"
#include "ane/Pipeline/Pipelines.h"
#include "ane/Report/Report.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <csignal>

using namespace mlir;
using namespace mlir::ane;
namespace cl = llvm::cl;

namespace {
cl::OptionCategory category("Options");

/// The flags. lld, which links the CPU code in this process, resets them: they are read once, into Options.
struct Flags {
  cl::opt<std::string> input{cl::Positional, cl::desc("<model.onnx | module.mlir>"), cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("Bundle to write (or file, with --compile-to; '-' is standard output)"),
                              cl::value_desc("path"), cl::cat(category)};
  cl::opt<std::string> target{"target", cl::desc("Chip: h13 ... h17d, or m1, m2pro, a17, ... (default m4)"),
                              cl::value_desc("chip"), cl::init(defaultTargetName.str()), cl::cat(category)};
  cl::opt<int64_t> os{"os", cl::desc("Oldest macOS major version that must run the bundle (default 15)"), cl::init(15),
                      cl::value_desc("version"), cl::cat(category)};
  cl::opt<std::string> strictness{"strictness",
                                  cl::desc("catalog: all published rules; evidence: without those that were measured "
                                           "to be false for the target (default catalog)"),
                                  cl::value_desc("level"), cl::init("catalog"), cl::cat(category)};
  cl::list<std::string> dims{"dim", cl::desc("Bind a dynamic dimension of the model"), cl::value_desc("name=size"),
                             cl::cat(category)};
  cl::list<std::string> shapes{"shape", cl::desc("Bind the whole shape of an input"),
                               cl::value_desc("input=AxBxC"), cl::cat(category)};
  cl::list<std::string> host{"host",
                             cl::desc("Machines to compile the CPU functions for, or none; see above (default: this "
                                      "machine's triple)"),
                             cl::value_desc("machine,..."), cl::CommaSeparated, cl::cat(category)};
  cl::opt<bool> deterministic{"deterministic",
                              cl::desc("The same bits on every processor of a triple: one library for each, not one per "
                                       "level. (Runs and numbers of threads never change bits)"),
                              cl::cat(category)};
  cl::opt<std::string> weights{"cpu-weights", cl::desc("Weights of the CPU functions: source or fp16 (default source)"),
                               cl::value_desc("kind"), cl::init("source"), cl::cat(category)};
  cl::opt<bool> f64{"cpu-f64", cl::desc("Compute the CPU functions in double: a reference to compare with"),
                    cl::cat(category)};
  cl::opt<bool> channelsOnHost{"channels-on-host",
                               cl::desc("Send ops with too many channels to the CPU instead of splitting them (C16)"),
                               cl::cat(category)};
  cl::opt<std::string> compileTo{"compile-to",
                                 cl::desc("Stop after a phase and print the module: input, canonical, legal, "
                                          "partitioned, emittable (default bundle)"),
                                 cl::value_desc("phase"), cl::init("bundle"), cl::cat(category)};
  cl::opt<std::string> report{"report", cl::desc("Print where each op runs and why, or write it to a file"),
                              cl::value_desc("file"), cl::ValueOptional, cl::cat(category)};
  cl::opt<bool> json{"json", cl::desc("The report as JSON"), cl::cat(category)};
  cl::opt<std::string> diagnostics{"diagnostics",
                                   cl::desc("Messages on standard error: text, or json, one object a line (default text)"),
                                   cl::value_desc("format"), cl::init("text"), cl::cat(category)};
  cl::opt<bool> quiet{"quiet", cl::desc("No progress on standard error"), cl::cat(category)};
  cl::opt<std::string> explain{"explain", cl::desc("Explain a constraint and stop"), cl::value_desc("id"),
                               cl::cat(category)};
  cl::opt<bool> listTargets{"list-targets", cl::desc("List the chips and stop"), cl::cat(category)};
};

/// What the flags said.
struct Options {
  explicit Options(const Flags &flags)
      : input(flags.input), output(flags.output), target(flags.target), strictness(flags.strictness),
        weights(flags.weights), compileTo(flags.compileTo), report(flags.report), explain(flags.explain),
        diagnostics(flags.diagnostics), dims(flags.dims.begin(), flags.dims.end()),
        shapes(flags.shapes.begin(), flags.shapes.end()), host(flags.host.begin(), flags.host.end()), os(flags.os),
        f64(flags.f64), deterministic(flags.deterministic), channelsOnHost(flags.channelsOnHost), wantsReport(flags.report.getNumOccurrences() || flags.json),
        json(flags.json), quiet(flags.quiet), listTargets(flags.listTargets),
        targetGiven(flags.target.getNumOccurrences() || flags.os.getNumOccurrences() ||
                    flags.strictness.getNumOccurrences()) {}

  std::string input, output, target, strictness, weights, compileTo, report, explain, diagnostics;
  std::vector<std::string> dims, shapes, host;
  int64_t os;
  bool f64, deterministic, channelsOnHost, wantsReport, json, quiet, listTargets, targetGiven;
};

/// The driver: one model, one bundle.
class Driver {
public:
  explicit Driver(Options given) : options(std::move(given)), diagnostics(&context, options.diagnostics == "json") {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  int run() {
    if (!options.explain.empty())
      return explainConstraint(options.explain, llvm::outs()) ? 0 : 1;
    if (options.listTargets)
      return listTargets();
    return succeeded(compile()) ? 0 : 1;
  }

private:
  LogicalResult error(const Twine &message) {
    diagnostics.say("error", message);
    return failure();
  }

  void progress(StringRef step) {
    if (!options.quiet)
      diagnostics.say("progress", step);
  }

  int listTargets() {
    for (const ChipInfo *chip = chipsBegin(); chip != chipsEnd(); ++chip) {
      llvm::outs() << chip->target << "\t" << chip->silicon << "\t";
      for (const char *const *alias = chip->aliases; *alias; ++alias)
        llvm::outs() << (alias == chip->aliases ? "" : " ") << *alias;
      llvm::outs() << "\n";
    }
    return 0;
  }

  LogicalResult import() {
    StringRef path = options.input;
    if (!llvm::sys::fs::exists(path))
      return error("there is no file '" + path + "'");
    if (llvm::sys::path::extension(path) == ".mlir") {
      if (!options.dims.empty() || !options.shapes.empty())
        return error("--dim and --shape bind dimensions of ONNX models: a module's shapes are static");
      module = parseSourceFile<ModuleOp>(path, &context);
      return success(bool(module));
    }
    ONNXImportOptions import;
    for (const std::string &dim : options.dims)
      if (std::string wrong = import.addDim(dim); !wrong.empty())
        return error(wrong);
    for (const std::string &shape : options.shapes)
      if (std::string wrong = import.addShape(shape); !wrong.empty())
        return error(wrong);
    FailureOr<OwningOpRef<ModuleOp>> imported = importONNX(path, import, &context);
    if (failed(imported))
      return failure();
    module = std::move(*imported);
    return success();
  }

  /// Everything that can be said of the flags before the model is read.
  LogicalResult checkFlags() {
    if (options.diagnostics != "text" && options.diagnostics != "json")
      return error("no format of messages '" + options.diagnostics + "': text or json");
    if (options.input.empty())
      return error("no model given; see --help");
    phase = findPhase(options.compileTo);
    if (!phase) {
      auto names = llvm::map_range(allPhases(), [](const PhaseInfo &info) { return info.name; });
      return error("no phase '" + options.compileTo + "': one of " + llvm::join(names, ", "));
    }
    if (options.weights != "source" && options.weights != "fp16")
      return error("no kind of weights '" + options.weights + "': source or fp16");
    if (*phase == Phase::Bundle && (options.output.empty() || options.output == "-"))
      return error("a bundle is a directory and needs a name: add -o NAME.anebundle, or --compile-to=PHASE");
    std::optional<Strictness> strictness = symbolizeStrictness(options.strictness);
    if (!strictness)
      return error("no strictness '" + options.strictness + "': catalog or evidence");
    std::string wrong;
    FailureOr<std::vector<const HostTarget *>> machines = findHostTargets(options.host, options.deterministic, wrong);
    if (failed(machines))
      return error("--host: " + wrong);
    hosts = *machines;
    FailureOr<TargetAttr> parsed =
        parseTarget(&context, options.target, wrong, Route::InMemory, options.os, *strictness);
    if (failed(parsed))
      return error(wrong);
    target = *parsed;
    return success();
  }

  LogicalResult compile() {
    if (failed(checkFlags()))
      return failure();
    FailureOr<BundleDirectory> directory = BundleDirectory();
    if (*phase == Phase::Bundle)
      directory = BundleDirectory::create(options.output, [&](const Twine &message) { (void)error(message); });
    if (failed(directory))
      return failure();
    progress("importing " + options.input);
    if (failed(import()))
      return failure();
    // A module of the dialect may say itself what it is for.
    if (auto own = module.get()->getAttrOfType<TargetAttr>("ane.target"); own && !options.targetGiven) {
      std::string wrong;
      bool isListed = std::any_of(chipsBegin(), chipsEnd(), [&](const ChipInfo &chip) { return own.getChip() == chip.target; });
      if (!isListed && !findChip(own.getChip(), wrong))
        return error("ane.target of the module: " + wrong);
      target = own;
    }
    module.get()->setAttr("ane.target", target);
    progress(("compiling for " + target.getChip()).str());
    PassManager pm(&context);
    if (failed(applyPassManagerCLOptions(pm)))
      return failure();
    applyDefaultTimingPassManagerCLOptions(pm);
    buildPhases(pm, Phase::Input, std::min(*phase, Phase::Emittable), {options.channelsOnHost});
    if (failed(pm.run(*module)))
      return failure();
    if (*phase != Phase::Bundle)
      return printModule();
    Report report = makeReport(*module);
    BundleOptions bundle;
    bundle.hosts = hosts;
    bundle.weights = options.weights == "fp16" ? WeightKind::Fp16 : WeightKind::Source;
    bundle.f64 = options.f64;
    bundle.progress = [&](StringRef step) { progress(step); };
    if (failed(writeBundle(*module, bundle, *directory, report.json())))
      return failure();
    progress("wrote " + options.output);
    return printReport(report);
  }

  LogicalResult printModule() {
    return writeFile(options.output.empty() ? "-" : options.output, [&](llvm::raw_ostream &os) {
      module->print(os, OpPrintingFlags().enableDebugInfo(false));
    });
  }

  LogicalResult printReport(const Report &report) {
    if (!options.wantsReport)
      return success();
    return writeFile(options.report.empty() ? "-" : options.report,
                     [&](llvm::raw_ostream &os) { os << (options.json ? report.json() : report.text()); });
  }

  /// Writes to standard output, to a device or a pipe as it stands, and to a file through a temporary name, so that no
  /// half file appears.
  LogicalResult writeFile(const std::string &path, function_ref<void(llvm::raw_ostream &)> write) {
    if (path == "-")
      return writeTo(llvm::outs(), "standard output", write);
    llvm::sys::fs::file_status status;
    bool inPlace = !llvm::sys::fs::status(path, status) && llvm::sys::fs::exists(status) &&
                   !llvm::sys::fs::is_regular_file(status);
    std::string name = inPlace ? path : path + ".tmp" + std::to_string(llvm::sys::Process::getProcessId());
    std::error_code code;
    llvm::raw_fd_ostream file(name, code, llvm::sys::fs::OF_Text);
    if (code)
      return error("can't write '" + path + "': " + code.message());
    LogicalResult written = writeTo(file, "'" + path + "'", write);
    file.close();
    if (inPlace)
      return written;
    if (failed(written)) {
      llvm::sys::fs::remove(name);
      return failure();
    }
    if ((code = llvm::sys::fs::rename(name, path)))
      return error("can't rename '" + name + "': " + code.message());
    return success();
  }

  LogicalResult writeTo(llvm::raw_fd_ostream &os, const Twine &name, function_ref<void(llvm::raw_ostream &)> write) {
    write(os);
    os.flush();
    std::error_code code = os.error();
    os.clear_error();
    return code ? error("can't write " + name + ": " + code.message()) : success();
  }

  const Options options;
  MLIRContext context;
  ModelDiagnostics diagnostics;
  std::optional<Phase> phase;
  TargetAttr target;
  std::vector<const HostTarget *> hosts;
  OwningOpRef<ModuleOp> module;
};
} // namespace

static constexpr StringLiteral overview = R"(Compiles a model for Apple's Neural Engine.

Examples:
  ane-compile model.onnx -o model.anebundle --dim batch=1 --dim sequence=128 --report
  ane-compile model.onnx -o model.anebundle --shape x=1x3x640x640 --target=m1 --host=none
  ane-compile model.onnx --compile-to=legal --dim batch=1
  ane-compile --explain=C16

Machines (--host=machine,...; processor and system count, "x86_64-linux-musl" is the first):
  x86_64-unknown-linux-gnu   two libraries, of which the runtime takes the first that the processor runs:
                             x86_64-unknown-linux-gnu:x86-64-v4 and x86_64-unknown-linux-gnu:x86-64-v3
  aarch64-unknown-linux-gnu
  arm64-apple-macos          from macOS 14, signed ad hoc
  native                     the one library that this processor runs best
  all, none                  all of the above; none
)";

int mlir::ane::compileMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  removeUnfinishedOnInterrupt();
  // A file-size limit is an error to report and to clean up after, not a reason to die.
  std::signal(SIGXFSZ, SIG_IGN);
  Flags flags;
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, overview);
  return Driver(Options(flags)).run();
}
