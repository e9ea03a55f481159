"""Models of the benchmark: published architectures with drawn weights, and two real ones.

The shapes need no download: a benchmark of speed asks for the architecture, not for the training. Biases and
statistics are drawn, too (see test/Python/models.py), so that no graph optimiser finds zeros to remove.
"""
import sys
from pathlib import Path

import numpy as np
import onnx

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test" / "Python"))
import anetest  # noqa: E402
import models  # noqa: E402
from models import FLOAT  # noqa: E402


class Model:
    """An ONNX file, the values of its free dimensions, and a generator of inputs {name: array}."""

    def __init__(self, path, inputs, dims=(), options=()):
        self.path, self.inputs, self.dims, self.options = path, inputs, dict(dims), list(options)


class Images(models.Builder):
    """Convolutional networks in NCHW."""

    def conv(self, x, channels, filters, kernel=1, stride=1, groups=1, activation=None):
        """Convolution, batch normalisation with drawn statistics, activation."""
        fan = channels // groups * kernel * kernel
        weight = self.constant((self.rng.standard_normal((filters, channels // groups, kernel, kernel)) * np.sqrt(2 / fan))
                               .astype(np.float32))
        x = self.op("Conv", x, weight, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4, group=groups)
        variance = self.constant(self.rng.uniform(0.8, 1.4, filters).astype(np.float32))
        scale = self.constant(self.rng.uniform(0.6, 1.1, filters).astype(np.float32))
        x = self.op("BatchNormalization", x, scale, self.bias(filters), self.bias(filters), variance, epsilon=1e-5)
        if activation == "Relu":
            return self.op("Relu", x)
        if activation == "Relu6":
            return self.op("Clip", x, self.constant(np.float32(0)), self.constant(np.float32(6)))
        return x

    def classifier(self, x, channels, classes=1000):
        x = self.op("Flatten", self.op("GlobalAveragePool", x), axis=1)
        x = self.op("Gemm", x, self.matrix(classes, channels), self.bias(classes), transB=1)
        return self.model([("x", FLOAT, [1, 3, 224, 224])], [(x, [1, classes])])


def resnet50(seed=50):
    """Bottlenecks 3, 4, 6, 3 with the stride in the 3x3."""
    b = Images(seed)
    x = b.conv("x", 3, 64, 7, 2, activation="Relu")
    x, channels = b.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4), 64
    for stage, blocks in enumerate((3, 4, 6, 3)):
        width, stride = 64 << stage, 1 if stage == 0 else 2
        for block in range(blocks):
            step = stride if block == 0 else 1
            y = b.conv(x, channels, width, activation="Relu")
            y = b.conv(y, width, width, 3, step, activation="Relu")
            y = b.conv(y, width, 4 * width)
            side = b.conv(x, channels, 4 * width, 1, step) if block == 0 else x
            x, channels = b.op("Relu", b.op("Add", y, side)), 4 * width
    return models.Made(b.classifier(x, channels), models.normal_inputs(x=(1, 3, 224, 224)))


def mobilenet_v2(seed=2):
    """Inverted residuals with depthwise 3x3 and ReLU6."""
    b = Images(seed)
    x, channels = b.conv("x", 3, 32, 3, 2, activation="Relu6"), 32
    for expansion, filters, repeats, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                                                (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
        for repeat in range(repeats):
            step, inner = stride if repeat == 0 else 1, channels * expansion
            y = b.conv(x, channels, inner, activation="Relu6") if expansion > 1 else x
            y = b.conv(y, inner, inner, 3, step, inner, activation="Relu6")
            y = b.conv(y, inner, filters)
            x, channels = b.op("Add", x, y) if step == 1 and channels == filters else y, filters
    x = b.conv(x, channels, 1280, activation="Relu6")
    return models.Made(b.classifier(x, 1280), models.normal_inputs(x=(1, 3, 224, 224)))


def bert(seed=12, layers=12):
    return models.encoder(seed, sequence=128, width=768, heads=12, layers=layers, vocabulary=30522)


def token_inputs(length, names=("input_ids", "attention_mask", "token_type_ids")):
    def inputs(seed):
        rng = np.random.default_rng(seed)
        values = [rng.integers(0, 30522, (1, length)), np.ones((1, length), np.int64), np.zeros((1, length), np.int64)]
        return dict(zip(names, values))
    return inputs


def detector_path():
    """ch_PP-OCRv4_det_infer.onnx of pip's rapidocr-onnxruntime, or None."""
    folder = anetest.package_dir("rapidocr_onnxruntime")
    return folder / "models" / "ch_PP-OCRv4_det_infer.onnx" if folder else None


MADE = {"resnet50": resnet50, "mobilenet_v2": mobilenet_v2, "bert": bert,
        **{f"encoder-{depth}": lambda depth=depth: models.encoder(7, 64, 256, 4, depth, 1000) for depth in (2, 8, 32)},
        **{f"llama-{depth}": lambda depth=depth: models.llama(7, depth) for depth in (2, 8, 32)}}


def load(name, folder):
    """The model by name; files of made ones are kept in `folder`. None where its package is not installed."""
    if name == "minilm":
        path = anetest.minilm_path()
        return path and Model(path, token_inputs(128), {"batch_size": 1, "sequence_length": 128})
    if name == "detector":
        path, shape = detector_path(), (1, 3, 640, 640)
        if not path:
            return None
        feed = onnx.load(path, load_external_data=False).graph.input[0].name
        return Model(path, models.normal_inputs(**{feed: shape}), options=[f"--shape={feed}=" + "x".join(map(str, shape))])
    made, path = MADE[name](), Path(folder) / f"{name}.onnx"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        onnx.save(made.model, path)
    return Model(path, made.inputs)
