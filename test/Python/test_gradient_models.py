"""Gradients of whole models by every parameter, of training bundles made from ONNX files, against PyTorch's (gradientmodels.py)."""
import subprocess

import numpy as np
import pytest

import anetest
import gradientcheck
import gradientmodels
import zoo

# An engine has no convolution whose weight is an input (C53). Those of the residual network are nearly all that it computes. Its rectifiers are steps
# backwards: values within fp16's rounding of 0 switch terms of all gradients on or off, so that cosines are 0.977 at least on the emulator, and 0.978 in PyTorch
# with rounded values, which is the measure (gradientmodels.RECTIFIED). Logits of language models have their classes last.
FLAGS = {"resnet18": ["--parameters=baked"], **{name: ["--class-axis=-1"] for name in ("gpt2", "llama", "qwen3")}}


@pytest.fixture(scope="module", params=gradientmodels.MODELS)
def model(request, tmp_path_factory):
    """(bundle, inputs, PyTorch's gradients) of a model."""
    if not zoo.python():
        pytest.skip("there is no environment with PyTorch")
    folder = tmp_path_factory.mktemp(request.param)
    subprocess.run([zoo.python(), gradientmodels.__file__, request.param, folder], check=True, stdin=subprocess.DEVNULL)
    with np.load(folder / "inputs.npz") as inputs, np.load(folder / "gradients.npz") as gradients:
        inputs, gradients = dict(inputs), dict(gradients)
    trainable = [f"--trainable={key.removeprefix('double.')}" for key in gradients if key.startswith("double.")]
    anetest.run("ane-compile", folder / "model.onnx", "-o", folder / "m.anebundle", "--quiet", "--train", "--freeze=*", *trainable, *FLAGS.get(request.param, []))
    return folder / "m.anebundle", inputs, gradients


@pytest.mark.slow
@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_parameters(model, device):
    bundle, inputs, want = model
    gradientcheck.check(device, gradientcheck.step(bundle, device, inputs), want)
