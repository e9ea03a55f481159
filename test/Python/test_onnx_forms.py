"""Forms of ops that ONNX's own tests lack, against ONNX Runtime."""
import numpy as np
import pytest

import onnxcheck

RANDOM = np.random.default_rng(11)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("shape", [(2, 2, 3), (3, 1, 2), (1, 4, 1)])
@pytest.mark.parametrize("reduction", ["none", "add", "max"])
def test_scatter_into_a_part(shape, reduction, tmp_path):
    """Indices that are smaller than the data on other axes than the one they count along."""
    model = onnxcheck.parse(f"""<ir_version: 8, opset_import: ["": 18]>
        g (float[3,4,5] x, int64[{','.join(map(str, shape))}] i, float[{','.join(map(str, shape))}] u) => (float[3,4,5] y)
        {{ y = ScatterElements<axis = 1, reduction = "{reduction}">(x, i, u) }}""")
    indices = np.argsort(RANDOM.random((shape[0], 4, shape[2])), 1)[:, :shape[1]] - 4 * RANDOM.integers(0, 2)
    onnxcheck.check(model, {"x": floats(3, 4, 5), "i": indices.astype(np.int64), "u": floats(*shape)}, tmp_path)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("op", ["ReduceL1", "ReduceL2", "ReduceLogSum"])
def test_reductions_of_integers(op, dtype, tmp_path):
    model = onnxcheck.parse(f"""<ir_version: 8, opset_import: ["": 18]>
        g ({dtype}[2,3,4] x) => ({dtype}[2,1,4] y) <int64[1] a = {{1}}> {{ y = {op}(x, a) }}""")
    values = RANDOM.integers(*(1, 9) if op == "ReduceLogSum" else (-9, 9), (2, 3, 4)).astype(dtype)
    onnxcheck.check(model, {"x": values}, tmp_path)


def test_scale_of_a_norm_broadcasts(tmp_path):
    model = onnxcheck.parse("""<ir_version: 10, opset_import: ["": 23]>
        g (float[2,3,5,4] x, float[5,1] scale) => (float[2,3,5,4] y) { y = RMSNormalization<axis = 2>(x, scale) }""")
    onnxcheck.check(model, {"x": floats(2, 3, 5, 4), "scale": floats(5, 1)}, tmp_path)
