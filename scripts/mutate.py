#!/usr/bin/env python3
"""Undoes mends of hostile-input faults, one by one, in a copy of the tree, and demands that the test which guards each fails.

  scripts/mutate.py                    all of scripts/mends.py; exit code 1 if a test passes without its mend
  scripts/mutate.py NAME...            only these
  scripts/mutate.py --write            writes docs/mutations.md, too, once all have been tried on this commit

What is committed is tried. The copy, its builds and the results stay in --scratch (default: a folder beside the tree), so that the
second run builds what has changed. A mutant may take 30 s of processor time and 6 GB, and may sleep for 60 s: what needs more
has failed.
"""
import argparse
import datetime
import io
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

from mends import MENDS

ROOT = Path(__file__).resolve().parent.parent
JOBS = os.environ.get("ANE_JOBS", str(os.cpu_count()))
LIT = "/usr/lib/llvm-19/build/utils/lit/lit.py"
SECONDS, ASLEEP, BYTES = 30, 60, 6 << 30


def call(*command, **options):
    return subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                          **options)


def must(*command, **options):
    done = call(*command, **options)
    if done.returncode:
        sys.exit(f"mutate.py: {' '.join(map(str, command))} failed\n{(done.stdout + done.stderr)[-4000:]}")
    return done.stdout


def spent(group):
    """The processor time of a group of processes, in ticks."""
    total = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[2]) == group:
            total += sum(map(int, fields[11:15]))
    return total


def watch(command, **options):
    """Runs a test, however slow the machine is; None if it comes to rest without an end."""
    process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, errors="replace", start_new_session=True, **options)
    before = None
    while True:
        try:
            out, err = process.communicate(timeout=ASLEEP)
            return subprocess.CompletedProcess(command, process.returncode, out, err)
        except subprocess.TimeoutExpired:
            now = spent(process.pid)
            if now == before:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                return None
            before = now


class Copy:
    """The committed tree in a folder of its own, with builds."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.tree = folder / "tree"
        self.tree.mkdir(exist_ok=True)
        archive = subprocess.run(["git", "-C", ROOT, "archive", "HEAD"], check=True, stdout=subprocess.PIPE).stdout
        names = set()
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            for member in tar:
                path = self.tree / member.name
                names.add(path)
                # What is as it was keeps its time, so that only the rest is built again.
                if member.isdir():
                    path.mkdir(exist_ok=True)
                elif not member.isfile() or not path.is_file() or path.read_bytes() != tar.extractfile(member).read():
                    tar.extract(member, self.tree)
                    if member.isfile():
                        os.utime(path)  # the commit may be older than what was built before it
        for path in list(self.tree.iterdir()):
            if not path.name.startswith(("build", ".venv")):
                for stale in set(path.rglob("*")) - names if path.is_dir() else {path} - names:
                    if stale.is_file() and stale.suffix != ".pyc":
                        stale.unlink()
        for name in (".venv", ".venv-models"):
            if (ROOT / name).exists() and not (self.tree / name).exists():
                (self.tree / name).symlink_to((ROOT / name).resolve())

    def build(self, mend):
        """Builds what the mend's test needs; the output if that fails."""
        folder = self.tree / ("build" if mend.preset == "release" else f"build-{mend.preset}")
        if not (folder / "build.ninja").exists():
            must("cmake", "--preset", mend.preset, cwd=self.tree)
        done = call("cmake", "--build", folder, "--parallel", JOBS, "--target", *mend.targets, cwd=self.tree)
        return done.stdout + done.stderr if done.returncode else ""

    def test(self, mend, environment=None):
        """None if the test passes, else how it fails."""
        folder = self.tree / ("build" if mend.preset == "release" else f"build-{mend.preset}")
        kind, _, name = mend.test.partition(":")
        if kind == "lit":
            command = [self.tree / ".venv/bin/python", LIT, "-a", folder / "test" / name]
        elif kind == "pytest":
            command = [self.tree / ".venv/bin/python", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", self.tree / "test/Python" / name]
        else:
            command = [folder / "gtest" / kind, f"--gtest_filter={name}"]

        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
            if mend.preset == "release":
                resource.setrlimit(resource.RLIMIT_AS, (BYTES, resource.RLIM_INFINITY))  # a test may set another
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        done = watch(command, cwd=self.tree, preexec_fn=limits, env={**os.environ, **(environment or {})})
        if not done:
            return f"hangs: asleep for {ASLEEP} s"
        if done.returncode == 0 and kind not in ("lit", "pytest") and "[  PASSED  ] 0 tests" in done.stdout:
            sys.exit(f"mutate.py: there is no test {mend.test}")
        return None if done.returncode == 0 else reason(done)


def reason(done):
    """How a test failed, in a few words."""
    text = done.stdout + done.stderr
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"no end after {SECONDS} s of processor time"
    for pattern in (r"(WARNING: ThreadSanitizer: [\w ]+)", r"what\(\): +(.*)", r"^E +(\S.*)$",
                    r"error: (.*: expected string not found.*)", r", (actual: .* vs .*)", r"Failure\n(.*\n.*\n.*)", r"error: (.*)"):
        if found := re.search(pattern, text, re.MULTILINE):
            words = " ".join(found[1].split())
            break
    else:
        words = ""
    if done.returncode < 0:
        name = signal.Signals(-done.returncode).name
        return f"{name}: {words}" if words else name
    return words or f"exit code {done.returncode}"


def undo(mend, tree):
    """Takes the mend out; returns what restores the files."""
    before = {}
    for file, old, new in mend.together or mend.edits:
        path = tree / file
        text = path.read_text()
        before.setdefault(path, text)
        if text.count(old) != 1:
            restore(before)
            sys.exit(f"mutate.py: {mend.name}: {file} has {text.count(old)} times, expected once:\n{old}")
        path.write_text(text.replace(old, new))
    return before


def restore(before):
    for path, text in before.items():
        path.write_text(text)


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def page(results, commit):
    """The results as a page, in the order of the table."""
    today = datetime.date.today()
    lines = ["# Mends, and what happens without them", "", f"<!-- Written by scripts/mutate.py --write on {today}; do not edit. -->", "",
             "Each fault that hostile programs, models and bundles have shown is mended at one place or more, and guarded by a test.",
             "`scripts/mutate.py` takes each mend of `scripts/mends.py` out of a copy of the tree, builds, and runs the test, which must",
             f"fail; that it crashes, hangs, or takes more than {SECONDS} s of processor time, is a failure, too. Where another check behind the",
             f"mend refuses the same input, in other words, the test fails by these. On {today}, of commit {commit}: {len(MENDS)} mends, "
             f"of which no test needs: none.", "", "| fault | mend | test | without the mend |", "|---|---|---|---|"]
    for mend in MENDS:
        files = ", ".join(dict.fromkeys(f"`{file}`" for file, _, _ in mend.edits))
        lines.append(f"| {cell(mend.fault)} | {files} | `{cell(mend.test)}` | {cell(results[mend.name][:160])} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="of mends; all if there is none")
    parser.add_argument("--scratch", type=Path, default=ROOT.parent / f"{ROOT.name}-mutants")
    parser.add_argument("--write", action="store_true", help="write docs/mutations.md")
    parser.add_argument("--list", action="store_true", help="print the names and end")
    options = parser.parse_args()
    if unknown := set(options.names) - {mend.name for mend in MENDS}:
        parser.error(f"there is no {', '.join(sorted(unknown))}; see --list")
    chosen = [mend for mend in MENDS if not options.names or mend.name in options.names]
    if options.list:
        print("\n".join(f"{mend.name}: {mend.fault}" for mend in chosen))
        return 0

    copy = Copy(options.scratch)
    commit = must("git", "-C", ROOT, "rev-parse", "--short", "HEAD").strip()
    kept = options.scratch / f"results-{commit}.json"
    results = json.loads(kept.read_text()) if kept.exists() else {}
    good, before, built = {}, {}, None
    try:
        for mend in chosen:
            if (mend.preset, mend.test) not in good:
                restore(before)
                before, built = {}, None
                if output := copy.build(mend):
                    sys.exit(f"mutate.py: the tree itself does not build\n{output[-4000:]}")
                if how := copy.test(mend):
                    sys.exit(f"mutate.py: {mend.test} fails with all mends: {how}")
                good[mend.preset, mend.test] = True
            if built is None or mend.together != built:
                restore(before)
                before, built = undo(mend, copy.tree), mend.together
                if output := copy.build(mend):
                    sys.exit(f"mutate.py: {mend.name} does not build\n{output[-4000:]}")
            how = copy.test(mend, mend.environment)
            print(f"{mend.name}: {how or 'PASSES'}", flush=True)
            results[mend.name] = how
            kept.write_text(json.dumps(results, indent=1))
    finally:
        restore(before)
    useless = [mend.name for mend in chosen if not results[mend.name]]
    print(f"{len(chosen)} mends, of which no test needs: {', '.join(useless) or 'none'}")
    if options.write:
        if missing := [mend.name for mend in MENDS if not results.get(mend.name)]:
            sys.exit(f"mutate.py: no page: not tried, or in vain: {', '.join(missing)}")
        (ROOT / "docs" / "mutations.md").write_text(page(results, commit))
    return bool(useless)


if __name__ == "__main__":
    sys.exit(main())
