"""A model that came in a GGUF file and was trained is given back as a folder that transformers loads (ane-train --export)."""
import json
import subprocess

import numpy as np
import pytest
from safetensors.numpy import load_file

import anetest
import lmzoo
import test_gguf
import zoo
from test_gguf import CASES

LENGTH = 16


def trained(model, folder, out, *flags, says=None):
    """A step that changes nothing: what is written is what was read."""
    rng = np.random.default_rng(2)
    np.savez(folder / "data.npz", input_ids=rng.integers(3, 150, (2, LENGTH)).astype(np.int32), target=rng.integers(3, 150, (2, LENGTH)))
    arguments = ["ane-train", model, "--data", folder / "data.npz", "--steps=1", "--lr=1e-30", "--device=cpu", "--json", f"--seq={LENGTH}", "--batch=2",
                 "--compile-flag=--tokenizer=none", "--export", out, *flags]
    return anetest.rejected(*arguments, says=says) if says else anetest.run(*arguments)


@pytest.mark.parametrize("name", [name for name in CASES if name not in ("llama", "gemma2-27b-plain")])
def test_transformers_loads_it(name, tmp_path):
    if not lmzoo.ensure(tmp_path, name):
        pytest.skip("there is no .venv-models to make models with (scripts/setup.sh --models)")
    model = test_gguf.convert(tmp_path / name, tmp_path / "m.gguf", **CASES[name])
    if name == "gpt2-plain":  # a file that is not the model's own wants to be trained as it is
        trained(model, tmp_path, tmp_path / "m2.gguf")
    trained(model, tmp_path, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["config.json", "model.safetensors"]
    want, got = load_file(tmp_path / name / "model.safetensors"), load_file(tmp_path / "out" / "model.safetensors")
    assert set(got) == set(want)
    for key, array in want.items():
        assert got[key].dtype == np.float32 and np.abs(got[key] - array).max() <= 1e-6 * np.abs(array).max(), key
    subprocess.run([zoo.python(), lmzoo.__file__, tmp_path / "out", "--logits", tmp_path / "out.npz"], check=True, stdin=subprocess.DEVNULL)
    with np.load(tmp_path / f"{name}.npz") as base, np.load(tmp_path / "out.npz") as found:
        np.testing.assert_array_equal(base["tokens"], found["tokens"])
        error = anetest.Error(found["logits"], base["logits"])
    print(f"{name}: {error}")
    assert error.max <= 1e-5 * error.scale


def test_refused(tmp_path):
    """What config.json can't say, and another model's file."""
    if not lmzoo.ensure(tmp_path, "llama", "llama-tied"):
        pytest.skip("there is no .venv-models to make models with (scripts/setup.sh --models)")
    model = test_gguf.convert(tmp_path / "llama", tmp_path / "m.gguf")
    trained(model, tmp_path, tmp_path / "out", says=[str(model), "rope_freqs.weight", "export to NAME.gguf"])
    other = test_gguf.convert(tmp_path / "llama-tied", tmp_path / "other.gguf")
    trained(tmp_path / "llama-tied", tmp_path, tmp_path / "out", "--source", other, says=[str(other), "can't become a folder of Hugging Face"])
    assert not (tmp_path / "out").exists()
    config = json.loads((tmp_path / "llama" / "config.json").read_text())
    assert config["rope_parameters"]["rope_type"] == "llama3"
