"""Time in which updated weights get into programs, in each way, beside the time to compile the bundle anew.

    scripts/bench/weight_updates.py [MODEL...] [--sequence 64] [--steps 15] [--threads 2] [--json] [--write docs/weight-updates.md]

A model is what ane-compile reads, with weights of fp32; by default those of train.py. It is compiled for training with `--parameters=baked`, with
ane-compile's defaults and without a cache of kernels, `--steps` times. Then steps of two micro-batches are run for each way: the first has new weights, the second the
same. What the first takes longer is the update, with the conversion of all weights for programs; the median of the steps. Sequences are
short, as the difference of two long times says little. `recompile` is what the emulator takes to load all programs again, which is far less than an
engine's compiler does. The limit is a twentieth of a compilation.
"""
import argparse
import datetime
import json
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import page
import run
import train
from run import anetest

import trainlib

LIMIT = 1 / 20
DEFAULT = ("stories15m", "stories110m")
MODES = {"patch": "faithful:reload=fresh", "donor": "faithful", "recompile": "faithful:donor=refused,compilations=100000"}


def seconds(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def batch(trainer, seed):
    """Tokens below 100: which they are makes no difference."""
    rng = np.random.default_rng(seed)
    return {"input_ids": rng.integers(3, 100, trainer.shapes["input_ids"]).astype(np.int32),
            "target": rng.integers(3, 100, trainer.shapes["target"]).astype(np.int64)}


def updates(bundle, device, mode, options):
    """(how weights get there, seconds of an update and of a micro-batch without one, bytes that a step stages beside those of surfaces)"""
    given = {"emulator_mode": mode} if device == "emulator" else {}
    with trainlib.Trainer(bundle, device=device, threads=options.threads, accumulate=2, loss_scale=1024.0, **given) as trainer:
        trainer.shapes = dict(trainer.describe("input_info", i) for i in range(len(trainer.inputs)))
        times, others, staged = [], [], []
        for step in range(options.steps + 2):
            trainer.feed(batch(trainer, step))
            first, second = seconds(trainer.backward), seconds(trainer.backward)
            times.append(first - second)
            others.append(second)
            staged.append(trainer.update().staged_bytes)
        # The first step has the bundle's weights; with the second one the session makes programs of its own.
        return trainer.weights_by.split(",")[0], statistics.median(times[2:]), statistics.median(others[2:]), staged[-1] - staged[0]


def measure(model, options):
    """{compilation, least: seconds, ways: {way: {seconds, other, share, weight_bytes}}}"""
    with tempfile.TemporaryDirectory() as folder:
        bundle, compiled = Path(folder) / "m.anebundle", []
        for _ in range(options.steps):
            shutil.rmtree(bundle, ignore_errors=True)
            compiled.append(seconds(lambda: anetest.run("ane-compile", model, "-o", bundle, "--quiet", "--train", "--parameters=baked",
                                                        f"--sequence={options.sequence}", "--tokenizer=none")))
        whole = statistics.median(compiled)
        results = [updates(bundle, "emulator", mode, options) for mode in MODES.values()] + [updates(bundle, "cpu", None, options)]
    ways = {way: {"seconds": time, "other": other, "share": time / whole, "weight_bytes": staged} for way, time, other, staged in results}
    return {"model": model.name, "compilation": whole, "least": min(compiled), "ways": ways}


def rows_of(result):
    for way, made in result["ways"].items():
        yield [result["model"], f"{result['compilation']:.2f} s, {result['least']:.2f} s", way, f"{1000 * made['seconds']:.1f} ms",
               f"**{1 / made['share']:.0f}**", f"{1000 * made['other']:.0f} ms", f"{made['weight_bytes'] / 1e6:.1f} MB"]


def text_of(results, header, options):
    rows = [row for result in results for row in rows_of(result)]
    return f"""# Updates of weights that are in programs

Made by `scripts/bench/weight_updates.py` on {datetime.date.today()} with {options.threads} threads. {header}.

All weights of a model that trains with `--parameters=baked` and {options.sequence} tokens change; an update is what the first micro-batch after that takes
longer than the second, the median of {options.steps} steps. The compilation is the median of as many, and the least. `recompile` is what the emulator
takes to load all programs again, far less than an engine's compiler does.

{page.table(["model", "compilation", "way", "update", "times faster than a compilation", "a micro-batch without", "staged"], rows)}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--sequence", type=int, default=64)
    parser.add_argument("--steps", type=int, default=15)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    header = run.versions()
    results = [measure(model, options) for model in options.models or [train.made(name, anetest.BUILD / "bench") for name in DEFAULT]]
    text = json.dumps(results) if options.json else text_of(results, header, options)
    print(text)
    if options.write:
        page.write(options.write, text_of(results, header, options))
    for result in results:
        if "patch" not in result["ways"]:
            raise SystemExit(f"weight_updates.py: {result['model']}: no step was updated by patch, but by {', '.join(result['ways'])}")
    return any(result["ways"]["patch"]["share"] > LIMIT for result in results)


if __name__ == "__main__":
    sys.exit(main())
