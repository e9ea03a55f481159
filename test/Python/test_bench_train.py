"""`ane-bench train` beside a peer whose times are known, and beside PyTorch, which must train the same."""
import json
import sys

import pytest

import anetest
import lmzoo
import zoo

# A second for a step.
PEER = """import sys
assert sys.argv[2:] == ["1", "2", "16"]
print("ready Nobody 1.0", flush=True)
while request := sys.stdin.buffer.read(1):
    print({b"s": 1e9, b"l": 0.5}[request], flush=True)
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    if not (anetest.BUILD / "bin" / "ane-bench").exists():
        pytest.skip("ane-bench is not built")
    folder = tmp_path_factory.mktemp("models")
    if not lmzoo.ensure(folder, "llama-tied-plain"):
        pytest.skip("there is no .venv-models to make models with (scripts/setup.sh --models)")
    return folder / "llama-tied-plain"


def bench(model, *peers):
    options = ["--json", "--threads=1", "--rounds=2", "--steps=3", "--batch=2", "--sequence=16", *(f"--peer={peer}" for peer in peers)]
    return json.loads(anetest.run("ane-bench", "train", *options, f"--compiler={anetest.tool('ane-compile')}", model).stdout)


def test_figures(model, tmp_path):
    peer = tmp_path / "peer.py"
    peer.write_text(PEER)
    result = bench(model, f"{sys.executable} {peer}")
    record, = result["models"]
    other, = record["peers"]
    assert other["peer"] == "Nobody 1.0" and other["loss"] == 0.5
    assert other["step_ms"] == pytest.approx(1000) and other["tokens_per_s"] == pytest.approx(32)
    assert other["ratio"] == pytest.approx(record["step_ms"] / 1000)
    assert record["tokens_per_s"] == pytest.approx(32 / record["step_ms"] * 1000)
    assert 0 < record["backward_ms"] < record["step_ms"] * 1.5 and 0 < record["update_ms"] < record["step_ms"] * 1.5
    # Weights, gradients and two moments.
    assert record["peak_bytes"] > 16 * record["parameters"] > 0
    assert 0 < other["peak_bytes"] and other["memory_ratio"] == pytest.approx(record["peak_bytes"] / other["peak_bytes"])


def test_same_steps_as_pytorch(model):
    """9 steps, of which PyTorch computes the same losses: data, gradients, clipping and update are the same."""
    record, = bench(model, f"{zoo.python()} {anetest.ROOT / 'scripts' / 'bench' / 'torch_train_peer.py'}")["models"]
    other, = record["peers"]
    assert record["loss"] == pytest.approx(other["loss"], rel=1e-4)
    assert "PyTorch" in other["peer"]


def test_wrong_use(model):
    anetest.rejected("ane-bench", "train", "--rounds=1", "--steps=1", "--sequence=16", "--peer=false", f"--compiler={anetest.tool('ane-compile')}", model,
                     says="ended or did not say that it is ready")
