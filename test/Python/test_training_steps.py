"""Steps of a trainer: its optimisers beside PyTorch's (trainoracle.py), and what a step costs on the emulator."""
import json
import subprocess
from pathlib import Path

import numpy as np
import onnx
import pytest

import anetest
import lmzoo
import trainlib
import zoo

pytestmark = pytest.mark.slow
LENGTH, BATCH = 24, 2


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    """(bundle, folder of the model)"""
    folder = tmp_path_factory.mktemp("training")
    if not lmzoo.ensure(folder, "llama-tied"):
        pytest.skip("there is no .venv-models to make models with (scripts/setup.sh --models)")
    bundle = folder / "m.anebundle"
    anetest.run("ane-compile", folder / "llama-tied", "-o", bundle, "--quiet", "--train", f"--sequence={LENGTH}", f"--batch={BATCH}",
                "--tokenizer=none")
    return bundle, folder / "llama-tied"


def batch(seed):
    ids = np.random.default_rng(seed).integers(3, 160, (BATCH, LENGTH + 1))
    return {"input_ids": ids[:, :-1].astype(np.int32), "target": ids[:, 1:].astype(np.int64)}


def test_optimizers(case, tmp_path):
    bundle, model = case
    out = tmp_path / "out.json"
    subprocess.run([zoo.python(), Path(__file__).with_name("trainoracle.py"), bundle, model, out], check=True,
                   stdin=subprocess.DEVNULL)
    results = json.loads(out.read_text())
    assert set(results) == {"adamw", "sgd", "lion"}
    for kind, result in results.items():
        print(kind, result["same_gradients"], result["losses"][-1])
        assert result["same_gradients"] < 1e-6, kind
        found, want = np.transpose(result["losses"])
        # The quotient of AdamW makes a rounding of a gradient that is nearly 0 as large as any step.
        assert np.abs(found / want - 1).max() < (1e-4 if kind == "adamw" else 1e-6), kind
        assert np.ptp(want) > 1e-3


def test_emulator_follows_the_cpu(case):
    """Losses of fp16 programs stay near those of float32; what is staged is what --dry-run says."""
    bundle, _ = case
    plan = json.loads(anetest.run("ane-train", bundle, "--dry-run", "--json", "--device=emulator", "--accumulate=2").stdout)
    assert plan["evaluations_per_step"] > 0
    losses = {}
    for device in ("cpu", "emulator"):
        with trainlib.Trainer(bundle, device=device, learning_rate=2e-3, accumulate=2, loss_scale=1024.0) as trainer:
            losses[device] = []
            for step in range(10):
                for part in range(2):
                    trainer.feed(batch(2 * (step % 2) + part))
                    trainer.backward()
                report = trainer.update()
                assert not report.skipped
                losses[device].append(report.loss)
                if device == "emulator":
                    assert report.evaluations == plan["evaluations_per_step"]
                    assert report.staged_bytes == plan["staged_bytes_per_step"]
    print(losses)
    assert losses["cpu"][-1] < 0.9 * losses["cpu"][0]
    assert np.abs(np.array(losses["emulator"]) / losses["cpu"] - 1).max() < 0.01


def test_threads_change_nothing(case):
    """Not a bit of weights after some steps."""
    bundle, _ = case
    weights = []
    for threads in (1, 2, 3):
        with trainlib.Trainer(bundle, device="cpu", threads=threads, clip=1.0) as trainer:
            for step in range(5):
                trainer.feed(batch(step))
                trainer.backward()
                trainer.update()
            weights.append({name: trainer.weight(name) for name in trainer.parameters})
    for other in weights[1:]:
        assert all(np.array_equal(weights[0][name], other[name]) for name in weights[0])


def test_frozen_parameters(case):
    bundle, _ = case
    with trainlib.Trainer(bundle, device="cpu", frozen=["*norm*", "model.embed_tokens.*"]) as trainer:
        before = {name: trainer.weight(name) for name in trainer.parameters}
        trainer.feed(batch(0))
        trainer.backward()
        trainer.update()
        for name, weight in before.items():
            assert np.array_equal(trainer.weight(name), weight) == ("norm" in name or "embed" in name), name
        with pytest.raises(trainlib.TrainError, match="frozen"):
            trainer.gradient("model.embed_tokens.weight")
    with pytest.raises(trainlib.TrainError, match="matches \"adapter"):
        trainlib.Trainer(bundle, device="cpu", frozen=["adapter*"])


def test_gradients_that_are_one_value(tmp_path):
    """Two addends have the same gradient, which the step computes once: both parameters are updated by it."""
    rng = np.random.default_rng(8)
    values = {"w": rng.normal(0, 0.1, (8, 5)).astype(np.float32), "a": np.zeros(5, np.float32), "b": np.ones(5, np.float32)}
    nodes = [onnx.helper.make_node("MatMul", ["x", "w"], ["t"]), onnx.helper.make_node("Add", ["t", "a"], ["u"]),
             onnx.helper.make_node("Add", ["t", "b"], ["s"]), onnx.helper.make_node("Add", ["u", "s"], ["y"])]
    graph = onnx.helper.make_graph(nodes, "g", [onnx.helper.make_tensor_value_info("x", 1, (4, 8))],
                                   [onnx.helper.make_tensor_value_info("y", 1, (4, 5))],
                                   [onnx.numpy_helper.from_array(value, name) for name, value in values.items()])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9), tmp_path / "m.onnx")
    anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", "--quiet", "--train=mse")
    x, target = rng.normal(size=(4, 8)).astype(np.float32), rng.normal(size=(4, 5)).astype(np.float32)
    for device in ("cpu", "emulator"):
        with trainlib.Trainer(tmp_path / "m.anebundle", device=device, optimizer="sgd", learning_rate=0.5, accumulate=2, loss_scale=64.0) as trainer:
            trainer.feed({"x": x, "target": target})
            for _ in range(2):
                trainer.backward()
            trainer.update()
            want = 2 * (2 * x @ values["w"] + values["a"] + values["b"] - target).sum(0) / target.size
            for name in ("a", "b"):
                assert np.allclose(trainer.gradient(name), want, atol=1e-6 if device == "cpu" else 1e-3), (device, name)
                assert np.allclose(trainer.weight(name), values[name] - 0.5 * want, atol=1e-6 if device == "cpu" else 1e-3)
