"""What is exact in a model is exact on the CPU: quotients, integers of all widths, float64, and constants, which are folded by the
rules that kernels compute by. Each op is run on inputs and on constants; NumPy, ONNX Runtime (optimisations off) or PyTorch's rules
say what is right."""
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import anetest

node = helper.make_node
SIGNED, UNSIGNED = ["int8", "int16", "int32", "int64"], ["uint8", "uint16", "uint32", "uint64"]


def kind(dtype):
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def save(path, nodes, given, results, constants=(), opset=20):
    graph = helper.make_graph(nodes, "values", [helper.make_tensor_value_info(k, kind(v.dtype), v.shape) for k, v in given.items()],
                              [helper.make_tensor_value_info(k, kind(v), None) for k, v in results.items()],
                              [numpy_helper.from_array(np.asarray(v), k) for k, v in dict(constants).items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10), path)
    return path


def ran(folder, nodes, given, results, constants=(), opset=20, options=()):
    """Outputs on the CPU."""
    save(folder / "m.onnx", nodes, given, results, constants, opset)
    anetest.run("ane-compile", folder / "m.onnx", "-o", folder / "m.anebundle", "--quiet", *options)
    return anetest.run_bundle(folder / "m.anebundle", given, results, folder / "out", "cpu")


def both(folder, op, operands, result, opset=20, **attributes):
    """The op on inputs, and on constants; what is added to the latter is nothing, but keeps the compiler from giving it out as it is."""
    names = [f"x{i}" for i in range(len(operands))]
    zero = np.zeros(1, result)
    join = "Or" if zero.dtype == bool else "Sub" if zero.dtype.kind in "iu" else "Max"
    if join == "Max":  # keeps NaN, and every number
        zero = np.full(1, -np.inf, result)
    nodes = [node(op, names, ["run"], **attributes), node(op, [f"c{n}" for n in names], ["folded"], **attributes),
             node(join, ["folded", "zero"], ["constant"])]
    got = ran(folder, nodes, {**dict(zip(names, operands)), "zero": zero}, {"run": result, "constant": result},
              {f"c{n}": v for n, v in zip(names, operands)}, opset)
    return got["run"], got["constant"]


def same(got, want, what=""):
    for name, array in zip(("run", "folded"), got):
        assert array.dtype == want.dtype and array.shape == want.shape, (what, name, array.dtype, array.shape)
        np.testing.assert_array_equal(array, want, err_msg=f"{what} {name}")


# ---- quotients --------------------------------------------------------------------

DIVISORS = [3, 5, 6, 7, 9, 10, 25, 41, 49, 60, 100, 127, 255, 1000, 65535, 0.1, 0.3, 0.7, 1e-3, 1 / 255, 2, 0.5, 1024, 2.0**-20, 2.0**127, 2.0**-126, 1e-40]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_quotients_by_constants(dtype, tmp_path):
    """What a division by a constant gives is the quotient to the bit, so that floor, ceil, casts and comparisons behind it are right."""
    whole = np.arange(-41, 42).astype(dtype)
    with np.errstate(over="ignore"):
        products = np.multiply.outer(np.array(DIVISORS, dtype), whole).ravel()
    x = np.concatenate([products, np.random.default_rng(1).standard_normal(200).astype(dtype)])
    x = x[np.isfinite(x)]
    nodes, results, constants, want = [], {}, {}, {}
    for i, divisor in enumerate(DIVISORS):
        constants[f"k{i}"] = np.array(divisor, dtype)
        for op in ("q", "f", "c", "i", "e"):
            results[f"{op}{i}"] = {"i": "int64", "e": "bool"}.get(op, dtype)
        nodes += [node("Div", ["x", f"k{i}"], [f"q{i}"]), node("Floor", [f"q{i}"], [f"f{i}"]), node("Ceil", [f"q{i}"], [f"c{i}"]),
                  node("Clip", [f"q{i}", "low", "high"], [f"b{i}"]), node("Cast", [f"b{i}"], [f"i{i}"], to=TensorProto.INT64), node("Equal", [f"q{i}", f"r{i}"], [f"e{i}"])]
        with np.errstate(all="ignore"):
            q = x / constants[f"k{i}"]
        constants[f"r{i}"] = q
        want |= {f"q{i}": q, f"f{i}": np.floor(q), f"c{i}": np.ceil(q), f"i{i}": np.clip(q, -1e9, 1e9).astype(np.int64), f"e{i}": np.ones(q.shape, bool)}
    constants |= {"low": np.array(-1e9, dtype), "high": np.array(1e9, dtype)}
    got = ran(tmp_path, nodes, {"x": x}, results, constants)
    for name, array in want.items():
        np.testing.assert_array_equal(got[name], array, err_msg=f"{name} by {DIVISORS[int(name[1:])]}")


@pytest.mark.parametrize("size", [3, 7, 10, 49, 100, 640])
def test_means_are_quotients(size, tmp_path):
    """Of rows whose mean is whole: a product with 1 / count would be off by an ulp, and floor by one."""
    x = np.repeat(np.arange(1, 40, dtype=np.float32)[:, None], size, axis=1)
    image = np.ascontiguousarray(x.reshape(1, 39, size, 1))
    nodes = [node("ReduceMean", ["x", "axes"], ["mean"], keepdims=0), node("Floor", ["mean"], ["floor"]),
             node("GlobalAveragePool", ["image"], ["pooled"]), node("Floor", ["pooled"], ["pool"])]
    got = ran(tmp_path, nodes, {"x": x, "image": image}, {"floor": "float32", "pool": "float32"}, {"axes": np.array([1])})
    np.testing.assert_array_equal(got["floor"], np.arange(1, 40))
    np.testing.assert_array_equal(got["pool"].ravel(), np.arange(1, 40))


def test_products_and_sums_round_apart(tmp_path):
    """x y - x y is 0, which it is not where the product is not rounded."""
    x, y = np.random.default_rng(2).standard_normal((2, 1000)).astype(np.float32)
    nodes = [node("Mul", ["x", "y"], ["p"]), node("Mul", ["y", "x"], ["q"]), node("Sub", ["p", "q"], ["d"]), node("Mul", ["x", "k"], ["t"]), node("Add", ["t", "k"], ["z"])]
    got = ran(tmp_path, nodes, {"x": x, "y": y}, {"d": "float32", "z": "float32"}, {"k": np.array(0.1, np.float32)})
    np.testing.assert_array_equal(got["d"], np.zeros_like(x))
    np.testing.assert_array_equal(got["z"], x * np.float32(0.1) + np.float32(0.1))


# ---- float64 ----------------------------------------------------------------------

def test_doubles_stay_doubles(tmp_path):
    """Times, ids and differences of large numbers."""
    x = np.array([1700000000123.0, 1e9 + 0.125, 2.0**53 - 1, -1e15 - 0.5, 1 / 3, 1e300, -5e-320])
    one, k = np.array(1e9), np.array(1000.0)
    nodes = [node("Add", ["x", "one"], ["a"]), node("Sub", ["a", "one"], ["back"]), node("Div", ["x", "k"], ["q"]), node("Floor", ["q"], ["f"]),
             node("Cast", ["x"], ["single"], to=TensorProto.FLOAT), node("Cast", ["single"], ["rounded"], to=TensorProto.DOUBLE),
             node("Sqrt", ["x"], ["root"]), node("Mul", ["x", "x"], ["square"]), node("Exp", ["small"], ["power"]), node("Log", ["x"], ["log"])]
    small = np.linspace(-20, 20, 7)
    results = dict.fromkeys(["back", "f", "rounded", "root", "square", "power", "log"], "float64")
    given = {"x": x, "small": small}
    got = ran(tmp_path, nodes, given, results, {"one": one, "k": k})
    with np.errstate(all="ignore"):
        want = {"back": (x + one) - one, "f": np.floor(x / k), "rounded": x.astype(np.float32).astype(np.float64), "root": np.sqrt(x), "square": x * x}
        for name, array in want.items():
            np.testing.assert_array_equal(got[name], array, err_msg=name)
        np.testing.assert_allclose(got["power"], np.exp(small), rtol=1e-15)
        np.testing.assert_allclose(got["log"], np.log(x), rtol=1e-15)


def test_doubles_in_single(tmp_path):
    """--cpu-f32 asks for less, but for the types of inputs and outputs."""
    x = np.array([1e9 + 0.125, 1 / 3, -7.5, 16777217.0])
    nodes = [node("Add", ["x", "one"], ["a"]), node("Sub", ["a", "one"], ["back"]), node("Cast", ["i"], ["d"], to=TensorProto.DOUBLE), node("Mul", ["d", "third"], ["t"])]
    given = {"x": x, "i": np.array([3, 16777217])}
    got = ran(tmp_path, nodes, given, {"back": "float64", "t": "float64"}, {"one": np.array(1e9), "third": np.array(1 / 3)}, options=["--cpu-f32"])
    single = x.astype(np.float32)
    np.testing.assert_array_equal(got["back"], (single + np.float32(1e9)) - np.float32(1e9))
    np.testing.assert_array_equal(got["t"], given["i"].astype(np.float32) * np.float32(1 / 3))
    anetest.rejected("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "n.anebundle", "--cpu-f32", "--cpu-f64", code=2, says="leave one out")


def test_reductions_and_products_of_doubles(tmp_path):
    rng = np.random.default_rng(3)
    x, w = rng.standard_normal((6, 40)) + 1e8, rng.standard_normal((40, 24))
    image, filters, deep = rng.standard_normal((1, 4, 9, 9)) + 1e6, rng.standard_normal((8, 4, 3, 3)), rng.standard_normal((4, 1, 3, 3))
    nodes = [node("MatMul", ["x", "w"], ["product"]), node("MatMul", ["x", "v"], ["computed"]), node("ReduceMean", ["x", "axes"], ["mean"]), node("Sub", ["x", "mean"], ["d"]),
             node("Mul", ["d", "d"], ["s"]), node("ReduceMean", ["s", "axes"], ["variance"]), node("Softmax", ["d"], ["soft"], axis=1),
             node("Conv", ["image", "filters"], ["conv"]), node("Conv", ["image", "deep"], ["depth"], group=4), node("CumSum", ["x", "one"], ["sums"]),
             node("ArgMax", ["x"], ["arg"], axis=1), node("ScatterElements", ["x", "places", "ones"], ["scattered"], axis=1, reduction="add"),
             node("AveragePool", ["image"], ["pool"], kernel_shape=[3, 3]), node("Gather", ["x", "places"], ["gathered"], axis=1)]
    names = ["product", "computed", "variance", "soft", "conv", "depth", "sums", "scattered", "pool", "gathered"]
    constants = {"w": w, "axes": np.array([1]), "filters": filters, "deep": deep, "one": np.array(1), "places": np.zeros((6, 1), np.int64), "ones": np.full((6, 1), 1e-7)}
    given = {"x": x, "image": image, "v": rng.standard_normal((40, 24))}
    got = ran(tmp_path, nodes, given, {**dict.fromkeys(names, "float64"), "arg": "int64"}, constants)
    want = dict(zip([*names, "arg"], ReferenceEvaluator(str(tmp_path / "m.onnx")).run([*names, "arg"], given)))
    for name in names:
        np.testing.assert_allclose(got[name], want[name], rtol=1e-12, atol=1e-14 * np.abs(want[name]).max(), err_msg=name)
    np.testing.assert_array_equal(got["arg"], want["arg"])


def test_remainders_and_powers_of_doubles(tmp_path):
    rng = np.random.default_rng(4)
    a = np.concatenate([rng.standard_normal(400) * np.exp2(rng.uniform(-1000, 1000, 400)), [7.5, -7.5, np.inf, 3, 0.0, -0.0, 1e308]])
    b = np.concatenate([rng.standard_normal(400) * np.exp2(rng.uniform(-1000, 1000, 400)), [2, 2, 3, np.inf, 3, 3, 5e-324]])
    with np.errstate(all="ignore"):
        same(both(tmp_path, "Mod", [a, b], "float64", fmod=1), np.fmod(a, b))
    base = np.array([10, 10, 2, -3, 1.5, 7, 0, -0.0, 5, 2, -2, 9, 1e200])
    exponent = np.array([3, 15, 62, 33, 10, -2, 5, -3, 22, -1074, 63, 0.5, 2])
    (tmp_path / "power").mkdir()
    with np.errstate(all="ignore"):
        run, folded = both(tmp_path / "power", "Pow", [base, exponent], "float64")
        np.testing.assert_array_equal(folded, base**exponent)
        np.testing.assert_allclose(run, base**exponent, rtol=1e-15)
        exact = (base**exponent == np.floor(base**exponent)) & (np.abs(base**exponent) < 2**53)
        np.testing.assert_array_equal(run[exact], (base**exponent)[exact])


# ---- integers ---------------------------------------------------------------------

def hard(dtype, count=64):
    info = np.iinfo(dtype)
    some = np.array([0, 1, 2, 3, 7, 100, info.max, info.max - 1, info.max // 2 + 1, info.min, info.min + 1, -1, -2, -7, 2**53 + 1, 46341], object)
    rng = np.random.default_rng(info.bits)
    return np.concatenate([np.array([int(v) % 2**info.bits for v in some], np.uint64).astype(f"uint{info.bits}").view(dtype),
                           rng.integers(info.min, info.max, count, dtype, endpoint=True)])


def pairs(dtype, zeros=True):
    values = hard(dtype, 4)
    a, b = (grid.ravel() for grid in np.meshgrid(values, values, indexing="ij"))
    b = b if zeros else np.where(b == 0, 3, b).astype(dtype)
    return np.ascontiguousarray(a), np.ascontiguousarray(b)


def exact(function, a, b, dtype):
    """By Python's integers, modulo 2^bits."""
    bits = np.iinfo(dtype).bits
    values = [function(int(x), int(y)) % 2**bits for x, y in zip(a, b)]
    return np.array(values, np.uint64).astype(f"uint{bits}").view(dtype)


def truncated(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


INTEGER_OPS = {"Add": lambda a, b: a + b, "Sub": lambda a, b: a - b, "Mul": lambda a, b: a * b, "Div": truncated, "Mod": lambda a, b: a % b,
               "fmod": lambda a, b: a - truncated(a, b) * b, "Max": max, "Min": min, "BitwiseAnd": lambda a, b: a & b, "BitwiseOr": lambda a, b: a | b,
               "BitwiseXor": lambda a, b: a ^ b}


@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED)
def test_integer_arithmetic(dtype, tmp_path):
    for name, function in INTEGER_OPS.items():
        a, b = pairs(dtype, zeros=name not in ("Div", "Mod", "fmod"))
        folder = tmp_path / name
        folder.mkdir()
        op, attributes = ("Mod", {"fmod": 1}) if name == "fmod" else (name, {})
        same(both(folder, op, [a, b], dtype, **attributes), exact(function, a, b, dtype), f"{name} {dtype}")


@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED)
def test_integer_comparisons(dtype, tmp_path):
    a, b = pairs(dtype)
    for op, function in {"Equal": np.equal, "Less": np.less, "Greater": np.greater, "LessOrEqual": np.less_equal, "GreaterOrEqual": np.greater_equal}.items():
        (tmp_path / op).mkdir()
        same(both(tmp_path / op, op, [a, b], "bool"), function(a, b), f"{op} {dtype}")


@pytest.mark.parametrize("dtype", UNSIGNED)
@pytest.mark.parametrize("direction", ["LEFT", "RIGHT"])
def test_shifts(dtype, direction, tmp_path):
    bits = np.iinfo(dtype).bits
    a, b = (grid.ravel().astype(dtype) for grid in np.meshgrid(hard(dtype, 4), np.array([0, 1, bits - 1, bits, bits + 1, 100], dtype), indexing="ij"))
    function = (lambda x, y: x << y if y < bits else 0) if direction == "LEFT" else (lambda x, y: x >> y)
    same(both(tmp_path, "BitShift", [a, b], dtype, direction=direction), exact(function, a, b, dtype))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_integer_powers(dtype, tmp_path):
    """Modulo 2^bits; of a negative exponent the quotient that is cut off."""
    base = np.array([46341, 3037000500, 3, -3, 2, -2, 7, 10, 1, -1, -1, 2, 5, 0, 0], np.int64).astype(dtype)
    exponent = np.array([2, 2, 19, 33, 30, 31, 20, 9, -5, -5, -4, -1, -3, 0, 5], dtype)

    def power(x, y):
        return x**y if y >= 0 else {1: 1, -1: x**(-y) if x == -1 else 0}.get(x, 0)
    same(both(tmp_path, "Pow", [base, exponent], dtype), exact(power, base, exponent, dtype))
    (tmp_path / "floats").mkdir()
    y = np.array([0.5, 2.5, 2.0, 3.0, 0.0], np.float32)
    x = np.array([2, 3, -7, 1001, 9], dtype)
    got, _ = both(tmp_path / "floats", "Pow", [x, y], dtype)
    np.testing.assert_array_equal(got, (x.astype(np.float64)**y.astype(np.float64)).astype(dtype))


@pytest.mark.parametrize("op", ["ReduceSum", "ReduceMax", "ReduceMin", "ReduceMean", "ReduceProd", "ReduceSumSquare", "ReduceL1", "ReduceL2"])
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64", "int8", "uint8"])
def test_integer_reductions(op, dtype, tmp_path):
    if dtype.endswith("int8") and op not in ("ReduceMax", "ReduceMin"):
        pytest.skip("ONNX has none")
    x = hard(dtype, 80).reshape(-1, 8)
    info = np.iinfo(dtype)
    if op == "ReduceMean":
        x = np.concatenate([x, np.full((1, 8), info.max, dtype), np.full((1, 8), info.min, dtype), np.array([[-7, 2, 0, 0, 0, 0, 0, 0]]).astype(dtype), np.array([[7, -2, 0, 0, 0, 0, 0, 0]]).astype(dtype)])
    if op in ("ReduceL1", "ReduceL2"):
        x = (x % 1000).astype(dtype)
    of = {"ReduceSum": sum, "ReduceMax": max, "ReduceMin": min, "ReduceMean": lambda row: truncated(sum(row), len(row)), "ReduceProd": lambda row: np.prod(np.array(row, object)),
          "ReduceSumSquare": lambda row: sum(v * v for v in row), "ReduceL1": lambda row: sum(map(abs, row)), "ReduceL2": lambda row: int(np.sqrt(float(sum(v * v for v in row))))}[op]
    want = np.array([int(of([int(v) for v in row])) % 2**info.bits for row in x], np.uint64).astype(f"uint{info.bits}").view(dtype)
    axes = np.array([1])
    nodes = [node(op, ["x", "axes"], ["run"], keepdims=0), node(op, ["c", "axes"], ["folded"], keepdims=0), node("Sub", ["folded", "zero"], ["constant"])]
    got = ran(tmp_path, nodes, {"x": x, "zero": np.zeros(1, dtype)}, {"run": dtype, "constant": dtype}, {"c": x, "axes": axes})
    np.testing.assert_array_equal(got["run"], want)
    np.testing.assert_array_equal(got["constant"], want)


@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED + ["float32"])
def test_scatters(dtype, tmp_path):
    """Maxima and minima of unsigned numbers are theirs."""
    x = np.resize(hard(dtype) if dtype != "float32" else np.array([1, -2, np.inf, 0.5], np.float32), (4, 6))
    u = np.ascontiguousarray(x[::-1, ::-1])
    places = np.tile(np.arange(6), (4, 1))
    nodes, results, want = [], {}, {}
    for mode, function in {"max": np.maximum, "min": np.minimum, "add": np.add, "mul": np.multiply}.items():
        nodes += [node("ScatterElements", ["x", "places", "u"], [f"e_{mode}"], axis=1, reduction=mode), node("ScatterND", ["x", "rows", "u"], [f"n_{mode}"], reduction=mode)]
        results |= {f"e_{mode}": dtype, f"n_{mode}": dtype}
        with np.errstate(all="ignore"):
            want |= {f"e_{mode}": function(x, u), f"n_{mode}": function(x, u)}
    got = ran(tmp_path, nodes, {"x": x, "u": u}, results, {"places": places, "rows": np.arange(4)[:, None]})
    for name, array in want.items():
        np.testing.assert_array_equal(got[name], array, err_msg=name)


@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED)
def test_orders_of_integers(dtype, tmp_path):
    x = np.unique(hard(dtype, 20))[None]
    x = np.random.default_rng(5).permutation(x[0])[None]
    nodes = [node("TopK", ["x", "k"], ["values", "indices"]), node("ArgMax", ["x"], ["most"], axis=1), node("ArgMin", ["x"], ["least"], axis=1),
             node("Clip", ["x", "low", "high"], ["clipped"]), node("Max", ["x", "low"], ["larger"])]
    low, high = np.array(np.iinfo(dtype).max // 5, dtype), np.array(np.iinfo(dtype).max - 3, dtype)
    got = ran(tmp_path, nodes, {"x": x}, {"values": dtype, "indices": "int64", "most": "int64", "least": "int64", "clipped": dtype, "larger": dtype},
              {"k": np.array([5]), "low": low, "high": high})
    order = np.argsort(x[0])[::-1][:5]
    np.testing.assert_array_equal(got["values"][0], x[0][order])
    np.testing.assert_array_equal(got["indices"][0], order)
    assert got["most"].ravel() == np.argmax(x[0]) and got["least"].ravel() == np.argmin(x[0])
    np.testing.assert_array_equal(got["clipped"], np.clip(x, low, high))
    np.testing.assert_array_equal(got["larger"], np.maximum(x, low))


def test_large_integers_are_exact(tmp_path):
    """Constants beyond 2^53, alone and in all elements of a tensor, and what is not there: padding and what a Where puts in."""
    big = 2**53 + 1
    x = np.array([1, 2, 3, big], np.int64)
    constants = {"one": np.array(big, np.int64), "many": np.full(2000, big, np.int64), "u": np.array(2**64 - 1, np.uint64), "two": np.array([0, 2]), "k": np.array(big), "keep": np.array([True, False, True, False])}
    nodes = [node("Add", ["x", "one"], ["sum"]), node("Mul", ["y", "many"], ["product"]), node("Sub", ["u", "v"], ["difference"]), node("Pad", ["x", "two", "k"], ["padded"]),
             node("Where", ["keep", "x", "one"], ["chosen"]), node("ConstantOfShape", ["shape"], ["filled"], value=numpy_helper.from_array(np.array([big]))), node("Add", ["filled", "x"], ["more"]),
             node("Equal", ["x", "one"], ["equal"])]
    constants["shape"] = np.array([4])
    given = {"x": x, "y": np.ones(2000, np.int64), "v": np.array([0, 1, 2**63], np.uint64)}
    got = ran(tmp_path, nodes, given, {"sum": "int64", "product": "int64", "difference": "uint64", "padded": "int64", "chosen": "int64", "more": "int64", "equal": "bool"}, constants)
    np.testing.assert_array_equal(got["sum"], x + big)
    np.testing.assert_array_equal(got["product"], np.full(2000, big))
    np.testing.assert_array_equal(got["difference"], np.uint64(2**64 - 1) - given["v"])
    np.testing.assert_array_equal(got["padded"], [1, 2, 3, big, big, big])
    np.testing.assert_array_equal(got["chosen"], [1, big, 3, big])
    np.testing.assert_array_equal(got["more"], x + big)
    np.testing.assert_array_equal(got["equal"], x == big)


# ---- constants --------------------------------------------------------------------

def halves(folder, nodes, given, constants):
    constants = {k: np.asarray(v, np.float16) for k, v in constants.items()}
    got = ran(folder, nodes, given, {"y": "float16"}, constants)["y"]
    return got, anetest.reference(str(folder / "m.onnx"), given)["y"]


@pytest.mark.parametrize("size", [2, 3000])
def test_halves_are_folded_as_they_are_computed(size, tmp_path):
    """In fp32 in between: neither 300^2 nor what an eighth of an ulp is lost of is rounded before the end."""
    a = np.resize(np.array([1, 300, 2, 0.5], np.float16), size)
    c, three = np.full(size, 300), np.full(size, 3)
    chains = {"mul_div": [node("Mul", ["c", "c"], ["t"]), node("Div", ["t", "c"], ["v"]), node("Mul", ["v", "a"], ["y"])],
              "folded_then_run": [node("Mul", ["c", "c"], ["t"]), node("Mul", ["t", "small"], ["u"]), node("Div", ["u", "a"], ["y"])],
              "third": [node("Div", ["c", "three"], ["t"]), node("Div", ["t", "c"], ["v"]), node("Mul", ["v", "c"], ["w"]), node("Mul", ["w", "a"], ["y"])],
              "overflow_at_run_time": [node("Mul", ["c", "c"], ["t"]), node("Div", ["t", "a"], ["y"])],
              "variance": [node("Sub", ["c", "three"], ["d"]), node("Mul", ["d", "d"], ["s"]), node("ReduceMean", ["s", "axes"], ["m"]), node("Sqrt", ["m"], ["r"]), node("Div", ["d", "r"], ["n"]),
                           node("Mul", ["n", "a"], ["y"])]}
    for name, nodes in chains.items():
        (tmp_path / name).mkdir()
        if name == "variance":
            nodes = [node("Cast", ["ax"], ["axes"], to=TensorProto.INT64), *nodes]
        got, want = halves(tmp_path / name, nodes, {"a": a}, {"c": c, "three": three, "small": np.full(size, 0.001), "ax": [0]})
        np.testing.assert_allclose(got.astype(np.float32), want.astype(np.float32), rtol=5e-4 if name == "variance" else 0, err_msg=name)
    assert np.isinf(want).any() or name != "overflow_at_run_time"


@pytest.mark.parametrize("op", ["Div", "Mod"])
def test_divisions_by_zero_are_no_reason_to_refuse(op, tmp_path):
    """A divisor 0 counts as 1 in the quotient, run and folded, in constants of any size."""
    for size in (6, 3000):
        a = np.arange(size) - 3
        b = np.where(np.arange(size) % 3 == 1, 0, 2)
        folder = tmp_path / str(size)
        folder.mkdir()
        quotient = np.where(b == 0, a, np.trunc(a / 2).astype(np.int64))
        same(both(folder, op, [a, b], "int64"), quotient if op == "Div" else np.where(b == 0, a, a % 2))


def test_pads_of_constants(tmp_path):
    x = np.arange(40).reshape(5, 8)
    nodes, want = [], {}
    for mode in ("reflect", "edge", "constant"):
        nodes += [node("Pad", ["c", "pads"], [f"p_{mode}"], mode=mode), node("Add", [f"p_{mode}", "x"], [mode])]
        want[mode] = np.pad(x, ((2, 1), (2, 0)), mode=mode)
    got = ran(tmp_path, nodes, {"x": np.zeros(1, np.int64)}, dict.fromkeys(want, "int64"), {"c": x, "pads": np.array([2, 2, 1, 0])})
    for mode, array in want.items():
        np.testing.assert_array_equal(got[mode], array, err_msg=mode)


def test_truth_values_of_constants(tmp_path):
    x = np.resize([True, False, False], 2001)
    for op, function in {"Not": np.logical_not, "Identity": lambda v: v}.items():
        (tmp_path / op).mkdir()
        same(both(tmp_path / op, op, [x], "bool"), function(x))


def test_an_error_of_one_thread_ends_as_an_error(tmp_path):
    """A weight that can't be read, whatever else is being done, such as the linking of libraries: exit code 1, and no bundle."""
    w = np.ones((300, 300), np.float32)
    graph = helper.make_graph([node("MatMul", ["x", "w"], ["y"])], "values", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 300])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], [numpy_helper.from_array(w, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), tmp_path / "m.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    (tmp_path / "w.bin").write_bytes(b"short")
    for _ in range(5):
        done = anetest.rejected("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", "--quiet")
        assert not (tmp_path / "m.anebundle").exists(), done.stderr


# ---- conversions ------------------------------------------------------------------

KINDS = SIGNED + UNSIGNED + ["float16", "float32", "float64", "bool"]


def converted(x, target):
    """Floats beyond an integer type become its nearest number and NaN 0; of integers the low bits stay."""
    target = np.dtype(target)
    if target == bool:
        return x != 0
    if x.dtype.kind != "f" or target.kind == "f":
        with np.errstate(all="ignore"):
            return x.astype(target)
    info = np.iinfo(target)
    return np.array([0 if np.isnan(v) else min(max(int(v) if np.isfinite(v) else (info.max if v > 0 else info.min), info.min), info.max) for v in x.astype(np.float64)], target)


@pytest.mark.parametrize("source", KINDS)
def test_casts_between_all_types(source, tmp_path):
    if source == "bool":
        x = np.array([True, False] * 9)
    elif np.dtype(source).kind == "f":
        most = np.finfo(source).max
        x = np.array([0, -0.0, 0.5, 1.5, -2.5, 127.9, 128, 255, 256, -129, 2049, 65504, 1 + 2.0**-11 + 2.0**-30, most, -most, np.inf, -np.inf, np.nan, 2.0**31, 2.0**32, 2.0**53 + 2, 2.0**63, 2.0**64, 1.7e12 + 0.5], "float64")
        with np.errstate(all="ignore"):
            x = x.astype(source)
    else:
        x = hard(source)
    x = np.resize(x, 67)
    nodes, results = [], {}
    for target in KINDS:
        if target != source:
            nodes += [node("Cast", ["x"], [f"run_{target}"], to=kind(target)), node("Cast", ["c"], [f"folded_{target}"], to=kind(target)), node("Identity", [f"folded_{target}"], [f"constant_{target}"])]
            results |= {f"run_{target}": target, f"constant_{target}": target}
    got = ran(tmp_path, nodes, {"x": x}, results, {"c": x})
    for name, array in got.items():
        np.testing.assert_array_equal(array, converted(x, name.split("_")[1]), err_msg=f"{source} {name}")


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16"])
def test_quantisation(dtype, tmp_path):
    """As ONNX Runtime: the quotient in f32, to the nearest even, and clamped; run as folded."""
    info = np.iinfo(dtype)
    scale, zero = np.array(0.1, np.float32), np.array(info.min // 2 + 3 if info.min else 7, dtype)
    steps = np.arange(-300, 300, dtype=np.float32)
    x = np.concatenate([steps * 0.05, steps * 37.35, (steps + 0.5) * np.float32(0.1), [1e6, -1e6, np.inf, -np.inf]]).astype(np.float32)
    got = both(tmp_path, "QuantizeLinear", [x, scale, zero], dtype, opset=21)
    same(got, anetest.reference(str(tmp_path / "m.onnx"), {"x0": x, "x1": scale, "x2": zero, "zero": np.zeros(1, dtype)}, ["run"])["run"])
    (tmp_path / "back").mkdir()
    y = hard(dtype)
    same(both(tmp_path / "back", "DequantizeLinear", [y, scale, zero], "float32", opset=21), (y.astype(np.int32) - zero.astype(np.int32)).astype(np.float32) * scale)


@pytest.mark.parametrize("dtype", ["uint16", "int32"])
def test_wide_integers_with_scales_of_halves(dtype, tmp_path):
    """65,536 is beyond fp16, a tenth of it is not."""
    x, scale = np.array([65535 if dtype == "uint16" else 65536, 12345], dtype), np.array(0.1, np.float16)
    got = both(tmp_path, "DequantizeLinear", [x, scale], np.float16, opset=21)
    same(got, (x.astype(np.float32) * scale.astype(np.float32)).astype(np.float16))


# ---- infinities, borders ------------------------------------------------------------

@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_of_powers_of_infinities(dtype, tmp_path):
    x = np.array([[-np.inf, -np.inf, -np.inf], [1, np.inf, 2], [np.inf, -np.inf, 0], [np.nan, np.inf, 1], [-np.inf, 3, 3], [1000, 1000, -1000], [-1e30, -1e30, -np.inf]], dtype)
    nodes = [node("ReduceLogSumExp", ["x", "axes"], ["y"], keepdims=0), node("LogSoftmax", ["x"], ["l"], axis=1), node("Softmax", ["x"], ["s"], axis=1)]
    got = ran(tmp_path, nodes, {"x": x}, dict.fromkeys(["y", "l", "s"], dtype), {"axes": np.array([1])})
    want = anetest.reference(str(tmp_path / "m.onnx"), {"x": x})
    np.testing.assert_allclose(got["y"], [-np.inf, np.inf, np.inf, np.nan, 3 + np.log(2), 1000 + np.log(2), -1e30], rtol=1e-6)
    # Beside an infinity ONNX Runtime has two rules for logarithms, of f32 and of f64.
    for name, rows in (("l", np.isfinite(x).any(axis=1) & (x.max(axis=1) < np.inf)), ("s", np.ones(len(x), bool))):
        np.testing.assert_allclose(got[name][rows], want[name][rows], rtol=1e-6, atol=1e-37, err_msg=name)


def test_orders_with_nan(tmp_path):
    """The first NaN is the largest and the smallest, as in NumPy; in order they come behind all numbers."""
    x = np.array([[1, np.nan, 3, np.nan, -1], [2, 5, -np.inf, np.inf, 0]], np.float32)
    nodes = [node("ArgMax", ["x"], ["most"], axis=1), node("ArgMin", ["x"], ["least"], axis=1), node("TopK", ["x", "k"], ["values", "indices"], largest=0)]
    got = ran(tmp_path, nodes, {"x": x}, {"most": "int64", "least": "int64", "values": "float32", "indices": "int64"}, {"k": np.array([5])})
    np.testing.assert_array_equal(got["most"].ravel(), np.argmax(x, axis=1))
    np.testing.assert_array_equal(got["least"].ravel(), np.argmin(x, axis=1))
    np.testing.assert_array_equal(got["values"], np.sort(x, axis=1))
    np.testing.assert_array_equal(got["indices"], np.argsort(x, axis=1, kind="stable"))


@pytest.mark.parametrize("mode", ["linear", "nearest", "cubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("aligned", [0, 1])
def test_grid_samples_at_borders(mode, padding, aligned, tmp_path):
    rng = np.random.default_rng(6)
    x = rng.standard_normal((2, 3, 5, 6)).astype(np.float32)
    grid = rng.uniform(-1.9, 1.9, (2, 7, 9, 2)).astype(np.float32)
    nodes = [node("GridSample", ["x", "grid"], ["y"], mode=mode, padding_mode=padding, align_corners=aligned)]
    got = ran(tmp_path, nodes, {"x": x, "grid": grid}, {"y": "float32"})
    want = anetest.reference(str(tmp_path / "m.onnx"), {"x": x, "grid": grid})["y"]
    np.testing.assert_allclose(got["y"], want, rtol=0, atol=1e-5 * np.abs(want).max())


# ---- guards -------------------------------------------------------------------------

def masked(rows, columns, hidden):
    mask = np.zeros((rows, columns), np.float32)
    mask[hidden] = -np.inf
    return mask


LOWEST = np.finfo(np.float32).min


@pytest.mark.parametrize("masks", ["one of two", "two constants", "lowest twice", "infinite", "scores"])
def test_guards_behind_a_softmax(masks, tmp_path):
    """Where a row may be hidden as a whole, by two masks together or by the scores themselves, it stays 0."""
    rng = np.random.default_rng(7)
    s, q, k = rng.standard_normal((4, 5)).astype(np.float32), rng.standard_normal((4, 8)).astype(np.float32), rng.standard_normal((8, 5)).astype(np.float32)
    left, right = masked(4, 5, np.s_[1:3, :3]), masked(4, 5, np.s_[2, 3:])
    given, constants, total = {"q": q, "k": k, "s": s}, {"zero": np.zeros((), np.float32), "left": left}, ["s", "left"]
    nodes = [node("MatMul", ["q", "k"], ["p"])]
    if masks == "one of two":
        given["s"] = right.copy()
    elif masks == "two constants":
        constants["right"], total = right, ["p", "left", "right"]
    elif masks == "lowest twice":
        for name, mask in (("a", left), ("b", right)):
            given[name] = (mask == 0).astype(np.int64)
        given["a"][2], given["b"][2] = 0, 0
        for name in "ab":
            nodes += [node("Cast", [name], [f"f{name}"], to=TensorProto.FLOAT), node("Sub", ["one", f"f{name}"], [f"n{name}"]), node("Mul", [f"n{name}", "lowest"], [f"m{name}"])]
        constants |= {"one": np.array(1, np.float32), "lowest": np.array(LOWEST, np.float32)}
        total = ["p", "ma", "mb"]
    elif masks == "infinite":
        constants["left"] = np.where(left < 0, np.inf, left).astype(np.float32)
        total = ["p", "left"]
    else:
        given["s"][3] = -np.inf
    for i, name in enumerate(total[1:]):
        nodes.append(node("Add", [total[0] if i == 0 else f"t{i - 1}", name], [f"t{i}"]))
    nodes += [node("Softmax", [f"t{len(total) - 2}"], ["w"]), node("IsNaN", ["w"], ["n"]), node("Where", ["n", "zero", "w"], ["y"])]
    used = {name for each in nodes for name in each.input}
    given = {name: value for name, value in given.items() if name in used}
    got = ran(tmp_path, nodes, given, {"y": "float32"}, {name: value for name, value in constants.items() if name in used})["y"]
    want = anetest.reference(str(tmp_path / "m.onnx"), given)["y"]
    assert (want.sum(axis=1) == 0).any() and np.isfinite(want).all()
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-7)


# ---- orders -----------------------------------------------------------------------

@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED)
def test_unique(dtype, tmp_path):
    """In order of the type: an unsigned number with the highest bit is the largest."""
    info = np.iinfo(dtype)
    x = np.array([[7, info.max, 0, info.max - 1], [info.min, 7, info.max // 2 + 1, 1]], dtype)
    got = ran(tmp_path, [node("Unique", ["x"], ["u"], sorted=1), node("Add", ["u", "zero"], ["y"])], {"zero": np.zeros(1, dtype)}, {"y": dtype}, {"x": x})
    np.testing.assert_array_equal(got["y"], np.unique(x))


def test_slope_at_run_time(tmp_path):
    """A slope for each channel that is an input is none of MIL's prelu, on the emulator either."""
    x, slope = np.linspace(-3, 3, 24, dtype=np.float32).reshape(1, 2, 3, 4), np.array([0.25, 0.5], np.float32).reshape(2, 1, 1)
    save(tmp_path / "m.onnx", [node("PRelu", ["x", "slope"], ["y"])], {"x": x, "slope": slope}, {"y": "float32"})
    anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", "--quiet")
    for device, limit in (("cpu", 0), ("emulator", 2e-3)):
        got = anetest.run_bundle(tmp_path / "m.anebundle", {"x": x, "slope": slope}, {"y": "float32"}, tmp_path / device, device)["y"]
        np.testing.assert_allclose(got, np.where(x < 0, x * slope, x), rtol=limit)


def test_selected_nan_of_bf16(tmp_path):
    """The arc cosine of constants beyond 1: a selection of NaN needs no library's conversion."""
    def constant(name, values):
        return helper.make_tensor(name, TensorProto.BFLOAT16, values.shape, values.tobytes(), raw=True)
    shape, numbers = (16, 1, 1, 3), np.full((16, 1, 1, 3), 0x4040, np.uint16)  # 3
    graph = helper.make_graph([node("Acos", ["c"], ["a"]), node("Where", ["k", "a", "z"], ["y"]), node("Cast", ["y"], ["f"], to=TensorProto.FLOAT)],
                              "values", [helper.make_tensor_value_info("k", TensorProto.BOOL, (1,))],
                              [helper.make_tensor_value_info("y", TensorProto.BFLOAT16, shape), helper.make_tensor_value_info("f", TensorProto.FLOAT, shape)],
                              [constant("c", numbers), constant("z", np.zeros((1, 1, 1, 1), np.uint16))])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)], ir_version=10), tmp_path / "m.onnx")
    anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", "--quiet")
    for selected in (True, False):
        got = anetest.run_bundle(tmp_path / "m.anebundle", {"k": np.array([selected])}, {"f": "float32"}, tmp_path / f"out{selected}", "cpu")["f"]
        assert np.isnan(got).all() if selected else (got == 0).all()


def test_weighted_losses_of_halves(tmp_path):
    """Sums that fp16 has not, and their quotient: weights that are inputs, and constants."""
    scores, targets = np.ones((3, 5, 2), np.float16), np.array([[1, 3], [2, 4], [2, 0]])
    weights = np.array([23600, 1834, 11070, 12510, 25970], np.float16)
    node = helper.make_node("NegativeLogLikelihoodLoss", ["x", "t", "w"], ["y"], reduction="mean", ignore_index=1)
    for number, constants in enumerate(({}, {"t": targets, "w": weights})):
        given = {name: array for name, array in {"x": scores, "t": targets, "w": weights}.items() if name not in constants}
        folder = tmp_path / str(number)
        folder.mkdir()
        got = ran(folder, [node], given, {"y": np.float16}, constants, opset=17)
        assert got["y"] == -1, (number, got)


@pytest.mark.parametrize("op, attributes", [("Shrink", {"lambd": 0.3}), ("Shrink", {"lambd": 1e5, "bias": 1.5}), ("Shrink", {"lambd": 0.1, "bias": 0.25}),
                                            ("ThresholdedRelu", {"alpha": 0.3}), ("ThresholdedRelu", {"alpha": 1e5})])
def test_bounds_of_fp16_are_floats(op, attributes, tmp_path):
    """0.3 is below the fp16 that is nearest to it."""
    x = np.array([0.3, -0.3, 0.1, -0.1, 65504, np.inf, -np.inf], np.float16)
    want = ReferenceEvaluator(helper.make_model(helper.make_graph(
        [node(op, ["x"], ["y"], **attributes)], "values", [helper.make_tensor_value_info("x", TensorProto.FLOAT16, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT16, x.shape)]), opset_imports=[helper.make_opsetid("", 22)])).run(None, {"x": x})[0]
    same(both(tmp_path, op, [x], np.float16, 22, **attributes), want)
