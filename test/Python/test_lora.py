"""Adapters (ane-compile --train --lora) against peft's."""
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

import anetest
import bundlelib
import frontend  # finds the package
import lmzoo
import zoo
from test_training_bundles import SCALE, check, training_of

import anemone

LENGTH, BATCH, RANK, ALPHA = 24, 2, 4, 8
# GPT-2's layer of queries, keys and values is one, of which the compiler makes three.
TARGETS = {"llama": "q_proj,v_proj,down_proj", "gpt2": "c_attn,c_fc"}


def oracle(*arguments):
    subprocess.run([zoo.python(), Path(__file__).with_name("loraoracle.py"), *map(str, arguments)], check=True, stdin=subprocess.DEVNULL)


def flag(name):
    return f"--lora=rank={RANK},alpha={ALPHA},targets={TARGETS[name]}"


@pytest.fixture(scope="module", params=list(TARGETS))
def case(request, tmp_path_factory):
    """(name, folder of the model, training bundle, what peft makes of it)"""
    name, folder = request.param, tmp_path_factory.mktemp("lora")
    if not lmzoo.ensure(folder, name):
        pytest.skip("there is no .venv-models to make models with (scripts/setup.sh --models)")
    bundle = folder / "training.anebundle"
    anetest.run("ane-compile", folder / name, "-o", bundle, "--quiet", "--train", f"--sequence={LENGTH}", f"--batch={BATCH}",
                "--tokenizer=none", flag(name))
    oracle(folder / name, RANK, ALPHA, TARGETS[name], BATCH, LENGTH, folder / "peft.npz")
    with np.load(folder / "peft.npz") as arrays:
        return name, folder / name, bundle, dict(arrays)


def adapters_of(values):
    return {name: array for name, array in values.items() if name.startswith("base_model.")}


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_gradients(case, device):
    _, _, bundle, want = case
    training = training_of(bundle)
    assert {parameter["name"] for parameter in training["parameters"]} == set(adapters_of(want))
    with bundlelib.Bundle(bundle, device, function=training["step"]) as session:
        values = want | {"loss_scale": np.float32(SCALE[device])}
        results = session({name: np.asarray(values[name], dtype).reshape(shape) for name, dtype, shape in session.inputs})
        assert not session.events()
        found = {name: array for (name, *_), array in zip(session.outputs, results)}
    check(device, found, {key: want[key] for key in want if key == "loss" or key.startswith("grad.")})


def test_tool(case, tmp_path):
    """ane-train compiles a model with adapters, and trains nothing else."""
    name, model, bundle, want = case
    data, out = tmp_path / "data.npz", tmp_path / "adapter.safetensors"
    np.savez(data, input_ids=want["input_ids"], target=want["target"])
    common = ["--data", data, "--steps=10", "--lr=0.01", "--device=cpu", "--json"]
    first = anetest.run("ane-train", model, *common, flag(name), f"--seq={LENGTH}", f"--batch={BATCH}", "--compile-flag=--tokenizer=none",
                        "--log", tmp_path / "log.jsonl", "--export", out)
    assert json.loads(first.stdout)["steps"] == 10
    losses = [json.loads(line)["loss"] for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert losses[-1] < losses[0] - 0.05, losses
    trained = load_file(out)
    assert {key: array.shape for key, array in trained.items()} == {key: array.shape for key, array in adapters_of(want).items()}
    assert all(np.any(array) for array in trained.values())  # B is zero at first
    anetest.rejected("ane-train", bundle, *common, flag(name), says="is for a model that is compiled", code=2)


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_states(case, device):
    """Without adapters the bundle computes its base model; adapters are exchanged between runs, and nothing is compiled."""
    name, model, _, want = case
    bundles = [model.parent / f"{kind}.anebundle" for kind in ("base", "adapted")]
    for bundle, flags in zip(bundles, ([], [flag(name)])):
        if not bundle.exists():
            anetest.run("ane-compile", model, "-o", bundle, "--quiet", "--context=48", f"--prefill={LENGTH}", "--tokenizer=none", *flags)
    base, adapted = (anemone.load(bundle, device=device, function=f"prefill_{LENGTH}").session() for bundle in bundles)

    def logits(session):
        return session(input_ids=want["input_ids"][:1], position=np.array([0], np.int32), length=np.array([LENGTH], np.int32))["logits"]

    plain = logits(base)
    np.testing.assert_array_equal(logits(adapted), plain)
    adapters = adapters_of(want)
    for key, array in adapters.items():
        adapted.states[key] = array
    error = anetest.Error(logits(adapted), want["logits"][0, -1:])
    print(f"{device}: {error}")
    assert error.max <= (1e-4 if device == "cpu" else 1e-2) * error.scale
    assert np.abs(plain - want["logits"][0, -1:]).max() > 0.05 * error.scale
    for key, array in adapters.items():
        adapted.states[key] = 0 * array
    np.testing.assert_array_equal(logits(adapted), plain)
    assert not adapted.events()
