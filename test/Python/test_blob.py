"""Blob files against coremltools' reader and writer, both ways."""
import numpy as np
import pytest

import anetest

storage = pytest.importorskip("coremltools.libmilstoragepython")

# MIL name -> (NumPy type, method suffix of coremltools, bits)
TYPES = {
    "fp16": (np.float16, "fp16", 16),
    "fp32": (np.float32, "float", 32),
    "int8": (np.int8, "int8", 8),
    "uint8": (np.uint8, "uint8", 8),
    "int16": (np.int16, "int16", 16),
    "uint16": (np.uint16, "uint16", 16),
    "int32": (np.int32, "int32", 32),
    "uint32": (np.uint32, "uint32", 32),
    "int4": (np.int8, "int4", 4),
    "uint1": (np.uint8, "uint1", 1),
    "uint2": (np.uint8, "uint2", 2),
    "uint3": (np.uint8, "uint3", 3),
    "uint4": (np.uint8, "uint4", 4),
    "uint6": (np.uint8, "uint6", 6),
}


def values(name, count):
    """Values that reach both ends of the type's range."""
    dtype, _, bits = TYPES[name]
    random = np.random.default_rng(count)
    if np.issubdtype(dtype, np.floating):
        return random.standard_normal(count).astype(dtype)
    low = -(1 << (bits - 1)) if name.startswith("int") else 0
    return random.integers(low, low + (1 << bits), count).astype(dtype)


def packed(name, array):
    """The payload bytes: element i from bit i*width on, least significant bit first."""
    width = TYPES[name][2]
    if width >= 8:
        return array.tobytes()
    bits = (array.astype(np.uint8)[:, None] >> np.arange(width)) & 1
    return np.packbits(bits.reshape(-1), bitorder="little").tobytes()


def as_written(name, array):
    """coremltools passes fp16 as raw 16-bit words."""
    return array.view(np.uint16) if name == "fp16" else array


@pytest.mark.parametrize("count", [1, 13, 4096])
def test_coremltools_reads_what_we_write(tmp_path, count):
    arrays = {name: values(name, count) for name in TYPES}
    specs = []
    for name, array in arrays.items():
        raw = tmp_path / f"{name}.raw"
        raw.write_bytes(packed(name, array))
        specs.append(f"{name}:{count}:{raw}")
    path = tmp_path / "w.bin"
    positions = [int(line) for line in anetest.run("blob-tool", "write", path, *specs).stdout.split()]
    assert positions[0] == 64
    reader = storage._BlobStorageReader(str(path))
    for (name, array), position in zip(arrays.items(), positions):
        read = np.array(getattr(reader, f"read_{TYPES[name][1]}_data")(position))
        np.testing.assert_array_equal(read.reshape(-1), as_written(name, array), err_msg=name)


@pytest.mark.parametrize("count", [1, 13, 4096])
def test_we_read_what_coremltools_writes(tmp_path, count):
    path = tmp_path / "w.bin"
    arrays = {name: values(name, count) for name in TYPES}
    writer = storage._BlobStorageWriter(str(path))
    positions = [getattr(writer, f"write_{TYPES[name][1]}_data")(as_written(name, a)) for name, a in arrays.items()]
    del writer
    rows = [line.split() for line in anetest.run("blob-tool", "list", path).stdout.splitlines()]
    assert [(int(row[0]), row[1], int(row[5])) for row in rows] == [
        (position, name, count) for position, name in zip(positions, TYPES)
    ]
    for (name, array), position in zip(arrays.items(), positions):
        anetest.run("blob-tool", "extract", path, position, tmp_path / "raw")
        assert (tmp_path / "raw").read_bytes() == packed(name, array), name


def test_files_are_equal_to_the_byte(tmp_path):
    """The same blobs in the same order give the same file."""
    arrays = {name: values(name, 13) for name in TYPES}
    theirs = tmp_path / "theirs.bin"
    writer = storage._BlobStorageWriter(str(theirs))
    specs = []
    for name, array in arrays.items():
        getattr(writer, f"write_{TYPES[name][1]}_data")(as_written(name, array))
        (tmp_path / f"{name}.raw").write_bytes(packed(name, array))
        specs.append(f"{name}:13:{tmp_path / name}.raw")
    del writer
    anetest.run("blob-tool", "write", tmp_path / "ours.bin", *specs)
    assert (tmp_path / "ours.bin").read_bytes() == theirs.read_bytes()


def test_broken_files_are_refused(tmp_path):
    path = tmp_path / "w.bin"
    writer = storage._BlobStorageWriter(str(path))
    writer.write_fp16_data(as_written("fp16", values("fp16", 100)))
    del writer
    good = path.read_bytes()
    for broken, says in [(good[:-1], "payload of 200 bytes"), (good[:70], "a record has 64 bytes"), (b"", "header"),
                         (good[:4] + b"\1" + good[5:], "version 1"), (good[:64] + b"\0" + good[65:], "sentinel")]:
        path.write_bytes(broken)
        anetest.rejected("blob-tool", "list", path, says=says)
    anetest.rejected("blob-tool", "list", tmp_path / "nowhere.bin", says="No such file")


def test_failure_leaves_nothing(tmp_path):
    (tmp_path / "a.raw").write_bytes(bytes(16))
    anetest.rejected("blob-tool", "write", tmp_path / "w.bin", f"fp16:9:{tmp_path}/a.raw", says="2 bytes missing")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.raw"]
