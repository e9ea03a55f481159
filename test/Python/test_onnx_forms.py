"""Forms of ops that ONNX's own tests lack, against ONNX Runtime."""
import numpy as np
import onnx
import pytest

import anetest
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


# ---- padding that repeats ---------------------------------------------------


@pytest.mark.parametrize("dtype", ["float", "int64"])
@pytest.mark.parametrize("pads", [[0, 0, 1, 2, 0, 0, 3, 1], [0, 1, 0, 4, 0, 0, 0, 5], [0, 0, -1, 0, 0, 0, 2, -2], [0, 0, 7, 0, 0, 0, 9, 0]])
def test_wrap_padding(pads, dtype, tmp_path):
    """Around, around an axis several times, and behind what a negative pad has cut off."""
    model = onnxcheck.parse(f"""<ir_version: 9, opset_import: ["": 19]>
        g ({dtype}[1,2,3,5] x) => ({dtype}[N,C,H,W] y) <int64[8] p = {{{','.join(map(str, pads))}}}>
        {{ y = Pad<mode = "wrap">(x, p) }}""")
    x = floats(1, 2, 3, 5) if dtype == "float" else RANDOM.integers(-99, 99, (1, 2, 3, 5))
    before, after = np.array(pads[:4]), np.array(pads[4:])
    kept = x[tuple(slice(max(-low, 0), size - max(-high, 0)) for low, high, size in zip(before, after, x.shape))]
    want = np.pad(kept, list(zip(np.maximum(before, 0), np.maximum(after, 0))), mode="wrap")
    onnxcheck.check_devices(model, {"x": x}, tmp_path, want=[want])
    if min(pads) >= 0 and max(pads) < 6:  # ONNX Runtime goes around once
        np.testing.assert_array_equal(list(anetest.reference(model, {"x": x}).values())[0], want)


def test_wrap_padding_without_elements(tmp_path):
    onnxcheck.refused(onnxcheck.parse("""<ir_version: 9, opset_import: ["": 19]>
        g (float[2,1] x) => (float[2,N] y) <int64[4] p = {0, 5000, 0, 0}> { y = Pad<mode = "wrap">(x, p) }"""), tmp_path,
                      "wrap padding of axis 1 by 5000 and 0", "more than 1024 times")


# ---- resizing integers ------------------------------------------------------


@pytest.mark.parametrize("sizes", [[1, 2, 6, 3], [1, 2, 12, 15], [1, 2, 3, 10]])
@pytest.mark.parametrize("form", ["uint8 linear 0", "int8 linear 0", "int32 linear 0", "uint8 linear 1", "int32 linear 1", "uint8 cubic 1", "int32 cubic 1",
                                  "uint8 nearest 0", "int32 nearest 0"])
def test_resizing_integers(form, sizes, tmp_path):
    """Interpolated values lose their fraction, with antialias they are rounded after each axis. Where the exact value is next to
    an integer or a half, sums in f32 as ONNX Runtime has them may fall on its other side."""
    dtype, mode, antialias = form.split()
    model = onnxcheck.parse(f"""<ir_version: 9, opset_import: ["": 19]>
        g ({dtype}[1,2,4,5] x) => ({dtype}[{','.join(map(str, sizes))}] y) <int64[4] s = {{{','.join(map(str, sizes))}}}>
        {{ y = Resize<mode = "{mode}", antialias = {antialias}>(x, , , s) }}""")
    x = RANDOM.integers(*(0, 256) if dtype == "uint8" else (-120, 120), (1, 2, 4, 5)).astype(dtype)
    onnxcheck.check_devices(model, {"x": x}, tmp_path, units=0 if "nearest" in form else 1)


def test_resized_integers_are_cut_off(tmp_path):
    """Doubled, where every sum is exact: towards zero, on both sides of it."""
    model = onnxcheck.parse("""<ir_version: 9, opset_import: ["": 19]>
        g (int8[1,2,4,8] x) => (int8[1,2,8,16] y) <float[4] s = {1,1,2,2}> { y = Resize<mode = "linear">(x, , s) }""")
    onnxcheck.check_devices(model, {"x": RANDOM.integers(-120, 120, (1, 2, 4, 8)).astype(np.int8)}, tmp_path)


def test_resizing_what_f64_can_not_hold(tmp_path):
    onnxcheck.refused(onnxcheck.parse("""<ir_version: 9, opset_import: ["": 19]>
        g (int64[1,1,4] x) => (int64[1,1,6] y) <int64[3] s = {1,1,6}> { y = Resize<mode = "linear">(x, , , s) }"""), tmp_path,
                      "interpolation of integers of 64 bits is not supported")


# ---- regions ----------------------------------------------------------------


@pytest.mark.parametrize("images", [1, 3])
@pytest.mark.parametrize("transform", ["half_pixel", "output_half_pixel"])
def test_regions_of_run_time(transform, images, tmp_path):
    """Without a sampling ratio the number of points of a bin depends on its region: small, large, outside, without extent."""
    model = onnxcheck.parse(f"""<ir_version: 8, opset_import: ["": 16]>
        g (float[{images},3,11,14] x, float[8,4] rois, int64[8] i) => (float[8,3,4,3] y)
        {{ y = RoiAlign<output_height = 4, output_width = 3, spatial_scale = 0.5,
                       coordinate_transformation_mode = "{transform}">(x, rois, i) }}""")
    rois = np.float32([[0, 0, 27, 21], [2, 3, 3, 4], [-9, -5, 40, 50], [10, 10, 10, 10], [5.5, 2.25, 19.1, 20.7], [50, 50, 60, 70],
                       [24, 18, 28, 22], [8, 9, 4, 3]])
    onnxcheck.check_devices(model, {"x": floats(images, 3, 11, 14), "rois": rois, "i": RANDOM.integers(0, images, 8)}, tmp_path)


def test_largest_values_of_regions_of_run_time(tmp_path):
    """With a sampling ratio they need no bound of their own; without one they are refused."""
    def model(ratio):
        return onnxcheck.parse(f"""<ir_version: 8, opset_import: ["": 16]>
            g (float[1,3,11,14] x, float[3,4] rois, int64[3] i) => (float[3,3,4,3] y)
            {{ y = RoiAlign<output_height = 4, output_width = 3, mode = "max", sampling_ratio = {ratio}>(x, rois, i) }}""")

    rois = np.float32([[0, 0, 9, 8], [2, 3, 3, 4], [-9, -5, 20, 30]])
    onnxcheck.check_devices(model(2), {"x": floats(1, 3, 11, 14), "rois": rois, "i": np.zeros(3, np.int64)}, tmp_path)
    onnxcheck.refused(model(0), tmp_path, "mode 'max' with sampling_ratio 0 takes as many points as a region has elements",
                      "remedy: export with a sampling_ratio of 1 or more or with mode 'avg'")


# ---- sparse constants -------------------------------------------------------


def sparse(values, indices, dims, name=""):
    return onnx.helper.make_sparse_tensor(onnx.numpy_helper.from_array(np.asarray(values), name),
                                          onnx.numpy_helper.from_array(np.asarray(indices, np.int64)), dims)


def sparse_model(tensor, dtype="float"):
    model = onnxcheck.parse(f"""<ir_version: 8, opset_import: ["": 17]>
        g ({dtype}[3,40] x) => ({dtype}[3,40] y) {{ y = Add(x, w) }}""")
    model.graph.sparse_initializer.append(tensor)
    return model


@pytest.mark.parametrize("dtype", ["float32", "float16", "int64", "int8"])
@pytest.mark.parametrize("linear", [True, False])
def test_sparse_initializers(linear, dtype, tmp_path):
    """Small ones, and those whose values stand in the file."""
    for count in (5, 300):
        places = np.sort(RANDOM.permutation(3 * 400)[:count])
        values = RANDOM.integers(1, 9, count).astype(dtype)
        want = np.zeros(1200, dtype)
        want[places] = values
        indices = places if linear else np.stack(np.unravel_index(places, (3, 400)), 1)
        kind = {"float32": "float"}.get(dtype, dtype)
        model = onnxcheck.parse(f"""<ir_version: 8, opset_import: ["": 17]>
            g ({kind}[3,400] x) => ({kind}[3,400] y) {{ y = Add(x, w) }}""")
        model.graph.sparse_initializer.append(sparse(values, indices, [3, 400], "w"))
        x = RANDOM.integers(-9, 9, (3, 400)).astype(dtype)
        onnxcheck.check_devices(model, {"x": x}, tmp_path, want=[x + want.reshape(3, 400)])


def test_sparse_constants(tmp_path):
    node = onnx.helper.make_node("Constant", [], ["w"], sparse_value=sparse(np.float32([2, 3]), [1, 79], [2, 40]))
    graph = onnx.helper.make_graph([node, onnx.helper.make_node("Mul", ["x", "w"], ["y"])], "g",
                                   [onnx.helper.make_tensor_value_info("x", 1, [2, 40])],
                                   [onnx.helper.make_tensor_value_info("y", 1, [2, 40])])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    onnxcheck.check_devices(model, {"x": floats(2, 40)}, tmp_path)


@pytest.mark.parametrize("tensor, says", [
    (sparse(np.float32([1]), [3], [1 << 20, 1 << 10], "w"), "takes 4294967296 bytes when it is dense; limit: 268435456"),
    (sparse(np.float32([1]), [120], [3, 40], "w"), "index 120 of value 0 is outside of 120"),
    (sparse(np.float32([1]), [-1], [3, 40], "w"), "index -1 of value 0"),
    (sparse(np.float32([1]), [[1, 40]], [3, 40], "w"), "index 40 of value 0 is outside of 40"),
    (sparse(np.float32([1]), [-1], [3, 40], "w"), "remedy: give indices from 0 to 119"),
    (sparse(np.float32([1, 2, 3]), [65, 65, 70], [3, 40], "w"), "indices of value 1 do not ascend: its place is element 65, that of "
                                                              "the value before is 65; remedy: sort the values"),
    (sparse(np.float32([1, 2]), [[1, 2], [0, 39]], [3, 40], "w"), "indices of value 1 do not ascend: its place is element 39"),
    (sparse(np.float32([1, 2]), [1], [3, 40], "w"), "its indices are no int64[2] or int64[2, 2]"),
    (sparse(np.float32([1]), [[1, 2, 3]], [3, 40], "w"), "its indices are no int64[1] or int64[1, 2]"),
])
def test_damaged_sparse_initializers(tensor, says, tmp_path):
    onnxcheck.refused(sparse_model(tensor), tmp_path, "initializer 'w' is sparse", says)
