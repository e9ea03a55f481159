"""Makers of steps on elements and along axes, for random graphs with values (valuegraph.py). MAKERS: (domain, op) -> [function(graph)]."""
import numpy as np
from onnx import helper

from valuegraph import Undrawable, signature

MAKERS = {}


def draws(*names, domain=""):
    """Registers a maker for each op; it gets the graph and the op's name."""
    def register(function):
        for name in names:
            MAKERS.setdefault((domain, name), []).append(lambda g, name=name: function(g, name))
        return function
    return register


def number(g, low, high):
    """A float attribute."""
    return float(np.float32(g.random.uniform(low, high)))


# Element by element.


@draws("Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Cos", "Cosh", "Erf", "Exp", "Floor", "HardSwish", "Identity",
       "IsNaN", "Log", "Mish", "Neg", "Reciprocal", "Relu", "Round", "Sigmoid", "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Sqrt", "Tan",
       "Tanh", "BitwiseNot", "Not")
def unary(g, name):
    found = signature("", name, g.opset)
    if not found:
        raise Undrawable(name)
    x = g.value(g.elements(name, *found[1]))
    return g.emit(name, [x])


@draws("Celu", "Elu", "LeakyRelu", "ThresholdedRelu", "Shrink", "Selu", "HardSigmoid", "Gelu", "Swish", "IsInf", "Dropout")
def parametric(g, name):
    found = signature("", name, g.opset)
    if not found:
        raise Undrawable(name)
    attributes = {"Celu": {"alpha": number(g, 0.1, 3)}, "Elu": {"alpha": number(g, -1, 3)}, "LeakyRelu": {"alpha": number(g, -1, 2)},
                  "ThresholdedRelu": {"alpha": g.one_of([0.0, 1.0, 7e4, 1e-8, -1.0])},
                  "Shrink": {"lambd": g.one_of([0.5, 0.0, 1e5, 1e-8]), "bias": g.one_of([0.0, 1.5])},
                  "Selu": {"alpha": number(g, 0.5, 2), "gamma": number(g, 0.5, 2)},
                  "HardSigmoid": {"alpha": number(g, 0, 1), "beta": number(g, -1, 1)},
                  "Gelu": {"approximate": g.one_of(["none", "tanh"])}, "Swish": {"alpha": number(g, 0.5, 2)},
                  "IsInf": {"detect_negative": g.between(0, 1), "detect_positive": g.between(0, 1)}}.get(name, {})
    if name in ("Shrink", "Selu", "Celu", "Elu") and g.chance(0.3):
        attributes = {}
    x = g.value(g.elements(name, next(iter(found[1]))))
    if name == "Shrink" and not x.floating:
        attributes = {"lambd": 2.0, "bias": 1.0}
        if (np.abs(x.array.astype(np.float64)) > 100).any():
            raise Undrawable("overflow")
    return g.emit(name, [x], **attributes)


def same_type(g, name):
    """Two operands of one type that broadcast, in either order."""
    found = signature("", name, g.opset)
    if not found:
        raise Undrawable(name)
    x = g.value(g.elements(name, next(iter(found[1])))) if found[1] else None
    pair = [x, g.partner(x)]
    return pair if g.chance(0.6) else pair[::-1]


@draws("Add", "Sub", "Mul", "And", "Or", "Xor", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Equal", "Greater", "GreaterOrEqual", "Less",
       "LessOrEqual")
def binary(g, name):
    return g.emit(name, same_type(g, name))


def divisor(g, x):
    """A second operand without zeros, nor -1 where the smallest integer may meet it."""
    y = g.partner(x)
    if not x.floating:
        made = np.where(y.array == 0, 3, y.array).astype(y.dtype)
        if y.dtype.kind == "i" and x.size and x.array.min() == np.iinfo(x.dtype).min:
            made = np.where(made == -1, 7, made).astype(y.dtype)
        return y if (made == y.array).all() else g.leaf(made)
    return y


@draws("Div")
def divide(g, name):
    x = g.value(g.elements(name))
    if g.chance(0.4) and (x.floating or x.dtype.itemsize > 1):
        y = g.fixed(g.one_of([7, 41, 255, 3, 10, 8, 0.1, 0.5, 1e5] if x.floating else [7, 41, 100, 8, 3]), x.dtype)
    else:
        y = divisor(g, x)
    return g.emit(name, [x, y])


@draws("Mod")
def modulo(g, name):
    x = g.value(g.elements(name))
    return g.emit(name, [x, divisor(g, x)], fmod=1 if x.floating else g.between(0, 1))


@draws("Pow")
def power(g, name):
    x = g.value(g.elements(name))
    if x.floating:
        exponent = g.one_of([2, 3, 0.5, -1, -0.5, 1, -2, 4, 0, 1.5, 10, 0.1])
        y = g.fixed(exponent, x.dtype) if g.chance(0.6) else g.leaf(np.asarray(g.numbers(x.shape, x.dtype, "eighths")))
        if g.opset >= 12 and g.chance(0.2):
            y = g.leaf(g.random.integers(0, 4, x.shape).astype(np.int64))
    else:
        y = g.leaf(g.random.integers(0, 4, x.shape if g.chance(0.5) else ()).astype(x.dtype))
        info = np.iinfo(x.dtype)  # what does not fit is not defined
        if any(not info.min <= int(a) ** int(b) <= info.max for a, b in zip(*(each.ravel() for each in np.broadcast_arrays(x.array, y.array)))):
            raise Undrawable("overflow")
    return g.emit(name, [x, y])


@draws("BitShift")
def shift(g, name):
    x = g.value(g.elements(name))
    y = g.leaf(g.random.integers(0, 8 * x.dtype.itemsize, x.shape if g.chance(0.6) else ()).astype(x.dtype))
    return g.emit(name, [x, y], direction=g.one_of(["LEFT", "RIGHT"]))


@draws("Max", "Min", "Sum", "Mean")
def variadic(g, name):
    pair = same_type(g, name)
    more = [g.partner(pair[0]) for _ in range(g.one_of([0, 0, 1]))] if pair[0].shape == np.broadcast_shapes(pair[0].shape, pair[1].shape) else []
    return g.emit(name, pair + more)


@draws("Clip")
def clip(g, name):
    if g.opset < 11:
        return g.emit(name, [g.value()], min=-1.0, max=6.0)
    x = g.value(g.elements(name))
    ends = sorted(np.atleast_1d(np.nan_to_num(g.numbers((2,), x.dtype).astype(np.float64))).tolist())
    low, high = (np.asarray(end).astype(x.dtype) if x.floating else np.array(min(max(int(end), int(np.iinfo(x.dtype).min)),
                 int(np.iinfo(x.dtype).max)) if abs(end) < 2**62 else 0, x.dtype) for end in ends)
    if not low <= high:
        raise Undrawable("empty range")
    bounds = [low, high]
    keep = g.one_of([(True, True), (True, False), (False, True)])
    return g.emit(name, [x, *(g.leaf(end) if k else None for end, k in zip(bounds, keep))])


@draws("PRelu")
def prelu(g, name):
    x = g.value(g.elements(name), least=1)
    slope = g.leaf(g.numbers(x.shape[-1:] if g.chance(0.5) else x.shape, x.dtype))
    return g.emit(name, [x, slope])


@draws("Where")
def where(g, name):
    x = g.value(g.elements(name))
    return g.emit(name, [g.partner(x, np.bool_), x, g.partner(x)])


def castable(x, to):
    """No float of x is beyond what integers of type `to` hold."""
    if not x.floating or np.dtype(to).kind not in "iu":
        return True
    wide = x.array.astype(np.float64)
    return bool(np.isfinite(wide).all() and (np.trunc(wide) >= float(np.iinfo(to).min)).all() and (np.trunc(wide) < float(np.iinfo(to).max)).all())


@draws("Cast", "CastLike")
def cast(g, name):
    if not signature("", name, g.opset):
        raise Undrawable(name)
    x = g.value(g.elements(name, "T1"))
    to = g.elements(name, "T1")
    if not castable(x, to) and g.chance(0.7):
        raise Undrawable("out of range")
    if name == "Cast":
        return g.emit(name, [x], to=helper.np_dtype_to_tensor_dtype(np.dtype(to)))
    return g.emit(name, [x, g.fixed(np.zeros(1), to)])


# Along axes.


# The largest number on the way, of integers.
LARGEST = {"ReduceL1": np.sum, "ReduceSum": np.sum, "ReduceL2": lambda x: np.sum(x * x), "ReduceSumSquare": lambda x: np.sum(x * x),
           "ReduceProd": lambda x: np.prod(np.maximum(x, 1))}


@draws("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum",
       "ReduceSumSquare")
def reduce(g, name):
    # Logarithms that integers can't hold have no meaning.
    x = g.value(g.elements("Exp" if name in ("ReduceLogSum", "ReduceLogSumExp") else name), least=1)
    axes, keep = g.axes(x), g.between(0, 1)
    axes = [a - x.rank if g.chance(0.3) else a for a in axes]
    if len(axes) == x.rank and g.chance(0.4):
        axes = None
    if name == "ReduceProd" and x.size > 60 or x.size == 0:
        raise Undrawable("too many factors")
    if x.dtype.kind in "iu" and name in LARGEST:  # sums that don't fit are not defined
        wide = x.array.astype(object)
        if LARGEST[name](np.abs(wide)) > min(np.iinfo(x.dtype).max, 2**53):
            raise Undrawable("overflow")
    if g.opset >= (13 if name == "ReduceSum" else 18):
        return g.emit(name, [x, g.fixed(axes)] if axes else [x], keepdims=keep)
    return g.emit(name, [x], keepdims=keep, **({"axes": axes} if axes else {}))


@draws("ArgMax", "ArgMin")
def argument(g, name):
    x = g.value(g.elements(name), least=1)
    if x.floating and np.isnan(x.array.astype(np.float64)).any():
        raise Undrawable("no order")
    attributes = {"select_last_index": g.between(0, 1)} if g.opset >= 12 else {}
    return g.emit(name, [x], axis=g.axis(x)[1] if g.opset >= 11 else g.axis(x)[0], keepdims=g.between(0, 1), **attributes)


@draws("Softmax", "LogSoftmax", "Hardmax", "LpNormalization")
def along(g, name):
    x = g.value(g.elements(name), least=1)
    if name == "Hardmax" and np.isnan(x.array.astype(np.float64)).any():
        raise Undrawable("no order")
    if name == "Hardmax" and g.opset < 13 and x.dtype != np.float32:
        raise Undrawable("the reference, the only judge, knows the later meaning alone")
    attributes = {"p": g.between(1, 2)} if name == "LpNormalization" else {}
    return g.emit(name, [x], axis=g.axis(x)[1] if g.opset >= 11 else g.axis(x)[0], **attributes)


@draws("CumSum")
def cumsum(g, name):
    x = g.value(g.elements(name), least=1)
    return g.emit(name, [x, g.fixed(g.axis(x)[1], np.int32)], exclusive=g.between(0, 1), reverse=g.between(0, 1))


@draws("TopK")
def topk(g, name):
    x = g.value(g.elements(name), least=1)
    axis, written = g.axis(x)
    if x.floating and np.isnan(x.array.astype(np.float64)).any() or g.opset < 10:
        raise Undrawable("no order")
    k = g.fixed([g.between(1, x.shape[axis])])
    attributes = {"largest": g.between(0, 1), "sorted": 1} if g.opset >= 11 else {}
    return g.emit(name, [x, k], 2, axis=written if g.opset >= 11 else axis, **attributes)[0]


@draws("MeanVarianceNormalization")
def mean_variance(g, name):
    return g.emit(name, [g.value(g.elements(name), rank=4)])


@draws("LayerNormalization", "RMSNormalization")
def norm(g, name):
    if not signature("", name, g.opset):
        raise Undrawable(name)
    x = g.value(g.elements(name), least=1)
    axis = g.between(0, x.rank - 1)
    operands = [x, g.leaf(g.numbers(x.shape[axis:], x.dtype))]
    if name == "LayerNormalization" and g.chance(0.6):
        operands.append(g.leaf(g.numbers(x.shape[axis:], x.dtype)))
    return g.emit(name, operands, axis=axis - x.rank if g.chance(0.5) else axis, epsilon=g.one_of([1e-5, 1e-6, 1e-12, 1e-3, 1e-8]))


@draws("SimplifiedLayerNormalization")
def simplified_norm(g, name):
    x = g.value(g.element(["float", "double"]), least=1)
    return g.emit(name, [x, g.leaf(g.numbers(x.shape[-1:], x.dtype))], axis=-1, epsilon=g.one_of([1e-5, 1e-6, 1e-12]))


@draws("Trilu")
def trilu(g, name):
    if not signature("", name, g.opset):
        raise Undrawable(name)
    x = g.value(g.elements(name), least=2)
    return g.emit(name, [x, g.fixed(g.between(-3, 3))] if g.chance(0.7) else [x], upper=g.between(0, 1))


# Chains that models have: their parts are worth more together.


def steps(g, x, *ops):
    """Binary ops with constants, one after the other: (op, constant) or (op, None)."""
    for op, constant in ops:
        operands = [x] if constant is None else [x, g.leaf(np.asarray(constant, x.dtype))]
        x = g.emit(op, operands)
    return x


@draws("Floor", "Cast", "Equal", "Ceil")
def position(g, name):
    """Positions over a divisor, cut to whole numbers or compared."""
    dtype = g.element(["float", "float", "double", "int64"])
    count = g.one_of([64, 512, 4097])
    x = g.leaf(np.sort(g.random.integers(0, count, g.one_of([16, 33]))).astype(dtype))
    n = g.one_of([7, 41, 255, 3, 10, 100])
    y = steps(g, x, ("Div", n))
    if np.dtype(dtype).kind == "i":
        return g.emit("Cast", [steps(g, y, ("Mul", n))], to=1)
    return {"Floor": lambda: g.emit("Floor", [y]), "Ceil": lambda: g.emit("Ceil", [y]), "Cast": lambda: g.emit("Cast", [y], to=7),
            "Equal": lambda: g.emit("Equal", [y, g.leaf(np.asarray(x.array // n, dtype))])}[name]()


@draws("Sin", "Cos")
def rotary(g, name):
    """Sine and cosine of angles that the model computes."""
    x = g.leaf(np.sort(g.random.integers(0, g.one_of([32, 512, 4096]), (8, 1))).astype(g.one_of([np.float32, np.int64])))
    if not x.floating:
        x = g.emit("Cast", [x], to=1)
    if g.opset < 7:
        raise Undrawable(name)
    frequencies = (10000.0 ** -(np.arange(8) / 8)).astype(np.float32)
    angle = g.emit("Mul", [x, g.leaf(frequencies)]) if g.chance(0.6) else g.emit("MatMul", [x, g.leaf(frequencies[None])])
    return g.emit(name, [angle])


@draws("Log")
def logarithm(g, name):
    """Logarithms of small numbers: log-mel, entropy, log-softmax spelled out."""
    x = g.value(rank=2, regime="unit")
    kind = g.between(0, 3)
    if kind == 0:
        x = g.emit("Softmax", [g.emit("Mul", [x, g.leaf(np.float32(10))])], axis=1)
    elif kind == 1:
        x = steps(g, g.emit("Abs", [x]), ("Mul", g.one_of([1e-7, 1e-4])), ("Add", g.one_of([1e-10, 1e-6, 1e-12])))
    elif kind == 2:
        x = steps(g, g.emit("Sigmoid", [steps(g, x, ("Mul", 8))]), ("Max", g.one_of([1e-7, 1e-12])))
    return g.emit(name, [x])


@draws("Softmax")
def masked(g, name):
    """Scores with a mask that is added or selected, with or without the guard behind."""
    scores = g.value(rank=2, regime="unit", fits=lambda v: v.shape[1] > 1)
    low = g.one_of([-np.inf, -1e9, -3.4028235e38, -1e4, -65504.0, -1e5])
    mask = g.random.random(scores.shape) < 0.5
    if not g.chance(0.3):
        mask[:, 0] = True
    if g.chance(0.5):
        kept = g.emit("Where", [g.leaf(mask), scores, g.leaf(np.float32(low))])
    else:
        kept = g.emit("Add", [scores, g.leaf(np.where(mask, 0, low).astype(np.float32))])
        if g.chance(0.3):
            kept = g.emit("Add", [kept, g.leaf(np.where(g.random.random(scores.shape) < 0.3, low, 0).astype(np.float32))])
    weights = g.emit(name, [kept], axis=1)
    if g.chance(0.5) and g.opset >= 9:
        weights = g.emit("Where", [g.emit("IsNaN", [weights]), g.leaf(np.float32(0)), weights])
    return g.emit("MatMul", [weights, g.leaf(g.numbers((scores.shape[1], 4), np.float32, "unit"))])


@draws("Mul")
def rescaled(g, name):
    """There and back by factors that fp16 has not."""
    factor = g.one_of([1e5, 1e-8, 7e4, 1e-6, 1e9])
    return steps(g, g.value(), ("Mul", factor), (g.one_of(["Mul", "Sub", "Add", "Max", "Min"]), g.one_of([1e-8, 1e5, 7e4, 1.0, 1e-10])),
                 (g.one_of(["Mul", "Div"]), factor))


@draws("Sqrt")
def spelled_norm(g, name):
    """Norms spelled out, of values of any size."""
    x = g.value(rank=2)
    axes = [g.fixed([-1])] if g.opset >= 18 else []
    written = {} if axes else {"axes": [-1]}
    if g.opset < 11:
        raise Undrawable(name)
    mean = g.emit("ReduceMean", [x, *axes], **written)
    d = g.emit("Sub", [x, mean]) if g.chance(0.5) else x
    square = g.emit("Mul", [d, d]) if g.chance(0.5) else g.emit("Pow", [d, g.fixed(2, np.float32)])
    variance = g.emit("ReduceMean", [square, *axes], **written)
    root = g.emit("Sqrt", [steps(g, variance, ("Add", g.one_of([1e-5, 1e-6, 1e-12])))])
    return g.emit("Mul", [g.emit("Div", [d, root]), g.leaf(g.numbers(x.shape[-1:], np.float32))])
