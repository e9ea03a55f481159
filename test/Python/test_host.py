"""CPU code generation against NumPy in double: op families, fusion, layouts, float types."""
import math

import numpy as np
import pytest

import hostlib


def typ(array):
    names = {np.dtype(v): k for k, v in hostlib.DTYPES.items()}
    return "tensor<" + "".join(f"{d}x" for d in array.shape) + names[np.dtype(array.dtype)] + ">"


def module(inputs, body, results):
    """A function of `inputs` (%0, %1, ..) whose body defines the `results`, [(name, type)]."""
    args = ", ".join(f"%{i}: {typ(a)}" for i, a in enumerate(inputs))
    types = ", ".join(t for _, t in results)
    names = ", ".join(n for n, _ in results)
    return f"func.func @f({args}) -> ({types}) {{\n{body}\n  return {names} : {types}\n}}\n"


def generic(result, name, operands, types, out, **attributes):
    attrs = ", ".join(f"{k} = {v}" for k, v in attributes.items())
    attrs = f" <{{{attrs}}}>" if attrs else ""
    return f'  {result} = "ane.{name}"({", ".join(operands)}){attrs} : ({", ".join(types)}) -> {out}'


def call(tmp_path, inputs, body, results, *options):
    out = hostlib.Library(module(inputs, body, results), tmp_path, *options)("f", *inputs)
    return out


def one(tmp_path, name, inputs, out, *options, **attributes):
    """The result of one op whose result has the type of array `out`."""
    body = generic("%r", name, [f"%{i}" for i in range(len(inputs))], [typ(a) for a in inputs], typ(out), **attributes)
    return call(tmp_path, inputs, body, [("%r", typ(out))], *options)


def close(got, want, tolerance=2e-6):
    assert got.shape == want.shape
    scale = max(1e-30, np.abs(want[np.isfinite(want)]).max(initial=0)) if want.dtype.kind == "f" else 1
    assert np.array_equal(np.isnan(got), np.isnan(want)) if want.dtype.kind == "f" else True
    ok = np.isfinite(want) if want.dtype.kind == "f" else np.ones(want.shape, bool)
    assert np.array_equal(got[~ok], want[~ok].astype(got.dtype), equal_nan=True)
    error = np.abs(got[ok].astype(np.float64) - want[ok].astype(np.float64)).max(initial=0)
    assert error <= tolerance * scale, f"error {error:.3g}, {error / scale:.3g} of max {scale:.3g}"


def ulps(got, want):
    """Largest error in units of the last place of f32."""
    ok = np.isfinite(want) & (np.abs(want) > 1e-37)
    return (np.abs(got[ok].astype(np.float64) - want[ok]) / np.spacing(np.abs(want[ok]).astype(np.float32))).max()


erf = np.vectorize(math.erf, otypes=[np.float64])
UNARY = {
    "exp": (np.exp, -80, 80, 2), "log": (np.log, 1e-6, 1e6, 2), "tanh": (np.tanh, -9, 9, 4), "erf": (erf, -4, 4, 4),
    "sin": (np.sin, -100, 100, 1), "cos": (np.cos, -100, 100, 1), "tan": (np.tan, -1.5, 1.5, 1),
    "asin": (np.arcsin, -1, 1, 1), "acos": (np.arccos, -1, 1, 1), "atan": (np.arctan, -50, 50, 1),
    "sinh": (np.sinh, -20, 20, 1), "cosh": (np.cosh, -20, 20, 1), "atanh": (np.arctanh, -0.999, 0.999, 1),
    "sqrt": (np.sqrt, 0, 100, 1), "floor": (np.floor, -5, 5, 0), "ceil": (np.ceil, -5, 5, 0),
    "round": (np.round, -5, 5, 0), "abs": (np.abs, -5, 5, 0), "sign": (np.sign, -2, 2, 0),
    "square": (np.square, -5, 5, 1), "exp2": (np.exp2, -60, 60, 64), "relu": (lambda x: np.maximum(x, 0), -3, 3, 0),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), -30, 30, 4), "silu": (lambda x: x / (1 + np.exp(-x)), -30, 30, 4),
    "softplus": (lambda x: np.logaddexp(0, x), -30, 30, 4), "softsign": (lambda x: x / (1 + abs(x)), -9, 9, 2),
}


@pytest.mark.parametrize("name", UNARY)
def test_unary(rng, tmp_path, name):
    reference, low, high, limit = UNARY[name]
    x = rng.uniform(low, high, (3, 1021)).astype(np.float32)
    want = reference(x.astype(np.float64))
    assert ulps(one(tmp_path, name, [x], x), want) <= limit + 0.6
    # f64: inputs and outputs keep their type, so the error is one rounding.
    assert ulps(one(tmp_path / "f64", name, [x], x, "f64=true"), want) <= 0.51


def test_special_values(tmp_path):
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-40, 3e38, -3e38, 88.7, -104.0] * 2, np.float32)
    with np.errstate(all="ignore"):
        for name in ("exp", "tanh", "erf", "sigmoid", "relu"):
            close(one(tmp_path / name, name, [x], x), UNARY[name][0](x.astype(np.float64)).astype(np.float32), 1e-6)


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_a_nan_on_either_side_is_kept(tmp_path, name):
    x, y = np.array([np.nan, 1, 2, np.nan] * 5, np.float32), np.array([0, np.nan, 1, np.nan] * 5, np.float32)
    close(one(tmp_path, name, [x, y], x), BINARY[name](x, y))


@pytest.mark.parametrize("mode", ["EXACT", "TANH_APPROXIMATION", "SIGMOID_APPROXIMATION"])
def test_gelu(rng, tmp_path, mode):
    x = rng.uniform(-6, 6, (5, 333)).astype(np.float32)
    v = x.astype(np.float64)
    want = {"EXACT": v / 2 * (1 + erf(v / math.sqrt(2))),
            "TANH_APPROXIMATION": v / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v ** 3))),
            "SIGMOID_APPROXIMATION": v / (1 + np.exp(-1.702 * v))}[mode]
    close(one(tmp_path, "gelu", [x], x, mode=f'"{mode}"'), want, 1e-7)


BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "real_div": np.divide, "maximum": np.maximum,
          "minimum": np.minimum, "floor_div": np.floor_divide, "mod": np.mod, "pow": lambda x, y: np.abs(x) ** y}


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("shapes", [((4, 33), (4, 33)), ((2, 3, 40), (3, 1)), ((5, 1), (1, 19)), ((7,), ())])
def test_binary_broadcast(rng, tmp_path, name, shapes):
    x, y = (rng.uniform(0.5, 3, s).astype(np.float32) * (1 if name == "pow" else rng.choice([-1, 1], s))
            for s in shapes)
    x, y = x.astype(np.float32), y.astype(np.float32)
    want = BINARY[name](x.astype(np.float64), y.astype(np.float64))
    close(one(tmp_path, name, [x, y], want.astype(np.float32)), want, 1e-6)


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8, np.int8])
def test_integers(rng, tmp_path, dtype):
    x = rng.integers(1, 100, (3, 37)).astype(dtype)
    y = rng.integers(1, 9, (37,)).astype(dtype)
    if np.dtype(dtype).kind == "i":
        x[0] *= -1
    for name in ("add", "sub", "mul", "maximum", "minimum", "floor_div", "mod"):
        with np.errstate(over="ignore"):
            want = BINARY[name](x, y)
        assert np.array_equal(one(tmp_path / name, name, [x, y], want), want), name
    for name, reference in (("equal", np.equal), ("less", np.less), ("greater_equal", np.greater_equal)):
        assert np.array_equal(one(tmp_path / name, name, [x, y], reference(x, y)), reference(x, y)), name


@pytest.mark.parametrize("source,target", [("i64", "f32"), ("f32", "i64"), ("f32", "i32"), ("i1", "f32"), ("f32", "i1"),
                                           ("i32", "i64"), ("i64", "i32"), ("ui8", "f32"), ("f16", "f32"),
                                           ("f32", "f16"), ("i64", "i1"), ("i1", "i64"), ("f32", "ui8")])
def test_cast(rng, tmp_path, source, target):
    x = rng.uniform(-3 if target != "ui8" else 0, 100, (2, 45)).astype(hostlib.DTYPES[source])
    names = {"f32": "fp32", "f16": "fp16", "i64": "int64", "i32": "int32", "i1": "bool", "ui8": "uint8"}
    want = x.astype(hostlib.DTYPES[target])
    got = one(tmp_path, "cast", [x], want, dtype=f'"{names[target]}"')
    assert np.array_equal(got, want)


def test_select(rng, tmp_path):
    mask = rng.integers(0, 2, (4, 1, 50)).astype(bool)
    x = rng.standard_normal((4, 3, 50)).astype(np.float32)
    y = np.full((1,), -1e9, np.float32)
    want = np.where(mask, x, y)
    assert np.array_equal(one(tmp_path, "select", [mask, x, y], want), want)


@pytest.mark.parametrize("axis", [-1, 1, 0])
@pytest.mark.parametrize("size", [1, 5, 16, 77, 128])
def test_softmax(rng, tmp_path, axis, size):
    x = rng.uniform(-20, 20, (3, 4, size)).astype(np.float32)
    e = np.exp(x.astype(np.float64) - x.max(axis, keepdims=True))
    close(one(tmp_path, "softmax", [x], x, axis=f"{axis} : i64"), e / e.sum(axis, keepdims=True), 5e-7)


@pytest.mark.parametrize("options", [(), ("f64=true",)])
def test_layer_norm(rng, tmp_path, options):
    x = (rng.standard_normal((2, 5, 384)) * 3 + 7).astype(np.float32)
    gamma, beta = rng.standard_normal((2, 384)).astype(np.float32)
    v = x.astype(np.float64)
    want = (v - v.mean(-1, keepdims=True)) / np.sqrt(v.var(-1, keepdims=True) + 1e-12) * gamma + beta
    body = (f"  %r = ane.layer_norm %0 gamma %1 beta %2 {{axes = array<i64: -1>, epsilon = 1.0e-12}} : "
            f"({typ(x)}, {typ(gamma)}, {typ(beta)}) -> {typ(x)}")
    got = call(tmp_path, [x, gamma, beta], body, [("%r", typ(x))], *options)
    close(got, want, 2e-6 if not options else 1e-7)


REDUCE = {"sum": lambda x, a: x.sum(a), "mean": lambda x, a: x.mean(a), "max": lambda x, a: x.max(a),
          "min": lambda x, a: x.min(a), "prod": lambda x, a: x.prod(a), "sum_square": lambda x, a: (x * x).sum(a),
          "l1_norm": lambda x, a: np.abs(x).sum(a), "l2_norm": lambda x, a: np.sqrt((x * x).sum(a)),
          "log_sum_exp": lambda x, a: np.log(np.exp(x).sum(a))}


@pytest.mark.parametrize("name", REDUCE)
@pytest.mark.parametrize("axes", [(2,), (1, 2), (0,), (0, 2), (0, 1, 2)])
def test_reduce(rng, tmp_path, name, axes):
    x = rng.uniform(-1.5, 1.5, (3, 6, 21)).astype(np.float32)
    want = np.asarray(REDUCE[name](x.astype(np.float64), axes))
    got = one(tmp_path, f"reduce_{name}", [x], want.astype(np.float32),
              axes=f"array<i64: {', '.join(map(str, axes))}>", keep_dims="false")
    close(got, want, 2e-6)


@pytest.mark.parametrize("m,n,k", [(1, 5, 7), (6, 16, 4), (7, 33, 12), (13, 48, 100), (128, 80, 64), (2, 17, 8), (1, 16, 8), (3, 48, 64),
                                   (4, 512, 40)])
@pytest.mark.parametrize("flags", [(False, False), (True, False), (False, True), (True, True)])
def test_matmul(rng, tmp_path, m, n, k, flags):
    x = rng.standard_normal((2, 3, k, m) if flags[0] else (2, 3, m, k)).astype(np.float32)
    y = rng.standard_normal((3, n, k) if flags[1] else (3, k, n)).astype(np.float32)
    want = (x.swapaxes(-1, -2) if flags[0] else x).astype(np.float64) @ (y.swapaxes(-1, -2) if flags[1] else y)
    got = one(tmp_path, "matmul", [x, y], want.astype(np.float32), transpose_x=str(flags[0]).lower(),
              transpose_y=str(flags[1]).lower())
    close(got, want, 1e-6)


def dense(array):
    if array.dtype == np.float32:
        text = "\"0x" + array.tobytes().hex().upper() + "\""
    return f"dense<{text}> : {typ(array)}"


@pytest.mark.parametrize("n", [16, 30, 64])
@pytest.mark.parametrize("options", [(), ("f64=true",), ("weights=fp16",)])
def test_linear_epilogue(rng, tmp_path, n, options):
    """Packed weights, bias, GELU and a residual in one kernel."""
    x = rng.standard_normal((2, 5, 70)).astype(np.float32)
    w = rng.standard_normal((n, 70)).astype(np.float32)
    bias = rng.standard_normal(n).astype(np.float32)
    rest = rng.standard_normal((2, 5, n)).astype(np.float32)
    if "weights=fp16" in options:
        w = w.astype(np.float16).astype(np.float32)
    body = f"""  %w = ane.const {dense(w)}
  %b = ane.const {dense(bias)}
  %l = ane.linear %0, %w bias %b : ({typ(x)}, {typ(w)}, {typ(bias)}) -> {typ(rest)}
  %g = ane.gelu %l : {typ(rest)}
  %r = ane.add %g, %1 : {typ(rest)}, {typ(rest)}"""
    library = hostlib.Library(module([x, rest], body, [("%r", typ(rest))]), tmp_path, *options)
    assert library.description["calls"] == 1
    v = x.astype(np.float64) @ w.T.astype(np.float64) + bias
    close(library("f", x, rest), v / 2 * (1 + erf(v / math.sqrt(2))) + rest, 1e-6)


def test_linear_transposed_constant(rng, tmp_path):
    x = rng.standard_normal((9, 24)).astype(np.float32)
    w = rng.standard_normal((24, 40)).astype(np.float32)
    out = np.zeros((9, 40), np.float32)
    body = f"""  %w = ane.const {dense(w)}
  %t = ane.transpose %w {{perm = array<i64: 1, 0>}} : ({typ(w)}) -> {typ(w.T)}
  %r = ane.linear %0, %t : ({typ(x)}, {typ(w.T)}) -> {typ(out)}"""
    close(call(tmp_path, [x], body, [("%r", typ(out))]), x.astype(np.float64) @ w, 1e-6)


@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_gather(rng, tmp_path, dtype):
    table = rng.standard_normal((50, 24)).astype(np.float32)
    index = rng.integers(-50, 50, (2, 7)).astype(dtype)
    want = table[index]
    assert np.array_equal(one(tmp_path, "gather", [table, index], want, axis="0 : i64"), want)
    want = np.take(table, index % 24, axis=1)
    assert np.array_equal(one(tmp_path / "1", "gather", [table, index % 24], want, axis="1 : i64"), want)


@pytest.mark.parametrize("heads,seq,dim,batch", [(4, 32, 16, 1), (3, 21, 20, 2)])
def test_attention(rng, tmp_path, heads, seq, dim, batch):
    """Head splits are views of the projections: three kernels for scores, softmax and context."""
    hidden = heads * dim
    q, k, v = (rng.standard_normal((batch, seq, hidden)).astype(np.float32) for _ in range(3))
    mask = np.where(rng.integers(0, 3, (batch, 1, 1, seq)) == 0, -1e4, 0).astype(np.float32)
    flat, split, moved = typ(q), f"tensor<{batch}x{seq}x{heads}x{dim}xf32>", f"tensor<{batch}x{heads}x{seq}x{dim}xf32>"
    scores = f"tensor<{batch}x{heads}x{seq}x{seq}xf32>"
    lines = []
    for i, name in enumerate("qkv"):
        lines += [f"  %s{name} = ane.reshape %{i} {{shape = array<i64: {batch}, {seq}, {heads}, {dim}>}} : ({flat}) -> {split}",
                  f"  %{name} = ane.transpose %s{name} {{perm = array<i64: 0, 2, 1, 3>}} : ({split}) -> {moved}"]
    lines += [f"  %scale = ane.const dense<{1 / math.sqrt(dim):.9e}> : tensor<f32>",
              generic("%m", "matmul", ["%q", "%k"], [moved, moved], scores, transpose_y="true"),
              f"  %n = ane.mul %m, %scale : {scores}, tensor<f32>",
              f"  %a = ane.add %n, %3 : {scores}, {typ(mask)}",
              generic("%p", "softmax", ["%a"], [scores], scores, axis="-1 : i64"),
              generic("%c", "matmul", ["%p", "%v"], [scores, moved], moved),
              f"  %b = ane.transpose %c {{perm = array<i64: 0, 2, 1, 3>}} : ({moved}) -> {split}",
              f"  %r = ane.reshape %b {{shape = array<i64: {batch}, {seq}, {hidden}>}} : ({split}) -> {flat}"]
    library = hostlib.Library(module([q, k, v, mask], "\n".join(lines), [("%r", flat)]), tmp_path)
    assert library.description["calls"] <= 4
    heads_of = lambda x: x.astype(np.float64).reshape(batch, seq, heads, dim).transpose(0, 2, 1, 3)
    s = heads_of(q) @ heads_of(k).swapaxes(-1, -2) / math.sqrt(dim) + mask
    e = np.exp(s - s.max(-1, keepdims=True))
    want = ((e / e.sum(-1, keepdims=True)) @ heads_of(v)).transpose(0, 2, 1, 3).reshape(batch, seq, hidden)
    close(library("f", q, k, v, mask), want, 1e-6)


def test_views_returned(rng, tmp_path):
    """A returned transpose is copied, a returned argument too, and equal results get their own buffers."""
    x = rng.standard_normal((5, 40)).astype(np.float32)
    body = f"""  %t = ane.transpose %0 {{perm = array<i64: 1, 0>}} : ({typ(x)}) -> {typ(x.T)}
  %e = ane.relu %0 : {typ(x)}"""
    out = call(tmp_path, [x], body, [("%t", typ(x.T)), ("%0", typ(x)), ("%e", typ(x)), ("%e", typ(x))])
    for got, want in zip(out, (x.T, x, np.maximum(x, 0), np.maximum(x, 0))):
        assert np.array_equal(got, want)


def test_equal_layers_share_code(rng, tmp_path):
    x = rng.standard_normal((6, 32)).astype(np.float32)
    weights = [rng.standard_normal((32, 32)).astype(np.float32) for _ in range(5)]
    body, want, name = "", x.astype(np.float64), "%0"
    for i, w in enumerate(weights):
        body += f"  %w{i} = ane.const {dense(w)}\n  %l{i} = ane.linear {name}, %w{i} : ({typ(x)}, {typ(w)}) -> {typ(x)}\n"
        body += f"  %x{i} = ane.tanh %l{i} : {typ(x)}\n"
        name, want = f"%x{i}", np.tanh(want @ w.T.astype(np.float64))
    library = hostlib.Library(module([x], body, [(name, typ(x))]), tmp_path)
    assert (library.description["kernels"], library.description["calls"]) == (1, 5)
    close(library("f", x), want, 3e-5)


#===-- loop kernels -------------------------------------------------------===#


def test_concat_stack(rng, tmp_path):
    parts = [rng.standard_normal((3, n, 5)).astype(np.float32) for n in (2, 4, 1)]
    want = np.concatenate(parts, 1)
    assert np.array_equal(one(tmp_path, "concat", parts, want, axis="1 : i64"), want)
    parts = [parts[0], parts[0] + 1]
    assert np.array_equal(one(tmp_path / "s", "stack", parts, np.stack(parts, 2), axis="2 : i64"), np.stack(parts, 2))


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate"])
def test_pad(rng, tmp_path, mode):
    x = rng.standard_normal((2, 5, 6)).astype(np.float32)
    numpy_mode = {"replicate": "edge"}.get(mode, mode)
    extra = {"constant_values": 2.5} if mode == "constant" else {}
    want = np.pad(x, [(0, 0), (1, 2), (3, 0)], numpy_mode, **extra)
    got = one(tmp_path, "pad", [x], want, pad="array<i64: 1, 2, 3, 0>", mode=f'"{mode}"', constant_val="2.5 : f64")
    assert np.array_equal(got, want)


def test_tile_slice_reverse(rng, tmp_path):
    x = rng.integers(-9, 9, (3, 4, 10)).astype(np.int64)
    want = np.tile(x, (2, 1, 3))
    assert np.array_equal(one(tmp_path / "t", "tile", [x], want, reps="array<i64: 2, 1, 3>"), want)
    want = x[:, 1:3, 8:1:-2]
    got = one(tmp_path / "s", "slice_by_index", [x], want, begin="array<i64: 0, 1, 8>", end="array<i64: 3, 3, 1>",
              stride="array<i64: 1, 1, -2>")
    assert np.array_equal(got, want)
    want = x[:, :, ::-1]
    assert np.array_equal(one(tmp_path / "r", "reverse", [x], want, axes="array<i64: 2>"), want)


def test_one_hot_of_indices_outside(tmp_path):
    index = np.array([0, 2, 3, -1, -3, 100], np.int32)
    want = (index[:, None] == np.arange(3)).astype(np.int32)
    assert np.array_equal(one(tmp_path, "one_hot", [index], want, axis="-1 : i64", one_hot_vector_size="3 : i64",
                              operandSegmentSizes="array<i32: 1, 0, 0>"), want)


def test_argmax_cumsum_topk(rng, tmp_path):
    x = rng.permutation(2 * 3 * 40).reshape(2, 3, 40).astype(np.float32)
    want = x.argmax(1).astype(np.int32)
    assert np.array_equal(one(tmp_path / "a", "reduce_argmax", [x], want, axis="1 : i64"), want)
    want = x.argmin(-1)[..., None].astype(np.int32)
    assert np.array_equal(one(tmp_path / "b", "reduce_argmin", [x], want, axis="-1 : i64", keep_dims="true"), want)
    close(one(tmp_path / "c", "cumsum", [x], x, axis="2 : i64"), x.cumsum(2), 1e-6)
    index = (-x).argsort(-1)[..., :5]
    body = (f'  %v, %i = "ane.topk"(%0) <{{k = 5 : i64, axis = -1 : i64}}> : ({typ(x)}) -> '
            f'(tensor<2x3x5xf32>, tensor<2x3x5xi32>)')
    values, indices = call(tmp_path / "d", [x], body, [("%v", "tensor<2x3x5xf32>"), ("%i", "tensor<2x3x5xi32>")])
    assert np.array_equal(values, np.take_along_axis(x, index, -1)) and np.array_equal(indices, index)
    want = x.argsort(-1).astype(np.int32)
    assert np.array_equal(one(tmp_path / "e", "argsort", [x], want, axis="-1 : i64", ascending="true"), want)


@pytest.mark.parametrize("mode", ["update", "add", "mul", "max", "min", "sub"])
def test_scatter(rng, tmp_path, mode):
    data = rng.standard_normal((6, 5, 4)).astype(np.float32)
    index = np.array([4, 0, 3], np.int32)
    updates = rng.standard_normal((6, 3, 4)).astype(np.float32)
    fn = {"update": lambda a, b: b, "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum,
          "sub": np.subtract}[mode]
    want = data.copy()
    want[:, index] = fn(want[:, index], updates)
    got = one(tmp_path, "scatter", [data, index, updates], want, axis="1 : i64", mode=f'"{mode}"')
    close(got, want, 1e-6)


def test_gather_variants(rng, tmp_path):
    x = rng.standard_normal((4, 6, 8)).astype(np.float32)
    index = rng.integers(0, 6, (4, 3, 8)).astype(np.int32)
    want = np.take_along_axis(x, index, 1)
    assert np.array_equal(one(tmp_path / "a", "gather_along_axis", [x, index], want, axis="1 : i64"), want)
    index = np.stack([rng.integers(0, 4, (5,)), rng.integers(0, 6, (5,))], -1).astype(np.int32)
    want = x[index[:, 0], index[:, 1]]
    assert np.array_equal(one(tmp_path / "b", "gather_nd", [x, index], want), want)


def test_integer_matmul(rng, tmp_path):
    x, y = rng.integers(-50, 50, (2, 7, 9)).astype(np.int32), rng.integers(-50, 50, (9, 4)).astype(np.int32)
    assert np.array_equal(one(tmp_path, "matmul", [x, y], x @ y), x @ y)


def test_pixel_shuffle(rng, tmp_path):
    x = rng.standard_normal((1, 8, 3, 5)).astype(np.float32)
    want = x.reshape(1, 2, 2, 2, 3, 5).transpose(0, 1, 4, 2, 5, 3).reshape(1, 2, 6, 10)
    assert np.array_equal(one(tmp_path, "pixel_shuffle", [x], want, upscale_factor="2 : i64"), want)


#===-- windows ------------------------------------------------------------===#


def windows(x, kernel, strides, dilations, pads, fill):
    """[N, C, O.., K..] windows of x [N, C, D..]."""
    axes = len(kernel)
    x = np.pad(x, [(0, 0), (0, 0)] + [(pads[2 * i], pads[2 * i + 1]) for i in range(axes)], constant_values=fill)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    view = np.lib.stride_tricks.sliding_window_view(x, reach, tuple(range(2, 2 + axes)))
    take = tuple(slice(None, None, s) for s in strides) + tuple(slice(None, None, d) for d in dilations)
    return view[(slice(None), slice(None)) + take]


def ints(values):
    return f"array<i64: {', '.join(map(str, values))}>"


@pytest.mark.parametrize("channels,size,out,kernel,strides,dilations,pads,groups", [
    (3, (9, 11), 8, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), 1), (16, (8, 8), 20, (1, 1), (1, 1), (1, 1), (0, 0, 0, 0), 1),
    (6, (13, 10), 9, (3, 2), (2, 1), (1, 2), (0, 1, 2, 0), 3), (8, (7, 16), 8, (3, 3), (2, 2), (1, 1), (1, 1, 1, 1), 8),
    (4, (50,), 6, (5,), (2,), (1,), (2, 2), 1), (2, (5, 6, 7), 3, (2, 3, 2), (1, 1, 2), (1, 1, 1), (0, 0, 1, 1, 0, 0), 1)])
@pytest.mark.parametrize("constant", [True, False])
def test_conv(rng, tmp_path, channels, size, out, kernel, strides, dilations, pads, groups, constant):
    x = rng.standard_normal((2, channels) + size).astype(np.float32)
    w = rng.standard_normal((out, channels // groups) + kernel).astype(np.float32)
    bias = rng.standard_normal(out).astype(np.float32)
    axes = len(kernel)
    view = windows(x.astype(np.float64), kernel, strides, dilations, pads, 0)
    view = view.reshape((2, groups, channels // groups) + view.shape[2:])
    grouped = w.reshape((groups, out // groups) + w.shape[1:]).astype(np.float64)
    letters, taps = "xyz"[:axes], "uvw"[:axes]
    want = np.einsum(f"ngc{letters}{taps},gfc{taps}->ngf{letters}", view, grouped)
    want = want.reshape((2, out) + want.shape[3:]) + bias.reshape((1, out) + (1,) * axes)
    params = (f"{{strides = {ints(strides)}, dilations = {ints(dilations)}, pad_type = \"custom\", pad = {ints(pads)}, "
              f"groups = {groups} : i64}}")
    out_type = typ(want.astype(np.float32))
    if constant:
        body, inputs, name = f"  %w = ane.const {dense(w)}\n  %b = ane.const {dense(bias)}\n", [x], ("%w", "%b")
    else:
        body, inputs, name = "", [x, w, bias], ("%1", "%2")
    body += (f"  %c = ane.conv %0, {name[0]} bias {name[1]} {params} : ({typ(x)}, {typ(w)}, {typ(bias)}) -> {out_type}\n"
             f"  %r = ane.relu %c : {out_type}")
    close(call(tmp_path, inputs, body, [("%r", out_type)]), np.maximum(want, 0), 2e-6)


@pytest.mark.parametrize("name", ["max", "avg", "l2"])
@pytest.mark.parametrize("exclude", ["true", "false"])
def test_pool(rng, tmp_path, name, exclude):
    x = rng.standard_normal((2, 5, 9, 12)).astype(np.float32)
    kernel, strides, pads = (3, 2), (2, 2), (1, 1, 0, 1)
    fill = {"max": -np.inf}.get(name, 0)
    view = windows(x.astype(np.float64), kernel, strides, (1, 1), pads, fill)
    count = windows(np.ones_like(x), kernel, strides, (1, 1), pads, 0).sum((-1, -2)) if exclude == "true" else 6
    want = {"max": lambda: view.max((-1, -2)), "avg": lambda: view.sum((-1, -2)) / count,
            "l2": lambda: np.sqrt((view ** 2).sum((-1, -2)))}[name]()
    extra = {"exclude_padding_from_average": exclude} if name == "avg" else {}
    close(one(tmp_path, f"{name}_pool", [x], want.astype(np.float32), kernel_sizes=ints(kernel), strides=ints(strides),
              pad_type='"custom"', pad=ints(pads), **extra), want, 1e-6)


def test_conv_transpose(rng, tmp_path):
    x = rng.standard_normal((2, 6, 5, 4)).astype(np.float32)
    w = rng.standard_normal((6, 2, 3, 3)).astype(np.float32)  # 2 groups
    full = np.zeros((2, 4, 5 * 2 + 1, 4 * 2 + 1))
    for i in range(5):
        for j in range(4):
            for g in range(2):
                part = np.einsum("nc,cfuv->nfuv", x[:, 3 * g:3 * g + 3, i, j].astype(np.float64), w[3 * g:3 * g + 3])
                full[:, 2 * g:2 * g + 2, 2 * i:2 * i + 3, 2 * j:2 * j + 3] += part
    want = full[:, :, 1:-1, 1:-1]
    body = (f"  %r = ane.conv_transpose %0, %1 {{strides = array<i64: 2, 2>, pad_type = \"custom\", "
            f"pad = array<i64: 1, 1, 1, 1>, groups = 2 : i64}} : ({typ(x)}, {typ(w)}) -> {typ(want.astype(np.float32))}")
    close(call(tmp_path, [x, w], body, [("%r", typ(want.astype(np.float32)))]), want, 2e-6)


#===-- parameters per channel, quantisation, images -----------------------===#


def test_prelu_and_softplus(rng, tmp_path):
    x = rng.standard_normal((2, 3, 4, 9)).astype(np.float32)
    alpha, beta = rng.uniform(0.1, 2, (2, 3)).astype(np.float32)
    wide = lambda p: p.reshape(1, 3, 1, 1).astype(np.float64)
    close(one(tmp_path / "p", "prelu", [x, alpha], x), np.where(x >= 0, x, wide(alpha) * x), 1e-6)
    close(one(tmp_path / "s", "softplus_parametric", [x, alpha, beta], x),
          wide(alpha) * np.logaddexp(0, wide(beta) * x), 1e-6)


def test_quantize(rng, tmp_path):
    x = rng.uniform(-20, 20, (4, 30)).astype(np.float32)
    scale = rng.uniform(0.05, 0.5, 4).astype(np.float32)
    zero = np.array([0, 5, 100, 130], np.uint8)
    want = np.clip(np.round(x / scale[:, None]) + zero[:, None], 0, 255).astype(np.uint8)
    body = (f'  %r = ane.quantize %0, %1 zero_point %2 {{axis = 0 : i64, output_dtype = "uint8"}} : '
            f"({typ(x)}, {typ(scale)}, {typ(zero)}) -> {typ(want)}")
    assert np.array_equal(call(tmp_path / "q", [x, scale, zero], body, [("%r", typ(want))]), want)
    back = (want.astype(np.float64) - zero[:, None]) * scale[:, None]
    body = (f"  %r = ane.dequantize %0, %1 zero_point %2 {{axis = 0 : i64}} : "
            f"({typ(want)}, {typ(scale)}, {typ(zero)}) -> {typ(x)}")
    close(call(tmp_path / "d", [want, scale, zero], body, [("%r", typ(x))]), back, 1e-6)


def test_blocks(rng, tmp_path):
    x = rng.standard_normal((1, 2, 3, 4)).astype(np.float32)
    want = x.repeat(2, 2).repeat(3, 3)
    got = one(tmp_path / "u", "upsample_nearest_neighbor", [x], want, scale_factor_height="2 : i64",
              scale_factor_width="3 : i64")
    assert np.array_equal(got, want)
    want = x[:, :, 1:, 1:3]
    got = one(tmp_path / "c", "crop", [x], want, crop_height="array<i64: 1, 0>", crop_width="array<i64: 1, 1>")
    assert np.array_equal(got, want)
    x = rng.standard_normal((2, 3, 4, 6)).astype(np.float32)
    want = np.pad(x, [(0, 0), (0, 0), (1, 1), (0, 0)]).reshape(2, 3, 3, 2, 3, 2).transpose(3, 5, 0, 1, 2, 4)
    want = want.reshape(8, 3, 3, 3)
    got = one(tmp_path / "b", "space_to_batch", [x], want, block_shape="array<i64: 2, 2>",
              paddings="array<i64: 1, 1, 0, 0>")
    assert np.array_equal(got, want)
    got = one(tmp_path / "s", "batch_to_space", [want], x, block_shape="array<i64: 2, 2>", crops="array<i64: 1, 1, 0, 0>")
    assert np.array_equal(got, x)


def test_composites(rng, tmp_path):
    """Composites without a kernel of their own decompose."""
    x = rng.standard_normal((2, 6, 8)).astype(np.float32)
    gamma = rng.standard_normal(8).astype(np.float32)
    v = x.astype(np.float64)
    want = v / np.sqrt((v * v).mean(-1, keepdims=True) + 1e-6) * (1 + gamma)
    got = one(tmp_path / "r", "rms_norm", [x, gamma], x, epsilon="1.0e-6 : f64", zero_centered="true")
    close(got, want, 1e-6)
    shifted = v - v.max(-1, keepdims=True)
    want = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    close(one(tmp_path / "l", "log_softmax", [x], x, axis="-1 : i64"), want, 1e-6)
    q, k = (rng.standard_normal((2, 3, 7, 16)).astype(np.float32) for _ in range(2))
    s = q.astype(np.float64) @ k.swapaxes(-1, -2) / 4
    e = np.exp(s - s.max(-1, keepdims=True))
    want = e / e.sum(-1, keepdims=True) @ k
    body = f"  %r = ane.scaled_dot_product_attention %0, %1, %1 : ({typ(q)}, {typ(k)}, {typ(k)}) -> {typ(q)}"
    close(call(tmp_path / "a", [q, k], body, [("%r", typ(q))]), want, 1e-6)


def test_errors_name_the_op(tmp_path):
    (tmp_path / "m.mlir").write_text("""func.func @f(%b: tensor<1x6x4xf32>, %s: tensor<1x6x2xf32>) -> tensor<1x3x4xf32> {
  %0:4 = "ane.non_maximum_suppression"(%b, %s) <{iou_threshold = 0.5 : f64, max_boxes = 3 : i64}>
    : (tensor<1x6x4xf32>, tensor<1x6x2xf32>) -> (tensor<1x3x4xf32>, tensor<1x3x2xf32>, tensor<1x3xi32>, tensor<1xi32>)
  return %0#0 : tensor<1x3x4xf32>
}""")
    hostlib.anetest.rejected("ane-opt", f"--ane-host-compile=output-dir={tmp_path}", tmp_path / "m.mlir",
                             says=["ane.non_maximum_suppression", "no CPU lowering", "tensor<1x6x4xf32>"])
    assert not (tmp_path / "host.so").exists()


@pytest.mark.parametrize("shape", [(40, 24), (3, 40, 24), (2, 3, 7, 24)])
def test_linear_of_a_transposed_input(rng, tmp_path, shape):
    """linear(x^T): the transpose may be taken as a stride of the product."""
    x, w = rng.standard_normal(shape).astype(np.float32), rng.standard_normal((5, shape[-2])).astype(np.float32)
    order = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
    turned = np.ascontiguousarray(x.transpose(order))
    want = turned.astype(np.float64) @ w.T.astype(np.float64)
    body = generic("%t", "transpose", ["%0"], [typ(x)], typ(turned), perm=f"array<i64: {str(order)[1:-1]}>") + "\n"
    body += generic("%r", "linear", ["%t", "%1"], [typ(turned), typ(w)], typ(want.astype(np.float32)))
    close(call(tmp_path, [x, w], body, [("%r", typ(want.astype(np.float32)))]), want, 1e-6)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("constant", [True, False])
def test_integer_weights(rng, tmp_path, dtype, constant):
    """Weights without a scale of their own: converted where a product loads them, packed ahead of time or read where they lie."""
    x = rng.uniform(-1, 1, (7, 37)).astype(np.float32)
    w = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, (19, 37)).astype(dtype)
    text = f'  %w = ane.const dense<{w.tolist()}> : {typ(w)}\n' if constant else ""
    out = np.empty((7, 19), np.float32)
    body = text + generic("%r", "linear", ["%0", "%w" if constant else "%1"], [typ(x), typ(w)], typ(out))
    got = call(tmp_path, [x] if constant else [x, w], body, [("%r", typ(out))])
    close(got, x.astype(np.float64) @ w.astype(np.float64).T)
