"""The gradient rule of each op, against finite differences in double and against PyTorch.

Every op of the dialect has a rule with a case in gradientcases.py, or stands below as one through which nothing flows, or that says why it
can't be differentiated.
"""
import pickle
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import anetest
import gradientcases
import hostlib
import zoo
from gradientcases import CASES, kind

TORCH = Path(__file__).with_name("torchgradients.py")
LIMIT = 1e-6  # of the largest entry of the gradient
TORCH_LIMIT = 1e-10  # PyTorch computes in double, too
ROUNDED = {"cast_back": 1e-7}  # to fp32, as PyTorch does
STEPPED = {"cast_back": 1e-4}  # a step of fp32 beside one of the differences, 1e-3
MOST = 24  # entries of an input that are moved one by one
STEPS = {"sign", "ceil", "floor", "round", "floor_div"}  # constant between steps
NO_FLOATS = {"logical_not", "logical_and", "logical_or", "logical_xor", "equal", "not_equal", "greater", "greater_equal", "less",
             "less_equal", "bitwise_not", "bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right", "reduce_argmax",
             "reduce_argmin", "argsort", "shape", "range_1d", "const"}

ELEMENTS = {"bool": "i1", "int32": "i32", "int64": "i64", "float64": "f64"}


def shapes_of(case):
    return {name: entry if not (entry and isinstance(entry[-1], str)) else entry[0] for name, entry in case.inputs.items()}


def drawn(case):
    """Inputs of a case, and the weights of the entries of its result in the loss."""
    generator = np.random.default_rng(sum(map(ord, case.name)))
    domains = {name: entry[1] if entry and isinstance(entry[-1], str) else "normal" for name, entry in case.inputs.items()}
    values = {name: gradientcases.draw(generator, shape, domains[name]) for name, shape in shapes_of(case).items()}
    return values, generator.normal(size=case.y)


def function_of(case):
    """The text of a function that computes a weighted sum of the case's result."""
    arguments = {name: kind(shape) for name, shape in shapes_of(case).items()}
    constants = {name: kind(array.shape, ELEMENTS[array.dtype.name]) for name, array in case.constants.items()}
    types = arguments | constants | {"y": kind(case.y)}
    text = re.sub(r"<(\w+)>", lambda match: types.get(match[1], match[0]), case.text)
    signature = ", ".join(f'%{name}: {text_} {{ane.io_name = "{name}"}}' for name, text_ in (arguments | constants | {"weights": kind(case.y)}).items())
    lines = [f"func.func @{case.name}({signature}) -> tensor<f64> {{", *text.splitlines(),
             f"%product = ane.mul %y, %weights : {types['y']}, {types['y']}",
             f"%loss = ane.reduce_sum %product : ({types['y']}) -> tensor<f64>", "return %loss : tensor<f64>", "}"]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """All functions and their gradients, in double."""
    folder = tmp_path_factory.mktemp("gradients")
    source = folder / "cases.mlir"
    source.write_text("\n".join(function_of(case) for case in CASES))
    passes = [f"--ane-autodiff=function={case.name} wrt={','.join(case.inputs)}" for case in CASES]
    module = anetest.run("ane-opt", source, *passes, "--cse", "--canonicalize", "-o", folder / "gradients.mlir")
    return hostlib.Library((folder / "gradients.mlir").read_text(), folder / "library", "f64=true")


def finite_differences(function, values, name, places):
    """Derivatives of `function` by the entries of an input at `places`, to the fourth order."""
    found = []
    for place in places:
        step = 1e-3 * max(1.0, abs(values[name].flat[place]))
        moved = []
        for distance in (-2, -1, 1, 2):
            changed = values[name].copy()
            changed.flat[place] += distance * step
            moved.append(function(values | {name: changed}))
        found.append((moved[0] - 8 * moved[1] + 8 * moved[2] - moved[3]) / (12 * step))
    return np.array(found)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_finite_differences(case, library):
    values, weights = drawn(case)
    rest = [*case.constants.values(), weights]
    function = lambda inputs: float(library(case.name, *inputs.values(), *rest))
    loss, *gradients = library(f"{case.name}_gradients", *values.values(), *rest)
    assert abs(float(loss) - function(values)) <= 1e-12 * max(1, abs(float(loss)))
    generator = np.random.default_rng(5)
    for name, gradient in zip(sorted(case.inputs), gradients):
        places = np.arange(gradient.size) if gradient.size <= MOST else generator.choice(gradient.size, MOST, replace=False)
        want = finite_differences(function, values, name, places)
        assert np.abs(want).max() > 1e-3, "a gradient of zeros proves nothing"
        error = np.abs(gradient.flat[places] - want).max() / max(np.abs(gradient).max(), 1e-3)
        assert error < STEPPED.get(case.name, LIMIT), f"{name}: off by {error:.2e}\n{gradient.flat[places]}\n{want}"


@pytest.mark.slow
def test_pytorch(library, tmp_path):
    """Value and gradients of every case."""
    if not zoo.python():
        pytest.skip("there is no environment with PyTorch")
    with open(tmp_path / "cases", "wb") as file:
        pickle.dump([(case.name, case.torch, drawn(case)[0], case.constants, drawn(case)[1]) for case in CASES], file)
    subprocess.run([zoo.python(), TORCH, tmp_path / "cases", tmp_path / "gradients"], check=True, stdin=subprocess.DEVNULL)
    with open(tmp_path / "gradients", "rb") as file:
        want = pickle.load(file)
    wrong, largest = [], 0
    for case in CASES:
        values, weights = drawn(case)
        loss, *gradients = library(f"{case.name}_gradients", *values.values(), *case.constants.values(), weights)
        wanted_loss, wanted = want[case.name]
        errors = {"value": abs(float(loss) - wanted_loss) / max(abs(wanted_loss), 1e-3)}
        for name, gradient in zip(sorted(case.inputs), gradients):
            errors[name] = np.abs(gradient - wanted[name]).max() / max(np.abs(wanted[name]).max(), 1e-3)
        wrong += [f"{case.name}, {name}: off by {error:.2e}" for name, error in errors.items() if not error < ROUNDED.get(case.name, TORCH_LIMIT)]
        largest = max(largest, *errors.values()) if case.name not in ROUNDED else largest
    print(f"largest error of {len(CASES)} cases: {largest:.2e}")
    assert not wrong, "\n".join(wrong)


def test_every_op():
    """Each op has a rule that is tested here, or is known to have none."""
    listed = [line.split(": ", 2) for line in anetest.run("ane-opt", "--list-gradients").stdout.splitlines()]
    kinds = {op: kind_ for op, kind_, *_ in listed}
    ops = set(re.findall(r"^#### `ane\.(\w+)`", (anetest.ROOT / "docs" / "generated" / "ops.md").read_text(), re.MULTILINE))
    assert len(ops) > 170 and set(kinds) == ops
    tested = {case.op for case in CASES}
    assert {op for op, kind_ in kinds.items() if kind_ == "rule"} == tested
    assert not [case.name for case in CASES if not case.torch], "cases that PyTorch's autograd does not see"
    assert {op for op, kind_ in kinds.items() if kind_ == "nothing flows back"} == STEPS | NO_FLOATS
    assert all(len(line) == 3 for line in listed if line[1] == "refused")
