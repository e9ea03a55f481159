"""Runs bundles in this process, through the runtime's C API (runtime/include/ane/runtime/ane.h)."""
import ctypes
from functools import lru_cache

import ml_dtypes
import numpy as np

import anetest

DTYPES = [np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float16, ml_dtypes.bfloat16,
          np.float32, np.float64]  # by ane_dtype


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("device", ctypes.c_char_p), ("threads", ctypes.c_int32),
                ("verify", ctypes.c_int32), ("emulator_mode", ctypes.c_char_p)]


class TensorInfo(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("dtype", ctypes.c_int), ("reserved", ctypes.c_int32),
                ("rank", ctypes.c_size_t), ("shape", ctypes.POINTER(ctypes.c_int64)), ("bytes", ctypes.c_size_t)]


class Event(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("program", ctypes.c_char_p), ("device", ctypes.c_char_p), ("reason", ctypes.c_char_p),
                ("phase", ctypes.c_int), ("runs", ctypes.c_int32)]


@lru_cache(None)
def library():
    """The shared library, loaded once."""
    path = anetest.BUILD / "lib" / "libanemone.so"
    assert path.exists(), f"{path} is missing; build the target anemone"
    loaded = ctypes.CDLL(str(path))
    for name in ("ane_bundle_open", "ane_session_create", "ane_session_input_info", "ane_session_output_info",
                 "ane_session_set_input", "ane_session_set_weight", "ane_session_run", "ane_session_output", "ane_session_event"):
        getattr(loaded, name).restype = ctypes.c_void_p
    for name in ("ane_session_input_count", "ane_session_output_count", "ane_session_event_count"):
        getattr(loaded, name).restype = ctypes.c_size_t
    loaded.ane_status_message.restype = ctypes.c_char_p
    return loaded


class RunError(Exception):
    """A status of the runtime that is not success."""


def check(status):
    if status:
        message = library().ane_status_message(ctypes.c_void_p(status)).decode()
        library().ane_status_free(ctypes.c_void_p(status))
        raise RunError(message)


class Bundle:
    """A bundle on a device, with one session of a function (its first one)."""

    def __init__(self, path, device, threads=1, function=None, emulator_mode=None):
        self.bundle, self.session = ctypes.c_void_p(), ctypes.c_void_p()
        options = Options(ctypes.sizeof(Options), device.encode(), threads, 0, emulator_mode and emulator_mode.encode())
        check(library().ane_bundle_open(str(path).encode(), ctypes.byref(options), ctypes.byref(self.bundle)))
        check(library().ane_session_create(self.bundle, function and function.encode(), ctypes.byref(self.session)))
        self.inputs = self.infos("input")
        self.outputs = self.infos("output")

    def infos(self, kind):
        made = []
        for index in range(getattr(library(), f"ane_session_{kind}_count")(self.session)):
            info = TensorInfo(ctypes.sizeof(TensorInfo))
            check(getattr(library(), f"ane_session_{kind}_info")(self.session, ctypes.c_size_t(index), ctypes.byref(info)))
            made.append((info.name.decode(), DTYPES[info.dtype], tuple(info.shape[i] for i in range(info.rank))))
        return made

    def __call__(self, values):
        """Runs on {name: array}; returns the outputs in order."""
        for index, (name, dtype, shape) in enumerate(self.inputs):
            array = np.asarray(values[name], order="C")
            assert array.dtype == dtype and array.shape == shape, f"{name}: {array.dtype}{array.shape}, want {dtype}{shape}"
            check(library().ane_session_set_input(self.session, ctypes.c_size_t(index),
                                                  ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes)))
        check(library().ane_session_run(self.session))
        results = []
        for index, (name, dtype, shape) in enumerate(self.outputs):
            data, size = ctypes.c_void_p(), ctypes.c_size_t()
            check(library().ane_session_output(self.session, ctypes.c_size_t(index), ctypes.byref(data), ctypes.byref(size)))
            raw = ctypes.string_at(data, size.value) if size.value else b""
            results.append(np.frombuffer(raw, dtype).reshape(shape))
        return results

    def set_weight(self, name, array):
        """Gives a weight another value."""
        array = np.ascontiguousarray(array)
        check(library().ane_session_set_weight(self.session, name.encode(), ctypes.c_void_p(array.ctypes.data),
                                               ctypes.c_size_t(array.nbytes)))

    def events(self):
        """Programs that ran elsewhere than asked."""
        made = []
        for index in range(library().ane_session_event_count(self.session)):
            event = Event(ctypes.sizeof(Event))
            check(library().ane_session_event(self.session, ctypes.c_size_t(index), ctypes.byref(event)))
            made.append({"program": event.program.decode(), "device": event.device.decode(), "reason": event.reason.decode(),
                         "phase": ("load", "run", "numeric")[event.phase], "runs": event.runs})
        return made

    def close(self):
        library().ane_session_destroy(self.session)
        library().ane_bundle_close(self.bundle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
