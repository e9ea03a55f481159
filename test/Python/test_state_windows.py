"""States of which a run changes an entry, or several: decoders whose caches have room for all tokens, against ONNX Runtime that is fed the
caches by hand; what a run copies; exporters' spellings; runs that fail."""
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

TOKENS = 200
ROOM = TOKENS + 8


def generate(model, tokens=None):
    return decoder.generate(feed(model), lambda *at: static_decoder.step(ROOM, *at), TOKENS, tokens)


@pytest.fixture(scope="module", params=static_decoder.SHAPES)
def decoded(request, tmp_path_factory):
    """(bundle, tokens, logits and caches of ONNX Runtime, logits of the fp16 oracle for the same tokens)"""
    model = static_decoder.build(request.param, ROOM)
    path = tmp_path_factory.mktemp(request.param) / "decoder.onnx"
    onnx.save(model, path)
    tokens, logits, caches = generate(model)
    _, half, _ = generate(fp16_oracle.build(model), tokens)
    return anemone.compile(path, states="auto"), tokens, logits, caches, half


def bytes_of(tensor):
    return int(np.prod(tensor["shape"])) * np.dtype(tensor["dtype"]).itemsize


def surface_bytes(bundle):
    """What a run has to move between the plan and surfaces, and what it moved where each program had surfaces of its own. A
    value goes into a surface once for each layout, unless a program wrote it there; of caches the new columns; it comes out of
    one once, if others than programs read it."""
    manifest = json.loads((bundle.path / "manifest.json").read_text())
    tensors, function = manifest["tensors"], manifest["functions"][0]
    procedures = {(program["name"], procedure["name"]): procedure for program in manifest["programs"]
                  for procedure in program["procedures"]}
    layout = lambda surface: json.dumps({key: value for key, value in surface.items() if key not in ("name", "bytes")}, sort_keys=True)
    steps = [step for step in function["steps"] if step["kind"] == "program"]
    ports = lambda kind: [(tensor, layout(surface)) for step in steps
                          for tensor, surface in zip(step[kind], procedures[step["program"], step["procedure"]][kind])]
    window = {step["outputs"][0]: step["inputs"][0] for step in function["steps"] if step["kind"] == "update"}
    assert window.keys() & {tensor for tensor, _ in ports("inputs")}, "no program reads a cache"
    size = lambda tensor: bytes_of(tensors[window.get(tensor, tensor)])
    made = dict(ports("outputs"))
    needed = {tensor for step in function["steps"] if step["kind"] != "program" for tensor in step["inputs"]}
    needed |= {port["tensor"] for port in function["outputs"]}
    goes_in = {(tensor, form) for tensor, form in ports("inputs") if made.get(tensor) != form}
    comes_out = made.keys() & (needed | {tensor for tensor, _ in goes_in})
    alone = sum(size(tensor) for kind in ("inputs", "outputs") for tensor, _ in ports(kind))
    return sum(size(tensor) for tensor, _ in goes_in) + sum(map(size, comes_out)), alone


def say(session, tokens, first, last):
    return np.stack([session(**static_decoder.step(ROOM, index, tokens[index]))["logits"] for index in range(first, last)])


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_decoder(decoded, device):
    bundle, tokens, logits, caches, half = decoded
    model = anemone.load(bundle, device=device)
    assert [info.name for info in model.inputs] == ["input_ids", "attention_mask", "position_ids"]
    session = model.session()
    got = say(session, tokens, 0, TOKENS)
    assert len(set(tokens)) > 15, "the model says one thing"
    if device == "cpu":
        anetest.check_cpu({"logits": got}, {"logits": logits})
        assert got.argmax(-1).ravel().tolist() == tokens[1:]
        anetest.check_cpu(dict(session.states), caches)
    else:
        anetest.check_engine({"logits": got}, {"logits": logits}, {"logits": half})
    assert not session.events()
    # A run writes the new columns, and logits where the caller wants them.
    columns = sum(info.shape[1] * decoder.SIZE * 4 for info in model.states)
    copies = session.copies()
    assert copies["runs"] == TOKENS and copies["last_state_bytes"] == columns
    assert copies["total_state_bytes"] == TOKENS * columns
    moved, alone = surface_bytes(bundle)
    assert moved < alone and copies["last_surface_bytes"] == (moved if device == "emulator" else 0)
    # Caches are not looked at again.
    assert copies["last_scanned_bytes"] < (alone if device == "emulator" else 1)
    updates = [step for step in session.profile() if step["kind"] == "update"]
    assert [step["name"] for step in updates] == [info.name for info in model.states]


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_goes_on_elsewhere(decoded, device, tmp_path):
    """Forked, or saved and restored: the same bits as without."""
    bundle, tokens, *_ = decoded
    model = anemone.load(bundle, device=device)
    session = model.session()
    say(session, tokens, 0, 5)
    session.save(tmp_path / "five.states")
    fork, other = session.fork(), model.session()
    other.restore(tmp_path / "five.states")
    want = say(session, tokens, 5, 12)
    for again in (fork, other):
        np.testing.assert_array_equal(say(again, tokens, 5, 12), want)
    session.reset()
    assert not any(value.any() for value in session.states.values())
    session.restore(tmp_path / "five.states")
    np.testing.assert_array_equal(say(session, tokens, 5, 12), want)


@pytest.mark.parametrize("device", ["cpu", "emulator"])
@pytest.mark.parametrize("shape", static_decoder.SHAPES)
def test_prompt_and_tokens(shape, device, tmp_path):
    """One bundle for the prompt and for single tokens: both write the new columns of the caches in place."""
    prompt = np.random.default_rng(5).integers(0, decoder.VOCABULARY, 7).tolist()
    models = {"prefill": static_decoder.build(shape, ROOM, len(prompt)), "decode": static_decoder.build(shape, ROOM)}

    def run(models, tokens=None):
        said, first, past = decoder.generate(feed(models["prefill"]), lambda *_: static_decoder.step(ROOM, 0, *prompt), 1)
        said, logits, _ = decoder.generate(feed(models["decode"]), lambda index, token: static_decoder.step(
            ROOM, len(prompt) + index, token), TOKENS, tokens, past=past, first=said[-1])
        return said, np.concatenate([first[:, :, -1:], logits])

    tokens, logits = run(models)
    paths = {name: tmp_path / f"{name}.onnx" for name in models}
    for name in models:
        onnx.save(models[name], paths[name])
    bundle = anemone.compile(paths, tmp_path / "m.anebundle", states="auto")
    session = anemone.load(bundle, device=device, function="prefill").session()
    step = session.function("decode")
    got = [session(**static_decoder.step(ROOM, 0, *prompt))["logits"][:, -1:]]
    column = sum(value.shape[1] * decoder.SIZE * 4 for value in session.states.values())
    assert session.copies()["last_state_bytes"] == len(prompt) * column
    for index in range(TOKENS):
        got.append(step(**static_decoder.step(ROOM, len(prompt) + index, tokens[index]))["logits"])
        if index == 3:
            # The prompt once more: what the other function wrote is seen, and its surfaces follow.
            session(**static_decoder.step(ROOM, 0, *prompt))
    got = np.stack(got)
    if device == "cpu":
        anetest.check_cpu({"logits": got}, {"logits": logits})
        assert got[:, :, -1].argmax(-1).ravel().tolist() == tokens
    else:
        _, half = run({name: fp16_oracle.build(model) for name, model in models.items()}, tokens)
        anetest.check_engine({"logits": got}, {"logits": logits}, {"logits": half})
    assert step.copies()["last_state_bytes"] == column


def test_text_of_each_phase(tmp_path):
    onnx.save(static_decoder.build("gpt2", 16), tmp_path / "m.onnx")
    flags = ["--host=none", "--quiet"]
    anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "direct", "--states=auto", *flags)
    want = json.loads((tmp_path / "direct" / "manifest.json").read_text())
    updates = [step for step in want["functions"][0]["steps"] if step["kind"] == "update"]
    assert [step["axis"] for step in updates] == [2] * 2 * decoder.LAYERS
    assert [step["skip_outside"] for step in updates] == [False, True] * decoder.LAYERS
    for phase in ("input", "canonical", "legal", "partitioned", "emittable"):
        anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.mlir", f"--compile-to={phase}", "--states=auto", *flags)
        anetest.run("ane-compile", tmp_path / "m.mlir", "-o", tmp_path / phase, *flags)
        assert json.loads((tmp_path / phase / "manifest.json").read_text()) == want, phase


# What a cache is to each exporter; `at` is the position, of a cache of 6 entries along axis 2.
SPELLINGS = {
    # torch.onnx.export of `cache[:, :, at] = new`, before torch.export
    "tuples": """
        heads = Constant<value = int64[1,2,1,1] {0, 1}>()  batch = Constant<value = int64[1,2,1,1] {0, 0}>()
        shape = Constant<value_ints = [1, 2, 1, 1]>()  place = Expand(at, shape)
        indices = Concat<axis = -1>(batch, heads, place)
        new_cache = ScatterND(cache, indices, x)""",
    "elements": """
        shape = Constant<value_ints = [1, 2, 1, 4]>()  one = Constant<value_ints = [1, 1, 1, 1]>()
        row = Reshape(at, one)  place = Expand(row, shape)
        new_cache = ScatterElements<axis = 2>(cache, place, x)""",
    # torch.export of the same, and of `index_copy`
    "axis first": """
        minus = Constant<value_ints = [-1]>()  place = Unsqueeze(at, minus)
        first = Transpose<perm = [2, 0, 1, 3]>(cache)  turned = Transpose<perm = [2, 0, 1, 3]>(x)
        next = ScatterND(first, place, turned)  new_cache = Transpose<perm = [1, 2, 0, 3]>(next)""",
    "where": """
        count = Constant<value_ints = [0, 1, 2, 3, 4, 5]>()  axes = Constant<value_ints = [0, 1, 3]>()
        is = Equal(count, at)  mask = Unsqueeze(is, axes)  new_cache = Where(mask, x, cache)""",
}


@pytest.mark.parametrize("device", ["cpu", "emulator"])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_exporters_spellings(spelling, device):
    model = frontend.parse(f"""<ir_version: 8, opset_import: ["": 17]>
        g (float[1,2,1,4] x, int64[1] at, float[1,2,6,4] cache) => (float[1,2,4,6] y, float[1,2,6,4] new_cache) {{
            {SPELLINGS[spelling]}
            wide = Transpose<perm = [0, 1, 3, 2]>(new_cache)  y = Sigmoid(wide) }}""")
    session = anemone.load(anemone.compile(model, states="auto"), device=device).session()
    reference, cache = feed(model), np.zeros((1, 2, 6, 4), np.float32)
    inside, outside = [0, 3, 5, 3] + ([-1, -6] if spelling != "where" else [6, -1, 9]), [6, -7, 2**40]
    for place in inside:
        x = np.random.default_rng(place % 99).integers(-8, 8, (1, 2, 1, 4)).astype(np.float32)
        y, cache = reference.run(["y", "new_cache"], {"x": x, "at": np.array([place]), "cache": cache})
        got = session(x=x, at=np.array([place]))["y"]
        np.testing.assert_allclose(got, y, atol=2e-3 if device == "emulator" else 1e-6)
        np.testing.assert_array_equal(session.states["cache"], cache)
        is_written = spelling != "where" or 0 <= place < 6
        assert session.copies()["last_state_bytes"] == (x.nbytes if is_written else 0)
    for place in outside if spelling != "where" else []:
        with pytest.raises(anemone.RunError, match="state cache: 1 entries at position .* don't fit in its 6"):
            session(x=x, at=np.array([place]))
        np.testing.assert_array_equal(session.states["cache"], cache)


# As above, with three entries.
SEVERAL = {
    "elements": """
        shape = Constant<value_ints = [1, 2, 3, 4]>()  one = Constant<value_ints = [1, 1, 3, 1]>()
        row = Reshape(at, one)  place = Expand(row, shape)
        new_cache = ScatterElements<axis = 2>(cache, place, x)""",
    "axis first": SPELLINGS["axis first"],
    "tuples": """
        heads = Constant<value = int64[1,2,3,1] {0, 0, 0, 1, 1, 1}>()  batch = Constant<value = int64[1,2,3,1] {0, 0, 0, 0, 0, 0}>()
        shape = Constant<value_ints = [1, 2, 3, 1]>()  one = Constant<value_ints = [1, 1, 3, 1]>()
        row = Reshape(at, one)  place = Expand(row, shape)
        indices = Concat<axis = -1>(batch, heads, place)
        new_cache = ScatterND(cache, indices, x)""",
}


@pytest.mark.parametrize("device", ["cpu", "emulator"])
@pytest.mark.parametrize("spelling", SEVERAL)
def test_several_entries(spelling, device):
    """Each at its own position, in any order."""
    model = frontend.parse(f"""<ir_version: 8, opset_import: ["": 17]>
        g (float[1,2,3,4] x, int64[3] at, float[1,2,6,4] cache) => (float[1,2,4,6] y, float[1,2,6,4] new_cache) {{
            {SEVERAL[spelling]}
            wide = Transpose<perm = [0, 1, 3, 2]>(new_cache)  y = Sigmoid(wide) }}""")
    session = anemone.load(anemone.compile(model, states="auto"), device=device).session()
    reference, cache = feed(model), np.zeros((1, 2, 6, 4), np.float32)
    for places in ([0, 1, 2], [5, 3, 4], [2, -6, 4]):
        x = np.random.default_rng(places[0]).integers(-8, 8, (1, 2, 3, 4)).astype(np.float32)
        y, cache = reference.run(["y", "new_cache"], {"x": x, "at": np.array(places), "cache": cache})
        got = session(x=x, at=np.array(places))["y"]
        np.testing.assert_allclose(got, y, atol=2e-3 if device == "emulator" else 1e-6)
        np.testing.assert_array_equal(session.states["cache"], cache)
        assert session.copies()["last_state_bytes"] == x.nbytes
    with pytest.raises(anemone.RunError, match="state cache: 1 entries at position 6 .* don't fit in its 6"):
        session(x=x, at=np.array([1, 6, 2]))
    np.testing.assert_array_equal(session.states["cache"], cache)


def test_old_values_that_are_read_are_kept():
    """What reads the cache before the write needs both values: the whole cache is written."""
    model = frontend.parse("""<ir_version: 8, opset_import: ["": 17]>
        g (float[1,4] x, int64[1,1] at, float[6,4] cache) => (float[6,4] before, float[6,4] new_cache) {
            new_cache = ScatterND(cache, at, x)  before = Identity(cache) }""")
    session = anemone.load(anemone.compile(model, states="auto"), device="cpu").session()
    for place in (1, 4):
        before = session.states["cache"]
        x = np.full((1, 4), place, np.float32)
        np.testing.assert_array_equal(session(x=x, at=np.array([[place]]))["before"], before)
        before[place] = place
        np.testing.assert_array_equal(session.states["cache"], before)
