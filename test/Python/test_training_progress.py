"""What ane-train shows while it trains: on a terminal a line with a bar and the time that is left, which is written over."""
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time

import numpy as np
import pytest

import anetest

STEPS = 40
BAR = re.compile(r"\[(#*)(-*)\] +(\d+) %  (?:\d+:)?\d+:\d\d left  step (\d+)/(\d+)  loss \d")


@pytest.fixture(scope="module")
def arguments(tmp_path_factory):
    folder = tmp_path_factory.mktemp("progress")
    anetest.run("training_bundle_tool", folder / "t.anebundle")
    generator = np.random.default_rng(1)
    x = generator.standard_normal((37, 3)).astype(np.float32)
    np.savez(folder / "data.npz", x=x, y=(x @ [1, 2, 3]).astype(np.float32))
    return [str(folder / "t.anebundle"), "--device=cpu", "--data", str(folder / "data.npz"), "--lr=0.01"]


def on_terminal(arguments, columns, interrupts=False):
    """What a terminal gets of a run's stderr, to its end or until it was interrupted behind a few lines, at the latest after 20 s."""
    here, there = pty.openpty()
    latest = time.monotonic() + 20
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
    with subprocess.Popen([str(anetest.tool("ane-train")), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=there,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as process:
        os.close(there)
        text = b""
        try:
            while part := os.read(here, 65536):
                text += part
                if interrupts and (text.count(b" left ") > 2 or time.monotonic() > latest):
                    process.send_signal(signal.SIGINT)
                    interrupts = False
        except OSError:  # its other end was closed
            pass
    os.close(here)
    assert process.returncode in (0, 130), text
    return text.decode()


def test_bar(arguments, tmp_path):
    text = on_terminal([*arguments, f"--steps={STEPS}", "--out", str(tmp_path / "run")], 200)
    # Of a resumed run the time is that of its own steps.
    text += on_terminal([*arguments, f"--steps={2 * STEPS}", "--out", str(tmp_path / "run"), "--resume"], 200)
    bars = [match for line in re.split(r"[\r\n]", text) if (match := BAR.match(line))]
    assert len(bars) >= 4 and len(bars) == len(re.findall(r"\[[#-]+\]", text)), text
    for bar in bars:
        step, steps = int(bar[4]), int(bar[5])
        assert len(bar[1]) + len(bar[2]) == 20 and len(bar[1]) == 20 * step // steps and int(bar[3]) == 100 * step // steps
    assert [int(bar[4]) for bar in bars if "100 %  0:00 left" in bar[0]] == [STEPS, 2 * STEPS]
    assert {int(bar[4]) for bar in bars} >= {1, STEPS, STEPS + 1, 2 * STEPS}


def test_narrow_terminal(arguments):
    """A line that has a second one could not be written over."""
    text = on_terminal([*arguments, f"--steps={STEPS}"], 44)
    lines = [line for line in re.split(r"[\r\n]", text) if line.startswith("[")]
    assert len(lines) >= 2 and {len(line.rstrip()) for line in lines} <= set(range(40, 44)), lines


def test_time_that_is_left(arguments):
    text = on_terminal([*arguments, "--steps=1000000000"], 200, interrupts=True)
    assert re.search(r"\[-{20}\]   0 %  \d+:\d\d:\d\d left  step \d+/1000000000  ", text), text


def test_no_bar_elsewhere(arguments):
    done = anetest.run("ane-train", *arguments, f"--steps={STEPS}")
    assert f"step {STEPS}/{STEPS}  loss " in done.stderr and not re.search(r"\[[#-]+\]| left|\r", done.stderr)
