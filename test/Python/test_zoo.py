"""Real models and models of real shape (zoo.py) on both devices, against ONNX Runtime and the fp16 oracle."""
import numpy as np
import onnx
import pytest

import anetest
import fp16_oracle
import smollm
import zoo

# Held to 5e-3 of the largest value and a cosine of 0.99999 as well.
STRICT = {"vit-base", "vit-legacy", "bert-base", "bert-legacy", "gpt2", "gpt2-eager", "resnet50", "resnet50-legacy"}
# Composites that `--report` must show, by the number of times that they occur in the model.
RECOGNISED = {
    "vit-base": {"scaled_dot_product_attention": 12, "layer_norm": 25, "gelu": 12},
    "vit-legacy": {"scaled_dot_product_attention": 12, "layer_norm": 25, "gelu": 12},
    "bert-base": {"scaled_dot_product_attention": 12, "layer_norm": 25, "gelu": 12},
    "bert-legacy": {"scaled_dot_product_attention": 2, "layer_norm": 5, "gelu": 2},
    "gpt2": {"scaled_dot_product_attention": 2, "layer_norm": 5, "gelu": 2},
    "gpt2-eager": {"scaled_dot_product_attention": 2, "layer_norm": 5, "gelu": 2},
    "llama": {"scaled_dot_product_attention": 2, "rms_norm": 5, "rope": 4, "silu": 2},
    "qwen3": {"scaled_dot_product_attention": 2, "rms_norm": 9, "rope": 4, "silu": 2},
    "whisper-tiny-encoder": {"scaled_dot_product_attention": 4, "layer_norm": 9, "gelu": 6},
    "clip-text": {"scaled_dot_product_attention": 12, "layer_norm": 25, "gelu": 12},
    "convnext-tiny": {"layer_norm": 23, "gelu": 18},
}
DETECTOR, RECOGNIZER, VOICE = "ocr-detector", "ocr-recognizer", "voice-detector"
# A real model of each kind that the short run has, too, beside the encoder of test_minilm.py.
ALWAYS = {"ocr-classifier", "ocr-detector", "voice-detector", "smollm2"}


@pytest.fixture(scope="module",
                params=[pytest.param(name, marks=[] if name in ALWAYS else pytest.mark.slow) for name in zoo.MODELS])
def case(request, tmp_path_factory):
    """(name, path, inputs, bundle, report, reference)"""
    name = request.param
    made = zoo.ensure(name)
    if not made:
        pytest.skip(f"{name} is not in {zoo.CACHE}, and there is no .venv-models to make it with (scripts/setup.sh --models)")
    path, inputs = made
    bundle = tmp_path_factory.mktemp(name) / "m.anebundle"
    want = anetest.reference(path, inputs)
    report = anetest.compile_model(path, bundle, "--cpu-weights=source", "--target=m4", *zoo.options(name, inputs))
    return name, path, inputs, bundle, report, want


def worst(got, want):
    """The largest error of all outputs, relative to the largest value of its output; for the table of results."""
    errors = [anetest.Error(got[key], array) for key, array in want.items()]
    return f"{max(error.max / error.scale for error in errors):.1e}"


def test_cpu(case, tmp_path, record_property):
    name, _, inputs, bundle, _, want = case
    got = anetest.run_bundle(bundle, zoo.given(name, inputs), want, tmp_path, "cpu")
    record_property("error", worst(got, want))
    anetest.check_cpu(got, want, tolerance=1e-3 if name == DETECTOR else 2e-5)


def test_language_model_goes_on(case):
    """What smollm.py writes is the model that was trained, and not just some graph of its shape."""
    name, _, inputs, _, _, want = case
    if name != "smollm2":
        pytest.skip("no language model")
    source = smollm.Source(smollm.gguf_path())
    assert inputs["input_ids"][0, : len(smollm.PROMPT)].tolist() == source.tokens(smollm.PROMPT)
    assert want["logits"][0, len(smollm.PROMPT) - 1].argmax() == source.tokens([smollm.NEXT])[0]


def test_emulator(case, tmp_path, record_property):
    name, path, inputs, bundle, _, want = case
    got = anetest.run_bundle(bundle, zoo.given(name, inputs), want, tmp_path, "emulator")
    record_property("error", worst(got, want))
    if name == VOICE:
        # The oracle rewrites no branches, and the whole model stands in one.
        for key, array in want.items():
            error = anetest.Error(got[key], array)
            scale = 1 if key == "output" else error.scale  # the output is a probability
            assert error.max <= 5e-3 * scale and error.cosine >= 0.99999, f"{key}: {error}"
        return
    half = anetest.reference(fp16_oracle.build(onnx.load(path)), inputs)
    record_property("error of the fp16 oracle", worst(half, want))
    for key, array in want.items():
        error, oracle = anetest.Error(got[key], array), anetest.Error(half[key], array)
        print(f"{name} {key}: {error}\noracle {oracle}")
        if name == DETECTOR:
            text, found = array > 0.3, got[key] > 0.3
            assert np.any(text), "the page has no text"
            overlap = np.count_nonzero(text & found) / np.count_nonzero(text | found)
            mean = float(np.abs(got[key] - array).mean())
            print(f"intersection over union {overlap:.4f}, mean error {mean:.2e}")
            assert overlap >= 0.99 and mean <= 5e-4
            continue
        if name == RECOGNIZER:
            # Probabilities of 6,625 characters: what counts is the text that is read.
            # Sigmoids by exponentials (C58) and norms of scaled inputs round more often than the oracle: features enter the
            # second attention with 1.5 times its error, and the softmax there, over scores of +-26, makes the worst of them
            # 7 times worse. With `--prefer=speed` the cosine is 0.99991.
            assert np.array_equal(got[key].argmax(-1), array.argmax(-1)) and error.cosine >= 0.9998, str(error)
            continue
        assert error.max <= 2 * oracle.max and error.rms <= 2 * oracle.rms, f"{error}; oracle {oracle}"
        if name in STRICT:
            assert error.max <= 5e-3 * error.scale and error.cosine >= 0.99999, str(error)


def test_engine_share(case, record_property):
    name, _, _, _, report, _ = case
    record_property("engine share", f"{100 * report['engine_share']:.2f} %")
    recurrent = anetest.recurrent_share(anetest.host_ops(report), report["flops"])
    assert report["engine_share"] + recurrent >= 0.9, anetest.host_ops(report)
    for op in anetest.host_ops(report):
        assert op["constraint"] and op["reason"], op


def test_recognised(case):
    name, _, _, _, report, _ = case
    counts = {}
    for op in report["ops"]:
        counts[op["op"]] = counts.get(op["op"], 0) + 1
    for composite, count in RECOGNISED.get(name, {}).items():
        assert counts.get(composite, 0) == count, f"{composite}: {counts.get(composite, 0)}, want {count}"
