"""The fp16 oracle: an ONNX graph rewritten so that ONNX Runtime computes it with half-precision storage.

Weights and constants are clamped to +-65504 and rounded to fp16; each float value that a node produces goes through a
Cast to fp16 and back, as if it had been stored in a half-precision tensor. Inside a node ONNX Runtime computes in fp32.
The error of this model against fp32 is what half-precision storage alone costs; an engine that keeps fp16
tensors with wide accumulation should lose about as much. Nothing here comes from the compiler.
"""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FP16_MAX = 65504.0


def round_to_fp16(array):
    """fp32 values that fp16 can hold: clamped to the finite range, rounded to nearest even."""
    return np.clip(array.astype(np.float32), -FP16_MAX, FP16_MAX).astype(np.float16).astype(np.float32)


def _rounded_tensor(tensor):
    return numpy_helper.from_array(np.asarray(round_to_fp16(numpy_helper.to_array(tensor))), tensor.name)


def _round_constant(node):
    """Rounds the float payload of a Constant or ConstantOfShape node in place."""
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.TENSOR and attribute.t.data_type == TensorProto.FLOAT:
            attribute.t.CopyFrom(_rounded_tensor(attribute.t))
        elif attribute.name in ("value_float", "value_floats"):
            attribute.f = float(round_to_fp16(np.array(attribute.f)))
            floats = [float(v) for v in round_to_fp16(np.array(attribute.floats, np.float32))]
            del attribute.floats[:]
            attribute.floats.extend(floats)


def _element_types(model):
    inferred = onnx.shape_inference.infer_shapes(model).graph
    values = [*inferred.input, *inferred.output, *inferred.value_info]
    types = {value.name: value.type.tensor_type.elem_type for value in values}
    types.update({tensor.name: tensor.data_type for tensor in inferred.initializer})
    return types


def build(model):
    """The oracle of `model`; inputs, outputs and their names stay. Opset 9 or later, no subgraphs."""
    oracle = onnx.ModelProto()
    oracle.CopyFrom(model)
    graph = oracle.graph
    types = _element_types(model)

    for tensor in graph.initializer:
        if tensor.data_type == TensorProto.FLOAT:
            tensor.CopyFrom(_rounded_tensor(tensor))

    nodes = []

    def through_fp16(source, target):
        half = f"{target}::fp16"
        nodes.append(helper.make_node("Cast", [source], [half], to=TensorProto.FLOAT16))
        nodes.append(helper.make_node("Cast", [half], [target], to=TensorProto.FLOAT))

    renamed = {}
    initializers = {tensor.name for tensor in graph.initializer}
    for value in graph.input:
        if value.type.tensor_type.elem_type == TensorProto.FLOAT and value.name not in initializers:
            renamed[value.name] = f"{value.name}::rounded"
            through_fp16(value.name, renamed[value.name])

    for original in graph.node:
        node = onnx.NodeProto()
        node.CopyFrom(original)
        if any(a.type in (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS) for a in node.attribute):
            raise ValueError(f"fp16 oracle: node '{node.name}' ({node.op_type}) has a subgraph")
        node.input[:] = [renamed.get(name, name) for name in node.input]
        if node.op_type in ("Constant", "ConstantOfShape"):
            _round_constant(node)
        nodes.append(node)
        for index, name in enumerate(original.output):
            if not name:
                continue
            if name not in types:
                raise ValueError(f"fp16 oracle: the type of '{name}' ({original.op_type}) is not inferred")
            if types[name] == TensorProto.FLOAT:
                node.output[index] = f"{name}::exact"
                through_fp16(node.output[index], name)

    del graph.node[:]
    graph.node.extend(nodes)
    return oracle
