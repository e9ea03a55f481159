#!/usr/bin/env python3
"""Writes lib/Import/ONNX/Signatures.inc: what the inputs of each operator that the importer knows may be, by ONNX's own
schemas and, for the operators of com.microsoft, ONNX Runtime's."""
import itertools
import re
from pathlib import Path

import onnx.defs
import onnxruntime.capi.onnxruntime_pybind11_state as ort

ROOT = Path(__file__).resolve().parent.parent
IMPORTER = ROOT / "lib" / "Import" / "ONNX"
OUTPUT = IMPORTER / "Signatures.inc"

# Element types of the dialect. A group of the table stands for all of its types; groups are tried in this order.
FLOAT8 = {"float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"}
FLOATS = {"float16", "float", "double"}
INTS = {"int8", "int16", "int32", "int64"}
UINTS = {"uint8", "uint16", "uint32", "uint64"}
INT4S = {"int4", "uint4"}
GROUPS = {"numbers": FLOATS | INTS | UINTS, "floats": FLOATS, "ints": INTS, "uints": UINTS, "int4s": INT4S, "float8s": FLOAT8}
TYPES = FLOAT8 | FLOATS | INTS | UINTS | INT4S | {"bfloat16", "bool"}
MARKS = {"Single": "", "Optional": "?", "Variadic": "*"}


def registered():
    """{(domain, op): since-versions} of all handlers."""
    found = {}
    for source in sorted((IMPORTER / "Ops").glob("*.cpp")):
        text = source.read_text()
        every = re.search(r"for \(StringRef domain : \{(.*?)\}\)", text)
        for domain, op, versions in re.findall(r'onOp\((\w+|"[\w.]*"), "(\w+)", \{([\d, ]+)\}', text):
            for name in re.findall(r'"([\w.]*)"', every[1] if domain == "domain" else domain):
                found[name, op] = [int(version) for version in versions.split(",")]
    return found


def schemas():
    every = list(ort.get_all_operator_schema()) + list(onnx.defs.get_all_schemas_with_history())
    found = {(schema.domain, schema.name, schema.since_version): schema for schema in every}
    # Old exporters write this one of the default domain, which ONNX Runtime added there, with its own domain.
    name = "SimplifiedLayerNormalization"
    return {**found, ("com.microsoft", name, 1): found["", name, 1]}


def words(types):
    """Names of ONNX's types as the table spells them. Those that the dialect lacks are left out."""
    known = {found[1] for found in (re.fullmatch(r"tensor\((\w+)\)", name) for name in types) if found} & TYPES
    known |= {kind for kind in ("seq", "optional") for name in types if name.startswith(kind + "(")}
    result = []
    for group, members in GROUPS.items():
        if members <= known:
            result.append(group)
            known -= members
    return result + sorted(known)


def signature(schema):
    allowed = {constraint.type_param_str: constraint.allowed_type_strs for constraint in schema.type_constraints}
    inputs, variables = [], {}
    for index, given in enumerate(schema.inputs):
        name = given.typeStr if hasattr(given, "typeStr") else given.type_str
        spelled = name if name in allowed else " ".join(words([name]))
        if name in allowed:
            variables[name] = " ".join(words(allowed[name]))
        mark = MARKS[str(given.option).rpartition(".")[2]]
        if mark == "*":
            mark = "*" if getattr(given, "is_homogeneous", getattr(given, "isHomogeneous", True)) else "**"
            mark = mark if schema.min_input > index else "?" + mark
        inputs.append(spelled + mark)
    return " ".join(inputs), "; ".join(f"{name} = {types}" for name, types in variables.items())


def table():
    known = schemas()
    lines = ["// What the inputs of operators may be, made by scripts/onnx_signatures.py: domain, operator, since-versions,",
             "// inputs (? optional, * repeated, ** repeated with a type each), type variables."]
    for (domain, op), versions in sorted(registered().items()):
        made = [(signature(known[domain, op, version]), str(version)) for version in versions]
        for (inputs, variables), same in itertools.groupby(made, key=lambda pair: pair[0]):
            since = " ".join(version for _, version in same)
            lines.append(f'SIGNATURE("{domain}", "{op}", "{since}", "{inputs}", "{variables}")')
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    OUTPUT.write_text(table())
