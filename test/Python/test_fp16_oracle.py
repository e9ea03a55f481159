"""Checks the fp16 oracle itself: on graphs whose rounding can be written down in NumPy."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import anetest
import fp16_oracle


def model(nodes, inputs, outputs, initializers):
    def value(name, kind, shape):
        return helper.make_tensor_value_info(name, kind, shape)

    graph = helper.make_graph(nodes, "oracle", [value(*i) for i in inputs], [value(*o) for o in outputs],
                              [numpy_helper.from_array(a, n) for n, a in initializers.items()])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(made, full_check=True)
    return made


def half(array):
    return np.asarray(array, np.float32).astype(np.float16).astype(np.float32)


def test_rounds_inputs_weights_and_each_result():
    rng = np.random.default_rng(1)
    weight, bias, x = (rng.standard_normal(s).astype(np.float32) for s in ((16, 8), (8,), (4, 16)))
    made = model([helper.make_node("MatMul", ["x", "w"], ["p"]), helper.make_node("Add", ["p", "b"], ["y"])],
                 [("x", TensorProto.FLOAT, [4, 16])], [("y", TensorProto.FLOAT, [4, 8])], {"w": weight, "b": bias})
    got = anetest.reference(fp16_oracle.build(made), {"x": x})["y"]
    product = (half(x).astype(np.float64) @ half(weight).astype(np.float64)).astype(np.float32)
    # One unit in the last place of fp16 where fp32 sums in another order than float64.
    np.testing.assert_allclose(got, half(half(product) + half(bias)), rtol=2.0**-10, atol=2.0**-10)
    np.testing.assert_array_equal(got, half(got))
    assert np.abs(got - anetest.reference(made, {"x": x})["y"]).max() > 0


def test_clamps_constants():
    lowest = numpy_helper.from_array(np.array(-3.4028235e38, np.float32), "value")
    made = model([helper.make_node("Constant", [], ["c"], value=lowest), helper.make_node("Mul", ["x", "c"], ["y"])],
                 [("x", TensorProto.FLOAT, [2])], [("y", TensorProto.FLOAT, [2])], {})
    got = anetest.reference(fp16_oracle.build(made), {"x": np.array([0.0, 1.0], np.float32)})["y"]
    np.testing.assert_array_equal(got, np.array([0.0, -65504.0], np.float32))


def test_leaves_integers_alone():
    made = model([helper.make_node("Add", ["i", "k"], ["y"])], [("i", TensorProto.INT64, [2])],
                 [("y", TensorProto.INT64, [2])], {"k": np.array([100001, -3], np.int64)})
    got = anetest.reference(fp16_oracle.build(made), {"i": np.array([70000, 1], np.int64)})["y"]
    np.testing.assert_array_equal(got, [170001, -2])
    assert [n.op_type for n in fp16_oracle.build(made).graph.node] == ["Add"]


def test_minilm_oracle_is_close_but_not_equal(minilm):
    inputs = anetest.tokenize(anetest.SENTENCES[0], 32)
    want = anetest.reference(minilm, inputs)
    got = anetest.reference(fp16_oracle.build(onnx.load(minilm)), inputs)
    error = anetest.Error(got["461"], want["461"])
    print(error)
    assert 0 < error.max < 5e-3 * error.scale and error.cosine > 0.99999
    np.testing.assert_array_equal(got["output"], inputs["input_ids"])
