"""Functions that train, made by ane-compile --train: gradients by all parameters against transformers' and PyTorch's."""
import json
import subprocess

import numpy as np
import pytest
from safetensors.numpy import load_file

import gguf

import anetest
import bundlelib
import gradientcheck
import lmzoo
import smollm
from test_gguf import neighbours
import zoo

LENGTH, LONG, BATCH = 24, 128, 2
NAMES = [name for name in lmzoo.MODELS if not name.endswith("-plain")]
LONG_NAMES = ["llama", "llama-tied", "llama-yarn", "mistral", "gpt2", "qwen3", "gemma2", "gemma3"]
SCALE = {"cpu": 1.0, "emulator": 1024.0}


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """The folder of all models."""
    folder = tmp_path_factory.mktemp("training")
    if not lmzoo.ensure(folder, *lmzoo.MODELS):
        pytest.skip("there is no .venv-models to make models with (scripts/setup.sh --models)")
    return folder


@pytest.fixture(scope="module", params=[(name, LENGTH) for name in NAMES] + [(name, LONG) for name in LONG_NAMES], ids=lambda param: f"{param[0]}-{param[1]}")
def case(request, made, tmp_path_factory):
    """(bundle, gradients of transformers with inputs and loss)"""
    name, length = request.param
    if length > LENGTH and not request.config.getoption("--full"):
        pytest.skip("slow: runs with --full")
    if length > LENGTH:
        subprocess.run([zoo.python(), lmzoo.__file__, made, "--long", name, str(length)], check=True, stdin=subprocess.DEVNULL)
        name = f"{name}-{length}"
    bundle = tmp_path_factory.mktemp(name) / "m.anebundle"
    anetest.run("ane-compile", made / name, "-o", bundle, "--quiet", "--train", f"--sequence={length}", f"--batch={BATCH}", "--tokenizer=none")
    subprocess.run([zoo.python(), lmzoo.__file__, made, "--gradients", name, str(BATCH), str(length)], check=True, stdin=subprocess.DEVNULL)
    with np.load(made / f"{name}.gradients.npz") as arrays:
        return bundle, dict(arrays)


def training_of(bundle):
    return json.loads((bundle / "manifest.json").read_text())["training"]


def step(bundle, device, values):
    """{output: array} of a step on what parameters begin with."""
    training = training_of(bundle)
    parameters = load_file(bundle / training["weights"])
    assert sorted(parameters) == [parameter["name"] for parameter in training["parameters"]]
    with bundlelib.Bundle(bundle, device, function=training["step"]) as session:
        values = values | parameters | {"loss_scale": np.float32(SCALE[device])}
        results = session({name: np.asarray(values[name], dtype) for name, dtype, _ in session.inputs})
        assert not session.events()
        return {name: array for (name, *_), array in zip(session.outputs, results)}


def check(device, found, want, length=None):
    """`found` is what step() gives: gradients times the scale, and times the share of targets that count."""
    factor = SCALE[device] * found.get("loss_share", 1)  # a contrastive loss has no targets
    gradients = {name.removeprefix("grad."): array / factor for name, array in found.items() if name.startswith("grad.")}
    gradientcheck.check(device, (found["loss"], gradients, SCALE[device]), want, length)


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_gradients(case, device):
    bundle, want = case
    gradientcheck.check(device, gradientcheck.step(bundle, device, want), want)


def test_evaluation(case):
    """The loss without gradients is the same."""
    bundle, want = case
    training = training_of(bundle)
    with bundlelib.Bundle(bundle, "cpu", function=training["evaluate"]) as session:
        values = want | load_file(bundle / training["weights"])
        assert [name for name, *_ in session.outputs] == ["loss", "loss_share"]
        loss, _ = session({name: np.asarray(values[name], dtype) for name, dtype, _ in session.inputs})
    assert abs(loss - want["loss"]) < 1e-5 * abs(want["loss"])


@pytest.fixture(scope="module")
def smollm2(tmp_path_factory):
    """(bundle, gradients of transformers by the names and in the layout of the file) of SmolLM2-135M in Q4_1."""
    if not zoo.python():
        pytest.skip("there is no .venv-models")
    folder = tmp_path_factory.mktemp("smollm2")
    anetest.run("ane-compile", smollm.gguf_path(), "-o", folder / "m.anebundle", "--quiet", "--train", "--sequence=128", "--tokenizer=none")
    subprocess.run([zoo.python(), lmzoo.__file__, folder, "--gguf-gradients", smollm.gguf_path(), "128"], check=True, stdin=subprocess.DEVNULL)
    names, want = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, 30), {}
    with np.load(folder / "gguf.gradients.npz") as arrays:
        for key, array in arrays.items():
            name = key.removeprefix("grad.")
            if name.endswith(("q_proj.weight", "k_proj.weight")):
                array = neighbours(array, 9 if "q_proj" in name else 3)
            want["grad." + names.get_name(name, try_suffixes=(".weight",)) if name != key else key] = array
    return folder / "m.anebundle", want


@pytest.mark.slow
@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_smollm2(smollm2, device):
    """A real model, all of its parameters. The gradients of the last layers' norms are small sums of large terms: in fp32 they are off by 2e-4 of what
    the build in double gives, as PyTorch's are. They were off by ten times as much when the sums over 49,152 logits were one sum each."""
    bundle, want = smollm2
    check(device, step(bundle, device, {key: want[key] for key in ("input_ids", "target")}), want, length=None if device == "cpu" else 5e-2)
