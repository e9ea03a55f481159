"""Compares this build with another one, of an earlier commit: no figure of docs/benchmarks.md may get worse by more than 3 %.

    scripts/bench/beside.py OTHER/build [--models minilm,bert,...] [--threads 2] [--rounds 6] [--scratch FOLDER] [--write docs/beside.md]

Each build compiles the models and runs its own bundles, with its own tools. They take turns, so that other load on the machine
meets both; bundles are written to --scratch, which in memory (/dev/shm) leaves the disk out of it. Of a time the least counts,
of memory the least of the peaks (anonymous memory: what maps files isn't counted).
"""
import argparse
import datetime
import json
import math
import shutil
import subprocess
import sys
from pathlib import Path

import page
import run
from run import anetest

HOSTS = {"none": "without CPU code", "x86_64-unknown-linux-gnu": "", "all": "for all hosts"}
RUNS = ["CPU code", "emulator", "memory of a run"]
COMPILATIONS = [f"{what} {which}".strip() for which in HOSTS.values() for what in ("compilation", "its memory")]
# Of these benchmarks.md has only compilations.
COMPILED = ("llama-2", "llama-8", "llama-32", "gpt2")


class Build:
    """One of the two builds, and the least of each figure: {(model, figure): seconds or MB}."""

    def __init__(self, folder, scratch):
        self.folder, self.scratch, self.least = folder.resolve(), scratch, {}
        commit = subprocess.run(["git", "-C", folder, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
        self.name = commit or str(folder)
        scratch.mkdir(parents=True, exist_ok=True)

    def note(self, model, figure, value):
        self.least[model, figure] = min(value, self.least.get((model, figure), math.inf))

    def compile(self, name, model):
        """Once for each of HOSTS."""
        for host, which in HOSTS.items():
            bundle = self.scratch / (f"{name}-{host}.anebundle" if which else f"{name}.anebundle")
            shutil.rmtree(bundle, ignore_errors=True)
            command = run.compile_command(model, bundle, f"--host={host}")
            seconds, memory, _ = run.measured([self.folder / "bin" / "ane-compile", *command[1:]])
            self.note(name, f"compilation {which}".strip(), seconds)
            self.note(name, f"its memory {which}".strip(), memory)

    def run(self, name, inputs, threads):
        result = self.scratch / "result.json"
        _, memory, _ = run.measured([self.folder / "bin" / "ane-bench", f"--threads={threads}", "--rounds=3", f"--inputs={inputs}",
                                     f"{name}={self.scratch / name}.anebundle", f"--benchmark_out={result}",
                                     "--benchmark_out_format=json"])
        entry = next(e for e in json.loads(result.read_text())["benchmarks"] if e["name"].startswith(f"emulator_vs_cpu/{name}"))
        self.note(name, "emulator", entry["first_min_ms"] / 1000)
        self.note(name, "CPU code", entry["second_min_ms"] / 1000)
        self.note(name, "memory of a run", memory)


def cell(value, figure, ratio):
    return (f"{value:.0f} MB" if "memory" in figure else f"{1000 * value:.2f} ms") + f", {ratio:.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="folder of the other build")
    parser.add_argument("--models", default=",".join([*run.NAMES, *COMPILED]))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--scratch", type=Path, help="where bundles are written, by default beside the models")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    folder = anetest.BUILD / "bench"
    (folder / "models").mkdir(parents=True, exist_ok=True)
    header = run.versions()
    scratch = options.scratch or folder
    ours, theirs = Build(anetest.BUILD, scratch / "ours"), Build(options.other, scratch / "other")
    given = options.models.split(",")
    names = [name for name in given if name not in COMPILED and run.write_inputs(name, folder)]
    compiled = [name for name in given if name in COMPILED and (name != "gpt2" or run.gpt2(folder))]
    for turn in range(options.rounds):
        print(f"beside.py: round {turn + 1} of {options.rounds}", file=sys.stderr, flush=True)
        for name in [*names, *compiled]:
            model = run.gpt2(folder) if name == "gpt2" else run.shapes.load(name, folder / "models")
            for build in (ours, theirs) if turn % 2 else (theirs, ours):
                build.compile(name, model)
                if name in names:
                    build.run(name, folder / "inputs", options.threads)
    ratios = {key: value / theirs.least[key] for key, value in ours.least.items()}

    def table(figures, of):
        return page.table(["model", *figures], [[name, *(cell(ours.least[name, f], f, ratios[name, f]) for f in figures)] for name in of])

    worse = [f"{name}: {figure} {ratio:.3f}" for (name, figure), ratio in ratios.items() if ratio > 1.03]
    text = (f"# Benchmarks beside {theirs.name}\n\nMade by `scripts/bench/beside.py` on {datetime.date.today()} with {options.threads} threads. "
            f"{header}.\n\nFigures of {ours.name}, and their ratios to those of {theirs.name}: the least of {options.rounds} turns each, bundles "
            f"{'in memory' if str(scratch).startswith('/dev/shm') else 'on a disk'}. "
            f"Above 1.03: {'; '.join(worse) or 'none'}.\n\n{table(RUNS, names)}\n\n"
            f"{table(COMPILATIONS, [*names, *compiled])}\n")
    print(text)
    if options.write:
        options.write.write_text(text)
    return bool(worse)


if __name__ == "__main__":
    sys.exit(main())
