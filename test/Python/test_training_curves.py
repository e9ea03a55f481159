"""Loss curves of whole runs beside PyTorch's in fp32, with the same data in the same order and the same AdamW: a Llama of the shape of Stories15M on
a text that Debian ships. Runs where PyTorch is installed (scripts/run_tests.py --full)."""
import gzip
import os
from pathlib import Path

import numpy as np
import pytest

import anetest
import frontend  # finds the package

import anemone

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

TEXT = Path("/usr/share/dictd/jargon.dict.dz")  # dict-jargon: the Jargon File, in the public domain
LENGTH, STEPS, RATE = 256, 200, 5e-4
# Of PyTorch's loss, over means of 10 steps.
LIMIT = {"cpu": 0.01, "emulator": 0.03}


def words(count):
    """Ids below 32,000 of the words of the text, in the order in which they first occur; the rest is one id."""
    known, ids = {}, []
    for word in gzip.open(TEXT, "rt", encoding="utf-8", errors="replace").read().split()[:count]:
        ids.append(known.setdefault(word, len(known)) if len(known) < 31000 else known.get(word, 31999))
    return np.array(ids)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """(folder of the model, bundle, batches, PyTorch's losses)"""
    if not TEXT.exists():
        pytest.skip("dict-jargon is not installed")
    folder = tmp_path_factory.mktemp("curve")
    config = transformers.LlamaConfig(hidden_size=288, num_hidden_layers=6, num_attention_heads=6, num_key_value_heads=6, intermediate_size=768,
                                      vocab_size=32000, max_position_embeddings=LENGTH, tie_word_embeddings=True)
    torch.manual_seed(0)
    module = transformers.LlamaForCausalLM(config)
    module.save_pretrained(folder / "model")
    anetest.run("ane-compile", folder / "model", "-o", folder / "m.anebundle", "--quiet", "--train", f"--sequence={LENGTH}", "--tokenizer=none")
    ids = words(20000 + LENGTH)
    rng = np.random.default_rng(4)
    starts = rng.integers(0, len(ids) - LENGTH - 1, STEPS)
    batches = [(ids[s:s + LENGTH][None].astype(np.int32), ids[s + 1:s + LENGTH + 1][None]) for s in starts]
    optimizer, losses = torch.optim.AdamW(module.parameters(), lr=RATE, weight_decay=0), []
    for tokens, target in batches:
        loss = torch.nn.functional.cross_entropy(module(torch.tensor(tokens)).logits[0], torch.tensor(target[0]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return folder, folder / "m.anebundle", batches, np.array(losses)


@pytest.mark.slow
@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_stories15m(run, device):
    _, bundle, batches, want = run
    with anemone.Trainer(bundle, device=device, learning_rate=RATE) as trainer:
        losses, skipped = [], 0
        for tokens, target in batches:
            step = trainer.step(input_ids=tokens, target=target)
            while step.skipped:  # a smaller loss scale, the same data
                skipped += 1
                step = trainer.step(input_ids=tokens, target=target)
            losses.append(step.loss)
    got = np.array(losses)
    assert np.isfinite(got).all() and skipped < 12
    means = [np.abs(curve.reshape(-1, 10).mean(1)) for curve in (got, want)]
    off = np.abs(means[0] / means[1] - 1).max()
    print(f"{device}: loss {want[:10].mean():.3f} to {want[-10:].mean():.3f}, off by at most {off:.2e} of PyTorch's, {skipped} steps skipped")
    assert want[-10:].mean() < 0.75 * want[:10].mean()  # something was learnt
    assert off < LIMIT[device]
