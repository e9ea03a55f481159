"""A small Llama in Hugging Face's files, written without transformers: for what is wrong with files."""
import json

import gguf
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


QWEN3 = dict(model_type="qwen3", vocab_size=151936, hidden_size=1024, intermediate_size=3072, num_hidden_layers=28, num_attention_heads=16,
             num_key_value_heads=8, head_dim=128, max_position_embeddings=40960, rms_norm_eps=1e-6, rope_theta=1000000.0, hidden_act="silu",
             attention_bias=False, use_sliding_window=False, tie_word_embeddings=True, torch_dtype="float16", eos_token_id=2,
             bos_token_id=1)


def header_of(shapes, dtype):
    """What a file of safetensors with elements of 16 bits begins with, and where each tensor ends."""
    ends = np.cumsum([2 * int(np.prod(shape)) for shape in shapes.values()]).tolist()
    entries = {name: dict(dtype=dtype, shape=shape, data_offsets=[first, end])
               for (name, shape), first, end in zip(shapes.items(), [0, *ends], ends)}
    text = json.dumps(entries).encode()
    return len(text).to_bytes(8, "little") + text, ends


def write_narrow(folder, dtype, wide):
    """The weights rounded to F16 or cut to BF16, in that type, and in folder `wide` the same values as float32."""
    def cut(array):
        return array.astype(np.float16) if dtype == "F16" else (array.view(np.uint32) >> 16).astype(np.uint16)
    def widened(array):
        return array.astype(np.float32) if dtype == "F16" else (array.astype(np.uint32) << 16).view(np.float32)
    narrow = {name: cut(array) for name, array in tensors().items()}
    write(wide, weights={name: widened(array) for name, array in narrow.items()})
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG))
    text, _ = header_of({name: array.shape for name, array in narrow.items()}, dtype)
    (folder / "model.safetensors").write_bytes(text + b"".join(array.tobytes() for array in narrow.values()))


def qwen3_shapes(config):
    width, hidden, head = config["hidden_size"], config["intermediate_size"], config["head_dim"]
    queries, keys = config["num_attention_heads"] * head, config["num_key_value_heads"] * head
    parts = {"input_layernorm": (width,), "post_attention_layernorm": (width,), "self_attn.q_norm": (head,), "self_attn.k_norm": (head,),
             "self_attn.q_proj": (queries, width), "self_attn.k_proj": (keys, width), "self_attn.v_proj": (keys, width),
             "self_attn.o_proj": (width, queries), "mlp.gate_proj": (hidden, width), "mlp.up_proj": (hidden, width),
             "mlp.down_proj": (width, hidden)}
    shapes = {"model.embed_tokens.weight": (config["vocab_size"], width), "model.norm.weight": (width,)}
    for layer in range(config["num_hidden_layers"]):
        shapes |= {f"model.layers.{layer}.{name}.weight": shape for name, shape in parts.items()}
    return shapes


def write_qwen3(folder, **sizes):
    """Files of Qwen3-0.6B's sizes (1.2 GB) or of others."""
    config = {**QWEN3, **sizes}
    return write_cut(folder, config, qwen3_shapes(config))


GPT2 = dict(model_type="gpt2", vocab_size=50257, n_embd=768, n_layer=12, n_head=12, n_positions=1024, layer_norm_epsilon=1e-5,
            activation_function="gelu_new", torch_dtype="float16", bos_token_id=50256, eos_token_id=50256)


def write_gpt2(folder, **sizes):
    """Files of GPT-2's sizes, 124 million weights, or of others."""
    config = {**GPT2, **sizes}
    width = config["n_embd"]
    parts = {"ln_1.weight": (width,), "ln_1.bias": (width,), "attn.c_attn.weight": (width, 3 * width), "attn.c_attn.bias": (3 * width,),
             "attn.c_proj.weight": (width, width), "attn.c_proj.bias": (width,), "ln_2.weight": (width,), "ln_2.bias": (width,),
             "mlp.c_fc.weight": (width, 4 * width), "mlp.c_fc.bias": (4 * width,), "mlp.c_proj.weight": (4 * width, width), "mlp.c_proj.bias": (width,)}
    shapes = {"wte.weight": (config["vocab_size"], width), "wpe.weight": (config["n_positions"], width), "ln_f.weight": (width,), "ln_f.bias": (width,)}
    for layer in range(config["n_layer"]):
        shapes |= {f"h.{layer}.{name}": shape for name, shape in parts.items()}
    return write_cut(folder, config, shapes)


# Of the model that Orion and maderix/ANE train.
STORIES110M = dict(vocab_size=32000, hidden_size=768, intermediate_size=2048, num_hidden_layers=12, num_attention_heads=12,
                   num_key_value_heads=12, max_position_embeddings=1024)


def write_llama(folder, **sizes):
    """Files of a Llama of these sizes, the others as in CONFIG."""
    config = {**CONFIG, "torch_dtype": "float16", **sizes}
    width, hidden = config["hidden_size"], config["intermediate_size"]
    keys = width * config["num_key_value_heads"] // config["num_attention_heads"]
    shapes = {"model.embed_tokens.weight": (config["vocab_size"], width), "model.norm.weight": (width,)}
    parts = {"input_layernorm": (width,), "post_attention_layernorm": (width,), "self_attn.q_proj": (width, width),
             "self_attn.k_proj": (keys, width), "self_attn.v_proj": (keys, width), "self_attn.o_proj": (width, width),
             "mlp.gate_proj": (hidden, width), "mlp.up_proj": (hidden, width), "mlp.down_proj": (width, hidden)}
    for layer in range(config["num_hidden_layers"]):
        shapes |= {f"model.layers.{layer}.{name}.weight": shape for name, shape in parts.items()}
    return write_cut(folder, config, shapes)


def write_cut(folder, config, shapes):
    """Weights of fp16 that are cut from one block of random numbers."""
    text, ends = header_of(shapes, "F16")
    block = np.random.default_rng(9).standard_normal(1 << 22).astype(np.float16).tobytes()
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    with open(folder / "model.safetensors", "wb") as file:
        file.write(text)
        for index, (first, end) in enumerate(zip([0, *ends], ends)):
            left = end - first
            begin = index * 4098 % len(block)  # no tensor equals another
            while left:
                part = block[begin:begin + left]
                file.write(part)
                left, begin = left - len(part), 0
    return folder


def write_qwen3_gguf(path, kind, **sizes):
    """A GGUF file of Qwen3-0.6B's sizes or of others, with matrices in blocks of `kind` (gguf.GGMLQuantizationType): 256 elements each, of any
    bits but for scales that are numbers."""
    config = {**QWEN3, **sizes}
    shapes, layers = qwen3_shapes(config), config["num_hidden_layers"]
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    # Halves of a scale: first of Q4_K's block, last of Q6_K's.
    scales = {gguf.GGMLQuantizationType.Q4_K: (0, 2), gguf.GGMLQuantizationType.Q6_K: (208,)}[kind]
    largest = config["vocab_size"] * config["hidden_size"] // elements
    blocks = np.random.default_rng(9).integers(0, 256, (largest + len(shapes), size), np.uint8)
    for at in scales:
        blocks[:, at:at + 2] = np.frombuffer(np.float16(0.01).tobytes(), np.uint8)
    writer = gguf.GGUFWriter(path, "qwen3")
    writer.add_block_count(layers)
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_key_length(config["head_dim"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_theta"])
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.QWEN3, layers)
    for index, (name, shape) in enumerate(shapes.items()):
        name = names.get_name(name, try_suffixes=(".weight",))
        if len(shape) == 1:
            writer.add_tensor(name, np.ones(shape, np.float32))
            continue
        count = shape[0] * shape[1] // elements
        writer.add_tensor(name, blocks[index:index + count].reshape(shape[0], -1), raw_dtype=kind)  # no tensor equals another
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def write(folder, config=CONFIG, weights=None):
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(config if isinstance(config, str) else json.dumps(config))
    save_file(tensors() if weights is None else weights, folder / "model.safetensors")
    return folder
