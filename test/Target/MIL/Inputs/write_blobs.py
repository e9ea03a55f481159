"""Weight files with one record of 32 fp16 elements: well-formed, and with the defects that other writers leave."""
import struct
import sys
from pathlib import Path

folder = Path(sys.argv[1])
header = struct.pack("<II56x", 1, 2)
payload = bytes(64)


def record(size, offset):
    return struct.pack("<IIQQQ32x", 0xDEADBEEF, 1, size, offset, 0)


(folder / "good.bin").write_bytes(header + record(64, 128) + payload)
(folder / "sizeless.bin").write_bytes(header + record(0x80000, 0) + payload)
(folder / "unaligned.bin").write_bytes(header + bytes(16) + record(64, 144) + payload)
(folder / "truncated.bin").write_bytes(header + record(64, 128) + payload[:-2])
