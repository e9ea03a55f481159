"""The importer on ONNX's node tests: each is imported and computes what ONNX says, or is refused with a reason."""
import collections
import re

import numpy as np
import pytest

pytest.importorskip("onnx.backend.test")
import hostlib
import onnxnodes

TOLERANCE = {2: 2e-3, 4: 2e-5, 8: 2e-5}
# Where the CPU code differs, not the import.
KNOWN = {"test_logsoftmax_large_number": "log_softmax subtracts large numbers"}


def families():
    made = collections.defaultdict(list)
    for name, (model, _, _) in onnxnodes.cases().items():
        expanded = name.endswith("_expanded") or len(model.graph.node) != 1
        made["composed" if expanded else model.graph.node[0].op_type].append(name)
    return made


@pytest.mark.parametrize("family", sorted(families()))
def test_import(family, tmp_path):
    for name in families()[family]:
        done, _ = onnxnodes.import_case(name, tmp_path)
        if done.returncode == 0:
            assert not done.stderr, f"{name}: {done.stderr}"
            want = [onnxnodes.mlir_type(array) for array in onnxnodes.cases()[name][2]]
            signature = next(line for line in done.stdout.splitlines() if "func.func @main" in line)
            assert re.findall(r"tensor<[^>]*>", signature.rpartition(" -> ")[2]) == want, f"{name}: {signature}"
        else:
            assert done.returncode == 1, f"{name}: exit code {done.returncode}\n{done.stderr}"
            assert done.stderr.count("error: ") == 1, f"{name}: {done.stderr}"


def check(name, got, want):
    assert got.shape == want.shape and got.dtype == want.dtype, f"{name}: {got.dtype}{got.shape}, want {want.dtype}{want.shape}"
    if got.dtype.kind != "f":
        np.testing.assert_array_equal(got, want, err_msg=name)
        return
    finite = np.isfinite(want)
    np.testing.assert_array_equal(got[~finite], want[~finite], err_msg=name)
    scale = max(float(np.abs(want[finite]).max(initial=0)), 1e-3)
    error = np.abs(got[finite].astype(float) - want[finite].astype(float)).max(initial=0)
    assert error <= TOLERANCE[got.dtype.itemsize] * scale, f"{name}: error {error / scale:.2e}\n{got}\nwant\n{want}"


@pytest.mark.slow
@pytest.mark.parametrize("family", sorted(families()))
def test_compute(family, tmp_path):
    counts = collections.Counter()
    for name in families()[family]:
        done, inputs = onnxnodes.import_case(name, tmp_path)
        outputs = onnxnodes.cases()[name][2]
        arrays = list(inputs.values()) + outputs
        if done.returncode or any(str(a.dtype) not in hostlib_names() or not a.size for a in arrays) or name in KNOWN:
            counts["not imported"] += 1
            continue
        try:
            library = hostlib.Library(done.stdout, tmp_path / name)
        except AssertionError as failure:
            if "has no CPU lowering" not in str(failure):
                raise
            counts["no CPU code"] += 1
            continue
        got = library("main", *inputs.values())
        for value, want in zip(got if isinstance(got, list) else [got], outputs):
            check(name, value, want)
        counts["right"] += 1
    print(dict(counts))
    if not counts["right"]:
        pytest.skip(f"{family}: {dict(counts)}")


def hostlib_names():
    return {np.dtype(dtype).name for dtype in hostlib.DTYPES.values()}
