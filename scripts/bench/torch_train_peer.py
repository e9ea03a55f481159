"""PyTorch's half of `ane-bench train`, in the protocol of tools/ane-bench/Peer.h: 's' is a step, 'l' asks for the loss of the last one.

    torch_train_peer.py [--compile] [--fused] MODEL THREADS BATCH SEQUENCE

MODEL is a folder that transformers loads. A step and its tokens are those of tools/ane-bench/TrainingSession.cpp. --compile: the module
goes through torch.compile; --fused: the update of all parameters is one function of PyTorch, where it is a loop of operators else.
"""
import argparse
import sys
import time

import numpy as np
import torch
import transformers


def tokens(step, batch, sequence):
    """Tokens and targets of a step, counted from 0."""
    number = ((step * batch + np.arange(batch))[:, None] * (sequence + 1) + np.arange(sequence + 1)).astype(np.uint32)
    drawn = torch.from_numpy(1 + ((number * np.uint32(2654435761)) >> 16).astype(np.int64) % 100)
    return drawn[:, :-1], drawn[:, 1:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--fused", action="store_true")
    parser.add_argument("model")
    parser.add_argument("numbers", type=int, nargs=3)
    options = parser.parse_args()
    threads, batch, sequence = options.numbers
    torch.set_num_threads(threads)
    module = transformers.AutoModelForCausalLM.from_pretrained(options.model, dtype=torch.float32).train()
    module.config.use_cache = False
    run = torch.compile(module) if options.compile else module
    matrices = [p for p in module.parameters() if p.dim() > 1]
    others = [p for p in module.parameters() if p.dim() < 2]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}], lr=3e-4,
                                  fused=options.fused or None)
    done, last = 0, 0.0

    def step():
        nonlocal done, last
        ids, target = tokens(done, batch, sequence)
        start = time.perf_counter_ns()
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(run(ids).logits.flatten(0, 1), target.flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(module.parameters(), 1.0)
        optimizer.step()
        last = loss.item()
        done += 1
        return time.perf_counter_ns() - start

    kind = ("torch.compile" if options.compile else "eager") + (", fused AdamW" if options.fused else "")
    print(f"ready PyTorch {torch.__version__}, {kind}", flush=True)
    while request := sys.stdin.buffer.read(1):
        print(step() if request == b"s" else last, flush=True)


main()
