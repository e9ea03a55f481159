"""--constants-per-program: programs that are safe if weight constants count in whatever files they are (C224)."""
import json
import os
import re

import numpy as np
import pytest

import anetest
import zoo

MODELS = ["ocr-classifier"]
# Programs that end elsewhere round elsewhere: of the largest value, on random inputs, which leave the detector's pixels near 1e-3.
TOLERANCE = {"ocr-detector": 3e-2, "ocr-recognizer": 3e-2}
SIMULATED = anetest.BUILD / "lib" / "libSimulatedFramework.so"


def constants_of(text):
    """What C224 counts in each program, by the text alone: constants of weight files, and numbers that add, mul or pow read."""
    count = len(re.findall(r"BLOBFILE\(", text))
    numbers = set(re.findall(r"(\w+) = const\(\)\[[^\n]*?val = tensor<fp16, \[[\d, ]*\]>\(", text)) - set(re.findall(r"(\w+) = const\(\)[^\n]*BLOBFILE", text))
    reads = re.findall(r" = (?:add|mul|pow)\(([^)]*)\)", text)
    return count + any(re.search(rf"\b{name}\b", arguments) for name in numbers for arguments in reads)


def outputs(bundle, folder):
    done = anetest.run("ane-run", bundle, "--device=emulator", "--random-inputs", "--output-dir", folder, "--json")
    assert not json.loads(done.stdout)["events"]
    return {file.name: np.load(file) for file in sorted(folder.glob("*.npy"))}


@pytest.mark.skipif(not SIMULATED.exists(), reason="no simulated framework in this build: it needs gobjc and GNUstep")
def test_on_an_engine_that_counts_constants(tmp_path, monkeypatch):
    """Such an engine refuses the programs of the bundle as it is: the CPU computes them, and the reason says what to do. That done, all is
    the engine's."""
    made = zoo.ensure("ocr-classifier")
    if not made:
        pytest.skip("no model here")
    monkeypatch.setenv("SIMULATED_ENGINE", "constants=16")
    for flags in ([], ["--constants-per-program=16"]):
        bundle = tmp_path / f"m{len(flags)}.anebundle"
        anetest.run("ane-compile", made[0], "-o", bundle, "--quiet", "--target=m4", *zoo.options("ocr-classifier", made[1]), *flags)
        done = anetest.run("ane-run", bundle, f"--device=ane:{SIMULATED}", "--random-inputs", "--compare-device=cpu", "--json",
                           env={**os.environ, "TMPDIR": str(tmp_path)})
        report = json.loads(done.stdout)
        assert all(output["cosine"] > 0.999 for output in report["compare"]["outputs"])
        reasons = [event["reason"] for event in report["events"]]
        if flags:
            assert not reasons
        else:
            assert reasons and all("16 are taken" in reason and "--constants-per-program=16" in reason for reason in reasons), reasons


@pytest.mark.parametrize("name", [*MODELS, *(pytest.param(name, marks=pytest.mark.slow) for name in zoo.MODELS if name not in MODELS)])
def test_models(name, tmp_path):
    made = zoo.ensure(name)
    if not made:
        pytest.skip(f"no {name} here")
    path, inputs = made
    found, counts = {}, {}
    for kind, *flags in [("free",), ("safe", "--constants-per-program=16")]:
        bundle = tmp_path / f"{kind}.anebundle"
        report = anetest.compile_model(path, bundle, "--quiet", "--target=m4", *zoo.options(name, inputs), *flags)
        counts[kind] = [constants_of(file.read_text()) for file in sorted((bundle / "programs").glob("*.mil"))]
        found[kind] = outputs(bundle, tmp_path / kind), anetest.engine_share(report)
    assert max(counts["safe"]) <= 16, counts
    if max(counts["free"]) <= 16:  # there is nothing to cut
        assert counts["safe"] == counts["free"]
    else:
        assert len(counts["safe"]) > len(counts["free"]), counts
    assert found["safe"][1] == pytest.approx(found["free"][1], abs=1e-6), "what is cut stays on the engine"
    for file, wanted in found["free"][0].items():
        got = found["safe"][0][file]
        assert got.shape == wanted.shape
        if wanted.dtype.kind == "f":
            assert np.abs(got - wanted).max() <= TOLERANCE.get(name, 4e-3) * np.abs(wanted).max(), file
        else:
            assert np.array_equal(got, wanted)


def test_fewer(tmp_path):
    made = zoo.ensure("ocr-classifier")
    if not made:
        pytest.skip("no model here")
    anetest.run("ane-compile", made[0], "-o", tmp_path / "m.anebundle", "--quiet", "--host=none", "--constants-per-program=6",
                *zoo.options("ocr-classifier", made[1]))
    assert max(constants_of(file.read_text()) for file in (tmp_path / "m.anebundle" / "programs").glob("*.mil")) <= 6


@pytest.mark.parametrize("flags, says", [(["--constants-per-program=0"], "--constants-per-program: is 0, expected 1 to 16 (C224)"),
                                         (["--constants-per-program=17"], "is 17, expected 1 to 16"),
                                         (["--constants-per-program=16", "--route=coreml"], "is for the in-memory route")])
def test_wrong_use(flags, says, tmp_path):
    model = anetest.ROOT / "test" / "Tools" / "ane-compile" / "Inputs" / "tiny.mlir"
    anetest.rejected("ane-compile", model, "-o", tmp_path / "m.anebundle", "--quiet", *flags, code=2, says=says)
    assert not list(tmp_path.iterdir())
