"""Runs lit, the GoogleTest binaries and pytest on a finished build, and sums them up in the last line.

scripts/test.sh calls it with the Python of .venv. Counts are single tests, not files: a GoogleTest binary that crashes
counts as one more failed test, an expected failure of lit as passed.
"""
import argparse
import datetime
import json
import os
import platform
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MACOS = "test/Python/test_mac_archive.py"


class Tally:
    """Counts of all suites, the names of what failed, and what tests have measured."""

    def __init__(self):
        self.passed = self.skipped = 0
        self.failed = []
        self.suites = {}    # suite: {outcome: count}
        self.reasons = Counter()  # why tests of pytest were skipped
        self.measured = []  # (test, {name: value}), by record_property of pytest

    def add(self, suite, name, outcome):
        self.suites.setdefault(suite, Counter())[outcome] += 1
        if outcome == "passed":
            self.passed += 1
        elif outcome == "skipped":
            self.skipped += 1
        else:
            self.failed.append(f"{suite}: {name}")


def run(command, env=None):
    """Runs with inherited output and no input; returns the exit code."""
    sys.stdout.flush()
    return subprocess.run([str(c) for c in command], cwd=ROOT, stdin=subprocess.DEVNULL, env=env).returncode


def cached(build, variable):
    """Value of a CMake cache variable of a build folder."""
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        found = re.match(rf"{variable}:[A-Z]+=(.*)", line)
        if found:
            return found.group(1)
    raise SystemExit(f"run_tests.py: {build}/CMakeCache.txt has no {variable}; was the build configured?")


def run_lit(tally, suite, build, options, folders=("",)):
    results = build / "lit-results.json"
    results.unlink(missing_ok=True)
    command = [sys.executable, cached(build, "ANE_LIT"), "-v", f"-j{options.jobs}", "-o", results]
    if options.filter:
        command += ["--filter", re.escape(options.filter), "--allow-empty-runs"]
    env = dict(os.environ, **({"ANE_FULL": "1"} if options.full else {}))
    code = run(command + [build / "test" / folder for folder in folders], env)
    if not results.exists():
        if code or not options.filter:
            tally.add(suite, f"lit itself (exit code {code})", "failed")
        return
    outcomes = {"PASS": "passed", "FLAKYPASS": "passed", "XFAIL": "passed", "UNSUPPORTED": "skipped",
                "SKIPPED": "skipped", "EXCLUDED": None}
    before = len(tally.failed)
    for test in json.loads(results.read_text())["tests"]:
        outcome = outcomes.get(test["code"], "failed")
        if outcome:
            tally.add(suite, test["name"], outcome)
    if code and len(tally.failed) == before:
        tally.add(suite, f"lit itself (exit code {code})", "failed")


def google_tests(build):
    """(name, command) of every test binary that CTest knows."""
    listing = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], cwd=ROOT,
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout
    return [(test["name"], test["command"]) for test in json.loads(listing)["tests"] if test.get("command")]


def google_test_cases(command):
    """Names (Group.Case) in a test binary."""
    listing = subprocess.run([*command, "--gtest_list_tests"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    group, cases = "", []
    for line in listing.stdout.splitlines():
        name = line.split("#")[0].rstrip()
        if line.startswith(" "):
            cases.append(group + name.strip())
        elif name.endswith("."):
            group = name
    return cases


def run_google_test(tally, suite, name, command, build, options):
    results = build / "gtest" / f"{name}.json"
    results.unlink(missing_ok=True)
    arguments = ["--gtest_brief=1", f"--gtest_output=json:{results}"]
    if options.filter and options.filter.lower() not in name.lower():
        picked = [case for case in google_test_cases(command) if options.filter.lower() in case.lower()]
        if not picked:
            return
        arguments.append(f"--gtest_filter={':'.join(picked)}")
    print(f"-- {suite}: {name}")
    env = dict(os.environ, **({"ANE_FULL": "1"} if options.full else {}))
    code = run([*command, *arguments], env)
    failures = 0
    if results.exists():
        for group in json.loads(results.read_text())["testsuites"]:
            for case in group["testsuite"]:
                if case["status"] == "NOTRUN" and case.get("result") != "SKIPPED":
                    continue
                outcome = "failed" if case.get("failures") else "skipped" if case.get("result") == "SKIPPED" else "passed"
                failures += outcome == "failed"
                tally.add(suite, f"{name}: {group['name']}.{case['name']}", outcome)
    if code and not failures:
        tally.add(suite, f"{name} (ended with exit code {code})", "failed")


def run_google_tests(tally, suite, build, options, pick=lambda name: True):
    for name, command in google_tests(build):
        if not pick(name):
            continue
        if not os.path.exists(command[0]):
            tally.add(suite, f"{name} (not built)", "failed")
        else:
            run_google_test(tally, suite, name, command, build, options)


def run_pytest(tally, suite, options, python=sys.executable, tests=("test/Python",), parallel=True):
    results = ROOT / "build" / "pytest-results.xml"
    results.unlink(missing_ok=True)
    command = [python, "-m", "pytest", "-v", "--durations=10", "-p", "no:cacheprovider", f"--junitxml={results}", *tests]
    # Bundles of real models, of thousands of tests, would fill the disk.
    command += ["-o", "tmp_path_retention_policy=failed"]
    # A file's tests stay together: they share the bundles that its fixtures compile.
    command += ["-n", str(options.jobs), "--dist", "loadfile"] if parallel else []
    command += ["--full"] if options.full else []
    command += ["--filter", options.filter] if options.filter else []
    # Of the emulator in each process: threads of several wait for each other longer than they work.
    code = run(command, dict({"OPENBLAS_NUM_THREADS": "1"} if parallel else {}, **os.environ))
    if not results.exists():
        tally.add(suite, f"pytest itself (exit code {code})", "failed")
        return
    before = len(tally.failed)
    for case in ElementTree.parse(results).getroot().iter("testcase"):
        kinds = {child.tag for child in case}
        outcome = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        name = f"{case.get('classname')}::{case.get('name')}"
        tally.add(suite, name, outcome)
        if outcome == "skipped":
            tally.reasons[case.find("skipped").get("message", "")] += 1
        if values := {value.get("name"): value.get("value") for value in case.iter("property")}:
            tally.measured.append((name.removeprefix("test.Python."), values))
    # 5: nothing was selected, which a filter may cause.
    if code not in (0, 5) and len(tally.failed) == before:
        tally.add(suite, f"pytest itself (exit code {code})", "failed")


def run_macos(tally, suite, options):
    """The archive and the wheel for Macs are made, which takes both processors and tells how far it is."""
    run_pytest(tally, suite, options, tests=(MACOS, "-s"), parallel=False)


def run_with_torch(tally, suite, options):
    """The tests of the Python package that need PyTorch, where setup.sh --models has installed it."""
    python = ROOT / ".venv-models" / "bin" / "python"
    if options.full and python.exists():
        files = [f"test/Python/test_{name}.py" for name in ("python_frontend", "python_training", "torch_modules", "torch_parameters")]
        run_pytest(tally, suite, options, python, [*files, "-k", "torch or transformers"], parallel=False)


def run_sanitized(tally, suite, options):
    """The tests of a sanitized build: asan or tsan."""
    if options.no_asan:
        return
    build = ROOT / f"build-{suite}"
    os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=1:allocator_may_return_null=1")
    os.environ.setdefault("UBSAN_OPTIONS", "print_stacktrace=1:halt_on_error=1")
    os.environ.setdefault("TSAN_OPTIONS", "halt_on_error=1")
    listed = (build / "sanitized-tests.txt").read_text().split()
    run_google_tests(tally, suite, build, options, lambda name: name in listed)


def write_table(path, tally, options, times):
    """The results as a page: what ran, where, and what it measured."""
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    commit = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude=*"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    lines = ["# Results of all tests", "",
             f"Made by `scripts/test.sh{' --full' * options.full}` on {datetime.date.today()}. {cpu}, {os.cpu_count()} processors; "
             f"{platform.system()} {platform.release()}; Python {platform.python_version()}; commit {commit}.", "",
             "| suite | passed | failed | skipped | time |", "| --- | --- | --- | --- | --- |"]
    for suite, counts in tally.suites.items():
        lines.append(f"| {suite} | {counts['passed']} | {counts['failed']} | {counts['skipped']} | {times.get(suite, 0):.0f} s |")
    lines += ["", *(f"- failed: `{name}`" for name in tally.failed),
              *(f"- skipped by pytest, {count}: {reason}" for reason, count in tally.reasons.most_common())]
    if tally.measured:
        lines += ["", "## Measured by tests", "", "Errors are the largest of all outputs, relative to the largest value of its output.", "",
                  "| test | measured |", "| --- | --- |"]
        lines += [f"| `{name}` | {', '.join(f'{key} {value}' for key, value in values.items())} |" for name, values in tally.measured]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines))
    temporary = Path(f"{path}.new")
    temporary.write_text(text.rstrip() + "\n")
    temporary.replace(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="also the tests that take long")
    parser.add_argument("--filter", default="", help="only tests whose name contains this text, in any case")
    parser.add_argument("--no-asan", action="store_true", help="leave out the sanitized builds")
    parser.add_argument("--jobs", default=int(os.environ.get("ANE_JOBS", "2")), type=int)
    parser.add_argument("--table", metavar="FILE", help="write the results as a page with a table; a whole run with --full "
                        "writes docs/test-results.md in any case, and nothing else does")
    options = parser.parse_args()
    if options.full and not options.filter and not options.no_asan and not options.table:
        options.table = ROOT / "docs" / "test-results.md"

    tally, start = Tally(), time.monotonic()
    build = ROOT / "build"
    times = {}
    for title, suite, action in [
        ("lit", "lit", lambda: run_lit(tally, "lit", build, options)),
        ("GoogleTest", "gtest", lambda: run_google_tests(tally, "gtest", build, options)),
        ("AddressSanitizer", "asan", lambda: run_sanitized(tally, "asan", options)),
        ("ThreadSanitizer", "tsan", lambda: run_sanitized(tally, "tsan", options)),
        ("archive and wheel for Macs", "macos", lambda: run_macos(tally, "macos", options)),
        ("pytest", "pytest", lambda: run_pytest(tally, "pytest", options, tests=("test/Python", f"--ignore={MACOS}"))),
        ("pytest with PyTorch", "torch", lambda: run_with_torch(tally, "torch", options)),
    ]:
        began = time.monotonic()
        print(f"\n== {title} ({began - start:.0f} s since the start)")
        action()
        times[suite] = time.monotonic() - began

    print()
    for name in tally.failed:
        print(f"FAILED: {name}")
    if options.table:
        write_table(options.table, tally, options, times)
    print(f"{tally.passed} passed, {len(tally.failed)} failed, {tally.skipped} skipped")
    return 1 if tally.failed or not (tally.passed or tally.skipped) else 0


if __name__ == "__main__":
    sys.exit(main())
