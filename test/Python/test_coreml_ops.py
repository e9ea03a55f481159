"""Every op of coremltools' registry, in each opset that has it: a package with it comes in and gives the wanted numbers, or an error
that names it."""
import numpy as np
import pytest

import anetest
import coreml_ops
from test_coreml_in import UNREAD, error

TOGETHER = 64  # ops in a package
# Ops that no program has: what coremltools makes other ops of, or values of which nothing is known beforehand.
ELSEWHERE = {"const": "in all programs", "_const_symbolic": "within coremltools only",
             "classify": "test_coreml_in.py", "read_state": "test_coreml_in.py",
             "constexpr_lut_to_sparse": "test_coreml_in.py", "constexpr_sparse_blockwise_shift_scale": "test_coreml_in.py",
             "conv_quantized": "experimental: Core ML has no such op"}


# Ops that do not come in yet: the CPU has no code for them; the last has three results from iOS 17 on, and four here.
REFUSED_YET = UNREAD | {"affine", "crop_resize", "non_maximum_suppression"}


@pytest.fixture(scope="module")
def cases():
    """{opset: cases that coremltools builds there}"""
    return {opset: [case for case in coreml_ops.listed() if not coreml_ops.builds(case, opset)] for opset in coreml_ops.OPSETS}


def test_registry(cases):
    """No op is left out."""
    for opset, listed in cases.items():
        tried = {case.op for case in listed} | set(ELSEWHERE) | set(coreml_ops.REFUSED)
        missing = [op for op, opsets in coreml_ops.registry().items() if opset in opsets and op not in tried]
        assert not missing, f"iOS{opset}"


def wrong(cases, opset, folder):
    """{case: what is wrong}; if the package as a whole is wrong, op by op."""
    folder.mkdir()
    inputs, wanted = coreml_ops.package(cases, opset, folder / "m.mlpackage")
    try:
        anetest.run("ane-compile", folder / "m.mlpackage", "-o", folder / "m.anebundle", "--quiet")
        got = anetest.run_bundle(folder / "m.anebundle", inputs, list(wanted), folder, "cpu")
    except AssertionError as raised:
        if len(cases) == 1:
            return {cases[0].name: str(raised)}
        return {name: why for i, case in enumerate(cases) for name, why in wrong([case], opset, folder / str(i)).items()}
    names, found = iter(wanted), {}
    for case in cases:
        for expected in case.expected:
            name = next(names)
            value = got[name].astype(expected.dtype) if expected.dtype == bool else got[name]
            if why := error(value, np.asarray(expected), max(case.tolerance, 1e-4)):
                found[case.name] = why
    return found


# Single cases that do not come in, of ops of which others do.
NOT_YET = {"squeeze", "slice_by_index-run-time", "slice_by_size-run-time", "resample-constant", "resample-border", "resample-symmetric"}


def is_open(case):
    return case.op in REFUSED_YET or case.name in NOT_YET


@pytest.mark.parametrize("opset", [pytest.param(opset, marks=[] if opset == 17 else pytest.mark.slow) for opset in coreml_ops.OPSETS])
def test_values(opset, cases, tmp_path):
    failed, tried = {}, [case for case in cases[opset] if not is_open(case)]
    for start in range(0, len(tried), TOGETHER):
        failed |= wrong(tried[start:start + TOGETHER], opset, tmp_path / f"{start}")
    assert not failed, "\n".join(f"{name}: {why}" for name, why in failed.items())


@pytest.mark.parametrize("opset", [17, *(pytest.param(opset, marks=pytest.mark.slow) for opset in (15, 16, 18))])
def test_unread(opset, cases, tmp_path):
    """An error that names the op. What has come in is no more in that list."""
    for case in filter(is_open, cases[opset]):
        coreml_ops.package([case], opset, tmp_path / f"{case.name}.mlpackage")
        anetest.rejected("ane-compile", tmp_path / f"{case.name}.mlpackage", "-o", tmp_path / "m.anebundle", "--quiet", says=case.op)
        assert not (tmp_path / "m.anebundle").exists()


@pytest.mark.parametrize("op", coreml_ops.REFUSED)
def test_refused(op, tmp_path):
    """An error that names the op, and no bundle."""
    coreml_ops.refused_package(op, tmp_path / "m.mlpackage")
    anetest.rejected("ane-compile", tmp_path / "m.mlpackage", "-o", tmp_path / "m.anebundle", "--quiet", says=op)
    assert not (tmp_path / "m.anebundle").exists()
