"""Buckets of models with states: decoders whose prompts have any length, against ONNX Runtime at that length that is fed the caches
by hand; what padding would write into states; states that padding would change."""
import json

import numpy as np
import onnx
import pytest

import anetest
import decoder
import fp16_oracle
import frontend  # finds the package
import static_decoder
from test_states import feed

import anemone

SIZES = (1, 8, 32)
# Lengths of what is said at once: below, at and between the sizes; the last one ends where the caches do.
LENGTHS = (7, 1, 1, 5, 20, 32, 8, 2, 9, 1, 14)
ROOM = sum(LENGTHS)


def steps(masked):
    """Inputs of the runs, one after another."""
    tokens = np.random.default_rng(3).integers(0, decoder.VOCABULARY, ROOM)
    at = 0
    for length in LENGTHS:
        given = static_decoder.step(ROOM, at, *tokens[at:at + length])
        if not masked:
            del given["attention_mask"]
        yield given
        at += length


def listen(model, masked):
    """The logits of each run, and the last caches, of ONNX Runtime."""
    session = feed(model)
    names = [output.name for output in session.get_outputs()]
    past = {i.name: np.zeros(i.shape, np.float32) for i in session.get_inputs() if i.name.startswith("past")}
    logits = []
    for given in steps(masked):
        result = dict(zip(names, session.run(names, {**given, **past})))
        past = {name: result[name.replace("past_key_values", "present")] for name in past}
        logits.append(result["logits"])
    return logits, past


@pytest.fixture(scope="module", params=[(shape, masked) for shape in static_decoder.SHAPES for masked in (True, False)],
                ids=lambda p: f"{p[0]}-{'mask' if p[1] else 'positions'}")
def decoded(request, tmp_path_factory):
    """(whether it has a mask, the model, bundle, logits and caches of ONNX Runtime)"""
    shape, masked = request.param
    model = static_decoder.build(shape, ROOM, "n", masked)
    bundle = anemone.compile(model, tmp_path_factory.mktemp(shape) / "m.anebundle", states="auto", buckets={"n": SIZES})
    return masked, model, bundle, *listen(model, masked)


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_decoder(decoded, device, tmp_path):
    masked, model, bundle, logits, caches = decoded
    manifest = json.loads((bundle.path / "manifest.json").read_text())
    assert manifest["buckets"][0]["padding"] == "checked" and manifest["buckets"][0]["masks"] == ([1] if masked else [])
    loaded = anemone.load(bundle, device=device)
    assert loaded.buckets == SIZES and {info.name for info in loaded.states} == set(caches)
    session, got = loaded.session(), []
    column = sum(value.nbytes for value in session.states.values()) // ROOM
    for index, given in enumerate(steps(masked)):
        got.append(session(**given)["logits"])
        # The entries of the tokens, none of the padding.
        copies = session.copies()
        assert copies["last_state_bytes"] == LENGTHS[index] * column
        if index <= 3:  # of all buckets
            assert copies["runs"] == index + 1 and copies["total_state_bytes"] == sum(LENGTHS[:index + 1]) * column
        if index == 3:
            # What follows is said to a fork, and to states that go to another session by a file.
            session.save(tmp_path / "four.states")
            session = session.fork()
        if index == 5:
            other = loaded.session()
            other.restore(tmp_path / "four.states")
            for again in list(steps(masked))[4:6]:
                other(**again)
            session = other
        if index == 6:
            # A bucket by its own name, on the same states.
            session = session.function("main_bucket_8").function("main")
    join = lambda all: {"logits": np.concatenate(all, axis=1)}
    if device == "cpu":
        anetest.check_cpu(join(got), join(logits))
        anetest.check_cpu(dict(session.states), caches)
    else:
        half, _ = listen(fp16_oracle.build(model), masked)
        anetest.check_engine(join(got), join(logits), join(half))
    assert not session.events()
    # One more token has no place; the caches stay.
    before = dict(session.states)
    given = static_decoder.step(ROOM, ROOM - 2, 1, 2, 3)
    with pytest.raises(anemone.RunError, match="state past_key_values.0.key: .* don't fit in its"):
        session(**{info.name: given[info.name] for info in loaded.inputs})
    for name, value in session.states.items():
        np.testing.assert_array_equal(value, before[name])


@pytest.mark.parametrize("width", [decoder.WIDTH, 256], ids=["narrow", "wide"])
@pytest.mark.parametrize("target", ["m1", "m4"])
def test_weights_stand_once(target, width, tmp_path, monkeypatch):
    """In buckets from 32 to 1,024 of a decoder they take hardly more than in one: those of programs, and those of CPU code. Of the
    wide one a matrix has up to 1 MB."""
    for module in (decoder, static_decoder):
        for name, value in {"WIDTH": width, "HIDDEN": 2 * width, "SIZE": width // decoder.HEADS}.items():
            monkeypatch.setattr(module, name, value)
    model = static_decoder.build("llama", 1024, "n", masked=False)
    flags = {"states": "auto", "target": target}
    one = anemone.compile(model, tmp_path / "one", dims={"n": 32}, **flags)
    all = anemone.compile(model, tmp_path / "all", buckets={"n": (32, 64, 128, 256, 512, 1024)}, **flags)
    for of_cpu_code in (True, False):
        sizes = [sum(path.stat().st_size for path in (bundle.path / "weights").iterdir() if (path.name == "host.bin") == of_cpu_code)
                 for bundle in (one, all)]
        print(f"{target}, width {width}, {'CPU code' if of_cpu_code else 'programs'}: {sizes[0]} bytes of weights for one size, {sizes[1]} for six")
        assert sizes[0] and sizes[1] <= 1.02 * sizes[0]
    given = static_decoder.step(1024, 0, *range(32))
    del given["attention_mask"]
    for device in ("cpu", "emulator"):
        want, got = (anemone.load(bundle, device=device).session()(**given)["logits"] for bundle in (one, all))
        np.testing.assert_array_equal(got, want)


def test_ane_run(decoded, tmp_path):
    """A prompt, and in another process what follows it."""
    masked, _, bundle, logits, _ = decoded
    for index, given in enumerate(list(steps(masked))[:2]):
        flags = ["--device=cpu", "--save-states", tmp_path / "s", "--output-dir", tmp_path / str(index)]
        for name, array in given.items():
            np.save(tmp_path / f"{name}.npy", array)
            flags.append(f"--input={name}={tmp_path / name}.npy")
        anetest.run("ane-run", bundle.path, *flags, *(["--restore-states", tmp_path / "s"] if index else []))
        got = np.load(tmp_path / str(index) / "logits.npy")
        anetest.check_cpu({"logits": got}, {"logits": logits[index]})


# ---- states that padding would change -------------------------------------------------


def compiled(text, *, states, buckets=(4, 8), **flags):
    model = frontend.parse(f'<ir_version: 8, opset_import: ["": 17]> {text}')
    return model, anemone.compile(model, states=states, buckets={"n": buckets}, **flags)


MASKED_SUM = """g (float[1,n,3] x, int64[1,n] attention_mask, float[1,3] total) => (float[1,n,3] y, float[1,3] new_total)
    <int64[1] one = {1}, int64[1] two = {2}> {
        seen = Cast<to = 1>(attention_mask)  wide = Unsqueeze(seen, two)  masked = Mul(x, wide)  y = Identity(masked)
        sum = ReduceSum<keepdims = 0>(SUMMED, one)  new_total = Add(total, sum) }"""


@pytest.mark.parametrize("summed", ["masked", "x"])
def test_states_that_are_written_as_a_whole(summed):
    """A running sum: of what the mask shows, any size; of all, the sizes themselves."""
    model, bundle = compiled(MASKED_SUM.replace("SUMMED", summed), states={"total": "new_total"})
    session = anemone.load(bundle, device="cpu").session()
    reference, total = feed(model), np.zeros((1, 3), np.float32)
    for size in (3, 4, 1, 7, 8):
        given = {"x": np.random.default_rng(size).standard_normal((1, size, 3)).astype(np.float32),
                 "attention_mask": np.arange(size)[None] % 3 // 2 ^ 1}
        if summed == "x" and size not in (4, 8):
            with pytest.raises(anemone.RunError, match=f"n is {size}, and function main runs 4, 8 only"):
                session(**given)
        else:
            y, total = reference.run(["y", "new_total"], {**given, "total": total})
            np.testing.assert_array_equal(session(**given)["y"], y)
        np.testing.assert_allclose(session.states["total"], total, atol=1e-5)


def test_nothing_hides_padding():
    """A state that is written as a whole and no mask: only the sizes run."""
    _, bundle = compiled("""g (float[1,n,3] x, float[1,3] total) => (float[1,n,3] y, float[1,3] new_total) <int64 zero = {0}> {
        y = Relu(x)  first = Gather<axis = 1>(x, zero)  new_total = Add(total, first) }""", states={"total": "new_total"})
    assert any("function 'main' changes a state otherwise than by an entry for each place" in str(d) for d in bundle.diagnostics)
    session = anemone.load(bundle, device="cpu").session()
    x = np.ones((1, 8, 3), np.float32)
    with pytest.raises(anemone.RunError, match="n is 5, and function main runs 4, 8 only"):
        session(x=x[:, :5])
    session(x=x)
    np.testing.assert_array_equal(session.states["total"], np.ones((1, 3), np.float32))


def test_caches_that_grow():
    """The last entries of a cache with what the run has added: padding would push real ones out, with whatever mask."""
    model, bundle = compiled("""g (float[1,n,3] x, int64[1,n] attention_mask, float[1,6,3] cache) => (float[1,n,3] y, float[1,m,3] new_cache)
        <int64[1] two = {2}> {
            seen = Cast<to = 1>(attention_mask)  wide = Unsqueeze(seen, two)  y = Mul(x, wide)
            new_cache = Concat<axis = 1>(cache, y) }""", states={"cache": "new_cache"}, buckets=(2, 4))
    assert any("op begins elsewhere for another size" in str(d) for d in bundle.diagnostics)
    session = anemone.load(bundle, device="cpu").session()
    reference, cache = feed(model), np.zeros((1, 6, 3), np.float32)
    for size in (2, 3, 4, 2):
        given = {"x": np.random.default_rng(size).standard_normal((1, size, 3)).astype(np.float32), "attention_mask": np.ones((1, size), np.int64)}
        if size == 3:
            with pytest.raises(anemone.RunError, match="n is 3, and function main runs 2, 4 only"):
                session(**given)
            continue
        cache = reference.run(["new_cache"], {**given, "cache": cache})[0][:, -6:]
        session(**given)
        np.testing.assert_array_equal(session.states["cache"], cache)


def test_text_of_each_phase(tmp_path):
    onnx.save(static_decoder.build("gpt2", 16, "n"), tmp_path / "m.onnx")
    flags = ["--host=none", "--quiet"]
    model = [tmp_path / "m.onnx", "--bucket=n=1,4", "--states=auto"]
    anetest.run("ane-compile", *model, "-o", tmp_path / "direct", *flags)
    want = json.loads((tmp_path / "direct" / "manifest.json").read_text())
    for phase in ("input", "canonical", "legal", "partitioned", "emittable"):
        anetest.run("ane-compile", *model, "-o", tmp_path / "m.mlir", f"--compile-to={phase}", *flags)
        anetest.run("ane-compile", tmp_path / "m.mlir", "-o", tmp_path / phase, *flags)
        assert json.loads((tmp_path / phase / "manifest.json").read_text()) == want, phase
