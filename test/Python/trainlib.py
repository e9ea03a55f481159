"""Trains bundles in this process, through the runtime's C API (runtime/include/ane/runtime/train.h). NumPy is all that it needs, so that
PyTorch's environment has it, too."""
import ctypes
import os
from functools import lru_cache
from pathlib import Path

import numpy as np

BUILD = Path(os.environ.get("ANE_BUILD_DIR", Path(__file__).resolve().parent.parent.parent / "build")).resolve()


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("device", ctypes.c_char_p), ("emulator_mode", ctypes.c_char_p), ("context", ctypes.c_void_p),
                ("threads", ctypes.c_int32), ("verify", ctypes.c_int32), ("optimizer", ctypes.c_char_p), ("learning_rate", ctypes.c_double),
                ("beta1", ctypes.c_double), ("beta2", ctypes.c_double), ("epsilon", ctypes.c_double), ("momentum", ctypes.c_double),
                ("weight_decay", ctypes.c_double), ("schedule", ctypes.c_char_p), ("end_share", ctypes.c_double), ("warmup", ctypes.c_int64),
                ("steps", ctypes.c_int64), ("clip", ctypes.c_double), ("accumulate", ctypes.c_int64), ("loss_scale", ctypes.c_double),
                ("dynamic_loss_scale", ctypes.c_int32), ("deterministic", ctypes.c_int32), ("frozen", ctypes.POINTER(ctypes.c_char_p)),
                ("frozen_count", ctypes.c_size_t), ("weights_by", ctypes.c_char_p), ("clamp_fp16", ctypes.c_int32), ("reserved", ctypes.c_int32)]


class TensorInfo(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("dtype", ctypes.c_int), ("reserved", ctypes.c_int32),
                ("rank", ctypes.c_size_t), ("shape", ctypes.POINTER(ctypes.c_int64)), ("bytes", ctypes.c_size_t)]


class Step(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("step", ctypes.c_int64), ("loss", ctypes.c_double), ("rate", ctypes.c_double),
                ("norm", ctypes.c_double), ("loss_scale", ctypes.c_double), ("skipped", ctypes.c_char_p), ("evaluations", ctypes.c_uint64),
                ("staged_bytes", ctypes.c_uint64), ("ended", ctypes.c_int32), ("reserved", ctypes.c_int32), ("clamped", ctypes.c_uint64)]


@lru_cache(None)
def library():
    path = BUILD / "lib" / "libanemone.so"
    assert path.exists(), f"{path} is missing; build the target anemone"
    loaded = ctypes.CDLL(str(path))
    for name in ("create", "input_info", "set_input", "step", "backward", "update", "evaluate", "parameter_info", "read_parameter",
                 "write_parameter", "read_gradient", "save", "load"):
        getattr(loaded, f"ane_trainer_{name}").restype = ctypes.c_void_p
    for name in ("weights_by", "event"):
        getattr(loaded, f"ane_trainer_{name}").restype = ctypes.c_char_p
    for name in ("input_count", "parameter_count", "event_count"):
        getattr(loaded, f"ane_trainer_{name}").restype = ctypes.c_size_t
    loaded.ane_status_message.restype = ctypes.c_char_p
    return loaded


class TrainError(Exception):
    """A status of the runtime that is not success."""


def call(name, *arguments):
    status = getattr(library(), f"ane_trainer_{name}")(*arguments)
    if status:
        message = library().ane_status_message(ctypes.c_void_p(status)).decode()
        library().ane_status_free(ctypes.c_void_p(status))
        raise TrainError(message)


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


class Trainer:
    """A trainer; options are members of ane_trainer_options, texts as str, `frozen` a list."""

    def __init__(self, bundle, **options):
        self.handle = ctypes.c_void_p()
        given = Options(ctypes.sizeof(Options))
        frozen = [text.encode() for text in options.pop("frozen", [])]
        given.frozen, given.frozen_count = (ctypes.c_char_p * len(frozen))(*frozen), len(frozen)
        for key, value in options.items():
            setattr(given, key, value.encode() if isinstance(value, str) else value)
        call("create", str(bundle).encode(), ctypes.byref(given), ctypes.byref(self.handle))
        self.inputs = [self.describe("input_info", i)[0] for i in range(library().ane_trainer_input_count(self.handle))]
        self.parameters = dict(self.describe("parameter_info", i) for i in range(library().ane_trainer_parameter_count(self.handle)))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        library().ane_trainer_destroy(self.handle)

    def describe(self, function, index):
        info = TensorInfo(ctypes.sizeof(TensorInfo))
        call(function, self.handle, ctypes.c_size_t(index), ctypes.byref(info))
        return info.name.decode(), tuple(info.shape[:info.rank])

    def feed(self, values):
        """{input: array}, each of the input's type."""
        for index, name in enumerate(self.inputs):
            array = np.ascontiguousarray(values[name])
            call("set_input", self.handle, ctypes.c_size_t(index), pointer(array), ctypes.c_size_t(array.nbytes))

    def backward(self):
        loss = ctypes.c_float()
        call("backward", self.handle, ctypes.byref(loss))
        return loss.value

    def update(self):
        step = Step(ctypes.sizeof(Step))
        call("update", self.handle, ctypes.byref(step))
        return step

    def evaluate(self):
        loss = ctypes.c_float()
        call("evaluate", self.handle, ctypes.byref(loss))
        return loss.value

    @property
    def weights_by(self):
        return library().ane_trainer_weights_by(self.handle).decode()

    def events(self):
        return [library().ane_trainer_event(self.handle, ctypes.c_size_t(i)).decode() for i in range(library().ane_trainer_event_count(self.handle))]

    def read(self, function, name):
        array = np.empty(self.parameters[name], np.float32)
        call(function, self.handle, name.encode(), pointer(array), ctypes.c_size_t(array.nbytes))
        return array

    def set_weight(self, name, value):
        array = np.ascontiguousarray(value, np.float32)
        call("write_parameter", self.handle, name.encode(), pointer(array), ctypes.c_size_t(array.nbytes))

    def weight(self, name):
        return self.read("read_parameter", name)

    def gradient(self, name):
        return self.read("read_gradient", name)
