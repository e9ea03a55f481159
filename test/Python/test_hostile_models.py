"""Damaged models (hostilemodels.py) are compiled, or refused with one error: no signal, hang or gigabytes."""
import os
import re
import resource
import struct
import subprocess

import pytest

import anetest
import hostilemodels


def check(models, tmp_path):
    """Compiles models (name, bytes) in one process each until it dies, which test/Unit/Import/hostile_models.cpp does."""
    names, path = [], tmp_path / "models"
    with open(path, "wb") as file:
        for name, data in models:
            names.append(name)
            file.write(struct.pack("<I", len(data)) + data)
    done = subprocess.run([anetest.BUILD / "gtest" / "hostile_models", path], capture_output=True, text=True)
    *problems, summary = done.stdout.splitlines()
    print(summary)
    named = [f"{names[int(number)]}: {what}" for number, what in re.findall(r"^(\d+): (.*)$", "\n".join(problems), re.M)]
    assert done.returncode == 0, "\n".join([done.stderr, *named, summary])
    return len(names)


def bounded():
    """10 s of processor time, 3 GB."""
    resource.setrlimit(resource.RLIMIT_CPU, (10, 11))
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))


def check_to_the_end(models, folder):
    """Compiles with CPU code, and runs on both devices what compiles: each ends well, or with one error."""
    path, bundle = folder / "m.onnx", folder / "m.anebundle"
    commands = [["ane-compile", path, "-o", bundle, "--host=native", "--quiet"],
                *(["ane-run", bundle, f"--device={device}", "--random-inputs", "--threads=2"] for device in ("cpu", "emulator"))]
    wrong, compiled = [], 0
    for name, data in models:
        path.write_bytes(data)
        for command in commands:
            done = anetest.run(*command, check=False, preexec_fn=bounded, env={**os.environ, "OPENBLAS_NUM_THREADS": "2"})
            if done.returncode not in (0, 1) or done.stderr.count("error:") != done.returncode:
                wrong.append(f"{name}: {command[0]} ended with {done.returncode}\n{done.stderr[-500:]}")
            if done.returncode and command[0] == "ane-compile":
                break
        else:
            compiled += 1
    assert not wrong, "\n".join(wrong)
    return compiled


def test_some_to_the_end(tmp_path):
    assert check_to_the_end(hostilemodels.models(step=4000), tmp_path) >= 5


@pytest.mark.slow
def test_many_to_the_end(tmp_path):
    assert check_to_the_end(hostilemodels.models(step=200), tmp_path) >= 150


def test_some(tmp_path):
    assert check(hostilemodels.models(step=60), tmp_path) >= 3000


def test_numbers(tmp_path):
    assert check(hostilemodels.numbers(), tmp_path) >= 20


@pytest.mark.slow
def test_all(tmp_path):
    assert check(hostilemodels.models(), tmp_path) >= 150_000


@pytest.mark.slow
def test_large(tmp_path):
    assert check(hostilemodels.large(), tmp_path) >= 100
