"""Programs that coremltools writes at each opset: they parse, run alike, and lint knows which macOS reads which opset."""
import json
import shutil

import coremltools
import numpy as np
import pytest
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.mil import types

import anetest
from coremltools_text import program_text

OPSETS = {"ios15": coremltools.target.iOS15, "ios16": coremltools.target.iOS16, "ios17": coremltools.target.iOS17,
          "ios18": coremltools.target.iOS18}
NEWEST = {11: 0, 12: 15, 13: 16, 14: 17, 15: 18}  # of a macOS
SHAPE = (1, 8, 16, 32)


def constant(*shape):
    return (np.random.default_rng(sum(shape)).standard_normal(shape) * 0.2).astype(np.float16)


def convolution(x):
    x = mb.conv(x=x, weight=constant(16, 8, 3, 3), bias=constant(16), pad_type="same", strides=[1, 1])
    return mb.max_pool(x=mb.gelu(x=x, mode="TANH_APPROXIMATION"), kernel_sizes=[2, 2], strides=[2, 2], pad_type="valid")


def attention(x):
    scores = mb.softmax(x=mb.mul(x=mb.matmul(x=x, y=x, transpose_y=True), y=np.float16(0.2)), axis=-1)
    x = mb.layer_norm(x=mb.matmul(x=scores, y=x), axes=[-1], gamma=constant(32), beta=constant(32), epsilon=np.float16(1e-4))
    return mb.linear(x=x, weight=constant(64, 32), bias=constant(64))


def movement(x):
    x = mb.concat(values=[mb.slice_by_index(x=x, begin=[0, 0, 0, 0], end=[1, 4, 16, 32]), mb.relu(x=x)], axis=1)
    x = mb.transpose(x=mb.reshape(x=x, shape=[1, 12, 32, 16]), perm=[0, 2, 1, 3])
    return mb.select(cond=mb.greater(x=x, y=np.float16(0)), a=x, b=mb.exp(x=x))


def selection(x):
    x = mb.gather(x=x, indices=np.array([3, 1, 0], np.int32), axis=1)
    return mb.reduce_sum(x=mb.topk(x=x, k=5, axis=-1)[0], axes=[2], keep_dims=True)


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """{(name, opset): folder} of text, weights and input."""
    made = {}
    for make in (convolution, attention, movement, selection):
        for opset, target in OPSETS.items():
            wide = opset == "ios15"  # whose ports are fp32
            spec = mb.TensorSpec(shape=SHAPE, dtype=types.fp32 if wide else types.fp16)

            @mb.program(input_specs=[spec], opset_version=target)
            def program(x):
                return make(mb.cast(x=x, dtype="fp16") if wide else x)

            model = coremltools.convert(program, convert_to="mlprogram", minimum_deployment_target=target, skip_model_load=True)
            folder = tmp_path_factory.mktemp(f"{make.__name__}_{opset}")
            (folder / "model.mil").write_text(program_text(model.get_spec().mlProgram))
            shutil.copytree(model.weights_dir, folder / "weights")
            np.save(folder / "x.npy", (np.arange(np.prod(SHAPE)).reshape(SHAPE) % 61 / 30 - 1).astype(np.float32 if wide else np.float16))
            made[make.__name__, opset] = folder
    return made


def test_they_run_alike_at_each_opset(programs, tmp_path):
    results = {}
    for (name, opset), folder in programs.items():
        out = tmp_path / f"{name}_{opset}"
        anetest.run("ane-run", "--mil", folder / "model.mil", "--weights", folder, "--emulator-mode=plain",
                    f"--input=x={folder / 'x.npy'}", "--output-dir", out)
        (file,) = out.glob("*.npy")
        results.setdefault(name, []).append(np.load(file).astype(np.float64))
    for name, values in results.items():
        assert np.isfinite(values[0]).all() and values[0].std() > 0, name
        for other in values[1:]:
            np.testing.assert_allclose(other, values[0], rtol=4e-3, atol=4e-3, err_msg=name)


def findings(folder, *target):
    done = anetest.run("ane-translate", "--lint", folder / "model.mil", "--json", *target, check=False)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)["diagnostics"]


@pytest.mark.parametrize("route, chip", [("coreml", "m1"), ("e5rt", "m4")])
def test_the_macos_decides_which_opset_is_read(programs, route, chip):
    for opset in OPSETS:
        for os, newest in NEWEST.items():
            found = [d for d in findings(programs["movement", opset], f"--target={chip}", f"--route={route}", f"--os={os}")
                     if d["id"] == "C29"]
            assert bool(found) == (int(opset[3:]) > newest), f"{opset} for macOS {os}: {found}"


def test_the_in_memory_route_asks_the_chip_as_well(programs):
    for opset in OPSETS:
        found = [d for d in findings(programs["attention", opset], "--target=m1", "--os=26") if d["id"] == "C29"]
        assert bool(found) == (opset > "ios16"), f"{opset}: {found}"
