"""Adapters (ane-compile --train --lora) against peft's."""
import subprocess
from pathlib import Path

import numpy as np
import pytest

import anetest
import bundlelib
import lmzoo
import zoo
from test_training_bundles import SCALE, check, training_of

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
