"""The main job on a real model: paraphrase-MiniLM-L3-v2 compiled, run on both devices, compared with ONNX Runtime."""
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
        assert op["reason"].strip(), f"no reason for {op}"
        assert op["name"].strip(), f"no name of the model for {op}"


def test_placement_table_for_people(minilm, tmp_path):
    done = anetest.run("ane-compile", minilm, "-o", tmp_path / "m.anebundle", "--dim", "batch_size=1", "--dim", "sequence_length=32",
                       "--report")
    table = done.stdout + done.stderr
    assert "engine" in table and "cpu" in table and "%" in table, table
