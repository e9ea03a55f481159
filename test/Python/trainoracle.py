"""PyTorch's optimisers beside those of a training bundle: the oracle of test_training_steps.py.

    .venv-models/bin/python test/Python/trainoracle.py BUNDLE MODEL OUT.json

trains both for STEPS steps of the same batches, and writes for each optimiser by how much weights and losses differ:

    same_gradients   PyTorch's optimiser takes the bundle's gradients: what differs is the update
    losses           each computes its own gradients: [[the bundle's, PyTorch's], ...]
"""
import json
import sys

import numpy as np
import torch
import transformers

import trainlib

STEPS = 20
CLIP = 5.0


class Lion(torch.optim.Optimizer):
    """Chen and others, "Symbolic discovery of optimization algorithms", 2023, algorithm 2."""

    def __init__(self, groups, lr, betas, weight_decay):
        super().__init__(groups, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            (beta1, beta2), rate = group["betas"], group["lr"]
            for weight in group["params"]:
                momentum = self.state[weight].setdefault("momentum", torch.zeros_like(weight))
                weight.mul_(1 - rate * group["weight_decay"])
                weight.add_(torch.sign(momentum * beta1 + weight.grad * (1 - beta1)), alpha=-rate)
                momentum.mul_(beta2).add_(weight.grad, alpha=1 - beta2)


# Options of the bundle's trainer, and PyTorch's optimiser with the same numbers.
OPTIMIZERS = {
    "adamw": (dict(learning_rate=1e-2, weight_decay=0.1),
              lambda groups: torch.optim.AdamW(groups, lr=1e-2, betas=(0.9, 0.999), eps=1e-8)),
    "sgd": (dict(learning_rate=1e-2, weight_decay=0.1, momentum=0.9), lambda groups: torch.optim.SGD(groups, lr=1e-2, momentum=0.9)),
    "lion": (dict(learning_rate=1e-3, weight_decay=0.1), lambda groups: Lion(groups, 1e-3, (0.9, 0.99), 0)),
}


def groups(weights, decay):
    """Weight decay is for matrices."""
    return [{"params": [w for w in weights if w.dim() > 1], "weight_decay": decay},
            {"params": [w for w in weights if w.dim() < 2], "weight_decay": 0.0}]


def batches(vocabulary, batch, length):
    generator = np.random.default_rng(5)
    for _ in range(STEPS):
        ids = generator.integers(3, vocabulary, (batch, length + 1))
        yield ids[:, :-1].astype(np.int32), ids[:, 1:].astype(np.int64)


def same_gradients(trainer, kind, shape, vocabulary):
    """The largest relative difference of a parameter's value after all steps, in norm."""
    options, make = OPTIMIZERS[kind]
    weights = {name: torch.nn.Parameter(torch.from_numpy(trainer.weight(name))) for name in trainer.parameters}
    optimizer = make(groups(weights.values(), options["weight_decay"]))
    for ids, target in batches(vocabulary, *shape):
        trainer.feed({"input_ids": ids, "target": target})
        trainer.backward()
        for name, weight in weights.items():
            weight.grad = torch.from_numpy(trainer.gradient(name))
        trainer.update()
        torch.nn.utils.clip_grad_norm_(weights.values(), CLIP)
        optimizer.step()
    worst = {}
    for name, weight in weights.items():
        want = weight.detach().double().numpy()
        worst[name] = float(np.linalg.norm(trainer.weight(name) - want) / np.linalg.norm(want))
    return max(worst.values())


def losses(trainer, kind, shape, model):
    options, make = OPTIMIZERS[kind]
    module = transformers.AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32, attn_implementation="eager").eval()
    optimizer = make(groups(list(module.parameters()), options["weight_decay"]))
    pairs = []
    for ids, target in batches(module.config.vocab_size, *shape):
        trainer.feed({"input_ids": ids, "target": target})
        trainer.backward()
        found = trainer.update().loss
        optimizer.zero_grad()
        logits = module(torch.from_numpy(ids).long()).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), torch.from_numpy(target).flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(module.parameters(), CLIP)
        optimizer.step()
        pairs.append([found, loss.item()])
    return pairs


def main(bundle, model, out):
    torch.set_num_threads(1)
    vocabulary = transformers.AutoConfig.from_pretrained(model).vocab_size
    results = {}
    for kind, (options, _) in OPTIMIZERS.items():
        with trainlib.Trainer(bundle, device="cpu", optimizer=kind, clip=CLIP, **options) as trainer:
            shape = trainer.describe("input_info", 0)[1]
            results[kind] = {"same_gradients": same_gradients(trainer, kind, shape, vocabulary)}
        with trainlib.Trainer(bundle, device="cpu", optimizer=kind, clip=CLIP, **options) as trainer:
            results[kind]["losses"] = losses(trainer, kind, shape, model)
    with open(out, "w", encoding="utf-8") as file:
        json.dump(results, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
