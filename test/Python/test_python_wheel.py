"""The wheel in a clean virtual environment: README's example as it stands there, the command, the C header and library."""
import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

import anetest
from anetest import BUILD, ROOT


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run(ROOT / "scripts" / "wheel.sh", folder, env={**os.environ, "ANE_BUILD_DIR": str(BUILD), "ANE_PYTHON": sys.executable})
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The folder of an environment with the wheel, and of what pip could fetch, only NumPy."""
    home = tmp_path_factory.mktemp("venv")
    venv.create(home, with_pip=False, symlinks=True)
    (packages,) = (home / "lib").glob("python*/site-packages")
    for path in Path(np.__file__).parent.parent.glob("numpy*"):
        (packages / path.name).symlink_to(path)
    run(sys.executable, "-m", "pip", "--python", home / "bin" / "python", "install", "--no-index", "--disable-pip-version-check", wheel)
    return home


@pytest.fixture
def clean():
    """Environment variables without those that lead to the source tree or the build."""
    return {name: value for name, value in os.environ.items() if name not in ("ANE_BUILD_DIR", "PYTHONPATH", "LD_LIBRARY_PATH")}


def readme_example():
    """The indented block of README.md that imports the package."""
    blocks = re.findall(r"(?:^    .*\n)+", (ROOT / "README.md").read_text(), re.MULTILINE)
    (example,) = [block for block in blocks if "import anemone" in block]
    return "".join(line[4:] for line in example.splitlines(keepends=True))


def text_model():
    """Inputs and dimensions like those of a sentence encoder."""
    rng = np.random.default_rng(0)
    table = onnx.numpy_helper.from_array(rng.standard_normal((50, 64)).astype(np.float32), "table")
    weight = onnx.numpy_helper.from_array(rng.standard_normal((64, 64)).astype(np.float32) / 8, "weight")
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["": 17]>
        g (int64[batch, sequence] input_ids, int64[batch, sequence] attention_mask) => (float[batch, sequence, 64] hidden)
        <int64[1] last = {2}> {
          rows = Gather(table, input_ids)  mask = Cast<to = 1>(attention_mask)  wide = Unsqueeze(mask, last)
          kept = Mul(rows, wide)  projected = MatMul(kept, weight)  hidden = Relu(projected) }""")
    model.graph.initializer.extend([table, weight])
    return model


def test_readme_example(installed, clean, tmp_path):
    example = readme_example()
    assert len(example.splitlines()) == 5
    onnx.save(text_model(), tmp_path / "model.onnx")
    (tmp_path / "example.py").write_text(example)
    out = run(installed / "bin" / "python", "-I", "example.py", cwd=tmp_path, env=clean)
    assert "'hidden': array(" in out and "engine share" in out
    assert (tmp_path / "model.anebundle" / "manifest.json").exists()


def test_command(installed, clean, tmp_path):
    """The command that pip makes, and the tools' own, which run from where they are unpacked."""
    onnx.save(text_model(), tmp_path / "model.onnx")
    anemone = installed / "bin" / "anemone"
    run(anemone, "compile", "model.onnx", "--dim=batch=1", "--dim=sequence=8", "-q", cwd=tmp_path, env=clean)
    np.save(tmp_path / "i.npy", np.ones((1, 8), np.int64))
    out = run(anemone, "run", "model.anebundle", "-i", "input_ids=i.npy", "-i", "attention_mask=i.npy", cwd=tmp_path, env=clean)
    assert "hidden: float32[1, 8, 64]" in out
    for tool in ("ane-compile", "ane-run", "ane-train", "ane-opt", "ane-translate"):
        assert "--help" in run(anemone, "tool", tool, "--help", env=clean)


AFFINE = "anemone.compile('model.onnx', 'b', dims={'batch': 1, 'sequence': 8})"


@pytest.mark.parametrize("library,code,what", [
    ("libMLIR.so.19.1", AFFINE, "CompileError"),
    ("libMLIR.so.19.1", "anemone.targets()", "CompileError"),
    ("libabsl_strings.so.20220623", "anemone.load('none')", "Error"),
    ("libopenblas.so.0", f"{AFFINE}.load(device='emulator')", "RunError"),
])
def test_missing_libraries(library, code, what, installed, clean, tmp_path):
    """A damaged library in the place that is searched first has the effect of none: an error that says what to install."""
    onnx.save(text_model(), tmp_path / "model.onnx")
    (package,) = installed.glob("lib/python*/site-packages/anemone")
    (package / "lib" / library).touch()
    try:
        done = subprocess.run([installed / "bin" / "python", "-I", "-c", f"import anemone; {code}"], cwd=tmp_path, env=clean,
                              capture_output=True, text=True, timeout=300)
    finally:
        (package / "lib" / library).unlink()
    assert done.returncode == 1, done.stderr
    last = done.stderr[done.stderr.rindex(f"anemone.errors.{what}"):]
    remedies = ["install it beside libanemone"] if what == "RunError" else ["apt install", "--bundle-libraries"]
    assert library in last and all(remedy in last for remedy in remedies)


def test_package_lists_what_it_needs(installed, clean):
    script = "import importlib.metadata as m; print(m.version('anemone'), m.requires('anemone'))"
    assert run(installed / "bin" / "python", "-c", script, env=clean).startswith("1.0.0 ['numpy>=1.22'")


def test_wheel_is_reproducible(wheel, tmp_path):
    run(ROOT / "scripts" / "wheel.sh", tmp_path, env={**os.environ, "ANE_BUILD_DIR": str(BUILD), "ANE_PYTHON": sys.executable})
    (again,) = tmp_path.glob("*.whl")
    assert again.name == wheel.name and again.read_bytes() == wheel.read_bytes()
    names = zipfile.ZipFile(wheel).namelist()
    assert {"anemone/py.typed", "anemone/lib/libanemone.so.1", "anemone/bin/ane-compile"} <= set(names)
    assert not [name for name in names if "__pycache__" in name]


def test_wheel_without_the_compiler(tmp_path, clean):
    """It runs what another has compiled, and says so where it should compile."""
    run(ROOT / "scripts" / "wheel.sh", "--runtime", tmp_path, env={**os.environ, "ANE_BUILD_DIR": str(BUILD), "ANE_PYTHON": sys.executable})
    (path,) = tmp_path.glob("*.whl")
    run(sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--disable-pip-version-check", "--target", tmp_path / "home", path)
    onnx.save(text_model(), tmp_path / "model.onnx")
    anetest.compile_model(tmp_path / "model.onnx", tmp_path / "b", "--dim", "batch=1", "--dim", "sequence=8", "--host=native")
    script = ("import anemone, numpy as np\n"
              "ids = np.ones((1, 8), np.int64)\n"
              "print(anemone.load('b', device='cpu')(input_ids=ids, attention_mask=ids)['hidden'].shape)\n"
              "try: anemone.compile('model.onnx', 'c')\n"
              "except anemone.Error as error: print(error)\n")
    out = run(sys.executable, "-c", script, cwd=tmp_path, env={**clean, "PYTHONPATH": str(tmp_path / "home")})
    assert out.startswith("(1, 8, 64)\n") and "ane-compile is not in this wheel" in out and "remedy: compile where" in out


@pytest.mark.slow
def test_wheel_with_libraries(tmp_path, clean):
    """Every library beside the C library's comes from the wheel."""
    run(ROOT / "scripts" / "wheel.sh", "--bundle-libraries", tmp_path,
        env={**os.environ, "ANE_BUILD_DIR": str(BUILD), "ANE_PYTHON": sys.executable})
    (path,) = tmp_path.glob("*.whl")
    home = tmp_path / "venv"
    venv.create(home, with_pip=False, symlinks=True)
    run(sys.executable, "-m", "pip", "--python", home / "bin" / "python", "install", "--no-index", "--no-deps",
        "--disable-pip-version-check", path)
    (package,) = home.glob("lib/python*/site-packages/anemone")
    assert "h16" in run(package / "bin" / "ane-compile", "--list-targets", env=clean)
    for binary in ("bin/ane-compile", "lib/libanemone.so.1"):
        outside = [line for line in run("ldd", package / binary, env=clean).splitlines()
                   if "=>" in line and str(package) not in line]
        assert all(re.match(r"\s*(libc|libm|libdl|libpthread|librt)\.so", line) for line in outside), outside
