"""Random functions of the ane dialect, from seeds: what any model might ask for, on shapes that fit and shapes that don't.

`module(graphs(seed, count, makers), target)` is the text of a module of public functions @g0, @g1, ... Values stay of moderate size and in the
domains of the ops that follow, so that fp16 has a meaning for all of them; ops that jump (floor, compare, argmax) read
only `exact` values, which fp16 holds without rounding. The makers of ops are in randomops.py.
"""
import numpy as np

ELEMENTS = {"f32": np.float32, "i1": np.bool_, "i32": np.int32, "i64": np.int64, "i8": np.int8, "ui8": np.uint8}
SIZES = [1, 1, 2, 3, 4, 5, 7, 8, 16, 17, 32, 33, 64, 65]
LARGE = [(257,), (1, 257), (20001,), (1, 16385), (40000, 1), (1, 20000, 1, 1), (1, 1, 17000), (600, 4), (1, 4, 20000),
         (2, 33000), (70000, 1)]
MOST = 6000  # elements of a value, but for LARGE ones
BIGGEST = 24  # magnitude above which a value is made smaller before it is used again


class Segments(list):
    """operandSegmentSizes of an op with several optional operands."""


class Value:
    """A value of the function: |elements| <= magnitude (roughly), multiples of 1/8 if exact."""

    def __init__(self, name, shape, element, magnitude, exact):
        self.name, self.shape, self.element = name, tuple(int(d) for d in shape), element
        self.magnitude, self.exact = float(magnitude), exact

    @property
    def rank(self):
        return len(self.shape)

    @property
    def size(self):
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def type(self):
        return f"tensor<{''.join(f'{d}x' for d in self.shape)}{self.element}>"


def text_of(array):
    """A dense attribute."""
    kind = kind_of(array)
    if array.size == 0:
        return f"dense<> : {kind}"
    if array.dtype == np.bool_:
        body = str(array.astype(bool).tolist()).lower()
        return f"dense<{body}> : {kind}"
    return f'dense<"0x{array.tobytes().hex().upper()}"> : {kind}'


class Graph:
    """One function under construction."""

    def __init__(self, name, generator):
        self.name, self.random = name, generator
        self.inputs, self.lines, self.values, self.bounds, self.ops = [], [], [], [], []
        self.constants = self.results = 0
        self.returned = []

    # Choices.

    def chance(self, probability):
        return self.random.random() < probability

    def one_of(self, items):
        return items[int(self.random.integers(len(items)))]

    def between(self, low, high):
        """An integer, both ends included."""
        return int(self.random.integers(low, high + 1))

    def shape(self, rank=None, most=MOST):
        rank = rank or self.one_of([1, 2, 2, 3, 3, 4, 4, 4, 5])
        while True:
            shape = tuple(self.one_of(SIZES) for _ in range(rank))
            if np.prod(shape) <= most:
                return shape

    def axis(self, value):
        """(axis, as it is written): from either end."""
        axis = self.between(0, value.rank - 1)
        return axis, axis - value.rank if self.chance(0.4) else axis

    def axes(self, value):
        """Some axes, sorted."""
        count = self.between(1, value.rank)
        return sorted(int(a) for a in self.random.choice(value.rank, count, replace=False))

    # Values.

    def new_input(self, shape, element="f32", exact=False, magnitude=None):
        name = f"%in{len(self.inputs)}"
        if element == "f32":
            magnitude = magnitude or self.one_of([1, 2, 4])
        else:
            exact, magnitude = True, magnitude or (1 if element == "i1" else 7)
        value = Value(name, shape, element, magnitude, exact)
        self.inputs.append(value)
        self.values.append(value)
        return value

    def value(self, rank=None, exact=False, element="f32", least=1, most=5, fits=lambda value: True):
        """A value of the function that fits, or a new input."""
        least, most = (rank, rank) if rank else (least, most)
        wanted = [v for v in self.values if v.element == element and (v.exact or not exact) and v.magnitude <= BIGGEST and
                  least <= v.rank <= most and fits(v)]
        if wanted and self.chance(0.8):
            return self.one_of(wanted[-4:] if self.chance(0.6) else wanted)
        for _ in range(50):
            if least == 1 and most == 5 and self.chance(0.02):
                shape = self.one_of(LARGE)
            else:
                shape = self.shape(self.between(least, most))
            made = Value("", shape, element, 1, exact)
            if fits(made):
                return self.new_input(shape, element, exact)
        return None

    def constant(self, array):
        """A constant; floats are made exact in fp16, so that rounding them is no error of a rewrite."""
        array = np.asarray(array)
        if array.dtype.kind == "f":
            array = array.astype(np.float16).astype(np.float32)
        name = f"%c{self.constants}"
        self.constants += 1
        self.lines.append(f'  {name} = "ane.const"() {{value = {text_of(array)}}} : () -> {kind_of(array)}')
        exact = array.dtype.kind != "f" or bool(np.all(array * 8 == np.round(array * 8)))
        return Value(name, array.shape, element_of(array), np.abs(array.astype(np.float64)).max(initial=0), exact)

    def normal(self, *shape, scale=1.0):
        return self.constant(self.random.normal(0, scale, shape).astype(np.float32))

    def uniform(self, low, high, *shape):
        return self.constant(self.random.uniform(low, high, shape).astype(np.float32))

    def emit(self, op, operands, result, magnitude, exact=False, element="f32", **attributes):
        """Appends an op with one result."""
        return self.emit_many(op, operands, [(result, element)], magnitude, exact, **attributes)[0]

    def emit_many(self, op, operands, results, magnitude, exact=False, **attributes):
        first = self.results
        self.results += len(results)
        made = [Value(f"%{first + i}", shape, element, magnitude, exact or element != "f32")
                for i, (shape, element) in enumerate(results)]
        written = ", ".join(f"{key} = {spelled(value)}" for key, value in attributes.items() if value is not None)
        names, kinds = ", ".join(o.name for o in operands), ", ".join(o.type for o in operands)
        self.lines.append(f'  {", ".join(v.name for v in made)} = "ane.{op}"({names}) {{{written}}} : ({kinds}) -> '
                          f"({', '.join(v.type for v in made)})")
        self.values += made
        self.ops.append(op)
        return made

    def finish(self):
        """Chooses the results: what nobody reads, and some values that somebody does."""
        read = {word for line in self.lines for word in line.split("(", 1)[1].split(")", 1)[0].replace(",", " ").split()}
        returned = [v for v in self.values if v.name not in read and v not in self.inputs]
        returned += [v for v in self.values if v.name in read and self.chance(0.15)]
        returned = returned or self.values[-1:]
        if self.chance(0.05):
            returned.append(self.one_of(returned))
        if self.inputs and self.chance(0.03):
            returned.append(self.one_of(self.inputs))
        self.returned = returned

    def text(self):
        body, returned = "\n".join(self.lines), self.returned
        arguments = ", ".join(f"{v.name}: {v.type}" for v in self.inputs)
        kinds = ", ".join(v.type for v in returned)
        names = ", ".join(v.name for v in returned)
        return f"func.func @{self.name}({arguments}) -> ({kinds}) {{\n{body}\n  return {names} : {kinds}\n}}\n"

    def draw(self, generator):
        """Inputs for a run."""
        arrays = []
        for value in self.inputs:
            dtype, m = ELEMENTS[value.element], value.magnitude
            if value.element == "i1":
                drawn = generator.integers(0, 2, value.shape)
            elif value.element != "f32":
                drawn = generator.integers(0, int(m) + 1, value.shape)
            elif value.exact:
                drawn = generator.integers(-8 * m, 8 * m + 1, value.shape) / 8
            else:
                drawn = generator.uniform(-m, m, value.shape)
            arrays.append(np.asarray(drawn, dtype))
        return arrays


def element_of(array):
    return {np.dtype(dtype): name for name, dtype in ELEMENTS.items()}[array.dtype]


def kind_of(array):
    return f"tensor<{''.join(f'{d}x' for d in array.shape)}{element_of(array)}>"


def spelled(value):
    """An attribute in MLIR's spelling: int is i64, float f64, lists are arrays."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value} : i64"
    if isinstance(value, float):
        return f"{value!r} : f64" if "." in repr(value) else f"{value:.17e} : f64"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, Segments):
        return f"array<i32: {', '.join(map(str, value))}>"
    if value and isinstance(value[0], bool):
        return f"array<i1: {', '.join(map(str, value)).lower()}>"
    return f"array<i64{': ' if value else ''}{', '.join(str(int(v)) for v in value)}>"


def graph(name, generator, makers):
    """A function of a few ops. `makers`: functions that append one op, or return None where they find no operand."""
    made = Graph(name, generator)
    count = made.one_of([1, 1, 2, 3, 4, 5, 6, 8, 10])
    tries = 0
    while len(made.ops) < count and tries < 100:
        tries += 1
        maker = made.one_of(makers)
        value = maker(made)
        if value is not None and value.magnitude > BIGGEST and value.element == "f32":
            if value.exact or made.chance(0.5):
                made.emit("clip", [value], value.shape, BIGGEST, value.exact, alpha=-float(BIGGEST), beta=float(BIGGEST))
            else:
                made.emit("softsign", [value], value.shape, 1)
    made.finish()
    return made


def graphs(seed, count, makers):
    """Functions @g0, @g1, ..."""
    return [graph(f"g{i}", np.random.default_rng([seed, i]), makers) for i in range(count)]


def module(functions, target):
    """Text of a module of functions."""
    return f"module attributes {{ane.target = {target}}} {{\n" + "\n".join(g.text() for g in functions) + "}\n"
