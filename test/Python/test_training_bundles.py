"""Functions that train, made by ane-compile --train: gradients by all parameters against transformers' and PyTorch's."""
import json
import subprocess

import numpy as np
import pytest
from safetensors.numpy import load_file

import gguf

import anetest
import bundlelib
import lmzoo
import smollm
from test_gguf import neighbours
import zoo

LENGTH, BATCH = 24, 2
# Of the cosine between gradients of a parameter. The emulator's are of fp16.
LEAST = {"cpu": 0.99999, "emulator": 0.999}
SCALE = {"cpu": 1.0, "emulator": 1024.0}
# Parameters whose gradient is nearly 0 (a bias of keys, which softmax takes out) are rounding: of the largest norm of all.
SMALL, NEGLIGIBLE = 1e-5, {"cpu": 1e-6, "emulator": 1e-3}


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """The folder of all models."""
    folder = tmp_path_factory.mktemp("training")
    if not lmzoo.ensure(folder, *lmzoo.MODELS):
        pytest.skip("there is no .venv-models to make models with (scripts/setup.sh --models)")
    return folder


@pytest.fixture(scope="module", params=[name for name in lmzoo.MODELS if not name.endswith("-plain")])
def case(request, made, tmp_path_factory):
    """(bundle, gradients of transformers with inputs and loss)"""
    bundle = tmp_path_factory.mktemp(request.param) / "m.anebundle"
    anetest.run("ane-compile", made / request.param, "-o", bundle, "--quiet", "--train", f"--sequence={LENGTH}", f"--batch={BATCH}",
                "--tokenizer=none")
    subprocess.run([zoo.python(), lmzoo.__file__, made, "--gradients", request.param, str(BATCH), str(LENGTH)], check=True,
                   stdin=subprocess.DEVNULL)
    with np.load(made / f"{request.param}.gradients.npz") as arrays:
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
    length = length or (1e-3 if device == "cpu" else 2e-2)
    assert abs(found["loss"] - want["loss"]) < (1e-4 if device == "cpu" else 1e-2) * abs(want["loss"])
    expected = {key: array for key, array in want.items() if key.startswith("grad.")}
    assert set(found) - {"loss"} == set(expected)
    largest = max(np.linalg.norm(array) for array in expected.values())
    wrong, lowest = [], 1.0
    for key, array in expected.items():
        got = found[key].astype(np.float64) / SCALE[device]
        if np.linalg.norm(array) < SMALL * largest:
            if np.linalg.norm(got - array) > NEGLIGIBLE[device] * largest:
                wrong.append(f"{key}: off by {np.linalg.norm(got - array):.2e} of {largest:.2e}")
            continue
        error = anetest.Error(got, array)
        lowest = min(lowest, error.cosine)
        # The length, too: a factor would not show in the angle.
        if not error.cosine > LEAST[device] or abs(np.linalg.norm(got) / np.linalg.norm(array) - 1) > length:
            wrong.append(f"{key}: {error}")
    print(f"{device}: lowest cosine of {len(expected)} parameters: {lowest:.9f}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_gradients(case, device):
    bundle, want = case
    check(device, step(bundle, device, {key: want[key] for key in ("input_ids", "target")}), want)


def test_evaluation(case):
    """The loss without gradients is the same."""
    bundle, want = case
    training = training_of(bundle)
    with bundlelib.Bundle(bundle, "cpu", function=training["evaluate"]) as session:
        values = want | load_file(bundle / training["weights"])
        assert [name for name, *_ in session.outputs] == ["loss"]
        loss, = session({name: np.asarray(values[name], dtype) for name, dtype, _ in session.inputs})
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
