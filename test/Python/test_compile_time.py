"""The time to compile grows with the model, not faster."""
import re
import subprocess
import sys
from collections import Counter

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import anetest
import hostilemodels
import models


# In a process of its own: the most memory of a child counts from what its parent had when it was started.
MEASURE = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)
sys.exit(code)
"""


def usage(path, bundle, host="x86_64-unknown-linux-gnu:x86-64-v3"):
    """Processor time (seconds) and most memory (bytes) of a compilation."""
    command = [anetest.tool("ane-compile"), path, "-o", bundle, f"--host={host}", "--quiet"]
    done = subprocess.run([sys.executable, "-c", MEASURE, *command], capture_output=True, text=True, timeout=anetest.TIMEOUT)
    assert done.returncode == 0, done.stderr
    time, memory = done.stdout.split()
    return float(time), int(memory)


def test_layers_of_llama(tmp_path):
    times = {}
    for layers in (2, 8, 32):
        path = tmp_path / f"{layers}.onnx"
        onnx.save(models.llama(1, layers).model, path)
        times[layers], _ = usage(path, tmp_path / f"{layers}.anebundle")
    print({layers: f"{time:.2f} s" for layers, time in times.items()})
    assert times[32] <= 4 * 1.2 * times[8], times


def chain(count):
    """relu, add, mul, .. one after the other, on two other inputs."""
    names = ["x"] + [f"v{i}" for i in range(count)]
    others = [[], ["y"], ["z"]]
    return [helper.make_node(("Relu", "Add", "Mul")[i % 3], [names[i], *others[i % 3]], [names[i + 1]])
            for i in range(count)], []


def constants(count):
    """The same with a constant of its own for each add and mul."""
    nodes, _ = chain(count)
    made = []
    for i, node in enumerate(nodes):
        if len(node.input) > 1:
            node.input[1] = f"c{i}"
            made.append(numpy_helper.from_array(np.arange(8, dtype=np.float32).reshape(8, 1, 1) + i % 7, f"c{i}"))
    return nodes, made


def tree(count):
    """Four chains of unary ops, each op of which is read at the end, too: half of all values live at once."""
    level = [f"v{i}" for i in range(count // 2)]
    nodes = [helper.make_node(("Sigmoid", "Tanh", "Exp", "Sqrt")[i % 4], [level[i - 4] if i >= 4 else "x"], [level[i]])
             for i in range(len(level))]
    while len(level) > 1:
        pairs = list(zip(level[::2], level[1::2]))
        sums = [f"sum{len(nodes) + i}" for i in range(len(pairs))]
        nodes += [helper.make_node("Add", pair, [name]) for pair, name in zip(pairs, sums)]
        level = sums + level[2 * len(pairs):]
    return nodes, []


def programs(count):
    """Ops of the engine between casts to 64 bits, which are the CPU's: each is a program of its own. The first is a pool, as what is
    computed from inputs alone would be the CPU's, too."""
    nodes = []
    for i in range(count // 3):
        nodes.append(helper.make_node("Tanh", [f"v{i}"], [f"t{i}"]) if i else
                     helper.make_node("AveragePool", ["x"], ["t0"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]))
        nodes.append(helper.make_node("Cast", [f"t{i}"], [f"k{i}"], to=TensorProto.INT64))
        nodes.append(helper.make_node("Cast", [f"k{i}"], [f"v{i + 1}"], to=TensorProto.FLOAT))
    return nodes, []


def many_nodes(graph, count, path):
    nodes, initializers = graph(count)
    tensor = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 8, 4, 4])
    made = helper.make_graph(nodes, "nodes", [tensor(name) for name in "xyz"], [tensor(nodes[-1].output[0])], initializers)
    onnx.save(helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def check_growth(graph, few, many, most, folder):
    """What `many` nodes take is at most `most` times what `few` take; returns their memory. Processor time doubles on a busy machine:
    the least of three turns counts, and of more where that is too much."""
    paths = {count: many_nodes(graph, count, folder / f"{count}.onnx") for count in (few, many)}
    times, memory = {few: [], many: []}, 0
    while len(times[many]) < 3 or (min(times[many]) > most * min(times[few]) and len(times[many]) < 6):
        for count, path in paths.items():
            time, used = usage(path, folder / f"{count}.anebundle", "none")
            times[count].append(time)
            memory = max(memory, used)
    print(f"{min(times[many]) / min(times[few]):.1f} times, {times}, {memory >> 20} MB")
    assert min(times[many]) <= most * min(times[few]), times
    return memory


@pytest.mark.parametrize("graph", [chain, constants, tree])
def test_nodes(graph, tmp_path):
    # 8 times the nodes: 10 times n log n, and 23 times n^1.5.
    memory = check_growth(graph, 4000, 32000, 12, tmp_path)
    assert memory <= 512 << 20


def walks_and_rewrites(path, folder):
    """How often a compilation goes through a whole body (passes, iterations of their patterns), and patterns that it tries:
    the same on every machine."""
    module, actions = folder / "module.mlir", folder / "actions.txt"
    anetest.run("ane-compile", path, "--compile-to=input", "--quiet", "-o", module)
    anetest.run("ane-opt", module, "--ane-to-emittable", f"--log-actions-to={actions}", "--mlir-disable-threading", "-o", "/dev/null")
    begun = Counter(re.findall(r" begins \(no breakpoint\) Action `?([\w-]+)", actions.read_text()))
    return begun["pass-execution"] + begun["GreedyPatternRewriteIteration"], begun["apply-pattern"]


@pytest.mark.parametrize("graph, most, each", [(chain, 69, 11), (constants, 70, 11), (tree, 108, 13)])
def test_walks(graph, most, each, tmp_path):
    """A pass more, or one that runs once more, is seen here, and not in the time it takes."""
    counts = {count: walks_and_rewrites(many_nodes(graph, count, tmp_path / "m.onnx"), tmp_path) for count in (60, 480)}
    print(counts)
    assert counts[480][0] == counts[60][0] <= most
    assert counts[480][1] <= 480 * each


def test_many_programs(tmp_path):
    """Folders and files are written for each, so fewer than of plain nodes."""
    times = {count: usage(many_nodes(programs, count, tmp_path / f"{count}.onnx"), tmp_path / f"{count}.anebundle", "none")[0]
             for count in (3000, 12000)}
    print({count: f"{time:.2f} s" for count, time in times.items()})
    # Far from both 4 and the 16 of what is quadratic.
    assert times[12000] <= 8 * times[3000], times


@pytest.mark.slow
@pytest.mark.parametrize("graph", [chain, constants, tree])
def test_many_nodes(graph, tmp_path):
    time, memory = usage(many_nodes(graph, 100_000, tmp_path / "model.onnx"), tmp_path / "bundle.anebundle", "none")
    print(f"{time:.1f} s, {memory >> 20} MB")
    assert time <= 30
    assert memory <= 2 << 30


@pytest.mark.parametrize("op, shape, outputs, attributes", [
    ("Concat", [1, 1], 1, {"axis": 1}),
    ("Concat", [1, 4, 8, 8], 1, {"axis": 1}),
    ("Concat", [2, 3], 1, {"axis": 0}),
    ("Split", [16000, 4], 16000, {"axis": 0, "num_outputs": 16000}),
    ("Split", [1, 16000, 1, 8], 16000, {"axis": 1, "num_outputs": 16000}),
    *((op, [1, 8], 1, {}) for op in ("Sum", "Mean", "Max", "Min")),
])
def test_wide_nodes(op, shape, outputs, attributes, tmp_path):
    """One node of 16,000 inputs, or outputs."""
    inputs = 16000 if outputs == 1 else 1
    (tmp_path / "model.onnx").write_bytes(hostilemodels.one_node(op, [shape] * inputs, outputs, **attributes))
    time, memory = usage(tmp_path / "model.onnx", tmp_path / "bundle.anebundle", "none")
    print(f"{time:.1f} s, {memory >> 20} MB")
    assert time <= 10
    assert memory <= 2 << 30


def test_widest_sum(tmp_path):
    """Of 40,000 inputs: 4 s, and a minute where each of them asks all additions behind it for the layout that they want."""
    (tmp_path / "model.onnx").write_bytes(hostilemodels.one_node("Sum", [[1, 8]] * 40000))
    time, _ = usage(tmp_path / "model.onnx", tmp_path / "bundle.anebundle", "none")
    print(f"{time:.1f} s")
    assert time <= 20
