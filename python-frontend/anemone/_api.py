"""compile() and load()."""
from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence, Tuple, Union

from . import _compiler, _source
from ._model import Model, StrPath
from ._report import Report
from ._trainer import Trainer
from .errors import CompileError, Diagnostic


class Bundle:
    """A compiled model on disk; made by :func:`compile`. It is a path: ``open``, ``shutil.copytree`` and
    :func:`load` take it."""

    def __init__(self, path: StrPath, diagnostics: Sequence[Diagnostic] = ()):
        self.path = Path(path)
        """The bundle's directory."""
        self.diagnostics: Tuple[Diagnostic, ...] = tuple(diagnostics)
        """The compiler's warnings and remarks."""

    def load(self, **options: Any) -> Model:
        """:func:`load` of this bundle."""
        return load(self, **options)

    def function(self, name: str, **options: Any) -> Model:
        """:func:`load` of a function of this bundle; what several of them load they share."""
        return load(self, function=name, **options)

    def trainer(self, **options: Any) -> Trainer:
        """A :class:`Trainer` of this bundle, which was made with ``training``."""
        return Trainer(self, **options)

    def report(self) -> Report:
        """Where each op runs and why."""
        return Report.read(self.path)

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return f"<anemone.Bundle {str(self.path)!r}>"


def compile(model: Any, output: Optional[StrPath] = None, *, example_inputs: Any = None,
            target: Union[str, Sequence[str]] = "m4", dims: Optional[Mapping[str, int]] = None,
            shapes: Optional[Mapping[str, Sequence[int]]] = None, values: Optional[Mapping[str, Any]] = None,
            buckets: Optional[Mapping[str, Sequence[int]]] = None, states: Union[str, Mapping[str, str], None] = None, initial_states: Optional[Mapping[str, Any]] = None, os_version: int = 15, route: str = "in_memory",
            strictness: str = "catalog", hosts: Union[str, Sequence[str], None] = None, deterministic: bool = False,
            cpu_weights: str = "source", training: Union[str, bool, None] = None, trainable: Sequence[str] = (), frozen: Sequence[str] = (), options: Sequence[str] = (), log: Optional[_compiler.Log] = None) -> Bundle:
    """Compiles a model to a bundle.

    model: path of an .onnx file, an ``onnx.ModelProto``, a ``torch.nn.Module`` (those of transformers, too), or path of a
        directory with a model of transformers. A module is exported in inference mode, with the shapes of its example
        inputs. A mapping from names to ONNX models makes one bundle with a function for each; what is said of an input is then
        for all of them, or for one: ``dims={"prefill:sequence": 32, "decode:sequence": 1}``.
    output: directory to write; an older bundle there is replaced when the new one is complete. Without it the bundle is
        temporary: it is removed when neither it nor a model loaded from it is referenced any more.
    example_inputs: for modules: a tensor, a tuple of tensors, or a dict by the names of forward's parameters. For a module
        of transformers ``shapes={"input_ids": (1, 128), ...}`` does instead.
    target: the chip, see :func:`targets`; or several, on each of which the bundle is legal.
    dims, shapes: sizes for an ONNX model's dynamic dimensions, by the dimension's or the input's name.
    values: inputs of an ONNX model that always have one value, which are compiled in: a number, which fills the input, a
        list of numbers, a NumPy array, or the path of a .npy file. Branches that they decide leave no trace.
    buckets: sizes for a dynamic dimension of an ONNX model, ``{"sequence": (32, 64, 128)}``: a function for each, which share
        weights and states. An input of another size is filled up with zeros to the next one, if the model has an
        attention_mask that hides them or caches that are written at positions, and outputs are cut back.
    states: inputs of an ONNX model that a session keeps from run to run, each with the output that is its next value,
        ``{"state": "stateN"}``; or "auto": those that are called as exporters call them. See :meth:`Model.session`.
    initial_states: what states hold at first, by the input's name, as in ``values``; zeros by default.
    os_version: oldest macOS that must run the bundle.
    route: how programs reach the engine: "in_memory", "coreml" or "e5rt".
    strictness: "catalog" holds all published rules of the engine, "evidence" leaves out those measured to be false.
    hosts: triples of machines to make CPU code for, "native", "all" or "none"; default: this machine's triple.
    deterministic: the same bits on every processor of a triple: one library for each, not one per level of processors. Runs
        and numbers of threads never change bits.
    cpu_weights: "source", or "fp16" to halve the weights of the CPU code.
    training: makes a bundle that :class:`Trainer` trains instead of one that runs: "cross-entropy" (also True), "mse" or "bce" between the
        output and a new input ``target``; "contrastive" of embeddings of pairs, an output for anchors and one for positives, or one for both
        in turn, whose inputs become [pairs, 2, ...]; or "model", if an output is the loss. Parameters are those of a module that require gradients,
        and its batch norms use the statistics of each batch if they are in training mode. Of an ONNX file they are the weights of layers.
        ``trainable`` are patterns of names of weights that are parameters, too, and ``frozen`` of parameters that are none.
    options: more flags of ane-compile.
    log: is called with each step of the compilation, ``log=print``.

    Other threads run meanwhile. Ctrl-C ends the compilation and leaves nothing behind. Raises CompileError.
    """
    if isinstance(options, str):
        raise CompileError(f"options: is {options!r}, expected a list of flags")
    sizes = {name: _shape(name, shape) for name, shape in dict(shapes or {}).items()}
    with tempfile.TemporaryDirectory(prefix="anemone-") as folder:
        if isinstance(model, Mapping):
            paths, is_static = _source.to_files(model, Path(folder)), False
        else:
            path, is_static = _source.to_file(model, example_inputs, sizes, Path(folder), keeps_parameters=bool(training or trainable), trains=bool(training))
            paths = [path]
        if is_static and dims:
            raise CompileError("dims binds dimensions of ONNX models; a PyTorch module has the shapes of its example inputs")
        if is_static and values:
            raise CompileError("values is for inputs of ONNX models; of a PyTorch module's example_inputs, what is no tensor is "
                               "compiled in")
        arguments = [f"--target={target if isinstance(target, str) else ','.join(target)}", f"--os={os_version}",
                     f"--route={route}", f"--strictness={strictness}", f"--cpu-weights={cpu_weights}"]
        arguments += [f"--dim={name}={_size(name, size)}" for name, size in dict(dims or {}).items()]
        if not is_static:
            arguments += [f"--shape={name}={'x'.join(map(str, shape))}" for name, shape in sizes.items()]
        arguments += [f"--value={name}={_source.value(name, value, Path(folder))}" for name, value in dict(values or {}).items()]
        if buckets and is_static:
            raise CompileError("buckets is for dimensions of ONNX models; a PyTorch module has the shapes of its example inputs")
        arguments += [f"--bucket={name}={','.join(str(_size(name, size)) for size in each)}"
                      for name, each in dict(buckets or {}).items()]
        if states is not None and is_static:
            raise CompileError("states is for inputs of ONNX models: export the module first")
        arguments += [f"--states={states}"] if isinstance(states, str) else [f"--state={i}={o}" for i, o in (states or {}).items()]
        arguments += [f"--state-init={name}={_source.value(name, value, Path(folder))}"
                      for name, value in dict(initial_states or {}).items()]
        if hosts is not None:
            arguments.append(f"--host={hosts if isinstance(hosts, str) else ','.join(hosts)}")
        if deterministic:
            arguments.append("--deterministic")
        if training:
            arguments.append("--train" if training is True else f"--train={training}")
        arguments += [f"--trainable={name}" for name in trainable] + [f"--freeze={name}" for name in frozen]
        arguments += options
        if output is not None:
            place = os.path.abspath(os.fspath(output))
            return Bundle(place, _compiler.run(paths, place, arguments, log))
        home = tempfile.mkdtemp(prefix="anemone-")
        try:
            place = os.path.join(home, "model.anebundle")
            bundle = Bundle(place, _compiler.run(paths, place, arguments, log))
        except BaseException:
            shutil.rmtree(home, ignore_errors=True)
            raise
    weakref.finalize(bundle, shutil.rmtree, home, ignore_errors=True)
    return bundle


def load(bundle: StrPath, *, device: str = "auto", threads: int = 0, verify: bool = False, function: str = "",
         emulator_mode: Optional[str] = None, native_code: bool = True, numeric: str = "rescue", memory_limit: int = 0,
         weights_by: str = "auto", trust: str = "owner") -> Model:
    """Loads a bundle.

    bundle: what :func:`compile` returned, or the path of a bundle. It holds native code, which runs with the
        rights of this process.
    device: "auto" (the engine where there is one, else the CPU), "cpu", or "emulator", which computes the engine's
        programs as the engine would, in fp16.
    threads: of CPU code, 1 to 256; 0: the environment variable ANE_NUM_THREADS, else all processors. Values do not depend
        on it.
    verify: compare the hash of every file with the manifest's; sizes, and native code's hash, are always compared.
    function: of a bundle with several; default "main", or the only one.
    emulator_mode: "plain" turns off the emulator's checks for documented misuse of the engine.
    native_code: False loads none; what would run on the CPU is an error then.
    trust: whose native code is loaded: "owner" (the user's and the administrator's, unless every user can write it), "anyone", if
        you know where the bundle is from, or "nobody", as native_code=False.
    numeric: what happens when fp16 on the engine did not hold the values of a run: "rescue" (the CPU computes them again),
        "report" (they stay, and an event says so), "off" (nobody looks), "clamp" (what is infinite, going into programs or
        coming out of them, becomes 65504, with its sign; ``total_clamped`` of ``session.copies()`` counts it).
    memory_limit: bytes that each session may take for its values; 0: what the machine has left.
    weights_by: how weights that are set get into programs of a device: "auto", or the way that comes first, "patch", "donor" or
        "recompile"; ``model.weights_by`` tells which is taken.

    Models of one process share devices, threads and loaded programs; see :func:`set_budgets`.

    Raises RunError.
    """
    return Model(bundle, device=device, threads=threads, verify=verify, function=function, emulator_mode=emulator_mode,
                 native_code=native_code, numeric=numeric, memory_limit=memory_limit, weights_by=weights_by, trust=trust)


def _size(name: str, size: Any) -> int:
    try:
        return int(size.__index__())
    except AttributeError:
        raise CompileError(f"dimension {name!r}: is {size!r}, expected a whole number") from None


def _shape(name: str, shape: Any) -> Tuple[int, ...]:
    try:
        return tuple(_size(name, size) for size in shape)
    except TypeError:
        raise CompileError(f"shape of {name!r}: is {shape!r}, expected a sequence of whole numbers") from None
