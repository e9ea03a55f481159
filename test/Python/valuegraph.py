"""Random ONNX graphs with values, from seeds: values that hurt, of every element type, constants mixed with inputs.

A graph is built step by step, and each step is evaluated at once (valueoracle.py), so that a maker of ops (valueops.py, valuelayers.py,
valuemoves.py) sees the numbers it builds on and stays clear of what ONNX leaves undefined. Its leaves may become inputs or constants:
`model` writes many graphs into one ONNX model, each under a prefix of its own, as they are or folded."""
import re
from collections import namedtuple
from functools import lru_cache

import ml_dtypes
import numpy as np
from onnx import helper, numpy_helper

import anetest
import valueoracle

TYPES = {"float16": np.float16, "float": np.float32, "double": np.float64, "bfloat16": ml_dtypes.bfloat16, "bool": np.bool_,
         **{name: np.dtype(name) for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")}}
GROUPS = {"floats": ["float16", "float", "double"], "ints": ["int8", "int16", "int32", "int64"],
          "uints": ["uint8", "uint16", "uint32", "uint64"]}
GROUPS["numbers"] = sum(GROUPS.values(), [])
# How often each type is drawn, beside the others that an op takes.
WEIGHTS = {"float": 40, "int64": 8, "int32": 8, "double": 8, "float16": 8, "bfloat16": 1, "bool": 3}
OPSETS = [9, 11, 13, 14, 17, 18, 19, 20, 21, 22, 23, 24]
SIZES = [1, 1, 2, 3, 4, 5, 7, 8, 16, 17]
MOST = 150  # elements of a value, but for large ones: beyond vectors' tails, constants that are weights
LARGE = {1: (1031,), 2: (67, 33), 3: (3, 257, 2), 4: (1, 4, 17, 31), 5: (2, 1, 5, 16, 9)}

HARD = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.5, 0.1, 1 / 3, 7, 21, -21, 41, 255, 499, 1e-3, 5e-5, 6e-5, 6e-8, -6e-8, 1e-8,
        1e-10, -1e-12, 2049, 4096, 4992, 30000, -30001, 32768, 65504, 65519, -65520, 7e4, 8e4, 1e5, -1e6, 2**24, -(2**24) - 2, 2**31, 1e9,
        2**53, 1e15, 1e20, 3e38, -3e38, np.finfo(np.float32).max, np.finfo(np.float32).tiny, 1e-40, -1e-45]
ENDLESS = [np.inf, -np.inf, np.nan]
WHOLE = [0, 1, -1, 2, 3, 7, -8, 127, 128, 255, -128, -129, 256, 32767, 32768, 65535, 65536, -32769, 2**24, 2**24 + 1, -(2**24) - 1, 46341,
         2**31 - 1, 2**31, -2**31, -2**31 - 1, 2**32 - 1, 2**32, 2**53, 2**53 + 1, -2**53 - 1, 2**62 + 1, 2**63 - 1, -2**63, 2**63, 2**64 - 1]
TAME = ["unit", "unit", "eighths", "whole", "positive", "angles"]
WIDE = TAME + ["large", "tiny", "mask", "hard", "near"]

Step = namedtuple("Step", "nodes inputs outputs")  # nodes as one: tensors in and out, whatever is between


class Undrawable(Exception):
    """What a maker had in mind can't be: no operand, no element type, no evaluation."""


@lru_cache(None)
def signatures():
    """(domain, op) -> [(since, inputs, {variable: types})], the importer's own table."""
    made = {}
    text = (anetest.ROOT / "lib" / "Import" / "ONNX" / "Signatures.inc").read_text()
    for domain, op, versions, inputs, variables in re.findall(r'SIGNATURE\("(.*?)", "(\w+)", "([\d ]+)", "(.*?)", "(.*?)"\)', text):
        table = {}
        for variable in filter(None, variables.split("; ")):
            name, kinds = variable.split(" = ")
            table[name] = [t for kind in kinds.split() for t in GROUPS.get(kind, [kind]) if t in TYPES]
        made.setdefault((domain, op), []).extend((int(version), inputs.split(), table) for version in versions.split())
    return {key: sorted(rows, key=lambda row: row[0]) for key, rows in made.items()}


def signature(domain, op, opset):
    """(inputs, {variable: types}) of an op in an opset; None if it has it not."""
    rows = [row for row in signatures().get((domain, op), []) if row[0] <= (opset if domain == "" else 1)]
    return rows[-1][1:] if rows else None


class Value:
    """A tensor of the graph. `fixed`: a constant in any case, such as a shape."""

    def __init__(self, name, array, leaf=False, fixed=False):
        self.name, self.array, self.leaf, self.fixed = name, array, leaf, fixed

    shape = property(lambda self: self.array.shape)
    rank = property(lambda self: self.array.ndim)
    size = property(lambda self: self.array.size)
    dtype = property(lambda self: self.array.dtype)
    floating = property(lambda self: self.dtype.kind == "f" or self.dtype == ml_dtypes.bfloat16)


class Graph:
    """One graph under construction. `values` {name: Value}, `steps` [Step], `constants`: leaves that are constants unfolded, too."""

    def __init__(self, generator, opset, wide=False):
        self.random, self.opset, self.wide = generator, opset, wide
        self.values, self.steps, self.constants, self.outputs, self.ops, self.named = {}, [], set(), [], [], 0
        self.mood = self.one_of([TAME, TAME, WIDE])
        self.hard = self.mood is WIDE and self.chance(0.5)  # with infinities and NaN
        self.large = self.chance(0.04)

    # Choices.

    def chance(self, probability):
        return self.random.random() < probability

    def one_of(self, items):
        return items[int(self.random.integers(len(items)))]

    def between(self, low, high):
        """An integer, both ends included."""
        return int(self.random.integers(low, high + 1))

    def shape(self, rank=None):
        rank = self.one_of([0, 1, 1, 2, 2, 3, 3, 4]) if rank is None else rank
        if self.large and rank and self.chance(0.5):
            return LARGE[rank]
        while True:
            shape = tuple(self.one_of(SIZES) for _ in range(rank))
            if np.prod(shape) <= MOST:
                return shape

    def axis(self, value):
        """(axis, as it is written): from either end."""
        if not value.rank:
            raise Undrawable("no axis")
        axis = self.between(0, value.rank - 1)
        return axis, axis - value.rank if self.chance(0.4) else axis

    def axes(self, value):
        """Some axes, sorted."""
        if not value.rank:
            raise Undrawable("no axis")
        return sorted(int(a) for a in self.random.choice(value.rank, self.between(1, value.rank), replace=False))

    def element(self, types):
        """One of the element types."""
        types = [t for t in types if t in TYPES]
        if not types:
            raise Undrawable("no element type")
        weights = np.array([WEIGHTS.get(t, 2) for t in types], float)
        return TYPES[types[int(self.random.choice(len(types), p=weights / weights.sum()))]]

    def elements(self, op, variable="T", domain=""):
        """An element type that the op takes."""
        found = signature(domain, op, self.opset)
        if not found or variable not in found[1]:
            raise Undrawable(op)
        return self.element(found[1][variable])

    # Leaves.

    def numbers(self, shape, dtype, regime=None):
        """Random numbers of a type."""
        dtype = np.dtype(dtype)
        if dtype == np.bool_:
            return self.random.integers(0, 2, shape).astype(bool)
        if dtype.kind in "iu":
            return self._integers(shape, dtype, regime)
        regime = regime or self.one_of(self.mood)
        r, scale = self.random, 1.0
        if regime == "unit":
            drawn = r.normal(0, 1, shape)
        elif regime == "eighths":
            drawn = r.integers(-64, 65, shape) / 8
        elif regime == "whole":
            drawn = r.integers(-50, 51, shape).astype(float)
        elif regime == "positive":
            drawn = r.uniform(0.1, 4, shape)
        elif regime == "angles":
            drawn = r.integers(0, 4097, shape).astype(float)
        elif regime == "large":
            drawn = r.normal(0, 1, shape) * 10.0 ** r.integers(3, 7)
        elif regime == "tiny":
            drawn = r.normal(0, 1, shape) * 10.0 ** r.integers(-11, -4)
        elif regime == "mask":
            drawn = np.where(r.random(shape) < 0.5, 0.0, self.one_of([-1e4, -1e9, -65504.0, -3.4e38, 1.0] + [-np.inf] * self.hard))
        elif regime == "near":
            drawn = r.uniform(6e4, 7e4, shape) * r.choice([-1, 1], shape)
        else:
            drawn = r.choice(HARD + ENDLESS * self.hard, shape)
        with np.errstate(all="ignore"):
            made = np.asarray(drawn).astype(dtype)
        if not self.hard:  # what the type can't hold
            made = np.where(np.isfinite(made.astype(np.float64)), made, np.asarray(1, dtype)).astype(dtype)
        return made

    def _integers(self, shape, dtype, regime):
        info = np.iinfo(dtype)
        regime = regime or (self.one_of(["small", "small", "hard", "any"]) if self.mood is WIDE else "small")
        if regime == "small":
            return self.random.integers(max(info.min, -9), 10, shape).astype(dtype)
        if regime == "any":
            return self.random.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
        return np.asarray(self.random.choice(np.array([n for n in WHOLE if info.min <= n <= info.max], dtype), shape))

    def leaf(self, array, fixed=False):
        """An input or a constant of this value; with `fixed` always a constant."""
        value = Value(self.name(), np.asarray(array), True, fixed)
        self.values[value.name] = value
        if fixed or self.chance(0.35) or not self.wide and beyond_half(value):
            self.constants.add(value.name)
        return value

    def fixed(self, array, dtype=np.int64):
        return self.leaf(np.asarray(array, dtype), fixed=True)

    def value(self, dtype=None, rank=None, least=0, most=5, fits=lambda value: True, regime=None):
        """A value of the graph that fits, or a new leaf."""
        dtype = np.dtype(dtype or np.float32)
        least, most = (rank, rank) if rank is not None else (least, most)
        wanted = [v for v in self.values.values() if not v.fixed and v.size and v.dtype == dtype and least <= v.rank <= most and fits(v)]
        if wanted and self.chance(0.75):
            return self.one_of(wanted[-3:])
        for _ in range(30):
            shape = self.shape(self.between(least, min(most, 4)))
            made = Value("", self.numbers(shape, dtype, regime))
            if fits(made):
                return self.leaf(made.array)
        raise Undrawable("no operand")

    def partner(self, x, dtype=None, regime=None):
        """A second operand that broadcasts with x."""
        dtype = np.dtype(dtype or x.dtype)
        same = [v for v in self.values.values() if v.shape == x.shape and v.dtype == dtype and not v.fixed]
        if same and self.chance(0.3):
            return self.one_of(same)
        shape = [1 if self.chance(0.3) else d for d in x.shape][self.between(0, x.rank) if self.chance(0.4) else 0:]
        return self.leaf(self.numbers(tuple(shape) if self.chance(0.8) else (), dtype, regime))

    # Steps.

    def emit(self, op, operands, outputs=1, domain="", **attributes):
        """Appends an op; returns its results, one or a list. An operand may be None."""
        names = [self.name() for _ in range(outputs)]
        node = helper.make_node(op, [v.name if v else "" for v in operands], names, domain=domain, **attributes)
        made = self.step([node], [v for v in operands if v], names)
        return made[0] if outputs == 1 else made

    def name(self):
        """A name that no value has."""
        self.named += 1
        return f"v{self.named}"

    def step(self, nodes, inputs, outputs):
        """Appends nodes as one step; `outputs` are names, which the nodes give."""
        names = list(dict.fromkeys(v.name for v in inputs))
        step = Step(nodes, names, outputs)
        try:
            arrays = valueoracle.evaluate(step, {name: self.values[name].array for name in names}, self.opset,
                                          {name for name in names if self.values[name].fixed})
        except valueoracle.Unknown as error:
            raise Undrawable(str(error)) from None
        if any(array.size > 20000 or array.dtype not in map(np.dtype, TYPES.values()) for array in arrays):
            raise Undrawable("too large, or of a type that no graph has")
        self.steps.append(step)
        self.ops += [node.op_type for node in nodes]
        made = [Value(name, array) for name, array in zip(outputs, arrays)]
        self.values.update({value.name: value for value in made})
        return made

    def finish(self):
        """Chooses the results: what nobody reads, and some values that somebody does. Leaves that nobody reads go."""
        read = {name for step in self.steps for name in step.inputs}
        computed = [name for step in self.steps for name in step.outputs]
        self.outputs = [n for n in computed if self.values[n].size and (n not in read or self.chance(0.15))]
        self.prune()

    def prune(self):
        """Drops the steps and leaves that no output needs."""
        needed, kept = set(self.outputs), []
        for step in reversed(self.steps):
            if needed & set(step.outputs):
                kept.append(step)
                needed |= set(step.inputs)
        self.steps = kept[::-1]
        made = {name for step in self.steps for name in step.outputs}
        self.values = {name: value for name, value in self.values.items() if name in needed | made}
        self.constants &= set(self.values)

    @property
    def beyond(self):
        """Whether some value is beyond fp16, or all of it below."""
        def outside(wide):
            return bool(wide.size and (not (wide <= 65504).all() or 0 < wide.max() < 2.0**-14))
        return any(value.floating and outside(np.abs(value.array.astype(np.float64))) for value in self.values.values())

    @property
    def leaves(self):
        return [value for value in self.values.values() if value.leaf]


def beyond_half(value):
    """Numbers that fp16 lacks, which inputs of the engine must not have: the runtime would run all on the CPU."""
    if not value.floating or value.dtype == np.float16:
        return False
    wide = np.abs(value.array.astype(np.float64))
    return bool((wide[np.isfinite(wide)] > 65504).any())


def graph(seed, opset, makers, wide=False):
    """A graph of a few steps. `makers`: [[function(graph)]], a list for each op. `wide`: inputs may be beyond fp16."""
    made = Graph(np.random.default_rng(seed), opset, wide)
    count = made.one_of([1, 2, 2, 3, 4, 5, 7])
    tries = steps = 0
    while steps < count and tries < 40:
        tries += 1
        try:
            made.one_of(made.one_of(makers))(made)
            steps += 1
        except Undrawable:
            pass
    made.finish()
    return made


# A graph in a model: which of its leaves are constants, and under which names it stands there.
Variant = namedtuple("Variant", "graph prefix constants joined")


def as_is(graph, prefix):
    return Variant(graph, prefix, set(graph.constants), False)


def folded(graph, prefix, generator):
    """All leaves or most of them as constants; results that are constant then are joined with an input."""
    leaves = [value.name for value in graph.leaves]
    whole = generator.random() < 0.7
    return Variant(graph, prefix, {n for n in leaves if whole or n in graph.constants or generator.random() < 0.6}, True)


def renamed(node, prefix):
    """The node with all its values, and those of its inner graphs, under the prefix."""
    made = type(node)()
    made.CopyFrom(node)
    made.input[:] = [name and prefix + name for name in node.input]
    made.output[:] = [name and prefix + name for name in node.output]
    for attribute in made.attribute:
        for inner in [attribute.g] if attribute.type == 5 else attribute.graphs:
            nodes = [renamed(n, prefix) for n in inner.node]
            del inner.node[:]
            inner.node.extend(nodes)
            for info in [*inner.input, *inner.output, *inner.initializer]:
                info.name = prefix + info.name
    return made


def info(name, dtype, shape):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape)


def model(variants, opset):
    """(model, inputs {name: array}, expected {output name: array}) of many graphs."""
    nodes, constants, inputs, outputs, given, wanted = [], [], [], [], {}, {}
    for graph, prefix, fixed, joined in variants:
        for value in graph.leaves:
            name = prefix + value.name
            if value.name in fixed:
                constants.append(numpy_helper.from_array(np.ascontiguousarray(value.array).reshape(value.shape), name))
            else:
                inputs.append(info(name, value.dtype, value.shape))
                given[name] = value.array
        count = 0
        for step in graph.steps:
            for node in step.nodes:
                nodes.append(renamed(node, prefix))
                nodes[-1].name = f"{prefix}n{count}"
                count += 1
        for name in graph.outputs:
            value, output = graph.values[name], prefix + name
            if joined:  # an output that is a constant would be computed at run time
                output = f"{prefix}{name}_joined"
                nodes.append(helper.make_node("Where", [f"{prefix}keep", prefix + name, f"{prefix}{name}_other"], [output], name=f"{prefix}{name}_join"))
                constants.append(numpy_helper.from_array(np.zeros((1,) * value.rank, value.dtype), f"{prefix}{name}_other"))
            outputs.append(info(output, value.dtype, value.shape))
            wanted[output] = value.array
        if joined and graph.outputs:
            inputs.append(info(f"{prefix}keep", np.bool_, (1,) if all(graph.values[n].rank for n in graph.outputs) else ()))
            given[f"{prefix}keep"] = np.ones(inputs[-1].type.tensor_type.shape.dim and (1,) or (), bool)
    made = helper.make_graph(nodes, "values", inputs, outputs, constants)
    domains = {node.domain for node in nodes} - {""}
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in sorted(domains))]
    return helper.make_model(made, opset_imports=opsets, ir_version=10), given, wanted
