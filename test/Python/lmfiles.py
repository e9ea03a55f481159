"""A small Llama in Hugging Face's files, written without transformers: for what is wrong with files."""
import json

import numpy as np
from safetensors.numpy import save_file

CONFIG = dict(model_type="llama", vocab_size=40, hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4,
              num_key_value_heads=2, max_position_embeddings=64, rms_norm_eps=1e-5, rope_theta=10000.0, hidden_act="silu",
              tie_word_embeddings=True, torch_dtype="float32", eos_token_id=2, bos_token_id=1)


def tensors(seed=5):
    rng = np.random.default_rng(seed)
    width, hidden, keys = CONFIG["hidden_size"], CONFIG["intermediate_size"], 8
    shapes = {"embed_tokens.weight": (CONFIG["vocab_size"], width), "norm.weight": (width,)}
    for layer in range(CONFIG["num_hidden_layers"]):
        parts = {"input_layernorm": (width,), "post_attention_layernorm": (width,), "self_attn.q_proj": (width, width),
                 "self_attn.k_proj": (keys, width), "self_attn.v_proj": (keys, width), "self_attn.o_proj": (width, width),
                 "mlp.gate_proj": (hidden, width), "mlp.up_proj": (hidden, width), "mlp.down_proj": (width, hidden)}
        shapes |= {f"layers.{layer}.{name}.weight": shape for name, shape in parts.items()}
    return {f"model.{name}": rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


def write(folder, config=CONFIG, weights=None):
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(config if isinstance(config, str) else json.dumps(config))
    save_file(tensors() if weights is None else weights, folder / "model.safetensors")
    return folder
