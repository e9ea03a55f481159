"""Writes the models of reader.test that ONNX's textual syntax can't express: external data and damaged files."""
import os
import pathlib
import struct
import sys

import onnx
from onnx import TensorProto, helper

ROOT = pathlib.Path(sys.argv[1])


def model(tensor):
    value = helper.make_tensor_value_info
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "g", [value("x", 1, [16, 16])],
                              [value("y", 1, [16, 16])], [tensor] if tensor else [])
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])


def tensor(**fields):
    result = TensorProto(name="w", data_type=1, dims=[16, 16])
    for name, value in fields.items():
        if name == "dims":
            del result.dims[:]
            result.dims.extend(value)
        elif name == "float_data":
            result.float_data.extend(value)
        else:
            setattr(result, name, value)
    return result


def external(directory, location, size, **entries):
    (ROOT / directory).mkdir(parents=True, exist_ok=True)
    data = tensor(data_location=TensorProto.EXTERNAL)
    for key, value in {"location": location, "offset": "64", "length": "1024", **entries}.items():
        data.external_data.add(key=key, value=value)
    path = ROOT / directory / location
    if size and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(size))
    onnx.save(model(data), ROOT / directory / "model.onnx")


external("external", "sub/weights.bin", 2000)
external("missing", "gone.bin", 0)
external("escape", "../external/sub/weights.bin", 0)
external("absolute", str(ROOT / "external/sub/weights.bin"), 0)
external("short", "weights.bin", 100)
external(".", "any.bin", 2000, offset="-1")
os.replace(ROOT / "model.onnx", ROOT / "offset.onnx")
# A symbolic link may not leave the directory either.
external("link", "weights.bin", 0)
os.symlink(ROOT / "external/sub/weights.bin", ROOT / "link/weights.bin")

onnx.save(model(tensor(dims=[2, 2], raw_data=bytes(12))), ROOT / "bytes.onnx")
onnx.save(model(tensor(dims=[-3, 2], raw_data=bytes(12))), ROOT / "dims.onnx")
onnx.save(model(tensor(dims=[1 << 40, 1 << 40, 0], raw_data=b"")), ROOT / "huge.onnx")
onnx.save(model(tensor(data_type=77, raw_data=bytes(1024))), ROOT / "dtype.onnx")
onnx.save(model(tensor(float_data=[0.5] * 256)), ROOT / "packed.onnx")
onnx.save(model(tensor(data_type=TensorProto.INT32, float_data=[0.5] * 256)), ROOT / "wrongfield.onnx")

write = lambda name, data: (ROOT / f"{name}.onnx").write_bytes(data)
# The same data in two blocks of float_data: a message that is merged into the first one's tensor.
half = struct.pack("<128f", *[0.5] * 128)
packed = b"\x22\x80\x04" + half
blocks = tensor().SerializeToString() + packed + packed
whole = model(None)
rest = whole.graph.SerializeToString() + b"\x2a" + bytes([len(blocks) & 127 | 128, len(blocks) >> 7]) + blocks
whole.ClearField("graph")
write("blocks", whole.SerializeToString() + b"\x3a" + bytes([len(rest) & 127 | 128, len(rest) >> 7]) + rest)
write("length", b"\x08\x08" + b"\x3a\xe8\x07" + b"ab")
write("varint", b"\x08" + b"\xff" * 11)
write("group", b"\x0b\x0c")
write("text", b"this is no model\n")
write("empty", b"")
body = b""
for _ in range(40):  # graph > node > attribute > graph ...
    for tag in (b"\x32", b"\x2a", b"\x0a"):
        length, size = b"", len(body)
        while size >= 128:
            length, size = length + bytes([size & 127 | 128]), size >> 7
        body = tag + length + bytes([size]) + body
size, length = len(body), b""
while size >= 128:
    length, size = length + bytes([size & 127 | 128]), size >> 7
write("nested", b"\x3a" + length + bytes([size]) + body)
