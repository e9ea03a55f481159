"""The time to compile grows with the model, not faster."""
import resource

import onnx

import anetest
import models


def seconds(path, bundle):
    """Processor time of a compilation."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    before = used()
    anetest.run("ane-compile", path, "-o", bundle, "--host=x86_64-unknown-linux-gnu:x86-64-v3", "--quiet")
    return used() - before


def test_layers_of_llama(tmp_path):
    times = {}
    for layers in (2, 8, 32):
        path = tmp_path / f"{layers}.onnx"
        onnx.save(models.llama(1, layers).model, path)
        times[layers] = seconds(path, tmp_path / f"{layers}.anebundle")
    print({layers: f"{time:.2f} s" for layers, time in times.items()})
    assert times[32] <= 4 * 1.2 * times[8], times
