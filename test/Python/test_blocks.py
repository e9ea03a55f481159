"""Weights that stay in the blocks of a GGUF file, against the package `gguf` and products in double."""
import sys

import gguf
import numpy as np
import pytest

import anetest
import bundlelib
import hostlib
from test_checkpoints import TYPES, blocks
from test_hosts import VNNI, X86, needs_aarch64, needs_vnni

ROWS, COLUMNS = 80, 512


def weight(kind):
    """(bytes as the file has them, elements in fp32)"""
    if kind in ("F32", "F16", "BF16"):
        raw = np.random.default_rng(5).standard_normal((ROWS, COLUMNS)).astype(np.float32)
        raw = gguf.quants.quantize(raw, gguf.GGMLQuantizationType[kind]).view(np.uint8)
    else:
        raw = blocks(kind, ROWS, COLUMNS)
    elements = gguf.quants.dequantize(raw if kind not in ("F32", "F16") else raw.view({"F32": np.float32, "F16": np.float16}[kind]),
                                      gguf.GGMLQuantizationType[kind])
    return raw, elements.astype(np.float32)


def product(kind, raw, path, rows, dtype="fp32", name="main"):
    """Text of a function that multiplies [rows, COLUMNS] with the weight, which is written to `path`."""
    raw.tofile(path)
    element = {"fp32": "f32", "fp16": "f16"}[dtype]
    data, full = f"tensor<{len(raw)}x{raw.shape[1]}xui8>", f"tensor<{len(raw)}x{COLUMNS}x{element}>"
    x, y = f"tensor<{rows}x{COLUMNS}x{element}>", f"tensor<{rows}x{len(raw)}x{element}>"
    return f"""func.func @{name}(%x: {x} {{ane.io_name = "x"}}) -> ({y} {{ane.io_name = "y"}}) {{
  %0 = ane.const #ane.weight<"{path}", 0, {raw.size}> : {data}
  %w = ane.constexpr_blocks {kind.lower()} %0 {{output_dtype = "{dtype}"}} : ({data}) -> {full}
  %y = ane.linear %x, %w : ({x}, {full}) -> {y}
  return %y : {y}
}}
"""


def check(got, want, tolerance):
    error = np.abs(got - want).max() / np.abs(want).max()
    assert error <= tolerance, f"off by {error:.2e} of the largest value, limit {tolerance:.0e}"


@pytest.mark.parametrize("kind", TYPES)
def test_product(kind, tmp_path):
    raw, elements = weight(kind)
    x = np.random.default_rng(6).standard_normal((3, COLUMNS)).astype(np.float32)
    library = hostlib.Library(product(kind, raw, tmp_path / "w.bin", 3), tmp_path)
    check(library("main", x), x.astype(np.float64) @ elements.T.astype(np.float64), 1e-5)


@pytest.mark.parametrize("columns", [544, 1120, 1440])
def test_uneven_columns(columns, tmp_path, monkeypatch):
    """Many rows go through panels in shares of the columns: whole groups of 32, which no share of up to 384 need be."""
    monkeypatch.setattr(sys.modules[__name__], "COLUMNS", columns)
    raw, elements = weight("Q4_1")
    x = np.random.default_rng(6).standard_normal((32, columns)).astype(np.float32)
    library = hostlib.Library(product("Q4_1", raw, tmp_path / "w.bin", 32), tmp_path)
    check(library("main", x), x.astype(np.float64) @ elements.T.astype(np.float64), 1e-5)


@pytest.mark.parametrize("kind", ["Q4_1", "Q6_K", "BF16"])
def test_reference_build(kind, tmp_path):
    """The library that computes in double has the same elements."""
    raw, elements = weight(kind)
    x = np.random.default_rng(6).standard_normal((3, COLUMNS)).astype(np.float32)
    library = hostlib.Library(product(kind, raw, tmp_path / "w.bin", 3), tmp_path, "f64=true")
    check(library("main", x), x.astype(np.float64) @ elements.T.astype(np.float64), 1e-7)


@pytest.mark.parametrize("dtype", ["fp32", "fp16"])
def test_bundle(dtype, tmp_path):
    """A program of the engine gets the elements in fp16, its twin as the model has them."""
    raw, elements = weight("Q4_1")
    (tmp_path / "m.mlir").write_text(product("Q4_1", raw, tmp_path / "w.bin", 16, dtype))
    anetest.run("ane-compile", tmp_path / "m.mlir", "-o", tmp_path / "m.anebundle", "--target=m4", "--quiet")
    x = np.random.default_rng(6).standard_normal((16, COLUMNS)).astype(np.float32 if dtype == "fp32" else np.float16)
    for device, tolerance in (("cpu", 1e-5 if dtype == "fp32" else 1e-3), ("emulator", 1e-3)):
        with bundlelib.Bundle(tmp_path / "m.anebundle", device, emulator_mode="lint" if device == "emulator" else None) as bundle:
            got, = bundle({"x": x})
            assert not bundle.events()
        exact = elements if (device, dtype) == ("cpu", "fp32") else elements.astype(np.float16)
        check(got.astype(np.float64), x.astype(np.float64) @ exact.T.astype(np.float64), tolerance)


def test_missing_bytes(tmp_path):
    """A file that ends before the blocks is an error with the file's name."""
    raw, _ = weight("Q8_0")
    text = product("Q8_0", raw, tmp_path / "w.bin", 3)
    (tmp_path / "w.bin").write_bytes(raw.tobytes()[:-1])
    (tmp_path / "m.mlir").write_text(text)
    anetest.rejected("ane-compile", tmp_path / "m.mlir", "-o", tmp_path / "m.anebundle", "--quiet", says=["w.bin"])


# Rows, and columns that no panel divides: kernels of few rows, with whole tiles and rests, and of many.
SHAPES = [(1, 80), (3, 37), (8, 48), (13, 16), (40, 72)]
MACHINES = [pytest.param(hostlib.DEFAULT_HOST, kind, id=kind) for kind in TYPES] + \
    [pytest.param(f"{X86}:{VNNI}", kind, id=f"vnni-{kind}", marks=needs_vnni) for kind in TYPES] + \
    [pytest.param(hostlib.AARCH64, kind, id=f"aarch64-{kind}", marks=needs_aarch64) for kind in ("Q4_0", "Q4_1", "Q8_0", "Q3_K", "Q6_K")]


@pytest.mark.parametrize("host, kind", MACHINES)
def test_kernels(host, kind, tmp_path):
    """Few rows, which are multiplied in integers, and many are as exact as fp32 is."""
    raw, elements = weight(kind)
    text = "".join(product(kind, raw[:columns], tmp_path / f"{columns}.bin", rows, name=f"r{rows}") for rows, columns in SHAPES)
    library = hostlib.Library(text, tmp_path, host=host)
    for rows, columns in SHAPES:
        x = np.random.default_rng(rows).standard_normal((rows, COLUMNS)).astype(np.float32)
        x[0, :64] *= 1000  # as the few large activations of language models
        x[-1, 200:300] = 0
        want = x.astype(np.float64) @ elements[:columns].T.astype(np.float64)
        bound = 4e-6 * (np.abs(x) @ np.abs(elements[:columns]).T)
        error = np.abs(library(f"r{rows}", x) - want)
        assert np.all(error <= bound), f"{rows} x {columns}: off by {np.max(error / bound):.2f} times the bound"


@pytest.mark.parametrize("kind", ["Q4_1", "Q8_0"])
def test_not_finite(kind, tmp_path):
    """A NaN or an infinity in a row is seen in the row's results, and in no other's."""
    raw, _ = weight(kind)
    x = np.ones((4, COLUMNS), np.float32)
    x[1, 77], x[2, 300] = np.nan, np.inf
    y = hostlib.Library(product(kind, raw, tmp_path / "w.bin", 4), tmp_path)("main", x)
    assert np.all(np.isfinite(y[[0, 3]])) and not np.any(np.isfinite(y[[1, 2]]))
