"""Constants that are computed when the bundle is written, and constants that fp16 can't hold."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import anetest
from test_weights import statements


def model(nodes, constants, shape, output="y"):
    graph = helper.make_graph(nodes, "constants", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
                              [numpy_helper.from_array(array, name) for name, array in constants.items()])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return onnx.shape_inference.infer_shapes(made)


def check(made, directory, engine_limit=5e-3):
    onnx.save(made, directory / "m.onnx")
    bundle = directory / "m.anebundle"
    anetest.compile_model(directory / "m.onnx", bundle)
    shape = [d.dim_value for d in made.graph.input[0].type.tensor_type.shape.dim]
    inputs = {"x": np.random.default_rng(7).standard_normal(shape).astype(np.float32)}
    want = anetest.reference(made, inputs)
    anetest.check_cpu(anetest.run_bundle(bundle, inputs, want, directory / "cpu", "cpu"), want)
    got = anetest.run_bundle(bundle, inputs, want, directory / "emulator", "emulator")
    for name, value in want.items():
        assert np.abs(got[name] - value).max() <= engine_limit * np.abs(value).max(), name


def test_infinite_mask_in_a_weight(tmp_path):
    """A causal mask of 64 x 64 stands in the file, where the importer does not read it."""
    mask = np.triu(np.full((64, 64), -np.inf, np.float32), 1)
    check(model([helper.make_node("Add", ["x", "mask"], ["s"]), helper.make_node("Softmax", ["s"], ["y"], axis=-1)],
                {"mask": mask}, [1, 4, 64, 64]), tmp_path)


def test_mask_beyond_fp16_through_an_expression(tmp_path):
    mask = np.triu(np.full((64, 64), -3.4e38, np.float32), 1)
    check(model([helper.make_node("Transpose", ["mask"], ["t"], perm=[1, 0]), helper.make_node("Add", ["x", "t"], ["s"]),
                 helper.make_node("Softmax", ["s"], ["y"], axis=-1)], {"mask": mask.T.copy()}, [1, 4, 64, 64]), tmp_path)


def test_functions_of_weights(tmp_path):
    """Rotary tables, concatenated halves, selections: evaluated once, not at run time."""
    rng = np.random.default_rng(3)
    constants = {"a": rng.standard_normal((32, 32)).astype(np.float32), "b": rng.standard_normal((32, 32)).astype(np.float32),
                 "zero": np.zeros((), np.float32)}
    nodes = [helper.make_node("Cos", ["a"], ["cos"]), helper.make_node("Sin", ["b"], ["sin"]),
             helper.make_node("Concat", ["cos", "sin"], ["table"], axis=1), helper.make_node("Tanh", ["table"], ["squashed"]),
             helper.make_node("Greater", ["squashed", "zero"], ["positive"]), helper.make_node("Neg", ["table"], ["negated"]),
             helper.make_node("Where", ["positive", "squashed", "negated"], ["chosen"]),
             helper.make_node("Mul", ["x", "chosen"], ["y"])]
    check(model(nodes, constants, [1, 32, 64]), tmp_path)


def test_shared_expressions_are_walked_once(tmp_path):
    """x + x, forty times over: 2^40 steps for whoever forgets what was seen."""
    nodes = [helper.make_node("Add", [f"w{i}", f"w{i}"], [f"w{i + 1}"]) for i in range(40)]
    nodes.append(helper.make_node("Add", ["x", "w40"], ["y"]))
    check(model(nodes, {"w0": (np.arange(1024, dtype=np.float32) / 2**42)}, [1, 1024]), tmp_path)
    assert statements(tmp_path / "m.anebundle")["add"] == 1, "constants are computed at run time"


def test_composites_of_weights_are_computed_once(tmp_path):
    """Softmax and norms of constants, below more levels than are walked at a time."""
    rng = np.random.default_rng(9)
    constants = {"w": rng.standard_normal((16, 8, 32)).astype(np.float32), "gamma": rng.uniform(0.5, 2, 32).astype(np.float32),
                 "beta": rng.standard_normal(32).astype(np.float32), "scale": rng.uniform(0.5, 2, 8).astype(np.float32),
                 "shift": rng.standard_normal(8).astype(np.float32), "half": np.float32(0.5)}
    nodes = [helper.make_node("Softmax", ["w"], ["c0"], axis=1), helper.make_node("LogSoftmax", ["w"], ["c1"], axis=-1),
             helper.make_node("LayerNormalization", ["w", "gamma", "beta"], ["c2"], axis=-1),
             helper.make_node("InstanceNormalization", ["w", "scale", "shift"], ["c3"])]
    nodes += [helper.make_node("Add", [f"s{i}" if i else "c0", f"c{i + 1}"], [f"s{i + 1}"]) for i in range(3)]
    nodes += [helper.make_node("Mul", [f"s{i}", "half"] if i % 2 else [f"s{i}", f"s{i}"], [f"s{i + 1}"]) for i in range(3, 11)]
    nodes += [helper.make_node("Tanh", [f"s{i}"], [f"s{i + 1}"]) for i in range(11, 40)]
    nodes.append(helper.make_node("Add", ["x", "s40"], ["y"]))
    check(model(nodes, constants, [16, 8, 32]), tmp_path)
    assert set(statements(tmp_path / "m.anebundle")) <= {"add", "const", "cast", "reshape", "transpose"}


def test_standardised_weights_are_computed_once(tmp_path):
    """Weights of a convolution less their mean, by their length; and by the statistics of a batch norm."""
    weight = np.random.default_rng(5).standard_normal((6, 4, 3, 3)).astype(np.float32)
    nodes = [helper.make_node("ReduceMean", ["w"], ["mean"], axes=[1, 2, 3], keepdims=1), helper.make_node("Sub", ["w", "mean"], ["centred"]),
             helper.make_node("ReduceL2", ["centred"], ["length"], axes=[1, 2, 3], keepdims=1),
             helper.make_node("Div", ["centred", "length"], ["unit"]), helper.make_node("Conv", ["x", "unit"], ["h"]),
             helper.make_node("Reshape", ["w", "rows"], ["flat"]),
             helper.make_node("BatchNormalization", ["flat", "scale", "shift", "shift", "variance"], ["normal"]),
             helper.make_node("Reshape", ["normal", "whole"], ["v2"]), helper.make_node("Conv", ["x", "v2"], ["g"]),
             helper.make_node("Add", ["h", "g"], ["y"])]
    constants = {"w": weight, "scale": np.linspace(0.5, 2, 6, dtype=np.float32), "shift": np.linspace(-1, 1, 6, dtype=np.float32),
                 "variance": np.linspace(0.1, 1, 6, dtype=np.float32),
                 "rows": np.array([1, 6, 36]), "whole": np.array([6, 4, 3, 3])}
    check(model(nodes, constants, [1, 4, 12, 12]), tmp_path)
    assert not anetest.host_ops(anetest.compile_model(tmp_path / "m.onnx", tmp_path / "again.anebundle"))


def test_sweeps_of_weights_are_computed_once(tmp_path):
    """Running sums of floats in each form, and which element of a row is largest or smallest; the first of equal ones counts."""
    weight = np.random.default_rng(11).standard_normal((4, 6, 8)).astype(np.float32).round(1)
    constants = {"w": weight, "first": np.array([0]), "middle": np.array([1]), "last": np.array([-1])}
    nodes = [helper.make_node("CumSum", ["w", "first"], ["a"]), helper.make_node("CumSum", ["w", "middle"], ["b"], exclusive=1),
             helper.make_node("CumSum", ["w", "last"], ["c"], exclusive=1, reverse=1),
             helper.make_node("ArgMax", ["w"], ["large"], axis=1, keepdims=0), helper.make_node("ArgMin", ["w"], ["small"], axis=-1, keepdims=0),
             *[helper.make_node("Cast", [name], [f"{name}_f"], to=TensorProto.FLOAT) for name in ("large", "small")],
             *[helper.make_node("Mul", [a, b], [y]) for a, b, y in [("x", "a", "h0"), ("h0", "b", "h1"), ("h1", "c", "h2")]],
             helper.make_node("Unsqueeze", ["large_f", "middle"], ["rows"]), helper.make_node("Unsqueeze", ["small_f", "last"], ["columns"]),
             helper.make_node("Add", ["h2", "rows"], ["h3"]), helper.make_node("Add", ["h3", "columns"], ["y"])]
    made = model(nodes, constants, [4, 6, 8])
    check(made, tmp_path)
    assert set(statements(tmp_path / "m.anebundle")) <= {"mul", "add", "const", "cast", "reshape"}


def test_a_mask_selected_by_a_weight_stays_on_the_engine(tmp_path):
    """where(condition, 0, -3.4e38) of constants: the program has its rows less their largest element (C55)."""
    constants = {"keep": np.tril(np.ones((64, 64), bool)), "zero": np.zeros((), np.float32), "low": np.array(-3.4028235e38, np.float32),
                 "w": np.eye(64, dtype=np.float32)}
    made = model([helper.make_node("Where", ["keep", "zero", "low"], ["mask"]), helper.make_node("MatMul", ["x", "w"], ["p"]),
                  helper.make_node("Add", ["p", "mask"], ["s"]),
                  helper.make_node("Softmax", ["s"], ["y"], axis=-1)], constants, [1, 4, 64, 64])
    check(made, tmp_path)
    report = anetest.compile_model(tmp_path / "m.onnx", tmp_path / "again.anebundle")
    assert anetest.engine_share(report) == 1 and not anetest.host_ops(report)


def test_products_of_weights_are_computed_once(tmp_path):
    """Projections of position embeddings: a matrix product, with bias, and one whose matrices broadcast."""
    rng = np.random.default_rng(6)
    constants = {name: rng.standard_normal(shape).astype(np.float32) / 8 for name, shape in
                 {"e": (24, 32), "w": (32, 48), "b": (48,), "p": (3, 1, 16, 8), "q": (1, 2, 8, 16)}.items()}
    nodes = [helper.make_node("Gemm", ["e", "w", "b"], ["g"]), helper.make_node("Transpose", ["g"], ["t"], perm=[1, 0]),
             helper.make_node("MatMul", ["x", "t"], ["s"]), helper.make_node("MatMul", ["p", "q"], ["r"]),
             helper.make_node("ReduceSum", ["s"], ["scale"], keepdims=1), helper.make_node("Mul", ["r", "scale"], ["y"])]
    made = model(nodes, constants, [1, 2, 48])
    # y is [3, 2, 16, 16] times [1, 1, 1]
    check(made, tmp_path)
    assert not anetest.host_ops(anetest.compile_model(tmp_path / "m.onnx", tmp_path / "again.anebundle"))
