"""Whatever ends a compilation, the bundle's name stands for the older bundle or for the new one, whole, and the exit code
says which: 0 for the new one, anything else for the older one. Nothing else stays in the folder; what SIGKILL leaves, the next
compilation to that name removes."""
import ctypes
import errno
import fcntl
import hashlib
import os
import random
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter

import onnx
import pytest

import anetest
import models

NAME = "m.anebundle"
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]


def tree(folder):
    """{relative path: digest} of all files under a folder, which knows all of its bytes; None if there is no folder."""
    if not folder.exists():
        return None
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.rglob("*") if not p.is_dir()}


class Version:
    """A model and the bundle that it must become."""

    def __init__(self, folder, seed, host):
        made = models.mlp(seed, batch=8, widths=(256, 1024, 1024, 64))
        self.model = folder / f"{seed}.onnx"
        self.options = [f"--host={host}", "--quiet"]
        onnx.save(made.model, self.model)
        self.bundle = folder / f"{seed}.anebundle"
        start = time.monotonic()
        anetest.run("ane-compile", self.model, "-o", self.bundle, *self.options)
        self.seconds = time.monotonic() - start
        self.tree = tree(self.bundle)
        anetest.run("ane-run", self.bundle, "--device=cpu" if host != "none" else "--device=emulator", "--verify", "--random-inputs",
                    "--seed=1")

    def command(self, output, *options):
        return [anetest.tool("ane-compile"), self.model, "-o", output, *self.options, *options]


@pytest.fixture(scope="module")
def versions(request, tmp_path_factory):
    """Two models; with native code, which linker and threads write, unless a test says other."""
    host = getattr(request, "param", "native")
    folder = tmp_path_factory.mktemp(f"versions-{host}")
    made = [Version(folder, seed, host) for seed in (1, 2)]
    assert made[0].tree != made[1].tree
    return made


with_and_without_code = pytest.mark.parametrize("versions", ["none", "native"], indirect=True)


def default_signals():
    """A shell's background jobs ignore SIGINT, and so would their children."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def fail_calls(calls, error, flags=None):
    """From now on this process gets `error` from these system calls; with `flags`, where the fifth argument is that."""
    class Instruction(ctypes.Structure):
        _fields_ = [("code", ctypes.c_uint16), ("yes", ctypes.c_uint8), ("no", ctypes.c_uint8), ("value", ctypes.c_uint32)]

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_uint16), ("code", ctypes.POINTER(Instruction))]

    column = {"x86_64": 0, "aarch64": 1}[os.uname().machine]
    numbers = {"fsync": (74, 82), "rename": (82, 38), "renameat2": (316, 276)}
    load, if_equal, end, fail, allow = 0x20, 0x15, 0x06, 0x00050000 | error, 0x7FFF0000
    code = []
    for call in calls:
        code += [(load, 0, 0, 0), (if_equal, 0, 1 if flags is None else 3, numbers[call][column])]
        code += [] if flags is None else [(load, 0, 0, 16 + 4 * 8), (if_equal, 0, 1, flags)]
        code += [(end, 0, 0, fail)]
    code += [(end, 0, 0, allow)]
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_seccomp, filter_mode = 38, 22, 2
    assert libc.prctl(no_new_privileges, 1, 0, 0, 0) == 0
    program = Program(len(code), (Instruction * len(code))(*code))
    assert libc.prctl(set_seccomp, filter_mode, ctypes.byref(program), 0, 0) == 0, os.strerror(ctypes.get_errno())


def without_exchange():
    """Names can't be exchanged (RENAME_EXCHANGE), as on a file system that has no such thing."""
    fail_calls(["renameat2"], errno.EINVAL, flags=2)
    default_signals()


class Moment:
    """Up to which second signals are sent. About one run in six is to end before: then signals come until the very end, however busy
    the machine is."""

    def __init__(self, seconds):
        self.most = seconds

    def draw(self, rng):
        return rng.uniform(0, self.most)

    def learn(self, sent):
        self.most = max(self.most * (1.04 if sent else 0.8), 0.001)


def wait_for(process, happened):
    """Until that is so, or the process has ended."""
    while process.poll() is None and not happened():
        time.sleep(0.0002)


def identity(path):
    """Another one when the name stands for another file or folder; None if for nothing."""
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


def end_at(process, moment, number):
    """Sends the signal after `moment` seconds; True if the process was still there."""
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        pass
    if process.poll() is not None:
        return False
    process.send_signal(number)
    process.wait(60)
    return True


def check_kills(versions, folder, kills, seed, before_exec=default_signals):
    """Kills compilations of either version to one name, half of them over a bundle of the other one: at any moment (half), after the
    last file has been written, or after the name has changed its meaning (a quarter each). Goes on until some have left the older
    bundle and some the new one in its place, and a run has ended before its signal."""
    rng = random.Random(seed)
    output = folder / NAME
    older, killed, over, ended, alone, kept = None, 0, 0, 0, True, Counter()
    at_any, at_commit, at_end = Moment(max(version.seconds for version in versions)), Moment(0.02), Moment(0.005)
    while killed < kills or ((len(kept) < 2 or not ended) and killed < 10 * kills):
        if killed % 2 == 0:
            for path in [output, *folder.glob(f"{NAME}.previous-*")]:
                shutil.rmtree(path, ignore_errors=True)
            older = None
        elif older is None:
            stands = rng.choice(versions)
            shutil.copytree(stands.bundle, output)
            older = stands.tree
        version = rng.choice([version for version in versions if version.tree != older])
        number = rng.choice(SIGNALS)
        left, before = set(folder.glob(f"{NAME}.unfinished-*")), identity(output)
        process = subprocess.Popen(version.command(output), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, preexec_fn=before_exec, cwd=folder)
        moments = rng.choice([at_any, at_any, at_commit, at_end])
        if moments is at_commit:
            wait_for(process, lambda: any((path / "manifest.json").exists() for path in set(folder.glob(f"{NAME}.unfinished-*")) - left))
        elif moments is at_end:
            wait_for(process, lambda: identity(output) not in (before, None))
        moment = moments.draw(rng)
        sent = end_at(process, moment, number)
        moments.learn(sent)
        said = process.stderr.read().decode()
        process.stderr.close()
        there = tree(output)
        names = {path.name for path in folder.iterdir()} - {NAME}
        aside = there is None and any(".previous-" in name for name in names)
        about = f"seed {seed}, kill {killed}: {number.name if sent else 'none'} after {moment:.4f} s, exit code {process.returncode}, " \
                f"{names}\n{said}"
        if process.returncode == 0 or not sent:
            assert process.returncode == 0 and there == version.tree, about
        elif number == signal.SIGKILL:  # no code can say how far it got
            assert process.returncode == -number and (aside or there in (older, version.tree)), about
        else:
            assert process.returncode in (128 + number, -number), about  # the latter: before it has begun
            assert aside or there == older, about
        assert not aside or before_exec is without_exchange, about
        if sent and older is not None:
            over += 1
            kept["new" if there == version.tree else "older"] += 1
        killed += sent
        ended += not sent
        older = older if aside else there
        # What SIGKILL left goes away with the next compilation that is not killed before it has begun.
        alone = process.returncode == 0 or (alone and number != signal.SIGKILL)
        assert not alone or not names, about
    about = f"{killed} kills, {over} over a bundle: {dict(kept)}; {ended} runs ended before their signal"
    print(about)
    assert over >= 0.45 * killed and len(kept) == 2 and min(kept.values()) >= 0.05 * over and ended, about
    done = subprocess.run(versions[0].command(output), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert tree(output) == versions[0].tree and [path.name for path in folder.iterdir()] == [NAME]


@with_and_without_code
def test_kills(versions, tmp_path):
    check_kills(versions, tmp_path, 20, seed=11)


@pytest.mark.slow
@with_and_without_code
def test_many_kills(versions, tmp_path):
    check_kills(versions, tmp_path, 1000, seed=12)


def test_kills_where_names_can_not_be_exchanged(versions, tmp_path):
    check_kills(versions, tmp_path, 6, seed=13, before_exec=without_exchange)


@pytest.mark.slow
def test_many_kills_where_names_can_not_be_exchanged(versions, tmp_path):
    check_kills(versions, tmp_path, 100, seed=14, before_exec=without_exchange)


def test_a_bundle_that_stands_aside_comes_back(versions, tmp_path):
    """The one moment without a bundle, on such file systems: the next run begins by bringing the older one back."""
    output = tmp_path / NAME
    shutil.copytree(versions[0].bundle, tmp_path / f"{NAME}.previous-0123abcd")
    shutil.copytree(versions[1].bundle, tmp_path / f"{NAME}.unfinished-0123abcd")
    (tmp_path / "bad.onnx").write_text("no model")
    anetest.rejected("ane-compile", tmp_path / "bad.onnx", "-o", output)
    assert tree(output) == versions[0].tree
    assert {path.name for path in tmp_path.iterdir()} == {NAME, "bad.onnx"}
    # With a bundle in place, the older one is not needed any more.
    shutil.copytree(versions[1].bundle, tmp_path / f"{NAME}.previous-0123abcd")
    anetest.rejected("ane-compile", tmp_path / "bad.onnx", "-o", output)
    assert tree(output) == versions[0].tree
    assert {path.name for path in tmp_path.iterdir()} == {NAME, "bad.onnx"}


@pytest.mark.parametrize("before_exec", [default_signals, without_exchange])
def test_compilations_to_one_name(versions, tmp_path, before_exec):
    """Each one ends well, the last one wins, and none touches another's work."""
    output = tmp_path / NAME
    for _ in range(3):
        running = [subprocess.Popen(version.command(output), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=before_exec)
                   for version in versions * 3]
        for process in running:
            assert process.wait(120) == 0, process.stderr.read()
            process.stderr.close()
        assert tree(output) in [version.tree for version in versions]
        assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_readers_never_see_half_a_bundle(versions, tmp_path):
    """The name is there at every moment, whichever bundle it stands for."""
    output = shutil.copytree(versions[0].bundle, tmp_path / NAME)
    missing, done = [], threading.Event()

    def look():
        while not done.is_set():
            if not (output / "manifest.json").exists():
                missing.append(time.monotonic())

    reader = threading.Thread(target=look)
    reader.start()
    for version in versions * 3:
        subprocess.run(version.command(output), check=True)
    done.set()
    reader.join()
    assert not missing


def test_what_others_write_stays(versions, tmp_path):
    """A folder of a living process is locked; names that are none of ours, files of users, and links are left alone."""
    output = tmp_path / NAME
    live, left, link = (tmp_path / f"{NAME}.unfinished-{digits}" for digits in ("00000001", "00000002", "00000003"))
    others = [tmp_path / f"{NAME}.unfinished-notes", tmp_path / "n.anebundle.unfinished-00000004"]
    for folder in (live, left, *others):
        (folder / "weights").mkdir(parents=True)
        (folder / "weights" / "w.bin").write_text("weights")
    link.symlink_to(others[0])
    descriptor = os.open(live, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    subprocess.run(versions[0].command(output), check=True)
    os.close(descriptor)
    assert tree(output) == versions[0].tree
    assert sorted(tmp_path.iterdir()) == sorted([output, live, link, *others])
    assert (others[0] / "weights" / "w.bin").exists()


def test_an_unfinished_bundle_that_is_removed(versions, tmp_path):
    """As an interrupt does it, while CPU code is compiled: one error, and nothing is linked elsewhere."""
    for _ in range(10):  # a busy machine may be late
        process = subprocess.Popen(versions[0].command(tmp_path / NAME), stderr=subprocess.PIPE, text=True, cwd=tmp_path)
        while process.poll() is None:
            for folder in tmp_path.glob(f"{NAME}.unfinished-*/host"):
                shutil.rmtree(folder.parent, ignore_errors=True)
            time.sleep(0.0002)
        said = process.stderr.read()
        process.stderr.close()
        if process.returncode != 0:
            break
        shutil.rmtree(tmp_path / NAME)
    assert process.returncode == 1 and len(said.strip().splitlines()) == 1 and "No such file or directory" in said, said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("calls", [["fsync"], ["rename", "renameat2"]])
def test_a_disk_that_fails_at_the_end(versions, tmp_path, calls):
    """An error, and all stays as it was."""
    output = shutil.copytree(versions[1].bundle, tmp_path / NAME)
    (tmp_path / "report").write_text("older")
    command = versions[0].command(output, f"--report={tmp_path}/report")
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=lambda: fail_calls(calls, errno.EIO))
    assert done.returncode == 1 and done.stderr.count("error:") == 1 and os.strerror(errno.EIO) in done.stderr, done
    assert tree(output) == versions[1].tree and (tmp_path / "report").read_text() == "older"
    assert {path.name for path in tmp_path.iterdir()} == {NAME, "report"}


# ---- other outputs ----


@pytest.mark.parametrize("option", ["--report", "--compile-to=legal -o", "--targets=all --report", "--why=x --report"])
def test_an_output_that_can_not_be_written(versions, tmp_path, option):
    """It is an error before the work begins, and nothing else is written."""
    other = [] if "-o" in option or "--t" in option or "--why" in option else ["-o", tmp_path / NAME]
    first, last = option.split()[:-1], option.split()[-1]
    where = [last, "/nonexistent/x"] if last == "-o" else [f"{last}=/nonexistent/x"]
    done = anetest.rejected("ane-compile", versions[0].model, *other, *first, *where, says="can't write '/nonexistent/x'")
    assert "importing" not in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("older", [False, True])
def test_a_report_that_fails_leaves_no_bundle(versions, tmp_path, older):
    output = tmp_path / NAME
    if older:
        shutil.copytree(versions[1].bundle, output)
    anetest.rejected("ane-compile", versions[0].model, "-o", output, *versions[0].options, "--report=/dev/full", says="/dev/full")
    assert tree(output) == (versions[1].tree if older else None)
    assert [path.name for path in tmp_path.iterdir()] == [NAME] * older


def test_a_report_inside_the_bundle(versions, tmp_path):
    output = shutil.copytree(versions[1].bundle, tmp_path / NAME)
    anetest.rejected("ane-compile", versions[0].model, "-o", output, f"--report={output}/r.txt", code=2, says="choose another place")
    assert tree(output) == versions[1].tree


def test_a_reader_of_the_report_that_goes_away(versions, tmp_path):
    """`ane-compile ... --report | head -1` is no failure."""
    command = versions[0].command(tmp_path / NAME, "--report")
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert done.returncode == 0 and not done.stderr, done
    assert tree(tmp_path / NAME) == versions[0].tree
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_a_report_appears_whole(versions, tmp_path):
    """With the bundle and at no other time; a link in its place is replaced, not followed."""
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "report").symlink_to(tmp_path / "victim")
    (tmp_path / "report.unfinished-0123abcd").write_text("left by a kill")
    subprocess.run(versions[0].command(tmp_path / NAME, f"--report={tmp_path}/report"), check=True)
    assert (tmp_path / "victim").read_text() == "mine"
    assert "engine share" in (tmp_path / "report").read_text() and not (tmp_path / "report").is_symlink()
    assert {path.name for path in tmp_path.iterdir()} == {NAME, "report", "victim"}

    (tmp_path / "report").write_text("older")
    (tmp_path / "bad.onnx").write_text("no model")
    anetest.rejected("ane-compile", tmp_path / "bad.onnx", "-o", tmp_path / "n.anebundle", f"--report={tmp_path}/report")
    assert (tmp_path / "report").read_text() == "older"
    assert {path.name for path in tmp_path.iterdir()} == {NAME, "report", "victim", "bad.onnx"}


def test_ignored_signals_stay_ignored(versions, tmp_path):
    """nohup, and a shell's background jobs, ignore signals for their children."""
    def ignore():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    process = subprocess.Popen(versions[0].command(tmp_path / NAME), preexec_fn=ignore)
    while process.poll() is None:
        process.send_signal(signal.SIGHUP)
        time.sleep(0.01)
    assert process.returncode == 0
    assert tree(tmp_path / NAME) == versions[0].tree


def test_files_that_other_users_may_read(versions, tmp_path):
    """A bundle has the rights that the umask leaves, not those of a temporary folder."""
    subprocess.run(versions[0].command(tmp_path / NAME, f"--report={tmp_path}/r"), check=True, preexec_fn=lambda: os.umask(0o022))
    for path in (tmp_path / NAME, *(tmp_path / NAME).rglob("*"), tmp_path / "r"):
        assert path.stat().st_mode & 0o044 == 0o044, path


def test_nothing_is_written_elsewhere(versions, tmp_path):
    """What is linked lies in the bundle in the making, where the next run finds it: no other folder is needed."""
    elsewhere = dict.fromkeys(("TMPDIR", "TMP", "TEMP", "TEMPDIR"), str(tmp_path / "absent"))
    anetest.run(*versions[0].command(tmp_path / NAME, "--host=arm64-apple-macos"), env={**os.environ, **elsewhere})
