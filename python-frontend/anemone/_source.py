"""Turns what a user calls a model into an ONNX file."""
from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, List, Mapping, Sequence, Tuple

import numpy as np

from .errors import CompileError

SIZE_OF_PROTOBUF = 2**31 - 2**20  # above, protobuf writes no message

Shapes = Mapping[str, Sequence[int]]


def is_module(model: Any) -> bool:
    """Whether it is a torch.nn.Module. Whoever has one has imported torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(model, torch.nn.Module)


def to_file(model: Any, example_inputs: Any, shapes: Shapes, folder: Path, keeps_parameters: bool = False, trains: bool = False) -> Tuple[str, bool]:
    """Path of the ONNX file, in `folder` if it had to be made, and whether it is an export of static shapes. `keeps_parameters`: of a module,
    by their names, whatever could be computed of them. `trains`: the file says what is trained."""
    path = os.path.abspath(os.fspath(model)) if isinstance(model, (str, os.PathLike)) else None
    if path and os.path.exists(os.path.join(path, "config.json")):
        from ._torch import load_transformers

        model = load_transformers(path)
    if is_module(model):
        from ._torch import export

        return str(export(model, example_inputs, shapes, folder, keeps_parameters, trains)), True
    if example_inputs is not None:
        raise CompileError("example_inputs is for PyTorch modules; an ONNX model's dimensions are bound by dims= and shapes=")
    if path:
        if os.path.isdir(path):
            raise CompileError(f"'{path}' is a directory without config.json, expected an .onnx file, or the directory of a "
                               f"transformers model")
        return path, False
    if type(model).__name__ == "ModelProto" and hasattr(model, "SerializeToString"):
        return str(_save(model, folder)), False
    raise CompileError(f"can't compile a {type(model).__module__}.{type(model).__qualname__}: expected the path of an .onnx "
                       f"file or of a transformers model's directory, an onnx.ModelProto or a torch.nn.Module")


def to_files(models: Mapping[str, Any], folder: Path) -> List[str]:
    """``name=path`` for each function of a bundle."""
    files = []
    for name, model in models.items():
        if not isinstance(name, str) or not name.isidentifier() or is_module(model):
            raise CompileError(f"function {name!r}: expected a word as its name, and the path of an .onnx file or an onnx.ModelProto; export a "
                               "PyTorch module first")
        place = folder / name
        place.mkdir()
        files.append(f"{name}={to_file(model, None, {}, place)[0]}")
    if not files:
        raise CompileError("there is no model to compile: the mapping of functions is empty")
    return files


def _save(model: Any, folder: Path) -> Path:
    path = folder / "model.onnx"
    if model.ByteSize() < SIZE_OF_PROTOBUF:
        path.write_bytes(model.SerializeToString())
    else:
        import onnx

        try:
            onnx.save_model(model, str(path), save_as_external_data=True, location="model.data")
        finally:
            # It has moved the values out of the caller's model instead of copying them.
            onnx.external_data_helper.load_external_data_for_model(model, str(folder))
    return path


def value(name: str, given: Any, folder: Path) -> str:
    """What ane-compile's --value takes for a value: numbers as text, arrays as a file in `folder`."""
    if isinstance(given, os.PathLike):
        return os.path.abspath(given)
    if isinstance(given, str):
        return os.path.abspath(given) if given.endswith(".npy") else given
    if isinstance(given, (np.ndarray, np.generic)) and np.ndim(given):
        path = folder / f"value{len(list(folder.glob('value*.npy')))}.npy"
        np.save(path, np.asarray(given, order="C"), allow_pickle=False)
        return str(path)
    if isinstance(given, (np.ndarray, np.generic)):
        given = given.item()
    numbers = list(given) if isinstance(given, (list, tuple)) else [given]
    if not numbers or not all(isinstance(number, (bool, int, float)) for number in numbers):
        raise CompileError(f"value of {name!r}: is {given!r}, expected a number, a list of numbers, an array or the path of a .npy file")
    return ",".join(str(number).lower() if isinstance(number, bool) else repr(number) for number in numbers)
