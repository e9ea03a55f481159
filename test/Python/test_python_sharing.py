"""The Python package among others: memory of the caller and of other libraries, functions of a bundle, what models share."""
import json
import shutil

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import numpy_helper

import frontend
from frontend import K, X, check

import anemone  # found through frontend


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    return anemone.compile(frontend.affine(), tmp_path_factory.mktemp("affine") / "m.anebundle", dims={"batch": 4})


@pytest.fixture(scope="module")
def model(bundle):
    return anemone.load(bundle, device="cpu", threads=2)


class OnlyDLPack:
    """An array of another library, as DLPack shows it."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_out(model):
    aligned, plain = anemone.empty((4, 64), np.float32), np.empty(4 * 64 + 1, np.float32)[1:].reshape(4, 64)
    for place in (aligned, plain, OnlyDLPack(aligned), OnlyDLPack(plain)):
        outputs = model(X, K, out={"y": place})
        assert outputs["y"] is place
        check({**outputs, "y": getattr(place, "array", place)})
        check(model(X + 1, K), X + 1)
        np.testing.assert_array_equal(getattr(place, "array", place), 2 * X + 1)  # no later run writes there
    check(model(X, K, out={"n/0": np.empty(4, np.int64), "y": aligned}))


@pytest.mark.parametrize("out, says", [
    (dict(z=X), "no output 'z'; the model has y: float32"),
    (dict(y=X.astype(np.float64)), r"out 'y': is float64\[4, 64\], expected float32\[4, 64\]"),
    (dict(y=np.empty((2, 64), np.float32)), r"is float32\[2, 64\], expected .*; remedy: anemone.empty\(\[4, 64\], 'float32'\)"),
    (dict(y=np.empty((4, 128), np.float32)[:, ::2]), "is not contiguous; remedy: pass an array without gaps"),
    (dict(y=[1.0]), "out 'y': is list, expected an array, or another object with DLPack"),
    (dict(y=np.frombuffer(bytes(1024), np.float32).reshape(4, 64)), "is read-only; remedy: pass an array that can be written"),
])
def test_wrong_out(model, out, says):
    with pytest.raises(anemone.RunError, match=says):
        model(X, K, out=out)
    with pytest.raises(anemone.RunError, match="out 'y': shares memory with input 'x'; remedy: anemone.empty"):
        x = X.copy()
        model(x, K, out={"y": x})
    check(model(X, K))


def test_dlpack(model):
    outputs = model(OnlyDLPack(X), OnlyDLPack(K))
    check({name: np.from_dlpack(OnlyDLPack(array)) for name, array in outputs.items()})


def test_functions_of_a_bundle(bundle, tmp_path):
    copy = tmp_path / "m.anebundle"
    shutil.copytree(bundle, copy)
    manifest = json.loads((copy / "manifest.json").read_text())
    (main,) = manifest["functions"]
    manifest["functions"].append({**main, "name": "decode"})
    (copy / "manifest.json").write_text(json.dumps(manifest))
    made = anemone.Bundle(copy)
    before = anemone.counters()
    with made.load(device="emulator") as first:
        decode = first.function("decode")
        check(first(X, K), atol=4e-3), check(decode(X, K), atol=4e-3)
        assert anemone.counters()["compilations"] == before["compilations"] + 1
        with pytest.raises(anemone.RunError, match="no function"):
            first.function("other")
    check(decode(X, K), atol=4e-3)  # its bundle is still there
    with pytest.raises(anemone.RunError, match="closed"):
        first.function("decode")
    again = made.function("decode", device="emulator")
    check(again(X, K), atol=4e-3)
    assert anemone.counters()["compilations"] == before["compilations"] + 1
    assert anemone.counters()["evaluations"] == before["evaluations"] + 4


@pytest.mark.parametrize("name", ["compilations", "loaded_programs", "loaded_bytes"])
@pytest.mark.parametrize("value", [-1, 2**64])
def test_wrong_budgets(name, value):
    with pytest.raises(anemone.RunError, match=f"set_budgets: {name} is {value}, expected 0 to 18446744073709551615; remedy"):
        anemone.set_budgets(**{name: value})


def test_programs_that_take_turns(bundle, tmp_path):
    """A budget has each call load a program again, which is no compilation in the default mode (C05)."""
    copy = tmp_path / "m.anebundle"
    shutil.copytree(bundle, copy)
    try:
        anemone.set_budgets(loaded_programs=1)
        before = anemone.counters()
        with anemone.load(bundle, device="emulator") as one, anemone.load(copy, device="emulator") as other:
            for _ in range(100):
                check(one(X, K), atol=4e-3), check(other(X, K), atol=4e-3)
            assert not one.events() and not other.events()
            with anemone.load(bundle, device="emulator") as again:
                check(again(X, K), atol=4e-3)
        after = anemone.counters()
        assert after["evictions"] >= before["evictions"] + 199 and after["refusals"] == before["refusals"]
    finally:
        anemone.set_budgets()


def test_budgets(bundle, tmp_path):
    copy = tmp_path / "m.anebundle"
    shutil.copytree(bundle, copy)
    models = [anemone.load(path, device="emulator") for path in (bundle, copy)]
    try:
        anemone.set_budgets(loaded_programs=1)
        before = anemone.counters()
        for _ in range(2):
            for model in models:
                check(model(X, K), atol=4e-3)
        after = anemone.counters()
        assert after["loaded_programs"] == 1 and after["evictions"] >= before["evictions"] + 3
    finally:
        anemone.set_budgets()
        for model in models:
            model.close()


@pytest.mark.parametrize("numeric, events, rescued", [("rescue", 1, True), ("report", 1, False), ("off", 0, False), ("clamp", 0, True)])
def test_numeric_policies(bundle, numeric, events, rescued):
    with anemone.load(bundle, device="emulator", numeric=numeric) as model:
        outputs = model(X * 1e6, K)
        assert bool(np.isfinite(outputs["y"]).all()) == rescued and len(model.events()) == events
        session = model.session()
        session(X * 1e6, K)
        assert (session.copies()["total_clamped"] > 0) == (numeric == "clamp")


def test_ways_of_weights(tmp_path):
    """An option says which way comes first; counters show what a weight has changed."""
    weight = np.random.default_rng(0).standard_normal((64, 96)).astype(np.float32)
    model = onnx.parser.parse_model('<ir_version: 8, opset_import: ["": 17]> g (float[8,64] x) => (float[8,96] y) { y = MatMul(x, w) }')
    model.graph.initializer.append(numpy_helper.from_array(weight, "w"))
    bundle = anemone.compile(model, tmp_path / "m.anebundle")
    x = np.ones((8, 64), np.float32)
    for device, options, way in (("cpu", {}, "memory"), ("emulator", {}, "patch"), ("emulator", {"weights_by": "recompile"}, "recompile")):
        with anemone.load(bundle, device=device, **options) as loaded:
            assert loaded.weights_by == way
            session = loaded.session()
            session.set_weight("w", weight * 2)
            np.testing.assert_allclose(session(x)["y"], x @ (weight * 2), rtol=0, atol=0.1)
            assert session.copies()["total_weight_bytes"] == (0 if device == "cpu" else weight.size * 2)
    with pytest.raises(anemone.RunError, match='weights_by is "wrong", expected auto, patch, donor or recompile'):
        anemone.load(bundle, weights_by="wrong")
