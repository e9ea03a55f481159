"""Makers of random ops with compressed constants, of integers and of recurrent layers (see randomops.py)."""
import numpy as np

from randomgraph import Segments
from randomops import family, maker


@family("rnn", "gru", "lstm")
def recurrent(g, name):
    steps, batch, inner, hidden = g.one_of([1, 3, 7]), g.one_of([1, 2]), g.one_of([1, 5, 16]), g.one_of([1, 4, 16])
    gates = {"rnn": 1, "gru": 3, "lstm": 4}[name]
    x, h = g.new_input((steps, batch, inner), magnitude=1), g.new_input((batch, hidden), magnitude=1)
    operands, counts = [x, h], [1, 1]
    if name == "lstm":
        operands.append(g.new_input((batch, hidden), magnitude=1))
        counts.append(1)
    operands += [g.normal(gates * hidden, size, scale=0.4) for size in (inner, hidden)]
    counts += [1, 1]
    biased = g.chance(0.6)
    if biased:
        operands.append(g.normal(gates * hidden, scale=0.3))
    counts.append(int(biased))
    sequence = g.chance(0.5)
    results = [((steps if sequence else 1, batch, hidden), "f32"), ((batch, hidden), "f32")]
    attributes = {"direction": g.one_of(["forward", "reverse"]), "output_sequence": sequence}
    if name == "lstm":
        results.append(((batch, hidden), "f32"))
        attributes["operandSegmentSizes"] = Segments(counts + [0] * 5)
    if name == "gru":
        attributes["operandSegmentSizes"] = Segments(counts + [0])
    return g.emit_many(name, operands, results, 2, **attributes)[0]


@maker
def quantize(g):
    x = g.value(exact=True)
    if not x:
        return None
    scale = g.constant(np.float32(g.one_of([0.125, 0.25, 0.5])))
    zero = g.constant(np.int8(g.one_of([0, 3, -8])))
    codes = g.emit("quantize", [x, scale, zero], x.shape, 127, True, "i8", output_dtype="int8")
    return g.emit("dequantize", [codes, scale, zero], x.shape, 64, True)


@maker
def dequantized_weight(g):
    """A linear whose weight is stored in few bits."""
    x = g.value(fits=lambda v: v.shape[-1] % 4 == 0 and v.shape[-1] <= 300)
    if not x:
        return None
    outer, inner = g.one_of([3, 8, 33]), x.shape[-1]
    kind = g.one_of(["affine_dequantize", "blockwise_shift_scale", "cast"])
    if kind == "affine_dequantize":
        weight = g.emit("constexpr_affine_dequantize", [
            g.constant(g.random.integers(-127, 128, (outer, inner)).astype(np.int8)),
            g.constant(g.random.integers(-4, 5, (outer,)).astype(np.int8)),
            g.uniform(0.001, 0.01, outer)], (outer, inner), 1, axis=0)
    elif kind == "blockwise_shift_scale":
        weight = g.emit("constexpr_blockwise_shift_scale", [
            g.constant(g.random.integers(-127, 128, (outer, inner)).astype(np.int8)), g.uniform(0.001, 0.01, outer, inner // 4)],
            (outer, inner), 1)
    else:
        weight = g.emit("constexpr_cast", [g.constant(g.random.integers(-2, 3, (outer, inner)).astype(np.int8))], (outer, inner), 2,
                        output_dtype="fp32")
    g.values.remove(weight)  # it is a constant: nothing else may take it for a value
    return g.emit("linear", [x, weight], (*x.shape[:-1], outer), 4 * x.magnitude)


@family("bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right")
def bits(g, name):
    x = g.value(element="i32", fits=lambda v: v.magnitude <= 1000)
    y = x and g.value(element="i32", fits=lambda v: v.shape == x.shape and v.magnitude <= 8)
    return y and g.emit(name, [x, y], x.shape, 20000, True, "i32")


@maker
def bitwise_not(g):
    x = g.value(element="i32")
    return x and g.emit("bitwise_not", [x], x.shape, x.magnitude + 1, True, "i32")


@maker
def fill(g):
    shape = g.shape(most=300)
    return g.emit("fill", [g.constant(np.float32(g.one_of([0, 1, -2.5])))], shape, 2.5, True, shape=list(shape))


@maker
def range_1d(g):
    count = g.one_of([1, 5, 16, 33])
    ends = [g.constant(np.float32(v)) for v in (count, 0, 1)]
    return g.emit("range_1d", ends, (count,), count, True)


@maker
def reverse_sequence(g):
    x = g.value(least=2, fits=lambda v: v.shape[0] <= 40)
    if not x:
        return None
    lengths = g.constant(g.random.integers(1, x.shape[1] + 1, (x.shape[0],)).astype(np.int32))
    return g.emit("reverse_sequence", [x, lengths], x.shape, x.magnitude, x.exact, seq_axis=1, batch_axis=0)
