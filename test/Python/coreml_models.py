"""Packages that coremltools makes, with inputs and what PyTorch computes of them: what test_coreml_in.py compiles.

    .venv-models/bin/python test/Python/coreml_models.py GROUP FOLDER [NAME...]

makes a group of GROUPS: for each model a folder with model.mlpackage, case.json (how it was made, arguments of ane-compile) and
case.npz (`in:NAME`, `out:NAME`). PyTorch is in .venv-models, and coremltools in .venv, which has the same Python and NumPy: each
brings what the other lacks. Tests take a group from a cache (`ensure`), which is made anew when the files that make it change.
"""
import contextlib
import fcntl
import hashlib
import importlib
import io
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zlib
from pathlib import Path

import numpy as np

import zoo

# The module and the table of each group.
GROUPS = {
    "convolutions": ("coreml_modules", "CONVOLUTIONS"), "norms": ("coreml_modules", "NORMS"), "activations": ("coreml_modules", "ACTIVATIONS"),
    "pools": ("coreml_modules", "POOLS"), "sizes": ("coreml_modules", "SIZES"), "products": ("coreml_modules", "PRODUCTS"),
    "recurrent": ("coreml_modules", "RECURRENT"), "indices": ("coreml_modules", "INDICES"), "arithmetic": ("coreml_modules", "ARITHMETIC"),
    "blocks": ("coreml_architectures", "BLOCKS"), "encoders": ("coreml_architectures", "ENCODERS"), "decoders": ("coreml_architectures", "DECODERS"),
    "vision": ("coreml_architectures", "VISION"), "forms": ("coreml_forms", "FORMS"), "weights": ("coreml_weights", "WEIGHTS"),
    "published": ("coreml_published", "PUBLISHED"),
}
PLAIN = [name for name in GROUPS if name not in ("forms", "weights", "published")]  # tables of modules, each converted in both precisions
TARGETS = ["iOS15", "iOS16", "iOS17", "iOS18"]
NUMPY = {65568: np.float32, 65552: np.float16, 131104: np.int32}  # by ArrayFeatureType.ArrayDataType


# ---- the tests' side: without PyTorch ---------------------------------------------


def site_packages():
    return zoo.ROOT / ".venv" / Path(sysconfig.get_path("purelib")).relative_to(sys.prefix)


def installed(name):
    """The folder of a Python package in the environment with PyTorch, or where PYTHONPATH says; None when it is not there."""
    folders = [*sys.path, *(zoo.python().parent.parent.glob("lib/*/site-packages") if zoo.python() else [])]
    return next((Path(folder) / name for folder in folders if (Path(folder) / name).is_dir()), None)


def ensure(group):
    """The folder of a group, made if need be; None when that is impossible here."""
    here = Path(__file__).parent
    made_by = [here / f"{name}.py" for name in ("coreml_models", "zoo", GROUPS[group][0])]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in made_by)).hexdigest()[:12]
    folder = zoo.CACHE.parent / "coreml" / f"{group}.{digest}"
    if not folder.exists():
        if not zoo.python():
            return None
        folder.parent.mkdir(parents=True, exist_ok=True)
        with open(folder.parent / f"{group}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # tests run side by side
            if not folder.exists():
                with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
                    subprocess.run([zoo.python(), __file__, group, f"{scratch}/made"], check=True, stdin=subprocess.DEVNULL)
                    for old in folder.parent.glob(f"{group}.*/"):
                        shutil.rmtree(old)
                    os.rename(f"{scratch}/made", folder)
    return folder


class Case:
    """A model of a group: package, inputs, wanted outputs, and what case.json says."""

    def __init__(self, folder):
        self.name, self.package = folder.name, folder / "model.mlpackage"
        self.about = json.loads((folder / "case.json").read_text())
        with np.load(folder / "case.npz") as arrays:
            self.inputs = {key[3:]: arrays[key] for key in arrays.files if key.startswith("in:")}
            self.outputs = {key[4:]: arrays[key] for key in arrays.files if key.startswith("out:")}


def cases(group):
    return [Case(folder) for folder in sorted(ensure(group).iterdir())]


# ---- the maker's side -------------------------------------------------------------


def prepare():
    """coremltools beside PyTorch, quiet, and with a form of `int` and `bool` for NumPy 2, which makes no scalar of an array of one."""
    import logging
    import warnings

    warnings.simplefilter("ignore")
    sys.path.append(str(site_packages()))  # behind all others
    logging.disable(logging.WARNING)
    from coremltools.converters.mil import Builder as mb
    from coremltools.converters.mil.frontend.torch import ops
    from coremltools.converters.mil.frontend.torch.torch_op_registry import register_torch_op

    def scalar(context, node, dtype, name):
        (x,) = ops._get_inputs(context, node, expected=1)
        if x.can_be_folded_to_const():
            made = mb.const(val=dtype(np.asarray(x.val).item()), name=node.name)
        else:
            made = mb.cast(x=mb.squeeze(x=x) if x.rank else x, dtype=name, name=node.name)
        context.add(made, node.name)

    ops._cast = scalar

    @register_torch_op
    def alias(context, node):
        context.add(ops._get_inputs(context, node, expected=1)[0], node.name)


def converted(module, examples, route, precision, target, **options):
    import coremltools as ct
    import torch

    options = {"convert_to": "mlprogram", "skip_model_load": True, "compute_precision": getattr(ct.precision, precision),
               "minimum_deployment_target": getattr(ct.target, target), **options}
    if route == "export":
        return ct.convert(torch.export.export(module, examples).run_decompositions({}), **options)
    traced = torch.jit.trace(module, examples, check_trace=False)
    shapes = [ct.TensorType(shape=x.shape, **({} if x.is_floating_point() else {"dtype": np.int32})) for x in examples]
    return ct.convert(traced, **{"inputs": shapes, **options})


def arrays_of(features):
    """{name: NumPy type} of features of a description."""
    return {f.name: NUMPY[f.type.multiArrayType.dataType] if f.type.WhichOneof("Type") == "multiArrayType" else np.float32 for f in features}


def tensors(value):
    """The tensors of what a module gives, in order."""
    return [value] if hasattr(value, "detach") else [tensor for part in value for tensor in tensors(part)]


def results(module, given, names):
    """{name: what the module computes}, booleans as the floats and long integers as the short ones that Core ML has."""
    import torch

    with torch.no_grad():
        got = [tensor.detach().numpy() for tensor in tensors(module(*given))]
    assert len(got) == len(names), f"{len(got)} outputs, Core ML has {list(names)}"
    return {name: array.astype(np.int32 if array.dtype == np.int64 else np.float32) for name, array in zip(names, got)}


def rounded(inputs, types):
    """{name: array} as the package takes them, and the same values as tensors for the module."""
    import torch

    arrays = {name: x.numpy().astype(dtype) for x, (name, dtype) in zip(inputs, types.items())}
    return arrays, [torch.from_numpy(array.astype(np.int64 if array.dtype == np.int32 else np.float32)) for array in arrays.values()]


def save(folder, model, inputs, outputs, **about):
    """`inputs`, `outputs`: {name: array}."""
    folder.mkdir(parents=True)
    if isinstance(model, (str, Path)):
        shutil.copytree(model, folder / "model.mlpackage")
    else:
        model.save(str(folder / "model.mlpackage"))
    np.savez(folder / "case.npz", **{f"in:{name}": x for name, x in inputs.items()}, **{f"out:{name}": y for name, y in outputs.items()})
    (folder / "case.json").write_text(json.dumps(about))


def write(folder, name, make):
    """One module in both precisions, by both front ends where both can."""
    import torch

    for precision, first, second in ("FLOAT32", "trace", "export"), ("FLOAT16", "export", "trace"):
        torch.manual_seed(zlib.crc32(name.encode()))
        module, inputs = make()
        module.eval()
        target, route = TARGETS[zlib.crc32(f"{name}{precision}".encode()) % len(TARGETS)], first
        try:
            model = converted(module, inputs, route, precision, target)
        except Exception:
            # coremltools lacks ops of the one or of the other.
            route = second
            model = converted(module, inputs, route, precision, target)
        description = model.get_spec().description
        arrays, given = rounded(inputs, arrays_of(description.input))
        save(folder / f"{name}.{precision.lower()}", model, arrays, results(module, given, arrays_of(description.output)),
             precision=precision, target=target, route=route, arguments=[])


def main(group, folder, *names):
    prepare()
    module, table = GROUPS[group]
    made = getattr(importlib.import_module(module), table)
    failed = {}
    for name in names or made:
        try:
            with contextlib.redirect_stderr(io.StringIO()):  # bars of progress
                write(Path(folder), name, made[name]) if group in PLAIN else made[name](Path(folder) / name)
        except Exception as error:
            failed[name] = f"{type(error).__name__}: {error}"
    for name, why in failed.items():
        print(f"{name}: {why}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
