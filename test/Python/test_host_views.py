"""CPU code of values that are read through views, in other orders of memory, or rounded on the way."""
import numpy as np
import pytest

from test_host import call, close, dense, typ


def test_a_reversed_view_is_reshaped(rng, tmp_path):
    """Its strides are negative."""
    x = rng.standard_normal(24).astype(np.float32)
    body = f"""  %a = ane.reshape %0 {{shape = array<i64: 2, 4, 3>}} : ({typ(x)}) -> tensor<2x4x3xf32>
  %b = ane.reverse %a {{axes = array<i64: 1, 2>}} : tensor<2x4x3xf32>
  %r = ane.reshape %b {{shape = array<i64: 24>}} : (tensor<2x4x3xf32>) -> {typ(x)}"""
    assert np.array_equal(call(tmp_path, [x], body, [("%r", typ(x))]), x.reshape(2, 4, 3)[:, ::-1, ::-1].reshape(-1))


@pytest.mark.parametrize("options", [(), ("f64=true",)])
def test_a_cast_to_fewer_bits_rounds(rng, tmp_path, options):
    """Also inside of a kernel, and where LLVM makes minima of single fp16 values (prelu of three columns)."""
    x = rng.uniform(-8, 8, (65, 16, 3, 1)).astype(np.float32)
    alpha = np.arange(1, 17, dtype=np.float32)
    half = typ(x.astype(np.float16))
    body = f"""  %h = ane.cast %0 {{dtype = "fp16"}} : ({typ(x)}) -> {half}
  %w = ane.cast %h {{dtype = "fp32"}} : ({half}) -> {typ(x)}
  %y = ane.const {dense(alpha)}
  %p = ane.prelu %w, %y : {typ(x)}, {typ(alpha)}
  %t = ane.thresholded_relu %w {{alpha = -0.5 : f64}} : {typ(x)}
  %b = "ane.band_part"(%w) {{lower = 0 : i64, upper = 2 : i64}} : ({typ(x)}) -> {typ(x)}"""
    prelu, thresholded, _ = call(tmp_path, [x], body, [(name, typ(x)) for name in ("%p", "%t", "%b")], *options)
    wide = x.astype(np.float16).astype(np.float32)
    assert np.array_equal(prelu, np.where(wide >= 0, wide, wide * alpha.reshape(16, 1, 1)))
    assert np.array_equal(thresholded, np.where(wide >= -0.5, wide, 0))


def test_weights_of_a_whole_block(rng, tmp_path):
    """1 MiB is what is written at once: nothing is left to be written at the end."""
    x = rng.standard_normal((1, 512)).astype(np.float32)
    y = rng.standard_normal((512, 512)).astype(np.float32)
    body = f"  %c = ane.const {dense(y)}\n  %r = ane.matmul %0, %c : ({typ(x)}, {typ(y)}) -> {typ(x)}"
    close(call(tmp_path, [x], body, [("%r", typ(x))]), x.astype(np.float64) @ y, 1e-5)


@pytest.mark.parametrize("axes", [(1, 2), (0, 2), (0, 1)])
def test_norms_over_axes_that_lie_apart(rng, tmp_path, axes):
    """Of a transposed value, and of a slice: their elements are gathered first."""
    x = rng.standard_normal((5, 6, 9)).astype(np.float32)
    gamma = rng.standard_normal([x.swapaxes(1, 2)[:, 2:].shape[a] for a in axes]).astype(np.float32)
    v = x.swapaxes(1, 2)[:, 2:].astype(np.float64)
    moved = v - v.mean(axes, keepdims=True)
    shape = [v.shape[a] if a in axes else 1 for a in range(3)]
    want = moved / np.sqrt((moved**2).mean(axes, keepdims=True) + 1e-5) * gamma.reshape(shape)
    kind = typ(want.astype(np.float32))
    body = f"""  %t = ane.transpose %0 {{perm = array<i64: 0, 2, 1>}} : ({typ(x)}) -> tensor<5x9x6xf32>
  %s = ane.slice_by_size %t {{begin = array<i64: 0, 2, 0>, size = array<i64: 5, 7, 6>}} : (tensor<5x9x6xf32>) -> {kind}
  %r = ane.layer_norm %s gamma %1 {{axes = array<i64: {axes[0]}, {axes[1]}>}} : ({kind}, {typ(gamma)}) -> {kind}"""
    close(call(tmp_path, [x, gamma], body, [("%r", kind)]), want)


@pytest.mark.parametrize("op", ["layer_norm", "rms_norm"])
def test_norms_with_a_broadcast_scale(rng, tmp_path, op):
    """The scale is a view whose axes are no lane."""
    x = rng.standard_normal((2, 3, 5, 4)).astype(np.float32)
    gamma = rng.standard_normal((5, 1)).astype(np.float32)
    v = x.astype(np.float64)
    if op == "layer_norm":
        v = v - v.mean((2, 3), keepdims=True)
    want = v / np.sqrt((v * v).mean((2, 3), keepdims=True) + 0.01) * gamma
    body = f"""  %g = ane.tile %1 {{reps = array<i64: 1, 4>}} : ({typ(gamma)}) -> tensor<5x4xf32>
  %r = ane.{op} %0 gamma %g {{axes = array<i64: 2, 3>, epsilon = 0.01 : f64}} : ({typ(x)}, tensor<5x4xf32>) -> {typ(x)}"""
    close(call(tmp_path, [x, gamma], body, [("%r", typ(x))]), want)


def test_one_kernel_for_values_in_two_orders_of_memory(rng, tmp_path):
    """A convolution keeps channels last; beside it, the same elements are read where they lie."""
    x = rng.standard_normal((1, 2, 1, 336)).astype(np.float32)
    w = rng.standard_normal((2, 2, 1, 1)).astype(np.float32)
    factor = rng.standard_normal((16, 1)).astype(np.float32)
    turned, shaped = "tensor<336x2x1x1xf32>", "tensor<7x3x16x2xf32>"
    body = f"""  %e = ane.tanh %0 : {typ(x)}
  %w = ane.const {dense(w)}
  %c = ane.conv %e, %w : ({typ(x)}, {typ(w)}) -> {typ(x)}
  %1 = ane.transpose %e {{perm = array<i64: 3, 1, 0, 2>}} : ({typ(x)}) -> {turned}
  %2 = ane.reshape %1 {{shape = array<i64: 7, 3, 16, 2>}} : ({turned}) -> {shaped}
  %3 = ane.transpose %c {{perm = array<i64: 3, 1, 0, 2>}} : ({typ(x)}) -> {turned}
  %4 = ane.reshape %3 {{shape = array<i64: 7, 3, 16, 2>}} : ({turned}) -> {shaped}
  %f = ane.const {dense(factor)}
  %5 = ane.mul %2, %f : {shaped}, {typ(factor)}
  %6 = ane.mul %4, %f : {shaped}, {typ(factor)}
  %r = ane.add %5, %6 : {shaped}, {shaped}"""
    got = call(tmp_path, [x], body, [("%r", shaped)])
    e = np.tanh(x.astype(np.float64))
    both = e + np.einsum("oi,nihw->nohw", w[:, :, 0, 0], e)
    close(got, both.transpose(3, 1, 0, 2).reshape(7, 3, 16, 2) * factor)


GRIDS = {"STRICT_ALIGN_CORNERS": lambda i, n, m: i * (n - 1) / max(m - 1, 1),
         "ALIGN_CORNERS": lambda i, n, m: i * (n - 1) / (m - 1) if m > 1 else (n - 1) / 2 + 0 * i,
         "DEFAULT": lambda i, n, m: i * n / m, "OFFSET_CORNERS": lambda i, n, m: (i + 0.5) * max(1, n - 1) / m,
         "UNALIGN_CORNERS": lambda i, n, m: (i + 0.5) * n / m - 0.5}


@pytest.mark.parametrize("mode", GRIDS)
@pytest.mark.parametrize("size", [(9, 4), (1, 7), (5, 14)])
def test_resize(rng, tmp_path, mode, size):
    x = rng.standard_normal((2, 3, 5, 7)).astype(np.float32)
    want = x.astype(np.float64)
    for axis, out in zip((2, 3), size):
        points = GRIDS[mode](np.arange(out), x.shape[axis], out)
        known = np.arange(x.shape[axis])
        want = np.apply_along_axis(lambda row: np.interp(points, known, row), axis, want)
    kind = typ(want.astype(np.float32))
    body = f"""  %r = "ane.resize_bilinear"(%0) {{target_size_height = {size[0]} : i64, target_size_width = {size[1]} : i64,
      sampling_mode = "{mode}"}} : ({typ(x)}) -> {kind}"""
    close(call(tmp_path, [x], body, [("%r", kind)]), want, 1e-6)


def test_resize_to_the_nearest_element(tmp_path):
    x = np.array([[[1, 2, np.inf, 4]]], np.float32)
    body = f"""  %r = "ane.resize_nearest_neighbor"(%0) {{target_size_height = 2 : i64, target_size_width = 6 : i64}} :
      ({typ(x)}) -> tensor<1x2x6xf32>"""
    got = call(tmp_path, [x], body, [("%r", "tensor<1x2x6xf32>")])
    assert np.array_equal(got, np.broadcast_to(np.array([1, 1, 2, np.inf, np.inf, 4], np.float32), (1, 2, 6)))
