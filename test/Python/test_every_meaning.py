"""Every element-wise op of the dialect, as the records list them, on every element type that it takes: run by CPU code, folded and
decomposed, over values that hurt. NumPy says what is right; an op without an oracle here fails, and so does one whose record says
nothing of what it means."""
import math
import re

import ml_dtypes
import numpy as np
import pytest

import anetest
import hostlib

TYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64, "i1": np.bool_} | {
    f"{prefix}{bits}": np.dtype(f"{name}{bits}").type for prefix, name in (("i", "int"), ("ui", "uint")) for bits in (8, 16, 32, 64)}
PARAMETERS = {"clip": {"alpha": -1.5, "beta": 2.5}, "threshold": {"alpha": 1.0}, "leaky_relu": {"alpha": 0.125}, "elu": {"alpha": 0.75},
              "thresholded_relu": {"alpha": 0.5}, "clamped_relu": {"alpha": 0.25, "beta": 3.0}, "linear_activation": {"alpha": 0.1, "beta": 0.3},
              "scaled_tanh": {"alpha": 1.5, "beta": 0.5}, "sigmoid_hard": {"alpha": 0.2, "beta": 0.5}, "inverse": {"epsilon": 0.0625},
              "rsqrt": {"epsilon": 0.0625}, "log": {"epsilon": 0.0}}
# Of halves the lowest is what their own format has; the rest are ties, ends of whole numbers, and numbers beside them.
FLOATS = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 3.0, 7.0, 0.1, -0.3, 1e-3, 20.0, -20.0, 88.0, 100.0, -100.0, 255.5, 1025.0, 2049.0, 65504.0,
          -65504.0, 65520.0, 8388609.0, 16777217.0, 2.0**53 + 2, 1e-8, -1e-8, 6e-8, 1e-40, 3e38, -3e38, np.inf, -np.inf, np.nan]


def snake(name):
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def listed():
    """{op: number of operands} from what is made of the records."""
    text = (anetest.BUILD / "include" / "ane" / "IR" / "Meanings.h.inc").read_text()
    return {snake(name): int(count) for name, count in re.findall(r"^MEANING\((\w+)Op, (\d)", text, re.MULTILINE)}


OPS = listed()
COMPARISONS = {"equal": np.equal, "not_equal": np.not_equal, "greater": np.greater, "greater_equal": np.greater_equal, "less": np.less, "less_equal": np.less_equal}


def truncated(x, y):
    q = abs(x) // abs(y)
    return q if (x < 0) == (y < 0) else -q


def power(x, y):
    return x**y if y >= 0 else {1: 1, -1: 1 if y % 2 == 0 else -1}.get(x, 0)


def shifted(x, y, bits, left):
    inside = 0 <= y < bits
    return (x << y if inside else 0) if left else x >> (y if inside else bits - 1 if x < 0 else bits + 1)


# Of Python's whole numbers; a divisor 0 counts as 1 in a quotient.
INTEGERS = {"abs": abs, "neg": lambda x: -x, "sign": lambda x: (x > 0) - (x < 0), "square": lambda x: x * x, "exp2": lambda x: power(2, x),
            "threshold": lambda x: max(x, 1), "identity": lambda x: x, "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
            "real_div": lambda x, y: truncated(x, y) if y else x, "floor_div": lambda x, y: x // y if y else x, "mod": lambda x, y: x % y if y else x,
            "pow": power, "maximum": max, "minimum": min, "bitwise_and": lambda x, y: x & y, "bitwise_or": lambda x, y: x | y, "bitwise_xor": lambda x, y: x ^ y,
            "bitwise_not": lambda x: ~x}
BOOLS = {"logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor, "logical_not": np.logical_not, "identity": lambda x: x}


def erf(x):
    return np.vectorize(math.erf, otypes=[np.float64])(x)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.logaddexp(x, 0)


P = PARAMETERS
SIMPLE = {"abs": np.abs, "neg": np.negative, "sign": np.sign, "square": np.square, "identity": lambda x: x, "ceil": np.ceil, "floor": np.floor, "round": np.rint,
          "sqrt": np.sqrt, "add": np.add, "sub": np.subtract, "mul": np.multiply, "real_div": np.divide, "maximum": np.maximum, "minimum": np.minimum,
          "relu": lambda x: np.maximum(x, 0), "relu6": lambda x: np.clip(x, 0, 6), "clip": lambda x: np.clip(x, -1.5, 2.5), "threshold": lambda x: np.maximum(x, 1),
          "thresholded_relu": lambda x: np.where(x >= 0.5, x, np.where(np.isnan(x), 0, 0)), "reciprocal": lambda x: 1 / x,
          "mod": lambda x, y: np.where(np.isfinite(x) & np.isinf(y), np.where((x < 0) & (y > 0) | (x > 0) & (y < 0), y, x), np.mod(x, y))}
FUNCTIONS = {"exp": np.exp, "exp2": np.exp2, "log": np.log, "sin": np.sin, "cos": np.cos, "tan": np.tan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
             "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "erf": erf, "pow": np.power,
             "inverse": lambda x: 1 / (x + 0.0625), "rsqrt": lambda x: 1 / np.sqrt(x + 0.0625), "sigmoid": sigmoid, "silu": lambda x: x * sigmoid(x), "softplus": softplus,
             "softsign": lambda x: x / (1 + np.abs(x)), "mish": lambda x: x * np.tanh(softplus(x)), "gelu": lambda x: 0.5 * x * (1 + erf(x * math.sqrt(0.5))),
             "hard_swish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1), "leaky_relu": lambda x: np.where(x >= 0, x, 0.125 * x), "elu": lambda x: np.where(x >= 0, x, 0.75 * np.expm1(x)),
             "clamped_relu": lambda x: np.minimum(np.where(x >= 0, x, 0.25 * x), 3), "linear_activation": lambda x: 0.1 * x + 0.3,
             "scaled_tanh": lambda x: 1.5 * np.tanh(0.5 * x), "sigmoid_hard": lambda x: np.clip(0.2 * x + 0.5, 0, 1)}
# What comes out of a difference of numbers of this size has this error, in parts of the last place of 1.
CANCELS = {"gelu", "acos", "linear_activation", "log", "mish", "silu", "elu"}


def oracle(op, kind, given):
    """The right values, and whether they are right to the bit."""
    if kind.startswith(("i", "ui")) and kind != "i1":
        if op in COMPARISONS:
            return COMPARISONS[op](*given), True
        bits = int(kind.lstrip("ui"))
        function = INTEGERS.get(op) or (lambda x, y: shifted(x, y, bits, op == "shift_left"))
        values = [function(*(int(v) for v in row)) % 2**bits if op not in ("pow", "exp2") or row[-1] < 200 else pow(2 if op == "exp2" else int(row[0]), int(row[-1]), 2**bits)
                  for row in zip(*given)]
        return np.array([int(v) % 2**bits for v in values], np.uint64).astype(f"uint{bits}").view(TYPES[kind]), True
    if kind == "i1":
        return (COMPARISONS.get(op) or BOOLS[op])(*given), True
    exact = {"f16": np.float32, "bf16": np.float32, "f32": np.float64, "f64": np.longdouble}[kind]
    wide = [x.astype(np.float64 if op in FUNCTIONS and kind != "f64" else np.float64 if "erf" in op or op in ("gelu", "elu") else exact) for x in given]
    if op in COMPARISONS:
        return COMPARISONS[op](*wide), True
    with np.errstate(all="ignore"):
        if op == "floor_div":  # of the quotient as it is rounded
            x, y = (x.astype(np.float64 if kind == "f64" else np.float32) for x in given)
            return np.floor(x / y).astype(TYPES[kind]), True
        if op in SIMPLE and kind == "f64":
            return SIMPLE[op](*given), True
        if op in SIMPLE:
            return SIMPLE[op](*wide).astype(TYPES[kind]), True
        return FUNCTIONS[op](*wide), False


def given(op, kind, count):
    """Every value, or every pair, a number of them that no vector divides."""
    dtype = TYPES[kind]
    if kind == "i1":
        values = np.array([True, False])
    elif np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        values = np.array([v % 2**info.bits for v in (0, 1, 2, 3, 7, 100, info.max, info.max - 1, info.min, info.min + 1, -1, -2, -7, info.bits - 1, info.bits, 2**24 + 1, 2**53 + 1)],
                          np.uint64).astype(f"uint{info.bits}").view(dtype)
    else:
        with np.errstate(all="ignore"):
            values = np.unique(np.array(FLOATS).astype(dtype).astype(np.float64)).astype(dtype)
            values = np.concatenate([values, np.array([-0.0]).astype(dtype)])
    grids = np.meshgrid(*[values] * count, indexing="ij")
    size = grids[0].size + (23 if grids[0].size % 16 < 9 else 8)
    return [np.resize(grid.ravel(), size) for grid in grids]


def attributes(op):
    return " {" + ", ".join(f"{k} = {v!r} : f64" for k, v in PARAMETERS[op].items()) + "}" if op in PARAMETERS else ""


def call(op, kind, size, names):
    tensor = f"tensor<{size}x{kind}>"
    return f"ane.{op} {', '.join(names)}{attributes(op)} : {', '.join([tensor] * len(names))}"


@pytest.fixture(scope="session")
def legal(tmp_path_factory):
    """{op: the element types that its verifier takes}."""
    folder = tmp_path_factory.mktemp("legal")
    pieces = [(op, kind) for op in OPS for kind in [*TYPES, "f8E4M3FN", "i128"]]
    text = "\n// -----\n".join(f"func.func @f({', '.join(f'%{i}: tensor<4x{kind}>' for i in range(OPS[op]))}) {{\n %r = {call(op, kind, 4, [f'%{i}' for i in range(OPS[op])])}\n return\n}}"
                               for op, kind in pieces)
    (folder / "m.mlir").write_text(text)
    done = anetest.run("ane-opt", "--split-input-file", folder / "m.mlir", "-o", folder / "out.mlir", check=False)
    # The error names the op and the type.
    refused = set(re.findall(r"error: 'ane\.(\w+)' op (?:operand|result) #\d must be [^\n]*but got 'tensor<4x(\w+)>'", done.stderr))
    assert len(refused) == done.stderr.count("error:"), done.stderr[-3000:]
    return {op: [kind for other, kind in pieces if other == op and (op, kind) not in refused] for op in OPS}


def test_every_op_has_a_meaning(legal):
    """Its types are those that an oracle here knows; elements that nothing computes with are refused."""
    for op, kinds in legal.items():
        assert kinds, f"{op} takes no type: it may need an entry of PARAMETERS"
        assert op == "identity" or not set(kinds) & {"f8E4M3FN", "i128"}, f"{op} takes elements that have no meaning"
        floats = op in SIMPLE or op in FUNCTIONS or op in COMPARISONS or op == "floor_div"
        known = {kind for kind in TYPES if (kind in ("f16", "bf16", "f32", "f64") and floats) or (kind == "i1" and (op in BOOLS or op in COMPARISONS))
                 or (kind[-1] in "8642" and kind[0] in "iu" and (op in INTEGERS or op in COMPARISONS or op.startswith("shift")))}
        kinds = [kind for kind in kinds if kind in TYPES]
        assert set(kinds) <= known, f"{op} takes {set(kinds) - known}, of which this test knows no right value"


def dense(array, kind):
    if kind == "i1":
        return f"dense<[{', '.join('true' if v else 'false' for v in array)}]> : tensor<{len(array)}xi1>"
    return f'dense<"0x{array.tobytes().hex().upper()}"> : tensor<{len(array)}x{kind}>'


# What the calls of a library can carry.
CARRIED = {"bf16": ("f32", np.float32)}


def module(kind, ops, folded):
    """A function for each op."""
    text = []
    outer, _ = CARRIED.get(kind, (kind, None))
    dtype = {"bf16": "bf16"}.get(kind)
    for op in ops:
        arrays = given(op, kind, OPS[op])
        size = len(arrays[0])
        result = "i1" if op in COMPARISONS else kind
        shown = "i1" if op in COMPARISONS else outer
        body, names = [], [f"%x{i}" for i in range(len(arrays))]
        if folded:
            body += [f"{name} = ane.const {dense(array, kind)}" for name, array in zip(names, arrays)]
        elif dtype:
            body += [f'{name} = ane.cast %a{i} {{dtype = "{dtype}"}} : (tensor<{size}x{outer}>) -> tensor<{size}x{kind}>' for i, name in enumerate(names)]
        arguments = "" if folded else ", ".join(f"{f'%a{i}' if dtype else name}: tensor<{size}x{outer}>" for i, name in enumerate(names))
        body.append(f"%r = {call(op, kind, size, names)}")
        value = "%r"
        if dtype and result != "i1":
            body.append(f'%z = ane.cast %r {{dtype = "fp32"}} : (tensor<{size}x{kind}>) -> tensor<{size}xf32>')
            value = "%z"
        body.append(f"return {value} : tensor<{size}x{shown}>")
        text.append(f"func.func @{op}({arguments}) -> tensor<{size}x{shown}> {{\n " + "\n ".join(body) + "\n}\n")
    return "".join(text)


def check(op, kind, got, arrays, what):
    want, exact = oracle(op, kind, arrays)
    shown = [tuple(x[i] for x in arrays) for i in range(len(got))]
    if want.dtype == bool or want.dtype.kind in "iu" or kind in ("i1",):
        wrong = np.flatnonzero(got != want)
        assert not len(wrong), f"{op} {kind} {what}: {[(shown[i], got[i], want[i]) for i in wrong[:4]]}"
        return
    got, want = got.astype(np.float64), want.astype(np.float64)
    if kind in ("f16", "bf16"):  # what is handed out in f32 is not rounded yet
        with np.errstate(all="ignore"):
            got, want = (x.astype(TYPES[kind]).astype(np.float64) for x in (got, want))
    elif kind == "f32":
        with np.errstate(all="ignore"):
            want = want.astype(np.float32).astype(np.float64)
    ulp = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-23, "f64": 2.0**-52}[kind]
    tiny = {"f16": 2.0**-24, "bf16": 1e-38, "f32": 1e-37, "f64": 1e-307}[kind]
    with np.errstate(all="ignore"):
        close = (np.isnan(got) & np.isnan(want)) | (got == want)
        if not exact or kind in ("f16", "bf16"):
            places = 4 if kind == "f32" else 1.01 if kind in ("f16", "bf16") else 1000 if op == "pow" else 40
            close |= np.abs(got - want) <= places * ulp * np.abs(want) + tiny + (2 * ulp if op in CANCELS else 0)
            largest = {"f16": 65504, "bf16": 3.3895e38, "f32": 3.4028e38, "f64": 1.797e308}[kind]
            close |= np.isinf(want) & (np.abs(got) >= largest * (1 - 1e-3)) & (np.sign(got) == np.sign(want))
    wrong = np.flatnonzero(~close)
    assert not len(wrong), f"{op} {kind} {what}: {[(shown[i], got[i], want[i]) for i in wrong[:4]]}"
    if exact and op not in ("sign", "mod", "maximum", "minimum", "relu", "relu6", "clip", "threshold"):
        signs = (got != 0) | (want != 0) | (np.signbit(got) == np.signbit(want))
        assert signs.all(), f"{op} {kind} {what}: signs of zeros of {[shown[i] for i in np.flatnonzero(~signs)[:4]]}"


@pytest.mark.parametrize("kind", TYPES)
def test_meanings_of_all_ops(kind, legal, tmp_path):
    ops = [op for op in OPS if kind in legal[op]]
    run, folded = (hostlib.Library(module(kind, ops, constant), tmp_path / name) for name, constant in (("run", False), ("folded", True)))
    _, carried = CARRIED.get(kind, (kind, TYPES[kind]))
    for op in ops:
        arrays = given(op, kind, OPS[op])
        check(op, kind, run(op, *(x.astype(carried) for x in arrays)), arrays, "run")
        check(op, kind, folded(op), arrays, "folded")


# Constants that code is made simpler by, or that nothing comes of.
SPECIAL = {"f": [0.0, -0.0, 0.5, 1.0, -1.0, 2.0, 3.0, np.inf, -np.inf, np.nan], "i": [0, 1, 2, 3, 7, 31]}


@pytest.mark.parametrize("kind", ["f16", "f32", "f64", "i32", "ui8"])
def test_meanings_beside_a_constant(kind, legal, tmp_path):
    """One operand is a number that code knows."""
    dtype, tensors = TYPES[kind], "tensor<{}x" + kind + ">"
    values = given("add", kind, 1)[0]
    wanted = [(op, place, c) for op in OPS if OPS[op] == 2 and kind in legal[op] for place in (0, 1) for c in np.array(SPECIAL[kind.lstrip("u")[0]]).astype(dtype)]
    text = []
    for number, (op, place, c) in enumerate(wanted):
        many, one = tensors.format(len(values)), f"tensor<{kind}>"
        types = [one, many] if place == 0 else [many, one]
        result = many.replace(kind, "i1") if op in COMPARISONS else many
        text.append(f"func.func @f{number}(%x: {many}) -> {result} {{\n %c = ane.const {dense(c[None], kind)[:-len(kind) - 3]}{kind}>\n"
                    f" %r = ane.{op} {', '.join(['%c', '%x'] if place == 0 else ['%x', '%c'])} : {', '.join(types)}\n return %r : {result}\n}}\n")
    library = hostlib.Library("".join(text), tmp_path / "m")
    for number, (op, place, c) in enumerate(wanted):
        constant = np.full(len(values), c)
        arrays = [constant, values] if place == 0 else [values, constant]
        check(op, kind, library(f"f{number}", values), arrays, f"with {c} at {place}")


def island(match):
    """A function whose op stands in an island."""
    name, arguments, result, body = match.groups()
    names = ", ".join(part.split(":")[0] for part in arguments.split(", "))
    types = ", ".join(part.split(": ")[1] for part in arguments.split(", "))
    inner = arguments.replace("%x", "%y")
    block = f"^bb0({inner}):\n{body.replace('%x', '%y')} ane.yield %r : {result}\n"
    return (f"func.func @{name}({arguments}) -> {result} {{\n %i = ane.island({names}) : ({types}) -> {result} engine {{\n}} twin {{\n{block}}}\n"
            f" return %i : {result}\n}}")


@pytest.mark.parametrize("kind", ["f32", "i32"])
def test_decompositions(kind, legal, tmp_path):
    """Means what the composite does, where no term of it overflows."""
    ops = [op for op in OPS if kind in legal[op]]
    islands = re.sub(r"func.func @(\w+)\((.*?)\) -> (\S+) \{\n(.*?) return %r : \S+\n\}", island, module(kind, ops, False), flags=re.DOTALL)
    (tmp_path / "m.mlir").write_text(islands)
    anetest.run("ane-opt", "--pass-pipeline=builtin.module(func.func(ane.island(ane-begin-engine-body,ane-decompose-composites)))", tmp_path / "m.mlir", "-o", tmp_path / "parts.mlir")
    text, parts = "", []
    for name, body in re.findall(r"func\.func @(\w+)\(.*?engine \{\n(.*?)\} twin \{", (tmp_path / "parts.mlir").read_text(), re.DOTALL):
        if f"ane.{name} " in body:
            continue
        parts.append(name)
        arguments, size = re.search(r"\^bb0\((.*?)\):", body)[1], len(given(name, kind, OPS[name])[0])
        lines = [re.sub(r"ane\.from = array<[^>]*>, |(, )?ane\.from = array<[^>]*>", "", line).replace("{}", "") for line in body.split("\n")[1:]]
        text += f"func.func @{name}({arguments}) -> tensor<{size}x{kind}> {{\n" + "\n".join(lines).replace("ane.yield", "return") + "}\n"
    assert "neg" in parts
    library = hostlib.Library(text, tmp_path / "host")
    for op in parts:
        arrays = given(op, kind, OPS[op])
        got, (want, _) = library(op, *arrays), oracle(op, kind, arrays)
        if np.dtype(TYPES[kind]).kind == "i":
            np.testing.assert_array_equal(got, want)
            continue
        some = np.isfinite(arrays[0]) & (np.abs(arrays[0]) < 1e4)
        np.testing.assert_allclose(got[some], want[some].astype(np.float32), rtol=2e-5, atol=2e-6, err_msg=op)
