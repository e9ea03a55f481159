"""What training refuses, so that nothing else is trained than was asked for."""
import json

import numpy as np
import onnx
import pytest

import anetest
import tinychat

ROWS, WIDTH, CLASSES = 4, 6, 5


def classifier(path, epsilon=1e-5):
    """A norm and a layer, with a literal, an exponent and a table beside them."""
    rng = np.random.default_rng(1)
    values = {"scale": np.ones(WIDTH), "weight": rng.normal(size=(WIDTH, CLASSES)), "bias": rng.normal(size=CLASSES), "exponent": np.full(WIDTH, 2.0),
              "half": np.array(0.5), "table": rng.normal(size=(ROWS, WIDTH))}
    make = onnx.helper.make_node
    nodes = [make("Add", ["x", "table"], ["a"]), make("Pow", ["a", "exponent"], ["b"]), make("Mul", ["b", "half"], ["c"]),
             make("LayerNormalization", ["c", "scale"], ["d"], epsilon=epsilon), make("MatMul", ["d", "weight"], ["e"]), make("Add", ["e", "bias"], ["y"])]
    graph = onnx.helper.make_graph(nodes, "g", [onnx.helper.make_tensor_value_info("x", 1, (ROWS, WIDTH))],
                                   [onnx.helper.make_tensor_value_info("y", 1, (ROWS, CLASSES))],
                                   [onnx.numpy_helper.from_array(array.astype(np.float32), name) for name, array in values.items()])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def data(path, target):
    np.savez(path, x=np.random.default_rng(2).normal(size=(len(target), WIDTH)).astype(np.float32), target=np.asarray(target))
    return path


def test_the_list_of_parameters(tmp_path):
    """Before anything runs, with sizes; --trainable adds, --freeze removes, and a name without a wildcard stays."""
    model = classifier(tmp_path / "m.onnx")
    for flags, names in (([], ["bias", "scale", "weight"]), (["--trainable=table"], ["bias", "scale", "table", "weight"]), (["--freeze=b*"], ["scale", "weight"]),
                         (["--freeze=*", "--trainable=table"], ["table"])):
        bundle = tmp_path / "-".join(["b", *flags]).replace("*", "")
        said = anetest.run("ane-compile", model, "-o", bundle, "--train", *flags).stderr
        sizes = {"bias": [CLASSES], "scale": [WIDTH], "weight": [WIDTH, CLASSES], "table": [ROWS, WIDTH]}
        plan = json.loads(anetest.run("ane-train", bundle, "--dry-run", "--json", "--device=cpu").stdout)
        assert plan["trained"] == {name: sizes[name] for name in names}
        assert f"training {len(names)} parameters of {sum(int(np.prod(sizes[name])) for name in names)} elements" in said
        for name in names:
            assert f"{name} [{', '.join(map(str, sizes[name]))}]" in said


def test_labels(tmp_path):
    model = classifier(tmp_path / "m.onnx")
    anetest.run("ane-compile", model, "-o", tmp_path / "m.anebundle", "--quiet", "--train")
    for label in (CLASSES, 255, -1):
        anetest.rejected("ane-train", tmp_path / "m.anebundle", "--data", data(tmp_path / "d.npz", [0, 1, label, 2]), "--steps=1", "--device=cpu",
                         says=[f"element 0 of example 2 is {label}, expected 0 to {CLASSES - 1}", "--ignore-label"])
    run = ["--data", data(tmp_path / "d.npz", [0, 1, 255, 2]), "--steps=1", "--device=cpu"]
    anetest.run("ane-train", model, *run, "--ignore-label=255")
    anetest.rejected("ane-compile", model, "-o", tmp_path / "n", "--train=mse", "--ignore-label=255", says="--ignore-label", code=2)


def test_options_beside_a_bundle(tmp_path):
    anetest.run("ane-compile", classifier(tmp_path / "m.onnx"), "-o", tmp_path / "m.anebundle", "--quiet", "--train")
    run = [tmp_path / "m.anebundle", "--data", data(tmp_path / "d.npz", [0, 1, 3, 2]), "--steps=1", "--device=cpu"]
    for flag in ("--batch=2", "--loss=mse", "--ignore-label=255", "--compile-flag=--train", "--lora=rank=1,targets=w", "--bundle=x", "--trainable=x"):
        anetest.rejected("ane-train", *run, flag, says=[flag.split("=")[0], "is for a model that is compiled"], code=2)


def test_checkpoints_of_another_graph(tmp_path):
    """The parameters are the same."""
    run = ["--data", data(tmp_path / "d.npz", [0, 1, 3, 2]), "--device=cpu", "--out", tmp_path / "run"]
    for epsilon, name in ((1e-5, "a"), (1e-3, "b")):
        anetest.run("ane-compile", classifier(tmp_path / f"{name}.onnx", epsilon), "-o", tmp_path / name, "--quiet", "--train")
    anetest.run("ane-train", tmp_path / "a", *run, "--steps=1")
    anetest.rejected("ane-train", tmp_path / "b", *run, "--steps=2", "--resume", says=["layer_norm", "epsilon", "there", "here"])
    anetest.run("ane-train", tmp_path / "a", *run, "--steps=2", "--resume")


@pytest.mark.parametrize("field, value", [("rms_norm_eps", 1e-3), ("rope_theta", 5000.0)])
def test_checkpoints_of_another_configuration(tmp_path, field, value):
    (tmp_path / "text.txt").write_text("one two three four five six seven eight nine ten " * 20)
    run = ["--data", tmp_path / "text.txt", "--device=cpu", "--out", tmp_path / "run", "--seq=16"]
    for name in ("a", "b"):
        model = tinychat.write(tmp_path / f"{name}.model", {**tinychat.CONFIG, **({field: value} if name == "b" else {})})
        anetest.run("ane-compile", model, "-o", tmp_path / name, "--quiet", "--train", "--sequence=16")
    anetest.run("ane-train", tmp_path / "a", *run, "--steps=1")
    anetest.rejected("ane-train", tmp_path / "b", *run, "--steps=2", "--resume", says=[f"{field} is", "there and", "here"])


def test_memory_of_mapped_weights(tmp_path):
    """What is not trained is in the bundle's files, and in the plan."""
    plans = {}
    for name, flags in (("all", []), ("adapters", ["--lora=rank=1,alpha=1,targets=q_proj"])):
        anetest.run("ane-compile", tinychat.write(tmp_path / f"{name}.model"), "-o", tmp_path / name, "--quiet", "--train", "--sequence=16", *flags)
        plans[name] = json.loads(anetest.run("ane-train", tmp_path / name, "--dry-run", "--json", "--device=cpu").stdout)
    frozen = plans["all"]["weight_bytes"]
    assert plans["adapters"]["mapped_bytes"] > 0.9 * frozen and plans["all"]["mapped_bytes"] < plans["adapters"]["mapped_bytes"] - 0.5 * frozen
