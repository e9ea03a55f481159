"""Adapters of peft, the oracle of test_lora.py.

    .venv-models/bin/python test/Python/loraoracle.py MODEL RANK ALPHA TARGETS BATCH LENGTH OUT.npz [DOCUMENT...]

draws adapters whose B is not zero, and writes them under peft's names with the inputs, `logits`, the mean cross-entropy (`loss`)
and its gradients ("grad." + name). With lengths of documents the two examples are these, apart from each other (lmzoo.packed).
"""
import sys

import numpy as np
import peft
import torch
import transformers

import lmzoo


def drawn(vocabulary, batch, length):
    tokens = np.random.default_rng(5).integers(3, vocabulary, (batch, length + 1))
    target = tokens[:, 1:].copy()
    target[0, 3:5] = -100
    return {"input_ids": torch.tensor(tokens[:, :-1])}, torch.tensor(target)


def main(folder, rank, alpha, targets, batch, length, out, *documents):
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    config = peft.LoraConfig(r=int(rank), lora_alpha=float(alpha), target_modules=targets.split(","), task_type="CAUSAL_LM")
    given, target = (lmzoo.packed(model.config, list(map(int, documents))) if documents
                     else drawn(model.config.vocab_size, int(batch), int(length)))
    model = peft.get_peft_model(model, config)
    generator = torch.Generator().manual_seed(3)
    # As peft saves them: without the adapter's own name.
    trained = {name.replace(".default.", "."): weight for name, weight in model.named_parameters() if weight.requires_grad}
    with torch.no_grad():
        for weight in trained.values():
            weight.normal_(0, 0.2, generator=generator)
    logits = model(**given).logits
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten())
    loss.backward()
    np.savez(out, **{name: given[name].numpy().astype(np.int32) for name in ("input_ids", "position_ids") if name in given},
             target=target.numpy(), logits=logits.detach().numpy(), loss=loss.detach().numpy(),
             **{name: weight.detach().numpy() for name, weight in trained.items()},
             **{f"grad.{name}": weight.grad.numpy() for name, weight in trained.items()})


if __name__ == "__main__":
    main(*sys.argv[1:])
