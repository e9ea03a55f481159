"""The Python package: compiling, running, what goes wrong, threads, interrupts, the command line."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import onnx
import pytest

import frontend
import models
from anetest import ROOT
from frontend import K, X, check

import anemone  # found through frontend


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    return anemone.compile(frontend.affine(), tmp_path_factory.mktemp("affine") / "m.anebundle", dims={"batch": 4})


@pytest.fixture(scope="module")
def model(bundle):
    return anemone.load(bundle, device="cpu", threads=2)


# ---- compiling --------------------------------------------------------------


def test_sources_give_the_same_bundle(bundle, tmp_path):
    path = tmp_path / "model.onnx"
    onnx.save(frontend.affine(), path)
    steps = []
    made = [anemone.compile(path, dims={"batch": 4}, log=steps.append),
            anemone.compile(str(path), tmp_path / "b", shapes={"x": (4, 64), "k.0": [4]})]
    assert any("importing" in step for step in steps)
    for other in made:
        for name in ("manifest.json", "programs/main_0.mil"):
            assert (other.path / name).read_bytes() == (bundle.path / name).read_bytes()


def test_temporary_bundle_lives_as_long_as_its_model():
    made = anemone.compile(frontend.affine(), dims={"batch": 4})
    path = made.path
    loaded = made.load(device="cpu")
    del made
    check(loaded(X, K))
    loaded.close()
    del loaded
    assert not path.exists() and not path.parent.exists()


def test_report(bundle, model):
    report = model.report()
    assert report.data == json.loads((bundle.path / "report.json").read_text())
    assert 0.5 < report.engine_share < 1 and report.target.startswith("h16")
    assert {op["device"] for op in report.ops} == {"engine", "cpu"}
    assert "C23" in str(report) and "program main_0" in str(report)
    assert str(bundle.report()) == str(report)


def test_targets_and_constraints():
    found = {target.name: target for target in anemone.targets()}
    assert "m4" in found["h16"].aliases and len(found) > 20
    assert "channels" in anemone.explain("C16")
    with pytest.raises(anemone.CompileError, match="C9999"):
        anemone.explain("C9999")


def test_a_set_of_targets():
    made = anemone.compile(frontend.affine(), dims={"batch": 4}, target=("m4", "m1"), route="e5rt")
    target = made.load(device="emulator").target
    assert (target["chip"], target["route"]) == ("h13,h16", "e5rt")


def test_deterministic():
    """One library for the triple, which the model names when it runs."""
    made = anemone.compile(frontend.affine(), dims={"batch": 4}, deterministic=True)
    (library,) = json.loads((made.path / "manifest.json").read_text())["host_libraries"]
    with made.load(device="cpu") as model:
        assert model.host == f"{library['triple']}:{library['cpu']}"


@pytest.mark.parametrize("arguments, says", [
    (dict(), "dimension 'batch'"),
    (dict(dims={"batch": 4}, target="m99"), "m99"),
    (dict(dims={"batch": 0}), "batch"),
    (dict(dims={"batch": 4.5}), "dimension 'batch': is 4.5"),
    (dict(shapes={"x": 4}), "shape of 'x': is 4"),
    (dict(dims={"batch": 4}, options=["--bogus"]), "--bogus"),
    (dict(dims={"batch": 4}, options="--json"), "expected a list of flags"),
    (dict(dims={"ba\0tch": 4}), "NUL"),
    (dict(example_inputs=X), "PyTorch"),
    (dict(dims={"batch": 4}, values={"x": "a"}), "its value has the element 'a'"),
    (dict(dims={"batch": 4}, values={"x": {}}), "value of 'x': is {}"),
    (dict(dims={"batch": 4}, values={"x": X.astype(np.float64)}), "holds float64[4, 64]"),
    (dict(dims={"batch": 4}, output="/nonexistent/m.anebundle"), "no directory '/nonexistent'"),
])
def test_compile_errors(arguments, says):
    with pytest.raises(anemone.CompileError) as failure:
        anemone.compile(frontend.affine(), **arguments)
    assert says in str(failure.value)
    assert all(d.severity == "error" and d.message in str(failure.value) for d in failure.value.diagnostics)


@pytest.mark.parametrize("value", [[3, -1, 7, 2**40], K, "3,-1,7,1099511627776", "file"])
def test_inputs_that_are_constants(value, tmp_path):
    if isinstance(value, str) and value == "file":
        value = tmp_path / "k.npy"
        np.save(value, K)
    made = anemone.compile(frontend.affine(), values={"k.0": value})  # binds the batch, too
    with made.load(device="cpu") as model:
        assert [info.name for info in model.inputs] == ["x"]
        check(model(X))
    with anemone.compile(frontend.affine(), dims={"batch": 4}, values={"k.0": np.int64(5) if value is K else 5}, hosts="native").load(device="cpu") as model:
        check(model(X), k=np.full(4, 5))


def test_models_beyond_protobuf(tmp_path, monkeypatch):
    """A model too large for one message goes through a file of weights, and stays as it is."""
    from anemone import _source

    made = models.mlp(0)
    before = [onnx.numpy_helper.to_array(tensor) for tensor in made.model.graph.initializer]
    plain = anemone.compile(made.model, tmp_path / "a")
    monkeypatch.setattr(_source, "SIZE_OF_PROTOBUF", 0)
    large = anemone.compile(made.model, tmp_path / "b")
    assert (large.path / "weights/main_0.bin").read_bytes() == (plain.path / "weights/main_0.bin").read_bytes()
    for tensor, want in zip(made.model.graph.initializer, before):
        np.testing.assert_array_equal(onnx.numpy_helper.to_array(tensor), want)


@pytest.mark.parametrize("model, says", [
    (3, "builtins.int"), (None, "NoneType"), ("/nonexistent.onnx", "there is no file"), (ROOT, "is a directory"),
    (ROOT / "README.md", "README.md"),
])
def test_what_is_no_model(model, says):
    with pytest.raises(anemone.CompileError, match=says):
        anemone.compile(model)


def test_diagnostics_name_the_node():
    wrong = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["": 17, "other": 1]>
        g (float[4] x) => (float[4] y) { h = Relu(x)  y = other.Odd(h) }""")
    wrong.graph.node[1].name = "/the/odd/one"
    with pytest.raises(anemone.CompileError) as failure:
        anemone.compile(wrong)
    (diagnostic,) = failure.value.diagnostics
    assert diagnostic.severity == "error" and diagnostic.location and "Odd" in diagnostic.message
    assert "/the/odd/one" in str(failure.value)


def test_an_older_bundle_stays_when_compiling_fails(bundle, tmp_path):
    place = tmp_path / "m.anebundle"
    shutil.copytree(bundle, place)
    with pytest.raises(anemone.CompileError):
        anemone.compile(frontend.affine(), place)
    check(anemone.load(place, device="cpu")(X, K))
    assert os.listdir(tmp_path) == ["m.anebundle"]


# ---- running ----------------------------------------------------------------


@pytest.mark.parametrize("device", ["cpu", "emulator", "auto"])
def test_devices(bundle, device):
    with anemone.load(bundle, device=device, verify=True) as model:
        assert model.device in (device, "cpu")
        outputs = model(X, **{"k.0": K})
        np.testing.assert_allclose(outputs["y"], 2 * X + 1, atol=4e-3)
        assert model.events() == []
        steps = {step["kind"]: step for step in model.profile()}
        assert set(steps) == {"host", "program" if device == "emulator" else "twin"}
        assert all(step["runs"] == 1 and step["total_us"] > 0 for step in steps.values())


def test_what_the_device_refused_is_in_the_report():
    """fp16 does not hold the values: the run is computed again on the CPU, and the model says so."""
    made = anemone.compile(frontend.affine(), dims={"batch": 4})
    model = made.load(device="emulator")
    assert model(X * 1e6, K)["y"].max() == np.float32(4e6) + 1
    (event,) = model.events()
    assert (event["program"], event["phase"]) == ("main_0", "numeric")
    assert "ran on the CPU: program main_0 (numeric, emulator)" in str(model.report())
    assert "ran on the CPU" not in str(made.report())


def test_metadata(model):
    assert [(i.name, i.dtype, i.shape) for i in model.inputs] == [("x", np.float32, (4, 64)), ("k.0", np.int64, (4,))]
    assert [str(o) for o in model.outputs] == ["y: float32[4, 64]", "n/0: int64[4]"]
    assert model.target["chip"] == "h16" and "m.anebundle" in repr(model)


def test_inputs_in_every_shape(model):
    wide = np.zeros((4, 128), np.float32)
    wide[:, ::2] = X
    aligned = anemone.empty(X.shape, X.dtype)
    aligned[...] = X
    readonly = aligned.copy()
    readonly.flags.writeable = False
    for x in (X, X.tolist(), np.asfortranarray(X), wide[:, ::2], X[::-1][::-1], X.astype(">f4"), aligned, readonly):
        for k in (K, K.tolist(), tuple(K), K.astype(">i8")):
            check(model(x, k))
    np.testing.assert_array_equal(aligned, X)


def test_outputs_are_new_and_in_place(model):
    first = model(X, K)
    second = model(X + 1, K)
    check(first)
    check(second, X + 1)
    assert all(array.flags.writeable and array.ctypes.data % 64 == 0 for array in second.values())


@pytest.mark.parametrize("arguments, named, code, says", [
    ((X,), {}, "FAILED_PRECONDITION", "no value for 'k.0'"),
    ((X, K, K), {}, "INVALID_ARGUMENT", "3 inputs given"),
    ((X, K), {"x": X}, "INVALID_ARGUMENT", "given twice"),
    ((X, K), {"z": X}, "NOT_FOUND", "no input 'z'"),
    ((X.astype(np.float64), K), {}, "INVALID_ARGUMENT", "float64, expected float32; remedy: x.astype"),
    ((X, K.astype(np.int32)), {}, "INVALID_ARGUMENT", "int32, expected int64"),
    ((X, [1.5, 2, 3, 4]), {}, "INVALID_ARGUMENT", "float64, expected int64"),
    ((X[:2], K), {}, "INVALID_ARGUMENT", r"\(2, 64\), expected \(4, 64\)"),
    ((X.ravel(), K), {}, "INVALID_ARGUMENT", r"\(256,\), expected"),
    ((X, [[1], [2, 3]]), {}, "INVALID_ARGUMENT", "not convertible"),
    ((np.array([object()] * 4), K), {}, "INVALID_ARGUMENT", "object, expected float32"),
    ((X, "text"), {}, "INVALID_ARGUMENT", "expected int64"),
    ((X, [2**70] * 4), {}, "INVALID_ARGUMENT", "expected int64"),
    ((None, K), {}, "INVALID_ARGUMENT", "NoneType"),
    (({"x": X},), {"k.0": K}, "INVALID_ARGUMENT", "dict"),
])
def test_wrong_inputs(model, arguments, named, code, says):
    with pytest.raises(anemone.RunError, match=says) as failure:
        model(*arguments, **named)
    assert failure.value.code == code
    check(model(X, K))


def test_values_shown_twice_and_empty_models():
    same = frontend.parse("""<ir_version: 8, opset_import: ["": 17]> g (float[2, 3] x, float s) => (float[2, 3] y, float t)
        { y = Identity(x)  t = Relu(s) }""")
    with anemone.load(anemone.compile(same), device="cpu") as model:
        for value in (1.0, 2.0):
            x = np.full((2, 3), value, np.float32)
            outputs = model(x, np.float32(value))
            assert outputs["t"].shape == () and outputs["t"] == value
            np.testing.assert_array_equal(outputs["y"], x)
            assert not np.shares_memory(outputs["y"], x)


@pytest.mark.parametrize("damage, says", [
    (lambda d: (d / "manifest.json").unlink(), "not a bundle"),
    (lambda d: (d / "manifest.json").write_text("{"), "manifest"),
    (lambda d: (d / "manifest.json").write_bytes(b"\xff\0\xfe" * 999), "manifest"),
    (lambda d: (d / "programs/main_0.mil").write_text("program"), "bytes"),
    (lambda d: next((d / "host").glob("*.so")).unlink(), "missing"),
    (lambda d: [so.write_bytes(b"\0" * so.stat().st_size) for so in (d / "host").glob("*.so")], "xxh128"),
    (lambda d: (lambda m: m.write_text(m.read_text().replace("programs/main_0.mil", "../../outside.mil")))(d / "manifest.json"), "outside"),
])
def test_damaged_bundles(bundle, tmp_path, damage, says):
    copy = tmp_path / "m.anebundle"
    shutil.copytree(bundle, copy)
    damage(copy)
    with pytest.raises(anemone.RunError, match=says):
        anemone.load(copy, device="cpu")
    with pytest.raises(anemone.RunError):
        anemone.load(copy, device="emulator", verify=True)


def test_damaged_reports(bundle, tmp_path):
    for text in (None, "[]", "{", "[" * 100000, '{"ops": [{}]}', '{"ops": 3, "flops": 1}', '{"ops": [], "flops": "x"}'):
        if text:
            (tmp_path / "report.json").write_text(text)
        with pytest.raises(anemone.RunError, match="report"):
            anemone.Report.read(tmp_path)


@pytest.mark.parametrize("arguments, says", [
    (dict(device="gpu"), "gpu"), (dict(device=None), "device: is None"), (dict(function=3), "function: is 3"),
    (dict(threads=-1), "threads"), (dict(threads=10**9), "threads"), (dict(threads="2"), "threads"),
    (dict(function="decode"), "decode"), (dict(device="emulator", emulator_mode="wild"), "wild"),
    (dict(device="cpu", native_code=False), "is native code of the bundle"), (dict(numeric="maybe"), "numeric: is 'maybe'"),
])
def test_wrong_load_options(bundle, arguments, says):
    with pytest.raises(anemone.RunError, match=says):
        anemone.load(bundle, **arguments)


@pytest.mark.parametrize("path", ["", "/nonexistent", "a\0b", __file__])
def test_wrong_bundle_paths(path):
    with pytest.raises(anemone.RunError):
        anemone.load(path)


def test_closed_model(bundle):
    model = anemone.load(bundle, device="cpu")
    model.close()
    model.close()
    with pytest.raises(anemone.RunError, match="closed"):
        model(X, K)


# ---- threads, processes, interrupts -----------------------------------------


def test_many_threads(bundle):
    model = anemone.load(bundle, device="cpu", threads=2)
    failures = []

    def work(seed):
        rng = np.random.default_rng(seed)
        try:
            for _ in range(50):
                x, k = rng.standard_normal((4, 64), np.float32), rng.integers(0, 99, 4)
                check(model(x, k), x, k)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    model.profile(), model.events()
    for thread in threads:
        thread.join()
    assert not failures, failures
    assert sum(step["runs"] for step in model.profile() if step["kind"] == "twin") == 8 * 50


def test_closing_while_others_run(bundle):
    model = anemone.load(bundle, device="cpu", threads=1)
    outcomes = []

    def work():
        try:
            while True:
                check(model(X, K))
                model.events(), model.profile()
        except anemone.RunError as error:
            outcomes.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    time.sleep(0.2)
    model.close()
    for thread in threads:
        thread.join()
    assert outcomes == ["the model is closed"] * 6


def test_the_gil_is_free_while_a_model_runs_and_compiles(tmp_path):
    """Another thread goes on counting: in one interpreter that holds its lock it would stand still."""
    made = models.mlp(0, batch=256, widths=(512, 2048, 2048, 512))
    ticks, running = [], threading.Event()

    def count():
        while not running.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        start = time.perf_counter()
        model = anemone.load(anemone.compile(made.model), device="emulator", threads=1)
        compiled = time.perf_counter()
        model(**made.inputs(0))
        end = time.perf_counter()
    finally:
        running.set()
        thread.join()
    longest = max((b - a for a, b in zip(ticks, ticks[1:])), default=9)
    print(f"compile {compiled - start:.2f} s, run {end - compiled:.2f} s, longest pause {longest:.3f} s")
    assert longest < max(0.5 * (end - start), 0.1)


def test_fork_is_refused(bundle):
    script = f"""
import os, sys
sys.path.insert(0, {str(ROOT / 'python-frontend')!r})
import numpy as np, anemone
model = anemone.load({str(bundle.path)!r}, device="cpu", threads=2)
x, k = np.zeros((4, 64), np.float32), np.zeros(4, np.int64)
model(x, k)
if os.fork() == 0:
    try:
        model(x, k)
    except anemone.RunError as error:
        print("refused" if "fork" in str(error) else error, flush=True)
    anemone.load({str(bundle.path)!r}, device="cpu", threads=2)(x, k)
    print("loaded again", flush=True)
    os._exit(0)
print(os.wait()[1])
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout.split("\n")[:3] == ["refused", "loaded again", "0"], done.stdout + done.stderr


def test_an_interrupt_leaves_nothing(tmp_path):
    """SIGINT to Python alone, as a notebook sends it, in the middle of a compilation."""
    model = tmp_path / "big.onnx"
    onnx.save(models.mlp(0, batch=8, widths=(1024, 4096, 4096, 1024)).model, model)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    script = f"""
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # may be inherited as ignored
sys.path.insert(0, {str(ROOT / 'python-frontend')!r})
import anemone
def log(step):
    if "writing" in step or "CPU code" in step:
        os.kill(os.getpid(), signal.SIGINT)
try:
    anemone.compile({str(model)!r}, {str(tmp_path / 'out' / 'm.anebundle')!r}, log=log)
except KeyboardInterrupt:
    print("interrupted")
try:
    anemone.compile({str(model)!r}, log=log)
except KeyboardInterrupt:
    print("interrupted")
"""
    (tmp_path / "out").mkdir()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "TMPDIR": str(temporary)})
    assert done.stdout.split() == ["interrupted"] * 2, done.stdout + done.stderr
    assert os.listdir(tmp_path / "out") == [] and os.listdir(temporary) == []


def test_a_signal_leaves_nothing(tmp_path):
    """SIGTERM to `python -m anemone compile` while the bundle is being written."""
    onnx.save(models.mlp(0, batch=8, widths=(1024, 4096, 4096, 4096, 1024)).model, tmp_path / "big.onnx")
    process = subprocess.Popen([sys.executable, "-m", "anemone", "compile", "big.onnx"], cwd=tmp_path, stderr=subprocess.PIPE,
                               env={**os.environ, "PYTHONPATH": str(ROOT / "python-frontend")}, text=True)
    for line in process.stderr:
        if "writing" in line:
            process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 128 + signal.SIGTERM
    process.stderr.close()
    assert os.listdir(tmp_path) == ["big.onnx"]


def test_a_crash_of_the_compiler_is_an_error(monkeypatch, tmp_path):
    from anemone import _files

    fake = tmp_path / "ane-compile"
    fake.write_text("#!/bin/sh\nmkdir $3.unfinished-0123abcd\necho 'Stack dump:' >&2\nkill -SEGV $$\n")
    fake.chmod(0o755)
    with monkeypatch.context() as patched:
        patched.setattr(_files, "tool", lambda name: fake)
        with pytest.raises(anemone.CompileError, match=r"signal 11 \(Segmentation fault\)\nStack dump"):
            anemone.compile(frontend.affine(), tmp_path / "m.anebundle", dims={"batch": 4})
    # The next compilation removes what the crash has left.
    anemone.compile(frontend.affine(), tmp_path / "m.anebundle", dims={"batch": 4})
    assert sorted(os.listdir(tmp_path)) == ["ane-compile", "m.anebundle"]


# ---- python -m anemone ------------------------------------------------------


def command(*arguments, code=0, **options):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python-frontend")}
    done = subprocess.run([sys.executable, "-m", "anemone", *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120, env=environment, **options)
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.mark.parametrize("arguments", [["targets"], ["explain", "C16"], ["tool", "ane-compile", "--list-targets"]])
def test_reader_that_leaves(arguments):
    """It changes neither messages nor the exit code."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-m", "anemone", *arguments], stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE,
                          text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "python-frontend")})
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_command_line(tmp_path):
    onnx.save(frontend.affine(), tmp_path / "model.onnx")
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "k.npy", K)
    made = command("compile", "model.onnx", "--dim", "batch=4", "--report", cwd=tmp_path)
    assert "engine share" in made.stdout and "importing" in made.stderr
    ran = command("run", "model.anebundle", "-i", "x=x.npy", "-i", "k.0=k.npy", "-o", "out", "--device=cpu", "--repeat", "3",
                  "--profile", cwd=tmp_path)
    assert re.match(r"device cpu, CPU code for \w+-\S+\n", ran.stdout)
    assert "y: float32[4, 64]  min -3  max 5" in ran.stdout and "3 runs" in ran.stdout and '"total_us"' in ran.stdout
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "y.npy"), 2 * X + 1)
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "n_0.npy"), K + K)
    assert json.loads(command("report", tmp_path / "model.anebundle", "--json").stdout)["ops"]
    assert "m4" in command("targets").stdout
    assert "C16" in command("explain", "C16").stdout
    assert "OVERVIEW" in command("tool", "ane-opt", "--help").stdout


@pytest.mark.parametrize("arguments, says", [
    (["compile", "none.onnx"], "there is no file"), (["compile", "none.onnx", "--dim", "batch"], "--dim"),
    (["compile", "none.onnx", "--shape", "x=1xb"], "--shape x"), (["run", "none"], "cannot open bundle"),
    (["report", "none"], "can't read"), (["explain", "C9999"], "C9999"),
])
def test_command_line_errors(tmp_path, arguments, says):
    done = command(*arguments, code=1, cwd=tmp_path)
    assert "anemone: error: " in done.stderr and says in done.stderr and "Traceback" not in done.stderr


# ---- PyTorch ----------------------------------------------------------------


@pytest.mark.slow
def test_torch_modules(tmp_path):
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnxscript")

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.drop = torch.nn.Linear(48, 32), torch.nn.Dropout(0.5)

        def forward(self, left, right, scale=1.0):
            hidden = self.drop(self.layer(left + right)) * scale
            return {"hidden": hidden, "parts": (hidden.relu(), hidden.sum(dim=-1))}

    torch.manual_seed(0)
    net = Net()
    left, right = torch.randn(2, 48), torch.randn(2, 48)
    model = anemone.load(anemone.compile(net, example_inputs=(left, right)), device="cpu")
    assert net.training and net.drop.training
    assert [info.name for info in model.inputs] == ["left", "right"]
    outputs = model(left, right=right)
    want = net.eval()(left, right)
    assert list(outputs) == ["hidden", "parts_0", "parts_1"]
    for got, expected in zip(outputs.values(), [want["hidden"], *want["parts"]]):
        np.testing.assert_allclose(got, expected.detach().numpy(), atol=2e-5)
    doubled = anemone.compile(net, example_inputs={"left": left, "right": right.numpy(), "scale": 2.0}).load(device="cpu")
    np.testing.assert_allclose(doubled(left, right)["hidden"], 2 * outputs["hidden"], atol=4e-5)
    for arguments, says in [(dict(), "needs example_inputs"), (dict(example_inputs=(left,)), "fails on its example"),
                            (dict(example_inputs=(left,) * 9), "forward takes 3"), (dict(example_inputs=([left], right)), "list")]:
        with pytest.raises(anemone.CompileError, match=says):
            anemone.compile(net, **arguments)


@pytest.mark.slow
def test_transformers_models(tmp_path):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("onnxscript")
    torch.manual_seed(0)
    made = transformers.BertModel(transformers.BertConfig(hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
                                                          intermediate_size=128, vocab_size=99)).eval()
    shapes = {"input_ids": (1, 16), "attention_mask": (1, 16)}
    model = anemone.compile(made, shapes=shapes).load(device="cpu")
    ids, mask = torch.arange(16)[None] % 99, torch.tensor([[1] * 11 + [0] * 5])
    outputs = model(input_ids=ids, attention_mask=mask)
    want = made(input_ids=ids, attention_mask=mask)
    for name in ("last_hidden_state", "pooler_output"):
        expected = want[name].detach().numpy()
        assert np.abs(outputs[name] - expected).max() <= 2e-5 * np.abs(expected).max()
    made.save_pretrained(tmp_path / "model")
    again = anemone.compile(tmp_path / "model", shapes=shapes).load(device="cpu")(input_ids=ids, attention_mask=mask)
    np.testing.assert_array_equal(again["pooler_output"], outputs["pooler_output"])
    # Its dummy_inputs, one batch of some lengths, are not what anybody wants to compile for.
    for source in (made, tmp_path / "model"):
        with pytest.raises(anemone.CompileError, match="needs example_inputs.*shapes={'input_ids': "):
            anemone.compile(source)
    (tmp_path / "model" / "config.json").write_text("{}")
    with pytest.raises(anemone.CompileError, match="transformers can't load"):
        anemone.compile(tmp_path / "model", shapes=shapes)
