"""A compilation that is interrupted at any phase, and goes on from the printed text, gives the same bundle, byte for byte."""
import json

import pytest

import anetest
import models
import zoo

PHASES = ["input", "canonical", "legal", "partitioned", "emittable"]
SMALL = {"mlp": models.mlp(1, batch=37), "encoder": models.encoder(2, sequence=50), "decoder": models.decoder(3),
         "llama": models.llama(4), "cnn": models.cnn(5, size=45)}
# At least so much of these stays on the engine: nearly all of I-BERT's ops are of few kinds and come from few places, so that
# blame that is told by anything but identity hits many innocent ones.
SHARES = {"ibert": 0.9, "xlnet": 0.4}


def contents(bundle):
    return {str(file.relative_to(bundle)): file.read_bytes() for file in sorted(bundle.rglob("*")) if file.is_file()}


def same(got, want):
    assert sorted(got) == sorted(want)
    assert not [name for name in want if got[name] != want[name]], "files that differ"


def text_of(model, phase, folder, *arguments):
    path = folder / f"{phase}.mlir"
    anetest.run("ane-compile", model, "--quiet", f"--compile-to={phase}", "-o", path, *arguments)
    return path


@pytest.mark.parametrize("name", SMALL)
def test_small_models(name, tmp_path):
    """From the text of each phase; the texts say which phase they are of, and for which target."""
    model = tmp_path / "model.onnx"
    model.write_bytes(SMALL[name].model.SerializeToString())
    cache = f"--kernel-cache={tmp_path / 'kernels'}"
    report = anetest.compile_model(model, tmp_path / "whole", "--target=m4", cache)
    whole = contents(tmp_path / "whole")
    assert any(op["node"] for op in report["ops"]), "no op knows its node"
    for phase in PHASES:
        text = text_of(model, phase, tmp_path, "--target=m4")
        anetest.run("ane-compile", text, "-o", tmp_path / phase, cache)
        same(contents(tmp_path / phase), whole)


def through_all_phases(name, tmp_path, *more):
    """(report, files) of the model; the text of each phase made from that of the one before, a bundle of the last."""
    made = zoo.ensure(name)
    if not made:
        pytest.skip(f"{name} is not in {zoo.CACHE}, and there is no .venv-models to make it with (scripts/setup.sh --models)")
    model, inputs = made
    options = [*zoo.options(name, inputs), *more]
    report = anetest.compile_model(model, tmp_path / "whole", *options)
    text = model
    for phase in PHASES:
        text = text_of(text, phase, tmp_path, *(options if text == model else []))
        if phase != "input":
            direct = tmp_path / "direct"
            direct.mkdir(exist_ok=True)
            assert text.read_text() == text_of(model, phase, direct, *options).read_text(), phase
    anetest.run("ane-compile", text, "-o", tmp_path / "resumed")
    same(contents(tmp_path / "resumed"), contents(tmp_path / "whole"))
    return report


@pytest.mark.slow
@pytest.mark.parametrize("name", zoo.MODELS)
def test_zoo(name, tmp_path):
    through_all_phases(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", SHARES)
def test_blame(name, tmp_path):
    report = through_all_phases(name, tmp_path)
    assert report["engine_share"] >= SHARES[name], anetest.host_ops(report)


def test_text_without_locations(tmp_path):
    """Names are lost then, and nothing else: what runs where, and the programs."""
    model = tmp_path / "model.onnx"
    model.write_bytes(SMALL["encoder"].model.SerializeToString())
    text = text_of(model, "canonical", tmp_path)
    bare = tmp_path / "bare.mlir"
    bare.write_text(anetest.run("ane-opt", text).stdout)
    assert "loc(" in text.read_text() and "loc(" not in bare.read_text()
    reports = [anetest.compile_model(path, tmp_path / f"{path.stem}.anebundle") for path in (text, bare)]
    placed = [[(op["op"], op["device"], op.get("constraint")) for op in report["ops"]] for report in reports]
    assert placed[0] == placed[1]
    programs = [{name: data for name, data in contents(tmp_path / f"{path.stem}.anebundle").items() if name.startswith("programs/")}
                for path in (text, bare)]
    same(*programs)


def test_what_no_phase_can_do(tmp_path):
    model = tmp_path / "model.onnx"
    model.write_bytes(SMALL["mlp"].model.SerializeToString())
    legal = text_of(model, "legal", tmp_path, "--target=m4")
    anetest.rejected("ane-compile", legal, "--compile-to=canonical", says="of phase legal, after canonical")
    anetest.rejected("ane-compile", legal, "-o", tmp_path / "m", "--channels-on-host", says="says what phase legal does")
    partitioned = text_of(legal, "partitioned", tmp_path, "--procedures=never")
    anetest.rejected("ane-compile", partitioned, "-o", tmp_path / "m", "--procedures=never",
                     says="--procedures says what phase partitioned does, and the module is of phase partitioned")
    anetest.rejected("ane-compile", legal, "-o", tmp_path / "b", "--target=m1", says="legal for one target")
    anetest.rejected("ane-compile", legal, "-o", tmp_path / "b", "--prefer=speed", says="legal for one target")
    anetest.rejected("ane-compile", legal, "--targets=all", says="from phase canonical on")
    anetest.rejected("ane-compile", legal, "--why=x", says="from phase canonical on")
    for phase in ("bundle", "final"):
        other = tmp_path / f"{phase}.mlir"
        other.write_text(legal.read_text().replace('ane.phase = "legal"', f'ane.phase = "{phase}"'))
        anetest.rejected("ane-compile", other, "-o", tmp_path / "b", says=f"no phase '{phase}'")
    # The text is held to the contract of the phase that it claims.
    claimed = tmp_path / "claimed.mlir"
    claimed.write_text(legal.read_text().replace('ane.phase = "legal"', 'ane.phase = "partitioned"'))
    anetest.rejected("ane-compile", claimed, "-o", tmp_path / "b", says="computes in the plan")
    assert not (tmp_path / "b").exists()
