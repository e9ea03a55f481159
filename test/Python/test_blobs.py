"""Every blob of a bundle, read by coremltools' reader, against the model's weights as NumPy has them."""
import json
import logging

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

import anetest
import blobs

logging.getLogger("coremltools").setLevel(logging.ERROR)
pytest.importorskip("coremltools.libmilstoragepython")


@pytest.fixture(scope="module")
def bundle(minilm_bundle):
    return minilm_bundle(32)[0]


@pytest.fixture(scope="module")
def manifest(bundle):
    return json.loads((bundle / "manifest.json").read_text())


def engine_constants(bundle, manifest):
    """(reference, values by coremltools) of every constant in the programs."""
    for program in manifest["programs"]:
        for reference in blobs.references((bundle / program["mil"]).read_text()):
            path = bundle / reference["path"].replace("@model_path/", "")
            yield reference, blobs.read_with_coremltools(path, reference["offset"], reference["kind"])


def weight_files(bundle, manifest):
    paths = {path for program in manifest["programs"] for path in program["weights"]} | set(manifest["host_weights"])
    return [bundle / path for path in sorted(paths)]


def test_programs_refer_to_blobs(bundle, manifest):
    found = list(engine_constants(bundle, manifest))
    assert len(found) >= 18, "three layers have six matrices each"
    for reference, values in found:
        assert values.size == np.prod(reference["shape"], dtype=int), reference
        assert np.dtype(values.dtype) == blobs.NUMPY[reference["kind"]], reference


def test_every_record_reads_back_equal(bundle, manifest):
    total = 0
    for path in weight_files(bundle, manifest):
        found = blobs.records(path)
        assert found, f"{path} holds nothing"
        for offset, kind, values in found:
            got = blobs.read_with_coremltools(path, offset, kind)
            np.testing.assert_array_equal(got.view(np.uint8), np.asarray(values).view(np.uint8), err_msg=f"{path} at {offset}")
        total += len(found)
    print(f"{total} records in {len(weight_files(bundle, manifest))} files")


def test_engine_weights_are_the_models(minilm, bundle, manifest):
    """Each matrix of the model is in a program: transposed for a convolution, rounded to fp16, bit for bit."""
    stored = {}
    for reference, values in engine_constants(bundle, manifest):
        stored.setdefault(values.size, []).append(values)
    matrices = {i.name: numpy_helper.to_array(i) for i in onnx.load(minilm).graph.initializer}
    matrices = {name: array for name, array in matrices.items() if array.ndim == 2 and "embeddings" not in name}
    assert len(matrices) == 18
    for name, array in matrices.items():
        wanted = [np.ascontiguousarray(a).astype(np.float16).ravel() for a in (array.T, array)]
        assert any(np.array_equal(w, s) for s in stored.get(array.size, []) for w in wanted), f"{name} is in no program"


def test_biases_are_the_models(minilm, bundle, manifest):
    """Each bias vector of a projection, rounded to fp16, is in a program (as a blob or as a literal)."""
    vectors = {i.name: numpy_helper.to_array(i) for i in onnx.load(minilm).graph.initializer}
    vectors = {name: a for name, a in vectors.items() if name.endswith("dense.bias") or name.endswith("value.bias")}
    assert len(vectors) >= 9
    stored = [values for _, values in engine_constants(bundle, manifest)]
    for name, array in vectors.items():
        assert any(np.array_equal(array.astype(np.float16), s) for s in stored if s.size == array.size), f"{name} is in no program"


def sorted_values(array):
    return np.sort(array[array != 0], axis=None)


def test_host_weights_are_the_models(minilm, bundle, manifest):
    """The CPU twin keeps the source's fp32 values, bit for bit. Matrices are packed into panels and padded with zeros, so
    that values are compared in sorted order, without zeros."""
    stored = []
    for path in manifest["host_weights"]:
        for _, kind, values in blobs.records(bundle / path):
            if kind == "fp32":
                stored.append(sorted_values(np.asarray(values)))
    for initializer in onnx.load(minilm).graph.initializer:
        array = numpy_helper.to_array(initializer)
        if array.dtype == np.float32 and array.ndim == 2 and min(array.shape) > 2:
            # Of an embedding over positions, the compiler may keep the rows that the sequence reaches.
            wanted = [sorted_values(array), sorted_values(array[:32])]
            assert any(np.array_equal(w, s) for w in wanted for s in stored), initializer.name
