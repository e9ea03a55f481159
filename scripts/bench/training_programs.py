"""Makes the tables of docs/training-programs.md: programs of a step that trains the shape of Stories110M, on several chips, cut as other systems do,
and with more or less of the forward pass kept.

Compiles a model of that shape with 256 tokens and reads what the report and `ane-train --dry-run` say: the numbers don't depend on weights, and nothing is
trained. Needs the Python of .venv and a build (ANE_BUILD_DIR).

    .venv/bin/python scripts/bench/training_programs.py [--tokens 256] [--batch 1]
"""
import argparse
import json
import tempfile
from pathlib import Path

import page
from partitions import EVALUATION_MS, ROOT, anetest, megabytes, row

import lmfiles

PAGE = ROOT / "docs" / "training-programs.md"
TARGETS = (("m1", 15), ("m3max", 15), ("m3max", 26), ("m4", 15), ("m5", 15))
PARTITIONS = (("ours", ["--partition=auto"]), ("a layer in each", ["--partition=layers"]),
              ("Orion's, maderix/ANE's static", ["--partition=layer-sixths", "--recompute=attention"]),
              ("maderix/ANE's dynamic", ["--partition=layer-tenths", "--recompute=attention"]))
RECOMPUTING = ("none", "attention", "auto", "all")


class Compiled:
    """`step`: the report's row of the step; `programs`: how many it has."""

    def __init__(self, model, bundle, flags, given):
        self.bundle = bundle
        report = bundle.with_suffix(".json")
        anetest.run("ane-compile", model, "-o", bundle, "--quiet", "--train", f"--sequence={given.tokens}", f"--batch={given.batch}", "--tokenizer=none",
                    "--host=none", "--json", f"--report={report}", *flags)
        whole = json.loads(report.read_text())
        self.step = next(f for f in whole["functions"] if f["name"] == "train")
        self.programs = {op["where"] for op in whole["ops"] if op["device"] == "engine" and op["where"].startswith("train_")}
        self.evaluation = next(f for f in whole["functions"] if f["name"] == "evaluate")

    def plan(self, device):
        return json.loads(anetest.run("ane-train", self.bundle, "--dry-run", f"--device={device}", "--json").stdout)


def targets_table(model, folder, given):
    lines = [row("chip", "macOS", *(f"{what}, `{level}`" for what in ("evaluations of a step", "of the forward pass alone", "off the engine, % of FLOPs")
                                    for level in ("catalog", "evidence"))), "|---" + "|---:" * 7 + "|"]
    for chip, system in TARGETS:
        made = [Compiled(model, folder / f"{chip}-{system}-{level}", [f"--target={chip}", f"--os={system}", f"--strictness={level}"], given)
                for level in ("catalog", "evidence")]
        lines.append(row(chip, system, *(one.step["evaluations_per_inference"] for one in made), *(one.evaluation["evaluations_per_inference"] for one in made),
                         *(f"{100 - 100 * one.step['engine_share']:.4f}" for one in made)))
    return "\n".join(lines)


def partitions_table(model, folder, given):
    lines = [row("partition", "flags", "evaluations", "programs", "kept, MB", "surfaces, MB", "copied in a step, MB", "dispatch by the law, ms",
                 "off the engine, % of FLOPs"), "|---|---" + "|---:" * 7 + "|"]
    for name, flags in PARTITIONS:
        made = Compiled(model, folder / flags[0], ["--target=m4", *flags], given)
        evaluations = made.step["evaluations_per_inference"]
        lines.append(row(name, " ".join(f"`{flag}`" for flag in flags), evaluations, len(made.programs), megabytes(made.step["kept_bytes"]),
                         megabytes(made.step["surface_bytes"]), megabytes(made.plan("emulator")["staged_bytes_per_step"]), f"{evaluations * EVALUATION_MS:.2f}",
                         f"{100 - 100 * made.step['engine_share']:.1f}"))
    return "\n".join(lines)


def recompute_table(model, folder, given):
    lines = [row("`--recompute`", "kept, MB", "computed anew, GFLOP", "evaluations", "session on the engine, MB", "session on the CPU, MB"),
             "|---" + "|---:" * 5 + "|"]
    for how in RECOMPUTING:
        made = Compiled(model, folder / how, ["--target=m4", f"--recompute={how}"], given)
        lines.append(row(f"`{how}`", megabytes(made.step["kept_bytes"]), f"{made.step['recomputed_flops'] / 1e9:.2f}", made.step["evaluations_per_inference"],
                         *(megabytes(made.plan(device)["session_bytes"]) for device in ("emulator", "cpu"))))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--batch", type=int, default=1)
    given = parser.parse_args()
    tables = {}
    with tempfile.TemporaryDirectory() as folder:
        model = lmfiles.write_llama(Path(folder) / "model", **lmfiles.STORIES110M)
        for mark, table in (("targets", targets_table), ("partitions", partitions_table), ("recompute", recompute_table)):
            made = table(model, Path(folder), given)
            print(made, flush=True)
            tables[mark] = made
    # The page is of these; of others the tables are only printed.
    if (given.tokens, given.batch) == (256, 1):
        page.write_tables(PAGE, tables)


if __name__ == "__main__":
    main()
