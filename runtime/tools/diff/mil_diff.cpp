//===- mil_diff.cpp - ane-mil-diff ----------------------------------------===//
#include "runtime/tools/diff/mil_diff.h"
#include "absl/strings/str_cat.h"
#include "ane/runtime/ane.h"
#include "runtime/tools/command_line.h"
#include "runtime/tools/diff/report.h"
#include "runtime/tools/run_options.h"
#include "runtime/tools/run_report.h"
#include "runtime/tools/tool_process.h"
#include <new>

namespace ane::rt::tools {
namespace {

constexpr const char *kName = "ane-mil-diff";
constexpr int kEqual = 0, kDifferent = 1, kTrouble = 2;

const char kIntroduction[] =
    R"(ane-mil-diff: says what two programs compute differently

usage: ane-mil-diff A B [options]

A and B are each a MIL text (.mil), a package of Core ML (.mlpackage), a compiled
model (.mlmodelc) or a bundle (.anebundle), in any combination.

)";

const char kRest[] = R"(
Two programs are equal if they compute the same operations from the same values.
Names of values, the order of statements that do not depend on each other, and
the place and file of a constant do not count: a weight of a file is equal to a
literal of the same type and elements. Nor do both spellings of a scalar
(tensor<int32, []> and int32), whether an argument is a const or stands inline,
constants that nothing reads, buildInfo, the version of the text and the set of
operations (ios16, ios18); the latter two are told as notes.

What counts: operations and how often each is there, arguments, types, constants
bit by bit, attributes of functions, the order of reads and writes of a state. An
argument that is given on one side alone is a difference, also where it has the
value that its absence means.

Inputs and outputs are matched by name if both sides have the same names, else
by position. Programs of bundles are matched by the name of their file, functions
by their name; what is alone on both sides is compared whatever its name. Of a
bundle, its programs are compared, not its code for the CPU.

Only first causes are printed: a statement that is other since its operands are
is not. For each difference there is the statement of A (-), that of B (+) with
its line in the text, and what differs: op, type (of a result), argument, weight
(with the largest difference and its place) or operand (another value).

Examples:
  ane-mil-diff model.mil other.mil
  ane-mil-diff model.mlpackage model.mlmodelc
  ane-mil-diff before.anebundle after.anebundle --json
  ane-mil-diff hand.mil model.anebundle/programs/main_0.mil --ignore-weights
  ane-mil-diff half.mlpackage single.mlpackage --ignore-types

Exit code, as of diff: 0 equal, 1 different, 2 trouble: a file that can't be read
or a wrong command line.
Messages go to stderr, with --json as one object a line: {severity, message}.
)";

struct Options {
  std::string weightsA, weightsB;
  mildiff::Tolerance tolerance;
  bool json = false, quiet = false, help = false, version = false;
  std::vector<std::string> paths;
};

void declare(CommandLine &line, Options &options) {
  line.flag("ignore-weights", &options.tolerance.weights,
            "compare weights by type and shape alone, without opening\n"
            "their files: constants of files, and literals with axes that\n"
            "are no int32, bool or string");
  line.flag("ignore-types", &options.tolerance.types,
            "take all float types as one: constants are compared as fp16,\n"
            "casts between floats do not count");
  line.flag("any-operand-order", &options.tolerance.operands,
            "x and y of add, mul, maximum, minimum, equal, not_equal and\n"
            "logical_and, _or, _xor may change places");
  line.option("weights-a", &options.weightsA, "DIR",
              "what @model_path stands for in the text A (default: the folder\n"
              "of the text, or the bundle that the text is in)");
  line.option("weights-b", &options.weightsB, "DIR", "the same for B");
  line.flag("json", &options.json,
            "print one JSON object: equal, a, b, programs [{name, equal,\n"
            "only_in, functions [{name, statements, differences [{kind, a, b,\n"
            "changes}], notes}], functions_only_in, notes}], notes");
  line.flag("quiet", &options.quiet, "print nothing; the exit code tells");
  line.flag("help", &options.help, "print this text");
  line.flag("version", &options.version, "print the version");
}

absl::StatusOr<Options> parse(const std::vector<std::string> &arguments) {
  Options options;
  CommandLine line;
  declare(line, options);
  if (absl::Status s = line.parse(arguments, options.paths); !s.ok())
    return s;
  if (!options.help && !options.version && options.paths.size() != 2)
    return absl::InvalidArgumentError(absl::StrCat("two programs are compared, ", options.paths.size(),
                                                   " given; usage: ane-mil-diff A B, see --help"));
  return options;
}

absl::StatusOr<bool> compare(const Options &options, std::ostream &out) {
  auto a = mildiff::readSource(options.paths[0], options.weightsA);
  if (!a.ok())
    return a.status();
  auto b = mildiff::readSource(options.paths[1], options.weightsB);
  if (!b.ok())
    return b.status();
  auto report = mildiff::compareSources(*a, *b, options.tolerance);
  if (!report.ok())
    return report.status();
  if (!options.quiet)
    (options.json ? mildiff::printJson : mildiff::printText)(*report, out);
  return report->isEqual();
}

absl::StatusOr<bool> act(const Options &options, std::ostream &out) {
  if (options.help || options.version) {
    Options unused;
    CommandLine line;
    declare(line, unused);
    out << (options.help ? absl::StrCat(kIntroduction, line.help(), kRest)
                         : absl::StrCat(kName, " ", ANE_VERSION, "\n"));
    return true;
  }
  try {
    return compare(options, out);
  } catch (const std::bad_alloc &) {
    return absl::ResourceExhaustedError("there is not enough memory for this comparison");
  }
}

} // namespace

int aneMilDiff(const std::vector<std::string> &arguments, const Streams &streams) {
  auto options = parse(arguments);
  auto equal = options.ok() ? act(*options, streams.out) : options.status();
  if (equal.ok())
    return *equal ? kEqual : kDifferent;
  printMessage("error", equal.status().message(), asksForJson(arguments), streams.err, kName);
  return kTrouble;
}

int aneMilDiffProcess(const std::vector<std::string> &arguments) {
  return onProcessStreams(
      kName, asksForJson(arguments), [&](const Streams &streams) { return aneMilDiff(arguments, streams); }, kTrouble);
}

} // namespace ane::rt::tools
