"""The five cases in which the CPU computes what is not for the engine, and what each says: an op without an engine form, a
shape, a size, numbers that fp16 does not hold, and a device that refuses a program. A model always runs."""
import json

import numpy as np

import anetest
from models import FLOAT, INT64, Builder, normal_inputs


class Case:
    """A compiled model: bundle, report, and runs against ONNX Runtime."""

    def __init__(self, folder, builder, inputs, outputs, values=None):
        """inputs: {name: shape} of float tensors, or the list that Builder.model takes."""
        listed = [(name, FLOAT, shape) for name, shape in inputs.items()] if isinstance(inputs, dict) else inputs
        self.model = builder.model(listed, outputs)
        self.values = values or normal_inputs(**{name: shape for name, _, shape in listed})(0)
        self.folder, self.bundle = folder, folder / "model.anebundle"
        path = folder / "model.onnx"
        path.write_bytes(self.model.SerializeToString())
        self.report = anetest.compile_model(path, self.bundle)
        self.runs = 0

    def host_reasons(self):
        """{op: (constraint, reason)} of what runs on the CPU; each has both, and the text report repeats them."""
        anetest.run("ane-compile", self.folder / "model.onnx", "-o", self.folder / "text.anebundle", "--quiet", "--host=none",
                    f"--report={self.folder / 'report.txt'}")
        text = (self.folder / "report.txt").read_text()
        for op in anetest.host_ops(self.report):
            assert op["constraint"] and op["reason"], op
            line = next(line for line in text.splitlines() if line.startswith(op["op"] + " ") and " cpu " in line)
            assert f"{op['constraint']}: " in line
        return {op["op"]: (op["constraint"], op["reason"]) for op in anetest.host_ops(self.report)}

    def run(self, device):
        """Runs and returns ({output: array}, events); standard error has a line for each event."""
        self.runs += 1
        folder = self.folder / f"run{self.runs}"
        folder.mkdir()
        options = []
        for name, value in self.values.items():
            np.save(folder / f"{name}.npy", value)
            options += ["--input", f"{name}={folder / name}.npy"]
        done = anetest.run("ane-run", self.bundle, f"--device={device}", *options, "--output-dir", folder / "out", "--json")
        events = json.loads(done.stdout)["events"]
        notes = [json.loads(line) for line in done.stderr.splitlines()]
        assert [note["severity"] for note in notes] == ["note"] * len(events), done.stderr
        for event, note in zip(events, notes):
            assert event["reason"] in note["message"]
        return {o.name: np.load(anetest.output_file(folder / "out", o.name)) for o in self.model.graph.output}, events

    def check(self, device, tolerance):
        got, events = self.run(device)
        anetest.check_cpu(got, anetest.reference(self.model, self.values), tolerance)
        return events


def engine_ops(report):
    return [op["op"] for op in report["ops"] if op["device"] == "engine"]


def test_op(tmp_path):
    """No chip has hyperbolic functions but tanh: C43. What surrounds the op stays on the engine."""
    b = Builder(1)
    y = b.op("Tanh", b.op("Sinh", b.op("Tanh", "x")))
    case = Case(tmp_path, b, {"x": [4, 64]}, [(y, [4, 64])])
    constraint, reason = case.host_reasons()["sinh"]
    assert constraint == "C43" and "sinh" in reason
    assert engine_ops(case.report).count("tanh") == 2
    assert case.check("emulator", 5e-3) == [] and case.check("cpu", 2e-5) == []


def test_shape(tmp_path):
    """A kernel that is wider than the engine's, and that no pass takes apart: C64."""
    b = Builder(2)
    weight = b.constant((b.rng.standard_normal((4, 6, 1, 15)) / 10).astype(np.float32))
    y = b.op("Tanh", b.op("ConvTranspose", b.op("Tanh", "x"), weight, b.bias(6)))
    case = Case(tmp_path, b, {"x": [1, 4, 3, 32]}, [(y, [1, 6, 3, 46])])
    constraint, reason = case.host_reasons()["conv_transpose"]
    assert constraint == "C64" and "15" in reason
    assert engine_ops(case.report).count("tanh") == 2
    assert case.check("emulator", 5e-3) == [] and case.check("cpu", 2e-5) == []


def test_size(tmp_path):
    """More input channels than a product may have: C16, with the actual value and the limit."""
    b = Builder(3)
    y = b.op("Tanh", b.linear(b.op("Tanh", "x"), 33000, 32))
    case = Case(tmp_path, b, {"x": [1, 33000]}, [(y, [1, 32])])
    (constraint, reason), = {r for op, r in case.host_reasons().items() if op in ("linear", "matmul")}
    assert constraint == "C16" and "33000" in reason and "31999" in reason
    assert "tanh" in engine_ops(case.report)
    assert case.check("emulator", 5e-3) == [] and case.check("cpu", 2e-5) == []


def test_numeric(tmp_path):
    """Values beyond fp16's range: the run computes the program again on the CPU, and says so; the next run, with values
    that fit, uses the engine."""
    b = Builder(4)
    y = b.op("Mul", b.op("Add", "x", b.bias(64)), "x")
    case = Case(tmp_path, b, {"x": [4, 64]}, [(y, [4, 64])], {"x": np.full((4, 64), 300, np.float32)})
    assert anetest.engine_share(case.report) == 1
    event, = case.check("emulator", 2e-5)
    assert (event["phase"], event["device"]) == ("numeric", "emulator") and "not finite" in event["reason"]
    case.values = {"x": np.full((4, 64), 1e6, np.float32)}
    event, = case.check("emulator", 2e-5)
    assert event["phase"] == "numeric" and "65504" in event["reason"]
    case.values = {"x": np.full((4, 64), 3, np.float32)}
    assert case.check("emulator", 5e-3) == []


def test_device_refuses(tmp_path):
    """A program that is sound but not for this device runs on its twin; here the device lacks an op."""
    b = Builder(5)
    case = Case(tmp_path, b, {"x": [4, 64]}, [(b.op("Tanh", b.op("Add", "x", b.bias(64))), [4, 64])])
    program, = (case.bundle / "programs").iterdir()
    text = program.read_text()
    assert " tanh(" in text
    program.write_text(text.replace(" tanh(", " tonh("))
    event, = case.check("emulator", 2e-5)
    assert (event["phase"], event["device"], event["program"]) == ("load", "emulator", "main_0") and "tonh" in event["reason"]
    # Without CPU code there is nothing to fall back to, and the message has both reasons.
    anetest.run("ane-compile", tmp_path / "model.onnx", "-o", case.bundle, "--host=none", "--quiet")
    program.write_text(program.read_text().replace(" tanh(", " tonh("))
    anetest.rejected("ane-run", case.bundle, "--device=emulator", "--random-inputs", says=("tonh", "no CPU code"))


def test_nothing_for_the_engine(tmp_path):
    b = Builder(6)
    y = b.op("Cast", b.op("Add", b.op("Mul", "x", "x"), b.ints(7)), to=FLOAT)
    case = Case(tmp_path, b, [("x", INT64, [3, 5])], [(y, [3, 5])], {"x": np.arange(15, dtype=np.int64).reshape(3, 5)})
    assert case.report["programs"] == [] and anetest.engine_share(case.report) == 0
    assert {constraint for constraint, _ in case.host_reasons().values()} == {"C23"}
    for device in ("auto", "cpu", "emulator"):
        assert case.check(device, 0) == []


def test_everything_on_the_cpu(tmp_path):
    b = Builder(7)
    case = Case(tmp_path, b, {"x": [4, 64]}, [(b.op("Tanh", b.linear("x", 64, 32)), [4, 32])])
    assert anetest.engine_share(case.report) == 1
    assert case.check("cpu", 2e-5) == []
