"""What the tests of the Python package share. They use it from the source tree, with the binaries of the build."""
import os
import sys

import numpy as np
import onnx
import onnx.parser

from anetest import BUILD, ROOT

os.environ["ANE_BUILD_DIR"] = str(BUILD)
sys.path.insert(0, str(ROOT / "python-frontend"))


def parse(text):
    """A model from ONNX's text format."""
    model = onnx.parser.parse_model(text)
    onnx.checker.check_model(model)
    return model


def affine(batch="batch"):
    """y = 2 x + 1, and n = k + k on the CPU: float32 and int64, with names that are no identifiers."""
    return parse(f"""<ir_version: 8, opset_import: ["": 17]>
        g (float[{batch}, 64] x, int64[{batch}] "k.0") => (float[{batch}, 64] y, int64[{batch}] "n/0")
        <float two = {{2.0}}, float one = {{1.0}}>
        {{ x2 = Mul(x, two)  y = Add(x2, one)  "n/0" = Add("k.0", "k.0") }}""")


# Inputs of affine() with batch 4, and what it makes of them on the CPU and, in fp16, on the emulator.
X = np.linspace(-2, 2, 4 * 64, dtype=np.float32).reshape(4, 64)
K = np.array([3, -1, 7, 2**40])


def check(outputs, x=X, k=K, atol=0.0):
    assert list(outputs) == ["y", "n/0"]
    np.testing.assert_allclose(outputs["y"], 2 * x + 1, rtol=0, atol=atol)
    np.testing.assert_array_equal(outputs["n/0"], k + k)
