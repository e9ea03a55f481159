"""Small models through the command lines of training: losses of arrays beside PyTorch's, what can't be trained, and runs of one seed on two devices."""
import json
import subprocess

import numpy as np
import onnx
import pytest
from safetensors.numpy import load_file

import anetest
import gradientcheck
import zoo

ROWS, WIDTH, HIDDEN, OUT = 8, 6, 16, 3


def dense(path, *nodes, **more):
    """y = tanh(x first + bias) second, and what `nodes` make of it; `more` are initializers."""
    rng = np.random.default_rng(8)
    weights = {"first": rng.normal(0, 0.5, (WIDTH, HIDDEN)), "bias": rng.normal(0, 0.2, HIDDEN), "second": rng.normal(0, 1, (HIDDEN, OUT))}
    weights = {name: array.astype(np.float32) for name, array in weights.items()} | more
    make = onnx.helper.make_node
    graph = onnx.helper.make_graph([make("MatMul", ["x", "first"], ["a"]), make("Add", ["a", "bias"], ["b"]), make("Tanh", ["b"], ["c"]),
                                    make("MatMul", ["c", "second"], ["d" if nodes else "y"]), *nodes],
                                   "g", [onnx.helper.make_tensor_value_info("x", 1, (ROWS, WIDTH))], [onnx.helper.make_tensor_value_info("y", 1, (ROWS, OUT))],
                                   [onnx.numpy_helper.from_array(array, name) for name, array in weights.items()])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=9), path)
    return weights


ORACLE = """
import sys, numpy as np, torch
values, found = np.load(sys.argv[1]), {}
for kind, dtype in (("grad", torch.float32), ("double", torch.float64)):
    weights = {name: torch.tensor(values[name], dtype=dtype, requires_grad=True) for name in ("first", "bias", "second")}
    y = torch.tanh(torch.tensor(values["x"], dtype=dtype) @ weights["first"] + weights["bias"]) @ weights["second"]
    loss = getattr(torch.nn.functional, sys.argv[2])(y, torch.tensor(values["target"], dtype=dtype))
    loss.backward()
    found |= {"loss": loss.item()} | {f"{kind}.{name}": weight.grad.numpy() for name, weight in weights.items()}
np.savez(sys.argv[3], largest=y.abs().max().item(), **found)
"""
LOSSES = {"bce": "binary_cross_entropy_with_logits", "mse": "mse_loss"}


@pytest.mark.parametrize("far", [1, 8], ids=["near", "far"])  # far: a sigmoid of the logits would be 0 or 1 in fp16
@pytest.mark.parametrize("loss", LOSSES)
def test_losses(tmp_path, loss, far):
    """Value and gradients; targets of BCE may lie between 0 and 1."""
    if not zoo.python():
        pytest.skip("there is no environment with PyTorch")
    weights = dense(tmp_path / "m.onnx")
    weights["second"] = far * weights["second"]
    rng = np.random.default_rng(3)
    values = {"x": rng.normal(size=(ROWS, WIDTH)).astype(np.float32),
              "target": np.where(rng.random((ROWS, OUT)) < 0.7, rng.integers(0, 2, (ROWS, OUT)), rng.random((ROWS, OUT))).astype(np.float32)}
    np.savez(tmp_path / "values.npz", **values, **weights)
    subprocess.run([zoo.python(), "-c", ORACLE, tmp_path / "values.npz", LOSSES[loss], tmp_path / "want.npz"], check=True, stdin=subprocess.DEVNULL)
    with np.load(tmp_path / "want.npz") as arrays:
        want = dict(arrays)
    assert far == 1 or want.pop("largest") > 20
    anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", "--quiet", f"--train={loss}")
    for device in ("cpu", "emulator"):
        gradientcheck.check(device, gradientcheck.step(tmp_path / "m.anebundle", device, values, weights=weights), want)


def test_an_op_without_gradient(tmp_path):
    """The op and the model's node are named before a bundle, a checkpoint or a log is there."""
    updates = onnx.helper.make_node("ScatterElements", ["d", "places", "updates"], ["y"], name="late_product", axis=0, reduction="mul")
    dense(tmp_path / "m.onnx", updates, places=np.array([[0, 1, 2], [0, 3, 1]]), updates=np.full((2, OUT), 2, np.float32))
    np.savez(tmp_path / "data.npz", x=np.ones((ROWS, WIDTH), np.float32), target=np.ones((ROWS, OUT), np.float32))
    says = ["'ane.scatter_along_axis' op can't be differentiated", "late_product", "freeze"]
    anetest.rejected("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", "--train=mse", says=says)
    anetest.rejected("ane-train", tmp_path / "m.onnx", "--loss=mse", "--data", tmp_path / "data.npz", "--steps=1", "--device=cpu", "--out", tmp_path / "out",
                     "--log", tmp_path / "log", "--bundle", tmp_path / "m.anebundle", says=says)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.npz", "m.onnx"]


@pytest.mark.parametrize("kind,values,is_bias", [("zeros", [0, 0, 0], True), ("drawn", [1, 2, 3], True), ("equal", [2, 2, 2], True), ("mask", [0, -1e9, 0], False),
                                                 ("number", 1.5, False), ("one", [1.5], False)])
def test_what_is_added_to_a_layer(tmp_path, kind, values, is_bias):
    """A file without a list of parameters does not tell a bias from a literal or a mask: what looks like these is none."""
    dense(tmp_path / "m.onnx", onnx.helper.make_node("Add", ["d", "added"], ["y"]), added=np.array(values, np.float32))
    anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", "--quiet", "--train=mse")
    names = {entry["name"] for entry in json.loads((tmp_path / "m.anebundle" / "manifest.json").read_text())["training"]["parameters"]}
    assert names == {"first", "bias", "second"} | ({"added"} if is_bias else set())


def test_patterns_that_match_nothing(tmp_path):
    dense(tmp_path / "m.onnx")
    np.savez(tmp_path / "data.npz", x=np.ones((ROWS, WIDTH), np.float32), target=np.ones((ROWS, OUT), np.float32))
    run = ["--data", tmp_path / "data.npz", "--steps=1", "--device=cpu", "--out", tmp_path / "out", "--log", tmp_path / "log"]
    for flag, says in (("--freeze=embed*", "first"), ("--trainable=embed*", "no initializer of floats is called so")):
        anetest.rejected("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", "--train=mse", flag, says=["embed*", says])
    anetest.rejected("ane-train", tmp_path / "m.onnx", "--loss=mse", *run, "--bundle", tmp_path / "m.anebundle", "--compile-flag=--freeze=embed*",
                     says=["embed*", "first"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.npz", "m.onnx"]
    anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", "--quiet", "--train=mse")
    anetest.rejected("ane-train", tmp_path / "m.anebundle", *run, "--freeze=embed*", says=["embed*", "first"])
    assert not (tmp_path / "out").exists() and not (tmp_path / "log").exists()


@pytest.mark.parametrize("count", [ROWS - 3, ROWS, 2 * ROWS + 5])
def test_each_held_out_example_counts_once(tmp_path, count):
    """Also those that do not fill a batch; other examples weigh nothing."""
    weights = dense(tmp_path / "m.onnx")
    rng = np.random.default_rng(4)
    for name, size in (("data", 2 * ROWS), ("held", count)):
        np.savez(tmp_path / f"{name}.npz", x=rng.normal(size=(size, WIDTH)).astype(np.float32), target=rng.normal(size=(size, OUT)).astype(np.float32))
    held = np.load(tmp_path / "held.npz")
    y = np.tanh(held["x"].astype(np.float64) @ weights["first"] + weights["bias"]) @ weights["second"]
    anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", "--quiet", "--train=mse")
    done = anetest.run("ane-train", tmp_path / "m.anebundle", "--data", tmp_path / "data.npz", "--eval-data", tmp_path / "held.npz", "--json", "--steps=1",
                       "--lr=1e-20", "--device=cpu")
    assert abs(json.loads(done.stdout)["evaluation_loss"] - ((y - held["target"]) ** 2).mean()) < 1e-6


def test_one_seed_on_two_devices(tmp_path):
    """Runs of a seed take the same examples in the same order, and differ by fp16 only; another seed gives another run."""
    dense(tmp_path / "m.onnx")
    rng = np.random.default_rng(6)
    x = rng.normal(size=(10 * ROWS, WIDTH)).astype(np.float32)
    np.savez(tmp_path / "data.npz", x=x, target=np.sin(x[:, :OUT] + x[:, OUT:]) * rng.uniform(0.2, 2, (len(x), 1)).astype(np.float32))
    anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", "--quiet", "--train=mse")
    losses, weights = {}, {}
    for device in ("cpu", "emulator"):
        for seed in (5, 6):
            out = tmp_path / f"{device}-{seed}"
            anetest.run("ane-train", tmp_path / "m.anebundle", "--data", tmp_path / "data.npz", "--json", "--steps=40", "--optimizer=sgd", "--lr=0.05",
                        f"--device={device}", f"--seed={seed}", "--loss-scale=1024", "--log", f"{out}.jsonl", "--export", f"{out}.safetensors")
            lines = [json.loads(line) for line in (tmp_path / f"{out.name}.jsonl").read_text().splitlines()]
            assert not [line for line in lines if line.get("skipped") or "event" in line]
            losses[device, seed] = np.array([line["loss"] for line in lines if "loss" in line])
            weights[device, seed] = np.concatenate([array.ravel() for _, array in sorted(load_file(f"{out}.safetensors").items())])
    assert all(len(each) == 40 and each[-10:].mean() < 0.8 * each[:10].mean() for each in losses.values())
    off = {seed: (np.abs(losses["emulator", seed] / losses["cpu", seed] - 1).max(),
                  np.linalg.norm(weights["emulator", seed] - weights["cpu", seed]) / np.linalg.norm(weights["cpu", seed])) for seed in (5, 6)}
    other = (np.abs(losses["cpu", 6] / losses["cpu", 5] - 1).max(), np.linalg.norm(weights["cpu", 6] - weights["cpu", 5]) / np.linalg.norm(weights["cpu", 5]))
    print(f"largest difference of losses, and of weights: {off} by device, {other} by seed")
    for loss, weight in off.values():
        assert 0 < loss < 2e-3 and 0 < weight < 2e-4
        assert loss < other[0] / 20 and weight < other[1] / 20
