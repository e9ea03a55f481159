"""mac-check.sh on the simulated framework, and what merge_mac_check.py makes of its file."""
import copy
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import anetest

SCRIPTS = anetest.ROOT / "scripts"
sys.path.insert(0, str(SCRIPTS))
import mac_check_bundles  # noqa: E402

FRAMEWORK = anetest.BUILD / "lib" / "libSimulatedFramework.so"
HOST = "x86_64-unknown-linux-gnu" if os.uname().machine == "x86_64" else "aarch64-unknown-linux-gnu"
simulated = pytest.mark.skipif(not FRAMEWORK.exists(), reason="no simulated framework in this build: it needs gobjc and GNUstep")
OPS = ["conv", "exp", "relu"]


def run(script, *arguments, **options):
    interpreter = [sys.executable] if script.endswith(".py") else ["sh"]
    return subprocess.run([*interpreter, str(SCRIPTS / script), *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=anetest.TIMEOUT, **options)


def make_bundles(folder, names):
    folder.mkdir()
    for name in names:
        assert not mac_check_bundles.compile_case(name, folder, "any-m", HOST), name


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """What the script has found here, as if the machine were a Mac."""
    folder = tmp_path_factory.mktemp("check")
    make_bundles(folder / "checks", OPS)
    environment = {**os.environ, "HOME": str(folder / "home-of-somebody"), "TMPDIR": str(folder)}
    done = run("mac-check.sh", f"--device=ane:{FRAMEWORK}", f"--bin={anetest.BUILD / 'bin'}", f"--checks={folder / 'checks'}",
               f"--output={folder / 'found.json'}", env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["checks", "found.json"], "something is left behind"
    return folder / "found.json", done


@simulated
def test_script(checked):
    path, done = checked
    found = json.loads(path.read_text())
    assert found["framework"] == "other"
    assert [(entry["name"], entry["exit"]) for entry in found["binaries"]] == [("ane-run", 0), ("ane-train", 0)]
    assert found["machine"]["report"]["targets"] == ["h16"] and found["machine"]["report"]["os_build"] == "24G84"
    assert [entry["name"] for entry in found["ops"]] == OPS
    for entry in found["ops"]:
        report = entry["report"]
        assert [step["status"] for step in report["profile"]] == ["ok"] and report["profile"][0]["device"] == "ane"
        output = report["compare"]["outputs"][0]
        assert output["max_abs"] < 0.01 * output["max_reference"] and report["time_ms"]["runs"] == 20
        assert report["phases"][-1]["energy_nj"] == {"ane": 3000000, "cpu": 5000000, "dram": 2000000, "gpu": 0}
        assert f"{entry['name']:<32} ok" in done.stderr
    constants, weights, evaluation, chain, first, second = (entry["report"] for entry in found["probes"])
    assert [entry["constants"] for entry in constants["programs"]] == [16, 17, 24, 32, 17, 16, 17, 24]
    assert [entry["error"] is None for entry in constants["programs"]] == [entry["files"] <= 16 for entry in constants["programs"]]
    assert weights == {"probe": "weights", "device": "ane", "patch": "it computes with the old weights", "donor": "", "recompile": ""}
    assert [(each["path"], each["error"], len(each["median_us"])) for each in evaluation["paths"]] == [(path, "", 2) for path in ("standard", "direct", "real-time")]
    assert evaluation["not_kept"] == "" and chain["error"]["code"] == "15"
    assert (first["compiled"], first["loaded"], first["error"]["code"]) == (119, 119, "ANECCompile() FAILED")
    # What the first process has compiled the second only loads.
    assert (second["known"], second["loaded"], second["error"]["code"]) == (119, 127, "0x50004")


@simulated
def test_nothing_personal(checked):
    path, _ = checked
    text = path.read_text()
    for word in (str(path.parent), "home-of-somebody", str(anetest.BUILD), str(FRAMEWORK), "/tmp"):
        assert word not in text, word


def fake(folder, body, names=("ane-run", "ane-train")):
    """Programs, of the archive if nothing else is said, that do what the shell is told."""
    folder.mkdir(exist_ok=True)
    for name in names:
        path = folder / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)


def test_crashes_and_names(tmp_path):
    """A check that dies, or names the user's things, spoils nothing."""
    home, checks = tmp_path / "home", tmp_path / "checks"
    for folder, name in (checks, "good"), (checks, "dies"), (tmp_path / "models", "chat"), (tmp_path / "models", "minilm"):
        (folder / f"{name}.anebundle").mkdir(parents=True)
    fake(tmp_path, 'case "$*" in *dies*) echo "in \\"$HOME\\" on $(hostname) \\\\	tab" >&2; kill -SEGV $$ ;; *--prompt*) printf "{\\"token\\": 1}\n{\\"end\\": \\"full\\"}\n" ;; *) echo "{\\"in\\": \\"$HOME\\"}" ;; esac')
    done = run("mac-check.sh", f"--bin={tmp_path}", f"--checks={checks}", f"--models={tmp_path / 'models'}",
               f"--output={tmp_path / 'found.json'}", env={**os.environ, "HOME": str(home)})
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "found.json").read_text()
    found = json.loads(text)
    assert found["framework"] == "system"
    dead, good = found["ops"]
    assert (dead["name"], dead["exit"], dead["report"]) == ("dies", 139, None)
    assert dead["messages"].startswith('in "HOME" on ') and dead["messages"].rstrip().endswith("\\ tab")
    assert good["report"] == {"in": "HOME"}
    assert [(entry["name"], entry["report"]) for entry in found["models"]] == [("minilm", {"in": "HOME"}), ("chat", {"end": "full"})]
    assert str(home) not in text and (len(socket.gethostname()) < 4 or socket.gethostname() not in text)


@pytest.fixture
def elsewhere(tmp_path):
    """A Mac's temporary folder, which is no variable's: (the folder, an environment for it)."""
    system = tmp_path / "folders" / "T"
    system.mkdir(parents=True)
    fake(tmp_path / "tools", f'[ "$1" = DARWIN_USER_TEMP_DIR ] && echo {system}/', ["getconf"])
    return system, {**os.environ, "PATH": f"{tmp_path / 'tools'}:{os.environ['PATH']}", "SIMULATED_ENGINE": "temporary=own", "SIMULATED_TEMPORARY": str(system)}


@simulated
def test_a_temporary_folder_of_the_system(tmp_path, elsewhere):
    """What the check leaves there is removed, and nothing else."""
    system, environment = elsewhere
    make_bundles(tmp_path / "checks", ["relu"])
    (system / "0A_1b_2c").mkdir()
    (system / "other").mkdir()
    # As a program does that ends without a word.
    fake(tmp_path / "bin", f'mkdir -p {system}/dead_dead_dead; case "$*" in *--probe=*) echo {{}} ;; *) exec {anetest.BUILD}/bin/$(basename "$0") "$@" ;; esac')
    done = run("mac-check.sh", f"--device=ane:{FRAMEWORK}", f"--bin={tmp_path / 'bin'}", f"--checks={tmp_path / 'checks'}",
               f"--output={tmp_path / 'found.json'}", env=environment)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "found.json").read_text())["ops"][0]["report"]["profile"][0]["device"] == "ane"
    # The last is the simulation's, in the place of what the system keeps elsewhere.
    assert sorted(path.name for path in system.iterdir()) == ["0A_1b_2c", "com.apple.aned.simulated", "other"]


def test_names_of_the_system(tmp_path, elsewhere):
    """Its folders are named for the user."""
    system, environment = elsewhere
    (tmp_path / "checks").mkdir()
    fake(tmp_path / "bin", f'echo "in {system}/1_2_3, {system.parent}/C" >&2; echo {{}}')
    done = run("mac-check.sh", f"--bin={tmp_path / 'bin'}", f"--checks={tmp_path / 'checks'}", f"--output={tmp_path / 'found.json'}", env=environment)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "found.json").read_text())["machine"]["messages"].strip() == "in TEMP/1_2_3, USER/C"


@pytest.mark.parametrize("user", ["name", "messages", "relu", "machine", "code"])
def test_a_user_of_a_common_name(user, tmp_path):
    """Only what is said of it goes: the report's own words stay, and other words that hold it."""
    (tmp_path / "checks" / "relu.anebundle").mkdir(parents=True)
    fake(tmp_path / "tools", f"echo {user}", ["id"])
    (tmp_path / "said").write_text(f'{user} has a {user}s, "{user}": _{user}, and {user}-{user}\n')
    (tmp_path / "report").write_text(json.dumps({user: [user, f"by {user}"], "x": f"a/{user}"}))
    fake(tmp_path / "bin", f"cat {tmp_path / 'said'} >&2; cat {tmp_path / 'report'}")
    done = run("mac-check.sh", f"--bin={tmp_path / 'bin'}", f"--checks={tmp_path / 'checks'}", f"--output={tmp_path / 'found.json'}",
               env={**os.environ, "PATH": f"{tmp_path / 'tools'}:{os.environ['PATH']}"})
    assert done.returncode == 0, done.stderr
    entry = json.loads((tmp_path / "found.json").read_text())["ops"][0]
    assert entry == {"name": "relu", "exit": 0, "seconds": entry["seconds"], "messages": f'NAME has a {user}s, "NAME": _{user}, and NAME-NAME ',
                     "report": {user: [user, "by NAME"], "x": "a/NAME"}}


def test_a_name_that_stays(tmp_path):
    """Where a name is left, there is no result: also if grep takes no list from its input."""
    (tmp_path / "checks").mkdir()
    fake(tmp_path / "tools", 'case "$*" in *"-f -"*) exit 2 ;; esac; exec /usr/bin/grep "$@"', ["grep"])
    fake(tmp_path / "tools", "echo somebody", ["id"])
    fake(tmp_path / "bin", "echo somebody {}")  # no JSON, so that it is in no string
    done = run("mac-check.sh", f"--bin={tmp_path / 'bin'}", f"--checks={tmp_path / 'checks'}", f"--output={tmp_path / 'found.json'}",
               env={**os.environ, "PATH": f"{tmp_path / 'tools'}:{os.environ['PATH']}"})
    assert done.returncode == 1 and "still names" in done.stderr, done.stderr
    assert not list(tmp_path.glob("found.json*"))


def test_an_engine_that_hangs(tmp_path):
    """After three checks without an answer no more are asked, and the result lists those."""
    script = (SCRIPTS / "mac-check.sh").read_text()
    assert "attempt 120 " in script
    (tmp_path / "mac-check.sh").write_text(script.replace("attempt 120 ", "attempt 1 "))
    for name in "abcdef":
        (tmp_path / "checks" / f"{name}.anebundle").mkdir(parents=True)
    fake(tmp_path / "bin", 'case "$*" in *b.anebundle*|*--version*|*--probe=machine*) echo {} ;; *) exec sleep 300 ;; esac')
    done = subprocess.run(["sh", tmp_path / "mac-check.sh", f"--bin={tmp_path / 'bin'}", f"--checks={tmp_path / 'checks'}", f"--output={tmp_path / 'found.json'}"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    assert [(entry["name"], entry["exit"]) for entry in found["ops"]] == [("a", 124), ("b", 0), ("c", 124), ("d", 124), ("e", 124)]
    assert found["not_asked"] == ["f", "constants", "weights", "evaluation", "chain", "programs", "programs"] and not found["probes"]


def test_an_interrupted_check(tmp_path):
    """Nothing goes on, and nothing is left."""
    checks, started = tmp_path / "checks", tmp_path / "started"
    (checks / "hangs.anebundle").mkdir(parents=True)
    fake(tmp_path, f'case "$*" in *hangs*) echo $$ >{started}.new; mv {started}.new {started}; exec sleep 300 ;; *) echo {{}} ;; esac')
    (tmp_path / "tmp").mkdir()
    for sign, code in (signal.SIGINT, 130), (signal.SIGTERM, 143):
        checking = subprocess.Popen(["sh", SCRIPTS / "mac-check.sh", f"--bin={tmp_path}", f"--checks={checks}", "--output=found.json"], cwd=tmp_path,
                                    env={**os.environ, "TMPDIR": str(tmp_path / "tmp")}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL, start_new_session=True,
                                    preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # which who began the tests may ignore
        wait_for(started.exists)
        child = int(started.read_text())
        started.unlink()
        os.killpg(checking.pid, sign)
        assert checking.wait(timeout=30) == code
        wait_for(lambda: not os.path.exists(f"/proc/{child}") or Path(f"/proc/{child}/stat").read_text().split()[2] == "Z")
        assert not list((tmp_path / "tmp").iterdir()) and not list(tmp_path.glob("found.json*"))


def wait_for(happens):
    for _ in range(300):
        if happens():
            return
        time.sleep(0.1)
    raise AssertionError("it does not happen")


def test_hanging_check(tmp_path):
    """The part that waits: macOS has no program timeout."""
    script = (SCRIPTS / "mac-check.sh").read_text()
    part = script[script.index("attempt() {"):script.index("# The text of a file")]
    done = subprocess.run(["sh", "-c", f'work={tmp_path}\n{part}\nattempt 1 sleep 60; echo $? $seconds; attempt 9 sh -c "exit 7"; echo $?'],
                          capture_output=True, text=True, timeout=30)
    assert done.stdout.split() == ["124", "1", "7"], done.stdout + done.stderr


def test_wrong_use(tmp_path):
    for arguments, code, says in [(["--colour=red"], 2, "unknown argument '--colour=red'"),
                                  ([f"--bin={tmp_path}"], 1, "there is no program ane-run"),
                                  ([f"--bin={anetest.BUILD / 'bin'}", f"--checks={tmp_path / 'none'}"], 1, "with bundles"),
                                  ([f"--bin={anetest.BUILD / 'bin'}", f"--checks={tmp_path}", f"--output={tmp_path / 'none' / 'x.json'}"], 1,
                                   "x.json can't be written"),
                                  ([f"--bin={anetest.BUILD / 'bin'}", f"--checks={tmp_path}", f"--output={tmp_path}"], 2, "is a folder; name the file")]:
        done = run("mac-check.sh", *arguments, cwd=tmp_path)
        assert done.returncode == code and says in done.stderr, done.stderr
    assert not list(tmp_path.iterdir())


def merged(found, folder, *arguments):
    path = folder / "in.json"
    path.write_text(found if isinstance(found, str) else json.dumps(found))
    return run("merge_mac_check.py", path, *arguments)


@pytest.fixture
def system(checked):
    """The same from a Mac."""
    found = json.loads(checked[0].read_text())
    found["framework"] = "system"
    return found


@pytest.fixture
def records(tmp_path):
    """A copy that may be written to."""
    shutil.copytree(anetest.ROOT / "include" / "ane" / "Constraint", tmp_path / "root" / "include" / "ane" / "Constraint")
    return tmp_path / "root"


def added(diff):
    return [line[1:].strip() for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++") and "MacCheck" in line]


@simulated
def test_merge(system, records, tmp_path):
    system["ops"][1]["report"]["compare"]["outputs"][0]["max_abs"] = "nan"
    system["ops"][2]["report"]["profile"][0].update(status="refused", kind="twin", refusal={"device": "ane", "phase": "load", "kind": "program", "code": "InvalidMILProgram", "reason": "x"})
    system["probes"][2]["report"]["paths"][0]["median_us"] = [117.2, 205]
    system["probes"][2]["report"]["paths"][1]["median_us"] = [106.3, 204]
    done = merged(system, tmp_path, f"--root={records}", "--write")
    assert done.returncode == 0, done.stderr
    lines = added(done.stdout)
    for text in ['Contradicts<MacCheck, "M4", "macOS 15.6", Measured, "32 constants in one file run (24G84)">',
                 'Supports<MacCheck, "M4", "macOS 15.6", Measured, "119 programs compiled, then ANECCompile() FAILED (24G84)">',
                 'Supports<MacCheck, "M4", "macOS 15.6", Measured, "127 programs loaded, then 0x50004 (24G84)">',
                 'Supports<MacCheck, "M4", "macOS 15.6", Measured, "by patch a program computes with its old weights (24G84)">',
                 'Contradicts<MacCheck, "M4", "macOS 15.6", Measured, "by donor a program computes with its new weights (24G84)">',
                 'Supports<MacCheck, "M4", "macOS 15.6", Measured, "a program of the same text computes with its own weights (24G84)">',
                 'Contradicts<MacCheck, "M4", "macOS 15.6", Measured, "106 against 117 us at 64x32, 204 against 205 us at 768x256 (24G84)">',
                 'InMemoryRow<Native, [TierH16], [Supports<MacCheck, "M4", "macOS 15.6", Measured, "relative error',
                 '"relative error inf (24G84)">], "values of mac-check">',
                 'InMemoryRow<Rejected, [TierH16], [Supports<MacCheck, "M4", "macOS 15.6", Measured, "refused when it is to load: InvalidMILProgram (24G84)">]>']:
        assert any(text in line for line in lines), f"{text} is not in\n" + "\n".join(lines)
    # The records are sound with it, and say it once.
    includes = [argument for folder in (records / "include", anetest.ROOT / "include") for argument in ("-I", folder)]
    llvm = next(line.split("=")[1] for line in (anetest.BUILD / "CMakeCache.txt").read_text().splitlines() if line.startswith("LLVM_DIR"))
    table = anetest.run("ane-tblgen", "--gen-ane-constraint-doc", *includes, "-I", f"{llvm}/../../../include",
                        records / "include" / "ane" / "Constraint" / "Catalog.td")
    assert "32 constants in one file run" in table.stdout
    again = merged(system, tmp_path, f"--root={records}")
    assert again.returncode == 0 and again.stdout == "", again.stdout


@simulated
def test_what_may_pass_is_no_evidence(system, records, tmp_path):
    """A machine without room says nothing of an op, nor of how many programs compile."""
    full = {"kind": "resource", "code": "0x20004", "message": "no room"}
    for op in system["ops"]:
        op["report"]["profile"][0].update(status="refused", kind="twin", refusal={"device": "ane", "phase": "load", "reason": "x", **full})
    for entry in system["probes"][0]["report"]["programs"]:
        entry["error"] = full if entry["constants"] > 16 else None
    system["probes"][0]["report"]["programs"][-1]["error"] = {"kind": "none", "code": "values", "message": "it multiplies by 0, expected 2"}
    for entry in system["probes"][4:]:
        entry["report"].update(phase="load", error=full)
    done = merged(system, tmp_path, f"--root={records}")
    lines = added(done.stdout)
    assert done.returncode == 0 and not any(word in line for line in lines for word in ("Rejected", "programs compiled", "constants", "files")), lines
    assert "refused when it is to load: 0x20004; that may pass, so it is left out" in done.stderr


@simulated
def test_seventeen_refused(system, records, tmp_path):
    for entry in system["probes"][0]["report"]["programs"]:
        if entry["constants"] > 16:
            entry["error"] = {"kind": "program", "code": "InvalidMILProgram", "message": "anything \"> here"}
    lines = added(merged(system, tmp_path, f"--root={records}").stdout)
    assert any('"16 constants in one file run, 17 do not: InvalidMILProgram (24G84)"' in line for line in lines), lines
    assert any('"16 files run, 17 do not: InvalidMILProgram (24G84)"' in line for line in lines), lines


def broken(found, change):
    found = copy.deepcopy(found)
    change(found)
    return found


BAD = {
    "a target that is a list": (lambda f: f["machine"]["report"].update(targets=[[]]), "expected targets of one tier"),
    "a huge number": (lambda f: f["ops"][0]["report"]["compare"]["outputs"][0].update(max_abs=10**399), "is a number of 400 digits"),
    "no program": (lambda f: f["probes"][0]["report"].update(programs=[None]), "probes[0].report.programs[0] is null"),
    "no kind": (lambda f: f["probes"][0]["report"]["programs"][0].update(error={"code": "x"}), "programs[0].error.kind is missing"),
    "another schema": (lambda f: f.update(schema=2), "schema is 2, expected 1"),
    "a simulation": (lambda f: f.update(framework="other"), "a simulation is no evidence of an engine"),
    "no machine": (lambda f: f.pop("machine"), "machine is missing"),
    "machine unknown": (lambda f: f["machine"].update(exit=1, report=None), "nothing is known of the machine"),
    "another maker": (lambda f: f["machine"]["report"].update(processor="Intel Core"), "machine.report.processor is \"Intel Core\""),
    "a quote": (lambda f: f["machine"]["report"].update(os_build='24"G'), "machine.report.os_build"),
    "no target": (lambda f: f["machine"]["report"].update(targets=["h99"]), "expected targets of one tier"),
    "ops are no list": (lambda f: f.update(ops={}), "ops is {}, expected list"),
    "a truth value": (lambda f: f["ops"][0].update(exit=True), "ops[0].exit is true, expected int"),
    "a name": (lambda f: f["ops"][0].update(name="../x"), "ops[0].name is \"../x\""),
    "no report": (lambda f: f["ops"][0].update(report=None), "ops[0].report is null, expected dict"),
    "a status": (lambda f: f["ops"][0]["report"]["profile"][0].update(status="fine"), "ops[0].report.profile[0].status"),
    "a number": (lambda f: f["ops"][0]["report"]["compare"]["outputs"][0].update(max_abs=None), "max_abs is null"),
    "a code": (lambda f: f["probes"][4]["report"]["error"].update(code='"> {'), "probes[4].report.error.code"),
    "a size": (lambda f: f["probes"][2]["report"]["sizes"].__setitem__(0, '"> {'), "probes[2].report.sizes"),
    "a time": (lambda f: f["probes"][2]["report"]["paths"][1].update(median_us=[None]), "probes[2].report.paths[1].median_us"),
}


@simulated
@pytest.mark.parametrize("name", BAD)
def test_bad_files(name, system, tmp_path):
    change, says = BAD[name]
    done = merged(broken(system, change), tmp_path)
    assert done.returncode == 1 and says in done.stderr and done.stdout == "", done.stderr
    assert "Traceback" not in done.stderr


def test_no_end(tmp_path):
    (tmp_path / "huge").touch()
    os.truncate(tmp_path / "huge", 1 << 40)
    for path in "/dev/full", tmp_path / "huge":
        done = run("merge_mac_check.py", path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)))
        assert done.returncode == 1 and "has more than 16777216 bytes" in done.stderr, done.stderr


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "7", "[" * 100000])
def test_no_json(text, tmp_path):
    done = merged(text, tmp_path)
    assert done.returncode == 1 and "Traceback" not in done.stderr and "merge_mac_check.py: " in done.stderr, done.stderr


@simulated
@pytest.mark.slow
def test_every_op(tmp_path):
    """Each bundle of the archive is about an op that runs on the engine, and computes there what the CPU does."""
    make_bundles(tmp_path / "all", mac_check_bundles.CASES)
    for name in mac_check_bundles.CASES:
        done = anetest.run("ane-run", tmp_path / "all" / f"{name}.anebundle", f"--device=ane:{FRAMEWORK}", "--random-inputs",
                           "--compare-device=cpu", "--profile", "--json", env={**os.environ, "TMPDIR": str(tmp_path)})
        report = json.loads(done.stdout)
        assert any(step["kind"] == "program" and step["status"] == "ok" for step in report["profile"]), name
        for output in report["compare"]["outputs"]:
            assert output["max_abs"] <= 0.02 * output["max_reference"], (name, output)
