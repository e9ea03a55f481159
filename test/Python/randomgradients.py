"""Random graphs for gradients: nodes are cases of gradientcases.py, each with its expression in PyTorch, put together at random, so that
every op with a gradient meets every other one in front of it and behind it.

    .venv/bin/python test/Python/randomgradients.py FIRST COUNT      compares graphs of these seeds with PyTorch; a failure is reduced, and printed
"""
import dataclasses
import pickle
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import anetest
import gradientcases
import hostlib
import zoo
from gradientcases import CASES, kind

TORCH = Path(__file__).with_name("torchgradients.py")
ELEMENTS = {"bool": "i1", "int32": "i32", "int64": "i64", "float64": "f64"}
# What brings any value into a domain: y = shift + factor tanh(x).
DOMAINS = {"normal": (0.05, 2.0), "apart": (0.05, 2.0), "inside": (0.0, 0.9), "positive": (1.25, 0.75), "above": (2.1, 0.9)}
MOST = 6  # nodes
LIMIT = 1e-8  # of the largest entry of a gradient, or of all gradients where it vanishes
ROUNDS = {"cast_back", "cast"}  # cases that round to fp32 in PyTorch


def domains_of(case):
    return {name: (entry[0], entry[1]) if entry and isinstance(entry[-1], str) else (entry, "normal") for name, entry in case.inputs.items()}


@dataclasses.dataclass
class Node:
    case: gradientcases.Case
    sources: dict  # {input: the number of an earlier node, or None: an input of the graph}


class Graph:
    """The loss is a weighted sum of what nothing reads."""

    def __init__(self, name, nodes):
        self.name, self.nodes = name, nodes
        read = {source for node in nodes for source in node.sources.values()}
        self.ends = [number for number in range(len(nodes)) if number not in read]

    def leaves(self):
        """{name: (shape, domain)}"""
        return {f"{name}_{number}": domains_of(node.case)[name] for number, node in enumerate(self.nodes)
                for name, source in node.sources.items() if source is None}

    def constants(self):
        return {f"{name}_{number}": array for number, node in enumerate(self.nodes) for name, array in node.case.constants.items()}

    def weights(self):
        return {f"weights_{number}": self.nodes[number].case.y for number in self.ends}

    def text(self):
        inputs = {name: kind(shape) for name, (shape, _) in self.leaves().items()}
        fixed = {name: kind(array.shape, ELEMENTS[array.dtype.name]) for name, array in self.constants().items()}
        weights = {name: kind(shape) for name, shape in self.weights().items()}
        signature = ", ".join(f'%{name}: {type_} {{ane.io_name = "{name}"}}' for name, type_ in (inputs | fixed | weights).items())
        lines = [f"func.func @{self.name}({signature}) -> tensor<f64> {{"]
        for number, node in enumerate(self.nodes):
            domains = domains_of(node.case)
            for name, source in node.sources.items():
                if source is not None:
                    lines += adapted(f"{name}_{number}", f"y_{source}", self.nodes[source].case.y, *domains[name])
            types = {name: kind(shape) for name, (shape, _) in domains.items()} | {
                name: kind(array.shape, ELEMENTS[array.dtype.name]) for name, array in node.case.constants.items()} | {"y": kind(node.case.y)}
            text = re.sub(r"<(\w+)>", lambda match: types.get(match[1], match[0]), node.case.text)
            lines.append(re.sub(r"%(\w+)", rf"%\1_{number}", text))
        total = None
        for number in self.ends:
            type_ = kind(self.nodes[number].case.y)
            lines += [f"%p_end_{number} = ane.mul %y_{number}, %weights_{number} : {type_}, {type_}",
                      f"%s_end_{number} = ane.reduce_sum %p_end_{number} : ({type_}) -> tensor<f64>"]
            if total is not None:
                lines.append(f"%t_end_{number} = ane.add {total}, %s_end_{number} : tensor<f64>, tensor<f64>")
            total = f"%s_end_{number}" if total is None else f"%t_end_{number}"
        return "\n".join([*lines, f"return {total} : tensor<f64>", "}"])

    def torch(self):
        """Statements that compute the loss."""
        lines = []
        for number, node in enumerate(self.nodes):
            domains = domains_of(node.case)
            for name, source in node.sources.items():
                where = f"{name}_{number}"
                if source is not None:
                    shape, domain = domains[name]
                    shift, factor = DOMAINS[domain]
                    size = int(np.prod(shape, dtype=np.int64))
                    repeats = -(-size // max(1, int(np.prod(self.nodes[source].case.y, dtype=np.int64))))
                    lines.append(f"{where} = {shift} + {factor} * torch.tanh(y_{source}.reshape(-1).repeat({repeats})[:{size}].reshape({tuple(shape)}))")
            names = [*node.sources, *node.case.constants]
            expression = re.sub(r"(?<![\w.'])(" + "|".join(names) + r")(?![\w='])", rf"\1_{number}", node.case.torch)
            lines.append(f"y_{number} = {expression}")
        lines.append("loss = " + " + ".join(f"(y_{number} * weights_{number}).sum()" for number in self.ends))
        return "\n".join(lines)

    def values(self):
        generator = np.random.default_rng(sum(map(ord, self.name)))
        inputs = {name: gradientcases.draw(generator, shape, domain) for name, (shape, domain) in self.leaves().items()}
        return inputs, self.constants(), {name: generator.normal(size=shape) for name, shape in self.weights().items()}


def adapted(to, source, shape, wanted, domain):
    """The elements of a value, as often as needed, in another shape, and in a domain."""
    size, have = int(np.prod(wanted, dtype=np.int64)), max(1, int(np.prod(shape, dtype=np.int64)))
    repeats, (shift, factor) = -(-size // have), DOMAINS[domain]
    flat, tiled, cut, type_ = kind((have,)), kind((have * repeats,)), kind((size,)), kind(wanted)
    sizes = ", ".join(map(str, wanted))
    shape_text = f"array<i64: {sizes}>" if wanted else "array<i64>"
    return [f"%a_{to} = ane.reshape %{source} {{shape = array<i64: {have}>}} : ({kind(shape)}) -> {flat}",
            f"%b_{to} = ane.tile %a_{to} {{reps = array<i64: {repeats}>}} : ({flat}) -> {tiled}",
            f"%c_{to} = ane.slice_by_size %b_{to} {{begin = array<i64: 0>, size = array<i64: {size}>}} : ({tiled}) -> {cut}",
            f"%d_{to} = ane.reshape %c_{to} {{shape = {shape_text}}} : ({cut}) -> {type_}",
            f"%e_{to} = ane.tanh %d_{to} : {type_}",
            f"%f_{to} = ane.const dense<{factor}> : tensor<f64>", f"%g_{to} = ane.mul %e_{to}, %f_{to} : {type_}, tensor<f64>",
            f"%h_{to} = ane.const dense<{shift}> : tensor<f64>", f"%{to} = ane.add %g_{to}, %h_{to} : {type_}, tensor<f64>"]


def graph(seed):
    generator = np.random.default_rng(seed)
    cases = [case for case in CASES if case.name not in ROUNDS]
    nodes = []
    for number in range(int(generator.integers(2, MOST + 1))):
        case = cases[int(generator.integers(len(cases)))]
        sources = {name: int(generator.integers(number)) if number and generator.random() < 0.7 else None for name in case.inputs}
        nodes.append(Node(case, sources))
    return Graph(f"g{seed}", nodes)


def failures(graphs):
    """{name: what is wrong}, beside PyTorch in double."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "graphs.mlir").write_text("\n".join(each.text() for each in graphs))
        passes = [f"--ane-autodiff=function={each.name} wrt={','.join(each.leaves())}" for each in graphs]
        anetest.run("ane-opt", folder / "graphs.mlir", *passes, "--cse", "--canonicalize", "-o", folder / "gradients.mlir")
        library = hostlib.Library((folder / "gradients.mlir").read_text(), folder / "library", "f64=true")
        with open(folder / "cases", "wb") as file:
            pickle.dump([(each.name, each.torch(), *each.values()) for each in graphs], file)
        subprocess.run([zoo.python(), TORCH, folder / "cases", folder / "results"], check=True, stdin=subprocess.DEVNULL)
        with open(folder / "results", "rb") as file:
            want = pickle.load(file)
        wrong = {}
        for each in graphs:
            values = [array for part in each.values() for array in part.values()]
            loss, *gradients = library(f"{each.name}_gradients", *values)
            names = sorted(each.leaves())
            wanted_loss, wanted = want[each.name]
            whole = max([np.abs(array).max() for array in wanted.values() if array.size] + [1e-6])
            if not np.isfinite(wanted_loss) or not all(np.isfinite(array).all() for array in wanted.values()):
                continue
            errors = {"the loss": abs(float(loss) - wanted_loss) / max(abs(wanted_loss), 1.0)}
            for name, gradient in zip(names, gradients):
                errors[name] = np.abs(gradient - wanted[name]).max() / max(np.abs(wanted[name]).max(), 1e-3 * whole)
            found = [f"{name} is off by {error:.1e}" for name, error in errors.items() if not error < LIMIT]
            if found:
                wrong[each.name] = ", ".join(found)
        return wrong


def reduced(each):
    """The smallest graph that still fails: nodes go from the end, then results of nodes become inputs."""
    def fails(other):
        try:
            return bool(failures([other]))
        except Exception:  # another failure is none of this one's
            return False

    nodes, changed = list(each.nodes), True
    while changed:
        changed = False
        for number in reversed(range(len(nodes))):
            kept = [Node(node.case, {name: None if source == number else source - (source is not None and source > number) if source is not None else None
                                     for name, source in node.sources.items()}) for place, node in enumerate(nodes) if place != number]
            if kept and fails(Graph(each.name, kept)):
                nodes, changed = kept, True
        for number, node in enumerate(nodes):
            for name, source in node.sources.items():
                if source is not None:
                    less = [dataclasses.replace(other, sources=dict(other.sources)) for other in nodes]
                    less[number].sources[name] = None
                    if fails(Graph(each.name, less)):
                        nodes, changed = less, True
    return Graph(each.name, nodes)


def compare(first, count, together=25):
    """Reports of what fails, with the smallest graphs."""
    reports = []
    for begin in range(first, first + count, together):
        graphs = [graph(seed) for seed in range(begin, min(begin + together, first + count))]
        for name, what in failures(graphs).items():
            small = reduced(next(each for each in graphs if each.name == name))
            reports.append(f"{name}: {what}\n{failures([small]).get(name, '')}\n{small.text()}\n# in PyTorch:\n{small.torch()}")
    return reports


if __name__ == "__main__":
    found = compare(int(sys.argv[1]), int(sys.argv[2]))
    print("\n\n".join(found) or f"{sys.argv[2]} graphs agree")
    sys.exit(bool(found))
