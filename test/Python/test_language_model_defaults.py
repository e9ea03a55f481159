"""What a configuration means where it leaves a field out, or has one that its family does not know: what transformers takes it for."""
import json
import re
import shutil
import subprocess

import numpy as np
import pytest

import anetest
import frontend  # finds the package
import lmdefaults
import zoo

import anemone

# Of a configuration that transformers takes, and this compiler refuses with a message: what it does not know how to compute, or what must be a mistake.
REFUSED = {
    # Causal models only.
    "with use_bidirectional_attention": {"gemma2", "gemma3_text"},
    "bidirectional": set(lmdefaults.FAMILIES),
    # One of two sections that describe the same is ignored there.
    "both rules": {"llama", "mistral", "qwen2", "qwen3", "gemma2", "gemma3_text"},
    "both rules, one theta": {"gemma3_text"},
    # A section is ignored there whose form is another family's: rules by kinds of layers, or one for all.
    **{f"rope_{section} nested{theta}": {"llama", "mistral", "phi3"} for section in ("scaling", "parameters") for theta in ("", " without theta")},
    **{f"rope_parameters {rule}{theta}": {"gemma3_text"} for rule in set(lmdefaults.RULES) - {"empty", "nested"} for theta in ("", " without theta")},
    # The old name of a rule is ignored there, and then its factor; rules by kinds of layers are another section's.
    **{f"rope_scaling {rule}{theta}": {"gemma3_text"} for rule in ("linear-old", "su") for theta in ("", " without theta")},
    **{f"rope_scaling nested{theta}": {"llama", "mistral", "phi3", "gemma3_text"} for theta in ("", " without theta")},
    # A number that is null is the class's default there.
    "null rope_theta": {"phi3"},
    "null partial_rotary_factor": {"phi3"},
}
# Of an older name of longrope transformers says that it takes it, and then lacks a field.
TAKEN = {f"rope_{section} su{theta}": {"phi3"} for section in ("scaling", "parameters") for theta in ("", " without theta")}
TAKEN |= {"null num_key_value_heads": {"llama", "mistral"}, "partial and linear": {"llama", "mistral", "qwen3", "gemma2", "gemma3_text"}}
# What it checks although the family has no use for it.
TAKEN |= {"with rope_scaling": {"gpt2", "bert"}, "null original_max_position_embeddings": {"phi3"}}


def table_of(family):
    """The fields of a family, from its source."""
    for path in (zoo.ROOT / "lib/Import/LM/Architectures").iterdir():
        if found := re.search(r'\{"%s",\s*R"json\((.*?)\)json"' % family, path.read_text(), re.DOTALL):
            return json.loads(found[1])
    raise AssertionError(f"no table of {family}")


@pytest.fixture(scope="module", params=list(lmdefaults.FAMILIES))
def made(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    if not zoo.python():
        pytest.skip("there is no .venv-models with transformers (scripts/setup.sh --models)")
    subprocess.run([zoo.python(), lmdefaults.__file__, folder, request.param], check=True, stdin=subprocess.DEVNULL)
    return request.param, folder


def test_table(made):
    """Each value of the table is the class's, and each field of the class is in the table or says nothing about values."""
    family, folder = made
    given, table = json.loads((folder / "classes.json").read_text()), table_of(family)
    known = given["fields"]
    assert {name: value for name, value in table.items() if name in known} == {name: known[name] for name in table if name in known}
    if "rope_theta" in table and family != "gemma3_text":
        assert table["rope_theta"] == given["theta"]
    rest = set(known) - set(table)
    said = (zoo.ROOT / "lib/Import/LM/Architectures.cpp").read_text() + "".join(
        path.read_text() for path in (zoo.ROOT / "lib/Import/LM/Architectures").iterdir())
    assert not [name for name in rest if f'"{name}"' not in said and name not in ("pad_token_id", "rope_parameters")], rest


def values_of(folder, config, place, is_encoder):
    """What this compiler's model gives, or why it refuses the configuration."""
    place.mkdir()
    (place / "config.json").write_text(json.dumps(config))
    (place / "model.safetensors").symlink_to(folder / "model.safetensors")
    count = len(lmdefaults.TOKENS)
    done = subprocess.run([anetest.tool("ane-compile"), place, "-o", place / "m.anebundle", "--quiet", f"--context={count}", f"--prefill={count}"],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode in (0, 1), done.stderr
    if done.returncode:
        return done.stderr
    ids = np.array(lmdefaults.TOKENS, np.int32)
    if is_encoder:
        values = anemone.load(place / "m.anebundle", device="cpu")(input_ids=ids[None], attention_mask=np.ones_like(ids[None]))["embedding"][0]
    else:
        session = anemone.load(place / "m.anebundle", device="cpu", function=f"prefill_{count}").session()
        values = session(input_ids=ids[None], position=np.array([0], np.int32), length=np.array([count], np.int32))["logits"][0]
    shutil.rmtree(place)
    return values


@pytest.mark.slow
def test_each_field(made, tmp_path):
    family, folder = made
    variants, logits = json.loads((folder / "variants.json").read_text()), np.load(folder / "logits.npz")
    wrong, compared, seen = [], 0, {}
    for index, (name, config) in enumerate(variants.items()):
        got = values_of(folder, config, tmp_path / str(index), family == "bert")
        if family in REFUSED.get(name, ()):
            if not isinstance(got, str):
                wrong.append(f"{name}: is not refused")
        elif name not in logits.files:
            if not isinstance(got, str) and family not in TAKEN.get(name, ()):
                wrong.append(f"{name}: transformers refuses it, this compiler does not")
        elif isinstance(got, str):
            wrong.append(f"{name}: is refused: {got}")
        else:
            want = logits[name]
            error = np.abs(got - want).max() / np.abs(want).max()
            compared += 1
            seen[name] = want
            if not error <= 1e-4:
                wrong.append(f"{name}: off by {error:.1e} of the largest")
    moved = [name for name, values in seen.items() if np.abs(values - seen["base"]).max() > 1e-3 * np.abs(values).max()]
    print(f"{family}: {compared} compared, {len(moved)} of them not the base's: {', '.join(moved)}")
    assert len(moved) >= 3, "the fields change something"
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("family", [name for name in lmdefaults.FAMILIES])
def test_nonsense(tmp_path, family):
    """What no model can mean is an error with the field, its value and its limit."""
    base = dict(lmdefaults.FAMILIES[family][1], model_type=family)
    positive = [name for name in base if name in table_of(family) and re.search("eps|epsilon|softcapping|scalar|partial_rotary", name)]
    assert positive
    for name in positive:
        for value in 0, -1, -1e-5, "1e-6", True, [1]:
            config = {**base, name: value}
            folder = tmp_path / f"{name}{value}"
            folder.mkdir()
            (folder / "config.json").write_text(json.dumps(config))
            anetest.rejected("ane-compile", folder, "-o", tmp_path / "o", says=f"field '{name}' is {json.dumps(value)}, expected a number above 0")
    for name in "num_attention_heads", "n_head", "num_hidden_layers", "n_layer", "sliding_window", "head_dim", "vocab_size":
        if name in base:
            folder = tmp_path / name
            folder.mkdir()
            (folder / "config.json").write_text(json.dumps({**base, name: -3}))
            anetest.rejected("ane-compile", folder, "-o", tmp_path / "o", says=f"field '{name}' is -3, expected an integer from 1 to 2^20")
