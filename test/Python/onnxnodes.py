"""ONNX's node tests: small models with inputs and expected outputs, made by onnx.backend.test."""
import re
import warnings
from functools import lru_cache

import numpy as np
import onnx
from onnx import numpy_helper

import anetest

MLIR_TYPES = {"float32": "f32", "float16": "f16", "float64": "f64", "bfloat16": "bf16", "int64": "i64", "int32": "i32",
              "int16": "i16", "int8": "i8", "uint8": "ui8", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64",
              "bool": "i1"}


@lru_cache(None)
def cases():
    """Test name -> (model, inputs, expected outputs), for models on arrays."""
    from onnx.backend.test.case.node import collect_testcases

    made = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in collect_testcases(None):
            if case.model is None or not case.data_sets:
                continue
            inputs, outputs = case.data_sets[0]
            if all(isinstance(value, (np.ndarray, np.generic)) for value in list(inputs) + list(outputs)):
                made[case.name] = case.model, [np.asarray(v) for v in inputs], [np.asarray(v) for v in outputs]
    return made


def mlir_type(array):
    return "tensor<" + "".join(f"{dim}x" for dim in array.shape) + MLIR_TYPES.get(str(array.dtype), "?") + ">"


def import_case(name, directory):
    """Imports a case. Inputs that must be constant become initializers. Returns (process, the inputs that are left)."""
    made, arrays, _ = cases()[name]
    model = onnx.ModelProto()
    model.CopyFrom(made)
    inputs = {info.name: array for info, array in zip(model.graph.input, arrays)}
    path = directory / f"{name}.onnx"
    while True:
        onnx.save(model, path)
        flags = []
        for info in model.graph.input:
            array = inputs[info.name]
            if array.size and array.ndim and not all(d.HasField("dim_value") for d in info.type.tensor_type.shape.dim):
                flags += ["--shape", f"{info.name}={'x'.join(map(str, array.shape))}"]
        done = anetest.run("ane-translate", "--onnx-to-ane", path, *flags, check=False)
        wanted = [n for n in re.findall(r"\(([^()\s]*)\) must be constant", done.stderr) if n in inputs]
        if done.returncode == 0 or not wanted:
            return done, inputs
        for constant in set(wanted):
            model.graph.initializer.append(numpy_helper.from_array(inputs.pop(constant), constant))
            kept = [info for info in model.graph.input if info.name != constant]
            del model.graph.input[:]
            model.graph.input.extend(kept)
