"""Caches of keys and values in fp16 (--kv-cache), against transformers."""
import json

import numpy as np
import pytest

import anetest
import frontend  # finds the package
import lmzoo
from test_language_models import LIMIT, agreement, decoded, ids, made, prompted  # noqa: F401  a fixture

import anemone

SEQUENCES, PROMPT = 3, 8
# As weights in fp16 are allowed to move logits; the emulator's values are fp16 in any case.
LARGEST = {"cpu": 2e-3, "emulator": LIMIT["emulator"][0]}


def compiled(model, bundle, *flags):
    anetest.run("ane-compile", model, "-o", bundle, "--quiet", f"--context={lmzoo.CONTEXT}", f"--prefill={PROMPT}", f"--parallel={SEQUENCES}", *flags)
    return bundle


@pytest.fixture(scope="module", params=["llama", "mistral", "gemma2", "gpt2"])
def case(request, made, tmp_path_factory):  # noqa: F811
    """(bundle, tokens, logits of transformers at all positions, the model)"""
    bundle = compiled(made / request.param, tmp_path_factory.mktemp(request.param) / "m.anebundle", "--kv-cache=fp16")
    arrays = np.load(made / f"{request.param}.npz")
    return bundle, arrays["tokens"], arrays["logits"], made / request.param


def check(device, got, want):
    error, gap = anetest.Error(got, want), LIMIT[device][2]
    print(f"{device}: {error}, relative {error.max / error.scale:.1e}")
    assert error.max <= LARGEST[device] * error.scale and agreement(got, want, gap)[0] >= 0.995, error


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_prompt_and_tokens(case, device):
    """To the context's end; parts of a prompt read what those before have written."""
    bundle, tokens, logits, _ = case
    session = anemone.load(bundle, device=device, function=f"prefill_{PROMPT}").session()
    ends = [PROMPT, 2 * PROMPT, 2 * PROMPT + 5]
    got = [prompted(session, PROMPT, tokens[begin:end], begin) for begin, end in zip([0, *ends], ends)]
    got.append(decoded(session.function("decode"), tokens[ends[-1]:], ends[-1]))
    check(device, np.concatenate(got), logits[[*(end - 1 for end in ends), *range(ends[-1], lmzoo.CONTEXT)]])
    assert not session.events()


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_together(case, device):
    bundle, tokens, logits, _ = case
    session = anemone.load(bundle, device=device, function=f"decode_{SEQUENCES}").session()
    got = [session(input_ids=ids(*[token] * SEQUENCES).reshape(-1, 1), position=ids(*[place] * SEQUENCES))["logits"]
           for place, token in enumerate(tokens)]
    check(device, np.concatenate(got), np.repeat(logits, SEQUENCES, axis=0))
    assert not session.events()


def test_states(case, tmp_path):
    """Are half as large, and no other bundle's."""
    bundle, tokens, _, model = case
    assert {state["dtype"] for state in json.loads((bundle / "manifest.json").read_text())["states"]} == {"float16"}
    wide = compiled(model, tmp_path / "m.anebundle")
    half, full = (anemone.load(path, device="cpu", function="decode").session() for path in (bundle, wide))
    decoded(half, tokens[:4])
    with pytest.raises(anemone.Error, match="float"):
        full.copy_states(half)
