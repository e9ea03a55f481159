"""The main job on a real model: paraphrase-MiniLM-L3-v2 compiled, run on both devices, compared with ONNX Runtime."""
import re
from collections import Counter

import onnx
import pytest

import anetest
import fp16_oracle

LENGTHS = [32, 128]
CASES = [pytest.param(length, sentence, id=f"s{length}-{index}")
         for length in LENGTHS for index, sentence in enumerate(anetest.SENTENCES)]


@pytest.fixture(scope="module")
def oracle(minilm):
    return fp16_oracle.build(onnx.load(minilm))


@pytest.mark.parametrize("length, sentence", CASES)
def test_cpu_equals_onnxruntime(minilm, minilm_bundle, tmp_path, length, sentence):
    inputs = anetest.tokenize(sentence, length)
    want = anetest.reference(minilm, inputs)
    got = anetest.run_bundle(minilm_bundle(length)[0], inputs, want, tmp_path, "cpu")
    anetest.check_cpu(got, want)


@pytest.mark.parametrize("length, sentence", CASES)
def test_emulator_is_as_good_as_half_precision(minilm, minilm_bundle, oracle, tmp_path, length, sentence):
    inputs = anetest.tokenize(sentence, length)
    want = anetest.reference(minilm, inputs)
    got = anetest.run_bundle(minilm_bundle(length)[0], inputs, want, tmp_path, "emulator")
    anetest.check_engine(got, want, anetest.reference(oracle, inputs))


@pytest.mark.parametrize("length", LENGTHS)
def test_sentences_do_pad(minilm, length):
    """The masks are not all ones, and one sentence fills sequence 32: both cases are tested."""
    used = [int(anetest.tokenize(sentence, length)["attention_mask"].sum()) for sentence in anetest.SENTENCES]
    assert min(used) < length and (length > 32 or max(used) == length), used


@pytest.mark.parametrize("length", LENGTHS)
def test_placement(minilm_bundle, length):
    report = minilm_bundle(length)[1]
    assert anetest.engine_share(report) >= 0.9
    for op in anetest.host_ops(report):
        assert op["constraint"].strip() and op["reason"].strip(), f"no reason for {op}"
        assert op["node"].strip(), f"no name of the model's node for {op}"
    on_engine = sum(op["flops"] for op in report["ops"] if op["device"] == "engine")
    assert on_engine == report["engine_flops"] and on_engine + sum(o["flops"] for o in anetest.host_ops(report)) == report["flops"]
    # What the model needs at least: six matrices and two products of attention a layer.
    width, inner, layers = 384, 1536, 3
    matrices = 2 * length * (4 * width * width + 2 * width * inner) + 4 * length * length * width
    assert layers * matrices <= report["flops"] <= 1.1 * layers * matrices
    assert report["evaluations_per_inference"] == len(report["programs"]) >= 1


def test_placement_table_for_people(minilm, minilm_bundle, tmp_path):
    """The table has a row for each kind of op, device and reason, with the counts of the report for programs."""
    done = anetest.run("ane-compile", minilm, "-o", tmp_path / "m.anebundle", "--dim", "batch_size=1", "--dim", "sequence_length=32",
                       "--report")
    rows = [line.split() for line in (done.stdout + done.stderr).splitlines()]
    shown = Counter()
    for row in rows:
        if len(row) > 3 and row[1] in ("engine", "cpu") and row[2].isdigit():
            shown[row[0], row[1]] += int(row[2])
    want = Counter((op["op"], op["device"]) for op in minilm_bundle(32)[1]["ops"])
    assert shown == want
    for row in rows:
        if len(row) > 3 and row[1] == "cpu":
            assert re.fullmatch(r"C\d+:", row[5]), f"no constraint in {row}"
