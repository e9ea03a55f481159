"""Every model compiles for every target, and runs on the engine where there is one; docs/residency.md says how much of it."""
import json
import re
import shutil

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import anetest
import matrix

TARGETS = "h13 h13g t1 h14 h14g h14c h15 h15g h15c m11 h16 h16g h16s h16c h17 h17a h17g h17s h17c h17d h18 h18g h19".split()
MAIN = {"h16", "h17"}  # M4 and M5
FAST = [matrix.MINILM, "ocr-classifier", "mobilenet-v2"]


@pytest.fixture(scope="module", params=[pytest.param(name, marks=[] if name in FAST else pytest.mark.slow) for name in matrix.names()])
def case(request):
    """(name, {strictness: matrix})"""
    model = matrix.find(request.param)
    if not model:
        pytest.skip(f"{request.param} is not here, and there is no .venv-models to make it with (scripts/setup.sh --models)")
    return request.param, {level: matrix.compile_all(model, level) for level in matrix.LEVELS}


def missing(target):
    """The records that keep FLOPs off the engine, for the message of a failure."""
    return sorted({(op["constraint"], op["op"], op["reason"]) for op in target["cpu_ops"] if op["flops"]})


def test_compiles_for_all_targets(case):
    _, levels = case
    for result in levels.values():
        assert [target["target"] for target in result["targets"]] == TARGETS
        for target in result["targets"]:
            for op in target["cpu_ops"]:
                assert op["constraint"] and op["reason"], op


def test_engine_share(case):
    _, levels = case
    for level, result in levels.items():
        for target in result["targets"]:
            if target["target"] in MAIN:
                recurrent = anetest.recurrent_share(target["cpu_ops"], target["flops"])
                assert target["engine_share"] + recurrent >= 0.9, (level, target["target"], missing(target))
            elif level == "evidence":
                assert target["engine_share"] >= 0.7, (target["target"], missing(target))


def test_page(case):
    """The committed page has this model's shares."""
    name, levels = case
    text = (anetest.ROOT / "docs" / "residency.md").read_text()
    for level, result in levels.items():
        section = re.search(rf"## strictness = {level}\n\n(.*?)\n\n", text, re.S).group(1).splitlines()
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section]
        column = rows[0].index(name)
        shares = {row[0]: row[column] for row in rows[2:]}
        assert shares == {row["target"]: f"{int(row['engine_share'] * 1000) / 10:.1f}" for row in result["targets"]}, \
            "scripts/residency.py makes the page anew"


def test_page_of_disputes(case):
    """Each tier's share if disputed records are rules."""
    name, levels = case
    section = (anetest.ROOT / "docs" / "residency.md").read_text().split("## If disputed records are rules")[1].split("\n## ")[0]
    cells = re.search(rf"^\| {name} \| (.*) \|$", section, re.M)[1].split(" | ")
    tiers = re.search(r"^\| model \| (.*) \|$", section, re.M)[1].split(" | ")
    kept = matrix.compile_all(matrix.find(name), "catalog", "--keep=disputed")["targets"]
    for tier, cell in zip(tiers, cells):
        shares = [next(row["engine_share"] for row in rows if row["tier"] == tier) for rows in (levels["catalog"]["targets"], kept)]
        assert cell == " / ".join(f"{int(share * 1000) / 10:.1f}" for share in shares), "scripts/residency.py makes the page anew"
        assert shares[1] <= shares[0]


@pytest.mark.slow
@pytest.mark.parametrize("level", matrix.LEVELS)
@pytest.mark.parametrize("chip", ["m1", "m2", "m3", "m5"])  # one of each tier
def test_emitted_programs_pass_lint(case, chip, level, tmp_path):
    path, shapes = matrix.find(case[0])
    target = [f"--target={chip}", f"--strictness={level}"]
    anetest.run("ane-compile", path, "-o", tmp_path / "m", "--quiet", "--host=none", *shapes, *target)
    for program in (tmp_path / "m" / "programs").iterdir():
        anetest.run("ane-translate", "--lint", program, f"--weights={tmp_path / 'm'}", *target)
    shutil.rmtree(tmp_path / "m")


# ---- one bundle for a set of chips -------------------------------------------


def save(path, nodes, inputs, outputs, weights):
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs],
                              [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs],
                              [numpy_helper.from_array(array, name) for name, array in weights.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def wide_convolution(folder):
    """Saves a model with a kernel of 15 columns, which only M4 and later take; returns its path."""
    rng = np.random.default_rng(0)
    weights = {"w": rng.standard_normal((16, 8, 1, 15), np.float32) * 0.1}
    save(folder / "m.onnx", [helper.make_node("Conv", ["x", "w"], ["c"], name="/wide", pads=[0, 7, 0, 7]),
                             helper.make_node("Relu", ["c"], ["y"], name="/relu")],
         [("x", (1, 8, 1, 128))], [("y", (1, 16, 1, 128))], weights)
    return folder / "m.onnx"


def test_the_matrix_says_what_single_compilations_say(tmp_path):
    """Chips of one tier are compiled for once: nothing else of a chip decides."""
    model = wide_convolution(tmp_path)
    for row in matrix.compile_all((model, []), "evidence")["targets"]:
        one = anetest.compile_model(model, tmp_path / "one", f"--target={row['target']}", "--strictness=evidence", "--host=none")
        assert row["engine_share"] == one["engine_share"] and row["programs"] == len(one["programs"])
        assert [(op["node"], op["constraint"], op["reason"]) for op in row["cpu_ops"]] == \
            [(op["node"], op["constraint"], op["reason"]) for op in anetest.host_ops(one)]


@pytest.mark.parametrize("members", [("m1", "m4", "m5"), ("m2", "m3pro"), ("m4", "m4max"), ("any-m",)])
def test_a_set_is_legal_on_each_member(tmp_path, members):
    model = wide_convolution(tmp_path)
    x = np.random.default_rng(1).standard_normal((1, 8, 1, 128), np.float32)
    report = anetest.compile_model(model, tmp_path / "set", f"--target={','.join(members)}")
    manifest = json.loads((tmp_path / "set" / "manifest.json").read_text())
    assert manifest["target"]["chip"].split(",") == report["chips"]
    for program in (tmp_path / "set" / "programs").iterdir():
        for chip in report["chips"]:
            anetest.run("ane-translate", "--lint", program, f"--target={chip}", f"--weights={tmp_path / 'set'}")
    # No more is on the CPU than the worst of the members needs.
    single = [anetest.compile_model(model, tmp_path / f"one{i}", f"--target={chip}") for i, chip in enumerate(report["chips"])]
    assert report["engine_share"] == min(one["engine_share"] for one in single)
    want = anetest.reference(model, {"x": x})
    got = anetest.run_bundle(tmp_path / "set", {"x": x}, ["y"], tmp_path, "emulator")
    assert anetest.Error(got["y"], want["y"]).cosine >= 0.9999
