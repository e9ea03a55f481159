"""Training of bundles whose programs have their parameters as weights (ane-compile --parameters=baked), on emulated machines that differ in
what a changed weight does, beside bundles whose parameters are inputs."""
import json

import gguf
import numpy as np
import onnx
import pytest
from safetensors.numpy import load_file

import anetest
import lmfiles
import lmzoo
import models
import trainlib

LENGTH, BATCH, STEPS = 24, 2, 8
STALE = "since by patch it computes with the old weights"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Folder with a small Llama and a small GPT-2, and {name: {place of parameters: bundle}}."""
    folder = tmp_path_factory.mktemp("weights")
    if not lmzoo.ensure(folder, "llama-tied", "gpt2"):
        pytest.skip("there is no .venv-models to make models with (scripts/setup.sh --models)")
    bundles = {}
    for name in ("llama-tied", "gpt2"):
        for place in ("inputs", "baked"):
            bundle = folder / f"{name}-{place}.anebundle"
            anetest.run("ane-compile", folder / name, "-o", bundle, "--quiet", "--train", f"--parameters={place}", f"--sequence={LENGTH}",
                        f"--batch={BATCH}", "--tokenizer=none")
            bundles.setdefault(name, {})[place] = bundle
    return folder, bundles


def batch(seed):
    ids = np.random.default_rng(seed).integers(3, 160, (BATCH, LENGTH + 1))
    return {"input_ids": ids[:, :-1].astype(np.int32), "target": ids[:, 1:].astype(np.int64)}


class Outcome:
    """What training has come to."""

    def __init__(self, bundle, steps=STEPS, **options):
        with trainlib.Trainer(bundle, learning_rate=2e-3, loss_scale=1024.0, **options) as trainer:
            self.way, self.losses, self.steps = trainer.weights_by, [], []
            trainer.feed(batch(0))
            trainer.evaluate()
            for step in range(steps):
                trainer.feed(batch(step % 3))
                trainer.backward()
                report = trainer.update()
                assert not report.skipped
                self.losses.append(report.loss)
                self.steps.append((report.evaluations, report.staged_bytes))
            trainer.feed(batch(0))
            self.evaluated = trainer.evaluate()
            self.weights = {name: trainer.weight(name) for name in trainer.parameters}
            self.events = trainer.events()

    def is_same(self, other):
        return self.evaluated == other.evaluated and all(np.array_equal(self.weights[name], other.weights[name]) for name in self.weights)


def emulated(bundle, mode, **options):
    return Outcome(bundle, device="emulator", emulator_mode=mode, **options)


def budget(bundle, updates):
    """Compilations for the probe, all programs, and so many updates of the weights of those that train."""
    manifest = json.loads((bundle / "manifest.json").read_text())
    step = next(function for function in manifest["functions"] if function["name"] == manifest["training"]["step"])
    programs = {part["program"] for part in step["steps"] if part["kind"] == "program"}
    read = {name for weight in manifest["weights"] if weight.get("trainable") for form in weight["stored"] for name in form.get("programs", [])}
    return 1 + len(manifest["programs"]) + updates * len(programs & read)


def test_scales_of_norms_stay_inputs(made):
    """And positions, which are no rows of the file's tensor as it stands; all matrices of layers are baked."""
    _, bundles = made
    for name in bundles:
        manifest = json.loads((bundles[name]["baked"] / "manifest.json").read_text())
        inputs = {parameter["name"] for parameter in manifest["training"]["parameters"] if not parameter.get("baked")}
        assert inputs and all("norm" in parameter or "ln_" in parameter or "wpe" in parameter for parameter in inputs), inputs
        baked = {parameter["name"] for parameter in manifest["training"]["parameters"]} - inputs
        assert {weight["name"] for weight in manifest["weights"] if weight.get("trainable")} == baked
        assert not [form for weight in manifest["weights"] if weight["name"] in baked for form in weight["stored"] if "fixed" in form]


@pytest.mark.parametrize("name", ["llama-tied", "gpt2"])
def test_is_what_inputs_give(made, name):
    """On both devices within what fp16 and the order of sums make of it; where programs are the same, bit for bit."""
    _, bundles = made
    for device, limit in (("cpu", 1e-4), ("emulator", 1e-2)):
        inputs, baked = (Outcome(bundles[name][place], device=device) for place in ("inputs", "baked"))
        assert (inputs.way, baked.way) == ("inputs", "memory" if device == "cpu" else "patch")
        assert not baked.events
        print(name, device, inputs.is_same(baked), inputs.losses[-1], baked.losses[-1])
        assert np.abs(np.array(baked.losses) / inputs.losses - 1).max() < limit
        assert inputs.losses[-1] < 0.9 * inputs.losses[0]
        assert baked.steps[-1][0] == inputs.steps[-1][0], "more evaluations"


def test_convolutions_stay_on_the_engine(tmp_path):
    """Which has none whose weight is computed or an input (C53)."""
    onnx.save(models.cnn(4).model, tmp_path / "m.onnx")
    rng = np.random.default_rng(2)
    values = {"x": rng.normal(size=(1, 3, 20, 20)).astype(np.float32), "target": rng.integers(0, 10, 1)}
    found = {}
    for place in ("inputs", "baked"):
        bundle = tmp_path / f"{place}.anebundle"
        anetest.run("ane-compile", tmp_path / "m.onnx", "-o", bundle, "--quiet", "--train", f"--parameters={place}")
        for device in ("cpu", "emulator"):
            with trainlib.Trainer(bundle, device=device, learning_rate=1e-3, loss_scale=256.0) as trainer:
                losses = []
                for _ in range(6):
                    trainer.feed(values)
                    trainer.backward()
                    losses.append(trainer.update().loss)
            found[place, device] = np.array(losses)
    for device, limit in (("cpu", 1e-4), ("emulator", 0.01)):
        inputs, baked = found["inputs", device], found["baked", device]
        assert inputs[-1] < 0.99 * inputs[0] and np.abs(baked / inputs - 1).max() < limit, (device, inputs, baked)

    def hosted(place):
        report = json.loads((tmp_path / f"{place}.anebundle" / "report.json").read_text())
        return [op for op in anetest.host_ops(report) if "conv" in op["op"]]

    # The gradients of the two weights are convolutions by what comes back.
    assert len(hosted("baked")) == 2 < len(hosted("inputs")), (hosted("inputs"), hosted("baked"))


def test_each_machine_gives_the_same_bits(made):
    """Stale weights after a reload, no donors, a budget that ends in the middle, status 0x1d: the same weights as without all that."""
    _, bundles = made
    bundle = bundles["llama-tied"]["baked"]
    undisturbed = emulated(bundle, "faithful:reload=fresh")
    assert undisturbed.way == "patch" and not undisturbed.events
    stale = emulated(bundle, "faithful")
    assert stale.way == f"donor, {STALE}"
    assert stale.events and all(STALE in event for event in stale.events)
    alone = emulated(bundle, "faithful:donor=refused,compilations=1000")
    assert alone.way.startswith(f"recompile, {STALE}, and by donor ")
    ended = emulated(bundle, f"faithful:compilations={budget(bundle, 3) + 1}", weights_by="recompile")
    assert ended.way == "recompile"
    assert any("the budget is" in event and "its weights are set by donor" in event for event in ended.events), ended.events
    failing = emulated(bundle, "faithful:failures=5")
    both = emulated(bundle, "faithful:failures=3,reload=fresh")
    for other in (stale, alone, ended, failing, both):
        assert undisturbed.is_same(other), other.way
        assert other.steps == undisturbed.steps
        assert not any("runs on the CPU" in event for event in other.events), other.events


def test_without_a_way_programs_go_to_the_cpu(made):
    """The budget ends, and nothing else works: the rest of training is the CPU's, near what it would have been."""
    _, bundles = made
    bundle = bundles["llama-tied"]["baked"]
    undisturbed = emulated(bundle, "faithful:reload=fresh")
    most = budget(bundle, 3)
    ended = emulated(bundle, f"faithful:donor=refused,compilations={most}")
    assert any("runs on the CPU" in event and f"the budget is {most}" in event for event in ended.events), ended.events
    assert ended.steps[-1][0] < ended.steps[0][0] == ended.steps[3][0]
    assert np.abs(np.array(ended.losses) / undisturbed.losses - 1).max() < 0.01


def test_stages_what_changes(made):
    """No more than --dry-run says, and of frozen parameters nothing."""
    _, bundles = made
    bundle = bundles["llama-tied"]["baked"]
    plan = json.loads(anetest.run("ane-train", bundle, "--dry-run", "--json", "--device=emulator").stdout)
    staged = [bytes for _, bytes in emulated(bundle, "faithful").steps]
    assert staged[1] == plan["staged_bytes_per_step"], "all changes the first time"
    assert 0.9 * staged[1] < staged[-1] <= staged[1]
    # All that is baked is frozen: surfaces are what is left, as in the first step, in which inputs are staged, too.
    frozen = [bytes for _, bytes in emulated(bundle, "faithful", frozen=["*proj*", "*embed*"]).steps]
    assert set(frozen) == {staged[0]}


def test_the_tool_tells(made, tmp_path):
    """ane-train on a machine that disturbs, interrupted and resumed on another one: the exported weights of an undisturbed run."""
    folder, bundles = made
    bundle = bundles["llama-tied"]["baked"]
    rng = np.random.default_rng(3)
    ids = rng.integers(3, 160, (40, LENGTH + 1))
    np.savez(tmp_path / "data.npz", input_ids=ids[:, :-1].astype(np.int32), target=ids[:, 1:].astype(np.int64))

    def train(out, mode, *arguments):
        return anetest.run("ane-train", bundle, "--data", tmp_path / "data.npz", "--device=emulator", f"--emulator-mode={mode}", "--lr=2e-3",
                           "--loss-scale=1024", "--out", tmp_path / out, *arguments)

    train("whole", "faithful:reload=fresh", "--steps=12", "--export", tmp_path / "whole.safetensors")
    done = train("parts", f"faithful:compilations={budget(bundle, 2) + 1}", "--steps=6", "--weights-by=recompile", "--log", tmp_path / "log.jsonl", "--json")
    summary = json.loads(done.stdout)
    assert summary["weights_by"] == "recompile"
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    events = [line for line in lines if "event" in line]
    assert events and all("the budget is" in line["event"] and "set by donor" in line["event"] for line in events), events
    done = train("parts", "faithful:failures=4", "--steps=12", "--resume", "--export", tmp_path / "parts.safetensors")
    assert f"weights by donor, {STALE}" in done.stdout + done.stderr
    whole, parts = (load_file(tmp_path / f"{name}.safetensors") for name in ("whole", "parts"))
    assert whole.keys() == parts.keys() and all(np.array_equal(whole[name], parts[name]) for name in whole)


@pytest.mark.parametrize("kind", ["F16", "BF16", "Q4_K"])
def test_what_a_file_has_in_few_bits_is_no_weight(kind, tmp_path):
    """A weight of a bundle has the type that the model's file has, and training is in fp32. As an input it is trained, as the same numbers in fp32 are."""
    if kind == "Q4_K":
        sizes = dict(vocab_size=512, hidden_size=256, intermediate_size=256, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1)
        model = lmfiles.write_qwen3_gguf(tmp_path / "m.gguf", gguf.GGMLQuantizationType.Q4_K, **sizes)
    else:
        model = tmp_path / "m"
        lmfiles.write_narrow(model, kind, tmp_path / "wide")
    compile_ = ["ane-compile", model, "-o", tmp_path / "m.anebundle", "--quiet", "--train", f"--sequence={LENGTH}", f"--batch={BATCH}", "--tokenizer=none"]
    has = {"F16": "fp16", "BF16": "bf16", "Q4_K": "integers"}[kind]
    anetest.rejected(*compile_, "--parameters=baked", says=[f"the model's file has it as {has}, and it is trained in fp32", "remedy: --parameters=inputs"])
    assert not (tmp_path / "m.anebundle").exists()
    anetest.run(*compile_)
    if kind != "Q4_K":
        anetest.run(*compile_[:1], tmp_path / "wide", "-o", tmp_path / "wide.anebundle", *compile_[4:], "--parameters=baked")
        tokens = {name: array % 40 for name, array in batch(0).items()}
        narrow, wide = (first_loss(tmp_path / f"{name}.anebundle", tokens) for name in ("m", "wide"))
        assert abs(narrow / wide - 1) < 1e-6


def first_loss(bundle, values):
    with trainlib.Trainer(bundle, device="cpu") as trainer:
        trainer.feed(values)
        return trainer.backward()


def test_refusals(made, tmp_path):
    folder, bundles = made
    model, data = folder / "llama-tied", ("--data", "none.npz", "--steps=1")
    anetest.rejected("ane-compile", model, "-o", tmp_path / "m", "--train", "--parameters=both", code=2, says=["inputs or baked"])
    anetest.rejected("ane-compile", model, "-o", tmp_path / "m", "--parameters=baked", code=2, says=["add --train"])
    anetest.rejected("ane-compile", model, "-o", tmp_path / "m", "--train", "--unbaked=*norm*", code=2, says=["add --parameters=baked"])
    anetest.rejected("ane-compile", model, "-o", tmp_path / "m", "--train", "--parameters=baked", "--unbaked=adapter*", f"--sequence={LENGTH}", "--tokenizer=none",
                     says=["unbaked=adapter*", "model.embed_tokens.weight"])
    anetest.rejected("ane-train", bundles["gpt2"]["inputs"], "--weights-by=reload", *data, code=2, says=["--weights-by", "auto, patch, donor or recompile"])
    for place, way, words in (("inputs", "patch", "has them as inputs"), ("baked", "inputs", "has them in its programs")):
        with pytest.raises(trainlib.TrainError, match=words):
            trainlib.Trainer(bundles["gpt2"][place], device="emulator", weights_by=way)
