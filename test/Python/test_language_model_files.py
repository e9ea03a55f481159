"""What is wrong with the files of a language model: each message names the file, and the field or tensor."""
import json
import re

import gguf
import numpy as np
import pytest
from safetensors.numpy import save_file

import anetest
import lmfiles
from lmfiles import CONFIG

K0 = "model.layers.0.self_attn.k_proj.weight"


def refused(folder, says, *flags, code=1):
    anetest.rejected("ane-compile", folder, "-o", folder.parent / "o.anebundle", *flags, says=says, code=code)
    assert not (folder.parent / "o.anebundle").exists()


def test_right_files(tmp_path):
    """Else the refusals below would show nothing."""
    model = lmfiles.write(tmp_path / "m")
    done = anetest.run("ane-compile", model, "--compile-to=input", "--context=16", "--prefill=4,8")
    for text in ("@decode(", "@prefill_4(", "@prefill_8(", '"cache.key.1"', "#ane.weight<", "ane.io_name = \"length\""):
        assert text in done.stdout, text
    assert done.stdout.count("ane.state ") == 2 * CONFIG["num_hidden_layers"]


@pytest.mark.parametrize("change, says", [
    ({"rotary_frobnication": 3}, ["config.json: field 'rotary_frobnication' is 3", "does not know"]),
    ({"rope_scaling": {"rope_type": "linear", "factor": 2.0, "twist": 1}}, "field 'rope_scaling.twist' is 1"),
    ({"rope_scaling": {"rope_type": "linear", "factor": 2.0}, "rope_parameters": {"rope_type": "linear", "factor": 4.0}},
     "field 'rope_scaling.factor' is 2.0, and 'rope_parameters.factor' is 4.0: both describe the same; take out the one that is wrong"),
    ({"rope_scaling": {"rope_type": "linear", "factor": 2.0}, "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}},
     ["field 'rope_scaling.rope_type' is \"linear\", and 'rope_parameters.rope_type' is \"default\"", "and 'rope_parameters.factor' is missing"]),
    ({"rope_scaling": {"rope_type": "linear"}}, "field 'rope_scaling.factor' is missing"),
    ({"rope_scaling": {"rope_type": "dynamic", "factor": 2.0}}, ["field 'rope_scaling.rope_type' is 'dynamic'", "supported are default, linear"]),
    ({"hidden_size": None}, "field 'hidden_size' is null, expected an integer from 1 to 2^20"),
    ({"hidden_size": "16"}, "field 'hidden_size' is \"16\", expected an integer"),
    ({"num_hidden_layers": 2**40}, "field 'num_hidden_layers' is 1099511627776, expected an integer from 1 to 2^20"),
    ({"num_hidden_layers": 100000}, "layers: 100000, limit 1024"),
    ({"num_key_value_heads": 3}, ["field 'num_key_value_heads' is 3", "does not divide num_attention_heads, 4"]),
    ({"hidden_act": "tropical"}, "field 'hidden_act' is 'tropical'"),
    ({"model_type": "qwen2", "layer_types": ["full_attention"]}, "field 'layer_types' has 1 entries for 2 layers"),
    ({"quantization_config": {"bits": 4}}, "field 'quantization_config' is {\"bits\":4}, which is not supported"),
    ({"eos_token_id": [2, 40]}, "field 'eos_token_id' is 40, the vocabulary has 40 tokens"),
    ({"rope_interleaved": True}, "field 'rope_interleaved' is true, which is not supported; supported is false"),
    ({"model_type": "vit"}, ["field 'model_type' is 'vit'", "llama, mistral"]),
    ({"model_type": "phi3", "partial_rotary_factor": 0.3}, "field 'partial_rotary_factor' turns 1 of a head's 4 elements"),
])
def test_configuration(tmp_path, change, says):
    refused(lmfiles.write(tmp_path / "m", {**CONFIG, **change}), says)


@pytest.mark.parametrize("text, says", [
    (" ", "config.json: is no JSON text"), ("[]", "config.json: is no JSON object"), ("{\n\"a\": 1,]", ["config.json: is no JSON text: can't be read from line 2, column 8", "; remedy: get the file again"]),
    ('{"a": 1e999}', "config.json: is no JSON text"),
    ('{"a": ' + "[" * 1000 + "]" * 1000 + "}", "config.json: is nested deeper than 64"), ("\xff", "config.json: is no JSON text")])
def test_no_configuration(tmp_path, text, says):
    refused(lmfiles.write(tmp_path / "m", text), says)


@pytest.mark.parametrize("change, says", [
    ({K0: None}, [f"model.safetensors: tensor '{K0}' is missing; the model wants [8, 16]"]),
    ({K0: np.zeros((16, 8), np.float32)}, [f"tensor '{K0}' has shape [16, 8], the configuration wants [8, 16]"]),
    ({K0: np.zeros((8, 16), np.int32)}, [f"tensor '{K0}' is no tensor of floats"]),
    ({"model.layers.0.self_attn.q_norm.weight": np.zeros(4, np.float32)},
     ["tensor 'model.layers.0.self_attn.q_norm.weight' [4] is no part of the model"]),
    ({"lm_head.weight": np.zeros((40, 16), np.float32)}, ["tensor 'lm_head.weight' [40, 16] is no part of the model"]),
])
def test_tensors(tmp_path, change, says):
    weights = {name: array for name, array in {**lmfiles.tensors(), **change}.items() if array is not None}
    refused(lmfiles.write(tmp_path / "m", weights=weights), says)


def test_truncated_file(tmp_path):
    model = lmfiles.write(tmp_path / "m")
    whole = (model / "model.safetensors").read_bytes()
    (model / "model.safetensors").write_bytes(whole[:-100])
    refused(model, ["model.safetensors", "truncated"])
    (model / "model.safetensors").unlink()
    refused(model, "has neither model.safetensors nor model.safetensors.index.json")


def write_shards(folder, weights):
    """The tensors in two files, every other one in each, and their index."""
    model, files = lmfiles.write(folder), ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
    (model / "model.safetensors").unlink()
    names = list(weights)
    for i, file in enumerate(files):
        save_file({name: weights[name] for name in names[i::2]}, model / file)
    index = {"metadata": {"total_size": sum(array.nbytes for array in weights.values())},
             "weight_map": {name: files[i % 2] for i, name in enumerate(names)}}
    (model / "model.safetensors.index.json").write_text(json.dumps(index))
    return model, index, files


def test_shards(tmp_path):
    """Several files with an index give the bundle of one file; what is wrong with them names the index or the file."""
    weights = lmfiles.tensors()
    model, index, files = write_shards(tmp_path / "m", weights)
    flags = ["--quiet", "--context=16", "--prefill=4", "--tokenizer=none"]
    anetest.run("ane-compile", model, "-o", tmp_path / "shards.anebundle", *flags)
    anetest.run("ane-compile", lmfiles.write(tmp_path / "one"), "-o", tmp_path / "one.anebundle", *flags)
    for path in ("host.bin", *(file.name for file in (tmp_path / "one.anebundle" / "weights").iterdir())):
        assert (tmp_path / "shards.anebundle" / "weights" / path).read_bytes() == (tmp_path / "one.anebundle" / "weights" / path).read_bytes()
    place = model / "model.safetensors.index.json"

    def indexed(**changes):
        place.write_text(json.dumps({**index, "weight_map": {**index["weight_map"], **changes}}))

    indexed(**{K0: files[0] if index["weight_map"][K0] == files[1] else files[1]})
    refused(model, [f"{place}: tensor \"{K0}\" is not in {files[0] if index['weight_map'][K0] == files[1] else files[1]}"])
    indexed(more=files[0])
    refused(model, [str(place), "tensor \"more\" is not in"])
    for outside in ("../one/model.safetensors", "a\0b", ""):
        indexed(**{K0: outside})
        refused(model, [str(place), "needs the name of a file in the index's folder"])
    indexed(**{K0: "none.safetensors"})
    refused(model, "none.safetensors")
    place.write_text(json.dumps(index))
    whole = (model / files[1]).read_bytes()
    (model / files[1]).write_bytes(whole[:-4])
    refused(model, [files[1], "truncated"])
    place.write_text("{}")
    refused(model, [str(place), "no object 'weight_map'"])


def write_gguf(path, tensors, **more):
    """`more`: of the metadata; a float or a text, too, or None for what is left out."""
    writer = gguf.GGUFWriter(path, "llama")
    fields = {"block_count": 1, "context_length": 64, "embedding_length": 16, "feed_forward_length": 24, "attention.head_count": 4,
              "attention.layer_norm_rms_epsilon": 1e-5, **more}
    for name, value in fields.items():
        if value is not None:
            {int: writer.add_uint32, float: writer.add_float32, str: writer.add_string}[type(value)](f"llama.{name}", value)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    for name, shape in tensors.items():
        writer.add_tensor(name, np.ones(shape, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_gguf(tmp_path):
    """One line a problem, which names the file once and the field as it is called there."""
    table = {"token_embd.weight": (40, 16)}
    path = write_gguf(tmp_path / "m.gguf", {"output_norm.weight": (16,)})
    done = anetest.rejected("ane-compile", path, "-o", tmp_path / "o", "--quiet", says="m.gguf: field 'vocab_size' is missing")
    assert "token_id" not in done.stderr, "what follows from another problem is none"
    refused(write_gguf(path, table, expert_count=8), f"{path}: field 'llama.expert_count' is 8, which this compiler does not know")
    refused(write_gguf(path, table), [f"{path}: tensor 'blk.0.attn_q.weight' is missing; the model wants [16, 16]"])
    refused(write_gguf(path, {**table, "output_norm.weight": (17,)}), "tensor 'output_norm.weight' has shape [17], the configuration wants [16]")
    data = write_gguf(path, table).read_bytes()
    path.write_bytes(data[:4] + b"\x09" + data[5:])
    refused(path, f"{path}: error: version (at byte 8): is 9; versions 2 and 3 are known; remedy: ")
    path.write_bytes(data[:-100])
    refused(path, [f"{path}: error: tensor ", "is the file truncated?"])


@pytest.mark.parametrize("given, meant", [
    # What llama.cpp takes where a file says nothing, or reads nothing.
    ({}, {"rope.freq_base": 10000.0, "attention.head_count_kv": 4, "attention.key_length": 4, "rope.dimension_count": 4}),
    ({"rope.scaling.factor": 2.0}, {"rope.scaling.type": "linear", "rope.scaling.factor": 2.0}),
    ({"rope.scale_linear": 2.0}, {"rope.scaling.type": "linear", "rope.scaling.factor": 2.0}),
    ({"rope.scaling.type": "none", "rope.scaling.factor": 2.0}, {}),
    ({"rope.scaling.type": "linear"}, {}),
    ({"rope.scaling.factor": 0.0}, {"rope.scaling.factor": 1.0}),
    ({"attention.sliding_window": 3}, {}),
])
def test_gguf_defaults(tmp_path, given, meant):
    parts = {"attn_norm": (16,), "ffn_norm": (16,), "attn_q": (16, 16), "attn_k": (16, 16), "attn_v": (16, 16), "attn_output": (16, 16),
             "ffn_gate": (24, 16), "ffn_up": (24, 16), "ffn_down": (16, 24)}
    tensors = {"token_embd.weight": (40, 16), "output_norm.weight": (16,)} | {f"blk.0.{name}.weight": shape for name, shape in parts.items()}

    def imported(more):
        path = write_gguf(tmp_path / "m.gguf", tensors, **more)
        text = anetest.run("ane-compile", path, "--compile-to=input", "--context=16", "--prefill=4", "--tokenizer=none").stdout
        return re.sub(r'#ane.weight<[^>]*>|config = "[^"]*"', "", text)  # where in the file, and what an export gets

    first = imported(given)
    assert first == imported(meant)
    assert first != imported({"rope.freq_base": 500.0}), "the text has what is read"


def test_gguf_requires(tmp_path):
    table = {"token_embd.weight": (40, 16)}
    for name, field in (("attention.layer_norm_rms_epsilon", "rms_norm_eps"), ("feed_forward_length", "intermediate_size"), ("context_length", "max_position_embeddings")):
        refused(write_gguf(tmp_path / "m.gguf", table, **{name: None}), f"m.gguf: field '{field}' is missing")
    refused(write_gguf(tmp_path / "m.gguf", table, **{"attention.layer_norm_rms_epsilon": 0.0}), "field 'rms_norm_eps' is 0.0, expected a number above 0")


def test_flags(tmp_path):
    model = lmfiles.write(tmp_path / "m")
    refused(model, ["--context=65", "made for 64 tokens"], "--context=65")
    refused(model, ["a prompt of 32 tokens, limit 16"], "--context=16", "--prefill=32")
    refused(model, "--context=0: a number of tokens is 1 or more", "--context=0", code=2)
    refused(model, "sizes are 2 or more and ascend", "--prefill=8,8", code=2)
    refused(model, "2 to 64 sequences decode together", "--parallel=1", code=2)
    refused(model, "--kv-cache=fp8: fp32 or fp16", "--kv-cache=fp8", code=2)
    refused(model, ["--kv-cache", "--train makes others"], "--kv-cache=fp16", "--train", code=2)
    refused(model, "those of a language model are static", "--dim=batch=1", code=2)
    refused(model, "has its own states", "--states=auto", code=2)
    anetest.rejected("ane-compile", f"a={model}", "-o", tmp_path / "o", says="give it alone", code=2)
    (tmp_path / "m.onnx").touch()
    anetest.rejected("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "o", "--context=8", says="--context, --prefill, --parallel, --kv-cache, --tokenizer and --head are for language models", code=2)
