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


def test_a_run_that_needs_much_is_said_and_refused(tmp_path):
    """A small file binds its dimension to any size."""
    tensor = lambda name: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 1, 1, "n"])
    node = onnx.helper.make_node("Relu", ["x"], ["y"], "wide")
    graph = onnx.helper.make_graph([node], "g", [tensor("x")], [tensor("y")])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")

    def compiled(size):
        return anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", "--dim", f"n={size}").stderr

    assert "a run of function" not in compiled(2**20)
    anetest.run("ane-run", tmp_path / "m.anebundle", "--random-inputs", "--memory-limit=8388608")
    anetest.rejected("ane-run", tmp_path / "m.anebundle", "--random-inputs", "--memory-limit=8388607",
                     says=["function main needs 8.4 MB (8.4 MB for values) of memory, 8388607 of 8388607 bytes are left", "--memory-limit"])
    assert "warning: a run of function 'main' needs 17.2 GB (17.2 GB for values); smaller sizes (--dim, --shape) need less; " \
           "the largest value is 'x', float32[1,1,1,2147483648]" in compiled(2**31)
    anetest.rejected("ane-run", tmp_path / "m.anebundle", "--random-inputs", "--memory-limit=17000000000",
                     says="function main needs 17.2 GB (17.2 GB for values) of memory")
