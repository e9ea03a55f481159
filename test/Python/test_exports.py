"""Weights that runtime/train/export writes, to those who read them: transformers, safetensors and gguf. Half of each value stands for
a trained one."""
import json
import subprocess

import gguf
import numpy as np
import pytest
import safetensors.numpy

import anetest
import lmzoo
import zoo
from smollm import gguf_path

TIED = "llama-tied"
# Run where transformers is: the folder `exported` loads without a word about weights, and has half the values of `source`.
COMPARE = """
import sys, torch, transformers
source, exported = sys.argv[1:]
load = lambda folder: transformers.AutoModelForCausalLM.from_pretrained(folder, output_loading_info=True)
want, _ = load(source)
got, info = load(exported)
assert not info["missing_keys"] and not info["unexpected_keys"] and not info["mismatched_keys"], info
assert got.config.tie_word_embeddings == want.config.tie_word_embeddings
assert not want.config.tie_word_embeddings or got.lm_head.weight.data_ptr() == got.get_input_embeddings().weight.data_ptr()
expected = want.state_dict()
assert set(got.state_dict()) == set(expected)
for name, tensor in got.state_dict().items():
    assert tensor.dtype == torch.float32, name
    assert torch.equal(tensor, expected[name].float() / 2), name
"""


def names_file(folder, names):
    path = folder / "names.txt"
    path.write_text("".join(f"{name}\n" for name in names))
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    if not lmzoo.ensure(folder, TIED, "gpt2"):
        pytest.skip("there is no .venv-models to make models with (scripts/setup.sh --models)")
    return folder


@pytest.mark.parametrize("name", [TIED, "gpt2"])
def test_transformers_loads_the_folder(name, made, tmp_path):
    source, out = made / name, tmp_path / "out"
    names = safetensors.numpy.load_file(source / "model.safetensors")
    assert "lm_head.weight" not in names, "the heads of these models are tied"
    (source / "tokenizer.json").write_text("{}")
    (source / "notes.txt").write_text("not of the model")
    anetest.run("export_tool", source, names_file(tmp_path, names), out)
    assert sorted(path.name for path in out.iterdir()) == sorted(
        {"config.json", "model.safetensors", "tokenizer.json"} | ({"generation_config.json"} & {path.name for path in source.iterdir()}))
    config = json.loads((out / "config.json").read_text())
    assert config.get("dtype", config.get("torch_dtype")) == "float32"
    subprocess.run([zoo.python(), "-c", COMPARE, source, out], check=True, stdin=subprocess.DEVNULL)


def test_names_of_the_base_model(tmp_path):
    """A checkpoint without the prefix that the model with a head has, of bfloat16, with a tensor that is no parameter."""
    import ml_dtypes
    source, out = tmp_path / "source", tmp_path / "out"
    source.mkdir()
    arrays = {"wte.weight": np.linspace(-3, 3, 12).reshape(3, 4).astype(ml_dtypes.bfloat16), "h.0.attn.bias": np.tri(3, dtype=np.float32)}
    safetensors.numpy.save_file(arrays, source / "model.safetensors")
    (source / "config.json").write_text('{"model_type": "gpt2", "torch_dtype": "bfloat16"}')
    anetest.run("export_tool", source, names_file(tmp_path, ["transformer.wte.weight wte.weight"]), out)
    got = safetensors.numpy.load_file(out / "model.safetensors")
    assert set(got) == set(arrays)
    assert got["wte.weight"].dtype == np.float32
    np.testing.assert_array_equal(got["wte.weight"], arrays["wte.weight"].astype(np.float32) / 2)
    np.testing.assert_array_equal(got["h.0.attn.bias"], arrays["h.0.attn.bias"])
    assert json.loads((out / "config.json").read_text()) == {"model_type": "gpt2", "torch_dtype": "float32"}


def test_one_file(made, tmp_path):
    names = list(safetensors.numpy.load_file(made / TIED / "model.safetensors"))
    anetest.run("export_tool", made / TIED, names_file(tmp_path, names), tmp_path / "out.safetensors")
    got, want = (safetensors.numpy.load_file(path) for path in (tmp_path / "out.safetensors", made / TIED / "model.safetensors"))
    assert set(got) == set(want)
    for name, array in want.items():
        np.testing.assert_array_equal(got[name], array / 2)


@pytest.mark.parametrize("half", [False, True])
def test_gguf(half, tmp_path):
    source = gguf.GGUFReader(gguf_path())
    trained = [tensor.name for tensor in source.tensors if "blk.1." not in tensor.name]
    anetest.run("export_tool", gguf_path(), names_file(tmp_path, trained), tmp_path / "out.gguf", *["--half"] * half)
    got = gguf.GGUFReader(tmp_path / "out.gguf")
    assert list(got.fields) == list(source.fields)
    for name, field in source.fields.items():
        if name == "general.file_type":
            assert got.fields[name].contents() == int(half)
        elif not name.startswith("GGUF."):
            assert got.fields[name].contents() == field.contents() and got.fields[name].types == field.types
    assert [tensor.name for tensor in got.tensors] == [tensor.name for tensor in source.tensors]
    for tensor, other in zip(got.tensors, source.tensors):
        assert list(tensor.shape) == list(other.shape)
        if tensor.name in trained:
            is_half = half and len(tensor.shape) > 1
            assert tensor.tensor_type.name == ("F16" if is_half else "F32")
            want = gguf.quants.dequantize(other.data, other.tensor_type) / 2
            np.testing.assert_array_equal(tensor.data, want.reshape(tensor.data.shape).astype(np.float16 if is_half else np.float32))
        else:
            assert tensor.tensor_type == other.tensor_type
            np.testing.assert_array_equal(tensor.data, other.data)


def test_refusals(made, tmp_path):
    source, out = made / TIED, tmp_path / "out"
    anetest.rejected("export_tool", source, names_file(tmp_path, ["model.norm.wight"]), out, says=[str(source), '"model.norm.wight"', "was compiled"])
    anetest.rejected("export_tool", source, names_file(tmp_path, ["model.layers.0.mlp.up_proj.weight model.norm.weight"]), out,
                     says=["is float32[96, 64]", "the trained weight is float32[64]"])
    anetest.rejected("export_tool", gguf_path(), names_file(tmp_path, ["model.norm.weight"]), tmp_path / "out.gguf", says="has no tensor")
    assert not out.exists() and not (tmp_path / "out.gguf").exists()
    out.mkdir()
    (out / "precious").write_text("x")
    anetest.rejected("export_tool", source, names_file(tmp_path, ["model.norm.weight"]), out, says="exists and is not empty")
    assert [path.name for path in out.iterdir()] == ["precious"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["names.txt", "out"], "left-overs"
