"""Adapters of peft, the oracle of test_lora.py.

    .venv-models/bin/python test/Python/loraoracle.py MODEL RANK ALPHA TARGETS BATCH LENGTH OUT.npz

draws adapters whose B is not zero, and writes them under peft's names with the inputs, `logits`, the mean cross-entropy (`loss`)
and its gradients ("grad." + name).
"""
import sys

import numpy as np
import peft
import torch
import transformers


def main(folder, rank, alpha, targets, batch, length, out):
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    config = peft.LoraConfig(r=int(rank), lora_alpha=float(alpha), target_modules=targets.split(","), task_type="CAUSAL_LM")
    vocabulary = model.config.vocab_size
    model = peft.get_peft_model(model, config)
    generator = torch.Generator().manual_seed(3)
    # As peft saves them: without the adapter's own name.
    trained = {name.replace(".default.", "."): weight for name, weight in model.named_parameters() if weight.requires_grad}
    with torch.no_grad():
        for weight in trained.values():
            weight.normal_(0, 0.2, generator=generator)
    tokens = np.random.default_rng(5).integers(3, vocabulary, (int(batch), int(length) + 1))
    target = tokens[:, 1:].copy()
    target[0, 3:5] = -100
    logits = model(torch.tensor(tokens[:, :-1])).logits
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), torch.tensor(target.flatten()))
    loss.backward()
    np.savez(out, input_ids=tokens[:, :-1].astype(np.int32), target=target, logits=logits.detach().numpy(),
             loss=loss.detach().numpy(), **{name: weight.detach().numpy() for name, weight in trained.items()},
             **{f"grad.{name}": weight.grad.numpy() for name, weight in trained.items()})


if __name__ == "__main__":
    main(*sys.argv[1:])
