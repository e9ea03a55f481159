"""The same bits on every run and, of CPU code, for every number of threads."""
import json
import os

import numpy as np
import pytest

import anetest
import models

MODELS = {"mlp": models.mlp(1, batch=37), "encoder": models.encoder(2, sequence=50), "decoder": models.decoder(3),
          "cnn": models.cnn(4, size=45)}


@pytest.mark.parametrize("name", MODELS)
def test_threads_and_runs_change_no_bit(tmp_path, name):
    made = MODELS[name]
    path, bundle = tmp_path / "model.onnx", tmp_path / "model.anebundle"
    path.write_bytes(made.model.SerializeToString())
    anetest.compile_model(path, bundle, "--deterministic")
    triples = [library["triple"] for library in json.loads((bundle / "manifest.json").read_text())["host_libraries"]]
    assert len(triples) == len(set(triples)) == 1, "one library: processors of another level compute the same"
    outputs = [output.name for output in made.model.graph.output]
    for device in ("cpu", "emulator"):
        # The emulator's products are OpenBLAS's, whose last bits may depend on its threads (on Zen they do).
        first = {}
        for number, threads in enumerate([1, 2, 3, 7, 7, 1]):
            got = anetest.run_bundle(bundle, made.inputs(0), outputs, tmp_path / f"{device}{number}", device,
                                     f"--threads={threads}", "--repeat=3",
                                     env={"OPENBLAS_NUM_THREADS": str(threads)})
            first.setdefault(None if device == "cpu" else threads, got)
            for output in outputs:
                np.testing.assert_array_equal(got[output].view(np.uint8), first[None if device == "cpu" else threads][output].view(np.uint8),
                                              err_msg=f"{output} on {device} with {threads} threads")


def on_one_processor():
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])


@pytest.mark.parametrize("name", ["encoder", "cnn"])
def test_threads_of_the_compiler_change_no_byte(name, tmp_path):
    """It has a thread for each processor that it may use."""
    path = tmp_path / "model.onnx"
    path.write_bytes(MODELS[name].model.SerializeToString())
    for bundle, before in (("a", None), ("b", on_one_processor)):
        anetest.run("ane-compile", path, "-o", tmp_path / bundle, "--host=all", preexec_fn=before)
    files = [file.relative_to(tmp_path / "a") for file in (tmp_path / "a").rglob("*") if file.is_file()]
    assert len(files) > 6
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes(), file
