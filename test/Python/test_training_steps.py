"""Steps of a trainer: its optimisers beside PyTorch's (trainoracle.py), and what a step costs on the emulator."""
import json
import subprocess
from pathlib import Path

import numpy as np
import onnx
import pytest

import anetest
import frontend  # finds the package
import lmzoo
import trainlib
import zoo

import anemone

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


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Four batches."""
    path = tmp_path_factory.mktemp("data") / "data.npz"
    batches = [batch(seed) for seed in range(4)]
    np.savez(path, **{name: np.concatenate([each[name] for each in batches]) for name in batches[0]})
    return path


def trained(bundle, data, out, *flags):
    """(summary, lines of the log, bytes of the weights) of a run of ane-train."""
    summary = anetest.run("ane-train", bundle, "--data", data, "--json", "--log", f"{out}.jsonl", "--export", f"{out}.safetensors", *flags).stdout
    lines = [json.loads(line) for line in Path(f"{out}.jsonl").read_text().splitlines()]
    return json.loads(summary), lines, Path(f"{out}.safetensors").read_bytes()


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_threads_change_nothing(case, data, tmp_path, device):
    """Not a bit of losses, norms and weights, of steps of two micro-batches."""
    runs = []
    for threads in (1, 2, 3):
        _, lines, weights = trained(case[0], data, tmp_path / str(threads), f"--device={device}", "--deterministic", f"--threads={threads}", "--steps=6",
                                    "--accumulate=2", "--lr=1e-3", "--seed=5")
        runs.append(([{name: line[name] for name in ("loss", "norm", "rate", "loss_scale", "skipped")} for line in lines], weights))
    assert len(runs[0][0]) == 6
    assert runs[0] == runs[1] == runs[2]


def test_clamped_gradients(tmp_path):
    """Gradients that fp16 can't hold: steps are skipped or, where that is asked for, elements are clamped and counted, until the scale fits."""
    rng = np.random.default_rng(8)
    graph = onnx.helper.make_graph([onnx.helper.make_node("MatMul", ["x", "w"], ["y"])], "g", [onnx.helper.make_tensor_value_info("x", 1, (4, 8))],
                                   [onnx.helper.make_tensor_value_info("y", 1, (4, 5))],
                                   [onnx.numpy_helper.from_array(rng.normal(0, 0.1, (8, 5)).astype(np.float32), "w")])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9), tmp_path / "m.onnx")
    # Of 4 rows the CPU would compute them, in fp32.
    anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", "--quiet", "--train=mse", "--weight-gradients=engine")
    # All errors have one sign, and their squares are in fp16; a gradient of an output is -20.
    np.savez(tmp_path / "data.npz", x=rng.uniform(0.5, 1.5, (16, 8)).astype(np.float32), target=np.full((16, 5), 200, np.float32))
    flags = ["--device=emulator", "--steps=24", "--optimizer=sgd", "--lr=1e-3", "--clip=0"]
    skipping, lines, _ = trained(tmp_path / "m.anebundle", tmp_path / "data.npz", tmp_path / "skipping", *flags)
    assert 3 < skipping["skipped"] < 20 and skipping["clamped"] == 0
    assert all(", the first of 40 elements of 40, " in line["skipped"] for line in lines if line["skipped"])
    clamping, lines, _ = trained(tmp_path / "m.anebundle", tmp_path / "data.npz", tmp_path / "clamping", *flags, "--clamp-fp16")
    counts = [line["clamped"] for line in lines]
    print(f"{skipping['skipped']} steps skipped, or {counts} elements clamped, {clamping['skipped']} skipped")
    assert counts[0] == 40 and counts[-1] == 0 and sum(counts) == clamping["clamped"] and clamping["skipped"] == 0
    for line, behind in zip(lines, lines[1:]):
        assert behind["loss_scale"] == line["loss_scale"] / (2 if line["clamped"] else 1)
    # No step was lost.
    assert clamping["loss"] < skipping["loss"] < lines[0]["loss"]
    with anemone.Trainer(tmp_path / "m.anebundle", device="emulator", optimizer="sgd", learning_rate=1e-3, clamp_fp16=True) as trainer:
        step = trainer.step(x=np.ones((4, 8), np.float32), target=np.full((4, 5), 200, np.float32))
        assert (step.clamped, step.loss_scale, step.skipped) == (40, 32768, None)
        assert np.allclose(trainer.gradients()["w"], -65504 / 32768)
    anetest.rejected("ane-train", tmp_path / "m.anebundle", "--data", tmp_path / "data.npz", "--steps=1", "--clamp-fp16", "--loss-scale=40000", code=2,
                     says="loss scale: is 40000, which fp16 would clamp, too; expected at most 32768")


def test_scores_beyond_fp16(case):
    """Products of queries and keys that fp16 makes infinite are clipped before softmax, which would make NaN of them."""
    with anemone.Trainer(case[0], device="emulator") as trainer:
        trainer.load_state_dict({name: 200 * value for name, value in trainer.state_dict().items() if ".q_proj." in name or ".k_proj." in name})
        assert np.isfinite(trainer.evaluate(batch(0)))


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
    """Two addends have the same gradient, which the step computes once: both parameters are updated by it. (Equal
    numbers behind a layer are no parameter unless asked for.)"""
    rng = np.random.default_rng(8)
    values = {"w": rng.normal(0, 0.1, (8, 5)).astype(np.float32), "a": np.zeros(5, np.float32), "b": np.ones(5, np.float32)}
    nodes = [onnx.helper.make_node("MatMul", ["x", "w"], ["t"]), onnx.helper.make_node("Add", ["t", "a"], ["u"]),
             onnx.helper.make_node("Add", ["t", "b"], ["s"]), onnx.helper.make_node("Add", ["u", "s"], ["y"])]
    graph = onnx.helper.make_graph(nodes, "g", [onnx.helper.make_tensor_value_info("x", 1, (4, 8))],
                                   [onnx.helper.make_tensor_value_info("y", 1, (4, 5))],
                                   [onnx.numpy_helper.from_array(value, name) for name, value in values.items()])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9), tmp_path / "m.onnx")
    anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", "--quiet", "--train=mse", "--trainable=b")
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
