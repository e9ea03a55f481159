"""Language models from their own files: functions `decode` and `prefill_N` over caches, against transformers."""
import json

import numpy as np
import pytest

import anetest
import frontend  # finds the package
import lmzoo
from test_ane_device import ANE, pytestmark as simulated

import anemone

PREFILL = (8, 32)
CONTEXT_FLAG = f"--context={lmzoo.CONTEXT}"
# Largest and mean error, of the largest logit, and a gap of the oracle's two largest logits below which either may win: what issue 13 asks
# for; the mean is of a whole text. The emulator's weights and values are fp16.
LIMIT = {"cpu": (1e-4, 1e-4, 5e-3), "emulator": (1e-2, 1e-3, 0.05)}


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """The folder of all models."""
    folder = tmp_path_factory.mktemp("lm")
    if not lmzoo.ensure(folder, *lmzoo.MODELS):
        pytest.skip("there is no .venv-models to make models with (scripts/setup.sh --models)")
    return folder


@pytest.fixture(scope="module", params=[name for name in lmzoo.MODELS if not name.endswith("-plain")])
def case(request, made, tmp_path_factory):
    """(bundle, tokens, logits of transformers at all positions)"""
    bundle = tmp_path_factory.mktemp(request.param) / "m.anebundle"
    anetest.run("ane-compile", made / request.param, "-o", bundle, "--quiet", CONTEXT_FLAG,
                f"--prefill={','.join(map(str, PREFILL))}")
    arrays = np.load(made / f"{request.param}.npz")
    return bundle, arrays["tokens"], arrays["logits"]


def ids(*values):
    return np.array(values, np.int32)


def decoded(session, tokens, begin=0):
    """Logits behind each of the tokens, one at a time."""
    return np.concatenate([session(input_ids=ids([token]), position=ids(begin + index))["logits"]
                           for index, token in enumerate(tokens)])


def prompted(session, size, tokens, begin=0):
    """Logits behind the last of the tokens, which are filled up with tokens that nothing may read."""
    filled = ids([*tokens, *[3 + size % 7] * (size - len(tokens))])
    return session(input_ids=filled, position=ids(begin), length=ids(len(tokens)))["logits"]


def agreement(got, want, gap):
    """Where the largest logit is the oracle's, or the oracle's two largest are nearer than `gap`: a share, and the number of the latter."""
    top = np.sort(want, -1)
    close = top[:, -1] - top[:, -2] < gap
    return float(np.mean((got.argmax(-1) == want.argmax(-1)) | close)), int(close.sum())


def check(device, got, want):
    error, (largest, average, gap) = anetest.Error(got, want), LIMIT[device]
    mean, (share, close) = float(np.abs(got - want).mean()), agreement(got, want, gap)
    print(f"{device}: {error}, relative {error.max / error.scale:.1e}, mean {mean / error.scale:.1e}, top-1 {share:.2%} ({close} gaps below {gap})")
    assert error.max <= largest * error.scale and share >= 0.995, error
    assert len(want) < lmzoo.CONTEXT or mean <= average * error.scale, mean / error.scale


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_decode(case, device):
    """Token by token to the context's end."""
    bundle, tokens, logits = case
    session = anemone.load(bundle, device=device, function="decode").session()
    check(device, decoded(session, tokens), logits)
    assert not session.events()


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_prefill(case, device):
    """A prompt of each length up to the largest size and beyond it, in parts; what stands behind a prompt is not read."""
    bundle, tokens, logits = case
    small, large = PREFILL
    for size in PREFILL:
        session = anemone.load(bundle, device=device, function=f"prefill_{size}").session()
        got = [prompted(session, size, tokens[:length]) for length in range(1, size + 1)]
        check(device, np.concatenate(got), logits[:size])
        assert not session.events()
    session = anemone.load(bundle, device=device, function=f"prefill_{large}").session()
    first, rest = prompted(session, large, tokens[:large]), session.function(f"prefill_{small}")
    got = [first] + [prompted(rest, small, tokens[at:at + small], at) for at in range(large, lmzoo.CONTEXT, small)]
    check(device, np.concatenate(got), logits[[large - 1, *range(large + small - 1, lmzoo.CONTEXT, small)]])
    assert not session.events()


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_prompt_and_tokens(case, device):
    """A filled-up prompt and then single tokens: as token by token."""
    bundle, tokens, logits = case
    prompt = 21
    session = anemone.load(bundle, device=device, function=f"prefill_{PREFILL[1]}").session()
    got = [prompted(session, PREFILL[1], tokens[:prompt]), decoded(session.function("decode"), tokens[prompt:], prompt)]
    check(device, np.concatenate(got), logits[prompt - 1:])
    assert not session.events()


@pytest.mark.parametrize("begin", [0, 5, 16, 31, 40])
def test_entries_that_no_token_has_are_not_read(case, begin):
    """CPU code passes by 16 entries of a cache at a time. What they hold, were it no number, does not matter. (A prompt reads them
    where its tokens have masks of their own, as windows make them.)"""
    bundle, tokens, _ = case
    first = -(-begin // 16) * 16
    windowed = "window" in json.loads((bundle / "manifest.json").read_text())["language_model"]
    got = []
    for filler in 0, np.nan:
        session = anemone.load(bundle, device="cpu", function="decode").session()
        for index, token in enumerate(tokens[:begin]):
            decoded(session, [token], index)
        for name in session.states:
            value = session.states[name].copy()
            value[:, :, first:] = filler
            session.states[name] = value
        got.append([decoded(session, tokens[begin:begin + 1], begin)])
        if not windowed:
            small = PREFILL[0]
            got[-1].append(prompted(session.function(f"prefill_{small}"), small, tokens[begin:begin + small - 1], begin))
    assert np.isfinite(got[0]).all()
    np.testing.assert_array_equal(got[0], got[1])


def functions_in_turn(bundle, device, context, small, tokens, check):
    """What runs of decode and prefill copy, in turns: a function's surfaces get the entries that were written since it ran, by whichever
    function, and nothing else of the caches. `check` gets the logits behind a number of tokens."""
    model, count = anemone.load(bundle, device=device, function="decode"), small - 2
    entry = sum(int(np.prod(info.shape)) // context * np.dtype(info.dtype).itemsize for info in model.states)
    decode = model.session()
    prefill = decode.function(f"prefill_{small}")
    rest, pending, at = {}, {decode: 0, prefill: 0}, 0
    for index, session in enumerate([decode, decode, prefill, prefill, *[decode, decode, prefill] * 2]):
        if session is decode:
            got, taken, written = decoded(session, tokens[at:at + 1], at), 1, 1
        else:  # it writes what fills it up, too
            got, taken, written = prompted(session, small, tokens[at:at + count], at), count, small
        at, moved = at + taken, session.copies()["last_surface_bytes"]
        check(got, at)
        if index in (1, 3):  # the run before was the first, which packs all; what is no cache comes again and again
            rest[session] = moved - written * entry
            assert rest[session] > 0
        elif index > 3:
            assert moved <= rest[session] + pending[session] * entry
        pending = {other: entries * (other is not session) + written for other, entries in pending.items()}
    assert not decode.events() and not prefill.events()
    return rest[decode]


@pytest.mark.parametrize("device", ["emulator", pytest.param(ANE, id="ane", marks=simulated)])
def test_functions_in_turn_copy_new_entries(case, device, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # where the framework has its folders
    bundle, tokens, logits = case
    functions_in_turn(bundle, device, lmzoo.CONTEXT, PREFILL[0], tokens, lambda got, count: check("emulator", got, logits[[count - 1]]))


def test_one_copy_of_weights_and_states(case):
    bundle, *_ = case
    manifest = json.loads((bundle / "manifest.json").read_text())
    assert [function["name"] for function in manifest["functions"]] == ["decode", *(f"prefill_{size}" for size in PREFILL)]
    assert all(len(function["states"]) == len(manifest["states"]) for function in manifest["functions"])
    model = manifest["language_model"]
    assert model == {"kind": "decoder", "architecture": model["architecture"], "context": lmzoo.CONTEXT, "vocabulary": 160, "decode": "decode",
                     "prefill": [f"prefill_{size}" for size in PREFILL], "stop_tokens": [2], "bos": 1,
                     **({"window": model["window"]} if "window" in model else {})}
    evaluations = [step["kind"] for step in manifest["functions"][0]["steps"]].count("program")
    assert evaluations == 1, "a small model is one program"
