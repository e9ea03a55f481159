"""Variants of MIL texts that have one statement a line, as ours and coremltools_text's: what ane-mil-diff must say of them is known
from how they are made."""
import re

import numpy as np

STATEMENT = re.compile(r"^\s+(?:(?P<results>[^=]*?) = )?(?P<op>\w+)\((?P<arguments>.*?)\)\[(?P<attributes>.*)\];$")
FUNCTION = re.compile(r"^    func (\w+)<(\w+)>\((.*)\) \{$")
WORD = re.compile(r'"(?:[^"\\]|\\.)*"|\b[A-Za-z_]\w*\b(?! =)')
BLOB = re.compile(r'(tensor<(\w+), \[([\d, ]*)\]>)\(BLOBFILE\(path = tensor<string, \[\]>\("@model_path/([^"]+)"\), '
                  r"offset = tensor<uint64, \[\]>\((\d+)\)\)\)")


def names_of(variables):
    return re.findall(r"[\w\]>] (\w+)(?:,|$)", variables)


class Line:
    def __init__(self, text):
        self.results, self.op, self.arguments, self.attributes = STATEMENT.match(text).groups()
        self.results = self.results or ""

    @property
    def names(self):
        return names_of(self.results)

    @property
    def is_const(self):
        return self.op == "const"

    def uses(self):
        return [word for word in WORD.findall(self.arguments) if word[0] != '"']

    def argument(self, key):
        """What it refers to."""
        found = re.search(rf"(?:^|, ){key} = (\w+)(?:,|$)", self.arguments)
        return found and found.group(1)

    def replace(self, names):
        """Other names for what it uses."""
        self.arguments = WORD.sub(lambda word: names.get(word.group(), word.group()), self.arguments)

    def __str__(self):
        return f"        {self.results}{' = ' if self.results else ''}{self.op}({self.arguments})[{self.attributes}];"


class Text:
    """A program of one function."""

    def __init__(self, text):
        lines = text.splitlines()
        (start,) = [i for i, line in enumerate(lines) if FUNCTION.match(line)]
        (end,) = [i for i, line in enumerate(lines) if line.startswith("    } -> (")]
        self.head, self.tail = lines[:start], lines[end + 1:]
        self.function, self.opset, self.inputs = FUNCTION.match(lines[start]).groups()
        self.outputs = re.match(r"    \} -> \((.*)\);", lines[end]).group(1).split(", ")
        self.lines = [Line(line) for line in lines[start + 1:end]]

    def __str__(self):
        body = [f"    func {self.function}<{self.opset}>({self.inputs}) {{", *map(str, self.lines), f"    }} -> ({', '.join(self.outputs)});"]
        return "\n".join(self.head + body + self.tail) + "\n"

    def users(self, name):
        return [line for line in self.lines if name in line.uses()]

    def constants(self):
        return [line for line in self.lines if line.is_const and self.users(line.names[0])]

    def operations(self):
        return [line for line in self.lines if not line.is_const]

    def computed(self):
        """Names of what statements compute, with an axis."""
        return {name: line for line in self.operations() for name in line.names if not line.results.startswith(("bool", "int32"))}


def renamed(text, rng):
    """Values have other names; inputs keep theirs."""
    names = [name for line in text.lines for name in line.names]
    fresh = dict(zip(names, (f"v{number}" for number in rng.permutation(len(names)))))
    for line in text.lines:
        line.replace(fresh)
        for name in line.names:
            line.results = re.sub(rf"(?<=[\w\]>] ){name}(?=,|$)", fresh[name], line.results)
        line.attributes = re.sub(r'name = tensor<string, \[\]>\("[^"]*"\)', 'name = tensor<string, []>("other")', line.attributes)
    text.outputs = [fresh[name] for name in text.outputs]


def reordered(text, rng):
    """Statements in a random order that has each value before its uses."""
    waiting, order, ready = list(text.lines), [], set(names_of(text.inputs))
    known = {name for line in text.lines for name in line.names}
    while waiting:
        free = [line for line in waiting if all(use in ready or use not in known for use in line.uses())]
        line = free[rng.integers(len(free))]
        waiting.remove(line)
        order.append(line)
        ready.update(line.names)
    text.lines = order


def short_scalars(text, _):
    for line in text.lines:
        line.results = re.sub(r"tensor<(\w+), \[\]>", r"\1", line.results)
        line.attributes = re.sub(r"tensor<(\w+), \[\]>", r"\1", line.attributes)


def inline_constants(text, _):
    """Constants stand where they are used; nothing reads the statements then."""
    values = {line.names[0]: re.search(r"val = (.*)$", line.attributes).group(1) for line in text.constants()}
    for line in text.lines:
        line.replace(values)


def bare_scalars(text, _):
    """As some generators write them: `axis = 1`, `keep_dims = true`, `y = 0x1p-1`."""
    values = {}
    for line in text.constants():
        found = re.search(r"val = tensor<(?:int32|bool|string), \[\]>\((.*)\)$", line.attributes)
        if found:
            values[line.names[0]] = found.group(1)
    for line in text.operations():
        line.replace(values)


def unread_constant(text, _):
    text.lines.append(Line('        tensor<fp16, [1]> nobody = const()[name = tensor<string, []>("nobody"), val = tensor<fp16, [1]>([0x1p+0])];'))


EQUAL = [renamed, reordered, short_scalars, inline_constants, bare_scalars, unread_constant]


def extra(text, rng):
    """An operation between a value and one of its readers. -> the operation"""
    names = sorted(name for name in text.computed() if text.users(name))
    name = names[rng.integers(len(names))]
    define(text, "softsign", name)
    users = [line for line in text.users(name) if "between" not in line.names]
    users[rng.integers(len(users))].replace({name: "between"})
    return "softsign"


def define(text, op, name):
    line = text.computed()[name]
    kind = re.search(rf"((?:tensor<[^>]*>)|\w+) {name}(?:,|$)", line.results).group(1)
    made = Line(f'        {kind} between = {op}(x = {name})[name = tensor<string, []>("between")];')
    text.lines.insert(text.lines.index(line) + 1, made)


def dead(text, rng):
    names = sorted(text.computed())
    define(text, "softsign", names[rng.integers(len(names))])
    return "softsign"


def swapped(text, rng):
    """x and y of an operation that is not commutative."""
    lines = [line for line in text.operations() if line.op in ("sub", "matmul", "real_div", "pow", "greater") and line.argument("x")
             and line.argument("y") and line.argument("x") != line.argument("y") and not any(
                 line.argument(key) in constant.names for key in "xy" for constant in text.constants())]
    if not lines:
        return None
    line = lines[rng.integers(len(lines))]
    x, y = line.argument("x"), line.argument("y")
    line.arguments = re.sub(r"\bx = \w+", f"x = {y}", re.sub(r"\by = \w+", f"y = {x}", line.arguments))
    return line.op


def other_op(text, rng):
    line = text.operations()[rng.integers(len(text.operations()))]
    line.op += "_like"
    return line.op


def other_number(text, rng):
    """An integer of a constant that one statement reads."""
    lines = [line for line in text.constants() if re.search(r"val = tensor<int32, \[\d*\]>", line.attributes)
             and len(text.users(line.names[0])) == 1]
    if not lines:
        return None
    line = lines[rng.integers(len(lines))]
    line.attributes = re.sub(r"(-?\d+)(\]?\))$", lambda match: f"{int(match.group(1)) + 1}{match.group(2)}", line.attributes)
    (user,) = text.users(line.names[0])
    return user.op


def other_weight(text, rng, folder):
    """One element of a weight file. -> (constant, place, before, after), or None."""
    lines = [line for line in text.constants() if BLOB.search(line.attributes) and BLOB.search(line.attributes).group(2) in ("fp16", "fp32")]
    if not lines:
        return None
    line = lines[rng.integers(len(lines))]
    _, kind, dims, path, record = BLOB.search(line.attributes).groups()
    shape = [int(size) for size in dims.split(", ")]
    dtype = np.dtype({"fp16": np.float16, "fp32": np.float32}[kind])
    data = bytearray((folder / path).read_bytes())
    payload = int.from_bytes(data[int(record) + 16:int(record) + 24], "little")
    place = tuple(int(rng.integers(size)) for size in shape)
    at = payload + int(np.ravel_multi_index(place, shape)) * dtype.itemsize
    before = np.frombuffer(bytes(data[at:at + dtype.itemsize]), dtype)[0]
    after = dtype.type(before + 3)
    data[at:at + dtype.itemsize] = after.tobytes()
    (folder / path).write_bytes(data)
    return line.names[0], place, float(before), float(after)


def literal_weights(text, folder, limit=4096):
    """Weights of a file become literals. -> how many"""
    count = 0
    for line in text.constants():
        found = BLOB.search(line.attributes)
        if not found or found.group(2) != "fp16":
            continue
        kind, _, dims, path, record = found.groups()
        elements = int(np.prod([int(size) for size in dims.split(", ")]))
        if elements > limit:
            continue
        data = (folder / path).read_bytes()
        payload = int.from_bytes(data[int(record) + 16:int(record) + 24], "little")
        values = np.frombuffer(data, np.float16, elements, payload)
        line.attributes = line.attributes.replace(found.group(), f"{kind}([{', '.join(float(v).hex() for v in values)}])")
        count += 1
    return count
