"""Ops that move elements, at the edges of their parameters: the type that is inferred, the folder, the evaluation of constants
and the kernels of CPU code, each against NumPy; and what the importer makes of ONNX's, against ONNX Runtime."""
import ast
import re

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import anetest
import hostlib


def ints(*values):
    return f"array<i64{': ' if values else ''}{', '.join(map(str, values))}>"


def bools(*values):
    return f"array<i1: {', '.join(str(v).lower() for v in values)}>"


def number(value):
    return f"{value} : i64"


def slices(*bounds, **masks):
    """slice_by_index of [(begin, end, stride)]."""
    begin, end, stride = zip(*bounds)
    return dict(begin=ints(*begin), end=ints(*end), stride=ints(*stride), **masks)


LARGE = 2**62
# op, its parameters, the shape of x, what NumPy makes of it.
MOVEMENTS = [
    ("slice_by_index", slices((1, 4, 2), (-3, 6, 1)), (5, 6), lambda x: x[1:4:2, -3:6]),
    ("slice_by_index", slices((4, 0, -2), (-1, -7, -1)), (5, 6), lambda x: x[4:0:-2, ::-1]),
    ("slice_by_index", slices((-LARGE, LARGE, 1), (LARGE, -LARGE, -1)), (5, 6), lambda x: x[-LARGE:LARGE, LARGE:-LARGE:-1]),
    ("slice_by_index", slices((3, 3, 1), (0, 6, 1)), (5, 6), lambda x: x[3:3]),
    ("slice_by_index", slices((4, 2, 1), (2, 4, -1)), (5, 6), lambda x: x[4:2, 2:4:-1]),
    ("slice_by_index", slices((0, 5, LARGE), (5, -7, -LARGE)), (5, 6), lambda x: x[0:5:LARGE, 5:-7:-LARGE]),
    ("slice_by_index", slices((0, 0, -1), (3, 0, 2), begin_mask=bools(True, False), end_mask=bools(True, True)), (5, 6),
     lambda x: x[::-1, 3::2]),
    ("slice_by_index", slices((-2, 0, 1), (0, 6, 3), squeeze_mask=bools(True, False)), (5, 6), lambda x: x[-2, 0:6:3]),
    ("slice_by_index", slices((0, 0, 1), (0, 9, 1)), (0, 6), lambda x: x[0:0, 0:9]),
    ("slice_by_size", dict(begin=ints(-2, 1), size=ints(-1, 3)), (5, 6), lambda x: x[-2:, 1:4]),
    ("slice_by_size", dict(begin=ints(5, 0), size=ints(0, -1)), (5, 6), lambda x: x[5:5]),
    ("reshape", dict(shape=ints(-1, 5)), (2, 3, 5), lambda x: x.reshape(-1, 5)),
    ("reshape", dict(shape=ints(0, -1, 1)), (2, 3, 5), lambda x: x.reshape(2, 15, 1)),
    ("reshape", dict(shape=ints()), (1, 1), lambda x: x.reshape(())),
    ("reshape", dict(shape=ints(0, 7)), (3, 0, 2), lambda x: x.reshape(0, 7)),
    ("expand_dims", dict(axes=ints(-1, 0)), (2, 3), lambda x: x[None, ..., None]),
    ("squeeze", dict(axes=ints(-1)), (1, 2, 1), lambda x: x[..., 0]),
    ("squeeze", {}, (1, 2, 1), lambda x: x.squeeze()),
    ("flatten2d", dict(axis=number(-1)), (2, 3, 4), lambda x: x.reshape(6, 4)),
    ("flatten2d", dict(axis=number(3)), (2, 3, 4), lambda x: x.reshape(24, 1)),
    ("transpose", dict(perm=ints(2, 0, 1)), (2, 3, 4), lambda x: x.transpose(2, 0, 1)),
    ("reverse", dict(axes=ints(-1, 0)), (2, 3, 4), lambda x: x[::-1, :, ::-1]),
    ("reverse", {}, (2, 3, 4), lambda x: x[::-1, ::-1, ::-1]),
    ("reverse", dict(axes=ints()), (2, 3), lambda x: x),
    ("tile", dict(reps=ints(2, 1, 3)), (2, 3, 1), lambda x: np.tile(x, (2, 1, 3))),
    ("tile", dict(reps=ints(3, 2)), (1, 1), lambda x: np.tile(x, (3, 2))),
    ("sliding_windows", dict(axis=number(-1), size=number(3), stride=number(2)), (2, 8),
     lambda x: np.lib.stride_tricks.sliding_window_view(x, 3, -1)[:, ::2]),
    ("sliding_windows", dict(axis=number(0), size=number(4)), (4, 3),
     lambda x: np.lib.stride_tricks.sliding_window_view(x, 4, 0).transpose(0, 2, 1)),
    ("pad", dict(pad=ints(2, 0), constant_val="7.0 : f64"), (2, 3), lambda x: np.pad(x, [(0, 0), (2, 0)], constant_values=7)),
    ("pad", dict(pad=ints(0, 1, 1, 0)), (0, 2), lambda x: np.pad(x, [(0, 1), (1, 0)])),
    ("band_part", dict(lower=number(0), upper=number(1)), (3, 4), lambda x: np.tril(np.triu(x), 1)),
    ("depth_to_space", dict(block_size=number(2)), (1, 8, 2, 3),
     lambda x: x.reshape(1, 2, 2, 2, 2, 3).transpose(0, 3, 4, 1, 5, 2).reshape(1, 2, 4, 6)),
    ("space_to_depth", dict(block_size=number(2)), (1, 2, 4, 6),
     lambda x: x.reshape(1, 2, 2, 2, 3, 2).transpose(0, 3, 5, 1, 2, 4).reshape(1, 8, 2, 3)),
    ("pixel_shuffle", dict(upscale_factor=number(2)), (1, 8, 2, 3),
     lambda x: x.reshape(1, 2, 2, 2, 2, 3).transpose(0, 1, 4, 2, 5, 3).reshape(1, 2, 4, 6)),
    ("pixel_unshuffle", dict(downscale_factor=number(2)), (1, 2, 4, 6),
     lambda x: x.reshape(1, 2, 2, 2, 3, 2).transpose(0, 1, 3, 5, 2, 4).reshape(1, 8, 2, 3)),
    # Reductions name axes in the same ways; the empty list is no axis, and not all of them.
    ("reduce_sum", dict(axes=ints(-1, 0), keep_dims="true"), (2, 3, 4), lambda x: x.sum((0, 2), keepdims=True)),
    ("reduce_max", {}, (2, 3, 4), lambda x: x.max()),
    ("cumsum", dict(axis=number(-2), exclusive="true", reverse="true"), (3, 4),
     lambda x: x[::-1].cumsum(0)[::-1] - x),
]
# Not folded: ops without a rule for constants, which become kernels.
UNFOLDED = {"depth_to_space", "space_to_depth", "pixel_shuffle", "pixel_unshuffle"}


def tensor(array):
    return "tensor<" + "".join(f"{d}x" for d in array.shape) + "i32>"


def dense(array):
    return str(array.tolist()).replace("[]", "") if array.size else ""


def function(name, op, parameters, x, want, constant):
    text = ", ".join(f"{key} = {value}" for key, value in parameters.items())
    source = f"  %0 = ane.const dense<{dense(x)}> : {tensor(x)}\n" if constant else ""
    return (f"func.func @{name}({'' if constant else f'%0: {tensor(x)}'}) -> {tensor(want)} {{\n{source}"
            f"  %1 = \"ane.{op}\"(%0) <{{{text}}}> : ({tensor(x)}) -> {tensor(want)}\n  return %1 : {tensor(want)}\n}}\n")


@pytest.fixture(scope="module")
def cases():
    rng = np.random.default_rng(12)
    made = []
    for op, parameters, shape, reference in MOVEMENTS:
        x = rng.permutation(np.arange(-20, 4096))[:int(np.prod(shape))].reshape(shape).astype(np.int32)
        made.append((op, parameters, x, np.asarray(reference(x), np.int32)))
    return made


def test_kernels(tmp_path, cases):
    """At run time. That the text is read at all says that types are inferred as NumPy does."""
    library = hostlib.Library("".join(function(f"f{i}", *case, constant=False) for i, case in enumerate(cases)), tmp_path)
    for i, (op, parameters, x, want) in enumerate(cases):
        np.testing.assert_array_equal(library(f"f{i}", x), want, err_msg=f"{op} {parameters} of {x.shape}")


def test_constants(tmp_path, cases):
    """While the bundle is written."""
    library = hostlib.Library("".join(function(f"f{i}", *case, constant=True) for i, case in enumerate(cases)), tmp_path)
    for i, (op, parameters, x, want) in enumerate(cases):
        np.testing.assert_array_equal(library(f"f{i}"), want, err_msg=f"{op} {parameters} of {x.shape}")


def test_folder(tmp_path, cases):
    """In the IR, to one constant."""
    cases = [case for case in cases if case[0] not in UNFOLDED]
    source = tmp_path / "constants.mlir"
    source.write_text("".join(function(f"f{i}", *case, constant=True) for i, case in enumerate(cases)))
    functions = anetest.run("ane-opt", "--canonicalize", source).stdout.split("func.func @")[1:]
    assert len(functions) == len(cases)
    for (op, parameters, x, want), text in zip(cases, functions):
        ops = re.findall(r"ane\.\w+", text)
        assert ops == ["ane.const"], f"{op} {parameters} of {x.shape}: {text}"
        value = re.search(r"dense<(.*)> : tensor", text)[1]
        got = np.asarray(ast.literal_eval(value) if value else [], np.int32)
        np.testing.assert_array_equal(np.broadcast_to(got.reshape(()) if got.size == 1 else got.reshape(want.shape), want.shape),
                                      want, err_msg=f"{op} {parameters} of {x.shape}")


# op, attributes, the inputs behind x.
ONNX = [
    ("Slice", {}, [[-100], [100], [0], [3]]), ("Slice", {}, [[-1], [-100], [1], [-1]]), ("Slice", {}, [[100], [0], [1], [-2]]),
    ("Slice", {}, [[3, 1], [-1, LARGE], [-1, 0], [2, 1]]), ("Slice", {}, [[-100], [-100], [1], [-1]]),
    ("Reshape", {}, [[0, -1]]), ("Reshape", {}, [[-1]]), ("Reshape", {}, [[2, 0, 6, 1, -1]]),
    ("Flatten", {"axis": 0}, []), ("Flatten", {"axis": -1}, []), ("Flatten", {"axis": 3}, []),
    ("Expand", {}, [[2, 1, 1, 6]]), ("Expand", {}, [[1]]), ("Shape", {"start": -2}, []), ("Shape", {"start": 1, "end": -100}, []),
    ("Squeeze", {}, []), ("Unsqueeze", {}, [[-1, 0]]), ("Transpose", {}, []), ("Tile", {}, [[1, 2, 3]]),
    ("Softmax", {"axis": -2}, []), ("Hardmax", {"axis": 0}, []),
]


def test_onnx(tmp_path):
    shape = (4, 5, 6)
    nodes, initializers, outputs = [], [], []
    for i, (op, attributes, inputs) in enumerate(ONNX):
        names = [f"i{i}_{k}" for k in range(len(inputs))]
        initializers += [helper.make_tensor(name, TensorProto.INT64, [len(v)], v) for name, v in zip(names, inputs)]
        nodes.append(helper.make_node(op, ["x", *names], [f"y{i}"], **attributes))
        outputs.append(helper.make_tensor_value_info(f"y{i}", TensorProto.INT64 if op == "Shape" else TensorProto.FLOAT, None))
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)], outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    path = tmp_path / "m.onnx"
    onnx.save(model, path)
    x = np.random.default_rng(3).standard_normal(shape).astype(np.float32)
    names = [f"y{i}" for i in range(len(ONNX))]
    want = anetest.reference(model, {"x": x})
    anetest.compile_model(path, tmp_path / "m.anebundle")
    got = anetest.run_bundle(tmp_path / "m.anebundle", {"x": x}, names, tmp_path, "cpu")
    for name, (op, attributes, inputs) in zip(names, ONNX):
        value, message = want[name], f"{op} {attributes} {inputs}"
        assert got[name].shape == value.shape, message
        np.testing.assert_allclose(got[name], value, rtol=1e-6 if op == "Softmax" else 0, err_msg=message)


@pytest.mark.parametrize("op,inputs,says", [
    ("Reshape", [[-1, -1]], "shape [-1, -1] does not hold the input's 6 elements (one entry may be -1)"),
    ("Reshape", [[4, -1]], "shape [4, -1] does not hold the input's 6 elements"),
    ("Reshape", [[2**40, 2**40]], "does not hold the input's 6 elements"),
    ("Expand", [[2, 4]], "the input's shape [2, 3] can't be expanded to [2, 4]"),
    ("Expand", [[2, -3]], "can't be expanded to [2, -3]"),
    ("Slice", [[0], [1], [2], [1]], "axis 2 is outside [-2, 1]"),
])
def test_onnx_errors(tmp_path, op, inputs, says):
    names = [f"i{k}" for k in range(len(inputs))]
    graph = helper.make_graph(
        [helper.make_node(op, ["x", *names], ["y"])], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, (2, 3))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [helper.make_tensor(name, TensorProto.INT64, [len(v)], v) for name, v in zip(names, inputs)])
    path = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    anetest.rejected("ane-compile", path, "-o", tmp_path / "m.anebundle", says=says)
