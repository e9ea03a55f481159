"""Programs with states, as coremltools writes them: bundles with states of the same names, updated where they are if the program
replaces a window. What the programs compute is written here once more, with NumPy."""
import coremltools
import numpy as np
import pytest
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.mil import types

import frontend  # finds the package
from coremltools_text import program_text

import anemone

HEADS, ROOM, SIZE = 2, 16, 32
CACHE = (1, HEADS, ROOM, SIZE)


def load(folder, specs, make, device):
    """A session of the program that coremltools makes of `make`."""
    target = coremltools.target.iOS18
    program = mb.program(input_specs=specs, opset_version=target)(make)
    model = coremltools.convert(program, convert_to="mlprogram", minimum_deployment_target=target, skip_model_load=True)
    (folder / "model.mil").write_text(program_text(model.get_spec().mlProgram))
    return anemone.load(anemone.compile(folder / "model.mil", folder / "m.anebundle"), device=device).session()


def bound(device, want):
    return (4e-3 if device == "emulator" else 1e-3) * max(np.abs(want).max(), 1)


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_whole(device, tmp_path):
    """A running mean: read, written as a whole, and read again."""
    def make(x, mean):
        old = mb.read_state(input=mean)
        new = mb.coreml_update_state(state=mean, value=mb.add(x=mb.mul(x=old, y=np.float16(0.75)), y=mb.mul(x=x, y=np.float16(0.25))))
        return mb.sub(x=x, y=new)

    shape = (1, 8, 64)
    session = load(tmp_path, [mb.TensorSpec(shape, types.fp16), mb.StateTensorSpec(shape, types.fp16)], make, device)
    assert list(session.states) == ["mean"]
    mean, rng = np.zeros(shape), np.random.default_rng(3)
    for _ in range(5):
        x = rng.standard_normal(shape).astype(np.float16)
        mean = 0.75 * mean + 0.25 * x
        (got,) = session(x=x).values()
        assert np.abs(got - (x - mean)).max() < bound(device, x)
        assert np.abs(session.states["mean"] - mean).max() < bound(device, x)
    session.reset()
    assert not session.states["mean"].any()


def attention(query, keys, values, mask):
    scores = query @ keys.swapaxes(-1, -2) + mask
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    return scores / scores.sum(-1, keepdims=True) @ values


@pytest.mark.parametrize("device", ["cpu", "emulator"])
@pytest.mark.parametrize("tokens", [1, 3])
def test_caches(tokens, device, tmp_path):
    """The step of a decoder: new columns at a position that is an input, and attention over all."""
    def make(x, at, mask, keys, values):
        def write(cache, new):
            past = mb.read_state(input=cache)
            zero, end = np.array([0], np.int32), mb.add(x=at, y=np.array([tokens], np.int32))
            ends = mb.concat(values=[zero, zero, end, zero], axis=0)
            begin = mb.concat(values=[zero, zero, at, zero], axis=0)
            next_value = mb.slice_update(x=past, update=new, begin=begin, end=ends,
                                         begin_mask=[True, True, False, True], end_mask=[True, True, False, True])
            return mb.coreml_update_state(state=cache, value=next_value)

        k, v = write(keys, mb.mul(x=x, y=np.float16(0.5))), write(values, mb.tanh(x=x))
        scores = mb.add(x=mb.matmul(x=x, y=k, transpose_y=True), y=mask)
        return mb.matmul(x=mb.softmax(x=scores, axis=-1), y=v)

    new = (1, HEADS, tokens, SIZE)
    specs = [mb.TensorSpec(new, types.fp16), mb.TensorSpec((1,), types.int32), mb.TensorSpec((1, 1, tokens, ROOM), types.fp16),
             mb.StateTensorSpec(CACHE, types.fp16), mb.StateTensorSpec(CACHE, types.fp16)]
    session = load(tmp_path, specs, make, device)
    keys, values, rng = np.zeros(CACHE), np.zeros(CACHE), np.random.default_rng(tokens)
    for at in (0, tokens, 2 * tokens, ROOM - tokens, tokens):
        x = rng.standard_normal(new).astype(np.float16)
        keys[:, :, at:at + tokens], values[:, :, at:at + tokens] = 0.5 * x, np.tanh(x.astype(np.float64))
        visible = np.arange(ROOM) <= at + np.arange(tokens)[:, None]
        mask = np.where(visible, 0, -1e4).astype(np.float16)[None, None]
        (got,) = session(x=x, at=np.array([at], np.int32), mask=mask).values()
        want = attention(x.astype(np.float64), keys, values, mask.astype(np.float64))
        assert np.abs(got - want).max() < bound(device, want)
        for name, cache in (("keys", keys), ("values", values)):
            assert np.abs(session.states[name] - cache).max() < bound(device, cache)
        assert session.copies()["last_state_bytes"] == 2 * x.nbytes, "a run writes its columns"
    with pytest.raises(anemone.RunError, match=f"state keys: 1 entries at position {ROOM} of axis 2 don't fit in its {ROOM}"):
        session(x=x, at=np.array([ROOM - tokens + 1], np.int32), mask=mask)
    assert np.abs(session.states["keys"] - keys).max() < bound(device, keys)


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_caches_of_all_layers_in_one(device, tmp_path):
    """Each layer writes into its row of one state, at the run's position."""
    layers, shape = 3, (3, ROOM, SIZE)

    def make(x, at, cache):
        zero, end = np.array([0], np.int32), mb.add(x=at, y=np.array([1], np.int32))
        whole = mb.read_state(input=cache)
        for layer in range(layers):
            row, next_row = np.array([layer], np.int32), np.array([layer + 1], np.int32)
            begin, ends = mb.concat(values=[row, at, zero], axis=0), mb.concat(values=[next_row, end, zero], axis=0)
            new = mb.slice_update(x=whole, update=x, begin=begin, end=ends, end_mask=[False, False, True])
            whole = mb.coreml_update_state(state=cache, value=new)
            rows = mb.slice_by_index(x=whole, begin=[layer, 0, 0], end=[layer + 1, ROOM, SIZE])
            x = mb.tanh(x=mb.reduce_sum(x=rows, axes=[1], keep_dims=True))
        return x

    specs = [mb.TensorSpec((1, 1, SIZE), types.fp16), mb.TensorSpec((1,), types.int32), mb.StateTensorSpec(shape, types.fp16)]
    session = load(tmp_path, specs, make, device)
    cache, rng = np.zeros(shape), np.random.default_rng(1)
    for at in (0, 1, 15, -2, 1):
        given = rng.standard_normal((1, 1, SIZE)).astype(np.float16)
        x = given.astype(np.float64)
        for layer in range(layers):
            cache[layer, at] = x
            x = np.tanh(cache[layer].sum(0))[None, None]
        (got,) = session(x=given, at=np.array([at], np.int32)).values()
        assert np.abs(got - x).max() < bound(device, x)
        assert np.abs(session.states["cache"] - cache).max() < bound(device, cache)
