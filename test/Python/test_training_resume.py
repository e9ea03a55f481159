"""Runs of ane-train that end before their time: killed, interrupted, out of disk. Each goes on bit for bit."""
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

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


def limited(arguments, most, *flags):
    """A run whose files can't become longer than `most` bytes, as on a disk that is full."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    return subprocess.run([str(anetest.tool("ane-train")), *map(str, arguments), *map(str, flags)], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, preexec_fn=limit, check=False)


def test_full_disk(run, tmp_path):
    """A checkpoint that does not fit is an error; those before it are whole."""
    arguments, want = run
    anetest.run("ane-train", *arguments, "--out", tmp_path / "run", "--save-every=150")
    # As if the run had not come to its end.
    shutil.rmtree(tmp_path / "run" / "step-000400")
    kept = content(tmp_path / "run")
    assert len(kept) == 2 * 3
    for place in ("run", "new"):
        done = limited(arguments, 300, "--out", tmp_path / place, "--resume")
        assert done.returncode == 1 and "File too large" in done.stderr, done.stderr
    assert content(tmp_path / "run") == kept
    assert content(tmp_path / "new") == {}
    for place in ("run", "new"):
        assert finished(arguments, tmp_path / place, tmp_path) == want


def test_checkpoints_that_do_not_fit(run, tmp_path):
    """The run goes on, and at its end exports what it can't keep; it is an error all the same."""
    arguments, want = run
    done = limited(arguments, len(want), "--out", tmp_path / "run", "--save-every=150", "--export", tmp_path / "w.safetensors")
    assert done.returncode == 1, done.stderr
    for step in (150, 300):
        assert re.search(f"\nstep {step} is not kept: .*File too large.*; no step is kept so far\n", done.stderr), done.stderr
    assert re.search(f"\nane-train: error: .*File too large.*; the weights are in {tmp_path}/w.safetensors\n$", done.stderr), done.stderr
    assert (tmp_path / "w.safetensors").read_bytes() == want
    assert content(tmp_path / "run") == {}
    # Both are told.
    done = limited(arguments, 300, "--out", tmp_path / "run", "--export", tmp_path / "both.safetensors")
    assert done.returncode == 1 and re.search("error: .*/run/.*; also: .*/both.safetensors.*\n$", done.stderr), done.stderr


@pytest.mark.parametrize("place", ["file/run", "file", "link"])
def test_folder_that_cannot_be_written(run, tmp_path, place):
    """It is said before anything is trained."""
    arguments, _ = run
    (tmp_path / "file").write_text("no folder")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere" / "run")
    log = tmp_path / "log.jsonl"
    for resumes in ([], ["--resume"]):
        anetest.rejected("ane-train", *arguments, "--out", tmp_path / place, "--log", log, *resumes, says=f"{tmp_path}/{place}")
        assert log.read_text() == ""


def as_nobody():
    """Rights of files are nothing to root."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


def test_folder_without_rights(run):
    """Nothing is trained that could not be kept. A run that is at its end writes no checkpoint, and is read from there."""
    arguments, _ = run
    try:
        anetest.run("ane-train", "--version", preexec_fn=as_nobody)
    except PermissionError:
        pytest.skip("only its owner can run what is built here")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        place.chmod(0o755)
        shutil.copytree(arguments[0], place / "t.anebundle")
        shutil.copy(arguments[3], place / "data.npz")
        (place / "new").mkdir()
        (place / "log").mkdir()
        command = ["ane-train", place / "t.anebundle", "--device=cpu", "--data", place / "data.npz", "--log", place / "log" / "l.jsonl"]
        anetest.run(*command, "--steps=20", "--out", place / "run")
        for folder, mode in (("run", 0o555), ("new", 0o555), ("log", 0o777), ("log/l.jsonl", 0o666)):
            (place / folder).chmod(mode)
        anetest.run(*command, "--steps=20", "--out", place / "run", "--resume", preexec_fn=as_nobody)
        log = (place / "log" / "l.jsonl").read_text()
        assert log.endswith('{"resumed":20}\n')
        for folder, *flags in (("new",), ("new", "--resume"), ("run", "--resume")):
            anetest.rejected(*command, "--steps=40", "--out", place / folder, *flags, says=["permission denied", f"{place}/{folder}"], preexec_fn=as_nobody)
        assert (place / "log" / "l.jsonl").read_text() == log
        for folder in ("run", "new"):
            (place / folder).chmod(0o755)


def test_log_that_cannot_be_written(run, tmp_path):
    """The run is kept, and ends; without the log it goes on."""
    arguments, want = run
    folder = tmp_path / "run"
    anetest.rejected("ane-train", *arguments, "--out", folder, "--log=/dev/full",
                     says=["/dev/full: cannot be written (No space left on device); the run is kept in "
                           f"{folder}/step-000001, and the same command with --resume goes on from there"])
    assert [path.name for path in folder.iterdir()] == ["step-000001"]
    assert finished(arguments, folder, tmp_path) == want


def test_log_that_cannot_be_written_at_the_end(run, tmp_path):
    """Of the last step: all else is done that a run ends with."""
    arguments, _ = run
    exported = tmp_path / "one.safetensors"
    one = [*without(arguments, "--steps", "--schedule"), "--steps=1"]
    anetest.rejected("ane-train", *one, "--out", tmp_path / "one", "--log=/dev/full", "--export", exported, says="/dev/full: cannot be written")
    assert exported.exists() and (tmp_path / "one" / "step-000001").exists()


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
