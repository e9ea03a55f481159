"""Small ONNX models from a seed. Every bias, scale and statistic is drawn from a distribution that is neither 0 nor 1:
the usual initial values hide a forgotten bias or scale."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


class Made:
    """A model and a generator of its inputs: inputs(seed) -> {name: array}."""

    def __init__(self, model, inputs):
        self.model, self.inputs = model, inputs


class Builder:
    """Collects nodes; each method returns the name of its result."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.initializers = [], []

    def constant(self, array, prefix="c"):
        name = f"{prefix}{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(array, order="C"), name))
        return name

    def matrix(self, rows, columns):
        return self.constant((self.rng.standard_normal((rows, columns)) / np.sqrt(rows)).astype(np.float32))

    def bias(self, *shape, prefix="c"):
        return self.constant(self.rng.normal(0.1, 0.4, shape).astype(np.float32), prefix)

    def scale(self, *shape):
        return self.constant((self.rng.uniform(0.6, 1.6, shape) * self.rng.choice([-1, 1], shape)).astype(np.float32))

    def op(self, kind, *inputs, outputs=1, **attributes):
        index = len(self.nodes)
        names = [f"/m/{kind}_{index}_out{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=f"/m/{kind}_{index}", **attributes))
        return names[0] if outputs == 1 else names

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def linear(self, x, rows, columns, prefix="c"):
        return self.op("Add", self.op("MatMul", x, self.matrix(rows, columns)), self.bias(columns, prefix=prefix))

    def norm(self, x, width):
        return self.op("LayerNormalization", x, self.scale(width), self.bias(width), axis=-1, epsilon=1e-5)

    def gelu(self, x):
        one, half = self.constant(np.float32(1.0)), self.constant(np.float32(0.5))
        root = self.constant(np.float32(np.sqrt(2.0)))
        return self.op("Mul", self.op("Mul", x, self.op("Add", self.op("Erf", self.op("Div", x, root)), one)), half)

    def heads(self, x, sequence, width, heads, permutation=(0, 2, 1, 3)):
        return self.op("Transpose", self.op("Reshape", x, self.ints(1, sequence, heads, width // heads)), perm=list(permutation))

    def attention(self, x, mask, sequence, width, heads):
        """Multi-head attention with an additive mask."""
        # Softmax takes away what a bias of the keys adds: the prefix tells it apart.
        query, key, value = (self.linear(x, width, width, prefix) for prefix in ("c", "key", "c"))
        query = self.heads(query, sequence, width, heads)
        key = self.heads(key, sequence, width, heads, (0, 2, 3, 1))
        value = self.heads(value, sequence, width, heads)
        scores = self.op("Div", self.op("MatMul", query, key), self.constant(np.float32(np.sqrt(width // heads))))
        weights = self.op("Softmax", self.op("Add", scores, mask), axis=-1)
        mixed = self.op("Transpose", self.op("MatMul", weights, value), perm=[0, 2, 1, 3])
        return self.linear(self.op("Reshape", mixed, self.ints(1, sequence, width)), width, width)

    def block(self, x, mask, sequence, width, heads):
        x = self.norm(self.op("Add", x, self.attention(x, mask, sequence, width, heads)), width)
        hidden = self.gelu(self.linear(x, width, 4 * width))
        return self.norm(self.op("Add", x, self.linear(hidden, 4 * width, width)), width)

    def model(self, inputs, outputs):
        """inputs: (name, type, shape); outputs: (name of a result, shape), renamed y0, y1..."""
        named = []
        for index, (result, shape) in enumerate(outputs):
            self.nodes.append(helper.make_node("Identity", [result], [f"y{index}"], name=f"/m/output_{index}"))
            named.append(helper.make_tensor_value_info(f"y{index}", FLOAT, shape))
        graph = helper.make_graph(self.nodes, "m", [helper.make_tensor_value_info(*i) for i in inputs], named, self.initializers)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(made, full_check=True)
        return made


def normal_inputs(**shapes):
    def inputs(seed):
        rng = np.random.default_rng(1000 + seed)
        return {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    return inputs


def mlp(seed, batch=4, widths=(24, 72, 40, 8)):
    """Linear layers between activations of different kinds."""
    b = Builder(seed)
    x, activations = "x", ["Relu", "Sigmoid", "Tanh"]
    for index, (rows, columns) in enumerate(zip(widths, widths[1:])):
        x = b.op("Gemm", x, b.matrix(columns, rows), b.bias(columns), transB=1)
        x = b.op(activations[index % 3], x)
    return Made(b.model([("x", FLOAT, [batch, widths[0]])], [(x, [batch, widths[-1]])]), normal_inputs(x=(batch, widths[0])))


def encoder(seed, sequence=32, width=48, heads=3, layers=1, vocabulary=101):
    """Token ids and a padding mask in, as in BERT: embedding, layers, mean over the unmasked tokens."""
    b = Builder(seed)
    table = b.constant(b.rng.normal(0, 0.7, (vocabulary, width)).astype(np.float32))
    position = b.constant(b.rng.normal(0, 0.3, (sequence, width)).astype(np.float32))
    x = b.norm(b.op("Add", b.op("Gather", table, "ids"), position), width)
    real = b.op("Cast", "mask", to=FLOAT)
    masked = b.op("Sub", b.constant(np.float32(1.0)), b.op("Unsqueeze", real, b.ints(1, 2)))
    mask = b.op("Mul", masked, b.constant(np.float32(np.finfo(np.float32).min)))
    for _ in range(layers):
        x = b.block(x, mask, sequence, width, heads)
    weights = b.op("Unsqueeze", real, b.ints(-1))
    total = b.op("ReduceSum", b.op("Mul", x, weights), b.ints(1), keepdims=0)
    mean = b.op("Div", total, b.op("Clip", b.op("ReduceSum", weights, b.ints(1), keepdims=0), b.constant(np.float32(1e-9))))
    model = b.model([("ids", INT64, [1, sequence]), ("mask", INT64, [1, sequence])], [(x, [1, sequence, width]), (mean, [1, width])])

    def inputs(seed):
        rng = np.random.default_rng(1000 + seed)
        used = int(rng.integers(1, sequence + 1))
        return {"ids": rng.integers(0, vocabulary, (1, sequence)), "mask": (np.arange(sequence) < used).astype(np.int64)[None]}

    return Made(model, inputs)


def decoder(seed, sequence=16, width=64, heads=4, layers=2):
    """Pre-norm layers with a causal mask, RMS norms spelled out, SiLU-gated MLP."""
    b = Builder(seed)

    def rms(x):
        mean = b.op("ReduceMean", b.op("Pow", x, b.constant(np.float32(2.0))), axes=[-1], keepdims=1)
        root = b.op("Sqrt", b.op("Add", mean, b.constant(np.float32(1e-6))))
        return b.op("Mul", b.op("Div", x, root), b.scale(width))

    causal = np.triu(np.full((sequence, sequence), -1e9, np.float32), 1)[None, None]
    mask, x = b.constant(causal), "x"
    for _ in range(layers):
        x = b.op("Add", x, b.attention(rms(x), mask, sequence, width, heads))
        inner = rms(x)
        gate = b.linear(inner, width, 3 * width)
        gated = b.op("Mul", b.op("Mul", gate, b.op("Sigmoid", gate)), b.linear(inner, width, 3 * width))
        x = b.op("Add", x, b.linear(gated, 3 * width, width))
    return Made(b.model([("x", FLOAT, [1, sequence, width])], [(rms(x), [1, sequence, width])]), normal_inputs(x=(1, sequence, width)))


def llama(seed, layers=2, sequence=64, width=256, heads=8, groups=2, vocabulary=1000):
    """Llama: rotary positions, heads that share `groups` keys and values, no biases, token ids in and logits out."""
    b = Builder(seed)
    size, hidden = width // heads, 2 * width + 176

    def rms(x):
        mean = b.op("ReduceMean", b.op("Pow", x, b.constant(np.float32(2.0))), axes=[-1], keepdims=1)
        root = b.op("Sqrt", b.op("Add", mean, b.constant(np.float32(1e-5))))
        return b.op("Mul", b.scale(width), b.op("Mul", x, b.op("Reciprocal", root)))

    def plain(x, rows, columns):
        return b.op("MatMul", x, b.matrix(rows, columns))

    angle = np.outer(np.arange(sequence), 10000.0 ** (-np.arange(0, size, 2) / size))
    cos, sin = (b.constant(np.tile(f(angle), (1, 2)).astype(np.float32)) for f in (np.cos, np.sin))

    def rope(x):
        first = b.op("Slice", x, b.ints(0), b.ints(size // 2), b.ints(3))
        second = b.op("Slice", x, b.ints(size // 2), b.ints(size), b.ints(3))
        turned = b.op("Concat", b.op("Neg", second), first, axis=-1)
        return b.op("Add", b.op("Mul", x, cos), b.op("Mul", turned, sin))

    def repeated(x):
        wide = b.op("Expand", b.op("Unsqueeze", x, b.ints(2)), b.ints(1, groups, heads // groups, sequence, size))
        return b.op("Reshape", wide, b.ints(1, heads, sequence, size))

    causal = b.constant(np.triu(np.full((sequence, sequence), np.finfo(np.float32).min, np.float32), 1)[None, None])
    x = b.op("Gather", b.constant(b.rng.normal(0, 0.7, (vocabulary, width)).astype(np.float32)), "ids")
    for _ in range(layers):
        inner = rms(x)
        query = rope(b.heads(plain(inner, width, width), sequence, width, heads))
        key, value = (b.heads(plain(inner, width, groups * size), sequence, groups * size, groups) for _ in range(2))
        key = b.op("Transpose", repeated(rope(key)), perm=[0, 1, 3, 2])
        scores = b.op("Mul", b.op("MatMul", query, key), b.constant(np.float32(size ** -0.5)))
        mixed = b.op("MatMul", b.op("Softmax", b.op("Add", scores, causal), axis=-1), repeated(value))
        mixed = b.op("Reshape", b.op("Transpose", mixed, perm=[0, 2, 1, 3]), b.ints(1, sequence, width))
        x = b.op("Add", x, plain(mixed, width, width))
        inner = rms(x)
        gate = plain(inner, width, hidden)
        gated = b.op("Mul", b.op("Mul", gate, b.op("Sigmoid", gate)), plain(inner, width, hidden))
        x = b.op("Add", x, plain(gated, hidden, width))
    logits = plain(rms(x), width, vocabulary)
    model = b.model([("ids", INT64, [1, sequence])], [(logits, [1, sequence, vocabulary])])
    return Made(model, lambda seed: {"ids": np.random.default_rng(seed).integers(0, vocabulary, (1, sequence))})


def cnn(seed, size=20, channels=(3, 16, 24)):
    """Convolution, batch normalisation with drawn statistics, pooling, a classifier."""
    b = Builder(seed)
    x = "x"
    for before, after in zip(channels, channels[1:]):
        weight = b.constant((b.rng.standard_normal((after, before, 3, 3)) / np.sqrt(9 * before)).astype(np.float32))
        x = b.op("Conv", x, weight, b.bias(after), kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        variance = b.constant(b.rng.uniform(0.4, 2.0, after).astype(np.float32))
        x = b.op("BatchNormalization", x, b.scale(after), b.bias(after), b.bias(after), variance, epsilon=1e-5)
        x = b.op("MaxPool", b.op("Relu", x), kernel_shape=[2, 2], strides=[2, 2])
    x = b.op("Flatten", b.op("GlobalAveragePool", x), axis=1)
    x = b.op("Gemm", x, b.matrix(10, channels[-1]), b.bias(10), transB=1)
    return Made(b.model([("x", FLOAT, [1, channels[0], size, size])], [(x, [1, 10])]), normal_inputs(x=(1, channels[0], size, size)))
