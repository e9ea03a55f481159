"""Clients of the Neural Engine's framework as others write them, compiled as they are and run on the simulated one (runtime/test/simulation)."""
import os
import subprocess

import pytest

import anetest

COMPILER = anetest.BUILD / "bin" / "simulated-clang"
CLIENTS = anetest.ROOT / "runtime" / "test" / "simulation" / "clients"
pytestmark = pytest.mark.skipif(not COMPILER.exists(), reason="no simulated framework in this build: it needs gobjc and GNUstep")
FRAMEWORKS = ["-framework", "Foundation", "-framework", "IOSurface", "-framework", "Accelerate"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The program of a client, compiled once."""
    folder = tmp_path_factory.mktemp("clients")

    def compiled(source, *options):
        program = folder / "".join([source, *options]).replace(".", "_")
        if not program.exists():
            done = subprocess.run([COMPILER, CLIENTS / source, "-O1", *options, *FRAMEWORKS, "-o", program], capture_output=True, text=True)
            assert done.returncode == 0 and not done.stderr, done.stderr  # nor a warning
        return program

    return compiled


def run(program, *arguments, folder, **words):
    environment = {**os.environ, "TMPDIR": str(folder), "SIMULATED_ENGINE": " ".join(f"{name}={value}" for name, value in words.items())}
    done = subprocess.run([program, *arguments], capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    return done.stdout.splitlines(), [line for line in done.stderr.splitlines() if line.strip()]


@pytest.mark.parametrize("weights", ["stale", "fresh"])
def test_in_memory(made, tmp_path, weights):
    """Each way of ane-programming.md 1: under ARC, with subscripts, exceptions, chains, donors and forged identifiers."""
    lines, findings = run(made("in_memory.m", "-fobjc-arc"), folder=tmp_path, weights=weights)
    assert lines == [
        "many classes, 6 ways to make a request", "known before: 0", "compile 1", "load 1", "state 3", "evaluate 1: 3", "symbols x -> y@output", "weights buffer 1: 3",
        "stats by init: nil", "stats in an array 1: 3, 0 ns", "stats alone: NSInvalidArgumentException", "direct 1: 3",
        "real-time task: 0", "real-time 1: 3", "low level 1 1: 3", "its connection is the shared one: 1", "chain is valid: 1",
        "chain 0: code 15", "reload 1", f"patched 1: {3 if weights == 'stale' else 7.5}", "donor 1", "donated 1: 10.5", "forged 1",
        "forged 1: 3", "time goes on"]  # fmt: skip
    # What ARC leaves behind when an exception passes is the client's; nothing else is.
    assert findings[0] == "simulated framework: performance statistics are no array: this raises (ane-programming.md 1.6)"
    assert all("at the end" in finding for finding in findings[1:]) and len(findings) == 5, findings


def test_a_second_process_knows_the_program(made, tmp_path):
    for known in "01":
        lines, _ = run(made("in_memory.m", "-fobjc-arc"), folder=tmp_path)
        assert lines[1] == f"known before: {known}"


def test_of_a_folder(made, tmp_path):
    """_ANEModel and _ANEClient; classes with properties, weak references, blocks, queues, NEON and Accelerate in the client."""
    folder = tmp_path / "m.mlmodelc"
    folder.mkdir()
    port = "tensor<fp16, [1, 8, 1, 64]>"
    (folder / "model.mil").write_text(f"program(1.3)\n{{\nfunc main<ios18>({port} a, {port} b) {{\n{port} y = add(x = a, y = b)[name = string(\"y\")];\n}} -> (y);\n}}\n")
    lines, findings = run(made("file_model.m", "-fobjc-arc"), folder, folder=tmp_path)
    assert lines[0] == "compile 1" and lines[1].endswith("indexes: (0-1)]")
    assert lines[2:] == ["map 1", "evaluate 1", "sum 256", "completions 1", "unload 1", "other is gone"]
    assert not findings


def test_plain_cpp(made, tmp_path):
    """No Objective-C in the client: the runtime's functions, CoreFoundation's types, one mention of __APPLE__."""
    lines, findings = run(made("plain.cpp", "-std=c++17"), folder=tmp_path)
    assert lines == ["evaluate 1: -1"] and not findings


def test_layouts(made, tmp_path):
    """Places by the model's attributes; weights that are in the folder alone; a load of what is known, with no folder."""
    for known in "01":
        lines, findings = run(made("layouts.m", "-fobjc-arc"), folder=tmp_path)
        assert lines == ["one name 1", f"known {known} loaded 1 ", "main: x y@output Float16 channels 4 width 1, rows 64 planes 64 batches 256", "evaluated 1: 10 21 32 43"]
        assert len(findings) == int(known) and all("lacks the text or a weight file" in finding for finding in findings)


def test_libraries(made, tmp_path):
    """What surrounds the framework on a Mac, as clients use it."""
    lines, findings = run(made("libraries.m", "-fobjc-arc"), folder=tmp_path)
    assert lines == ["done"] and not findings


@pytest.mark.parametrize("arc", [True, False])
def test_objective_cpp(made, tmp_path, arc):
    """Objects and C++'s exceptions pass each other's frames; types that no framework here has are compiled."""
    lines, findings = run(made("objective_cpp.mm", "-std=c++17", *["-fobjc-arc"] * arc), folder=tmp_path)
    assert lines == [
        "exception Kind", "finally 0", "finally 1", "std C++", "string text", "finally 2", "exception NSRangeException", "finally 3", "outer number 0", "left 6",
        "neon 16 160 0.250 16", "2 no model: Core ML is not simulated"]  # fmt: skip
    assert not findings


def test_linking_objects_of_cpp(tmp_path):
    """CXX of a Makefile, which links objects alone."""
    (tmp_path / "m.cpp").write_text("#include <string>\nint main(int c, char **v) { return std::stoi(std::string(v[c - 1])); }\n")
    subprocess.run([COMPILER, "-c", "m.cpp", "-o", "m.o"], check=True, cwd=tmp_path)
    subprocess.run([f"{COMPILER}++", "m.o", "-o", "m"], check=True, cwd=tmp_path)
    subprocess.run([tmp_path / "m", "0"], check=True)


# What is reported, where that is known from, and what the client gets.
MISUSE = {
    "nothing": None,
    "string": ("the text is of class GSC", "NSData", "ane-programming.md 1.2"),
    "nil-weights": ("the weights are nil", "ane-programming.md 1.2"),
    "array-weights": ("the dictionary of weights is of class GS", "ane-programming.md 1.2"),
    "weights-name": ("weight file weights/w.bin has no offset, or no data, or another name", "ane-programming.md 1.3"),
    "surface-class": ("a request's surface is of class", "_ANEIOSurfaceObject", "ane-programming.md 1.2"),
    "no-files": ("lacks the text or a weight file", "ane-programming.md 1.2", "> compile: ANECCompile() FAILED"),
    "no-compile": ("a model is loaded that was never compiled", "ane-programming.md 1.2", "> load: Program load failure (0x20004)"),
    "no-load": ("a model is evaluated that is not loaded", "ane-programming.md 1.2", "> evaluate: ANEProgramProcessRequestDirect() Failed with status=0x1d"),
    "compilations": ("a process compiles more than 119 programs", "C05", "> compile: ANECCompile() FAILED"),
    "programs": ("more than 3 programs are loaded", "C139", "> load: Program load failure (0x50004)"),
    "bytes": ("more than 1 MiB are loaded", "C140", "> load: Program load failure (0x20004)"),
    "record": ("M1 and M3 Pro refuse this", "blob at 64: size is 524288 bytes, expected 1024", "ane-programming.md 3.4"),
    "small": ("symbol x needs 1024 bytes, its surface has 512", "ane-programming.md 2.3", "> evaluate: ANEProgramProcessRequestDirect() Failed with status=0x1d"),
    "order": ("surfaces are in the order of the declaration; symbols are in that of their names: x needs 2048 bytes, its surface has 1024", "C142", "0x1d"),
    "load-twice": ("a model is loaded twice", "ane-programming.md 1.2"),
    "unload-twice": ("a model is unloaded that is not loaded", "ane-programming.md 1.2", "> unload: not loaded"),
    "qos": ("nobody has tried a QoS of 64", "ane-programming.md 1.2"),
    "procedure": ("procedure 3 of a program that has one", "ane-programming.md 1.6"),
    "one-surface": ("a request has 1 surfaces for 2 symbols", "ane-programming.md 2", "0x1d"),
    "unlock": ("is unlocked more often, or with other options, than it was locked", "simulated-framework.md"),
    "other-unlock": ("is unlocked more often, or with other options, than it was locked", "simulated-framework.md"),
    "touch": ("of 1024 bytes is touched without a lock", "simulated-framework.md"),
    "read-only": ("of 1024 bytes is touched without a lock, or written with one that is read-only", "simulated-framework.md"),
    "held": ("a surface is locked by the CPU while the engine uses it", "ane-programming.md 1.2"),
    "locked-at-end": ("at the end 1 locks of surfaces are held", "simulated-framework.md"),
    "twins": ("two models of one identifier are loaded", "ane-programming.md 1.5"),
    "leak": ("at the end 1 of class _ANEInMemoryModel live that inMemoryModelWithDescriptor: has made", "ane-programming.md 1.2"),
    "lost": ("a model is released while it is loaded: its place is lost", "ane-programming.md 1.2"),
}


@pytest.mark.parametrize("name", MISUSE)
def test_misuse(made, tmp_path, name):
    lines, findings = run(made("misuse.m"), name, folder=tmp_path, **({"loaded": 3} if name == "programs" else {"megabytes": 1} if name == "bytes" else {}))
    wanted = MISUSE[name]
    if wanted is None:
        assert not findings and not lines
        return
    heard = "\n".join([*findings, *(f"> {line}" for line in lines)])
    assert all(part in heard for part in wanted), heard
    assert all("simulated framework:" in finding for finding in findings), findings


def test_records_that_a_machine_refuses(made, tmp_path):
    lines, findings = run(made("misuse.m"), "record", folder=tmp_path, records="refused")
    assert len(lines) == 1 and lines[0].startswith("compile: InvalidMILProgram") and "size is 524288 bytes" in lines[0] and not findings


def test_options_that_mean_nothing_here(tmp_path):
    """The command lines of a Mac's Makefiles."""
    (tmp_path / "m.m").write_text("#import <Foundation/Foundation.h>\nint main(void) { @autoreleasepool { NSDictionary *d = @{@\"a\" : @1}; return [d[@\"a\"] intValue] - 1; } }\n")
    options = ["-isysroot", "/Applications/Xcode.app/SDK", "-arch", "arm64", "-mmacosx-version-min=14.0", "-mcpu=apple-m1", "-fmodules", "-Wall", "-O2", "-lobjc"]
    done = subprocess.run([COMPILER, *options, "-fobjc-arc", "-c", "m.m", "-o", "m.o"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0 and not done.stderr, done.stderr
    subprocess.run([COMPILER, *options, "m.o", *FRAMEWORKS, "-o", "m"], check=True, cwd=tmp_path)
    subprocess.run([tmp_path / "m"], check=True)


def test_words_that_cannot_be_read(made, tmp_path):
    for name, value in ("SIMULATED_ENGINE", "programs=3"), ("SIMULATED_ENGINE", "weights=hot"), ("SIMULATED_ENGINE", "loaded=x"), ("SIMULATED_FAULTS", "load@x=1:no"):
        done = subprocess.run([made("misuse.m"), "no-load"], capture_output=True, text=True, env={**os.environ, "TMPDIR": str(tmp_path), name: value})
        assert done.returncode == 2 and f'{name}="{value}" can\'t be read' in done.stderr
