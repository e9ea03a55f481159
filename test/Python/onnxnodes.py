"""ONNX's own test models with their inputs and expected outputs: those that onnx.backend.test generates for each op, and
those that the package carries as files."""
import re
import warnings
from collections import namedtuple
from functools import lru_cache
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

import anetest

MAX_OPSET = 23
TYPES = {"float32", "float16", "int32", "int64", "bool", "int8", "uint8"}

# `inputs` {name: value} and `outputs` [value] are arrays where the model is on tensors.
Case = namedtuple("Case", "name kind model inputs outputs")


def _read(path, info):
    if info.type.HasField("tensor_type"):
        return numpy_helper.to_array(onnx.load_tensor(path))
    return None


def _array(value):
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    return np.asarray(value) if isinstance(value, np.generic) else value


@lru_cache(None)
def cases():
    """Test name -> Case. A name that two kinds share gets the kind in front."""
    from onnx.backend.test import loader
    from onnx.backend.test.case.node import collect_testcases

    made = {}

    def add(case, kind, model, inputs, outputs):
        given = [info.name for info in model.graph.input
                 if info.name not in {tensor.name for tensor in model.graph.initializer}]
        name = case.name if case.name not in made else f"{kind}/{case.name}"
        made[name] = Case(name, kind, model, dict(zip(given, map(_array, inputs))), list(map(_array, outputs)))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in collect_testcases(None):
            inputs, outputs = case.data_sets[0]
            add(case, "node", case.model, inputs, outputs)
    for kind in "simple", "pytorch-operator", "pytorch-converted":
        for case in sorted(loader.load_model_tests(kind=kind), key=lambda case: case.name):
            folder = Path(case.model_dir)
            model = onnx.load(folder / "model.onnx")
            data = folder / "test_data_set_0"
            inputs = [_read(data / f"input_{i}.pb", info) for i, info in enumerate(model.graph.input)
                      if (data / f"input_{i}.pb").exists()]
            add(case, kind, model, inputs,
                [_read(data / f"output_{i}.pb", info) for i, info in enumerate(model.graph.output)])
    return made


def _types(model):
    for info in list(model.graph.input) + list(model.graph.output):
        kind = info.type.WhichOneof("value")
        yield onnx.TensorProto.DataType.Name(info.type.tensor_type.elem_type).lower() if kind == "tensor_type" else kind


def out_of_scope(case):
    """Why a case need not pass (its opset, its types, its domain), or None."""
    opsets = {opset.domain: opset.version for opset in case.model.opset_import}
    foreign = sorted({node.domain for node in case.model.graph.node} - {"", "ai.onnx"})
    if foreign:
        return f"domain {foreign[0]}"
    names = {"float": "float32"}
    types = sorted({names.get(t, t) for t in _types(case.model)} - TYPES)
    if types:
        return f"type {types[0]}" if not types[0].endswith("_type") else f"a {types[0][:-5]} as input or output"
    if opsets.get("", 0) > MAX_OPSET:
        return f"opset above {MAX_OPSET}"
    return None


def family(case):
    """The op that a case is about."""
    expanded = case.kind != "node" or case.name.endswith("_expanded") or len(case.model.graph.node) != 1
    return "composed" if expanded else case.model.graph.node[0].op_type


def shape_flags(model, inputs):
    """Flags that bind the shapes of inputs that the model leaves open."""
    flags = []
    for info in model.graph.input:
        array = inputs.get(info.name)
        if not isinstance(array, np.ndarray) or not array.ndim:
            continue
        if not all(dim.dim_value > 0 for dim in info.type.tensor_type.shape.dim):
            flags += ["--shape", f"{info.name}={'x'.join(map(str, array.shape))}"]
    return flags


def run_tool(case, directory, tool, *arguments):
    """Runs an importing tool on a case. Inputs that must be constant become initializers. Returns (process, the inputs
    that are left)."""
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    inputs = dict(case.inputs)
    path = Path(directory) / f"{case.name.replace('/', '_')}.onnx"
    while True:
        onnx.save(model, path)
        done = anetest.run(tool, *arguments, path, *shape_flags(model, inputs), check=False)
        named = re.findall(r"\(([^()\s]*)\) must be constant", done.stderr)
        wanted = [name for name in named if name in inputs]
        if named and not wanted:  # computed from what must be constant: the integers of a shape computation
            wanted = [name for name, array in inputs.items() if array.dtype.kind in "iu" and array.ndim <= 1]
        if done.returncode == 0 or not wanted:
            return done, inputs
        for constant in set(wanted):
            model.graph.initializer.append(numpy_helper.from_array(inputs.pop(constant), constant))
            kept = [info for info in model.graph.input if info.name != constant]
            del model.graph.input[:]
            model.graph.input.extend(kept)
