"""NonZero, NonMaxSuppression and Split on data of run time: ONNX Runtime gives what is found, Anemone the same in a tensor with room for the most."""
import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import TensorProto, helper, numpy_helper

import anetest


def model(nodes, inputs, outputs, constants=()):
    graph = helper.make_graph(
        nodes, "bounded", [helper.make_tensor_value_info(n, t, s) for n, t, s in inputs],
        [helper.make_tensor_value_info(n, t, s) for n, t, s in outputs],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in dict(constants).items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def outputs_of(made, inputs, directory, device="cpu"):
    onnx.save(made, directory / "m.onnx")
    anetest.compile_model(directory / "m.onnx", directory / "m.anebundle")
    want = anetest.reference(made, inputs)
    got = anetest.run_bundle(directory / "m.anebundle", inputs, list(want), directory / device, device)
    return got, want


def check(got, want, axis, room):
    """What is found comes first, -1 after it."""
    found = want.shape[axis]
    assert got.shape[axis] == room
    np.testing.assert_array_equal(np.take(got, range(found), axis), want)
    assert (np.take(got, range(found, room), axis) == -1).all()


@pytest.mark.parametrize("device", ["cpu", "emulator"])
@pytest.mark.parametrize("share", [0, 0.4, 1])
@pytest.mark.parametrize("shape,dtype", [((7,), np.float32), ((3, 4), np.int64), ((2, 3, 5), np.float32), ((4, 1, 3), np.bool_),
                                         ((3, 3), np.float16)])
def test_nonzero(shape, dtype, share, device, tmp_path):
    rng = np.random.default_rng(5)
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    # Too small for fp16: it must not become 0 on the way.
    values = np.where(rng.random(shape) < 0.5, 1e-30, -3) if dtype == np.float32 else rng.integers(1, 5, shape)
    x = np.where(rng.random(shape) < share, values, 0).astype(dtype)
    made = model([helper.make_node("NonZero", ["x"], ["y"])], [("x", kind, shape)], [("y", TensorProto.INT64, [len(shape), "n"])])
    got, want = outputs_of(made, {"x": x}, tmp_path, device)
    check(got["y"], want["y"], 1, x.size)


def test_declared_size_is_kept(tmp_path):
    x = np.array([[1, 0, 2], [0, 3, 4]], np.float32)
    made = model([helper.make_node("NonZero", ["x"], ["y"])], [("x", TensorProto.FLOAT, [2, 3])], [("y", TensorProto.INT64, [2, 4])])
    got, want = outputs_of(made, {"x": x}, tmp_path)
    np.testing.assert_array_equal(got["y"], want["y"])


def boxes_and_scores(batches, classes, count, seed=0, centred=False):
    rng = np.random.default_rng(seed)
    centres = np.repeat(rng.random((batches, -(-count // 4), 2)), 4, axis=1)[:, :count] + rng.normal(0, 0.02, (batches, count, 2))
    sizes = rng.uniform(0.1, 0.3, (batches, count, 2))
    boxes = np.concatenate([centres, sizes], 2) if centred else np.concatenate([centres - sizes / 2, centres + sizes / 2], 2)
    if not centred:  # ONNX allows any two opposite corners.
        boxes[:, ::3] = boxes[:, ::3][..., [2, 1, 0, 3]]
    scores = np.round(rng.random((batches, classes, count)), 2)  # with ties
    return {"boxes": boxes.astype(np.float32), "scores": scores.astype(np.float32)}


def suppression(batches, classes, count, limit, attributes, nodes=(), outputs=None, constants=()):
    node = helper.make_node("NonMaxSuppression", ["boxes", "scores", "limit", "overlap", "lowest"], ["selected"], **attributes)
    given = {"limit": np.int64([limit]), "overlap": np.float32([0.4]), "lowest": np.float32([0.3]), **dict(constants)}
    return model([node, *nodes], [("boxes", TensorProto.FLOAT, [batches, count, 4]), ("scores", TensorProto.FLOAT, [batches, classes, count])],
                 outputs or [("selected", TensorProto.INT64, ["n", 3])], given)


@pytest.mark.parametrize("centred", [0, 1])
@pytest.mark.parametrize("batches,classes,count,limit", [(1, 1, 6, 3), (2, 3, 40, 5), (1, 2, 300, 300), (1, 2, 25, 2**62)])
def test_non_max_suppression(batches, classes, count, limit, centred, tmp_path):
    made = suppression(batches, classes, count, limit, {"center_point_box": centred})
    got, want = outputs_of(made, boxes_and_scores(batches, classes, count, centred=bool(centred)), tmp_path)
    assert 0 < len(want["selected"]) <= batches * classes * min(limit, count)
    check(got["selected"], want["selected"], 0, batches * classes * min(limit, count))


def test_what_exporters_append(tmp_path):
    """Boxes, scores and classes of the selected, joined: a detector's usual end."""
    nodes = [helper.make_node("Slice", ["selected", "two", "three", "one"], ["box3"]),
             helper.make_node("Squeeze", ["box3", "one"], ["box"]),
             helper.make_node("Gather", ["boxes2", "box"], ["kept"], axis=0),
             helper.make_node("Squeeze", ["boxes", "zero"], ["boxes2"]),
             helper.make_node("Cast", ["selected"], ["f"], to=TensorProto.FLOAT),
             helper.make_node("Transpose", ["selected"], ["columns"], perm=[1, 0]),
             helper.make_node("Gather", ["columns", "row"], ["kind"], axis=0),
             helper.make_node("Mul", ["kept", "scale"], ["scaled"]),
             helper.make_node("Concat", ["scaled", "f"], ["y"], axis=1)]
    nodes = [nodes[3], *nodes[:3], *nodes[4:]]
    constants = {"zero": np.int64([0]), "one": np.int64([1]), "two": np.int64([2]), "three": np.int64([3]), "row": np.int64(1),
                 "scale": np.float32([640])}
    made = suppression(1, 2, 30, 20, {}, nodes, [("y", TensorProto.FLOAT, ["n", 7]), ("kind", TensorProto.INT64, ["n"])], constants)
    got, want = outputs_of(made, boxes_and_scores(1, 2, 30, seed=4), tmp_path)
    found = len(want["y"])
    assert got["y"].shape == (40, 7) and 0 < found < 40
    np.testing.assert_allclose(got["y"][:found], want["y"], rtol=1e-6)
    check(got["kind"], want["kind"], 0, 40)


@pytest.mark.parametrize("node", [helper.make_node("ReduceSum", ["selected"], ["y"]), helper.make_node("Shape", ["selected"], ["y"]),
                                  helper.make_node("Concat", ["selected", "selected"], ["y"], axis=0),
                                  helper.make_node("TopK", ["selected", "limit"], ["y", "i"], axis=0),
                                  helper.make_node("NonZero", ["selected"], ["y"])])
def test_what_mixes_rows_is_refused(node, tmp_path):
    made = suppression(1, 2, 30, 8, {}, [node], [("y", TensorProto.INT64, None)])
    onnx.save(made, tmp_path / "m.onnx")
    anetest.rejected("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle",
                     says=["'selected' has room for 16 entries", "NonMaxSuppression", "remedy"])


def test_the_room_is_said(tmp_path):
    onnx.save(suppression(1, 2, 30, 8, {}), tmp_path / "m.onnx")
    done = anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle")
    assert "warning: output 'selected' has room for 16 entries along axis 0" in done.stderr


@pytest.mark.parametrize("device", ["cpu", "emulator"])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_])
@pytest.mark.parametrize("sizes", [[2, 0, 5], [7, 0, 0], [1, 3, 3]])
def test_split(sizes, dtype, device, tmp_path):
    """Each part has room for all, and 0 behind its end."""
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    made = model([helper.make_node("Neg" if dtype != np.bool_ else "Not", ["x"], ["n"]),
                  helper.make_node("Split", ["n", "sizes"], ["a", "b", "c"], axis=1), helper.make_node("Identity", ["a"], ["d"])],
                 [("x", kind, [2, 7, 3]), ("sizes", TensorProto.INT64, [3])], [(name, kind, [2, name, 3]) for name in "dbc"])
    x = np.random.default_rng(2).integers(-5, 6, (2, 7, 3)).astype(dtype)
    got, want = outputs_of(made, {"x": x, "sizes": np.int64(sizes)}, tmp_path, device)
    for name, part in want.items():
        assert got[name].shape == (2, 7, 3)
        np.testing.assert_array_equal(got[name][:, :part.shape[1]], part)
        assert (got[name][:, part.shape[1]:] == 0).all()


def test_split_of_what_has_room_is_refused(tmp_path):
    """A value has one axis with room, and sizes have none."""
    nodes = [helper.make_node("NonZero", ["x"], ["found"]), helper.make_node("Split", ["found", "sizes"], ["a", "b"], axis=0)]
    made = model(nodes, [("x", TensorProto.FLOAT, [3, 3]), ("sizes", TensorProto.INT64, [2])], [("a", TensorProto.INT64, None)])
    onnx.save(made, tmp_path / "m.onnx")
    anetest.rejected("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", says=["'found' has room for 9 entries", "NonZero"])
    made = model([helper.make_node("Split", ["x", "sizes"], ["a", "b"], axis=0)],
                 [("x", TensorProto.FLOAT, [3, 3]), ("sizes", TensorProto.INT64, [3])], [("a", TensorProto.FLOAT, None)])
    onnx.save(made, tmp_path / "m.onnx")
    anetest.rejected("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", says=["one size for each of the 2 outputs"])


def split_in_two(outputs, nodes=(), inputs=()):
    return model([*nodes, helper.make_node("Split", ["x", "sizes"], ["a", "b"], "cut", axis=0)],
                 [("x", TensorProto.FLOAT, [7, 2]), ("sizes", TensorProto.INT64, [2]), *inputs],
                 [(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()])


def run_fails(made, inputs, tmp_path, device, says):
    anetest.compile_model(made, tmp_path / "m.anebundle")
    for name, value in inputs.items():
        np.save(tmp_path / f"{name}.npy", value)
    given = [word for name in inputs for word in ("--input", f"{name}={tmp_path / name}.npy")]
    anetest.rejected("ane-run", tmp_path / "m.anebundle", f"--device={device}", *given, "--output-dir", tmp_path / "out", says=says)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("device", ["cpu", "emulator"])
@pytest.mark.parametrize("sizes,found", [([3, 3], "3, 3"), ([4, 4], "4, 4"), ([-1, 8], "-1, 8"), ([0, 0], "0, 0"),
                                         ([-2**63, -2**63], "-9223372036854775808, -9223372036854775808"),
                                         ([2**62, 2**62], "4611686018427387904, 4611686018427387904")])
def test_sizes_that_do_not_make_up_the_axis(sizes, found, device, tmp_path):
    onnx.save(split_in_two({"a": ["n", 2], "b": ["m", 2]}), tmp_path / "m.onnx")
    run_fails(tmp_path / "m.onnx", {"x": np.ones((7, 2), np.float32), "sizes": np.int64(sizes)}, tmp_path, device,
              ["node 'cut' (Split), sizes of the parts of axis 0: is " + found + ", must be from 0 to 7 each, and 7 together"])


def test_sizes_that_are_computed(tmp_path):
    """Not an input that the runtime sees: 1 more than was given."""
    made = model([helper.make_node("Add", ["given", "one"], ["sizes"]), helper.make_node("Split", ["x", "sizes"], ["a", "b"], "cut", axis=0)],
                 [("x", TensorProto.FLOAT, [7, 2]), ("given", TensorProto.INT64, [2])],
                 [("a", TensorProto.FLOAT, ["n", 2]), ("b", TensorProto.FLOAT, ["m", 2])], {"one": np.int64([1, 0])})
    x = np.arange(14, dtype=np.float32).reshape(7, 2)
    got, want = outputs_of(made, {"x": x, "given": np.int64([2, 4])}, tmp_path)
    np.testing.assert_array_equal(got["a"][:3], want["a"])
    run_fails(tmp_path / "m.onnx", {"x": x, "given": np.int64([3, 4])}, tmp_path, "cpu", ["is 4, 4, must be"])


def test_a_part_beyond_its_declared_size(tmp_path):
    made = split_in_two({"a": [4, 2], "b": ["m", 2]})
    x = np.arange(14, dtype=np.float32).reshape(7, 2)
    got, want = outputs_of(made, {"x": x, "sizes": np.int64([4, 3])}, tmp_path)
    np.testing.assert_array_equal(got["a"], want["a"])
    run_fails(tmp_path / "m.onnx", {"x": x, "sizes": np.int64([5, 2])}, tmp_path, "cpu",
              ["output 'a', entries that node 'cut' (Split) gives: is 5, must be from 0 to 4"])


@pytest.mark.parametrize("op", ["NonZero", "NonMaxSuppression"])
def test_more_entries_than_are_declared(op, tmp_path):
    if op == "NonZero":
        made = model([helper.make_node("NonZero", ["x"], ["y"], "find")], [("x", TensorProto.FLOAT, [2, 3])], [("y", TensorProto.INT64, [2, 4])])
        inputs, found = {"x": np.ones((2, 3), np.float32)}, 6
    else:
        made = suppression(1, 2, 30, 8, {}, outputs=[("selected", TensorProto.INT64, [2, 3])])
        inputs = boxes_and_scores(1, 2, 30)
        found = len(anetest.reference(suppression(1, 2, 30, 8, {}), inputs)["selected"])
    onnx.save(made, tmp_path / "m.onnx")
    run_fails(tmp_path / "m.onnx", inputs, tmp_path, "cpu", [f"gives: is {found}, must be from 0 to"])


@pytest.mark.parametrize("chosen", [True, False])
def test_sizes_in_a_branch_count_where_it_is_taken(chosen, tmp_path):
    def branch(name, node):
        return helper.make_graph([node], name, [], [helper.make_tensor_value_info(node.output[0], TensorProto.FLOAT, None)])
    then = branch("then", helper.make_node("Split", ["x", "sizes"], ["a", "b"], "cut", axis=0))
    other = branch("else", helper.make_node("Neg", ["x"], ["c"]))
    made = model([helper.make_node("If", ["which"], ["y"], then_branch=then, else_branch=other)],
                 [("x", TensorProto.FLOAT, [7, 2]), ("sizes", TensorProto.INT64, [2]), ("which", TensorProto.BOOL, [])],
                 [("y", TensorProto.FLOAT, [7, 2])])
    x = np.arange(14, dtype=np.float32).reshape(7, 2)
    onnx.save(made, tmp_path / "m.onnx")
    inputs = {"x": x, "sizes": np.int64([9, 9]), "which": np.bool_(chosen)}
    if chosen:
        return run_fails(tmp_path / "m.onnx", inputs, tmp_path, "cpu", ["node 'y/then/cut' (Split), sizes"])
    anetest.compile_model(tmp_path / "m.onnx", tmp_path / "m.anebundle")
    np.testing.assert_array_equal(anetest.run_bundle(tmp_path / "m.anebundle", inputs, ["y"], tmp_path, "cpu")["y"], -x)


def in_graphs(statements, outputs="int64[2,n] y", inputs="float[3,4] a, float[3,4] b, bool which"):
    """A model whose nodes hold graphs, as text."""
    return onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["": 17]>
        m ({inputs}) => ({outputs}) {{
          full = Constant <value = int64[2, 12] {{ {", ".join(map(str, range(24)))} }}> ()
          four = Constant <value = int64 {{4}}> ()
          {statements}
        }}""")


def either(then, other):
    return f"y = If (which) <then_branch = t () => (p) {{ {then} }}, else_branch = e () => (q) {{ {other} }}>"


FOUND = np.eye(3, 4, dtype=np.float32), np.tri(3, 4, dtype=np.float32)
ROOM = "p = NonZero (a)", "q = NonZero (b)"
CARRIED = "y = Loop (four, which, full) <body = g (int64 i, bool on, x) => (again, p) { p = NonZero (a) again = And (on, which) }>"


@pytest.mark.parametrize("which", [True, False])
@pytest.mark.parametrize("statements,sizes", [(either(*ROOM), (3, 6)), (either(ROOM[0], "q = Identity (full)"), (3, 12)),
                                              (either("p = Identity (full)", ROOM[1]), (12, 6)), (CARRIED, (3, 12))])
def test_one_of_two_sizes(statements, sizes, which, tmp_path):
    """What is chosen at run time is as large as what was chosen."""
    inputs = {"a": FOUND[0], "b": FOUND[1], "which": np.array(which)}
    got, want = outputs_of(in_graphs(statements), inputs, tmp_path)
    assert want["y"].shape[1] == sizes[not which]
    check(got["y"], want["y"], 1, 12)
    # Where the model says how large, other sizes are errors of the run.
    onnx.save(in_graphs(statements, "int64[2, 3] y"), tmp_path / "m.onnx")
    if sizes[not which] > 3:
        kind = "Loop" if statements is CARRIED else "If"
        return run_fails(tmp_path / "m.onnx", inputs, tmp_path, "cpu",
                         [f"output 'y', entries that node 'y' ({kind}) gives: is {sizes[not which]}, must be from 0 to 3"])
    anetest.compile_model(tmp_path / "m.onnx", tmp_path / "n.anebundle")
    np.testing.assert_array_equal(anetest.run_bundle(tmp_path / "n.anebundle", inputs, ["y"], tmp_path, "cpu")["y"], want["y"])


KEPT_APART = "does not keep them apart; remedy: make what it gives an output"
MIXED = {
    "rows of a branch": (in_graphs(either(*ROOM) + "z = ReduceSum (y)", "int64 z"),
                         ["input 'y' has room for 12 entries", "node 'y' (If) gives", KEPT_APART]),
    "axes": (in_graphs(either("p = NonZero (c)", "z = NonZero (c) q = Transpose (z)"), inputs="float[2,1] c, bool which"),
             ["'y/then/p' (NonZero) gives, along axis 1", "'y/else/z' (NonZero) gives, along axis 0", "remedy"]),
    "fillers": (in_graphs(either("z = NonZero (c) p = Squeeze (z)", "q, r = Split <axis = 0> (c, sizes)"), "int64[n] y",
                          "int64[7] c, int64[2] sizes, bool which"), ["with -1 behind it, or", "with 0 behind it", "remedy"]),
    "iterations of a loop": (in_graphs("y = Loop (four, ) <body = g (int64 i, bool on) => (on, p) { p = NonZero (a) }>", "int64[n,2,m] y"),
                             ["scan output 'p' has room for 12 entries", "'y/0/p' (NonZero) gives, and stacking iterations " + KEPT_APART]),
    "iterations of a scan": (in_graphs("y = Scan <num_scan_inputs = 1, body = g (row) => (p) { p = NonZero (row) }> (a)", "int64[n,1,m] y"),
                             ["scan output 'p' has room for 4 entries", KEPT_APART]),
    "the condition of a loop": (in_graphs("y = Loop (four, which, full) <body = g (int64 i, bool on, x) => (again, p) "
                                          "{ p = Neg (x) one = Constant <value = int64[1] {0}> () z = ReduceMax <keepdims = 0> (a) u = Unsqueeze (z, one) s = NonZero (u) "
                                          "again = Cast <to = 9> (s) }>"),
                                ["the condition after iteration 0 has room for 1 entries", "a loop " + KEPT_APART])}


@pytest.mark.parametrize("made,says", MIXED.values(), ids=MIXED)
def test_sizes_that_meet_are_refused(made, says, tmp_path):
    onnx.save(made, tmp_path / "m.onnx")
    anetest.rejected("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", says=says)
