"""What `cmake --install` puts under a prefix, as a project elsewhere finds it: by CMake and by pkg-config, from C99 and C++17."""
import os
import re
import shutil
import subprocess

import numpy as np
import pytest

import frontend
from anetest import BUILD, ROOT

import anemone  # found through frontend

X = np.linspace(-2, 2, 4 * 64, dtype=np.float32).reshape(4, 64)
K = np.array([3, -1, 7, 2])
CLIENT = """
cmake_minimum_required(VERSION 3.20)
project(Client LANGUAGES C CXX)
find_package(Anemone 1.0 REQUIRED COMPONENTS static)
add_executable(c99 c99.c)
set_target_properties(c99 PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF)
add_executable(cxx17 cxx17.cpp)
target_compile_features(cxx17 PRIVATE cxx_std_17)
add_executable(static cxx17.cpp)
foreach(client c99 cxx17)
  target_link_libraries(${client} PRIVATE Anemone::anemone)
endforeach()
target_link_libraries(static PRIVATE Anemone::anemone_static)
"""


def call(*command, **options):
    done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """Installed, then moved: nothing may know the prefix."""
    first, place = tmp_path_factory.mktemp("first") / "prefix", tmp_path_factory.mktemp("second") / "prefix"
    for component in ("Runtime", "Development", "Emulator"):
        call("cmake", "--install", BUILD, "--prefix", first, "--component", component)
    first.rename(place)
    return place


@pytest.fixture(scope="module")
def clients(prefix, tmp_path_factory):
    """The folder of three programs, built from the example out of the tree."""
    folder = tmp_path_factory.mktemp("client")
    for name in ("c99.c", "cxx17.cpp"):
        shutil.copy(ROOT / "examples" / "run_bundle.c", folder / name)
    (folder / "CMakeLists.txt").write_text(CLIENT)
    call("cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja", "-DCMAKE_C_COMPILER=clang-19",
         "-DCMAKE_CXX_COMPILER=clang++-19", f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Debug")
    call("cmake", "--build", folder / "build")
    return folder / "build"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A bundle and its inputs."""
    folder = tmp_path_factory.mktemp("files")
    made = anemone.compile(frontend.affine(), folder / "m.anebundle", dims={"batch": 4})
    X.tofile(folder / "x.raw"), K.tofile(folder / "k.raw")
    return made.path, folder / "x.raw", folder / "k.raw"


def check(program, files, device="cpu", **options):
    path, x, k = files
    out = call(program, path, device, x, k, **options)
    values = re.search(r"output y: float32\[4,64\], 1024 bytes\n (.*)\n", out)[1].split()
    np.testing.assert_allclose([float(value) for value in values], (2 * X + 1).ravel()[:4], atol=4e-3)
    assert f"ran on {device}; programs that the device refused: 0" in out


@pytest.mark.parametrize("client", ["c99", "cxx17", "static"])
def test_found_by_cmake(clients, files, client):
    check(clients / client, files)
    linked = call("ldd", clients / client)
    assert ("libanemone.so.1" in linked) == (client != "static") and "blas" not in linked


def test_emulator_beside_the_library(prefix, clients, files):
    """It is loaded when asked for; without it, that is a clear error and the CPU still runs."""
    check(clients / "cxx17", files, device="emulator")
    (module,) = prefix.glob("lib*/**/libanemone_emulator.so")
    module.rename(module.with_suffix(".away"))
    try:
        done = subprocess.run([clients / "cxx17", files[0], "emulator"], capture_output=True, text=True)
        assert done.returncode == 1 and "the emulator is an optional part of the runtime" in done.stderr
        check(clients / "cxx17", files)
    finally:
        module.with_suffix(".away").rename(module)


@pytest.mark.skipif(not shutil.which("pkg-config"), reason="needs pkg-config")
@pytest.mark.parametrize("compiler,source", [("clang-19 -std=c99", "run_bundle.c"), ("clang++-19 -std=c++17 -x c++", "run_bundle.c")])
def test_found_by_pkg_config(prefix, files, tmp_path, compiler, source):
    (folder,) = prefix.glob("lib*/**/pkgconfig")
    environment = {**os.environ, "PKG_CONFIG_PATH": str(folder)}
    flags = call("pkg-config", "--cflags", "--libs", "anemone", env=environment).split()
    library = call("pkg-config", "--variable=libdir", "anemone", env=environment).strip()
    assert call("pkg-config", "--modversion", "anemone", env=environment).strip() == anemone.__version__
    call(*compiler.split(), ROOT / "examples" / source, *(["-x", "none"] if "-x" in compiler else []), *flags,
         f"-Wl,-rpath,{library}", "-o", tmp_path / "client")
    check(tmp_path / "client", files)


def test_example_builds(prefix, files, tmp_path):
    """examples/CMakeLists.txt as its comment says."""
    call("cmake", "-S", ROOT / "examples", "-B", tmp_path, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    call("cmake", "--build", tmp_path)
    check(tmp_path / "run_bundle", files)


def test_names(prefix):
    """What a distribution would look at: versioned names, no path of the build."""
    names = {str(path.relative_to(prefix)) for path in prefix.rglob("*") if not path.is_dir()}
    for name in (r"bin/ane-run", r"include/ane/runtime/ane\.h", r"lib[^/]*/libanemone\.a", r"lib[^/]*/libanemone_emulator\.so",
                 rf"lib[^/]*/libanemone\.so\.{re.escape(anemone.__version__)}", r"lib[^/]*/cmake/Anemone/AnemoneConfig\.cmake"):
        assert any(re.fullmatch(name, found) for found in names), (name, names)
    (library,) = prefix.glob(f"lib*/**/libanemone.so.{anemone.__version__}")
    assert "Library soname: [libanemone.so.1]" in call("readelf", "-d", library)
    for path in [*prefix.rglob("*.cmake"), *prefix.rglob("*.pc")]:
        text = path.read_text()
        assert str(BUILD) not in text and str(ROOT) not in text, path
