"""Peak of anonymous memory while MiniLM is compiled: weights stay in mapped files."""
import subprocess
import time

import onnx
import pytest

import anetest

BASE = 300 * 2**20


def anonymous_peak(command):
    """Runs a command; returns the highest RssAnon of its process in bytes, sampled each 2 ms."""
    peak = 0
    process = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status") as status:
                for line in status:
                    if line.startswith("RssAnon:"):
                        peak = max(peak, int(line.split()[1]) * 1024)
        except (FileNotFoundError, ProcessLookupError):
            break
        time.sleep(0.002)
    error = process.communicate()[1].decode()
    assert process.returncode == 0, error
    return peak


@pytest.mark.parametrize("length", [32, 128])
def test_compiling_minilm(minilm, tmp_path, length):
    largest = max(len(t.raw_data) for t in onnx.load(minilm).graph.initializer)
    peak = anonymous_peak([anetest.tool("ane-compile"), minilm, "-o", tmp_path / "m.anebundle", "--dim", "batch_size=1",
                           "--dim", f"sequence_length={length}"])
    limit = BASE + 2 * largest
    print(f"peak {peak / 2**20:.0f} MiB, limit {limit / 2**20:.0f} MiB")
    assert 2**20 < peak <= limit
