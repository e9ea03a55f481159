"""Fails when a test passes although what it tests is switched off.

Reads lines as coverage.py. Runs the RUN lines of tests with --ane-testing-switch-off=WHAT after the tool's name:

  illegal.mlir, illegal.mil    without the check of the record
  legalised.mlir               without the passes that make the record hold

Where the ops' verifier finds a violation, there is no check of the compiler to be switched off: what ONLY_VERIFIER says
of such a record is printed, and its illegal.mlir must pass without the check, as it would not if a check found it.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
OFF = "--ane-testing-switch-off"
ONLY_VERIFIER = {
    "C105": "the batch of the result is x's divided by the blocks: without the check there is no type to infer",
    "C144": "the operands of all ops are of static shape by their types: a module with others can't be parsed",
}


def passes(path, switched_off):
    lines = re.findall(r"RUN: (.*)", path.read_text())
    assert lines, f"{path} runs nothing"
    for line in lines:
        command, tools = re.subn(r"\bane-(opt|translate)\b", rf"\g<0> {OFF}={switched_off}", line)
        assert tools == 1, f"{path}: '{line}' runs no tool that has {OFF}"
        command = command.replace("%s", str(path))
        if subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True).returncode:
            return False
    return True


tests, verified = [], []
for line in sys.stdin:
    name, slug, _, enforcer, _, how = line.split()
    own = folder / f"{name}-{slug}"
    if enforcer != "Nobody":
        tests.append((own / ("illegal.mlir" if enforcer.startswith("Verify") else "illegal.mil"), name))
    if enforcer == "OpVerifier":
        verified.append((own / "illegal.mlir", name))
    if how != "remedy":
        tests.append((own / "legalised.mlir", how))
tests = [(path, what) for path, what in tests if path.exists()]

with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    # The option itself breaks nothing: a test passes while something else is switched off.
    for path, _ in tests[:2]:
        assert passes(path, "C199"), f"{path} fails with {OFF}=C199"
    passed = pool.map(lambda test: passes(*test), tests)
    useless = [f"{path} passes without {what}" for (path, what), good in zip(tests, passed) if good]
    wrong = [f"{path} fails without the check of {name}: it has one" for path, name in verified if not passes(path, name)]
wrong += [f"{name} is in one only of ONLY_VERIFIER and the records of OpVerifier"
          for name in ONLY_VERIFIER.keys() ^ {name for _, name in verified}]
print(len(tests), "tests, of which pass without what they test:", len(useless), *useless, sep="\n  ")
print("found by the ops' verifier, which can't be switched off (the linter's check can: illegal.mil, above):",
      *(f"{name}: {ONLY_VERIFIER.get(name)}" for _, name in verified), *wrong, sep="\n  ")
sys.exit(bool(useless or wrong) or not tests)
