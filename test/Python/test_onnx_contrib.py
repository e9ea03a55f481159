"""Ops of com.microsoft, which ONNX Runtime's optimiser and exporters write, against ONNX Runtime."""
import math
import re

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import anetest
import onnxcheck

RANDOM = np.random.default_rng(7)


def floats(*shape, scale=1.0):
    return (RANDOM.standard_normal(shape) * scale).astype(np.float32)


def integers(low, high, *shape, dtype=np.int64):
    return RANDOM.integers(low, high, shape).astype(dtype)


def model(op, inputs, outputs=1, constants=(), domain="com.microsoft", **attributes):
    """A model of one node; `inputs`: arrays or None, those at positions `constants` become initializers."""
    names = [f"i{k}" if array is not None else "" for k, array in enumerate(inputs)]
    node = helper.make_node(op, names, [f"o{k}" if keep else "" for k, keep in enumerate([1] * outputs if isinstance(outputs, int) else outputs)],
                            name="node", domain=domain, **attributes)
    values = {name: array for name, array in zip(names, inputs) if name}
    fixed = {f"i{k}" for k in constants}
    given = {name: array for name, array in values.items() if name not in fixed}
    graph = helper.make_graph(
        [node], "g",
        [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in given.items()],
        [helper.make_tensor_value_info(n, 0, None) for n in node.output if n],
        [numpy_helper.from_array(values[n], n) for n in fixed if n in values])
    for info in graph.output:
        info.ClearField("type")
    made = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)])
    return made, given


def check(tmp_path, op, inputs, *arguments, tolerance=2e-5, **attributes):
    onnxcheck.check(*model(op, inputs, *arguments, **attributes), tmp_path, tolerance)


#===-- activations, norms -----------------------------------------------------------------------------------------===


@pytest.mark.parametrize("op,extra,attributes", [
    ("Gelu", [], {}), ("FastGelu", [], {}), ("FastGelu", [(8,)], {}), ("BiasGelu", [(8,)], {}), ("QuickGelu", [], {}),
    ("QuickGelu", [], {"alpha": 1.0})])
def test_activation(op, extra, attributes, tmp_path):
    check(tmp_path, op, [floats(2, 3, 8)] + [floats(*shape) for shape in extra], **attributes)


def test_bias_softmax(tmp_path):
    """ONNX Runtime has no CPU kernel."""
    made, given = model("BiasSoftmax", [floats(2, 3, 4, 4), floats(2, 1, 1, 4)], axis=3, is_inner_broadcast=0)
    exponents = np.exp(given["i0"] + given["i1"])
    onnxcheck.check(made, given, tmp_path, want=[exponents / exponents.sum(-1, keepdims=True)])


def test_bias_split_gelu(tmp_path):
    """ONNX Runtime has no CPU kernel: (x + bias) is cut in two, the first half times the GELU of the second."""
    x, bias = floats(2, 3, 16), floats(16)
    left, right = np.split((x + bias).astype(np.float64), 2, axis=-1)
    gelu = right * 0.5 * (1 + np.vectorize(math.erf)(right / math.sqrt(2)))
    onnxcheck.check(*model("BiasSplitGelu", [x, bias]), tmp_path, want=[(left * gelu).astype(np.float32)])


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("activation", [0, 1])
def test_group_norm(last, activation, tmp_path):
    """ONNX Runtime has no CPU kernel; activation 1 is SiLU."""
    x, gamma, beta = floats(2, 8, 3, 5) + 1, floats(8), floats(8)
    groups = x.astype(np.float64).reshape(2, 4, -1)
    normal = (groups - groups.mean(-1, keepdims=True)) / np.sqrt(groups.var(-1, keepdims=True) + 1e-5)
    want = normal.reshape(x.shape) * gamma[:, None, None] + beta[:, None, None]
    want = (want / (1 + np.exp(-want)) if activation else want).astype(np.float32)
    if last:
        x, want = x.transpose(0, 2, 3, 1).copy(), want.transpose(0, 2, 3, 1)
    made, given = model("GroupNorm", [x, gamma, beta], 1, [1, 2], groups=4, epsilon=1e-5, activation=activation, channels_last=last)
    onnxcheck.check(made, given, tmp_path, want=[want])


@pytest.mark.parametrize("skip", [(2, 4, 8), (1, 4, 8), (4, 8)])
@pytest.mark.parametrize("beta,bias", [(True, True), (True, False), (False, True)])
def test_skip_layer_norm(skip, beta, bias, tmp_path):
    inputs = [floats(2, 4, 8), floats(*skip), floats(8), floats(8) if beta else None, floats(8) if bias else None]
    check(tmp_path, "SkipLayerNormalization", inputs, [1, 0, 0, 1], epsilon=1e-5)


def test_skip_simplified_layer_norm(tmp_path):
    check(tmp_path, "SkipSimplifiedLayerNormalization", [floats(2, 4, 8), floats(2, 4, 8), floats(8), floats(8)], [1, 0, 0, 1],
          epsilon=1e-6)


def test_simplified_layer_norm(tmp_path):
    check(tmp_path, "SimplifiedLayerNormalization", [floats(2, 4, 8), floats(8)], domain="", epsilon=1e-6, axis=-1)


@pytest.mark.parametrize("segments,mask,positions", [(True, True, False), (True, False, True), (False, True, False)])
def test_embed_layer_norm(segments, mask, positions, tmp_path):
    ids = integers(0, 20, 2, 6, dtype=np.int32)
    inputs = [ids, integers(0, 2, 2, 6, dtype=np.int32) if segments else None, floats(20, 8), floats(10, 8),
              floats(2, 8) if segments else None, floats(8), floats(8),
              np.array([[1] * 6, [1] * 4 + [0] * 2], np.int32) if mask else None,
              integers(0, 10, 2, 6, dtype=np.int32) if positions else None]
    check(tmp_path, "EmbedLayerNormalization", inputs, 3)


#===-- products ----------------------------------------------------------------------------------------------------===


@pytest.mark.parametrize("a,b,attributes", [
    ((2, 3, 4), (2, 4, 5), {"alpha": 0.5}), ((2, 4, 3), (2, 5, 4), {"transA": 1, "transB": 1}),
    ((3, 2, 4), (2, 4, 5), {"transBatchA": 1}), ((2, 3, 4), (4, 2, 5), {"transBatchB": 1}),
    ((3, 2, 4), (5, 2, 4), {"transBatchA": 1, "transBatchB": 1, "transB": 1})])
def test_fused_matmul(a, b, attributes, tmp_path):
    check(tmp_path, "FusedMatMul", [floats(*a), floats(*b)], **attributes)


def test_transpose_matmul(tmp_path):
    """The older name of FusedMatMul."""
    check(tmp_path, "TransposeMatMul", [floats(2, 4, 3), floats(2, 5, 4)], transA=1, transB=1, alpha=0.25)


@pytest.mark.parametrize("activation", [{"activation": "Relu"}, {"activation": "Clip", "activation_params": [0.1, 0.9]},
                                        {"activation": "LeakyRelu", "activation_params": [0.2]},
                                        {"activation": "HardSigmoid", "activation_params": [0.3, 0.4]},
                                        {"activation": "Tanh"}, {"activation": "Sigmoid"}])
@pytest.mark.parametrize("added", [False, True])
def test_fused_conv(activation, added, tmp_path):
    inputs = [floats(1, 3, 6, 6), floats(4, 3, 3, 3), floats(4)] + ([floats(1, 4, 6, 6)] if added else [])
    check(tmp_path, "FusedConv", inputs, 1, [1, 2], pads=[1, 1, 1, 1], **activation)


@pytest.mark.parametrize("attributes", [{"activation": "Relu"}, {"activation": "LeakyRelu", "activation_alpha": 0.3, "alpha": 0.5},
                                        {"activation": "Tanh", "transA": 1, "beta": 0.5}])
def test_fused_gemm(attributes, tmp_path):
    a = floats(4, 3) if attributes.get("transA") else floats(3, 4)
    check(tmp_path, "FusedGemm", [a, floats(4, 5), floats(5)], 1, [1, 2], **attributes)


@pytest.mark.parametrize("bits,zeros", [(4, False), (4, True), (8, False)])
@pytest.mark.parametrize("columns", [64, 80])
def test_matmul_nbits(bits, zeros, columns, tmp_path):
    rows, block = 24, 32
    blocks = -(-columns // block)
    packed = integers(0, 256, rows, blocks, block * bits // 8, dtype=np.uint8)
    points = integers(0, 256, rows * (-(-blocks * bits // 8)), dtype=np.uint8) if zeros else None
    check(tmp_path, "MatMulNBits", [floats(2, 3, columns), packed, floats(rows * blocks), points], 1, [1, 2, 3], K=columns, N=rows,
          bits=bits, block_size=block, tolerance=1e-4)


#===-- attention ---------------------------------------------------------------------------------------------------===


@pytest.mark.parametrize("mask", [None, "lengths", "keys", "whole"])
@pytest.mark.parametrize("attributes", [{}, {"unidirectional": 1}, {"scale": 0.3}])
def test_attention(mask, attributes, tmp_path):
    masks = {"lengths": np.array([3, 5], np.int32), "keys": np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32),
             "whole": np.tril(np.ones((2, 5, 5), np.int32))}
    inputs = [floats(2, 5, 8), floats(8, 24, scale=0.4), floats(24), masks.get(mask)]
    check(tmp_path, "Attention", inputs, 1, [1, 2], num_heads=2, **attributes)


@pytest.mark.parametrize("past,bias", [((2, 2, 2, 3, 4), None), (None, (2, 2, 5, 5))])
def test_attention_with_past_or_bias(past, bias, tmp_path):
    inputs = [floats(2, 5, 8), floats(8, 24, scale=0.4), floats(24), None, floats(*past) if past else None,
              floats(*bias) if bias else None]
    check(tmp_path, "Attention", inputs, 2 if past else 1, [1, 2], num_heads=2)


def test_attention_sizes(tmp_path):
    inputs = [floats(2, 5, 8), floats(8, 28, scale=0.4), floats(28)]
    check(tmp_path, "Attention", inputs, 1, [1, 2], num_heads=2, qkv_hidden_sizes=[8, 8, 12])


def test_multi_head_attention(tmp_path):
    inputs = [floats(2, 5, 8), floats(2, 7, 8), floats(2, 7, 8), floats(24),
              np.array([[1] * 7, [1] * 4 + [0] * 3], np.int32), floats(1, 2, 5, 7)]
    check(tmp_path, "MultiHeadAttention", inputs, num_heads=2)


def test_multi_head_attention_with_past(tmp_path):
    inputs = [floats(2, 5, 8), floats(2, 5, 8), floats(2, 5, 8), None, None, None, floats(2, 2, 3, 4), floats(2, 2, 3, 4)]
    check(tmp_path, "MultiHeadAttention", inputs, 3, num_heads=2, unidirectional=1)


@pytest.mark.parametrize("bias", [False, True])
def test_multi_head_attention_cross(bias, tmp_path):
    inputs = [floats(2, 5, 8), floats(2, 2, 6, 4), floats(2, 2, 6, 4), floats(24) if bias else None]
    check(tmp_path, "MultiHeadAttention", inputs[:4 if bias else 3], num_heads=2, scale=0.7)


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("shape,attributes", [((2, 3, 16), {}), ((2, 2, 3, 8), {})])
@pytest.mark.parametrize("offset", [False, True])
def test_rotary_embedding(interleaved, shape, attributes, offset, tmp_path):
    positions = np.array([2], np.int64) if offset else integers(0, 10, 2, 3)
    angles = floats(10, 4)
    check(tmp_path, "RotaryEmbedding", [floats(*shape), positions, np.cos(angles), np.sin(angles)], 1, [2, 3],
          interleaved=interleaved, **attributes)


def test_rotary_embedding_of_a_part(tmp_path):
    angles = floats(10, 2)
    check(tmp_path, "RotaryEmbedding", [floats(2, 3, 16), integers(0, 10, 2, 3), np.cos(angles), np.sin(angles)], 1, [2, 3],
          num_heads=2, rotary_embedding_dim=4)


@pytest.mark.parametrize("attributes", [{}, {"do_rotary": 1}, {"do_rotary": 1, "rotary_interleaved": 1},
                                        {"local_window_size": 2}, {"scale": 0.2}, {"softcap": 5.0}])
@pytest.mark.parametrize("packed", [False, True])
def test_group_query_attention(attributes, packed, tmp_path):
    angles = floats(10, 8)
    query = floats(2, 5, 128) if packed else floats(2, 5, 64)
    keys = [None, None] if packed else [floats(2, 5, 32), floats(2, 5, 32)]
    caches = [np.cos(angles), np.sin(angles)] if "do_rotary" in attributes else []
    inputs = [query] + keys + [None, None, np.array([4, 4], np.int32), np.array(5, np.int32)] + caches
    check(tmp_path, "GroupQueryAttention", inputs, 3, [5, 6, 7, 8], num_heads=4, kv_num_heads=2, **attributes)


def test_group_query_attention_with_past(tmp_path):
    inputs = [floats(1, 1, 32), floats(1, 1, 16), floats(1, 1, 16), floats(1, 2, 5, 8), floats(1, 2, 5, 8),
              np.array([5], np.int32), np.array(6, np.int32)]
    made, _ = model("GroupQueryAttention", inputs, 3, [5, 6], num_heads=4, kv_num_heads=2)
    onnxcheck.refused(made, tmp_path, "node 'node' (GroupQueryAttention): a past of 5 keys is not supported")


#===-- quantisation ------------------------------------------------------------------------------------------------===


def scalar(value, dtype=np.float32):
    return np.array(value, dtype)


def quantised(*shape, dtype=np.uint8, scale=0.0517, zero=3):
    low, high = (0, 256) if dtype == np.uint8 else (-128, 128)
    return [integers(low, high, *shape, dtype=dtype), scalar(scale), scalar(zero, dtype)]


def weights(*shape):
    """Of 7 bits: on processors without VNNI, ONNX Runtime's products of uint8 and int8 saturate at 16 bits."""
    return integers(-64, 64, *shape, dtype=np.int8)


def check_quantised(tmp_path, op, inputs, constants, **attributes):
    """One unit is allowed in rare cases: where a value lies between two. Scales are odd, so that few do."""
    made, given = model(op, inputs, 1, constants, **attributes)
    want = list(anetest.reference(made, given).values())[0]
    got = onnxcheck.compile(made, tmp_path)("main", *given.values())
    assert got.dtype == want.dtype and got.shape == want.shape
    difference = np.abs(got.astype(int) - want.astype(int))
    assert difference.max() <= 1 and np.count_nonzero(difference) <= max(1, 0.02 * difference.size)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize("op", ["QLinearAdd", "QLinearMul"])
def test_qlinear_binary(op, dtype, tmp_path):
    inputs = quantised(2, 3, 8, dtype=dtype) + quantised(8, dtype=dtype, scale=0.0231) + [scalar(0.0993), scalar(5, dtype)]
    check_quantised(tmp_path, op, inputs, [1, 2, 4, 5, 6, 7])


@pytest.mark.parametrize("op,attributes", [("QLinearSigmoid", {}), ("QLinearLeakyRelu", {"alpha": 0.2}),
                                           ("QLinearSoftmax", {"axis": -1, "opset": 13}), ("QLinearSoftmax", {"axis": 1, "opset": 21}),
                                           ("QLinearSoftmax", {"axis": 1, "opset": 12})])
def test_qlinear_unary(op, attributes, tmp_path):
    inputs = quantised(2, 3, 8, zero=100) + [scalar(1 / 256), scalar(0, np.uint8)]
    check_quantised(tmp_path, op, inputs, [1, 2, 3, 4], **attributes)


@pytest.mark.parametrize("last", [0, 1])
def test_qlinear_pools(last, tmp_path):
    inputs = quantised(*((1, 6, 6, 4) if last else (1, 4, 6, 6))) + [scalar(0.04), scalar(2, np.uint8)]
    check_quantised(tmp_path, "QLinearGlobalAveragePool", inputs, [1, 2, 3, 4], channels_last=last)
    (tmp_path / "window").mkdir()
    check_quantised(tmp_path / "window", "QLinearAveragePool", inputs, [1, 2, 3, 4], channels_last=last, kernel_shape=[3, 3],
                    strides=[2, 2], pads=[1, 1, 1, 1])


def test_qlinear_concat(tmp_path):
    inputs = [scalar(0.05), scalar(9, np.uint8)] + quantised(2, 3) + quantised(2, 5, scale=0.1)
    check_quantised(tmp_path, "QLinearConcat", inputs, [0, 1, 3, 4, 6, 7], axis=1)


def test_qlinear_where(tmp_path):
    inputs = [integers(0, 2, 2, 3).astype(bool)] + quantised(2, 3) + quantised(2, 3, scale=0.1) + [scalar(0.06), scalar(4, np.uint8)]
    check_quantised(tmp_path, "QLinearWhere", inputs, [2, 3, 5, 6, 7, 8])


def test_qgemm(tmp_path):
    inputs = quantised(3, 8) + [weights(8, 5), scalar(0.0517), scalar(0, np.int8)] + [integers(-500, 500, 5, dtype=np.int32)]
    check_quantised(tmp_path, "QGemm", inputs + [scalar(0.4), scalar(100, np.uint8)], range(1, 9))
    (tmp_path / "float").mkdir()
    onnxcheck.check(*model("QGemm", inputs, 1, range(1, 7)), tmp_path / "float")


@pytest.mark.parametrize("last", [0, 1])
def test_qlinear_conv(last, tmp_path):
    inputs = quantised(*((1, 6, 6, 3) if last else (1, 3, 6, 6)))
    inputs += [weights(4, 3, 3, 3), scalar(0.0517), scalar(0, np.int8)]
    inputs += [scalar(0.6), scalar(100, np.uint8), integers(-500, 500, 4, dtype=np.int32)]
    check_quantised(tmp_path, "QLinearConv", inputs, range(1, 9), channels_last=last, pads=[1, 1, 1, 1])


def test_matmul_integer_to_float(tmp_path):
    inputs = [integers(0, 256, 3, 8, dtype=np.uint8), weights(8, 5), scalar(0.1), floats(5),
              scalar(7, np.uint8), np.zeros(5, np.int8), floats(5)]
    check(tmp_path, "MatMulIntegerToFloat", inputs, 1, [1, 2, 3, 4, 5, 6])


def test_dynamic_quantize_matmul(tmp_path):
    inputs = [floats(3, 8), weights(8, 5), scalar(0.1), scalar(2, np.int8), floats(5)]
    check(tmp_path, "DynamicQuantizeMatMul", inputs, 1, [1, 2, 3, 4])


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int16])
@pytest.mark.parametrize("axis", [None, 1])
def test_quantize_linear(dtype, axis, tmp_path):
    scales = scalar(0.0517) if axis is None else np.linspace(0.0213, 0.0911, 5, dtype=np.float32)
    zeros = scalar(3, dtype) if axis is None else np.arange(5).astype(dtype)
    # Beyond both ends of 8 bits, too.
    inputs = [floats(3, 5, 7, scale=9.0), scales, zeros]
    check_quantised(tmp_path, "QuantizeLinear", inputs, [1, 2], **({} if axis is None else {"axis": axis}))


def test_16_bit(tmp_path):
    check(tmp_path, "DequantizeLinear", [integers(0, 60000, 4, dtype=np.uint16), scalar(0.1), scalar(30000, np.uint16)], 1, [1, 2])


#===-- whole models ------------------------------------------------------------------------------------------------===


def test_registered_ops_are_tested():
    """Every op of com.microsoft that has a handler stands in this file."""
    text = "".join(path.read_text() for path in (anetest.ROOT / "lib/Import/ONNX/Ops").glob("Contrib*.cpp"))
    ops = set(re.findall(r'onOp\("com.microsoft", "(\w+)"', text))
    source = (anetest.ROOT / "test/Python/test_onnx_contrib.py").read_text()
    assert len(ops) >= 25
    assert not [op for op in ops if f'"{op}"' not in source]


def test_a_mask_beyond_fp16_on_both_devices(tmp_path):
    """The model's number reaches the CPU as it is; the engine's legaliser makes it one that fp16 holds."""
    rng = np.random.default_rng(0)
    node = helper.make_node("MultiHeadAttention", ["q", "k", "v", "", "mask"], ["y"], domain="com.microsoft", num_heads=4,
                            mask_filter_value=-3.4028235e38)
    tensors = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 32, 64]) for name in ("q", "k", "v", "y")]
    mask = helper.make_tensor_value_info("mask", onnx.TensorProto.INT32, [1, 32])
    model = helper.make_model(helper.make_graph([node], "g", [*tensors[:3], mask], tensors[3:]), ir_version=8,
                              opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)])
    onnx.save(model, tmp_path / "m.onnx")
    anetest.compile_model(tmp_path / "m.onnx", tmp_path / "m.anebundle")
    inputs = {name: rng.standard_normal((1, 32, 64)).astype(np.float32) for name in ("q", "k", "v")}
    inputs["mask"] = (np.arange(32) < 20).astype(np.int32)[None]
    want = anetest.reference(model, inputs)["y"]
    for device, limit in (("cpu", 2e-5), ("emulator", 5e-3)):
        got = anetest.run_bundle(tmp_path / "m.anebundle", inputs, ["y"], tmp_path / device, device)["y"]
        assert np.abs(got - want).max() <= limit * np.abs(want).max(), device
