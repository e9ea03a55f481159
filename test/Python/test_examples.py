"""The programs in examples/, as a user starts them."""
import io
import json
import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import anetest
import frontend
from anetest import BUILD, ROOT

import anemone  # found through frontend

EXAMPLES = ROOT / "examples"
X = np.linspace(-2, 2, 4 * 64, dtype=np.float32).reshape(4, 64)
K = np.array([3, -1, 7, 2])


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    return anemone.compile(frontend.affine(), tmp_path_factory.mktemp("examples") / "m.anebundle", dims={"batch": 4})


def environment():
    return {**os.environ, "PYTHONPATH": str(ROOT / "python-frontend")}


def test_sentence_similarity(minilm):
    close, same, far = "Someone strums an acoustic guitar outside.", "A man plays the guitar on the street.", "Interest rates rose."
    done = subprocess.run([sys.executable, EXAMPLES / "sentence_similarity.py", minilm, anetest.vocabulary_path(), close, same, far,
                           "--device=emulator", "--length=16"], capture_output=True, text=True, timeout=300, env=environment())
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    assert len(rows) == 3 and float(rows[0][0]) == 1.0
    assert float(rows[0][1]) > 0.5 > float(rows[0][2]), done.stdout


def test_serve(bundle):
    server = subprocess.Popen([sys.executable, EXAMPLES / "serve.py", str(bundle.path), "--port=0", "--device=cpu"],
                              stdout=subprocess.PIPE, text=True, env=environment())
    try:
        address = server.stdout.readline().split()[0]

        def post(**inputs):
            body = io.BytesIO()
            np.savez(body, **inputs)
            with urllib.request.urlopen(urllib.request.Request(address, body.getvalue(), method="POST"), timeout=60) as answer:
                return np.load(io.BytesIO(answer.read()))

        with urllib.request.urlopen(address, timeout=60) as answer:
            assert json.load(answer)["inputs"]["x"] == ["float32", [4, 64]]
        with ThreadPoolExecutor(4) as pool:
            for value, got in zip(range(12), pool.map(lambda v: post(**{"x": X + v, "k.0": K}), range(12))):
                np.testing.assert_array_equal(got["y"], 2 * (X + value) + 1)
        with pytest.raises(urllib.error.HTTPError) as failure:
            post(x=X)
        assert failure.value.code == 400 and "no value for 'k.0'" in failure.value.read().decode()
        for body in (b"", b"PK", b"PK\3\4" + b"\0" * 50):
            with pytest.raises(urllib.error.HTTPError) as failure:
                urllib.request.urlopen(urllib.request.Request(address, body, method="POST"), timeout=60)
            assert failure.value.code == 400
    finally:
        server.terminate()
        server.wait(20)
        server.stdout.close()


@pytest.mark.skipif(not (shutil.which("cc") or shutil.which("clang-19")), reason="needs a C compiler")
def test_run_bundle(bundle, tmp_path):
    program = tmp_path / "run_bundle"
    built = subprocess.run([shutil.which("cc") or "clang-19", "-std=c99", "-Wall", "-Wextra", "-Werror", EXAMPLES / "run_bundle.c",
                            "-I", ROOT / "runtime" / "include", "-L", BUILD / "lib", "-l:libanemone.so.1",
                            f"-Wl,-rpath,{BUILD / 'lib'}", "-o", program], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr

    def run(*arguments):
        return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=60)

    x, k = tmp_path / "x.raw", tmp_path / "k.raw"
    X.tofile(x), K.tofile(k)
    done = run(bundle.path, "cpu", x, k)
    assert done.returncode == 0, done.stderr
    first = " ".join(f"{value:.6g}" for value in (2 * X + 1).ravel()[:4])
    assert done.stdout.splitlines() == ["input x: float32[4,64], 1024 bytes", "input k.0: int64[4], 32 bytes",
                                        "output y: float32[4,64], 1024 bytes", f" {first}", "output n/0: int64[4], 32 bytes",
                                        " 6 -2 14 4", "ran on cpu; programs that the device refused: 0"]
    for arguments, says in [((tmp_path,), "not a bundle"), ((bundle.path, "gpu"), "gpu"), ((bundle.path, "cpu", x), "1 files for 2"),
                            ((bundle.path, "cpu", k, k), "expected a file of 1024 bytes")]:
        done = run(*arguments)
        assert done.returncode == 1 and says in done.stderr, done.stderr
