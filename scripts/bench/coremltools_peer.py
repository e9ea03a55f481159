"""coremltools' half of the comparison of compilers: converts and saves a plain PyTorch GPT-2 of 124 M parameters.

    coremltools_peer.py export MODEL.onnx      writes the same module as ONNX, for ane-compile
    coremltools_peer.py convert FOLDER         prints the seconds of convert and of save as JSON

Needs torch and coremltools, which nothing else of the project does.
"""
import json
import sys
import time

import torch
from torch import nn

TOKENS, WIDTH, HEADS, LAYERS, VOCABULARY = 64, 768, 12, 12, 50257


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x, mask):
        heads = [t.view(1, TOKENS, HEADS, WIDTH // HEADS).transpose(1, 2) for t in self.qkv(self.norm1(x)).split(WIDTH, -1)]
        scores = heads[0] @ heads[1].transpose(-1, -2) * (WIDTH // HEADS) ** -0.5 + mask
        mixed = (torch.softmax(scores, -1) @ heads[2]).transpose(1, 2).reshape(1, TOKENS, WIDTH)
        x = x + self.out(mixed)
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x)), approximate="tanh"))


class GPT2(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(1024, WIDTH)
        self.blocks, self.norm = nn.ModuleList(Block() for _ in range(LAYERS)), nn.LayerNorm(WIDTH)
        self.register_buffer("mask", torch.triu(torch.full((TOKENS, TOKENS), -1e4), 1))

    def forward(self, ids):
        x = self.tokens(ids) + self.positions.weight[:TOKENS]
        for block in self.blocks:
            x = block(x, self.mask)
        return self.norm(x) @ self.tokens.weight.T


def export(model, path):
    ids = torch.zeros((1, TOKENS), dtype=torch.int64)
    torch.onnx.export(model, (ids,), path, dynamo=False, opset_version=17, input_names=["ids"], output_names=["logits"])


def convert(model, folder):
    import coremltools
    import numpy as np

    traced = torch.jit.trace(model, torch.zeros((1, TOKENS), dtype=torch.int64))
    start = time.monotonic()
    made = coremltools.convert(traced, inputs=[coremltools.TensorType("ids", (1, TOKENS), np.int32)],
                               minimum_deployment_target=coremltools.target.macOS15)
    converted = time.monotonic()
    made.save(f"{folder}/gpt2.mlpackage")
    print(json.dumps({"convert": converted - start, "save": time.monotonic() - converted,
                      "version": coremltools.__version__, "torch": torch.__version__}))


torch.manual_seed(0)
with torch.no_grad():
    {"export": export, "convert": convert}[sys.argv[1]](GPT2().eval(), sys.argv[2])
