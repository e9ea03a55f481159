"""A weight that is set at run time gives, bit for bit, what a bundle of the changed model gives; and the index of weights."""
import json
import re
import shutil
import threading

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import anetest
import bundlelib
import decoder
import frontend  # finds the package
import zoo

import anemone

RNG = np.random.default_rng(5)
DEVICES = ["cpu", "emulator"]
DECIDED = "its elements have decided how the model was compiled"


def index(bundle):
    """{name: weight} of the manifest."""
    return {weight["name"]: weight for weight in json.loads((bundle / "manifest.json").read_text())["weights"]}


def settable(bundle):
    """Shapes of the float weights that the bundle can show another value of, by name."""
    return {name: weight["shape"] for name, weight in index(bundle).items()
            if weight["dtype"] == "float32" and weight["stored"] and not any("fixed" in form for form in weight["stored"])}


def initializer(model, name):
    return next(tensor for tensor in model.graph.initializer if tensor.name == name)


def drawn(array):
    """Another value of the same kind."""
    return (array * RNG.uniform(0.5, 1.5, array.shape) + 0.01 * RNG.standard_normal(array.shape)).astype(array.dtype)


def changed_all(path, names, folder, draw):
    """({name: value}, path) of the model with other values of some weights."""
    model, values = onnx.load(path), {}
    for name in names:
        tensor = initializer(model, name)
        values[name] = draw(numpy_helper.to_array(tensor))
        tensor.CopyFrom(numpy_helper.from_array(values[name], name))
    folder.mkdir()
    onnx.save(model, folder / "changed.onnx")
    return values, folder / "changed.onnx"


def changed(path, name, folder, draw):
    """(value, path) of the model with another value of one weight."""
    values, other = changed_all(path, [name], folder, draw)
    return values[name], other


def same(got, want):
    return all(a.tobytes() == b.tobytes() for a, b in zip(got, want, strict=True))


def check(path, inputs, groups, folder, *options, draw=drawn):
    """Each of `groups`, a weight's name or those of several, by itself, on both devices."""
    bundle = folder / "m.anebundle"
    anetest.compile_model(path, bundle, *options)
    for number, group in enumerate(groups):
        names, place = [group] if isinstance(group, str) else group, folder / str(number)
        values, other = changed_all(path, names, place, draw)
        anetest.compile_model(other, place / "m.anebundle", *options)
        for device in DEVICES:
            with bundlelib.Bundle(bundle, device) as session, bundlelib.Bundle(place / "m.anebundle", device) as wanted:
                before = session(inputs)
                for name, value in values.items():
                    session.set_weight(name, value)
                want = wanted(inputs)
                assert not same(before, want), f"{group} changes nothing"
                assert same(session(inputs), want), f"{group} on {device}"
                assert not session.events()
        shutil.rmtree(place)


def small(folder, **more):
    """A product, a convolution's and a table's weights, one that is scaled, two that are joined; `more` take the place of some."""
    shapes = {"table": (50, 32), "product": (32, 48), "bias": (300,), "wide": (48, 300), "scaled": (300, 64), "left": (64, 16),
              "right": (64, 16), "taps": (32, 32, 3)}
    arrays = {name: RNG.standard_normal(shape).astype(np.float32) / 4 for name, shape in shapes.items()}
    arrays = {**arrays, "factor": np.float32(0.5) * np.ones(64, np.float32), **more}
    nodes = [helper.make_node("Gather", ["table", "ids"], ["a"]), helper.make_node("MatMul", ["a", "product"], ["b"]),
             helper.make_node("MatMul", ["b", "wide"], ["c"]), helper.make_node("Add", ["c", "bias"], ["d"]),
             helper.make_node("Tanh", ["d"], ["e"]), helper.make_node("Mul", ["scaled", "factor"], ["w"]),
             helper.make_node("MatMul", ["e", "w"], ["f"]), helper.make_node("Concat", ["left", "right"], ["j"], axis=1),
             helper.make_node("MatMul", ["f", "j"], ["g"]), helper.make_node("Transpose", ["g"], ["h"], perm=[0, 2, 1]),
             helper.make_node("Conv", ["h", "taps"], ["y"], pads=[1, 1])]
    graph = helper.make_graph(nodes, "small", [helper.make_tensor_value_info("ids", TensorProto.INT64, [1, 16])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 32, 16])],
                              [numpy_helper.from_array(array, name) for name, array in arrays.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "m.onnx")
    return folder / "m.onnx", {"ids": np.arange(16, dtype=np.int64)[None] * 3}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    anetest.compile_model(small(folder)[0], folder / "m.anebundle")
    return folder / "m.anebundle"


IDS = {"ids": np.arange(16, dtype=np.int64)[None] * 3}


def test_small(tmp_path):
    path, inputs = small(tmp_path)
    check(path, inputs, ["table", "product", "wide", "bias", "taps"], tmp_path)


@pytest.mark.parametrize("draw", [np.zeros_like, lambda old: np.full_like(old, 0.25), lambda old: old * np.float32(1e-4)],
                         ids=["zeros", "equal", "subnormal"])
def test_values_that_a_compiler_could_use(tmp_path, draw):
    path, inputs = small(tmp_path)
    check(path, inputs, ["product", "bias"], tmp_path, draw=draw)


def test_half_weights_of_the_cpu(tmp_path):
    path, inputs = small(tmp_path)
    check(path, inputs, ["product", "taps"], tmp_path, "--cpu-weights=fp16")


def test_programs_are_not_loaded_again(bundle):
    own = numpy_helper.to_array(initializer(onnx.load(bundle.parent / "m.onnx"), "product"))
    readers = {program for form in index(bundle)["product"]["stored"] for program in form["programs"]}
    model = anemone.load(bundle, device="emulator")
    model.set_weight("product", own)  # the first asks the device in which ways its programs take weights
    model(**IDS)
    before = anemone.counters()
    for _ in range(3):
        model.set_weight("product", drawn(own))
        model(**IDS)
    after = anemone.counters()
    assert readers and after["weight_updates"] == before["weight_updates"] + 3 * len(readers)
    assert after["compilations"] == before["compilations"]
    assert after["energy_nj"] is None and after["input_bytes"] > before["input_bytes"]
    (step,) = [step for step in model.profile() if step["kind"] == "program"]
    assert step["evaluations"] == 4 and step["energy_nj"] is None and step["output_bytes"] > 0 and step["weight_bytes"] > 0


def test_several_and_again(bundle):
    """The last value of each counts; the model's own one brings back its outputs."""
    model = onnx.load(bundle.parent / "m.onnx")
    own = {name: numpy_helper.to_array(initializer(model, name)) for name in ("product", "wide")}
    for device in DEVICES:
        with bundlelib.Bundle(bundle, device) as session:
            before = session(IDS)
            for name in own:
                session.set_weight(name, drawn(own[name]))
            assert not same(session(IDS), before)
            for name in own:
                session.set_weight(name, drawn(own[name]))
                session.set_weight(name, own[name])
            assert same(session(IDS), before)


@pytest.mark.parametrize("name,shape,reason", [
    ("scaled", (300, 64), "is fixed: computed by .*mul"), ("left", (64, 16), "is fixed: computed by .*concat"),
    ("product", (32, 47), "has 6016 bytes, expected float32.32,48. of 6144"), ("factor", (64,), "no weight \"factor\"; it has 8"),
    ("nothing", (1,), "no weight \"nothing\"")])
def test_refusals_name_the_reason(bundle, name, shape, reason):
    for device in DEVICES:
        with bundlelib.Bundle(bundle, device) as session:
            before = session(IDS)
            with pytest.raises(bundlelib.RunError, match=reason):
                session.set_weight(name, np.ones(shape, np.float32))
            assert same(session(IDS), before)


@pytest.mark.parametrize("value", [65520, np.inf, np.nan])
def test_values_beyond_half_are_refused(bundle, value):
    """A bundle of such a model runs what reads them elsewhere."""
    array = np.ones((32, 48), np.float32)
    array[3, 5] = value
    with bundlelib.Bundle(bundle, "cpu") as session:
        with pytest.raises(bundlelib.RunError, match="weight product: cannot be set: .* not finite in float16"):
            session.set_weight("product", array)


def test_weights_that_decided_are_refused(tmp_path):
    """An element beyond fp16 sends an op to the CPU, indices that are known are checked, equal weights become one."""
    equal = np.ones((64, 16), np.float32)
    path, _ = small(tmp_path, left=equal, right=equal)
    model = onnx.load(path)
    loud = np.ones((1, 512, 16), np.float32)
    loud[0, 1, 1] = 1e5
    arrays = {"loud": loud, "places": np.arange(0, 32, dtype=np.int64).repeat(16)}
    model.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in arrays.items())
    model.graph.node.append(helper.make_node("Gather", ["y", "places"], ["y.places"], axis=1))
    model.graph.node.append(helper.make_node("Add", ["y.places", "loud"], ["z"]))
    model.graph.output.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, [1, 512, 16]))
    onnx.save(model, path)
    anetest.compile_model(path, tmp_path / "m.anebundle")
    with bundlelib.Bundle(tmp_path / "m.anebundle", "cpu") as session:
        for name, array, reason in [("loud", np.ones_like(loud), DECIDED), ("places", np.zeros(512, np.int64), DECIDED),
                                    ("left", equal, "the same bytes are weight right")]:
            with pytest.raises(bundlelib.RunError, match=reason):
                session.set_weight(name, array)


def test_tables_of_positions_are_refused(tmp_path):
    """The compiler has seen that each half of a row equals the other, and keeps one."""
    g = decoder.Graph(3)
    angles = np.tile(np.outer(np.arange(32), 0.5 ** np.arange(decoder.SIZE // 2)), 2).astype(np.float32)
    g.rotate("x", g.constant(np.cos(angles)), g.constant(np.sin(angles)))
    graph = helper.make_graph(g.nodes, "rope", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4, 32, decoder.SIZE])],
                              [helper.make_tensor_value_info(g.nodes[-1].output[0], TensorProto.FLOAT, None)], g.initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    anetest.compile_model(tmp_path / "m.onnx", tmp_path / "m.anebundle")
    assert set(index(tmp_path / "m.anebundle")) == {"c0", "c1"} and not settable(tmp_path / "m.anebundle")


def test_index(bundle):
    """Each form is where the index says, with that hash; each is read by somebody who is there."""
    weights, manifest = index(bundle), json.loads((bundle / "manifest.json").read_text())
    assert set(weights) == {"table", "product", "bias", "wide", "scaled", "left", "right", "taps"}
    assert set(settable(bundle)) == {"table", "product", "bias", "wide", "taps"}
    programs = {program["name"]: program["weights"] for program in manifest["programs"]}
    functions = {function["name"] for function in manifest["host_functions"]}
    for name, weight in weights.items():
        array = numpy_helper.to_array(initializer(onnx.load(bundle.parent / "m.onnx"), name))
        assert (weight["dtype"], weight["shape"], weight["encoding"]) == ("float32", list(array.shape), "dense")
        assert weight["stored"], name
        for form in weight["stored"]:
            data = (bundle / form["file"]).read_bytes()[form["offset"]:][:form["bytes"]]
            assert anetest.xxh128(data) == form["xxh128"]
            assert all(form["file"] in programs[program] for program in form["programs"])
            assert set(form["host_functions"]) <= functions and (form["programs"] or form["host_functions"])
    # The table's bytes stand somewhere as they are.
    table = numpy_helper.to_array(initializer(onnx.load(bundle.parent / "m.onnx"), "table"))
    assert anetest.xxh128(table.tobytes()) in {form["xxh128"] for form in weights["table"]["stored"]}


#===-- Python -------------------------------------------------------------===#


def test_python(bundle):
    value = RNG.standard_normal((32, 48)).astype(np.float32) / 4
    with anemone.load(bundle, device="emulator") as model, anemone.load(bundle, device="emulator") as other:
        assert "product: float32[32, 48]" in map(str, model.weights)
        before, old = model(**IDS)["y"], model.session()
        model.set_weight("product", value)
        after = model(**IDS)["y"]
        assert not np.array_equal(before, after)
        np.testing.assert_array_equal(other(**IDS)["y"], before)
        np.testing.assert_array_equal(old(**IDS)["y"], before)
        np.testing.assert_array_equal(model.session()(**IDS)["y"], after)
        old.set_weight("product", value.tolist())
        np.testing.assert_array_equal(old(**IDS)["y"], after)
        for name, wrong, text in [("product", value.astype(np.float64), "weight 'product': has dtype float64"),
                                  ("product", value.T, "weight 'product': has shape"), ("none", value, "no weight 'none'"),
                                  ("scaled", np.zeros((300, 64), np.float32), "weight scaled: cannot be set")]:
            with pytest.raises(anemone.RunError, match=text):
                model.set_weight(name, wrong)
        np.testing.assert_array_equal(model(**IDS)["y"], after)


def test_python_small_weights(tmp_path):
    """The error for a weight of less than 1 KiB says what makes it one that can be set."""
    arrays = {"w": RNG.standard_normal((64, 64)).astype(np.float32) / 8, "b": np.ones(64, np.float32)}
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["p"]), helper.make_node("Add", ["p", "b"], ["y"])], "g",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 64])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4, 64])],
                              [numpy_helper.from_array(array, name) for name, array in arrays.items()])
    source = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    x, b = RNG.standard_normal((4, 64)).astype(np.float32), np.arange(64, dtype=np.float32)
    with anemone.load(anemone.compile(source, tmp_path / "plain.anebundle"), device="cpu") as model:
        with pytest.raises(anemone.RunError, match="no weight 'b'; the bundle has 1,.*remedy: .*less than 1 KiB") as error:
            model.set_weight("b", b)
    options = re.search(r"options=\['(.*)'\]", str(error.value))[1]
    with anemone.load(anemone.compile(source, tmp_path / "named.anebundle", options=[options]), device="cpu") as model:
        model.set_weight("b", b)
        np.testing.assert_allclose(model(x)["y"], x @ arrays["w"] + b, rtol=0, atol=1e-4)


def test_python_threads(bundle):
    """Calls that overlap have sessions of their own, with the same weights."""
    with anemone.load(bundle, device="cpu") as model:
        model.set_weight("product", np.full((32, 48), 0.1, np.float32))
        want, got = model(**IDS)["y"], []
        threads = [threading.Thread(target=lambda: got.append(model(**IDS)["y"])) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(got) == 4 and all(np.array_equal(want, y) for y in got)


@pytest.mark.parametrize("device", DEVICES)
def test_forks_take_weights_along(tmp_path, device):
    """And a reset leaves them; parent and fork are independent from then on."""
    onnx.save(decoder.build(31), tmp_path / "m.onnx")
    anetest.compile_model(tmp_path / "m.onnx", tmp_path / "m.anebundle", "--states=auto")
    name, shape = next((name, shape) for name, shape in settable(tmp_path / "m.anebundle").items()
                       if shape == [decoder.WIDTH, decoder.VOCABULARY])
    step = decoder.step(31, 0, 5)
    with anemone.load(tmp_path / "m.anebundle", device=device) as model:
        plain = model.session()(**step)["logits"]
        session = model.session()
        session.set_weight(name, np.full(shape, 0.125, np.float32))
        changed_logits = session(**step)["logits"]
        assert not np.array_equal(changed_logits, plain)
        session.reset()
        fork = session.fork()
        session.set_weight(name, np.full(shape, 0.5, np.float32))
        assert not np.array_equal(session(**step)["logits"], changed_logits)
        np.testing.assert_array_equal(fork(**step)["logits"], changed_logits)


def test_functions_share_weights(bundle, tmp_path):
    """A weight of two functions has one name; one that is another in each has the function's before it."""
    path = bundle.parent / "m.onnx"
    value, other = changed(path, "wide", tmp_path / "other", drawn)
    made = anemone.compile({"one": str(path), "two": str(path), "three": str(other)}, tmp_path / "m.anebundle")
    names = index(tmp_path / "m.anebundle")
    assert "product" in names and {"one:wide", "two:wide", "three:wide"} <= set(names) and "wide" not in names
    with made.function("one") as model:
        session = model.session()
        before = session.function("three")(**IDS)["y"]
        session.set_weight("product", RNG.standard_normal((32, 48)).astype(np.float32))
        after = session(**IDS)["y"]
        np.testing.assert_array_equal(session.function("two")(**IDS)["y"], after)
        assert not np.array_equal(session.function("three")(**IDS)["y"], before)
        with pytest.raises(anemone.RunError, match="the same bytes are weight two:wide"):
            session.set_weight("one:wide", value)


#===-- whole models -------------------------------------------------------===#


MINILM = ["--dim", "batch_size=1", "--dim", "sequence_length=32"]


def test_minilm(minilm, tmp_path):
    """The table of words, which is the largest weight, and a matrix."""
    inputs = anetest.tokenize(anetest.SENTENCES[0], 32)
    anetest.compile_model(minilm, tmp_path / "first.anebundle", *MINILM)
    shapes = settable(tmp_path / "first.anebundle")
    largest = max(shapes, key=lambda name: np.prod(shapes[name]))
    matrix = next(name for name, shape in shapes.items() if shape == [1536, 384] or shape == [384, 1536])
    check(minilm, inputs, [largest, matrix], tmp_path, *MINILM)


@pytest.mark.slow
def test_every_weight_of_minilm(minilm, tmp_path):
    """Each by itself, and all of them."""
    anetest.compile_model(minilm, tmp_path / "first.anebundle", *MINILM)
    names = list(settable(tmp_path / "first.anebundle"))
    print(f"{len(names)} weights of {len(index(tmp_path / 'first.anebundle'))}")
    assert len(names) > 40
    check(minilm, anetest.tokenize(anetest.SENTENCES[0], 32), [*names, names], tmp_path, *MINILM)


@pytest.mark.slow
def test_resnet50(tmp_path):
    """A convolution and the classifier by themselves; all in groups of ten."""
    made = zoo.ensure("resnet50")
    if not made:
        pytest.skip("resnet50 is not there, and there is no .venv-models to make it with (scripts/setup.sh --models)")
    path, inputs = made
    options = ["--target=m4", *zoo.options("resnet50", inputs)]
    anetest.compile_model(path, tmp_path / "first.anebundle", *options)
    shapes = settable(tmp_path / "first.anebundle")
    names = list(shapes)
    print(f"{len(names)} weights of {len(index(tmp_path / 'first.anebundle'))}")
    single = [next(name for name, shape in shapes.items() if len(shape) == rank) for rank in (4, 2)]
    assert sum(len(shape) == 4 for shape in shapes.values()) > 40
    check(path, zoo.given("resnet50", inputs), [*single, *(names[i:i + 10] for i in range(0, len(names), 10))], tmp_path, *options)


# ---- facts, and what is to be changed -------------------------------------------------


def two_products(folder):
    """x a + x b, with an infinity in b, and c, which is computed with."""
    rng = np.random.default_rng(8)
    a, b, c = (rng.standard_normal((32, 32)).astype(np.float32) for _ in range(3))
    b[3, 4] = np.inf
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["": 17]> g (float[4,32] x) => (float[4,32] y, float[4,32] z, float[4,32] u)
        <float two = {2}> { y = MatMul(x, a)  z = MatMul(x, b)  d = Mul(c, two)  u = MatMul(x, d) }""")
    model.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in (("a", a), ("b", b), ("c", c)))
    onnx.save(model, folder / "m.onnx")
    return folder / "m.onnx", a, c


def test_facts(tmp_path):
    """The range of a weight's elements stands in the index, where all are numbers."""
    path, a, c = two_products(tmp_path)
    anetest.run("ane-compile", path, "-o", tmp_path / "m", "--quiet", "--host=none")
    ranges = {name: weight.get("range") for name, weight in index(tmp_path / "m").items()}
    assert ranges == {name: [float(array.min()), float(array.max())] for name, array in (("a", a), ("c", c))} | {"b": None}


def test_trainable(tmp_path):
    """Named weights are marked in the index; one that could not be set later is an error now."""
    path, *_ = two_products(tmp_path)
    compile = ["ane-compile", path, "-o", tmp_path / "m", "--quiet"]
    anetest.run(*compile, "--trainable=a")
    assert {name for name, weight in index(tmp_path / "m").items() if weight.get("trainable")} == {"a"}
    anetest.rejected(*compile, "--trainable=c", says="weight 'c' can't have another value later: ")
    # It has an infinity, which keeps its product from the engine.
    anetest.rejected(*compile, "--trainable=b", says="its elements have decided how the model was compiled")
    anetest.rejected(*compile, "--trainable=w*", says="no initializer of floats is called so")
    anetest.rejected(*compile, "--trainable=[", says=["error: --trainable=[: ", "remedy"], code=2)
