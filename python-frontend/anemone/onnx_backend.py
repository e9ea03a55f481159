"""ONNX's backend interface over this package, so that ONNX's own runner and tools can drive it.

    import anemone.onnx_backend as backend
    outputs = backend.prepare(onnx_model).run([x, y])

:class:`AnemoneBackend` runs the CPU code, :class:`EmulatorBackend` the engine's programs on the emulator. A model is
compiled at its first run, when all shapes are known, and again for other shapes. Operands that must be constant at
compile time, such as the shape of a Reshape, may be inputs of the model: it is then compiled for their value.
"""
from __future__ import annotations

import re
from typing import Any, Dict, Mapping, Optional, Sequence, Set, Tuple

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.backend.base import Backend, BackendRep, Device, DeviceType, namedtupledict

from ._api import Bundle, compile
from ._model import Model
from .errors import CompileError, RunError

NEWEST_OPSET = 23  # of the importer


class AnemoneBackendRep(BackendRep):
    """A model that was prepared. Not for several threads at the same time."""

    def __init__(self, model: onnx.ModelProto, run_on: str, options: Mapping[str, Any]):
        self._model = model
        self._run_on = run_on
        self._options = dict(options)
        stored = {tensor.name for tensor in model.graph.initializer}
        self._inputs = [info for info in model.graph.input if info.name not in stored]
        self._constants: Set[str] = set()  # inputs that must be constant
        self._compiled: Dict[Any, Model] = {}

    def run(self, inputs: Any, **kwargs: Any) -> Tuple[Any, ...]:
        """Runs on a list of arrays in the order of the graph's inputs, a dict by name, or the one array. Returns a named
        tuple of the outputs."""
        values = self._by_name(inputs)
        model = self._for(values)
        outputs = model(**{info.name: values[info.name] for info in model.inputs})
        names = [info.name for info in self._model.graph.output]
        return namedtupledict("Outputs", names)(*(outputs[name] for name in names))

    def _by_name(self, inputs: Any) -> Dict[str, np.ndarray]:
        names = [info.name for info in self._inputs]
        if isinstance(inputs, Mapping):
            values = dict(inputs)
        else:
            listed = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
            if len(listed) > len(names):
                raise RunError(f"{len(listed)} inputs given, the model has {len(names)}: {', '.join(names)}")
            values = dict(zip(names, listed))
        missing = [name for name in names if name not in values]
        if missing:
            raise RunError(f"no value for {', '.join(missing)}", "FAILED_PRECONDITION")
        wrong = [name for name, value in values.items() if not isinstance(value, (np.ndarray, np.generic))]
        if wrong:
            raise RunError(f"input {wrong[0]!r}: is {type(values[wrong[0]]).__name__}, expected an array", "UNIMPLEMENTED")
        return {name: np.asarray(value) for name, value in values.items()}

    def _for(self, values: Dict[str, np.ndarray]) -> Model:
        """The model compiled for these shapes, and these values of constant inputs."""
        # Nothing is known about an empty value but its shape.
        self._constants |= {name for name, value in values.items() if value.size == 0}
        while True:
            key = tuple((name, value.shape, value.tobytes() if name in self._constants else b"")
                        for name, value in values.items())
            if key in self._compiled:
                return self._compiled[key]
            try:
                self._compiled[key] = self._compile(values).load(device=self._run_on)
            except CompileError as error:
                found = self._must_be_constant(str(error), values)
                if not found:
                    raise
                self._constants |= found

    def _must_be_constant(self, message: str, values: Dict[str, np.ndarray]) -> Set[str]:
        """Inputs that the message asks to be constant; if it asks for a value computed from inputs, all small ones that
        may be sizes or axes."""
        named = set(re.findall(r"\(([^()\s]*)\) must be constant", message))
        if not named:
            return set()
        found = named & set(values)
        small = {name for name, value in values.items() if value.dtype.kind in "iu" and value.ndim <= 1 and value.size <= 64}
        return (found or small) - self._constants

    def _compile(self, values: Dict[str, np.ndarray]) -> Bundle:
        model = onnx.ModelProto()
        model.CopyFrom(self._model)
        for name in self._constants:
            model.graph.initializer.append(numpy_helper.from_array(values[name], name))
        kept = [info for info in self._model.graph.input if info.name not in self._constants]
        del model.graph.input[:]
        model.graph.input.extend(kept)
        shapes = {info.name: values[info.name].shape for info in self._inputs
                  if info.name not in self._constants and not _is_static(info)}
        return compile(model, shapes=shapes, **self._options)


def _is_static(info: onnx.ValueInfoProto) -> bool:
    tensor = info.type.tensor_type
    return tensor.HasField("shape") and all(dim.HasField("dim_value") for dim in tensor.shape.dim)


class AnemoneBackend(Backend):
    """ONNX models on the CPU code of their bundle. ONNX's device is always "CPU"."""

    run_on = "cpu"

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> AnemoneBackendRep:
        """Checks a model; `kwargs` are those of :func:`anemone.compile`, and the runner's tolerances, which are its own."""
        if not cls.supports_device(device):
            raise RunError(f"device {device!r}: this backend has CPU only", "UNIMPLEMENTED")
        super().prepare(model, device)
        options = {name: value for name, value in kwargs.items() if name not in ("rtol", "atol")}
        return AnemoneBackendRep(model, cls.run_on, options)

    @classmethod
    def run_model(cls, model: onnx.ModelProto, inputs: Any, device: str = "CPU", **kwargs: Any) -> Tuple[Any, ...]:
        """Prepares and runs a model."""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(cls, node: onnx.NodeProto, inputs: Any, device: str = "CPU",
                 outputs_info: Optional[Sequence[Tuple[np.dtype, Tuple[int, ...]]]] = None, **kwargs: Any) -> Tuple[Any, ...]:
        """Runs one node on arrays. `outputs_info`: dtype and shape of each output; inferred without it. `opset_version`:
        default the newest that the compiler knows."""
        opset = kwargs.pop("opset_version", min(NEWEST_OPSET, onnx.defs.onnx_opset_version()))
        super().run_node(node, inputs, device, outputs_info, opset_version=opset)
        names = [name for name in node.input if name]
        arrays = dict(zip(names, inputs)) if not isinstance(inputs, Mapping) else dict(inputs)
        graph = helper.make_graph([node], "node", [_info(name, np.asarray(arrays[name])) for name in names], [])
        if outputs_info is None:
            for name in filter(None, node.output):
                graph.output.add().name = name
        else:
            graph.output.extend(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape)
                                for name, (dtype, shape) in zip(node.output, outputs_info))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid(node.domain, opset)], ir_version=10)
        return cls.run_model(onnx.shape_inference.infer_shapes(model), arrays, device, **kwargs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether ONNX's device is the CPU."""
        try:
            return Device(device).type == DeviceType.CPU
        except (AttributeError, KeyError, ValueError):
            return False


class EmulatorBackend(AnemoneBackend):
    """ONNX models with the engine's programs on its emulator, in fp16."""

    run_on = "emulator"


def _info(name: str, array: np.ndarray) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


is_compatible = AnemoneBackend.is_compatible
prepare = AnemoneBackend.prepare
run_model = AnemoneBackend.run_model
run_node = AnemoneBackend.run_node
supports_device = AnemoneBackend.supports_device
