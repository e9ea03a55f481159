"""MIL programs that other projects' generators wrote, on the emulator against their NumPy references.

The corpus lies beside the repository and is never copied into it; without it these tests are skipped. Its README tells
what is in it. References are float32 arithmetic on fp16 weights; `fp16_per_op_max_abs_diff` in the metadata is how far
the reference's own interpreter drifts when each op is rounded to fp16.
"""
import json
import os
import re
import struct
from pathlib import Path

import numpy as np
import pytest

import anetest

CORPUS = Path(os.environ.get("ANE_MIL_CORPUS", anetest.ROOT.parent / "shared" / "mil-corpus"))
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the MIL corpus is not here")

INVALID_PROGRAM = re.compile(r"model\.mil:\d+:\d+: op '\w+' \(result '\w+'\) gives tensor<.*>, declared is tensor<.*>")


def programs(select):
    """(id, folder, metadata) of the programs that `select` takes."""
    found = []
    for path in sorted(CORPUS.glob("*/*/meta.json")):
        meta = json.loads(path.read_text())
        if select(meta):
            found.append((f"{path.parent.parent.name}/{path.parent.name}", path.parent, meta))
    return found


def arguments(folder, meta, reference, scratch):
    """Command line of a program with the inputs of its reference."""
    options = ["--mil", folder / "model.mil", "--weights", folder, "--emulator-mode=plain", "--output-dir", scratch]
    if meta["functions"] != ["main"]:
        options += ["--function", meta["functions"][0]]
    for key in reference.files:
        if key.startswith("in_"):
            np.save(scratch / f"{key}.npy", reference[key])
            options += ["--input", f"{key[3:]}={scratch / key}.npy"]
    return options


def test_programs_agree_with_their_references(tmp_path):
    """Every element within the drift of the reference's own fp16 run plus one fp16 unit of the largest value."""
    rows = []
    for name, folder, meta in programs(lambda m: m["expect"] == "ok" and m.get("reference")):
        scratch = tmp_path / name
        scratch.mkdir(parents=True)
        reference = np.load(folder / "ref.npz")
        done = anetest.run("ane-run", *arguments(folder, meta, reference, scratch), check=False)
        if done.returncode:
            rows.append((np.inf, name, "-", "-", done.stderr.strip()))
            continue
        error = scale = 0.0
        for key in reference.files:
            if not key.startswith("out_"):
                continue
            got = np.load(scratch / f"{key[4:]}.npy").astype(np.float64)
            want = reference[key].astype(np.float64)
            assert got.shape == want.shape, f"{name}: {key[4:]} is {got.shape}, want {want.shape}"
            assert np.array_equal(np.isfinite(got), np.isfinite(want)), f"{name}: {key[4:]}: infinities differ"
            finite = np.isfinite(want)
            assert np.array_equal(got[~finite], want[~finite], equal_nan=True), f"{name}: {key[4:]}"
            if finite.any():
                error = max(error, np.abs(got[finite] - want[finite]).max())
                scale = max(scale, np.abs(want[finite]).max())
        drift = meta["reference"].get("fp16_per_op_max_abs_diff") or 0.0
        allowed = drift + float(np.spacing(np.float16(min(scale, 65504.0))))
        rows.append((error / allowed, name, f"{error:.3e}", f"{allowed:.3e}", f"scale {scale:.3e}"))
    assert len(rows) >= 240
    rows.sort(key=lambda row: -row[0])
    print(f"\n{len(rows)} programs; the worst:\n  error/allowed  error      allowed    program")
    for ratio, name, error, allowed, note in rows[:12]:
        print(f"  {ratio:13.3f}  {error:9}  {allowed:9}  {name}  {note}")
    wrong = [f"{name}: error {error}, allowed {allowed}, {note}" for ratio, name, error, allowed, note in rows
             if not ratio <= 1.0]
    assert not wrong, "\n".join(wrong)


def test_contradicting_types_are_refused(tmp_path):
    """The message names file, line, column, op, result, inferred and declared type."""
    invalid = programs(lambda m: m["expect"].startswith("invalid"))
    assert invalid
    for name, folder, meta in invalid:
        scratch = tmp_path / name
        scratch.mkdir(parents=True)
        done = anetest.rejected("ane-run", *arguments(folder, meta, np.load(folder / "ref.npz"), scratch))
        assert INVALID_PROGRAM.search(done.stderr), f"{name}: {done.stderr}"


BLOB = re.compile(
    r"tensor<(\w+), \[([\d, ]*)\]>\s*\(\s*BLOBFILE\(path\s*=\s*(?:string|tensor<string, \[\]>)\(\"@model_path/([^\"]+)\"\),"
    r"\s*offset\s*=\s*(?:uint64|tensor<uint64, \[\]>)\((\d+)\)")
WIDTH = {"fp16": (2, 1), "fp32": (4, 2), "int8": (1, 4), "uint8": (1, 3)}


def write_empty_weights(text, folder):
    """Weight files of the right size, all zeros: nothing but the records takes space on the disk."""
    for dtype, dims, path, offset in BLOB.findall(text):
        width, code = WIDTH[dtype]
        size = width * int(np.prod([int(d) for d in dims.split(",") if d.strip()], dtype=np.int64))
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(file, "r+b" if file.exists() else "w+b") as out:
            out.write(struct.pack("<II", 1, 2))
            out.seek(int(offset))
            out.write(struct.pack("<IIQQ", 0xDEADBEEF, code, size, int(offset) + 64))
            out.truncate(max(out.seek(0, os.SEEK_END), int(offset) + 64 + size))


# Too large for the corpus's interpreter, which therefore did not see that it is like its smaller, `invalid` siblings.
CONTRADICTORY = {f"skyfallsin-field-guide/test_dynamic9_00{number}" for number in (4, 5, 6)}


@pytest.mark.slow
def test_realistic_programs_load_and_run(tmp_path):
    """Programs without weights: every declared type must be what the emulator infers, and the program must run."""
    count, wrong = 0, []
    for name, folder, meta in programs(lambda m: m["expect"] == "ok" and not m.get("reference")):
        scratch = tmp_path / name
        scratch.mkdir(parents=True)
        write_empty_weights((folder / "model.mil").read_text(), scratch)
        options = ["--mil", folder / "model.mil", "--weights", scratch, "--emulator-mode=plain", "--output-dir", scratch]
        if meta["functions"] != ["main"]:
            options += ["--function", meta["functions"][0]]
        for index, port in enumerate(meta["inputs"]):
            kind = {"fp16": np.float16, "fp32": np.float32, "int32": np.int32}[port["dtype"]]
            np.save(scratch / f"input{index}.npy", np.zeros(port["shape"], kind))
            options += ["--input", f"{port['name']}={scratch}/input{index}.npy"]
        done = anetest.run("ane-run", *options, check=False)
        if name in CONTRADICTORY:
            assert INVALID_PROGRAM.search(done.stderr), f"{name}: {done.stderr}"
        elif done.returncode:
            wrong.append(f"{name}: {done.stderr.strip()}")
        else:
            wrong += [f"{name}: shape of {port['name']}" for port in meta["outputs"]
                      if list(np.load(scratch / f"{port['name']}.npy").shape) != port["shape"]]
        for file in scratch.rglob("*"):  # the weights of all of them together are large
            if file.is_file():
                file.unlink()
        count += 1
    assert count >= 160
    assert not wrong, "\n".join(wrong)


# What the metadata reports of a device, by the words it begins with, and the record that the linter must name.
REPORTED = {"concat: ": "C01", "runtime input with W < 32": "C25", "tile: ": "C48", "conv with a runtime weight": "C53",
            "32000 channels in a conv": "C16", "scaled_dot_product_attention: ": "C06"}
BLOB_NOTE = re.compile(r"blob [\w.]+@(\d+): (?:header says (?P<size>\d+) bytes|(?P<offset>header data offset 0)|dtype code (?P<dtype>\d+))")


def expected_findings(meta, text):
    """(record or slug, words of the message) for each oddity that the metadata notes."""
    for note in meta.get("hardware_notes") or []:
        found = [record for words, record in REPORTED.items() if note.startswith(words)]
        assert found, f"a note of a new kind: {note}"
        if found != ["C06"] or "attn_mask" in text:  # without a mask nothing is ignored
            yield found[0], ""
    for note in meta.get("notes") or []:
        if note.startswith("name "):
            yield "C198", f"name '{note.split()[1]}'"
            continue
        blob = BLOB_NOTE.match(note)
        assert blob, f"a note of a new kind: {note}"
        yield "C08", (f"size is {blob['size']} bytes" if blob["size"] else
                      "payload offset is 0" if blob["offset"] else f"dtype is {blob['dtype']}")
    for kind, record in (("inputs", "C19"), ("outputs", "C03")):
        names = [port["name"] for port in meta[kind]]
        if names != sorted(names):
            yield record, ""


def test_lint_says_what_the_metadata_notes():
    count, wrong = 0, []
    for name, folder, meta in programs(lambda m: m["expect"] == "ok"):
        wanted = list(expected_findings(meta, (folder / "model.mil").read_text()))
        if not wanted:
            continue
        done = anetest.run("ane-translate", "--lint", "--json", "--target=m4", folder / "model.mil", check=False)
        found = json.loads(done.stdout)["diagnostics"]
        count += len(wanted)
        wrong += [f"{name}: no {record} {words}" for record, words in wanted
                  if not any(record == d["id"] and words in d["message"] and d["line"] and d["column"] for d in found)]
    assert count >= 200
    assert not wrong, "\n".join(wrong)


def test_text_that_is_no_mil_is_refused_with_its_place():
    for name, folder, _ in programs(lambda m: m["expect"].startswith("reject")):
        done = anetest.rejected("ane-translate", "--lint", folder / "model.mil")
        assert re.search(r"model\.mil:\d+:\d+: error: ", done.stderr), f"{name}: {done.stderr}"
