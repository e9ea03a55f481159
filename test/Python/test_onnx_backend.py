"""ONNX's own runner drives the package through its backend interface: a sample of its node tests, on both devices."""
import re
import unittest

import numpy as np
import onnx
import pytest

pytest.importorskip("onnx.backend.test")
import frontend
from onnx import helper
from onnx.backend.test import BackendTest

import anemone  # found through frontend
import anemone.onnx_backend as backend

# Element-wise, broadcasting, reductions with axes as an input, shapes as an input, indices, attention's parts, types.
SAMPLE = ["relu", "add_bcast", "sub_uint8", "where_example", "matmul_3d", "gemm_default_vector_bias", "softmax_axis_1",
          "reduce_sum_keepdims_example", "reduce_sum_empty_axes_input_noop", "reshape_reordered_all_dims",
          "expand_dim_changed", "gather_1", "transpose_all_permutations_3", "concat_2d_axis_0", "slice",
          "cast_FLOAT_to_FLOAT16", "less_bcast", "erf", "argmax_keepdims_example", "split_equal_parts_2d",
          "basic_conv_with_padding", "maxpool_2d_default"]
ENGINE = ["relu", "matmul_3d", "softmax_axis_1", "basic_conv_with_padding"]


def cases(device, names, tolerances):
    """The test case of ONNX's runner with these tests, and their names."""
    pattern = "^test_(" + "|".join(map(re.escape, names)) + ")_cpu$"
    runner = BackendTest(device, __name__, {f"test_{name}": tolerances for name in names}).include(pattern)
    case = runner.test_cases["OnnxBackendNodeModelTest"]
    picked = [name for name in dir(case) if re.match(pattern, name)]
    assert len(picked) == len(names), sorted(set(names) - {name[5:-4] for name in picked})
    return case, picked


@pytest.mark.parametrize("device, names, tolerances", [
    (backend.AnemoneBackend, SAMPLE, {}), (backend.EmulatorBackend, ENGINE, dict(rtol=2e-3, atol=2e-3))], ids=["cpu", "emulator"])
def test_runner(device, names, tolerances):
    case, picked = cases(device, names, tolerances)
    result = unittest.TestResult()
    unittest.TestSuite(case(name) for name in picked).run(result)
    problems = [f"{test.id()}\n{text}" for test, text in result.failures + result.errors]
    assert not problems, "\n".join(problems)
    assert result.testsRun == len(names) and not result.skipped


def test_devices():
    assert backend.supports_device("CPU") and backend.supports_device("CPU:0")
    assert not backend.supports_device("CUDA:1") and not backend.supports_device("NPU")
    with pytest.raises(anemone.RunError, match="CUDA"):
        backend.prepare(frontend.affine(), "CUDA")


def test_run_model_and_node():
    x, k = np.ones((2, 64), np.float32), np.arange(2)
    prepared = backend.prepare(frontend.affine())
    for inputs in ([x, k], (x, k), {"x": x, "k.0": k}):
        outputs = prepared.run(inputs)
        np.testing.assert_array_equal(outputs[0], 2 * x + 1)
        np.testing.assert_array_equal(outputs["n/0"], k + k)
    assert prepared.run([x[:1], k[:1]]).y.shape == (1, 64)  # compiled anew for another shape
    (y,) = backend.run_model(frontend.parse("""<ir_version: 8, opset_import: ["": 17]> g (float[N] x, int64[2] s) => (float[A, B] y)
        { y = Reshape(x, s) }"""), [np.arange(6, dtype=np.float32), np.array([2, 3])])
    np.testing.assert_array_equal(y, np.arange(6).reshape(2, 3))
    (z,) = backend.run_node(helper.make_node("Add", ["a", "b"], ["c"]), [x, x[:1]])
    np.testing.assert_array_equal(z, 2 * x)
    (z,) = backend.run_node(helper.make_node("Relu", ["a"], ["c"]), [-x], outputs_info=[(np.float32, x.shape)])
    np.testing.assert_array_equal(z, 0 * x)


@pytest.mark.parametrize("inputs, says", [([], "no value for x, k.0"), ([1, 2, 3], "3 inputs"), ([[1.0], [2]], "expected an array")])
def test_wrong_inputs(inputs, says):
    with pytest.raises(anemone.RunError, match=says):
        backend.prepare(frontend.affine()).run(inputs)


def test_what_the_compiler_refuses():
    model = helper.make_model(helper.make_graph([helper.make_node("StringNormalizer", ["x"], ["y"])], "g", [
        helper.make_tensor_value_info("x", onnx.TensorProto.STRING, [2])], [
        helper.make_tensor_value_info("y", onnx.TensorProto.STRING, [2])]), ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
    with pytest.raises(anemone.Error):
        backend.run_model(model, [np.array(["a", "b"])])
