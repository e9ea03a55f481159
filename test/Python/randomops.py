"""Makers of random ops: each appends one op (and what its domain needs) to a Graph, or returns None."""
import math

import numpy as np

from randomgraph import Segments

MAKERS = []


def maker(function):
    MAKERS.append(function)
    return function


def family(*names):
    """Registers a maker for each name; it gets the name."""
    def register(function):
        for name in names:
            MAKERS.append(lambda g, name=name: function(g, name))
        return function
    return register


def same(g, name, x, magnitude, exact=False, **attributes):
    return g.emit(name, [x], x.shape, magnitude, exact, **attributes)


def positive(g, x, low=0.25):
    """|x| + low."""
    x = same(g, "abs", x, x.magnitude, x.exact)
    return g.emit("add", [x, g.constant(np.float32(low))], x.shape, x.magnitude + low, x.exact and low * 8 == int(low * 8))


# Element by element.

SMOOTH = {"erf": 1, "tanh": 1, "sigmoid": 1, "atan": 1.6, "softsign": 1, "sin": 1, "cos": 1, "asinh": 4, "relu6": 6}
LIKE_X = ["silu", "softplus", "mish", "hard_swish"]
EXACT = ["relu", "abs", "neg", "identity"]
STEPS = ["sign", "floor", "ceil", "round"]


@family(*SMOOTH)
def smooth(g, name):
    x = g.value()
    return x and same(g, name, x, SMOOTH[name])


@family(*LIKE_X)
def like_x(g, name):
    x = g.value()
    return x and same(g, name, x, x.magnitude + 1)


@family(*EXACT)
def exact(g, name):
    x = g.value()
    return x and same(g, name, x, x.magnitude, x.exact)


@family(*STEPS)
def steps(g, name):
    x = g.value(exact=True)
    return x and same(g, name, x, x.magnitude + 1, True)


@maker
def gelu(g):
    x = g.value()
    return x and same(g, "gelu", x, x.magnitude, mode=g.one_of(["EXACT", "TANH_APPROXIMATION", "SIGMOID_APPROXIMATION"]))


@family("exp", "exp2", "sinh", "cosh")
def grows(g, name):
    x = g.value()
    if not x or x.magnitude > 5:
        return None
    return same(g, name, x, math.exp(x.magnitude))


@family("acos", "asin", "atanh", "tan")
def unit_domain(g, name):
    x = g.value()
    if not x:
        return None
    x = same(g, "tanh", x, 1)
    x = g.emit("mul", [x, g.constant(np.float32(0.75))], x.shape, 0.75)
    return same(g, name, x, 3.2)


@family("sqrt", "log", "rsqrt", "inverse", "reciprocal", "acosh")
def positive_domain(g, name):
    x = g.value()
    if not x:
        return None
    x = positive(g, x, 1.25 if name == "acosh" else 0.25)
    attributes = {}
    if name in ("rsqrt", "inverse", "log") and g.chance(0.7):
        attributes["epsilon"] = g.one_of([1e-12, 1e-5, 1e-3, 0.0625])
    return same(g, name, x, max(4, math.sqrt(x.magnitude)), **attributes)


@maker
def square(g):
    x = g.value()
    if not x or x.magnitude > 8:
        return None
    return same(g, "square", x, x.magnitude**2)


ALPHA = [0.125, 0.25, 0.5, 0.01, 1.5]


@family("leaky_relu", "elu", "linear_activation", "scaled_tanh", "sigmoid_hard", "clamped_relu")
def parametric(g, name):
    x = g.value()
    if not x:
        return None
    attributes = {"alpha": g.one_of(ALPHA)}
    if name not in ("leaky_relu", "elu"):
        attributes["beta"] = g.one_of(ALPHA)
    return same(g, name, x, 1.5 * x.magnitude + 1.5, **attributes)


@family("clip", "threshold", "thresholded_relu")
def bounded(g, name):
    x = g.value(exact=name == "thresholded_relu")
    if not x:
        return None
    attributes = {"alpha": g.one_of([-1.0, -0.5, 0.0, 0.5])}
    if name == "clip":
        attributes["beta"] = g.one_of([0.75, 1.0, 6.0])
    return same(g, name, x, x.magnitude + 1, x.exact, **attributes)


@family("prelu", "softplus_parametric")
def per_channel(g, name):
    x = g.value(least=3, most=5)
    if not x:
        return None
    parameters = [g.uniform(0.1, 1, x.shape[1]) for _ in range(1 if name == "prelu" else 2)]
    return g.emit(name, [x, *parameters], x.shape, x.magnitude + 1)


def partner(g, x):
    """A second operand that broadcasts with x, and the shape of both together."""
    if g.chance(0.35):
        same_shape = [v for v in g.values if v.element == x.element and v.shape == x.shape and v.magnitude <= 24]
        if same_shape:
            return g.one_of(same_shape), x.shape
    shape = [1 if g.chance(0.4) else d for d in x.shape][g.between(0, x.rank) if g.chance(0.4) else 0:]
    if g.chance(0.2):
        shape = []
    if g.chance(0.6) and np.prod(shape) <= 4000:
        array = g.random.integers(-16, 17, shape) / 8 if x.exact else g.random.normal(0, 1, shape)
        return g.constant(np.asarray(array, np.float32)), x.shape
    return g.new_input(tuple(shape) or (1,), exact=x.exact), x.shape


@family("add", "sub", "mul", "maximum", "minimum")
def binary(g, name):
    x = g.value()
    if not x:
        return None
    y, shape = partner(g, x)
    product = name == "mul"
    exact = x.exact and y.exact and not product
    magnitude = x.magnitude * y.magnitude if product else x.magnitude + y.magnitude
    pair = [y, x] if g.chance(0.3) else [x, y]
    return g.emit(name, pair, np.broadcast_shapes(x.shape, y.shape), magnitude, exact)


@maker
def real_div(g):
    x = g.value()
    if not x:
        return None
    y, _ = partner(g, x)
    y = g.uniform(0.5, 3, *y.shape) if y.name.startswith("%c") else positive(g, y, 0.5)
    return g.emit("real_div", [x, y], np.broadcast_shapes(x.shape, y.shape), x.magnitude * 2)


@family("floor_div", "mod")
def stepping_div(g, name):
    x = g.value(exact=True)
    if not x:
        return None
    y = g.constant(np.float32(g.one_of([0.5, 1.0, 2.0, -0.5, 4.0])))
    return g.emit(name, [x, y], x.shape, 2 * x.magnitude + 4, True)


@maker
def power(g):
    x = g.value()
    if not x:
        return None
    if g.chance(0.7):
        exponent = g.one_of([2.0, 3.0, 0.5, -1.0, -0.5, 1.0, -2.0, 4.0])
        if exponent not in (2.0, 3.0, 1.0, 4.0):
            x = positive(g, x, 0.5)
        if x.magnitude > 4:
            return None
        return g.emit("pow", [x, g.constant(np.float32(exponent))], x.shape, max(4, x.magnitude**abs(exponent)))
    x = positive(g, same(g, "tanh", x, 1), 0.5)
    y = g.value(fits=lambda v: v.shape == x.shape and v.magnitude <= 4)
    return y and g.emit("pow", [x, y], x.shape, 1.5**4 + 2**4)


@family("equal", "not_equal", "greater", "greater_equal", "less", "less_equal")
def compare(g, name):
    x = g.value(exact=True)
    if not x:
        return None
    y, _ = partner(g, x)
    return g.emit(name, [x, y], np.broadcast_shapes(x.shape, y.shape), 1, True, "i1") if y.exact else None


@family("logical_and", "logical_or", "logical_xor", "logical_not")
def logical(g, name):
    x = g.value(element="i1")
    if not x:
        return None
    if name == "logical_not":
        return g.emit(name, [x], x.shape, 1, True, "i1")
    y = g.value(element="i1", fits=lambda v: v.shape == x.shape)
    return y and g.emit(name, [x, y], x.shape, 1, True, "i1")


@maker
def select(g):
    x = g.value()
    if not x:
        return None
    condition = g.value(element="i1", fits=lambda v: v.shape == x.shape)
    if g.chance(0.3):
        condition = g.constant(g.random.integers(0, 2, x.shape).astype(bool))
    if not condition:
        return None
    y, _ = partner(g, x)
    pair = [x, y] if g.chance(0.5) else [y, x]
    return g.emit("select", [condition, *pair], np.broadcast_shapes(x.shape, y.shape), max(x.magnitude, y.magnitude),
                  x.exact and y.exact)


@maker
def cast(g):
    element = g.one_of(["f32", "f32", "i1", "i32"])
    x = g.value(exact=True, element=element)
    if not x:
        return None
    if element == "f32":
        to = g.one_of(["i32", "i1"])
        return g.emit("cast", [x], x.shape, x.magnitude if to == "i32" else 1, True, to,
                      dtype={"i32": "int32", "i1": "bool"}[to])
    return g.emit("cast", [x], x.shape, x.magnitude, True, "f32", dtype="fp32")


@family("add", "sub", "mul", "maximum", "minimum")
def integers(g, name):
    x = g.value(element="i32")
    y = x and g.value(element="i32", fits=lambda v: v.shape == x.shape)
    return y and g.emit(name, [x, y], x.shape, x.magnitude * y.magnitude + x.magnitude + y.magnitude, True, "i32")


@maker
def fill_like(g):
    x = g.value()
    return x and g.emit("fill_like", [x, g.constant(np.float32(g.one_of([0, 1, -2.5])))], x.shape, 2.5, True)


# Along axes.

REDUCED = {"sum": None, "mean": 1, "max": 1, "min": 1, "sum_square": None, "l1_norm": None, "l2_norm": None,
           "log_sum_exp": None, "prod": None, "log_sum": None}


def reduced(x, axes, keep):
    return [1 if i in axes else d for i, d in enumerate(x.shape) if keep or i not in axes]


@family(*REDUCED)
def reduce(g, name):
    x = g.value(fits=lambda v: v.magnitude <= 8)
    if not x:
        return None
    axes, keep = g.axes(x), g.chance(0.5)
    count = int(np.prod([x.shape[a] for a in axes]))
    if name == "log_sum":
        x = positive(g, x)
    if name == "prod":
        if count > 12:
            return None
        x = same(g, "tanh", x, 1)
    magnitude = x.magnitude
    if name in ("sum", "l1_norm", "sum_square", "l2_norm", "log_sum"):
        if x.magnitude**2 * count > 30000:
            return None
        magnitude = {"sum": math.sqrt(count) * x.magnitude, "sum_square": count * x.magnitude**2,
                     "l1_norm": count * x.magnitude, "l2_norm": math.sqrt(count) * x.magnitude, "log_sum": 12}[name]
    if name == "log_sum_exp":
        magnitude += math.log(count)
    exact = x.exact and name in ("max", "min")
    written = [a - x.rank if g.chance(0.3) else a for a in axes]
    if len(axes) == x.rank and g.chance(0.5):
        written = None
    return g.emit(f"reduce_{name}", [x], reduced(x, axes, keep), magnitude, exact, axes=written, keep_dims=keep)


@family("argmax", "argmin")
def reduce_arg(g, name):
    x = g.value(exact=True)
    if not x:
        return None
    axis, written = g.axis(x)
    keep = g.chance(0.5)
    return g.emit(f"reduce_{name}", [x], reduced(x, [axis], keep), x.shape[axis], True, "i32", axis=written, keep_dims=keep)


@family("softmax", "log_softmax")
def softmax(g, name):
    x = g.value()
    if not x:
        return None
    axis, written = g.axis(x)
    return same(g, name, x, 1 if name == "softmax" else 2 * x.magnitude + math.log(x.shape[axis]), axis=written)


@maker
def cumsum(g):
    x = g.value(fits=lambda v: v.magnitude <= 8)
    if not x:
        return None
    axis, written = g.axis(x)
    if x.shape[axis] > 300:
        return None
    return same(g, "cumsum", x, x.magnitude * math.sqrt(x.shape[axis]), axis=written, exclusive=g.chance(0.3), reverse=g.chance(0.3))


@maker
def topk(g):
    x = g.value(fits=lambda v: v.exact or True)
    if not x:
        return None
    axis, written = g.axis(x)
    k = g.between(1, min(x.shape[axis], 9))
    shape = [k if i == axis else d for i, d in enumerate(x.shape)]
    return g.emit_many("topk", [x], [(shape, "f32")], x.magnitude, x.exact, k=k, axis=written, ascending=g.chance(0.4),
                       return_indices=False)[0]


@maker
def argsort(g):
    """Of a permutation, so that no two elements are equal."""
    shape = g.shape(most=600)
    count = int(np.prod(shape))
    x = g.constant(g.random.permutation(count).reshape(shape).astype(np.float32))
    y = g.new_input((1,), exact=True)
    x = g.emit("add", [x, y], np.broadcast_shapes(shape, (1,)), count + 1, True)
    axis, written = g.axis(x)
    return g.emit("argsort", [x], x.shape, x.shape[axis], True, "i32", axis=written, ascending=g.chance(0.5))


# Norms.

def epsilon(g, count):
    """Of a norm over `count` elements: few of them may be nearly equal, which makes the norm a step."""
    return g.one_of([1e-5, 1e-3, 1e-6]) if count >= 16 else 0.0625


@family("layer_norm", "rms_norm")
def norm(g, name):
    x = g.value()
    if not x:
        return None
    first = g.between(0, x.rank - 1) if g.chance(0.4) else x.rank - 1
    axes = list(range(first, x.rank))
    parts = [x.shape[a] for a in axes]
    if np.prod(parts) > 3000:
        return None
    operands, counts = [x], [1, 0, 0]
    if g.chance(0.6):
        operands.append(g.normal(*parts))
        counts[1] = 1
    if g.chance(0.6) and name == "layer_norm":
        operands.append(g.normal(*parts))
        counts[2] = 1
    attributes = {"axes": axes, "epsilon": epsilon(g, int(np.prod(parts)))}
    if name == "rms_norm":
        attributes["zero_centered"] = g.chance(0.3)
        return g.emit(name, operands, x.shape, 8, **attributes)
    return g.emit(name, operands, x.shape, 8, operandSegmentSizes=Segments(counts), **attributes)


@family("batch_norm", "instance_norm", "group_norm")
def channel_norm(g, name):
    x = g.value(least=3, most=5)
    if not x:
        return None
    channels = x.shape[1]
    operands, counts = [x], [1]
    if name == "batch_norm":
        operands += [g.normal(channels), g.uniform(0.5, 2, channels)]
        counts += [1, 1]
    attributes = {"epsilon": epsilon(g, int(np.prod(x.shape[2:])))}
    if name == "group_norm":
        attributes["num_groups"] = g.one_of([d for d in range(1, channels + 1) if channels % d == 0])
    for _ in range(2):
        present = g.chance(0.6)
        counts.append(int(present))
        if present:
            operands.append(g.normal(channels))
    return g.emit(name, operands, x.shape, 8 + x.magnitude, operandSegmentSizes=Segments(counts), **attributes)


@maker
def l2_norm(g):
    x = g.value(least=3, most=5)
    return x and same(g, "l2_norm", x, 1, epsilon=epsilon(g, int(np.prod(x.shape[-3:]))))


@maker
def local_response_norm(g):
    x = g.value(least=3, most=5)
    if not x:
        return None
    return same(g, "local_response_norm", x, x.magnitude, size=g.one_of([1, 3, 5]), alpha=g.one_of([1e-4, 0.5]), beta=0.75,
                k=g.one_of([1.0, 2.0]))


# Products.

@maker
def linear(g):
    x = g.value(fits=lambda v: v.shape[-1] <= 3000)
    if not x:
        return None
    inner, outer = x.shape[-1], g.one_of([1, 3, 8, 17, 32, 64, 65])
    if g.chance(0.02) and inner <= 8 and x.size // inner <= 16:
        outer = g.one_of([16385, 33000])
    operands = [x, g.normal(outer, inner, scale=1 / math.sqrt(inner))]
    if g.chance(0.6):
        operands.append(g.normal(outer))
    return g.emit("linear", operands, (*x.shape[:-1], outer), 2 * x.magnitude + 2)


@maker
def matmul(g):
    x = g.value(least=2, most=5, fits=lambda v: max(v.shape[-2:]) <= 300)
    if not x:
        return None
    tx, ty = g.chance(0.3), g.chance(0.3)
    m, k = x.shape[-2:][::-1] if tx else x.shape[-2:]
    n = g.one_of([1, 3, 8, 16, 33])
    lead = x.shape[:-2]
    lead = [d if g.chance(0.7) else 1 for d in lead][g.between(0, len(lead)) if g.chance(0.3) else 0:]
    shape = [*lead, *((n, k) if ty else (k, n))]
    if g.chance(0.5):
        y = g.normal(*shape, scale=1 / math.sqrt(k))
    else:
        if np.prod(shape) > 8000 or k > 64:
            return None
        y = g.new_input(tuple(shape), magnitude=1)
    if g.chance(0.2):  # constant on the left
        x, y = y, x
        tx, ty = not ty, not tx
        m, n = n, m
    lead = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    return g.emit("matmul", [x, y], (*lead, m, n), 4 * x.magnitude * math.sqrt(max(1, y.magnitude)), transpose_x=tx, transpose_y=ty)


@maker
def einsum(g):
    a, b, c, d, e = (g.one_of([1, 2, 3, 5, 8, 17]) for _ in range(5))
    equation, first, second, result = g.one_of([
        ("nchw,nwhu->nchu", (a, b, c, d), (a, d, c, e), (a, b, c, e)), ("chw,whr->chr", (a, b, c), (c, b, d), (a, b, d)),
        ("bhqd,bhkd->bhqk", (a, b, c, d), (a, b, e, d), (a, b, c, e)), ("ij,jk->ki", (a, b), (b, c), (c, a)),
        ("i,j->ij", (a,), (b,), (a, b)), ("bij,bij->b", (a, b, c), (a, b, c), (a,)), ("abc,cd->abd", (a, b, c), (c, d), (a, b, d))])
    x, y = g.new_input(first, magnitude=1), g.new_input(second, magnitude=1)
    return g.emit("einsum", [x, y], result, 8, equation=equation)


def window(g, size, kernel, stride, dilation, kind, pads):
    """Size of the result along one axis, None if there is none."""
    reach = (kernel - 1) * dilation + 1
    if kind in ("same", "same_lower"):
        return -(-size // stride)
    whole = size + (sum(pads) if kind == "custom" else 0)
    return (whole - reach) // stride + 1 if whole >= reach else None


def padding(g, spatial, most):
    kind = g.one_of(["valid", "same", "same_lower", "custom"])
    pads = [(g.between(0, most), g.between(0, most)) for _ in range(spatial)]
    return kind, pads


@maker
def conv(g):
    x = g.value(least=3, most=5, fits=lambda v: v.shape[1] <= 300)
    if not x:
        return None
    spatial = x.rank - 2
    channels = x.shape[1]
    groups = g.one_of([1, 1, 1, channels, g.one_of([d for d in range(1, channels + 1) if channels % d == 0])])
    outer = groups * g.one_of([1, 2, 4]) if groups > 1 else g.one_of([1, 3, 8, 16, 33])
    kernel = [g.one_of([1, 1, 2, 3, 3, 5, 7, 15]) for _ in range(spatial)]
    strides = [g.one_of([1, 1, 1, 2, 3]) for _ in range(spatial)]
    if g.chance(0.2):  # patches
        strides = list(kernel)
    dilations = [g.one_of([1, 1, 1, 2]) for _ in range(spatial)]
    kind, pads = padding(g, spatial, 2)
    sizes = [window(g, *each, kind, p) for *each, p in zip(x.shape[2:], kernel, strides, dilations, pads)]
    if None in sizes or x.shape[0] * outer * np.prod(sizes) > 30000:
        return None
    inner = channels // groups * int(np.prod(kernel))
    operands = [x, g.normal(outer, channels // groups, *kernel, scale=1 / math.sqrt(inner))]
    if g.chance(0.5):
        operands.append(g.normal(outer))
    return g.emit("conv", operands, (x.shape[0], outer, *sizes), 2 * x.magnitude + 1, strides=strides, dilations=dilations,
                  groups=groups, pad_type=kind, pad=[p for pair in pads for p in pair] if kind == "custom" else None)


@maker
def conv_transpose(g):
    x = g.value(least=3, most=5, fits=lambda v: v.shape[1] <= 64 and v.size <= 2000)
    if not x:
        return None
    spatial, channels = x.rank - 2, x.shape[1]
    groups = g.one_of([1, 1, channels])
    outer = groups * g.one_of([1, 2]) if groups > 1 else g.one_of([1, 3, 8])
    kernel = [g.one_of([1, 2, 3, 4]) for _ in range(spatial)]
    strides = [g.one_of([1, 2, 3]) for _ in range(spatial)]
    kind = g.one_of(["valid", "custom"])
    pads = [(g.between(0, k - 1), g.between(0, k - 1)) for k in kernel]
    sizes = [(d - 1) * s + k - (sum(p) if kind == "custom" else 0) for d, s, k, p in zip(x.shape[2:], strides, kernel, pads)]
    if min(sizes) < 1 or x.shape[0] * outer * np.prod(sizes) > 30000:
        return None
    operands = [x, g.normal(channels, outer // groups, *kernel, scale=1 / math.sqrt(channels))]
    if g.chance(0.5):
        operands.append(g.normal(outer))
    return g.emit("conv_transpose", operands, (x.shape[0], outer, *sizes), 3 * x.magnitude + 1, strides=strides, groups=groups,
                  pad_type=kind, pad=[p for pair in pads for p in pair] if kind == "custom" else None)


@family("max_pool", "avg_pool", "l2_pool")
def pool(g, name):
    x = g.value(least=3, most=5)
    if not x:
        return None
    spatial = x.rank - 2
    kernel = [g.one_of([1, 2, 3, 5]) for _ in range(spatial)]
    strides = [g.one_of([1, 2, 3]) for _ in range(spatial)]
    kind, pads = padding(g, spatial, 1)
    if any(max(p) >= k for p, k in zip(pads, kernel)):
        return None
    sizes = [window(g, d, k, s, 1, kind, p) for d, k, s, p in zip(x.shape[2:], kernel, strides, pads)]
    if None in sizes:
        return None
    attributes = {"exclude_padding_from_average": g.chance(0.5)} if name == "avg_pool" else {}
    return g.emit(name, [x], (*x.shape[:2], *sizes), x.magnitude * 5, x.exact and name == "max_pool", kernel_sizes=kernel,
                  strides=strides, pad_type=kind, pad=[p for pair in pads for p in pair] if kind == "custom" else None,
                  **attributes)


@maker
def attention(g):
    lead = [g.one_of([1, 2]) for _ in range(g.between(0, 1))]
    heads, length, cache, inner, outer = (g.one_of(sizes) for sizes in
                                          ([1, 2, 4], [1, 5, 16, 33], [1, 7, 32, 65], [4, 16, 31], [8, 16, 33]))
    query = g.new_input((*lead, heads, length, inner), magnitude=2)
    key = g.new_input((*lead, heads, cache, inner), magnitude=2)
    value = g.new_input((*lead, heads, cache, outer), magnitude=2)
    operands = [query, key, value]
    if g.chance(0.5):
        shape = (1, length, cache)[0 if g.chance(0.5) else 1:]
        if g.chance(0.5):
            mask = g.random.integers(0, 2, shape).astype(bool)
            mask[..., 0] = True  # a row without any is not defined
            operands.append(g.constant(mask))
        else:
            operands.append(g.new_input(shape, magnitude=2))
    return g.emit("scaled_dot_product_attention", operands, (*lead, heads, length, outer), 2)


@maker
def rope(g):
    x = g.value(least=2, most=4, fits=lambda v: v.shape[-1] % 2 == 0)
    if not x:
        return None
    shape = (x.shape[-2], x.shape[-1] // 2)
    if np.prod(shape) > 4000:
        return None
    angle = g.random.uniform(-3, 3, shape)
    operands = [x, g.constant(np.cos(angle).astype(np.float32)), g.constant(np.sin(angle).astype(np.float32))]
    return g.emit("rope", operands, x.shape, 1.5 * x.magnitude, layout=g.one_of(["half", "interleaved"]))
