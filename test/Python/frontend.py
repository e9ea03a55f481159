"""What the tests of the Python package share. They use it from the source tree, with the binaries of the build."""
import os
import sys

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
