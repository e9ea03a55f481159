"""A small Llama with a tokenizer and a chat template, in Hugging Face's files: what it says is nonsense, but always the same."""
import json

import numpy as np

import lmfiles

SPECIAL = ["<unk>", "<s>", "</s>", "<|user|>", "<|assistant|>", "<|system|>"]
TEMPLATE = ("{{ bos_token }}{% for m in messages %}{{ '<|' + m.role + '|>' + m.content + eos_token }}{% endfor %}"
            "{% if add_generation_prompt %}<|assistant|>{% endif %}")
VOCABULARY = 300
CONFIG = {**lmfiles.CONFIG, "vocab_size": VOCABULARY, "max_position_embeddings": 256}


def tokenizer():
    """Bytes behind the special tokens, without merges."""
    import tokenizers
    from tokenizers import decoders, models, pre_tokenizers, processors
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = tokenizers.Tokenizer(models.BPE(vocab={token: index for index, token in enumerate(SPECIAL + alphabet)}, merges=[]))
    made.add_special_tokens(SPECIAL)
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return made


def write(folder, config=CONFIG, template=TEMPLATE):
    weights = {**lmfiles.tensors(), "model.embed_tokens.weight": np.random.default_rng(8).standard_normal((VOCABULARY, 16)).astype(np.float32)}
    lmfiles.write(folder, config, weights)
    tokenizer().save(str(folder / "tokenizer.json"))
    names = {"bos_token": "<s>", "eos_token": {"content": "</s>", "lstrip": False}, "additional_special_tokens": ["<|user|>"]}
    (folder / "tokenizer_config.json").write_text(json.dumps({**names, **({"chat_template": template} if template else {})}))
    return folder
