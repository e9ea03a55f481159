#!/usr/bin/env python3
"""Compiles the bundles that mac-check.sh runs on a Mac: one for each op, small, and legal on the engine of every Mac.

    .venv/bin/python scripts/mac_check_bundles.py FOLDER [--target any-m] [--os 14] [--host arm64-apple-macos,...]

Each is FOLDER/OP.anebundle, where OP is the name in MIL. Needs a build (ANE_BUILD_DIR) and onnx.
"""
import argparse
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("ANE_BUILD_DIR", ROOT / "build")).resolve()
IMAGE, ROWS = [1, 32, 16, 32], [1, 64, 64]
OPSET = 20


class Graph:
    """An ONNX graph of one op, its inputs x, y, ... and weights that are the same in each run."""

    def __init__(self):
        self.nodes, self.weights, self.random = [], [], np.random.default_rng(7)

    def weight(self, shape, low=-0.5, high=0.5):
        return self.constant(self.random.uniform(low, high, shape).astype(np.float32))

    def constant(self, array):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def op(self, kind, *inputs, outputs=1, **attributes):
        names = [f"t{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def model(self, shapes, result):
        inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in zip("xyz", shapes)]
        self.nodes.append(helper.make_node("Identity", [result], ["out"]))
        output = helper.make_tensor_value_info("out", TensorProto.FLOAT, None)
        graph = helper.make_graph(self.nodes, "case", inputs, [output], self.weights)
        return onnx.shape_inference.infer_shapes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9))


def unary(kind, shape=IMAGE, **attributes):
    return [shape], lambda g: g.op(kind, "x", **attributes)


def positive(kind):
    """Of |x| + 1/4, where logarithms and roots are exact to fp16."""
    return [IMAGE], lambda g: g.op(kind, g.op("Add", g.op("Abs", "x"), g.constant(np.float32(0.25))))


def binary(kind):
    return [IMAGE, IMAGE], lambda g: g.op(kind, "x", "y")


def halves(g, value):
    """Rounded to fp16 by the model: what a step makes of its neighbours is another thing, and runs on the CPU where it would show."""
    return g.op("Cast", g.op("Cast", value, to=TensorProto.FLOAT16), to=TensorProto.FLOAT)


def compared(kind):
    """A truth value stays in the program: it chooses."""

    def build(g):
        x, y = halves(g, "x"), halves(g, "y")
        return g.op("Where", g.op(kind, x, y), x, g.op("Mul", y, g.constant(np.float32(2))))

    return [IMAGE, IMAGE], build


def reduced(kind, axes):
    return [IMAGE], lambda g: g.op(kind, "x", g.constant(np.array(axes, np.int64)), keepdims=1)


def moved(kind, *constants, shape=IMAGE, outputs=1, **attributes):
    """After a sum: a program that only moves values is none, and what goes in and comes out as it is stays on the CPU (C22)."""

    def build(g):
        biased = g.op("Add", "x", g.weight(shape[1:2] + [1] * (len(shape) - 2)))
        made = g.op(kind, biased, *(g.constant(c) if c is not None else "" for c in constants), outputs=outputs, **attributes)
        return made if outputs == 1 else g.op("Sub", *made[:2])

    return [shape], build


def convolved(kernel, channels=(32, 64), kind="Conv", **attributes):
    def build(g):
        group = attributes.get("group", 1)
        shape = [channels[1], channels[0] // group, *kernel] if kind == "Conv" else [channels[0], channels[1] // group, *kernel]
        return g.op(kind, "x", g.weight(shape, -0.1, 0.1), g.weight([channels[1]]), **attributes)

    return [[1, channels[0], 16, 32]], build


def attention(g):
    scores = g.op("Mul", g.op("MatMul", "x", g.op("Transpose", "y", perm=[0, 1, 3, 2])), g.constant(np.float32(0.125)))
    return g.op("MatMul", g.op("Softmax", scores, axis=-1), "z")


def weighted(kind, count, shape, **attributes):
    return [shape], lambda g: g.op(kind, "x", *(g.weight([shape[1]], 0.5, 1.5) for _ in range(count)), **attributes)


# What MIL calls the op, before a point: shapes of its inputs, and how the graph is built. Those that the compiler leaves to the
# CPU are not here, nor are floor, ceil and round, which it does for inputs that are no numbers of fp16 (C211).
CASES = {
    "relu": unary("Relu"), "leaky_relu": unary("LeakyRelu", alpha=0.1), "elu": unary("Elu"), "sigmoid": unary("Sigmoid"),
    "sigmoid_hard": unary("HardSigmoid"), "tanh": unary("Tanh"), "gelu": unary("Gelu"), "softplus": unary("Softplus"),
    "softsign": unary("Softsign"), "erf": unary("Erf"), "exp": unary("Exp"), "abs": unary("Abs"),
    "silu": ([IMAGE], lambda g: g.op("Mul", "x", g.op("Sigmoid", "x"))), "log": positive("Log"), "sqrt": positive("Sqrt"),
    "inverse": positive("Reciprocal"),
    "clip": ([IMAGE], lambda g: g.op("Clip", "x", g.constant(np.float32(-0.5)), g.constant(np.float32(0.75)))),
    "add": binary("Add"), "sub": ([IMAGE, IMAGE], lambda g: g.op("Sub", g.op("Mul", "x", g.weight([32, 1, 1])), "y")), "mul": binary("Mul"), "maximum": binary("Max"), "minimum": binary("Min"),
    "real_div": ([IMAGE, IMAGE], lambda g: g.op("Div", "x", g.op("Add", g.op("Abs", "y"), g.constant(np.float32(1))))),
    "greater": compared("Greater"), "less": compared("Less"), "equal": compared("Equal"),
    "reduce_sum": reduced("ReduceSum", [-1]), "reduce_mean": reduced("ReduceMean", [2, 3]), "reduce_max": reduced("ReduceMax", [-1]),
    "reduce_min": reduced("ReduceMin", [1]), "reduce_l2_norm": reduced("ReduceL2", [-1]),
    "conv": convolved([3, 3], pads=[1, 1, 1, 1]), "conv.1x1": convolved([1, 1]), "conv.depthwise": convolved([3, 3], (32, 32), group=32),
    "conv.strided": convolved([3, 3], strides=[2, 2]), "conv.dilated": convolved([3, 3], dilations=[2, 2]),
    "conv_transpose": convolved([2, 2], kind="ConvTranspose", strides=[2, 2]),
    "linear": ([ROWS], lambda g: g.op("Add", g.op("MatMul", "x", g.weight([64, 96])), g.weight([96]))),
    "matmul": ([[1, 4, 64, 32], [1, 4, 32, 64]], lambda g: g.op("MatMul", "x", "y")),
    "softmax": ([ROWS], lambda g: g.op("Softmax", g.op("MatMul", "x", g.weight([64, 64])), axis=-1)),
    "scaled_dot_product_attention": ([[1, 4, 64, 64]] * 3, attention),
    "layer_norm": ([ROWS], lambda g: g.op("LayerNormalization", "x", g.weight([64], 0.5, 1.5), g.weight([64]), axis=-1)),
    "instance_norm": weighted("InstanceNormalization", 2, IMAGE), "batch_norm": weighted("BatchNormalization", 4, IMAGE),
    "local_response_norm": unary("LRN", size=5), "max_pool": unary("MaxPool", kernel_shape=[3, 3], strides=[2, 2]),
    "avg_pool": unary("AveragePool", kernel_shape=[2, 2], strides=[2, 2]), "transpose": moved("Transpose", perm=[0, 2, 1, 3]),
    "reshape": moved("Reshape", np.array([1, 64, 8, 32], np.int64)), "pad": moved("Pad", np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64)),
    "tile": moved("Tile", np.array([1, 1, 2, 1], np.int64)), "split": moved("Split", np.array([16, 16], np.int64), axis=1, outputs=2),
    "slice_by_index": moved("Slice", np.array([4], np.int64), np.array([12], np.int64), np.array([2], np.int64)),
    "depth_to_space": moved("DepthToSpace", blocksize=2),
    "space_to_depth": moved("SpaceToDepth", blocksize=2),
    "concat": ([IMAGE, IMAGE], lambda g: g.op("Relu", g.op("Concat", "x", "y", axis=1))),
    "upsample_nearest_neighbor": moved("Resize", None, np.array([1, 1, 2, 2], np.float32), mode="nearest", nearest_mode="floor",
                                       coordinate_transformation_mode="asymmetric"),
    "upsample_bilinear": moved("Resize", None, np.array([1, 1, 2, 2], np.float32), mode="linear"),
}


def model_of(name):
    shapes, build = CASES[name]
    graph = Graph()
    return graph.model(shapes, build(graph))


def compile_case(name, folder, target, host, os_version=14):
    with tempfile.TemporaryDirectory() as work:
        path = Path(work) / f"{name}.onnx"
        onnx.save(model_of(name), path)
        done = subprocess.run([BUILD / "bin" / "ane-compile", path, "-o", folder / f"{name}.anebundle", f"--target={target}",
                               f"--os={os_version}", f"--host={host}", "--quiet"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--target", default="any-m")
    parser.add_argument("--host", default="arm64-apple-macos")
    parser.add_argument("--os", type=int, default=14, help="oldest macOS (default 14)")
    parser.add_argument("--only", nargs="*", choices=sorted(CASES), metavar="OP", help="default: all of them")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    names = options.only or list(CASES)
    with ThreadPoolExecutor(int(os.environ.get("ANE_JOBS", 2))) as pool:
        for name, error in zip(names, pool.map(lambda name: compile_case(name, options.folder, options.target, options.host, options.os), names)):
            if error:
                raise SystemExit(f"mac_check_bundles.py: {name}: {error.strip()}")
    print(f"{len(names)} bundles in {options.folder}")


if __name__ == "__main__":
    main()
