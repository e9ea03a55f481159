"""An op means one thing: what ONNX Runtime computes of NaN, infinities, signed zeros and ties is what a kernel computes at run
time, what the folder makes of a small constant, and what the evaluation of a weight makes of a large one."""
import math

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
BINARY = ["Add", "Div", "Max", "Min", "Mod", "Mul", "Pow", "Sub"]
# Where ONNX Runtime's kernels are approximations (it clamps the argument of a sigmoid, and computes e^x - 1), NumPy says what is
# right.
NUMPY = {"Max": np.maximum, "Min": np.minimum, "Elu": lambda x: np.where(x >= 0, x, np.expm1(x)),
         "Sigmoid": lambda x: 1 / (1 + np.exp(-x.astype(np.float64)))}
# An absolute error, where terms of about 1 are subtracted in f32.
CANCELS = {"Gelu": 1e-7}
# IEEE 754 says what sign a zero has.
SIGNED_ZEROS = {"Abs", "Add", "Ceil", "Div", "Floor", "Mul", "Neg", "Reciprocal", "Round", "Sign", "Sqrt", "Sub"}
INTEGERS = ["Abs", "Add", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Div", "Max", "Min", "Mod", "Mul", "Neg", "Sign", "Sub"]
NUMBERS = np.array([0, 1, -1, 2, -2, 3, -3, 7, -7, 100, -100, 2**31 - 1, -2**31], np.int32)


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
    attributes = {"fmod": 1} if op == "Mod" and kind == TensorProto.FLOAT else {}
    nodes = [helper.make_node(op, names, ["run"], **attributes), helper.make_node(op, [c.name for c in constants], ["folded"], **attributes),
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
    given, absolute = operands(op, SPECIAL, size), CANCELS.get(op, 1e-37)
    got, want = computed(op, given, tmp_path)
    with np.errstate(all="ignore"):
        want = NUMPY[op](*given).astype(np.float32) if op in NUMPY else want
    same(got["run"], want, given, "at run time", absolute)
    same(got["constant"], want, given, "of a constant", absolute)
    signs = same(got["constant"], got["run"], given, "constant beside run time", absolute)
    assert signs.all() or op not in SIGNED_ZEROS, f"zeros of {[tuple(x[i] for x in given) for i in np.flatnonzero(~signs)[:5]]} differ in sign"


@pytest.mark.parametrize("element", ["float32", "float64"])
@pytest.mark.parametrize("op", ["Cos", "Sin", "Tan"])
def test_angles(op, element, tmp_path):
    """Of every magnitude, in vectors with small ones: the C library's, which reduces any double. Doubles are computed with in the
    reference build; 6381956970095103 * 2^797 is the nearest of them to a multiple of pi/2."""
    rng = np.random.default_rng(6)
    double = element == "float64"
    given = (rng.choice([-1, 1], 4099) * np.exp2(rng.uniform(-20, 1023.9 if double else 127.9, 4099))).astype(element)
    given[:8] = [2.0**50, -2.0**50, 2.0**51, 2.0**120, np.finfo(element).max, np.inf, 6381956970095103 * 2.0**797 if double else 1, np.nan]
    got = ran([helper.make_node(op, ["x"], ["y"])], {"x": given}, {"y": helper.np_dtype_to_tensor_dtype(given.dtype)}, tmp_path,
              options=["--cpu-f64"] if double else [])["cpu"]["y"]
    want = np.array([getattr(math, op.lower())(x) if np.isfinite(x) else np.nan for x in given.astype(np.float64)])
    np.testing.assert_allclose(got, want.astype(element), rtol=2e-15 if double else 3e-7, atol=1e-37)


@pytest.mark.parametrize("op", INTEGERS)
def test_integers(op, tmp_path):
    given = operands(op, NUMBERS, 1)
    if op in ("Div", "Mod"):  # ONNX Runtime ends with a signal there.
        given[1][(given[0] == -2**31) & (given[1] == -1)] = 1
    got, want = computed(op, given, tmp_path)
    same(got["run"], want, given, "at run time")
    same(got["constant"], want, given, "of a constant")


# ---- reductions, comparisons, selections, casts -------------------------------------

# ONNX Runtime's kernels keep a NaN that comes first, or none; NumPy says what is right of it.
REDUCTIONS = {"ReduceMax": np.max, "ReduceMin": np.min, "ReduceSum": np.sum}
COMPARISONS = {"Equal": np.equal, "Greater": np.greater, "GreaterOrEqual": np.greater_equal, "Less": np.less, "LessOrEqual": np.less_equal}
KINDS = {"bool": TensorProto.BOOL, "int8": TensorProto.INT8, "uint8": TensorProto.UINT8, "int16": TensorProto.INT16,
         "int32": TensorProto.INT32, "int64": TensorProto.INT64, "float16": TensorProto.FLOAT16, "float32": TensorProto.FLOAT}


def ran(nodes, given, results, folder, devices=("cpu",), options=(), **constants):
    """Outputs of a graph on each device: {device: {name: array}}. `results` {name: element type}."""
    kinds = {name: helper.np_dtype_to_tensor_dtype(array.dtype) for name, array in given.items()}
    graph = helper.make_graph(nodes, "meaning", [helper.make_tensor_value_info(name, kinds[name], given[name].shape) for name in given],
                              [helper.make_tensor_value_info(name, kind, None) for name, kind in results.items()],
                              [numpy_helper.from_array(array, name) for name, array in constants.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), folder / "m.onnx")
    anetest.run("ane-compile", folder / "m.onnx", "-o", folder / "m.anebundle", "--quiet", *options)
    return {device: anetest.run_bundle(folder / "m.anebundle", given, results, folder / device, device) for device in devices}


def rows(count, length):
    """Rows of finite values, with a NaN, an infinity, both, or zeros of both signs at each place in turn."""
    x = np.random.default_rng(count).standard_normal((count, length)).astype(np.float32)
    for row in range(count):
        place = row * 7 % length
        x[row, place] = [np.nan, np.inf, -np.inf, 0.0][row % 4]
        if row % 8 >= 4:
            x[row, (place + length // 2) % length] = np.nan
        if row % 16 == 7:
            x[row] = np.resize([0.0, -0.0], length)
    return x


@pytest.mark.parametrize("length", [3, 16, 67, 256], ids=str)
@pytest.mark.parametrize("op", REDUCTIONS)
def test_reductions(op, length, tmp_path):
    x = rows(64, length)
    axes = np.array([1])
    nodes = [helper.make_node(op, ["x", "axes"], ["run"]), helper.make_node(op, ["c", "axes"], ["folded"]),
             helper.make_node("Add", ["folded", "neutral"], ["constant"])]
    got = ran(nodes, {"x": x, "neutral": np.array([-0.0], np.float32)}, dict.fromkeys(["run", "constant"], TensorProto.FLOAT), tmp_path,
              c=x, axes=axes)["cpu"]
    with np.errstate(all="ignore"):
        want = REDUCTIONS[op](x.astype(np.float64), axis=1, keepdims=True).astype(np.float32)
    assert np.isnan(want).any() and np.isfinite(want).any()
    for name in ("run", "constant"):
        np.testing.assert_allclose(got[name], want, rtol=0, atol=1e-5 if op == "ReduceSum" else 0, err_msg=name)


@pytest.mark.parametrize("op", [*REDUCTIONS, "ReduceProd"])
def test_reductions_of_integers(op, tmp_path):
    x = np.random.default_rng(4).integers(-9, 9, (64, 12)).astype(np.int32)
    x[:, 5:] = np.where(op == "ReduceProd", 1, x[:, 5:])
    nodes = [helper.make_node(op, ["x", "axes"], ["run"]), helper.make_node(op, ["c", "axes"], ["folded"]),
             helper.make_node("Sub", ["folded", "neutral"], ["constant"])]
    got = ran(nodes, {"x": x, "neutral": np.array([0], np.int32)}, dict.fromkeys(["run", "constant"], TensorProto.INT32), tmp_path,
              c=x, axes=np.array([1]))["cpu"]
    want = {**REDUCTIONS, "ReduceProd": np.prod}[op](x, axis=1, keepdims=True)
    np.testing.assert_array_equal(got["run"], want)
    np.testing.assert_array_equal(got["constant"], want)


@pytest.mark.parametrize("size", [1, 4096], ids=["small", "large"])
@pytest.mark.parametrize("op", [*COMPARISONS, "Where"])
def test_comparisons_and_selections(op, size, tmp_path):
    a, b = operands("Add", SPECIAL, size)
    given = {"a": a, "b": b}
    if op == "Where":
        given = {"keep": np.resize([True, False, False], a.shape), **given}
    names = list(given)
    nodes = [helper.make_node(op, names, ["run"]), helper.make_node(op, [f"c{name}" for name in names], ["folded"])]
    if op == "Where":
        nodes.append(helper.make_node("Add", ["folded", "neutral"], ["constant"]))
        neutral, kind, want = np.array([-0.0], np.float32), TensorProto.FLOAT, np.where(*given.values())
    else:
        nodes.append(helper.make_node("Or", ["folded", "neutral"], ["constant"]))
        neutral, kind, want = np.array([False]), TensorProto.BOOL, COMPARISONS[op](a, b)
    got = ran(nodes, {**given, "neutral": neutral}, dict.fromkeys(["run", "constant"], kind), tmp_path,
              **{f"c{name}": array for name, array in given.items()})["cpu"]
    np.testing.assert_array_equal(got["run"], want)
    np.testing.assert_array_equal(got["constant"], want)


def converted(x, kind):
    """Floats beyond an integer type become its nearest number, and NaN 0; of integers the low bits stay."""
    if kind == "bool":
        return x != 0
    if x.dtype.kind != "f" or np.dtype(kind).kind == "f":
        with np.errstate(all="ignore"):
            return x.astype(kind)
    info = np.iinfo(kind)
    result = np.zeros(x.shape, kind)
    wide = np.trunc(np.nan_to_num(x.astype(np.float64), nan=0))
    inside = (wide > float(info.min)) & (wide < float(info.max))
    result[inside] = wide[inside].astype(kind)
    result[wide >= float(info.max)], result[wide <= float(info.min)] = info.max, info.min
    return result


CASTS = [("float32", kind) for kind in KINDS if kind != "float32"] + [
    ("int32", kind) for kind in KINDS if kind != "int32"] + [("int64", "int32"), ("int64", "float32"), ("int64", "uint8"), ("float16", "int8")]


@pytest.mark.parametrize("size", [1, 4096], ids=["small", "large"])
@pytest.mark.parametrize("source,target", CASTS)
def test_casts(source, target, size, tmp_path):
    x = SPECIAL if source.startswith("float") else NUMBERS
    if source == "float32":
        x = np.concatenate([x, np.float32([127, 128, 255, 256, -128, -129, 300, 32768, 65504, 2147483520, 2147483648, -2147483904, 9e18, 1e19, -1e19])])
    if source == "int64":
        x = np.concatenate([x.astype(np.int64), np.array([2**31, -2**31 - 1, 2**53 + 1, 2**62 + 2**38 + 1, -2**63, 2**63 - 1])])
    if target == "float16":  # infinities and what rounds to them: of constants, ane.overflow decides
        x = x[np.abs(x.astype(np.float64)) < 65504]
    if source == "float16":
        x = x[(np.abs(x) < 65504) | ~np.isfinite(x)]
    x = np.resize(x, max(size, len(x))).astype(source)
    want, kind = converted(x, target), KINDS[target]
    # A constant that is an output would be computed at run time.
    neutral = np.zeros(1, target) if target != "bool" else np.array([False])
    join = {"b": "Or", "f": "Add"}.get(np.dtype(target).kind, "Sub")
    nodes = [helper.make_node("Cast", ["x"], ["run"], to=kind), helper.make_node("Cast", ["c"], ["folded"], to=kind),
             helper.make_node(join, ["folded", "neutral"], ["constant"])]
    got = ran(nodes, {"x": x, "neutral": neutral}, dict.fromkeys(["run", "constant"], kind), tmp_path, c=x)["cpu"]
    for name in ("run", "constant"):
        np.testing.assert_array_equal(got[name], want, err_msg=name)
    if source.startswith("int") and target.startswith("float"):
        reference = anetest.reference(str(tmp_path / "m.onnx"), {"x": x, "neutral": neutral})
        np.testing.assert_array_equal(got["run"], reference["run"])


@pytest.mark.parametrize("op", [*REDUCTIONS, "Greater", "Where", "Cast"])
def test_on_the_engine(op, tmp_path):
    """Finite values that fp16 has."""
    rng = np.random.default_rng(8)
    x, y = (rng.integers(-40, 40, (1, 8, 1, 64)).astype(np.float32) / 8 for _ in range(2))
    nodes = {"Greater": [helper.make_node("Greater", ["x", "y"], ["g"]), helper.make_node("Cast", ["g"], ["z"], to=TensorProto.FLOAT)],
             "Where": [helper.make_node("Greater", ["x", "y"], ["g"]), helper.make_node("Where", ["g", "x", "y"], ["z"])],
             "Cast": [helper.make_node("Cast", ["x"], ["i"], to=TensorProto.INT32), helper.make_node("Cast", ["i"], ["f"], to=TensorProto.FLOAT),
                      helper.make_node("Add", ["f", "y"], ["z"])]}
    want = {"Greater": lambda: (x > y).astype(np.float32), "Where": lambda: np.maximum(x, y), "Cast": lambda: np.trunc(x) + y}
    if op in REDUCTIONS:
        nodes[op] = [helper.make_node("Add", ["x", "y"], ["a"]), helper.make_node(op, ["a", "axes"], ["z"])]
        want[op] = lambda: REDUCTIONS[op](x + y, axis=3, keepdims=True)
    got = ran(nodes[op], {"x": x, "y": y}, {"z": TensorProto.FLOAT}, tmp_path, ("cpu", "emulator"), axes=np.array([3]))
    for device in got:
        np.testing.assert_array_equal(got[device]["z"], want[op](), err_msg=device)
