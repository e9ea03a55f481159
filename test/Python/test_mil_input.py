"""MIL programs as input of the compiler: a bundle computes what the program itself computes on the emulator."""
import shutil

import numpy as np
import onnx
import pytest

import anetest
import milcase
from test_mil_corpus import CORPUS, arguments, programs


def agree(got, want, name):
    """Within the roundings of fp16: the compiler spells some ops otherwise."""
    for key, value in want.items():
        assert got[key].shape == value.shape and got[key].dtype == value.dtype, f"{name}: {key}"
        scale = max(float(np.abs(value.astype(np.float64)).max(initial=0)), 1e-3)
        error = float(np.abs(got[key].astype(np.float64) - value).max(initial=0))
        assert error <= 1e-2 * scale, f"{name}: {key}: error {error:.2e} of {scale:.2e}"


def test_one_op(tmp_path):
    """Names at the border stay; element types too."""
    x = np.linspace(-3, 3, 64, dtype=np.float16).reshape(1, 4, 1, 16)
    want = milcase.call(tmp_path, "relu", {"x": x}, {}, [("y", milcase.type_of(x))])[0]
    anetest.run("ane-compile", tmp_path / "op.mil", "-o", tmp_path / "op.anebundle")
    for device in "cpu", "emulator":
        got = anetest.run_bundle(tmp_path / "op.anebundle", {"in_x": x}, ["y"], tmp_path / device, device)
        np.testing.assert_array_equal(got["y"], want)


def test_bytes_win_over_the_extension(tmp_path):
    """A program and an ONNX model under each other's names."""
    x = np.linspace(-3, 3, 64, dtype=np.float16).reshape(1, 4, 1, 16)
    want = milcase.call(tmp_path, "relu", {"x": x}, {}, [("y", milcase.type_of(x))])[0]
    shutil.move(tmp_path / "op.mil", tmp_path / "program.onnx")
    anetest.run("ane-compile", tmp_path / "program.onnx", "-o", tmp_path / "program.anebundle")
    got = anetest.run_bundle(tmp_path / "program.anebundle", {"in_x": x}, ["y"], tmp_path / "program", "cpu")
    np.testing.assert_array_equal(got["y"], want)
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["": 17]>
        g (float16[n,4,1,16] x) => (float16[n,4,1,16] y) { y = Relu(x) }""")
    (tmp_path / "model.mil").write_bytes(model.SerializeToString())
    anetest.run("ane-compile", tmp_path / "model.mil", "--dim=n=1", "-o", tmp_path / "model.anebundle")
    got = anetest.run_bundle(tmp_path / "model.anebundle", {"x": x}, ["y"], tmp_path / "model", "cpu")
    np.testing.assert_array_equal(got["y"], want)


def test_weights_lie_beside_the_program(tmp_path):
    """@model_path is the folder of the file, wherever the compiler is started; without the weights there is no bundle."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["": 17]>
        g (float[1,64,1,64] x) => (float[1,64,1,64] y) { y = Conv(x, w) }""")
    weight = np.random.default_rng(3).standard_normal((64, 64, 1, 1)).astype(np.float32)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weight, "w"))
    onnx.save(model, tmp_path / "m.onnx")
    anetest.compile_model(tmp_path / "m.onnx", tmp_path / "m.anebundle")
    folder = tmp_path / "program"
    (folder / "weights").mkdir(parents=True)
    shutil.copy(tmp_path / "m.anebundle/programs/main_0.mil", folder / "main.mil")
    for file in (tmp_path / "m.anebundle/weights").iterdir():
        shutil.copy(file, folder / "weights")
    text = (folder / "main.mil").read_text()
    (folder / "main.mil").write_text(text.replace("@model_path/main_0.bin", "@model_path/weights/main_0.bin"))
    report = anetest.compile_model(folder / "main.mil", tmp_path / "again.anebundle")
    assert anetest.engine_share(report) == 1
    matrix = anetest.run("ane-compile", folder / "main.mil", "--targets=m1,m4").stdout
    assert "100.00" in matrix
    inputs = {"x": np.random.default_rng(4).standard_normal((1, 64, 1, 64)).astype(np.float32)}
    want = anetest.run_bundle(tmp_path / "m.anebundle", inputs, ["y"], tmp_path / "1", "emulator")
    names = [line for line in text.splitlines() if "func main" in line]
    assert names
    import bundlelib

    with bundlelib.Bundle(tmp_path / "again.anebundle", "emulator") as bundle:
        (name, dtype, shape), = bundle.inputs
        got = bundle({name: inputs["x"].astype(dtype).reshape(shape)})
    np.testing.assert_allclose(got[0].reshape(want["y"].shape).astype(np.float32), want["y"], rtol=0, atol=1e-2 * np.abs(want["y"]).max())
    shutil.rmtree(folder / "weights")
    anetest.rejected("ane-compile", folder / "main.mil", "-o", tmp_path / "none.anebundle", says="main_0.bin")
    assert not (tmp_path / "none.anebundle").exists()


@pytest.mark.parametrize("text, says", [("program(1.3)", "broken.mil:1:"), ("", "broken.mil:1:1"),
                                        ("program(1.3)\n{\n  func main<ios18>(tensor<fp16, [1, 4]> x) {\n    tensor<fp16, [1, 4]> y = relux(x = x)"
                                         "[name = string(\"y\")];\n  } -> (y);\n}", "broken.mil:4:5: error: unknown operation 'relux'")])
def test_broken_programs(text, says, tmp_path):
    (tmp_path / "broken.mil").write_text(text)
    anetest.rejected("ane-compile", tmp_path / "broken.mil", "-o", tmp_path / "out", says=says)
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the MIL corpus is not here")
def test_programs_of_others(tmp_path, request):
    """Bundles of the corpus's programs beside the programs themselves."""
    chosen = programs(lambda m: m["expect"] == "ok" and m.get("reference") and m["functions"] == ["main"])
    chosen = chosen if request.config.getoption("--full") else chosen[::11]
    count = 0
    for name, folder, meta in chosen:
        scratch = tmp_path / name
        scratch.mkdir(parents=True)
        reference = np.load(folder / "ref.npz")
        anetest.run("ane-run", *arguments(folder, meta, reference, scratch))
        want = {key[4:]: np.load(scratch / f"{key[4:]}.npy") for key in reference.files if key.startswith("out_")}
        anetest.run("ane-compile", folder / "model.mil", "-o", scratch / "m.anebundle", "--quiet")
        inputs = {key[3:]: reference[key] for key in reference.files if key.startswith("in_")}
        got = anetest.run_bundle(scratch / "m.anebundle", inputs, list(want), scratch / "bundle", "emulator")
        agree(got, want, name)
        count += 1
    assert count >= 20
