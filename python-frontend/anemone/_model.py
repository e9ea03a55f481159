"""A bundle that is loaded and runs."""
from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._arrays import TensorInfo, bucket_size, convert, dtype_of
from ._native import NativeBundle
from ._report import Report
from ._session import Buffers, Session
from .errors import RunError

StrPath = Union[str, "os.PathLike[str]"]


class Model:
    """A function of a bundle, ready to run; made by :func:`anemone.load`.

    ``model(a, b)`` and ``model(name=a, other=b)`` run it once and return a dict of the outputs, from name to array, in
    the model's order, however many there are. The arrays are new: nothing overwrites them later.

    Inputs are arrays of exactly the dtype and shape in ``model.inputs``; lists and Python numbers are converted. An
    array made by :func:`anemone.empty` is read in place, others are copied once; outputs are written in place.

    ``model(a, b, out={"y": array})`` writes outputs into arrays that exist, and returns those; without a copy if they are
    aligned as those of :func:`anemone.empty` are. Inputs and outputs may be objects of other libraries, which are used
    where they are through DLPack. An input that is called ``out`` can only be passed by position.

    Threads: a model may be called from any number of threads at the same time, and computes outside of the GIL. Each
    call that overlaps with others has buffers of its own, which stay for later calls. A model does not survive
    ``os.fork``: load it in the child.
    """

    def __init__(self, bundle: StrPath, *, device: str = "auto", threads: int = 0, verify: bool = False, function: str = "",
                 emulator_mode: Optional[str] = None, native_code: bool = True, numeric: str = "rescue",
                 memory_limit: int = 0, weights_by: str = "auto", trust: str = "owner"):
        if not isinstance(threads, int) or not 0 <= threads <= 256:
            raise RunError(f"threads: is {threads!r}, expected 0 (all processors) to 256")
        if not isinstance(memory_limit, int) or not 0 <= memory_limit < 1 << 63:
            raise RunError(f"memory_limit: is {memory_limit!r}, expected bytes, or 0 (what the machine has left)")
        for option, value in (("device", device), ("function", function), ("weights_by", weights_by)):
            if not isinstance(value, str):
                raise RunError(f"{option}: is {value!r}, expected a string")
        # A folder: the report is read later, whatever the current directory is then.
        path = Path(os.path.abspath(os.fspath(bundle)))
        self._prepare(bundle, path, NativeBundle(str(path), device, threads, verify, emulator_mode, native_code, numeric,
                                                 memory_limit, weights_by, trust), function)

    def _prepare(self, owner: Any, path: Path, native: NativeBundle, function: str,
                 origin: Optional[Buffers] = None) -> None:
        self.path = path
        self._owner = owner  # keeps a temporary bundle
        self._native: Optional[NativeBundle] = native
        info = self._native.info
        self.device: str = self._native.device
        """``"cpu"``, ``"emulator"``, ...: what runs the engine's programs."""
        self.target: Dict[str, str] = info["target"]
        """What it was compiled for: ``chip``, ``route``, ``os``, ``opset``, ``strictness``."""
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._function = function
        first = origin.share(function) if origin else Buffers(self._native.session(function))
        described = _find(info, function)
        self.inputs: Tuple[TensorInfo, ...] = _describe(described["inputs"])
        """Name, dtype and shape of each input."""
        self.outputs: Tuple[TensorInfo, ...] = _describe(described["outputs"])
        """Name, dtype and shape of each output."""
        self.buckets: Tuple[int, ...] = tuple(described.get("sizes", ()))
        """The sizes of a dimension that the function was compiled for (``buckets=``); infos have -1 for it."""
        self.states: Tuple[TensorInfo, ...] = _describe(described.get("states", ()))
        """Name, dtype and shape of each state; a model with states runs through :meth:`session`."""
        self._all_states = _describe(info["states"])
        self.functions: Tuple[str, ...] = tuple(f["name"] for f in info["functions"])
        """The functions of the bundle; of one with buckets, each bucket's."""
        self.weights: Tuple[TensorInfo, ...] = _describe(info["weights"])
        """Name, dtype and shape of the weights that :meth:`set_weight` knows."""
        self._values: Dict[str, np.ndarray] = {}
        self._sessions: List[Buffers] = [first]
        self._idle: List[Buffers] = [first]

    def __call__(self, /, *args: Any, out: Optional[Mapping[str, Any]] = None, **named: Any) -> Dict[str, Any]:
        if self.states:
            raise RunError(f"the model has states ({', '.join(map(str, self.states))}), which belong to a session; remedy: "
                           "session = model.session(), then call session(...)", "FAILED_PRECONDITION")
        arrays = self.arrange(args, named)
        session = self._take()
        try:
            return session.run(self.inputs, arrays, self.outputs_for(arrays), out)
        finally:
            self._give(session)

    def function(self, name: str) -> "Model":
        """Another function of the same bundle, with the same options; they share what is loaded."""
        return self._other(name, None)

    def _other(self, name: str, origin: Optional[Buffers]) -> "Model":
        """Another function, whose first session shares the states of `origin`."""
        with self._lock:
            if self._native is None:
                raise RunError("the model is closed", "FAILED_PRECONDITION")
            native = self._native.share()
        made = Model.__new__(Model)
        try:
            made._prepare(self._owner, self.path, native, name, origin)
        except BaseException:
            native.release()
            raise
        return made

    def session(self) -> Session:
        """Runs with states of their own, and with buffers of their own where there are none."""
        self._check_process()
        with self._lock:
            if self._native is None:
                raise RunError("the model is closed", "FAILED_PRECONDITION")
            # No call takes the first buffers of a model with states.
            return Session(self, self._idle.pop() if self.states and self._idle else self._buffers())

    def arrange(self, args: Sequence[Any], named: Dict[str, Any]) -> List[np.ndarray]:
        """The inputs of a call as arrays, in their order."""
        return [convert(info, value) for info, value in zip(self.inputs, self._arrange(args, named))]

    def outputs_for(self, arrays: Sequence[np.ndarray]) -> Tuple[TensorInfo, ...]:
        """The outputs that a call with these inputs has."""
        if not self.buckets:
            return self.outputs
        size = bucket_size(self.inputs, arrays, self.buckets[-1])
        return tuple(info.of_size(size) for info in self.outputs)

    def _arrange(self, args: Sequence[Any], named: Dict[str, Any]) -> List[Any]:
        """Arguments in the order of the inputs."""
        names = [info.name for info in self.inputs]
        if len(args) > len(names):
            raise RunError(f"{len(args)} inputs given; {self._signature()}")
        values = dict(zip(names, args))
        for name, value in named.items():
            if name not in names:
                raise RunError(f"there is no input {name!r}; {self._signature()}", "NOT_FOUND")
            if name in values:
                raise RunError(f"input {name!r} is given twice, by position and by name")
            values[name] = value
        missing = [name for name in names if name not in values]
        if missing:
            raise RunError(f"no value for {', '.join(map(repr, missing))}; {self._signature()}", "FAILED_PRECONDITION")
        return [values[name] for name in names]

    def _signature(self) -> str:
        return f"the model has {', '.join(map(str, self.inputs)) or 'no inputs'}"

    def _check_process(self) -> None:
        if self._pid != os.getpid():
            raise RunError("the model was loaded before os.fork(), which does not copy its threads; remedy: call "
                           "anemone.load() in the child, or start processes with 'spawn'", "FAILED_PRECONDITION")

    def _take(self) -> Buffers:
        self._check_process()
        with self._lock:
            if self._native is None:
                raise RunError("the model is closed", "FAILED_PRECONDITION")
            if not self._idle:
                session = self._buffers()
                self._sessions.append(session)
                return session
            return self._idle.pop()

    def _buffers(self) -> Buffers:
        """A new session with the weights that were set."""
        buffers = Buffers(self._native.session(self._function))
        try:
            for name, array in self._values.items():
                buffers.set_weight(name, array)
        except BaseException:
            buffers.close()
            raise
        return buffers

    def _give(self, session: Buffers) -> None:
        with self._lock:
            if self._native is not None:
                self._idle.append(session)
                return
        session.close()

    def set_weight(self, name: str, value: Any) -> None:
        """Gives a weight, by its name in the ONNX file, another value. Later calls of the model, and sessions made later,
        compute, bit for bit, what a bundle compiled from the model with that value would; sessions that exist keep theirs, and
        so does another :meth:`function`. Waits for calls that are running.

        RunError, and nothing has changed: ``NOT_FOUND`` where the bundle has no such weight (initializers of less than 1 KiB
        are constants of the code, unless the option ``--trainable=NAME`` of the compiler names them), ``UNIMPLEMENTED`` where it has it in a form that can't show the value, as where the compiler
        has computed with it."""
        array = np.array(self.weight(name, value))
        with self._lock:
            if self._native is None:
                raise RunError("the model is closed", "FAILED_PRECONDITION")
            # Of a model with states, the first session of all that are made later.
            if self.states and not self._idle:
                self._idle.append(self._buffers())
            for session in self._idle if self.states else self._sessions:
                session.set_weight(name, array)
            self._values[name] = array

    def weight(self, name: str, value: Any) -> np.ndarray:
        """A value for weight `name` as an array of its dtype and shape."""
        for info in self.weights:
            if info.name == name:
                return convert(info, value, "weight")
        raise RunError(f"there is no weight {name!r}; the bundle has {len(self.weights)}, see Model.weights; remedy: if it is an "
                       f"initializer of less than 1 KiB, which is a constant of the code, compile with options=['--trainable={name}']",
                       "NOT_FOUND")

    @property
    def host(self) -> str:
        """Which of the bundle's CPU libraries is in use, such as ``"x86_64-unknown-linux-gnu:x86-64-v4"``; ``""`` while no code
        of the CPU was needed."""
        with self._lock:
            if self._native is None:
                raise RunError("the model is closed", "FAILED_PRECONDITION")
            return self._native.host()

    @property
    def weights_by(self) -> str:
        """How weights that are set get into programs: "patch", "donor", "recompile", or "memory" where nothing but CPU code runs.
        Of a device that is found by a program of the runtime's own, and behind the word stands why those before it are not taken."""
        with self._lock:
            if self._native is None:
                raise RunError("the model is closed", "FAILED_PRECONDITION")
            return self._native.weights_by()

    def report(self) -> Report:
        """Where each op runs and why, as the compiler decided, and which programs ran elsewhere."""
        return Report.read(self.path, self.events())

    def events(self) -> List[Dict[str, Any]]:
        """Programs that ran on the CPU: ``program``, ``device``, ``phase``, ``reason``, ``runs``. The phase is "load" or "run"
        where the device refused the program, "numeric" where fp16 did not hold the values of so many runs. Also those that ran on the
        device by another way than asked: "weights", "evaluation"."""
        unique: Dict[Tuple[Any, ...], Dict[str, Any]] = {}
        for session in list(self._sessions):
            for event in session.events():
                key = tuple(event[name] for name in ("program", "device", "phase", "reason"))
                event["runs"] += unique[key]["runs"] if key in unique and event["phase"] == "numeric" else 0
                unique[key] = event
        return list(unique.values())

    def profile(self) -> List[Dict[str, Any]]:
        """What each step has cost so far, over all threads: ``name``, ``kind`` ("host", "program", or "twin" for the CPU
        code of a program), ``device``, ``runs``, ``rescued_runs`` (of them, those that the CPU computed because fp16 did not
        hold their values), ``total_us``, ``total_layout_us`` (of that, moving values in and out of
        surfaces). Waits for calls that are running."""
        total: List[Dict[str, Any]] = []
        for session in list(self._sessions):
            for index, step in enumerate(session.profile()):
                if index == len(total):
                    total.append({key: value for key, value in step.items() if not key.startswith("last_")})
                else:
                    for key in ("runs", "rescued_runs", "total_us", "total_layout_us"):
                        total[index][key] += step[key]
        return total

    def close(self) -> None:
        """Frees the memory now instead of with the last reference; calls that are running finish."""
        with self._lock:
            native, self._native = self._native, None
            idle, self._idle, self._sessions = self._idle, [], []
        for session in idle:
            session.close()
        if native is not None:
            native.release()

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return (f"<anemone.Model {self.path.name!r} on {self.device}: ({', '.join(map(str, self.inputs))}) -> "
                f"({', '.join(map(str, self.outputs))})>")


def _find(info: Dict[str, Any], function: str) -> Dict[str, Any]:
    """The function or the buckets that a session was made of."""
    all_of_them = [*info["buckets"], *info["functions"]]
    named = [f for f in all_of_them if f["name"] == (function or "main")]
    return named[0] if named else all_of_them[0]


def _describe(ports: Sequence[Dict[str, Any]]) -> Tuple[TensorInfo, ...]:
    return tuple(TensorInfo(port["name"], dtype_of(port["dtype"]), tuple(port["shape"])) for port in ports)
