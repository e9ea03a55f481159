"""Packages of coremltools as input of the compiler: bundles give the numbers of PyTorch, of which the packages were made."""
import json

import numpy as np
import pytest

import anetest
import coreml_models

# Of an output's largest value. Packages in fp16 round after every op, on the CPU too, and PyTorch does not.
LIMITS = {("cpu", "FLOAT32"): 1e-4, ("cpu", "FLOAT16"): 1e-2, ("emulator", "FLOAT32"): 1e-2, ("emulator", "FLOAT16"): 1e-2}


def shapes(inputs):
    """Arguments that bind the shapes of inputs."""
    return [f"--shape={name}={'x'.join(map(str, array.shape))}" for name, array in inputs.items()]


def error(got, want, limit):
    """What is wrong with an output, or None."""
    if got.shape != want.shape and got.size != want.size:
        return f"shape {got.shape}, want {want.shape}"
    got, want = got.reshape(want.shape).astype(np.float64), want.astype(np.float64)
    if not np.array_equal(np.isfinite(got), np.isfinite(want)):
        return f"{np.count_nonzero(~np.isfinite(got))} values are not finite"
    difference, scale = np.abs(got - want).max(initial=0), np.abs(want).max(initial=0)
    return f"off by {difference:.2e} of {scale:.2e}" if difference > limit * max(scale, 1e-3) else None


def wrong(case, folder, device, limit=None):
    """What is wrong with the results of a compiled package on a device, or None."""
    got = anetest.run_bundle(folder / "m.anebundle", case.inputs, list(case.outputs), folder / device, device)
    limit = limit or LIMITS[device, case.about["precision"]]
    found = {name: error(got[name], want, limit) for name, want in case.outputs.items()}
    return ", ".join(f"{name} {why}" for name, why in found.items() if why)


def check(group, folder):
    """Compiles and runs the packages of a group on both devices."""
    if not coreml_models.ensure(group):
        pytest.skip("there is no .venv-models to make packages with (scripts/setup.sh --models)")
    failed, cases = {}, coreml_models.cases(group)
    for case in cases:
        scratch = folder / case.name
        scratch.mkdir()
        try:
            anetest.compile_model(case.package, scratch / "m.anebundle", *case.about["arguments"])
            found = {device: wrong(case, scratch, device) for device in ("cpu", "emulator")}
            why = "; ".join(f"{device}: {what}" for device, what in found.items() if what)
        except AssertionError as raised:
            why = str(raised)
        if why:
            failed[f"{case.name} ({case.about['target']}, {case.about['route']})"] = why
    assert cases and not failed, "\n".join([f"{len(failed)} of {len(cases)} packages:", *(f"{name}: {why}" for name, why in failed.items())])


@pytest.mark.slow
@pytest.mark.parametrize("group", coreml_models.PLAIN)
def test_modules(group, tmp_path):
    check(group, tmp_path)
