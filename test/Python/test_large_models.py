"""Weights beyond 2 GiB: a model whose external file is sparse, so that it costs no disk."""
import numpy as np
import pytest
from onnx import TensorProto, helper

import anetest
from test_memory import BASE, anonymous_peak

ROWS, COLUMNS = 560_000, 1024  # 2.3 GB of fp32 in one tensor
START = 4096                   # where it begins in the file; the small weight comes behind it
FILLED = [0, 1, ROWS // 2, 2**29 // COLUMNS + 1, ROWS - 2, ROWS - 1]  # rows that are not zero; one beyond 2 GiB of bytes


def external(name, shape, offset):
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape, data_location=TensorProto.EXTERNAL)
    for key, value in (("location", "weights.data"), ("offset", offset), ("length", 4 * int(np.prod(shape)))):
        tensor.external_data.add(key=key, value=str(value))
    return tensor


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """(path, table's rows by index, weight): y = table[ids] @ weight."""
    folder = tmp_path_factory.mktemp("large")
    rng = np.random.default_rng(3)
    rows = {row: rng.standard_normal(COLUMNS).astype(np.float32) for row in FILLED}
    weight = (rng.standard_normal((COLUMNS, 64)) / 32).astype(np.float32)
    end = START + 4 * ROWS * COLUMNS
    with open(folder / "weights.data", "wb") as file:
        for row, values in rows.items():
            file.seek(START + 4 * row * COLUMNS)
            file.write(values.tobytes())
        file.seek(end)
        file.write(weight.tobytes())
    graph = helper.make_graph([helper.make_node("Gather", ["table", "ids"], ["rows"], name="rows", axis=0),
                               helper.make_node("MatMul", ["rows", "weight"], ["y"], name="product")], "large",
                              [helper.make_tensor_value_info("ids", TensorProto.INT64, [1, 32])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 32, 64])],
                              [external("table", [ROWS, COLUMNS], START), external("weight", [COLUMNS, 64], end)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (folder / "m.onnx").write_bytes(model.SerializeToString())
    return folder / "m.onnx", rows, weight


def test_import(large, tmp_path):
    """The weight behind the table is read from beyond 2 GiB; nothing of the table is."""
    path, _, weight = large
    peak = anonymous_peak([anetest.tool("ane-compile"), path, "-o", tmp_path / "m.anebundle", "--host=none"])
    assert peak <= BASE
    blob = np.fromfile(tmp_path / "m.anebundle" / "weights" / "main_0.bin", np.float16, offset=128)
    assert np.array_equal(blob.reshape(64, COLUMNS), weight.T.astype(np.float16))


@pytest.mark.slow
def test_run(large, tmp_path):
    """With CPU code: a weight file of more than 2 GiB, rows of which are gathered at both ends."""
    path, rows, weight = large
    bundle = tmp_path / "m.anebundle"
    peak = anonymous_peak([anetest.tool("ane-compile"), path, "-o", bundle, "--host=native"])
    assert peak <= BASE
    ids = np.array((FILLED * 6)[:32], np.int64)[None]
    want = np.stack([rows[row] for row in ids[0]])[None].astype(np.float64) @ weight
    for device, limit in (("cpu", 2e-5), ("emulator", 5e-3)):
        got = anetest.run_bundle(bundle, {"ids": ids}, ["y"], tmp_path / device, device)["y"]
        assert np.abs(got - want).max() <= limit * np.abs(want).max(), device
