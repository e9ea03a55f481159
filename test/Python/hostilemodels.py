"""Hostile models: ONNX's own node tests with one field changed, and nodes that ask for much."""
import copy

import numpy as np
import onnx
import onnx.parser
from onnx import AttributeProto, TensorProto, helper, numpy_helper

import onnxnodes

INTS = [0, 1, -1, 2**31, 2**62, 2**63 - 1]
FLOATS = [0.0, -1.0, float("inf"), float("nan"), 1e38]
TYPES = [TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE, TensorProto.BFLOAT16, TensorProto.INT32,
         TensorProto.INT64, TensorProto.UINT8, TensorProto.BOOL, TensorProto.INT4, TensorProto.FLOAT8E5M2]
OPSETS = [1, 7, 13, 18, 21]


def _with_constants(case):
    """The case's model with its parameters as constants: all small inputs but the first, and that too where it is a
    list of integers or booleans, or a scalar. Checks of constants (indices, regions) see no other models."""
    model = copy.deepcopy(case.model)
    for i, info in enumerate(list(model.graph.input)):
        value = case.inputs.get(info.name)
        if not isinstance(value, np.ndarray) or value.size > 16:
            continue
        if i or not value.ndim or (value.ndim == 1 and value.dtype.kind in "iub"):
            model.graph.initializer.append(numpy_helper.from_array(value, info.name))
            model.graph.input.remove(info)
    return model


def seeds():
    """(name, model) of the node tests, once as they are and once with constant parameters. Those that ONNX expanded into
    other ops are left out, the compiler knows the ops themselves."""
    for name, case in sorted(onnxnodes.cases().items()):
        if case.kind == "node" and not name.endswith("_expanded"):
            yield name, case.model
            constant = _with_constants(case)
            if constant.graph.initializer:
                yield name + "+constants", constant


def _attribute_values(attribute):
    """Other contents of an attribute."""
    for value in INTS:
        if attribute.type == AttributeProto.INT:
            yield f"={value}", lambda a, v=value: setattr(a, "i", v)
        if attribute.type == AttributeProto.INTS:
            for i in range(len(attribute.ints)):
                yield f"[{i}]={value}", lambda a, i=i, v=value: a.ints.__setitem__(i, v)
            yield f"+{value}", lambda a, v=value: a.ints.append(v)
    for value in FLOATS:
        if attribute.type == AttributeProto.FLOAT:
            yield f"={value}", lambda a, v=value: setattr(a, "f", v)
        if attribute.type == AttributeProto.FLOATS:
            for i in range(len(attribute.floats)):
                yield f"[{i}]={value}", lambda a, i=i, v=value: a.floats.__setitem__(i, v)
    if attribute.type == AttributeProto.STRING:
        yield "=''", lambda a: setattr(a, "s", b"")
        yield "='linear'", lambda a: setattr(a, "s", b"linear")
    if attribute.ints or attribute.floats or attribute.strings:
        yield " empty", lambda a: [a.ClearField(field) for field in ("ints", "floats", "strings")]
    for kind in AttributeProto.INT, AttributeProto.INTS, AttributeProto.FLOAT, AttributeProto.STRING, AttributeProto.TENSOR:
        if kind != attribute.type:
            yield f" of kind {kind}", lambda a, k=kind: setattr(a, "type", k)


def _node_changes(model):
    for n, node in enumerate(model.graph.node):
        at = f"{node.op_type}" + (f"#{n}" if n else "")

        def edit(change, n=n):
            return lambda m: change(m.graph.node[n])

        for k, attribute in enumerate(node.attribute):
            for label, change in _attribute_values(attribute):
                yield f"{at}.{attribute.name}{label}", edit(lambda node, k=k, c=change: c(node.attribute[k]))
            yield f"{at}.{attribute.name} left out", edit(lambda node, k=k: node.attribute.pop(k))
        yield from _added_attributes(model, node, at, edit)
        for i in range(len(node.input)):
            yield f"{at} without input {i}", edit(lambda node, i=i: node.input.__setitem__(i, ""))
            yield f"{at} with {i} inputs", edit(lambda node, i=i: node.input.__delitem__(slice(i, None)))
            if node.input[0] and i:
                yield f"{at} input {i} is input 0", edit(lambda node, i=i: node.input.__setitem__(i, node.input[0]))
                yield f"{at} input 0 is input {i}", edit(lambda node, i=i: node.input.__setitem__(0, node.input[i]))
        if node.input:
            yield f"{at} with one more input", edit(lambda node: node.input.append(node.input[0]))
            yield f"{at} with 300 more inputs", edit(lambda node: node.input.extend([node.input[0]] * 300))
        yield f"{at} with 300 more outputs", edit(lambda node: node.output.extend(f"more{i}" for i in range(300)))


def _added_attributes(model, node, at, edit):
    """Attributes that the operator knows and the node lacks."""
    opset = max((entry.version for entry in model.opset_import if entry.domain == node.domain), default=1)
    try:
        schema = onnx.defs.get_schema(node.op_type, opset, node.domain)
    except onnx.defs.SchemaError:
        return
    for name, declared in sorted(schema.attributes.items()):
        if any(attribute.name == name for attribute in node.attribute):
            continue
        kind = str(declared.type).rpartition(".")[2]
        values = {"INT": INTS, "INTS": [[v] * 2 for v in INTS], "FLOAT": FLOATS}.get(kind, [])
        for value in values:
            made = helper.make_attribute(name, value)
            yield f"{at}.{name}={value} added", edit(lambda node, made=made: node.attribute.append(made))


def _input_changes(model):
    for n, info in enumerate(model.graph.input):
        if not info.type.HasField("tensor_type"):
            continue

        def edit(change, n=n):
            return lambda m: change(m.graph.input[n].type.tensor_type)

        dims = len(info.type.tensor_type.shape.dim)
        for d in range(dims):
            for value in INTS:
                yield f"{info.name} axis {d}={value}", edit(lambda t, d=d, v=value: setattr(t.shape.dim[d], "dim_value", v))
        for value in 0, 1, 2**31:
            yield f"{info.name} has an axis of {value} more", edit(lambda t, v=value: setattr(t.shape.dim.add(), "dim_value", v))
        if dims:
            yield f"{info.name} has an axis less", edit(lambda t: t.shape.dim.pop())
            yield f"{info.name} is a scalar", edit(lambda t: t.shape.ClearField("dim"))
        for kind in TYPES:
            if kind != info.type.tensor_type.elem_type:
                yield f"{info.name} of type {kind}", edit(lambda t, k=kind: setattr(t, "elem_type", k))


def _constant_changes(model):
    for n, tensor in enumerate(model.graph.initializer):
        value = numpy_helper.to_array(tensor)
        if value.dtype.kind == "O":  # strings
            continue

        def put(value, n=n, name=tensor.name):
            return lambda m: m.graph.initializer[n].CopyFrom(numpy_helper.from_array(value, name))

        for i in range(value.size):
            for new in INTS if value.dtype.kind in "iu" else FLOATS if value.dtype.kind == "f" else [False, True]:
                changed = value.copy()
                with np.errstate(all="ignore"):
                    changed.reshape(-1)[i:i + 1] = np.array([new]).astype(value.dtype)
                yield f"{tensor.name}[{i}]={new}", put(changed)
        yield f"{tensor.name} empty", put(value.reshape(-1)[:0])
        yield f"{tensor.name} one longer", put(np.concatenate([value.reshape(-1), value.reshape(-1)[:1]]))
        yield f"{tensor.name} with one more axis", put(value[None])
        for kind in np.float32, np.int64, np.int32, np.uint8, np.bool_:
            yield f"{tensor.name} of type {kind.__name__}", put(value.astype(kind))


def _whole_changes(model):
    for version in OPSETS:
        yield f"opset {version}", lambda m, v=version: setattr(m.opset_import[0], "version", v)


def one_node(op, inputs, outputs=1, initializers=(), **attributes):
    """The bytes of a model of one node. Inputs are shapes of f32, or names of constants (i64, or f32 where they have a
    fraction)."""
    constant = lambda value: np.array(value, np.float32 if np.array(value).dtype.kind == "f" else np.int64)
    names = [given if isinstance(given, str) else f"x{i}" for i, given in enumerate(inputs)]
    results = [f"y{i}" for i in range(outputs)]
    graph = helper.make_graph(
        [helper.make_node(op, names, results, **attributes)], op,
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, given) for name, given in zip(names, inputs) if name != given],
        [onnx.ValueInfoProto(name=name) for name in results],
        [numpy_helper.from_array(constant(value), name) for name, value in initializers])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=8)
    return model.SerializeToString()


def reduced(size):
    """The bytes of a model that adds up `size` zeros, none of which is in it."""
    return onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["": 17]>
        m (float[2] x) => (float[2] y) <int64[1] shape = {{{size}}}> {{
          zeros = ConstantOfShape (shape)
          sum = ReduceSum (zeros)
          y = Add (x, sum)
        }}""").SerializeToString()


def large():
    """(name, bytes) of models that ask for much: many values, long loops over sizes, large constants."""
    for count in 1000, 16000:
        for shape, axis in (([1, 1], 1), ([1, 4, 8, 8], 1), ([2, 3], 0)):
            yield f"concat of {count} {shape}", one_node("Concat", [shape] * count, axis=axis)
        for shape in [count, 4], [1, count, 1, 8]:
            yield f"split of {shape}", one_node("Split", [shape], count, axis=shape.index(count), num_outputs=count)
        yield f"sum of {count}", one_node("Sum", [[1, 8]] * count)
        yield f"einsum of {count}", one_node("Einsum", [[1]] * count, equation=",".join("a" * count) + "->a")
    for size in 2**10, 2**16, 2**20, 2**24, 2**28:
        yield f"eye of {size}", one_node("EyeLike", [[size, size]])
        yield f"non-zeros of {size}", one_node("NonZero", [[size]])
        yield f"non-zeros of {size}x2", one_node("NonZero", [[size, 2]])
        yield f"one-hot of {size}", one_node("OneHot", [[4], "depth", [2]], initializers=[("depth", [size])])
        yield f"triangle of {size}", one_node("Trilu", [[size, size], "k"], initializers=[("k", [1])])
        yield f"affine grid of {size}", one_node("AffineGrid", [[1, 2, 3], "size"],
                                                 initializers=[("size", [1, 1, size, size])])
        yield f"resized to {size}", one_node("Resize", [[1, 1, 4, 4], "", "", "sizes"], mode="linear",
                                             initializers=[("sizes", [1, 1, size, size])])
        yield f"shape of {size}", one_node("ConstantOfShape", ["shape"], initializers=[("shape", [size, 4])])
        yield f"sum of {size} zeros", reduced(size)
        yield f"window of {size}", one_node("HannWindow", ["size"], initializers=[("size", size)])
        yield f"range of {size}", one_node("Range", ["first", "last", "step"],
                                           initializers=[("first", 0), ("last", size), ("step", 1)])
        yield f"top {size}", one_node("TopK", [[size], "k"], 2, initializers=[("k", [size])])
        yield f"hard maximum of {size}", one_node("Hardmax", [[4, size]])
        yield f"convolution by {size}", one_node("Conv", [[1, 1, 1, 8], [4, 1, 1, 3]], strides=[1, size])
        yield f"dilated by {size}", one_node("Conv", [[1, 1, 1, 2 * size + 1], [4, 1, 1, 3]], dilations=[1, size])
        yield f"transposed by {size}", one_node("ConvTranspose", [[1, 4, 8, 8], [4, 4, 3, 3]], strides=[size, size])
        yield f"kernel of {size}", one_node("AveragePool", [[1, 1, 1, size]], kernel_shape=[1, size])
        yield f"dilated kernel of {size}", one_node("MaxPool", [[1, 1, 1, size]], kernel_shape=[1, size // 4], dilations=[1, 2])
        yield f"norm of kernel {size}", one_node("LpPool", [[1, 1, 1, size]], p=3, kernel_shape=[1, size // 2])
        yield f"attention of {size}", one_node("MatMul", [[1, size, 1], [1, 1, size]])
        yield f"channels {size}", one_node("Conv", [[1, size, 1, 1], [size, 1, 1, 1]], group=size)
        yield f"blocks of {size}", one_node("SpaceToDepth", [[1, 1, size, size]], blocksize=size)
        yield f"recurrence of {size}", one_node("LSTM", [[size, 1, 4], [1, 16, 4], [1, 16, 4]], 3, hidden_size=4, clip=1.0)
        yield f"plain recurrence of {size}", one_node("LSTM", [[size, 1, 4], [1, 16, 4], [1, 16, 4]], 3, hidden_size=4)
        yield f"sequence of {size}", one_node("SplitToSequence", [[size, 2]])


def numbers():
    """(name, bytes) of models with numbers that overflow sums, or the integers that they are rounded to, or make huge values."""
    for batch in 1, 2**31, 2**62, 2**63 - 1, -2**63:
        yield f"batch_dims {batch}", one_node("GatherND", [[2, 3], "at"], initializers=[("at", [[0, 1]])], batch_dims=batch)
    for edge in 1e5, 1e8, 1e19, 1e30, -1e30, float("inf"), float("nan"):
        for mode in "nearest", "linear", "cubic":
            yield f"{mode} of a part to {edge}", one_node(
                "Resize", [[1, 4, 8, 8], "roi", "", "sizes"], mode=mode, coordinate_transformation_mode="tf_crop_and_resize",
                initializers=[("roi", [0., 0, 0, 0, 1, 1, 1, edge]), ("sizes", [1, 4, 8, 8])])
    yield "a wide filter", one_node(
        "Resize", [[1, 1, 8, 8], "roi", "scales"], mode="linear", coordinate_transformation_mode="tf_crop_and_resize",
        antialias=1, initializers=[("roi", [0., 0, 0, 0, 1, 1, 1, 60000]), ("scales", [1., 1, 1, 1e-5])])
    yield "a filter without end", one_node(
        "Resize", [[1, 1, 8, 8], "roi", "scales"], mode="linear", coordinate_transformation_mode="tf_crop_and_resize",
        antialias=1, initializers=[("roi", [0., 0, 0, 0, 1, 1, 1, 1e30]), ("scales", [1., 1, 1, 1e-30])])
    yield "a stride of a million", one_node("Conv", [[1, 1, 1, 8], [4, 1, 1, 3]], strides=[1, 10**6])
    yield "a transposed stride of a million", one_node("ConvTranspose", [[1, 4, 8, 8], [4, 4, 3, 3]], strides=[10**6, 10**6])
    for depth in 1e19, float("inf"), float("nan"):
        yield f"depth {depth}", one_node("OneHot", [[4], "depth", [2]], initializers=[("depth", [depth])])


def models(step=1):
    """(what was changed, bytes) of every `step`-th damaged model, in the same order each time."""
    count = 0
    for name, model in seeds():
        for changes in _node_changes, _input_changes, _constant_changes, _whole_changes:
            for label, change in changes(model):
                count += 1
                if count % step:
                    continue
                damaged = copy.deepcopy(model)
                try:
                    change(damaged)
                except (ValueError, TypeError):  # a number that the field can't hold
                    continue
                # A declared result would be compared with what is computed.
                for info in damaged.graph.output:
                    if info.type.HasField("tensor_type"):
                        info.type.ClearField("tensor_type")
                yield f"{name}: {label}", damaged.SerializeToString()
