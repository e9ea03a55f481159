"""Small decoders of fixed seed whose caches have room for all tokens: a run puts one entry at a position that it is given.
Of Llama's and of GPT-2's shape, with the writes as exporters spell them."""
import numpy as np
import onnx
from onnx import TensorProto, helper

from decoder import GROUPS, HEADS, HIDDEN, LAYERS, SIZE, VOCABULARY, WIDTH, Graph

SHAPES = {"llama": 8, "gpt2": 10}  # seeds whose models say many things


class Cached(Graph):
    """A graph with caches of `room` entries, of which a run writes `tokens`: a number, or the name of a dimension."""

    def __init__(self, seed, room, tokens):
        super().__init__(seed)
        self.room, self.tokens = room, tokens

    def entry(self, kind, layer, new):
        """The cache with `new` at the positions."""
        past, present = f"past_key_values.{layer}.{kind}", f"present.{layer}.{kind}"
        groups = self.groups
        if self.spelling == "scatter_nd":
            # PyTorch's torch.export: the axis comes first.
            first, turned = (self("Transpose", x, perm=[2, 0, 1, 3]) for x in (past, new))
            places = self("Reshape", "position_ids", self.constant([-1, 1]))
            return self("Transpose", self("ScatterND", first, places, turned), to=present, perm=[1, 2, 0, 3])
        if kind == "key" or self.tokens != 1:
            # PyTorch's scatter along the axis.
            place = self("Unsqueeze", "position_ids", self.constant([0, 3]))
            place = self("Expand", place, self.constant([1, groups, 1, SIZE]))
            return self("ScatterElements", past, place, new, to=present, axis=2)
        count = self.constant(np.arange(self.room))
        is_place = self("Unsqueeze", self("Equal", count, "position_ids"), self.constant([1, 3]))
        return self("Where", is_place, new, past, to=present)

    def attention(self, query, present, mask):
        scores = self("MatMul", query, self("Transpose", present[0], perm=[0, 1, 3, 2]))
        scores = self("Add", self("Mul", scores, self.constant(np.float32(SIZE**-0.5))), mask)
        mixed = self("MatMul", self("Softmax", scores, axis=-1), present[1])
        return self("Reshape", self("Transpose", mixed, perm=[0, 2, 1, 3]), self.constant([1, -1, WIDTH]))

    def repeat(self, x):
        """Every group serves HEADS / GROUPS heads."""
        wide = self("Unsqueeze", x, self.constant([2]))
        wide = self("Expand", wide, self.constant([1, GROUPS, HEADS // GROUPS, self.room, SIZE]))
        return self("Reshape", wide, self.constant([1, HEADS, self.room, SIZE]))

    def layer_norm(self, x):
        scale, shift = (self.constant((at + 0.1 * self.rng.standard_normal(WIDTH)).astype(np.float32)) for at in (1, 0))
        return self("LayerNormalization", x, scale, shift, axis=-1, epsilon=1e-5)

    def linear(self, x, rows, columns):
        bias = self.constant((0.1 * self.rng.standard_normal(columns)).astype(np.float32))
        return self("Add", self("MatMul", x, self.weight(rows, columns)), bias)

    def gelu(self, x):
        cube = self("Mul", x, self("Mul", x, x))
        inner = self("Add", x, self("Mul", cube, self.constant(np.float32(0.044715))))
        tanh = self("Tanh", self("Mul", inner, self.constant(np.float32(np.sqrt(2 / np.pi)))))
        return self("Mul", self("Mul", x, self("Add", tanh, self.constant(np.float32(1)))), self.constant(np.float32(0.5)))


def llama(g, mask):
    g.spelling, g.groups = "scatter_nd", GROUPS
    angles = np.outer(np.arange(512), 10000.0 ** (-np.arange(0, SIZE, 2) / SIZE))
    angles = np.concatenate([angles, angles], -1).astype(np.float32)
    cos, sin = (g("Unsqueeze", g("Gather", g.constant(f(angles)), "position_ids"), g.constant([1])) for f in (np.cos, np.sin))
    x = g("Gather", g.weight(VOCABULARY, WIDTH), "input_ids")
    for layer in range(LAYERS):
        y = g.norm(x)
        query = g.rotate(g.heads(y, HEADS), cos, sin)
        present = [g.entry("key", layer, g.rotate(g.heads(y, GROUPS), cos, sin)), g.entry("value", layer, g.heads(y, GROUPS))]
        mixed = g.attention(query, [g.repeat(x) for x in present], mask)
        x = g("Add", x, g("MatMul", mixed, g.weight(WIDTH, WIDTH)))
        x = g("Add", x, g.gated(g.norm(x)))
    g("MatMul", g.norm(x), g.weight(WIDTH, VOCABULARY), to="logits")


def gpt2(g, mask):
    g.spelling, g.groups = "others", HEADS
    places = g("Gather", g.weight(512, WIDTH), "position_ids")
    table = g.weight(VOCABULARY, WIDTH)
    x = g("Add", g("Gather", table, "input_ids"), places)
    for layer in range(LAYERS):
        joined = g.linear(g.layer_norm(x), WIDTH, 3 * WIDTH)
        g.nodes.append(helper.make_node("Split", [joined, g.constant([WIDTH] * 3)], [f"qkv{layer}.{i}" for i in range(3)], axis=2))
        query, key, value = (g("Transpose", g("Reshape", f"qkv{layer}.{i}", g.constant([1, -1, HEADS, SIZE])), perm=[0, 2, 1, 3])
                             for i in range(3))
        mixed = g.attention(query, [g.entry("key", layer, key), g.entry("value", layer, value)], mask)
        x = g("Add", x, g.linear(mixed, WIDTH, WIDTH))
        x = g("Add", x, g.linear(g.gelu(g.linear(g.layer_norm(x), WIDTH, HIDDEN)), HIDDEN, WIDTH))
    g("MatMul", g.layer_norm(x), g("Transpose", table, perm=[1, 0]), to="logits")


def build(shape, room, tokens=1, masked=True):
    """attention_mask is [tokens, room]; 0 hides an entry of the cache. Without one (`masked`), a token sees those up to its own
    position. The weights are those of every other `tokens`."""
    g = Cached(SHAPES[shape], room, tokens)
    if not masked:
        places = g("Transpose", "position_ids", perm=[1, 0])
        g.nodes.append(helper.make_node("LessOrEqual", [g.constant(np.arange(room)[None]), places], ["attention_mask"]))
    seen = g.cast("attention_mask")
    mask = g("Mul", g("Sub", g.constant(np.float32(1)), seen), g.constant(np.float32(-1e4)))
    mask = g("Unsqueeze", mask, g.constant([0, 1]))
    (llama if shape == "llama" else gpt2)(g, mask)

    def value(name, dtype, *dims):
        return helper.make_tensor_value_info(name, dtype, dims)

    inputs = [value("input_ids", TensorProto.INT64, 1, tokens), value("position_ids", TensorProto.INT64, 1, tokens)]
    if masked:
        inputs.insert(1, value("attention_mask", TensorProto.INT64, tokens, room))
    outputs = [value("logits", TensorProto.FLOAT, 1, tokens, VOCABULARY)]
    for layer in range(LAYERS):
        for kind in ("key", "value"):
            inputs.append(value(f"past_key_values.{layer}.{kind}", TensorProto.FLOAT, 1, g.groups, room, SIZE))
            outputs.append(value(f"present.{layer}.{kind}", TensorProto.FLOAT, 1, g.groups, room, SIZE))
    graph = helper.make_graph(g.nodes, shape, inputs, outputs, g.initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return model


def step(room, index, *tokens):
    """Inputs for tokens from number `index` on."""
    places = index + np.arange(len(tokens))
    return {"input_ids": np.array([tokens]), "attention_mask": (np.arange(room) <= places[:, None]).astype(np.int64),
            "position_ids": places[None]}
