"""CPU code of what gradients are made of: products of two computed matrices, and scatters."""
import numpy as np
import pytest

from test_host import call, close, one, typ


# Of many rows, whose operands are packed: 1 block of steps or several, a last block, tile and panel that are not full.
@pytest.mark.parametrize("m,n,k", [(40, 33, 1000), (300, 48, 24), (97, 250, 790), (64, 16, 385), (513, 40, 33)])
@pytest.mark.parametrize("flags", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("options", [(), ("f64=true",)])
def test_matmul_of_many_rows(rng, tmp_path, m, n, k, flags, options):
    x = rng.standard_normal((2, k, m) if flags[0] else (2, m, k)).astype(np.float32)
    y = rng.standard_normal((n, k) if flags[1] else (k, n)).astype(np.float32)
    rest = rng.standard_normal((2, m, n)).astype(np.float32)
    body = f"""  %p = ane.matmul %0, %1 {{transpose_x = {str(flags[0]).lower()}, transpose_y = {str(flags[1]).lower()}}} : ({typ(x)}, {typ(y)}) -> {typ(rest)}
  %r = ane.add %p, %2 : {typ(rest)}, {typ(rest)}"""
    want = (x.swapaxes(-1, -2) if flags[0] else x).astype(np.float64) @ (y.T if flags[1] else y) + rest
    close(call(tmp_path, [x, y, rest], body, [("%r", typ(rest))], *options), want, 1e-7 if options else 1e-6)


@pytest.mark.parametrize("flags", [(False, True), (True, False)])
def test_matmul_of_halves(rng, tmp_path, flags):
    """Elements become fp32 when they are packed; sums are rounded once."""
    x = rng.standard_normal((400, 70) if flags[0] else (70, 400)).astype(np.float16)
    y = rng.standard_normal((48, 400) if flags[1] else (400, 48)).astype(np.float16)
    want = (x.T if flags[0] else x).astype(np.float64) @ (y.T if flags[1] else y).astype(np.float64)
    got = one(tmp_path, "matmul", [x, y], want.astype(np.float16), transpose_x=str(flags[0]).lower(), transpose_y=str(flags[1]).lower())
    close(got, want, 5e-4)


def test_long_sums(rng, tmp_path):
    """Of 49,152 products near 1: one sum in fp32 would be off by 5e-6."""
    x = (1 + 0.1 * rng.standard_normal((32, 49152))).astype(np.float32)
    y = (1 + 0.1 * rng.standard_normal((49152, 16))).astype(np.float32)
    want = x.astype(np.float64) @ y
    close(one(tmp_path, "matmul", [x, y], want.astype(np.float32)), want, 1e-6)


def test_scatter_in_place(rng, tmp_path):
    """What only the scatter reads is changed where it lies."""
    data = rng.standard_normal((6, 4)).astype(np.float32)
    index, updates = np.array([4, -6, 4], np.int32), rng.standard_normal((3, 4)).astype(np.float32)
    want = 2 * data
    np.add.at(want, index, updates)
    body = f"""  %d = ane.add %0, %0 : {typ(data)}, {typ(data)}
  %r = ane.scatter %d, %1, %2 {{axis = 0 : i64, mode = "add"}} : {typ(data)}, {typ(index)}, {typ(updates)}"""
    for options in (), ("f64=true",):
        close(call(tmp_path / str(len(options)), [data, index, updates], body, [("%r", typ(data))], *options), want, 1e-6)


def test_scatter_of_its_data(tmp_path):
    """Updates that are read from the data are those before anything has changed."""
    data, index = np.arange(1, 9, dtype=np.float32).reshape(4, 2), np.array([1, 2, 3], np.int32)
    want = 2 * data
    want[1:] = want[:3].copy()
    body = f"""  %d = ane.add %0, %0 : {typ(data)}, {typ(data)}
  %u = ane.slice_by_size %d {{begin = array<i64: 0, 0>, size = array<i64: 3, 2>}} : ({typ(data)}) -> {typ(data[:3])}
  %r = ane.scatter %d, %1, %u {{axis = 0 : i64, mode = "update"}} : {typ(data)}, {typ(index)}, {typ(data[:3])}"""
    assert np.array_equal(call(tmp_path, [data, index], body, [("%r", typ(data))]), want)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_scatter_of_one(rng, tmp_path, dtype):
    """Also where the indices' type does not count to the axis's end."""
    far = min(400, np.iinfo(dtype).max)
    index = np.array([[4, -1, 0, far, -min(400, far)]], dtype).reshape(5, 1)
    updates = rng.standard_normal((5, 1)).astype(np.float32)
    want = np.zeros((5, 300), np.float32)
    want[np.arange(5), [4, 299, 0, min(far, 299), 0 if far == 400 else 300 - far]] = updates[:, 0]
    body = f"""  %z = ane.const dense<0.0> : {typ(want)}
  %r = ane.scatter_along_axis %z, %0, %1 {{axis = 1 : i64, mode = "add"}} : {typ(want)}, {typ(index)}, {typ(updates)}"""
    assert np.array_equal(call(tmp_path, [index, updates], body, [("%r", typ(want))]), want)
