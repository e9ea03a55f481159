"""`ane-bench --sessions`: what it tells of several sessions of one bundle."""
import json

import numpy as np
import pytest

import anetest
import models
from test_ane_device import ANE, FRAMEWORK


def test_figures(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # where the framework has its folders
    devices = ["cpu", "emulator", *["ane"] * FRAMEWORK.exists()]
    if not (anetest.BUILD / "bin" / "ane-bench").exists():
        pytest.skip("ane-bench is not built")
    bundle = tmp_path / "m.anebundle"
    elements = 100_000
    builder, path = models.Builder(1), tmp_path / "m.onnx"
    model = builder.model([("x", models.FLOAT, [1, elements])], [(builder.op("Relu", "x"), [1, elements])])
    path.write_bytes(model.SerializeToString())
    anetest.run("ane-compile", path, "-o", bundle)
    (tmp_path / "m").mkdir()
    np.ones(elements, np.float32).tofile(tmp_path / "m" / "x.bin")
    told = anetest.run("ane-bench", "--sessions=3", "--rounds=2", f"--inputs={tmp_path}", f"m={bundle}", "--benchmark_format=json",
                       "--benchmark_filter=sessions", *[f"--device={ANE}"] * FRAMEWORK.exists()).stdout
    records = json.loads(told)["benchmarks"]
    assert [record["name"].split("/")[:3] for record in records] == [["sessions", device, "m"] for device in devices]
    for record in records:
        assert record["next_session_ms"] < record["first_session_ms"]
        # Input and output at least; no session has a copy of what the bundle has.
        assert 2 * 4 * elements <= record["next_session_bytes"] < 6 * 4 * elements
        assert record["times_faster"] == pytest.approx(record["in_turn_min_ms"] / record["at_once_min_ms"])
