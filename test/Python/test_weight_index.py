"""The index of weights tells how the model's file holds them: type and shape are those of the elements, whatever they are packed in."""
import struct

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import TensorProto, helper, numpy_helper

import anetest
import bundlelib
from test_gguf import convert
from test_language_models import made  # noqa: F401  a fixture
from test_set_weight import index


def refused(bundle, name, array, reason):
    with bundlelib.Bundle(bundle, "cpu") as session, pytest.raises(bundlelib.RunError, match=reason):
        session.set_weight(name, array)


def test_blocks_of_a_gguf_file(made, tmp_path):  # noqa: F811
    path = convert(made / "llama-tied", tmp_path / "m.gguf", blocks="Q4_1")
    anetest.run("ane-compile", path, "-o", tmp_path / "m.anebundle", "--quiet", "--context=16", "--tokenizer=none")
    weights = index(tmp_path / "m.anebundle")
    matrices = {name: weight for name, weight in weights.items() if len(weight["shape"]) == 2}
    assert len(matrices) > 10
    assert {(weight["dtype"], weight["encoding"]) for weight in matrices.values()} == {("float32", "q4_1")}
    assert matrices["token_embd.weight"]["shape"] == [160, 64] and matrices["blk.0.ffn_down.weight"]["shape"] == [64, 96]
    assert all("fixed" in form for weight in matrices.values() for form in weight["stored"])
    assert all(weight["encoding"] == "dense" for name, weight in weights.items() if name not in matrices)
    with bundlelib.Bundle(tmp_path / "m.anebundle", "cpu", function="decode") as session, \
            pytest.raises(bundlelib.RunError, match="cannot be set: .*constexpr_blocks"):
        session.set_weight("token_embd.weight", np.zeros((160, 64), np.float32))


@pytest.mark.parametrize("kind", ["INT4", "UINT4"])
def test_elements_of_four_bits(kind, tmp_path):
    values = np.random.default_rng(3).integers(0 if kind == "UINT4" else -8, 8, (64, 96)).astype(np.int8)
    packed = (values.reshape(-1, 2) & 15) @ np.array([1, 16])
    weight = helper.make_tensor("w", TensorProto.DataType.Value(kind), values.shape, packed.astype(np.uint8).tobytes(), raw=True)
    scales = np.linspace(0.01, 0.1, 96, dtype=np.float32)
    nodes = [helper.make_node("DequantizeLinear", ["w", "scales"], ["d"], axis=1), helper.make_node("MatMul", ["x", "d"], ["y"])]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 64])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4, 96])],
                              [weight, numpy_helper.from_array(scales, "scales")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), tmp_path / "m.onnx")
    anetest.compile_model(tmp_path / "m.onnx", tmp_path / "m.anebundle")
    entry = index(tmp_path / "m.anebundle")["w"]
    wide = np.int8 if kind == "INT4" else np.uint8
    assert (entry["dtype"], entry["shape"], entry["encoding"]) == (np.dtype(wide).name, [64, 96], kind.lower())
    assert entry["stored"] and all("fixed" in form for form in entry["stored"])
    refused(tmp_path / "m.anebundle", "w", values.astype(wide), "weight w: cannot be set: ")
    x = np.random.default_rng(4).standard_normal((4, 64)).astype(np.float32)
    with bundlelib.Bundle(tmp_path / "m.anebundle", "cpu") as session:
        np.testing.assert_allclose(session({"x": x})[0], x @ (values * scales), rtol=0, atol=1e-4)


HEAD = '<ir_version: 8, opset_import: ["": 17]> g '
WEIGHT = np.random.default_rng(6).standard_normal((64, 96)).astype(np.float32)


def constant_node(name, array):
    return helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array, f"{name}.value"))


def products(bundle, x, *choices, weights=None):
    """y for each choice, once the weights have these values."""
    with bundlelib.Bundle(bundle, "cpu") as session:
        for name, array in (weights or {}).items():
            session.set_weight(name, array)
        return [session({"x": x, **choice})[0] for choice in choices]


def test_constant_nodes(tmp_path):
    """They are called as their outputs, also where a function of the model has them; equal ones are one."""
    model = onnx.parser.parse_model(HEAD + "(float[8,64] x) => (float[8,96] y) { a = MatMul(x, w)  b = MatMul(x, v)  y = Add(a, b) }")
    model.graph.node.insert(0, constant_node("w", WEIGHT))
    model.graph.node.insert(1, constant_node("v", WEIGHT + 1))
    onnx.save(model, tmp_path / "m.onnx")
    bundle = tmp_path / "m.anebundle"
    anetest.compile_model(tmp_path / "m.onnx", bundle)
    assert {name: (entry["shape"], entry["encoding"]) for name, entry in index(bundle).items()} == dict.fromkeys("vw", ([64, 96], "dense"))
    x, other = np.eye(8, 64, dtype=np.float32), WEIGHT[:, ::-1].copy()
    np.testing.assert_allclose(products(bundle, x, {}, weights={"w": other})[0], (other + WEIGHT + 1)[:8], rtol=0, atol=1e-5)
    model.graph.node[1].CopyFrom(constant_node("v", WEIGHT))
    onnx.save(model, tmp_path / "m.onnx")
    anetest.compile_model(tmp_path / "m.onnx", tmp_path / "equal.anebundle")
    equal = index(tmp_path / "equal.anebundle")
    assert equal["w"]["stored"][0]["offset"] == equal["v"]["stored"][0]["offset"] and "same bytes" in equal["w"]["stored"][0]["fixed"]


@pytest.mark.parametrize("form", ["initializers", "nodes"])
def test_one_name_in_two_branches(form, tmp_path):
    """Each has its own name where the bytes differ; one name never means a part of what is called so."""
    x = np.eye(8, 64, dtype=np.float32)
    choices = [{"c": np.array(c)} for c in (True, False)]

    def compiled(folder, *values):
        model = onnx.parser.parse_model(HEAD + """(float[8,64] x, bool c) => (float[8,96] y) { y = If(c)
            <then_branch = t () => (float[8,96] a) { a = MatMul(x, w) }, else_branch = e () => (float[8,96] b) { b = MatMul(x, w) }> }""")
        for attribute, array in zip(model.graph.node[0].attribute, values, strict=True):
            if form == "nodes":
                attribute.g.node.insert(0, constant_node("w", array))
            else:
                attribute.g.initializer.append(numpy_helper.from_array(array, "w"))
        folder.mkdir()
        onnx.save(model, folder / "m.onnx")
        anetest.compile_model(folder / "m.onnx", folder / "m.anebundle")
        return folder / "m.anebundle"

    other, new = WEIGHT[:, ::-1].copy(), WEIGHT + 1
    bundle = compiled(tmp_path / "different", WEIGHT, other)
    assert set(index(bundle)) == {"y/then/w", "y/else/w"}
    refused(bundle, "w", new, "the bundle has no weight .w.; it has 2")
    for name, want in (("y/then/w", (new, other)), ("y/else/w", (WEIGHT, new))):
        for got, rows in zip(products(bundle, x, *choices, weights={name: new}), want, strict=True):
            np.testing.assert_allclose(got, rows[:8], rtol=0, atol=1e-5)
    bundle = compiled(tmp_path / "equal", WEIGHT, WEIGHT)
    assert set(index(bundle)) == {"w"}
    for got in products(bundle, x, *choices, weights={"w": new}):
        np.testing.assert_allclose(got, new[:8], rtol=0, atol=1e-5)


@pytest.mark.parametrize("kind, dtype", [("FLOAT16", "float16"), ("INT8", "int8"), ("INT4", "int8")])
def test_lists_of_numbers(kind, dtype, tmp_path):
    """They are in the index and can't be set: no bytes of the file are theirs."""
    values = np.random.default_rng(7).integers(-8, 8, (64, 96))
    nodes = [helper.make_node("Cast", ["w"], ["f"], to=1), helper.make_node("MatMul", ["x", "f"], ["y"])]
    if kind != "FLOAT16":
        nodes[0] = helper.make_node("DequantizeLinear", ["w", "one"], ["f"])
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", 1, [8, 64])], [helper.make_tensor_value_info("y", 1, [8, 96])],
                              [helper.make_tensor("w", getattr(TensorProto, kind), values.shape, values.ravel().tolist()),
                               numpy_helper.from_array(np.float32(1), "one")])
    assert graph.initializer[0].int32_data
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), tmp_path / "m.onnx")
    anetest.compile_model(tmp_path / "m.onnx", tmp_path / "m.anebundle")
    entry = index(tmp_path / "m.anebundle")["w"]
    assert (entry["dtype"], entry["shape"], entry["encoding"], entry["stored"]) == (dtype, [64, 96], "numbers", [])
    refused(tmp_path / "m.anebundle", "w", values.astype(dtype), "list of numbers; a weight can be set that is stored as bytes there .raw_data")
    x = np.eye(8, 64, dtype=np.float32)
    np.testing.assert_array_equal(products(tmp_path / "m.anebundle", x, {})[0], values[:8].astype(np.float32))


def test_palette_of_a_mil_program(tmp_path):
    """Names are those of the statements; a constant that is no palette is dense."""
    rng = np.random.default_rng(5)
    arrays = [rng.integers(0, 256, (64, 64, 1, 1)).astype(np.uint8), rng.standard_normal((1, 1, 1, 1, 256, 1)).astype(np.float16),
              rng.standard_normal((64, 64, 1, 1)).astype(np.float16)]
    codes, data, offsets = [3, 1, 1], struct.pack("<II", len(arrays), 2).ljust(64, b"\0"), []
    for code, array in zip(codes, arrays, strict=True):
        offsets.append(len(data))
        data += struct.pack("<IIQQ", 0xDEADBEEF, code, array.nbytes, len(data) + 64).ljust(64, b"\0") + array.tobytes()
        data = data.ljust(-(-len(data) // 64) * 64, b"\0")
    (tmp_path / "w.bin").write_bytes(data)

    def constant(name, kind, shape, place):
        return f'tensor<{kind}, {shape}> {name} = const()[name = string("{name}"), val = tensor<{kind}, {shape}>' \
               f'(BLOBFILE(path = string("@model_path/w.bin"), offset = uint64({offsets[place]})))];'

    def conv(result, x, weight):
        return f'tensor<fp16, [1, 64, 1, 64]> {result} = conv(x = {x}, weight = {weight}, strides = st, pad_type = pt, pad = pd, ' \
               f'dilations = dl, groups = gr)[name = string("{result}")];'

    (tmp_path / "m.mil").write_text(f"""program(1.3)
{{
  func main<ios18>(tensor<fp16, [1, 64, 1, 64]> x) {{
    {constant("places", "uint8", [64, 64, 1, 1], 0)}
    {constant("colours", "fp16", [1, 1, 1, 1, 256, 1], 1)}
    {constant("plain", "fp16", [64, 64, 1, 1], 2)}
    tensor<fp16, [64, 64, 1, 1]> w = constexpr_lut_to_dense(indices = places, lut = colours)[name = string("w")];
    tensor<int32, [2]> st = const()[name = string("st"), val = tensor<int32, [2]>([1, 1])];
    string pt = const()[name = string("pt"), val = string("valid")];
    tensor<int32, [4]> pd = const()[name = string("pd"), val = tensor<int32, [4]>([0, 0, 0, 0])];
    tensor<int32, [2]> dl = const()[name = string("dl"), val = tensor<int32, [2]>([1, 1])];
    int32 gr = const()[name = string("gr"), val = int32(1)];
    {conv("a", "x", "w")}
    {conv("y", "a", "plain")}
  }} -> (y);
}}
""")
    anetest.run("ane-compile", tmp_path / "m.mil", "-o", tmp_path / "m.anebundle", "--quiet", "--target=m4", "--host=none")
    weights = index(tmp_path / "m.anebundle")
    assert {name: (weight["dtype"], weight["shape"], weight["encoding"]) for name, weight in weights.items()} == {
        "places": ("float16", [64, 64, 1, 1], "palette"), "colours": ("float16", [1, 1, 1, 1, 256, 1], "dense"),
        "plain": ("float16", [64, 64, 1, 1], "dense")}
    assert all("fixed" in form for form in weights["places"]["stored"])
