"""Compiles ane modules with `ane-opt --ane-host-compile` and calls the library through ctypes.

The service table is implemented here, serially: the tests need neither the runtime nor its threads. Code for AArch64, that for
Macs, too, runs under an emulator of its processor, through hostrun.c. The environment variable ANE_TEST_HOST names another machine for all
tests that don't ask for one.
"""
import ctypes
import functools
import json
import mmap
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import anetest

DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i64": np.int64, "i32": np.int32, "i16": np.int16,
          "i8": np.int8, "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64, "i1": np.bool_}
VIRTUAL_THREADS = 3

_current = 0
Microtask = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_int32), ctypes.POINTER(ctypes.c_int32), ctypes.c_void_p)
ForkCall = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)
ThreadNum = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
U64P, I64P = ctypes.POINTER(ctypes.c_uint64), ctypes.POINTER(ctypes.c_int64)
StaticInit = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_int32),
                              U64P, U64P, I64P, ctypes.c_int64, ctypes.c_int64)
StaticFini = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32)


class Table(ctypes.Structure):
    _fields_ = [("abi_version", ctypes.c_uint32), ("size", ctypes.c_uint32), ("fork_call", ForkCall),
                ("global_thread_num", ThreadNum), ("for_static_init_8u", StaticInit), ("for_static_fini", StaticFini),
                ("barrier", StaticFini)]


class Context(ctypes.Structure):
    _fields_ = [("weights", ctypes.POINTER(ctypes.c_void_p)), ("arena", ctypes.c_void_p)]


def _fork(loc, argc, microtask, captured):
    global _current
    task = Microtask(microtask)
    for _current in range(VIRTUAL_THREADS):
        number = ctypes.c_int32(_current)
        task(ctypes.byref(number), ctypes.byref(number), captured)
    _current = 0


def _static_init(loc, thread, schedule, last, low, high, stride, step, chunk):
    count = high[0] - low[0] + 1
    begin, end = count * thread // VIRTUAL_THREADS, count * (thread + 1) // VIRTUAL_THREADS
    last[0] = thread == VIRTUAL_THREADS - 1
    stride[0] = count
    base = low[0]
    low[0], high[0] = (1, 0) if begin == end else (base + begin, base + end - 1)


TABLE = Table(1, ctypes.sizeof(Table), ForkCall(_fork), ThreadNum(lambda loc: _current), StaticInit(_static_init),
              StaticFini(lambda loc, thread: None), StaticFini(lambda loc, thread: None))


def aligned(shape, dtype):
    """An uninitialised array at a 64-byte boundary."""
    size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    raw = np.empty(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start:start + size].view(dtype).reshape(shape)


AARCH64 = "aarch64-unknown-linux-gnu"
MACOS = "arm64-apple-macos"
DEFAULT_HOST = "x86_64-unknown-linux-gnu:x86-64-v3"


def runs_aarch64():
    """Whether what hostrun.c takes for AArch64 is installed: Debian's gcc-aarch64-linux-gnu and qemu-user."""
    return shutil.which("aarch64-linux-gnu-gcc") and shutil.which("qemu-aarch64")


@functools.lru_cache(maxsize=None)
def _driver():
    """Command that calls functions of a library for AArch64."""
    program = Path(tempfile.mkdtemp(prefix="hostrun-")) / "hostrun"
    subprocess.run(["aarch64-linux-gnu-gcc", "-O1", "-Wall", "-Werror", f"-I{anetest.ROOT / 'runtime' / 'include'}",
                    Path(__file__).with_name("hostrun.c"), "-o", program, "-ldl"], check=True)
    return ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", str(program)]


class Library:
    """The compiled functions of one module."""

    def __init__(self, text, directory, *options, host=None):
        host = host or os.environ.get("ANE_TEST_HOST", DEFAULT_HOST)
        directory = Path(directory)
        directory.mkdir(parents=True, exist_ok=True)
        source = directory / "module.mlir"
        source.write_text(text)
        extra = "".join(" " + option for option in options)
        anetest.run("ane-opt", f"--ane-host-compile=output-dir={directory} host={host}{extra}", source, "-o", directory / "out.mlir")
        self.description = json.loads((directory / "host.json").read_text())
        self.functions = {f["name"]: f for f in self.description["functions"]}
        self.directory, self.foreign = directory, host in (AARCH64, MACOS)
        if self.foreign:
            return
        self.library = ctypes.CDLL(str(directory / "host.so"))
        assert self.library.ane_host_abi() == 1
        self.library.ane_host_init(ctypes.byref(TABLE))
        with open(directory / "host.bin", "rb") as file:
            self.weights = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)

    def __call__(self, name, *inputs):
        function = self.functions[name]
        arrays = []
        assert len(inputs) == len(function["inputs"])
        for value, spec in zip(inputs, function["inputs"]):
            array = aligned(spec["shape"], DTYPES[spec["dtype"]])
            assert value.dtype == array.dtype, f"input is {value.dtype}, want {array.dtype}"
            array[...] = value
            arrays.append(array)
        outputs = [aligned(spec["shape"], DTYPES[spec["dtype"]]) for spec in function["outputs"]]
        if self.foreign:
            self._call_foreign(function, arrays, outputs)
            return outputs if len(outputs) != 1 else outputs[0]
        for array in outputs:
            array.reshape(-1).view(np.uint8)[...] = 0xA5 if array.dtype != np.bool_ else 0
        pointers = [a.ctypes.data for a in arrays + outputs]
        arena = aligned([max(function["arena_bytes"], 64)], np.uint8)
        arena[...] = 0xFF
        bases = (ctypes.c_void_p * 1)(self.weights.ctypes.data)
        context = Context(bases, arena.ctypes.data)
        args = (ctypes.c_void_p * len(pointers))(*pointers)
        getattr(self.library, function["symbol"])(args, ctypes.byref(context))
        return outputs if len(outputs) != 1 else outputs[0]

    def _call_foreign(self, function, inputs, outputs):
        command = [*_driver(), self.directory / "host.so", self.directory / "host.bin", function["symbol"],
                   function["arena_bytes"]]
        for i, array in enumerate(inputs + outputs):
            path = self.directory / f"argument{i}"
            command += ["i" if i < len(inputs) else "o", path, array.nbytes]
            if i < len(inputs):
                array.tofile(path)
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=anetest.TIMEOUT)
        assert done.returncode == 0, f"hostrun ended with {done.returncode}: {done.stderr}"
        for i, array in enumerate(outputs):
            array[...] = np.fromfile(self.directory / f"argument{len(inputs) + i}", array.dtype).reshape(array.shape)
