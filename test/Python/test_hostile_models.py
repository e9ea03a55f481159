"""Damaged models (hostilemodels.py) are compiled, or refused with one error: no signal, hang or gigabytes."""
import re
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
