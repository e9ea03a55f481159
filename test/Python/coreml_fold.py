"""What a package of Core ML computes, by coremltools: it folds operations whose inputs are constants while it loads a program, so
the inputs of the function are made constants, and the outputs have values. Operations that it does not fold are computed by ONNX
Runtime."""
import logging
import warnings

import numpy as np

warnings.filterwarnings("ignore")
logging.getLogger("coremltools").setLevel(logging.ERROR)

import coremltools as ct  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
from coremltools.converters.mil.frontend.milproto.load import load  # noqa: E402
from coremltools.converters.mil.mil import types  # noqa: E402
from coremltools.converters.mil.mil.ops.registry import SSAOpRegistry  # noqa: E402
from coremltools.proto import MIL_pb2  # noqa: E402
from onnx import helper  # noqa: E402

TYPES = {MIL_pb2.FLOAT16: np.float16, MIL_pb2.FLOAT32: np.float32, MIL_pb2.INT32: np.int32}


def onnx_op(kind, inputs, outputs=1, integers=(), **attributes):
    """The values of one ONNX operation on float arrays, in float32; `integers` are the places of int64 ones."""
    arrays = [None if value is None else np.asarray(value, np.int64 if i in integers else np.float32)
              for i, value in enumerate(inputs)]
    names = ["" if value is None else f"x{i}" for i, value in enumerate(arrays)]
    results = [f"y{i}" for i in range(outputs)]
    graph = helper.make_graph(
        [helper.make_node(kind, names, results, **attributes)], "one",
        [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape) for n, v in zip(names, arrays) if n],
        [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, None) for n in results])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    values = session.run(None, {n: v for n, v in zip(names, arrays) if n})
    return values[0] if outputs == 1 else values


def value_of(parameter):
    if parameter is None:
        return None
    if getattr(parameter, "val", None) is not None:
        return parameter.val
    producer = getattr(parameter, "op", None)
    return producer.materialized_val_inference() if producer is not None and producer.op_type.startswith("constexpr") else None


def pads(op, rank):
    """ONNX's pads and auto_pad of a window."""
    kind = op.pad_type.val
    if kind == "custom":
        pad = np.asarray(op.pad.val).reshape(rank, 2)
        return {"pads": [*pad[:, 0].tolist(), *pad[:, 1].tolist()]}
    return {"auto_pad": {"valid": "VALID", "same": "SAME_UPPER", "same_lower": "SAME_LOWER"}[kind]}


def conv(op):
    x, weight, bias = value_of(op.x), value_of(op.weight), value_of(op.bias)
    return onnx_op("Conv", [x, weight, bias], group=int(op.groups.val), strides=op.strides.val.tolist(),
                   dilations=op.dilations.val.tolist(), **pads(op, x.ndim - 2))


def conv_transpose(op):
    x, weight, bias = value_of(op.x), value_of(op.weight), value_of(op.bias)
    made = onnx_op("ConvTranspose", [x, weight, bias], group=int(op.groups.val), strides=op.strides.val.tolist(),
                   dilations=op.dilations.val.tolist(), **pads(op, x.ndim - 2))
    return made[tuple(slice(0, int(size)) for size in op.output_shape.val)]


def batch_norm(op):
    x, mean, variance = value_of(op.x), value_of(op.mean), value_of(op.variance)
    gamma, beta = value_of(op.gamma), value_of(op.beta)
    gamma = np.ones_like(mean) if gamma is None else gamma
    beta = np.zeros_like(mean) if beta is None else beta
    return onnx_op("BatchNormalization", [x, gamma, beta, mean, variance], epsilon=float(op.epsilon.val))


def instance_norm(op):
    x, gamma, beta = value_of(op.x), value_of(op.gamma), value_of(op.beta)
    gamma = np.ones(x.shape[1]) if gamma is None else gamma
    beta = np.zeros(x.shape[1]) if beta is None else beta
    return onnx_op("InstanceNormalization", [x, gamma, beta], epsilon=float(op.epsilon.val))


def pool(kind):
    def compute(op):
        x = value_of(op.x)
        more = {"count_include_pad": int(not op.exclude_padding_from_average.val)} if kind == "AveragePool" else {}
        return onnx_op(kind, [x], kernel_shape=op.kernel_sizes.val.tolist(), strides=op.strides.val.tolist(),
                       ceil_mode=int(op.ceil_mode.val), **more, **pads(op, x.ndim - 2))
    return compute


def upsample_nearest(op):
    x = value_of(op.x)
    scales = np.array([1] * (x.ndim - 2) + [op.scale_factor_height.val, op.scale_factor_width.val], np.float32)
    return onnx_op("Resize", [x, None, scales], mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")


def lstm(op):
    """MIL's gates are i, f, o, cell; ONNX's i, o, f, cell."""
    assert op.direction.val == "forward" and op.peephole is None, "only plain LSTMs are looked at"
    order = lambda w: np.concatenate([np.split(np.asarray(w, np.float32), 4)[i] for i in (0, 2, 1, 3)])  # noqa: E731
    x = value_of(op.x)
    bias = value_of(op.bias)
    hidden = value_of(op.weight_hh).shape[1]
    bias = np.zeros(4 * hidden, np.float32) if bias is None else bias
    y, h, c = onnx_op("LSTM", [x, order(value_of(op.weight_ih))[None], order(value_of(op.weight_hh))[None],
                               np.concatenate([order(bias), np.zeros(4 * hidden, np.float32)])[None], None,
                               value_of(op.initial_h)[None], value_of(op.initial_c)[None]], outputs=3, hidden_size=hidden)
    return y[:, 0] if op.output_sequence.val else h, h[0], c[0]


def reduce(function):
    """coremltools gives NumPy a keepdims that is no bool of Python, which NumPy 2.4 refuses."""
    def compute(op):
        axes = None if op.axes is None or op.axes.val is None else tuple(int(axis) for axis in op.axes.val)
        x = np.asarray(value_of(op.x))
        return function(x.astype(np.float32) if x.dtype == np.float16 else x, axis=axes, keepdims=bool(op.keep_dims.val))
    return compute


def log_sum_exp(x, **options):
    return np.log(np.sum(np.exp(x), **options))


def scatter_nd(op):
    return onnx_op("ScatterND", [value_of(op.data), value_of(op.indices), value_of(op.updates)], integers=(1,),
                   reduction={"update": "none"}.get(op.mode.val, op.mode.val))


def scatter_along_axis(op):
    return onnx_op("ScatterElements", [value_of(op.data), value_of(op.indices), value_of(op.updates)], integers=(1,),
                   axis=int(op.axis.val), reduction={"update": "none"}.get(op.mode.val, op.mode.val))


def scatter(op):
    data, indices, updates, axis = (np.asarray(value_of(v)) for v in (op.data, op.indices, op.updates, op.axis))
    made = np.moveaxis(np.array(data), axis, 0)
    update = {"update": None, "add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum, "min": np.minimum}[op.mode.val]
    moved = np.moveaxis(updates, range(axis, axis + indices.ndim), range(indices.ndim)).reshape(indices.size, *made.shape[1:])
    for index, value in zip(indices.ravel(), moved):
        made[index] = value if update is None else update(made[index], value)
    return np.moveaxis(made, 0, axis)


def reshape(op):
    shape = [int(size) for size in np.asarray(op.shape.val).ravel()]
    x = np.asarray(value_of(op.x))
    return x.reshape([x.shape[i] if size == 0 else size for i, size in enumerate(shape)])


def lp_pool(op):
    x = value_of(op.x)
    return onnx_op("LpPool", [x], p=2, kernel_shape=op.kernel_sizes.val.tolist(), strides=op.strides.val.tolist(),
                   **pads(op, x.ndim - 2))


def local_response_norm(op):
    return onnx_op("LRN", [value_of(op.x)], size=int(op.size.val), alpha=float(op.alpha.val), beta=float(op.beta.val),
                   bias=float(op.k.val))


COMPUTED = {
    "reduce_sum": reduce(np.sum), "reduce_mean": reduce(np.mean), "reduce_max": reduce(np.max), "reduce_min": reduce(np.min),
    "reduce_prod": reduce(np.prod), "reduce_log_sum_exp": reduce(log_sum_exp),
    "reduce_log_sum": reduce(lambda x, **options: np.log(np.sum(x, **options))),
    "reduce_sum_square": reduce(lambda x, **options: np.sum(x * x, **options)),
    "reduce_l1_norm": reduce(lambda x, **options: np.sum(np.abs(x), **options)),
    "reduce_l2_norm": reduce(lambda x, **options: np.sqrt(np.sum(x * x, **options))),
    "conv": conv, "conv_transpose": conv_transpose, "batch_norm": batch_norm, "instance_norm": instance_norm, "lstm": lstm,
    "max_pool": pool("MaxPool"), "avg_pool": pool("AveragePool"), "l2_pool": lp_pool, "local_response_norm": local_response_norm,
    "upsample_nearest_neighbor": upsample_nearest, "reshape": reshape,
    "gather_nd": lambda op: onnx_op("GatherND", [value_of(op.x), value_of(op.indices)], integers=(1,),
                                    batch_dims=0 if op.batch_dims is None else int(op.batch_dims.val)),
    "scatter_nd": scatter_nd, "scatter_along_axis": scatter_along_axis, "scatter": scatter,
    "silu": lambda op: value_of(op.x) / (1 + np.exp(-value_of(op.x).astype(np.float32))),
}


def teach():
    """Gives coremltools' operations that it does not fold the value that ONNX Runtime computes."""
    for versions in SSAOpRegistry.core_ops.values() if hasattr(SSAOpRegistry, "core_ops") else ():
        for operation in {id(v): v for v in versions.values()}.values():
            compute = COMPUTED.get(operation.__name__)
            if compute is None or getattr(operation, "is_taught", False):
                continue

            def value_inference(self, compute=compute):
                if any(v is not None and value_of(v) is None for v in self.inputs.values() if not isinstance(v, (list, tuple))):
                    return None
                made = compute(self)
                like = np.asarray(value_of(self.x if hasattr(self, "x") else self.data)).dtype
                # A value without axes is no array to coremltools.
                cast = lambda value: np.asarray(value).astype(like)[()]  # noqa: E731
                return tuple(map(cast, made)) if isinstance(made, tuple) else cast(made)

            operation.value_inference = value_inference
            operation.is_taught = True


def program(path, spec=None):
    """coremltools' own view of the package: it has checked names, types and shapes of every operation."""
    spec = spec or ct.utils.load_spec(str(path))
    weights = ct.models.MLModel(str(path), skip_model_load=True).weights_dir
    return load(spec, spec.specificationVersion, weights)


def constant(name, array, data_type):
    operation = MIL_pb2.Operation(type="const")
    out = operation.outputs.add(name=name)
    tensor = out.type.tensorType
    tensor.dataType, tensor.rank = data_type, array.ndim
    for size in array.shape:
        tensor.dimensions.add().constant.size = size
    value = operation.attributes["val"]
    value.type.CopyFrom(out.type)
    immediate = value.immediateValue.tensor
    if data_type == MIL_pb2.FLOAT16:
        immediate.bytes.values = array.tobytes()
    elif data_type == MIL_pb2.FLOAT32:
        immediate.floats.values.extend(array.ravel().tolist())
    else:
        immediate.ints.values.extend(array.ravel().tolist())
    label = operation.attributes["name"]
    label.type.tensorType.dataType = MIL_pb2.STRING
    label.immediateValue.tensor.strings.values.append(name)
    return operation


def fold(path, inputs, function="main"):
    """{output: value} for {input: array}. An AssertionError names the first operation without a value."""
    teach()
    spec = ct.utils.load_spec(str(path))
    body = spec.mlProgram.functions[function]
    block = body.block_specializations[body.opset]
    made = []
    for given in body.inputs:
        kind = given.type.tensorType.dataType
        array = np.ascontiguousarray(inputs[given.name]).astype(TYPES[kind])
        made.append(constant(given.name, array.reshape([d.constant.size for d in given.type.tensorType.dimensions]), kind))
    del body.inputs[:]
    operations = [*made, *block.operations]
    copies = [MIL_pb2.Operation.FromString(op.SerializeToString()) for op in operations]
    del block.operations[:]
    block.operations.extend(copies)
    loaded = program(path, spec).functions[function]
    values = {}
    for output in loaded.outputs:
        if output.val is None:
            unfolded = [op for op in loaded.operations if op.op_type != "const" and op.outputs and op.outputs[0].val is None
                        and not op.op_type.startswith("constexpr")]
            raise AssertionError(f"no value of {output.name}; first without: {unfolded[0].op_type if unfolded else '?'}")
        values[output.name] = np.asarray(output.val)
    return values
