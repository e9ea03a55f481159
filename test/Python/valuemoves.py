"""Makers of steps that move elements, make shapes, sequences and control flow, for random graphs with values (see valueops.py)."""
import numpy as np
from onnx import helper

from valuegraph import Undrawable, info, signature
from valueops import draws


def any_type(g, name, variable="T"):
    return g.elements(name, variable)


def nonempty(array):
    if 0 in np.shape(array):
        raise Undrawable("empty")
    return array


@draws("Reshape")
def reshape(g, name):
    x = g.value(any_type(g, name))
    sizes, left = [], x.size
    for _ in range(g.between(0, 3)):
        sizes.append(g.one_of([d for d in range(1, min(left, 64) + 1) if left % d == 0]))
        left //= sizes[-1]
    shape = sizes + [left]
    if g.chance(0.4):
        shape[g.between(0, len(shape) - 1)] = -1
    return g.emit(name, [x, g.fixed(shape)])


@draws("Transpose")
def transpose(g, name):
    x = g.value(any_type(g, name), least=1)
    return g.emit(name, [x], perm=[int(p) for p in g.random.permutation(x.rank)])


@draws("Flatten")
def flatten(g, name):
    x = g.value(any_type(g, name), least=1)
    return g.emit(name, [x], axis=g.between(0, x.rank))


@draws("Squeeze", "Unsqueeze")
def squeeze(g, name):
    x = g.value(any_type(g, name), least=1, most=4)
    if name == "Squeeze":
        axes = [i for i, d in enumerate(x.shape) if d == 1 and g.chance(0.8)]
        if not axes:
            raise Undrawable("no axis of one element")
    else:
        axes = [g.between(0, x.rank)]
    if g.opset >= 13:
        return g.emit(name, [x, g.fixed(axes)])
    return g.emit(name, [x], axes=axes)


@draws("Concat")
def concat(g, name):
    x = g.value(any_type(g, name), least=1)
    axis, written = g.axis(x)
    operands = [x]
    for _ in range(g.between(1, 2)):
        shape = [g.between(1, 4) if i == axis else d for i, d in enumerate(x.shape)]
        operands.append(x if g.chance(0.15) else g.leaf(g.numbers(shape, x.dtype)))
    if g.chance(0.4):
        operands.reverse()
    return g.emit(name, operands, axis=written if g.opset >= 11 else axis)


@draws("Split")
def split(g, name):
    x = g.value(any_type(g, name), least=1, fits=lambda v: max(v.shape) > 1)
    axis = g.one_of([i for i, d in enumerate(x.shape) if d > 1])
    first = g.between(1, x.shape[axis] - 1)
    parts = [first, x.shape[axis] - first]
    if g.opset >= 13:
        return g.emit(name, [x, g.fixed(parts)], 2, axis=axis)[g.between(0, 1)]
    return g.emit(name, [x], 2, axis=axis, split=parts)[g.between(0, 1)]


@draws("Slice")
def slices(g, name):
    x = g.value(any_type(g, name), least=1)
    if g.opset < 10:
        raise Undrawable(name)
    axes, starts, ends, strides = g.axes(x), [], [], []
    for axis in axes:
        size, step = x.shape[axis], g.one_of([1, 1, 1, 2, 3, -1, -2])
        begin = g.between(0, size - 1)
        end = g.between(begin + 1, size) if step > 0 else begin - g.between(1, begin + 1)
        starts.append(begin - size if g.chance(0.3) else begin)
        ends.append({True: 2**63 - 1 if g.chance(0.2) else end, False: -size - 1 if end < 0 else end}[step > 0])
        strides.append(step)
    dtype = g.one_of([np.int64, np.int32])
    if dtype == np.int32:
        ends = [min(end, 2**31 - 1) for end in ends]
    return g.emit(name, [x, *(g.fixed(each, dtype) for each in (starts, ends, axes, strides))])


@draws("Pad")
def pad(g, name):
    x = g.value(any_type(g, name), least=1, most=4)
    mode = g.one_of(["constant", "constant", "reflect", "edge"] + ["wrap"] * (g.opset >= 19))
    most = min(min(x.shape) - 1, 2) if mode in ("reflect", "wrap") else 3
    if most < 0 or g.opset < 11 and x.dtype != np.float32:
        raise Undrawable("too small")
    pads = [g.between(0, most) for _ in range(2 * x.rank)]
    if g.opset < 11:
        return g.emit(name, [x], mode=mode, pads=pads)
    operands = [x, g.fixed(pads)]
    if mode == "constant" and g.chance(0.7):
        operands.append(g.fixed(g.numbers((), x.dtype), x.dtype))
    return g.emit(name, operands, mode=mode)


@draws("Tile", "Expand")
def repeat(g, name):
    x = g.value(any_type(g, name), least=1, most=4, fits=lambda v: v.size < 100)
    if name == "Tile":
        return g.emit(name, [x, g.fixed([g.between(1, 3) for _ in x.shape])])
    shape = [g.between(1, 4) if d == 1 else g.one_of([1, d]) for d in x.shape]
    return g.emit(name, [x, g.fixed([g.between(1, 3)] * g.chance(0.4) + shape)])


@draws("DepthToSpace", "SpaceToDepth")
def blocks(g, name):
    size = g.between(1, 3)
    shape = (g.between(1, 2), 3, 2, 5)
    deep = name == "DepthToSpace"
    shape = (shape[0], shape[1] * size * size, *shape[2:]) if deep else (*shape[:2], shape[2] * size, shape[3] * size)
    x = g.leaf(g.numbers(shape, any_type(g, name)))
    attributes = {"mode": g.one_of(["DCR", "CRD"])} if deep and g.opset >= 11 else {}
    return g.emit(name, [x], blocksize=size, **attributes)


@draws("CenterCropPad")
def center(g, name):
    if g.opset < 18:
        raise Undrawable(name)
    x = g.value(any_type(g, name), least=1, most=4)
    axes = g.axes(x)
    return g.emit(name, [x, g.fixed([g.between(1, 6) for _ in axes])], axes=axes)


def indices(g, shape, size):
    """Leaf of indices, of which some count from the end."""
    drawn = g.random.integers(-size if g.chance(0.5) and g.opset >= 11 else 0, size, shape)
    return g.leaf(drawn.astype(g.one_of([np.int32, np.int64])))


@draws("Gather", "GatherElements", "Scatter", "ScatterElements")
def gather(g, name):
    if not signature("", name, g.opset) or name == "Scatter" and g.opset > 10:
        raise Undrawable(name)
    x = g.value(any_type(g, name), least=1)
    axis, written = g.axis(x)
    written = written if g.opset >= 11 else axis
    if name == "Gather":
        return g.emit(name, [x, indices(g, g.shape(g.between(0, 2)), x.shape[axis])], axis=written)
    shape = tuple(g.between(1, d) for d in x.shape)
    if name == "GatherElements":
        return g.emit(name, [x, indices(g, shape, x.shape[axis])], axis=written)
    reductions = ["none"] + ["add", "mul"] * (g.opset >= 16) + ["max", "min"] * (g.opset >= 18)
    reduction = g.one_of(reductions) if x.dtype != bool and name == "ScatterElements" else "none"
    places = np.moveaxis(np.stack([g.random.permutation(x.shape[axis]) for _ in range(int(np.prod(x.shape)) // x.shape[axis])]).reshape(
        *(x.shape[:axis] + x.shape[axis + 1:]), x.shape[axis]), -1, axis)[tuple(slice(0, d) for d in shape)]
    if reduction != "none" and g.chance(0.5):
        places = places // 2
    places = np.where(g.random.random(shape) < 0.3, places - x.shape[axis], places) if g.opset >= 11 else places
    update = g.leaf(g.numbers(shape, x.dtype))
    attributes = {} if reduction == "none" else {"reduction": reduction}
    return g.emit(name, [x, g.leaf(places.astype(g.one_of([np.int32, np.int64]))), update], axis=written, **attributes)


@draws("GatherND", "ScatterND")
def gather_nd(g, name):
    x = g.value(any_type(g, name), least=1)
    depth, count = g.between(1, x.rank), g.between(1, 3)
    if g.opset < 11:
        raise Undrawable(name)
    every = np.stack(np.unravel_index(g.random.permutation(int(np.prod(x.shape[:depth])))[:count], x.shape[:depth]), -1).astype(np.int64)
    if name == "GatherND":
        return g.emit(name, [x, g.leaf(every)])
    reductions = ["none"] + ["add", "mul"] * (g.opset >= 16) + ["max", "min"] * (g.opset >= 18)
    reduction = g.one_of(reductions) if x.dtype != bool else "none"
    if reduction != "none" and g.chance(0.5):
        every = np.concatenate([every, every])
    update = g.leaf(g.numbers((len(every), *x.shape[depth:]), x.dtype))
    return g.emit(name, [x, g.leaf(every), update], **({} if reduction == "none" else {"reduction": reduction}))


@draws("ReverseSequence")
def reverse(g, name):
    x = g.value(any_type(g, name), least=2)
    if g.opset < 10:
        raise Undrawable(name)
    time = g.between(0, 1)
    lengths = g.leaf(g.random.integers(1, x.shape[time] + 1, x.shape[1 - time]).astype(np.int64))
    return g.emit(name, [x, lengths], time_axis=time, batch_axis=1 - time)


@draws("OneHot")
def one_hot(g, name):
    count = g.between(1, 6)
    dtype = g.element(["float", "int64", "int32", "float16", "uint8", "bool"])
    places = g.leaf(g.random.integers(-count, count, g.shape(g.between(1, 2))).astype(g.element(["int64", "int32", "float", "uint8"])))
    if places.dtype.kind == "u":
        places = g.leaf((places.array % count).astype(places.dtype))
    return g.emit(name, [places, g.fixed(count), g.leaf(np.array([0, 1] if g.chance(0.6) else [1, 0], dtype))], axis=g.one_of([-1, 0]))


@draws("Compress", "NonZero", "Unique")
def selected(g, name):
    """Of constants, because the shape depends on values."""
    if not signature("", name, g.opset):
        raise Undrawable(name)
    x = g.fixed(g.numbers(g.shape(g.between(1, 3)), any_type(g, name), None if name != "Unique" else "eighths"), any_type(g, name))
    if name == "Compress":
        axis = g.between(0, x.rank - 1)
        keep = g.random.random(x.shape[axis]) < 0.6
        keep[0] = True
        # The values may be an input: only the condition decides the shape.
        return g.emit(name, [g.leaf(x.array), g.fixed(keep, bool)], axis=axis)
    if name == "NonZero":
        return g.emit(name, [x])
    # Of types that ONNX Runtime lacks only the reference is a judge, which sorts in any case.
    isSorted = 1 if x.dtype.name not in ("float32", "float64", "int8", "int64") else g.between(0, 1)
    return g.emit(name, [x], g.between(1, 4), sorted=isSorted)


# Shapes, constants.


@draws("Shape", "Size")
def measured(g, name):
    x = g.value(any_type(g, name))
    made = g.emit(name, [x])
    if name == "Shape" and not x.rank:
        raise Undrawable("empty")
    return g.emit("Mul", [made, g.leaf(g.numbers(made.shape, np.int64))])


@draws("Constant")
def constant(g, name):
    array = g.numbers(g.shape(), g.elements("Identity", "V") if signature("", "Identity", g.opset)[1].get("V") else np.float32)
    kind = g.between(0, 2)
    if kind == 0 or g.opset < 12:
        node = helper.make_node(name, [], ["c"], value=helper.make_tensor("c", helper.np_dtype_to_tensor_dtype(array.dtype), array.shape, array.tobytes(), raw=True))
    elif kind == 1:
        node = helper.make_node(name, [], ["c"], value_floats=[float(f) for f in g.numbers((5,), np.float32)])
    else:
        node = helper.make_node(name, [], ["c"], value_int=int(g.numbers((), np.int64)))
    node.output[0] = g.name()
    made = g.step([node], [], [node.output[0]])[0]
    return g.emit("Where", [g.leaf(g.numbers(made.shape, np.bool_)), made, g.leaf(g.numbers(made.shape, made.dtype))])


@draws("ConstantOfShape")
def filled(g, name):
    value = g.numbers((1,), g.element(["float", "int64", "int32", "float16", "double", "bool", "uint8"]))
    made = g.emit(name, [g.fixed(g.shape(g.between(1, 3)))], value=helper.make_tensor("v", helper.np_dtype_to_tensor_dtype(value.dtype), [1], value.tobytes(), raw=True))
    return g.emit("Where", [g.leaf(g.numbers(made.shape, np.bool_)), made, g.leaf(g.numbers(made.shape, made.dtype))])


@draws("EyeLike")
def eye(g, name):
    x = g.value(g.element(["float", "int64", "int32", "double"]), rank=2)
    made = g.emit(name, [x], k=g.between(-2, 2), **({"dtype": g.one_of([1, 6, 7, 11])} if g.chance(0.5) else {}))
    return g.emit("Equal", [made, g.leaf(g.numbers(made.shape, made.dtype))]) if made.dtype.kind == "i" else g.emit("Add", [made, g.partner(made)])


@draws("Range")
def count(g, name):
    if g.opset < 11:
        raise Undrawable(name)
    dtype = g.element(["float", "int64", "int32", "double"])
    begin, step = g.between(-5, 5), g.one_of([1, 2, 3, -1, 0.25, 0.1] if np.dtype(dtype).kind == "f" else [1, 2, -2])
    end = begin + step * g.between(1, 20)
    made = g.emit(name, [g.fixed(each, dtype) for each in (begin, end, step)])
    return g.emit("Mul", [made, g.leaf(g.numbers(g.one_of([(), made.shape]), made.dtype))])


@draws("Shape")
def computed_shape(g, name):
    """Shapes that the model computes, as exporters write them: Shape, Gather, Concat, Reshape; Range over a size."""
    x = g.value(g.element(["float", "float", "int64"]), least=2, most=4)
    shape = g.emit(name, [x])
    kind = g.between(0, 2)
    if kind == 0:
        size = g.emit("Gather", [shape, g.fixed([0])], axis=0)
        return g.emit("Reshape", [x, g.emit("Concat", [size, g.fixed([-1])], axis=0)])
    if kind == 1 or g.opset < 11:
        return g.emit("Mul", [g.emit("Cast", [g.emit("Gather", [shape, g.fixed(x.rank - 1)], axis=0)], to=1), g.value(np.float32)])
    size = g.emit("Gather", [shape, g.fixed(0)], axis=0)
    places = g.emit("Range", [g.fixed(0), size, g.fixed(1)])
    return g.emit("Div", [places, g.fixed(g.one_of([2, 3, 7]))])


# Sequences, optional values, control flow.


@draws("SequenceConstruct", "SequenceEmpty", "SequenceInsert", "SequenceErase", "SequenceAt", "SequenceLength", "ConcatFromSequence",
       "SplitToSequence", "SequenceMap", "Optional", "OptionalGetElement", "OptionalHasElement")
def sequence(g, name):
    if g.opset < {"SequenceMap": 17, "Optional": 18, "OptionalGetElement": 18, "OptionalHasElement": 18}.get(name, 11):
        raise Undrawable(name)
    x = g.value(g.element(["float", "int64", "float16", "int32"]), rank=2)
    y = g.leaf(g.numbers(x.shape, x.dtype))
    node, result = helper.make_node, g.name()
    place = g.fixed(g.between(-2, 1))
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    pair = node("SequenceConstruct", [x.name, y.name], [f"{result}s"])
    s, t = f"{result}s", f"{result}t"
    double = helper.make_graph([node("Add", [f"{result}i", f"{result}i"], [f"{result}o"])], "body",
                               [info(f"{result}i", x.dtype, x.shape)], [info(f"{result}o", x.dtype, x.shape)])
    nodes = {
        "SequenceConstruct": [pair, node("SequenceAt", [s, place.name], [result])],
        "SequenceAt": [pair, node("SequenceAt", [s, place.name], [result])],
        "SequenceEmpty": [node("SequenceEmpty", [], [s], dtype=kind), node("SequenceInsert", [s, x.name], [t]), node("ConcatFromSequence", [t], [result], axis=0)],
        "SequenceInsert": [pair, node("SequenceInsert", [s, x.name, place.name], [t]), node("ConcatFromSequence", [t], [result], axis=0)],
        "SequenceErase": [pair, node("SequenceErase", [s, place.name], [t]), node("ConcatFromSequence", [t], [result], axis=1)],
        "SequenceLength": [pair, node("SequenceLength", [s], [f"{result}n"]), node("Cast", [f"{result}n"], [f"{result}c"], to=kind), node("Mul", [f"{result}c", x.name], [result])],
        "ConcatFromSequence": [pair, node("ConcatFromSequence", [s], [result], axis=g.between(-1, 1), new_axis=g.between(0, 1))],
        "SplitToSequence": [node("SplitToSequence", [x.name], [s], axis=0, keepdims=g.between(0, 1)), node("ConcatFromSequence", [s], [result], axis=0)],
        "SequenceMap": [pair, node("SequenceMap", [s], [t], body=double), node("ConcatFromSequence", [t], [result], axis=0)],
        "Optional": [node("Optional", [x.name], [s]), node("OptionalGetElement", [s], [result])],
        "OptionalGetElement": [node("Optional", [x.name], [s]), node("OptionalGetElement", [s], [result])],
        "OptionalHasElement": [node("Optional", [x.name], [s]), node("OptionalHasElement", [s], [f"{result}b"]), node("Where", [f"{result}b", x.name, y.name], [result])],
    }[name]
    used = {n for each in nodes for n in each.input}
    return g.step(nodes, [v for v in (x, y, place) if v.name in used], [result])[0]


@draws("If", "Loop", "Scan")
def control(g, name):
    if g.opset < 11:
        raise Undrawable(name)
    x = g.value(g.element(["float", "float", "int64", "int32"]), rank=2)
    y = g.leaf(g.numbers(x.shape, x.dtype))
    chosen = g.leaf(np.asarray(g.chance(0.5))) if name == "If" else g.fixed(g.between(1, 4)) if name == "Loop" else None
    result = g.name()
    node = helper.make_node
    op = g.one_of(["Add", "Mul", "Sub"])
    if name == "If":
        branches = [helper.make_graph([node(each, [x.name, y.name], [f"{result}{each}"])], each, [], [info(f"{result}{each}", x.dtype, x.shape)])
                    for each in ("Add", "Mul")]
        nodes = [node(name, [chosen.name], [result], then_branch=branches[0], else_branch=branches[1])]
        return g.step(nodes, [chosen, x, y], [result])[0]
    if name == "Loop":
        body = helper.make_graph([node("Identity", [f"{result}c"], [f"{result}d"]), node(op, [f"{result}a", y.name], [f"{result}b"])], "body",
                                 [info(f"{result}i", np.int64, ()), info(f"{result}c", np.bool_, ()), info(f"{result}a", x.dtype, x.shape)],
                                 [info(f"{result}d", np.bool_, ()), info(f"{result}b", x.dtype, x.shape)])
        return g.step([node(name, [chosen.name, "", x.name], [result], body=body)], [chosen, x, y], [result])[0]
    row = x.shape[1:]
    start = g.leaf(g.numbers(row, x.dtype))
    result = g.name()
    body = helper.make_graph([node(op, [f"{result}a", f"{result}e"], [f"{result}b"]), node("Identity", [f"{result}b"], [f"{result}p"])], "body",
                             [info(f"{result}a", x.dtype, row), info(f"{result}e", x.dtype, row)],
                             [info(f"{result}b", x.dtype, row), info(f"{result}p", x.dtype, row)])
    rows = g.name()
    nodes = [node(name, [start.name, x.name], [result, rows], body=body, num_scan_inputs=1,
                  scan_input_directions=[g.between(0, 1)])]
    return g.step(nodes, [start, x], [result, rows])[1]
