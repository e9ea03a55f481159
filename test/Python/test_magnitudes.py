"""Large values: no spelling for the engine overflows where the model does not.

Each case computes values near the end of fp16's range, in double and on the emulator in faithful mode, whose accumulators
end at 32,768. Functions that were rewritten elementwise are compared element by element, others to the largest value.
"""
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import anetest
import bundlelib

LARGE = 60000.0
GENERATOR = np.random.default_rng(7)


def normal(*shape):
    return GENERATOR.normal(0, 1, shape)


def uniform(low, high, *shape):
    return GENERATOR.uniform(low, high, shape)


def spread(*shape):
    """Values of all magnitudes and both signs."""
    exponents = uniform(-8, np.log2(LARGE), *shape)
    return np.exp2(exponents) * GENERATOR.choice([-1, 1], shape)


def with_large_column(array, value):
    array[..., 0] = value
    return array


def attention(scale):
    """Scores of an attention whose first feature is huge in queries and nothing in keys."""
    scaled = f"""
    %c = ane.const dense<{scale:e}> : tensor<f32>
    %p = ane.mul %s, %c : tensor<1x4x64x64xf32>, tensor<f32>""" if scale != 1 else ""
    return f"""(%q: tensor<1x4x64x64xf32>, %k: tensor<1x4x64x64xf32>, %v: tensor<1x4x64x64xf32>) -> tensor<1x4x64x64xf32> {{
    %s = ane.matmul %q, %k {{transpose_y = true}} : (tensor<1x4x64x64xf32>, tensor<1x4x64x64xf32>) -> tensor<1x4x64x64xf32>{scaled}
    %w = ane.softmax {"%p" if scaled else "%s"} {{axis = -1 : i64}} : tensor<1x4x64x64xf32>
    %r = ane.matmul %w, %v : (tensor<1x4x64x64xf32>, tensor<1x4x64x64xf32>) -> tensor<1x4x64x64xf32>
    return %r : tensor<1x4x64x64xf32>
  }}""", {"q": with_large_column(normal(1, 4, 64, 64) / 4, LARGE), "k": with_large_column(normal(1, 4, 64, 64) / 4, 0),
          "v": normal(1, 4, 64, 64)}


def unary(op, values, shape="1x64x8x64"):
    return f"""(%x: tensor<{shape}xf32>) -> tensor<{shape}xf32> {{
    %r = ane.{op.format(x="%x", t=f"tensor<{shape}xf32>")}
    return %r : tensor<{shape}xf32>
  }}""", {"x": values}


def to(op, values, source, result):
    return f"""(%x: tensor<{source}xf32>) -> tensor<{result}xf32> {{
    %r = ane.{op} : (tensor<{source}xf32>) -> tensor<{result}xf32>
    return %r : tensor<{result}xf32>
  }}""", {"x": values}


def power(exponent, values):
    return f"""(%x: tensor<1x64x8x64xf32>) -> tensor<1x64x8x64xf32> {{
    %c = ane.const dense<{exponent:e}> : tensor<f32>
    %r = ane.pow %x, %c : tensor<1x64x8x64xf32>, tensor<f32>
    return %r : tensor<1x64x8x64xf32>
  }}""", {"x": values}


def norm(op, values, epsilon):
    gamma = "%g = ane.const dense<1.0> : tensor<256xf32>"
    gamma_beta = gamma + "\n    %b = ane.const dense<0.0> : tensor<256xf32>"
    call = {"layer_norm": "ane.layer_norm %x gamma %g beta %b", "rms_norm": "ane.rms_norm %x gamma %g"}[op]
    types = "tensor<1x64x256xf32>, tensor<256xf32>" + (", tensor<256xf32>" if op == "layer_norm" else "")
    return f"""(%x: tensor<1x64x256xf32>) -> tensor<1x64x256xf32> {{
    {gamma_beta if op == "layer_norm" else gamma}
    %r = {call} {{axes = array<i64: 2>, epsilon = {epsilon:e} : f64}} : ({types}) -> tensor<1x64x256xf32>
    return %r : tensor<1x64x256xf32>
  }}""", {"x": values}


def batch_norm():
    """A convolution whose values stand at 4,000, of which the norm makes ten times what they are apart."""
    image = "tensor<1x64x8x64xf32>"
    vector = "tensor<64xf32>"
    return f"""(%x: {image}) -> {image} {{
    %w = ane.const dense<1.0> : tensor<64x1x1x1xf32>
    %m = ane.const dense<4000.0> : {vector}
    %v = ane.const dense<0.01> : {vector}
    %c = ane.conv %x, %w {{groups = 64 : i64}} : ({image}, tensor<64x1x1x1xf32>) -> {image}
    %r = ane.batch_norm %c, %m, %v {{epsilon = 0.0}} : ({image}, {vector}, {vector}) -> {image}
    return %r : {image}
  }}""", {"x": 4000 + 2 * GENERATOR.integers(-40, 40, (1, 64, 8, 64))}


CONCAT = """(%x: tensor<1x24x8x64xf32>, %y: tensor<1x40x8x64xf32>) -> tensor<1x64x8x64xf32> {
    %r = ane.concat %x, %y {axis = 1 : i64} : (tensor<1x24x8x64xf32>, tensor<1x40x8x64xf32>) -> tensor<1x64x8x64xf32>
    return %r : tensor<1x64x8x64xf32>
  }"""
ANGLES = np.outer(np.arange(64), np.linspace(1, 0.01, 32))
ROPE = f"""(%x: tensor<1x4x64x64xf32>) -> tensor<1x4x64x64xf32> {{
    %c = ane.const dense<{np.cos(ANGLES).astype(np.float32).tolist()}> : tensor<64x32xf32>
    %s = ane.const dense<{np.sin(ANGLES).astype(np.float32).tolist()}> : tensor<64x32xf32>
    %r = ane.rope %x, %c, %s : tensor<1x4x64x64xf32>, tensor<64x32xf32>, tensor<64x32xf32>
    return %r : tensor<1x4x64x64xf32>
  }}"""
PROBABILITIES = """(%s: tensor<1x1x64x4096xf32>, %v: tensor<1x1x4096x64xf32>) -> tensor<1x1x64x64xf32> {
    %e = ane.clip %s {alpha = -8.0, beta = 8.0} : tensor<1x1x64x4096xf32>
    %p = ane.softmax %e {axis = -1 : i64} : tensor<1x1x64x4096xf32>
    %r = ane.matmul %p, %v : (tensor<1x1x64x4096xf32>, tensor<1x1x4096x64xf32>) -> tensor<1x1x64x64xf32>
    return %r : tensor<1x1x64x64xf32>
  }"""

IMAGE = (1, 64, 8, 64)
# name -> (function, inputs), and how results are compared.
OVERALL = {
    "attention without a scale": attention(1),
    "attention with a small scale": attention(0.125),
    "attention with a large scale": attention(4),
    "rope": (ROPE, {"x": uniform(-45000, 45000, 1, 4, 64, 64)}),
    "concat of channels": (CONCAT, {"x": spread(1, 24, 8, 64), "y": spread(1, 40, 8, 64)}),
    "running sum": unary("cumsum {x} {{axis = 3 : i64}} : {t}", uniform(800, 1000, *IMAGE)),
    "sum": to("reduce_sum %x {axes = array<i64: 2>, keep_dims = true}", uniform(20, 30, 1, 64, 2048), "1x64x2048", "1x64x1"),
    "sum of channels": to("reduce_sum %x {axes = array<i64: 1>, keep_dims = true}", uniform(50, 120, 1, 512, 8, 64),
                          "1x512x8x64", "1x1x8x64"),
    "mean": to("reduce_mean %x {axes = array<i64: 2>, keep_dims = true}", uniform(0.9, 1, 1, 64, 2048) * LARGE,
               "1x64x2048", "1x64x1"),
    "mean of an image": to("reduce_mean %x {axes = array<i64: 2, 3>}", uniform(0.9, 1, 1, 64, 40, 96) * LARGE,
                           "1x64x40x96", "1x64"),
    "length": to("reduce_l2_norm %x {axes = array<i64: 2>, keep_dims = true}", uniform(0.9, 1, 1, 64, 2048) * LARGE / 46,
                 "1x64x2048", "1x64x1"),
    "log_sum_exp": to("reduce_log_sum_exp %x {axes = array<i64: 3>, keep_dims = true}", uniform(0, LARGE, *IMAGE),
                      "1x64x8x64", "1x64x8x1"),
    "layer_norm": norm("layer_norm", spread(1, 64, 256), 1e-5),
    "layer_norm of little": norm("layer_norm", normal(1, 64, 256) * 1e-3, 1e-3),
    "rms_norm": norm("rms_norm", spread(1, 64, 256), 1e-6),
    "rms_norm of nothing": norm("rms_norm", np.zeros((1, 64, 256)), 1e-3),
    "probabilities of thousands of keys": (PROBABILITIES, {"s": uniform(0, 1, 1, 1, 64, 4096),
                                                           "v": uniform(0.5, 1, 1, 1, 4096, 64) * LARGE}),
    "tile": to("tile %x {reps = array<i64: 1, 2, 1, 1>}", spread(1, 32, 8, 64), "1x32x8x64", "1x64x8x64"),
}
ELEMENTWISE = {
    "gelu": unary("gelu {x} : {t}", spread(*IMAGE)),
    "gelu by tanh": unary('gelu {x} {{mode = "TANH_APPROXIMATION"}} : {t}', spread(*IMAGE)),
    "gelu by sigmoid": unary('gelu {x} {{mode = "SIGMOID_APPROXIMATION"}} : {t}', spread(*IMAGE)),
    "sigmoid": unary("sigmoid {x} : {t}", spread(*IMAGE)),
    "silu": unary("silu {x} : {t}", spread(*IMAGE)),
    "softplus": unary("softplus {x} : {t}", spread(*IMAGE)),
    "batch norm of large means": batch_norm(),
    "arc tangent": unary("atan {x} : {t}", spread(*IMAGE)),
    "acosh": unary("acosh {x} : {t}", 1 + np.abs(spread(*IMAGE))),
    "asinh": unary("asinh {x} : {t}", spread(*IMAGE)),
    "power of -8": power(-8, uniform(0.5, 4, *IMAGE)),
    "cube": power(3, uniform(-40, 40, *IMAGE)),
    "reciprocal root": power(-0.5, np.abs(spread(*IMAGE))),
}


def node(op, shape, result=None, **attributes):
    graph = helper.make_graph([helper.make_node(op, ["x"], ["y"], **attributes)], "g",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, result or shape)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


ONNX = {
    "Celu": (node("Celu", IMAGE, alpha=0.125), spread(*IMAGE)),
    "LpNormalization 1": (node("LpNormalization", (1, 64, 256), p=1, axis=2), spread(1, 64, 256)),
    "LpNormalization 2": (node("LpNormalization", (1, 64, 256), p=2, axis=2), spread(1, 64, 256)),
    "LpNormalization of nothing": (node("LpNormalization", (1, 64, 256), p=2, axis=2), np.zeros((1, 64, 256))),
}


def module(folder, function):
    source = folder / "module.mlir"
    source.write_text(f"module {{\n  func.func @main{function}\n}}\n")
    return source


def run(source, folder, inputs, chip):
    """What faithful mode gives, and the same in double. Inputs are fp16 values, in fp32 unless they are float16."""
    inputs = {name: value if value.dtype == np.float16 else value.astype(np.float16).astype(np.float32) for name, value in inputs.items()}
    engine, exact = folder / "engine.anebundle", folder / "exact.anebundle"
    report = anetest.compile_model(source, engine, "--quiet", f"--target={chip}")
    anetest.run("ane-compile", source, "-o", exact, "--quiet", "--cpu-f64")
    results = []
    for bundle, device, mode in ((engine, "emulator", "faithful"), (exact, "cpu", None)):
        with bundlelib.Bundle(bundle, device, emulator_mode=mode) as opened:
            names = [name for name, *_ in opened.inputs]
            results.append(opened(dict(zip(names, inputs.values())))[0])
            assert not opened.events()
    return report, *results


CHIPS = pytest.mark.parametrize("chip", ["m1", "m4"])


@CHIPS
@pytest.mark.parametrize("name", OVERALL)
def test_no_spelling_overflows(name, chip, tmp_path):
    function, inputs = OVERALL[name]
    report, got, want = run(module(tmp_path, function), tmp_path, inputs, chip)
    assert not anetest.host_ops(report)
    assert np.all(np.isfinite(want))
    assert np.abs(got - want).max() <= 1e-2 * np.abs(want).max()


@CHIPS
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_no_element_overflows(name, chip, tmp_path):
    function, inputs = ELEMENTWISE[name]
    report, got, want = run(module(tmp_path, function), tmp_path, inputs, chip)
    assert not anetest.host_ops(report)
    assert np.all(np.isfinite(want))
    np.testing.assert_allclose(got, want, rtol=1e-2, atol=4e-3)


@pytest.mark.parametrize("name", ONNX)
def test_no_expansion_overflows(name, tmp_path):
    model, values = ONNX[name]
    path = tmp_path / "m.onnx"
    onnx.save(model, path)
    _, got, want = run(path, tmp_path, {"x": values}, "m4")
    assert np.abs(got - want).max() <= 1e-2 * max(np.abs(want).max(), 1e-3)


@pytest.mark.parametrize("values", ["normal", "large"])
@pytest.mark.parametrize("shape, axis", [((1, 3, 197, 197), 3), ((1, 784, 40), 1), ((1, 1000), 1), ((2, 3, 100, 48), 2)])
def test_softmax_of_any_extent(shape, axis, values, tmp_path):
    """C110: on M3 it has no softmax over an axis that is no power of two, and is as accurate."""
    kind = f"tensor<{'x'.join(map(str, shape))}xf16>"
    function = f"""(%x: {kind}) -> {kind} {{
    %a = ane.relu %x : {kind}
    %r = ane.softmax %a {{axis = {axis} : i64}} : {kind}
    return %r : {kind}
  }}"""
    inputs = {"x": (normal(*shape) * 4 if values == "normal" else spread(*shape)).astype(np.float16)}
    report, got, want = run(module(tmp_path, function), tmp_path, inputs, "m3")
    assert not anetest.host_ops(report) and not report["disputed"]
    assert np.abs(got - want).max() <= 1e-3 * want.max()


@pytest.mark.parametrize("op", ["sigmoid", "silu"])
def test_short_sigmoids_are_wrong(op, tmp_path):
    """C58: what is emitted for speed is off by percents where it is small, what is emitted otherwise is not."""
    function, inputs = unary(op + " {x} : {t}", uniform(-8, -3, *IMAGE))
    report, accurate, want = run(module(tmp_path, function), tmp_path, inputs, "m4")
    assert report["prefer"] == "accuracy" and not report["advice"]
    np.testing.assert_allclose(accurate, want, rtol=5e-3)
    fast = tmp_path / "fast.anebundle"
    report = anetest.compile_model(tmp_path / "module.mlir", fast, "--quiet", "--prefer=speed")
    assert report["prefer"] == "speed" and [row["constraint"] for row in report["advice"]] == ["C58 sigmoid-spelling"]
    with bundlelib.Bundle(fast, "emulator", emulator_mode="faithful") as opened:
        values = np.asarray(np.asarray(inputs["x"], np.float16), np.float32)
        wrong = opened({opened.inputs[0][0]: values})[0]
    worst = np.abs(wrong / want - 1).max()
    assert 0.02 < worst < 0.06, worst


def test_arc_tangents_are_spelled(tmp_path):
    """C201: the engine's own is 1.9e-2 off, and stays for speed alone."""
    function, inputs = unary("atan {x} : {t}", spread(*IMAGE))
    report, accurate, want = run(module(tmp_path, function), tmp_path, inputs, "m4")
    assert not report["advice"] and not anetest.host_ops(report)
    assert "atan(" not in (tmp_path / "engine.anebundle" / "programs" / "main_0.mil").read_text()
    np.testing.assert_allclose(accurate, want, rtol=1.8e-3)
    report = anetest.compile_model(tmp_path / "module.mlir", tmp_path / "fast.anebundle", "--quiet", "--prefer=speed")
    assert [row["constraint"] for row in report["advice"]] == ["C201 arctangent-spelling"]
    assert "atan(" in (tmp_path / "fast.anebundle" / "programs" / "main_0.mil").read_text()


@CHIPS
@pytest.mark.parametrize("source, axis, result", [("1x40000x8x32", 1, "1x1x8x32"), ("1x128x160x263", 3, "1x128x160x1"), ("1x128x160x300", 3, "1x128x160x1")])
def test_long_sums_in_parts(source, axis, result, chip, tmp_path):
    """C57: sums that no product takes, for its channels or its rows. Added one by one, 40,000 ones are 2,048."""
    shape = [int(d) for d in source.split("x")]
    for op, values in ("sum", np.ones(shape)), ("mean", uniform(0.9, 1, *shape) * LARGE):
        function, inputs = to(f"reduce_{op} %x {{axes = array<i64: {axis}>, keep_dims = true}}", values, source, result)
        report, got, want = run(module(tmp_path, function), tmp_path, inputs, chip)
        assert not anetest.host_ops(report) and "C57 accurate-sum" not in [row["constraint"] for row in report["advice"]]
        np.testing.assert_allclose(got, want, rtol=3e-3)


def test_short_sums_are_wrong(tmp_path):
    """C57: 4,096 ones are 2,048 where they are added in fp16."""
    function, inputs = to("reduce_sum %x {axes = array<i64: 2>, keep_dims = true}", np.ones((1, 64, 4096)), "1x64x4096", "1x64x1")
    _, accurate, want = run(module(tmp_path, function), tmp_path, inputs, "m4")
    np.testing.assert_array_equal(accurate, want)
    fast = tmp_path / "fast.anebundle"
    report = anetest.compile_model(tmp_path / "module.mlir", fast, "--quiet", "--prefer=speed")
    assert [row["constraint"] for row in report["advice"]] == ["C57 accurate-sum"]
    with bundlelib.Bundle(fast, "emulator", emulator_mode="faithful") as opened:
        wrong = opened({opened.inputs[0][0]: np.ones((1, 64, 4096), np.float32)})[0]
    np.testing.assert_array_equal(wrong, 2048)


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_determinants_keep_small_factors(device, tmp_path):
    """The quotient of a small row and a large pivot, 1.5e-8 below, is nothing in fp16."""
    x = np.array([[[1e-3, -1e-9], [LARGE, 2049]], [[2, 3], [5, 7]]], np.float32)
    graph = helper.make_graph([helper.make_node("Det", ["x"], ["y"])], "det", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10), tmp_path / "m.onnx")
    anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", "--quiet")
    got = anetest.run_bundle(tmp_path / "m.anebundle", {"x": x}, ["y"], tmp_path / "out", device)["y"]
    np.testing.assert_allclose(got, np.linalg.det(x.astype(np.float64)), rtol=1e-6)
