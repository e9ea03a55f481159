"""Values of a model's inputs and outputs as NumPy arrays."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Sequence, Tuple

import numpy as np

from .errors import RunError

ALIGNMENT = 64  # of memory that the runtime uses without a copy (ane_session_bind_input)


@dataclass(frozen=True)
class TensorInfo:
    """An input or output of a model."""

    name: str
    dtype: np.dtype
    shape: Tuple[int, ...]
    """-1 is the dimension of buckets, which each call chooses."""

    def takes(self, shape: Tuple[int, ...]) -> bool:
        """Whether a value may have that shape."""
        return len(shape) == len(self.shape) and all(own in (size, -1) for own, size in zip(self.shape, shape))

    def of_size(self, size: int) -> "TensorInfo":
        """With a size for the dimension of buckets."""
        return TensorInfo(self.name, self.dtype, tuple(size if own == -1 else own for own in self.shape))

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype}{list(self.shape)}"


def dtype_of(name: str) -> np.dtype:
    """NumPy's type of a dtype in a manifest."""
    if name == "bfloat16":
        try:
            import ml_dtypes
        except ImportError:
            raise RunError("the model has bfloat16 values, which NumPy lacks; remedy: pip install ml_dtypes",
                           "UNIMPLEMENTED") from None
        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)


def empty(shape: Sequence[int], dtype: Any) -> np.ndarray:
    """An uninitialised array like ``numpy.empty``, aligned so that a model reads it in place, without a copy."""
    dtype = np.dtype(dtype)
    shape = tuple(int(size) for size in shape)
    size = math.prod(shape) * dtype.itemsize
    memory = np.empty(size + ALIGNMENT, np.uint8)
    start = -address(memory) % ALIGNMENT
    return memory[start:start + size].view(dtype).reshape(shape)


def address(array: np.ndarray) -> int:
    """Of the first element. (`array.ctypes.data` takes ten times as long.)"""
    return array.__array_interface__["data"][0]


def is_aligned(array: np.ndarray) -> bool:
    """Whether the runtime can use the array's memory."""
    return address(array) % ALIGNMENT == 0


def convert(info: TensorInfo, value: Any, what: str = "input") -> np.ndarray:
    """The value as a C-contiguous array of exactly the dtype and shape of an input (or `what` it is); RunError when it is not
    one."""
    if isinstance(value, dict) or value is None:
        remedy = f"pass inputs by name, model({info.name}=...) or model(**inputs)" if what == "input" else f"give {info}"
        raise RunError(f"{what} {info.name!r}: is {type(value).__name__}, expected an array; remedy: {remedy}")
    if hasattr(value, "detach"):  # a PyTorch tensor, maybe with gradients or on a GPU
        value = value.detach().cpu()
    try:
        array = _view(value)
    except Exception as error:
        raise RunError(f"{what} {info.name!r}: {type(value).__name__} is not convertible to an array: {error}") from None
    if array.dtype != info.dtype:
        array = _cast(info, array, what, lossless=hasattr(value, "dtype"))
    if not info.takes(array.shape):
        other = ", or compile the model for that shape (dims=, shapes=)" if what == "input" else ""
        raise RunError(f"{what} {info.name!r}: has shape {array.shape}, expected {info.shape}; remedy: pad or reshape it{other}")
    return array if array.flags.c_contiguous else array.copy(order="C")


def bucket_size(infos: Sequence[TensorInfo], arrays: Sequence[np.ndarray], most: int) -> int:
    """What inputs have where their infos have -1, which is 1 to `most`; 0 if none has."""
    for info, array in zip(infos, arrays):
        if any(own == -1 and not 1 <= size <= most for own, size in zip(info.shape, array.shape)):
            remedy = "pass 1 or more" if 0 in array.shape else "pass it in parts, or compile the model for more (buckets=)"
            raise RunError(f"input {info.name!r}: has shape {array.shape}, expected {info.shape} with -1 from 1 to {most}; remedy: "
                           f"{remedy}")
    sizes = {(info.name, size) for info, array in zip(infos, arrays) for own, size in zip(info.shape, array.shape) if own == -1}
    if len({size for _, size in sizes}) > 1:
        raise RunError(f"inputs differ in the dimension of buckets: {', '.join(f'{size} in {name!r}' for name, size in sorted(sizes))}")
    return next((size for _, size in sizes), 0)


def _view(value: Any) -> np.ndarray:
    """An array on the value's own memory where it offers that (NumPy's protocols, else DLPack), else of its numbers."""
    if hasattr(value, "__dlpack__") and not hasattr(value, "__array__") and not isinstance(value, np.ndarray):
        return np.from_dlpack(value)
    return np.asarray(value)


def destination(info: TensorInfo, value: Any) -> np.ndarray:
    """The value as a writable array on its own memory, for an output; RunError when that is not possible."""
    def wrong(what: str, remedy: str = f"anemone.empty({list(info.shape)}, {str(info.dtype)!r})") -> RunError:
        return RunError(f"out {info.name!r}: {what}; remedy: {remedy}")

    if isinstance(value, np.ndarray):
        array = value
    elif hasattr(value, "__dlpack__"):
        try:
            array = np.from_dlpack(value)
        except Exception as error:
            raise wrong(f"NumPy can't use the memory of this {type(value).__name__}: {error}") from None
    else:
        raise wrong(f"is {type(value).__name__}, expected an array, or another object with DLPack")
    if array.dtype != info.dtype or array.shape != info.shape:
        raise wrong(f"is {array.dtype}{list(array.shape)}, expected {info.dtype}{list(info.shape)}")
    if not array.flags.writeable:
        raise wrong("is read-only", "pass an array that can be written, as its copy() can")
    if not array.flags.c_contiguous:
        raise wrong("is not contiguous", "pass an array without gaps, as its copy() is, and assign that to this one")
    return array


def _cast(info: TensorInfo, array: np.ndarray, what: str, lossless: bool) -> np.ndarray:
    """Other byte orders are taken, and Python's numbers and lists, which have no dtype of their own; arrays of another
    dtype are refused, since a silent cast hides mistakes."""
    if array.dtype.kind not in "OSUMm" and array.dtype.newbyteorder("=") == info.dtype:
        return array.astype(info.dtype)
    if not lossless and array.dtype.kind in "biuf" and np.can_cast(array.dtype, info.dtype, "same_kind"):
        with np.errstate(over="ignore"):
            cast = array.astype(info.dtype)
        if info.dtype.kind not in "iu" or np.array_equal(cast, array):
            return cast
    raise RunError(f"{what} {info.name!r}: has dtype {array.dtype}, expected {info.dtype}; remedy: "
                   f"{info.name}.astype({str(info.dtype)!r})")
