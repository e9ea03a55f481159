"""Small weight types, as coremltools' optimisers write them: WEIGHTS {name: makes the package in a folder} (coreml_models.py).

What is wanted is what PyTorch computes with the weights that coremltools itself unpacks, in fp32.
"""
import sys
import types
from functools import partial

import numpy as np
import torch
from torch import nn

import coreml_models
import zoo


class KMeans:
    """In place of scikit-learn's, which coremltools asks for: packages are tried here, and not how well palettes are chosen."""

    def __init__(self, n_clusters, **_):
        self.count = n_clusters

    def fit(self, points):
        order = np.argsort(points[:, 0], kind="stable")
        centers = points[order[np.linspace(0, len(points) - 1, self.count).astype(int)]].astype(np.float64)
        for _ in range(4):
            self.labels_ = ((points[:, None].astype(np.float64) - centers[None]) ** 2).sum(-1).argmin(1)
            for i in set(self.labels_):
                centers[i] = points[self.labels_ == i].mean(0)
        self.cluster_centers_ = centers
        return self


sys.modules.setdefault("sklearn", types.ModuleType("sklearn"))
sys.modules.setdefault("sklearn.cluster", types.SimpleNamespace(KMeans=KMeans))


def network():
    """A convolution and a linear layer, each with weights enough to be compressed."""
    module = nn.Sequential(nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 96), nn.Tanh())
    zoo.redraw(module, 5)
    return module.eval()


def unpacked(model):
    """The weights of a package by coremltools: {op: array}."""
    import coremltools as ct
    from coremltools.converters.mil.frontend.milproto.load import load

    plain = ct.optimize.coreml.decompress_weights(model)
    spec = plain.get_spec()
    program = load(spec, spec.specificationVersion, plain.weights_dir)
    return {op.op_type: op.weight.val for op in program.functions["main"].operations if op.op_type in ("conv", "linear")}


def write(folder, target, precision, *steps):
    """`steps` are functions of optimised models, one after the other."""
    torch.manual_seed(7)
    module, x = network(), torch.randn(1, 16, 8, 8)
    model = coreml_models.converted(module, (x,), "trace", precision, target)
    for step in steps:
        model = step(model)
    weights = unpacked(model)
    with torch.no_grad():
        for index, op in (0, "conv"), (4, "linear"):
            before, after = module[index].weight.numpy().copy(), weights[op].astype(np.float32)
            assert before.shape == after.shape and not np.array_equal(before, after), f"{op} is as it was"
            module[index].weight.copy_(torch.from_numpy(after))
    description = model.get_spec().description
    arrays, given = coreml_models.rounded([x], coreml_models.arrays_of(description.input))
    operations = model.get_spec().mlProgram.functions["main"].block_specializations.values()
    packed = sorted({op.type for block in operations for op in block.operations if op.type.startswith("constexpr")})
    assert packed, "no small weights"
    coreml_models.save(folder, model, arrays, coreml_models.results(module, given, coreml_models.arrays_of(description.output)),
                       precision=precision, target=target, route="trace", arguments=[], packed=packed)


def optimised(function, config, joint=False, **options):
    """A step by one of coremltools' optimisers."""
    def step(model):
        import coremltools.optimize.coreml as cto

        settings = cto.OptimizationConfig(global_config=getattr(cto, config)(weight_threshold=0, **options))
        return getattr(cto, function)(model, settings, **({"joint_compression": True} if joint else {}))
    return step


palettized = partial(optimised, "palettize_weights", "OpPalettizerConfig")
linear = partial(optimised, "linear_quantize_weights", "OpLinearQuantizerConfig")
pruned = partial(optimised, "prune_weights", "OpMagnitudePrunerConfig", target_sparsity=0.6)
groups = dict(granularity="per_grouped_channel", group_size=8)

STEPS = {
    **{f"lut{bits}_ios16": ("iOS16", "FLOAT16", palettized(mode="uniform", nbits=bits)) for bits in (1, 2, 4, 6, 8)},
    **{f"lut{bits}_ios18": ("iOS18", "FLOAT16", palettized(mode="uniform", nbits=bits)) for bits in (1, 2, 3, 4, 6, 8)},
    "lut4_fp32": ("iOS17", "FLOAT32", palettized(mode="uniform", nbits=4)),
    "lut4_kmeans": ("iOS18", "FLOAT16", palettized(mode="kmeans", nbits=4)),
    "lut4_groups": ("iOS18", "FLOAT16", palettized(mode="kmeans", nbits=4, **groups)),
    "lut2_groups_scaled": ("iOS18", "FLOAT16", palettized(mode="kmeans", nbits=2, enable_per_channel_scale=True, **groups)),
    "lut4_vectors": ("iOS18", "FLOAT16", palettized(mode="kmeans", nbits=4, cluster_dim=2)),
    "int8_tensor": ("iOS17", "FLOAT16", linear(mode="linear_symmetric", granularity="per_tensor")),
    "int8_channel": ("iOS16", "FLOAT16", linear(mode="linear_symmetric")),
    "int8_channel_ios18": ("iOS18", "FLOAT32", linear(mode="linear_symmetric")),
    "int8_affine": ("iOS17", "FLOAT32", linear(mode="linear")),
    "uint8_affine": ("iOS16", "FLOAT16", linear(mode="linear", dtype="uint8")),
    "int8_blocks": ("iOS18", "FLOAT16", linear(mode="linear", granularity="per_block", block_size=16)),
    "int4_tensor": ("iOS18", "FLOAT16", linear(mode="linear_symmetric", dtype="int4", granularity="per_tensor")),
    "int4_channel": ("iOS18", "FLOAT16", linear(mode="linear", dtype="int4")),
    "int4_blocks": ("iOS18", "FLOAT16", linear(mode="linear_symmetric", dtype="int4", granularity="per_block", block_size=8)),
    "uint4_blocks": ("iOS18", "FLOAT32", linear(mode="linear", dtype="uint4", granularity="per_block", block_size=8)),
    "sparse_ios16": ("iOS16", "FLOAT16", pruned()),
    "sparse_ios18": ("iOS18", "FLOAT32", pruned()),
    "sparse_threshold": ("iOS17", "FLOAT16", optimised("prune_weights", "OpThresholdPrunerConfig", threshold=0.05, minimum_sparsity_percentile=0.1)),
    "sparse_lut4": ("iOS18", "FLOAT16", pruned(), palettized(True, mode="uniform", nbits=4)),
    "sparse_int8": ("iOS18", "FLOAT16", pruned(), linear(True, mode="linear_symmetric")),
    "sparse_int4_blocks": ("iOS18", "FLOAT16", pruned(), linear(True, mode="linear_symmetric", dtype="int4", granularity="per_block", block_size=8)),
    "lut4_int8": ("iOS18", "FLOAT16", palettized(mode="uniform", nbits=4), linear(True, mode="linear_symmetric", granularity="per_tensor")),
}
WEIGHTS = {name: partial(lambda about, folder: write(folder, *about), about) for name, about in STEPS.items()}
