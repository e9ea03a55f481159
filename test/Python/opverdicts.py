"""What Apple's own validator says of single ops: M4 (h16g), macOS 27.0.1, Core ML route, from the operation dispatch of
751K/Apple-Neural-Engine-Microarchitecture-Study-M6 (data/03_compile/opdispatch, and its notes on the dispatch of Core ML for `matmul_k`). What is not
here has an operand that is no tensor of floats at the border of a program, so that no program of ours holds it.

    .venv/bin/python test/Python/opverdicts.py [TARGET...]      prints where the records disagree
"""
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

import anetest
import milcase

FLAGS = ("--target=m4", "--route=coreml", "--os=27")


def tensor(*shape, element="float16"):
    return np.zeros(shape, element)


def weight(*shape):
    return np.full(shape, 0.01, np.float16)


X = tensor(1, 64, 32, 32)
half = np.float16
SAME = dict(pad_type="same", pad=[0, 0, 0, 0])
VALID = dict(pad_type="valid", pad=[0, 0, 0, 0])


def of(*shape, element="fp16"):
    return f"tensor<{element}, [{', '.join(map(str, shape))}]>"


def conv(height, width, channels=64, dilation=1, stride=1, groups=1, pad=SAME, out=None):
    constants = dict(weight=weight(64, channels // groups, height, width), strides=[stride] * 2, dilations=[dilation] * 2, groups=groups, **pad)
    return "conv", {"x": X}, constants, of(1, 64, *(out or (32 // stride, 32 // stride)))


def pool(op, height, width, stride=1, pad=VALID, out=None, **more):
    more = {"ceil_mode": False, **({"exclude_padding_from_average": False} if op == "avg_pool" else {}), **more}
    return op, {"x": X}, dict(kernel_sizes=[height, width], strides=[stride] * 2, **pad, **more), of(1, 64, *(out or (32, 32)))


def unary(op, **constants):
    return op, {"x": X}, constants, of(*X.shape)


def reduction(op, axis):
    shape = list(X.shape)
    shape[axis] = 1
    return op, {"x": X}, dict(axes=[axis], keep_dims=True), of(*shape)


def pad(mode, amounts, *shape):
    return "pad", {"x": X}, dict(pad=amounts, mode=mode, constant_val=half(0)), of(1, *shape)


def product(*shapes, weight_shape=None, out):
    operands = dict(zip("xy", (tensor(*shape) for shape in shapes)))
    constants = dict(transpose_x=False, transpose_y=False)
    if weight_shape:
        constants["y"] = weight(*weight_shape)
    return "matmul", operands, constants, of(*out)


# name -> (whether the engine takes it, op, inputs, constants, type of the result)
PROBES = {name: (verdict, *probe) for verdict, group in {
    True: {
        "conv1x1": conv(1, 1, pad=VALID), "conv3x3": conv(3, 3), "conv3x3_d2": conv(3, 3, dilation=2), "conv3x3_dw": conv(3, 3, groups=64),
        "conv7x7_s2": conv(7, 7, stride=2), "conv_k15": conv(15, 15),
        "conv1d": ("conv", {"x": tensor(1, 64, 1024)}, dict(weight=weight(64, 64, 3), strides=[1], dilations=[1], groups=1, pad_type="same", pad=[0, 0]), of(1, 64, 1024)),
        "conv_dynw": ("conv", {"x": X, "weight": tensor(64, 64, 1, 1)}, dict(strides=[1, 1], dilations=[1, 1], groups=1, **VALID), of(*X.shape)),
        "conv_transpose": ("conv_transpose", {"x": X}, dict(weight=weight(64, 64, 2, 2), strides=[2, 2], dilations=[1, 1], groups=1, **VALID), of(1, 64, 64, 64)),
        "conv_transpose_k3s2": ("conv_transpose", {"x": X}, dict(weight=weight(64, 64, 3, 3), strides=[2, 2], dilations=[1, 1], groups=1, output_shape=[1, 64, 64, 64], **SAME), of(1, 64, 64, 64)),
        "conv_transpose_3d": ("conv_transpose", {"x": tensor(1, 16, 4, 8, 8)}, dict(weight=weight(16, 16, 2, 2, 2), strides=[2] * 3, dilations=[1] * 3, groups=1, pad_type="valid", pad=[0] * 6), of(1, 16, 8, 16, 16)),
        "matmul_dyn": product((1, 128, 256), (1, 256, 128), out=(1, 128, 128)), "matmul_batched4d": product((1, 8, 128, 64), (1, 8, 64, 128), out=(1, 8, 128, 128)),
        "matmul_const": product((1, 128, 256), weight_shape=(1, 256, 512), out=(1, 128, 512)), "matmul_k32768": product((1, 8, 32768), (1, 32768, 8), out=(1, 8, 8)),
        "linear": ("linear", {"x": tensor(1, 128, 256)}, dict(weight=weight(512, 256), bias=weight(512)), of(1, 128, 512)),
        "sdpa_mask": ("scaled_dot_product_attention", dict(query=tensor(1, 8, 128, 64), key=tensor(1, 8, 128, 64), value=tensor(1, 8, 128, 64), attn_mask=tensor(1, 1, 128, 128)), {}, of(1, 8, 128, 64)),
        "softmax_w": unary("softmax", axis=3), "layer_norm_c": unary("layer_norm", axes=[1], epsilon=half(1e-5)),
        "layer_norm_w": ("layer_norm", {"x": tensor(1, 128, 256)}, dict(axes=[2], gamma=weight(256), beta=weight(256), epsilon=half(1e-5)), of(1, 128, 256)),
        "l2_norm": unary("l2_norm", epsilon=half(1e-6)), "lrn": unary("local_response_norm", size=5, alpha=half(1e-4), beta=half(0.75), k=half(1)),
        "avg_pool": pool("avg_pool", 2, 2, 2, out=(16, 16)), "l2_pool": pool("l2_pool", 2, 2, 2, out=(16, 16)), "avg_pool_k14": pool("avg_pool", 14, 14, out=(19, 19)),
        "avg_pool3d": ("avg_pool", {"x": tensor(1, 16, 8, 16, 16)}, dict(kernel_sizes=[2] * 3, strides=[2] * 3, pad_type="valid", pad=[0] * 6, exclude_padding_from_average=False, ceil_mode=False), of(1, 16, 4, 8, 8)),
        "maxpool_k9x1": pool("max_pool", 9, 1, pad=SAME), "maxpool_k8": pool("max_pool", 8, 8, out=(25, 25)),
        "reduce_sum_w": reduction("reduce_sum", 3), "reduce_max_c": reduction("reduce_max", 1), "reduce_min_c": reduction("reduce_min", 1),
        "log_softmax": reduction("reduce_log_sum_exp", 1), "reduce_l2_norm_c": reduction("reduce_l2_norm", 1), "reduce_log_sum_c": reduction("reduce_log_sum", 1),
        "upsample_nearest": ("upsample_nearest_neighbor", {"x": X}, dict(scale_factor_height=2, scale_factor_width=2), of(1, 64, 64, 64)),
        "pad_c": pad("constant", [0, 0, 4, 4, 0, 0, 0, 0], 72, 32, 32), "pad_const": pad("constant", [1, 1, 1, 1], 64, 34, 34),
        "pad_reflect": pad("reflect", [2, 2, 2, 2], 64, 36, 36), "pad_replicate": pad("replicate", [2, 2, 2, 2], 64, 36, 36),
        "transpose_nc": ("transpose", {"x": tensor(8, 64, 16, 16)}, dict(perm=[1, 0, 2, 3]), of(64, 8, 16, 16)),
        "transpose_r5": ("transpose", {"x": tensor(1, 4, 16, 16, 16)}, dict(perm=[0, 2, 1, 4, 3]), of(1, 16, 4, 16, 16)),
        "slice_c": ("slice_by_index", {"x": X}, dict(begin=[0, 8, 0, 0], end=[1, 40, 32, 32]), of(1, 32, 32, 32)),
        "slice_w_stride2": ("slice_by_index", {"x": X}, dict(begin=[0, 0, 0, 0], end=[1, 64, 32, 32], stride=[1, 1, 1, 2]), of(1, 64, 32, 16)),
        "slice_by_size": ("slice_by_size", {"x": X}, dict(begin=[0, 0, 4, 4], size=[1, 64, 16, 16]), of(1, 64, 16, 16)),
        "split_c": ("split", {"x": X}, dict(num_splits=2, axis=1), [of(1, 32, 32, 32)] * 2),
        "stack": ("stack", {"values": (X, X)}, dict(axis=1), of(1, 2, 64, 32, 32)),
        "concat_interleave": ("concat", {"values": (X, X)}, dict(axis=1, interleave=True), of(1, 128, 32, 32)),
        "tile": ("tile", {"x": X}, dict(reps=[1, 2, 1, 2]), of(1, 128, 32, 64)), "reverse_w": unary("reverse", axes=[3]),
        "pixel_shuffle": ("pixel_shuffle", {"x": X}, dict(upscale_factor=2), of(1, 16, 64, 64)),
        "space_to_batch": ("space_to_batch", {"x": X}, dict(block_shape=[2, 2], paddings=np.zeros((2, 2), np.int32)), of(4, 64, 16, 16)),
        "batch_to_space": ("batch_to_space", {"x": tensor(4, 64, 16, 16)}, dict(block_shape=[2, 2], crops=np.zeros((2, 2), np.int32)), of(*X.shape)),
        "space_to_depth": ("space_to_depth", {"x": X}, dict(block_size=2), of(1, 256, 16, 16)),
        "squeeze": ("squeeze", {"x": tensor(1, 64, 1, 32)}, dict(axes=[2]), of(1, 64, 32)),
        "expand_dims": ("expand_dims", {"x": tensor(1, 64, 32)}, dict(axes=[3]), of(1, 64, 32, 1)),
        "gelu_exact": unary("gelu", mode="EXACT"), "silu": unary("silu"), "relu": unary("relu"), "log": unary("log", epsilon=half(0)), "sin": unary("sin"),
        "cos": unary("cos"), "erf": unary("erf"), "clip": unary("clip", alpha=half(-1), beta=half(1)), "sigmoid": unary("sigmoid"), "softplus": unary("softplus"),
        "elu": unary("elu", alpha=half(1)), "scaled_tanh": unary("scaled_tanh", alpha=half(1), beta=half(1)), "ceil": unary("ceil"), "exp2": unary("exp2"),
        "sign": unary("sign"), "round": unary("round"), "thresholded_relu": unary("thresholded_relu", alpha=half(0.5)),
        "hard_sigmoid": unary("sigmoid_hard", alpha=half(0.2), beta=half(0.5)), "pow_const": unary("pow", y=half(3)),
        "pow": ("pow", {"x": X, "y": X}, {}, of(*X.shape)), "add": ("add", {"x": X, "y": X}, {}, of(*X.shape)), "mul": ("mul", {"x": X, "y": X}, {}, of(*X.shape)),
        "real_div": ("real_div", {"x": X, "y": X}, {}, of(*X.shape)), "equal": ("equal", {"x": X, "y": X}, {}, of(*X.shape, element="bool")),
        "relu_w65536": ("relu", {"x": tensor(1, 1, 1, 65536)}, {}, of(1, 1, 1, 65536)),
    },
    False: {
        "conv_k1x31": conv(1, 31), "conv_k32x1": conv(32, 1), "conv_k17": conv(17, 17), "conv_k1x16": conv(1, 16),
        "maxpool_k9_valid": pool("max_pool", 9, 9, out=(24, 24)), "maxpool_k1x15": pool("max_pool", 1, 15, pad=SAME), "maxpool_k31": pool("max_pool", 31, 31, out=(2, 2)),
        "matmul_k40000": product((1, 8, 40000), (1, 40000, 8), out=(1, 8, 8)),
        "relu_w65537": ("relu", {"x": tensor(1, 1, 1, 65537)}, {}, of(1, 1, 1, 65537)), "relu_c65537": ("relu", {"x": tensor(1, 65537, 1, 1)}, {}, of(1, 65537, 1, 1)),
        "acos": unary("acos"), "asin": unary("asin"), "atanh": unary("atanh"), "sinh": unary("sinh"), "reduce_prod_c": reduction("reduce_prod", 1),
        "band_part": ("band_part", {"x": tensor(1, 128, 128)}, dict(lower=-1, upper=0), of(1, 128, 128)),
        "reduce_argmax_c": ("reduce_argmax", {"x": X}, dict(axis=1, keep_dims=True), of(1, 1, 32, 32, element="int32")),
        "cast_f16_i32": ("cast", {"x": X}, dict(dtype="int32"), of(*X.shape, element="int32")),
        "matmul_i32": ("matmul", {"x": tensor(1, 128, 256, element="int32"), "y": tensor(1, 256, 128, element="int32")}, dict(transpose_x=False, transpose_y=False), of(1, 128, 128, element="int32")),
        "argsort_w": ("argsort", {"x": X}, dict(axis=3, ascending=False), of(*X.shape, element="int32")),
    }}.items() for name, probe in group.items()}


def text_of(name):
    _, op, inputs, constants, result = PROBES[name]
    results = [(f"y{index}" if isinstance(result, list) else "y", kind) for index, kind in enumerate(result if isinstance(result, list) else [result])]
    return milcase.program(op, inputs, constants, results)


def lint(path, *flags):
    """What the records say of Apple's program as it is: nothing, or ids of those that it breaks."""
    done = anetest.run("ane-translate", "--lint", path, *(flags or FLAGS), check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def placed(path, *flags):
    """The ops that the compiler leaves to the CPU."""
    matrix = json.loads(anetest.run("ane-compile", path, "--quiet", "--json", *[flag.replace("--target=", "--targets=") for flag in flags or FLAGS]).stdout)
    return [f"{op['op']}: {op['constraint']} {op['reason']}" for op in matrix["targets"][0]["cpu_ops"]]


if __name__ == "__main__":
    flags = [flag if flag.startswith("-") else f"--target={flag}" for flag in sys.argv[1:]]
    disagreements = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (taken, *_) in PROBES.items():
            path = Path(folder) / f"{name}.mil"
            path.write_text(text_of(name))
            refused, on_cpu = lint(path, *flags), placed(path, *flags)
            wrong = (taken and bool(on_cpu)) or (not taken and not refused)
            disagreements += wrong
            if wrong or (taken and refused):
                print(f"{name}: Apple's compiler {'takes' if taken else 'refuses'} it; {'the CPU has ' + '; '.join(on_cpu) if on_cpu else 'on the engine'}"
                      f"; the text {'breaks ' + ' '.join(refused.split()[:30]) if refused else 'breaks nothing'}")
    print(f"{len(PROBES)} probes, {disagreements} disagreements")
