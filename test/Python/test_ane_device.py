"""Device ane on a simulated framework (runtime/test/simulation): whole models have the emulator's bits, and no program goes to the CPU."""
import json

import numpy as np
import pytest

import anetest
import zoo

FRAMEWORK = anetest.BUILD / "lib" / "libSimulatedFramework.so"
pytestmark = pytest.mark.skipif(not FRAMEWORK.exists(), reason="no simulated framework in this build: it needs gobjc and GNUstep")
MODELS = ["ocr-classifier", "voice-detector"]


@pytest.mark.parametrize("name", [*MODELS, *(pytest.param(name, marks=pytest.mark.slow) for name in zoo.MODELS if name not in MODELS)])
def test_bits(name, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # where the framework has its folders
    made = zoo.ensure(name)
    if not made:
        pytest.skip(f"no {name} here")
    path, inputs = made
    bundle = tmp_path / "m.anebundle"
    anetest.run("ane-compile", path, "-o", bundle, "--quiet", "--target=m4", *zoo.options(name, inputs))
    outputs = {}
    for device in f"ane:{FRAMEWORK}", "emulator":
        done = anetest.run("ane-run", bundle, f"--device={device}", "--random-inputs", "--output-dir", tmp_path / device[:3], "--json")
        report = json.loads(done.stdout)
        assert not report["events"], report["events"]
        assert "simulated framework:" not in done.stderr, done.stderr  # what a strict client does not do
        outputs[device] = {file.name: np.load(file) for file in sorted((tmp_path / device[:3]).glob("*.npy"))}
    ours, wanted = outputs.values()
    assert ours.keys() == wanted.keys() and wanted
    for file, array in wanted.items():
        assert np.array_equal(ours[file], array, equal_nan=array.dtype.kind == "f"), file


def test_a_second_process_compiles_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    made = zoo.ensure("ocr-classifier")
    if not made:
        pytest.skip("no model here")
    bundle = tmp_path / "m.anebundle"
    anetest.run("ane-compile", made[0], "-o", bundle, "--quiet", "--target=m4", "--host=none", *zoo.options("ocr-classifier", made[1]))
    compiled = []
    for _ in range(2):
        done = anetest.run("ane-run", bundle, f"--device=ane:{FRAMEWORK}", "--random-inputs", "--json")
        assert not json.loads(done.stdout)["events"]
        # What a compilation leaves in the folder of each program.
        compiled.append({file: file.stat().st_mtime_ns for file in tmp_path.rglob("net.plist")})
    assert compiled[0] and compiled[0] == compiled[1]


def test_no_engine_here(tmp_path):
    """Without a framework the device is refused with what there is instead, and auto is the CPU."""
    made = zoo.ensure("ocr-classifier")
    if not made:
        pytest.skip("no model here")
    bundle = tmp_path / "m.anebundle"
    anetest.run("ane-compile", made[0], "-o", bundle, "--quiet", *zoo.options("ocr-classifier", made[1]))
    anetest.rejected("ane-run", bundle, "--device=ane", "--random-inputs", says="there is no Neural Engine on this system")
    done = anetest.run("ane-run", bundle, "--device=auto", "--random-inputs", "--json")
    assert json.loads(done.stdout)["device"] == "cpu"
