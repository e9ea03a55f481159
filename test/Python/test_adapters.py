"""Adapters in PEFT's format: bundles that run take those of peft (ane-run --adapter), and peft takes those that ane-train writes."""
import json
import shutil
import subprocess
from pathlib import Path

import gguf
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import anetest
import frontend  # finds the package
import lmzoo
import test_gguf
import tinychat
import zoo

import anemone

LENGTH, BATCH, RANK, ALPHA = 24, 2, 4, 8
# Of the model that is compiled: where transformers has it, what is adapted, and what the smaller adapter is of.
CASES = {"llama": ("llama", ["q_proj", "v_proj", "down_proj"], ["q_proj"]),
         "gpt2": ("gpt2", ["c_attn", "c_fc", "mlp.c_proj"], ["c_fc"]),
         # Rows of queries and keys are in another order there, and names are other ones.
         "llama-tied.gguf": ("llama-tied", ["q_proj", "k_proj", "o_proj", "up_proj"], ["k_proj"]),
         "gpt2-plain.gguf": ("gpt2-plain", ["c_attn", "c_proj"], ["c_attn"])}
LIMIT = {"cpu": 1e-4, "emulator": 1e-2}


def oracle(folder, *jobs):
    (folder / "jobs.json").write_text(json.dumps(jobs, default=str))
    subprocess.run([zoo.python(), Path(__file__).with_name("peftoracle.py"), folder / "jobs.json"], check=True, stdin=subprocess.DEVNULL)


def flag(targets, rank=RANK, alpha=ALPHA):
    return f"--lora=rank={rank},alpha={alpha},targets={','.join(targets)}"


class Case:
    """A model, bundles of it, tokens, two adapters of peft, and the logits that peft computes with none, `one` and `two`."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        base, self.targets, fewer = CASES[name]
        self.base = self.model = folder / base
        if not lmzoo.ensure(folder, base):
            pytest.skip("there is no .venv-models to make models with (scripts/setup.sh --models)")
        if name.endswith(".gguf"):
            self.model = test_gguf.convert(self.base, folder / name)
        self.tokens = np.random.default_rng(5).integers(3, 160, (BATCH, LENGTH + 1)).astype(np.int32)
        np.save(folder / "tokens.npy", self.tokens[:, :-1])
        self.one, self.two = folder / "one", folder / "two"
        oracle(folder, {"do": "make", "model": self.base, "out": self.one, "seed": 3, "r": RANK, "lora_alpha": ALPHA, "target_modules": self.targets},
               {"do": "make", "model": self.base, "out": self.two, "seed": 4, "r": 2, "lora_alpha": 1.5, "use_rslora": True, "dtype": "bfloat16",
                "target_modules": fewer},
               *(self.logits_job(adapter) for adapter in (None, self.one, self.two)))

    def compile(self, name, *flags):
        bundle = self.folder / name
        if not bundle.exists():
            anetest.run("ane-compile", self.model, "-o", bundle, "--quiet", "--tokenizer=none", *flags)
        return bundle

    def running(self, *flags):
        return self.compile("adapted.anebundle" if flags else "base.anebundle", "--context=48", f"--prefill={LENGTH}", *flags)

    def training(self):
        return self.compile("training.anebundle", "--train", f"--sequence={LENGTH}", f"--batch={BATCH}", flag(self.targets))

    def logits_job(self, adapter, model=None):
        out = self.folder / f"{adapter.name if adapter else 'none'}.npy" if model is None else Path(f"{model}.npy")
        return {"do": "logits", "model": model or self.base, "adapter": adapter, "tokens": self.folder / "tokens.npy", "out": out}

    def want(self, name):
        return np.load(self.folder / f"{name}.npy")

    def loss(self, logits):
        """The mean cross-entropy of the next tokens."""
        logits = logits.astype(np.float64)
        shifted = logits - logits.max(-1, keepdims=True)
        logs = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
        return -np.take_along_axis(logs, self.tokens[:, 1:, None], -1).mean()


@pytest.fixture(scope="module", params=list(CASES))
def case(request, tmp_path_factory):
    return Case(tmp_path_factory.mktemp("adapters"), request.param)


def last_logits(session, case, row=0):
    return session(input_ids=case.tokens[row:row + 1, :-1], position=np.array([0], np.int32), length=np.array([LENGTH], np.int32))["logits"][0]


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_swapped_between_runs(case, device):
    """Each adapter gives peft's logits, and always the same bits; without one they are those of a bundle without adapters."""
    function = f"prefill_{LENGTH}"
    base = anemone.load(case.running(), device=device, function=function).session()
    session = anemone.load(case.running(flag(case.targets)), device=device, function=function).session()
    plain, seen = last_logits(base, case), {}
    for adapter in (None, case.one, case.two, None, case.two, case.one, None):
        name = adapter.name if adapter else "none"
        assert session.set_adapter(adapter) > 0
        session.reset()
        got = last_logits(session, case)
        np.testing.assert_array_equal(got, seen.setdefault(name, got))
        error = anetest.Error(got, case.want(name)[0, -1])
        print(f"{case.name} {device} {name}: {error}")
        assert error.max <= LIMIT[device] * error.scale
    np.testing.assert_array_equal(seen["none"], plain)
    for name in ("one", "two"):
        assert np.abs(seen[name] - plain).max() > 0.05 * np.abs(plain).max()
    assert not session.events()


def test_head(tmp_path):
    """Beside an adapter of the head peft writes the model's own weight, which is the bundle's."""
    if not lmzoo.ensure(tmp_path, "llama"):
        pytest.skip("there is no .venv-models to make models with (scripts/setup.sh --models)")
    base, adapter, tokens = tmp_path / "llama", tmp_path / "head", tmp_path / "tokens.npy"
    np.save(tokens, np.random.default_rng(5).integers(3, 160, (1, LENGTH)).astype(np.int32))
    oracle(tmp_path, {"do": "make", "model": base, "out": adapter, "seed": 3, "r": RANK, "lora_alpha": ALPHA, "target_modules": ["q_proj", "lm_head"]},
           {"do": "logits", "model": base, "adapter": adapter, "tokens": tokens, "out": tmp_path / "want.npy"})
    assert "base_model.model.lm_head.base_layer.weight" in load_file(adapter / "adapter_model.safetensors")
    bundle = tmp_path / "m.anebundle"
    anetest.run("ane-compile", base, "-o", bundle, "--quiet", "--tokenizer=none", "--context=48", f"--prefill={LENGTH}", flag(["q_proj", "lm_head"]))
    session = anemone.load(bundle, device="cpu", function=f"prefill_{LENGTH}").session()
    assert session.set_adapter(adapter) > 0
    got = session(input_ids=np.load(tokens), position=np.array([0], np.int32), length=np.array([LENGTH], np.int32))["logits"][0]
    error = anetest.Error(got, np.load(tmp_path / "want.npy")[0, -1])
    assert error.max <= LIMIT["cpu"] * error.scale


def test_tool(case, tmp_path):
    """ane-run takes it, also where runs are repeated and compared; states in a file are not an adapter's."""
    bundle = case.running(flag(case.targets))
    inputs = {"input_ids": case.tokens[:1, :-1], "position": np.array([0], np.int32), "length": np.array([LENGTH], np.int32)}
    outputs = {}
    for name, flags in (("none", []), ("one", ["--adapter", case.one]), ("two", ["--adapter", case.two])):
        got = anetest.run_bundle(bundle, inputs, ["logits"], tmp_path / name, "cpu", f"--function=prefill_{LENGTH}", "--repeat=2",
                                 "--compare-device=emulator", "--json", "--save-states", tmp_path / f"{name}.states", *flags)
        outputs[name] = got["logits"][0]
        error = anetest.Error(outputs[name], case.want(name)[0, -1])
        assert error.max <= LIMIT["cpu"] * error.scale, name
    # Neither do states take an adapter along.
    with_states = anetest.run_bundle(bundle, inputs, ["logits"], tmp_path / "again", "cpu", f"--function=prefill_{LENGTH}", "--restore-states",
                                     tmp_path / "one.states")
    np.testing.assert_array_equal(with_states["logits"][0], outputs["none"])


def data_of(case, path):
    np.savez(path, input_ids=case.tokens[:, :-1], target=case.tokens[:, 1:].astype(np.int64))
    return path


@pytest.fixture(scope="module")
def trained(case):
    """Ten steps, and what they give: the adapter, the model with it, and the loss that ane-train tells of them."""
    folder, data = case.folder, data_of(case, case.folder / "data.npz")
    common = [case.training(), "--data", data, "--eval-data", data, "--steps=10", "--lr=0.02", "--device=cpu", "--json", "--source", case.model,
              "--out", folder / "run"]
    first = anetest.run("ane-train", *common, "--export", folder / "trained")
    loss = json.loads(first.stdout)["evaluation_loss"]
    exports = ["merged", "merged.safetensors"] + ["merged.gguf"] * case.name.endswith(".gguf")
    for out in exports:
        anetest.run("ane-train", *common, "--resume", "--merge", "--export", folder / out)
    oracle(folder, case.logits_job(folder / "trained"), case.logits_job(None, folder / "merged"),
           {"do": "merge", "model": case.base, "adapter": folder / "trained", "out": folder / "unloaded"})
    return folder, loss


def test_peft_loads_what_was_trained(case, trained):
    folder, loss = trained
    assert sorted(path.name for path in (folder / "trained").iterdir()) == ["adapter_config.json", "adapter_model.safetensors"]
    config = json.loads((folder / "trained" / "adapter_config.json").read_text())
    assert config["r"] == RANK and config["lora_alpha"] == ALPHA and config["target_modules"] == case.targets
    tensors = load_file(folder / "trained" / "adapter_model.safetensors")
    assert {name: array.shape for name, array in tensors.items()} == {name: array.shape for name, array in load_file(case.one / "adapter_model.safetensors").items()}
    assert all(np.any(array) for array in tensors.values())
    want = case.loss(case.want("trained"))
    assert want < case.loss(case.want("none")) - 0.05
    assert abs(loss - want) <= 1e-5 * want, (loss, want)
    # The bundle that runs takes it, too.
    session = anemone.load(case.running(flag(case.targets)), device="cpu", function=f"prefill_{LENGTH}").session()
    session.set_adapter(folder / "trained")
    for row in range(BATCH):
        error = anetest.Error(last_logits(session, case, row), case.want("trained")[row, -1])
        assert error.max <= 2e-5 * error.scale, error


def test_merged(case, trained):
    """The model with the adapter in its weights is peft's."""
    folder, _ = trained
    error = anetest.Error(case.want("merged"), case.want("trained"))
    assert error.max <= 2e-5 * error.scale, error
    want = load_file(folder / "unloaded" / "model.safetensors")
    for path in (folder / "merged" / "model.safetensors", folder / "merged.safetensors"):
        got = load_file(path)
        assert set(got) == set(want)
        for name, array in want.items():
            assert got[name].dtype == np.float32 or case.base == case.model, name
            assert np.abs(got[name] - array).max() <= 1e-6 * np.abs(array).max(), name
    if (folder / "merged.gguf").exists():
        got, want_gguf = (gguf.GGUFReader(path) for path in (folder / "merged.gguf", test_gguf.convert(folder / "unloaded", folder / "unloaded.gguf")))
        assert {tensor.name for tensor in got.tensors} == {tensor.name for tensor in want_gguf.tensors}
        arrays = {tensor.name: tensor.data for tensor in want_gguf.tensors}
        for tensor in got.tensors:
            assert np.abs(tensor.data - arrays[tensor.name]).max() <= 1e-6 * np.abs(arrays[tensor.name]).max(), tensor.name
    changed = [name for name, array in load_file(case.base / "model.safetensors").items() if np.any(array != want[name])]
    assert len(changed) == len(load_file(case.one / "adapter_model.safetensors")) / 2


def test_training_goes_on_with_it(case, trained, tmp_path):
    """An adapter is what a run begins with; a bundle for it is made where none is given."""
    folder, loss = trained
    data = data_of(case, tmp_path / "data.npz")
    common = ["--data", data, "--eval-data", data, "--steps=1", "--lr=1e-20", "--device=cpu", "--json", "--adapter", folder / "trained"]
    again = json.loads(anetest.run("ane-train", case.training(), *common).stdout)
    assert abs(again["evaluation_loss"] - loss) <= 1e-6 * loss
    if case.name == "llama":
        made = anetest.run("ane-train", case.model, *common, f"--seq={LENGTH}", f"--batch={BATCH}", "--compile-flag=--tokenizer=none")
        assert abs(json.loads(made.stdout)["evaluation_loss"] - loss) <= 1e-6 * loss


@pytest.mark.parametrize("how", [dict(r=8, lora_alpha=16, use_rslora=True), dict(r=4, lora_alpha=16 / 3)])
def test_scales_with_many_digits(llama, how, tmp_path):
    """The bundle that is made for an adapter has the scale of it."""
    data = data_of(llama, tmp_path / "data.npz")
    oracle(tmp_path, {"do": "make", "model": llama.base, "out": tmp_path / "a", "seed": 5, "target_modules": llama.targets, **how},
           {**llama.logits_job(tmp_path / "a"), "out": tmp_path / "want.npy"})
    done = anetest.run("ane-train", llama.model, "--data", data, "--eval-data", data, "--steps=1", "--lr=1e-20", "--device=cpu", "--json", "--adapter",
                       tmp_path / "a", f"--seq={LENGTH}", f"--batch={BATCH}", "--compile-flag=--tokenizer=none", "--export", tmp_path / "out")
    want = llama.loss(np.load(tmp_path / "want.npy"))
    assert abs(json.loads(done.stdout)["evaluation_loss"] - want) <= 1e-5 * want
    config = json.loads((tmp_path / "out" / "adapter_config.json").read_text())
    scale = how["lora_alpha"] / (how["r"] ** 0.5 if "use_rslora" in how else how["r"])
    assert abs(config["lora_alpha"] / config["r"] - scale) <= 1e-15 * scale


def test_checkpoints_are_of_one_alpha(case, trained, tmp_path):
    folder, _ = trained
    if case.name != "llama":
        pytest.skip("of one model")
    other = case.compile("other.anebundle", "--train", f"--sequence={LENGTH}", f"--batch={BATCH}", flag(case.targets, alpha=9))
    anetest.rejected("ane-train", other, "--data", data_of(case, tmp_path / "data.npz"), "--steps=11", "--lr=0.02", "--device=cpu", "--out", folder / "run",
                     "--resume", says="alpha of adapters")


@pytest.fixture
def llama(case):
    if case.name != "llama":
        pytest.skip("of one model")
    return case


def changed(source, folder, config=None, tensors=None, drop=()):
    """An adapter with other fields or tensors."""
    shutil.copytree(source, folder)
    path = folder / "adapter_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **(config or {})}))
    arrays = {name: array for name, array in {**load_file(folder / "adapter_model.safetensors"), **(tensors or {})}.items() if name not in drop}
    save_file(arrays, folder / "adapter_model.safetensors")
    return folder


A0, B0 = (f"base_model.model.model.layers.0.self_attn.q_proj.lora_{part}.weight" for part in "AB")
REFUSED = [
    (dict(config={"use_dora": True}), ['adapter_config.json: field "use_dora" is true', "merge_and_unload"]),
    (dict(config={"bias": "all"}), ['field "bias" is "all"', "none"]),
    (dict(config={"modules_to_save": ["lm_head"]}), 'field "modules_to_save" is ["lm_head"]'),
    (dict(config={"peft_type": "IA3"}), 'field "peft_type" is "IA3", expected "LORA"'),
    (dict(config={"rank_pattern": {"q_proj": 2}}), 'field "rank_pattern"'),
    (dict(config={"init_lora_weights": "pissa"}), ['field "init_lora_weights" is "pissa"', "changed the model's own weights"]),
    (dict(config={"novelty": 1}), 'field "novelty" is 1, which is not supported'),
    (dict(config={"r": 0}), 'field "r" is 0'),
    (dict(config={"r": 2}), ["lora_A.weight\" is float32[4, 96], expected [2, 96]", "not of rank 2"]),
    (dict(config={"lora_alpha": "x"}), 'field "lora_alpha" is "x"'),
    (dict(config={"target_modules": 3}), 'field "target_modules" is 3'),
    (dict(tensors={A0: np.zeros((4, 64), np.int32)}), [f'tensor "{A0}" is int32[4, 64]', "supported are float32"]),
    (dict(tensors={A0: np.zeros((4, 65), np.float32)}), [f'tensor "{A0}" is float32[4, 65], expected [4, 64]']),
    (dict(drop=[A0]), f'has no tensor "{A0}"'),
    (dict(drop=[A0], config={"target_modules": ".*proj"}), [f'has tensor "{B0}" and no "{A0}"']),
    (dict(drop=[A0, B0]), [f'has no tensor "{A0}", of a layer that "target_modules" names']),
    (dict(tensors={"base_model.model.lm_head.lora_A.weight": np.zeros((4, 64), np.float32)}),
     ['tensor "base_model.model.lm_head.lora_A.weight" is of no layer', "targets=q_proj,v_proj,down_proj", "--lora=rank=4,alpha=8"]),
]


@pytest.mark.parametrize("change, says", REFUSED)
def test_refused(llama, change, says, tmp_path):
    bundle = llama.running(flag(llama.targets))
    anetest.rejected("ane-run", bundle, f"--function=prefill_{LENGTH}", "--random-inputs", "--adapter", changed(llama.one, tmp_path / "a", **change),
                     says=[*([says] if isinstance(says, str) else says), "--adapter: "])


def test_refused_files(llama, tmp_path):
    def rejected(bundle, adapter, *says):
        anetest.rejected("ane-run", bundle, f"--function=prefill_{LENGTH}", "--random-inputs", "--adapter", adapter, says=says)
    bundle = llama.running(flag(llama.targets))
    rejected(bundle, tmp_path / "none", "none/adapter_config.json")
    half = changed(llama.one, tmp_path / "half")
    (half / "adapter_model.safetensors").write_bytes((llama.one / "adapter_model.safetensors").read_bytes()[:-40])
    rejected(bundle, half, "adapter_model.safetensors", "truncated")
    for text, says in (("[" * 5000, "is nested deeper than 16"), ("[]", "is no JSON object"), ('{"r":\n NaN}', "is no JSON text: can't be read from line 2, column 2")):
        (half / "adapter_config.json").write_text(text)
        rejected(bundle, half, "adapter_config.json", says)
    rejected(llama.running(), llama.one, "the bundle has no adapters", "--lora=rank=4,alpha=8,targets=")
    small = llama.compile("small.anebundle", "--context=48", f"--prefill={LENGTH}", flag(llama.targets, rank=2))
    rejected(small, llama.one, 'field "r" is 4, the bundle\'s adapters have rank 2', "--lora=rank=4,alpha=8,targets=")
    anetest.rejected("ane-run", "--mil", "x.mil", "--adapter", llama.one, says="--adapter has no meaning with --mil", code=2)


@pytest.mark.parametrize("change, says", [
    (dict(config={"lora_alpha": 16}), ['field "lora_alpha" is 16', "bundle's alpha is 8", "--lora=rank=4,alpha=16"]),
    (dict(config={"use_rslora": True}), ['with "use_rslora"']),
    (dict(drop=[A0, B0]), [f'has no tensor "{A0}"']),
    (dict(tensors={A0: np.zeros((4, 64), np.float64)}), ["is float64[4, 64]"]),
])
def test_refused_for_training(llama, change, says, tmp_path):
    data = data_of(llama, tmp_path / "data.npz")
    for adapter, message in ((changed(llama.one, tmp_path / "a", **change), says), (llama.two, ['field "r" is 2, the bundle\'s adapters have rank 4'])):
        anetest.rejected("ane-train", llama.training(), "--data", data, "--steps=1", "--device=cpu", "--adapter", adapter, says=[*message, "--adapter: "])


def test_refused_exports(llama, tmp_path):
    data = data_of(llama, tmp_path / "data.npz")
    common = [llama.training(), "--data", data, "--steps=1", "--device=cpu"]
    anetest.rejected("ane-train", *common, "--export", tmp_path / "x.gguf", says=["trains adapters", "--merge"])
    anetest.rejected("ane-train", *common, "--export", tmp_path / "x", "--merge", says="--source=PATH")
    anetest.rejected("ane-train", *common, "--export", tmp_path / "x.gguf", "--merge", "--source", llama.model, says="give a folder")
    anetest.rejected("ane-train", *common, "--merge", says="--merge says what --export writes", code=2)
    anetest.rejected("ane-train", *common, "--adapter", "a", "--resume", "--out", tmp_path / "run", says="--resume goes on", code=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.npz"]


def test_exports_are_refused_before_the_training(llama, tmp_path):
    """All but what training gives is known, and nothing of it is lost."""
    run, full = tmp_path / "run", tmp_path / "full"
    full.mkdir()
    (full / "precious").write_text("x")
    bare = tmp_path / "bare"
    shutil.copytree(llama.model, bare, ignore=lambda *_: ["config.json"])
    other = tmp_path / "other"
    shutil.copytree(llama.model, other)
    weights = load_file(other / "model.safetensors")
    name = next(name for name in weights if name.endswith("down_proj.weight"))
    save_file({**weights, name: weights[name].T.copy()}, other / "model.safetensors")
    common = [llama.training(), "--data", data_of(llama, tmp_path / "data.npz"), "--steps=1", "--device=cpu", "--out", run]
    for flags, says in (([full], [str(full), "exists and is not empty"]), ([full, "--merge", "--source", llama.model], "exists and is not empty"),
                        ([tmp_path / "no" / "out"], str(tmp_path / "no" / "out")),
                        ([tmp_path / "out", "--merge", "--source", bare], [str(bare), "config.json"]),
                        ([tmp_path / "out", "--merge", "--source", other], [str(other), name, "was compiled"]),
                        ([tmp_path / "out.safetensors", "--merge", "--source", other], [str(other), name, "was compiled"])):
        anetest.rejected("ane-train", *common, "--export", *flags, says=says)
        assert not run.exists(), "it was trained"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bare", "data.npz", "full", "other"]
    assert [path.name for path in full.iterdir()] == ["precious"]


def test_conversations(tmp_path):
    """A chat has one adapter; what is saved with another one is read anew."""
    if not zoo.python():
        pytest.skip("there is no .venv-models to make adapters with (scripts/setup.sh --models)")
    model, bundle = tinychat.write(tmp_path / "tiny"), tmp_path / "tiny.anebundle"
    targets = ["q_proj", "up_proj"]
    jobs = [{"do": "make", "model": model, "out": tmp_path / f"a{seed}", "seed": seed, "r": 2, "lora_alpha": 20, "target_modules": targets}
            for seed in (1, 2)]
    oracle(tmp_path, *jobs)
    anetest.run("ane-compile", model, "-o", bundle, "--quiet", "--context=128", "--prefill=16", "--parallel=2", flag(targets, rank=2, alpha=2))

    def said(text, *flags, adapter=None):
        flags = [*flags, *(["--adapter", tmp_path / adapter] if adapter else [])]
        done = subprocess.run([anetest.tool("ane-run"), bundle, "--max-tokens=12", "--device=cpu", *map(str, flags)], input=text, capture_output=True,
                              check=True, text=True)
        return done.stdout

    one, two, none = (said("", "--prompt=hello", adapter=adapter) for adapter in ("a1", "a2", None))
    assert len({one, two, none}) == 3
    lines = tmp_path / "lines.txt"
    lines.write_text("hello\nhello\n")
    assert said("", "--prompts", lines, adapter="a1") == f"> hello\n{one}" * 2
    first = said("hi\n", "--chat", "--save-conversation", tmp_path / "c", adapter="a1")
    both = said("hi\nand\n", "--chat", adapter="a1")
    assert first + said("and\n", "--chat", "--restore-conversation", tmp_path / "c", adapter="a1") == both
    # The same words by another adapter: as if it had read them.
    other = said("and\n", "--chat", "--restore-conversation", tmp_path / "c", adapter="a2")
    assert other != said("and\n", "--chat", "--restore-conversation", tmp_path / "c", adapter="a1")
    chat = json.loads((tmp_path / "c.json").read_text())
    (tmp_path / "d.json").write_text(json.dumps({**chat, "variant": "of nobody"}))
    shutil.copy(tmp_path / "c.states", tmp_path / "d.states")
    assert said("and\n", "--chat", "--restore-conversation", tmp_path / "d", adapter="a2") == other
    # On two devices both have it.
    apart = [said("", "--prompt=hello", "--prefill-device=emulator", "--decode-device=cpu", adapter=adapter) for adapter in ("a1", "a2", None)]
    assert apart == [one, two, none]
