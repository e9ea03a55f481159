"""A small decoder of Llama's shape with a cache, as exporters spell it: fixed seed, one token a run or several."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LAYERS, HEADS, GROUPS, SIZE, WIDTH, HIDDEN, VOCABULARY = 2, 4, 2, 16, 64, 128, 97


class Graph:
    """Nodes and initializers, with names that count."""

    def __init__(self, seed):
        self.nodes, self.initializers, self.rng = [], [], np.random.default_rng(seed)

    def constant(self, array):
        name = f"c{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weight(self, *shape):
        return self.constant((self.rng.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32))

    def __call__(self, op, *inputs, to=None, **attributes):
        name = to or f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], f"/{op}_{len(self.nodes)}", **attributes))
        return name

    def cast(self, x):
        self.nodes.append(helper.make_node("Cast", [x], [f"{x}.float"], to=TensorProto.FLOAT))
        return f"{x}.float"

    def norm(self, x):
        square = self("ReduceMean", self("Mul", x, x), axes=[-1], keepdims=1)
        root = self("Sqrt", self("Add", square, self.constant(np.float32(1e-5))))
        gamma = self.constant((1 + 0.1 * self.rng.standard_normal(WIDTH)).astype(np.float32))
        return self("Mul", self("Div", x, root), gamma)

    def heads(self, x, count):
        split = self("Reshape", self("MatMul", x, self.weight(WIDTH, count * SIZE)), self.constant([1, -1, count, SIZE]))
        return self("Transpose", split, perm=[0, 2, 1, 3])

    def rotate(self, x, cos, sin):
        ends = [self.constant([i]) for i in (0, SIZE // 2, SIZE)]
        axis = self.constant([3])
        low, high = (self("Slice", x, ends[i], ends[i + 1], axis) for i in (0, 1))
        turned = self("Concat", self("Neg", high), low, axis=3)
        return self("Add", self("Mul", x, cos), self("Mul", turned, sin))

    def gated(self, x):
        gate = self("MatMul", x, self.weight(WIDTH, HIDDEN))
        gate = self("Mul", self("Mul", gate, self("Sigmoid", gate)), self("MatMul", x, self.weight(WIDTH, HIDDEN)))
        return self("MatMul", gate, self.weight(HIDDEN, WIDTH))


def build(past, tokens=1):
    """The model for `past` earlier tokens, and `tokens` in a run. attention_mask is [1, past + tokens]; 0 hides an entry of the
    cache. The weights are those of every other `past` and `tokens`."""
    g = Graph(5)
    angles = np.outer(np.arange(512), 10000.0 ** (-np.arange(0, SIZE, 2) / SIZE))
    angles = np.concatenate([angles, angles], -1).astype(np.float32)
    cos, sin = (g("Unsqueeze", g("Gather", g.constant(f(angles)), "position_ids"), g.constant([1])) for f in (np.cos, np.sin))
    seen = g.cast("attention_mask")
    mask = g("Mul", g("Sub", g.constant(np.float32(1)), seen), g.constant(np.float32(-1e4)))
    mask = g("Unsqueeze", mask, g.constant([1, 2]))
    if tokens > 1:
        later = np.arange(past + tokens) > past + np.arange(tokens)[:, None]
        mask = g("Add", mask, g.constant(np.float32(-1e4) * later.astype(np.float32)))
    x = g("Gather", g.weight(VOCABULARY, WIDTH), "input_ids")
    for layer in range(LAYERS):
        y = g.norm(x)
        query = g.rotate(g.heads(y, HEADS), cos, sin)
        present = []
        for kind, value in (("key", g.rotate(g.heads(y, GROUPS), cos, sin)), ("value", g.heads(y, GROUPS))):
            g("Concat", f"past_key_values.{layer}.{kind}", value, to=f"present.{layer}.{kind}", axis=2)
            # Every group serves HEADS / GROUPS heads.
            wide = g("Unsqueeze", f"present.{layer}.{kind}", g.constant([2]))
            wide = g("Expand", wide, g.constant([1, GROUPS, HEADS // GROUPS, past + tokens, SIZE]))
            present.append(g("Reshape", wide, g.constant([1, HEADS, past + tokens, SIZE])))
        scores = g("MatMul", query, g("Transpose", present[0], perm=[0, 1, 3, 2]))
        scores = g("Add", g("Mul", scores, g.constant(np.float32(SIZE**-0.5))), mask)
        mixed = g("MatMul", g("Softmax", scores, axis=-1), present[1])
        mixed = g("Reshape", g("Transpose", mixed, perm=[0, 2, 1, 3]), g.constant([1, tokens, WIDTH]))
        x = g("Add", x, g("MatMul", mixed, g.weight(WIDTH, WIDTH)))
        x = g("Add", x, g.gated(g.norm(x)))
    g("MatMul", g.norm(x), g.weight(WIDTH, VOCABULARY), to="logits")

    def value(name, dtype, *shape):
        return helper.make_tensor_value_info(name, dtype, shape)

    inputs = [value("input_ids", TensorProto.INT64, 1, tokens), value("attention_mask", TensorProto.INT64, 1, past + tokens),
              value("position_ids", TensorProto.INT64, 1, tokens)]
    outputs = [value("logits", TensorProto.FLOAT, 1, tokens, VOCABULARY)]
    for layer in range(LAYERS):
        for kind in ("key", "value"):
            inputs.append(value(f"past_key_values.{layer}.{kind}", TensorProto.FLOAT, 1, GROUPS, past, SIZE))
            outputs.append(value(f"present.{layer}.{kind}", TensorProto.FLOAT, 1, GROUPS, past + tokens, SIZE))
    graph = helper.make_graph(g.nodes, "decoder", inputs, outputs, g.initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return model


def step(past, index, *tokens):
    """Inputs for tokens from number `index` on: the cache is filled from its end."""
    mask = np.zeros((1, past + len(tokens)), np.int64)
    mask[0, max(0, past - index):] = 1
    return {"input_ids": np.array([tokens]), "attention_mask": mask, "position_ids": np.arange(index, index + len(tokens))[None]}


def generate(session, step, count, tokens=None, kept=lambda present: present, past=None, first=1):
    """Greedy tokens behind `first`, or those given, the logits after each, and the last caches, by a session of ONNX Runtime.
    `step(index, token)` has a run's inputs, `kept` is what the next run gets of a cache, `past` are the first run's."""
    names = [output.name for output in session.get_outputs()]
    past = past or {i.name: np.zeros(i.shape, np.float32) for i in session.get_inputs() if i.name.startswith("past")}
    said, logits = [first], []
    for index in range(count):
        token = tokens[index] if tokens else said[-1]
        result = dict(zip(names, session.run(names, {**step(index, token), **past})))
        past = {name: kept(result[name.replace("past_key_values", "present")]) for name in past}
        logits.append(result["logits"])
        said.append(int(result["logits"][:, -1].argmax()))
    return said, np.stack(logits), past
