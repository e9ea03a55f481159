"""Ops of the emulator against NumPy formulas and ONNX Runtime, which share no code with it.

A case is one program with one op. The declared result type comes from the expected array, so that every case also checks
the emulator's type inference. Most run in fp32, where a formula and the emulator must agree closely.
"""
import math

import numpy as np
import onnx
import pytest
from onnx import helper

import anetest
import milcase

rng = np.random.default_rng(7)


def normal(*shape):
    return rng.normal(size=shape).astype(np.float32)


def onnx_op(op, inputs, **attributes):
    """One ONNX op by ONNX Runtime."""
    names = [f"i{index}" for index in range(len(inputs))]
    node = helper.make_node(op, names, ["y"], **attributes)
    infos = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
             for n, a in zip(names, inputs)]
    out = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)
    model = helper.make_model(helper.make_graph([node], "g", infos, [out]),
                              ir_version=9, opset_imports=[helper.make_opsetid("", 19)])
    return anetest.reference(model, dict(zip(names, inputs)))["y"]


CASES = []


def case(op, inputs, constants, *expected, opset=18, rtol=2e-5, atol=2e-6, label=""):
    CASES.append(pytest.param(op, inputs, constants, expected, opset, rtol, atol, id=f"{op}{label and '-' + label}"))


x = normal(2, 3, 4, 5)
positive = np.abs(x) + 0.1
unit = np.tanh(x)
erf = np.vectorize(math.erf)


def sigmoid(v):
    return 1 / (1 + np.exp(-v.astype(np.float64)))


# ---- elementwise, one operand
for name, formula, data in [
        ("abs", np.abs, x), ("sign", np.sign, x), ("square", np.square, x), ("exp2", np.exp2, x), ("acos", np.arccos, unit),
        ("asin", np.arcsin, unit), ("atan", np.arctan, x), ("atanh", np.arctanh, unit * 0.9), ("ceil", np.ceil, x),
        ("cos", np.cos, x), ("cosh", np.cosh, x), ("erf", erf, x), ("exp", np.exp, x * 20), ("floor", np.floor, x),
        ("round", np.round, np.float32([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.2])), ("sin", np.sin, x), ("sinh", np.sinh, x),
        ("sqrt", np.sqrt, positive), ("tan", np.tan, x), ("tanh", np.tanh, np.linspace(-12, 12, 1001, dtype=np.float32)),
        ("relu", lambda v: np.maximum(v, 0), x), ("relu6", lambda v: np.clip(v, 0, 6), x * 5), ("sigmoid", sigmoid, x * 9),
        ("silu", lambda v: v * sigmoid(v), x * 9), ("softplus", lambda v: np.log1p(np.exp(v)), x * 5),
        ("softsign", lambda v: v / (1 + np.abs(v)), x)]:
    case(name, {"x": data}, {}, formula(data.astype(np.float64)).astype(np.float32))
case("abs", {"x": np.int32([-3, 0, 5])}, {}, np.int32([3, 0, 5]), label="int")
case("logical_not", {"x": x > 0}, {}, x <= 0)
case("inverse", {"x": positive}, {"epsilon": 0.5}, 1 / (positive + np.float32(0.5)))
case("inverse", {"x": positive}, {}, 1 / (positive + np.float32(1e-4)), label="default")
case("rsqrt", {"x": positive}, {"epsilon": 0.25}, 1 / np.sqrt(positive + np.float32(0.25)))
case("log", {"x": positive}, {"epsilon": 0.0}, np.log(positive))
case("clip", {"x": x}, {"alpha": -0.5, "beta": 0.75}, np.clip(x, -0.5, 0.75).astype(np.float32))
case("threshold", {"x": x}, {"alpha": 0.25}, np.maximum(x, np.float32(0.25)))
case("cast", {"x": x * 3}, {"dtype": "int32"}, np.trunc(x * 3).astype(np.int32))
case("cast", {"x": x}, {"dtype": "fp16"}, x.astype(np.float16), label="fp16", rtol=0, atol=0)
case("cast", {"x": np.int32([0, 2, -1])}, {"dtype": "bool"}, np.array([False, True, True]), label="bool")
case("cast", {"x": np.int32([300, -1, 7])}, {"dtype": "uint8"}, np.uint8([44, 255, 7]), label="wraps")

# ---- activations with parameters
xd = x.astype(np.float64)
case("gelu", {"x": x}, {"mode": "EXACT"}, (xd * 0.5 * (1 + erf(xd / np.sqrt(2)))).astype(np.float32))
case("gelu", {"x": x}, {"mode": "TANH_APPROXIMATION"},
     (0.5 * xd * (1 + np.tanh(np.sqrt(2 / np.pi) * (xd + 0.044715 * xd ** 3)))).astype(np.float32), label="tanh")
case("gelu", {"x": x}, {"mode": "SIGMOID_APPROXIMATION"}, (xd * sigmoid(1.702 * xd)).astype(np.float32), label="sigmoid")
case("leaky_relu", {"x": x}, {"alpha": 0.1}, np.where(x >= 0, x, np.float32(0.1) * x))
case("elu", {"x": x}, {"alpha": 0.7}, np.where(x > 0, x, np.float32(0.7) * np.expm1(x)))
case("thresholded_relu", {"x": x}, {"alpha": 0.4}, np.where(x >= np.float32(0.4), x, np.float32(0)))
alpha, beta = np.float32([0.1, -0.5, 2.0]), np.float32([1.0, 0.5, 3.0])
case("prelu", {"x": x}, {"alpha": alpha}, np.where(x >= 0, x, alpha[None, :, None, None] * x))
case("softplus_parametric", {"x": x}, {"alpha": alpha, "beta": beta},
     alpha[None, :, None, None] * np.log1p(np.exp(beta[None, :, None, None] * x)))
case("clamped_relu", {"x": x}, {"alpha": 0.2, "beta": 0.8}, np.minimum(np.float32(0.8), np.where(x >= 0, x, np.float32(0.2) * x)))
case("linear_activation", {"x": x}, {"alpha": 2.0, "beta": -1.0}, 2 * x - 1)
case("scaled_tanh", {"x": x}, {"alpha": 1.7, "beta": 0.6}, np.float32(1.7) * np.tanh(np.float32(0.6) * x))
case("sigmoid_hard", {"x": x}, {"alpha": 0.5, "beta": 0.25}, np.clip(np.float32(0.5) * x + np.float32(0.25), 0, 1))

# ---- elementwise, two operands
row, column = normal(5), normal(3, 1, 1)
for name, formula in [("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("real_div", np.divide),
                      ("maximum", np.maximum), ("minimum", np.minimum), ("floor_div", np.floor_divide), ("mod", np.mod)]:
    case(name, {"x": x, "y": row}, {}, formula(x, row), label="row")
    case(name, {"x": column, "y": x}, {}, formula(column, x), label="column")
    ints = np.int32([[-7, 7, -8], [8, -9, 9]]), np.int32([3, -3, 4])
    want = formula(*ints)
    case(name, {"x": ints[0], "y": ints[1]}, {}, (np.trunc(want) if name == "real_div" else want).astype(np.int32), label="int")
case("pow", {"x": positive, "y": row}, {}, np.power(positive, row))
case("pow", {"x": positive}, {"y": -0.5}, positive ** np.float32(-0.5), label="rsqrt")
case("pow", {"x": np.int32([2, -3, 5]), "y": np.int32([10, 3, 0])}, {}, np.int32([1024, -27, 1]), label="int")
for name, formula in [("equal", np.equal), ("not_equal", np.not_equal), ("greater", np.greater),
                      ("greater_equal", np.greater_equal), ("less", np.less), ("less_equal", np.less_equal)]:
    case(name, {"x": np.round(x), "y": np.round(row)}, {}, formula(np.round(x), np.round(row)))
p, q = x > 0, row > 0
for name, formula in [("logical_and", np.logical_and), ("logical_or", np.logical_or), ("logical_xor", np.logical_xor)]:
    case(name, {"x": p, "y": q}, {}, formula(p, q))
case("select", {"cond": q, "a": x, "b": column}, {}, np.where(q, x, column))

# ---- reductions: rows, columns, separated axes, everything
reductions = {"reduce_sum": np.sum, "reduce_mean": np.mean, "reduce_max": np.max, "reduce_min": np.min, "reduce_prod": np.prod,
              "reduce_sum_square": lambda v, **k: np.sum(v * v, **k), "reduce_l1_norm": lambda v, **k: np.sum(np.abs(v), **k),
              "reduce_l2_norm": lambda v, **k: np.sqrt(np.sum(v * v, **k)),
              "reduce_log_sum": lambda v, **k: np.log(np.sum(v, **k)),
              "reduce_log_sum_exp": lambda v, **k: np.log(np.sum(np.exp(v), **k))}
for name, formula in reductions.items():
    data = positive.astype(np.float64)
    for axes in ([-1], [1], [0, 2], [1, 2, 3]):
        keep = bool(len(axes) % 2)
        case(name, {"x": positive}, {"axes": axes, "keep_dims": keep},
             np.asarray(formula(data, axis=tuple(axes), keepdims=keep)).astype(np.float32), label=str(axes))
case("reduce_sum", {"x": x}, {}, np.sum(x).reshape(()), label="all", atol=1e-5)
case("reduce_mean", {"x": np.int32([[1, 2, 4], [-1, -2, -4]])}, {"axes": [1]}, np.int32([2, -2]), label="int")
wide = normal(3, 1000)
case("reduce_max", {"x": wide}, {"axes": [1]}, wide.max(1), label="long")
case("reduce_sum", {"x": wide}, {"axes": [1]}, wide.astype(np.float64).sum(1).astype(np.float32), label="long", atol=1e-4)
case("reduce_argmax", {"x": x}, {"axis": 1, "keep_dims": True}, np.argmax(x, 1, keepdims=True).astype(np.int32))
case("reduce_argmin", {"x": x}, {"axis": -1, "output_dtype": "uint16"}, np.argmin(x, -1).astype(np.uint16))

# ---- norms and softmax
def softmax(v, axis):
    e = np.exp(v - v.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


for axis in (-1, 1, 0):
    case("softmax", {"x": x * 10}, {"axis": axis}, softmax((x * 10).astype(np.float64), axis).astype(np.float32), label=str(axis))


def layer_norm(v, axes, gamma=1.0, beta=0.0, epsilon=1e-5):
    v = v.astype(np.float64)
    mean, variance = v.mean(axes, keepdims=True), v.var(axes, keepdims=True)
    return ((v - mean) / np.sqrt(variance + epsilon) * gamma + beta).astype(np.float32)


g, b = normal(5), normal(5)
case("layer_norm", {"x": x}, {"axes": [-1], "gamma": g, "beta": b, "epsilon": 1e-3}, layer_norm(x, -1, g, b, 1e-3))
g, b = normal(3), normal(3)
per_channel = g[None, :, None, None], b[None, :, None, None]
case("layer_norm", {"x": x}, {"axes": [1], "gamma": g, "beta": b}, layer_norm(x, 1, *per_channel), label="channels")
g2 = normal(2, 4)
case("layer_norm", {"x": x}, {"axes": [0, 2], "gamma": g2}, layer_norm(x, (0, 2), g2[:, None, :, None]), label="separated")
case("instance_norm", {"x": x}, {"gamma": g, "beta": b, "epsilon": 1e-4}, layer_norm(x, (2, 3), *per_channel, 1e-4))
mean, variance = normal(3), np.abs(normal(3)) + 0.5
case("batch_norm", {"x": x}, {"mean": mean, "variance": variance, "gamma": g, "beta": b, "epsilon": 1e-3},
     onnx_op("BatchNormalization", [x, g, b, mean, variance], epsilon=1e-3))
case("l2_norm", {"x": x}, {"epsilon": 1e-3}, x / np.sqrt((x * x).sum((1, 2, 3), keepdims=True) + np.float32(1e-3)))
case("local_response_norm", {"x": x}, {"size": 3, "alpha": 0.3, "beta": 0.6, "k": 1.5},
     onnx_op("LRN", [x], size=3, alpha=0.3, beta=0.6, bias=1.5))

# ---- convolutions and pools, by ONNX
image = normal(2, 6, 9, 8)
for label, weight, options, attributes in [
        ("valid", normal(4, 6, 3, 2), {"pad_type": "valid"}, {}),
        ("pointwise", normal(4, 6, 1, 1), {}, {}),
        ("strided", normal(4, 6, 3, 3), {"pad_type": "custom", "pad": [1, 2, 0, 1], "strides": [2, 3]},
         {"pads": [1, 0, 2, 1], "strides": [2, 3]}),
        ("dilated", normal(4, 6, 2, 3), {"dilations": [3, 2]}, {"dilations": [3, 2]}),
        ("same", normal(4, 6, 4, 3), {"pad_type": "same", "strides": [2, 1]}, {"auto_pad": "SAME_UPPER", "strides": [2, 1]}),
        ("same_lower", normal(4, 6, 4, 3), {"pad_type": "same_lower", "strides": [2, 1]},
         {"auto_pad": "SAME_LOWER", "strides": [2, 1]}),
        ("grouped", normal(4, 3, 3, 3), {"groups": 2}, {"group": 2}),
        ("depthwise", normal(12, 1, 3, 3), {"groups": 6, "pad_type": "custom", "pad": [1, 1, 1, 1], "strides": [2, 1]},
         {"group": 6, "pads": [1, 1, 1, 1], "strides": [2, 1]})]:
    bias = normal(weight.shape[0])
    case("conv", {"x": image}, {"weight": weight, "bias": bias, **options},
         onnx_op("Conv", [image, weight, bias], **attributes), label=label, atol=2e-5)
w = normal(4, 6, 3, 3)
case("conv", {"x": image, "weight": w}, {}, onnx_op("Conv", [image, w]), label="run-time-weight", atol=2e-5)
line, w1 = normal(1, 4, 20), normal(5, 4, 3)
case("conv", {"x": line}, {"weight": w1, "strides": [2]}, onnx_op("Conv", [line, w1], strides=[2]), label="1d", atol=2e-5)
cube, w3 = normal(1, 2, 5, 6, 7), normal(3, 2, 2, 3, 2)
case("conv", {"x": cube}, {"weight": w3, "dilations": [1, 2, 1]}, onnx_op("Conv", [cube, w3], dilations=[1, 2, 1]), label="3d", atol=2e-5)
large, w2 = normal(1, 3, 40, 120), normal(2, 3, 5, 5)
case("conv", {"x": large}, {"weight": w2, "strides": [1, 2], "pad_type": "custom", "pad": [2, 2, 2, 2]},
     onnx_op("Conv", [large, w2], strides=[1, 2], pads=[2, 2, 2, 2]), label="large", atol=5e-5)
sound, w1 = normal(1, 64, 3000), normal(2, 64, 400)  # unfolded in parts of a row
case("conv", {"x": sound}, {"weight": w1, "pad_type": "custom", "pad": [7, 9]},
     onnx_op("Conv", [sound, w1], pads=[7, 9]), label="long", rtol=1e-4, atol=2e-3)
for label, groups, options, attributes in [
        ("valid", 1, {}, {}), ("strided", 1, {"strides": [2, 3]}, {"strides": [2, 3]}),
        ("padded", 2, {"pad_type": "custom", "pad": [1, 0, 1, 2], "strides": [2, 2]}, {"pads": [1, 1, 0, 2], "strides": [2, 2]}),
        ("dilated", 1, {"dilations": [2, 1], "strides": [1, 2]}, {"dilations": [2, 1], "strides": [1, 2]}),
        ("output_shape", 1, {"strides": [2, 2], "pad_type": "custom", "pad": [1, 1, 1, 1], "output_shape": [2, 4, 18, 16]},
         {"strides": [2, 2], "pads": [1, 1, 1, 1], "output_padding": [1, 1]})]:
    weight = normal(6, 4 // groups, 3, 3)
    bias = normal(4)
    case("conv_transpose", {"x": image}, {"weight": weight, "bias": bias, "groups": groups, **options},
         onnx_op("ConvTranspose", [image, weight, bias], group=groups, **attributes), label=label, atol=3e-5)
for label, options, attributes in [
        ("valid", {"pad_type": "valid", "strides": [2, 1]}, {"strides": [2, 1]}),
        ("custom", {"pad_type": "custom", "pad": [1, 0, 1, 1]}, {"pads": [1, 1, 0, 1]}),
        ("same", {"pad_type": "same", "strides": [2, 2]}, {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
        ("ceil", {"pad_type": "custom", "pad": [1, 1, 1, 1], "strides": [2, 2], "ceil_mode": True},
         {"pads": [1, 1, 1, 1], "strides": [2, 2], "ceil_mode": 1})]:
    constants = {"kernel_sizes": [3, 3], **options}
    case("max_pool", {"x": image}, constants, onnx_op("MaxPool", [image], kernel_shape=[3, 3], **attributes), label=label)
    if label == "ceil":
        continue  # checked by hand in the unit tests: runtimes disagree about what a cut-off window counts
    case("avg_pool", {"x": image}, {**constants, "exclude_padding_from_average": True},
         onnx_op("AveragePool", [image], kernel_shape=[3, 3], **attributes), label=f"{label}-exclude")
    case("avg_pool", {"x": image}, constants,
         onnx_op("AveragePool", [image], kernel_shape=[3, 3], count_include_pad=1, **attributes), label=label)
squares = onnx_op("AveragePool", [image * image], kernel_shape=[2, 2])
case("l2_pool", {"x": image}, {"kernel_sizes": [2, 2], "pad_type": "valid"}, np.sqrt(squares * 4))

# ---- products
a, bt, big = normal(2, 3, 4, 5), normal(3, 6, 5), normal(2, 3, 5, 40)
case("matmul", {"x": a, "y": bt}, {"transpose_y": True}, a @ bt.swapaxes(-1, -2), atol=1e-5)
case("matmul", {"x": a, "y": big}, {}, a @ big, label="batched", atol=1e-5)
case("matmul", {"x": a.swapaxes(-1, -2).copy(), "y": big}, {"transpose_x": True}, a @ big, label="transposed", atol=1e-5)
flat = normal(5, 70)
case("matmul", {"x": a, "y": flat}, {}, a @ flat, label="shared", atol=1e-5)
ints = np.int32([[1, -2], [3, 4]])
case("matmul", {"x": ints, "y": ints}, {}, ints @ ints, label="int")
w, bias = normal(7, 5), normal(7)
case("linear", {"x": a}, {"weight": w, "bias": bias}, a @ w.T + bias, atol=1e-5)
e1, e2 = normal(2, 3, 4, 5), normal(2, 5, 4, 6)
case("einsum", {"values": (e1, e2)}, {"equation": "nchw,nwhu->nchu"}, np.einsum("nchw,nwhu->nchu", e1, e2), atol=1e-5)
case("einsum", {"values": (e1[0], e2[0])}, {"equation": "abc,cbd->abd"}, np.einsum("chw,whr->chr", e1[0], e2[0]), label="3", atol=1e-5)
query, key, value = normal(2, 3, 4, 8), normal(2, 3, 6, 8), normal(2, 3, 6, 5)


def attention(mask):
    scores = query.astype(np.float64) @ key.swapaxes(-1, -2) / np.sqrt(8) + mask
    return (softmax(scores, -1) @ value).astype(np.float32)


additive, attend = normal(4, 6), rng.random((2, 1, 4, 6)) > 0.3
attend[..., 0] = True
for label, extra, mask in [("plain", {}, 0.0), ("additive", {"attn_mask": additive}, additive),
                           ("bool", {"attn_mask": attend}, np.where(attend, 0.0, -np.inf))]:
    case("scaled_dot_product_attention", {"query": query, "key": key, "value": value, **extra}, {}, attention(mask),
         label=label, atol=1e-5)

# ---- shapes
case("reshape", {"x": x}, {"shape": [0, -1, 10, 1]}, x.reshape(2, 6, 10, 1))
case("transpose", {"x": x}, {"perm": [0, 3, -3, 2]}, x.transpose(0, 3, 1, 2))
case("transpose", {"x": wide}, {"perm": [1, 0]}, wide.T.copy(), label="large")
case("expand_dims", {"x": x}, {"axes": [0, -1]}, x[None, ..., None])
case("squeeze", {"x": x[:1]}, {"axes": [0, 1]}, x[0])
case("flatten2d", {"x": x}, {"axis": 2}, x.reshape(6, 20))
case("shape", {"x": x}, {}, np.int32([2, 3, 4, 5]))
case("identity", {"x": x}, {}, x)
case("slice_by_index", {"x": x}, {"begin": [0, 1, -1, 4], "end": [2, 3, -4, 0], "stride": [1, 1, -2, -1],
                                  "begin_mask": [True, False, False, False], "end_mask": [False, False, False, True]},
     x[:2, 1:3, -1:-4:-2, 4::-1])
case("slice_by_index", {"x": x}, {"begin": [1, 0, 2, 0], "end": [0, 3, 4, 5], "squeeze_mask": [True, False, False, False]},
     x[1, 0:3, 2:4], label="squeeze")
case("slice_by_index", {"x": x, "begin": np.int32([0, 1, 0, 0]), "end": np.int32([2, 3, 4, 5])}, {}, x[:, 1:3], label="run-time")
case("slice_by_size", {"x": x}, {"begin": [0, 1, 2, 0], "size": [2, -1, 2, 3]}, x[:, 1:, 2:4, :3])
case("slice_by_size", {"x": x, "begin": np.int32([0, 1, 1, 2])}, {"size": [2, 2, 2, 3]}, x[:, 1:3, 1:3, 2:], label="run-time")
update = normal(2, 2, 4, 3)
updated = x.copy()
updated[:, 1:3, :, 0:5:2] = update
case("slice_update", {"x": x, "update": update}, {"begin": [0, 1, 0, 0], "end": [0, 3, 0, 5], "stride": [1, 1, 1, 2],
                                                "begin_mask": [True, False, True, False], "end_mask": [True, False, True, False]}, updated)
case("split", {"x": x}, {"axis": 3, "split_sizes": [1, 4]}, x[..., :1], x[..., 1:])
case("split", {"x": x}, {"axis": 2, "num_splits": 2}, x[:, :, :2], x[:, :, 2:], label="even")
y = normal(2, 2, 4, 5)
case("concat", {"values": (x, y, x)}, {"axis": 1}, np.concatenate([x, y, x], 1))
case("concat", {"values": (x, x * 2)}, {"axis": 1, "interleave": True}, np.stack([x, x * 2], 2).reshape(2, 6, 4, 5), label="interleave")
case("stack", {"values": (x, x + 1)}, {"axis": -2}, np.stack([x, x + 1], -2))
case("tile", {"x": x}, {"reps": [1, 2, 1, 3]}, np.tile(x, [1, 2, 1, 3]))
for mode, name in [("constant", "constant"), ("reflect", "reflect"), ("edge", "replicate")]:
    extra = {"constant_values": 1.5} if mode == "constant" else {}
    case("pad", {"x": x}, {"pad": [0, 1, 2, 3, 1, 0], "mode": name, "constant_val": 1.5},
         np.pad(x, [(0, 0), (0, 1), (2, 3), (1, 0)], mode, **extra), label=name)
case("crop", {"x": x}, {"crop_height": [1, 0], "crop_width": [2, 1]}, x[:, :, 1:, 2:4])
case("reverse", {"x": x}, {"axes": [1, 3]}, x[:, ::-1, :, ::-1].copy())
lengths = np.int32([2, 4])
reversed_rows = x.copy()
for n in range(2):
    reversed_rows[n, :, :lengths[n]] = x[n, :, :lengths[n]][:, ::-1]
case("reverse_sequence", {"x": x, "lengths": lengths}, {"seq_axis": 2, "batch_axis": 0}, reversed_rows)
deep = normal(2, 8, 4, 6)
case("depth_to_space", {"x": deep}, {"block_size": 2}, onnx_op("DepthToSpace", [deep], blocksize=2, mode="DCR"))
case("pixel_shuffle", {"x": deep}, {"upscale_factor": 2}, onnx_op("DepthToSpace", [deep], blocksize=2, mode="CRD"))
case("space_to_depth", {"x": deep}, {"block_size": 2}, onnx_op("SpaceToDepth", [deep], blocksize=2))
crd = deep.reshape(2, 8, 2, 2, 3, 2).transpose(0, 1, 3, 5, 2, 4).reshape(2, 32, 2, 3)
case("pixel_unshuffle", {"x": deep}, {"downscale_factor": np.uint32(2)}, crd)
blocks = np.pad(deep, [(0, 0), (0, 0), (1, 1), (0, 0)]).reshape(2, 8, 2, 3, 3, 2).transpose(3, 5, 0, 1, 2, 4).reshape(12, 8, 2, 3)
case("space_to_batch", {"x": deep}, {"block_shape": [3, 2], "paddings": np.int32([[1, 1], [0, 0]])}, blocks)
case("batch_to_space", {"x": blocks}, {"block_shape": [3, 2], "crops": np.int32([[1, 1], [0, 0]])}, deep)
windows = np.lib.stride_tricks.sliding_window_view(x, 3, axis=3)[:, :, :, ::2]
case("sliding_windows", {"x": x}, {"axis": 3, "size": 3, "stride": 2}, windows.copy())
m, n = np.meshgrid(np.arange(4), np.arange(5), indexing="ij")
case("band_part", {"x": x}, {"lower": 1, "upper": 2}, np.where((m - n <= 1) & (n - m <= 2), x, np.float32(0)))

# ---- indices
index = np.int32([[2, 0], [1, 1]])
case("gather", {"x": x, "indices": index}, {"axis": 1}, np.take(x, index, 1))
case("gather", {"x": x, "indices": np.int32([[1, 0, 2], [2, 2, 0]])}, {"axis": 1, "batch_dims": 1},
     np.stack([x[i][k] for i, k in enumerate([[1, 0, 2], [2, 2, 0]])]), label="batch")
case("gather", {"x": x, "indices": np.int32([-1, 0])}, {"axis": 3}, x[..., [-1, 0]], label="negative", opset=16)
along = rng.integers(0, 4, (2, 3, 2, 5)).astype(np.int32)
case("gather_along_axis", {"x": x, "indices": along}, {"axis": 2}, np.take_along_axis(x, along, 2))
case("gather_nd", {"x": x, "indices": np.int32([[1, 2], [0, 0]])}, {}, np.stack([x[1, 2], x[0, 0]]))
case("gather_nd", {"x": x, "indices": np.int32([[[1, 2]], [[0, 3]]])}, {"batch_dims": 1}, np.stack([x[0, 1, 2], x[1, 0, 3]])[:, None], label="batch")
data, places, updates = normal(4, 3), np.int32([2, 0, 2]), normal(3, 3)
for mode, at in [("add", np.add.at), ("sub", np.subtract.at), ("mul", np.multiply.at), ("div", np.divide.at),
                 ("max", np.maximum.at), ("min", np.minimum.at)]:
    want = data.copy()
    at(want, places, updates)
    case("scatter", {"data": data, "indices": places, "updates": updates}, {"axis": 0, "mode": mode}, want, label=mode)
want = data.copy()
want[[2, 0]] = updates[:2]
case("scatter", {"data": data, "indices": np.int32([2, 0]), "updates": updates[:2]}, {"mode": "update"}, want, label="update")
along = np.int32([[0, 3, 1], [2, 2, 0]])
want = data.copy()
np.put_along_axis(want, along, updates[:2], 0)
case("scatter_along_axis", {"data": data, "indices": along, "updates": updates[:2]}, {"axis": 0, "mode": "update"}, want)
want = data.copy()
want[1, 2] += updates[0, 0]
want[3, 0] += updates[0, 1]
case("scatter_nd", {"data": data, "indices": np.int32([[1, 2], [3, 0]]), "updates": updates[0, :2]}, {"mode": "add"}, want)
one = np.full((2, 2, 3), 0.5, np.float32)
for i in range(2):
    for j in range(2):
        one[i, j, index[i, j]] = 2.0
case("one_hot", {"indices": index}, {"one_hot_vector_size": 3, "on_value": 2.0, "off_value": 0.5}, one)
order = np.argsort(-x, 1, kind="stable")[:, :2].astype(np.int32)
case("topk", {"x": x}, {"k": 2, "axis": 1}, np.take_along_axis(x, order, 1), order)
case("topk", {"x": x}, {"k": 1, "axis": -1, "ascending": True, "return_indices": False}, x.min(-1, keepdims=True), label="smallest")
case("argsort", {"x": x}, {"axis": 2, "ascending": True}, np.argsort(x, 2, kind="stable").astype(np.int32))
case("cumsum", {"x": x}, {"axis": 1}, np.cumsum(x, 1))
case("cumsum", {"x": x}, {"axis": 3, "exclusive": True, "reverse": True},
     np.flip(np.cumsum(np.flip(x, 3), 3), 3) - x, label="exclusive", atol=1e-5)
case("fill_like", {"ref_tensor": x}, {"value": 3.5}, np.full(x.shape, 3.5, np.float32))

# ---- resizing
case("upsample_nearest_neighbor", {"x": x}, {"scale_factor_height": 2, "scale_factor_width": 3}, x.repeat(2, 2).repeat(3, 3))


def resized(v, height, width, mode):
    scales = np.float32([1, 1, height / v.shape[2], width / v.shape[3]])
    return onnx_op("Resize", [v, np.array([], np.float32), scales], mode="linear", coordinate_transformation_mode=mode)


case("upsample_bilinear", {"x": x}, {"scale_factor_height": 2, "scale_factor_width": 2}, resized(x, 8, 10, "align_corners"), atol=1e-5)
case("upsample_bilinear", {"x": x}, {"scale_factor_height": 2, "scale_factor_width": 2, "align_corners": False},
     resized(x, 8, 10, "half_pixel"), label="half-pixel", atol=1e-5)
case("resize_nearest_neighbor", {"x": x}, {"target_size_height": 8, "target_size_width": 3}, x.repeat(2, 2)[..., [0, 1, 3]])
for mode, name in [("align_corners", "STRICT_ALIGN_CORNERS"), ("asymmetric", "DEFAULT"), ("half_pixel", "UNALIGN_CORNERS")]:
    case("resize_bilinear", {"x": x}, {"target_size_height": 7, "target_size_width": 3, "sampling_mode": name},
         resized(x, 7, 3, mode), label=name, atol=1e-5)
    case("resize", {"x": x}, {"shape": [1, 7, 0], "resized_dims": np.uint32(2), "sampling_mode": name},
         resized(x, 7, 5, mode), label=name, atol=1e-5)
grid = rng.uniform(-1.3, 1.3, (2, 3, 6, 2)).astype(np.float32)
for mode, theirs in [("constant", "zeros"), ("border", "border"), ("symmetric", "reflection")]:
    align = mode == "border"
    case("resample", {"x": x, "coordinates": grid}, {
        "sampling_mode": "bilinear", "padding_mode": mode, "padding_value": 0.0,
        "coordinates_mode": "normalized_minus_one_to_one", "align_corners": align},
        onnx_op("GridSample", [x, grid], mode="bilinear", padding_mode=theirs, align_corners=int(align)).astype(np.float32),
        label=mode, atol=2e-5)

# ---- quantisation
scales, zeros = np.float32([0.1, 0.05, 0.2]), np.int8([3, -7, 0])
quantised = np.clip(np.round(x / scales[None, :, None, None]) + zeros[None, :, None, None], -128, 127).astype(np.int8)
case("quantize", {"input": x}, {"scale": scales, "zero_point": zeros, "axis": 1, "output_dtype": "int8"}, quantised)
case("quantize", {"input": x}, {"scale": 0.02, "output_dtype": "uint8"}, np.clip(np.round(x / np.float32(0.02)), 0, 255).astype(np.uint8), label="scalar")
case("dequantize", {"input": quantised}, {"scale": scales, "zero_point": zeros, "axis": 1},
     scales[None, :, None, None] * (quantised.astype(np.float32) - zeros[None, :, None, None]))


@pytest.mark.parametrize("op, inputs, constants, expected, opset, rtol, atol", CASES)
def test_op(op, inputs, constants, expected, opset, rtol, atol, tmp_path):
    results = [(f"out{i}", milcase.type_of(array)) for i, array in enumerate(expected)]
    for got, want in zip(milcase.call(tmp_path, op, inputs, constants, results, opset), expected):
        assert got.dtype == want.dtype
        if np.issubdtype(want.dtype, np.floating):
            np.testing.assert_allclose(got, want, rtol=rtol, atol=atol)
        else:
            np.testing.assert_array_equal(got, want)


HALF = [("exp", {}, np.exp), ("tanh", {}, np.tanh), ("sigmoid", {}, sigmoid), ("sqrt", {}, np.sqrt),
        ("reduce_sum", {"axes": [1]}, lambda v: v.sum(1)), ("softmax", {"axis": 1}, lambda v: softmax(v, 1)),
        ("layer_norm", {"axes": [1]}, lambda v: (v - v.mean(1, keepdims=True)) / np.sqrt(v.var(1, keepdims=True) + 1e-5))]


@pytest.mark.parametrize("op, constants, formula", HALF, ids=[entry[0] for entry in HALF])
def test_fp16_results_are_rounded_once(op, constants, formula, tmp_path):
    """fp16 in, one rounding out: the nearest fp16 value of the exact result, or its neighbour where fp32 misleads."""
    data = np.abs(normal(7, 300)).astype(np.float16)
    exact = formula(data.astype(np.float64))
    want = exact.astype(np.float16)
    (got,) = milcase.call(tmp_path, op, {"x": data}, constants, [("y", milcase.type_of(want))])
    assert got.dtype == np.float16
    different = got != want
    assert different.mean() < 2e-3, f"{different.sum()} of {different.size} differ from the rounded exact result"
    assert np.all(np.abs(got.astype(np.float64) - exact) <= np.spacing(np.abs(want)).astype(np.float64) * 0.501)


def test_fp16_add_overflows_and_ties_go_to_even(tmp_path):
    x, y = np.float16([65504, 2048, 2050, 6e-8]), np.float16([32, 1, 1, 6e-8])
    (got,) = milcase.call(tmp_path, "add", {"x": x, "y": y}, {}, [("z", "tensor<fp16, [4]>")])
    np.testing.assert_array_equal(got, np.float16([np.inf, 2048, 2052, 1.2e-7]))
