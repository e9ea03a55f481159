"""States: a voice detector that listens for minutes and a decoder with a cache, each against ONNX Runtime that is fed the states
by hand; sessions, saved states, what is refused."""
import itertools
import json
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
import pytest

import anetest
import decoder
import fp16_oracle
import frontend  # finds the package
import lmzoo
import zoo

import anemone

RATE, CHUNK, CONTEXT = 16000, 512, 64
SHORT, LONG = 8, 5 * 60  # seconds of sound


def feed(path_or_model):
    """ONNX Runtime, for runs one after another."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    source = path_or_model.SerializeToString() if isinstance(path_or_model, onnx.ModelProto) else str(path_or_model)
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


# ---- the voice detector -------------------------------------------------------


def sound(seconds):
    """Chunks of vowel-like tones and noise in turn, each with the end of the one before, as the detector wants them."""
    rng = np.random.default_rng(12)
    time = np.arange(seconds * RATE) / RATE
    pitch = 110 + 40 * np.sin(0.7 * time)
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    voice = sum(np.sin(k * phase) / k for k in range(1, 10)) * (np.sin(2 * np.pi * 0.4 * time) > 0)
    wave = (0.2 * voice + 0.01 * rng.standard_normal(len(time))).astype(np.float32)
    wave = np.concatenate([np.zeros(CONTEXT, np.float32), wave])
    return [wave[None, i:i + CONTEXT + CHUNK] for i in range(0, len(wave) - CONTEXT - CHUNK + 1, CHUNK)]


@pytest.fixture(scope="module")
def detector(tmp_path_factory):
    """(path of the model, its bundle)"""
    path = zoo.package("silero_vad") / "data" / "silero_vad.onnx"
    bundle = anemone.compile(path, tmp_path_factory.mktemp("detector") / "vad.anebundle", values={"sr": RATE},
                             shapes={"input": (1, CONTEXT + CHUNK), "state": (2, 1, 128)}, states="auto")
    return path, bundle


@pytest.fixture(scope="module")
def listened(detector, request):
    """Probabilities and states of ONNX Runtime, chunk by chunk."""
    session, state, results = feed(detector[0]), np.zeros((2, 1, 128), np.float32), []
    for chunk in sound(LONG if request.config.getoption("--full", False) else SHORT):
        probability, state = session.run(["output", "stateN"], {"input": chunk, "state": state, "sr": np.array(RATE)})
        results.append((chunk, probability, state))
    return results


def test_the_state_is_no_argument(detector):
    model = anemone.load(detector[1], device="cpu")
    assert [info.name for info in model.inputs] == ["input"]
    assert [info.name for info in model.outputs] == ["output"]
    assert [str(info) for info in model.states] == ["state: float32[2, 1, 128]"]


@pytest.mark.parametrize("device, tolerance", [("cpu", 1e-5), ("emulator", 5e-3)])
def test_voice_detector_listens(detector, listened, device, tolerance):
    session = anemone.load(detector[1], device=device, threads=1).session()
    heard, worst, state_errors = [], 0, []
    for chunk, probability, state in listened:
        got = session(input=chunk)["output"]
        heard.append(got.item())
        worst = max(worst, np.abs(got - probability).max())
        state_errors.append(np.abs(session.states["state"] - state).max() / max(1, np.abs(state).max()))
    print(f"{device}: {len(listened)} chunks, probabilities off by {worst:.1e}, states by {max(state_errors):.1e}")
    assert max(heard) - min(heard) > 0.1, "the sound is all alike"
    assert worst <= tolerance
    # A cell of this model counts up to 197 in five minutes and adds up what fp16 rounds before it, up to 9 % on the way, which
    # the probabilities hardly show.
    assert max(state_errors[:SHORT * RATE // CHUNK]) <= tolerance
    assert device == "emulator" or max(state_errors) <= tolerance
    assert not session.events()


@pytest.mark.parametrize("device, tolerance", [("cpu", 1e-5), ("emulator", 5e-3)])
def test_voice_detector_with_another_weight(detector, device, tolerance):
    """All weights of this model are `Constant` nodes of a branch."""
    name = "If_0_then_branch__Inline_0__encoder.1.reparam_conv.weight"
    changed = onnx.load(detector[0])
    branches = [attribute.g for node in changed.graph.node for attribute in node.attribute if attribute.HasField("g")]
    tensor, = (node.attribute[0].t for branch in branches for node in branch.node if name in node.output)
    value = 0.5 * onnx.numpy_helper.to_array(tensor)
    tensor.CopyFrom(onnx.numpy_helper.from_array(value))
    reference, state = feed(changed), np.zeros((2, 1, 128), np.float32)
    model = anemone.load(detector[1], device=device)
    assert len(model.weights) == 9  # of the branch that sr decides for
    as_it_is, session = model.session(), model.session()
    session.set_weight(name, value)
    differs = False
    for chunk in sound(SHORT)[:60]:
        want, state = reference.run(["output", "stateN"], {"input": chunk, "state": state, "sr": np.array(RATE)})
        got = session(input=chunk)["output"]
        np.testing.assert_allclose(got, want, rtol=0, atol=tolerance)
        differs |= bool(np.abs(as_it_is(input=chunk)["output"] - got).max() > 2 * tolerance)
    assert differs


# Of each number: restores what was saved before that chunk, hears it, and saves again.
GOES_ON = """
import sys, numpy as np
import frontend, anemone
bundle, device, folder, *numbers = sys.argv[1:]
session = anemone.load(bundle, device=device).session()
for number in numbers:
    session.restore(f"{folder}/{number}.before")
    np.save(f"{folder}/{number}.npy", session(input=np.load(f"{folder}/{number}.input.npy"))["output"])
    session.save(f"{folder}/{number}.got")
"""


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_goes_on_in_another_process(detector, listened, tmp_path, request, device):
    """Saved after any chunk and restored by a process that has heard nothing: the same bits as without. The last one by ane-run, too."""
    chunks = [chunk for chunk, _, _ in listened]
    count = 60 if request.config.getoption("--full", False) else 6
    # One of each part of the sound.
    parts = np.linspace(0, len(chunks), count + 1).astype(int)
    chosen = [int(np.random.default_rng(first).integers(first, end)) for first, end in zip(parts, parts[1:])]
    session, want = anemone.load(detector[1], device=device).session(), {}
    for number, chunk in enumerate(chunks[:chosen[-1] + 1]):
        if number in chosen:
            np.save(tmp_path / f"{number}.input.npy", chunk)
            session.save(tmp_path / f"{number}.before")
        got = session(input=chunk)["output"]
        if number in chosen:
            want[number] = got
            session.save(tmp_path / f"{number}.want")
    assert len(want) == count and len({(tmp_path / f"{number}.before").read_bytes() for number in want}) == count
    subprocess.run([sys.executable, "-c", GOES_ON, detector[1].path, device, tmp_path, *map(str, reversed(chosen))], check=True,
                   cwd=anetest.ROOT / "test" / "Python")
    for number in want:
        assert np.load(tmp_path / f"{number}.npy").tobytes() == want[number].tobytes(), number
        assert (tmp_path / f"{number}.got").read_bytes() == (tmp_path / f"{number}.want").read_bytes(), number
    last = chosen[-1]
    got = anetest.run_bundle(detector[1].path, {"input": chunks[last]}, ["output"], tmp_path, device,
                             f"--restore-states={tmp_path / f'{last}.before'}", f"--save-states={tmp_path / 'got.states'}")
    assert got["output"].tobytes() == want[last].tobytes()
    assert (tmp_path / "got.states").read_bytes() == (tmp_path / f"{last}.want").read_bytes()


# ---- a decoder ------------------------------------------------------------------

PAST, TOKENS = 24, 40  # the cache is full before the end, and loses its oldest entries


@pytest.fixture(scope="module", params=["llama", pytest.param("gpt2", marks=pytest.mark.slow)])
def decoded(request, tmp_path_factory):
    """(bundle, tokens, logits of ONNX Runtime, those of the fp16 oracle for the same tokens): of decoder.py's model, and of one that
    PyTorch exports."""
    folder = tmp_path_factory.mktemp("decoder")
    path = folder / "decoder.onnx"
    if request.param == "llama":
        onnx.save(decoder.build(PAST), path)
    elif lmzoo.ensure(folder, "--cached", "gpt2-plain", str(PAST)):
        path = folder / "cached.onnx"
    else:
        pytest.skip("there is no .venv-models to make models with (scripts/setup.sh --models)")
    model = onnx.load(path)
    tokens, logits = generate(model, None)
    _, half = generate(fp16_oracle.build(model), tokens)
    return anemone.compile(path, states="auto"), tokens, logits, half


def generate(model, tokens):
    """Tokens and logits of ONNX Runtime, whose caches lose their oldest entries."""
    said, logits, _ = decoder.generate(feed(model), lambda *at: decoder.step(PAST, *at), TOKENS, tokens, lambda x: x[:, :, 1:])
    return said, logits


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_decoder(decoded, device):
    bundle, tokens, logits, half = decoded
    model = anemone.load(bundle, device=device)
    assert [info.name for info in model.inputs] == ["input_ids", "attention_mask", "position_ids"]
    assert len(model.states) == 2 * decoder.LAYERS
    session = model.session()
    got = np.stack([session(**decoder.step(PAST, index, tokens[index]))["logits"] for index in range(TOKENS)])
    assert len(set(tokens)) > 5, "the model says one thing"
    if device == "cpu":
        anetest.check_cpu({"logits": got}, {"logits": logits})
        assert got.argmax(-1).ravel().tolist() == tokens[1:]
    else:
        anetest.check_engine({"logits": got}, {"logits": logits}, {"logits": half})
    assert not session.events()


# ---- sessions -------------------------------------------------------------------


@pytest.fixture(scope="module")
def counter():
    """total = total + x, from 5 on; y is the total before."""
    model = frontend.parse("""<ir_version: 8, opset_import: ["": 17]>
        g (float[4] x, float[4] total) => (float[4] y, float[4] new_total) { new_total = Add(total, x)  y = Identity(total) }""")
    return anemone.load(anemone.compile(model, states={"total": "new_total"}, initial_states={"total": 5}), device="cpu")


def total(session):
    return session.states["total"].tolist()


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_states_of_every_kind(device, tmp_path):
    """Truth values, counters and halves, constants that are written, states that change places, and one that is an output."""
    model = frontend.parse("""<ir_version: 8, opset_import: ["": 17]>
        g (float[2,8] x, bool[2,8] seen, int64 count, float16[2,8] half, float[2,8] left, float[2,8] right, float[2,8] fixed)
        => (float[2,8] y, bool[2,8] new_seen, int64 new_count, float16[2,8] new_half, float[2,8] new_left, float[2,8] new_right,
            float[2,8] new_fixed, float[2,8] before)
        <int64 one = {1}, float zero = {0.0}> {
            positive = Greater(x, zero)  new_seen = Or(seen, positive)
            new_count = Add(count, one)
            narrow = Cast<to = 10>(x)  new_half = Add(half, narrow)
            new_left = Identity(right)  new_right = Identity(left)  before = Identity(left)
            new_fixed = Constant<value = float[2,8] {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}>()
            masked = Where(seen, x, zero)  shifted = Add(masked, fixed)  y = Relu(shifted) }""")
    bundle = anemone.compile(model, tmp_path / "m.anebundle", states="auto", initial_states={"left": 2, "count": 40})
    loaded, reference = anemone.load(bundle, device=device), feed(model)
    assert [info.name for info in loaded.outputs] == ["y", "before"]
    session = loaded.session()
    values = {name: session.states[name] for name in session.states}
    assert values["left"].all() and not values["right"].any() and values["count"] == 40
    names = [output.name for output in reference.get_outputs()]
    for index in range(4):
        x = np.random.default_rng(index).integers(-3, 4, (2, 8)).astype(np.float32)
        want = dict(zip(names, reference.run(names, {"x": x, **values})))
        got = session(x=x)
        values = {name: want[f"new_{name}"] for name in values}
        for name in got:
            np.testing.assert_array_equal(got[name], want[name], err_msg=name)
        for name in values:
            np.testing.assert_array_equal(session.states[name], values[name], err_msg=name)


def test_sessions_have_states_of_their_own(counter):
    x = np.float32([1, 2, 3, 4])
    first, second = counter.session(), counter.session()
    assert dict(first.states).keys() == {"total"} and total(first) == [5] * 4
    assert first(x)["y"].tolist() == [5] * 4
    assert first(x)["y"].tolist() == [6, 7, 8, 9]
    assert total(first) == [7, 9, 11, 13] and total(second) == [5] * 4
    fork = first.fork()
    first(x)
    assert total(fork) == [7, 9, 11, 13] and total(first) == [8, 11, 14, 17]
    first.states["total"] = np.zeros(4, np.float32)
    first(x)
    assert total(first) == [1, 2, 3, 4]
    first.reset()
    assert total(first) == [5] * 4
    assert "total: float32[4]" in repr(first)


def test_what_sessions_refuse(counter, tmp_path):
    session = counter.session()
    with pytest.raises(anemone.RunError, match=r"belong to a session; remedy: session = model.session\(\)"):
        counter(np.zeros(4, np.float32))
    with pytest.raises(KeyError, match="there is no state 'sum'; the model has total"):
        session.states["sum"]
    with pytest.raises(anemone.RunError, match="expected float32"):
        session.states["total"] = np.zeros(4)
    with pytest.raises(anemone.RunError, match=r"^state 'total': has shape \(5,\), expected \(4,\); remedy: pad or reshape it$"):
        session.states["total"] = np.zeros(5, np.float32)
    with pytest.raises(anemone.RunError, match="can't be deleted"):
        del session.states["total"]
    with pytest.raises(anemone.RunError) as caught:
        session.restore(tmp_path / "nowhere")
    assert caught.value.code == "NOT_FOUND"
    with pytest.raises(anemone.RunError, match="No such file|no such file|nowhere"):
        session.save(tmp_path / "nowhere" / "x.states")
    session.save(tmp_path / "x.states")
    content = (tmp_path / "x.states").read_bytes()
    for place, damaged in itertools.product((0, 9, 20, len(content) - 40, len(content) - 1), (1, 128)):
        wrong = bytearray(content)
        wrong[place] ^= damaged
        (tmp_path / "y.states").write_bytes(wrong)
        with pytest.raises(anemone.RunError, match="y.states"):
            session.restore(tmp_path / "y.states")
    assert total(session) == [5] * 4
    session.close()
    with pytest.raises(anemone.RunError, match="closed"):
        session.reset()


@pytest.mark.parametrize("phase", ["input", "canonical"])
def test_the_text_of_a_phase_has_the_states(phase, tmp_path):
    path = tmp_path / "m.onnx"
    onnx.save(decoder.build(PAST), path)
    np.save(tmp_path / "key.npy", np.random.default_rng(1).standard_normal((1, decoder.GROUPS, PAST, decoder.SIZE)).astype(np.float32))
    flags = ["--states=auto", f"--state-init=past_key_values.1.key={tmp_path / 'key.npy'}", "--host=none", "--quiet"]
    anetest.run("ane-compile", path, "-o", tmp_path / "direct", *flags)
    anetest.run("ane-compile", path, "-o", tmp_path / "m.mlir", f"--compile-to={phase}", *flags)
    anetest.run("ane-compile", tmp_path / "m.mlir", "-o", tmp_path / "text", "--host=none", "--quiet")
    made = [json.loads((tmp_path / name / "manifest.json").read_text()) for name in ("direct", "text")]
    assert made[0]["states"] == made[1]["states"] and len(made[0]["states"]) == 2 * decoder.LAYERS
    assert len(made[0]["functions"][0]["states"]) == len(made[1]["functions"][0]["states"]) == 2 * decoder.LAYERS
    for name in ("direct", "text"):
        assert (tmp_path / name / "states.bin").read_bytes() == np.load(tmp_path / "key.npy").tobytes()


def test_questions_take_states(tmp_path):
    path = tmp_path / "m.onnx"
    model = decoder.build(PAST)
    onnx.save(model, path)
    node = next(node.name for node in model.graph.node if node.op_type == "Softmax")
    assert node in anetest.run("ane-compile", path, "--states=auto", f"--why={node}").stdout
    assert "h16" in anetest.run("ane-compile", path, "--states=auto", "--targets=m1,m4", "--quiet").stdout


def test_models_without_states_have_sessions(tmp_path):
    model = anemone.load(anemone.compile(frontend.affine(), dims={"batch": 4}), device="cpu")
    session = model.session()
    x, k = np.ones((4, 64), np.float32), np.arange(4)
    assert session(x, k)["y"].tolist() == model(x, k)["y"].tolist() and len(session.states) == 0
    with pytest.raises(anemone.CompileError, match="no input and output are called"):
        anemone.compile(frontend.affine(), dims={"batch": 4}, states="auto")
