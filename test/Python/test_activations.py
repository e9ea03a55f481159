"""Products whose rows are rounded to 8 bits (--activations=int8), against NumPy that rounds the same way and sums in double."""
import json

import gguf
import numpy as np
import pytest

import anetest
import bundlelib
import hostlib
from test_blocks import COLUMNS, product, weight
from test_checkpoints import TYPES
from test_hosts import needs_aarch64

# Formats that are made of integers; those with a scale for each 16 elements.
INTEGERS = [kind for kind in TYPES if kind not in ("F32", "F16", "BF16")]
SHORT = ("Q2_K", "Q3_K", "Q6_K")
# One row and few, with whole tiles and rests of rows and columns, and many: of several chunks, too.
SHAPES = [(1, 80), (3, 37), (8, 48), (13, 16), (100, 72), (1021, 24)]


def rounded(x, run):
    """Rows as integers from -127 to 127 times the scale of their run, in double. Scale, its inverse and the maximum are in fp32."""
    runs = x.reshape(len(x), -1, run)
    most = np.maximum(np.abs(runs).max(-1, keepdims=True), np.float32(2.0 ** -110))
    integers = np.rint(runs.astype(np.float64) * (np.float32(127) / most).astype(np.float64))
    assert np.abs(integers).max() <= 127
    return (integers * (most / np.float32(127)).astype(np.float64)).reshape(x.shape)


def rows(count):
    x = np.random.default_rng(count).standard_normal((count, COLUMNS)).astype(np.float32)
    x[0, :64] *= 1000  # as the few large activations of language models
    x[-1, 200:300] = 0
    return x


def check(kind, elements, x, got):
    """The bound is of fp32 sums of a few hundred terms; rounding x moves results by thousands of it."""
    near = rounded(x, 16 if kind in SHORT else 32)
    bound = 4e-6 * (np.abs(x) @ np.abs(elements).T)
    exact, want = x.astype(np.float64) @ elements.T.astype(np.float64), near @ elements.T.astype(np.float64)
    error = np.abs(got - want)
    assert np.all(error <= bound), f"{kind}, {x.shape}: off by {np.max(error / bound):.2f} times the bound"
    assert np.max(np.abs(exact - got) / bound) > 50, "nothing was rounded"


def machines():
    levels = ["x86-64-v3", "x86-64-v4", "x86-64-v4-vnni"]
    yield from (pytest.param(f"x86_64-unknown-linux-gnu:{level}", kind, id=f"{level}-{kind}") for level in levels for kind in INTEGERS)
    yield from (pytest.param(hostlib.AARCH64, kind, id=f"aarch64-{kind}", marks=needs_aarch64) for kind in ("Q4_0", "Q4_1", "Q8_0", "Q6_K"))


def needs(host):
    level = host.rpartition(":")[2]
    features = {"x86-64-v3": {"avx2"}, "x86-64-v4": {"avx512f"}, "x86-64-v4-vnni": {"avx512f", "avx512_vnni"}}.get(level, set())
    with open("/proc/cpuinfo") as file:
        if not features <= set(file.read().split()):
            pytest.skip(f"this processor does not run {level}")


@pytest.mark.parametrize("host, kind", list(machines()))
def test_kernels(host, kind, tmp_path):
    needs(host)
    raw, elements = weight(kind)
    text = "".join(product(kind, raw[:columns], tmp_path / f"{columns}.bin", count, name=f"r{count}") for count, columns in SHAPES)
    library = hostlib.Library(text, tmp_path, "activations=int8", host=host)
    for count, columns in SHAPES:
        check(kind, elements[:columns], rows(count), library(f"r{count}", rows(count)))


def test_extremes(tmp_path):
    """Bytes of all magnitudes, where two products would not fit in 16 bits."""
    elements = np.where(np.arange(80 * COLUMNS).reshape(80, COLUMNS) % 3, -127, 127).astype(np.float32)
    raw = gguf.quants.quantize(elements, gguf.GGMLQuantizationType.Q8_0)
    x = np.where(np.arange(5 * COLUMNS).reshape(5, COLUMNS) % 2, -1, 1).astype(np.float32)
    for level in ("x86-64-v3", "x86-64-v4", "x86-64-v4-vnni"):
        host = f"x86_64-unknown-linux-gnu:{level}"
        try:
            needs(host)
        except pytest.skip.Exception:
            continue
        library = hostlib.Library(product("Q8_0", raw, tmp_path / "w.bin", 5), tmp_path / level, "activations=int8", host=host)
        want = x.astype(np.float64) @ elements.T.astype(np.float64)
        assert np.allclose(library("main", x), want, rtol=1e-6, atol=1e-3)


def test_not_finite(tmp_path):
    """A NaN or an infinity in a row is seen in the row's results, and in no other's."""
    raw, _ = weight("Q4_1")
    x = np.ones((4, COLUMNS), np.float32)
    x[1, 77], x[2, 300] = np.nan, np.inf
    y = hostlib.Library(product("Q4_1", raw, tmp_path / "w.bin", 4), tmp_path, "activations=int8")("main", x)
    assert np.all(np.isfinite(y[[0, 3]])) and not np.any(np.isfinite(y[[1, 2]]))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("activations")
    raw, elements = weight("Q8_0")
    (folder / "m.mlir").write_text(product("Q8_0", raw, folder / "w.bin", 40))
    return folder / "m.mlir", elements


def test_bundle(model, tmp_path):
    """The manifest names the libraries that round and the report what was asked for; any number of threads gives the same bits."""
    path, elements = model
    results = {}
    for kind in ("exact", "int8"):
        bundle, cache = tmp_path / f"{kind}.anebundle", tmp_path / "cache"
        report = json.loads(anetest.run("ane-compile", path, "-o", bundle, "--quiet", "--json", f"--activations={kind}",
                                        f"--kernel-cache={cache}").stdout)
        assert report["activations"] == kind
        libraries = json.loads((bundle / "manifest.json").read_text())["host_libraries"]
        assert len(libraries) > 1 and all(library.get("activations", "exact") == kind for library in libraries)
        results[kind] = []
        for threads in (1, 2, 5):
            with bundlelib.Bundle(bundle, "cpu", threads=threads) as opened:
                results[kind] += opened({"x": rows(40)})
        assert all(np.array_equal(results[kind][0], other) for other in results[kind])
    check("Q8_0", elements, rows(40), results["int8"][0])
    # Kernels that the other choice left in the cache are no others'.
    assert not np.array_equal(results["exact"][0], results["int8"][0])


def test_refused(model, tmp_path):
    path, _ = model
    for options, says in ((["--activations=int4"], "no kind of activations 'int4': exact or int8"),
                          (["--activations=int8", "--cpu-f64"], "leave one out"),
                          (["--activations=int8", "--train"], "leave one out")):
        anetest.rejected("ane-compile", path, "-o", tmp_path / "m.anebundle", *options, says=[says], code=2)
        assert not (tmp_path / "m.anebundle").exists()
