"""Packages of Core ML, read by Apple's own library: coremltools takes every operation of them, has the same weights, and folds
the program to the values that ONNX Runtime computes (coreml_fold.py)."""
import re
import shutil

import numpy as np
import onnx
import pytest

import anetest
import onnxnodes
import zoo

pytest.importorskip("coremltools")
import coreml_fold  # noqa: E402
from coremltools.converters.mil.converter import mil_convert  # noqa: E402

# Those whose folding by NumPy takes seconds.
ALWAYS = {"ocr-classifier", "mobilenet-v2", "voice-detector", "bert-legacy", "ibert", "gpt2"}
# fp16 is rounded at every operation by NumPy, as by the emulator; these are the emulator's own bounds for the zoo.
TOLERANCE = {"fp32": 2e-5, "fp16": 5e-3}
# The detectors' last layers are sigmoids of sums of hundreds of values, and the voice's squares what fp16 has rounded; the emulator's
# errors are 1.1e-1 and 4.5e-2 for the first two (docs/test-results.md).
LOOSER = {("ocr-detector", "fp32"): 1e-3, ("ocr-detector", "fp16"): 1.5e-1, ("ocr-recognizer", "fp16"): 6e-2, ("voice-detector", "fp16"): 1e-2}


def inputs_of(package, inputs):
    """The arrays by the names of the package's inputs, which are those of the model as far as MIL has such names."""
    spec = coreml_fold.ct.utils.load_spec(str(package))
    names = [given.name for given in spec.description.input]
    made = dict(zip(names, inputs.values()))
    for (name, _), key in zip(made.items(), inputs):
        assert name.strip("_") == re.sub(r"\W", "_", key).strip("_"), "inputs are in the model's order"
    return made


def errors(got, want):
    """The largest error of each output, relative to its largest value."""
    assert len(got) == len(want)
    for (name, array), wanted in zip(got.items(), want):
        wanted = np.asarray(wanted)
        assert array.size == wanted.size, name
        difference = np.abs(array.astype(np.float64).ravel() - wanted.astype(np.float64).ravel())
        yield float(difference.max(initial=0) / max(np.abs(wanted.astype(np.float64)).max(initial=0), 1e-30))


@pytest.mark.parametrize("name", [pytest.param(n, marks=[] if n in ALWAYS else pytest.mark.slow) for n in zoo.MODELS])
@pytest.mark.parametrize("precision", ["fp32", "fp16"])
def test_zoo(name, precision, tmp_path, record_property):
    made = zoo.ensure(name)
    if not made:
        pytest.skip(f"{name} is not in {zoo.CACHE}, and there is no .venv-models to make it with (scripts/setup.sh --models)")
    model, inputs = made
    package = tmp_path / "m.mlpackage"
    anetest.run("ane-compile", model, *zoo.options(name, inputs), f"--precision={precision}", "-o", package, "--quiet")
    want = anetest.reference(model, inputs)
    got = coreml_fold.fold(package, inputs_of(package, zoo.given(name, inputs)))
    worst = max(errors(got, want.values()))
    record_property("error", f"{worst:.1e}")
    assert worst <= LOOSER.get((name, precision), TOLERANCE[precision])


# What ONNX's own tests have beyond Core ML, by the error that says so.
BEYOND = re.compile(r"has no operation in Core ML, and none that it can be made of"
                    r"|Core ML's operations have at most 5 axes"
                    r"|is beyond the integers of Core ML"
                    r"|Core ML has from opset ios18 on"
                    r"|has no more from opset ios17 on"
                    r"|takes floats alone in Core ML"
                    r"|sizes are above 0")
# What coremltools 9.0 itself trips over with NumPy 2.4, while it folds.
TRIPS = re.compile(r"only plain LSTMs are looked at|Cannot construct a dtype from an array|Types should have zero-rank ndarray input")
UNFOLDED = re.compile(r"first without: (rnn|gru|lstm|resize\w*|upsample_bilinear|crop_resize|resample|non_maximum_suppression)")


@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.slow)])
def test_onnx_nodes(step, tmp_path, record_property):
    """Every node test of ONNX that the importer takes, or every eighth: a package that coremltools takes and folds to the test's values."""
    right, beyond, unfolded, wrong = 0, 0, 0, []
    for name, case in list(onnxnodes.cases().items())[::step]:
        if onnxnodes.out_of_scope(case):
            continue
        package = tmp_path / "m.mlpackage"
        shutil.rmtree(package, ignore_errors=True)
        done, inputs = onnxnodes.run_tool(case, tmp_path, "ane-compile", "--quiet", "--precision=fp32", "--minimum-os=iOS17",
                                          "-o", package)
        if done.returncode:
            assert done.returncode == 1 and not package.exists(), name
            if BEYOND.search(done.stderr):
                beyond += 1
            elif "error: the model can't be imported" not in done.stderr:
                wrong.append((name, done.stderr[:300]))
            continue
        try:
            got = coreml_fold.fold(package, inputs_of(package, inputs))
        except Exception as error:  # coremltools raises what its checks happen to meet
            if UNFOLDED.search(str(error)) or TRIPS.search(str(error)):
                unfolded += 1
            else:
                wrong.append((name, f"{type(error).__name__}: {error}"[:300]))
            continue
        bad = [(key, index) for index, ((key, array), wanted) in enumerate(zip(got.items(), case.outputs))
               if not np.allclose(array.astype(np.float64).ravel(), np.asarray(wanted).astype(np.float64).ravel(), rtol=1e-3,
                                  atol=1e-4, equal_nan=True)]
        if bad:
            wrong.append((name, bad))
        else:
            right += 1
    record_property("nodes", f"{right} right, {beyond} beyond Core ML, {unfolded} not folded")
    assert not wrong, wrong
    assert right >= 1230 // step and unfolded <= 40


def linear_model(path):
    rng = np.random.default_rng(5)
    weight = rng.standard_normal((64, 32)).astype(np.float32)
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("MatMul", ["x", "w"], ["h"]), onnx.helper.make_node("Relu", ["h"], ["y"])], "g",
        [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [4, 64])],
        [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [4, 32])],
        [onnx.numpy_helper.from_array(weight, "w")])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), path)
    return weight


def test_weights_are_the_models(tmp_path):
    """Apple's reader of weight files finds the model's bits."""
    from coremltools.libmilstoragepython import _BlobStorageReader
    weight = linear_model(tmp_path / "m.onnx")
    package = tmp_path / "m.mlpackage"
    anetest.run("ane-compile", tmp_path / "m.onnx", "--precision=fp32", "-o", package, "--quiet")
    reader = _BlobStorageReader(str(package / "Data/com.apple.CoreML/weights/weight.bin"))
    found = np.asarray(reader.read_float_data(64)).reshape(32, 64)
    assert np.array_equal(found, weight.T)


def test_round_trip(tmp_path):
    """What coremltools writes of what it has read is the same program, and the same description."""
    linear_model(tmp_path / "m.onnx")
    for precision, system, version in (("fp32", "iOS16", 7), ("fp16", "iOS16", 7), ("fp16", "macOS14", 8), ("fp16", "iOS18", 9)):
        package = tmp_path / f"{precision}{system}.mlpackage"
        anetest.run("ane-compile", tmp_path / "m.onnx", f"--precision={precision}", f"--minimum-os={system}", "-o", package,
                    "--quiet")
        spec = coreml_fold.ct.utils.load_spec(str(package))
        assert spec.specificationVersion == version
        loaded = coreml_fold.program(package)
        loaded.skip_all_passes = True
        again = mil_convert(loaded, convert_to="mlprogram", convert_from="milinternal",
                            specification_version=spec.specificationVersion, compute_units=coreml_fold.ct.ComputeUnit.CPU_ONLY,
                            skip_model_load=True).get_spec()
        kinds = [[(op.type, [o.name for o in op.outputs]) for op in s.mlProgram.functions["main"].block_specializations[
            s.mlProgram.functions["main"].opset].operations if op.type != "const"] for s in (spec, again)]
        assert kinds[0] == kinds[1]
        for field in ("input", "output"):
            for ours, theirs in zip(getattr(spec.description, field), getattr(again.description, field)):
                assert ours.name == theirs.name and ours.type == theirs.type


def test_same_bytes(tmp_path):
    linear_model(tmp_path / "m.onnx")
    for place in "ab":
        anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / f"{place}.mlpackage", "--quiet")
    files = [sorted(p.relative_to(root) for p in root.rglob("*") if p.is_file())
             for root in (tmp_path / "a.mlpackage", tmp_path / "b.mlpackage")]
    assert files[0] == files[1] and len(files[0]) == 3
    for path in files[0]:
        assert (tmp_path / "a.mlpackage" / path).read_bytes() == (tmp_path / "b.mlpackage" / path).read_bytes()


def test_replaces_packages_only(tmp_path):
    linear_model(tmp_path / "m.onnx")
    package = tmp_path / "m.mlpackage"
    for _ in range(2):
        anetest.run("ane-compile", tmp_path / "m.onnx", "-o", package, "--quiet")
    (package / "notes.txt").write_text("mine")
    anetest.rejected("ane-compile", tmp_path / "m.onnx", "-o", package, says=["the package there holds 'notes.txt'"])
    assert (package / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("flags, says", [
    (["--minimum-os=iOS15"], "no system 'iOS15' (--minimum-os): iOS16 to iOS18, or macOS13 to macOS15"),
    (["--precision=int8"], "no precision 'int8' (--precision): fp16 or fp32"),
    (["--train"], "a package of Core ML runs a model: leave out --train and --lora"),
])
def test_wrong_flags(flags, says, tmp_path):
    linear_model(tmp_path / "m.onnx")
    anetest.rejected("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.mlpackage", *flags, says=[says], code=2)
    assert not (tmp_path / "m.mlpackage").exists()


def test_forecast(tmp_path):
    """The report says what of a package the records let the engine take; the gate holds for packages, too."""
    linear_model(tmp_path / "m.onnx")
    package = tmp_path / "m.mlpackage"
    report = anetest.run("ane-compile", tmp_path / "m.onnx", "-o", package, "--report", "--quiet").stdout
    assert "(coreml, macOS 15)" in report and "engine share of FLOPs" in report
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("TopK", ["x", "k"], ["y", "i"])], "g", [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [4, 64])],
        [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [4, 3])], [onnx.numpy_helper.from_array(np.array([3]), "k")])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), tmp_path / "c.onnx")
    anetest.rejected("ane-compile", tmp_path / "c.onnx", "-o", tmp_path / "c.mlpackage", "--require-engine=50", says=["are required (--require-engine)"])
    assert not (tmp_path / "c.mlpackage").exists()


def test_states_and_functions(tmp_path):
    """States are fp16 ones of Core ML; two models are functions of one package, with the weight that they share once."""
    for name in ("add", "mul"):
        node = onnx.helper.make_node("Add" if name == "add" else "Mul", ["x", "s"], ["t"])
        weight = np.random.default_rng(1).standard_normal((8, 16)).astype(np.float32)
        graph = onnx.helper.make_graph(
            [node, onnx.helper.make_node("MatMul", ["t", "w"], ["y"]), onnx.helper.make_node("Identity", ["t"], ["next"])], "g",
            [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [4, 8]) for n in ("x", "s")],
            [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [4, 16]),
             onnx.helper.make_tensor_value_info("next", onnx.TensorProto.FLOAT, [4, 8])], [onnx.numpy_helper.from_array(weight, "w")])
        onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), tmp_path / f"{name}.onnx")
    flags = ["--state", "s=next", "-o", tmp_path / "m.mlpackage", "--quiet"]
    anetest.rejected("ane-compile", tmp_path / "add.onnx", *flags, says=["is in Core ML from opset ios18 on", "remedy: a later --minimum-os"])
    anetest.run("ane-compile", tmp_path / "add.onnx", *flags, "--minimum-os=iOS18", "--precision=fp32")
    spec = coreml_fold.ct.utils.load_spec(str(tmp_path / "m.mlpackage"))
    assert [(s.name, s.type.stateType.arrayType.dataType, list(s.type.stateType.arrayType.shape)) for s in spec.description.state] == [("s", 65552, [4, 8])]
    kinds = [op.op_type for op in coreml_fold.program(tmp_path / "m.mlpackage").functions["main"].operations]
    assert kinds.count("read_state") == 1 and kinds.count("coreml_update_state") == 1
    anetest.run("ane-compile", f"add={tmp_path / 'add.onnx'}", f"mul={tmp_path / 'mul.onnx'}", *flags[2:], "--minimum-os=iOS18", "--precision=fp32")
    spec = coreml_fold.ct.utils.load_spec(str(tmp_path / "m.mlpackage"))
    assert sorted(f.name for f in spec.description.functions) == ["add", "mul"] and spec.description.defaultFunctionName == "add"
    assert sorted(coreml_fold.program(tmp_path / "m.mlpackage").functions) == ["add", "mul"]
    assert (tmp_path / "m.mlpackage/Data/com.apple.CoreML/weights/weight.bin").stat().st_size < 128 + 8 * 16 * 4 + 64
    x, s = (np.random.default_rng(seed).standard_normal((4, 8)).astype(np.float32) for seed in (2, 3))
    got = coreml_fold.fold(tmp_path / "m.mlpackage", {"x": x, "s": s}, function="mul")
    assert np.allclose(got["y"], (x * s) @ weight, rtol=1e-4, atol=1e-5)


def test_read_again(tmp_path):
    """A package is a model: its bundle computes what the model does."""
    weight = linear_model(tmp_path / "m.onnx")
    anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.mlpackage", "--precision=fp32", "--quiet")
    anetest.run("ane-compile", tmp_path / "m.mlpackage", "-o", tmp_path / "m.anebundle", "--quiet")
    x = np.random.default_rng(6).standard_normal((4, 64)).astype(np.float32)
    got = anetest.run_bundle(tmp_path / "m.anebundle", {"x": x}, ["y"], tmp_path / "run", "cpu")
    assert np.allclose(got["y"], np.maximum(x @ weight, 0), rtol=1e-5, atol=1e-5)
