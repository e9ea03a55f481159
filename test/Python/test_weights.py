"""Weights: nothing constant is computed at run time."""
import collections
import re

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import anetest

RNG = np.random.default_rng(11)
BLOCK, ROWS, COLUMNS = 32, 64, 96
WHOLE = RNG.integers(-8, 8, (ROWS, COLUMNS)).astype(np.int8)
SCALES = RNG.uniform(0.01, 0.1, (ROWS // BLOCK, COLUMNS)).astype(np.float32)
FACTOR = RNG.uniform(0.5, 1, COLUMNS).astype(np.float32)


def model(nodes, weights):
    """y = relu(x w), where `nodes` compute w from `weights`."""
    nodes = [*nodes, helper.make_node("MatMul", ["x", "w"], ["product"]), helper.make_node("Relu", ["product"], ["y"])]
    graph = helper.make_graph(nodes, "weights", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 128, ROWS])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 128, COLUMNS])], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def blockwise():
    data = numpy_helper.from_array(WHOLE, "whole")
    nodes = [helper.make_node("DequantizeLinear", ["whole", "scales"], ["w"], axis=0, block_size=BLOCK)]
    return model(nodes, [data, numpy_helper.from_array(SCALES, "scales")])


def scaled():
    nodes = [helper.make_node("Cast", ["whole"], ["float"], to=TensorProto.FLOAT), helper.make_node("Mul", ["float", "factor"], ["w"])]
    return model(nodes, [numpy_helper.from_array(WHOLE, "whole"), numpy_helper.from_array(FACTOR, "factor")])


MODELS = {
    "plain": lambda: model([], [numpy_helper.from_array(WHOLE * np.repeat(SCALES, BLOCK, axis=0), "w")]),
    "int8 blocks": blockwise,
    "scaled": scaled,
}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """{name: (model, bundle)}"""
    made = {}
    for name, build in MODELS.items():
        folder = tmp_path_factory.mktemp("weights")
        onnx.save(build(), folder / "m.onnx")
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
    inputs = {"x": RNG.standard_normal((1, 128, ROWS)).astype(np.float32)}
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
