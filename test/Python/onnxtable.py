"""The outcome of each of ONNX's test models, and the committed page that lists those that don't pass.

  python test/Python/onnxtable.py            runs all of them and writes docs/generated/onnx-node-tests.md (some minutes)
  python test/Python/onnxtable.py PATTERN    runs those whose names match; the others stay as the page has them
"""
import collections
import re
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

import anetest
import bundlelib
import onnxnodes
import pagetable
from pagetable import section

PAGE = anetest.ROOT / "docs" / "generated" / "onnx-node-tests.md"
# Largest error, as a share of the largest expected value. On the CPU: f32 arithmetic in another order, or results stored
# in a short type. On the emulator everything is fp16.
CPU_TOLERANCE = {"float32": 2e-5, "float64": 2e-5, "float16": 2e-3, "bfloat16": 1e-2}
# The expected values are written with four digits.
ROUNDED = {"test_averagepool_2d_ceil_last_window_starts_on_pad", "test_roialign_aligned_false", "test_roialign_aligned_true"}
ROUNDED_TOLERANCE = 2e-4
ENGINE_TOLERANCE = 1e-2

PASS = "passes"
Outcome = collections.namedtuple("Outcome", "cpu emulator")


def isfloat(array):
    return array.dtype.name in CPU_TOLERANCE


def difference(got, want, tolerance):
    """What is wrong with an output, or None. Without a `tolerance`, that of the CPU."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"gives {got.dtype}{list(got.shape)} instead of {want.dtype}{list(want.shape)}"
    if not isfloat(got):
        return None if np.array_equal(got, want) else "gives wrong integers or truth values"
    tolerance = tolerance or CPU_TOLERANCE[got.dtype.name]
    got, want, finite = got.astype(np.float64), want.astype(np.float64), np.isfinite(want)
    if not np.array_equal(got[~finite], want[~finite], equal_nan=True):
        return "gives a number where infinity or NaN is wanted, or the reverse"
    scale = max(np.abs(want[finite]).max(initial=0), 1e-3)
    error = np.abs(got[finite] - want[finite]).max(initial=0)
    return None if error <= tolerance * scale else f"is off by more than {tolerance:g} of the largest value"


def reason(message):
    """A compiler's error without the names of nodes, values and files: the same for all models that it stops."""
    lines = [line.strip() for line in message.strip().splitlines() if line.strip()]
    described = [line for line in lines if re.match(r"(node|op|input|axis|the) ", line)]
    line = described[0] if described else lines[0] if lines else "no message"
    line = re.sub(r"^op (\w+) \(domain '([\w.]*)'.*", r"op \1 is not supported", line)
    line = re.sub(r"^node '[^']*' \((\w+)\)", r"\1", line)
    line = re.sub(r"\s?\([^()]*\)(?= must be constant)", "", line)
    line = re.sub(r"\S*\.onnx:?\S*:?\s*(error:)?\s*", "", line)
    return re.sub(r"(/\S+)+", "FILE", line)


def crashed(done):
    return done.returncode not in (0, 1) or "Stack dump" in done.stderr


def outcome(name, devices=("cpu", "emulator")):
    """Compiles and runs a case. PASS, or why not, for each device; a crash is an AssertionError."""
    case = onnxnodes.cases()[name]
    with tempfile.TemporaryDirectory() as directory:
        bundle = Path(directory) / "case.anebundle"
        done, inputs = onnxnodes.run_tool(case, directory, "ane-compile", "--quiet", "-o", bundle)
        assert not crashed(done), f"{name}: exit code {done.returncode}\n{done.stderr}"
        if done.returncode:
            assert done.stderr.count("error: ") == 1, f"{name}: not one error\n{done.stderr}"
            return Outcome(reason(done.stderr), reason(done.stderr))
        result = {}
        for device in devices:
            with bundlelib.Bundle(bundle, device) as loaded:
                got = loaded(inputs)
            tolerance = ENGINE_TOLERANCE if device != "cpu" else ROUNDED_TOLERANCE if name in ROUNDED else 0
            wrong = [difference(value, want, tolerance) for value, want in zip(got, case.outputs, strict=True)
                     if device == "cpu" or isfloat(want)]
            result[device] = next((text for text in wrong if text), PASS)
    cpu = result.get("cpu", PASS)
    # The page tells one reason: what is wrong on the CPU is wrong everywhere.
    return Outcome(cpu, result.get("emulator", PASS) if cpu == PASS else cpu)


def page(outcomes):
    """The page for {name: Outcome} of all cases."""
    cases = onnxnodes.cases()
    scope = {name: onnxnodes.out_of_scope(cases[name]) for name in outcomes}
    lines = ["<!-- Made by test/Python/onnxtable.py; do not edit. -->", "", "# ONNX's own tests", "",
             "Every model that `onnx.backend.test` generates or carries is compiled and run on the CPU and on the emulator.",
             f"In scope are the default domain up to opset {onnxnodes.MAX_OPSET} and tensors of float32, float16, int32, int64, bool, int8",
             "and uint8. Inputs that decide shapes become constants first.", "",
             "| tests | in scope | pass | share | out of scope | pass |", "|---|---|---|---|---|---|"]
    for kind in [*dict.fromkeys(cases[name].kind for name in outcomes), "all"]:
        names = [name for name in outcomes if kind in ("all", cases[name].kind)]
        inside = [name for name in names if not scope[name]]
        passed = [name for name in names if outcomes[name].cpu == PASS]
        good = sum(not scope[name] for name in passed)
        share = f"{100 * good / len(inside):.1f} %" if inside else ""
        lines.append(f"| {kind} | {len(inside)} | {good} | {share} | {len(names) - len(inside)} | {len(passed) - good} |")
    lines += ["", f"A result may be off by {CPU_TOLERANCE['float32']:g} of the largest value on the CPU ({CPU_TOLERANCE['float16']:g} if it is stored in fp16), and by "
              f"{ENGINE_TOLERANCE:g} on", "the emulator, which computes in fp16.", ""]

    failed = [(name, result) for name, result in outcomes.items() if result.cpu != PASS]
    lines += section("In scope, not passing", [(name, result.cpu) for name, result in failed if not scope[name]])
    lines += section("Passing on the CPU, not on the emulator", [(name, result.emulator) for name, result in outcomes.items()
                                                                 if result.cpu == PASS and result.emulator != PASS])
    lines += section("Out of scope, not passing", [(name, f"{scope[name]}: {result.cpu}") for name, result in failed if scope[name]])
    return "\n".join(lines).rstrip() + "\n"


def committed():
    """{name: (section, reason)} of the committed page."""
    return pagetable.committed(PAGE)


def expected(name, listed):
    """The outcome that the committed page tells."""
    title, why = listed.get(name, ("", ""))
    if not title:
        return Outcome(PASS, PASS)
    if title.startswith("Passing"):
        return Outcome(PASS, why)
    if title.startswith("Out"):
        why = why.partition(": ")[2]
    return Outcome(why, why)


def safe_outcome(name):
    try:
        return outcome(name)
    except (AssertionError, bundlelib.RunError) as failure:
        print(f"{name}: {failure}", file=sys.stderr)
        text = f"FAILS: {str(failure).splitlines()[0]}"
        return Outcome(text, text)


def main():
    names = [name for name in onnxnodes.cases() if re.search(sys.argv[1] if len(sys.argv) > 1 else "", name)]
    with ProcessPoolExecutor() as pool:
        run = dict(zip(names, pool.map(safe_outcome, names, chunksize=4)))
    listed = committed() if len(run) < len(onnxnodes.cases()) else {}
    outcomes = {name: run.get(name) or expected(name, listed) for name in onnxnodes.cases()}
    PAGE.write_text(page(outcomes))
    print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
