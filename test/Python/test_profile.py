"""What ane-run says of where programs ran, at which cost, and for which machine."""
import json
import os
import shutil

import pytest
from onnx import save
from test_mac_check import FRAMEWORK, mac_check_bundles, make_bundles, simulated

import anetest


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    folder = tmp_path_factory.mktemp("profile") / "made"
    make_bundles(folder, ["conv"])
    return folder / "conv.anebundle"


@pytest.fixture(scope="module")
def refused(bundle, tmp_path_factory):
    """The same for an engine that runs no program in MIL (C30)."""
    other = tmp_path_factory.mktemp("refused") / "conv.anebundle"
    shutil.copytree(bundle, other)
    manifest = json.loads((other / "manifest.json").read_text())
    manifest["target"]["chip"] = "h11"
    (other / "manifest.json").write_text(json.dumps(manifest))
    return other


def run(bundle, *arguments, **options):
    return anetest.run("ane-run", bundle, "--random-inputs", *arguments, **options)


def step_of(bundle, *arguments):
    return json.loads(run(bundle, "--profile", "--json", *arguments).stdout)["profile"][0]


def test_statuses(bundle, refused):
    assert step_of(bundle, "--device=cpu")["status"] == "ok"
    step = step_of(bundle, "--device=emulator", "--repeat=3")
    assert (step["status"], step["device"], step["retries"], step["evaluations"]) == ("ok", "emulator", 0, 4)
    # Once in five evaluations status 0x1d: the second try is the next.
    step = step_of(bundle, "--device=emulator", "--emulator-mode=faithful:failures=5", "--repeat=20")
    assert step["status"] == "retried" and step["retries"] >= 1 and step["kind"] == "program"
    assert step["evaluations"] == 21
    step = step_of(refused, "--device=emulator", "--emulator-mode=faithful")
    assert (step["status"], step["device"], step["kind"]) == ("refused", "cpu", "twin")
    assert step["refusal"]["phase"] == "load" and "C30" in step["refusal"]["reason"]


def test_table(bundle, refused):
    out = run(refused, "--profile", "--device=emulator", "--emulator-mode=faithful").stdout
    lines = out.splitlines()
    head = next(index for index, line in enumerate(lines) if line.startswith("  step"))
    assert lines[head].split()[-1] == "status" and lines[head + 1].split()[-1] == "refused"
    assert "program main_0 runs on the CPU, as the emulator refused it (load): " in out and "C30" in out
    assert "\nphases\n" in out, "a machine that does not tell what it uses up has no columns for that"
    out = run(bundle, "--profile", "--device=emulator", "--emulator-mode=faithful:failures=5", "--repeat=20").stdout
    assert "evaluations of program main_0 first" in out


@simulated
def test_energy(bundle, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    report = json.loads(run(bundle, "--profile", "--json", f"--device=ane:{FRAMEWORK}", "--repeat=2").stdout)
    assert [phase["name"] for phase in report["phases"]] == ["load", "inputs", "first run", "runs"]
    for phase in report["phases"]:
        assert phase["us"] > 0 and phase["energy_nj"] == {"ane": 3000000, "cpu": 5000000, "dram": 2000000, "gpu": 0}
    text = run(bundle, "--profile", f"--device=ane:{FRAMEWORK}").stdout
    assert "phases, with the energy and mean power of the whole machine" in text
    row = next(line.split() for line in text.splitlines() if line.startswith("  load"))
    assert row[2] == "3.00" and abs(float(row[3]) - 3.0 / float(row[1])) < 0.01  # mJ and W


@pytest.mark.parametrize("device", ["emulator", "cpu"])
def test_trace(device, bundle, tmp_path):
    path = tmp_path / "trace.json"
    run(bundle, f"--device={device}", "--repeat=3", f"--trace={path}")
    assert [file.name for file in tmp_path.iterdir()] == ["trace.json"]
    events = json.loads(path.read_text())["traceEvents"]
    rows = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
    spans = {name: [event for event in events if event["ph"] == "X" and rows[event["tid"]] == name] for name in rows.values()}
    assert [span["name"] for span in spans["phases"]] == ["load", "inputs", "first run", "runs"]
    assert len(spans["steps"]) == 4 and len(spans["device"]) == (4 if device == "emulator" else 0)

    def holds(outer, inner):
        return outer["ts"] <= inner["ts"] and inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"]

    for index, step in enumerate(spans["steps"]):
        assert holds(spans["phases"][2 if index == 0 else 3], step) and step["args"]["device"] == device
        if spans["device"]:
            assert holds(step, spans["device"][index]) and spans["device"][index]["args"]["input_bytes"] > 0


def test_trace_that_cannot_be_written(bundle, tmp_path):
    anetest.rejected("ane-run", bundle, "--random-inputs", "--device=cpu", f"--trace={tmp_path / 'none' / 't.json'}", says="t.json")
    assert not list(tmp_path.iterdir())


@simulated
def test_native(tmp_path):
    native = f"--target=native:{FRAMEWORK}"
    model = tmp_path / "all"
    make_bundles(model, ["relu"])
    run(model / "relu.anebundle", native, "--device=cpu")  # for any Mac
    onnx = tmp_path / "m.onnx"
    save(mac_check_bundles.model_of("relu"), onnx)
    anetest.run("ane-compile", onnx, "-o", tmp_path / "own.anebundle", native, "--quiet")
    assert json.loads((tmp_path / "own.anebundle" / "manifest.json").read_text())["target"]["chip"] == "h16"
    run(tmp_path / "own.anebundle", native, "--device=cpu")
    other = {**os.environ, "ANE_SIMULATED_MACHINE": "Apple M1;"}
    anetest.rejected("ane-run", tmp_path / "own.anebundle", "--random-inputs", native, "--device=cpu", env=other,
                     says="the bundle is compiled for h16, and this machine has h13 (Apple M1, whose engine does not say what it is): "
                          "compile it with --target=h13, or for both with --target=h16,h13")
    unknown = {**os.environ, "ANE_SIMULATED_MACHINE": "Apple X1;x1"}
    for code, tool, *arguments in [(1, "ane-run", tmp_path / "own.anebundle", "--random-inputs"),
                                   (2, "ane-compile", onnx, "-o", tmp_path / "no.anebundle")]:
        anetest.rejected(tool, *arguments, native, env=unknown, code=code, says="no record says which chip this machine has: its engine calls itself 'x1'")
    assert not (tmp_path / "no.anebundle").exists()
    advised = anetest.rejected("ane-run", tmp_path / "own.anebundle", "--random-inputs", native, env=unknown, says="; without it nobody looks")
    assert "--target=m4" not in advised.stderr


@simulated
@pytest.mark.parametrize("machine, note", [("Apple M1;h13g", "the bundle is compiled for h17, and this machine has h13g (Apple M1, whose engine calls itself h13g): compile it with --target=h13g"),
                                           ("Apple M4;h16g", None), ("Apple X1;x1", None)])
def test_another_chip(machine, note, tmp_path):
    """A bundle for what the engine is not: whoever opens it is told, where a record knows the machine."""
    save(mac_check_bundles.model_of("relu"), tmp_path / "m.onnx")
    anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", "--target=m5", "--quiet")
    environment = {**os.environ, "TMPDIR": str(tmp_path), "ANE_SIMULATED_MACHINE": machine}
    for device, says in (f"ane:{FRAMEWORK}", note), ("emulator", None), ("cpu", None):
        done = anetest.run("ane-run", tmp_path / "m.anebundle", "--random-inputs", f"--device={device}", env=environment)
        assert done.stderr == "" if says is None else f"ane-run: note: {tmp_path / 'm.anebundle'}: {says}" in done.stderr


def test_native_is_for_macs(bundle):
    if os.uname().sysname == "Darwin":
        pytest.skip("this is one")
    anetest.rejected("ane-run", bundle, "--random-inputs", "--target=native", says="this machine is no Mac")
    anetest.rejected("ane-run", "--mil", "x.mil", "--target=native", code=2, says="this machine is no Mac: name the chip")
    for device in "ane", "cpu":
        refused = anetest.rejected("ane-run", "--probe=machine", f"--device={device}", says="--probe=machine: this machine is no Mac")
        assert "target" not in refused.stderr
    anetest.rejected("ane-run", bundle, "--target=m4", code=2, says="--target has no meaning without --mil")


def test_probes(bundle):
    anetest.rejected("ane-run", "--probe=everything", code=2, says='--probe: is "everything", expected machine, constants, weights, evaluation, chain or programs')
    anetest.rejected("ane-run", bundle, "--probe=weights", code=2, says="give it alone")
    anetest.rejected("ane-run", bundle, "--device=cpu", "--evaluation=direct", code=2, says="has no meaning with --device=cpu")
    anetest.rejected("ane-run", "--probe=weights", "--device=cpu", says="device cpu runs no programs")
    for probe in "evaluation", "chain":
        anetest.rejected("ane-run", f"--probe={probe}", "--device=emulator", says=f"--probe={probe} asks the engine, and the device is emulator; give --device=ane")
    anetest.rejected("ane-run", bundle, "--evaluation=fast", code=2, says='--evaluation: is "fast", expected auto, standard, direct or real-time')
    assert json.loads(anetest.run("ane-run", "--probe=weights", "--device=emulator").stdout) == {"probe": "weights", "device": "emulator", "patch": "", "donor": "", "recompile": ""}
    found = json.loads(anetest.run("ane-run", "--probe=constants", "--device=emulator").stdout)
    assert found["device"] == "emulator"
    # The linter knows how many files are too many, and nothing of constants (C134, C224).
    assert [entry["error"] is None for entry in found["programs"]] == [entry["files"] <= 16 for entry in found["programs"]]
