"""Checkpoints of llama2.c, written from models of lmzoo.py in the order of its export.py, against the logits of transformers."""
import json
import shutil
import struct

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import anetest
import frontend  # finds the package
import lmzoo
from test_gguf import neighbours
from test_language_models import check, decoded, prompted

import anemone

GROUP = 32
NORMS = ["input_layernorm", "post_attention_layernorm"]
ATTENTION = [f"self_attn.{name}_proj" for name in "qkvo"]
MLP = ["mlp.gate_proj", "mlp.down_proj", "mlp.up_proj"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("llama2c")
    if not lmzoo.ensure(folder, "llama-plain", "llama-tied-plain"):
        pytest.skip("there is no .venv-models to make models with (scripts/setup.sh --models)")
    return folder


def quantised(weight):
    """int8 and a scale for each group, as export.py rounds."""
    groups = weight.reshape(-1, GROUP)
    scales = np.abs(groups).max(axis=1, keepdims=True) / np.float32(127)
    return np.round(groups / scales).astype(np.int8), scales.astype(np.float32)


class Checkpoint:
    """A model's files as a checkpoint."""

    def __init__(self, folder):
        self.config = json.loads((folder / "config.json").read_text())
        self.weights = load_file(folder / "model.safetensors")
        self.tied = self.config["tie_word_embeddings"]

    def layers(self, name):
        for layer in range(self.config["num_hidden_layers"]):
            weight = self.weights[f"model.layers.{layer}.{name}.weight"]
            if name.endswith(("q_proj", "k_proj")):
                weight = neighbours(weight, self.config["num_attention_heads" if "q_" in name else "num_key_value_heads"])
            yield weight

    def all(self, names):
        return [weight for name in names for weight in self.layers(name)]

    def sizes(self, sign=1):
        c = self.config
        return struct.pack("<7i", c["hidden_size"], c["intermediate_size"], c["num_hidden_layers"], c["num_attention_heads"],
                           c["num_key_value_heads"], sign * c["vocab_size"], c["max_position_embeddings"])

    def header(self, version, *more):
        return (struct.pack("<Ii", 0x616b3432, version) + self.sizes() + struct.pack("<B", self.tied) + b"".join(more)).ljust(256, b"\0")

    def bytes(self, version):
        embedding, norm = self.weights["model.embed_tokens.weight"], self.weights["model.norm.weight"]
        head = [] if self.tied else [self.weights["lm_head.weight"]]
        if version == 0:
            half = self.config["hidden_size"] // self.config["num_attention_heads"] // 2
            # The tables of angles; nobody reads them.
            angles = np.full((2, self.config["max_position_embeddings"], half), np.nan, np.float32)
            parts = [embedding, *self.all(NORMS[:1] + ATTENTION + NORMS[1:] + MLP), norm, angles, *head]
            return self.sizes(1 if self.tied else -1) + b"".join(part.tobytes() for part in parts)
        norms, matrices = [*self.all(NORMS), norm], [embedding, *self.all(ATTENTION + MLP), *head]
        if version == 1:
            return self.header(1) + b"".join(part.tobytes() for part in norms + matrices)
        stored = [array.tobytes() for weight in matrices for array in quantised(weight)]
        return self.header(2, struct.pack("<i", GROUP)) + b"".join([part.tobytes() for part in norms] + stored)

    def write_rounded(self, folder, source):
        """The same model with the values that int8 leaves, for transformers."""
        def rounded(weight):
            values, scales = quantised(weight)
            return (values * scales).reshape(weight.shape)
        # Which elements are a group does not depend on the order of rows.
        weights = {name: rounded(weight) if weight.ndim == 2 else weight for name, weight in self.weights.items()}
        shutil.copytree(source, folder)
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
        return folder


@pytest.mark.parametrize("version, name", [(0, "llama-tied-plain"), (0, "llama-plain"), (1, "llama-plain"), (2, "llama-tied-plain"), (2, "llama-plain")])
def test_logits(made, tmp_path, version, name):
    checkpoint = Checkpoint(made / name)
    path, bundle, logits = tmp_path / "model.bin", tmp_path / "m.anebundle", made / f"{name}.npz"
    path.write_bytes(checkpoint.bytes(version))
    if version == 2:
        logits = tmp_path / "rounded.npz"
        lmzoo.ensure(checkpoint.write_rounded(tmp_path / "rounded", made / name), "--logits", logits)
    anetest.run("ane-compile", path, "-o", bundle, "--quiet", f"--context={lmzoo.CONTEXT}", "--prefill=32")
    arrays = np.load(logits)
    for device in ("cpu", "emulator"):
        session = anemone.load(bundle, device=device, function="decode").session()
        check(device, decoded(session, arrays["tokens"]), arrays["logits"])
        assert not session.events()
        session = anemone.load(bundle, device=device, function="prefill_32").session()
        check(device, prompted(session, 32, arrays["tokens"][:21]), arrays["logits"][20:21])
        assert not session.events()
    model = json.loads((bundle / "manifest.json").read_text())["language_model"]
    assert model["architecture"] == "llama" and model["vocabulary"] == 160 and model["bos"] == 1 and model["stop_tokens"] == [1, 2]


def test_files_that_are_wrong(made, tmp_path):
    data = Checkpoint(made / "llama-plain").bytes(1)
    path = tmp_path / "model.bin"

    def refused(contents, *says):
        path.write_bytes(contents)
        anetest.rejected("ane-compile", path, "-o", tmp_path / "m.anebundle", "--quiet", says=[str(path), *says])

    refused(data[:-4], f"has {len(data) - 4} bytes", f"has {len(data)}; is it truncated?")
    old = Checkpoint(made / "llama-plain").bytes(0)
    refused(old[:-4], f"has {len(old) - 4} bytes", "of version 0", f"has {len(old)}; is it truncated?")
    refused(data[:4] + struct.pack("<i", 9) + data[8:], "of version 9; 0, 1 and 2 are known")
    refused(data[:8] + struct.pack("<i", -64) + data[12:], "dim is -64, expected 1 to 262144")
