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


def build(folder, *options):
    """`cmake -S runtime`, with ane-run built. Its objects are those of the whole build: the compiler cache has them."""
    cache = shutil.which("ccache")
    launcher = [f"-DCMAKE_{language}_COMPILER_LAUNCHER={cache}" for language in ("C", "CXX")] if cache else []
    call("cmake", "-S", anetest.ROOT / "runtime", "-B", folder, "-G", "Ninja", "-DCMAKE_CXX_COMPILER=clang++-19",
         "-DCMAKE_C_COMPILER=clang-19", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
         *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON" for package in ("LLVM", "MLIR", "GTest")), "-DBUILD_TESTING=OFF", *launcher,
         *options)
    call("cmake", "--build", folder, "--target", "ane-run", "-j", "2",
         env={**os.environ, "CCACHE_BASEDIR": str(anetest.ROOT), "CCACHE_NOHASHDIR": "1"})
    return folder


@pytest.fixture(scope="module")
def runtime():
    return build(BUILD)


def test_without_the_emulator(minilm_bundle, tmp_path):
    """Neither the emulator nor BLAS; asking for it is an error that says what is missing."""
    folder = build(anetest.ROOT / "build-runtime-cpu", "-DANE_EMULATOR=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_BLAS=ON")
    run, bundle = folder / "bin" / "ane-run", minilm_bundle(32)[0]
    assert "emulator/ops" not in (folder / "compile_commands.json").read_text()
    call(run, bundle, "--device=cpu", "--random-inputs", "--output-dir", tmp_path)
    program = next(bundle.glob("programs/*.mil"))
    for arguments in ([bundle, "--device=emulator", "--random-inputs"], ["--mil", program, "--weights", bundle]):
        done = subprocess.run([run, *arguments], capture_output=True, text=True)
        assert done.returncode == 1 and "the emulator is an optional part of the runtime" in done.stderr, done.stderr


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
