"""Documents that see nothing of each other in an example (--documents=apart): logits and gradients against transformers' under a mask that is
block-diagonal, also with adapters, with baked parameters and with programs of layers; and the data that ane-train makes for them."""
import json
import re
import subprocess

import numpy as np
import pytest

import anetest
import bundlelib
import lmzoo
import test_lora
import trainlib
import zoo
from test_training_bundles import SCALE, check, step

LENGTHS = (5, 1, 12, 6)  # of documents; windows are shorter than the third
LENGTH = sum(LENGTHS)
MODELS = ["llama", "mistral", "gpt2", "gemma2", "qwen2"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("documents")
    if not lmzoo.ensure(folder, *MODELS):
        pytest.skip("there is no .venv-models to make models with (scripts/setup.sh --models)")
    return folder


def flags(documents):
    return "--train", f"--sequence={LENGTH}", "--batch=2", "--tokenizer=none", f"--documents={documents}"


def gradients_of(want):
    return {key: array for key, array in want.items() if key == "loss" or key.startswith("grad.")}


@pytest.fixture(scope="module", params=MODELS)
def case(request, made):
    """(folder of the model, bundle, what transformers makes of the documents)"""
    model, bundle = made / request.param, made / f"{request.param}.anebundle"
    anetest.run("ane-compile", model, "-o", bundle, "--quiet", *flags("apart"))
    subprocess.run([zoo.python(), lmzoo.__file__, made, "--packed", request.param, *map(str, LENGTHS)], check=True, stdin=subprocess.DEVNULL)
    with np.load(made / f"{request.param}.packed.npz") as arrays:
        return model, bundle, dict(arrays)


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_gradients(case, device):
    _, bundle, want = case
    values = {key: want[key] for key in ("input_ids", "position_ids", "target")}
    check(device, step(bundle, device, values), gradients_of(want))


def trained(bundle, device, want):
    """{output: array} of a trainer's step, times the loss scale as a function's, by the parameters that `want` has or else by the bundle's."""
    with trainlib.Trainer(bundle, device=device, loss_scale=SCALE[device]) as trainer:
        for name in set(trainer.parameters) & set(want):
            trainer.set_weight(name, want[name])
        trainer.feed({name: want[name].astype(np.int64 if name == "target" else np.int32) for name in trainer.inputs})
        found = {"loss": trainer.backward(), "loss_share": 1}  # the trainer has divided by it
        assert not trainer.events()
        return found | {f"grad.{name}": SCALE[device] * trainer.gradient(name) for name in trainer.parameters}


COMBINATIONS = [("--parameters=baked",), ("--partition=layers",), ("--partition=layer-sixths",), ("--parameters=baked", "--partition=layers")]


@pytest.mark.parametrize("more", COMBINATIONS, ids=" ".join)
@pytest.mark.parametrize("case", ["llama", "gpt2"], indirect=True)
def test_combinations(case, more, tmp_path):
    model, _, want = case
    bundle = tmp_path / "m.anebundle"
    anetest.run("ane-compile", model, "-o", bundle, "--quiet", *flags("apart"), *more)
    for device in ("cpu", "emulator"):
        check(device, trained(bundle, device, want), gradients_of(want))


@pytest.mark.parametrize("more", [(), ("--partition=layers",)], ids=" ".join)
@pytest.mark.parametrize("name", list(test_lora.TARGETS))
def test_adapters(made, name, more, tmp_path):
    """Beside peft's."""
    bundle = tmp_path / "m.anebundle"
    anetest.run("ane-compile", made / name, "-o", bundle, "--quiet", *flags("apart"), test_lora.flag(name), *more)
    test_lora.oracle(made / name, test_lora.RANK, test_lora.ALPHA, test_lora.TARGETS[name], 2, LENGTH, tmp_path / "peft.npz", *LENGTHS)
    with np.load(tmp_path / "peft.npz") as arrays:
        want = dict(arrays)
    for device in ("cpu", "emulator"):
        check(device, trained(bundle, device, want), gradients_of(want))


def test_logits(case, tmp_path):
    """Of the function before it has a loss, compiled as a model that is no language model: it has no function `decode`."""
    model, _, want = case
    text = anetest.run("ane-compile", model, *flags("apart"), "--compile-to=input").stdout
    (tmp_path / "main.mlir").write_text(re.sub(r"ane\.language_model = \{[^}]*\}, ", "", text, count=1))
    anetest.run("ane-compile", tmp_path / "main.mlir", "-o", tmp_path / "m.anebundle", "--quiet")
    with bundlelib.Bundle(tmp_path / "m.anebundle", "cpu") as session:
        logits, = session({key: want[key] for key, *_ in session.inputs})
    anetest.check_cpu({"logits": logits}, {"logits": want["logits"]})


def test_data(made, tmp_path):
    """ane-train has a bundle's documents apart: its loss is that of the positions of a file's tokens."""
    tokens = np.random.default_rng(7).integers(3, 160, 2 * LENGTH + 1)
    begins = np.array([0, 4, 5, 17, 30])
    tokens[begins] = 1  # begins a document in files of llama2.c
    tokens.astype("<u2").tofile(tmp_path / "data.bin")
    places = np.arange(2 * LENGTH)
    first = np.maximum(begins[np.searchsorted(begins, places, "right") - 1], places // LENGTH * LENGTH)
    values = {"input_ids": tokens[:-1], "position_ids": places - first, "target": np.where(tokens[1:] == 1, -100, tokens[1:])}
    losses = {}
    for documents in ("apart", "joined"):
        bundle = tmp_path / f"{documents}.anebundle"
        anetest.run("ane-compile", made / "llama", "-o", bundle, "--quiet", *flags(documents))
        anetest.run("ane-train", bundle, "--data", tmp_path / "data.bin", "--steps=1", "--device=cpu", "--log", tmp_path / documents, "--json")
        losses[documents] = json.loads((tmp_path / documents).read_text().splitlines()[0])["loss"]
        want = step(bundle, "cpu", {name: array.reshape(2, LENGTH) for name, array in values.items()})["loss"]
        assert abs(losses[documents] - want) < 1e-6 * want
    assert abs(losses["apart"] / losses["joined"] - 1) > 1e-3
