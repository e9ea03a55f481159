"""The records beside Apple's own verdicts on single ops (opverdicts.py)."""
import numpy as np
import pytest

import anetest
import opverdicts

# Ops that the engine takes and that are left to the CPU all the same, by the record that says why.
CAUTIOUS = {
    "sdpa_mask": "C55",          # about values: a mask is made of what the engine would round
    "conv_transpose_3d": "C63",  # others measured that no chip takes a third axis
    "avg_pool3d": "C63",
    "l2_norm": "C56",            # about values: squares overflow
    "concat_interleave": "C01",  # a rule of the catalogue
    "equal": "C22",              # no surface of bools leaves a program
}

@pytest.mark.parametrize("name", list(opverdicts.PROBES))
def test_placement(tmp_path, name):
    """What the engine takes is on the engine, and what it refuses breaks a record, and is in no program."""
    taken, *_ = opverdicts.PROBES[name]
    path = tmp_path / f"{name}.mil"
    path.write_text(opverdicts.text_of(name))
    on_cpu = opverdicts.placed(path)
    if taken:
        assert {op.split()[1] for op in on_cpu} == ({CAUTIOUS[name]} if name in CAUTIOUS else set()), on_cpu
    else:
        assert "error:" in opverdicts.lint(path)
    anetest.run("ane-compile", path, "-o", tmp_path / "m.anebundle", "--quiet", "--host=none", *opverdicts.FLAGS)
    programs = tmp_path / "m.anebundle" / "programs"
    for program in programs.iterdir() if programs.exists() else ():
        assert not opverdicts.lint(program, f"--weights={tmp_path / 'm.anebundle'}", *opverdicts.FLAGS)


@pytest.mark.parametrize("route", ["in_memory", "coreml", "e5rt"])
@pytest.mark.parametrize("chip", ["m1", "m3", "m4", "m6"])
def test_refused_everywhere(tmp_path, chip, route):
    """The message is of the compiler that all routes share."""
    for name in "maxpool_k9_valid", "maxpool_k1x15", "matmul_k40000", "conv_k32x1", "conv_k1x16":
        path = tmp_path / f"{name}.mil"
        path.write_text(opverdicts.text_of(name))
        assert "error:" in opverdicts.lint(path, f"--target={chip}", f"--route={route}", "--os=26")


def run(tmp_path, name, inputs, *flags):
    path = tmp_path / f"{name}.mil"
    path.write_text(opverdicts.text_of(name))
    anetest.run("ane-compile", path, "-o", tmp_path / "m.anebundle", "--quiet", *(flags or opverdicts.FLAGS))
    return [anetest.run_bundle(tmp_path / "m.anebundle", inputs, ["y"], tmp_path / device, device)["y"] for device in ("cpu", "emulator")]


@pytest.mark.parametrize("flags", [opverdicts.FLAGS, ("--target=m4",), ("--target=m1",)])
def test_round_to_even(tmp_path, flags):
    """On the engine, to even, at every half that fp16 holds and where it holds no half."""
    x = np.concatenate([np.arange(-2100, 2100, 0.5), [0.49975586, -0.49975586, 0.50048828, -0.50048828, 65504, -65504, 1e-7, -1e-7, 6e-5],
                        np.random.default_rng(1).normal(0, 3, 65536 - 8409)]).astype(np.float16).reshape(1, 64, 32, 32)
    path = tmp_path / "round.mil"
    path.write_text(opverdicts.text_of("round"))
    assert not opverdicts.placed(path, *flags)
    for got in run(tmp_path, "round", {"in_x": x}, *flags):
        np.testing.assert_array_equal(got, np.rint(x))


@pytest.mark.parametrize("name, mode", [("pad_reflect", "reflect"), ("pad_replicate", "edge")])
def test_pads(tmp_path, name, mode):
    x = np.random.default_rng(2).normal(size=(1, 64, 32, 32)).astype(np.float16)
    for got in run(tmp_path, name, {"in_x": x}):
        np.testing.assert_array_equal(got, np.pad(x, [(0, 0), (0, 0), (2, 2), (2, 2)], mode=mode))


def test_deep_product(tmp_path):
    """Two parts: as near as fp16 holds what one sum would be."""
    rng = np.random.default_rng(3)
    x, y = rng.uniform(-0.1, 0.1, (1, 8, 40000)).astype(np.float16), rng.uniform(-1, 1, (1, 40000, 8)).astype(np.float16)
    want = x.astype(np.float64) @ y.astype(np.float64)
    for got in run(tmp_path, "matmul_k40000", {"in_x": x, "in_y": y}):
        assert np.abs(got - want).max() <= 2e-3 * np.abs(want).max()
