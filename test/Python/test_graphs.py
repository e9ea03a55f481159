"""Small graphs that exporters write and the engine lacks a form for: joins, many axes, attention in pieces. Both devices
against ONNX Runtime, and nothing but the listed ops on the CPU."""
import numpy as np
import onnx
import pytest

import anetest
import fp16_oracle
from models import FLOAT, Builder, normal_inputs

GRAPHS = {}


def graph(function):
    GRAPHS[function.__name__] = function
    return function


def concat_of(axis, *shapes):
    def make(b):
        names = {f"x{i}": shape for i, shape in enumerate(shapes)}
        result = list(shapes[0])
        result[axis] = sum(shape[axis] for shape in shapes)
        return names, b.op("Concat", *(b.op("Tanh", name) for name in names), axis=axis), result
    return make


GRAPHS |= {
    "concat-channels": concat_of(1, [1, 24, 6, 10], [1, 8, 6, 10], [1, 3, 6, 10]),
    "concat-height": concat_of(2, [1, 24, 6, 10], [1, 24, 1, 10]),
    "concat-width": concat_of(3, [1, 24, 6, 10], [1, 24, 6, 7]),
    "concat-batch": concat_of(0, [2, 5, 6, 10], [1, 5, 6, 10]),
    "concat-tokens": concat_of(1, [1, 1, 48], [1, 20, 48]),
    "concat-features": concat_of(2, [1, 20, 16], [1, 20, 40]),
    "concat-matrix-rows": concat_of(0, [5, 16], [7, 16]),
    "concat-matrix-columns": concat_of(1, [5, 16], [5, 9]),
    "concat-vectors": concat_of(0, [40], [24]),
    "concat-five-axes": concat_of(2, [1, 3, 4, 5, 6], [1, 3, 2, 5, 6]),
    "concat-stack-of-matrices": concat_of(0, [3, 5, 16], [2, 5, 16]),
}


@graph
def concat_with_constants(b):
    first, last = b.bias(1, 1, 48), b.bias(1, 2, 48)
    joined = b.op("Concat", first, b.op("Tanh", "x"), last, axis=1)
    return {"x": [1, 20, 48]}, b.linear(b.norm(joined, 48), 48, 32), [1, 23, 32]


@graph
def linear_over_concat(b):
    joined = b.op("Concat", b.op("Tanh", "x"), b.op("Sigmoid", "y"), axis=-1)
    return {"x": [1, 20, 32], "y": [1, 20, 16]}, b.linear(joined, 48, 24), [1, 20, 24]


@graph
def dense_block(b):
    """Each convolution reads all results before it."""
    results, width = ["x"], 16
    for _ in range(3):
        joined = b.op("Concat", *results, axis=1) if len(results) > 1 else "x"
        weight = b.constant((b.rng.standard_normal((8, width, 3, 3)) / np.sqrt(9 * width)).astype(np.float32))
        results.append(b.op("Relu", b.op("Conv", joined, weight, b.bias(8), pads=[1, 1, 1, 1], kernel_shape=[3, 3])))
        width += 8
    return {"x": [1, 16, 9, 12]}, b.op("Concat", *results, axis=1), [1, width, 9, 12]


@graph
def fused_projection(b):
    """Query, key and value from one linear, told apart along an axis of 3, as in DeiT and Swin."""
    x = b.linear("x", 48, 3 * 48)
    x = b.op("Transpose", b.op("Reshape", x, b.ints(1, 20, 3, 4, 12)), perm=[2, 0, 3, 1, 4])
    query, key, value = (b.op("Gather", x, b.constant(np.int64(i)), axis=0) for i in range(3))
    scores = b.op("MatMul", query, b.op("Transpose", key, perm=[0, 1, 3, 2]))
    mixed = b.op("MatMul", b.op("Softmax", b.op("Mul", scores, b.constant(np.float32(12 ** -0.5))), axis=-1), value)
    mixed = b.op("Reshape", b.op("Transpose", mixed, perm=[0, 2, 1, 3]), b.ints(1, 20, 48))
    return {"x": [1, 20, 48]}, b.linear(mixed, 48, 48), [1, 20, 48]


@graph
def windows(b):
    """Windows of 4 x 4 tokens and back, as in Swin."""
    x = b.op("Reshape", b.norm("x", 32), b.ints(1, 2, 4, 3, 4, 32))
    x = b.op("Reshape", b.op("Transpose", x, perm=[0, 1, 3, 2, 4, 5]), b.ints(6, 16, 32))
    x = b.op("Reshape", b.linear(x, 32, 32), b.ints(1, 2, 3, 4, 4, 32))
    x = b.op("Reshape", b.op("Transpose", x, perm=[0, 1, 3, 2, 4, 5]), b.ints(1, 8, 12, 32))
    return {"x": [1, 8, 12, 32]}, b.linear(x, 32, 24), [1, 8, 12, 24]


@graph
def pixel_shuffle(b):
    x = b.op("Reshape", b.op("Tanh", "x"), b.ints(1, 4, 2, 2, 6, 8))
    x = b.op("Transpose", x, perm=[0, 1, 4, 2, 5, 3])
    return {"x": [1, 16, 6, 8]}, b.op("Reshape", x, b.ints(1, 4, 12, 16)), [1, 4, 12, 16]


@graph
def channel_shuffle(b):
    x = b.op("Transpose", b.op("Reshape", b.op("Tanh", "x"), b.ints(1, 4, 6, 8, 8)), perm=[0, 2, 1, 3, 4])
    return {"x": [1, 24, 8, 8]}, b.op("Reshape", x, b.ints(1, 24, 8, 8)), [1, 24, 8, 8]


@graph
def patches(b):
    """A convolution whose kernel is its stride."""
    weight = b.constant((b.rng.standard_normal((48, 3, 16, 16)) / 28).astype(np.float32))
    x = b.op("Conv", "x", weight, b.bias(48), kernel_shape=[16, 16], strides=[16, 16])
    x = b.op("Transpose", b.op("Reshape", x, b.ints(1, 48, 12)), perm=[0, 2, 1])
    return {"x": [1, 3, 48, 64]}, b.norm(x, 48), [1, 12, 48]


def rotate_half(b, x, shape):
    half = shape[-1] // 2
    low = b.op("Slice", x, b.ints(0), b.ints(half), b.ints(-1))
    high = b.op("Slice", x, b.ints(half), b.ints(2 ** 62), b.ints(-1))
    return b.op("Concat", b.op("Neg", high), low, axis=-1)


def rope(b, x, shape):
    angle = np.outer(np.arange(shape[2]), 1e4 ** (-np.arange(0, 1, 2 / shape[3])))
    cos, sin = (b.constant(np.tile(f(angle), 2)[None, None].astype(np.float32)) for f in (np.cos, np.sin))
    return b.op("Add", b.op("Mul", x, cos), b.op("Mul", rotate_half(b, x, shape), sin))


@graph
def rotary(b):
    return {"x": [1, 4, 20, 16]}, rope(b, b.op("Tanh", "x"), [1, 4, 20, 16]), [1, 4, 20, 16]


@graph
def grouped_queries(b):
    """Four heads of queries share two of keys and values."""
    def heads(count):
        return b.op("Transpose", b.op("Reshape", b.linear("x", 48, count * 12), b.ints(1, 20, count, 12)), perm=[0, 2, 1, 3])

    def repeated(x):
        x = b.op("Expand", b.op("Unsqueeze", x, b.ints(2)), b.ints(1, 2, 2, 20, 12))
        return b.op("Reshape", x, b.ints(1, 4, 20, 12))

    query, key, value = rope(b, heads(4), [1, 4, 20, 12]), repeated(rope(b, heads(2), [1, 2, 20, 12])), repeated(heads(2))
    scores = b.op("MatMul", query, b.op("Transpose", key, perm=[0, 1, 3, 2]))
    mask = b.constant(np.triu(np.full((20, 20), -np.inf, np.float32), 1)[None, None])
    weights = b.op("Softmax", b.op("Add", b.op("Mul", scores, b.constant(np.float32(0.3))), mask), axis=-1)
    weights = b.op("Where", b.op("IsNaN", weights), b.constant(np.float32(0)), weights)
    mixed = b.op("Transpose", b.op("MatMul", weights, value), perm=[0, 2, 1, 3])
    return {"x": [1, 20, 48]}, b.linear(b.op("Reshape", mixed, b.ints(1, 20, 48)), 48, 48), [1, 20, 48]


@pytest.mark.parametrize("name", GRAPHS)
def test_graph(tmp_path, name):
    b = Builder(17)
    shapes, result, shape = GRAPHS[name](b)
    model = b.model([(key, FLOAT, size) for key, size in shapes.items()], [(result, shape)])
    onnx.save(model, tmp_path / "m.onnx")
    report = anetest.compile_model(tmp_path / "m.onnx", tmp_path / "m.anebundle", "--cpu-weights=source")
    assert not anetest.host_ops(report), anetest.host_ops(report)
    inputs = normal_inputs(**shapes)(1)
    want = anetest.reference(model, inputs)
    anetest.check_cpu(anetest.run_bundle(tmp_path / "m.anebundle", inputs, want, tmp_path / "cpu", "cpu"), want)
    half = anetest.reference(fp16_oracle.build(model), inputs)
    got = anetest.run_bundle(tmp_path / "m.anebundle", inputs, want, tmp_path / "emulator", "emulator")
    anetest.check_engine(got, want, half, limit=1e-2, factor=3.0)
