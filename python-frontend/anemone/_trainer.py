"""Trains what compile(..., training=...) has made: ane/runtime/train.h."""
from __future__ import annotations

import ctypes
import os
import threading
from ctypes import POINTER, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ._arrays import TensorInfo, address, convert
from ._model import StrPath
from ._native import TRUST, Struct, check, finalizer, library, path_bytes
from .errors import RunError


class _Options(Struct):
    _fields_ = [("size", c_size_t), ("device", c_char_p), ("emulator_mode", c_char_p), ("context", c_void_p), ("threads", c_int32),
                ("verify", c_int32), ("optimizer", c_char_p), ("learning_rate", c_double), ("beta1", c_double), ("beta2", c_double),
                ("epsilon", c_double), ("momentum", c_double), ("weight_decay", c_double), ("schedule", c_char_p),
                ("end_share", c_double), ("warmup", c_int64), ("steps", c_int64), ("clip", c_double), ("accumulate", c_int64),
                ("loss_scale", c_double), ("dynamic_loss_scale", c_int32), ("deterministic", c_int32),
                ("frozen", POINTER(c_char_p)), ("frozen_count", c_size_t), ("weights_by", c_char_p),
                ("clamp_fp16", c_int32), ("trust", c_int32)]


class _Info(Struct):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("dtype", c_int32), ("reserved", c_int32), ("rank", c_size_t),
                ("shape", POINTER(c_int64)), ("bytes", c_size_t)]


class _Step(Struct):
    _fields_ = [("size", c_size_t), ("step", c_int64), ("loss", c_double), ("rate", c_double), ("norm", c_double),
                ("loss_scale", c_double), ("skipped", c_char_p), ("evaluations", c_uint64), ("staged_bytes", c_uint64),
                ("ended", c_int32), ("reserved", c_int32), ("clamped", c_uint64)]


class _Counters(Struct):
    _fields_ = [("size", c_size_t), ("steps", c_int64), ("updates", c_int64), ("skipped", c_int64), ("micro_batches", c_int64),
                ("loss_scale", c_double), ("arena_bytes", c_uint64)]


_PROTOTYPES = {
    "ane_dtype_name": (c_char_p, [c_int32]),
    "ane_trainer_create": (c_void_p, [c_char_p, POINTER(_Options), POINTER(c_void_p)]),
    "ane_trainer_destroy": (None, [c_void_p]),
    "ane_trainer_device": (c_char_p, [c_void_p]),
    "ane_trainer_weights_by": (c_char_p, [c_void_p]),
    "ane_trainer_event_count": (c_size_t, [c_void_p]),
    "ane_trainer_event": (c_char_p, [c_void_p, c_size_t]),
    "ane_trainer_input_count": (c_size_t, [c_void_p]),
    "ane_trainer_input_info": (c_void_p, [c_void_p, c_size_t, POINTER(_Info)]),
    "ane_trainer_set_input": (c_void_p, [c_void_p, c_size_t, c_void_p, c_size_t]),
    "ane_trainer_step": (c_void_p, [c_void_p, POINTER(_Step)]),
    "ane_trainer_backward": (c_void_p, [c_void_p, POINTER(c_float)]),
    "ane_trainer_update": (c_void_p, [c_void_p, POINTER(_Step)]),
    "ane_trainer_evaluate": (c_void_p, [c_void_p, POINTER(c_float)]),
    "ane_trainer_parameter_count": (c_size_t, [c_void_p]),
    "ane_trainer_parameter_info": (c_void_p, [c_void_p, c_size_t, POINTER(_Info)]),
    "ane_trainer_parameter_frozen": (c_int32, [c_void_p, c_size_t]),
    "ane_trainer_read_parameter": (c_void_p, [c_void_p, c_char_p, c_void_p, c_size_t]),
    "ane_trainer_write_parameter": (c_void_p, [c_void_p, c_char_p, c_void_p, c_size_t]),
    "ane_trainer_read_gradient": (c_void_p, [c_void_p, c_char_p, c_void_p, c_size_t]),
    "ane_trainer_counters": (c_void_p, [c_void_p, POINTER(_Counters)]),
    "ane_trainer_save": (c_void_p, [c_void_p, c_char_p, c_uint32]),
    "ane_trainer_load": (c_void_p, [c_void_p, c_char_p]),
}


@dataclass(frozen=True)
class TrainStep:
    """What a step has done."""

    step: int
    """Its number, counted from 1, with those that were skipped."""
    loss: float
    """The mean over all its targets that count; of other losses over its micro-batches."""
    rate: float
    """The learning rate."""
    norm: float
    """Of all gradients together, before they are clipped."""
    loss_scale: float
    skipped: Optional[str]
    """None; of a step that has changed nothing, what was not finite."""
    clamped: int
    """Infinite elements of fp16 that became 65504 (``clamp_fp16``)."""
    ended: bool
    """False: the step goes on with the next micro-batch (``accumulate``), and all but ``loss`` is 0."""


class Trainer:
    """Trains a bundle that :func:`anemone.compile` made with ``training``. Weights, gradients and moments are float32.

        with anemone.Trainer(bundle, learning_rate=1e-3) as trainer:
            for x, y in batches:
                print(trainer.step(x=x, target=y).loss)
            weights = trainer.state_dict()

    device, threads, verify, emulator_mode, trust: as of :func:`anemone.load`.
    optimizer: "adamw", "sgd" or "lion", with ``betas``, ``epsilon``, ``momentum`` and ``weight_decay`` (of parameters with two dimensions and
        more).
    schedule: "constant", "linear" or "cosine": how the learning rate falls, behind ``warmup`` steps in which it rises, to ``end_share`` of
        it at step ``steps``.
    clip: largest norm of all gradients together; 0: any.
    accumulate: micro-batches of a step, which is the mean over all their targets that count.
    loss_scale: a number; default: 1 on the CPU, and a dynamic one elsewhere.
    frozen: patterns, with * and ?, of names of parameters that keep their values.
    weights_by: how updated weights get into programs: "inputs", or of a bundle whose programs have them (``--parameters=baked``) "patch",
        "donor" or "recompile", of which only those are taken that a probe has found to work; default: the cheapest.
    deterministic: refuse what may give other bits: checkpoints of another device or processor, and programs of the device that go to
        the CPU.
    clamp_fp16: what fp16 makes infinite, going into programs or coming out of them, becomes 65504, with its sign, and is counted. The step
        is not skipped; a dynamic loss scale is halved behind it.

    Calls from several threads wait for each other. Raises RunError.
    """

    def __init__(self, bundle: StrPath, *, device: str = "auto", threads: int = 0, verify: bool = False, emulator_mode: Optional[str] = None,
                 optimizer: str = "adamw", learning_rate: float = 3e-4, betas: Sequence[float] = (), epsilon: float = 0.0,
                 momentum: float = 0.0, weight_decay: float = 0.0, schedule: str = "constant", warmup: int = 0, steps: int = 0,
                 end_share: float = 0.0, clip: float = 0.0, accumulate: int = 1, loss_scale: Optional[float] = None,
                 frozen: Sequence[str] = (), deterministic: bool = False, weights_by: str = "auto",
                 clamp_fp16: bool = False, trust: str = "owner"):
        lib = library()
        for name, (result, arguments) in _PROTOTYPES.items():
            function = getattr(lib, name)
            function.restype, function.argtypes = result, arguments
        if betas and len(betas) != 2:
            raise RunError(f"betas: are {betas!r}, expected two numbers")
        if trust not in TRUST:
            raise RunError(f"trust: is {trust!r}, expected one of {', '.join(TRUST)}")
        if isinstance(frozen, str):
            raise RunError(f"frozen: is {frozen!r}, expected a list of patterns")
        patterns = (c_char_p * len(frozen))(*(pattern.encode() for pattern in frozen))
        beta1, beta2 = betas or (0.0, 0.0)
        options = _Options(device.encode(), emulator_mode.encode() if emulator_mode else None, None, threads, verify, optimizer.encode(),
                           learning_rate, beta1, beta2, epsilon, momentum, weight_decay, schedule.encode(), end_share, warmup, steps, clip,
                           accumulate, loss_scale or 0.0, 0, deterministic, patterns, len(frozen), weights_by.encode(), clamp_fp16, TRUST.index(trust))
        handle = c_void_p()
        check(lib.ane_trainer_create(path_bytes(os.fspath(bundle)), ctypes.byref(options), ctypes.byref(handle)))
        self._bundle = bundle  # a temporary one stays
        self._handle: Optional[c_void_p] = handle
        self._destroy = finalizer(self, lib.ane_trainer_destroy, handle)
        self._lock = threading.Lock()
        self.device: str = lib.ane_trainer_device(handle).decode()
        """"cpu" or "emulator"."""
        self.weights_by: str = lib.ane_trainer_weights_by(handle).decode()
        """"inputs", or the way in which weights get into programs, and why not another; "memory" on the CPU."""
        self.inputs: Tuple[TensorInfo, ...] = self._infos("input")
        """What a micro-batch is: data, and the target behind them."""
        self.parameters: Tuple[TensorInfo, ...] = self._infos("parameter")
        """In the order of their names, which are the model's."""
        self.frozen: Tuple[str, ...] = tuple(info.name for index, info in enumerate(self.parameters)
                                             if lib.ane_trainer_parameter_frozen(handle, index))
        """Names of parameters that keep their values."""
        self.loss: Optional[float] = None
        """Of the last call of :meth:`step`, :meth:`backward` or :meth:`evaluate`."""

    # -- steps

    def step(self, inputs: Optional[Mapping[str, Any]] = None, **named: Any) -> TrainStep:
        """Trains on one micro-batch: :meth:`backward`, and with the last one of a step :meth:`update`."""
        with self._lock:
            self._set(inputs, named)
            return self._stepped(library().ane_trainer_step)

    def backward(self, inputs: Optional[Mapping[str, Any]] = None, **named: Any) -> float:
        """Computes the loss, and adds its gradients to those since the last update."""
        with self._lock:
            self._set(inputs, named)
            return self._valued(library().ane_trainer_backward)

    def update(self) -> TrainStep:
        """Changes the weights by the mean of these gradients."""
        with self._lock:
            return self._stepped(library().ane_trainer_update)

    def evaluate(self, inputs: Optional[Mapping[str, Any]] = None, **named: Any) -> float:
        """The loss with the weights as they are."""
        with self._lock:
            self._set(inputs, named)
            return self._valued(library().ane_trainer_evaluate)

    def events(self) -> List[str]:
        """What happened otherwise than asked: programs that run on the CPU, or get their weights in another way."""
        with self._lock:
            lib, handle = library(), self._open()
            return [lib.ane_trainer_event(handle, index).decode() for index in range(lib.ane_trainer_event_count(handle))]

    # -- parameters

    def state_dict(self) -> Dict[str, np.ndarray]:
        """Copies of all parameters by their names."""
        return self._read(library().ane_trainer_read_parameter, self.parameters)

    def load_state_dict(self, values: Mapping[str, Any]) -> None:
        """Gives parameters other values, by their names; all others stay."""
        known = {info.name: info for info in self.parameters}
        arrays = {name: convert(known[name], value, "parameter") for name, value in values.items() if name in known}
        unknown = sorted(set(values) - set(known))
        if unknown:
            raise RunError(f"there is no parameter {unknown[0]!r}; parameters are {', '.join(known)}", "NOT_FOUND")
        with self._lock:
            for name, array in arrays.items():
                check(library().ane_trainer_write_parameter(self._open(), name.encode(), address(array), array.nbytes))

    def gradients(self) -> Dict[str, np.ndarray]:
        """Gradients of the mean loss since the last update or, right behind one, those that it used, by the parameters' names; neither scaled
        nor clipped."""
        return self._read(library().ane_trainer_read_gradient, [info for info in self.parameters if info.name not in self.frozen])

    # -- the run

    def counters(self) -> Dict[str, Any]:
        """``steps``, ``updates``, ``skipped``, ``micro_batches`` since the last update, ``loss_scale``, and ``arena_bytes`` of weights,
        gradients and moments."""
        values = _Counters()
        with self._lock:
            check(library().ane_trainer_counters(self._open(), ctypes.byref(values)))
        return {name: getattr(values, name) for name, _ in _Counters._fields_[1:]}

    def save(self, folder: StrPath, *, keep: int = 0) -> None:
        """Writes a checkpoint, a new folder below `folder`; then all but the `keep` newest ones are removed (0: none)."""
        with self._lock:
            check(library().ane_trainer_save(self._open(), path_bytes(os.fspath(folder)), keep))

    def load(self, path: StrPath) -> None:
        """Goes on from a checkpoint, or from the newest one below a folder: later steps give the same bits as if the run had not ended."""
        with self._lock:
            check(library().ane_trainer_load(self._open(), path_bytes(os.fspath(path))))

    def close(self) -> None:
        """Frees the memory."""
        with self._lock:
            self._handle = None
            self._destroy()

    def __enter__(self) -> "Trainer":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<anemone.Trainer {os.fspath(self._bundle)!r} on {self.device}>"

    # -- inside

    def _open(self) -> c_void_p:
        if self._handle is None:
            raise RunError("the trainer is closed", "FAILED_PRECONDITION")
        return self._handle

    def _infos(self, kind: str) -> Tuple[TensorInfo, ...]:
        lib = library()
        made: List[TensorInfo] = []
        for index in range(getattr(lib, f"ane_trainer_{kind}_count")(self._handle)):
            info = _Info()
            check(getattr(lib, f"ane_trainer_{kind}_info")(self._handle, index, ctypes.byref(info)))
            made.append(TensorInfo(info.name.decode(), np.dtype(lib.ane_dtype_name(info.dtype).decode()),
                                   tuple(info.shape[axis] for axis in range(info.rank))))
        return tuple(made)

    def _set(self, inputs: Optional[Mapping[str, Any]], named: Mapping[str, Any]) -> None:
        given = {**(inputs or {}), **named}
        known = [info.name for info in self.inputs]
        for name in given:
            if name not in known:
                raise RunError(f"there is no input {name!r}; a micro-batch has {', '.join(map(str, self.inputs))}", "NOT_FOUND")
        arrays = {info.name: convert(info, given[info.name]) for info in self.inputs if info.name in given}
        missing = [name for name in known if name not in given]
        if missing:
            raise RunError(f"input {missing[0]!r} is not given; a micro-batch has {', '.join(map(str, self.inputs))}, and each call all of them")
        for index, name in enumerate(known):
            check(library().ane_trainer_set_input(self._open(), index, address(arrays[name]), arrays[name].nbytes))

    def _stepped(self, function: Callable[..., Optional[int]]) -> TrainStep:
        values = _Step()
        check(function(self._open(), ctypes.byref(values)))
        self.loss = values.loss
        skipped = values.skipped.decode("utf-8", "replace") if values.skipped else None
        return TrainStep(values.step, values.loss, values.rate, values.norm, values.loss_scale, skipped, values.clamped,
                         bool(values.ended))

    def _valued(self, function: Callable[..., Optional[int]]) -> float:
        loss = c_float()
        check(function(self._open(), ctypes.byref(loss)))
        self.loss = loss.value
        return loss.value

    def _read(self, function: Callable[..., Optional[int]], infos: Sequence[TensorInfo]) -> Dict[str, np.ndarray]:
        made = {}
        with self._lock:
            for info in infos:
                array = np.empty(info.shape, info.dtype)
                check(function(self._open(), info.name.encode(), address(array), array.nbytes))
                made[info.name] = array
        return made
