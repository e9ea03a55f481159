"""Compares ane-compile with onnx2coreml, which makes packages of Core ML from ONNX by coremltools' builder: how many of ONNX's node
tests each converts, how many of these packages hold the test's values (test/Python/coreml_fold.py, for both), and time and memory of
whole models. Writes docs/core-ml-peer.md.

    .venv/bin/python scripts/bench/onnx2coreml_peer.py [--step 1] [MODEL...]

Of the peer only the conversion is timed in node tests, in a process that has imported it; of ane-compile the whole process. Whole
models are converted in a process of their own by both. Needs onnx2coreml in .venv, where only this script uses it: `.venv/bin/pip install --no-deps onnx2coreml==1.1.0`.
"""
import argparse
import datetime
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "test" / "Python"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
warnings.filterwarnings("ignore")

import anetest  # noqa: E402
import coreml_fold  # noqa: E402
import onnx  # noqa: E402
import onnx2coreml  # noqa: E402
import onnxnodes  # noqa: E402
import run  # noqa: E402
import zoo  # noqa: E402

PAGE = ROOT / "docs" / "core-ml-peer.md"
ONE = "import sys, onnx2coreml; onnx2coreml.convert(sys.argv[1], format='mlpackage', compute_precision='fp32').save(sys.argv[2])"


def ours(case, folder, package):
    start = time.perf_counter()
    done, inputs = onnxnodes.run_tool(case, folder, "ane-compile", "--quiet", "--precision=fp32", "--minimum-os=iOS17", "-o", package)
    return done.returncode == 0, inputs, time.perf_counter() - start


def theirs(case, folder, package):
    """The model as it is; a shape that the test leaves open is bound by its input, as ane-compile's flags do."""
    path = Path(folder) / "peer.onnx"
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    for info in model.graph.input:
        array = case.inputs.get(info.name)
        if isinstance(array, np.ndarray):
            for dim, size in zip(info.type.tensor_type.shape.dim, array.shape):
                dim.dim_value = size
    onnx.save(model, path)
    start = time.perf_counter()
    try:
        onnx2coreml.convert(str(path), format="mlpackage", compute_precision="fp32", minimum_deployment_target="iOS17").save(str(package))
        made = True
    except Exception:  # whatever coremltools' builder raises
        made = False
    return made, dict(case.inputs), time.perf_counter() - start


def is_right(package, inputs, wanted):
    try:
        spec = coreml_fold.ct.utils.load_spec(str(package))
        got = coreml_fold.fold(package, dict(zip([i.name for i in spec.description.input], inputs.values())))
    except Exception:
        return False
    return len(got) == len(wanted) and all(
        value.size == np.asarray(want).size and np.allclose(value.astype(np.float64).ravel(), np.asarray(want).astype(np.float64).ravel(),
                                                            rtol=1e-3, atol=1e-4, equal_nan=True)
        for value, want in zip(got.values(), wanted))


def nodes(step):
    counts = {name: [0, 0, 0.0] for name in ("ane-compile", "onnx2coreml")}  # converted, right, seconds
    tried = 0
    with tempfile.TemporaryDirectory() as folder:
        for index, (name, case) in enumerate(list(onnxnodes.cases().items())[::step]):
            if onnxnodes.out_of_scope(case):
                continue
            tried += 1
            for tool, convert in (("ane-compile", ours), ("onnx2coreml", theirs)):
                package = Path(folder) / f"{tool}{index}.mlpackage"
                made, inputs, seconds = convert(case, folder, package)
                counts[tool][0] += made
                counts[tool][1] += made and is_right(package, inputs, case.outputs)
                counts[tool][2] += seconds
            print(f"\r{tried} tests: {counts}", end="", file=sys.stderr)
    return tried, counts


def models(names):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            made = zoo.ensure(name)
            if not made:
                continue
            path, inputs = made
            seconds, memory, _ = run.measured([anetest.tool("ane-compile"), path, *zoo.options(name, inputs), "--precision=fp32", "--quiet",
                                               "-o", Path(folder) / "ours.mlpackage"])
            begin = time.perf_counter()
            done = subprocess.run([sys.executable, "-c", ONE, path, Path(folder) / "peer.mlpackage"], capture_output=True, text=True)
            peer = f"{time.perf_counter() - begin:.1f} s" if done.returncode == 0 else "not converted"
            rows.append([name, f"{seconds:.2f} s", f"{memory:.0f} MB", peer])
            print(rows[-1], file=sys.stderr)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--step", type=int, default=1, help="take every STEPth node test")
    parser.add_argument("models", nargs="*", metavar="MODEL", default=["mobilenet-v2", "bert-legacy", "gpt2", "ocr-classifier", "resnet50"])
    options = parser.parse_args()
    tried, counts = nodes(options.step)
    rows = models(options.models)
    text = [f"# Packages of Core ML beside onnx2coreml\n\nMade by `scripts/bench/onnx2coreml_peer.py` on {datetime.date.today()}: "
            f"{run.versions()}, onnx2coreml {onnx2coreml.__version__}.\n",
            f"Of {tried} node tests of ONNX, in fp32 for iOS 17; right is what coremltools folds to the test's values.\n",
            "| tool | converts | right | seconds |\n| --- | --- | --- | --- |"]
    text += [f"| {tool} | {made} | {right} | {seconds:.0f} |" for tool, (made, right, seconds) in counts.items()]
    text += ["\nWhole models, each in a process of its own:\n", "| model | ane-compile | its memory | onnx2coreml |\n| --- | --- | --- | --- |"]
    text += ["| " + " | ".join(row) + " |" for row in rows]
    PAGE.write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
