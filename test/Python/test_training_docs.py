"""What docs/training.md shows, run as it stands there: commands in their order, on small files of the names that they use, for a few steps."""
import os
import re
import shlex
import shutil
import subprocess
import sys

import numpy as np
import onnx
import pytest

import anetest
import tinychat

PAGE = (anetest.ROOT / "docs" / "training.md").read_text()
FEWER = {"steps": 4, "warmup": 2, "save-every": 2, "eval-every": 2, "max-tokens": 2}


def write_mlp(path):
    rng = np.random.default_rng(3)
    values = {"embed.weight": rng.normal(0, 0.5, (4, 8)), "head.weight": rng.normal(0, 0.5, (8, 2)), "head.bias": np.zeros(2)}
    nodes = [onnx.helper.make_node("MatMul", ["x", "embed.weight"], ["a"]), onnx.helper.make_node("Relu", ["a"], ["b"]),
             onnx.helper.make_node("MatMul", ["b", "head.weight"], ["c"]), onnx.helper.make_node("Add", ["c", "head.bias"], ["y"])]
    graph = onnx.helper.make_graph(nodes, "g", [onnx.helper.make_tensor_value_info("x", 1, ["batch", 4])],
                                   [onnx.helper.make_tensor_value_info("y", 1, ["batch", 2])],
                                   [onnx.numpy_helper.from_array(value.astype(np.float32), name) for name, value in values.items()])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9), path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files that the page names, and what its commands make of them."""
    folder = tmp_path_factory.mktemp("training")
    tinychat.write(folder / "SmolLM2-135M")
    (folder / "story.txt").write_text("Once upon a time there was a compiler, and it derived its gradients by itself. " * 300)
    write_mlp(folder / "mlp.onnx")
    for seed, name in enumerate(("train", "test")):
        x = np.random.default_rng(seed).standard_normal((96, 4)).astype(np.float32)
        np.savez(folder / f"{name}.npz", x=x, target=np.abs(x[:, :2]))
    path = f"{anetest.BUILD / 'bin'}{os.pathsep}{os.environ['PATH']}"
    for line in re.findall(r"^    (ane-.*)$", PAGE, re.MULTILINE):
        words = shlex.split(line)
        for i, word in enumerate(words):
            if word.removeprefix("--") in FEWER:
                words[i + 1] = str(FEWER[word.removeprefix("--")])
        done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, env={**os.environ, "PATH": path})
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    return folder


def test_commands(folder):
    assert sorted(path.name for path in (folder / "run").iterdir()) == ["step-000002", "step-000004"]
    assert (folder / "tuned" / "model.safetensors").exists() and (folder / "adapter" / "adapter_model.safetensors").exists()
    assert (folder / "mlp.safetensors").exists() and (folder / "run.jsonl").read_text().count("evaluation_loss") >= 2


def test_python(folder):
    code, = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    environment = {**os.environ, "PYTHONPATH": str(anetest.ROOT / "python-frontend"), "ANE_BUILD_DIR": str(anetest.BUILD)}
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    losses = [float(line.split()[1]) for line in done.stdout.splitlines()]
    assert len(losses) == 3 and losses[2] < losses[0]
    assert (folder / "python-run" / "step-000003" / "state.json").exists()


@pytest.mark.skipif(not (shutil.which("cc") or shutil.which("clang-19")), reason="needs a C compiler")
def test_c(folder):
    code, = re.findall(r"```c\n(.*?)```", PAGE, re.DOTALL)
    (folder / "train.c").write_text(code)
    library = anetest.BUILD / "lib"
    subprocess.run([shutil.which("cc") or "clang-19", "-std=c99", "-Wall", "-Wextra", "-Werror", "train.c", "-I", anetest.ROOT / "runtime" / "include",
                    "-L", library, "-l:libanemone.so.1", f"-Wl,-rpath,{library}", "-o", "train"], cwd=folder, check=True)
    done = subprocess.run(["./train"], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("1: ") and done.stdout.count("\n") == 10, done.stderr
