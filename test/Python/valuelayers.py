"""Makers of layers, for random graphs with values (see valueops.py): products and quantised ops, and those of ONNX's own node tests with
other numbers, other element types, and constants and computed values in place of inputs."""
from collections import defaultdict
from functools import lru_cache

import numpy as np
from onnx import checker, helper

import onnxnodes
from valuegraph import TYPES, Undrawable, signature
from valueops import MAKERS, draws

# ONNX's own tests are drawn for these: too many attributes to write down again. Inputs that stay what the test has, beside integers: scales,
# boxes, thresholds, coordinates; those that must be positive; those whose numbers stay small, so that they are places or gates.
TEMPLATES = """AffineGrid Attention AveragePool BatchNormalization BlackmanWindow Col2Im Conv ConvTranspose DFT DeformConv Det Einsum GRU
GlobalAveragePool GlobalLpPool GlobalMaxPool GridSample GroupNormalization HammingWindow HannWindow InstanceNormalization LRN LSTM LpPool
MaxPool MaxUnpool MelWeightMatrix NegativeLogLikelihoodLoss NonMaxSuppression RNN Resize RoiAlign RotaryEmbedding STFT
SoftmaxCrossEntropyLoss Upsample Gemm MatMul""".split()
KEPT = {"Resize": {1, 2, 3}, "Upsample": {1}, "RoiAlign": {1}, "MelWeightMatrix": {0, 1, 2, 3, 4}, "NonMaxSuppression": {0, 1, 2, 3, 4},
        "RotaryEmbedding": {1, 2}, "MaxUnpool": {1, 2}}
POSITIVE = {"BatchNormalization": {4}}
SMALL = {"GridSample": {1}, "DeformConv": {2, 3}, "AffineGrid": {0}, "LSTM": set(range(8)), "GRU": set(range(6)), "RNN": set(range(6))}


@lru_cache(None)
def templates():
    """op -> [(node, inputs, opset)] of ONNX's node tests with tensors alone."""
    made = defaultdict(list)
    for case in onnxnodes.cases().values():
        if case.kind != "node" or len(case.model.graph.node) != 1:
            continue
        node = case.model.graph.node[0]
        arrays = [case.inputs.get(name) for name in node.input]
        if node.domain or node.op_type not in TEMPLATES or any(a is None and n for a, n in zip(arrays, node.input)):
            continue
        if all(a is None or isinstance(a, np.ndarray) and a.size <= 3000 and a.dtype in map(np.dtype, TYPES.values()) for a in arrays):
            opset = next(o.version for o in case.model.opset_import if o.domain in ("", "ai.onnx"))
            made[node.op_type].append((node, arrays, opset))
    return made


def operand(g, op, index, array, dtype):
    """A leaf in place of the test's input."""
    if array.dtype.kind not in "f" or index in KEPT.get(op, ()):
        return g.fixed(array, array.dtype if array.dtype.kind != "f" or dtype is None or index in (2, 3) and op == "Resize" else dtype)
    if index in SMALL.get(op, ()):
        return g.leaf(g.random.uniform(-1.2, 1.2, array.shape).astype(dtype))
    drawn = g.numbers(array.shape, dtype)
    # Products of them are finite, so that the order of sums is free.
    drawn = np.where(np.abs(drawn.astype(np.float64)) < 1e12, drawn, np.asarray(1, dtype)).astype(dtype)
    if index in POSITIVE.get(op, ()):
        drawn = np.abs(drawn)
    leaf = g.leaf(drawn)
    if g.chance(0.3):  # what is computed is another case than an input
        computed = g.emit(g.one_of(["Mul", "Add", "Div"]), [leaf, g.leaf(np.asarray(g.one_of([7, 0.1, 1, 255]), dtype))])
        if np.isfinite(computed.array.astype(np.float64)).all():
            return computed
    return leaf


@draws(*TEMPLATES)
def from_template(g, name):
    cases = [case for case in templates()[name] if case[2] >= g.opset or len(templates()[name]) == 1]
    found = signature("", name, g.opset)
    if not cases or not found:
        raise Undrawable(name)
    node, arrays, _ = g.one_of(cases)
    variables = dict(zip(range(20), [kind.rstrip("?*") for kind in found[0]]))
    chosen = {}
    for index, array in enumerate(arrays):
        variable = variables.get(index, variables.get(0))
        types = found[1].get(variable)
        if array is not None and array.dtype.kind == "f" and variable not in chosen:
            floats = [t for t in types or ["float"] if np.dtype(TYPES.get(t, np.bool_)).kind == "f"]
            chosen[variable] = g.element(floats) if types else None
    if len(set(chosen.values())) > 1 and g.chance(0.8):  # mixed types are rare
        chosen = {v: next(iter(chosen.values())) if t is not None else None for v, t in chosen.items()}
    operands = [None if array is None else operand(g, name, i, array, chosen.get(variables.get(i, variables.get(0)))) for i, array in enumerate(arrays)]
    made = type(node)()
    made.CopyFrom(node)
    made.input[:] = [v.name if v else "" for v in operands]
    results = [g.name() if old else "" for old in node.output]
    made.output[:] = results
    for attribute in list(made.attribute):
        if attribute.name == "training_mode":
            made.attribute.remove(attribute)
    if name == "LRN":  # defaults of attributes have as many digits as the reader likes
        for attribute, value in {"alpha": 0.125, "beta": 0.75, "bias": 1.5}.items():
            if attribute not in [a.name for a in made.attribute]:
                made.attribute.append(helper.make_attribute(attribute, value))
    try:
        checker.check_node(made, context(g.opset))
    except checker.ValidationError:  # the attributes of a newer opset
        raise Undrawable(name) from None
    g.step([made], [v for v in operands if v], [r for r in results if r])


@lru_cache(None)
def context(opset):
    made = checker.C.CheckerContext()
    made.ir_version, made.opset_imports = 10, {"": opset}
    return made


@draws("GlobalLpPool")
def global_pool(g, name):
    return g.emit(name, [g.leaf(g.numbers((2, 3, 4, 5), g.elements(name), g.one_of(["unit", "eighths", "positive"])))], p=g.between(1, 3))


# Products of integers and of quantised numbers.


@draws("MatMul", "Gemm")
def product(g, name):
    dtype = g.element(["float", "float", "double", "float16", "int32", "int64", "uint32"])
    x = g.value(dtype, rank=2, fits=lambda v: v.size <= 2000)
    m, k = x.shape
    n = g.between(1, 5)
    if name == "MatMul":
        return g.emit(name, [x, g.leaf(g.numbers((k, n) if g.chance(0.8) else (k,), dtype))])
    ta, tb = g.between(0, 1), g.between(0, 1)
    k, m = (m, k) if ta else (k, m)
    y = g.leaf(g.numbers((n, k) if tb else (k, n), dtype))
    z = [g.leaf(g.numbers(g.one_of([(n,), (m, n), (1, n), (m, 1), ()]), dtype))] if g.chance(0.7) or g.opset < 11 else []
    whole = np.dtype(dtype).kind in "iu"
    if whole and min(np.iinfo(dtype).max, 2**53) < k * max(float(np.abs(v.array.astype(object)).max()) for v in (x, y)) ** 2:
        raise Undrawable("overflow")
    return g.emit(name, [x, y, *z], transA=ta, transB=tb, alpha=1.0 if whole else g.one_of([1.0, 0.5, 0.1]), beta=1.0 if whole else g.one_of([1.0, 2.0]))


@draws("Einsum")
def einsum(g, name):
    dtype = g.element(["float", "float", "double", "int32", "int64"])
    a, b, c = (g.between(1, 5) for _ in range(3))
    equation, shapes = g.one_of([("ij,jk->ik", [(a, b), (b, c)]), ("ij->ji", [(a, b)]), ("ij->i", [(a, b)]), ("ii->i", [(a, a)]),
                                 ("bij,bjk->bik", [(a, b, c), (a, c, b)]), ("i,i->", [(a,), (a,)]), ("...i,i->...", [(a, b), (b,)])])
    if g.opset < 12:
        raise Undrawable(name)
    return g.emit(name, [g.leaf(g.numbers(shape, dtype)) for shape in shapes], equation=equation)


def codes(g, shape, dtype):
    info = np.iinfo(dtype)
    return g.leaf(g.random.integers(info.min, info.max + 1, shape).astype(dtype))


def scale(g, shape=(), dtype=np.float32):
    return g.leaf((g.random.uniform(0.01, 0.1, shape)).astype(dtype))


@draws("MatMulInteger", "ConvInteger")
def integer_product(g, name):
    if g.opset < 10:
        raise Undrawable(name)
    first, second = g.one_of([np.uint8, np.int8]), g.one_of([np.uint8, np.int8])
    if name == "MatMulInteger":
        m, k, n = g.between(1, 5), g.between(1, 9), g.between(1, 5)
        operands = [codes(g, (m, k), first), codes(g, (k, n), second)]
    else:
        operands = [codes(g, (1, 2, 5, 5), first), codes(g, (3, 2, 3, 3), second)]
    if g.chance(0.7):
        operands.append(codes(g, (), first))
        if g.chance(0.6):
            operands.append(codes(g, (), second))
    return g.emit(name, operands)


@draws("QLinearMatMul", "QLinearConv")
def quantised_product(g, name):
    if g.opset < 10:
        raise Undrawable(name)
    first, second = g.one_of([np.uint8, np.int8]), np.int8
    shapes = ((3, 6), (6, 4)) if name == "QLinearMatMul" else ((1, 2, 5, 5), (3, 2, 3, 3))
    operands = [codes(g, shapes[0], first), scale(g), codes(g, (), first), codes(g, shapes[1], second), scale(g), g.fixed(0, second), scale(g), codes(g, (), first)]
    if name == "QLinearConv" and g.chance(0.5):
        operands.append(g.leaf(g.random.integers(-999, 999, 3).astype(np.int32)))
    return g.emit(name, operands)


QUANTISED = ["int8", "uint8", "int16", "uint16"]


@draws("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear")
def quantize(g, name):
    if g.opset < (11 if name == "DynamicQuantizeLinear" else 10):
        raise Undrawable(name)
    if name == "DynamicQuantizeLinear":
        x = g.value(np.float32, least=1, fits=lambda v: np.isfinite(v.array).all())
        return g.emit(name, [x], 3)
    kind = TYPES[g.one_of(QUANTISED if g.opset >= 21 else QUANTISED[:2])]
    blocks = g.opset >= 21 and g.chance(0.2)
    along = not blocks and g.opset >= 13 and g.chance(0.4)
    dtype = g.one_of([np.float32, np.float32, np.float16]) if g.opset >= 19 else np.float32
    shape = (3, 4, 6) if blocks or along else g.shape()
    parts = {True: (4,), False: ()}[along] if not blocks else (3, 4, 2)
    attributes = {"axis": 2, "block_size": 3} if blocks else {"axis": 1} if along else {}
    step = g.leaf(np.asarray(g.random.choice([0.5, 0.25, 1 / 3, 0.1, 0.007, 3], parts)).astype(dtype))
    operands = [step] + ([codes(g, parts, kind)] if g.chance(0.7) or kind != np.uint8 else [])
    if name == "QuantizeLinear":
        return g.emit(name, [g.leaf(g.numbers(shape, dtype, g.one_of(["unit", "eighths", "whole", "large"]))), *operands], **attributes)
    if len(operands) == 1 and g.chance(0.5):
        return g.emit(name, [g.leaf(g.numbers(shape, np.int32)), step], **attributes)
    return g.emit(name, [codes(g, shape, kind), *operands], **attributes)


assert set(TEMPLATES) <= {name for _, name in MAKERS}
