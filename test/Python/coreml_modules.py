"""Layers and functions of PyTorch for packages of coremltools (coreml_models.py): MODULES {name: () -> (module, inputs)}.

What a maker draws comes from PyTorch's generator, which the caller seeds.
"""
import torch
from torch import nn
from torch.nn import functional as F


class Call(nn.Module):
    """A function as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


class First(nn.Module):
    """A recurrent layer's sequence and its last states."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        y, last = self.layer(x)
        return (y, *last) if isinstance(last, tuple) else (y, last)


class Attention(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.layer = nn.MultiheadAttention(32, 4, batch_first=True, **options)

    def forward(self, x, y):
        return self.layer(x, y, y, need_weights=False)[0]


class Partial(nn.Module):
    """A convolution between channels that pass it by."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 8, 3, padding=1)

    def forward(self, x):
        return torch.cat([self.conv(x[:, :8]), x[:, 8:]], dim=1)


def layer(make, *shape):
    return lambda: (make(), (torch.randn(shape),))


def call(function, *shapes):
    return lambda: (Call(function), tuple(torch.randn(shape) for shape in shapes))


def given(function, *makers):
    return lambda: (Call(function), tuple(make() for make in makers))


def normal(*shape):
    return lambda: torch.randn(shape)


def positive(*shape):
    return lambda: torch.rand(shape) + 0.1


def integers(below, *shape):
    return lambda: torch.randint(0, below, shape)


IMAGE, ROWS = (1, 8, 12, 10), (2, 6, 16)

CONVOLUTIONS = {
    "conv1d": layer(lambda: nn.Conv1d(6, 8, 5, padding=2), 2, 6, 20),
    "conv1d_strided": layer(lambda: nn.Conv1d(6, 8, 3, stride=2, bias=False), 1, 6, 33),
    "conv2d": layer(lambda: nn.Conv2d(8, 12, 3, padding=1), *IMAGE),
    "conv2d_uneven": layer(lambda: nn.Conv2d(8, 12, (3, 5), stride=(2, 1), padding=(1, 2)), *IMAGE),
    "conv2d_same": layer(lambda: nn.Conv2d(8, 4, 4, padding="same"), *IMAGE),
    "conv2d_dilated": layer(lambda: nn.Conv2d(8, 8, 3, dilation=2, padding=2), *IMAGE),
    "conv2d_grouped": layer(lambda: nn.Conv2d(8, 16, 3, groups=4), *IMAGE),
    "conv2d_depthwise": layer(lambda: nn.Conv2d(8, 8, 5, groups=8, padding=2, stride=2), *IMAGE),
    "conv2d_reflect": layer(lambda: nn.Conv2d(8, 8, 3, padding=1, padding_mode="reflect"), *IMAGE),
    "conv3d": layer(lambda: nn.Conv3d(3, 4, 3, padding=1), 1, 3, 5, 6, 7),
    "conv_transpose1d": layer(lambda: nn.ConvTranspose1d(6, 4, 4, stride=2, padding=1), 1, 6, 15),
    "conv_transpose2d": layer(lambda: nn.ConvTranspose2d(8, 6, 2, stride=2), *IMAGE),
    "conv_transpose2d_padded": layer(lambda: nn.ConvTranspose2d(8, 6, 3, stride=2, padding=1, output_padding=1), *IMAGE),
    "conv_transpose2d_grouped": layer(lambda: nn.ConvTranspose2d(8, 8, 3, groups=2), *IMAGE),
    "conv_norm_relu": layer(lambda: nn.Sequential(nn.Conv2d(8, 8, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU()), *IMAGE),
    "partial_conv": layer(Partial, 1, 12, 9, 9),
}

NORMS = {
    "batch_norm1d": layer(lambda: nn.BatchNorm1d(6), *ROWS),
    "batch_norm2d": layer(lambda: nn.BatchNorm2d(8), *IMAGE),
    "batch_norm3d": layer(lambda: nn.BatchNorm3d(3), 1, 3, 4, 5, 6),
    "group_norm": layer(lambda: nn.GroupNorm(4, 8), *IMAGE),
    "instance_norm": layer(lambda: nn.InstanceNorm2d(8, affine=True), *IMAGE),
    "instance_norm_plain": layer(lambda: nn.InstanceNorm2d(8), *IMAGE),
    "layer_norm": layer(lambda: nn.LayerNorm(16), *ROWS),
    "layer_norm_2d": layer(lambda: nn.LayerNorm((6, 16)), *ROWS),
    "rms_norm": layer(lambda: nn.RMSNorm(16, eps=1e-5), *ROWS),
    "local_response_norm": layer(lambda: nn.LocalResponseNorm(3), *IMAGE),
    "normalize": call(lambda x: F.normalize(x, dim=-1), ROWS),
}

ACTIVATIONS = {name: layer(make, *ROWS) for name, make in {
    "relu": nn.ReLU, "relu6": nn.ReLU6, "leaky_relu": lambda: nn.LeakyReLU(0.2), "elu": nn.ELU, "selu": nn.SELU,
    "gelu": nn.GELU, "gelu_tanh": lambda: nn.GELU("tanh"), "silu": nn.SiLU, "mish": nn.Mish, "sigmoid": nn.Sigmoid, "tanh": nn.Tanh,
    "softplus": nn.Softplus, "softsign": nn.Softsign, "hardswish": nn.Hardswish, "hardsigmoid": nn.Hardsigmoid,
    "hardtanh": lambda: nn.Hardtanh(-0.5, 0.75), "softmax": lambda: nn.Softmax(-1),
    "log_softmax": lambda: nn.LogSoftmax(1), "prelu": lambda: nn.PReLU(6), "glu": lambda: nn.GLU(-1), "threshold": lambda: nn.Threshold(0.1, -2.0),
    "softshrink": nn.Softshrink, "tanhshrink": nn.Tanhshrink}.items()}

POOLS = {
    "max_pool1d": layer(lambda: nn.MaxPool1d(3, 2), 1, 6, 21),
    "max_pool2d": layer(lambda: nn.MaxPool2d(3, 2, padding=1), *IMAGE),
    "max_pool2d_ceil": layer(lambda: nn.MaxPool2d(3, 2, ceil_mode=True), *IMAGE),
    "max_pool3d": layer(lambda: nn.MaxPool3d(2), 1, 3, 4, 6, 8),
    "avg_pool1d": layer(lambda: nn.AvgPool1d(4), 1, 6, 20),
    "avg_pool2d": layer(lambda: nn.AvgPool2d(3, 2, padding=1), *IMAGE),
    "avg_pool2d_exclude": layer(lambda: nn.AvgPool2d(3, 1, padding=1, count_include_pad=False), *IMAGE),
    "adaptive_avg": layer(lambda: nn.AdaptiveAvgPool2d(1), *IMAGE),
    "adaptive_avg_grid": layer(lambda: nn.AdaptiveAvgPool2d((3, 5)), *IMAGE),
    "adaptive_max": layer(lambda: nn.AdaptiveMaxPool2d((4, 2)), *IMAGE),
    "lp_pool": layer(lambda: nn.LPPool2d(2, 2), *IMAGE),
}

SIZES = {
    "upsample_nearest": layer(lambda: nn.Upsample(scale_factor=2), *IMAGE),
    "upsample_bilinear": layer(lambda: nn.Upsample(scale_factor=2, mode="bilinear"), *IMAGE),
    "upsample_corners": layer(lambda: nn.Upsample(scale_factor=3, mode="bilinear", align_corners=True), *IMAGE),
    "interpolate_size": call(lambda x: F.interpolate(x, size=(24, 30), mode="bilinear", align_corners=False), IMAGE),
    "interpolate_linear": call(lambda x: F.interpolate(x, scale_factor=2, mode="linear"), (1, 4, 9)),
    "pixel_shuffle": layer(lambda: nn.PixelShuffle(2), *IMAGE),
    "pixel_unshuffle": layer(lambda: nn.PixelUnshuffle(2), *IMAGE),
    "channel_shuffle": call(lambda x: x.view(1, 2, 4, 12, 10).transpose(1, 2).reshape(IMAGE), IMAGE),
    "grid_sample": call(lambda x, grid: F.grid_sample(x, torch.tanh(grid), align_corners=True), IMAGE, (1, 5, 6, 2)),
    "grid_sample_border": call(lambda x, grid: F.grid_sample(x, grid, padding_mode="border", align_corners=False), IMAGE, (1, 5, 6, 2)),
    "pad_constant": call(lambda x: F.pad(x, (1, 2, 3, 0), value=0.5), IMAGE),
    "pad_reflect": layer(lambda: nn.ReflectionPad2d((2, 1, 0, 3)), *IMAGE),
    "pad_replicate": layer(lambda: nn.ReplicationPad2d(2), *IMAGE),
    "im2col": call(lambda x: F.unfold(x, 3, stride=2), IMAGE),
}

PRODUCTS = {
    "linear": layer(lambda: nn.Linear(16, 24), *ROWS),
    "linear_plain": layer(lambda: nn.Linear(16, 24, bias=False), 5, 16),
    "matmul": call(torch.matmul, (2, 3, 5, 8), (2, 3, 8, 4)),
    "matmul_broadcast": call(torch.matmul, (2, 3, 5, 8), (8, 4)),
    "bmm": call(torch.bmm, (3, 5, 8), (3, 8, 4)),
    "addmm": call(torch.addmm, (5, 4), (5, 8), (8, 4)),
    "einsum_attention": call(lambda q, k: torch.einsum("bhid,bhjd->bhij", q, k), (2, 3, 5, 8), (2, 3, 6, 8)),
    "einsum_outer": call(lambda a, b: torch.einsum("bi,bj->bij", a, b), (3, 5), (3, 4)),
    "einsum_channels": call(lambda a, b: torch.einsum("nchw,nwhu->nchu", a, b), (2, 3, 4, 5), (2, 5, 4, 6)),
    "attention": lambda: (Attention(), (torch.randn(2, 7, 32), torch.randn(2, 5, 32))),
    "attention_plain": lambda: (Attention(bias=False), (torch.randn(1, 7, 32), torch.randn(1, 7, 32))),
    "sdpa": call(F.scaled_dot_product_attention, (1, 4, 6, 8), (1, 4, 9, 8), (1, 4, 9, 8)),
    "sdpa_mask": call(lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m), (1, 4, 6, 8), (1, 4, 9, 8), (1, 4, 9, 8),
                      (1, 1, 6, 9)),
    "sdpa_causal": call(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), (1, 4, 6, 8), (1, 4, 6, 8), (1, 4, 6, 8)),
    "cosine": call(lambda a, b: F.cosine_similarity(a, b, dim=-1), ROWS, ROWS),
    "cdist": call(lambda a, b: (a[:, None] - b[None]).pow(2).sum(-1).sqrt(), (5, 8), (6, 8)),
}

RECURRENT = {
    "lstm": lambda: (First(nn.LSTM(10, 12, batch_first=True)), (torch.randn(2, 7, 10),)),
    "lstm_two": lambda: (First(nn.LSTM(10, 12, num_layers=2)), (torch.randn(7, 1, 10),)),
    "lstm_both": lambda: (First(nn.LSTM(10, 8, bidirectional=True, batch_first=True)), (torch.randn(2, 7, 10),)),
    "lstm_plain": lambda: (First(nn.LSTM(10, 12, bias=False)), (torch.randn(7, 1, 10),)),
    "gru": lambda: (First(nn.GRU(10, 12, batch_first=True)), (torch.randn(2, 7, 10),)),
    "gru_both": lambda: (First(nn.GRU(10, 8, bidirectional=True)), (torch.randn(7, 1, 10),)),
    "rnn": lambda: (First(nn.RNN(10, 12, batch_first=True)), (torch.randn(2, 7, 10),)),
    "rnn_relu": lambda: (First(nn.RNN(10, 12, nonlinearity="relu")), (torch.randn(5, 2, 10),)),
}

INDICES = {
    "embedding": lambda: (nn.Embedding(50, 16), (torch.randint(0, 50, (2, 7)),)),
    "embedding_bag": lambda: (Call(lambda x, w: F.embedding(x, w).mean(1)), (torch.randint(0, 9, (2, 7)), torch.randn(9, 16))),
    "gather": given(lambda x, i: torch.gather(x, 1, i), normal(*ROWS), integers(6, 2, 4, 16)),
    "index_select": given(lambda x, i: torch.index_select(x, 2, i), normal(*ROWS), integers(16, 5)),
    "index": given(lambda x, i: x[:, i], normal(*ROWS), integers(6, 4)),
    "index_pairs": given(lambda x, i, j: x[i, j], normal(*ROWS), integers(2, 5), integers(6, 5)),
    "scatter": given(lambda x, s: x.scatter(1, torch.tensor([[[3] * 16, [0] * 16]] * 2), s), normal(*ROWS), normal(2, 2, 16)),
    "scatter_add": given(lambda x, i, s: x.scatter_add(1, i, s), normal(*ROWS), integers(6, 2, 3, 16), normal(2, 3, 16)),
    "slice_assign": call(lambda x, y: torch.cat([x[:, :2], y, x[:, 4:]], 1), ROWS, (2, 2, 16)),
    "masked_fill": call(lambda x: x.masked_fill(x > 0.5, -1.0), ROWS),
    "where": call(lambda x, y: torch.where(x > y, x * 2, y - 1), ROWS, (6, 16)),
    "topk": call(lambda x: torch.topk(x, 4, dim=-1), ROWS),
    "topk_smallest": call(lambda x: torch.topk(x, 2, dim=1, largest=False)[0], ROWS),
    "sort": call(lambda x: torch.sort(x, dim=-1, descending=True)[0], ROWS),
    "argsort": call(lambda x: torch.argsort(x, dim=-1), ROWS),
    "argmax": call(lambda x: (x.argmax(-1), x.argmin(1, keepdim=True)), ROWS),
    "one_hot": given(lambda i: F.one_hot(i, 9).float(), integers(9, 4)),
    "narrow": call(lambda x: torch.narrow(x, 1, 2, 3), ROWS),
    "strided_slice": call(lambda x: x[:, ::2, 1:-1:3], ROWS),
    "flip": call(lambda x: torch.flip(x, [1, 2]), ROWS),
    "roll": call(lambda x: torch.roll(x, (1, -3), (1, 2)), ROWS),
    "tril": call(lambda x: torch.tril(x), (2, 6, 6)),
    "triu": call(lambda x: torch.triu(x, 1), (2, 6, 6)),
    "repeat": call(lambda x: x.repeat(1, 2, 3), ROWS),
    "repeat_interleave": call(lambda x: x.repeat_interleave(3, dim=1), ROWS),
    "expand": call(lambda x: x[:, None].expand(2, 3, 6, 16) + 1, ROWS),
    "split": call(lambda x: torch.split(x, [1, 5], 1), ROWS),
    "chunk": call(lambda x: torch.chunk(x, 4, -1), ROWS),
    "unbind": call(lambda x: torch.unbind(x, 1)[2], ROWS),
    "stack": call(lambda x, y: torch.stack([x, y], 1), ROWS, ROWS),
    "movedim": call(lambda x: x.movedim(0, 2).flatten(0, 1), ROWS),
    "space_to_depth": call(lambda x: x.reshape(1, 8, 6, 2, 5, 2).permute(0, 3, 5, 1, 2, 4).reshape(1, 32, 6, 5), IMAGE),
}

ARITHMETIC = {
    "add_scaled": call(lambda x, y: torch.add(x, y, alpha=2), ROWS, (16,)),
    "arithmetic": call(lambda x, y: (x - y) * (x + 2) / (y.abs() + 1), ROWS, ROWS),
    "powers": given(lambda x: x ** 3 + x.sqrt() + x.rsqrt() + x ** -0.5 + x.reciprocal(), positive(*ROWS)),
    "pow_runtime": given(lambda x, y: torch.pow(x, y), positive(*ROWS), normal(*ROWS)),
    "exponents": given(lambda x: torch.exp(-x) + torch.log(x) + torch.log1p(x) + torch.expm1(x) + torch.exp2(x) + torch.log2(x), positive(*ROWS)),
    "angles": call(lambda x: torch.sin(x) * torch.cos(x) + torch.atan(x) + torch.sinh(x) + torch.cosh(x), ROWS),
    "inverse_angles": call(lambda x: torch.asin(torch.tanh(x)) + torch.acos(torch.tanh(x)) + torch.atanh(torch.tanh(x) * 0.9), ROWS),
    "atan2": call(torch.atan2, ROWS, ROWS),
    "erf": call(torch.erf, ROWS),
    "roundings": call(lambda x: (torch.floor(x * 3), torch.ceil(x * 3), torch.round(x * 3)), ROWS),
    "floor_div": call(lambda x: (torch.floor_divide(x, 0.3), torch.remainder(x, 0.7)), ROWS),
    "signs": call(lambda x: torch.sign(x) + torch.abs(x) + torch.neg(x), ROWS),
    "clamp": call(lambda x: (x.clamp(-0.5, 0.5), x.clamp(min=0.1), x.clamp(max=0.2)), ROWS),
    "extremes": call(lambda x, y: torch.maximum(x, y) - torch.minimum(x, y), ROWS, (6, 1)),
    "comparisons": call(lambda x, y: ((x > y).float(), (x <= y).float(), (x == y).float(), (x != y).float()), ROWS, ROWS),
    "logic": call(lambda x, y: torch.logical_or(torch.logical_and(x > 0, y > 0), torch.logical_not(x < y)).float()
                  + torch.logical_xor(x > 0, y > 0).float(), ROWS, ROWS),
    "sum": call(lambda x: (x.sum(), x.sum(1), x.sum((0, 2), keepdim=True)), ROWS),
    "mean": call(lambda x: (x.mean(-1), x.mean((1, 2), keepdim=True)), ROWS),
    "variance": call(lambda x: (x.var(-1), x.std(1, unbiased=False)), ROWS),
    "max_min": call(lambda x: (x.amax(1), x.amin((1, 2)), x.max(-1)[0]), ROWS),
    "norms": call(lambda x: (torch.linalg.norm(x, dim=-1), x.norm(p=1, dim=1)), ROWS),
    "logsumexp": call(lambda x: torch.logsumexp(x, -1), ROWS),
    "cumsum": call(lambda x: torch.cumsum(x, 1), ROWS),
    "any_all": call(lambda x: ((x > 1).any(-1).float(), (x > -1).all(1).float()), ROWS),
    "integers": given(lambda i, j: i * 2 + j - 3, integers(50, 2, 6), integers(9, 6)),
    "integer_division": given(lambda i, j: (i // (j + 1), i % (j + 1)), integers(50, 2, 6), integers(9, 6)),
    "casts": call(lambda x: (x * 5).int().float() + (x > 0).int(), ROWS),
    "fills": call(lambda x: x + torch.ones_like(x) + torch.full((6, 16), 0.5) + torch.arange(16), ROWS),
    "linspace": call(lambda x: x * torch.linspace(0, 1, 16), ROWS),
    "meshgrid": call(lambda x: x + torch.stack(torch.meshgrid(torch.arange(6.), torch.arange(16.), indexing="ij")).sum(0), ROWS),
    "dropout": layer(lambda: nn.Sequential(nn.Dropout(0.3), nn.Linear(16, 4)), *ROWS),
}

MODULES = CONVOLUTIONS | NORMS | ACTIVATIONS | POOLS | SIZES | PRODUCTS | RECURRENT | INDICES | ARITHMETIC
