"""Tiny models of every family, and what transformers makes of their configurations when one field is left out, null or added: the oracle of
test_language_model_defaults.py.

    .venv-models/bin/python test/Python/lmdefaults.py FOLDER FAMILY

makes FOLDER/model.safetensors, FOLDER/variants.json (name -> config.json), FOLDER/logits.npz (name -> logits of the last token, an encoder's mean
state; nothing where transformers refuses the variant) and FOLDER/classes.json (fields of the configuration class and their defaults).
"""
import dataclasses
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

TOKENS = np.random.default_rng(3).integers(3, 40, 24)

# What every family gets; sizes whose default a tiny model can have are the defaults, and all else is not.
LLAMA = dict(vocab_size=40, hidden_size=64, intermediate_size=48, num_hidden_layers=2, num_attention_heads=8, max_position_embeddings=64,
             rms_norm_eps=0.3, bos_token_id=1, eos_token_id=2, pad_token_id=0, rope_theta=50.0, tie_word_embeddings=False)
QWEN = dict(LLAMA, num_attention_heads=32, num_key_value_heads=32, hidden_act="gelu", use_sliding_window=True, sliding_window=5, max_window_layers=1)
GEMMA = dict(LLAMA, num_attention_heads=8, num_key_value_heads=4, head_dim=256, hidden_activation="relu", tie_word_embeddings=True,
             attention_bias=False, query_pre_attn_scalar=60, attn_logit_softcapping=2.0, final_logit_softcapping=1.5, sliding_window=5, num_hidden_layers=3)
LONG = dict(short_factor=[1.0, 1.5], long_factor=[2.0, 3.0])
# family -> (configuration class, a configuration)
FAMILIES = {
    "llama": ("LlamaConfig", dict(LLAMA, num_key_value_heads=8, head_dim=8, hidden_act="gelu", attention_bias=False, mlp_bias=False)),
    "mistral": ("MistralConfig", dict(LLAMA, num_key_value_heads=8, head_dim=8, hidden_act="gelu", sliding_window=5)),
    "qwen2": ("Qwen2Config", QWEN),
    "qwen3": ("Qwen3Config", dict(QWEN, hidden_size=64, head_dim=128, attention_bias=False)),
    "gemma2": ("Gemma2Config", GEMMA),
    "gemma3_text": ("Gemma3TextConfig", dict(GEMMA, rope_local_base_freq=20.0, sliding_window_pattern=2)),
    "phi3": ("Phi3Config", dict(LLAMA, num_key_value_heads=8, hidden_act="gelu", sliding_window=5, original_max_position_embeddings=32,
                                partial_rotary_factor=0.5, rope_scaling={"rope_type": "longrope", **LONG})),
    "gpt2": ("GPT2Config", dict(vocab_size=40, n_embd=64, n_layer=2, n_head=4, n_positions=64, n_inner=256, activation_function="relu",
                                layer_norm_epsilon=0.3, scale_attn_weights=False, scale_attn_by_inverse_layer_idx=True, tie_word_embeddings=True,
                                bos_token_id=1, eos_token_id=2)),
    "bert": ("BertConfig", dict(vocab_size=40, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96, hidden_act="relu",
                                max_position_embeddings=64, type_vocab_size=2, layer_norm_eps=0.3)),
}
# Values of fields that a family does not have; those of others are from their configurations above.
ADDED = dict(attention_bias=True, mlp_bias=True, layer_types=["sliding_attention"] + ["full_attention"], partial_rotary_factor=0.5, head_dim=4,
             original_max_position_embeddings=8, _sliding_window_pattern=3, use_bidirectional_attention=True, num_key_value_heads=2,
             rope_theta=77.0, rope_local_base_freq=33.0)
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 24}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}
NESTED = {"full_attention": {"rope_type": "linear", "factor": 4.0, "rope_theta": 90.0}, "sliding_attention": {"rope_type": "default"}}
RULES = {
    "linear": {"rope_type": "linear", "factor": 4.0}, "linear-old": {"type": "linear", "factor": 4.0}, "llama3": LLAMA3, "yarn": YARN,
    "yarn-all": {**YARN, "beta_fast": 8, "beta_slow": 2, "mscale": 0.7, "mscale_all_dim": 0.3}, "yarn-factor": {**YARN, "attention_factor": 1.5},
    "yarn-whole": {"rope_type": "yarn", "factor": 4.0}, "llama3-whole": {name: value for name, value in LLAMA3.items() if "original" not in name},
    "default": {"rope_type": "default"}, "theta": {"rope_type": "default", "rope_theta": 90.0}, "linear-theta": {"rope_type": "linear", "factor": 4.0, "rope_theta": 90.0},
    "long": {"rope_type": "longrope", **LONG}, "long-factor": {"rope_type": "longrope", "factor": 3.0, **LONG}, "su": {"type": "su", **LONG},
    "partial": {"rope_type": "default", "partial_rotary_factor": 0.5}, "empty": {}, "nested": NESTED,
}


def variants(family):
    import transformers
    kind, base = FAMILIES[family]
    base = dict(base, model_type=family)
    made = {"base": base}
    own = [field.name for field in dataclasses.fields(getattr(transformers, kind))]
    for name in base:
        if name not in ("model_type", "pad_token_id"):
            made[f"without {name}"] = {key: value for key, value in base.items() if key != name}
            made[f"null {name}"] = {**base, name: None}
    made["defaults alone"] = {key: value for key, value in base.items() if key in (
        "model_type", "pad_token_id", "vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "max_position_embeddings", "n_embd", "n_layer", "n_positions", "n_head",
        "num_attention_heads")}
    others = {key: value for _, other in FAMILIES.values() for key, value in other.items()} | ADDED
    made |= {f"with {name}": {**base, name: value} for name, value in others.items() if name not in base}
    made["with sliding layers"] = {**base, "layer_types": ["sliding_attention"] * base.get("num_hidden_layers", 2)}
    made["with full layers"] = {**base, "layer_types": ["full_attention"] * base.get("num_hidden_layers", 2)}
    made["window not used"] = {**base, "use_sliding_window": False}
    made["bidirectional"] = {**base, "is_causal": False}
    if "rope_theta" in base:
        plain = {key: value for key, value in base.items() if key != "rope_scaling"}
        for field in "rope_scaling", "rope_parameters":
            for name, rule in RULES.items():
                made[f"{field} {name}"] = {**plain, field: rule}
                made[f"{field} {name} without theta"] = {key: value for key, value in {**plain, field: rule}.items() if key != "rope_theta"}
        made["both rules"] = {**plain, "rope_scaling": RULES["linear"], "rope_parameters": RULES["linear-theta"]}
        made["both rules, one theta"] = {**plain, "rope_theta": 90.0, "rope_scaling": RULES["linear"], "rope_parameters": RULES["linear-theta"]}
        made["original outside"] = {**plain, "original_max_position_embeddings": 8, "rope_scaling": YARN}
        made["partial and linear"] = {**plain, "partial_rotary_factor": 0.5, "rope_scaling": RULES["linear"]}
    return made, own


def result(folder, config, is_encoder):
    """None where transformers refuses it, or would draw weights."""
    import torch
    import transformers
    (folder / "config.json").write_text(json.dumps(config))
    kind = transformers.AutoModel if is_encoder else transformers.AutoModelForCausalLM
    try:
        module, info = kind.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32, output_loading_info=True,
                                            **({"add_pooling_layer": False} if is_encoder else {}))
        if info["missing_keys"] or info["mismatched_keys"] or info["unexpected_keys"]:
            return None
        with torch.no_grad():
            found = module.eval()(torch.tensor(TOKENS[None]), **({} if is_encoder else {"use_cache": False}))
        values = (found.last_hidden_state[0].mean(0) if is_encoder else found.logits[0, -1]).numpy()
        return values if np.isfinite(values).all() else None
    except Exception as error:  # whatever it raises: it has no values for this configuration
        print(f"{type(error).__name__}: {error}".splitlines()[0][:200], file=sys.stderr)
        return None


def write(folder, family):
    import torch
    import transformers
    kind, base = FAMILIES[family]
    is_encoder = family == "bert"
    torch.manual_seed(7)
    config = getattr(transformers, kind)(**base)
    make = transformers.AutoModel.from_config if is_encoder else transformers.AutoModelForCausalLM.from_config
    module = make(config, **({"add_pooling_layer": False} if is_encoder else {})).float()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(0, 1.4 / parameter.shape[-1] ** 0.5) if parameter.dim() == 2 else parameter.uniform_(0.2, 0.6)
    module.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    made, own = variants(family)
    logits = {name: result(folder, config, is_encoder) for name, config in made.items()}
    np.savez(folder / "logits.npz", **{name: values for name, values in logits.items() if values is not None})
    (folder / "variants.json").write_text(json.dumps(made))
    usual = getattr(transformers, kind)()
    (folder / "classes.json").write_text(json.dumps({
        "fields": {field.name: field.default for field in dataclasses.fields(usual) if field.name in own and isinstance(field.default, (int, float, str, bool, type(None)))},
        "theta": usual.default_theta}))


if __name__ == "__main__":
    import torch
    torch.set_num_threads(1)
    import transformers
    transformers.logging.set_verbosity_error()
    write(Path(sys.argv[1]), sys.argv[2])
