"""Weights: nothing constant is computed at run time."""
import collections
import re

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import anetest

RNG = np.random.default_rng(11)
BLOCK = 32
# Shapes of weights: products whose matrix is small and one of some MB, and a convolution's.
KINDS = {"product": (64, 96), "large product": (1024, 1536), "convolution": (64, 64, 3, 3)}


def arrays(kind):
    """Whole numbers; scales of blocks of the axis that is summed over; factors of output channels."""
    shape = KINDS[kind]
    rng, axis = np.random.default_rng(len(shape)), len(shape) // 4
    scales = [extent // BLOCK if i == axis else extent for i, extent in enumerate(shape)]
    factor = (1, shape[1]) if len(shape) == 2 else (shape[0], 1, 1, 1)
    return (rng.integers(-8, 8, shape).astype(np.int8), rng.uniform(0.01, 0.1, scales).astype(np.float32),
            rng.uniform(0.5, 1, factor).astype(np.float32), axis)


def model(kind, nodes, weights):
    """y = relu(x w), or of a convolution, where `nodes` compute w from `weights`."""
    shape = KINDS[kind]
    if kind == "convolution":
        given, result, layer = [1, shape[1], 20, 20], [1, shape[0], 20, 20], helper.make_node("Conv", ["x", "w"], ["product"], pads=[1] * 4)
    else:
        given, result, layer = [1, 128, shape[0]], [1, 128, shape[1]], helper.make_node("MatMul", ["x", "w"], ["product"])
    graph = helper.make_graph([*nodes, layer, helper.make_node("Relu", ["product"], ["y"])], "weights",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, given)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, result)], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def plain(kind):
    whole, scales, _, axis = arrays(kind)
    return model(kind, [], [numpy_helper.from_array(whole * np.repeat(scales, BLOCK, axis), "w")])


def blockwise(kind):
    whole, scales, _, axis = arrays(kind)
    nodes = [helper.make_node("DequantizeLinear", ["whole", "scales"], ["w"], axis=axis, block_size=BLOCK)]
    return model(kind, nodes, [numpy_helper.from_array(whole, "whole"), numpy_helper.from_array(scales, "scales")])


def scaled(kind):
    whole, _, factor, _ = arrays(kind)
    nodes = [helper.make_node("Cast", ["whole"], ["float"], to=TensorProto.FLOAT), helper.make_node("Mul", ["float", "factor"], ["w"])]
    return model(kind, nodes, [numpy_helper.from_array(whole, "whole"), numpy_helper.from_array(factor, "factor")])


MODELS = {"plain": plain, "int8 blocks": blockwise, "scaled": scaled}


@pytest.fixture(scope="module", params=KINDS)
def compiled(request, tmp_path_factory):
    """{name: (model, bundle)} of a kind"""
    made = {}
    for name, build in MODELS.items():
        folder = tmp_path_factory.mktemp("weights")
        onnx.save(build(request.param), folder / "m.onnx")
        anetest.compile_model(folder / "m.onnx", folder / "m.anebundle")
        made[name] = folder / "m.onnx", folder / "m.anebundle"
    return made


def kernels(bundle):
    """The kernels of each CPU library: their names say what they compute, and to what bits."""
    names = {}
    for library in sorted((bundle / "host").iterdir()):
        symbols = re.findall(rb"(?<=\0)[a-z_0-9]+_[0-9a-f]{16}(?=\0)", library.read_bytes())
        names[library.name] = sorted(set(symbols))
        assert names[library.name], f"{library} has no kernel"
    return names


def statements(bundle):
    """How often each operation stands in the MIL text."""
    text = "".join(path.read_text() for path in sorted((bundle / "programs").iterdir()))
    return collections.Counter(re.findall(r" = (\w+)\(", text))


@pytest.mark.parametrize("name", [name for name in MODELS if name != "plain"])
def test_costs_nothing_at_run_time(compiled, name):
    plain, other = compiled["plain"][1], compiled[name][1]
    assert kernels(other) == kernels(plain)
    assert statements(other) == statements(plain)


@pytest.mark.parametrize("name", MODELS)
def test_computes_what_the_model_says(compiled, name, tmp_path):
    path, bundle = compiled[name]
    shape = [d.dim_value for d in onnx.load(path).graph.input[0].type.tensor_type.shape.dim]
    inputs = {"x": RNG.standard_normal(shape).astype(np.float32)}
    want = anetest.reference(path, inputs)
    anetest.check_cpu(anetest.run_bundle(bundle, inputs, want, tmp_path / "cpu", "cpu"), want)
    got = anetest.run_bundle(bundle, inputs, want, tmp_path / "emulator", "emulator")
    assert np.abs(got["y"] - want["y"]).max() <= 5e-3 * np.abs(want["y"]).max()


def weight_bytes(bundle):
    return {path.name: path.stat().st_size for path in (bundle / "weights").iterdir()}


def test_equal_weights_are_stored_once(tmp_path):
    """The model brings each matrix twice; one pair differs in an element in the middle."""
    sizes = {}
    for name, twins in [("twice", ["a", "a", "b", "b"]), ("once", ["a", "b"]), ("differs", ["a", "a2", "b"])]:
        arrays = {key: np.random.default_rng(number).standard_normal((256, 256)).astype(np.float32) for number, key in enumerate("ab")}
        arrays["a2"] = arrays["a"].copy()
        arrays["a2"][128, 128] += 1
        nodes = [helper.make_node("MatMul", [f"v{i}", f"w{i}"], [f"v{i + 1}"]) for i in range(len(twins))]
        graph = helper.make_graph(nodes, name, [helper.make_tensor_value_info("v0", TensorProto.FLOAT, [1, 64, 256])],
                                  [helper.make_tensor_value_info(f"v{len(twins)}", TensorProto.FLOAT, [1, 64, 256])],
                                  [numpy_helper.from_array(arrays[key] / 16, f"w{i}") for i, key in enumerate(twins)])
        path, bundle = tmp_path / f"{name}.onnx", tmp_path / f"{name}.anebundle"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
        anetest.compile_model(path, bundle)
        sizes[name] = sum(weight_bytes(bundle).values())
        inputs = {"v0": RNG.standard_normal((1, 64, 256)).astype(np.float32)}
        want = anetest.reference(path, inputs)
        anetest.check_cpu(anetest.run_bundle(bundle, inputs, want, tmp_path / name, "cpu"), want)
    assert sizes["twice"] < 1.02 * sizes["once"] and sizes["differs"] > 1.4 * sizes["once"], sizes


def test_programs_share_what_is_large(tmp_path):
    """Two programs, around integers that are not for the engine, multiply by one matrix of whole numbers: exact in fp16."""
    matrix = np.zeros((256, 256), np.float32)
    for column in matrix.T:
        column[RNG.choice(256, 4, replace=False)] = RNG.choice([-1, 1], 4)
    nodes = [helper.make_node("MatMul", ["x", "matrix"], ["a"]), helper.make_node("Cast", ["a"], ["b"], to=TensorProto.INT64),
             helper.make_node("Cast", ["b"], ["c"], to=TensorProto.FLOAT), helper.make_node("MatMul", ["c", "matrix"], ["y"])]
    graph = helper.make_graph(nodes, "shared", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 64, 256])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 64, 256])],
                              [numpy_helper.from_array(matrix, "matrix")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    bundle = tmp_path / "m.anebundle"
    anetest.compile_model(tmp_path / "m.onnx", bundle, "--procedures=never")
    assert len(list((bundle / "programs").iterdir())) == 2
    sizes = weight_bytes(bundle)
    sizes.pop("host.bin")
    assert sum(sizes.values()) < 1.02 * matrix.size * 2, sizes
    inputs = {"x": RNG.integers(-3, 4, (1, 64, 256)).astype(np.float32)}
    want = anetest.reference(tmp_path / "m.onnx", inputs)
    for device in ("cpu", "emulator"):
        got = anetest.run_bundle(bundle, inputs, want, tmp_path / device, device)
        np.testing.assert_array_equal(got["y"], want["y"], device)
