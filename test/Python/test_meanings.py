"""An element-wise op means one thing: what ONNX Runtime computes of NaN, infinities, signed zeros and ties is what a kernel
computes at run time, what the folder makes of a small constant, and what the evaluation of a weight makes of a large one."""
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import anetest

SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3.0, -3.0, 6.0, 7.5, 20.0, -20.0,
                    100.0, -100.0, 1e-3, -1e-3, 1e-30, -1e-30, 3e38, -3e38, 0.25, 0.75, 8388609.0], np.float32)
UNARY = ["Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Cos", "Cosh", "Elu", "Erf", "Exp", "Floor", "Gelu",
         "HardSigmoid", "HardSwish", "LeakyRelu", "Log", "Mish", "Neg", "Reciprocal", "Relu", "Round", "Sigmoid", "Sign", "Sin",
         "Sinh", "Softplus", "Softsign", "Sqrt", "Tan", "Tanh", "ThresholdedRelu"]
BINARY = ["Add", "Div", "Max", "Min", "Mul", "Pow", "Sub"]
# Where ONNX Runtime's kernels are approximations (it clamps the argument of a sigmoid, and computes e^x - 1), NumPy says what is
# right.
NUMPY = {"Max": np.maximum, "Min": np.minimum, "Elu": lambda x: np.where(x >= 0, x, np.expm1(x)),
         "Sigmoid": lambda x: 1 / (1 + np.exp(-x.astype(np.float64)))}
# An absolute error, where terms of about 1 are subtracted in f32.
CANCELS = {"Gelu": 1e-7}
# IEEE 754 says what sign a zero has.
SIGNED_ZEROS = {"Abs", "Add", "Ceil", "Div", "Floor", "Mul", "Neg", "Reciprocal", "Round", "Sign", "Sqrt", "Sub"}
INTEGERS = ["Abs", "Add", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Div", "Max", "Min", "Mod", "Mul", "Neg", "Sign", "Sub"]
NUMBERS = np.array([0, 1, -1, 2, -2, 3, -3, 7, -7, 100, -100, 2**31 - 1], np.int32)


def operands(op, values, inputs):
    """Every value, or every pair of values, repeated to `inputs` elements."""
    count = 2 if op in BINARY or (values.dtype.kind == "i" and op not in ("Abs", "Neg", "Sign")) else 1
    grids = np.meshgrid(*[values] * count, indexing="ij")
    flat = [np.resize(grid.ravel(), max(inputs, grid.size)) for grid in grids]
    if op in ("Div", "Mod") and values.dtype.kind == "i":
        flat[1] = np.where(flat[1] == 0, 5, flat[1]).astype(values.dtype)
    return flat


def computed(op, given, folder):
    """The op on an input, on a constant, and by ONNX Runtime. A neutral addend keeps the constant's op from being the output,
    which nobody would compute before the run."""
    kind = helper.np_dtype_to_tensor_dtype(given[0].dtype)
    names = [f"x{i}" for i in range(len(given))]
    constants = [numpy_helper.from_array(array, f"c{i}") for i, array in enumerate(given)]
    nodes = [helper.make_node(op, names, ["run"]), helper.make_node(op, [c.name for c in constants], ["folded"]),
             helper.make_node("Sub" if kind == TensorProto.INT32 else "Add", ["folded", "neutral"], ["constant"])]
    values = [helper.make_tensor_value_info(name, kind, list(given[0].shape)) for name in names + ["run", "constant"]]
    graph = helper.make_graph(nodes, "meaning", values[:-2] + [helper.make_tensor_value_info("neutral", kind, [1])], values[-2:], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    neutral = np.array([-0.0 if kind == TensorProto.FLOAT else 0], given[0].dtype)
    inputs = {**dict(zip(names, given, strict=True)), "neutral": neutral}
    onnx.save(model, folder / "m.onnx")
    anetest.run("ane-compile", folder / "m.onnx", "-o", folder / "m.anebundle", "--quiet")
    want = anetest.reference(model, inputs)
    return anetest.run_bundle(folder / "m.anebundle", inputs, want, folder, "cpu"), want["run"]


def same(got, want, given, what, absolute=1e-37):
    """Compares values, where 0 and -0 are one; returns where zeros have the same sign."""
    if want.dtype.kind == "i":
        np.testing.assert_array_equal(got, want, err_msg=what)
        return
    with np.errstate(all="ignore"):
        close = (np.isnan(got) & np.isnan(want)) | (got == want) | (np.abs(got - want) <= 4e-6 * np.abs(want) + absolute)
        signs = (want != 0) | (got != 0) | (np.signbit(got) == np.signbit(want))
    wrong = np.flatnonzero(~close)
    assert not len(wrong), f"{what}: {[tuple(x[i] for x in given) for i in wrong[:5]]} gives {got[wrong[:5]]}, want {want[wrong[:5]]}"
    return signs


@pytest.mark.parametrize("size", [1, 4096], ids=["small", "large"])
@pytest.mark.parametrize("op", UNARY + BINARY)
def test_floats(op, size, tmp_path):
    # Kernels take no sine of what is many turns away from its neighbour.
    values = SPECIAL[(np.abs(SPECIAL) < 1e38) | ~np.isfinite(SPECIAL)] if op in ("Cos", "Sin", "Tan") else SPECIAL
    given, absolute = operands(op, values, size), CANCELS.get(op, 1e-37)
    got, want = computed(op, given, tmp_path)
    with np.errstate(all="ignore"):
        want = NUMPY[op](*given).astype(np.float32) if op in NUMPY else want
    same(got["run"], want, given, "at run time", absolute)
    same(got["constant"], want, given, "of a constant", absolute)
    signs = same(got["constant"], got["run"], given, "constant beside run time", absolute)
    assert signs.all() or op not in SIGNED_ZEROS, f"zeros of {[tuple(x[i] for x in given) for i in np.flatnonzero(~signs)[:5]]} differ in sign"


@pytest.mark.parametrize("op", INTEGERS)
def test_integers(op, tmp_path):
    given = operands(op, NUMBERS, 1)
    if op in ("Add", "Mul", "Sub"):  # Overflow wraps at run time, and is no constant.
        given = [np.where(np.abs(x.astype(np.int64)) > 2**15, 9, x).astype(np.int32) for x in given]
    got, want = computed(op, given, tmp_path)
    same(got["run"], want, given, "at run time")
    same(got["constant"], want, given, "of a constant")
