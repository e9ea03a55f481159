"""The tools' behaviour on good and bad input: determinism, options, hostile files, a full disk, an interrupt."""
import hashlib
import json
import pathlib
import resource
import shutil
import signal
import subprocess
import time

import numpy as np
import onnx
import pytest

import anetest
import models

PHASES = ["input", "canonical", "legal", "partitioned", "emittable", "bundle"]
TOOLS = ["ane-opt", "ane-translate", "ane-lsp-server", "ane-compile", "ane-run", "ane-tblgen"]


def tree(folder):
    """{relative path: sha256} of all files under a folder."""
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """A small model with every kind of step: (path, inputs, bundle)."""
    folder = tmp_path_factory.mktemp("encoder")
    made = models.encoder(seed=3, sequence=20, width=48, heads=3)
    onnx.save(made.model, folder / "m.onnx")
    anetest.run("ane-compile", folder / "m.onnx", "-o", folder / "m.anebundle")
    return folder / "m.onnx", made.inputs(0), folder / "m.anebundle"


@pytest.fixture
def bundle(encoder, tmp_path):
    """A copy that a test may damage."""
    return shutil.copytree(encoder[2], tmp_path / "copy.anebundle")


def left_over(folder, *known):
    return sorted(p.name for p in folder.iterdir() if p.name not in known)


@pytest.mark.parametrize("name", TOOLS)
def test_help(name):
    done = anetest.run(name, "--help")
    assert len(done.stdout) > 100
    assert name in done.stdout or "USAGE" in done.stdout


def test_same_input_same_bytes(minilm, encoder, tmp_path):
    for index, (model, dims) in enumerate([(encoder[0], []), (minilm, ["--dim", "batch_size=1", "--dim", "sequence_length=32"])]):
        made = []
        for run in range(2):
            # Another folder and another clock: neither may be in the bytes.
            folder = tmp_path / f"{index}-{run}"
            folder.mkdir()
            anetest.run("ane-compile", model, "-o", folder / "m.anebundle", *dims)
            made.append(tree(folder / "m.anebundle"))
        assert made[0] and made[0] == made[1]


def test_a_moved_model_gives_the_same_bytes(encoder, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    model = shutil.copy(encoder[0], tmp_path / "elsewhere" / "m.onnx")
    anetest.run("ane-compile", model, "-o", tmp_path / "m.anebundle")
    assert tree(tmp_path / "m.anebundle") == tree(encoder[2])


def test_bundle_names_nothing_of_the_machine(encoder):
    for path in encoder[2].rglob("*"):
        if path.is_file():
            assert str(encoder[0].parent).encode() not in path.read_bytes(), path


def test_manifest_lists_every_file_with_its_hash(encoder):
    listed = {f["path"]: f["xxh128"] for f in json.loads((encoder[2] / "manifest.json").read_text())["files"]}
    there = {path: anetest.xxh128((encoder[2] / path).read_bytes()) for path in tree(encoder[2]) if path != "manifest.json"}
    assert listed == there


@pytest.mark.parametrize("phase", PHASES)
def test_compile_to(encoder, tmp_path, phase):
    out = tmp_path / ("m.anebundle" if phase == "bundle" else "m.mlir")
    anetest.run("ane-compile", encoder[0], "-o", out, f"--compile-to={phase}")
    if phase == "bundle":
        assert (out / "manifest.json").exists()
    else:
        text = out.read_text()
        assert "ane." in text
        assert ("ane.island" in text) == (phase == "legal"), phase
        assert ("ane.program" in text) == (phase in ("partitioned", "emittable")), phase
        # What a phase prints is a module that ane-opt reads.
        anetest.run("ane-opt", out, "-o", tmp_path / "again.mlir")


def test_compile_to_unknown_phase(encoder, tmp_path):
    done = anetest.run("ane-compile", encoder[0], "-o", tmp_path / "x", "--compile-to=nowhere", check=False)
    assert done.returncode == 2 and "nowhere" in done.stderr and "canonical" in done.stderr
    assert not left_over(tmp_path)


@pytest.mark.parametrize("manifest, stranger, says", [
    ('{"name": "a web application", "icons": []}', None, "its manifest.json is not that of a bundle"),
    ("{", None, "its manifest.json is not that of a bundle"),
    (None, "notes.txt", "the bundle there holds 'notes.txt', which is not of it"),
    (None, "programs/notes.txt", "the bundle there holds 'programs/notes.txt', which is not of it")])
def test_only_bundles_are_replaced(encoder, tmp_path, manifest, stranger, says):
    out = tmp_path / "m.anebundle"
    if manifest:
        out.mkdir()
        (out / "manifest.json").write_text(manifest)
    else:
        shutil.copytree(encoder[2], out)
        (out / stranger).write_text("precious")
    before = {path: (out / path).read_bytes() for path in tree(out)}
    anetest.rejected("ane-compile", encoder[0], "-o", out, says=[str(out), says, "remedy"])
    assert {path: (out / path).read_bytes() for path in tree(out)} == before
    if stranger:
        (out / stranger).rename(out / ".DS_Store")  # Finder's
        anetest.run("ane-compile", encoder[0], "-o", out)


def test_models_are_not_overwritten(encoder, tmp_path):
    model = pathlib.Path(shutil.copy(encoder[0], tmp_path / "m.onnx"))
    (tmp_path / "link.onnx").symlink_to("m.onnx")
    for flags in (["-o", tmp_path / "o.anebundle", f"--report={model}"], ["-o", model, "--compile-to=legal"],
                  ["-o", tmp_path / "link.onnx", "--compile-to=legal"], ["--targets=all", f"--report={model}"]):
        anetest.rejected("ane-compile", model, *flags, says=["this is the model that is read", "choose another place"], code=2)
    anetest.rejected("ane-compile", model, "-o", tmp_path / "o.anebundle", f"--report={tmp_path}/o.anebundle", says="choose another place", code=2)
    assert model.read_bytes() == encoder[0].read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.onnx", "m.onnx"]


def test_unknown_target(encoder, tmp_path):
    done = anetest.rejected("ane-compile", encoder[0], "-o", tmp_path / "x.anebundle", "--target=m99", says=["m99", "m4"], code=2)
    assert "\n" not in done.stderr.strip() or "h16" in done.stderr
    assert not left_over(tmp_path)


@pytest.mark.parametrize("target", ["h13", "m1", "m2pro", "a17", "h16", "m4"])
def test_known_targets(encoder, tmp_path, target):
    anetest.run("ane-compile", encoder[0], "-o", tmp_path / "m.anebundle", f"--target={target}")
    assert json.loads((tmp_path / "m.anebundle" / "manifest.json").read_text())["target"]["chip"].startswith("h")


def test_default_target_is_m4(encoder, tmp_path):
    anetest.run("ane-compile", encoder[0], "-o", tmp_path / "m.anebundle", "--target=m4")
    assert tree(tmp_path / "m.anebundle") == tree(encoder[2])


def test_without_host_code(encoder, tmp_path):
    """--host=none: programs only; the CPU is refused with a reason, not with a crash."""
    anetest.run("ane-compile", encoder[0], "-o", tmp_path / "m.anebundle", "--host=none")
    assert not list((tmp_path / "m.anebundle").glob("host/*"))
    anetest.rejected("ane-run", tmp_path / "m.anebundle", "--device=cpu", "--random-inputs", "--seed", "1", says="host")


def test_json_on_stdout(encoder, tmp_path):
    done = anetest.run("ane-compile", encoder[0], "-o", tmp_path / "m.anebundle", "--json")
    report = json.loads(done.stdout)
    assert 0 <= anetest.engine_share(report) <= 1
    assert json.loads((tmp_path / "m.anebundle" / "report.json").read_text())
    done = anetest.run("ane-run", tmp_path / "m.anebundle", "--device=cpu", "--random-inputs", "--seed", "1", "--repeat", "3", "--json")
    times = json.loads(done.stdout)["time_ms"]
    assert 0 < times["min"] <= times["median"]


def test_random_inputs_follow_the_seed(encoder, tmp_path):
    for folder, seed in (("a", 1), ("b", 1), ("c", 2)):
        anetest.run("ane-run", encoder[2], "--device=cpu", "--random-inputs", "--seed", seed, "--output-dir", tmp_path / folder)
    assert tree(tmp_path / "a") == tree(tmp_path / "b") != tree(tmp_path / "c")


def test_compare_device(encoder):
    done = anetest.run("ane-run", encoder[2], "--device=emulator", "--random-inputs", "--seed", "1", "--compare-device=cpu")
    assert "max" in (done.stdout + done.stderr).lower()


def test_profile(encoder):
    done = anetest.run("ane-run", encoder[2], "--device=emulator", "--random-inputs", "--seed", "1", "--profile")
    assert "main_0" in done.stdout + done.stderr


# ---- bad models ----


@pytest.mark.parametrize("keep", [0, 1, 100, 0.5, 0.99])
def test_truncated_model(encoder, tmp_path, keep):
    data = encoder[0].read_bytes()
    (tmp_path / "m.onnx").write_bytes(data[:keep if isinstance(keep, int) else int(len(data) * keep)])
    anetest.rejected("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", says="m.onnx")
    assert left_over(tmp_path, "m.onnx") == []


def test_noise_is_not_a_model(encoder, tmp_path):
    """Bytes changed at random: an error or a bundle, never a signal, never half an output."""
    data = np.frombuffer(encoder[0].read_bytes(), np.uint8)
    rng = np.random.default_rng(7)
    for round in range(30):
        damaged = data.copy()
        # The head holds the graph's structure, which is where damage is interesting.
        spots = rng.integers(0, len(data) if round % 2 else min(len(data), 4000), 12)
        damaged[spots] = rng.integers(0, 256, len(spots))
        (tmp_path / "m.onnx").write_bytes(damaged.tobytes())
        done = anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", "--host=none", check=False)
        assert done.returncode in (0, 1), (round, done.returncode, done.stderr[-2000:])
        if done.returncode == 1:
            assert done.stderr.strip() and left_over(tmp_path, "m.onnx") == [], round
        shutil.rmtree(tmp_path / "m.anebundle", ignore_errors=True)


def test_missing_model(tmp_path):
    anetest.rejected("ane-compile", tmp_path / "none.onnx", "-o", tmp_path / "m.anebundle", says="none.onnx")


def test_wrong_dim(minilm, tmp_path):
    out = ["-o", tmp_path / "m.anebundle"]
    anetest.rejected("ane-compile", minilm, *out, says="sequence_length")
    anetest.rejected("ane-compile", minilm, *out, "--dim", "batch_size=1", "--dim", "length=32", says=["length", "sequence_length"])
    for value in ("0", "-3", "x", "1e99", "99999999999999999999"):
        anetest.rejected("ane-compile", minilm, *out, "--dim", "batch_size=1", "--dim", f"sequence_length={value}", says=value, code=2)
    # Position embeddings end at 512.
    anetest.rejected("ane-compile", minilm, *out, "--dim", "batch_size=1", "--dim", "sequence_length=4096")
    assert left_over(tmp_path) == []


def test_missing_external_data(tmp_path):
    made = models.mlp(seed=1)
    onnx.save(made.model, tmp_path / "m.onnx", save_as_external_data=True, location="weights.data", size_threshold=64)
    anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "good.anebundle")
    (tmp_path / "weights.data").unlink()
    anetest.rejected("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", says="weights.data")
    assert left_over(tmp_path, "m.onnx", "good.anebundle") == []


@pytest.mark.parametrize("location", ["../outside.data", "/etc/hostname", "a/../../outside.data"])
def test_external_data_stays_in_its_folder(tmp_path, location):
    (tmp_path / "outside.data").write_bytes(bytes(1 << 20))
    folder = tmp_path / "model"
    (folder / "a").mkdir(parents=True)
    made = models.mlp(seed=1)
    onnx.save(made.model, folder / "m.onnx", save_as_external_data=True, location="weights.data", size_threshold=64)
    model = onnx.load(folder / "m.onnx", load_external_data=False)
    for tensor in model.graph.initializer:
        for entry in tensor.external_data:
            if entry.key == "location":
                entry.value = location
    (folder / "m.onnx").write_bytes(model.SerializeToString())
    anetest.rejected("ane-compile", folder / "m.onnx", "-o", tmp_path / "m.anebundle", says=location)


def test_all_unsupported_ops_in_one_error(tmp_path):
    made = models.mlp(seed=1).model
    first, second = made.graph.node[0], made.graph.node[-1]
    first.op_type, first.domain, first.name = "Frobnicate", "", "node_one"
    second.op_type, second.domain, second.name = "Nonesuch", "com.example", "node_two"
    made.opset_import.append(onnx.helper.make_opsetid("com.example", 1))
    (tmp_path / "m.onnx").write_bytes(made.SerializeToString())
    done = anetest.rejected("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle",
                            says=["Frobnicate", "node_one", "com.example", "Nonesuch", "node_two"])
    assert done.stderr.count("error:") == 1
    assert left_over(tmp_path, "m.onnx") == []


# ---- disks and interrupts ----


@pytest.mark.parametrize("limit", [0, 1000, 20000])
def test_full_disk(encoder, tmp_path, limit):
    """RLIMIT_FSIZE makes writes fail as a full disk does (with SIGXFSZ ignored, write returns EFBIG)."""
    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run([anetest.tool("ane-compile"), encoder[0], "-o", tmp_path / "m.anebundle"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, preexec_fn=small_files)
    assert done.returncode == 1, (done.returncode, done.stderr)
    assert done.stderr.strip()
    assert left_over(tmp_path) == []


@pytest.mark.parametrize("options", [["--compile-to=canonical", "-o"], ["--host=none", "-o", "m.anebundle", "--report"]])
def test_full_device(encoder, tmp_path, options):
    """A device is written to, not replaced by a file; through a link, so that no mistake can harm the machine's own."""
    full = tmp_path / "full"
    full.symlink_to("/dev/full")
    joined = [*options[:-1], f"--report={full}"] if options[-1] == "--report" else [*options, full]
    anetest.rejected("ane-compile", encoder[0], *joined, says="full", cwd=tmp_path)
    assert full.is_symlink()


def test_output_folder_is_missing(encoder, tmp_path):
    anetest.rejected("ane-compile", encoder[0], "-o", tmp_path / "no" / "such" / "m.anebundle", says="such")


def test_an_existing_bundle_survives_a_failure(encoder, bundle, tmp_path):
    before = tree(bundle)
    (tmp_path / "bad.onnx").write_bytes(b"\x08\x07not a model")
    anetest.rejected("ane-compile", tmp_path / "bad.onnx", "-o", bundle)
    assert tree(bundle) == before


def test_a_bundle_is_replaced(encoder, bundle):
    (bundle / "programs" / "stale.mil").write_text("old")
    manifest = json.loads((bundle / "manifest.json").read_text())
    manifest["files"].append({"path": "programs/stale.mil"})
    (bundle / "manifest.json").write_text(json.dumps(manifest))
    anetest.run("ane-compile", encoder[0], "-o", bundle)
    assert tree(bundle) == tree(encoder[2])


def test_a_folder_that_is_no_bundle_is_kept(encoder, tmp_path):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_text("meow")
    anetest.rejected("ane-compile", encoder[0], "-o", tmp_path / "photos", says="photos")
    assert (tmp_path / "photos" / "cat.jpg").read_text() == "meow"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_compile_leaves_nothing(minilm, tmp_path, number):
    command = [anetest.tool("ane-compile"), minilm, "-o", tmp_path / "m.anebundle", "--dim", "batch_size=1", "--dim", "sequence_length=128"]
    start = time.monotonic()
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True)
    whole = time.monotonic() - start
    shutil.rmtree(tmp_path / "m.anebundle")
    for share in (0.2, 0.5, 0.8, 0.95):
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(whole * share)
        process.send_signal(number)
        code = process.wait(timeout=60)
        if code == 0:
            shutil.rmtree(tmp_path / "m.anebundle")
        else:
            assert not (tmp_path / "m.anebundle").exists()
        assert left_over(tmp_path) == [], f"after {share:.0%}"


# ---- hostile bundles ----


def edit(bundle, change):
    manifest = json.loads((bundle / "manifest.json").read_text())
    change(manifest)
    (bundle / "manifest.json").write_text(json.dumps(manifest))


def refused(bundle, says=()):
    for device in ("cpu", "emulator"):
        anetest.rejected("ane-run", bundle, f"--device={device}", "--random-inputs", "--seed", "1", says=says)


def set_program(key, value):
    return lambda manifest: manifest["programs"][0].__setitem__(key, value)


@pytest.mark.parametrize("path", ["../m.onnx", "/etc/passwd", "programs/../../m.onnx", "programs/none.mil", ""])
def test_program_path_leaves_the_bundle(bundle, path):
    edit(bundle, set_program("mil", path))
    refused(bundle, says="manifest" if not path else path)


def test_a_link_leaves_the_bundle(bundle, tmp_path):
    """A symbolic link out of the folder is a path that leaves it."""
    mil = bundle / json.loads((bundle / "manifest.json").read_text())["programs"][0]["mil"]
    shutil.move(mil, tmp_path / "outside.mil")
    mil.symlink_to(tmp_path / "outside.mil")
    anetest.rejected("ane-run", bundle, "--device=emulator", "--random-inputs", "--seed", "1", says=mil.name)


def test_manifest_is_not_json(bundle):
    for text in ("", "{", "[]", "null", '{"schema": 999}', "{" * 100000):
        (bundle / "manifest.json").write_text(text)
        refused(bundle, says="manifest")


def test_step_without_its_tensor(bundle):
    def damage(manifest):
        step = manifest["functions"][0]["steps"][0]
        step["inputs"] = [10**9] * len(step["inputs"])

    edit(bundle, damage)
    refused(bundle, says="1000000000")


def test_huge_shape(bundle):
    edit(bundle, lambda m: m["tensors"][0].__setitem__("shape", [2**31, 2**31, 2**31]))
    refused(bundle)


@pytest.mark.parametrize("device, says", [("emulator", []), ("cpu", [])])
def test_corrupt_blob_header(bundle, device, says):
    """A destroyed sentinel is found by whoever reads the blob, whoever checks the hash, or both."""
    for path in sorted((bundle / "weights").iterdir()):
        data = bytearray(path.read_bytes())
        data[64:72] = b"\0" * 8
        path.write_bytes(data)
    anetest.rejected("ane-run", bundle, f"--device={device}", "--random-inputs", "--seed", "1", says=says)


def test_truncated_weights(bundle):
    for path in sorted((bundle / "weights").iterdir()):
        path.write_bytes(path.read_bytes()[:100])
    refused(bundle)


def test_truncated_host_library(bundle):
    for path in (bundle / "host").iterdir():
        path.write_bytes(path.read_bytes()[:500])
    anetest.rejected("ane-run", bundle, "--device=cpu", "--random-inputs", "--seed", "1", says="host")


def test_missing_bundle(tmp_path):
    anetest.rejected("ane-run", tmp_path / "none.anebundle", "--random-inputs", "--seed", "1", says="none.anebundle")


# ---- inputs of a run ----


def test_inputs(encoder, tmp_path):
    _, inputs, bundle = encoder
    name, array = next(iter(inputs.items()))
    bad = {"shape": array[..., :-1], "rank": array[0], "dtype": array.astype(np.complex64), "order": np.asfortranarray(array)}
    for kind, wrong in bad.items():
        np.save(tmp_path / f"{kind}.npy", wrong)
        done = anetest.run("ane-run", bundle, "--device=cpu", "--input", f"{name}={tmp_path}/{kind}.npy", check=False)
        if kind == "order":  # allowed either way, but never read as if it were row-major
            assert done.returncode in (0, 1)
            continue
        assert done.returncode == 1 and name in done.stderr, (kind, done.stderr)
    shape = "x".join(map(str, array.shape))
    message = anetest.rejected("ane-run", bundle, "--device=cpu", "--input", f"{name}={tmp_path}/shape.npy", says=name).stderr
    assert str(array.shape[-1]) in message and str(array.shape[-1] - 1) in message, (shape, message)

    (tmp_path / "cut.npy").write_bytes((tmp_path / "shape.npy").read_bytes()[:40])
    np.save(tmp_path / "good.npy", array)
    (tmp_path / "short.npy").write_bytes((tmp_path / "good.npy").read_bytes()[:-4])
    for wrong in ("cut", "short"):
        anetest.rejected("ane-run", bundle, "--device=cpu", "--input", f"{name}={tmp_path}/{wrong}.npy", says=f"{wrong}.npy")
    anetest.rejected("ane-run", bundle, "--device=cpu", "--input", f"nonesuch={tmp_path}/good.npy", says=["nonesuch", name])
    anetest.rejected("ane-run", bundle, "--device=cpu", says=name)
    anetest.rejected("ane-run", bundle, "--device=toaster", "--random-inputs", "--seed", "1", says=["toaster", "cpu"], code=2)


def test_outputs_on_a_full_disk(encoder, tmp_path):
    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))

    done = subprocess.run([anetest.tool("ane-run"), encoder[2], "--device=emulator", "--random-inputs", "--seed", "1", "--output-dir",
                           tmp_path / "out"], stdin=subprocess.DEVNULL, capture_output=True, text=True, preexec_fn=small_files)
    assert done.returncode == 1 and done.stderr.strip(), done
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())


def test_indices_are_checked(minilm, tmp_path):
    """A token id beyond the vocabulary is an error, as in ONNX Runtime, not the vector of another word."""
    bundle = tmp_path / "m.anebundle"
    anetest.run("ane-compile", minilm, "-o", bundle, "--dim", "batch_size=1", "--dim", "sequence_length=32")
    np.save(tmp_path / "mask.npy", np.ones((1, 32), np.int64))
    for value, good in ((30521, True), (-30522, True), (30522, False), (-30523, False), (2**40, False)):
        ids = np.full((1, 32), 7, np.int64)
        ids[0, 5] = value
        np.save(tmp_path / "ids.npy", ids)
        arguments = [bundle, "--device=cpu", "--input", f"input_ids={tmp_path}/ids.npy", "--input", f"attention_mask={tmp_path}/mask.npy"]
        if good:
            anetest.run("ane-run", *arguments)
        else:
            anetest.rejected("ane-run", *arguments, says=[f"input_ids: element 5 is {value}", "from -30522 to 30521", "node"])
