"""Into which programs a language model is cut (`--partition`), what its head gives (`--head`), and a conversation in two places: prompt and
tokens on different devices, in one process and in two. All against transformers, as in test_language_models.py."""
import json
import re
import subprocess
import sys

import numpy as np
import pytest

import anetest
import frontend  # finds the package
import lmzoo
from test_language_models import CONTEXT_FLAG, check, decoded, ids, prompted

import anemone

LAYERS, SIZE = 3, 16
# Evaluations of a step, with the head.
EVALUATIONS = {"auto": 1, "chunks:3": 3, "layer-halves": 2 * LAYERS + 1, "layer-thirds": 3 * LAYERS + 1}


def made(folder, name):
    if not lmzoo.ensure(folder, name):
        pytest.skip("there is no .venv-models to make models with (scripts/setup.sh --models)")
    arrays = np.load(folder / f"{name}.npz")
    return folder / name, arrays["tokens"], arrays["logits"]


@pytest.fixture(scope="module", params=["llama", *(pytest.param(name, marks=pytest.mark.slow) for name in ("gpt2", "gemma2", "phi3"))])
def model(request, tmp_path_factory):
    """(folder of the model, tokens, logits of transformers)"""
    return made(tmp_path_factory.mktemp("lm"), request.param)


def compiled(path, bundle, *flags):
    """The report of a compilation."""
    report = bundle.with_suffix(".json")
    anetest.run("ane-compile", path, "-o", bundle, "--quiet", CONTEXT_FLAG, f"--prefill={SIZE}", f"--report={report}", "--json", *flags)
    return json.loads(report.read_text())


@pytest.mark.parametrize("partition", EVALUATIONS)
def test_partition(model, partition, tmp_path):
    path, tokens, logits = model
    bundle = tmp_path / "m.anebundle"
    report = compiled(path, bundle, f"--partition={partition}")
    for function in report["functions"]:
        # What picks the last row of a prompt is a product of two computed values.
        more = 1 if function["name"] != "decode" and partition.startswith("layer") else 0
        assert EVALUATIONS[partition] <= function["evaluations_per_inference"] <= EVALUATIONS[partition] + more, function
        assert function["weight_bytes"] > 0 and function["surface_bytes"] > 0
    marks = {op["constraint"] for op in report["ops"] if op["device"] == "cpu"}
    assert ("partition" in marks) == partition.startswith("layer")
    for device in ("cpu", "emulator"):
        session = anemone.load(bundle, device=device, function=f"prefill_{SIZE}").session()
        got = [prompted(session, SIZE, tokens[:13]), decoded(session.function("decode"), tokens[13:20], 13)]
        check(device, np.concatenate(got), logits[12:20])
        assert not session.events()


# Microseconds of an evaluation and GFLOP/s of the fastest product (docs/generated/targets.md has the sources), GB/s of weights (ANEMLL-Bench's table).
SPEEDS = {"h13": (190, 4300, 60.87), "h15g": (119, None, 120.22), "h16": (95, 5400, 64.18), "h17s": (63, 10200, 148.39)}


def test_predicted_times(tmp_path):
    """Of each function and chip; null where no source has a number, and of what runs on the CPU nothing."""
    path, *_ = made(tmp_path, "llama")
    report = compiled(path, tmp_path / "m.anebundle", "--target=m1,m3max,m4,m5pro", "--partition=chunks:3", "--host=none")
    assert len(report["functions"]) == 2
    for function in report["functions"]:
        assert list(function["predicted_ms"]) == list(SPEEDS)
        for chip, (dispatch, peak, stream) in SPEEDS.items():
            want = {"dispatch": function["evaluations_per_inference"] * dispatch / 1e3, "weights": function["weight_bytes"] / stream / 1e6,
                    "arithmetic": function["engine_flops"] / peak / 1e6 if peak else None}
            want["total"] = want["dispatch"] + max(want["weights"], want["arithmetic"]) if peak else None
            assert function["predicted_ms"][chip] == pytest.approx(want), chip
    text = anetest.run("ane-compile", path, "-o", tmp_path / "t.anebundle", CONTEXT_FLAG, "--prefill=16", "--target=m4", "--host=none", "--report").stdout
    assert re.search(r"decode: .* 1 evaluation per inference, .* of surfaces, by published speeds 0\.\d\d ms on h16\n", text), text[-600:]
    anetest.run("ane-compile", path, "-o", tmp_path / "u.anebundle", CONTEXT_FLAG, "--prefill=16", "--target=m3max", "--host=none", "--report=" + str(tmp_path / "u"))
    assert "published" not in (tmp_path / "u").read_text()


def deep(layers):
    """A module of layers whose softmax over 300 keys is spelled out in two parts that share maximum and sum, as decoders have it."""
    small, wide, one = "tensor<1x2x4x16xf32>", "tensor<1x2x4x300xf32>", "tensor<1x2x4x1xf32>"
    lines, x = [], "%x"
    for i in range(layers):
        for part in "ab":
            lines += [f"%s{part}{i} = ane.matmul {x}, %k{part} {{transpose_y = true}} : ({small}, tensor<1x2x300x16xf32>) -> {wide}",
                      f"%m{part}{i} = ane.reduce_max %s{part}{i} {{axes = array<i64: -1>, keep_dims = true}} : ({wide}) -> {one}"]
        lines += [f"%m{i} = ane.maximum %ma{i}, %mb{i} : {one}, {one}"]
        for part in "ab":
            lines += [f"%d{part}{i} = ane.sub %s{part}{i}, %m{i} : {wide}, {one}", f"%e{part}{i} = ane.exp %d{part}{i} : {wide}",
                      f"%t{part}{i} = ane.reduce_sum %e{part}{i} {{axes = array<i64: -1>, keep_dims = true}} : ({wide}) -> {one}"]
        lines += [f"%t{i} = ane.add %ta{i}, %tb{i} : {one}, {one}"]
        for part in "ab":
            lines += [f"%p{part}{i} = ane.real_div %e{part}{i}, %t{i} : {wide}, {one}",
                      f"%y{part}{i} = ane.matmul %p{part}{i}, %v{part} : ({wide}, tensor<1x2x300x16xf32>) -> {small}"]
        lines += [f"%x{i} = ane.add %ya{i}, %yb{i} : {small}, {small}"]
        x = f"%x{i}"
    arguments = ", ".join(f"%{name}: tensor<1x2x300x16xf32>" for name in ("ka", "kb", "va", "vb"))
    return f"func.func @main(%x: {small}, {arguments}) -> {small} {{\n" + "\n".join(lines) + f"\nreturn {x} : {small}\n}}\n"


@pytest.mark.parametrize("route, os, layers, programs", [("in_memory", 15, 24, 1), ("in_memory", 15, 25, 2), ("e5rt", 15, 50, 3), ("in_memory", 27, 3, 1)])
def test_layers_of_a_program(tmp_path, route, os, layers, programs):
    """Programs have at most 24 layers each, and as many; with macOS 27 softmaxes have columns of at most 256 (C114)."""
    (tmp_path / "m.mlir").write_text(deep(layers))
    text = anetest.run("ane-compile", tmp_path / "m.mlir", "--compile-to=partitioned", f"--route={route}", f"--os={os}", "--target=m4", "--procedures=never").stdout
    bodies = text.split("ane.program @")[1:]
    assert len(bodies) == programs
    found = [re.findall(r"ane.real_div %\S+, (%\S+)", body.split("func.func private")[0]) for body in bodies]
    counts = [len(set(sums)) for sums in found]
    assert sum(counts) == layers and max(counts) <= 24 and max(counts) - min(counts) <= 1, counts
    widths = {int(width) for width in re.findall(r"ane.exp .*?tensor<1x2x4x(\d+)xf16>", text)}
    assert widths == ({256, 44} if os == 27 else {300})
    assert not re.search(r"ane.host", text)


def test_wrong_partitions(tmp_path):
    for wrong in ("halves", "chunks:0", "chunks:", "chunks:99999999999999999999", ""):
        anetest.rejected("ane-compile", "m.gguf", "-o", tmp_path / "o", f"--partition={wrong}", says=["no partition", "chunks:N"], code=2)
    (tmp_path / "m.onnx").touch()
    anetest.rejected("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "o", "--head=argmax", says="and --head are for language models", code=2)


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    """(bundle whose head gives both, tokens, logits of transformers)"""
    folder = tmp_path_factory.mktemp("head")
    path, tokens, logits = made(folder, "llama")
    compiled(path, folder / "m.anebundle", "--head=logits,argmax")
    return folder / "m.anebundle", tokens, logits


def test_head(llama, tmp_path):
    """The token with the largest logit, beside the logits and alone."""
    bundle, tokens, logits = llama
    both = anemone.load(bundle, device="emulator", function="decode").session()
    compiled(bundle.parent / "llama", tmp_path / "m.anebundle", "--head=argmax")
    alone = anemone.load(tmp_path / "m.anebundle", device="emulator", function="decode")
    assert [output.name for output in alone.outputs] == ["argmax"]
    alone = alone.session()
    for at, token in enumerate(tokens):
        got = both(input_ids=ids([token]), position=ids(at))
        assert got["argmax"].shape == (1,) and got["argmax"][0] == got["logits"].argmax()
        assert alone(input_ids=ids([token]), position=ids(at))["argmax"][0] == got["argmax"][0]
    anetest.rejected("ane-compile", bundle.parent / "llama", "-o", tmp_path / "o", "--head=top", says=["no output 'top'", "argmax"], code=2)


@pytest.mark.parametrize("first, second", [("emulator", "cpu"), ("cpu", "emulator")])
def test_two_devices(llama, first, second):
    """A prompt on one device, its tokens on another; only what the prompt has written moves."""
    bundle, tokens, logits = llama
    prompt = anemone.load(bundle, device=first, function=f"prefill_{SIZE}").session()
    check(first, prompted(prompt, SIZE, tokens[:13]), logits[12:13])
    rest = anemone.load(bundle, device=second, function="decode").session()
    moved = rest.copy_states(prompt, 13)
    assert moved == sum(13 * state.shape[1] * state.shape[3] * 4 for state in rest.states.values()) > 0
    check("emulator", decoded(rest, tokens[13:], 13), logits[13:])
    assert rest.copy_states(rest) == rest.copy_states(rest.function("decode")) == 0
    with pytest.raises(anemone.RunError, match="0 or more"):
        rest.copy_states(prompt, -1)


def test_two_processes(llama, tmp_path):
    """The same through a file of states, whose layout the documentation gives (docs/language-models.md)."""
    bundle, tokens, logits = llama
    code = ("import sys, json; sys.path.insert(0, sys.argv[1]); import frontend, anemone, numpy as np\n"
            "tokens = np.array(json.loads(sys.argv[4]), np.int32)\n"
            "session = anemone.load(sys.argv[2], device='emulator', function='prefill_16').session()\n"
            "session(input_ids=np.pad(tokens, (0, 16 - len(tokens)))[None], position=np.array([0], np.int32), "
            "length=np.array([len(tokens)], np.int32))\n"
            "session.save(sys.argv[3])")
    saved = tmp_path / "prompt.states"
    subprocess.run([sys.executable, "-c", code, str(anetest.ROOT / "test" / "Python"), str(bundle), str(saved), json.dumps(tokens[:13].tolist())],
                   check=True, stdin=subprocess.DEVNULL, timeout=anetest.TIMEOUT)
    rest = anemone.load(bundle, device="cpu", function="decode").session()
    rest.restore(saved)
    check("emulator", decoded(rest, tokens[13:], 13), logits[13:])
    # Keys and values of each layer, [1, groups, context, width of a head], dense, one after the other behind the header.
    data = saved.read_bytes()[:-32]
    for name, state in reversed(list(rest.states.items())):
        values = np.frombuffer(data[-state.nbytes:], np.float32).reshape(state.shape)
        data = data[:-state.nbytes]
        assert state.shape == (1, 2, lmzoo.CONTEXT, 24) and np.array_equal(values[:, :, :13], state[:, :, :13]), name
    names = [f"cache.{kind}.{layer}" for layer in range(LAYERS) for kind in ("key", "value")]
    assert list(rest.states) == names and data.startswith(b"ANESTATE" + np.array([1, len(names)], np.uint32).tobytes())
