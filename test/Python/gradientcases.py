"""Cases for the gradient rules: for each op of the dialect one function or more, small enough for finite differences.

`<name>` in the text of a case stands for the type of a value. Inputs are drawn from a domain in which the op is smooth: `normal`;
`positive` (0.5 to 2), `inside` (-0.9 to 0.9), `apart` (no two values nearer than 0.05, none near 0). The result is `y`, or what `out`
names. `torch` is the same in PyTorch, on tensors with the names of the inputs and constants, and with the functions of torchgradients.py.
"""
import dataclasses

import numpy as np


@dataclasses.dataclass
class Case:
    op: str
    text: str
    y: tuple
    inputs: dict  # name: shape, or (shape, domain)
    torch: str
    constants: dict = dataclasses.field(default_factory=dict)  # name: integers or bools, not differentiated
    label: str = ""

    @property
    def name(self):
        return self.op + (f"_{self.label}" if self.label else "")


def kind(shape, element="f64"):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def draw(generator, shape, domain):
    if domain == "normal":
        return generator.normal(size=shape)
    if domain == "positive":
        return generator.uniform(0.5, 2, size=shape)
    if domain == "inside":
        return generator.uniform(-0.9, 0.9, size=shape)
    if domain == "above":
        return generator.uniform(1.2, 3, size=shape)
    assert domain == "apart", domain
    count = int(np.prod(shape))
    steps = (np.arange(count) - count / 2 + 0.5) * max(4 / count, 0.05)
    return generator.permutation(steps).reshape(shape)


S = (2, 3, 5)
CASES = []


def add(op, text, y, torch, constants=None, label="", **inputs):
    CASES.append(Case(op, text, y, inputs, torch, constants or {}, label))


def unary(op, torch, domain="normal", attributes="", label="", shape=S):
    add(op, f"%y = ane.{op} %x {attributes} : <x>", shape, torch, label=label, x=(shape, domain))


# Element-wise arithmetic.
unary("abs", "torch.abs(x)", "apart")
unary("square", "torch.square(x)")
unary("exp2", "torch.exp2(x)")
unary("acos", "torch.acos(x)", "inside")
unary("asin", "torch.asin(x)", "inside")
unary("atan", "torch.atan(x)")
unary("atanh", "torch.atanh(x)", "inside")
unary("cos", "torch.cos(x)")
unary("cosh", "torch.cosh(x)")
unary("erf", "torch.erf(x)")
unary("exp", "torch.exp(x)")
unary("sin", "torch.sin(x)")
unary("sinh", "torch.sinh(x)")
unary("sqrt", "torch.sqrt(x)", "positive")
unary("tan", "torch.tan(x)", "inside")
unary("tanh", "torch.tanh(x)")
unary("inverse", "1 / (x + 0.25)", "positive", "{epsilon = 0.25 : f64}")
unary("rsqrt", "torch.rsqrt(x + 0.25)", "positive", "{epsilon = 0.25 : f64}")
unary("log", "torch.log(x + 0.25)", "positive", "{epsilon = 0.25 : f64}")
unary("clip", "torch.clamp(x, -0.51, 1.03)", "apart", "{alpha = -0.51 : f64, beta = 1.03 : f64}")
unary("threshold", "torch.clamp(x, min=0.3)", "apart", "{alpha = 0.3 : f64}")
unary("identity", "x.clone()")
unary("neg", "-x")
unary("reciprocal", "1 / x", "positive")
unary("acosh", "torch.acosh(x)", "above")
unary("asinh", "torch.asinh(x)")
for op, expression in [("add", "x + z"), ("sub", "x - z"), ("mul", "x * z"), ("real_div", "x / z"), ("pow", "x ** z"),
                       ("mod", "torch.remainder(x, z)"), ("maximum", "torch.maximum(x, z)"), ("minimum", "torch.minimum(x, z)")]:
    domain = "positive" if op in ("real_div", "pow") else "apart"
    if op == "mod":
        add(op, "%y = ane.mod %x, %z : <x>, <z>", (2, 3), expression, x=((2, 3), "apart"), z=((3,), "above"))
        continue
    add(op, f"%y = ane.{op} %x, %z : <x>, <z>", S, expression, x=(S, domain), z=((3, 1), domain))
    if op not in ("sub", "real_div"):  # which are constant then
        add(op, f"%y = ane.{op} %x, %x : <x>, <x>", S, expression.replace("z", "x"), label="twice", x=(S, "positive"))
add("pow", "%p = ane.const dense<3.0> : tensor<f64>\n%y = ane.pow %x, %p : <x>, tensor<f64>", S, "x ** 3", label="cube", x=S)
add("pow", "%p = ane.const dense<2.0> : tensor<f64>\n%y = ane.pow %x, %p : <x>, tensor<f64>", S, "x ** 2", label="square", x=S)
add("select", "%y = ane.select %c, %x, %z : <c>, <x>, <z>", (4, 3), "torch.where(c, x, z)",
    {"c": np.array([[True], [False], [True], [False]])}, x=(4, 3), z=(3,))

# Activations.
unary("relu", "torch.relu(x)", "apart")
add("relu6", "%f = ane.const dense<5.0> : tensor<f64>\n%d = ane.mul %x, %f : <x>, tensor<f64>\n%y = ane.relu6 %d : <x>", S,
    "torch.nn.functional.relu6(5 * x)", x=(S, "apart"))  # on both sides of 6
unary("sigmoid", "torch.sigmoid(x)")
unary("softplus", "torch.nn.functional.softplus(x)")
unary("softsign", "torch.nn.functional.softsign(x)", "apart")
unary("silu", "torch.nn.functional.silu(x)")
for mode, approximate in [("EXACT", "none"), ("TANH_APPROXIMATION", "tanh")]:
    unary("gelu", f"torch.nn.functional.gelu(x, approximate='{approximate}')", attributes=f'{{mode = "{mode}"}}', label=mode.lower())
unary("gelu", "x * torch.sigmoid(1.702 * x)", attributes='{mode = "SIGMOID_APPROXIMATION"}', label="sigmoid")
unary("leaky_relu", "torch.nn.functional.leaky_relu(x, 0.1)", "apart", "{alpha = 0.1 : f64}")
unary("elu", "torch.nn.functional.elu(x, 0.7)", "apart", "{alpha = 0.7 : f64}")
unary("thresholded_relu", "torch.where(x >= 0.4, x, 0)", "apart", "{alpha = 0.4 : f64}")
unary("clamped_relu", "torch.clamp(torch.nn.functional.leaky_relu(x, 0.2), max=0.9)", "apart", "{alpha = 0.2 : f64, beta = 0.9 : f64}")
unary("linear_activation", "1.5 * x - 0.3", attributes="{alpha = 1.5 : f64, beta = -0.3 : f64}")
unary("scaled_tanh", "1.7 * torch.tanh(0.6 * x)", attributes="{alpha = 1.7 : f64, beta = 0.6 : f64}")
unary("sigmoid_hard", "torch.clamp(0.4 * x + 0.5, 0, 1)", "apart", "{alpha = 0.4 : f64, beta = 0.5 : f64}")
unary("hard_swish", "torch.nn.functional.hardswish(x)", "apart")
unary("mish", "torch.nn.functional.mish(x)")
add("prelu", "%y = ane.prelu %x, %a : <x>, <a>", (2, 3, 4), "torch.nn.functional.prelu(x, a)", x=((2, 3, 4), "apart"), a=(3,))
add("softplus_parametric", "%y = ane.softplus_parametric %x, %a, %k : <x>, <a>, <k>", (2, 3, 4),
    "a[:, None] * torch.nn.functional.softplus(k[:, None] * x)", x=(2, 3, 4), a=(3,), k=(3,))
for axis in (-1, 1):
    unary("softmax", f"torch.softmax(x, {axis})", attributes=f"{{axis = {axis} : i64}}", label=f"axis{axis % 3}")
    unary("log_softmax", f"torch.log_softmax(x, {axis})", attributes=f"{{axis = {axis} : i64}}", label=f"axis{axis % 3}")

# Products.
for tx in (False, True):
    for ty in (False, True):
        flags = f"{{transpose_x = {str(tx).lower()}, transpose_y = {str(ty).lower()}}}"
        swap = lambda name, on: f"{name}.transpose(-1, -2)" if on else name
        expression = f"{swap('x', tx)} @ {swap('z', ty)}"
        for label, lead, other, result in [("", (2,), (2,), (2,)), ("matrix", (2, 3), (), (2, 3)), ("ones", (2, 3), (1, 1), (2, 3)),
                                           ("plain", (), (), ()), ("broadcast", (3, 1), (2,), (3, 2)), ("left", (), (2,), (2,))]:
            x, z = lead + ((4, 3) if tx else (3, 4)), other + ((2, 4) if ty else (4, 2))
            add("matmul", f"%y = ane.matmul %x, %z {flags} : (<x>, <z>) -> <y>", result + (3, 2), expression,
                label=f"{label}{'_tx' * tx}{'_ty' * ty}", x=x, z=z)
add("linear", "%y = ane.linear %x, %w bias %k : (<x>, <w>, <k>) -> <y>", (2, 3, 4), "torch.nn.functional.linear(x, w, k)",
    x=(2, 3, 5), w=(4, 5), k=(4,))
for equation, shapes in [("ab,bc->ac", [(2, 3), (3, 4)]), ("nchw,nwhu->nchu", [(2, 2, 3, 2), (2, 2, 3, 2)]), ("abc,cd->bd", [(2, 3, 4), (4, 2)]),
                         ("abc,abd->adc", [(2, 3, 2), (2, 3, 4)])]:
    sizes = dict(zip(equation.split("->")[0].replace(",", ""), shapes[0] + shapes[1]))
    add("einsum", f'%y = ane.einsum %x, %z {{equation = "{equation}"}} : (<x>, <z>) -> <y>', tuple(sizes[c] for c in equation.split("->")[1]),
        f"torch.einsum('{equation}', x, z)", label=equation.replace(",", "_").replace("->", "_"), x=shapes[0], z=shapes[1])
add("einsum", '%y = ane.einsum %x {equation = "abc->ca"} : (<x>) -> <y>', (4, 2), "torch.einsum('abc->ca', x)", label="sum", x=(2, 3, 4))

# Convolutions: strides that leave elements, paddings that differ, dilation, groups, one to three axes.
def conv(op, x, w, y, label, torch, bias=False, **attributes):
    spelt = {"strides": "array<i64: {}>", "pad": "array<i64: {}>", "dilations": "array<i64: {}>", "output_shape": "array<i64: {}>"}
    listed = [f"{key} = {spelt[key].format(', '.join(map(str, value)))}" if key in spelt else
              f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {value} : i64" for key, value in attributes.items()]
    text = f"%y = ane.{op} %x, %w {'bias %k ' * bias}{{{', '.join(listed)}}} : (<x>, <w>{', <k>' * bias}) -> <y>"
    add(op, text, y, torch, label=label, x=x, w=w, **({"k": (y[1],)} if bias else {}))


F = "torch.nn.functional."
conv("conv", (2, 3, 5), (4, 3, 2), (2, 4, 4), "1d", F + "conv1d(x, w, k)", bias=True)
conv("conv", (2, 2, 6, 5), (3, 2, 3, 2), (2, 3, 3, 2), "2d", F + "conv2d(x, w, stride=2, padding=(1, 0))", strides=[2, 2], pad_type="custom",
     pad=[1, 1, 0, 0])
conv("conv", (1, 4, 7, 6), (6, 2, 3, 2), (1, 6, 3, 2), "groups", F + "conv2d(x, w, stride=(1, 2), dilation=(2, 2), groups=2)",
     strides=[1, 2], dilations=[2, 2], groups=2)
conv("conv", (2, 3, 4, 4), (3, 1, 3, 3), (2, 3, 4, 4), "depthwise", F + "conv2d(x, w, padding=1, groups=3)", pad_type="same", groups=3)
conv("conv", (1, 2, 5, 5), (2, 2, 2, 2), (1, 2, 3, 3), "uneven", F + "conv2d(torch.nn.functional.pad(x, (0, 1, 0, 1)), w, stride=2)", strides=[2, 2], pad_type="same")
conv("conv", (1, 2, 7, 8), (2, 2, 2, 3), (1, 2, 2, 2), "rest", F + "conv2d(x, w, stride=(4, 4))", strides=[4, 4])
conv("conv", (1, 2, 3, 4, 3), (2, 2, 2, 2, 2), (1, 2, 2, 3, 2), "3d", F + "conv3d(x, w)")
conv("conv", (2, 3, 4, 4), (4, 3, 1, 1), (2, 4, 4, 4), "point", F + "conv2d(x, w, k)", bias=True)
conv("conv_transpose", (2, 3, 4), (3, 2, 3), (2, 2, 9), "1d", F + "conv_transpose1d(x, w, k, stride=2)", bias=True, strides=[2])
conv("conv_transpose", (1, 4, 3, 3), (4, 1, 3, 2), (1, 2, 6, 5), "groups", F + "conv_transpose2d(x, w, stride=2, padding=(1, 0), output_padding=(1, 0), groups=2)[..., :5]",
     strides=[2, 2], pad_type="custom", pad=[1, 0, 0, 1], groups=2)
conv("conv_transpose", (1, 2, 3, 3), (2, 3, 2, 2), (1, 3, 7, 6), "sizes", F + "conv_transpose2d(x, w, stride=2, output_padding=(1, 0))", strides=[2, 2], output_shape=[1, 3, 7, 6])
conv("conv_transpose", (1, 2, 3, 3), (2, 2, 2, 2), (1, 2, 5, 5), "dilated", F + "conv_transpose2d(x, w, dilation=2)", dilations=[2, 2])


# Pools.
def pool(op, x, y, label, torch, **attributes):
    listed = []
    for key, value in attributes.items():
        listed.append(f"{key} = array<i64: {', '.join(map(str, value))}>" if isinstance(value, list) else
                      f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {str(value).lower()}")
    add(op, f"%y = ane.{op} %x {{{', '.join(listed)}}} : (<x>) -> <y>", y, torch, label=label, x=(x, "apart"))


pool("max_pool", (1, 2, 5, 5), (1, 2, 3, 3), "2d", F + "max_pool2d(x, 3, 2, 1)", kernel_sizes=[3, 3], strides=[2, 2], pad_type="custom", pad=[1, 1, 1, 1])
pool("max_pool", (2, 2, 7), (2, 2, 4), "ceil", F + "max_pool1d(x, 2, 2, ceil_mode=True)", kernel_sizes=[2], strides=[2], pad_type="valid", ceil_mode=True)
pool("avg_pool", (1, 2, 5, 5), (1, 2, 3, 3), "2d", F + "avg_pool2d(x, 3, 2, 1)", kernel_sizes=[3, 3], strides=[2, 2], pad_type="custom", pad=[1, 1, 1, 1])
pool("avg_pool", (1, 2, 5, 6), (1, 2, 3, 3), "exclude", F + "avg_pool2d(x, 3, 2, 1, count_include_pad=False)", kernel_sizes=[3, 3], strides=[2, 2],
     pad_type="custom", pad=[1, 1, 1, 1], exclude_padding_from_average=True)
pool("avg_pool", (1, 2, 3, 4, 3), (1, 2, 2, 2, 2), "3d", F + "avg_pool3d(x, 2, (1, 2, 1))", kernel_sizes=[2, 2, 2], strides=[1, 2, 1], pad_type="valid")
pool("l2_pool", (1, 2, 5, 4), (1, 2, 2, 3), "", F + "lp_pool2d(x, 2, 2, (2, 1))", kernel_sizes=[2, 2], strides=[2, 1], pad_type="valid")

# Norms.
add("layer_norm", "%y = ane.layer_norm %x gamma %g beta %k {axes = array<i64: -1>} : (<x>, <g>, <k>) -> <y>", S,
    F + "layer_norm(x, (5,), g, k)", x=S, g=(5,), k=(5,))
add("layer_norm", "%y = ane.layer_norm %x gamma %g {axes = array<i64: 0, 2>, epsilon = 0.1 : f64} : (<x>, <g>) -> <y>", S,
    F + "layer_norm(x.transpose(0, 1), (2, 5), g, eps=0.1).transpose(0, 1)", label="axes", x=S, g=(2, 5))
add("layer_norm", "%y = ane.layer_norm %x : (<x>) -> <y>", S, F + "layer_norm(x, x.shape)", label="all", x=S)
add("rms_norm", "%y = ane.rms_norm %x gamma %g : (<x>, <g>) -> <y>", S, F + "rms_norm(x, (5,), g, 1e-5)", x=S, g=(5,))
add("rms_norm", "%y = ane.rms_norm %x gamma %g {zero_centered = true, epsilon = 0.2 : f64} : (<x>, <g>) -> <y>", S,
    F + "rms_norm(x, (5,), g + 1, 0.2)", label="zero_centered", x=S, g=(5,))
add("batch_norm", "%y = ane.batch_norm %x, %m, %v gamma %g beta %k : (<x>, <m>, <v>, <g>, <k>) -> <y>", (2, 3, 4),
    "(x - m[:, None]) / torch.sqrt(v[:, None] + 1e-5) * g[:, None] + k[:, None]", x=(2, 3, 4), m=(3,), v=((3,), "positive"), g=(3,), k=(3,))
add("instance_norm", "%y = ane.instance_norm %x gamma %g beta %k : (<x>, <g>, <k>) -> <y>", (2, 3, 4, 2),
    F + "instance_norm(x, weight=g, bias=k)", x=(2, 3, 4, 2), g=(3,), k=(3,))
add("group_norm", "%y = ane.group_norm %x gamma %g beta %k {num_groups = 2 : i64} : (<x>, <g>, <k>) -> <y>", (2, 4, 3),
    F + "group_norm(x, 2, g, k)", x=(2, 4, 3), g=(4,), k=(4,))
unary("l2_norm", "x / torch.sqrt((x * x).sum((-3, -2, -1), keepdim=True) + 1e-6)", shape=(2, 2, 3, 2))
add("local_response_norm", "%y = ane.local_response_norm %x {size = 3 : i64, alpha = 0.5 : f64} : <x>", (2, 5, 3),
    F + "local_response_norm(x, 3, alpha=0.5)", x=(2, 5, 3))
add("local_response_norm", "%y = ane.local_response_norm %x {size = 4 : i64, alpha = 0.5 : f64, beta = 0.6 : f64} : <x>", (1, 6, 2),
    F + "local_response_norm(x, 4, alpha=0.5, beta=0.6)", label="even", x=(1, 6, 2))

# Reductions.
for op, expression, domain in [("sum", "x.sum({})", "normal"), ("mean", "x.mean({})", "normal"), ("max", "torch.amax(x, {})", "apart"),
                               ("min", "torch.amin(x, {})", "apart"), ("sum_square", "(x * x).sum({})", "normal"), ("l1_norm", "x.abs().sum({})", "apart"),
                               ("l2_norm", "torch.sqrt((x * x).sum({}))", "normal"), ("log_sum", "torch.log(x.sum({}))", "positive"),
                               ("log_sum_exp", "torch.logsumexp(x, {})", "normal"), ("prod", "product(x, {})", "apart")]:
    add(f"reduce_{op}", f"%y = ane.reduce_{op} %x {{axes = array<i64: 0, -1>}} : (<x>) -> <y>", (3,), expression.format((0, 2)), x=(S, domain))
    add(f"reduce_{op}", f"%y = ane.reduce_{op} %x {{axes = array<i64: 1>, keep_dims = true}} : (<x>) -> <y>", (2, 1, 5),
        expression.format("1, keepdim=True"), label="keep", x=(S, domain))
add("reduce_sum", "%y = ane.reduce_sum %x : (<x>) -> <y>", (), "x.sum()", label="all", x=S)
for exclusive in (False, True):
    for reverse in (False, True):
        add("cumsum", f"%y = ane.cumsum %x {{axis = 1 : i64, exclusive = {str(exclusive).lower()}, reverse = {str(reverse).lower()}}} : <x>", S,
            f"running(x, 1, {exclusive}, {reverse})", label=f"{exclusive}_{reverse}".lower(), x=S)

# Shape and order.
add("reshape", "%y = ane.reshape %x {shape = array<i64: 5, -1>} : (<x>) -> <y>", (5, 6), "x.reshape(5, 6)", x=S)
add("reshape_like", "%y = ane.reshape_like %x, %z {begins = array<i64: 0>, ends = array<i64: 2>, end_masks = array<i1: false>} : (<x>, <z>) -> <y>",
    (6, 5), "x.reshape(6, 5)", constants={"z": np.ones((6, 5))}, x=S)
add("expand_dims", "%y = ane.expand_dims %x {axes = array<i64: 0, 2>} : (<x>) -> <y>", (1, 2, 1, 3), "x[None, :, None]", x=(2, 3))
add("squeeze", "%y = ane.squeeze %x : (<x>) -> <y>", (2, 3), "x.squeeze()", x=(2, 1, 3, 1))
add("flatten2d", "%y = ane.flatten2d %x {axis = 2 : i64} : (<x>) -> <y>", (6, 5), "x.flatten(0, 1)", x=S)
add("transpose", "%y = ane.transpose %x {perm = array<i64: 2, 0, 1>} : (<x>) -> <y>", (5, 2, 3), "x.permute(2, 0, 1)", x=S)
add("relayout", "%y = ane.relayout %x expand [6, 5] perm [1, 0] : <x> -> <y>", (5, 1, 6), "x.reshape(6, 5).T.reshape(5, 1, 6)", x=S)
add("reverse", "%y = ane.reverse %x {axes = array<i64: 0, -1>} : <x>", S, "x.flip(0, 2)", x=S)
add("reverse_sequence", "%y = ane.reverse_sequence %x, %n {seq_axis = 1 : i64} : <x>, <n>", S,
    "torch.stack([torch.cat((row[:count].flip(0), row[count:])) for row, count in zip(x, n)])", constants={"n": np.array([2, 3], np.int32)}, x=S)
add("slice_by_index", "%y = ane.slice_by_index %x {begin = array<i64: 1, -1, 0>, end = array<i64: 2, -4, 5>, stride = array<i64: 1, -1, 2>, "
    "end_mask = array<i1: false, true, false>} : (<x>) -> <y>", (1, 3, 3), "x[1:2, :, ::2].flip(1)", x=S)
add("slice_by_index", "%y = ane.slice_by_index %x {begin = array<i64: 1, 0, 1>, end = array<i64: 2, 3, 5>, stride = array<i64: 1, 2, 3>, "
    "squeeze_mask = array<i1: true, false, false>} : (<x>) -> <y>", (2, 2), "x[1, ::2, 1::3]", label="dropped", x=S)
add("slice_by_size", "%y = ane.slice_by_size %x {begin = array<i64: 0, 1, 2>, size = array<i64: 2, 1, -1>} : (<x>) -> <y>", (2, 1, 3), "x[:, 1:2, 2:]", x=S)
add("slice_update", "%y = ane.slice_update %x, %u {begin = array<i64: 0, 1, 0>, end = array<i64: 2, 2, 5>, stride = array<i64: 1, 1, 2>} : <x>, <u>",
    S, "put(x, (slice(None), slice(1, 2), slice(0, 5, 2)), u)", x=S, u=(2, 1, 3))
add("split", "%y, %other = ane.split %x {split_sizes = array<i64: 2, 3>, axis = -1 : i64} : (<x>) -> (<y>, tensor<2x3x3xf64>)", (2, 3, 2),
    "x.split([2, 3], -1)[0]", label="part", x=S)
add("split", "%a, %k = ane.split %x {num_splits = 3 : i64, axis = 1 : i64} : (<x>) -> (<y>, <y>, <y>)".replace("%a, %k", "%a, %k, %c")
    + "\n%d = ane.mul %a, %k : <y>, <y>\n%y = ane.sub %d, %c : <y>, <y>", (2, 1, 5), "x[:, :1] * x[:, 1:2] - x[:, 2:]", x=S)
add("sliding_windows", "%y = ane.sliding_windows %x {axis = 2 : i64, size = 3 : i64, stride = 2 : i64} : (<x>) -> <y>", (2, 3, 2, 3), "x.unfold(2, 3, 2)", x=S)
add("band_part", "%y = ane.band_part %x {lower = 1 : i64, upper = 0 : i64} : <x>", S, "x.tril().triu(-1)", x=S)
add("concat", "%y = ane.concat %x, %z {axis = 1 : i64} : (<x>, <z>) -> <y>", (2, 5), "torch.cat((x, z), 1)", x=(2, 3), z=(2, 2))
add("concat", "%y = ane.concat %x, %z {axis = 0 : i64, interleave = true} : (<x>, <z>) -> <y>", (4, 3), "torch.stack((x, z), 1).flatten(0, 1)", label="interleave", x=(2, 3), z=(2, 3))
add("stack", "%y = ane.stack %x, %z, %x {axis = 1 : i64} : (<x>, <z>, <x>) -> <y>", (2, 3, 3), "torch.stack((x, z, x), 1)", x=(2, 3), z=(2, 3))
add("tile", "%y = ane.tile %x {reps = array<i64: 2, 1, 3>} : (<x>) -> <y>", (4, 3, 15), "x.tile(2, 1, 3)", x=S)
add("fill", "%y = ane.fill %x {shape = array<i64: 2, 3>} : (<x>) -> <y>", (2, 3), "x.expand(2, 3)", x=())
add("fill_like", "%y = ane.fill_like %z, %x : (<z>, <x>) -> <y>", (2, 3), "x.expand_as(z)", constants={"z": np.ones((2, 3))}, x=())
for mode in ("constant", "reflect", "replicate"):
    add("pad", f'%y = ane.pad %x {{pad = array<i64: 1, 2, 3, 0>, mode = "{mode}"}} : (<x>) -> <y>', (2, 6, 8),
        f"{F}pad(x, (3, 0, 1, 2), '{mode}')", label=mode, x=S)
add("depth_to_space", "%y = ane.depth_to_space %x {block_size = 2 : i64} : (<x>) -> <y>", (1, 2, 4, 6), "depth_to_space(x, 2)", x=(1, 8, 2, 3))
add("space_to_depth", "%y = ane.space_to_depth %x {block_size = 2 : i64} : (<x>) -> <y>", (1, 8, 2, 3), "space_to_depth(x, 2)", x=(1, 2, 4, 6))
add("pixel_shuffle", "%y = ane.pixel_shuffle %x {upscale_factor = 2 : i64} : (<x>) -> <y>", (1, 2, 4, 6), F + "pixel_shuffle(x, 2)", x=(1, 8, 2, 3))
add("pixel_unshuffle", "%y = ane.pixel_unshuffle %x {downscale_factor = 2 : i64} : (<x>) -> <y>", (1, 8, 2, 3), F + "pixel_unshuffle(x, 2)", x=(1, 2, 4, 6))
add("batch_to_space", "%y = ane.batch_to_space %x {block_shape = array<i64: 2, 1>, crops = array<i64: 1, 0, 0, 1>} : (<x>) -> <y>", (1, 2, 3, 2),
    "batch_to_space(x, (2, 1), (1, 0, 0, 1))", x=(2, 2, 2, 3))
add("space_to_batch", "%y = ane.space_to_batch %x {block_shape = array<i64: 2, 1>, paddings = array<i64: 1, 0, 0, 1>} : (<x>) -> <y>", (2, 2, 2, 3),
    "space_to_batch(x, (2, 1), (1, 0, 0, 1))", x=(1, 2, 3, 2))

# Indexing.
add("gather", "%y = ane.gather %x, %i {axis = 1 : i64} : (<x>, <i>) -> <y>", (2, 2, 2, 5), "x[:, i]", {"i": np.array([[2, 0], [2, 2]], np.int64)}, x=S)
add("gather", "%y = ane.gather %x, %i {axis = 2 : i64, batch_dims = 1 : i64} : (<x>, <i>) -> <y>", (2, 3, 2),
    "torch.stack([x[b][:, i[b]] for b in range(2)])", {"i": np.array([[2, 2], [4, 0]], np.int64)}, label="batch", x=S)
add("gather_along_axis", "%y = ane.gather_along_axis %x, %i {axis = 1 : i64} : (<x>, <i>) -> <y>", (2, 4), "x.gather(1, i)",
    {"i": np.array([[1, 1, 0, 2], [2, 0, 0, 0]], np.int64)}, x=(2, 3))
add("gather_nd", "%y = ane.gather_nd %x, %i : (<x>, <i>) -> <y>", (3, 5), "x[i[:, 0], i[:, 1]]", {"i": np.array([[0, 2], [1, 1], [0, 2]], np.int64)}, x=S)
add("gather_nd", "%y = ane.gather_nd %x, %i {batch_dims = 1 : i64} : (<x>, <i>) -> <y>", (2, 2, 5), "torch.stack([x[b][i[b, :, 0]] for b in range(2)])",
    {"i": np.array([[[2], [2]], [[0], [1]]], np.int64)}, label="batch", x=S)
add("embedding", "%y = ane.embedding %i, %x : (<i>, <x>) -> <y>", (2, 3, 4), F + "embedding(i, x)", {"i": np.array([[1, 1, 4], [0, 1, 2]], np.int64)}, x=(5, 4))
for mode, slices, elements, tuples in [
        ("add", "x.index_add(1, i, u)", "x.scatter_add(1, i, u)", "x.index_put((i[:, 0], i[:, 1]), u, accumulate=True)"),
        ("sub", "x.index_add(1, i, u, alpha=-1)", "x.scatter_add(1, i, -u)", "x.index_put((i[:, 0], i[:, 1]), -u, accumulate=True)"),
        ("update", "x.index_copy(1, i, u)", "x.scatter(1, i, u)", "x.index_put((i[:, 0], i[:, 1]), u)")]:
    add("scatter", f'%y = ane.scatter %x, %i, %u {{axis = 1 : i64, mode = "{mode}"}} : <x>, <i>, <u>', (2, 4, 3), slices,
        constants={"i": np.array([2, 0], np.int64)}, label=mode, x=(2, 4, 3), u=(2, 2, 3))
    add("scatter_along_axis", f'%y = ane.scatter_along_axis %x, %i, %u {{axis = 1 : i64, mode = "{mode}"}} : <x>, <i>, <u>', (2, 4), elements,
        constants={"i": np.array([[2, 0], [1, 3]], np.int64)}, label=mode, x=(2, 4), u=(2, 2))
    add("scatter_nd", f'%y = ane.scatter_nd %x, %i, %u {{mode = "{mode}"}} : <x>, <i>, <u>', (2, 4, 3), tuples,
        constants={"i": np.array([[0, 2], [1, 0]], np.int64)}, label=mode, x=(2, 4, 3), u=(2, 3))
add("one_hot", "%y = ane.one_hot %i on %x off %z {one_hot_vector_size = 4 : i64} : (<i>, <x>, <z>) -> <y>", (3, 4),
    "torch.where(torch.nn.functional.one_hot(i, 4).bool(), x, z)", constants={"i": np.array([1, 3, 0], np.int64)}, x=(), z=())
add("topk", "%y, %n = ane.topk %x {k = 2 : i64, axis = 1 : i64} : (<x>) -> (<y>, tensor<3x2xi32>)", (3, 2), "x.topk(2, 1).values", x=((3, 5), "apart"))

# Attention.
def attention(label, q, k, v, mask=None, constant=None):
    operand, kind_ = (" mask %m", ", <m>") if mask or constant is not None else ("", "")
    y = q[:-1] + v[-1:]
    extra = {"m": mask} if mask else {}
    repeat = q[-3] // k[-3]
    add("scaled_dot_product_attention", f"%y = ane.scaled_dot_product_attention %q, %k, %v{operand} : (<q>, <k>, <v>{kind_}) -> <y>", y,
        f"{F}scaled_dot_product_attention(q, k.repeat_interleave({repeat}, -3), v.repeat_interleave({repeat}, -3)"
        f"{', attn_mask=m' if operand else ''})", {"m": constant} if constant is not None else None, label, q=q, k=k, v=v, **extra)


attention("plain", (2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 3))
attention("grouped", (1, 4, 3, 4), (1, 2, 3, 4), (1, 2, 3, 2), mask=(3, 3))
attention("masked", (2, 3, 4), (2, 3, 4), (2, 3, 4), constant=np.tril(np.ones((3, 3), bool)))
for layout, expression in [("half", "torch.cat((x[..., :2] * t.cos() - x[..., 2:] * t.sin(), x[..., 2:] * t.cos() + x[..., :2] * t.sin()), -1)"),
                           ("interleaved", "torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (2, 2))) * torch.polar(torch.ones_like(t), t)).flatten(-2)")]:
    add("rope", f'%c = ane.cos %t : <t>\n%s = ane.sin %t : <t>\n%y = ane.rope %x, %c, %s {{layout = "{layout}"}} : <x>, <t>, <t>',
        (2, 3, 4), expression, constants={"t": np.linspace(0, 2, 6).reshape(3, 2)}, label=layout, x=(2, 3, 4))

# Conversions and images.
add("cast", '%z = ane.cast %x {dtype = "fp32"} : (<x>) -> tensor<2x3xf32>\n%k = ane.cast %z {dtype = "fp64"} : (tensor<2x3xf32>) -> <x>\n'
    "%d = ane.sub %x, %k : <x>, <x>\n%f = ane.mul %x, %x : <x>, <x>\n%y = ane.add %f, %d : <x>, <x>", (2, 3), "x * x + (x - x.float().double())", label="back", x=(2, 3))
add("crop", "%y = ane.crop %x {crop_height = array<i64: 1, 0>, crop_width = array<i64: 1, 2>} : (<x>) -> <y>", (1, 2, 3, 2), "x[..., 1:, 1:3]", x=(1, 2, 4, 5))
add("upsample_nearest_neighbor", "%y = ane.upsample_nearest_neighbor %x {scale_factor_height = 2 : i64, scale_factor_width = 3 : i64} : (<x>) -> <y>",
    (1, 2, 4, 9), F + "interpolate(x, scale_factor=(2, 3))", x=(1, 2, 2, 3))
add("upsample_bilinear", "%y = ane.upsample_bilinear %x {scale_factor_height = 2 : i64, scale_factor_width = 2 : i64, align_corners = false} : (<x>) -> <y>",
    (1, 2, 4, 6), F + "interpolate(x, scale_factor=2, mode='bilinear')", x=(1, 2, 2, 3))
add("resize_nearest_neighbor", "%y = ane.resize_nearest_neighbor %x {target_size_height = 5 : i64, target_size_width = 2 : i64} : (<x>) -> <y>",
    (1, 2, 5, 2), F + "interpolate(x, (5, 2))", x=(1, 2, 3, 4))
for mode, expression in [("STRICT_ALIGN_CORNERS", F + "interpolate(x, (5, 2), mode='bilinear', align_corners=True)"),
                         ("DEFAULT", "sampled(x, (5, 2), default_places)"), ("OFFSET_CORNERS", "sampled(x, (5, 2), offset_places)"),
                         ("UNALIGN_CORNERS", F + "interpolate(x, (5, 2), mode='bilinear')")]:
    add("resize_bilinear", f'%y = ane.resize_bilinear %x {{target_size_height = 5 : i64, target_size_width = 2 : i64, sampling_mode = "{mode}"}} : (<x>) -> <y>',
        (1, 2, 5, 2), expression, label=mode.lower(), x=(1, 2, 3, 4))
add("resize", "%y = ane.resize %x {shape = array<i64: 0, 2, 5, 2>, resized_dims = 2 : i64} : (<x>) -> <y>", (1, 2, 5, 2),
    "sampled(x, (5, 2), default_places)", x=(1, 2, 3, 4))

# Recurrent networks.
for direction, expression in [("forward", "rnn(x, h, w, r, k)"), ("reverse", "rnn(x.flip(0), h, w, r, k).flip(0)")]:
    add("rnn", f'%y, %last = ane.rnn %x, %h, %w, %r bias %k {{direction = "{direction}", output_sequence = true}} : (<x>, <h>, <w>, <r>, <k>) -> (<y>, tensor<2x3xf64>)',
        (4, 2, 3), expression, label=direction, x=(4, 2, 2), h=(2, 3), w=(3, 2), r=(3, 3), k=(3,))
add("gru", "%z, %y = ane.gru %x, %h, %w, %r bias %k : (<x>, <h>, <w>, <r>, <k>) -> (tensor<1x2x3xf64>, <y>)", (2, 3),
    "gru_before(x, h, w, r, k)", x=(3, 2, 2), h=(2, 3), w=(9, 2), r=(9, 3), k=(9,))
add("gru", "%y, %last = ane.gru %x, %h, %w, %r bias %k input_bias %j {reset_after = true, output_sequence = true, direction = \"reverse\"} : "
    "(<x>, <h>, <w>, <r>, <k>, <j>) -> (<y>, tensor<2x3xf64>)", (3, 2, 3),
    "gru_after(x.flip(0), h, w, r, k, j).flip(0)", label="reset_after", x=(3, 2, 2), h=(2, 3), w=(9, 2), r=(9, 3), k=(9,), j=(9,))
add("lstm", "%z, %last, %y = ane.lstm %x, %h, %c, %w, %r bias %k peephole %p : (<x>, <h>, <c>, <w>, <r>, <k>, <p>) -> (tensor<1x2x3xf64>, <y>, <y>)",
    (2, 3), "lstm_peephole(x, h, c, w, r, k, p)", x=(3, 2, 2), h=(2, 3), c=(2, 3), w=(12, 2), r=(12, 3), k=(12,), p=(9,))
add("lstm", "%y, %last, %cell = ane.lstm %x, %h, %c, %w, %r back %v, %s {direction = \"bidirectional\", output_sequence = true} : "
    "(<x>, <h>, <c>, <w>, <r>, <v>, <s>) -> (<y>, tensor<2x4xf64>, tensor<2x4xf64>)", (3, 2, 4), "lstm_both(x, h, c, w, r, v, s)", label="both",
    x=(3, 2, 2), h=(2, 4), c=(2, 4), w=(8, 2), r=(8, 2), v=(8, 2), s=(8, 2))
