"""Programs with several procedures: a decoder's two functions, and more programs than a process compiles, give the bits that they give
as programs of their own; there are fewer programs, and weights of the engine stand once in each."""
import json
import re

import numpy as np
import onnx
import pytest
from onnx import helper

import anetest
import decoder
import frontend  # finds the package
import test_buckets
from test_compile_time import many_nodes, programs

import anemone

PAST, PROMPT, TOKENS = 24, 7, 12


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Arguments for ane-compile: a prompt's run and those of single tokens."""
    folder = tmp_path_factory.mktemp("models")
    onnx.save(decoder.build(PAST, PROMPT), folder / "prefill.onnx")
    onnx.save(decoder.build(PAST), folder / "decode.onnx")
    return [f"prefill={folder}/prefill.onnx", f"decode={folder}/decode.onnx", "--states=auto"]


@pytest.fixture(scope="module")
def bundles(models, tmp_path_factory):
    """By what --procedures was."""
    folder = tmp_path_factory.mktemp("bundles")
    for when in ("never", "auto", "always"):
        anetest.run("ane-compile", *models, f"--procedures={when}", "-o", folder / when, f"--report={folder / when}.json", "--json")
    return folder


def manifest_of(bundle):
    return json.loads((bundle / "manifest.json").read_text())


def test_the_manifest_keeps_procedures(bundles):
    single, merged = manifest_of(bundles / "never"), manifest_of(bundles / "auto")
    assert [p["name"] for p in single["programs"]] == ["prefill_0", "decode_0"]
    assert [[q["name"] for q in p["procedures"]] for p in single["programs"]] == [["main"], ["main"]]
    (bank,) = merged["programs"]
    assert bank["name"] == "bank_0" and [p["name"] for p in bank["procedures"]] == ["prefill_0", "decode_0"]
    assert [p["twin"] for p in bank["procedures"]] == ["prefill_0_twin", "decode_0_twin"]
    steps = {f["name"]: [(s["program"], s["procedure"]) for s in f["steps"] if s["kind"] == "program"] for f in merged["functions"]}
    assert steps == {"prefill": [("bank_0", "prefill_0")], "decode": [("bank_0", "decode_0")]}
    # A name is one symbol of the program (C142); tensors are the same but for their names.
    names = [s["name"] for p in bank["procedures"] for s in p["inputs"] + p["outputs"]]
    assert len(set(names)) == len(names)
    assert [t["shape"] for t in single["tensors"]] == [t["shape"] for t in merged["tensors"]]


def test_weights_stand_once_in_the_program(bundles):
    """Each program holds what it reads: two hold most weights twice, whatever files share."""
    def loaded(when):
        manifest = manifest_of(bundles / when)
        sizes = {f["path"]: f["bytes"] for f in manifest["files"]}
        return sum(sizes[path] for p in manifest["programs"] for path in p["weights"])
    assert loaded("auto") < 0.52 * loaded("never")
    text = (bundles / "auto/programs/bank_0.mil").read_text()
    assert re.findall(r"func (\w+)<", text) == ["prefill_0", "decode_0"]
    first, second = (set(re.findall(r"BLOBFILE\(.*?offset = .*?\((\d+)\)\)", part)) for part in text.split("func decode_0"))
    assert len(second & first) > 3 * len(second - first)  # masks and positions are of their own


def say(model, prompt):
    """Logits of a prompt and of greedy tokens."""
    session = model.session()
    step = session.function("decode")
    logits = [session(**decoder.step(PAST, 0, *prompt))["logits"][0, -1]]
    for index in range(TOKENS):
        logits.append(step(**decoder.step(PAST, PROMPT + index, int(logits[-1].argmax())))["logits"][0, -1])
    return np.stack(logits).tobytes(), session


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_the_same_bits(bundles, device):
    prompt = np.random.default_rng(2).integers(0, decoder.VOCABULARY, PROMPT).tolist()
    said, compiled = {}, {}
    for when in ("never", "auto", "always"):
        before = anemone.counters()
        with anemone.Bundle(bundles / when).function("prefill", device=device) as model:
            said[when], session = say(model, prompt)
            compiled[when] = anemone.counters()["compilations"] - before["compilations"]
            assert not session.events()
    assert said["auto"] == said["never"] == said["always"]
    assert compiled == ({"never": 2, "auto": 1, "always": 1} if device == "emulator" else dict.fromkeys(compiled, 0))


def test_a_weight_is_set_in_all_procedures(tmp_path):
    """Buckets are procedures of one program, which each session that has a weight of its own loads once more."""
    made, value = test_buckets.model(test_buckets.MEAN_OF_SEEN), np.random.default_rng(3).standard_normal((256, 256)).astype(np.float32) / 16
    said = {}
    for when in ("never", "auto"):
        bundle = anemone.compile(made, tmp_path / when, buckets={"n": (32, 64)}, options=[f"--procedures={when}"])
        assert len(manifest_of(tmp_path / when)["programs"]) == (1 if when == "auto" else 2)
        with bundle.load(device="emulator") as model:
            plain = [model(**test_buckets.inputs(size))["tokens"].tobytes() for size in (32, 64)]
            model.set_weight("w", value)
            said[when] = [model(**test_buckets.inputs(size))["tokens"].tobytes() for size in (32, 64)]
            assert all(one != other for one, other in zip(said[when], plain))
    assert said["auto"] == said["never"]


def test_text_goes_round_and_is_lint_free(bundles, tmp_path):
    text = bundles / "auto/programs/bank_0.mil"
    module = tmp_path / "bank.mlir"
    anetest.run("ane-translate", "--mil-to-ane", text, "-o", module)
    assert re.findall(r"func.func @(\w+)", module.read_text()) == ["prefill_0", "decode_0"]
    assert anetest.run("ane-translate", "--ane-to-mil", module).stdout == text.read_text()
    lint = [text, "--lint", f"--weights={bundles / 'auto'}"]  # for m4
    anetest.run("ane-translate", *lint)
    # What is found names its procedure; what only one chip's tier was seen to take is refused elsewhere.
    broken = tmp_path / "broken.mil"
    head, tail = text.read_text().split("func decode_0")
    broken.write_text(head + "func decode_0" + re.sub(r"in0*(\d+)", "in00", tail, count=1))
    found = anetest.run("ane-translate", broken, *lint[1:], check=False)
    assert found.returncode == 1 and "'decode_0' violates C142 procedure-symbols" in found.stdout
    found = anetest.run("ane-translate", text, *lint[1:], "--target=m1", check=False)
    assert found.returncode == 1 and "violates C200 procedures on h13 (in_memory, macOS 15): procedures: 2, limit 1" in found.stdout


def test_report_and_profile_name_the_procedure(bundles, models, tmp_path):
    report = json.loads((bundles / "auto.json").read_text())
    (program,) = report["programs"]
    assert [p["name"] for p in program["procedures"]] == ["prefill_0", "decode_0"]
    assert sum(p["operations"] for p in program["procedures"]) == program["operations"]
    assert {op["where"] for op in report["ops"] if op["device"] == "engine"} == {"bank_0.prefill_0", "bank_0.decode_0"}
    shares = {name: [f["engine_share"] for f in json.loads((bundles / f"{name}.json").read_text())["functions"]] for name in ("never", "auto")}
    assert shares["never"] == shares["auto"]
    text = anetest.run("ane-compile", *models, "-o", tmp_path / "m", "--report", "--host=none", "--quiet").stdout
    assert re.search(r"^bank_0 +\d+ .*\n  \.prefill_0 +\d+ .*\n  \.decode_0 ", text, re.MULTILINE) and "program bank_0.decode_0" in text
    ran = json.loads(anetest.run("ane-run", bundles / "auto", "--function=decode", "--device=emulator", "--random-inputs", "--json",
                                 "--profile").stdout)
    assert "bank_0.decode_0" in json.dumps(ran)


@pytest.mark.parametrize("target", ["--target=m1", "--target=m2", "--route=e5rt", "--route=coreml", "--target=m1,m4"])
def test_not_where_nobody_has_seen_it(models, target, tmp_path):
    anetest.run("ane-compile", *models, target, "--procedures=always", "--host=none", "-o", tmp_path / "m", "--quiet")
    assert [p["name"] for p in manifest_of(tmp_path / "m")["programs"]] == ["prefill_0", "decode_0"]


def different(count):
    """programs(), each with a slope of its own: of equal ones only the first is compiled."""
    nodes, initializers = programs(count)
    for i, cast in enumerate([node for node in nodes if node.output[0].startswith("k")]):
        nodes.insert(nodes.index(cast), helper.make_node("LeakyRelu", [f"t{i}"], [f"s{i}"], alpha=(i + 1) / 256))
        cast.input[0] = f"s{i}"
    return nodes, initializers


def test_more_programs_than_a_process_compiles(tmp_path):
    """130 programs: one by one, the emulator refuses the last (C05)."""
    model = many_nodes(different, 390, tmp_path / "model.onnx")
    inputs = {name: np.random.default_rng(1).standard_normal((1, 8, 4, 4)).astype(np.float32) * 3 for name in "xyz"}
    want = anetest.reference(model, inputs)
    got = {}
    for when in ("auto", "never"):
        bundle = tmp_path / when
        report = anetest.compile_model(model, bundle, f"--procedures={when}")
        assert report["evaluations_per_inference"] == 130
        assert len(report["programs"]) == (65 if when == "auto" else 130)
        mode = [] if when == "auto" else ["--emulator-mode=plain"]
        got[when] = anetest.run_bundle(bundle, inputs, want, tmp_path / f"{when}-out", "emulator", *mode)
    for name in want:
        assert got["auto"][name].tobytes() == got["never"][name].tobytes()
    anetest.rejected("ane-run", tmp_path / "never", "--device=emulator", "--random-inputs", says="C05")


def test_a_word_that_is_none(models, tmp_path):
    anetest.rejected("ane-compile", *models, "-o", tmp_path / "m", "--procedures=often", code=2, says=["often", "auto, never or always"])
