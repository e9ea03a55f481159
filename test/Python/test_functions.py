"""Several functions in one bundle: a prompt's run and those of single tokens on the states of one session, against ONNX Runtime
that is fed the caches by hand; weights that stand once; what is refused."""
import json

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import TensorProto, helper, numpy_helper

import anetest
import decoder
import fp16_oracle
import frontend  # finds the package
from test_states import feed

import anemone

PAST, PROMPT, TOKENS = 24, 7, 200  # the cache is full soon, and loses its oldest entries


# ---- a decoder: prefill and decode ------------------------------------------------


def generate(models, prompt, tokens=None):
    """Greedy tokens, or those given, and the logits at the last place of each run, by ONNX Runtime."""
    past = {i.name: np.zeros(i.shape, np.float32) for i in feed(models["decode"]).get_inputs() if i.name.startswith("past")}
    sessions = {name: feed(model) for name, model in models.items()}
    said, logits, index = list(prompt), [], 0
    for run in range(TOKENS):
        given = said[index:] if run == 0 else [tokens[run - 1] if tokens else said[-1]]
        session = sessions["prefill" if run == 0 else "decode"]
        names = [output.name for output in session.get_outputs()]
        result = dict(zip(names, session.run(names, {**decoder.step(PAST, index, *given), **past})))
        past = {name: result[name.replace("past_key_values", "present")][:, :, -PAST:] for name in past}
        index += len(given)
        logits.append(result["logits"][0, -1])
        said.append(int(logits[-1].argmax()))
    return said[len(prompt):], np.stack(logits)


@pytest.fixture(scope="module")
def decoded(tmp_path_factory):
    """(bundle, prompt, tokens, logits of ONNX Runtime, those of the fp16 oracle for the same tokens)"""
    models = {"prefill": decoder.build(PAST, PROMPT), "decode": decoder.build(PAST)}
    prompt = np.random.default_rng(2).integers(0, decoder.VOCABULARY, PROMPT).tolist()
    tokens, logits = generate(models, prompt)
    _, half = generate({name: fp16_oracle.build(model) for name, model in models.items()}, prompt, tokens)
    bundle = anemone.compile(models, tmp_path_factory.mktemp("decoder") / "m.anebundle", states="auto")
    return bundle, prompt, tokens, logits, half


def decode(session, prompt, tokens):
    """Logits of the bundle: the prompt by one function, each token by the other."""
    step = session.function("decode")
    logits = [session(**decoder.step(PAST, 0, *prompt))["logits"][0, -1]]
    for index, token in enumerate(tokens[:-1]):
        logits.append(step(**decoder.step(PAST, PROMPT + index, token))["logits"][0, -1])
    return np.stack(logits)


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_prompt_and_tokens(decoded, device):
    bundle, prompt, tokens, logits, half = decoded
    model = bundle.function("prefill", device=device)
    assert model.functions == ("prefill", "decode")
    session = model.session()
    got = decode(session, prompt, tokens)
    assert len(set(tokens)) > 5, "the model says one thing"
    if device == "cpu":
        anetest.check_cpu({"logits": got}, {"logits": logits})
        assert got.argmax(-1).tolist() == tokens
    else:
        anetest.check_engine({"logits": got}, {"logits": logits}, {"logits": half})
    assert not session.events()
    # Once more, from the start: the same bits.
    session.reset()
    assert decode(session, prompt, tokens).tobytes() == got.tobytes()


def test_states_go_from_function_to_function(decoded, tmp_path):
    """Through files, by ane-run, as in one session; a fork goes its own way."""
    bundle, prompt, tokens, _, _ = decoded
    session = bundle.function("prefill", device="cpu").session()
    session(**decoder.step(PAST, 0, *prompt))
    fork = session.fork()
    step = session.function("decode")
    inputs = decoder.step(PAST, PROMPT, tokens[0])
    want = step(**inputs)["logits"]
    assert fork.function("decode")(**inputs)["logits"].tobytes() == want.tobytes()
    assert step(**inputs)["logits"].tobytes() != want.tobytes()
    assert all(np.array_equal(session.states[name], step.states[name]) for name in session.states)

    anetest.run_bundle(bundle.path, decoder.step(PAST, 0, *prompt), [], tmp_path, "cpu", "--function=prefill",
                       f"--save-states={tmp_path / 'prompt.states'}")
    got = anetest.run_bundle(bundle.path, inputs, ["logits"], tmp_path, "cpu", "--function=decode",
                             f"--restore-states={tmp_path / 'prompt.states'}")
    assert got["logits"].tobytes() == want.tobytes()


def test_one_model_with_a_name_has_the_same_values(decoded, tmp_path):
    bundle, _, tokens, _, _ = decoded
    alone = anemone.compile({"decode": decoder.build(PAST)}, tmp_path / "m.anebundle", states="auto").load(device="emulator").session()
    both = bundle.function("decode", device="emulator").session()
    for index in range(3):
        inputs = decoder.step(PAST, index, tokens[index])
        assert alone(**inputs)["logits"].tobytes() == both(**inputs)["logits"].tobytes()


# ---- weights ----------------------------------------------------------------------

WIDTH = 256


def product(rows, seed=3):
    """y = relu(x w), its weights in a file of its own."""
    w = np.random.default_rng(seed).standard_normal((WIDTH, WIDTH)).astype(np.float32) / 16
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["xw"]), helper.make_node("Relu", ["xw"], ["y"])], "g",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, rows, WIDTH])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, rows, WIDTH])],
                              [numpy_helper.from_array(w, "w")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def weight_bytes(bundle):
    return sum(path.stat().st_size for path in (bundle.path / "weights").iterdir())


def test_weights_stand_once(tmp_path):
    """Though each model is a file of its own, of other shapes; other weights are others."""
    one = anemone.compile(product(128), tmp_path / "one")
    models = {f"rows{rows}": product(rows) for rows in (8, 64, 128, 200)}
    many = anemone.compile(models, tmp_path / "many")
    assert weight_bytes(many) <= 1.02 * weight_bytes(one)
    assert weight_bytes(anemone.compile({"a": product(64), "b": product(64, 4)}, tmp_path / "two")) > 1.9 * weight_bytes(one)
    for device in ("cpu", "emulator"):
        loaded = anemone.load(many, function="rows8", device=device)
        for name, model in models.items():
            function = loaded.function(name)
            x = np.random.default_rng(1).standard_normal(function.inputs[0].shape).astype(np.float32)
            want = anetest.reference(model, {"x": x})
            np.testing.assert_allclose(function(x)["y"], want["y"], rtol=0, atol=1e-5 if device == "cpu" else 5e-3)


# ---- flags ------------------------------------------------------------------------


def test_flags_are_for_one_function_or_all(tmp_path):
    """A dimension has a size for each function; a name that one of the models lacks is an error that says so."""
    path = tmp_path / "m.onnx"
    onnx.save(frontend.affine(), path)
    models = [f"few={path}", f"many={path}"]
    anetest.run("ane-compile", *models, "-o", tmp_path / "m", "--dim", "few:batch=2", "--dim", "many:batch=16", "--host=none")
    functions = json.loads((tmp_path / "m" / "manifest.json").read_text())["functions"]
    assert [function["name"] for function in functions] == ["few", "many"]
    anetest.run("ane-compile", *models, "-o", tmp_path / "m", "--dim", "batch=2", "--host=none")
    anetest.rejected("ane-compile", *models, "-o", tmp_path / "m", "--dim", "few:batch=2", says="dimension 'batch'")
    anetest.rejected("ane-compile", *models, "-o", tmp_path / "m", "--dim", "batch=2", "--dim", "few:batch=3", code=2,
                     says="dimension 'batch' is given as 2 and as 3")
    anetest.rejected("ane-compile", *models, "-o", tmp_path / "m", "--dim", "batch=2", "--states=auto",
                     says="no input and output of any model are called as exporters call states")


def test_states_that_contradict(tmp_path):
    for name, past in (("a", 8), ("b", 9)):
        onnx.save(decoder.build(past), tmp_path / f"{name}.onnx")
    done = anetest.rejected("ane-compile", f"a={tmp_path / 'a.onnx'}", f"b={tmp_path / 'b.onnx'}", "-o", tmp_path / "m", "--states=auto",
                            says=["state 'past_key_values.0.key', which functions 'a' and 'b' share", "tensor<1x2x8x16xf32>"])
    assert "b.onnx" in done.stderr and "note: the state of function 'a'" in done.stderr


def begun(length=8):
    """Functions of one cache: `begin` gives its first value and takes none, `go_on` adds to it. Reference: begin(x), go_on(z) gives
    relu(x) + z."""
    head = '<ir_version: 8, opset_import: ["": 17]> g '
    return {"begin": onnx.parser.parse_model(f"""{head} (float[1,{length},64] x) => (float[1,{length},64] y, float[1,{length},64] "present.0") {{
                "present.0" = Relu(x)  y = Neg(x) }}"""),
            "go_on": onnx.parser.parse_model(f"""{head} (float[1,8,64] z, float[1,8,64] "past_key_values.0")
                => (float[1,8,64] y, float[1,8,64] "present.0") {{ "present.0" = Add("past_key_values.0", z)  y = Identity("present.0") }}""")}


@pytest.mark.parametrize("device", ["cpu", "emulator"])
@pytest.mark.parametrize("states", ["auto", {"past_key_values.0": "present.0"}])
def test_a_function_that_only_writes_a_state(device, states, tmp_path):
    bundle = anemone.compile(begun(), tmp_path / "m.anebundle", states=states)
    assert not bundle.diagnostics
    session = anemone.load(bundle, device=device, function="begin").session()
    x, z = np.random.default_rng(1).standard_normal((2, 1, 8, 64)).astype(np.float32)
    for _ in range(2):  # from nothing each time
        assert list(session(x)) == ["y"]
        for steps in (1, 2):
            np.testing.assert_allclose(session.function("go_on")(z)["y"], np.maximum(x, 0) + steps * z, rtol=0, atol=1e-2)


def test_a_state_that_can_not_be_written(tmp_path):
    """What is called so is left with a warning; what was asked for is an error; a flag for one function is not for another."""
    bundle = anemone.compile(begun(4), tmp_path / "m.anebundle", states="auto")
    warning, = map(str, bundle.diagnostics)
    for part in ("function 'begin' does not write states of other functions", "its outputs present.0 stay outputs",
                 "'present.0' is tensor<1x4x64xf32>, and state 'past_key_values.0' of function 'go_on' is tensor<1x8x64xf32>",
                 "--dim FUNCTION:NAME=SIZE"):
        assert part in warning, warning
    assert [o.name for o in bundle.function("begin", device="cpu").outputs] == ["y", "present.0"]
    with pytest.raises(anemone.CompileError, match="does not write states of other functions"):
        anemone.compile(begun(4), states={"past_key_values.0": "present.0"})
    with pytest.raises(anemone.CompileError, match="--state past=present.0: no function has an input 'past'"):
        anemone.compile(begun(), states={"past": "present.0"})
    alone = anemone.compile(begun(), states={"go_on:past_key_values.0": "present.0"})
    assert not alone.diagnostics and [o.name for o in alone.function("begin", device="cpu").outputs] == ["y", "present.0"]


def test_the_gate_is_for_each_function(tmp_path):
    """A function that stays on the CPU is not hidden by one that does not."""
    path = tmp_path / "ids.onnx"
    onnx.save(frontend.parse("""<ir_version: 8, opset_import: ["": 17]>
        g (int64[64] k) => (int64[64] n) { n = Mul(k, k) }"""), path)
    onnx.save(product(128), tmp_path / "m.onnx")
    flags = ["-o", tmp_path / "m", "--host=none", "--require-engine=99"]
    anetest.run("ane-compile", f"a={tmp_path / 'm.onnx'}", *flags)
    anetest.rejected("ane-compile", f"a={tmp_path / 'm.onnx'}", f"b={path}", *flags, says="0.00 % of the FLOPs of function 'b' run on the engine")


@pytest.mark.parametrize("models, says", [
    ({}, "mapping of functions is empty"),
    ({"../a": "a.onnx"}, "expected a word as its name"),
    ({"a": "nowhere.onnx"}, "there is no file"),
    ({"a b": "nowhere.onnx"}, "expected a word as its name"),
])
def test_wrong_mappings(models, says, tmp_path):
    with pytest.raises(anemone.CompileError, match=says):
        anemone.compile(models, tmp_path / "m")
