"""The generated pages are those of the records, and the hand-written ones point at files that exist."""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import numpy as np
import onnxruntime

import zoo
from anetest import BUILD, ROOT


def test_generated_pages_are_current():
    done = subprocess.run([sys.executable, ROOT / "scripts" / "generate_docs.py", "--check"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_generated_pages_show_values():
    """Not names of the records that hold them."""
    names = []
    for page in sorted((ROOT / "docs" / "generated").glob("*.md")):
        names += [f"{page.name}:{number}: {line}" for number, line in enumerate(page.read_text().splitlines(), 1)
                  if re.search(r"\b(Limit|Numeric)::", line)]
    assert not names, "\n".join(names)


def test_transcripts_are_current():
    """What pages show as printed by a command is printed by it; figures vary with the machine."""
    done = subprocess.run([sys.executable, ROOT / "scripts" / "transcripts.py", "--check"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stateful_example_runs(tmp_path):
    """The README's command lines of a detector of speech: each chunk's output is ONNX Runtime's, which is fed the state by hand."""
    commands = re.findall(r"^    (ane-(?:compile silero_vad|run vad)\S* .*)$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["ane-compile", "ane-run", "ane-run"], commands
    model = zoo.package("silero_vad") / "data" / "silero_vad.onnx"
    shutil.copyfile(model, tmp_path / "silero_vad.onnx")
    reference = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    state, rng = np.zeros((2, 1, 128), np.float32), np.random.default_rng(2)
    environment = {**os.environ, "PATH": f"{BUILD / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    for number, command in enumerate(commands):
        if number:
            chunk = 0.1 * rng.standard_normal((1, 576)).astype(np.float32)
            np.save(tmp_path / f"{number - 1}.npy", chunk)
        done = subprocess.run(shlex.split(command), cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        if number:
            want, state = reference.run(["output", "stateN"], {"input": chunk, "state": state, "sr": np.array(16000)})
            np.testing.assert_allclose(np.load(tmp_path / "out" / "output.npy"), want, rtol=0, atol=5e-3)


def pages():
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_pages_exist():
    names = {path.name for path in pages()}
    assert {"README.md", "architecture.md", "rationale.md", "adding-an-op.md", "adding-a-constraint.md", "adding-a-pass.md"} <= names


def test_links_lead_somewhere():
    broken = []
    for page in pages():
        for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
            if "://" not in link and not (page.parent / link).exists():
                broken.append(f"{page.name}: {link}")
    assert not broken, "\n".join(broken)


def test_named_files_exist():
    """Paths in backticks that look like files of the tree."""
    missing = []
    for page in pages():
        for name in re.findall(r"`((?:include|lib|runtime|tools|test|scripts|docs|cmake)/[\w./-]+\.\w+)`", page.read_text()):
            if not (ROOT / name).exists():
                missing.append(f"{page.name}: {name}")
    assert not missing, "\n".join(missing)


def test_named_documents_are_known():
    """A page that a source names is in the tree, another project's ("x.md of PROJECT"), or one of the notes that architecture.md lists."""
    listing = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    paths = [ROOT / line for line in listing.stdout.splitlines() if (ROOT / line).is_file()]
    if not paths:  # an archive without git
        paths = [path for folder in ("docs", "include", "lib", "runtime", "scripts", "tools") for path in (ROOT / folder).rglob("*.*")]
    notes = re.search(r"the notes in which published facts were collected(.*?)They are not part", (ROOT / "docs" / "architecture.md").read_text(),
                      re.DOTALL)[1]
    legend = set(re.findall(r"`([\w-]+\.md)`", notes))
    assert len(legend) >= 5
    named, cited = {path.name for path in paths if path.suffix == ".md"}, set()
    unknown = []
    for path in paths:
        if path.suffix not in {".h", ".cpp", ".td", ".inc", ".py", ".sh", ".md", ".mlir", ".test", ".txt"} or "corpus" in path.parts:
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for name in re.findall(r"(?<![\w%*.-])([\w-]+\.md)\b(?! of \w)", line):
                cited.add(name)
                if name not in named | legend:
                    unknown.append(f"{path.relative_to(ROOT)}:{number}: {name}")
    assert not unknown, "\n".join(unknown)
    assert legend <= cited, f"architecture.md lists notes that nothing cites: {legend - cited}"


def compile_command(source):
    """Command line that compiles a file of the build, without the file and its object; and the folder it runs in."""
    entry = next(e for e in json.loads((BUILD / "compile_commands.json").read_text()) if e["file"] == str(ROOT / source))
    command = shlex.split(entry["command"])
    command = command[next(i for i, word in enumerate(command) if "clang" in word):command.index("-o")]
    return command, entry["directory"]


def test_added_op_compiles(tmp_path):
    """The example of adding-an-op.md: its record and what it means through TableGen, its C++ through the compiler."""
    page = (ROOT / "docs" / "adding-an-op.md").read_text()
    record, code = (re.search(rf"```{kind}\n(.*?)```", page, re.DOTALL)[1] for kind in ("tablegen", r"c\+\+"))
    (tmp_path / "Example.td").write_text(f'include "ane/IR/ANEOps.td"\n{record}')
    llvm = re.search(r"^LLVM_DIR:\w+=(.*)/lib/cmake/llvm$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)[1]
    name, defined = re.search(r'<"(\w+)"', record)[1], re.search(r"def ANE_(\w+)", record)[1]
    for kind in ("decls", "defs"):
        made = subprocess.run([f"{llvm}/bin/mlir-tblgen", f"-gen-op-{kind}", f"-op-include-regex=ane.{name}$", f"-I{ROOT}/include",
                               f"-I{llvm}/include", tmp_path / "Example.td"], capture_output=True, text=True)
        assert made.returncode == 0 and defined in made.stdout, made.stderr
        (tmp_path / f"{kind}.inc").write_text(made.stdout)
    (tmp_path / "Example.cpp").write_text(
        '#include "ane/IR/ANE.h"\n#include "ane/IR/Builders.h"\n#include "ane/IR/Inference.h"\n'
        '#include "mlir/IR/OpImplementation.h"\n#define GET_OP_CLASSES\n#include "decls.inc"\n'
        f'using namespace mlir;\nusing namespace mlir::ane;\n#define GET_OP_CLASSES\n#include "defs.inc"\n{code}')
    # What it means, for constants and CPU code.
    made = subprocess.run([BUILD / "bin" / "ane-tblgen", "-gen-ane-meanings", f"-I{ROOT}/include", f"-I{llvm}/include", tmp_path / "Example.td"], capture_output=True, text=True)
    assert made.returncode == 0 and f"MEANING({defined}, 1, true, false" in made.stdout, made.stderr
    (tmp_path / "meanings.inc").write_text(made.stdout)
    with open(tmp_path / "Example.cpp", "a") as file:
        file.write('#include "ane/IR/Number.h"\nnamespace mlir::ane::number {\n#define GET_MEANINGS\n#include "meanings.inc"\n'
                   f'double example({defined} op, double x) {{ return meaningOf(op, x); }}\n}}\n')
    command, folder = compile_command("lib/IR/Ops/Activation.cpp")
    done = subprocess.run([*command, "-fsyntax-only", f"-I{tmp_path}", tmp_path / "Example.cpp"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
