"""--trainable of ane-translate: weights that will be trained keep a name and a range of their own."""
import re

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import anetest


def model(path):
    """y = (x * scale + other) * scale, where both parameters begin as ones, and a constant that is no initializer of floats."""
    ones = np.ones(4, np.float32)
    nodes = [helper.make_node("Mul", ["x", "scale"], ["a"]), helper.make_node("Add", ["a", "other"], ["b"]),
             helper.make_node("Mul", ["b", "scale"], ["c"]), helper.make_node("Reshape", ["c", "shape"], ["y"])]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 2])],
                              [numpy_helper.from_array(ones, "scale"), numpy_helper.from_array(ones, "other"),
                               numpy_helper.from_array(np.array([2, 2]), "shape")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), path)


def imported(path, *options):
    return anetest.run("ane-translate", "--onnx-to-ane", *options, path).stdout


def ranges(text):
    table = re.search(r"ane.weights = \{(.*?)\}", text)
    return dict(re.findall(r'(\w+) = #ane.weight<"[^"]*", (\d+), 16>', table[1])) if table else {}


def test_small_and_equal_weights(tmp_path):
    model(tmp_path / "m.onnx")
    assert ranges(imported(tmp_path / "m.onnx")) == {}
    kept = imported(tmp_path / "m.onnx", "--trainable=*")
    assert set(ranges(kept)) == {"scale", "other"} and len(set(ranges(kept).values())) == 2
    assert kept.count("ane.const #ane.weight") == 2
    assert set(ranges(imported(tmp_path / "m.onnx", "--trainable=sc*"))) == {"scale"}


def test_unknown_names(tmp_path):
    model(tmp_path / "m.onnx")
    for pattern, says in [("shape", "--trainable=shape: no initializer of floats is called so"), ("[", "--trainable=[: ")]:
        anetest.rejected("ane-translate", "--onnx-to-ane", f"--trainable={pattern}", tmp_path / "m.onnx", says=says)


def test_gradients_of_both(tmp_path):
    model(tmp_path / "m.onnx")
    (tmp_path / "m.mlir").write_text(imported(tmp_path / "m.onnx", "--trainable=*"))
    found = anetest.run("ane-opt", tmp_path / "m.mlir", "--ane-append-loss=kind=mse", "--ane-weights-as-inputs=weights=*", "--ane-autodiff").stdout
    signature = re.search(r"@main_gradients\((.*)\{$", found, re.MULTILINE)[1]
    assert re.findall(r'ane.io_name = "([\w.]+)"', signature) == ["x", "target", "other", "scale", "loss", "grad.other", "grad.scale"]
