"""Engine programs that break one rule of the catalogue on purpose, as IR of phase emittable.

`drawn(seed)` counts through all violations that there are: random programs with one break somewhere, and those that the
catalogue's own tests write. `program(seed)` is one of the former: a few legal ops on rank 4, names and surfaces as the
compiler would assign them, and one break. With `broken=False` the break is left out, which must give a legal program.
Breaks are what a bug in a legaliser, or a person who writes IR by hand, could do. All are written for one target, the
`home` of the violation; `for_target` makes them programs for another.
"""
import functools
import re

import numpy as np

import anetest

TARGET = '#ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>'
LEGAL = ["relu", "abs", "tanh", "sigmoid", "erf", "exp2"]
OP_BREAKS, PROGRAM_BREAKS = [], []


class Builder:
    """Lines of a program's body; values are (name, type)."""

    def __init__(self, generator):
        self.random, self.lines, self.count, self.inputs = generator, [], 0, []
        self.shape = (1, self.pick(1, 3, 64, 96), self.pick(1, 5, 8, 33), self.pick(32, 64, 96, 256))

    def pick(self, *items):
        return items[int(self.random.integers(len(items)))]

    def op(self, name, operands, shape=None, element="f16", attributes="", results=1):
        kind = type_of(operands[0][1] if shape is None else shape, element)
        names = [f"%v{self.count + i}" for i in range(results)]
        self.count += results
        types = ", ".join(k if isinstance(k, str) else type_of(k) for _, k in operands)
        self.lines.append(f'      {", ".join(names)} = "ane.{name}"({", ".join(n for n, _ in operands)}) {{{attributes}}} : '
                          f"({types}) -> ({', '.join([kind] * results)})")
        return names[0], shape_of(kind) if element == "f16" else kind

    def constant(self, shape, value="0.5", element="f16"):
        return self.op("const", [], shape, element, f"value = dense<{value}> : {type_of(shape, element)}")

    def input(self, shape=None):
        made = f"%x{len(self.inputs)}", tuple(shape or self.shape)
        self.inputs.append(made)
        return made

    def legal(self, value):
        for _ in range(int(self.random.integers(0, 3))):
            value = self.op(self.pick(*LEGAL), [value])
        return value


def type_of(shape, element="f16"):
    return shape if isinstance(shape, str) else f"tensor<{''.join(f'{d}x' for d in shape)}{element}>"


def shape_of(kind):
    return tuple(int(d) for d in kind[len("tensor<"):].split("x")[:-1])


def breaks(code, name=None):
    """Registers a break of an op: function(builder, value) -> value of the same shape or another."""
    def register(function):
        OP_BREAKS.append((code, name or function.__name__, function))
        return function
    return register


def simple(code, op, attributes="", element="f16"):
    """An op that has no form on the engine and keeps its operand's type."""
    breaks(code, op)(lambda b, x: b.op(op, [x], None, element, attributes))


simple("C10", "gelu", 'mode = "EXACT"')
simple("C29", "hard_swish")
simple("C33", "cumsum", "axis = -1 : i64")
simple("C41", "band_part", "lower = 0 : i64")
simple("C43", "tan")
simple("C43", "atanh")
simple("C49", "rsqrt")
simple("C54", "log")
simple("C62", "softplus")
simple("C66", "round")


@breaks("C01")
def concat(b, x):
    axis = b.pick(0, 1, 2, 3)
    return b.op("concat", [x, x], [2 * d if i == axis else d for i, d in enumerate(x[1])], attributes=f"axis = {axis} : i64")


@breaks("C13")
def conv_bias(b, x):
    channels = x[1][1]
    return b.op("conv", [x, b.constant((channels, channels, 1, 1)), b.constant((channels,))], x[1])


@breaks("C16")
def channels(b, x):
    made = b.op("reshape", [x], (1, int(np.prod(x[1][:2])), *x[1][2:]), attributes=f"shape = array<i64: 1, {int(np.prod(x[1][:2]))}, "
                f"{x[1][2]}, {x[1][3]}>")
    count = b.pick(32000, 40000, 65536)
    return b.op("conv", [made, b.constant((count, made[1][1], 1, 1))], (1, count, *x[1][2:]))


@breaks("C17")
def linear(b, x):
    width = b.pick(32, 64, 96)
    return b.op("linear", [x, b.constant((width, x[1][3]))], (*x[1][:3], width))


@breaks("C21")
def rank(b, x):
    shape = (1, *x[1])
    x = b.op("reshape", [x], shape, attributes=f"shape = array<i64: {', '.join(map(str, shape))}>")
    return b.op(b.pick(*LEGAL), [x])


@breaks("C22")
def single(b, x):
    wide = b.op("cast", [x], x[1], "f32", 'dtype = "fp32"')
    return b.op("cast", [b.op("relu", [wide], wide[1], "f32")], x[1], attributes='dtype = "fp16"')


@breaks("C31")
def gather(b, x):
    if b.pick(0, 1):
        return b.op("gather_along_axis", [x, b.constant(x[1], "0", "i32")], x[1], attributes="axis = 1 : i64")
    return b.op("gather_nd", [x, b.constant((1, 1), "0", "i32")], x[1])


@breaks("C32")
def scatter(b, x):
    return b.op("scatter_along_axis", [x, b.constant(x[1], "0", "i32"), x], x[1], attributes='axis = 1 : i64, mode = "update"')


@breaks("C34")
def arg(b, x):
    return b.op(b.pick("reduce_argmax", "reduce_argmin"), [x], (*x[1][:3], 1), "i32", "axis = -1 : i64, keep_dims = true")


@breaks("C35")
def order(b, x):
    return b.op("argsort", [x], x[1], "i32", "axis = -1 : i64")


@breaks("C36")
def mod(b, x):
    return b.op("mod", [x, b.constant(x[1])], x[1])


@breaks("C42")
def product(b, x):
    return b.op("reduce_prod", [x], (*x[1][:3], 1), attributes="axes = array<i64: 3>, keep_dims = true")


@breaks("C48")
def tile(b, x):
    return b.op("tile", [x], (x[1][0], x[1][1], 2 * x[1][2], x[1][3]), attributes="reps = array<i64: 1, 1, 2, 1>")


@breaks("C53")
def runtime_weight(b, x):
    w = b.input((32, x[1][1], 1, 32))
    return b.op("conv", [x, w], (1, 32, x[1][2], x[1][3] - 31))


@breaks("C55")
def infinite(b, x):
    return b.op("add", [x, b.constant((1, 1, 1, 1), b.pick("0x7C00", "0xFC00", "0x7E00"))], x[1])


@breaks("C59")
def stack(b, x):
    flat = b.op("reshape", [x], (x[1][1] * x[1][2], x[1][3]), attributes=f"shape = array<i64: {x[1][1] * x[1][2]}, {x[1][3]}>")
    return b.op("stack", [flat, flat], (2, *flat[1]), attributes="axis = 0 : i64")


@breaks("C60")
def pad(b, x):
    if b.pick(0, 1):
        return b.op("pad", [x], (x[1][0], x[1][1] + 2, x[1][2], x[1][3]), attributes="pad = array<i64: 1, 1, 0, 0, 0, 0>")
    return b.op("pad", [x], (*x[1][:3], x[1][3] + 32), attributes='pad = array<i64: 16, 16>, mode = "reflect"')


@breaks("C61")
def cast(b, x):
    return b.op("cast", [x], x[1], "i32", 'dtype = "int32"')


@breaks("C63")
def conv_3d(b, x):
    shape = (1, *x[1])
    x = b.op("reshape", [x], shape, attributes=f"shape = array<i64: {', '.join(map(str, shape))}>")
    return b.op("max_pool", [x], x[1], attributes='kernel_sizes = array<i64: 1, 1, 1>, pad_type = "valid"')


@breaks("C64")
def wide_kernel(b, x):
    width = b.pick(16, 17, 32)
    return b.op("conv", [x, b.constant((32, x[1][1], 1, width))], (1, 32, x[1][2], x[1][3] - width + 1))


@breaks("C65")
def power(b, x):
    return b.op("pow", [x, b.constant((1, 1, 1, 1), b.pick("2.0", "0.5", "3.0"))], x[1])


@breaks("C71")
def mean(b, x):
    return b.op("reduce_mean", [x], (*x[1][:3], 1), attributes="axes = array<i64: 3>, keep_dims = true")


@breaks("C26")
def long_axis(b, x):
    return b.op("relu", [b.input((1, 1, 1, 65536 + 32 * b.pick(1, 5)))])


@breaks("C27")
def many_channels(b, x):
    return b.op("relu", [b.input((1, 65536 + b.pick(1, 1000), 1, 32))])


def program_break(code):
    def register(function):
        PROGRAM_BREAKS.append((code, function))
        return function
    return register


# Breaks of a whole program: function(builder, ports). Ports are dictionaries: name, shape, row_stride, bytes.

@program_break("C02")
def unequal_outputs(b, inputs, outputs):
    outputs[-1]["bytes"] += 16384 * b.pick(1, 4)
    return len(outputs) > 1


@program_break("C18")
def unequal_inputs(b, inputs, outputs):
    inputs[-1]["bytes"] += 16384 * b.pick(1, 4)
    return len(inputs) > 1


@program_break("C03")
def output_order(b, inputs, outputs):
    outputs[0]["name"], outputs[-1]["name"] = outputs[-1]["name"], outputs[0]["name"]
    return len(outputs) > 1


@program_break("C19")
def input_order(b, inputs, outputs):
    inputs[0]["name"], inputs[-1]["name"] = inputs[-1]["name"], inputs[0]["name"]
    return len(inputs) > 1


@program_break("C04")
def small_surface(b, inputs, outputs):
    for port in b.pick(inputs, outputs):
        port["bytes"] = b.pick(64, 8192, 49088)
    return True


def all_breaks():
    return [("op", *item) for item in OP_BREAKS] + [("program", code, function.__name__, function) for code, function in PROGRAM_BREAKS]


def program(seed, broken=True, which=None):
    """(id, name of the break, text), with the break `which` of all_breaks() or any. Not every break fits every program: then
    another program is made."""
    generator = np.random.default_rng([13, seed])
    while True:
        b = Builder(generator)
        x = b.input()
        second = b.input() if b.pick(0, 1) else None
        value = b.legal(x)
        if second:
            value = b.op(b.pick("add", "mul", "maximum"), [value, b.legal(second)])
        values = [b.op("tanh", [value])]
        if b.pick(0, 1):
            values.append(b.op("relu", [b.op("abs", [value])]))
        kind, code, name, function = all_breaks()[which] if which is not None else b.pick(*all_breaks())
        if broken and kind == "op":
            made = function(b, values.pop())
            # The value must be read by what is legal, so that the break is not in what is returned.
            if isinstance(made[1], tuple) and len(made[1]) == 4 and made[1][3] % 32 == 0 and max(made[1]) <= 16384:
                made = b.op("relu", [made])
            values.append(made)
        inputs = [port(f"in{i:02}", shape) for i, (_, shape) in enumerate(b.inputs)]
        outputs = [port(f"out{i:02}", kind) for i, (_, kind) in enumerate(values)]
        for group in (inputs, outputs):
            for record in group:
                record["bytes"] = max(other["bytes"] for other in group)
        if broken and kind == "program" and not function(b, inputs, outputs):
            continue
        arguments = ", ".join(f"{name}: {type_of(shape)} {attributes(p)}" for (name, shape), p in zip(b.inputs, inputs))
        results = ", ".join(f"{type_of(k)} {attributes(p)}" for (_, k), p in zip(values, outputs))
        body = "\n".join(b.lines)
        text = (f"module attributes {{ane.target = {TARGET}}} {{\n  ane.program @main_0 {{\n    func.func @main({arguments}) -> "
                f"({results}) {{\n{body}\n      return {', '.join(n for n, _ in values)} : "
                f"{', '.join(type_of(k) for _, k in values)}\n    }}\n  }}\n}}\n")
        return code, name, text


def port(name, shape):
    if isinstance(shape, str):  # not fp16: the surface is of no importance
        shape = (1, 1, 1, 64)
    row = -(-2 * shape[-1] // 64) * 64
    return {"name": name, "row_stride": row, "bytes": max(49152, row * int(np.prod(shape[:-1])))}


def attributes(record):
    return (f"{{ane.name = \"{record['name']}\", ane.surface = #ane.surface<row_stride = {record['row_stride']}, "
            f"bytes = {record['bytes']}>}}")


# Violations for any target.

CHIPS = {"Older": ["h11", "h12"], "H13": ["h13"], "H14": ["h14"], "H15": ["h15"], "H16": ["h16", "h17"]}
ROUTES = ["in_memory", "coreml", "e5rt", "netlist"]
VERSIONS = [15, 26, 27]
TARGETS = [(tier, chip, route, version) for tier, chips in CHIPS.items() for chip in chips for route in ROUTES for version in VERSIONS]


@functools.cache
def examples():
    """(id, text) of each violation in test/Constraints that the compiler checks."""
    found = []
    for path in sorted((anetest.ROOT / "test" / "Constraints").glob("*/illegal.mlir")):
        text = re.sub(r" loc\(fused.*", "", path.read_text())  # so that errors have places in the file
        for part in text.split("// -----"):
            code = path.parent.name.split("-")[0]
            if re.search(f"(violates|meets) {code} ", part):
                found.append((code, part))
    return found


@functools.cache
def texts():
    """(id, text) of each MIL text in test/Constraints that the linter refuses or warns of."""
    found = []
    for path in sorted((anetest.ROOT / "test" / "Constraints").glob("*/illegal.mil")):
        code = path.parent.name.split("-")[0]
        assert re.search(f"(violates|meets) {code} ", path.read_text()), path
        found.append((code, path.read_text()))
    return found


def count():
    """How many violations there are; random programs with one break are one."""
    return len(examples()) + len(all_breaks())


def drawn(seed):
    """(id, name, text) of violation `seed` modulo their number; random programs differ from seed to seed."""
    index = seed % count()
    if index < len(examples()):
        code, text = examples()[index]
        return code, f"example {index}", text
    return program(seed, which=index - len(examples()))


def for_target(text, chip, route, version):
    """The module for another target."""
    return re.sub(r"#ane\.target<.*?>", f'#ane.target<chip = "{chip}", route = {route}, os = {version}, opset = ios16, '
                  "strictness = catalog>", text)
