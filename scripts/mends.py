"""The mends of faults that hostile programs, models and bundles have shown, for mutate.py: where each is, and which test guards it."""
import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Mend:
    name: str
    fault: str  # without the mend
    edits: list  # (file, text with the mend, text without)
    test: str  # "GTEST:TEST", "lit:FILE", "pytest:FILE::TEST"
    targets: tuple = ()
    preset: str = "release"
    together: list = None  # edits of several mends, made at once; each of them sets what takes only its own out
    environment: dict = field(default_factory=dict)  # of the test without the mend

    def __post_init__(self):
        if not self.targets:
            self.targets = (self.test.partition(":")[0],)


EMULATOR = "runtime/device/emulator/"
LOADER = EMULATOR + "program_loader.cpp"
FOLDER = "runtime/support/folder.cpp"
BINDER = "lib/Import/ONNX/NodeBinder.cpp"
SIGNATURE = "lib/Import/ONNX/Signature.cpp"


def emulator(name, fault, file, old, new, test):
    return Mend(name, fault, [(file if "/" in file and file.startswith("runtime") else EMULATOR + file, old, new)], "emulator_test:" + test)


def importer(name, fault, edits, test, targets=("ane-translate",)):
    return Mend(name, fault, edits, test, targets)


MENDS = [
    # ---- axes without elements -------------------------------------------------
    emulator("empty-axis", "any op on an axis of size 0: divisions by it, and products that overflow beside a huge axis", "constants.cpp",
             "if (result.rank() > 1 && std::count", "if (false && std::count", "EmptyAxis.NoValueHasOne"),
    emulator("empty-value", "resize and replicate padding read the border of a value without elements", LOADER,
             "  if (type->size() == 0)\n", "  if (false)\n", "EmptyAxis.NoValueHasOne"),
    emulator("empty-list", "slice_by_index and slice_update with squeeze_mask write past the result of an empty list", "op_args.cpp",
             "if (empty == Empty::Refused && operand.type.size() == 0)", "if (false)", "EmptyAxis.ListsAreParametersOnly"),
    # ---- numbers ---------------------------------------------------------------
    emulator("block-of-zero", "space_to_depth and its like divide by a block of 0", "ops/block.cpp",
             "  if (block.factor < 1)\n", "  if (false)\n", "Hostile.OneChange"),
    emulator("reflection-of-one", "reflecting an axis of one element divides by 0", "ops/image.cpp",
             "    if (size == 1)\n      return 0;\n    int64_t period = 2 * (size - 1);", "    int64_t period = 2 * (size - 1);",
             "Image.ReflectsOneElement"),
    emulator("palette-index", "signed int4 indices read before a palette", "ops/constexpr.cpp",
             'args.constant("indices", kPaletteIndex)', 'args.constant("indices", kPaletteIndex | setOf(ElementType::Int4))',
             "Ranges.NumbersThatAreNoSizes"),
    emulator("split-count", "num_splits of 2^31 - 1 makes as many sizes", "ops/join.cpp",
             "  if (!args.fitsCount(sizes ? sizes->size() : static_cast<size_t>(parts)))\n    return args.status();\n", "",
             "Ranges.NumbersThatAreNoSizes"),
    emulator("slice-rank", "slice_by_size reads the declared shape beyond its rank", "ops/slice.cpp",
             "if (!args.require(declared.size() == rank,", "if (false && !args.require(declared.size() == rank,",
             "Ranges.NumbersThatAreNoSizes"),
    # ---- null ------------------------------------------------------------------
    emulator("null-operand", "an operand that is no constant is a null dereference", "op_registry.cpp",
             "halves = packed[static_cast<size_t>(operand.slot)])", "halves = operand.constant->packed)", "EveryOp.IsThereAndRuns"),
    emulator("null-output", "an output that is no constant is a null dereference", LOADER,
             "if (value.constant && value.constant->packed)", "if (value.constant->packed)", "Program.RunsRepeatedly"),
    emulator("packed-output", "a returned constant that stays in its file has no elements", LOADER,
             "      slot = addConstant(widened(*value.constant));\n", "",
             "Blob.LargeConstantsStayInTheFile"),
    # ---- memory and work -------------------------------------------------------
    emulator("one-value", "transposed convolutions of stride 10^6 take gigabytes", LOADER,
             "  if (type->size() > limits.bytes / 4)\n", "  if (false)\n", "Bounds.OfOneValue"),
    emulator("work", "pool kernels of 2^31 run for ever", LOADER,
             "  if (work > limits.work)\n", "  if (false)\n", "Bounds.OfWorkAndScratch"),
    emulator("work-overflow", "the work of three axes of 2^31 overflows, and seems small", LOADER,
             "  work = saturatingSum(work, results);\n", "  work = static_cast<int64_t>(static_cast<uint64_t>(work) + static_cast<uint64_t>(results));\n",
             "Bounds.OfWorkAndScratch"),
    emulator("scratch", "resizing one axis after the other takes gigabytes between them", LOADER,
             "  if (elements > limits.bytes / 4)\n", "  if (false)\n", "Bounds.OfWorkAndScratch"),
    emulator("folded", "constants that are computed at load take gigabytes", LOADER,
             "pool.take(op.results[i].size()); !status.ok()", "pool.take(op.results[i].size()); false", "Bounds.OfWhatIsComputedAtLoad"),
    emulator("all-values", "values that live together take gigabytes", LOADER,
             "bytes > limits.bytes)\n    return absl::ResourceExhaustedError(absl::StrCat(source",
             "false && bytes)\n    return absl::ResourceExhaustedError(absl::StrCat(source", "Bounds.OfAllValuesTogether"),
    emulator("surfaces", "surfaces with rows of one element take gigabytes", "emulator_device.cpp",
             "  if (saturatingSum(values, surfaces) > options.limits.bytes)\n", "  if (false)\n", "Bounds.OfSurfaces"),
    # ---- growth ----------------------------------------------------------------
    emulator("names", "the MIL parser compares each name of a statement with all before it", "runtime/format/mil/parser.cpp",
             "  using Names = std::unordered_set<std::string>;\n",
             "  struct Names {\n    std::vector<std::string> all;\n    std::pair<int, bool> insert(const std::string &name) {\n"
             "      for (const std::string &other : all)\n        if (other == name)\n          return {0, false};\n"
             "      all.push_back(name);\n      return {0, true};\n    }\n  };\n", "Growth.NamesOfOneStatement"),
    emulator("functions", "the MIL parser compares each function with all before it", "runtime/format/mil/parser.cpp",
             "  using Names = std::unordered_set<std::string>;\n",
             "  struct Names {\n    std::vector<std::string> all;\n    std::pair<int, bool> insert(const std::string &name) {\n"
             "      for (const std::string &other : all)\n        if (other == name)\n          return {0, false};\n"
             "      all.push_back(name);\n      return {0, true};\n    }\n  };\n", "Growth.Functions"),
    Mend("memory-plan", "planMemory compares each of 2^20 buffers with all others",
         [("runtime/support/memory_plan.cpp", "constexpr size_t kCompared = 4096;", "constexpr size_t kCompared = size_t(1) << 30;")],
         "support_test:MemoryPlan.AMillionBuffersTakeSeconds"),
    # ---- files -----------------------------------------------------------------
    Mend("link", "a link in a bundle leads out of it",
         [(FOLDER, "O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)),",
           "O_RDONLY | O_NONBLOCK | O_CLOEXEC)),")],
         "support_test:FolderTest.RefusesEveryLink"),
    Mend("linked-folder", "a folder of a bundle that is a link leads out of it",
         [(FOLDER, "O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);\n    if (next", "O_RDONLY | O_DIRECTORY | O_CLOEXEC);\n    if (next")],
         "support_test:FolderTest.RefusesEveryLink"),
    Mend("dots", "'..' in a path leads out of a bundle",
         [(FOLDER, 'component == ".." || ', "")], "support_test:FolderTest.RefusesPathsThatAreNotPlain"),
    Mend("fifo", "a pipe in place of a file hangs its reader",
         [(FOLDER, "O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)),", "O_RDONLY | O_NOFOLLOW | O_CLOEXEC)),")],
         "support_test:FolderTest.RefusesWhatIsNoRegularFile"),
    emulator("linter-path", "the linter finds weight files in a way of its own, which follows links", "lint/rules_blobs.cpp",
             "folder->map(*path)", 'MappedFile::open(absl::StrCat(folder->name(), "/", std::string(*path)))', "WeightFiles.StayInTheFolder"),
    importer("linked-weights", "a link beside MIL text leads the compiler out of the folder",
             [("lib/Target/MIL/Custom/Blob.cpp", "folder->map(file)", "MappedFile::open(folder->nameOf(file))")],
             "lit:Target/MIL/weights-read.mil"),
    Mend("relative-path", "a bundle of a relative path is another one after chdir",
         [(FOLDER, "  int at = descriptor.get();\n  for", "  int at = ::open(folderName.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);\n  for")],
         "core_test:ExecutorTest.ARelativePathSurvivesAChangeOfDirectory"),
    Mend("listed", "files that the manifest does not list are opened",
         [("runtime/core/bundle.cpp", "  folder->restrictTo(listed);\n", "")], "core_test:ExecutorTest.OnlyListedFilesAreOpened"),
    Mend("native-code", "there is no way to open a bundle without its native code",
         [("runtime/core/bundle.cpp", "  if (trust == Trust::Nobody)\n", "  if (false)\n")], "core_test:ExecutorTest.NativeCodeIsLoadedOnlyWhereItMay"),
    Mend("left-over", "what a killed process wrote stays for ever",
         [("runtime/support/output_file.cpp", "  removeLeftOvers(path);\n", "")],
         "support_test:OutputFileTest.WhatAKilledProcessLeavesIsRemovedByTheNext"),
    Mend("lock", "a file that is being written is taken for a left-over",
         [("runtime/support/unfinished.cpp", "return (::flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) && isNameOf(name, fd);",
           "return isNameOf(name, fd);")], "support_test:OutputFileTest.WhatIsBeingWrittenStays"),
    # ---- the system ------------------------------------------------------------
    Mend("pool-thread", "a thread of the pool that can't be started ends the process",
         [("runtime/device/cpu/thread_pool.cpp", "catch (const std::exception &) {", "catch (const std::bad_cast &) {")],
         "faults_test:*AreErrors/Thread_cpu"),
    Mend("run-thread", "a thread of a run that can't be started ends the process",
         [("runtime/api/runner.cpp", "bool Runner::start(Work newWork, Done newDone) {", "bool Runner::start(Work newWork, Done newDone) noexcept {"),
          ("runtime/api/runner.h", "bool start(Work work, Done done);", "bool start(Work work, Done done) noexcept;")],
         "faults_test:*AreErrors/Thread_cpu"),
    Mend("file-thread", "a thread of an output file that can't be started is an exception",
         [("runtime/support/output_file.cpp", "catch (const std::system_error &e) {", "catch (const std::bad_cast &e) {")],
         "faults_test:OutputFile.IsWholeOrAsBefore"),
    Mend("destroyed-run", "the run of a session that is destroyed is dropped before it begins, and its callback never comes",
         [("runtime/api/runner.cpp", "    if (!work)\n", "    if (closed)\n")], "api_test:Async.DestroysWhatRuns"),
    Mend("poisoned", "programs on two threads race for what one of them has broken",
         [(EMULATOR + "emulator_device.cpp", "std::atomic<bool> poisoned{false};", "bool poisoned = false;")],
         "threads_test:Emulator.ProgramsShareTheirProcess", preset="tsan"),
    Mend("run-memory", "a failed allocation in ane-run is an exception",
         [("runtime/tools/ane_run.cpp", "catch (const std::bad_alloc &) {", "catch (const std::bad_cast &) {")],
         "ane_run_test:AneRun.AnAllocationThatFailsIsAnError"),
    Mend("plan-memory", "a session whose values need more memory than there is allocates them",
         [("runtime/core/values.cpp", "      !s.ok())\n    return s;\n  const std::string what = \"values of function \"",
           "      false)\n    return s;\n  const std::string what = \"values of function \"")],
         "core_test:ExecutorTest.SizesBeyondTheMemoryAreRefused"),
    Mend("sizes", "sizes of run time that do not make up an axis are cut off in silence",
         [("runtime/core/run.cpp", "  if (status.ok())\n    status = checkResults();\n", "")],
         "core_test:ExecutorTest.ValuesThatAreCheckedEndARun"),
    Mend("linker-exit", "a linker that can't read or write a file ends the process by exit()",
         [("lib/Host/Link.cpp", "    llvm::CrashRecoveryContext::Enable();\n", "")], "ane_host_test:Link.EndsWithAnErrorWhereTheLinkerExits"),
    Mend("linker-again", "a linker that has stopped runs again, with what it knew",
         [("lib/Host/Link.cpp", "    canRun = result.canRunAgain;\n", "")], "ane_host_test:Link.EndsWithAnErrorWhereTheLinkerExits"),
    Mend("no-bundle", "a folder that is no bundle, or holds more than one, is replaced",
         [("lib/Bundle/BundleDirectory.cpp", "if (std::string why = whyKept(bundle.target); !why.empty()) {", "if (std::string why; !why.empty()) {"),
          ("lib/Bundle/BundleDirectory.cpp", "if (std::string why = whyKept(target); !why.empty()) {", "if (std::string why; !why.empty()) {")],
         "pytest:test_bundle.py::test_only_bundles_are_replaced", ("ane-compile", "ane-run")),
    # ---- the importer ----------------------------------------------------------
    importer("element-types", "element types that an operator does not take abort its expansion (GroupNormalization, LpPool, IsInf, ...)",
             [(SIGNATURE, "      if (llvm::none_of(input.types, [&](StringRef word) { return covers(word, type); }))\n", "      if (false)\n")],
             "lit:Import/ONNX/signatures.test"),
    importer("missing-input", "OneHot without its second input is a null dereference",
             [(SIGNATURE, "    if (!input.isOptional && (d >= inputs.size() || !inputs[d]))\n", "    if (false)\n"),
              (BINDER, '  if (!value)\n    error("input " + Twine(index) + " is missing");\n  return value;', "  return value;")],
             "lit:Import/ONNX/signatures.test"),
    importer("large-constants", "EyeLike, NonZero, Unique and AffineGrid of 2^31 elements take gigabytes",
             [(BINDER, "  if (type.getNumElements() > GraphImporter::maxComputed - graphs.computed) {", "  if (false) {")],
             "lit:Import/ONNX/signatures.test"),
    importer("large-results", "a small file asks for a value of any size",
             [(BINDER, "if (!llvm::all_of(state.types, [&](Type type) { return admit(type); }))", "if (false)")],
             "lit:Import/ONNX/signatures.test"),
    importer("run-time-sizes", "a Split of run-time sizes has no check",
             [("lib/Import/ONNX/Ops/Shape.cpp", '  n.check(sizes, "sizes of the parts of axis " + Twine(axis), dim, dim);\n', "")],
             "pytest:test_onnx_bounded.py::test_sizes_that_are_computed", ("ane-compile", "ane-run")),
    importer("chosen-size", "what a branch or an iteration gives has room that nobody follows behind it",
             [("lib/Import/ONNX/Ops/ControlFlow.cpp", "    chooseRoom(n, condition, then, otherwise, chosen, what);\n", "")],
             "pytest:test_onnx_bounded.py::test_one_of_two_sizes", ("ane-compile", "ane-run")),
    importer("stacked-sizes", "iterations that give what only the data know are stacked with their filler",
             [("lib/Import/ONNX/Ops/ControlFlow.cpp", "    n.error(n.bounded().refuse(value,", "    (void)(n.bounded().refuse(value,")],
             "pytest:test_onnx_bounded.py::test_sizes_that_meet_are_refused", ("ane-compile",)),
    importer("repeated-constants", "a reduction of a constant that repeats one element 2^30 times takes gigabytes",
             [(BINDER, "  if (tensor.getNumElements() <= std::max(given, GraphImporter::maxRepeated))\n", "")],
             "lit:Import/ONNX/signatures.test"),
    Mend("batch-of-blocks", "batch_to_space divides a batch that is no multiple of its block (C105)",
         [("lib/IR/Ops/Slice.cpp", "shape[0] % (blocks[0] * blocks[1]) != 0 || height < 1", "height < 1")],
         "lit:Constraints/C105-batch-to-space/illegal.mlir", ("ane-opt",)),
    Mend("one-error", "each pass that meets a value that can't be read says so",
         [("lib/Tools/ModelDiagnostics.cpp", "  if (!said.insert(", "  if (false && !said.insert(")],
         "lit:Tools/ane-compile/once.test", ("ane-compile",)),
    importer("wide-concat", "a concat of 16,000 parts becomes as many values of the whole",
             [("lib/Transforms/LegalizeConcat.cpp", "return total > maxElements / copies;", "return false;")],
             "pytest:test_compile_time.py::test_wide_nodes[Concat-shape0-1-attributes0]", ("ane-compile",)),
    importer("wide-sum", "each of thousands of inputs of one sum asks all additions behind it for the layout that they want",
             [("lib/Transforms/LegalizeLayout.cpp", "constexpr unsigned maxAsked = 256;", "constexpr unsigned maxAsked = ~0u;")],
             "pytest:test_compile_time.py::test_widest_sum", ("ane-compile",)),
    importer("stride", "a stride of a million makes a value that no machine holds",
             [("lib/IR/Inference.cpp", "if (numElements(shape) > maxElements || llvm::any_of(shape, [](int64_t size) { return size > maxElements; }))",
               "if (false)"),
              (BINDER, "if (!llvm::all_of(state.types, [&](Type type) { return admit(type); }))", "if (false)")],
             "lit:Import/ONNX/signatures.test"),
]


def unguarded():
    """A mend for each function of the C API that catches exceptions: without that, they reach the caller. One build takes out whichever
    of them ANE_UNGUARDED names."""
    header = "runtime/api/handles.h"
    anchor = "/// As guarded(), for a session"
    passed = ("inline bool isUnguarded(const char *name) {\n  const char *chosen = std::getenv(\"ANE_UNGUARDED\");\n"
              "  return chosen && std::strcmp(chosen, name) == 0;\n}\n"
              "template <typename Fn>\nane_status *unguarded(const char *name, Fn &&fn) {\n"
              "  return isUnguarded(name) ? fn() : guarded(fn);\n}\n"
              "template <typename Session, typename Fn>\nane_status *withUnguarded(const char *name, Session *session, Fn &&fn) {\n"
              "  auto checked = [&] { return session ? fn() : invalid(\"session is NULL\"); };\n"
              "  return isUnguarded(name) ? checked() : guarded(checked);\n}\n")
    edits = {"": (header, anchor, passed + anchor)}
    begin = re.compile(r"^ane_status \*(ane_\w+)\([^{]*\) \{\n  return (guarded|withSession)\(", re.MULTILINE)
    for path in sorted((ROOT / "runtime" / "api").glob("*.cpp")):
        for found in begin.finditer(path.read_text()):
            if found[1] == "ane_context_set_log":  # nothing in it can fail
                continue
            other = {"guarded": "unguarded", "withSession": "withUnguarded"}[found[2]]
            edits[found[1]] = (str(path.relative_to(ROOT)), found[0], found[0].replace(found[2] + "(", f'{other}("{found[1]}", '))
    return [Mend("guard-" + name, f"an exception leaves {name}", [edit], "faults_test:Functions.ThrowNoException",
                 together=list(edits.values()), environment={"ANE_UNGUARDED": name}) for name, edit in edits.items() if name]


MENDS += [
    Mend("emulator-memory", "a failed allocation of the emulator is an exception",
         [(EMULATOR + "emulator_device.cpp", "  } catch (const std::bad_alloc &) {\n    return absl::ResourceExhaustedError(absl::StrCat(\"program '\", program",
           "  } catch (const std::bad_cast &) {\n    return absl::ResourceExhaustedError(absl::StrCat(\"program '\", program")],
         "faults_test:Emulator.AFailedAllocationIsAnErrorOfTheProgram"),
    importer("chain", "the importer looks at all nodes of a graph for each of them",
             [("lib/Import/ONNX/Nodes.cpp", "    if (liveness.live[i])\n", "    if (Liveness(graph).live[i])\n")],
             "pytest:test_compile_time.py::test_nodes[chain]", ("ane-compile",)),
    *unguarded(),
]
