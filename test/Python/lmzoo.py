"""Small language models of each architecture from transformers' configuration classes, fixed seed, every feature of the architecture
switched on, with the logits that transformers computes in float32: the oracle of test_language_models.py.

    .venv-models/bin/python test/Python/lmzoo.py FOLDER NAME...

makes FOLDER/NAME (config.json and safetensors) and FOLDER/NAME.npz (tokens [n], logits [n, vocabulary]).
"""
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

import zoo

CONTEXT = 48
# Windows are shorter than the text, heads are wider than hidden_size / heads, groups serve several heads.
SIZES = dict(vocab_size=160, hidden_size=64, intermediate_size=96, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2,
             max_position_embeddings=64, bos_token_id=1, eos_token_id=2, pad_token_id=0)
LLAMA3 = {"rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 24}
YARN = {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0, "original_max_position_embeddings": 16}
LONG = {"rope_type": "longrope", "rope_theta": 10000.0, "partial_rotary_factor": 0.5, "short_factor": [1.0, 1.25, 1.5, 2.0],
        "long_factor": [2.0, 3.0, 4.0, 5.0]}
# name -> (configuration class, its arguments)
MODELS = {
    "llama": ("LlamaConfig", dict(rope_parameters=LLAMA3, head_dim=24, attention_bias=True, mlp_bias=True)),
    "llama-tied": ("LlamaConfig", dict(rope_parameters={"rope_type": "linear", "rope_theta": 10000.0, "factor": 2.0}, tie_word_embeddings=True)),
    "llama-yarn": ("LlamaConfig", dict(rope_parameters=YARN)),
    "mistral": ("MistralConfig", dict(sliding_window=10, head_dim=16)),
    "gpt2": ("GPT2Config", dict(vocab_size=160, n_embd=64, n_layer=3, n_head=4, n_positions=64, bos_token_id=1, eos_token_id=2, scale_attn_by_inverse_layer_idx=True)),
    # What GGUF files can say, and checkpoints of llama2.c.
    "llama-plain": ("LlamaConfig", dict(rms_norm_eps=1e-5)),
    "llama-tied-plain": ("LlamaConfig", dict(rms_norm_eps=1e-5, tie_word_embeddings=True)),
    "gpt2-plain": ("GPT2Config", dict(vocab_size=160, n_embd=64, n_layer=2, n_head=4, n_positions=64, bos_token_id=1, eos_token_id=2)),
    "gemma2-plain": ("Gemma2Config", dict(head_dim=32, sliding_window=11, query_pre_attn_scalar=32, attn_logit_softcapping=5.0,
                                          final_logit_softcapping=3.0)),
    # llama.cpp knows the model by its layers, and that its scores are not divided by the root of a head's width.
    "gemma2-27b-plain": ("Gemma2Config", dict(hidden_size=32, intermediate_size=48, num_hidden_layers=46, head_dim=16, sliding_window=11,
                                              query_pre_attn_scalar=8, attn_logit_softcapping=5.0, final_logit_softcapping=3.0)),
    "qwen2-plain": ("Qwen2Config", dict(rms_norm_eps=1e-5)),
    "gemma3-plain": ("Gemma3TextConfig", dict(head_dim=32, sliding_window=9, num_hidden_layers=7, query_pre_attn_scalar=32,
                                              rope_parameters={"full_attention": {"rope_type": "linear", "rope_theta": 1000000.0, "factor": 8.0},
                                                               "sliding_attention": {"rope_type": "default", "rope_theta": 5000.0}})),
    "gemma3-alternating-plain": ("Gemma3TextConfig", dict(head_dim=32, sliding_window=9, num_hidden_layers=4, query_pre_attn_scalar=32,
                                              layer_types=["sliding_attention", "full_attention", "sliding_attention", "full_attention"],
                                              rope_parameters={"full_attention": {"rope_type": "default", "rope_theta": 1000000.0},
                                                               "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}})),
    "qwen2": ("Qwen2Config", dict(use_sliding_window=True, sliding_window=12, max_window_layers=1, tie_word_embeddings=True)),
    "qwen3": ("Qwen3Config", dict(head_dim=32, attention_bias=True)),
    "gemma2": ("Gemma2Config", dict(head_dim=32, sliding_window=11, query_pre_attn_scalar=24, attn_logit_softcapping=5.0,
                                    final_logit_softcapping=3.0)),
    "gemma3": ("Gemma3TextConfig", dict(head_dim=32, sliding_window=9, num_hidden_layers=4, query_pre_attn_scalar=24,
                                        layer_types=["sliding_attention", "full_attention", "sliding_attention", "full_attention"],
                                        rope_parameters={"full_attention": {"rope_type": "linear", "rope_theta": 1000000.0, "factor": 8.0},
                                                         "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}})),
    "phi3": ("Phi3Config", dict(sliding_window=13, rope_parameters=LONG, original_max_position_embeddings=CONTEXT)),
}


def make(name, positions=None):
    """The module of transformers, with so many positions instead of those that its configuration has."""
    import torch
    import transformers
    kind, arguments = MODELS[name]
    sizes = {} if kind == "GPT2Config" else SIZES
    more = {"n_positions" if kind == "GPT2Config" else "max_position_embeddings": int(positions)} if positions else {}
    config = getattr(transformers, kind)(**{**sizes, **arguments, **more})
    torch.manual_seed(7)
    module = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").float().eval()
    with torch.no_grad():
        # Initial weights of 0.02 make all logits alike.
        for parameter in module.parameters():
            if parameter.dim() == 2:
                parameter.normal_(0, 1.4 / parameter.shape[-1] ** 0.5)
    zoo.redraw(module, 11)
    if "gemma" in name:
        with torch.no_grad():
            for key, parameter in module.named_parameters():
                if parameter.dim() == 1:
                    parameter.uniform_(-0.3, 0.4)  # zero-centred
    return module


def write_logits(module, path):
    import torch
    tokens = np.random.default_rng(3).integers(3, SIZES["vocab_size"], CONTEXT)
    with torch.no_grad():
        logits = module(torch.tensor(tokens[None])).logits[0].numpy()
    np.savez(path, tokens=tokens, logits=logits)


def write(folder, name):
    module = make(name)
    module.save_pretrained(folder / name)
    write_logits(module, folder / f"{name}.npz")


def write_long(folder, name, positions):
    """FOLDER/NAME-POSITIONS, with so many positions."""
    make(name, positions).save_pretrained(folder / f"{name}-{positions}")


def write_gradients(folder, name, batch=2, length=24):
    """Gradients of the mean cross-entropy by all parameters (zoo.gradients), to FOLDER/NAME.gradients.npz, with `loss`, `input_ids` and `target`."""
    import torch
    import transformers
    model = transformers.AutoModelForCausalLM.from_pretrained(folder / name, attn_implementation="eager").float().eval()
    tokens = np.random.default_rng(5).integers(3, SIZES["vocab_size"], (int(batch), int(length) + 1))
    target = tokens[:, 1:].copy()
    target[0, 3:5] = -100

    def loss_of():
        return torch.nn.functional.cross_entropy(model(torch.tensor(tokens[:, :-1])).logits.flatten(0, 1), torch.tensor(target.flatten()))

    np.savez(folder / f"{name}.gradients.npz", input_ids=tokens[:, :-1].astype(np.int32), target=target, **zoo.gradients(model, loss_of))


def packed(config, lengths):
    """Documents of these lengths one behind the other, and in a second example in reverse: what a model of transformers is given for them, with a mask that is
    block-diagonal, and the target."""
    import torch
    rows = [lengths, lengths[::-1]]
    ids = torch.tensor(np.random.default_rng(5).integers(3, SIZES["vocab_size"], (2, sum(rows[0]))))
    positions = torch.stack([torch.cat([torch.arange(length) for length in row]) for row in rows])
    document = (positions == 0).cumsum(1)
    target = torch.cat([ids[:, 1:], torch.full((2, 1), -100)], 1)
    target[:, :-1][positions[:, 1:] == 0] = -100  # begins a document
    place = torch.arange(ids.shape[1])

    def mask_of(window):
        distance = place[:, None] - place
        seen = (document[:, :, None] == document[:, None, :]) & (distance >= 0) & (distance < window)
        return torch.zeros(seen.shape).masked_fill(~seen, torch.finfo(torch.float32).min)[:, None]

    whole = ids.shape[1]
    window = getattr(config, "sliding_window", None) or whole
    mask = {"full_attention": mask_of(whole), "sliding_attention": mask_of(window)} if getattr(config, "layer_types", None) else mask_of(window)
    return {"input_ids": ids, "attention_mask": mask, "position_ids": positions}, target


def write_packed(folder, name, *lengths):
    """FOLDER/NAME.packed.npz with the gradients as above of packed() documents, `position_ids` and the `logits`."""
    import torch
    import transformers
    model = transformers.AutoModelForCausalLM.from_pretrained(folder / name, attn_implementation="eager").float().eval()
    lengths = list(map(int, lengths))
    given, target = packed(model.config, lengths)
    ids, positions = given["input_ids"], given["position_ids"]
    logits = model(**given).logits
    for row, of_row, tokens in zip((lengths, lengths[::-1]), logits, ids):  # the mask does what it should: documents alone give the same
        for part, alone in zip(of_row.split(row), tokens.split(row)):
            torch.testing.assert_close(part, model(alone[None]).logits[0], rtol=1e-4, atol=1e-4)
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten())
    loss.backward()
    np.savez(folder / f"{name}.packed.npz", input_ids=ids.numpy().astype(np.int32), position_ids=positions.numpy().astype(np.int32),
             target=target.numpy(), loss=loss.item(), logits=logits.detach().numpy(),
             **{f"grad.{key}": parameter.grad.numpy() for key, parameter in model.named_parameters()})


def write_gguf_gradients(folder, path, length):
    """The same of the model in a GGUF file, on the first tokens of the README: folder/gguf.gradients.npz, names and layout as transformers has them."""
    import torch
    import transformers
    place = dict(pretrained_model_name_or_path=Path(path).parent, gguf_file=Path(path).name)
    tokens = transformers.AutoTokenizer.from_pretrained(**place)((zoo.ROOT / "README.md").read_text()).input_ids[:int(length) + 1]
    model = transformers.AutoModelForCausalLM.from_pretrained(**place, dtype=torch.float32).eval()
    ids = np.array(tokens)[None]
    loss = torch.nn.functional.cross_entropy(model(torch.tensor(ids[:, :-1])).logits[0], torch.tensor(ids[0, 1:]))
    loss.backward()
    np.savez(folder / "gguf.gradients.npz", input_ids=ids[:, :-1].astype(np.int32), target=ids[:, 1:], loss=loss.detach().numpy(),
             **{f"grad.{key}": parameter.grad.numpy() for key, parameter in model.named_parameters()})


def write_saved_logits(folder, path):
    """Of the model in `folder`."""
    import transformers
    write_logits(transformers.AutoModelForCausalLM.from_pretrained(folder).float().eval(), path)


def write_gguf(folder, path, count):
    """`count` tokens of the README, and what transformers makes of them with the tensors of the file in float32."""
    import torch
    import transformers
    place = dict(pretrained_model_name_or_path=Path(path).parent, gguf_file=Path(path).name)
    tokens = transformers.AutoTokenizer.from_pretrained(**place)((zoo.ROOT / "README.md").read_text()).input_ids[:int(count)]
    model = transformers.AutoModelForCausalLM.from_pretrained(**place, dtype=torch.float32).eval()
    with torch.no_grad():
        logits = model(torch.tensor([tokens])).logits[0].numpy()
    np.savez(folder / "gguf.npz", tokens=np.array(tokens), logits=logits)


def ensure(folder, *names):
    """Makes the models with the interpreter that has transformers; False where there is none."""
    python = zoo.python()
    if python:
        subprocess.run([python, __file__, folder, *names], check=True, stdin=subprocess.DEVNULL)
    return bool(python)


def write_cached(folder, name, past):
    """One token of model `name` with caches of `past` tokens, as PyTorch exports it: folder/cached.onnx, whose caches grow."""
    import torch
    import transformers
    module, past = make(name), int(past)

    class Step(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = module

        def forward(self, input_ids, attention_mask, position_ids, *caches):
            cache = transformers.DynamicCache()
            for layer in range(len(caches) // 2):
                cache.update(caches[2 * layer], caches[2 * layer + 1], layer)
            result = self.inner(input_ids, attention_mask=attention_mask, position_ids=position_ids, past_key_values=cache, use_cache=True)
            return result.logits, *(part for layer in cache.layers for part in (layer.keys, layer.values))

    config = module.config
    heads, layers = config.num_attention_heads, config.num_hidden_layers
    caches = [torch.zeros(1, heads, past, config.hidden_size // heads) for _ in range(2 * layers)]
    names = [f"{layer}.{part}" for layer in range(layers) for part in ("key", "value")]
    torch.onnx.export(Step().eval(), (torch.zeros(1, 1, dtype=torch.long), torch.ones(1, past + 1, dtype=torch.long),
                                      torch.zeros(1, 1, dtype=torch.long), *caches), str(folder / "cached.onnx"),
                      input_names=["input_ids", "attention_mask", "position_ids", *(f"past_key_values.{each}" for each in names)],
                      output_names=["logits", *(f"present.{each}" for each in names)], dynamo=True, external_data=False)


def write_embeddings(folder, source):
    """What the encoder in folder `source` makes of the tokens in texts.npz: [texts, 2, width], the first token's state and the mean."""
    import torch
    import transformers
    model = transformers.AutoModel.from_pretrained(source).float().eval()
    with torch.no_grad(), np.load(folder / "texts.npz") as texts:
        states = [model(torch.tensor(texts[key][None])).last_hidden_state[0] for key in sorted(texts.files)]
    np.save(folder / "embeddings.npy", np.stack([torch.stack([state[0], state.mean(0)]).numpy() for state in states]))


def write_answers(folder, path):
    """What transformers says, always the most likely token in float32, to folder/questions.json: 64 tokens behind each of `prompts`, and
    64 at most to each turn of `chat`."""
    import torch
    import transformers
    place = dict(pretrained_model_name_or_path=Path(path).parent, gguf_file=Path(path).name)
    tokenizer = transformers.AutoTokenizer.from_pretrained(**place)
    model = transformers.AutoModelForCausalLM.from_pretrained(**place, dtype=torch.float32).eval()

    def answer(ids):
        with torch.no_grad():
            said = model.generate(torch.tensor([ids]), attention_mask=torch.ones(1, len(ids)), do_sample=False, max_new_tokens=64)[0, len(ids):]
        return tokenizer.decode(said, skip_special_tokens=True)

    asked, messages = json.loads((folder / "questions.json").read_text()), []
    answers = {"prompts": [answer(tokenizer(prompt).input_ids) for prompt in asked["prompts"]], "chat": []}
    for question in asked["chat"]:
        messages.append({"role": "user", "content": question})
        text = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
        answers["chat"].append(answer(tokenizer(text, add_special_tokens=False).input_ids))
        messages.append({"role": "assistant", "content": answers["chat"][-1]})
    (folder / "answers.json").write_text(json.dumps(answers))


def write_text_embeddings(folder, source):
    """Of each line of folder/texts.txt, which the model's own tokenizer reads."""
    import torch
    import transformers
    tokenizer, model = transformers.AutoTokenizer.from_pretrained(source), transformers.AutoModel.from_pretrained(source).float().eval()
    means = []
    for line in (folder / "texts.txt").read_text().splitlines():
        with torch.no_grad():
            means.append(model(**tokenizer(line, return_tensors="pt")).last_hidden_state[0].mean(0))
    np.save(folder / "text_embeddings.npy", np.stack([(mean / mean.norm()).numpy() for mean in means]))


if __name__ == "__main__":
    folder, what, *rest = Path(sys.argv[1]), *sys.argv[2:]
    others = {"--embed": write_embeddings, "--embed-texts": write_text_embeddings, "--gguf": write_gguf, "--answer": write_answers,
              "--logits": write_saved_logits, "--gradients": write_gradients, "--gguf-gradients": write_gguf_gradients,
              "--packed": write_packed, "--long": write_long, "--cached": write_cached}
    if what in others:
        others[what](folder, *rest)
    else:
        for model in (what, *rest):
            write(folder, model)
