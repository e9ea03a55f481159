"""The C API (ane/runtime/ane.h) through ctypes, which releases the GIL in every call."""
from __future__ import annotations

import atexit
import ctypes
import functools
import itertools
import json
import os
import sys
import threading
import weakref
from ctypes import POINTER, c_char_p, c_int, c_int32, c_size_t, c_uint64, c_void_p
from typing import Any, Dict, List, Optional, Tuple

from . import _files
from .errors import Error, RunError

Address = Optional[int]

CODES = ("OK", "INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "UNIMPLEMENTED", "RESOURCE_EXHAUSTED", "DATA_LOSS",
         "INTERNAL", "CANCELLED")
PHASES = ("load", "run", "numeric", "weights", "evaluation")  # of events
KINDS = ("host", "program", "twin", "update")  # of steps
NUMERIC = ("rescue", "report", "off", "clamp")
TRUST = ("owner", "anyone", "nobody")


class Struct(ctypes.Structure):
    """Begins with its size."""

    def __init__(self, *values: Any):
        super().__init__(ctypes.sizeof(self), *values)


class _ContextOptions(Struct):
    _fields_ = [("size", c_size_t), ("compilations", c_uint64), ("loaded_programs", c_uint64), ("loaded_bytes", c_uint64),
                ("idle_surface_bytes", c_uint64)]


class _Counters(Struct):
    _fields_ = [("size", c_size_t), ("compilations", c_uint64), ("loaded_programs", c_uint64), ("loaded_bytes", c_uint64),
                ("running", c_uint64), ("hits", c_uint64), ("evictions", c_uint64), ("retries", c_uint64), ("refusals", c_uint64),
                ("evaluations", c_uint64), ("evaluation_ns", c_uint64), ("surfaces", c_uint64), ("surface_bytes", c_uint64),
                ("idle_surface_bytes", c_uint64), ("surface_allocations", c_uint64), ("surfaces_given", c_uint64),
                ("load_ns", c_uint64), ("weight_bytes", c_uint64), ("input_bytes", c_uint64), ("output_bytes", c_uint64),
                ("energy_nj", c_uint64), ("weight_updates", c_uint64)]


class _Options(Struct):
    _fields_ = [("size", c_size_t), ("device", c_char_p), ("threads", c_int32), ("verify", c_int32),
                ("emulator_mode", c_char_p), ("no_native_code", c_int32), ("numeric", c_int32), ("context", c_void_p), ("memory_limit", c_uint64),
                ("weights_by", c_char_p), ("trust", c_int32), ("reserved", c_int32)]


class _Event(Struct):
    _fields_ = [("size", c_size_t), ("program", c_char_p), ("device", c_char_p), ("reason", c_char_p), ("phase", c_int),
                ("runs", c_int32)]


class _Step(Struct):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("device", c_char_p), ("kind", c_int), ("reserved", c_int32),
                ("runs", c_uint64), ("last_ns", c_uint64), ("total_ns", c_uint64), ("last_layout_ns", c_uint64),
                ("total_layout_ns", c_uint64), ("evaluations", c_uint64), ("evaluation_ns", c_uint64), ("input_bytes", c_uint64),
                ("output_bytes", c_uint64), ("weight_bytes", c_uint64), ("energy_nj", c_uint64),
                ("rescued_runs", c_uint64)]


class _Copies(Struct):
    _fields_ = [("size", c_size_t), ("runs", c_uint64), ("last_surface_bytes", c_uint64), ("total_surface_bytes", c_uint64),
                ("last_state_bytes", c_uint64), ("total_state_bytes", c_uint64), ("last_scanned_bytes", c_uint64),
                ("total_scanned_bytes", c_uint64), ("total_weight_bytes", c_uint64), ("total_clamped", c_uint64)]


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
    "ane_bundle_weights_by": (c_void_p, [c_void_p, POINTER(c_char_p)]),
    "ane_session_create": (c_void_p, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "ane_session_set_adapter": (c_void_p, [c_void_p, c_char_p, POINTER(c_size_t)]),
    "ane_session_share": (c_void_p, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "ane_session_destroy": (None, [c_void_p]),
    "ane_session_set_input": (c_void_p, [c_void_p, c_size_t, c_void_p, c_size_t]),
    "ane_session_bind_input": (c_void_p, [c_void_p, c_size_t, c_void_p, c_size_t]),
    "ane_session_bind_output": (c_void_p, [c_void_p, c_size_t, c_void_p, c_size_t]),
    "ane_session_set_weight": (c_void_p, [c_void_p, c_char_p, c_void_p, c_size_t]),
    "ane_session_run": (c_void_p, [c_void_p]),
    "ane_session_output": (c_void_p, [c_void_p, c_size_t, POINTER(c_void_p), POINTER(c_size_t)]),
    "ane_state_read": (c_void_p, [c_void_p, c_size_t, c_void_p, c_size_t]),
    "ane_state_write": (c_void_p, [c_void_p, c_size_t, c_void_p, c_size_t]),
    "ane_state_reset": (c_void_p, [c_void_p]),
    "ane_state_save": (c_void_p, [c_void_p, c_char_p]),
    "ane_state_restore": (c_void_p, [c_void_p, c_char_p]),
    "ane_state_copy": (c_void_p, [c_void_p, c_void_p, c_size_t, POINTER(c_size_t)]),
    "ane_state_fork": (c_void_p, [c_void_p, POINTER(c_void_p)]),
    "ane_session_event_count": (c_size_t, [c_void_p]),
    "ane_session_event": (c_void_p, [c_void_p, c_size_t, POINTER(_Event)]),
    "ane_session_step_count": (c_size_t, [c_void_p]),
    "ane_session_step": (c_void_p, [c_void_p, c_size_t, POINTER(_Step)]),
    "ane_session_copies": (c_void_p, [c_void_p, POINTER(_Copies)]),
    "ane_context_configure": (c_void_p, [c_void_p, POINTER(_ContextOptions)]),
    "ane_context_counters": (c_void_p, [c_void_p, POINTER(_Counters)]),
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


NO_LIMIT = 2**64 - 1


def set_budgets(*, compilations: int = 0, loaded_programs: int = 0, loaded_bytes: int = 0) -> None:
    """Budgets of the programs that all models of this process have on devices. 0: what is known of each device, which is the
    numbers of the engine's records for an engine and an emulator in faithful mode (C05, C139, C140); NO_LIMIT: none.

    Beyond ``loaded_programs`` or ``loaded_bytes`` (of their files), the program that was used least recently is unloaded, and
    loaded again, without a compilation, when it is needed. After as many ``compilations``, programs that would need another
    one run on the CPU.
    """
    for name, value in (("compilations", compilations), ("loaded_programs", loaded_programs), ("loaded_bytes", loaded_bytes)):
        if not 0 <= value <= NO_LIMIT:
            raise RunError(f"set_budgets: {name} is {value}, expected 0 to {NO_LIMIT}; remedy: 0 for what is known of each device, "
                           "NO_LIMIT for none")
    check(library().ane_context_configure(None, ctypes.byref(_ContextOptions(compilations, loaded_programs, loaded_bytes))))


def _known(value: int) -> Optional[int]:
    """None for what a device does not tell."""
    return None if value == 2**64 - 1 else value


def counters() -> Dict[str, Optional[int]]:
    """What the programs of all models in this process have done: ``compilations``, ``loaded_programs``, ``loaded_bytes``,
    ``running``, ``hits``, ``evictions``, ``retries``, ``refusals``, ``evaluations``, ``evaluation_ns``; and of the surfaces
    that sessions take and leave, ``surfaces``, ``surface_bytes``, ``idle_surface_bytes``, ``surface_allocations``,
    ``surfaces_given``; of loads and evaluations, ``load_ns``, ``weight_bytes``, ``weight_updates`` (programs that got other weights
    without a load), ``input_bytes``, ``output_bytes`` and ``energy_nj``, which is None where a device does not tell."""
    values = _Counters()
    check(library().ane_context_counters(None, ctypes.byref(values)))
    return {name: _known(getattr(values, name)) for name, _ in _Counters._fields_[1:]}


class NativeBundle:
    """An ane_bundle, closed when its last user releases it."""

    def __init__(self, path: str, device: str, threads: int, verify: bool, emulator_mode: Optional[str],
                 native_code: bool, numeric: str, memory_limit: int, weights_by: str, trust: str):
        lib = library()
        if numeric not in NUMERIC:
            raise RunError(f"numeric: is {numeric!r}, expected one of {', '.join(NUMERIC)}")
        if trust not in TRUST:
            raise RunError(f"trust: is {trust!r}, expected one of {', '.join(TRUST)}")
        options = _Options(device.encode(), threads, verify, emulator_mode.encode() if emulator_mode else None, not native_code,
                           NUMERIC.index(numeric), None, memory_limit, weights_by.encode(), TRUST.index(trust), 0)
        handle = c_void_p()
        check(lib.ane_bundle_open(path_bytes(path), ctypes.byref(options), ctypes.byref(handle)))
        self.handle = handle
        self._close = finalizer(self, lib.ane_bundle_close, handle)
        self._users, self._lock = 1, threading.Lock()
        self.device: str = lib.ane_bundle_device(handle).decode()
        self.info: Any = json.loads(lib.ane_bundle_info(handle))

    def share(self) -> "NativeBundle":
        """This bundle, for one user more."""
        with self._lock:
            self._users += 1
        return self

    def release(self) -> None:
        """Says that a user has done."""
        with self._lock:
            self._users -= 1
            if self._users > 0:
                return
        self._close()

    def host(self) -> str:
        """The library of CPU code in use; "" while there is none."""
        return library().ane_bundle_host(self.handle).decode()

    def weights_by(self) -> str:
        """How weights that are set get into programs."""
        way = c_char_p()
        check(library().ane_bundle_weights_by(self.handle, ctypes.byref(way)))
        return _text(way.value or b"")

    def session(self, function: str) -> "NativeSession":
        """Makes a session of a function."""
        handle = c_void_p()
        check(library().ane_session_create(self.handle, function.encode(), ctypes.byref(handle)))
        return NativeSession(handle)


_numbers = itertools.count()
_open: "Dict[int, Tuple[Any, c_void_p]]" = {}  # how each handle is freed, in the order in which they were made


def _free(number: int) -> None:
    entry = _open.pop(number, None)
    if entry is not None:
        free, handle = entry
        free(handle)
        handle.value = None  # the C API refuses it from now on


def finalizer(owner: object, free: Any, handle: c_void_p) -> weakref.finalize:
    """Frees the handle when it is called, with its owner, or at exit."""
    number = next(_numbers)
    _open[number] = free, handle
    finalizer = weakref.finalize(owner, _free, number)
    finalizer.atexit = False  # that may end before what else ends then
    return finalizer


@atexit.register
def _free_all() -> None:
    """Sessions before their bundles. Not while daemon threads, or threads of others, may still be running."""
    if len(sys._current_frames()) == 1:
        for number in sorted(_open, reverse=True):
            _free(number)


os.register_at_fork(after_in_child=_open.clear)  # they are the parent's


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def path_bytes(path: str) -> bytes:
    """As the C API takes it."""
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise RunError(f"the path {path!r} holds a NUL character")
    return encoded


class NativeSession:
    """An ane_session: for one thread at a time."""

    def __init__(self, handle: c_void_p):
        self.handle = handle
        self.destroy = finalizer(self, library().ane_session_destroy, handle)

    def set_input(self, index: int, address: int, size: int) -> None:
        """Copies a value in."""
        check(library().ane_session_set_input(self.handle, index, address, size))

    def bind_input(self, index: int, address: Address, size: int) -> None:
        """Reads an input where it is."""
        check(library().ane_session_bind_input(self.handle, index, address, size))

    def bind_output(self, index: int, address: Address, size: int) -> None:
        """Writes an output where it is wanted."""
        check(library().ane_session_bind_output(self.handle, index, address, size))

    def set_weight(self, name: str, address: Address, size: int) -> None:
        """Gives a weight another value."""
        check(library().ane_session_set_weight(self.handle, name.encode(), address, size))

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
        made = []
        for index in range(library().ane_session_event_count(self.handle)):
            event = _Event()
            check(library().ane_session_event(self.handle, index, ctypes.byref(event)))
            made.append({"program": _text(event.program), "device": _text(event.device), "phase": PHASES[event.phase],
                         "reason": _text(event.reason), "runs": event.runs})
        return made

    def profile(self) -> List[Any]:
        """Cost of each step."""
        made = []
        for index in range(library().ane_session_step_count(self.handle)):
            step = _Step()
            check(library().ane_session_step(self.handle, index, ctypes.byref(step)))
            made.append({"name": _text(step.name), "kind": KINDS[step.kind], "device": _text(step.device), "runs": step.runs,
                         **{f"{key}_us": getattr(step, f"{key}_ns") / 1000
                            for key in ("last", "total", "last_layout", "total_layout", "evaluation")},
                         **{key: getattr(step, key) for key in ("evaluations", "input_bytes", "output_bytes", "weight_bytes", "rescued_runs")},
                         "energy_nj": _known(step.energy_nj)})
        return made

    def copies(self) -> Dict[str, int]:
        """Bytes that runs have copied."""
        values = _Copies()
        check(library().ane_session_copies(self.handle, ctypes.byref(values)))
        return {name: getattr(values, name) for name, _ in _Copies._fields_[1:]}

    def read_state(self, index: int, address: int, size: int) -> None:
        """Copies a state's value out."""
        check(library().ane_state_read(self.handle, index, address, size))

    def write_state(self, index: int, address: int, size: int) -> None:
        """Copies a state's value in."""
        check(library().ane_state_write(self.handle, index, address, size))

    def set_adapter(self, path: Optional[str]) -> int:
        written = c_size_t()
        check(library().ane_session_set_adapter(self.handle, None if path is None else os.fsencode(path), ctypes.byref(written)))
        return written.value

    def reset_states(self) -> None:
        """Gives all states their initial values."""
        check(library().ane_state_reset(self.handle))

    def save_states(self, path: str) -> None:
        """Writes all states to a file."""
        check(library().ane_state_save(self.handle, path_bytes(path)))

    def restore_states(self, path: str) -> None:
        """Reads all states from a file."""
        check(library().ane_state_restore(self.handle, path_bytes(path)))

    def copy_states(self, other: "NativeSession", entries: Optional[int]) -> int:
        """Gives states the values of those of another session; returns the bytes."""
        copied = c_size_t()
        most = c_size_t(-1).value if entries is None else entries
        check(library().ane_state_copy(self.handle, other.handle, most, ctypes.byref(copied)))
        return copied.value

    def share(self, function: str) -> "NativeSession":
        """A session of another function, with the same states."""
        handle = c_void_p()
        check(library().ane_session_share(self.handle, function.encode(), ctypes.byref(handle)))
        return NativeSession(handle)

    def fork(self) -> "NativeSession":
        """A new session with these states."""
        handle = c_void_p()
        check(library().ane_state_fork(self.handle, ctypes.byref(handle)))
        return NativeSession(handle)
