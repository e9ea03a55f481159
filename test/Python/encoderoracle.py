"""Encoders under a contrastive loss, by PyTorch: the oracle of test_contrastive.py.

    .venv-models/bin/python test/Python/encoderoracle.py make FOLDER [TOKENIZER]     a small BERT, with the files of a tokenizer
    .venv-models/bin/python test/Python/encoderoracle.py gradients MODEL BATCHES.npz OUT.npz TEMPERATURE [symmetric]
    .venv-models/bin/python test/Python/encoderoracle.py train MODEL BATCHES.npz OUT.npz RATE
    .venv-models/bin/python test/Python/encoderoracle.py texts MODEL PAIRS.jsonl LENGTH BATCHES.npz

BATCHES.npz has `input_ids` and `attention_mask` [batches, pairs, 2, tokens]. `gradients` are of the first batch, with `loss`; `train` takes a
step of AdamW for each batch, and gives the `losses` and what the parameters are then; `texts` makes one batch of all pairs.
"""
import json
import shutil
import sys
from pathlib import Path

import numpy as np
import torch
import transformers

import zoo

TEMPERATURE = 0.05
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt")


def make(folder, tokenizer=None):
    torch.manual_seed(3)
    words = 120 if tokenizer is None else len((Path(tokenizer) / "vocab.txt").read_text(encoding="utf-8").splitlines())
    config = transformers.BertConfig(vocab_size=words, hidden_size=48, num_hidden_layers=2, num_attention_heads=3, intermediate_size=96,
                                     max_position_embeddings=64)
    module = transformers.BertModel(config, add_pooling_layer=False)
    zoo.redraw(module, 11)
    module.save_pretrained(folder)
    for name in TOKENIZER_FILES if tokenizer else ():
        shutil.copy(Path(tokenizer) / name, folder)


def load(path):
    """Without dropout, which Anemone has not."""
    return transformers.AutoModel.from_pretrained(path, dtype=torch.float32, add_pooling_layer=False, attn_implementation="eager").eval()


def embeddings(module, ids, mask):
    """[pairs, 2, tokens] -> [pairs, 2, width], means of the tokens that are seen, as all MiniLM has them."""
    states = module(input_ids=ids.flatten(0, 1), attention_mask=mask.flatten(0, 1)).last_hidden_state
    weight = mask.flatten(0, 1).unsqueeze(-1).float()
    return ((states * weight).sum(1) / weight.sum(1)).unflatten(0, ids.shape[:2])


def loss_of(module, ids, mask, temperature=TEMPERATURE, symmetric=False):
    """InfoNCE (van den Oord and others, 2018) with the other pairs of the batch as negatives."""
    anchors, positives = torch.nn.functional.normalize(embeddings(module, ids, mask), dim=-1).unbind(1)
    scores, own = anchors @ positives.T / temperature, torch.arange(len(ids))
    loss = torch.nn.functional.cross_entropy(scores, own)
    return (loss + torch.nn.functional.cross_entropy(scores.T, own)) / 2 if symmetric else loss


def batches(path):
    with np.load(path) as arrays:
        return list(zip(torch.from_numpy(arrays["input_ids"]).long(), torch.from_numpy(arrays["attention_mask"]).long()))


def gradients(model, data, out, temperature, symmetric=""):
    module = load(model)
    ids, mask = batches(data)[0]
    loss = loss_of(module, ids, mask, float(temperature), bool(symmetric))
    loss.backward()
    np.savez(out, loss=loss.item(), **{f"grad.{name}": parameter.grad.numpy() for name, parameter in module.named_parameters()})


def train(model, data, out, rate):
    module, losses = load(model), []
    optimizer = torch.optim.AdamW(module.parameters(), lr=float(rate), weight_decay=0)
    for ids, mask in batches(data):
        optimizer.zero_grad()
        loss = loss_of(module, ids, mask)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(module.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    np.savez(out, losses=losses, **{name: parameter.detach().numpy() for name, parameter in module.named_parameters()})


def texts(model, pairs, length, out):
    lines = [json.loads(line) for line in Path(pairs).read_text(encoding="utf-8").splitlines()]
    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    made = tokenizer([text for line in lines for text in (line["anchor"], line["positive"])], padding="max_length", truncation=True,
                     max_length=int(length), return_tensors="np")
    np.savez(out, **{name: made[name].reshape(1, len(lines), 2, -1) for name in ("input_ids", "attention_mask")})


if __name__ == "__main__":
    torch.set_num_threads(1)
    {"make": make, "gradients": gradients, "train": train, "texts": texts}[sys.argv[1]](*sys.argv[2:])
