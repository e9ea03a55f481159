"""Branches, loops, functions and sequences of ONNX models, against ONNX Runtime or values computed here."""
import numpy as np
import onnx
import pytest
from onnx import helper

import onnxcheck

RANDOM = np.random.default_rng(4)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


IF = """<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x, bool c) => (float[2,3] y) {
  z = Abs(x)
  y = If(c) <then_branch = t () => (float[2,3] a) { a = Relu(z) },
             else_branch = e () => (float[2,3] b) { b = Neg(x) }>
}"""


@pytest.mark.parametrize("condition", [True, False])
def test_if_at_run_time(condition, tmp_path):
    onnxcheck.check(onnxcheck.parse(IF), {"x": floats(2, 3), "c": np.array(condition)}, tmp_path)


def test_if_shapes_differ(tmp_path):
    text = IF.replace("b = Neg(x)", "k = Constant<value_ints = [1]>() b = ReduceSum(x, k)")
    onnxcheck.refused(onnxcheck.parse(text), tmp_path, "node 'y' (If)", "tensor<2x3xf32> or tensor<2x1xf32>")


LOOP = """<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x, bool go) => (float[2,3] last, float[4,2,3] all) <int64 trips = {4}, bool yes = {1}, float[2,3] start = {1,2,3,4,5,6}> {
  last, all = Loop(trips, yes, start) <body = b (int64 i, bool c, float[2,3] v) => (bool d, float[2,3] w, float[2,3] s) {
    d = Identity(c)
    f = Cast<to = 1>(i)
    u = Mul(v, x)
    w = Add(u, f)
    s = Tanh(w)
  }>
}"""


def test_loop(tmp_path):
    onnxcheck.check(onnxcheck.parse(LOOP.replace(", bool go", "")), {"x": floats(2, 3)}, tmp_path)


def test_loop_ends_by_constant_condition(tmp_path):
    text = LOOP.replace(", bool go", "").replace("{4}", "{1000000000}").replace(
        "d = Identity(c)", "three = Constant<value_int = 3>() d = Less(i, three)")
    onnxcheck.check(onnxcheck.parse(text), {"x": floats(2, 3)}, tmp_path)


@pytest.mark.parametrize("limit", [-100, 20, 50, 1e6])
def test_loop_ends_by_data(limit, tmp_path):
    text = """<ir_version: 8, opset_import: ["" : 17]>
    g (float[3] x, float limit) => (float[3] y) <int64 trips = {6}> {
      zero = Constant<value_float = 0.0>()
      first = Less(zero, limit)
      y = Loop(trips, first, x) <body = b (int64 i, bool c, float[3] v) => (bool d, float[3] w) {
        w = Mul(v, v)
        k = Constant<value_ints = [0]>()
        sum = ReduceSum<keepdims = 0>(w, k)
        d = Less(sum, limit)
      }>
    }"""
    x = np.array([1.5, 1.1, 0.3], np.float32)
    onnxcheck.check(onnxcheck.parse(text), {"x": x, "limit": np.array(limit, np.float32)}, tmp_path)


def test_loop_of_unknown_length(tmp_path):
    text = LOOP.replace("Loop(trips, yes, start)", "Loop(trips, go, start)")
    onnxcheck.refused(onnxcheck.parse(text), tmp_path, "node 'last' (Loop)", "scan output 's'")
    text = text.replace("Loop(trips,", "Loop(,")
    onnxcheck.refused(onnxcheck.parse(text), tmp_path, "node 'last' (Loop)", "constant condition or trip count")


def test_loop_is_too_long(tmp_path):
    text = LOOP.replace(", bool go", "").replace("{4}", "{1000000000}")
    onnxcheck.refused(onnxcheck.parse(text), tmp_path, "node 'last' (Loop)", "limit of 100000 nodes")


def test_loop_body_has_wrong_arity(tmp_path):
    text = LOOP.replace(", bool go", "").replace("yes, start", "yes, start, x")
    onnxcheck.refused(onnxcheck.parse(text), tmp_path, "node 'last' (Loop)")


SCAN = """<ir_version: 8, opset_import: ["" : OPSET]>
g (float[3] start, float[4,3] x, float[3,4] y) => (float[3] last, float[3,4] all, float[4,3] sums) {
  last, all, sums = Scan<num_scan_inputs = 2, scan_input_axes = [0, -1], scan_input_directions = [1, 0],
                         scan_output_axes = [1, 0], scan_output_directions = [0, 1],
                         body = b (float[3] s, float[3] a, float[3] b) => (float[3] t, float[3] o, float[3] p) {
    m = Mul(a, b)
    t = Add(s, m)
    o = Sub(t, a)
    p = Identity(t)
  }>(start, x, y)
}"""


@pytest.mark.parametrize("opset", [9, 17])
def test_scan(opset, tmp_path):
    model = onnxcheck.parse(SCAN.replace("OPSET", str(opset)))
    onnxcheck.check(model, {"start": floats(3), "x": floats(4, 3), "y": floats(3, 4)}, tmp_path)


def test_scan_with_batch(tmp_path):
    text = """<ir_version: 8, opset_import: ["" : 8]>
    g (float[2,3] start, float[2,4,3] x) => (float[2,3] last, float[2,4,3] all) {
      last, all = Scan<num_scan_inputs = 1, directions = [1], body = b (float[3] s, float[3] a) => (float[3] t, float[3] o) {
        t = Add(s, a)
        o = Mul(t, a)
      }>(, start, x)
    }"""
    onnxcheck.check(onnxcheck.parse(text), {"start": floats(2, 3), "x": floats(2, 4, 3)}, tmp_path)


FUNCTIONS = """<ir_version: 8, opset_import: ["" : 17, "local" : 1, "com.example" : 1]>
g (float[2,3] x) => (float[2,3] y, float[2,3] z) {
  y = local.Outer<slope: float = 0.25>(x)
  z = com.example.Magic(x, , y)
}
<domain: "local", opset_import: ["" : 17, "local" : 1>
Outer <slope> (a) => (b) {
  c = local.Inner<alpha: float = @slope>(a)
  one = Constant<value_int = 1>()
  yes = Cast<to = 9>(one)
  b = If(yes) <then_branch = t () => (float[2,3] d) { d = LeakyRelu<alpha: float = @slope>(c) },
               else_branch = e () => (float[2,3] d) { d = Neg(c) }>
}
<domain: "local", opset_import: ["" : 13>
Inner <alpha> (a) => (b) { x = Elu<alpha: float = @alpha>(a) b = Sub(x, a) }
<domain: "com.example", opset_import: ["" : 17>
Magic <unused> (a, b, c) => (d) { e = Clip(a, b, c) d = Softmax<axis: int = @unused>(e) }
"""


def test_functions(tmp_path):
    text = FUNCTIONS.replace(" : 17>", " : 17]>").replace(" : 1>", " : 1]>").replace(" : 13>", " : 13]>")
    text = text.replace("Clip(a, b, c)", "Add(a, c)")
    x = floats(2, 3)
    onnxcheck.check(onnxcheck.parse(text), {"x": x}, tmp_path)


def test_function_attribute_defaults(tmp_path):
    node = helper.make_node("LeakyRelu", ["a"], ["b"])
    node.attribute.append(onnx.AttributeProto(name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT))
    function = helper.make_function("local", "F", ["a"], ["b"], [node], [helper.make_opsetid("", 17)], [],
                                    [helper.make_attribute("slope", 0.5)])
    value = helper.make_tensor_value_info
    graph = helper.make_graph([helper.make_node("F", ["x"], ["y"], domain="local"),
                               helper.make_node("F", ["x"], ["z"], domain="local", slope=0.125)], "g",
                              [value("x", 1, [4])], [value("y", 1, [4]), value("z", 1, [4])])
    model = helper.make_model(graph, functions=[function], ir_version=9,
                              opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("local", 1)])
    onnxcheck.check(model, {"x": floats(4)}, tmp_path)


def test_function_calls_itself(tmp_path):
    text = """<ir_version: 8, opset_import: ["" : 17, "local" : 1]>
    g (float[2] x) => (float[2] y) { [call] y = local.A(x) }
    <domain: "local", opset_import: ["" : 17, "local" : 1]> A (a) => (b) { [inner] b = local.B(a) }
    <domain: "local", opset_import: ["" : 17, "local" : 1]> B (a) => (b) { [again] b = local.A(a) }"""
    onnxcheck.refused(onnxcheck.parse(text), tmp_path, "node 'call/inner/again' (A): function local.A calls itself")


def test_functions_explode(tmp_path):
    """Each function calls the next one twice: 2^40 nodes."""
    text = ['<ir_version: 8, opset_import: ["" : 17, "local" : 1]> g (float[2] x) => (float[2] y) { y = local.F0(x) }']
    for i in range(40):
        body = f"c = local.F{i + 1}(a) b = local.F{i + 1}(c)" if i < 39 else "b = Neg(a)"
        text.append(f'<domain: "local", opset_import: ["" : 17, "local" : 1]> F{i} (a) => (b) {{ {body} }}')
    onnxcheck.refused(onnxcheck.parse("\n".join(text)), tmp_path, "limit of 100000 nodes")


def test_functions_are_nested_deeply(tmp_path):
    text = ['<ir_version: 8, opset_import: ["" : 17, "local" : 1]> g (float[2] x) => (float[2] y) { y = local.F0(x) }']
    for i in range(2000):
        body = f"b = local.F{i + 1}(a)" if i < 1999 else "b = Neg(a)"
        text.append(f'<domain: "local", opset_import: ["" : 17, "local" : 1]> F{i} (a) => (b) {{ {body} }}')
    onnxcheck.refused(onnxcheck.parse("\n".join(text)), tmp_path, "nested more than 64 deep")


def test_unsupported_ops_inside(tmp_path):
    """Ops in branches, bodies and functions are listed, those behind other unsupported ops among them."""
    text = """<ir_version: 8, opset_import: ["" : 17, "local" : 1, "com.example" : 1]>
    g (float[2] x, bool c) => (float[2] y, float[2] z) <int64 trips = {3}, bool yes = {1}> {
      [branch] y = If(c) <then_branch = t () => (float[2] a) { [one] a = com.example.One(x) },
                          else_branch = e () => (float[2] b) { [two] b = com.example.Two(x) }>
      [loop] w = Loop(trips, yes, y) <body = b (int64 i, bool d, float[2] v) => (bool e, float[2] w) {
        e = Identity(d)
        [three] u = com.example.Three(v)
        [call] w = local.F(u)
      }>
      z = Relu(w)
    }
    <domain: "local", opset_import: ["" : 17, "com.example" : 1]> F (a) => (b) { [four] b = com.example.Four(a) }"""
    message = onnxcheck.refused(onnxcheck.parse(text), tmp_path, "4 ops are not supported", "'branch/then/one'",
                                "'branch/else/two'", "'loop/three'", "'loop/call/four'")
    assert "parts have errors" not in message


def test_sequences(tmp_path):
    text = """<ir_version: 8, opset_import: ["" : 17]>
    g (float[2,3] x, float[2,3] y) => (float[5,3] joined, int64 length, float[3] row, float[2,2,3] stacked)
    <int64 one = {1}, int64 last = {-1}, int64 trips = {2}, bool yes = {1}> {
      s = SequenceConstruct(x, y)
      pieces = SplitToSequence<axis = 0, keepdims = 0>(x)
      row = SequenceAt(pieces, last)
      stacked = ConcatFromSequence<axis = 1, new_axis = 1>(s)
      axes = Constant<value_ints = [0]>()
      wide = Unsqueeze(row, axes)
      t = SequenceInsert(s, wide, one)
      length = SequenceLength(t)
      e = SequenceEmpty()
      u = Loop(trips, yes, e) <body = b (int64 i, bool c, seq(float[2,3]) v) => (bool d, seq(float[2,3]) w) {
        d = Identity(c)
        k = SequenceAt(s, i)
        w = SequenceInsert(v, k)
      }>
      shorter = SequenceErase(u)
      z = SequenceAt(shorter, last)
      v = SequenceInsert(t, z)
      w = SequenceErase(v, last)
      joined = ConcatFromSequence<axis = 0>(w)
    }"""
    onnxcheck.check(onnxcheck.parse(text), {"x": floats(2, 3), "y": floats(2, 3)}, tmp_path)


def test_sequences_leave_no_trace(tmp_path):
    text = """<ir_version: 8, opset_import: ["" : 17]>
    g (float[2] x) => (seq(float[2]) s) { s = SequenceConstruct(x, x) }"""
    onnxcheck.refused(onnxcheck.parse(text), tmp_path, "output 's' is a sequence")
    text = """<ir_version: 8, opset_import: ["" : 17]>
    g (float[2] x) => (float[2] y) { s = SequenceConstruct(x, x) y = Relu(s) }"""
    onnxcheck.refused(onnxcheck.parse(text), tmp_path, "node 'y' (Relu): input 0 is a sequence")


def test_an_output_is_listed_once(tmp_path):
    onnxcheck.refused(onnxcheck.parse("""<ir_version: 8, opset_import: ["" : 17]>
        m (float[4] x) => (float[4] y, float[4] y) { y = Relu(x) }"""), tmp_path, "output 'y' is listed twice")


def test_names_without_nul(tmp_path):
    model = onnxcheck.parse("""<ir_version: 8, opset_import: ["" : 17]> m (float[4] x) => (float[4] y) { y = Relu(x) }""")
    model.graph.output[0].name = model.graph.node[0].output[0] = "y\0z"
    onnxcheck.refused(model, tmp_path, "holds a NUL byte")
