"""Language models in GGUF files: lmzoo.py's, written as llama.cpp's converter does (conversion/ of llama.cpp), against the logits of transformers."""
import json

import gguf
import numpy as np
import pytest
from safetensors.numpy import load_file

import anetest
import frontend  # finds the package
import lmzoo
from test_language_models import check, decoded, made

import anemone

PARTS = {"input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
         "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
         "post_attention_layernorm": "ffn_norm", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
         "ln_1": "attn_norm", "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "ln_2": "ffn_norm", "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"}
GEMMA = {"post_attention_layernorm": "post_attention_norm", "pre_feedforward_layernorm": "ffn_norm", "post_feedforward_layernorm": "post_ffw_norm"}
WHOLE = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output", "transformer.wte": "token_embd",
         "transformer.wpe": "position_embd", "transformer.ln_f": "output_norm"}


def neighbours(weight, heads):
    """The rows of Llama's queries and keys, so that what a position turns together lies side by side."""
    return weight.reshape(heads, 2, weight.shape[0] // heads // 2, *weight.shape[1:]).swapaxes(1, 2).reshape(weight.shape)


def convert(folder, path, element=np.float32, blocks=None):
    """`blocks`: the format of matrices, such as Q4_1, instead of `element`."""
    config, weights = json.loads((folder / "config.json").read_text()), load_file(folder / "model.safetensors")
    kind = config["model_type"]
    writer = gguf.GGUFWriter(path, kind)
    gpt2 = kind == "gpt2"
    heads, width = config["n_head" if gpt2 else "num_attention_heads"], config["n_embd" if gpt2 else "hidden_size"]
    writer.add_block_count(config["n_layer" if gpt2 else "num_hidden_layers"])
    writer.add_context_length(config["n_positions" if gpt2 else "max_position_embeddings"])
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(4 * width if gpt2 else config["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_file_type(0)
    if gpt2:
        writer.add_layer_norm_eps(config["layer_norm_epsilon"])
    else:
        writer.add_head_count_kv(config["num_key_value_heads"])
        writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
        head = config.get("head_dim") or width // heads
        writer.add_key_length(head)
        writer.add_value_length(head)
        writer.add_rope_dimension_count(head)
        rope = config["rope_parameters"]
        writer.add_rope_freq_base(rope["rope_theta"])
        if rope["rope_type"] in ("linear", "yarn"):
            writer.add_rope_scaling_type(gguf.RopeScalingType(rope["rope_type"]))
            writer.add_rope_scaling_factor(rope["factor"])
        if rope["rope_type"] == "yarn":
            writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
        if config.get("sliding_window"):
            writer.add_sliding_window(config["sliding_window"])
    if kind == "gemma2":
        writer.add_attn_logit_softcapping(config["attn_logit_softcapping"])
        writer.add_final_logit_softcapping(config["final_logit_softcapping"])
    for name, array in weights.items():
        stem, leaf = name.rsplit(".", 1)
        if stem in WHOLE:
            new = WHOLE[stem]
        else:
            layer, part = stem.split("layers." if not gpt2 else ".h.", 1)[1].split(".", 1)
            new = f"blk.{layer}.{({**PARTS, **GEMMA} if kind == 'gemma2' else PARTS)[part]}"
            if gpt2 and array.ndim == 2:
                array = array.T
            if kind == "llama" and part in ("self_attn.q_proj", "self_attn.k_proj"):
                array = neighbours(array, heads if "q_proj" in part else config["num_key_value_heads"])
        if kind == "gemma2" and array.ndim == 1:
            array = array + 1
        array = np.ascontiguousarray(array, element if array.ndim == 2 else np.float32)
        if blocks and array.ndim == 2:
            kind = gguf.GGMLQuantizationType[blocks]
            writer.add_tensor(f"{new}.{leaf}", gguf.quants.quantize(array, kind), raw_dtype=kind)
        else:
            writer.add_tensor(f"{new}.{leaf}", array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.mark.parametrize("name", ["llama-tied", "llama-yarn", "gpt2-plain", "qwen3", "gemma2-plain"])
def test_logits(made, tmp_path, name):
    path = convert(made / name, tmp_path / "m.gguf")
    anetest.run("ane-compile", path, "-o", tmp_path / "m.anebundle", "--quiet", f"--context={lmzoo.CONTEXT}", "--prefill=8")
    arrays = np.load(made / f"{name}.npz")
    session = anemone.load(tmp_path / "m.anebundle", function="decode", device="cpu").session()
    check("cpu", decoded(session, arrays["tokens"]), arrays["logits"])
    assert json.loads((tmp_path / "m.anebundle" / "manifest.json").read_text())["language_model"]["stop_tokens"] == [2]
