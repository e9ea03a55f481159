"""Rotary positions and time steps that are inputs: at every one of them the emulator is as near to PyTorch as PyTorch in fp16 is, times 2. The
root of the mean square is held at each, as the largest of a few errors is chance, and the largest of all."""
import subprocess

import numpy as np
import pytest

import anetest

MODELS = anetest.ROOT / ".venv-models" / "bin" / "python"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["llama", "gemma2", "unet"])
def test_every_place(name, tmp_path, record_property):
    if not MODELS.exists():
        pytest.skip("there is no .venv-models to make models with (scripts/setup.sh --models)")
    subprocess.run([MODELS, anetest.ROOT / "test/Python/positionmodels.py", name, tmp_path], check=True, capture_output=True)
    anetest.run("ane-compile", tmp_path / "model.onnx", "-o", tmp_path / "m.anebundle", "--quiet")
    values = np.load(tmp_path / "values.npz")
    output = "noise" if name == "unet" else "logits"
    largest, largest_half, worst = 0, 0, 0
    for i in range(sum(key.startswith("want:") for key in values)):
        feeds = {key.split(":")[2]: values[key] for key in values if key.startswith(f"in:{i}:")}
        want, half = values[f"want:{i}"], values[f"half:{i}"]
        scale, rounded = np.abs(want).max(), np.abs(half - want)
        for device in "cpu", "emulator":
            got = anetest.run_bundle(tmp_path / "m.anebundle", feeds, [output], tmp_path / device, device)[output]
            off = np.abs(got - want)
            if device == "cpu":
                assert off.max() < 1e-5 * scale, f"run {i} on the CPU: off by {off.max() / scale:.1e} of the largest"
            else:
                mean, mean_half = np.sqrt(np.mean(off**2)), np.sqrt(np.mean(rounded**2))
                assert mean < 2 * mean_half, f"run {i}: off by {mean / scale:.1e} of the largest in the mean, fp16 of PyTorch by {mean_half / scale:.1e}"
                worst, largest, largest_half = max(worst, mean / mean_half), max(largest, off.max()), max(largest_half, rounded.max())
    assert largest < 2 * largest_half
    record_property("of_fp16", f"{worst:.2f} in the mean of a run, {largest / largest_half:.2f} at most")
