"""A compilation that is interrupted at any phase, and goes on from the printed text, gives the same bundle, byte for byte."""
import json

import numpy as np
import onnx
import pytest

import anetest
import bundlelib
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


def scaled_twice(path, **values):
    """y = (x scale + bias) other, of weights of 256 bytes, two of which begin alike."""
    weights = {"scale": np.ones(64, np.float32), "bias": np.linspace(-1, 1, 64, dtype=np.float32), "other": np.ones(64, np.float32)}
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["": 17]> g (float[1,8,64] x) => (float[1,8,64] y)
        { a = Mul(x, scale)  b = Add(a, bias)  c = Relu(b)  y = Mul(c, other) }""")
    model.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in (weights | values).items())
    onnx.save(model, path)
    return model


def trainable(bundle):
    return {weight["name"] for weight in json.loads((bundle / "manifest.json").read_text())["weights"] if weight.get("trainable")}


def test_trainable_weights(tmp_path):
    """Named once, when the model is read: later phases know them from the text, small ones and those that begin alike, too."""
    scaled_twice(tmp_path / "m.onnx")
    anetest.compile_model(tmp_path / "m.onnx", tmp_path / "whole", "--target=m4", "--trainable=*")
    assert trainable(tmp_path / "whole") == {"scale", "bias", "other"}
    whole = contents(tmp_path / "whole")
    for phase in PHASES:
        text = text_of(tmp_path / "m.onnx", phase, tmp_path, "--target=m4", "--trainable=*")
        assert 'ane.trainable = ["bias", "other", "scale"]' in text.read_text()
        anetest.run("ane-compile", text, "-o", tmp_path / phase)
        same(contents(tmp_path / phase), whole)
    text = text_of(tmp_path / "m.onnx", "legal", tmp_path, "--target=m4", "--trainable=scale")
    anetest.rejected("ane-compile", text, "-o", tmp_path / "b", "--trainable=bias", says="--trainable=bias: no weight of floats is called so")
    x = np.random.default_rng(2).standard_normal((1, 8, 64)).astype(np.float32)
    for name in ("bias", "other"):
        value = np.random.default_rng(3).standard_normal(64).astype(np.float32)
        want = anetest.reference(scaled_twice(tmp_path / "changed.onnx", **{name: value}), {"x": x})["y"]
        for device, tolerance in (("cpu", 1e-6), ("emulator", 1e-2)):
            with bundlelib.Bundle(tmp_path / "whole", device) as session:
                session.set_weight(name, value)
                np.testing.assert_allclose(session({"x": x})[0], want, rtol=0, atol=tolerance)


def test_trainable_weights_of_two_functions(tmp_path):
    """What is called alike is one weight; what only begins alike is not. Not each model has what a pattern names."""
    scaled_twice(tmp_path / "one.onnx")
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["": 17]> g (float[1,8,64] x) => (float[1,8,64] y)
        { a = Relu(x)  y = Mul(a, other) }""")
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.ones(64, np.float32), "other"))
    onnx.save(model, tmp_path / "two.onnx")
    models = [f"{name}={tmp_path / name}.onnx" for name in ("one", "two")]
    anetest.run("ane-compile", *models, "-o", tmp_path / "m", "--quiet", "--trainable=other", "--trainable=scale")
    assert trainable(tmp_path / "m") == {"other", "scale"}
    x = np.random.default_rng(2).standard_normal((1, 8, 64)).astype(np.float32)
    with bundlelib.Bundle(tmp_path / "m", "cpu", function="two") as session:
        session.set_weight("scale", np.zeros(64, np.float32))
        np.testing.assert_array_equal(session({"x": x})[0], np.maximum(x, 0))
        session.set_weight("other", np.full(64, 2, np.float32))
        np.testing.assert_array_equal(session({"x": x})[0], 2 * np.maximum(x, 0))


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
