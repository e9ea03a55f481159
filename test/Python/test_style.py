"""The rules of the tree: who may include whom, file length, parallel folders, a test for every record."""
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from anetest import BUILD, ROOT

MAX_LINES = 600
MAX_TOOL_LINES = 40

# Folder of the compiler -> folders it may include. Everything may include itself.
COMPILER_LAYERS = {
    "Support": set(),
    "IR": {"Support"},
    "Autodiff": {"Support", "IR"},
    "Constraint": {"Support", "IR"},
    "Import": {"Support", "IR", "Constraint"},
    "Transforms": {"Support", "IR", "Constraint"},
    "Host": {"Support", "IR", "Constraint"},
    "Target": {"Support", "IR", "Constraint"},
    "Bundle": {"Support", "IR", "Constraint", "Target", "Host"},
    "Report": {"Support", "IR", "Constraint"},
    "Pipeline": {"Support", "IR", "Autodiff", "Constraint", "Import", "Transforms", "Host", "Target", "Bundle"},
}
# The compiler's view of the runtime: file formats and the host library's contract.
COMPILER_MAY_USE = ("runtime/format/", "runtime/support/", "runtime/text/template/", "runtime/text/tokenizer/",
                    "runtime/include/ane/runtime/host_abi.h", "ane/runtime/host_abi.h", "runtime/device/ane/machine.h")
# Folder of the runtime -> folders it may include.
RUNTIME_LAYERS = {
    "support": set(),
    "format": {"support"},
    "text": {"support", "format"},
    "lint": {"support", "format"},
    "device": {"support", "format", "lint"},
    "adapter": {"support", "format"},
    "core": {"support", "format", "device", "adapter"},
    "train": {"support", "format", "text", "adapter"},
    "tools": {"support", "format", "text", "lint", "device", "adapter", "core", "train"},
    "test": {"support", "format", "text", "lint", "device", "adapter", "core", "train", "tools"},
}
SOURCES = {".h", ".cpp", ".td", ".c", ".inc"}
TEXTS = SOURCES | {".py", ".sh", ".md", ".mlir", ".cmake", ".txt", ".json", ".test", ".mil", ".in", ""}


def files():
    """Paths of the project's own files, relative to its root."""
    listing = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    if listing.returncode == 0:
        return [Path(name) for name in listing.stdout.splitlines() if (ROOT / name).is_file()]
    skipped = re.compile(r"^(build.*|\.venv|\.git|\.cache|__pycache__)$")
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if not skipped.match(f)]
        found += [(Path(folder) / name).relative_to(ROOT) for name in names]
    return found


def includes():
    """(file, included name) of every include line in C++ and TableGen sources."""
    line = re.compile(r"^\s*#?\s*include\s*[<\"]([^>\"]+)[>\"]", re.MULTILINE)
    for path in files():
        if path.suffix in SOURCES:
            for name in line.findall((ROOT / path).read_text(errors="replace")):
                yield path, name


def compiler_folder(path):
    parts = path.parts
    if parts[0] == "lib" and len(parts) > 2:
        return parts[1]
    if parts[:2] == ("include", "ane") and len(parts) > 3:
        return parts[2]
    return None


def test_compiler_layers():
    wrong = []
    for path, name in includes():
        folder = compiler_folder(path)
        if folder is None or folder == "Tools":
            continue
        if path.suffix == ".td" and name == "ane/Transforms/Passes.td":
            continue  # a constraint's record names the record of the pass that legalises it: no code depends on it
        used = re.match(r"ane/(\w+)/", name)
        if used and used[1] != "runtime" and used[1] != folder and used[1] not in COMPILER_LAYERS[folder]:
            wrong.append(f"{path}: includes {name}; {folder} may include {sorted(COMPILER_LAYERS[folder]) or 'nothing'}")
        if name.startswith(("runtime/", "ane/runtime/")) and not name.startswith(COMPILER_MAY_USE):
            wrong.append(f"{path}: includes {name}; of the runtime, the compiler uses {', '.join(COMPILER_MAY_USE)}")
    assert not wrong, "\n".join(wrong)


def test_the_page_has_the_same_folders():
    rows = re.findall(r"^\| `(\w+)(?:/\w+)?` \| ", (ROOT / "docs" / "architecture.md").read_text().split("The runtime is `runtime/`")[0], re.MULTILINE)
    assert sorted(rows) == sorted([*COMPILER_LAYERS, "Tools"])


def test_runtime_is_free_of_the_compiler():
    wrong = []
    for path, name in includes():
        if path.parts[0] != "runtime":
            continue
        if re.match(r"(llvm|mlir|clang|lld)(-c)?/", name) or (name.startswith("ane/") and not name.startswith("ane/runtime/")):
            wrong.append(f"{path}: includes {name}")
    assert not wrong, "\n".join(wrong)


def test_runtime_layers():
    wrong = []
    for path, name in includes():
        used = re.match(r"runtime/(\w+)/", name)
        if path.parts[0] != "runtime" or path.parts[1] not in RUNTIME_LAYERS or not used:
            continue
        if used[1] != path.parts[1] and used[1] not in RUNTIME_LAYERS[path.parts[1]] | {"include"}:
            wrong.append(f"{path}: includes {name}")
    assert not wrong, "\n".join(wrong)


def test_emulator_shares_nothing_with_the_other_device():
    wrong = [f"{path}: includes {name}" for path, name in includes()
             if path.parts[:3] == ("runtime", "device", "emulator") and name.startswith("runtime/device/cpu")]
    assert not wrong, "\n".join(wrong)


def test_public_headers_need_only_c():
    wrong = []
    for path, name in includes():
        if path.parts[:2] == ("runtime", "include") and not re.match(r"(std\w+\.h|ane/runtime/)", name):
            wrong.append(f"{path}: includes {name}")
    assert not wrong, "\n".join(wrong)


def test_files_are_short():
    long = []
    for path in files():
        if path.suffix in SOURCES | {".py", ".sh", ".cmake"} or path.name == "CMakeLists.txt":
            count = len((ROOT / path).read_text(errors="replace").splitlines())
            if count > MAX_LINES:
                long.append(f"{path}: {count} lines, at most {MAX_LINES}")
    assert not long, "\n".join(long)


def test_sources_are_formatted():
    """One .clang-format for the whole tree. *.inc are tables that ane-tblgen prints."""
    sources = [path for path in files() if path.suffix in {".h", ".cpp", ".c"}]
    done = subprocess.run(["clang-format-19", "--dry-run", *sources], cwd=ROOT, capture_output=True, text=True)
    wrong = sorted(set(re.findall(r"^(\S+?):\d+", done.stderr, re.MULTILINE)))
    assert done.returncode == 0 and not wrong, f"clang-format-19 -i {' '.join(wrong)}"
    assert [str(path) for path in files() if path.name == ".clang-format"] == [".clang-format"]


def test_banners_are_one_line():
    """clang-format breaks one that is too long, and leaves the second half as a comment."""
    wrong = [str(path) for path in files() if path.suffix in {".h", ".cpp", ".c", ".td"}
             and re.search(r"^//-\*-===", (ROOT / path).read_text(errors="replace"), re.MULTILINE)]
    assert not wrong, "\n".join(wrong)


def test_tool_mains_are_short():
    long = []
    for path in files():
        if path.suffix == ".cpp" and "tools" in path.parts[:2]:
            text = (ROOT / path).read_text()
            if re.search(r"^int main\(", text, re.MULTILINE) and len(text.splitlines()) >= MAX_TOOL_LINES:
                long.append(f"{path}: {len(text.splitlines())} lines, under {MAX_TOOL_LINES} wanted")
    assert not long, "\n".join(long)


def test_no_paths_of_a_machine():
    # Written in parts: this file must not match itself.
    pattern = re.compile("|".join(["/ho" + "me/", "/ro" + "ot/", "/Us" + "ers/", r"/wo" + r"rk/", "/tmp/" + "venv"]))
    wrong = []
    for path in files():
        if path.suffix in TEXTS and "corpus" not in path.parts:
            for number, line in enumerate((ROOT / path).read_text(errors="replace").splitlines(), 1):
                if pattern.search(line):
                    wrong.append(f"{path}:{number}: {line.strip()[:120]}")
    assert not wrong, "\n".join(wrong)


def test_no_unfinished_work():
    pattern = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")
    wrong = []
    for path in files():
        if path.suffix in SOURCES | {".py", ".sh", ".md"}:
            for number, line in enumerate((ROOT / path).read_text(errors="replace").splitlines(), 1):
                if pattern.search(line):
                    wrong.append(f"{path}:{number}: {line.strip()[:120]}")
    assert not wrong, "\n".join(wrong)


def test_parallel_folders():
    """include/ane/X, lib/X and test/X name the same thing; the records' tests are in test/Constraints."""
    wrong = []
    for folder in sorted({p.parts[1] for p in files() if p.parts[0] == "lib" and len(p.parts) > 2} - {"Tools", "Support"}):
        for other in (f"include/ane/{folder}", f"test/{folder}"):
            if not (ROOT / other).is_dir() and not (ROOT / f"{other}s").is_dir():
                wrong.append(f"{other} is missing")
    assert not wrong, "\n".join(wrong)


def records(source):
    """The records of a .td file, as llvm-tblgen prints them."""
    cache = (BUILD / "CMakeCache.txt").read_text()
    prefix = Path(re.search(r"^LLVM_DIR:\w+=(.*)/lib/cmake/llvm$", cache, re.MULTILINE)[1])
    done = subprocess.run([prefix / "bin" / "llvm-tblgen", "--dump-json", "-I", ROOT / "include", "-I", prefix / "include",
                           ROOT / source], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    return lambda kind: [made[name] for name in made["!instanceof"].get(kind, [])]


def lit_tests():
    return {path: (ROOT / path).read_text(errors="replace") for path in files()
            if path.parts[0] == "test" and path.suffix in (".mlir", ".test", ".td")}


def test_every_op_has_a_test():
    ops = {op["opName"] for op in records("include/ane/IR/ANEOps.td")("Op")}
    assert len(ops) > 5
    seen = set(re.findall(r"\bane\.(\w+)", "\n".join(lit_tests().values())))
    missing = sorted(ops - seen)
    assert not missing, f"{len(missing)} of {len(ops)} ops are in no test: {', '.join(missing)}"


def pass_files():
    return [path for path in files() if path.name == "Passes.td" and path.parts[0] == "include"]


@pytest.mark.parametrize("source", [str(path) for path in pass_files()])
def test_every_pass_has_a_file_and_a_test(source):
    runs = "\n".join(re.findall(r"RUN:(.*)", "\n".join(lit_tests().values())))
    folder = "/".join(Path(source).parts[2:-1])
    wrong = []
    for record in records(source)("PassBase"):
        argument, name = record["argument"], re.sub("Pass$", "", record["!name"])
        if not re.search(rf"-{re.escape(argument)}\b|[(,\"]{re.escape(argument)}\b", runs):
            wrong.append(f"--{argument}: no RUN line under test/ uses it")
        if not (ROOT / "lib" / folder / f"{name}.cpp").exists():
            wrong.append(f"--{argument}: lib/{folder}/{name}.cpp is missing")
    assert not wrong, "\n".join(wrong)
