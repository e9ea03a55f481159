"""The linter and the compiler: what is emitted passes, and what is damaged on disk does not."""
import json
import shutil

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import anetest
import models

EMITTED = anetest.ROOT / "runtime" / "test" / "lint" / "data" / "emitted.mil"


def dense_model(path):
    """relu(a W + b), whose program the mutation tests of the emulator damage."""
    random = np.random.default_rng(0)
    constants = [numpy_helper.from_array((random.standard_normal((8, 8)) * 0.3).astype(np.float32), "W"),
                 numpy_helper.from_array(random.standard_normal(8).astype(np.float32), "B")]
    nodes = [helper.make_node("MatMul", ["a", "W"], ["t"], name="/dense"), helper.make_node("Add", ["t", "B"], ["u"], name="/bias"),
             helper.make_node("Relu", ["u"], ["y"], name="/relu")]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("a", TensorProto.FLOAT, [1, 64, 8])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 64, 8])], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, path)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dense")
    dense_model(folder / "dense.onnx")
    anetest.compile_model(folder / "dense.onnx", folder / "dense.anebundle")
    return folder / "dense.anebundle"


def test_mutations_start_from_what_the_compiler_writes(bundle):
    assert (bundle / "programs" / "main_0.mil").read_text() == EMITTED.read_text()


def damaged(bundle, folder, change=lambda text: text, edit=lambda manifest: None):
    """A copy of the bundle with another program text and manifest."""
    copy = folder / "damaged.anebundle"
    shutil.copytree(bundle, copy)
    path = copy / "programs" / "main_0.mil"
    text = change(path.read_text())
    path.write_text(text)
    manifest = json.loads((copy / "manifest.json").read_text())
    edit(manifest)
    for file in manifest["files"]:
        file["bytes"] = (copy / file["path"]).stat().st_size
    (copy / "manifest.json").write_text(json.dumps(manifest))
    return copy


def test_damaged_bundles_are_errors_not_refusals(bundle, tmp_path):
    tile = damaged(bundle, tmp_path, lambda text: text.replace("relu(x = add_0)", "tile(reps = pad_0, x = add_0)"))
    anetest.rejected("ane-run", tile, "--device=emulator", "--random-inputs",
                     says=["main_0.mil:13:", "violates C48 tile on h16 (in_memory, macOS 15)", "remedy"])
    anetest.run("ane-run", tile, "--device=cpu", "--random-inputs")


def test_a_bundle_is_judged_by_its_own_target(bundle, tmp_path):
    def old_chip(manifest):
        manifest["target"]["chip"] = "h11"

    anetest.rejected("ane-run", damaged(bundle, tmp_path, edit=old_chip), "--device=emulator", "--random-inputs",
                     says="violates C30 no-mil-path on h11")


def test_faithful_mode_falls_back_as_on_an_engine(bundle, tmp_path):
    dead = damaged(bundle, tmp_path, lambda text: text.replace("relu(x = add_0)", "mod(x = add_0, y = add_0)"))
    done = anetest.run("ane-run", dead, "--device=emulator", "--emulator-mode=faithful", "--random-inputs")
    assert "ran on its CPU twin" in done.stderr and "ANECCompile() FAILED" in done.stderr and "C36 mod" in done.stderr


def test_faithful_mode_is_plain_mode_for_good_programs(bundle, tmp_path):
    for mode in ("lint", "faithful", "plain"):
        anetest.run("ane-run", bundle, "--device=emulator", f"--emulator-mode={mode}", "--random-inputs", "--output-dir", tmp_path / mode)
    for mode in ("lint", "faithful"):
        assert np.array_equal(np.load(tmp_path / mode / "y.npy"), np.load(tmp_path / "plain" / "y.npy"))


@pytest.mark.parametrize("chip", ["m1", "m2", "m3", "m4", "m5"])
def test_emitted_programs_pass_lint(chip, tmp_path):
    """On each tier. Other tests run their models in lint mode, too: it is the emulator's default."""
    for name, made, strictness in [("encoder", models.encoder(1), "catalog"), ("encoder", models.encoder(1), "evidence"),
                                   ("decoder", models.decoder(2), "catalog"), ("cnn", models.cnn(3), "catalog")]:
        folder = tmp_path / f"{name}-{strictness}"
        folder.mkdir()
        onnx.save(made.model, folder / "m.onnx")
        anetest.compile_model(folder / "m.onnx", folder / "m.anebundle", f"--target={chip}", f"--strictness={strictness}")
        done = anetest.run("ane-run", folder / "m.anebundle", "--device=emulator", "--random-inputs", "--json", check=False)
        assert done.returncode == 0, f"{name} for {chip}, {strictness}:\n{done.stderr}"
        refused = [event for event in json.loads(done.stdout)["events"] if event["phase"] != "numeric"]
        assert not refused, f"{name} for {chip}, {strictness}: {refused}"
