"""Whole runs of PyTorch and peft in float32, the oracle of traincurves.py.

    .venv-models/bin/python test/Python/curveoracle.py tokens GGUF TEXT COUNT OUT.npy
    .venv-models/bin/python test/Python/curveoracle.py train JOB.json

`tokens` are the first COUNT of a text. A job says what to train and how, as traincurves.Case.job() writes it; its result, a file of
JSON, has `losses`, one of each step, and `held_out`, {step: mean loss of the held-out windows}.
"""
import json
import sys
from pathlib import Path

import numpy as np
import torch
import transformers


def load(path):
    """A folder of Hugging Face, or a GGUF file, whose blocks are expanded."""
    path = Path(path)
    place = dict(pretrained_model_name_or_path=path.parent, gguf_file=path.name) if path.suffix == ".gguf" else dict(pretrained_model_name_or_path=path)
    return transformers.AutoModelForCausalLM.from_pretrained(**place, dtype=torch.float32).eval()


def adapted(module, lora):
    """With adapters of peft that begin with the values of a file, under the names that peft saves."""
    import peft
    config = peft.LoraConfig(r=lora["rank"], lora_alpha=lora["alpha"], target_modules=lora["targets"], lora_dropout=0, task_type="CAUSAL_LM")
    module = peft.get_peft_model(module, config)
    with np.load(lora["values"]) as values, torch.no_grad():
        trained = {name.replace(".default.", "."): weight for name, weight in module.named_parameters() if weight.requires_grad}
        assert set(trained) == set(values), set(trained) ^ set(values)
        for name, weight in trained.items():
            weight.copy_(torch.from_numpy(values[name]))
    return module


def loss_of(module, windows):
    windows = torch.from_numpy(windows.astype(np.int64))
    logits = module(windows[:, :-1]).logits
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten())


def train(job):
    module = load(job["model"])
    if job["lora"]:
        module = adapted(module, job["lora"])
    tokens = np.load(job["tokens"])

    def windows(starts):
        return np.stack([tokens[start:start + job["length"] + 1] for start in starts])

    def evaluate():
        with torch.no_grad():
            return float(np.mean([loss_of(module, windows([start])).item() for start in job["held_out"]]))

    trained = [weight for weight in module.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=job["rate"], weight_decay=0)
    losses, held_out = [], {}
    for step, starts in enumerate(job["starts"]):
        if step in job["evaluate"]:
            held_out[step] = evaluate()
        loss = loss_of(module, windows(starts))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, job["clip"])
        optimizer.step()
        losses.append(loss.item())
    if len(job["starts"]) in job["evaluate"]:
        held_out[len(job["starts"])] = evaluate()
    Path(job["out"]).write_text(json.dumps({"losses": losses, "held_out": held_out, "version": torch.__version__}))


def tokens(model, text, count, out):
    tokenizer = transformers.AutoTokenizer.from_pretrained(Path(model).parent, gguf_file=Path(model).name)
    ids = tokenizer(Path(text).read_text(encoding="utf-8")).input_ids[:int(count)]
    assert len(ids) == int(count), f"{text} has {len(ids)} tokens"
    np.save(out, np.array(ids, np.int32))


if __name__ == "__main__":
    {"tokens": tokens, "train": lambda job: train(json.loads(Path(job).read_text()))}[sys.argv[1]](*sys.argv[2:])
