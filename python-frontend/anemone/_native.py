"""The C API (ane/runtime/ane.h) through ctypes, which releases the GIL in every call."""
from __future__ import annotations

import ctypes
import functools
import json
import os
import weakref
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_void_p
from typing import Any, List, Optional

from . import _files
from .errors import Error, RunError

Address = Optional[int]

CODES = ("OK", "INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "UNIMPLEMENTED", "RESOURCE_EXHAUSTED", "DATA_LOSS",
         "INTERNAL")


class _Options(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("device", c_char_p), ("threads", c_int32), ("verify", c_int32),
                ("emulator_mode", c_char_p), ("no_native_code", c_int32)]


class _TensorInfo(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("dtype", ctypes.c_int), ("rank", c_size_t), ("shape", POINTER(c_int64)),
                ("bytes", c_size_t)]


# name: (result, arguments)
_PROTOTYPES = {
    "ane_status_code": (ctypes.c_int, [c_void_p]),
    "ane_status_message": (c_char_p, [c_void_p]),
    "ane_status_free": (None, [c_void_p]),
    "ane_version": (c_char_p, []),
    "ane_bundle_open": (c_void_p, [c_char_p, POINTER(_Options), POINTER(c_void_p)]),
    "ane_bundle_close": (None, [c_void_p]),
    "ane_bundle_device": (c_char_p, [c_void_p]),
    "ane_bundle_host": (c_char_p, [c_void_p]),
    "ane_bundle_info": (c_char_p, [c_void_p]),
    "ane_session_create": (c_void_p, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "ane_session_destroy": (None, [c_void_p]),
    "ane_session_set_input": (c_void_p, [c_void_p, c_size_t, c_void_p, c_size_t]),
    "ane_session_bind_input": (c_void_p, [c_void_p, c_size_t, c_void_p, c_size_t]),
    "ane_session_bind_output": (c_void_p, [c_void_p, c_size_t, c_void_p, c_size_t]),
    "ane_session_run": (c_void_p, [c_void_p]),
    "ane_session_output": (c_void_p, [c_void_p, c_size_t, POINTER(c_void_p), POINTER(c_size_t)]),
    "ane_session_events": (c_char_p, [c_void_p]),
    "ane_session_profile": (c_char_p, [c_void_p]),
    "ane_state_read": (c_void_p, [c_void_p, c_size_t, c_void_p, c_size_t]),
    "ane_state_write": (c_void_p, [c_void_p, c_size_t, c_void_p, c_size_t]),
    "ane_state_reset": (c_void_p, [c_void_p]),
    "ane_state_save": (c_void_p, [c_void_p, c_char_p]),
    "ane_state_restore": (c_void_p, [c_void_p, c_char_p]),
    "ane_state_fork": (c_void_p, [c_void_p, POINTER(c_void_p)]),
}


@functools.lru_cache(None)
def library() -> ctypes.CDLL:
    """The loaded runtime, with the types of its functions."""
    path = _files.library()
    try:
        lib = ctypes.CDLL(str(path))
    except OSError as error:
        raise Error(f"can't load the runtime {path}: {error}; {_files.REMEDY}") from None
    for name, (result, arguments) in _PROTOTYPES.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


def check(status: Optional[int]) -> None:
    """Raises RunError for a status that is not success."""
    if not status:
        return
    lib = library()
    code = lib.ane_status_code(status)
    message = lib.ane_status_message(status).decode("utf-8", "replace")
    lib.ane_status_free(status)
    raise RunError(message, CODES[code] if 0 <= code < len(CODES) else "INTERNAL")


def version() -> str:
    """Version of the runtime."""
    return library().ane_version().decode()


class NativeBundle:
    """An ane_bundle."""

    def __init__(self, path: str, device: str, threads: int, verify: bool, emulator_mode: Optional[str],
                 native_code: bool):
        lib = library()
        options = _Options(ctypes.sizeof(_Options), device.encode(), threads, verify,
                           emulator_mode.encode() if emulator_mode else None, not native_code)
        handle = c_void_p()
        check(lib.ane_bundle_open(_path_bytes(path), ctypes.byref(options), ctypes.byref(handle)))
        self.handle = handle
        self.close = _finalizer(self, lib.ane_bundle_close, handle)
        self.device: str = lib.ane_bundle_device(handle).decode()
        self.info: Any = json.loads(lib.ane_bundle_info(handle))

    def host(self) -> str:
        """The library of CPU code in use; "" while there is none. For one thread at a time."""
        return library().ane_bundle_host(self.handle).decode()

    def session(self, function: str) -> "NativeSession":
        """Makes a session of a function."""
        handle = c_void_p()
        check(library().ane_session_create(self.handle, function.encode(), ctypes.byref(handle)))
        return NativeSession(handle)


def _finalizer(owner: object, free: Any, handle: c_void_p) -> weakref.finalize:
    """Frees the handle when it is called, or with its owner. Not at exit: daemon threads may still be running."""
    finalizer = weakref.finalize(owner, free, handle)
    finalizer.atexit = False
    return finalizer


def _path_bytes(path: str) -> bytes:
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise RunError(f"the path {path!r} holds a NUL character")
    return encoded


class NativeSession:
    """An ane_session: for one thread at a time."""

    def __init__(self, handle: c_void_p):
        self.handle = handle
        self.destroy = _finalizer(self, library().ane_session_destroy, handle)

    def set_input(self, index: int, address: int, size: int) -> None:
        """Copies a value in."""
        check(library().ane_session_set_input(self.handle, index, address, size))

    def bind_input(self, index: int, address: Address, size: int) -> None:
        """Reads an input where it is."""
        check(library().ane_session_bind_input(self.handle, index, address, size))

    def bind_output(self, index: int, address: Address, size: int) -> None:
        """Writes an output where it is wanted."""
        check(library().ane_session_bind_output(self.handle, index, address, size))

    def run(self) -> None:
        """Runs the function once."""
        check(library().ane_session_run(self.handle))

    def output(self, index: int) -> "tuple[int, int]":
        """Address and size of an output's value."""
        data, size = c_void_p(), c_size_t()
        check(library().ane_session_output(self.handle, index, ctypes.byref(data), ctypes.byref(size)))
        return data.value or 0, size.value

    def events(self) -> List[Any]:
        """Programs that ran elsewhere than asked."""
        return json.loads(library().ane_session_events(self.handle))

    def profile(self) -> List[Any]:
        """Cost of each step."""
        return json.loads(library().ane_session_profile(self.handle))

    def read_state(self, index: int, address: int, size: int) -> None:
        """Copies a state's value out."""
        check(library().ane_state_read(self.handle, index, address, size))

    def write_state(self, index: int, address: int, size: int) -> None:
        """Copies a state's value in."""
        check(library().ane_state_write(self.handle, index, address, size))

    def reset_states(self) -> None:
        """Gives all states their initial values."""
        check(library().ane_state_reset(self.handle))

    def save_states(self, path: str) -> None:
        """Writes all states to a file."""
        check(library().ane_state_save(self.handle, _path_bytes(path)))

    def restore_states(self, path: str) -> None:
        """Reads all states from a file."""
        check(library().ane_state_restore(self.handle, _path_bytes(path)))

    def fork(self) -> "NativeSession":
        """A new session with these states."""
        handle = c_void_p()
        check(library().ane_state_fork(self.handle, ctypes.byref(handle)))
        return NativeSession(handle)
