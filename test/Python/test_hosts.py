"""CPU code for several machines: what a bundle holds, what the runtime takes of it, and what code for other processors
computes (under QEMU)."""
import json
import os
import re
import shutil
import subprocess
from functools import partial

import numpy as np
import pytest

import anetest
import hostlib
import machofile
import models
import onnxcheck
import test_host

X86, V3, V4, VNNI = "x86_64-unknown-linux-gnu", "x86-64-v3", "x86-64-v4", "x86-64-v4-vnni"
LEVELS = {level: f"{X86}:{level}" for level in (V3, V4, VNNI)}
MACOS = hostlib.MACOS


def features():
    with open("/proc/cpuinfo") as file:
        return next((set(line.split()) for line in file if line.startswith("flags")), set())


needs_v4 = pytest.mark.skipif(not {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= features(),
                              reason="this processor is below x86-64-v4")
needs_vnni = pytest.mark.skipif("avx512_vnni" not in features(), reason="this processor has no AVX512_VNNI")
needs_aarch64 = pytest.mark.skipif(not hostlib.runs_aarch64(), reason="gcc-aarch64-linux-gnu or qemu-user is not installed")
needs_qemu = pytest.mark.skipif(not shutil.which("qemu-x86_64"), reason="qemu-user is not installed")


def compiled(made, folder, *arguments):
    path, bundle = folder / "model.onnx", folder / "model.anebundle"
    path.write_bytes(made.model.SerializeToString())
    anetest.compile_model(path, bundle, *arguments)
    return bundle


@pytest.fixture(scope="module")
def everywhere(tmp_path_factory):
    """A small transformer with code for all machines: (bundle, model)."""
    made = models.encoder(3)
    return compiled(made, tmp_path_factory.mktemp("all"), "--host=all"), made


def run_on_cpu(bundle, made, folder, **environment):
    outputs = [output.name for output in made.model.graph.output]
    return anetest.run_bundle(bundle, made.inputs(0), outputs, folder, "cpu", "--threads=2", env=environment)


def libraries(bundle):
    return json.loads((bundle / "manifest.json").read_text())["host_libraries"]


def test_a_bundle_names_all_libraries(everywhere):
    bundle, _ = everywhere
    names = [(library["triple"], library["cpu"]) for library in libraries(bundle)]
    assert names == [(X86, V4), (X86, V3), (hostlib.AARCH64, ""), (MACOS, "")]
    for library in libraries(bundle):
        assert (bundle / library["path"]).stat().st_size > 1000


def test_weights_are_shared(everywhere, tmp_path):
    """All libraries read one file, which is not much larger than that of one library."""
    bundle, made = everywhere
    alone = compiled(made, tmp_path, f"--host={LEVELS[V3]}")
    size = [(b / "weights" / "host.bin").stat().st_size for b in (alone, bundle)]
    assert size[1] <= 1.1 * size[0], size


@pytest.mark.parametrize("names, expected", [
    (X86, [V4, V3]), ("x86_64-linux-musl,amd64-pc-linux-gnu", [V4, V3]), (LEVELS[V4], [V4]), (f"{X86},{LEVELS[V3]}", [V4, V3]),
    ("none", []), (f"{MACOS}14,arm64-linux-gnu", ["", ""])])
def test_spellings(tmp_path, names, expected):
    assert [library["cpu"] for library in libraries(compiled(models.mlp(1), tmp_path, f"--host={names}"))] == expected


def test_native_is_one_library_that_runs_here(tmp_path):
    made = models.mlp(1)
    bundle = compiled(made, tmp_path, "--host=native")
    assert len(libraries(bundle)) == 1
    anetest.check_cpu(run_on_cpu(bundle, made, tmp_path), anetest.reference(made.model, made.inputs(0)))


@pytest.mark.parametrize("level", [V3, pytest.param(V4, marks=needs_v4)])
def test_each_level_computes_the_model(everywhere, tmp_path, level):
    bundle, made = everywhere
    anetest.check_cpu(run_on_cpu(bundle, made, tmp_path, ANE_HOST_CPU=level), anetest.reference(made.model, made.inputs(0)))


def test_products_of_integers(tmp_path):
    """A weight in blocks of integers is what AVX512_VNNI is good for: such a model has a library for it."""
    rng = np.random.default_rng(5)
    blocks = np.zeros((48, 2, 20), np.uint8)  # Q4_1: a scale and an offset in fp16, 32 integers of 4 bits
    blocks[..., :4] = rng.uniform(-0.1, 0.1, (48, 2, 2)).astype(np.float16).view(np.uint8).reshape(48, 2, 4)
    blocks[..., 4:] = rng.integers(0, 256, (48, 2, 16))
    path, bundle = tmp_path / "m.mlir", tmp_path / "m.anebundle"
    path.write_text(f"""func.func @main(%x: tensor<11x64xf32> {{ane.io_name = "x"}}) -> (tensor<11x48xf32> {{ane.io_name = "y"}}) {{
      %b = ane.const dense<"0x{blocks.tobytes().hex()}"> : tensor<48x40xui8>
      %w = ane.constexpr_blocks q4_1 %b {{output_dtype = "fp32"}} : (tensor<48x40xui8>) -> tensor<48x64xf32>
      %y = ane.linear %x, %w : (tensor<11x64xf32>, tensor<48x64xf32>) -> tensor<11x48xf32>
      return %y : tensor<11x48xf32>
    }}""")
    anetest.compile_model(path, bundle, f"--host={X86}")
    assert [library["cpu"] for library in libraries(bundle)] == [VNNI, V4, V3]
    x = {"x": rng.standard_normal((11, 64)).astype(np.float32)}
    pairs = blocks[..., :4].copy().view(np.float16).astype(np.float64)
    integers = np.concatenate([blocks[..., 4:] & 15, blocks[..., 4:] >> 4], axis=-1)
    weight = (integers * pairs[..., :1] + pairs[..., 1:]).reshape(48, 64)
    for level, needs in (VNNI, needs_vnni), (V4, needs_v4), (V3, None):
        if needs is None or not needs.args[0]:
            got = anetest.run_bundle(bundle, x, ["y"], tmp_path, "cpu", "--threads=2", env={"ANE_HOST_CPU": level})["y"]
            np.testing.assert_allclose(got, x["x"] @ weight.T, rtol=0, atol=1e-5)


def under_qemu(processor, bundle, folder, *arguments):
    command = ["qemu-x86_64", "-cpu", processor, anetest.tool("ane-run"), bundle, "--device=cpu", "--random-inputs",
               "--threads=1", *arguments]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=anetest.TIMEOUT)


@needs_qemu
def test_the_processor_decides(everywhere, tmp_path):
    """QEMU has AVX2 and no AVX-512."""
    bundle, _ = everywhere
    done = under_qemu("max", bundle, tmp_path, "--output-dir", tmp_path / "qemu")
    assert done.returncode == 0, done.stderr
    environment = {**os.environ, "ANE_HOST_CPU": V3}
    anetest.run("ane-run", bundle, "--device=cpu", "--random-inputs", "--output-dir", tmp_path / "here", env=environment)
    for path in (tmp_path / "here").iterdir():
        np.testing.assert_array_equal(np.load(path), np.load(tmp_path / "qemu" / path.name))


@needs_qemu
def test_what_the_processor_lacks_is_named(everywhere, tmp_path):
    bundle, _ = everywhere
    done = under_qemu("Nehalem", bundle, tmp_path)
    assert done.returncode == 1, done.stderr
    for text in ("this processor cannot run", f"{LEVELS[V3]} needs AVX, AVX2, BMI1", f"{LEVELS[V4]} needs", "AVX512F"):
        assert text in done.stderr, done.stderr


def test_macos_would_load_the_code(everywhere):
    """Signed, for macOS 14, and with a dependency: macOS loads no library that has none."""
    bundle, _ = everywhere
    library = bundle / "host" / f"{MACOS}.dylib"
    machofile.check_signature(library.read_bytes())
    assert machofile.system(library) == ("1", "14.0")
    assert machofile.linked(library) == ["/usr/lib/libSystem.B.dylib"] and not machofile.undefined(library)
    assert {"_ane_host_abi", "_ane_host_init"} <= machofile.exported(library)
    # The system owns x18 (Apple, "Writing ARM64 code for Apple platforms").
    code = subprocess.run(["llvm-objdump-19", "--disassemble", library], capture_output=True, text=True, check=True).stdout
    assert "ret" in code and not re.search(r"\b[wx]18\b", code)


# A function of test_host.py for each kind of kernel; all of them run with ANE_TEST_HOST=....
KERNELS = {
    **{f"unary-{name}": partial(test_host.test_unary, name=name) for name in ("exp", "tanh", "sin", "round", "softplus")},
    "special": lambda rng, tmp_path: test_host.test_special_values(tmp_path),
    "gelu": partial(test_host.test_gelu, mode="EXACT"),
    "integers": partial(test_host.test_integers, dtype=np.int64),
    **{f"model-{name}": lambda rng, tmp_path, made=made: onnxcheck.check(made.model, made.inputs(0), tmp_path)
       for name, made in {"mlp": models.mlp(1), "encoder": models.encoder(2), "decoder": models.decoder(3),
                          "cnn": models.cnn(4)}.items()},
}


@pytest.mark.parametrize("host", [pytest.param(LEVELS[V4], marks=needs_v4, id="v4"),
                                  pytest.param(hostlib.AARCH64, marks=needs_aarch64, id="aarch64"),
                                  pytest.param(MACOS, marks=needs_aarch64, id="macos")])
@pytest.mark.parametrize("name", KERNELS)
def test_kernels(rng, tmp_path, monkeypatch, host, name):
    monkeypatch.setenv("ANE_TEST_HOST", host)
    KERNELS[name](rng, tmp_path)
