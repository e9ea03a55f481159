"""Runs of ane-train that end before their time: killed, interrupted, out of disk. Each goes on bit for bit."""
import json
import random
import resource
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest

import anetest

STEPS = 400
# Moments, with everything that a step and a checkpoint has.
SETTINGS = ["--optimizer=adamw", "--lr=0.05", "--schedule=cosine", "--warmup=20", "--weight-decay=0.1", "--accumulate=2",
            "--loss-scale=dynamic:65536", "--seed=3", f"--steps={STEPS}"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """(arguments of a run, the weights that it ends with, undisturbed)"""
    folder = tmp_path_factory.mktemp("resume")
    anetest.run("training_bundle_tool", folder / "t.anebundle")
    generator = np.random.default_rng(1)
    x = generator.standard_normal((37, 3)).astype(np.float32)
    np.savez(folder / "data.npz", x=x, y=(x @ [1, 2, 3] + 0.5).astype(np.float32))
    arguments = [folder / "t.anebundle", "--device=cpu", "--data", folder / "data.npz", *SETTINGS]
    anetest.run("ane-train", *arguments, "--export", folder / "whole.safetensors")
    return arguments, (folder / "whole.safetensors").read_bytes()


def without(arguments, *options):
    return [argument for argument in arguments if str(argument).split("=")[0] not in options]


def content(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def finished(arguments, folder, tmp_path):
    """The weights of a run that goes on to its end."""
    anetest.run("ane-train", *arguments, "--out", folder, "--resume", "--export", tmp_path / "w.safetensors")
    return (tmp_path / "w.safetensors").read_bytes()


def size(path):
    return path.stat().st_size if path.exists() else 0


def test_killed(run, tmp_path, request):
    """At random moments: while a process starts or reads a checkpoint, in steps, in the middle of checkpoints."""
    arguments, want = run
    wanted = 200 if request.config.getoption("--full") else 20
    chance = random.Random(7)
    kills, runs, begun = 0, 0, set()
    while kills < wanted:
        folder, log = tmp_path / f"run{runs}", tmp_path / f"log{runs}"
        runs += 1
        command = [str(anetest.tool("ane-train")), *map(str, arguments), "--out", str(folder), "--resume", "--save-every=7", "--log", str(log)]
        while True:
            # A step's line has about 170 bytes. Some are killed before the first one.
            until = size(log) + chance.uniform(-1000, 5000)
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while size(log) < until and process.poll() is None:
                time.sleep(0.001)
            time.sleep(chance.uniform(0, 0.01))
            process.kill()
            _, errors = process.communicate()
            if process.returncode != -signal.SIGKILL:
                assert process.returncode == 0, errors
                break
            kills += 1
        begun.update(json.loads(line)["resumed"] for line in log.read_text().splitlines() if "resumed" in line)
        assert finished(arguments, folder, tmp_path) == want, f"run {runs}"
    print(f"{kills} kills in {runs} runs, which went on from steps {sorted(begun)}")
    assert len(begun) > 5


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted(run, tmp_path, number):
    """A signal ends the step that runs; what is done is kept, and the tool says how to go on."""
    arguments, want = run
    slow = [*without(arguments, "--steps", "--schedule"), "--steps=100000000"]
    log = tmp_path / "log.jsonl"
    process = subprocess.Popen([str(anetest.tool("ane-train")), *map(str, slow), "--out", str(tmp_path / "run"), "--log", str(log)],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))  # background jobs ignore SIGINT, and so do their children
    try:
        while not log.exists() or log.stat().st_size < 2000:
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        process.send_signal(number)
        out, errors = process.communicate(timeout=60)
    finally:
        process.kill()  # nothing where it has ended
    assert process.returncode == 128 + number, errors
    assert "with --resume goes on from there" in errors
    last = json.loads(log.read_text().splitlines()[-1])["step"]
    assert f"ended behind step {last}, which {tmp_path}/run/step-{last:06} has" in errors
    assert f"checkpoint: {tmp_path}/run/step-{last:06}" in out
    assert (tmp_path / "run" / f"step-{last:06}" / "state.json").exists()


def test_full_disk(run, tmp_path):
    """A checkpoint that does not fit is an error; those before it are whole."""
    arguments, want = run
    anetest.run("ane-train", *arguments, "--out", tmp_path / "run", "--save-every=150")
    # As if the run had not come to its end.
    shutil.rmtree(tmp_path / "run" / "step-000400")
    kept = content(tmp_path / "run")
    assert len(kept) == 2 * 3

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))

    for place in ("run", "new"):
        done = subprocess.run([str(anetest.tool("ane-train")), *map(str, arguments), "--out", str(tmp_path / place), "--resume"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, preexec_fn=limit, check=False)
        assert done.returncode == 1 and "File too large" in done.stderr, done.stderr
    assert content(tmp_path / "run") == kept
    assert content(tmp_path / "new") == {}
    for place in ("run", "new"):
        assert finished(arguments, tmp_path / place, tmp_path) == want


def test_folder_that_cannot_be_written(run, tmp_path):
    arguments, _ = run
    (tmp_path / "file").write_text("no folder")
    anetest.rejected("ane-train", *arguments, "--out", tmp_path / "file" / "run", says="file/run")


def test_refuses(run, tmp_path):
    arguments, _ = run
    folder = tmp_path / "run"
    anetest.run("ane-train", *arguments, "--out", folder)
    anetest.rejected("ane-train", *arguments, "--out", folder, says="has checkpoints, the last of step 400; go on from there with --resume")
    for changed, words in [("--seed=4", "seed is 3 there and 4 here"), ("--lr=0.1", "rate is 0.05 there and 0.1 here"),
                           ("--weight-decay=0", "decay is 0.1 there and 0.0 here"), ("--accumulate=1", "accumulate is 2.0 there and 1.0 here"),
                           ("--optimizer=lion", 'optimizer is "adamw" there and "lion" here'),
                           ("--schedule=linear", 'schedule is "cosine" there and "linear" here')]:
        other = [*without(arguments, changed.split("=")[0]), changed]
        anetest.rejected("ane-train", *other, "--out", folder, "--resume", says=words)
    anetest.rejected("ane-train", *arguments, "--out", folder, "--resume", "--freeze=w", says="step-000400")
