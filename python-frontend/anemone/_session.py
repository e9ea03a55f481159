"""Runs one after another, with states that go from each to the next."""
from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Dict, Iterator, Mapping, MutableMapping, Optional, Sequence, Tuple

import ctypes
import numpy as np

from ._arrays import TensorInfo, address, convert, destination, empty, is_aligned
from ._native import NativeSession
from .errors import RunError

if TYPE_CHECKING:
    from ._model import Model, StrPath


class Buffers:
    """Buffers of one call. Each method holds the lock: a session is for one thread at a time, and so are all that share states."""

    def __init__(self, native: NativeSession, lock: Optional[threading.Lock] = None):
        self._native: Optional[NativeSession] = native
        self._lock = lock or threading.Lock()

    def share(self, function: str) -> "Buffers":
        """Those of another function, with the same states."""
        with self.native() as native:
            return Buffers(native.share(function), self._lock)

    @contextmanager
    def native(self) -> Iterator[NativeSession]:
        """The session of the C API, for this thread alone."""
        with self._lock:
            if self._native is None:
                raise RunError("the session is closed", "FAILED_PRECONDITION")
            yield self._native

    def run(self, inputs: Sequence[TensorInfo], arrays: Sequence[np.ndarray], infos: Sequence[TensorInfo],
            out: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
        """Outputs, described by `infos`, of a run on `arrays`, which `inputs` describe; those of `out` are written there."""
        given = dict(out or {})
        names = [info.name for info in infos]
        for name in given:
            if name not in names:
                raise RunError(f"there is no output {name!r}; the model has {', '.join(map(str, infos))}", "NOT_FOUND")
        places = [destination(info, given[info.name]) if info.name in given else empty(info.shape, info.dtype) for info in infos]
        if given:
            _check_apart(inputs, arrays, infos, places)
        with self.native() as native:
            for index, array in enumerate(arrays):
                if not _bound(native.bind_input, index, array):
                    native.set_input(index, address(array), array.nbytes)
            bound = [_bound(native.bind_output, index, array) for index, array in enumerate(places)]
            native.run()
            for index, array in enumerate(places):
                if not bound[index]:
                    value, size = native.output(index)
                    ctypes.memmove(address(array), value, size)
        return {name: given.get(name, place) for name, place in zip(names, places)}

    def set_weight(self, name: str, array: np.ndarray) -> None:
        with self.native() as native:
            native.set_weight(name, address(array), array.nbytes)

    def events(self) -> Sequence[Any]:
        with self._lock:
            return self._native.events() if self._native else []

    def profile(self) -> Sequence[Any]:
        with self._lock:
            return self._native.profile() if self._native else []

    def copies(self) -> Dict[str, int]:
        with self.native() as native:
            return native.copies()

    def close(self) -> None:
        with self._lock:
            native, self._native = self._native, None
        if native is not None:
            native.destroy()


def _bound(bind: Any, index: int, array: np.ndarray) -> bool:
    """Binds a port to an array's memory. False, with no binding, where that is not aligned, or two ports of the function show one
    value: it is copied then."""
    aligned = is_aligned(array)
    try:
        bind(index, address(array) if aligned else None, array.nbytes if aligned else 0)
    except RunError as error:
        if error.code != "FAILED_PRECONDITION":
            raise
        return False
    return aligned


def _check_apart(inputs: Sequence[TensorInfo], arrays: Sequence[np.ndarray], infos: Sequence[TensorInfo],
                 places: Sequence[np.ndarray]) -> None:
    """RunError if a place of an output overlaps an input or another output's."""
    others = [(f"input {info.name!r}", array) for info, array in zip(inputs, arrays)]
    for info, place in zip(infos, places):
        for what, other in others:
            if np.may_share_memory(place, other):
                raise RunError(f"out {info.name!r}: shares memory with {what}; remedy: anemone.empty({list(info.shape)}, "
                               f"{str(info.dtype)!r})")
        others.append((f"output {info.name!r}", place))


class States(MutableMapping[str, np.ndarray]):
    """The states of a session, from name to array: reading copies a value out, assigning copies one in."""

    def __init__(self, buffers: Buffers, infos: Tuple[TensorInfo, ...]):
        self._buffers = buffers
        self._infos = infos

    def _index(self, name: str) -> int:
        for index, info in enumerate(self._infos):
            if info.name == name:
                return index
        raise KeyError(f"there is no state {name!r}; the model has {', '.join(map(str, self._infos)) or 'no states'}")

    def __getitem__(self, name: str) -> np.ndarray:
        index = self._index(name)
        array = empty(self._infos[index].shape, self._infos[index].dtype)
        with self._buffers.native() as native:
            native.read_state(index, address(array), array.nbytes)
        return array

    def __setitem__(self, name: str, value: Any) -> None:
        index = self._index(name)
        array = convert(self._infos[index], value, "state")
        with self._buffers.native() as native:
            native.write_state(index, address(array), array.nbytes)

    def __delitem__(self, name: str) -> None:
        raise RunError(f"state {name!r} can't be deleted; remedy: session.reset() gives it its initial value")

    def __iter__(self) -> Iterator[str]:
        return (info.name for info in self._infos)

    def __len__(self) -> int:
        return len(self._infos)


_COPIES = threading.Lock()


class Session:
    """Runs of a model one after another; made by :meth:`anemone.Model.session`. It is called as the model is.

    A state is a tensor that was an input and an output of the model and goes from each run to the next: a cache of keys, the
    memory of a recurrent network. Each session has its own, all of its bundle's. A run that fails leaves them as they were.
    """

    def __init__(self, model: "Model", buffers: Buffers):
        self._model = model
        self._buffers = buffers
        self.states: States = States(self._buffers, model._all_states)
        """``session.states["state"]`` copies a value out, ``session.states["state"] = array`` one in."""

    def function(self, name: str) -> "Session":
        """Runs of another function of the bundle on the states of this session, as a prompt and the tokens that follow:
        ``session.function("decode")(input_ids=token)``. Make it once; it is a session of its own in all else, and begins with the
        weights of this one."""
        model = self._model._other(name, self._buffers)
        return Session(model, model._idle.pop())

    def __call__(self, /, *args: Any, out: Optional[Mapping[str, Any]] = None, **named: Any) -> Dict[str, Any]:
        arrays = self._model.arrange(args, named)
        return self._buffers.run(self._model.inputs, arrays, self._model.outputs_for(arrays), out)

    def set_weight(self, name: str, value: Any) -> None:
        """As :meth:`anemone.Model.set_weight`, for this session alone."""
        self._buffers.set_weight(name, self._model.weight(name, value))

    def set_adapter(self, folder: Optional["StrPath"]) -> int:
        """Computes with the adapter in a folder from now on, in PEFT's format, or with none (None); returns the bytes that were
        written. The bundle was compiled with ``options=["--lora=rank=8,alpha=16,targets=q_proj,v_proj"]``. The adapter stays when states are reset, restored or copied; what caches
        hold by then was computed without it. RunError, and nothing is changed, if it does not fit."""
        with self._buffers.native() as native:
            return native.set_adapter(None if folder is None else os.fspath(folder))

    def reset(self) -> None:
        """Gives all states their initial values; weights and adapter stay as they were set."""
        with self._buffers.native() as native:
            native.reset_states()

    def save(self, path: "StrPath") -> None:
        """Writes all states to a file, which appears when it is complete."""
        with self._buffers.native() as native:
            native.save_states(os.fspath(path))

    def restore(self, path: "StrPath") -> None:
        """Reads all states from a file that :meth:`save` wrote, in any process and on any device. RunError, and no state is
        changed, if it is damaged or has states of other names, types or shapes."""
        with self._buffers.native() as native:
            native.restore_states(os.fspath(path))

    def copy_states(self, other: "Session", entries: Optional[int] = None) -> int:
        """Gives the states the values that those of the same names have in ``other``, a session on whatever device; returns the
        bytes that were copied. Of states that are written at positions, as caches are, the first ``entries``, or all. A prompt runs
        on one device so, and the tokens that follow on another."""
        if entries is not None and entries < 0:
            raise RunError(f"copy_states: {entries} entries; remedy: 0 or more, or None for all", "INVALID_ARGUMENT")
        if other._buffers._lock is self._buffers._lock:
            return 0  # the same states
        # One copy at a time, whatever locks it needs: two that go both ways would wait for each other.
        with _COPIES, self._buffers.native() as native, other._buffers.native() as source:
            return native.copy_states(source, entries)

    def fork(self) -> "Session":
        """A new session whose states begin with the values of this one's, and whose weights are this one's."""
        with self._buffers.native() as native:
            return Session(self._model, Buffers(native.fork()))

    def events(self) -> Sequence[Any]:
        """As :meth:`anemone.Model.events`, of this session."""
        return self._buffers.events()

    def profile(self) -> Sequence[Any]:
        """As :meth:`anemone.Model.profile`, of this session."""
        return self._buffers.profile()

    def copies(self) -> Dict[str, int]:
        """Bytes that were copied beside what steps compute: ``last_surface_bytes`` and ``total_surface_bytes`` of values into and
        out of surfaces, ``last_state_bytes`` and ``total_state_bytes`` into states, where a part of one changes its new entries;
        of the last run, and of all ``runs`` that succeeded. ``last_scanned_bytes`` and ``total_scanned_bytes`` were only looked
        at, for numbers that fp16 does not hold. ``total_weight_bytes`` of weight files of programs were changed by weights that
        were set; ``total_clamped`` elements became finite (``numeric="clamp"``)."""
        return self._buffers.copies()

    def close(self) -> None:
        """Frees the memory now instead of with the last reference."""
        self._buffers.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<anemone.Session of {self._model!r}, states ({', '.join(map(str, self._model._all_states))})>"
