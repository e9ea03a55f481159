"""An encoder of images with the shapes of Qwen2.5-VL's: windowed and full attention, rotary positions of two axes as constants, gated layers. All blocks
share their weights, so that its file is small."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# blocks, width, heads, hidden width, tokens, tokens of a window, blocks whose attention is full
SMALL = dict(blocks=5, width=160, heads=2, hidden=428, tokens=64, window=16, full={2, 4})
LARGE = dict(blocks=32, width=1280, heads=16, hidden=3420, tokens=256, window=64, full={7, 15, 23, 31})


class Graph:
    def __init__(self):
        self.nodes, self.constants = [], {}

    def constant(self, name, array):
        self.constants[name] = np.asarray(array)
        return name

    def node(self, op, *inputs, results=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(results)]
        self.nodes.append(helper.make_node(op, list(inputs), names, **attributes))
        return names[0] if results == 1 else names


def weights(g, width, hidden, generator):
    def matrix(name, *shape):
        return g.constant(name, (generator.normal(0, 1, shape) / np.sqrt(shape[0])).astype(np.float32))

    for name, shape in (("qkv", (width, 3 * width)), ("proj", (width, width)), ("gate", (width, hidden)), ("up", (width, hidden)), ("down", (hidden, width))):
        matrix(name, *shape)
    for name, size in (("qkv_bias", 3 * width), ("proj_bias", width)):
        g.constant(name, generator.normal(0, 0.02, size).astype(np.float32))
    for name in "norm1", "norm2":
        g.constant(name, generator.uniform(0.5, 1.5, width).astype(np.float32))


def positions(g, width, heads, tokens, window):
    dim, side = width // heads, int(np.sqrt(tokens))
    row, column = np.divmod(np.arange(tokens)[:, None], side)
    frequencies = 10000.0 ** -(np.arange(0, dim // 2, 2) / (dim // 2))
    angles = np.tile(np.concatenate([row * frequencies, column * frequencies], 1), 2)
    g.constant("cos", np.cos(angles).astype(np.float32)), g.constant("sin", np.sin(angles).astype(np.float32))
    part = np.arange(tokens) // window
    g.constant("mask", np.where(part[:, None] == part, 0, -1e9).astype(np.float32))
    g.constant("scale", np.float32(dim**-0.5)), g.constant("half", [dim // 2, dim // 2])
    g.constant("apart", [tokens, 3, heads, dim]), g.constant("joined", [tokens, width])
    g.constant("last", [-1]), g.constant("epsilon", np.float32(1e-6))
    for i in range(3):
        g.constant(f"part{i}", i)


def block(g, x, isFull):
    def norm(x, scale):
        mean = g.node("ReduceMean", g.node("Mul", x, x), "last")
        return g.node("Mul", g.node("Div", x, g.node("Sqrt", g.node("Add", mean, "epsilon"))), scale)

    def rotated(x):
        left, right = g.node("Split", x, "half", results=2, axis=-1)
        return g.node("Add", g.node("Mul", x, "cos"), g.node("Mul", g.node("Concat", g.node("Neg", right), left, axis=-1), "sin"))

    all_heads = g.node("Reshape", g.node("Add", g.node("MatMul", norm(x, "norm1"), "qkv"), "qkv_bias"), "apart")
    q, k, v = (g.node("Gather", g.node("Transpose", all_heads, perm=[1, 2, 0, 3]), f"part{i}", axis=0) for i in range(3))
    scores = g.node("Mul", g.node("MatMul", rotated(q), g.node("Transpose", rotated(k), perm=[0, 2, 1])), "scale")
    if not isFull:
        scores = g.node("Add", scores, "mask")
    mixed = g.node("Transpose", g.node("MatMul", g.node("Softmax", scores, axis=-1), v), perm=[1, 0, 2])
    x = g.node("Add", x, g.node("Add", g.node("MatMul", g.node("Reshape", mixed, "joined"), "proj"), "proj_bias"))
    normal = norm(x, "norm2")
    gate = g.node("MatMul", normal, "gate")
    gate = g.node("Mul", g.node("Mul", gate, g.node("Sigmoid", gate)), g.node("MatMul", normal, "up"))
    return g.node("Add", x, g.node("MatMul", gate, "down"))


def save(path, blocks, width, heads, hidden, tokens, window, full):
    """With `blocks`, a number, or which of them."""
    g = Graph()
    weights(g, width, hidden, np.random.default_rng(3))
    positions(g, width, heads, tokens, window)
    x = "x"
    for index in range(blocks) if isinstance(blocks, int) else blocks:
        x = block(g, x, index in full)
    g.nodes.append(helper.make_node("Identity", [x], ["y"]))
    ports = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, [tokens, width])] for name in ("x", "y")]
    used = {name for node in g.nodes for name in node.input}
    graph = helper.make_graph(g.nodes, "vision", *ports, [numpy_helper.from_array(v, k) for k, v in g.constants.items() if k in used])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), path)
    return path
