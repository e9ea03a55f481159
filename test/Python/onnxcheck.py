"""Compiles a small ONNX model for the CPU and compares it with ONNX Runtime."""
import numpy as np
import onnx
import onnx.parser

import anetest
import bundlelib
import hostlib


def parse(text):
    """A model from ONNX's textual syntax."""
    return onnx.parser.parse_model(text)


def refused(model, directory, *says):
    """The importer refuses the model in one error that holds each text of `says`."""
    path = directory / "refused.onnx"
    onnx.save(model, path)
    done = anetest.rejected("ane-translate", "--onnx-to-ane", path, says=says)
    assert done.stderr.count("error: ") == 1, done.stderr
    return done.stderr


def compile(model, directory):
    """The model's CPU code."""
    path = directory / "model.onnx"
    onnx.save(model, path)
    return hostlib.Library(anetest.run("ane-translate", "--onnx-to-ane", path).stdout, directory / "host")


def check(model, inputs, directory, tolerance=2e-5, want=None):
    """`inputs`: {name: array}. Returns the outputs, which are within `tolerance` of the largest expected value."""
    want = want if want is not None else list(anetest.reference(model, inputs).values())
    names = [info.name for info in model.graph.input]
    got = compile(model, directory)("main", *[inputs[name] for name in names if name in inputs])
    got = got if isinstance(got, list) else [got]
    for info, value, expected in zip(model.graph.output, got, want, strict=True):
        assert value.dtype == expected.dtype and value.shape == expected.shape, (
            f"{info.name}: {value.dtype}{value.shape}, want {expected.dtype}{expected.shape}")
        if value.dtype.kind != "f":
            np.testing.assert_array_equal(value, expected, err_msg=info.name)
            continue
        scale = max(float(np.abs(expected).max(initial=0)), 1e-3)
        error = np.abs(value.astype(float) - expected.astype(float)).max(initial=0)
        assert error <= tolerance * scale, f"{info.name}: error {error / scale:.2e} of {scale:.3g}"
    return got


def check_devices(model, inputs, directory, *flags, tolerance=2e-5, engine_tolerance=2e-3, units=0, want=None):
    """The same with a bundle, on the CPU and on the emulator: floats within `engine_tolerance` there, integers within `units` on
    both. `flags`: of ane-compile."""
    want = want if want is not None else list(anetest.reference(model, inputs).values())
    onnx.save(model, directory / "model.onnx")
    anetest.run("ane-compile", directory / "model.onnx", "-o", directory / "model.anebundle", "--quiet", *flags)
    for device, limit in (("cpu", tolerance), ("emulator", engine_tolerance)):
        with bundlelib.Bundle(directory / "model.anebundle", device) as bundle:
            got = bundle(inputs)
            assert not bundle.events(), f"{device}: {bundle.events()}"
        for (name, _, _), value, expected in zip(bundle.outputs, got, want, strict=True):
            assert value.dtype == expected.dtype and value.shape == expected.shape, f"{device} {name}: {value.dtype}{value.shape}"
            if value.dtype.kind != "f":
                np.testing.assert_allclose(value.astype(float), expected.astype(float), rtol=0, atol=units, err_msg=f"{device} {name}")
                continue
            scale = max(float(np.abs(expected).max(initial=0)), 1e-3)
            error = np.abs(value.astype(float) - expected.astype(float)).max(initial=0)
            assert error <= limit * scale, f"{device} {name}: error {error / scale:.2e} of {scale:.3g}"
