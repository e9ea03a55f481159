"""Gradients of whole models by every parameter, against PyTorch in fp32 (gradientmodels.py)."""
import re
import subprocess

import numpy as np
import pytest

import anetest
import bundlelib
import gradientmodels
import zoo

COSINE = 0.99999
# Parameters whose gradient is nearly 0 (a bias of keys, which softmax takes out) are rounding: of the largest norm of all.
SMALL, NEGLIGIBLE = 1e-5, 1e-6


@pytest.fixture(scope="module", params=gradientmodels.MODELS)
def model(request, tmp_path_factory):
    """(folder, inputs, PyTorch's gradients) of a model."""
    if not zoo.python():
        pytest.skip("there is no environment with PyTorch")
    folder = tmp_path_factory.mktemp(request.param)
    subprocess.run([zoo.python(), gradientmodels.__file__, request.param, folder], check=True, stdin=subprocess.DEVNULL)
    with np.load(folder / "inputs.npz") as inputs, np.load(folder / "gradients.npz") as gradients:
        return folder, dict(inputs), dict(gradients)


def compiled(folder, inputs, parameters, *passes):
    """A bundle of the model's function and that of its gradients."""
    trainable = [f"--trainable={name}" for name in parameters]
    shapes = [word for key, array in inputs.items() if key != "target" for word in ("--shape", f"{key}={'x'.join(map(str, array.shape))}")]
    anetest.run("ane-translate", "--onnx-to-ane", *trainable, *shapes, folder / "model.onnx", "-o", folder / "model.mlir")
    anetest.run("ane-opt", folder / "model.mlir", "--ane-to-canonical", "--ane-append-loss", *passes,
                f"--ane-autodiff=wrt={','.join(parameters)}", "-o", folder / "gradients.mlir")
    # The bundle's weights need not be such as can be set later: it's compiled once, and gives their gradients.
    text = (folder / "gradients.mlir").read_text()
    (folder / "gradients.mlir").write_text(re.sub(r"ane\.trainable = \[[^\]]*\], ", "", text, count=1))
    anetest.run("ane-compile", folder / "gradients.mlir", "--quiet", "--cpu-weights=source", "-o", folder / "m.anebundle")
    return folder / "m.anebundle"


def check(names, results, want, least):
    found = dict(zip(names, results))
    assert abs(found.pop("loss") - want["loss"]) < 1e-4 * abs(want["loss"])
    gradients = {key.removeprefix("grad."): array for key, array in found.items()}
    expected = {key: array for key, array in want.items() if key != "loss"}
    assert set(gradients) == set(expected)
    largest = max(np.linalg.norm(array) for array in expected.values())
    wrong, lowest = [], 1.0
    for key, array in expected.items():
        got = gradients[key].astype(np.float64)
        if np.linalg.norm(array) < SMALL * largest:
            if np.linalg.norm(got - array) > NEGLIGIBLE * largest:
                wrong.append(f"{key}: off by {np.linalg.norm(got - array):.2e} of {largest:.2e}")
            continue
        error = anetest.Error(got, array)
        lowest = min(lowest, error.cosine)
        # The length, too: a factor would not show in the angle.
        if not error.cosine > least or abs(np.linalg.norm(got) / np.linalg.norm(array) - 1) > 1e-3:
            wrong.append(f"{key}: {error}")
    print(f"lowest cosine of {len(expected)} parameters: {lowest:.9f}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_parameters(model):
    folder, inputs, want = model
    with bundlelib.Bundle(compiled(folder, inputs, [key for key in want if key != "loss"]), "cpu", function="main_gradients") as bundle:
        check([name for name, *_ in bundle.outputs], bundle(inputs), want, COSINE)
