"""Models as ONNX Runtime's optimisers leave them: fused ops of com.microsoft compute what the source computes."""
import collections

import numpy as np
import onnx
import onnxruntime
import pytest

import anetest

pytestmark = pytest.mark.skipif(not anetest.minilm_path(), reason="needs MiniLM")
LENGTH = 32


def optimise_by_session(source, target):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(target)
    onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])


def optimise_by_script(source, target):
    optimizer = pytest.importorskip("onnxruntime.transformers.optimizer")
    fused = optimizer.optimize_model(str(source), model_type="bert", num_heads=12, hidden_size=384, opt_level=0)
    fused.save_model_to_file(str(target))


def quantise(source, target):
    quantization = pytest.importorskip("onnxruntime.quantization")
    quantization.quantize_dynamic(str(source), str(target), weight_type=quantization.QuantType.QInt8)


@pytest.mark.parametrize("optimise,ops,tolerance", [
    (optimise_by_session, {"FusedMatMul", "BiasGelu"}, 2e-5),
    (optimise_by_script, {"SkipLayerNormalization", "BiasGelu"}, 2e-5)])
def test_minilm(optimise, ops, tolerance, tmp_path):
    target = tmp_path / "optimised.onnx"
    optimise(anetest.minilm_path(), target)
    used = collections.Counter(node.op_type for node in onnx.load(target).graph.node if node.domain)
    print(dict(used))
    assert ops <= set(used)
    inputs = anetest.tokenize("A man is playing a guitar on the street.", LENGTH)
    want = anetest.reference(anetest.minilm_path(), inputs)
    bundle = tmp_path / "model.anebundle"
    report = anetest.compile_model(target, bundle, "--dim", "batch_size=1", "--dim", f"sequence_length={LENGTH}")
    assert anetest.engine_share(report) > 0.99
    got = anetest.run_bundle(bundle, inputs, list(want), tmp_path, "cpu")
    anetest.check_cpu(got, want, tolerance)
    engine = anetest.run_bundle(bundle, inputs, list(want), tmp_path / "engine", "emulator")
    for name, array in want.items():
        error = anetest.Error(engine[name], array)
        assert error.max <= 5e-3 * error.scale and error.cosine >= 0.99999, f"{name}: {error}"
