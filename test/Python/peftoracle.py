"""peft beside Anemone, the oracle of test_adapters.py, which reads no more of peft than its files.

    .venv-models/bin/python test/Python/peftoracle.py JOBS.json

JOBS.json is a list of jobs, one after the other: {"do": "make", "model": FOLDER, "out": FOLDER, "seed": N, "dtype": "bfloat16", and
arguments of LoraConfig} draws an adapter whose B is not zero; {"do": "logits", "model": FOLDER, "adapter": FOLDER or null, "tokens":
FILE.npy, "out": FILE.npy}; {"do": "merge", "model": FOLDER, "adapter": FOLDER, "out": FOLDER} writes what merge_and_unload makes.
A model may be a GGUF file.
"""
import json
import sys
import warnings
from pathlib import Path

import numpy as np
import peft
import torch
import transformers


def load(path):
    path = Path(path)
    place = dict(pretrained_model_name_or_path=path.parent, gguf_file=path.name) if path.suffix == ".gguf" else dict(pretrained_model_name_or_path=path)
    return transformers.AutoModelForCausalLM.from_pretrained(**place, dtype=torch.float32, attn_implementation="eager").eval()


def make(job):
    model, out, seed, dtype = (job.pop(key, None) for key in ("model", "out", "seed", "dtype"))
    model = peft.get_peft_model(load(model), peft.LoraConfig(task_type="CAUSAL_LM", **job))
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.requires_grad:
                weight.normal_(0, 0.2, generator=generator)
    if dtype:
        model = model.to(getattr(torch, dtype))
    model.save_pretrained(out)


def adapted(job):
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=UserWarning)  # of tensors that are missing or too many
        warnings.filterwarnings("ignore", message=".*fan_in_fan_out.*")  # that of the file is what the layer wants, or is corrected
        model = load(job["model"])
        return peft.PeftModel.from_pretrained(model, job["adapter"]).eval() if job["adapter"] else model


def logits(job):
    with torch.no_grad():
        np.save(job["out"], adapted(job)(torch.tensor(np.load(job["tokens"]).astype(np.int64))).logits.numpy())


def merge(job):
    adapted(job).merge_and_unload().save_pretrained(job["out"])


if __name__ == "__main__":
    for job in json.loads(Path(sys.argv[1]).read_text()):
        {"make": make, "logits": logits, "merge": merge}[job.pop("do")](job)
