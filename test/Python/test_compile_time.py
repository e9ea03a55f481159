"""The time to compile grows with the model, not faster."""
import resource

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import anetest
import models


def seconds(path, bundle, host="x86_64-unknown-linux-gnu:x86-64-v3"):
    """Processor time of a compilation."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    before = used()
    anetest.run("ane-compile", path, "-o", bundle, f"--host={host}", "--quiet")
    return used() - before


def test_layers_of_llama(tmp_path):
    times = {}
    for layers in (2, 8, 32):
        path = tmp_path / f"{layers}.onnx"
        onnx.save(models.llama(1, layers).model, path)
        times[layers] = seconds(path, tmp_path / f"{layers}.anebundle")
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
    """Unary ops on each other in four rows, all of them added up."""
    level = [f"v{i}" for i in range(count // 2)]
    nodes = [helper.make_node(("Relu", "Sigmoid", "Tanh", "Exp")[i % 4], [level[i - 4] if i % 97 > 4 else "x"], [level[i]])
             for i in range(len(level))]
    while len(level) > 1:
        pairs = list(zip(level[::2], level[1::2]))
        sums = [f"sum{len(nodes) + i}" for i in range(len(pairs))]
        nodes += [helper.make_node("Add", pair, [name]) for pair, name in zip(pairs, sums)]
        level = sums + level[2 * len(pairs):]
    return nodes, []


def many_nodes(graph, count, path):
    nodes, initializers = graph(count)
    tensor = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 8, 4, 4])
    made = helper.make_graph(nodes, "nodes", [tensor(name) for name in "xyz"], [tensor(nodes[-1].output[0])], initializers)
    onnx.save(helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


@pytest.mark.parametrize("graph", [chain, constants, tree])
def test_nodes(graph, tmp_path):
    times = {count: seconds(many_nodes(graph, count, tmp_path / f"{count}.onnx"), tmp_path / f"{count}.anebundle", "none")
             for count in (5000, 10000)}
    print({count: f"{time:.2f} s" for count, time in times.items()})
    assert times[10000] <= 3 * times[5000], times  # 4 if it were quadratic


@pytest.mark.slow
@pytest.mark.parametrize("graph", [chain, constants, tree])
def test_many_nodes(graph, tmp_path):
    time = seconds(many_nodes(graph, 100_000, tmp_path / "model.onnx"), tmp_path / "bundle.anebundle", "none")
    print(f"{time:.1f} s")
    assert time <= 30
