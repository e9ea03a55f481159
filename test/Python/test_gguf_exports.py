"""A model that came in a GGUF file and was trained is given back as a folder that transformers loads (ane-train --export)."""
import json
import subprocess

import numpy as np
import pytest
from safetensors.numpy import load_file

import anetest
import lmzoo
import smollm
import test_gguf
import zoo
from test_gguf import CASES

LENGTH = 16
# Run where transformers is: a folder has the tokens, the chat and, but for what was trained, the tensors of a GGUF file.
SMOLLM2 = """
import re, sys, torch, transformers
from pathlib import Path
source, folder, text = map(Path, sys.argv[1:])
place = dict(pretrained_model_name_or_path=source.parent, gguf_file=source.name)
want, got = transformers.AutoTokenizer.from_pretrained(**place), transformers.AutoTokenizer.from_pretrained(folder)
# transformers does not read from the file that digits are words of their own.
words = re.sub(r"\\s*\\d", "", text.read_text()) + "\\n <|im_start|>user\\n caf\u00e9 \U0001f600  \\t x"
assert got(words).input_ids == want(words).input_ids
ids = got(words).input_ids
assert got.decode(ids) == want.decode(ids)
assert (got.bos_token_id, got.eos_token_id) == (want.bos_token_id, want.eos_token_id)
chat = [{"role": "user", "content": "Hi"}]
assert got.apply_chat_template(chat, tokenize=False, add_generation_prompt=True) == want.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
model, info = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, output_loading_info=True)
assert not info["missing_keys"] and not info["unexpected_keys"] and not info["mismatched_keys"], info
base = transformers.AutoModelForCausalLM.from_pretrained(**place, dtype=torch.float32).state_dict()
changed = {name for name, tensor in model.state_dict().items() if (tensor - base[name]).abs().max() > 1e-6 * base[name].abs().max()}
assert len(changed) == 90 and all(name.rsplit(".", 2)[1] in ("q_proj", "k_proj", "v_proj") for name in changed), changed
"""


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


def test_smollm2(tmp_path):
    """A real model, its tokenizer and chat template; adapters are merged into it."""
    if not (zoo.python() and smollm.gguf_path()):
        pytest.skip("there is no .venv-models to load models with (scripts/setup.sh --models)")
    (tmp_path / "data.txt").write_text("Once upon a time there was a compiler. " * 40)
    anetest.run("ane-train", smollm.gguf_path(), "--data", tmp_path / "data.txt", "--steps=2", "--lr=1e-3", "--device=cpu", "--json", "--seq=32", "--batch=1",
                "--lora=rank=4,alpha=8,targets=q_proj,k_proj,v_proj", "--export", tmp_path / "out", "--merge")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["chat_template.jinja", "config.json", "model.safetensors",
                                                                          "tokenizer.json", "tokenizer_config.json"]
    subprocess.run([zoo.python(), "-c", SMOLLM2, smollm.gguf_path(), tmp_path / "out", zoo.ROOT / "README.md"], check=True, stdin=subprocess.DEVNULL)


def test_refused(tmp_path):
    """What config.json can't say, and another model's file."""
    if not lmzoo.ensure(tmp_path, "llama", "llama-tied"):
        pytest.skip("there is no .venv-models to make models with (scripts/setup.sh --models)")
    model = test_gguf.convert(tmp_path / "llama", tmp_path / "m.gguf")
    trained(model, tmp_path, tmp_path / "out", "--out", tmp_path / "run", says=[str(model), "rope_freqs.weight", "export to NAME.gguf"])
    assert not (tmp_path / "run").exists(), "it was trained"
    other = test_gguf.convert(tmp_path / "llama-tied", tmp_path / "other.gguf")
    trained(tmp_path / "llama-tied", tmp_path, tmp_path / "out", "--source", other, says=[str(other), "can't become a folder of Hugging Face"])
    assert not (tmp_path / "out").exists()
    # A form that does not fit its tensors is no reason to write others.
    bundle, form = tmp_path / "b.anebundle", tmp_path / "b.anebundle" / "training" / "huggingface.json"
    anetest.run("ane-compile", other, "-o", bundle, "--quiet", "--tokenizer=none", "--train", f"--sequence={LENGTH}", "--batch=2")
    good = form.read_text()
    assert '"heads": 4' in good
    for text, says in ((good.replace('"heads": 4', '"heads": 7'), ["blk.0.attn_q", "64", "cuts into 7 heads"]), ("{]".ljust(len(good)), "line 1, column 2")):
        form.write_text(text)
        anetest.rejected("ane-train", bundle, "--data", tmp_path / "data.npz", "--steps=1", "--device=cpu", "--out", tmp_path / "run", "--source", other,
                         "--export", tmp_path / "out", says=says)
        assert not (tmp_path / "run").exists() and not (tmp_path / "out").exists()
    config = json.loads((tmp_path / "llama" / "config.json").read_text())
    assert config["rope_parameters"]["rope_type"] == "llama3"
