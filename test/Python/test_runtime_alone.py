"""The runtime by itself: built without LLVM in sight, it runs a bundle as the runtime of the whole build does."""
import os
import shutil
import subprocess

import numpy as np
import pytest

import anetest

BUILD = anetest.ROOT / "build-runtime"


def call(*command, **more):
    done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True, text=True, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def runtime():
    """Folder of `cmake -S runtime`, with ane-run built. Its objects are those of the whole build: the compiler cache has them."""
    cache = shutil.which("ccache")
    launcher = [f"-DCMAKE_{language}_COMPILER_LAUNCHER={cache}" for language in ("C", "CXX")] if cache else []
    call("cmake", "-S", anetest.ROOT / "runtime", "-B", BUILD, "-G", "Ninja", "-DCMAKE_CXX_COMPILER=clang++-19",
         "-DCMAKE_C_COMPILER=clang-19", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON",
         "-DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON", *launcher)
    call("cmake", "--build", BUILD, "--target", "ane-run", "-j", "2",
         env={**os.environ, "CCACHE_BASEDIR": str(anetest.ROOT), "CCACHE_NOHASHDIR": "1"})
    return BUILD


def test_no_llvm_in_sight(runtime):
    commands = (runtime / "compile_commands.json").read_text().lower().replace("clang++-19", "").replace("clang-19", "")
    assert "llvm" not in commands and "mlir" not in commands
    libraries = call("ldd", runtime / "bin" / "ane-run").lower()
    assert "llvm" not in libraries and "mlir" not in libraries


@pytest.mark.parametrize("device", ["emulator", "cpu"])
def test_runs_a_bundle(runtime, minilm_bundle, tmp_path, device):
    bundle, _ = minilm_bundle(32)
    options = [bundle, f"--device={device}", "--random-inputs", "--output-dir"]
    call(runtime / "bin" / "ane-run", *options, tmp_path / "alone")
    anetest.run("ane-run", *options, tmp_path / "whole")
    names = sorted(path.name for path in (tmp_path / "whole").glob("*.npy"))
    assert names
    for name in names:
        np.testing.assert_array_equal(np.load(tmp_path / "alone" / name), np.load(tmp_path / "whole" / name))
