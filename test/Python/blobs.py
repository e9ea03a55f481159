"""What the tests know about MIL text and blob files, written from the format's description and not from the compiler."""
import re

import numpy as np

NUMPY = {"fp16": np.float16, "fp32": np.float32, "int8": np.int8, "uint8": np.uint8, "int16": np.int16, "uint16": np.uint16,
         "int32": np.int32}
# MIL's element types by their code in a blob record (coremltools: mil_storage, BlobDataType).
CODES = {1: "fp16", 2: "fp32", 3: "uint8", 4: "int8", 6: "int16", 7: "uint16", 14: "int32"}

_CONST = re.compile(
    r"tensor<\s*(?P<kind>\w+)\s*,\s*\[(?P<shape>[^\]]*)\]\s*>\s+(?P<name>\w+)\s*=\s*const\(\)\s*\[.*?"
    r"BLOBFILE\(\s*path\s*=\s*\w*(?:<[^>]*>)?\s*\(?\"(?P<path>[^\"]+)\"\)?\s*,\s*offset\s*=\s*\w*(?:<[^>]*>)?\s*\(?(?P<offset>\d+)\)?")


def references(mil_text):
    """Constants of a MIL text whose values are in a blob file: dicts of name, kind, shape, path, offset."""
    found = []
    for statement in mil_text.split(";"):
        match = _CONST.search(statement)
        if match:
            shape = [int(d) for d in match["shape"].split(",") if d.strip()]
            found.append({"name": match["name"], "kind": match["kind"], "shape": shape, "path": match["path"],
                          "offset": int(match["offset"])})
    return found


def records(path):
    """Records of a blob file, in order: (record offset, type name, values as a flat array)."""
    data = np.memmap(path, np.uint8, "r")
    count, version = data[:8].view(np.uint32)
    assert version == 2, f"{path}: version {version}"
    found, at = [], 64
    for _ in range(count):
        sentinel, code = (int(v) for v in data[at:at + 8].view(np.uint32))
        size, start = (int(v) for v in data[at + 8:at + 24].view(np.uint64))
        assert sentinel == 0xDEADBEEF, f"{path}: no record at {at}"
        assert start % 64 == 0 and start + size <= len(data), f"{path}: record at {at} leaves the file"
        kind = CODES[code]
        found.append((at, kind, data[start:start + size].view(NUMPY[kind])))
        at = (start + size + 63) // 64 * 64
    return found


def read_with_coremltools(path, offset, kind):
    """The values of a record, as coremltools' own reader sees them."""
    from coremltools.libmilstoragepython import _BlobStorageReader

    reader = _BlobStorageReader(str(path))
    if kind == "fp16":
        return np.asarray(reader.read_fp16_data(offset)).view(np.float16)
    return np.asarray(getattr(reader, f"read_{'float' if kind == 'fp32' else kind}_data")(offset))
