"""What fp16 must not compute: numbers of 16 bits and positions in an image. On the emulator, where all else is fp16."""
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import anetest


def run(nodes, shapes, result, constants, inputs, directory, device):
    graph = helper.make_graph(nodes, "precision",
                              [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, result)],
                              [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.save(made, directory / "m.onnx")
    anetest.compile_model(directory / "m.onnx", directory / "m.anebundle")
    want = anetest.reference(made, inputs)["y"]
    return anetest.run_bundle(directory / "m.anebundle", inputs, ["y"], directory / device, device)["y"], want


def quantised(name, to):
    return [helper.make_node("QuantizeLinear", [name, "scale", "zero"], [f"{to}_q"]),
            helper.make_node("DequantizeLinear", [f"{to}_q", "scale", "zero"], [to])]


@pytest.mark.parametrize("device", ["cpu", "emulator"])
@pytest.mark.parametrize("zero", [np.uint16(32768), np.int16(-5)])
def test_16_bit_quantisation(zero, device, tmp_path):
    rng = np.random.default_rng(6)
    nodes = [*quantised("x", "a"), helper.make_node("MatMul", ["a", "w"], ["m"]), *quantised("m", "y")]
    constants = {"w": (rng.standard_normal((64, 64)) / 8).astype(np.float32), "scale": np.float32(8 / 65535), "zero": zero}
    inputs = {"x": rng.standard_normal((4, 64)).astype(np.float32)}
    got, want = run(nodes, {"x": [4, 64]}, [4, 64], constants, inputs, tmp_path, device)
    # Where a result lies between two steps, the last digit decides.
    assert np.abs(got - want).max() <= (1.01 * 8 / 65535 if device == "cpu" else 2e-3 * np.abs(want).max())


@pytest.mark.parametrize("device", ["cpu", "emulator"])
@pytest.mark.parametrize("mode", ["linear", "nearest", "cubic"])
def test_positions_in_a_wide_image(mode, device, tmp_path):
    """A position beyond 2,048 has no fraction in fp16."""
    rng = np.random.default_rng(8)
    x, grid = rng.standard_normal((1, 2, 4, 5000)).astype(np.float32), rng.uniform(-1, 1, (1, 6, 7, 2)).astype(np.float32)
    grid = np.round(grid, 3)  # to three digits: the engine never sees them
    node = helper.make_node("GridSample", ["x", "grid"], ["y"], mode=mode, align_corners=1)
    got, want = run([node], {"x": x.shape, "grid": grid.shape}, [1, 2, 6, 7], {}, {"x": x, "grid": grid}, tmp_path, device)
    assert np.abs(got - want).max() <= (1e-3 if device == "cpu" else 5e-3) * np.abs(want).max()


def one_node(op, x, directory, **attributes):
    """Compiles a model of one op on x. Returns what ONNX Runtime computes of it in float32."""
    def model(dtype):
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        graph = helper.make_graph([helper.make_node(op, ["x"], ["y"], **attributes)], "precision", [helper.make_tensor_value_info("x", kind, x.shape)],
                                  [helper.make_tensor_value_info("y", kind, None)])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)

    onnx.save(model(x.dtype), directory / "m.onnx")
    anetest.compile_model(directory / "m.onnx", directory / "m.anebundle")
    return anetest.reference(model(np.float32), {"x": x.astype(np.float32)})["y"]


# Numbers whose powers fp16 does not hold, and in f32 the engine neither.
@pytest.mark.parametrize("device", ["cpu", "emulator"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("op,largest,attributes", [
    ("LpPool", 3000, {"kernel_shape": [2, 2], "p": 3}), ("LpPool", 3000, {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "p": 4}),
    ("GlobalLpPool", 3000, {"p": 3}), ("GlobalLpPool", 600, {"p": 1}), ("MeanVarianceNormalization", 300, {})])
def test_powers_of_large_numbers(op, largest, attributes, dtype, device, tmp_path):
    if device == "emulator" and op == "MeanVarianceNormalization":
        largest /= 10  # squares beyond fp16 are the CPU's, which the runtime says
    x = (np.random.default_rng(4).uniform(-1, 1, (2, 3, 6, 8)) * largest).astype(dtype)
    want = one_node(op, x, tmp_path, **attributes)
    got = anetest.run_bundle(tmp_path / "m.anebundle", {"x": x}, ["y"], tmp_path / device, device)["y"]
    limit = 5e-3 if device == "emulator" else 2e-3 if dtype == np.float16 else 1e-5
    assert got.dtype == dtype and np.isfinite(got).all()
    assert np.abs(got.astype(float) - want).max() <= limit * np.abs(want).max()


@pytest.mark.parametrize("p", [1, 2])
def test_norm_of_an_infinity(p, tmp_path):
    """What is finite beside it is 0, not NaN."""
    x = np.array([[1, np.inf, 3], [3, -4, 0], [-np.inf, 0, 2], [0, 0, 0]], np.float32)
    want = one_node("LpNormalization", x, tmp_path, axis=1, p=p)
    got = anetest.run_bundle(tmp_path / "m.anebundle", {"x": x}, ["y"], tmp_path / "cpu", "cpu")["y"]
    np.testing.assert_allclose(got, want, rtol=1e-6)
    assert np.isnan(want).sum() == 2


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_asinh_near_0(device, tmp_path):
    """The logarithm of a number near 1 has no digits in fp16."""
    x = np.concatenate([np.linspace(-0.6, 0.6, 61), [1e-4, -5e-4, 1.5e-3, 2, -300, 6e4]]).astype(np.float32)
    want = one_node("Asinh", x, tmp_path)
    got = anetest.run_bundle(tmp_path / "m.anebundle", {"x": x}, ["y"], tmp_path / device, device)["y"]
    np.testing.assert_allclose(got, want, rtol=1e-6 if device == "cpu" else 2e-3, atol=1e-9 if device == "cpu" else 1e-7)


def test_acosh_of_large_doubles(tmp_path):
    x = np.array([1, 1.0000001, 2, 1e100, 1e154, 1e200, 8e307])
    with np.errstate(over="ignore"):
        one_node("Acosh", x, tmp_path)
    got = anetest.run_bundle(tmp_path / "m.anebundle", {"x": x}, ["y"], tmp_path / "cpu", "cpu")["y"]
    np.testing.assert_allclose(got, np.arccosh(x), rtol=1e-14)


@pytest.mark.parametrize("exponent,want", [(0.5, [np.inf, np.nan, 0, 0, 1e-20, 2, np.inf, np.nan]),
                                           (-0.5, [0, np.nan, np.inf, np.inf, 1e20, 0.5, 0, np.nan])])
def test_powers_that_are_roots(exponent, want, tmp_path):
    """IEEE: that of -0 is that of 0, that of -infinity that of infinity, that of other negative numbers NaN."""
    x = np.array([-np.inf, -4, -0.0, 0, 1e-40, 4, np.inf, np.nan], np.float32)
    got, _ = run([helper.make_node("Pow", ["x", "e"], ["y"])], {"x": [8]}, [8], {"e": np.float32(exponent)}, {"x": x}, tmp_path, "cpu")
    np.testing.assert_allclose(got, want, rtol=1e-5)
    assert not np.signbit(got[~np.isnan(got)]).any()


# Log-mel features of a quiet sound; years; signs of inputs: what fp16 would round before it is asked for.
@pytest.mark.parametrize("device", ["cpu", "emulator"])
@pytest.mark.parametrize("nodes,x", [
    ([helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("Mul", ["h", "h"], ["s"]), helper.make_node("MatMul", ["s", "m"], ["b"]),
      helper.make_node("Max", ["b", "least"], ["c"]), helper.make_node("Log", ["c"], ["y"])], lambda rng: 1e-3 * rng.standard_normal((4, 64))),
    ([helper.make_node("Sub", ["x", "year"], ["d"]), helper.make_node("MatMul", ["d", "w"], ["y"])], lambda rng: 2000 + rng.uniform(0, 3, (4, 64))),
    ([helper.make_node("Sign", ["x"], ["s"]), helper.make_node("MatMul", ["s", "w"], ["y"])], lambda rng: rng.standard_normal((4, 64)) * rng.choice([1, 1e-9], (4, 64))),
    ([helper.make_node("Greater", ["x", "zero"], ["g"]), helper.make_node("Cast", ["g"], ["f"], to=TensorProto.FLOAT), helper.make_node("MatMul", ["f", "w"], ["y"])],
     lambda rng: rng.standard_normal((4, 64)) * rng.choice([1, 1e-9], (4, 64)))], ids=["log-mel", "years", "sign", "greater"])
def test_what_inputs_are_asked_for(nodes, x, device, tmp_path):
    rng = np.random.default_rng(12)
    constants = {"w": (rng.standard_normal((64, 64)) / 8).astype(np.float32), "m": rng.uniform(0, 0.1, (64, 64)).astype(np.float32), "least": np.float32(1e-10),
                 "year": np.float32(2001.5), "zero": np.float32(0)}
    got, want = run(nodes, {"x": [4, 64]}, [4, 64], constants, {"x": x(rng).astype(np.float32)}, tmp_path, device)
    assert np.abs(got - want).max() <= (1e-6 if device == "cpu" else 2e-3) * np.abs(want).max()
