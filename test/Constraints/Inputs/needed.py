"""Fails when the test of a violation passes although the check of its record is switched off.

Reads lines as coverage.py. Runs the RUN lines of each illegal.mlir and illegal.mil with --ane-testing-switch-off=ID after
the tool's name: FileCheck must miss the message. What the verifier of the ops finds can't be switched off; illegal.mil
shows what the linter finds of the same.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
OFF = "--ane-testing-switch-off"


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


tests = []
for line in sys.stdin:
    name, slug, _, enforcer, *_ = line.split()
    kinds = ["illegal.mil"] if enforcer in ("Linter", "OpVerifier") else ["illegal.mlir"]
    tests += [(name, path) for kind in kinds if (path := folder / f"{name}-{slug}" / kind).exists()]

with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    # The option itself breaks nothing: with the check of another record switched off a test passes.
    for first, second in (tests[:2], tests[1::-1]):
        assert passes(first[1], second[0]), f"{first[1]} fails with {OFF}={second[0]}"
    passed = pool.map(lambda test: passes(test[1], test[0]), tests)
    useless = [str(path) for (_, path), good in zip(tests, passed) if good]
if useless:
    print("these pass without the check of their record:", *useless, sep="\n  ")
print(len(tests), "tests of violations")
sys.exit(bool(useless) or not tests)
