"""What legalisation does to values: each test/Constraints/*/legalised.mlir, computed before and after.

The reference is the CPU code of the module as it is written, in double. After legalisation

  - the engine's bodies, computed in double, too, differ by what the rewrites change: nothing, unless the file says how
    much and why;
  - the emulator differs by fp16 as well: at most FACTOR times what rounding every value of the model to fp16 costs, and
    never held to less than UNITS units in the last place of the largest value, since a rewrite has more roundings.

Lines of the files:

  // VALUES: %x = 0.1 .. 4               inputs are uniform between the two, instead of normal with deviation 2
  // REWRITE ERROR: 1e-3, because ...    of the largest value
  // NOT COMPARED: because ...           the file has no numeric comparison
"""
import re

import numpy as np
import pytest

import anetest
import bundlelib
import irplan

FILES = sorted((anetest.ROOT / "test" / "Constraints").glob("*/legalised.mlir"))
EXACT = 1e-6  # of the largest value: results are stored as fp32
FACTOR, UNITS = 3, 3
HALF_UNIT = 2.0**-11  # largest relative error of one rounding to fp16


def values(kind, bounds, generator):
    """Input of a tensor type; numbers of fp16, as other ones would take some runs to the CPU."""
    shape, _ = irplan.shape_of(kind)
    dtype = irplan.dtype_of(kind)
    if dtype == np.bool_:
        return generator.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        low, high = bounds or (0, 9)
        return generator.integers(int(low), int(high) + 1, shape).astype(dtype)
    drawn = generator.uniform(*bounds, shape) if bounds else generator.normal(0, 2, shape)
    return np.asarray(drawn, np.float16).astype(dtype)


def check(got, want, limit, what):
    """Floats to `limit` of the largest value, everything else exactly."""
    if want.dtype.kind != "f":
        np.testing.assert_array_equal(got, want, err_msg=what)
        return
    assert np.all(np.isfinite(want)), f"{what}: the reference is not finite: give VALUES"
    error = anetest.Error(got, want)
    assert error.max <= limit * max(error.scale, 1e-6), f"{what}: {error}, limit {limit:.2e} of it"


def varied(text, folder):
    """The module with random weights where it has one number many times, which would hide elements that change places."""
    file = folder / "weights.bin"
    generator = np.random.default_rng(4)
    with open(file, "wb") as stream:
        def weight(match):
            shape, _ = irplan.shape_of(match[1])
            if np.prod(shape) < 16:
                return match[0]
            scale = 1 / np.sqrt(np.prod(shape[1:]))
            data = generator.normal(0, scale, shape).astype(np.float16).astype(np.float32).tobytes()
            offset = stream.tell()
            stream.write(data)
            return f'#ane.weight<"{file}", {offset}, {len(data)}> : {match[1]}'

        return re.sub(r"dense<[-+.\de]+> : (tensor<[\dx]+xf32>)", weight, text)


def line(text, name):
    """What a file says in the lines '// NAME: ...'."""
    return re.findall(rf"^// {name}: (.*)$", text, re.MULTILINE)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_values_are_kept(path, tmp_path):
    text = path.read_text()
    if reasons := line(text, "NOT COMPARED"):
        assert len(reasons[0]) > 20, "give the reason"
        pytest.skip(reasons[0])
    bounds = {}
    for name, low, high in re.findall(r"(%\w+) = (\S+) \.\. (\S+)", " ".join(line(text, "VALUES"))):
        bounds[name] = float(low), float(high)
    allowed = [float(entry.split(",")[0]) for entry in line(text, "REWRITE ERROR")]
    for index, part in enumerate(text.split("\n// -----")):
        folder = tmp_path / str(index)
        folder.mkdir()
        source = folder / "module.mlir"
        source.write_text(varied(part, folder))
        compare(source, folder, bounds, max(allowed, default=EXACT))


def compare(source, folder, bounds, allowed):
    written = re.findall(r"func\.func @(\w+)\(([^)]*)\)", source.read_text())
    names = {function: re.findall(r"%\w+(?=:)", arguments) for function, arguments in written}
    reference = irplan.Reference(irplan.generic(source), folder / "before")
    plan = irplan.Plan(irplan.generic(source, "--ane-to-partitioned"), folder / "after")
    bundle = folder / "m.anebundle"
    anetest.run("ane-compile", source, "-o", bundle, "--quiet")
    for function, record in reference.functions.items():
        generator = np.random.default_rng(5)
        inputs = [values(kind, bounds.get(name), generator)
                  for name, (_, kind) in zip(names[function], record.arguments)]
        want, half = reference.call(function, inputs), reference.half(function, inputs)
        with bundlelib.Bundle(bundle, "emulator", function=function, emulator_mode="plain") as opened:
            emulated = opened({name: value for (name, *_), value in zip(opened.inputs, inputs)})
            assert not opened.events()
        for i, (after, got, exact, oracle) in enumerate(zip(plan(function, inputs), emulated, want, half)):
            what = f"@{function}, result {i}"
            check(after, exact, allowed, what + ", rewrites in double")
            storage = np.abs(oracle - exact).max() / max(np.abs(exact).max(), 1e-6) if exact.dtype.kind == "f" else 0
            check(got, exact, allowed + max(FACTOR * storage, UNITS * HALF_UNIT), what + ", emulator")
