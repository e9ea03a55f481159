"""Makers of ops of com.microsoft, for random graphs with values (see valueops.py), and what those without a kernel in ONNX Runtime are."""
import math

import numpy as np

from valueops import draws
import valueoracle

MICROSOFT = "com.microsoft"


def contrib(*names):
    return draws(*names, domain=MICROSOFT)


def emit(g, name, operands, outputs=1, **attributes):
    return g.emit(name, operands, outputs, domain=MICROSOFT, **attributes)


def tensor(g, *shape, dtype=np.float32, regime=None):
    """Moderate numbers: what overflows inside has no defined value."""
    return g.leaf(g.numbers(shape, dtype, regime or g.one_of(["unit", "eighths", "positive"])))


def kind(g):
    return g.element(["float", "float", "float16"])


@contrib("Gelu", "QuickGelu", "FastGelu", "BiasGelu")
def activation(g, name):
    x = g.value(np.float32, least=1)
    operands = [x] + [tensor(g, x.shape[-1])] * (name == "BiasGelu" or name == "FastGelu" and g.chance(0.5))
    return emit(g, name, operands, **({"alpha": g.one_of([1.702, 1.0, 0.5])} if name == "QuickGelu" else {}))


@contrib("BiasSoftmax")
def bias_softmax(g, name):
    return emit(g, name, [tensor(g, 2, 3, 4, 4), tensor(g, 2, 1, 1, 4)], axis=3, is_inner_broadcast=0)


@contrib("BiasSplitGelu")
def bias_split_gelu(g, name):
    return emit(g, name, [tensor(g, 2, 3, 16), tensor(g, 16)])


@contrib("GroupNorm")
def group_norm(g, name):
    return emit(g, name, [tensor(g, 2, 3, 5, 8), tensor(g, 8), tensor(g, 8)], groups=g.one_of([1, 2, 4, 8]), epsilon=g.one_of([1e-5, 1e-12]),
                activation=g.between(0, 1), channels_last=1)


@contrib("SkipLayerNormalization", "SkipSimplifiedLayerNormalization")
def skip_norm(g, name):
    x = tensor(g, 2, 4, 8, regime=g.one_of(["unit", "whole", "tiny"]))
    skip = tensor(g, *g.one_of([(2, 4, 8), (1, 4, 8), (4, 8)] if "Simplified" not in name else [(2, 4, 8)]))
    operands = [x, skip, tensor(g, 8)] + ([tensor(g, 8)] if "Simplified" not in name else [])
    return emit(g, name, operands + [tensor(g, 8)] * g.between(0, 1), epsilon=g.one_of([1e-5, 1e-12]))


@draws("SimplifiedLayerNormalization", domain=MICROSOFT)
def simplified(g, name):
    return g.emit(name, [tensor(g, 3, 8), tensor(g, 8)], axis=-1, epsilon=1e-6)


@contrib("EmbedLayerNormalization")
def embed_norm(g, name):
    ids, segments = (g.leaf(g.random.integers(0, n, (2, 6)).astype(np.int32)) for n in (20, 2))
    mask = g.leaf((g.random.random((2, 6)) < 0.7).astype(np.int32))
    tables = [tensor(g, n, 8) for n in (20, 10, 2)]
    return emit(g, name, [ids, segments, *tables, tensor(g, 8), tensor(g, 8), mask], 2)


@contrib("FusedMatMul", "TransposeMatMul")
def fused_matmul(g, name):
    ta, tb = g.between(0, 1), g.between(0, 1)
    a, b = (2, 4, 3) if ta else (2, 3, 4), (2, 5, 4) if tb else (2, 4, 5)
    return emit(g, name, [tensor(g, *a), tensor(g, *b)], transA=ta, transB=tb, alpha=g.one_of([1.0, 0.125, 1e-4]))


ACTIVATIONS = [("Relu", []), ("Tanh", []), ("Sigmoid", []), ("LeakyRelu", [0.2]), ("Clip", [0.1, 0.9]), ("HardSigmoid", [0.3, 0.4])]


@contrib("FusedConv", "FusedGemm")
def fused_layer(g, name):
    function, numbers = g.one_of(ACTIVATIONS if name == "FusedConv" else ACTIVATIONS[:4])
    if name == "FusedConv":
        operands = [tensor(g, 1, 3, 6, 6), tensor(g, 4, 3, 3, 3), tensor(g, 4)] + [tensor(g, 1, 4, 6, 6)] * g.between(0, 1)
        return emit(g, name, operands, activation=function, pads=[1, 1, 1, 1], **({"activation_params": numbers} if numbers else {}))
    return emit(g, name, [tensor(g, 3, 4), tensor(g, 4, 5), tensor(g, 5)], activation=function, alpha=g.one_of([1.0, 0.5]),
                **({"activation_alpha": numbers[0]} if numbers else {}))


@contrib("MatMulNBits")
def matmul_bits(g, name):
    bits, columns, rows, block = g.one_of([4, 8]), g.one_of([64, 80]), 8, 32
    blocks = -(-columns // block)
    packed = g.fixed(g.random.integers(0, 256, (rows, blocks, block * bits // 8)), np.uint8)
    return emit(g, name, [tensor(g, 2, 3, columns), packed, g.fixed(g.random.uniform(0.01, 0.1, rows * blocks), np.float32)], K=columns, N=rows, bits=bits,
                block_size=block)


@contrib("Attention")
def attention(g, name):
    mask = g.one_of([None, np.array([3, 5], np.int32), np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32)])
    operands = [tensor(g, 2, 5, 8), tensor(g, 8, 24), tensor(g, 24), None if mask is None else g.leaf(mask)]
    return emit(g, name, operands, num_heads=2, unidirectional=g.between(0, 1))


@contrib("MultiHeadAttention")
def multi_head(g, name):
    mask = g.leaf(np.array([[1] * 7, [1] * 4 + [0] * 3], np.int32)) if g.chance(0.5) else None
    return emit(g, name, [tensor(g, 2, 5, 8), tensor(g, 2, 7, 8), tensor(g, 2, 7, 8), tensor(g, 24), mask, tensor(g, 1, 2, 5, 7)], num_heads=2)


@contrib("GroupQueryAttention")
def group_query(g, name):
    attributes = g.one_of([{}, {"do_rotary": 1}, {"local_window_size": 2}, {"softcap": 5.0}])
    angles = g.random.uniform(-3, 3, (10, 8))
    caches = [g.fixed(f(angles), np.float32) for f in (np.cos, np.sin)] if "do_rotary" in attributes else []
    operands = [tensor(g, 2, 5, 64), tensor(g, 2, 5, 32), tensor(g, 2, 5, 32), None, None, g.fixed([4, 4], np.int32), g.fixed(5, np.int32), *caches]
    return emit(g, name, operands, 3, num_heads=4, kv_num_heads=2, **attributes)[0]


@contrib("RotaryEmbedding")
def rotary(g, name):
    angles = g.random.uniform(-3, 3, (10, 4))
    return emit(g, name, [tensor(g, 2, 3, 16), g.leaf(g.random.integers(0, 10, (2, 3)).astype(np.int64)),
                          g.leaf(np.cos(angles).astype(np.float32)), g.leaf(np.sin(angles).astype(np.float32))], interleaved=g.between(0, 1))


# Quantised. Scales and zero points are constants, as quantisers write them.


def codes(g, *shape, dtype=np.uint8):
    info = np.iinfo(dtype)
    return g.leaf(g.random.integers(info.min, info.max + 1, shape).astype(dtype))


def quantised(g, *shape, dtype=np.uint8):
    return [codes(g, *shape, dtype=dtype), *scaling(g, dtype)]


def scaling(g, dtype=np.uint8):
    return [g.fixed(g.random.uniform(0.01, 0.1), np.float32), g.fixed(g.between(0, 20), dtype)]


@contrib("QLinearAdd", "QLinearMul", "QLinearSigmoid", "QLinearLeakyRelu", "QLinearSoftmax", "QLinearGlobalAveragePool", "QLinearAveragePool",
         "QLinearConcat", "QLinearWhere")
def qlinear(g, name):
    dtype = g.one_of([np.uint8, np.int8]) if name in ("QLinearAdd", "QLinearMul") else np.uint8
    x = quantised(g, *((1, 4, 6, 6) if "Pool" in name else (2, 3, 8)), dtype=dtype)
    out, attributes = scaling(g, dtype), {}
    if name in ("QLinearAdd", "QLinearMul"):
        x += quantised(g, 8, dtype=dtype)
    elif name == "QLinearLeakyRelu":
        attributes = {"alpha": 0.2}
    elif name == "QLinearSoftmax":
        attributes = {"axis": -1, "opset": 13}
    elif name == "QLinearAveragePool":
        attributes = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}
    elif name == "QLinearConcat":
        return emit(g, name, out + quantised(g, 2, 3) + quantised(g, 2, 5), axis=1)
    elif name == "QLinearWhere":
        x = [g.leaf(g.numbers((2, 3), bool)), *quantised(g, 2, 3), *quantised(g, 2, 3)]
    return emit(g, name, x + out, **attributes)


def weights(g, *shape):
    """Of 7 bits: on processors without VNNI, ONNX Runtime's products of uint8 and int8 saturate at 16 bits."""
    return g.leaf(g.random.integers(-64, 64, shape).astype(np.int8))


@contrib("QGemm", "QLinearConv", "MatMulIntegerToFloat", "DynamicQuantizeMatMul")
def quantised_layer(g, name):
    scale, none = g.fixed(g.random.uniform(0.01, 0.1), np.float32), g.fixed(0, np.int8)
    if name == "QGemm":
        bias = g.fixed(g.random.integers(-500, 500, 5), np.int32)
        return emit(g, name, quantised(g, 3, 8) + [weights(g, 8, 5), scale, none, bias] + scaling(g) * g.between(0, 1))
    if name == "QLinearConv":
        return emit(g, name, quantised(g, 1, 3, 6, 6) + [weights(g, 4, 3, 3, 3), scale, none] + scaling(g), pads=[1, 1, 1, 1])
    if name == "MatMulIntegerToFloat":
        return emit(g, name, [codes(g, 3, 8), weights(g, 8, 5), scale, g.fixed(g.random.uniform(0.01, 0.1, 5), np.float32), g.fixed(7, np.uint8)])
    return emit(g, name, [tensor(g, 3, 8), weights(g, 8, 5), scale, g.fixed(2, np.int8), tensor(g, 5)])


@contrib("QuantizeLinear", "DequantizeLinear")
def quantize(g, name):
    dtype = g.one_of([np.uint8, np.int8, np.uint16, np.int16])
    numbers = scaling(g, dtype)
    x = g.value(np.float32, least=1, fits=lambda v: np.isfinite(v.array).all()) if name == "QuantizeLinear" else codes(g, 3, 5, dtype=dtype)
    return emit(g, name, [x, *numbers])


# What ONNX Runtime has no CPU kernel for.


def softmax_of_sum(arrays, attributes):
    exponents = np.exp((x := arrays[0].astype(np.float64) + arrays[1]) - x.max(-1, keepdims=True))
    return [(exponents / exponents.sum(-1, keepdims=True)).astype(arrays[0].dtype)]


def split_gelu(arrays, attributes):
    left, right = np.split(arrays[0].astype(np.float64) + arrays[1], 2, axis=-1)
    return [(left * right * 0.5 * (1 + np.vectorize(math.erf)(right / math.sqrt(2)))).astype(arrays[0].dtype)]


def norm_of_groups(arrays, attributes):
    x = arrays[0].astype(np.float64).transpose(0, 3, 1, 2)
    groups = x.reshape(len(x), attributes["groups"], -1)
    normal = (groups - groups.mean(-1, keepdims=True)) / np.sqrt(groups.var(-1, keepdims=True) + attributes["epsilon"])
    y = normal.reshape(x.shape) * arrays[1][:, None, None] + arrays[2][:, None, None]
    y = y / (1 + np.exp(-y)) if attributes["activation"] else y
    return [y.transpose(0, 2, 3, 1).astype(arrays[0].dtype)]


def mean_square_norm(arrays, attributes):
    x = arrays[0].astype(np.float64)
    return [(x / np.sqrt((x * x).mean(-1, keepdims=True) + attributes["epsilon"]) * arrays[1]).astype(arrays[0].dtype)]


def fused_gemm(given, attributes):
    """ONNX Runtime's sigmoid ends at -18; exactly 0 is what a logarithm sees."""
    if attributes["activation"] != b"Sigmoid" or given[0].dtype != np.float32:
        return None
    a, b, *rest = (each.astype(np.float64) for each in given if each is not None)
    product = attributes.get("alpha", 1.0) * (a.T if attributes.get("transA") else a) @ (b.T if attributes.get("transB") else b)
    return [(1 / (1 + np.exp(-(product + attributes.get("beta", 1.0) * (rest[0] if rest else 0))))).astype(np.float32)]


valueoracle.EXPANSIONS.update({(MICROSOFT, "FusedGemm"): fused_gemm,
                               (MICROSOFT, "SimplifiedLayerNormalization"): mean_square_norm,
                               (MICROSOFT, "BiasSoftmax"): softmax_of_sum, (MICROSOFT, "BiasSplitGelu"): split_gelu,
                               (MICROSOFT, "GroupNorm"): norm_of_groups})
