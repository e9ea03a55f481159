"""Rebuilds MIL text with coremltools' builder, op by op: names of ops and arguments, the opset that has them, required
arguments, and every declared type are checked by an implementation that is not ours."""
import re

import numpy as np
from coremltools.converters.mil.mil import Builder, Function, Placeholder, types
from coremltools.converters.mil.mil.ops.registry import SSAOpRegistry
import coremltools

TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|->|[-+]?(?:0x[0-9a-f.]+p[-+]?\d+|\d+(?:\.\d+)?)|[-+]?(?:inf|nan)\b|\w+|[][(){}<>,=;?])')
NUMPY = {"fp16": np.float16, "fp32": np.float32, "int8": np.int8, "uint8": np.uint8, "int16": np.int16,
         "uint16": np.uint16, "int32": np.int32, "uint32": np.uint32, "bool": np.bool_}


class Parser:
    """What the compiler prints: program(version), attributes, functions of one statement per operation."""

    def __init__(self, text):
        self.tokens = TOKEN.findall(text)
        assert "".join(self.tokens) == re.sub(r'\s(?=(?:[^"]*"[^"]*")*[^"]*$)', "", text), "unknown characters"
        self.at = 0

    def peek(self):
        return self.tokens[self.at]

    def take(self, expected=None):
        token = self.tokens[self.at]
        assert expected in (None, token), f"expected {expected}, found {self.tokens[self.at:self.at + 8]}"
        self.at += 1
        return token

    def list(self, close, item):
        items = []
        while self.peek() != close:
            items.append(item())
            if self.peek() != close:
                self.take(",")
        self.take(close)
        return items

    def type(self):
        """(element type, shape); a dict's type is of no interest."""
        name = self.take()
        if self.peek() != "<":
            return name, ()
        self.take("<")
        if name == "dict":
            self.list(">", self.type)
            return name, None
        element = self.take()
        self.take(",")
        self.take("[")
        shape = tuple(self.list("]", lambda: int(self.take())))
        self.take(">")
        return element, shape

    def literal(self):
        if self.peek() in "[{":
            return self.list({"[": "]", "{": "}"}[self.take()], self.literal)
        token = self.take()
        if token.startswith('"'):
            return token[1:-1]
        if token in ("true", "false"):
            return token == "true"
        return float.fromhex(token) if "0x" in token or "inf" in token or "nan" in token else int(token)

    def value(self):
        """A name (str), a tuple of names, or ("literal", element type, value)."""
        if self.peek() == "(":
            self.take()
            return tuple(self.list(")", self.value))
        if self.tokens[self.at + 1] not in "<(":
            return self.take()
        element, shape = self.type()
        self.take("(")
        if self.peek() == "BLOBFILE":
            self.take()
            self.take("(")
            self.list(")", self.named)
            # Only types are looked at here; what the blobs hold is checked elsewhere.
            value = np.zeros(shape, NUMPY[element])
        else:
            value = self.literal()
            if element in NUMPY:
                value = np.array(value, NUMPY[element]).reshape(shape) if shape else NUMPY[element](value)
        self.take(")")
        return "literal", element, value

    def named(self):
        name = self.take()
        self.take("=")
        return name, self.value()

    def variable(self):
        return self.type(), self.take()

    def statement(self):
        results = [self.variable()]
        while self.peek() == ",":
            self.take()
            results.append(self.variable())
        self.take("=")
        op = self.take()
        self.take("(")
        arguments = dict(self.list(")", self.named))
        self.take("[")
        attributes = dict(self.list("]", self.named))
        self.take(";")
        assert attributes.pop("name")[2] == results[0][1]
        return results, op, {**arguments, **attributes}

    def function(self):
        self.take("func")
        name = self.take()
        self.take("<")
        opset = self.take()
        self.take(">")
        self.take("(")
        params = self.list(")", self.variable)
        self.take("{")
        statements = []
        while self.peek() != "}":
            statements.append(self.statement())
        self.take("}")
        self.take("->")
        self.take("(")
        outputs = self.list(")", self.take)
        self.take(";")
        return name, opset, params, statements, outputs

    def program(self):
        for token in ("program", "("):
            self.take(token)
        self.take()
        self.take(")")
        self.take("[")
        attributes = dict(self.list("]", self.named))
        assert "buildInfo" in attributes
        self.take("{")
        functions = []
        while self.peek() != "}":
            functions.append(self.function())
        self.take("}")
        assert self.at == len(self.tokens)
        return functions


def definition(op, opset):
    """coremltools' newest definition of the operation at or below the opset."""
    versions = [v for v in SSAOpRegistry.core_ops.get(op, {}) if v <= opset]
    assert versions, f"coremltools has no '{op}' in {opset.name}"
    return SSAOpRegistry.core_ops[op][max(versions)]


def check_function(name, opset, params, statements, outputs):
    target = getattr(coremltools.target, opset.replace("ios", "iOS"))
    inputs = {n: Placeholder(sym_shape=shape or (1,), dtype=types.string_to_builtin(element), name=n)
              for (element, shape), n in params}
    seen = set()
    with Function(inputs, opset_version=target) as function:
        values = dict(function.inputs)
        for ((element, shape), n) in params:
            if not shape:  # coremltools has no rank-0 inputs
                values[n] = Builder.squeeze(x=values[n], axes=[0])

        declared = {n: kind for kind, n in params}

        def resolve(value, kind):
            if isinstance(value, tuple):
                return value[2] if value[0] == "literal" else [resolve(v, kind) for v in value]
            if kind.const and not isinstance(values[value], (np.ndarray, np.generic, str)):
                # Whether it must be a constant is the target's business; its type and place are checked here.
                element, shape = declared[value]
                return np.ones(shape, types.nptype_from_builtin(types.string_to_builtin(element)))
            return values[value]

        for results, op, arguments in statements:
            assert not seen & {n for _, n in results}, f"{results[0][1]} is defined twice"
            seen |= {n for _, n in results}
            declared.update({n: kind for kind, n in results})
            if op == "const":
                values[results[0][1]] = arguments["val"][2]
                continue
            known = definition(op, target).input_spec.input_types
            for argument in arguments:
                assert argument in known, f"'{op}' has no argument '{argument}' in {opset}"
            for argument, kind in known.items():
                assert kind.optional or argument in arguments, f"'{op}' lacks '{argument}'"
            made = getattr(Builder, op)(**{k: resolve(v, known[k]) for k, v in arguments.items()}, name=results[0][1])
            made = made if isinstance(made, (tuple, list)) else (made,)
            assert len(made) == len(results), f"'{op}' gives {len(made)} results, declared are {len(results)}"
            for var, ((element, shape), n) in zip(made, results):
                got = types.builtin_to_string(var.dtype), tuple(var.shape)
                assert got == (element, shape), f"'{op}' ({n}) gives {got}, declared is {(element, shape)}"
                values[n] = var
        missing = [n for n in outputs if n not in values]
        assert not missing, f"{name} returns {missing}"


def check(text):
    """Raises unless coremltools builds the same program."""
    for function in Parser(text).program():
        check_function(*function)
