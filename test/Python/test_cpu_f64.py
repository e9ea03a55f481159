"""--cpu-f64: CPU functions that compute in double are the reference of those that compute in single."""
import math

import numpy as np

import anetest

# One function: between two, values are stored as fp32.
MODEL = """func.func @main(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %bounded = ane.tanh %x : tensor<4x64xf32>
  %0 = ane.softmax %bounded {axis = -1 : i64} : tensor<4x64xf32>
  %1 = ane.gelu %x : tensor<4x64xf32>
  %2 = ane.mul %0, %1 : tensor<4x64xf32>, tensor<4x64xf32>
  return %2 : tensor<4x64xf32>
}
"""


def error(tmp_path, name, x, want, *options):
    bundle = tmp_path / f"{name}.anebundle"
    anetest.run("ane-compile", tmp_path / "model.mlir", "--quiet", "-o", bundle, *options)
    directory = tmp_path / name
    np.save(tmp_path / "x.npy", x)
    anetest.run("ane-run", bundle, "--device=cpu", "--input", f"input_0={tmp_path / 'x.npy'}", "--output-dir", directory)
    (output,) = directory.glob("*.npy")
    return np.abs(np.load(output).astype(np.float64) - want).max()


def test_f64_is_nearer_to_double(tmp_path):
    (tmp_path / "model.mlir").write_text(MODEL)
    x = np.random.default_rng(3).normal(size=(4, 64)).astype(np.float32)
    wide = x.astype(np.float64)
    power = np.exp(np.tanh(wide))
    gelu = 0.5 * wide * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
    want = power / power.sum(-1, keepdims=True) * gelu
    single, double = error(tmp_path, "f32", x, want), error(tmp_path, "f64", x, want, "--cpu-f64")
    # Results are stored as fp32: half a unit in the last place is left.
    assert double <= np.spacing(np.float32(np.abs(want).max())) / 2
    assert double < single
