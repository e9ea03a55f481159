"""Computes ane modules in double with the CPU code, before legalisation and after.

`Functions` runs a module as it stands: the reference. `Plan` runs what legalisation makes of it: the plan's steps, the
programs' bodies with every f16 made f64, so that what differs from the reference is the rewrites' doing and not fp16's.
`rounded` makes the module that rounds each value to fp16: what fp16 storage alone costs.
"""
import re

import numpy as np

import anetest
import hostlib

_OP = re.compile(r'^(?P<indent> *)(?:(?P<result>%\w+)(?::(?P<count>\d+))? = )?"(?P<name>[\w.]+)"(?P<rest>.*)$')
_NUMBERS = re.compile(r"-?\d+")


def generic(path, *passes):
    """The module in generic form, without hexadecimal data, after `passes`."""
    return anetest.run("ane-opt", path, *passes, "--mlir-print-op-generic",
                       "--mlir-print-elementsattrs-with-hex-if-larger=-1").stdout


def _split(text):
    """Splits at the commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "<([{") - (c in ">)]}" and text[i - 1] != "-")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return [part for part in parts + [text[start:].strip()] if part]


def _operands(rest):
    return _split(rest[1:rest.index(")")])


def _results(line):
    """The result types of an op."""
    types = line[line.rindex(" -> ") + 4:]
    return _split(types[1:-1]) if types.startswith("(") else [types]


class Function:
    """A func.func of a module in generic form: its name, public or not, and its lines."""

    def __init__(self, lines, program):
        self.lines, self.program = lines, program
        header = lines[0]
        self.name = re.search(r'sym_name = "([^"]+)"', header)[1]
        self.private = "sym_visibility" in header
        block = lines[1].strip()
        self.has_block = block.startswith("^bb0")  # left out where there are no arguments
        inner = block[block.index("(") + 1:block.rindex(")")] if self.has_block else ""
        self.arguments = [tuple(part.strip() for part in argument.split(":", 1)) for argument in _split(inner)]
        self.layouts = {kind: self._layouts(header, kind) for kind in ("arg_attrs", "res_attrs")}

    @staticmethod
    def _layouts(header, kind):
        found = re.search(kind + r" = (\[(?:[^\[\]]|\[[^\[\]]*\])*\])", header)
        pairs = re.findall(r"#ane.layout<expand = \[([^\]]*)\], perm = \[([^\]]*)\]>", found[1]) if found else []
        return [tuple([int(n) for n in _NUMBERS.findall(text)] for text in pair) for pair in pairs]

    def body(self):
        """The lines of its ops."""
        return self.lines[1 + self.has_block:-1]


def functions(text):
    """The functions of a module in generic form, those of programs among them."""
    lines, found, program, start = text.splitlines(), [], None, None
    for i, line in enumerate(lines):
        if match := re.match(r'^  "ane.program"\(\) <\{sym_name = "([^"]+)"', line):
            program = match[1]
        elif re.match(r'^ *"func.func"', line):
            start, indent = i, len(line) - len(line.lstrip())
        elif start is not None and line.startswith(" " * indent + "})"):
            found.append(Function(lines[start:i + 1], program if indent > 2 else None))
            start = None
        elif line.startswith("  })"):
            program = None
    return found


def shape_of(text):
    """(shape, element type) of a tensor type."""
    *dims, element = text[len("tensor<"):-1].split("x")
    return tuple(map(int, dims)), element


def dtype_of(text):
    return np.dtype(hostlib.DTYPES[shape_of(text)[1]])


def _module(lines):
    return "\n".join(['"builtin.module"() ({', *lines, "}) : () -> ()", ""])


def _half(name, source, kind):
    """Lines that define `name` as `source`, rounded to fp16 if it is f32."""
    if shape_of(kind)[1] != "f32":
        return [f'    {name} = "ane.identity"({source}) : ({kind}) -> {kind}']
    half = re.sub(r"f32>$", "f16>", kind)
    fresh = name.replace("%", "%half_", 1)
    return [f'    {fresh} = "ane.cast"({source}) <{{dtype = "fp16"}}> : ({kind}) -> {half}',
            f'    {name} = "ane.cast"({fresh}) <{{dtype = "fp32"}}> : ({half}) -> {kind}']


def _rounded(function):
    """The lines of a function that rounds each float to fp16 where it is computed."""
    raw = lambda name: name.replace("%", "%raw_", 1)
    block = ", ".join(f"{raw(name)}: {kind}" for name, kind in function.arguments)
    header = function.lines[0].replace(f'sym_name = "{function.name}"', f'sym_name = "{function.name}__half"')
    lines = [header] + ([f"  ^bb0({block}):"] if block else [])
    for name, kind in function.arguments:
        lines += _half(name, raw(name), kind)
    for line in function.body():
        line = re.sub(r"%(\w+)#(\d+)", r"%part_\1_\2", line)
        match = _OP.match(line)
        if not match or not match["result"] or match["name"] == "ane.const":
            lines.append(line)
            continue
        name, many = match["result"], match["count"]
        lines.append(f'    {raw(name)}{":" + many if many else ""} = "{match["name"]}"{match["rest"]}')
        for i, kind in enumerate(_results(line)):
            part = name.replace("%", "%part_", 1) + f"_{i}"
            lines += _half(part if many else name, f"{raw(name)}#{i}" if many else raw(name), kind)
    return lines + [function.lines[-1]]


def _call(library, name, inputs):
    outputs = library(name, *inputs)
    return outputs if isinstance(outputs, list) else [outputs]


class Reference:
    """The public functions of a module in double: call(name, inputs), and half(name, inputs) with fp16 storage."""

    def __init__(self, text, directory):
        self.functions = {f.name: f for f in functions(text) if not f.private}
        lines = [line for f in self.functions.values() for line in f.lines + _rounded(f)]
        self.library = hostlib.Library(_module(lines), directory, "f64=true")

    def call(self, name, inputs):
        return _call(self.library, name, inputs)

    def half(self, name, inputs):
        return _call(self.library, name + "__half", inputs)


def _exact(numbers):
    """Decimal numbers of fp16 with as many digits as fp32 needs."""
    return re.sub(r"-?\d+\.\d+(?:[eE][-+]?\d+)?", lambda number: f"{float(np.float16(number[0])):.9e}", numbers)


class Plan:
    """The plans of a module of phase partitioned, computed in double."""

    def __init__(self, text, directory):
        found = functions(text)
        self.plans = {f.name: f for f in found if not f.private and not f.program}
        self.procedures = {self._symbol(f.program, f.name): f for f in found if f.program}
        lines = []
        for f in found:
            if f.program:
                lines += self._widened(f)
            elif f.private and 'ane.role = "host"' in f.lines[-1]:
                lines += f.lines
        self.library = hostlib.Library(_module(lines), directory, "f64=true") if lines else None

    @staticmethod
    def _symbol(program, procedure):
        return f"{program}__{procedure}"

    @classmethod
    def _widened(cls, program):
        header = re.sub(r"(arg|res)_attrs = \[(?:[^\[\]]|\[[^\[\]]*\])*\](, )?", "", program.lines[0])
        header = header.replace(f'sym_name = "{program.name}"', f'sym_name = "{cls._symbol(program.program, program.name)}"')
        text = "\n".join([header, *program.lines[1:]])
        # Seven digits tell numbers of fp16 from each other, but are not yet their values.
        text = re.sub(r"dense<([^<>\"]*)>(?= : tensor<[\dx]*f16>)", lambda found: f"dense<{_exact(found[1])}>", text)
        text = re.sub(r"\bf16>", "f32>", re.sub(r"xf16>", "xf32>", text)).replace('"fp16"', '"fp32"')
        return re.sub(r" : f16\b", " : f32", text).split("\n")

    def __call__(self, name, inputs):
        plan = self.plans[name]
        values = {argument: value for (argument, _), value in zip(plan.arguments, inputs)}
        for line in plan.body():
            match = _OP.match(line)
            arguments = [values[operand] for operand in _operands(match["rest"])]
            if match["name"] == "func.return":
                return arguments
            if match["name"] == "ane.eval":
                procedure = re.search(r"procedure = @(\w+)::@(\w+)", line)
                results = self._evaluate(self._symbol(*procedure.groups()), arguments, _results(line))
            else:
                assert match["name"] == "func.call", line
                results = _call(self.library, re.search(r"callee = @(\w+)", line)[1], arguments)
            if match["count"]:
                values.update({f"{match['result']}#{i}": value for i, value in enumerate(results)})
            elif match["result"]:
                values[match["result"]] = results[0]
        raise AssertionError("a plan without return")

    def _evaluate(self, name, arguments, kinds):
        program = self.procedures[name]
        surfaces = []
        for value, (_, kind), (expand, perm) in zip(arguments, program.arguments, program.layouts["arg_attrs"]):
            shape, _ = shape_of(kind)
            moved = value.reshape(expand).transpose(perm).reshape(-1)
            rows = int(np.prod(shape[:-1], dtype=np.int64))
            surface = np.zeros((rows, shape[-1]), value.dtype)
            surface[:, :moved.size // rows] = moved.reshape(rows, -1)  # rows may be wider than the data
            surfaces.append(surface.reshape(shape).astype(dtype_of(kind.replace("f16>", "f32>"))))
        outputs = []
        results = _call(self.library, name, surfaces)
        for surface, kind, (expand, perm) in zip(results, kinds, program.layouts["res_attrs"]):
            shape, _ = shape_of(kind)
            size, rows = int(np.prod(shape, dtype=np.int64)), surface.size // surface.shape[-1]
            data = surface.reshape(rows, -1)[:, :size // rows].reshape([expand[p] for p in perm])
            outputs.append(data.transpose(np.argsort(perm)).reshape(shape).astype(dtype_of(kind)))
        return outputs
