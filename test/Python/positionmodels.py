"""Models that compute angles from an input, as PyTorch exports them, and what they give at each place.

    .venv-models/bin/python test/Python/positionmodels.py NAME FOLDER

NAME: llama, gemma2 (positions are an input of the model; FOLDER/values.npz has logits for 4,096 of them, LENGTH at a time, in fp32 and in
fp16), or unet (a step of diffusion at each time, with sinusoidal embeddings). Writes FOLDER/model.onnx, and `in:X`, `want:X:Y` and `half:X:Y`
for each run X and output Y to values.npz.
"""
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn

LENGTH, POSITIONS = 128, 4096


class Decoder(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, position_ids):
        return self.model(input_ids=input_ids, position_ids=position_ids, use_cache=False).logits


def decoder(name):
    from transformers import Gemma2Config, Gemma2ForCausalLM, LlamaConfig, LlamaForCausalLM
    sizes = dict(vocab_size=256, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
                 head_dim=16, max_position_embeddings=2 * POSITIONS, attn_implementation="eager")
    model = LlamaForCausalLM(LlamaConfig(**sizes)) if name == "llama" else Gemma2ForCausalLM(Gemma2Config(**sizes))
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, std=0.15)
    ids = torch.randint(0, 256, (1, LENGTH))
    runs = [{"input_ids": ids, "position_ids": torch.arange(start, start + LENGTH)[None]} for start in range(0, POSITIONS, LENGTH)]
    return Decoder(model), runs, ["logits"]


class UNet(nn.Module):
    """Two levels with a skip between them, each told the time."""

    def __init__(self, channels=32):
        super().__init__()
        self.channels = channels
        self.time = nn.Sequential(nn.Linear(channels, 4 * channels), nn.SiLU(), nn.Linear(4 * channels, channels))
        self.down = nn.Conv2d(4, channels, 3, padding=1)
        self.middle = nn.Conv2d(channels, channels, 3, stride=2, padding=1)
        self.up = nn.Conv2d(2 * channels, 4, 3, padding=1)
        self.norm = nn.GroupNorm(4, channels)

    def forward(self, sample, timestep):
        half = self.channels // 2
        frequencies = torch.exp(-np.log(10000.0) * torch.arange(half, dtype=torch.float32) / half)
        angles = timestep[:, None].float() * frequencies[None]
        told = self.time(torch.cat([angles.cos(), angles.sin()], -1).to(sample.dtype))[:, :, None, None]
        wide = nn.functional.silu(self.norm(self.down(sample) + told))
        low = nn.functional.silu(self.middle(wide) + told)
        return self.up(torch.cat([wide, nn.functional.interpolate(low, scale_factor=2.0)], 1))


def unet(_):
    sample = torch.randn(1, 4, 16, 16)
    return UNet(), [{"sample": sample, "timestep": torch.tensor([time])} for time in range(0, 1000, 37)], ["noise"]


def main():
    name, folder = sys.argv[1], Path(sys.argv[2])
    torch.manual_seed(0)
    model, runs, outputs = (unet if name == "unet" else decoder)(name)
    model = model.eval()
    torch.onnx.export(model, tuple(runs[-1].values()), folder / "model.onnx", input_names=list(runs[0]), output_names=outputs, dynamo=True)
    values = {}
    with torch.no_grad():
        for i, run in enumerate(runs):
            values.update({f"in:{i}:{key}": value.numpy() for key, value in run.items()})
            values[f"want:{i}"] = model(**run).numpy()
        model = model.half()
        for i, run in enumerate(runs):
            halves = {key: value.half() if value.is_floating_point() else value for key, value in run.items()}
            values[f"half:{i}"] = model(**halves).float().numpy()
    np.savez(folder / "values.npz", **values)


main()
