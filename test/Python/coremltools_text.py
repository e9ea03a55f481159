"""A program that coremltools wrote (MILSpec protobuf), as the MIL text that a compiled model has."""
import numpy as np
from coremltools.proto import MIL_pb2

TYPES = {number: {"FLOAT16": "fp16", "FLOAT32": "fp32", "STRING": "string"}.get(name, name.lower())
         for name, number in MIL_pb2.DataType.items()}
OPSETS = {"CoreML5": "ios15", "CoreML6": "ios16", "CoreML7": "ios17", "CoreML8": "ios18"}
NUMPY = {"fp16": np.float16, "int8": np.int8, "uint8": np.uint8, "int16": np.int16, "uint16": np.uint16, "uint32": np.uint32}
BITS = {"uint1": 1, "uint2": 2, "uint4": 4, "int4": 4}


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def type_text(value_type):
    if value_type.WhichOneof("type") == "stateType":
        return f"state<{type_text(value_type.stateType.wrappedType)}>"
    tensor = value_type.tensorType
    return f"tensor<{TYPES[tensor.dataType]}, [{', '.join(str(d.constant.size) for d in tensor.dimensions)}]>"


def nested(items, dims):
    if not dims:
        return items[0]
    step = len(items) // dims[0]
    return "[" + ", ".join(nested(items[i * step:(i + 1) * step], dims[1:]) for i in range(dims[0])) + "]"


def unpacked(raw, dtype, count):
    """Integers of a byte or of fewer bits, the lowest first."""
    if dtype in NUMPY:
        return np.frombuffer(raw, NUMPY[dtype])
    width = BITS[dtype]
    bits = np.unpackbits(np.frombuffer(raw, np.uint8), bitorder="little")[:count * width].reshape(count, width)
    values = (bits.astype(int) << np.arange(width)).sum(axis=1)
    return np.where(values >= 1 << (width - 1), values - (1 << width), values) if dtype.startswith("int") else values


def literal(value):
    text, tensor = type_text(value.type), value.immediateValue.tensor
    dims = [d.constant.size for d in value.type.tensorType.dimensions]
    kind = tensor.WhichOneof("value")
    dtype = TYPES[value.type.tensorType.dataType]
    if kind == "bytes":
        items = unpacked(tensor.bytes.values, dtype, int(np.prod(dims)))
    else:
        items = getattr(tensor, kind).values
    if dtype == "string":
        items = [quoted(item) for item in items]
    elif dtype == "bool":
        items = ["true" if item else "false" for item in items]
    elif dtype.startswith("fp"):
        items = [float(item).hex() if np.isfinite(item) else str(float(item)) for item in items]
    else:
        items = [str(item) for item in items]
    return f"{text}({nested(items, dims)})"


def value_text(value):
    if value.WhichOneof("value") == "blobFileValue":
        blob = value.blobFileValue
        return (f"{type_text(value.type)}(BLOBFILE(path = tensor<string, []>({quoted(blob.fileName)}), "
                f"offset = tensor<uint64, []>({blob.offset})))")
    return literal(value)


def argument(bound):
    items = [item.name if item.WhichOneof("binding") == "name" else value_text(item.value) for item in bound.arguments]
    return items[0] if len(items) == 1 else "(" + ", ".join(items) + ")"


def program_text(program):
    lines = ["program(1.0)",
             '[buildInfo = dict<tensor<string, []>, tensor<string, []>>({{"coremlc-component-MIL", "3520.4.1"}, '
             '{"coremlc-version", "3520.5.1"}})]', "{"]
    for name, function in program.functions.items():
        inputs = ", ".join(f"{type_text(item.type)} {item.name}" for item in function.inputs)
        lines.append(f"    func {name}<{OPSETS[function.opset]}>({inputs}) {{")
        block = function.block_specializations[function.opset]
        for op in block.operations:
            results = ", ".join(f"{type_text(item.type)} {item.name}" for item in op.outputs)
            arguments = ", ".join(f"{key} = {argument(op.inputs[key])}" for key in sorted(op.inputs))
            attributes = ", ".join(f"{key} = {value_text(op.attributes[key])}" for key in sorted(op.attributes))
            lines.append(f"        {results}{' = ' if results else ''}{op.type}({arguments})[{attributes}];")
        lines.append("    } -> (" + ", ".join(block.outputs) + ");")
    return "\n".join(lines + ["}"]) + "\n"
