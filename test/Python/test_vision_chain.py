"""Programs of one block each, chained: what one writes the next reads where it is, with the values of blocks that run one by one."""
import numpy as np
import pytest

import anetest
import frontend  # finds the package
import visionencoder

import anemone


@pytest.fixture(scope="module", params=["small", pytest.param("large", marks=pytest.mark.slow)])
def encoder(request, tmp_path_factory):
    """(sizes, folder, bundle)"""
    sizes, folder = getattr(visionencoder, request.param.upper()), tmp_path_factory.mktemp(request.param)
    path = visionencoder.save(folder / "m.onnx", **sizes)
    anetest.run("ane-compile", path, "-o", folder / "m.anebundle", "--quiet", "--partition=layers", "--host=none")
    return sizes, folder, folder / "m.anebundle"


def given(sizes):
    return np.random.default_rng(5).normal(0, 1, (sizes["tokens"], sizes["width"])).astype(np.float32)


def one_by_one(sizes, folder, x, device):
    """Each block by a bundle of its own; what goes on is float32."""
    models = {}
    for index in range(sizes["blocks"]):
        isFull = index in sizes["full"]
        if isFull not in models:
            path = visionencoder.save(folder / f"{isFull}.onnx", **{**sizes, "blocks": [index]})
            anetest.run("ane-compile", path, "-o", folder / f"{isFull}.anebundle", "--quiet", "--host=none")
            models[isFull] = anemone.load(folder / f"{isFull}.anebundle", device=device).session()
        x = models[isFull](x=x)["y"]
    return x


def test_blocks_are_chained(encoder):
    sizes, folder, bundle = encoder
    x, device = given(sizes), "emulator"
    session = anemone.load(bundle, device=device).session()
    y = session(x=x)["y"].copy()
    steps, copies = session.profile(), session.copies()
    assert len(steps) == sizes["blocks"] and all(step["kind"] == "program" and step["evaluations"] == 1 for step in steps)
    # The input goes in and the output comes out.
    assert copies["last_surface_bytes"] == 2 * x.nbytes and copies["last_scanned_bytes"] == 2 * x.nbytes
    assert not session.events()
    np.testing.assert_array_equal(y, one_by_one(sizes, folder, x, device))
    np.testing.assert_array_equal(y, session(x=x)["y"])


FRAMEWORK = anetest.BUILD / "lib" / "libSimulatedFramework.so"


@pytest.mark.skipif(not FRAMEWORK.exists(), reason="no simulated framework in this build: it needs gobjc and GNUstep")
def test_the_engine_chains_them_too(encoder, tmp_path, monkeypatch):
    """One evaluation for each block, one surface locked to write and one to read, as the simulation counts."""
    sizes, folder, bundle = encoder
    x = given(sizes)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("SIMULATED_ENGINE", "counts=yes")
    np.save(tmp_path / "x.npy", x)
    calls = []
    for repeat in 1, 2:
        done = anetest.run("ane-run", bundle, f"--device=ane:{FRAMEWORK}", "--input", f"x={tmp_path / 'x.npy'}", "--output-dir", tmp_path / "out", f"--repeat={repeat}")
        words = done.stderr.rsplit("simulated calls: ", 1)[1].split()
        calls.append(dict(zip(words[::2], map(int, words[1::2]))))
    runs = 2  # one that is not timed comes with the second
    assert calls[1]["evaluate"] - calls[0]["evaluate"] == runs * sizes["blocks"], calls
    assert calls[1]["lock"] - calls[0]["lock"] == runs * 2, calls
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "y.npy"), anemone.load(bundle, device="emulator").session()(x=x)["y"])


def test_values(encoder):
    """ONNX Runtime's, within what fp16 makes of so many blocks."""
    sizes, folder, bundle = encoder
    x = given(sizes)
    want = anetest.reference(folder / "m.onnx", {"x": x})["y"]
    got = anemone.load(bundle, device="emulator").session()(x=x)["y"]
    error = np.abs(got - want)
    assert error.max() <= 1e-2 * np.abs(want).max() and error.mean() <= 1e-3 * np.abs(want).max(), (error.max(), error.mean(), np.abs(want).max())
