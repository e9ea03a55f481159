"""Einsum of ONNX, whose equations may repeat letters, broadcast, and have any number of operands, against NumPy."""
import numpy as np
import pytest
from onnx import TensorProto, helper

import onnxcheck

CASES = {
    "diagonal": ("bii->bi", [(2, 5, 5)]),
    "trace": ("ii", [(4, 4)]),
    "three_times": ("iijij->ji", [(3, 3, 2, 3, 2)]),
    "diagonal_product": ("bii,bij->bj", [(2, 3, 3), (2, 3, 4)]),
    "three": ("bij,bkj,bmk->bim", [(2, 3, 4), (2, 5, 4), (2, 6, 5)]),
    "three_outer": ("i,j,k->kji", [(2,), (3,), (4,)]),
    "four": ("ab,bc,cd,de", [(2, 3), (3, 4), (4, 2), (2, 3)]),
    "ellipsis_broadcast": ("...ij,...jk->...ik", [(3, 1, 2, 4), (5, 4, 2)]),
    "ellipsis_of_one": ("b...i,bi->b...", [(2, 3, 4), (2, 4)]),
    "sum": ("ij->", [(3, 4)]),
}


@pytest.mark.parametrize("case", CASES)
def test_equation(case, tmp_path):
    equation, shapes = CASES[case]
    rng = np.random.default_rng(3)
    inputs = {f"x{i}": rng.standard_normal(shape).astype(np.float32) for i, shape in enumerate(shapes)}
    want = np.einsum(equation, *inputs.values())
    graph = helper.make_graph(
        [helper.make_node("Einsum", list(inputs), ["y"], name="sum", equation=equation)], "g",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, array.shape) for name, array in inputs.items()],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, want.shape)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnxcheck.check(model, inputs, tmp_path, want=[np.asarray(want, np.float32)])


def test_sizes_differ(tmp_path):
    graph = helper.make_graph([helper.make_node("Einsum", ["x"], ["y"], name="sum", equation="ii->i")], "g",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 4])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnxcheck.refused(model, tmp_path, "node 'sum' (Einsum)", "axis 'i' of the equation has sizes 3 and 4")
