"""ane-mil-diff on variants of programs: what changed is known from how each was made, in texts, packages, compiled models and bundles."""
import json
import os
import resource
import shutil
from pathlib import Path

import coremltools
import numpy as np
import onnx
import pytest
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.mil import types

import anetest
import milvariants
import models
from coremltools_text import program_text
from milvariants import Text

SHAPE = (1, 8, 16, 32)
ORION = Path(os.environ.get("ANE_MIL_CORPUS", anetest.ROOT.parent / "shared" / "mil-corpus")) / "mechramc-Orion"
needs_corpus = pytest.mark.skipif(not ORION.is_dir(), reason="the MIL corpus is not here")


def diff(a, b, *options):
    """The exit code and the report."""
    done = anetest.run("ane-mil-diff", a, b, "--json", *options, check=False)
    assert done.returncode in (0, 1), done.stderr
    report = json.loads(done.stdout)
    assert report["equal"] == (done.returncode == 0)
    return report


def differences(report):
    return [difference for program in report["programs"] for function in program["functions"] for difference in function["differences"]]


def equal(a, b, *options):
    report = diff(a, b, *options)
    assert report["equal"] and not differences(report), json.dumps(report, indent=1)


def constant(*shape):
    return (np.random.default_rng(sum(shape)).standard_normal(shape) * 0.2).astype(np.float32)


def convolution(x):
    x = mb.conv(x=x, weight=constant(16, 8, 3, 3), bias=constant(16), pad_type="same", strides=[1, 1])
    x = mb.max_pool(x=mb.gelu(x=x, mode="TANH_APPROXIMATION"), kernel_sizes=[2, 2], strides=[2, 2], pad_type="valid")
    return mb.sub(x=mb.sigmoid(x=x), y=mb.relu(x=x))


def attention(x):
    scores = mb.softmax(x=mb.mul(x=mb.matmul(x=mb.tanh(x=x), y=x, transpose_y=True), y=0.2), axis=-1)
    x = mb.layer_norm(x=mb.matmul(x=scores, y=x), axes=[-1], gamma=constant(32), beta=constant(32), epsilon=1e-4)
    return mb.linear(x=x, weight=constant(64, 32), bias=constant(64)), mb.concat(values=[x, scores], axis=3)


def packaged(make, target, path, precision=coremltools.precision.FLOAT16):
    """coremltools' package of a program that takes fp32 of SHAPE. -> its text"""
    @mb.program(input_specs=[mb.TensorSpec(shape=SHAPE, dtype=types.fp32)], opset_version=target)
    def program(x):
        return make(x)

    model = coremltools.convert(program, convert_to="mlprogram", minimum_deployment_target=target, compute_precision=precision, skip_model_load=True)
    model.save(str(path))
    return program_text(model.get_spec().mlProgram)


def compiled_form(package, text, folder):
    """What a compiled model is: the text and the weights."""
    folder.mkdir()
    weights = package / "Data" / "com.apple.CoreML" / "weights"
    if weights.is_dir():
        shutil.copytree(weights, folder / "weights")
    (folder / "model.mil").write_text(text)
    return folder


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """{name: (package, folder of a compiled model)}, text and package of coremltools."""
    made = {}
    for make, target in ((convolution, coremltools.target.iOS16), (attention, coremltools.target.iOS17)):
        folder = tmp_path_factory.mktemp(make.__name__)
        text = packaged(make, target, folder / "m.mlpackage")
        made[make.__name__] = folder / "m.mlpackage", compiled_form(folder / "m.mlpackage", text, folder / "m.mlmodelc")
    return made


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    """{name: bundle} of our compiler."""
    made = {}
    for name, model in (("encoder", models.encoder(3)), ("decoder", models.decoder(3))):
        folder = tmp_path_factory.mktemp(name)
        onnx.save(model.model, folder / "m.onnx")
        anetest.run("ane-compile", folder / "m.onnx", "-o", folder / "m.anebundle", "--quiet", "--host=none")
        made[name] = folder / "m.anebundle"
    return made


@pytest.fixture(params=["convolution", "attention", "encoder", "decoder"])
def source(request, packages, bundles, tmp_path):
    """A folder with a text, that is a writable copy, and the text's place in it."""
    name = request.param
    original, text = (packages[name][1], "model.mil") if name in packages else (bundles[name], "programs/main_0.mil")
    shutil.copytree(original, tmp_path / "copy")
    return original / text, tmp_path / "copy" / text


def folder_of(text):
    """What @model_path stands for."""
    return text.parent.parent if text.parent.name == "programs" else text.parent


def changed(path, change, seed, *more):
    """Rewrites the text; what `change` says of it."""
    text = Text(path.read_text())
    said = change(text, np.random.default_rng(seed), *more)
    path.write_text(str(text))
    return said


def test_a_program_is_itself(source):
    equal(*source)


@pytest.mark.parametrize("change", milvariants.EQUAL, ids=lambda f: f.__name__)
def test_what_does_not_count(source, change):
    original, copy = source
    for seed in range(3):
        shutil.copyfile(original, copy)
        changed(copy, change, seed)
        assert copy.read_text() != original.read_text()
        equal(original, copy)
        equal(copy, original)


def test_all_that_does_not_count(source):
    original, copy = source
    for seed, change in enumerate([milvariants.reordered, milvariants.renamed, milvariants.unread_constant, milvariants.short_scalars]):
        changed(copy, change, seed)
    equal(original, copy)


def test_weights_may_be_literals(source):
    original, copy = source
    text = Text(copy.read_text())
    assert milvariants.literal_weights(text, folder_of(copy))
    copy.write_text(str(text))
    equal(original, copy)
    equal(original, copy, "--ignore-weights")


def only(report):
    found = differences(report)
    assert len(found) == 1, json.dumps(report, indent=1)
    return found[0]


@pytest.mark.parametrize("change", [milvariants.extra, milvariants.dead], ids=lambda f: f.__name__)
@pytest.mark.parametrize("seed", range(4))
def test_an_extra_statement(source, change, seed):
    """And nothing that comes of it."""
    original, copy = source
    op = changed(copy, change, seed)
    found = only(diff(original, copy))
    assert (found["kind"], found["a"], found["b"]["op"], found["changes"]) == ("statement", None, op, [])
    assert found["b"]["name"] == "between" and "between" in copy.read_text().splitlines()[found["b"]["line"] - 1]
    found = only(diff(copy, original))
    assert (found["a"]["op"], found["b"]) == (op, None)


@pytest.mark.parametrize("seed", range(4))
def test_another_operation(source, seed):
    original, copy = source
    op = changed(copy, milvariants.other_op, seed)
    found = only(diff(original, copy))
    assert [(c["what"], c["a"], c["b"]) for c in found["changes"]] == [("op", op.removesuffix("_like"), op)]


@pytest.mark.parametrize("seed", range(4))
def test_another_argument(source, seed):
    original, copy = source
    op = changed(copy, milvariants.other_number, seed)
    assert op
    found = only(diff(original, copy))
    assert [(c["what"], found["a"]["op"]) for c in found["changes"]] == [("argument", op)]
    assert not diff(original, copy, "--ignore-weights")["equal"]


@pytest.mark.parametrize("seed", range(4))
def test_swapped_operands(source, seed):
    original, copy = source
    op = changed(copy, milvariants.swapped, seed)
    assert op
    found = only(diff(original, copy, "--any-operand-order"))
    assert found["a"]["op"] == op
    assert [(c["what"], c["name"]) for c in found["changes"]] == [("operand", "x"), ("operand", "y")]
    (x, y) = found["changes"]
    assert (x["a"], x["b"]) == (y["b"], y["a"])


@pytest.mark.parametrize("seed", range(4))
def test_another_weight(source, seed):
    """The statements that read it, the element, and both values."""
    original, copy = source
    name, place, before, after = changed(copy, milvariants.other_weight, seed, folder_of(copy))
    report = diff(original, copy)
    found = differences(report)
    assert len(found) == len(Text(copy.read_text()).users(name)) > 0
    for difference in found:
        (change,) = difference["changes"]
        values = change["values"]
        assert change["what"] == "weight" and values["differing"] == 1
        assert (tuple(values["place"]), values["a"], values["b"]) == (place, before, after)
        assert values["largest"] == abs(after - before)
    equal(original, copy, "--ignore-weights")


def test_several_changes(source):
    """Each is told once, however much follows from it."""
    original, copy = source
    weight = changed(copy, milvariants.other_weight, 1, folder_of(copy))[0]
    users = len(Text(copy.read_text()).users(weight))
    changed(copy, milvariants.dead, 2)
    changed(copy, milvariants.renamed, 3)
    changed(copy, milvariants.reordered, 4)
    found = differences(diff(original, copy))
    assert len(found) == users + 1
    assert sorted(difference["a"] is None for difference in found) == [False] * users + [True]


@pytest.mark.parametrize("name", ["convolution", "attention"])
def test_package_and_compiled_model(packages, name):
    """The text is written by coremltools' reader of the package."""
    package, compiled = packages[name]
    equal(package, compiled)
    equal(compiled / "model.mil", package)
    other = packages["attention" if name == "convolution" else "convolution"][0]
    assert not diff(package, other)["equal"]


def test_precisions(tmp_path):
    """The package in fp32 has the statements of that in fp16 but for casts, and weights that are not rounded."""
    for make, target in ((convolution, coremltools.target.iOS15), (attention, coremltools.target.iOS15)):
        half, single = tmp_path / f"{make.__name__}16.mlpackage", tmp_path / f"{make.__name__}32.mlpackage"
        packaged(make, target, half)
        packaged(make, target, single, coremltools.precision.FLOAT32)
        assert not diff(half, single)["equal"]
        equal(half, single, "--ignore-types")


def test_bundles(bundles, tmp_path):
    copy = tmp_path / "m.anebundle"
    shutil.copytree(bundles["encoder"], copy)
    equal(bundles["encoder"], copy)
    assert not diff(bundles["encoder"], bundles["decoder"])["equal"]
    shutil.copyfile(copy / "programs" / "main_0.mil", copy / "programs" / "more.mil")
    report = diff(bundles["encoder"], copy)
    assert [(p["name"], p["only_in"], p["equal"]) for p in report["programs"]] == [("main_0", None, True), ("more", "b", False)]
    changed(copy / "programs" / "main_0.mil", milvariants.dead, 1)
    report = diff(copy, bundles["encoder"])
    assert [(p["name"], p["only_in"], p["equal"]) for p in report["programs"]] == [("main_0", None, False), ("more", "a", False)]


# Programs of another project's frontends, each for a part of a transformer.
FRONTENDS = ["classifier_fwd", "ffn_bwd", "fwd_attn", "fwd_ffn", "gpt2_decode_ffn", "gpt2_decode_proj", "gpt2_final_ln", "gpt2_prefill_attn",
             "gpt2_prefill_ffn", "qkv_bwd", "sdpa_bwd1", "sdpa_bwd2", "vocab_softmax"]


@needs_corpus
@pytest.mark.parametrize("name", FRONTENDS)
def test_programs_of_others(name, tmp_path):
    """Each reads, is itself in the other spelling, and no other."""
    text = ORION / f"fe_{name}_tiny" / "model.mil"
    (copy,) = texts(tmp_path, text.read_text().replace("fp16(", "tensor<fp16, []>(").replace("int32(", "tensor<int32, []>("))
    equal(text, copy, "--weights-b", text.parent)
    other = ORION / f"fe_{FRONTENDS[FRONTENDS.index(name) - 1]}_tiny" / "model.mil"
    assert not diff(text, other)["equal"]


@needs_corpus
def test_what_the_compiler_makes_of_a_hand_written_program(tmp_path):
    """The classifier: the same but for the cast of its result, which is the runtime's."""
    text = ORION / "fe_classifier_fwd_tiny" / "model.mil"
    anetest.run("ane-compile", text, "-o", tmp_path / "m.anebundle", "--quiet", "--host=none", "--target=m4")
    found = only(diff(text, tmp_path / "m.anebundle"))
    assert (found["a"]["op"], found["b"]) == ("cast", None)
    equal(text, tmp_path / "m.anebundle", "--ignore-types")


def program(body, inputs="tensor<fp16, [1, 64]> a, tensor<fp16, [1, 64]> b", outputs="y"):
    return f"program(1.0)\n{{\n  func main<ios18>({inputs}) {{\n{body}\n  }} -> ({outputs});\n}}\n"


def texts(tmp_path, *programs):
    paths = []
    for number, text in enumerate(programs):
        paths.append(tmp_path / f"p{number}.mil")
        paths[-1].write_text(text)
    return paths


Y = 'tensor<fp16, [1, 64]> {} = {}[name = string("n")];'


def line(name, call):
    return Y.format(name, call)


def test_inputs_and_outputs_by_name_or_position(tmp_path):
    body = "\n".join([line("y", "sub(x = a, y = b)"), line("z", "relu(x = y)")])
    plain, turned, fresh, outputs, both = texts(
        tmp_path, program(body, outputs="y, z"), program(body, "tensor<fp16, [1, 64]> b, tensor<fp16, [1, 64]> a", "y, z"),
        program(body.replace("= a", "= c"), "tensor<fp16, [1, 64]> c, tensor<fp16, [1, 64]> b", "y, z"), program(body, outputs="z, y"),
        program(body.replace("x = a", "x = d").replace("= b", "= c"), "tensor<fp16, [1, 64]> c, tensor<fp16, [1, 64]> d", "y, z"))
    equal(plain, turned)
    equal(plain, outputs)
    report = diff(plain, fresh)
    assert report["equal"] and "other names" in str(report["programs"][0]["functions"][0]["notes"])
    assert [c["what"] for c in only(diff(plain, both))["changes"]] == ["operand", "operand"]


def test_types_of_inputs(tmp_path):
    """What follows from the type of an input is not told."""
    half = program(line("y", "relu(x = a)"))
    a, b = texts(tmp_path, half, half.replace("fp16", "fp32"))
    found = differences(diff(a, b))
    assert [difference["kind"] for difference in found] == ["input", "input"]
    assert found[0]["changes"] == [{"what": "type", "name": "a", "a": "tensor<fp16, [1, 64]>", "b": "tensor<fp32, [1, 64]>"}]
    equal(a, b, "--ignore-types")
    fewer, = texts(tmp_path / "..", program(line("y", "relu(x = a)"), "tensor<fp16, [1, 64]> a"))
    found = only(diff(a, fewer))
    assert (found["kind"], found["a"]["name"], found["b"]) == ("input", "b", None)


def test_another_output(tmp_path):
    body = "\n".join([line("y", "relu(x = a)"), line("z", "relu(x = b)")])
    a, b, more = texts(tmp_path, program(body, outputs="y"), program(body, outputs="z"), program(body, outputs="y, z"))
    found = only(diff(a, b))
    assert (found["kind"], found["changes"][0]["a"], found["changes"][0]["b"]) == ("output", "y (relu)", "z (relu)")
    found = only(diff(a, more))
    assert (found["kind"], found["a"], found["b"]["name"]) == ("output", None, "z")


def test_how_often_counts(tmp_path):
    """What is computed twice is another program, though it gives the same."""
    a, b = texts(tmp_path, program("\n".join([line("p", "relu(x = a)"), line("y", "add(x = p, y = p)")])),
                 program("\n".join([line("p", "relu(x = a)"), line("q", "relu(x = a)"), line("y", "add(x = p, y = q)")])))
    assert only(diff(a, b))["a"] is None


def test_commutative_operands(tmp_path):
    for op, free in (("add", True), ("mul", True), ("maximum", True), ("sub", False), ("real_div", False)):
        a, b = texts(tmp_path, program(line("y", f"{op}(x = a, y = b)")), program(line("y", f"{op}(x = b, y = a)")))
        assert not diff(a, b)["equal"]
        assert diff(a, b, "--any-operand-order")["equal"] == free, op


def test_a_missing_argument_is_told(tmp_path):
    a, b = texts(tmp_path, program(line("y", "matmul(x = a, y = b)")), program(line("y", "matmul(x = a, y = b, transpose_x = false)")))
    (change,) = only(diff(a, b))["changes"]
    assert (change["what"], change["name"], change["a"], change["b"]) == ("argument", "transpose_x", None, "false")


def test_order_of_reads_and_writes_of_a_state(tmp_path):
    state = "state<tensor<fp16, [1, 64]>> s, tensor<fp16, [1, 64]> a"
    read, write = line("y", "read_state(input = s)"), "write_state(input = s, data = a)[name = string(\"w\")];"
    first, last, other = texts(tmp_path, program(f"{read}\n{write}", state), program(f"{write}\n{read}", state),
                               program(f"{read}\n{line('z', 'relu(x = a)')}\n{write.replace('data = a', 'data = z')}", state))
    found = only(diff(first, last))
    assert found["a"]["op"] == "read_state" and [c["what"] for c in found["changes"]] == ["operand"]
    equal(first, first)
    assert "relu" in str(differences(diff(first, other)))


def test_values_of_narrow_types(tmp_path):
    """Elements of less than a byte, whole numbers, infinities and zeros of both signs."""
    for kind, a, b, largest in (("int4", "[-8, 7, 3]", "[-8, 6, 3]", 1), ("uint6", "[1, 63, 2]", "[1, 0, 2]", 63),
                                ("int8", "[1, 2, 3]", "[1, -126, 3]", 128), ("fp16", "[1.0, 0.0, 2.0]", "[1.0, -0.0, 2.0]", 0),
                                ("fp32", "[1.0, 2.0, 3.0]", "[1.0, inf, 3.0]", "inf")):
        paths = texts(tmp_path, *(program(line("y", f"op(x = a, w = tensor<{kind}, [3]>({v}))")) for v in (a, b)))
        (change,) = only(diff(*paths))["changes"]
        assert (change["values"]["differing"], change["values"]["place"], change["values"]["largest"]) == (1, [1], largest), kind


def long_program(count, seed):
    rng = np.random.default_rng(seed)
    lines, names = [], ["a", "b"]
    for number in range(count):
        x, y = (names[-1 - int(rng.integers(min(len(names), 40)))] for _ in "xy")
        op = ("add", "mul", "sub", "maximum")[rng.integers(4)]
        lines.append(line(f"v{number}", f"{op}(x = {x}, y = {y})"))
        names.append(f"v{number}")
    return lines


def test_ten_thousand_statements(tmp_path):
    lines = long_program(10000, 7)
    end = "v9999"
    deep = [line(f"v{n}", f"relu(x = {f'v{n - 1}' if n else 'a'})") for n in range(10000)]
    one = list(lines)
    one[50] = one[50].replace(" = ", " = other_", 1)
    start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    a, b, c, d = texts(tmp_path, program("\n".join(lines), outputs=end), program("\n".join(one), outputs=end),
                       program("\n".join(deep), outputs=end), program("\n".join(deep).replace("fp16", "fp32").replace("relu", "tanh"), outputs=end))
    equal(a, a)
    assert [x["what"] for x in only(diff(a, b))["changes"]] == ["op"]
    assert not diff(a, c)["equal"]
    assert not diff(c, d)["equal"]
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start < 10


def trouble(*arguments, says):
    done = anetest.rejected("ane-mil-diff", *arguments, code=2, says=says)
    assert not done.stdout
    return done


def test_trouble_is_named(bundles, packages, tmp_path):
    text = bundles["encoder"] / "programs" / "main_0.mil"
    trouble("nope.mil", text, says="nope.mil")
    trouble(text, tmp_path, says=[str(tmp_path), "no package"])
    trouble(text, says="two programs are compared, 1 given")
    trouble(text, text, "--ignore", says="--ignore")
    trouble(bundles["encoder"], text, "--weights-a", tmp_path, says="--weights-a")
    alone = tmp_path / "alone.mil"
    shutil.copyfile(text, alone)
    trouble(alone, text, says=["alone.mil:", "constant", "main_0.bin"])
    equal(alone, text, "--weights-a", bundles["encoder"])
    equal(alone, text, "--ignore-weights")
    done = trouble(alone, text, "--json", says="main_0.bin")
    assert json.loads(done.stderr)["severity"] == "error"
    assert anetest.run("ane-mil-diff", text, text, "--quiet").stdout == ""
    assert anetest.run("ane-mil-diff", packages["attention"][0], text, "--quiet", check=False).returncode == 1


@pytest.mark.parametrize("body, says", [
    (line("y", "relu(x = nothing)"), '"nothing" is used and nothing before defines it'),
    (line("y", "relu(x = z)") + line("z", "relu(x = a)"), '"z" is used'),
    ('tensor<fp16, [4]> y = const()[name = string("y")];', "a const has one result and an attribute val"),
    (line("y", 'op(x = tensor<fp16, [4]>(BLOBFILE(path = string("w.bin"), offset = uint64(64))))'), "@model_path"),
    (line("y", 'op(x = tensor<fp16, [4]>(BLOBFILE(path = string("@model_path/../w.bin"), offset = uint64(64))))'), ".."),
    (line("y", 'op(x = tensor<fp16, [4]>(BLOBFILE(path = string("@model_path/w.bin"), offset = uint64(18446744073709551615))))'), "w.bin"),
    (line("y", 'op(x = tensor<fp16, [?]>(BLOBFILE(path = string("@model_path/w.bin"), offset = uint64(64))))'), "no known number of elements"),
    (line("y", 'op(x = tensor<fp16, [4611686018427387904]>(BLOBFILE(path = string("@model_path/w.bin"), offset = uint64(64))))'), "w.bin"),
    (line("y", 'op(x = tensor<bool, [4]>(BLOBFILE(path = string("@model_path/w.bin"), offset = uint64(64))))'), "w.bin"),
])
def test_wrong_programs_are_refused(body, says, bundles, tmp_path):
    shutil.copyfile(bundles["encoder"] / "weights" / "main_0.bin", tmp_path / "w.bin")
    (path,) = texts(tmp_path, program(body))
    trouble(path, path, says=[str(path) if "w.bin" not in says else "", says])


def test_damaged_files(packages, bundles, tmp_path):
    """An answer or an error, never a crash: exit codes 0, 1 and 2 alone."""
    rng = np.random.default_rng(5)
    originals = [packages["convolution"][0], bundles["encoder"]]
    for original in originals:
        files = [path.relative_to(original) for path in sorted(original.rglob("*"))
                 if path.suffix in (".mlmodel", ".bin", ".mil") or path.name == "Manifest.json"]
        for number in range(36):
            copy = tmp_path / f"copy{original.suffix}"
            shutil.copytree(original, copy)
            path = copy / files[number % len(files)]
            data = bytearray(path.read_bytes())
            if number % 3 == 0:
                del data[rng.integers(len(data)):]
            else:
                for at in rng.integers(min(len(data), 2000), size=4):
                    data[at] = rng.integers(256)
            path.write_bytes(data)
            done = anetest.run("ane-mil-diff", original, copy, check=False, errors="replace")
            assert done.returncode in (0, 1, 2), (path, done.returncode, done.stderr)
            assert (done.returncode == 2) == bool(done.stderr), done
            shutil.rmtree(copy)
