"""What must be refused is refused, with the rule's id, and nothing makes a tool crash.

  - engine programs with one violation each (illegalprogram.py), for random chips, routes and versions: `--ane-verify-legal`
    names the record where `--explain` says that it holds, and nowhere else; all records that the compiler checks are named;
  - MIL text of what the compiler never writes, likewise: `ane-translate --lint` names all records that it alone checks;
  - IR with damaged text: every tool ends with 0, or with 1 and a message.

Programs are checked many in one process, as the parts of a file between '// -----'.
"""
import functools
import json
import re
import sys

import numpy as np
import pytest

import anetest
import illegalprogram
import randomgraph
import randommoves  # noqa: F401, registers makers
import randomops

PARTS = 50  # in one file
SPLIT = "\n// -----\n"
VERIFY = "--ane-verify-legal=emittable=true"
ADVISE = "--ane-verify-legal=emittable=true advice=true"


def errors_by_part(path, parts, *passes):
    """Runs ane-opt over the parts; returns (process, errors of each part)."""
    path.write_text(SPLIT.join(parts))
    starts, line = {}, 1
    for index, part in enumerate(parts):
        starts[line] = index
        line += (part + SPLIT).count("\n")
    done = anetest.run("ane-opt", path, "--split-input-file", "-o", "/dev/null", *passes, check=False)
    found = {index: "" for index in range(len(parts))}
    for match in re.finditer(r"within split at [^\n]*:(\d+) offset [^\n]*(?:error|warning): [^\n]*", done.stderr):
        # The line of a split is that of its marker or of its first line.
        index = max(i for start, i in starts.items() if start <= int(match[1]) + 2)
        found[index] += match[0] + "\n"
    return done, found


@functools.cache
def explained(code, version):
    return json.loads(anetest.run("ane-compile", f"--explain={code}", f"--os={version}", "--json").stdout)


def holds(code, target):
    tier, _, route, version = target
    return explained(code, version)["status"][route][tier] != "-"


def varies(code):
    """Whether a bound, "13 (H16: 15)", or the table (C68) differs between targets, so that elsewhere it may accept what it
    refuses here."""
    return code == "C68" or re.search(r"\(\w[^)]*: \d", explained(code, illegalprogram.VERSIONS[0])["checked"])


def for_some_target(seed):
    """(id, name, text, whether the record must be named) of a violation, for a target that is drawn. The first of each is
    drawn where its record holds; a record that varies is held to its word at home, and where it does not hold."""
    code, name, text = illegalprogram.drawn(seed)
    random = np.random.default_rng([17, seed])
    targets = illegalprogram.TARGETS
    if seed < illegalprogram.count():
        targets = [target for target in targets if holds(code, target)]
    target = targets[random.integers(len(targets))]
    if not holds(code, target):
        return code, name, illegalprogram.for_target(text, *target[1:]), False
    return code, name, text if varies(code) else illegalprogram.for_target(text, *target[1:]), True


def check_programs(folder, first, count):
    """Returns the ids that were named."""
    wrong, reached = [], set()
    for start in range(first, first + count, PARTS):
        made = [for_some_target(seed) for seed in range(start, min(start + PARTS, first + count))]
        done, errors = errors_by_part(folder / f"{start}.mlir", [text for _, _, text, _ in made], ADVISE)
        assert done.returncode in (0, 1), f"seeds from {start}: exit code {done.returncode}\n{done.stderr[-3000:]}"
        for i, (code, name, text, must) in enumerate(made):
            found = re.search(f"(violates|meets) {code} ", errors[i])
            if bool(found) != must:
                wrong.append(f"seed {start + i}: {name}: {code} is {'not ' if must else ''}found in\n{text}\n{errors[i]}")
            if found:
                reached.add(code)
    assert not wrong, f"{len(wrong)} faults\n" + "\n".join(wrong[:10])
    return reached


def checked_by(*enforcers):
    """Ids of the catalogue."""
    llvm = re.search(r"^LLVM_DIR:\w+=(.*)/lib/cmake/llvm$", (anetest.BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)[1]
    rows = anetest.run("ane-tblgen", "-gen-ane-constraint-index", "-I", anetest.ROOT / "include", "-I", f"{llvm}/include",
                       anetest.ROOT / "include" / "ane" / "Constraint" / "Catalog.td").stdout.splitlines()
    return {row.split()[0] for row in rows if row.split()[3] in enforcers}


def test_illegal_programs(tmp_path):
    """Three times each violation; the first time all records are reached."""
    reached = check_programs(tmp_path, 0, 3 * illegalprogram.count())
    # What a function computes from its inputs, and what its constants were, ane-place looks at: a program no longer says it.
    of_functions = {"C210", "C211", "C212", "C213"}
    assert len(reached) > 100 and reached == checked_by("VerifyLegal", "VerifyEmittable") - of_functions


@pytest.mark.slow
def test_many_illegal_programs(tmp_path):
    check_programs(tmp_path, illegalprogram.count() * 100, 5000)


def check_texts(folder, targets_of):
    """Lints each text for the targets that `targets_of` gives for its id; returns the ids that were named."""
    wrong, reached = [], set()
    path = folder / "text.mil"
    for code, text in illegalprogram.texts():
        for target in targets_of(code):
            path.write_text(text)
            _, chip, route, version = target
            done = anetest.run("ane-translate", "--lint", path, f"--target={chip}", f"--route={route}", f"--os={version}", check=False)
            assert done.returncode == ("error:" in done.stdout) and not done.stderr, f"{code} for {target}: {done}"
            found = re.search(f"(violates|meets) {code} ", done.stdout)
            if bool(found) != holds(code, target):
                wrong.append(f"{code} is {'' if found else 'not '}found for {target} in\n{text}\n{done.stdout}")
            if found:
                reached.add(code)
    assert not wrong, f"{len(wrong)} faults\n" + "\n".join(wrong[:10])
    assert reached == checked_by("Linter", "OpVerifier")


def test_illegal_texts(tmp_path):
    random = np.random.default_rng(19)

    def some(code):
        targets = illegalprogram.TARGETS
        where = [target for target in targets if holds(code, target)]
        return [where[random.integers(len(where))], *(targets[random.integers(len(targets))] for _ in range(4))]

    check_texts(tmp_path, some)


@pytest.mark.slow
def test_illegal_texts_for_all_targets(tmp_path):
    check_texts(tmp_path, lambda code: illegalprogram.TARGETS)


def test_programs_without_the_break_are_legal(tmp_path):
    """Else something else might be what is refused."""
    parts = [illegalprogram.program(seed, broken=False)[2] for seed in range(100)]
    done, _ = errors_by_part(tmp_path / "legal.mlir", parts, VERIFY)
    assert done.returncode == 0, done.stderr


# Damaged text.

OPS = ["add", "conv", "reshape", "concat", "linear", "softmax", "transpose", "island", "program", "const", "yield", "matmul", "slice_by_index",
       "gather", "lstm", "pad", "split", "relayout", "blob", "eval"]
PASSES = [["--ane-to-emittable"], ["--ane-to-legal"], ["--canonicalize", "--cse"], [VERIFY],
          ["--ane-to-canonical", "--ane-place", "--ane-form-islands"], ["--ane-raise-composites"], ["--ane-assign-surfaces"],
          ["--ane-partition"], ["--ane-assign-blobs", "--ane-assign-names"]]


def damaged(text, random):
    """The text with a few changes of words, numbers or lines."""
    for _ in range(int(random.integers(1, 4))):
        kind = random.integers(0, 8)
        if kind == 0:
            numbers = list(re.finditer(r"(?<![\w.%])-?\d+", text))
            replacement = random.choice(["0", "-1", "1", "7", "9223372036854775807", "-9223372036854775808", "4294967296", "65537"])
            at = numbers[random.integers(len(numbers))]
            text = text[:at.start()] + str(replacement) + text[at.end():]
        elif kind == 1:
            names = list(re.finditer(r"ane\.(\w+)", text))
            at = names[random.integers(len(names))]
            text = text[:at.start(1)] + str(random.choice(OPS)) + text[at.end(1):]
        elif kind == 2:
            kinds = list(re.finditer(r"\b(f32|f16|i32|i64|i1)\b|(?<=x)(f32|f16|i32|i64|i1)\b", text))
            at = kinds[random.integers(len(kinds))]
            text = text[:at.start()] + str(random.choice(["f32", "f16", "i32", "i1", "f64", "ui8", "index", "i4", "bf16"])) + text[at.end():]
        elif kind == 3:
            lines = text.split("\n")
            del lines[random.integers(len(lines))]
            text = "\n".join(lines)
        elif kind == 4:
            lines = text.split("\n")
            lines.insert(random.integers(len(lines)), lines[random.integers(len(lines))])
            text = "\n".join(lines)
        elif kind == 5:
            values = list(re.finditer(r"%\w+", text))
            at, other = values[random.integers(len(values))], values[random.integers(len(values))]
            text = text[:at.start()] + other[0] + text[at.end():]
        elif kind == 6:
            attributes = list(re.finditer(r"(?<=[{,])[^{},<>]*=[^{},<>]*(?=[,}])", text))
            if attributes:
                at = attributes[random.integers(len(attributes))]
                text = text[:at.start()] + " " + text[at.end():]
        else:
            start = int(random.integers(len(text)))
            text = text[:start] + str(random.choice(["", "x", "{", ">", "?", "\"", "-", "0x", "#ane.", "tensor<"])) + text[start + 1:]
    return text.replace("// -----", "")


def damaged_text(seed):
    random = np.random.default_rng([29, seed])
    if random.random() < 0.3:
        text = illegalprogram.program(int(random.integers(10**6)), broken=False)[2]
    else:
        text = randomgraph.module([randomgraph.graph("main", random, randomops.MAKERS)], illegalprogram.TARGET)
    return damaged(text, random)


def check_damaged(folder, first, count):
    """No part of any file makes a pass crash. (The parser of LLVM 19 frees a block that it could not read, also where an op in another region uses its values, and
    writes there when it takes that op apart: what is parsed behind such a part, in one process, may crash. No part does alone.)"""
    wrong = []
    for start in range(first, first + count, PARTS):
        parts = [damaged_text(seed) for seed in range(start, start + PARTS)]
        passes = PASSES[start // PARTS % len(PASSES)]
        done, _ = errors_by_part(folder / "many.mlir", parts, *passes)
        if done.returncode in (0, 1):
            continue
        for i, part in enumerate(parts):
            single = folder / f"damaged{start + i}.mlir"
            single.write_text(part)
            alone = anetest.run("ane-opt", single, "-o", "/dev/null", *passes, check=False)
            if alone.returncode not in (0, 1):
                frames = "\n".join(line for line in alone.stderr.splitlines() if "mlir::ane" in line or "error:" in line)
                wrong.append(f"seed {start + i} {passes}: exit code {alone.returncode}\n{frames[:1500]}")
    assert not wrong, f"{len(wrong)} crashes\n" + "\n".join(wrong[:10])


def test_damaged_text(tmp_path):
    check_damaged(tmp_path, 0, 18 * PARTS)


@pytest.mark.slow
def test_more_damaged_text(tmp_path):
    check_damaged(tmp_path, 10000, 180 * PARTS)


@pytest.mark.parametrize("seed", range(10))
def test_damaged_models(tmp_path, seed):
    """ane-compile, whose message names what is wrong."""
    for i in range(5):
        path = tmp_path / f"{i}.mlir"
        path.write_text(damaged_text(1000 * seed + i))
        done = anetest.run("ane-compile", path, "-o", tmp_path / "m.anebundle", "--quiet", "--host=none", check=False)
        assert done.returncode in (0, 1), f"{path}: exit code {done.returncode}\n{done.stderr[-2000:]}"
        assert done.returncode == 0 or "error" in done.stderr, done.stderr


if __name__ == "__main__":
    print(for_some_target(int(sys.argv[2]))[2] if sys.argv[1] == "illegal" else damaged_text(int(sys.argv[2])))
