"""MIL programs of other projects through the dialect: read as ane ops, written as MIL again, run again.

The corpus lies beside the repository (see test_mil_corpus.py); without it these tests are skipped.
"""
import numpy as np
import pytest

import anetest
from test_mil_corpus import CONTRADICTORY, CORPUS, arguments, programs

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the MIL corpus is not here")

# BLOBFILE offsets that are no multiple of 64 are read, but a record is always written at one (C08).
UNALIGNED = {"christopherkarani-Espresso/fx_fused_ffn_tiny", "christopherkarani-Espresso/fx_fused_qkv_tiny"}


def translate(direction, source, target, *options, **keywords):
    return anetest.run("ane-translate", direction, source, "-o", target, *options, **keywords)


def round_trip(name, folder, scratch):
    """Reads and writes twice; returns the text, or None where the program can't be written."""
    scratch.mkdir(parents=True)
    weights = f"--mil-weights={folder}"
    translate("--mil-to-ane", folder / "model.mil", scratch / "1.mlir", weights)
    if name in UNALIGNED:
        done = translate("--ane-to-mil", scratch / "1.mlir", scratch / "none.mil", check=False)
        assert done.returncode != 0 and "not a record of a weight file" in done.stderr
        return None
    translate("--ane-to-mil", scratch / "1.mlir", scratch / "1.mil")
    translate("--mil-to-ane", scratch / "1.mil", scratch / "2.mlir", weights)
    translate("--ane-to-mil", scratch / "2.mlir", scratch / "2.mil")
    text = (scratch / "1.mil").read_text()
    assert (scratch / "2.mil").read_text() == text, name
    return text


@pytest.fixture(scope="module")
def rewritten(tmp_path_factory):
    """{name: (folder, metadata, text)} of every program that must pass; the text is None where it can't be written."""
    scratch, made = tmp_path_factory.mktemp("rewritten"), {}
    for name, folder, meta in programs(lambda m: m["expect"] == "ok"):
        if name in CONTRADICTORY:
            done = translate("--mil-to-ane", folder / "model.mil", scratch / "none.mlir", check=False)
            assert done.returncode != 0 and "inferred type(s)" in done.stderr
            continue
        made[name] = folder, meta, round_trip(name, folder, scratch / name)
    return made


def test_text_is_a_fixpoint(rewritten):
    """Reading and writing twice gives the text of once: asserted while the programs are rewritten."""
    written = [name for name, (_, _, text) in rewritten.items() if text is not None]
    assert len(written) == len(rewritten) - len(UNALIGNED) and len(written) >= 300


def test_contradicting_types_are_refused(tmp_path):
    for name, folder, _ in programs(lambda m: m["expect"].startswith("invalid")):
        done = translate("--mil-to-ane", folder / "model.mil", tmp_path / "none.mlir", check=False)
        assert done.returncode == 1, name
        assert "model.mil:" in done.stderr and "'ane.reduce_sum' op inferred type(s)" in done.stderr, done.stderr


def test_rewritten_programs_compute_the_same(tmp_path, rewritten):
    """To the bit: order of operations and every constant are the same."""
    count = 0
    for name, (folder, meta, text) in rewritten.items():
        if not meta.get("reference") or text is None:
            continue
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "rewritten.mil").write_text(text)
        reference = np.load(folder / "ref.npz")
        results = []
        for source in (folder / "model.mil", tmp_path / name / "rewritten.mil"):
            scratch = tmp_path / name / source.stem
            scratch.mkdir()
            options = arguments(folder, meta, reference, scratch)
            options[1] = source
            anetest.run("ane-run", *options)
            results.append({p.name: np.load(p) for p in scratch.glob("*.npy") if not p.name.startswith("in_")})
        assert results[0].keys() == results[1].keys() and results[0], name
        for key, value in results[0].items():
            np.testing.assert_array_equal(results[1][key], value, err_msg=f"{name}: {key}")
        count += 1
    assert count >= 200
