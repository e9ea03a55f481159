"""Exports PyTorch modules, those of transformers among them. The only file that imports torch."""
from __future__ import annotations

import contextlib
import inspect
import json
import logging
import warnings
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Tuple

import numpy as np
import torch

from .errors import CompileError


def load_transformers(path: str) -> torch.nn.Module:
    """The model in a directory of transformers, with its own head, in float32. Only files there are read, no code."""
    try:
        import transformers

        config = transformers.AutoConfig.from_pretrained(path, local_files_only=True)
        named = (getattr(config, "architectures", None) or ["AutoModel"])[0]
        kind = getattr(transformers, named, transformers.AutoModel)
        return kind.from_pretrained(path, config=config, dtype=torch.float32, local_files_only=True)
    except ImportError as error:
        raise CompileError(f"'{path}' is a model of transformers, which can't be imported: {error}; remedy: pip install "
                           f"transformers") from error
    except Exception as error:
        raise CompileError(f"transformers can't load '{path}': {error}") from error


def export(module: torch.nn.Module, example_inputs: Any, shapes: Mapping[str, Sequence[int]], folder: Path, keeps_parameters: bool = False,
           trains: bool = False) -> Path:
    """Writes module.onnx with the shapes of the example inputs, and with all parameters as they are if it `keeps_parameters`. Inputs have the names of forward's parameters, outputs
    those of the result (keys of a dict or of transformers' ModelOutput; else output, or output_0, output_1, ...). If it `trains`, the file says what the parameters are, and where
    gradients stop."""
    if isinstance(module, torch.jit.ScriptModule):
        raise CompileError("PyTorch can't export a TorchScript module; remedy: give the module that it was made of")
    values = _named_inputs(module, example_inputs, shapes)
    tensors = {name: value for name, value in values.items() if isinstance(value, torch.Tensor)}
    constants = {name: value for name, value in values.items() if name not in tensors}
    if not tensors:
        raise CompileError("example_inputs holds no tensor")
    if "use_cache" in _parameters(module) and hasattr(module, "config"):
        constants.setdefault("use_cache", False)  # states are no tensors
    flat = _Flat(module, list(tensors), constants)
    path = folder / "module.onnx"
    record = _training_record(module) if trains else None
    with _evaluating(module), _quiet():
        try:
            with torch.no_grad():
                names = [name for name, _ in _flatten(module(**tensors, **constants))]
        except Exception as error:
            raise CompileError(f"the module fails on its example inputs: {error}") from error
        try:
            # What stands under no_grad in the module is only seen from outside of it.
            with torch.set_grad_enabled(trains):
                source = _stopping_gradients(flat, tuple(tensors.values())) if trains else flat
                torch.onnx.export(source, tuple(tensors.values()), str(path), dynamo=True, input_names=list(tensors),
                                  output_names=names, external_data=True, verbose=False, optimize=not keeps_parameters)
            if keeps_parameters:
                _rename(path, _first_names(module), record)
        except ImportError as error:
            raise CompileError(f"PyTorch's exporter lacks a package: {error}; remedy: pip install onnx onnxscript") from error
        except Exception as error:
            raise CompileError(f"PyTorch can't export the module: {type(error).__name__}: {error}") from error
    return path


def _stopping_gradients(module: torch.nn.Module, tensors: Tuple[torch.Tensor, ...]) -> Any:
    """The module's program, in which results of what runs under no_grad are detached."""
    program = torch.export.export(module, tensors)
    graph = program.graph
    for node in list(graph.nodes):
        if node.target is torch.ops.higher_order.wrap_with_set_grad_enabled and node.args[0] is False:
            for user in list(node.users):
                with graph.inserting_after(user):
                    stopped = graph.call_function(torch.ops.aten.detach.default, (user,))
                stopped.meta = dict(user.meta)
                user.replace_all_uses_with(stopped, delete_user_cb=lambda other, stopped=stopped: other is not stopped)
        if node.target is torch.ops.aten.embedding.default:
            _stop_padding(graph, node)
    return program


def _stop_padding(graph: torch.fx.Graph, node: torch.fx.Node) -> None:
    """Detaches the rows of an embedding that are its padding (padding_idx), which PyTorch gives no gradient."""
    padding = node.args[2] if len(node.args) > 2 else -1
    if not isinstance(padding, int) or padding < 0:
        return
    users = list(node.users)

    def behind(previous: torch.fx.Node, target: Any, *arguments: Any) -> torch.fx.Node:
        with graph.inserting_after(previous):
            made = graph.call_function(target, arguments)
        made.meta = {**node.meta, "val": target(*(each.meta["val"] if isinstance(each, torch.fx.Node) else each for each in arguments))}
        return made

    is_padding = behind(node, torch.ops.aten.eq.Scalar, node.args[1], padding)
    of_rows = behind(is_padding, torch.ops.aten.unsqueeze.default, is_padding, -1)
    stopped = behind(of_rows, torch.ops.aten.detach.default, node)
    rows = behind(stopped, torch.ops.aten.where.self, of_rows, stopped, node)
    for user in users:
        user.replace_input_with(node, rows)


def _first_names(module: torch.nn.Module) -> Dict[str, str]:
    """Of each name of a parameter or buffer, the first one of the same tensor: that which named_parameters() has."""
    first: Dict[int, str] = {}
    names = {}
    for each in (module.named_parameters, module.named_buffers):
        for name, tensor in each(remove_duplicate=False):
            names[name] = first.setdefault(id(tensor), name)
    return names


def _training_record(module: torch.nn.Module) -> Dict[str, Any]:
    """What is trained: parameters that require gradients, and by which share batch norms in training mode move their running statistics."""
    norms = {}
    for name, part in module.named_modules():
        if isinstance(part, (torch.nn.Embedding, torch.nn.EmbeddingBag)) and part.scale_grad_by_freq and part.weight.requires_grad:
            raise CompileError(f"{name} ({type(part).__name__}) divides gradients by how often a row is read (scale_grad_by_freq=True), which "
                               f"training here does not; remedy: scale_grad_by_freq=False, or freeze its weight (requires_grad_(False))")
        if not isinstance(part, torch.nn.modules.batchnorm._BatchNorm) or not part.training or part.running_mean is None:
            continue
        if part.momentum is None:
            raise CompileError(f"{name} (BatchNorm) averages statistics of all batches (momentum=None), which training here does not; remedy: "
                               f"give it a momentum, or put it in eval() mode to keep its statistics")
        norms[f"{name}.running_mean" if name else "running_mean"] = part.momentum
    return {"parameters": [name for name, tensor in module.named_parameters() if tensor.requires_grad], "batch_norms": norms}


def _rename(path: Path, first: Mapping[str, str], record: Any) -> None:
    """Gives parameters their names in the caller's module, which _Flat holds, and notes what is trained."""
    import onnx

    def own(name: str) -> str:
        name = name.removeprefix("module.")
        return first.get(name, name)

    model = onnx.load(str(path), load_external_data=False)
    known = {tensor.name for tensor in model.graph.initializer}
    kept: Dict[str, Any] = {}  # tied ones once
    for tensor in model.graph.initializer:
        tensor.name = own(tensor.name)
        kept.setdefault(tensor.name, tensor)
    tensors = list(kept.values())
    del model.graph.initializer[:]
    model.graph.initializer.extend(tensors)
    for node in model.graph.node:
        for index, name in enumerate(node.input):
            if name in known:
                node.input[index] = own(name)
    if record is not None:
        model.metadata_props.add(key="anemone.training", value=json.dumps(record))
    onnx.save(model, str(path))


class _Flat(torch.nn.Module):
    """Tensors in, tensors out."""

    def __init__(self, module: torch.nn.Module, names: List[str], constants: Dict[str, Any]):
        super().__init__()
        self.module, self.names, self.constants = module, names, constants

    def forward(self, *tensors: torch.Tensor) -> Tuple[torch.Tensor, ...]:
        made = self.module(**dict(zip(self.names, tensors)), **self.constants)
        return tuple(tensor for _, tensor in _flatten(made))


def _flatten(made: Any, name: str = "") -> List[Tuple[str, torch.Tensor]]:
    """(name, tensor) of each tensor in a result; what is none, such as a cache of states, is left out."""
    if isinstance(made, torch.Tensor):
        return [(name or "output", made)]
    if isinstance(made, Mapping):
        parts = [(f"{name}.{key}" if name else str(key), value) for key, value in made.items()]
    elif isinstance(made, (tuple, list)):
        parts = [(f"{name or 'output'}_{index}", value) for index, value in enumerate(made)]
    else:
        return []
    return [leaf for part, value in parts for leaf in _flatten(value, part)]


def _parameters(module: torch.nn.Module) -> List[str]:
    return [p.name for p in inspect.signature(module.forward).parameters.values() if p.kind is not p.VAR_KEYWORD]


def _named_inputs(module: torch.nn.Module, examples: Any, shapes: Mapping[str, Sequence[int]]) -> Dict[str, Any]:
    """Example inputs by the names of forward's parameters."""
    if examples is None:
        examples = _made_up(module, shapes)
    elif shapes:
        raise CompileError("example_inputs and shapes both say what shapes a PyTorch module has; give one")
    if not isinstance(examples, Mapping):
        listed = examples if isinstance(examples, (tuple, list)) else (examples,)
        names = _parameters(module)
        if len(listed) > len(names):
            raise CompileError(f"{len(listed)} example inputs, but forward takes {len(names)}: {', '.join(names)}")
        examples = dict(zip(names, listed))
    made = {}
    for name, value in examples.items():
        if isinstance(value, np.ndarray):
            value = torch.from_numpy(value)
        if value is not None and not isinstance(value, (torch.Tensor, bool, int, float, str)):
            raise CompileError(f"example input {name!r} is a {type(value).__name__}, expected a tensor or a constant; remedy: "
                               f"wrap the module in one whose forward takes tensors")
        made[name] = value
    return made


def _made_up(module: torch.nn.Module, shapes: Mapping[str, Sequence[int]]) -> Dict[str, Any]:
    """Example inputs for given shapes, by the names that transformers uses."""
    if shapes:
        kinds = [p.dtype for p in module.parameters() if p.is_floating_point()] or [torch.float32]
        return {name: torch.ones(tuple(shape), dtype=torch.int64 if name.endswith(("ids", "mask")) else kinds[0])
                for name, shape in shapes.items()}
    first = next(iter(_parameters(module)), "x")
    raise CompileError("a PyTorch module needs example_inputs, which say what shapes it is compiled for, or shapes; remedy: add, for "
                       f"example, shapes={{{first!r}: (1, 128)}} with the shape of each input")


@contextlib.contextmanager
def _evaluating(module: torch.nn.Module) -> Iterator[None]:
    """Dropout and batch norm as in inference; the caller's modes come back."""
    modes = [(part, part.training) for part in module.modules()]
    module.eval()
    try:
        yield
    finally:
        for part, mode in modes:
            part.training = mode


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without the exporter's notes about packages that are not installed."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
