"""Compiles and runs models of many random graphs (valuegraph.py) on both devices, and says which of them are wrong."""
import json
import re
import shutil
import tempfile
from collections import namedtuple
from pathlib import Path

import numpy as np
import onnx

import anetest
import bundlelib
import valuegraph
import valueoracle

WIDE_BATCH = 8
DEVICES = {"cpu": ["cpu"], "emulator": ["emulator"], "both": ["cpu", "emulator"]}
# kind: wrong, coarse, relative (valueoracle.compare), announced (either of the former two on the emulator, behind an op for which the
# report says why), refused, crashed, failed (did not run).
Finding = namedtuple("Finding", "variant output device kind text")


def errors(stderr):
    """Lines of the errors, each with the node's name."""
    for line in stderr.splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            yield line
            continue
        if record.get("severity") == "error":
            lines = record["message"].splitlines()
            yield from lines if len(lines) > 1 else [f"{record.get('node', '')}: {record['message']}"]


def is_announced(finding, nodes):
    """Whether the report's values name an op that the output depends on; its steps are numbered as valuegraph.model numbers nodes. What
    a graph and its folded twin (g7r_, g7f_) compute alike is one op with either's name."""
    nodes = {re.sub(r"^(g\d+)[rf]_", r"\1_", node) for node in nodes}
    if finding.device != "emulator" or finding.kind not in ("wrong", "coarse"):
        return False
    graph, prefix, count = finding.variant.graph, finding.variant.prefix[:-2] + "_", 0
    wanted = {step.outputs[0] for step in valueoracle.steps_to(graph, finding.output)}
    for step in graph.steps:
        for _ in step.nodes:
            if step.outputs[0] in wanted and f"{prefix}n{count}" in nodes:
                return True
            count += 1
    return False


class Runner:
    """Runs variants in batches. `seed`: of the varied roundings."""

    def __init__(self, devices, seed=0, flags=()):
        self.devices, self.seed, self.flags = devices, seed, flags

    def check(self, variants, opset):
        """Findings of the variants. What is beyond fp16 sends an engine's program to the CPU and all that is in it, so that such graphs
        are few to a model."""
        variants = [v for v in variants if v.graph.outputs]
        narrow, wide = [v for v in variants if not v.graph.beyond], [v for v in variants if v.graph.beyond]
        parts = [narrow] + ([wide[i:i + WIDE_BATCH] for i in range(0, len(wide), WIDE_BATCH)] if self.devices != ["cpu"] else [wide])
        return [finding for part in parts for finding in self.check_model(part, opset, self.devices)]

    def check_model(self, variants, opset, devices):
        """Findings of the variants, which go into one model. What the compiler refuses is left out and named."""
        findings = []
        while variants:
            with tempfile.TemporaryDirectory() as work:
                model, given, _ = valuegraph.model(variants, opset)
                path, bundle = Path(work) / "m.onnx", Path(work) / "m.anebundle"
                onnx.save(model, path)
                done = anetest.run("ane-compile", path, "-o", bundle, "--quiet", "--json", *self.flags, check=False)
                if done.returncode == 0:
                    made, again = self._run(variants, bundle, given, devices)
                    nodes = {value["node"] for value in json.loads((bundle / "report.json").read_text())["values"]}
                    made = [finding._replace(kind="announced") if is_announced(finding, nodes) else finding for finding in made]
                    half = len(variants) // 2
                    for part in (variants[:half], variants[half:]) if again else ():
                        made += self.check_model(part, opset, ["emulator"])
                    return findings + made
            blamed = self._blamed(variants, done)
            if blamed:
                findings += blamed
                variants = [v for v in variants if v.prefix not in {f.variant.prefix for f in blamed}]
            elif len(variants) == 1:
                kind = "refused" if done.returncode == 1 else "crashed"
                return findings + [Finding(variants[0], "", "compiler", kind, f"exit code {done.returncode}: {done.stderr.strip()[:400]}")]
            else:
                half = len(variants) // 2
                return findings + self.check_model(variants[:half], opset, devices) + self.check_model(variants[half:], opset, devices)
        return findings

    def _blamed(self, variants, done):
        """Findings for the graphs that an error names."""
        made = {}
        if done.returncode == 1:
            prefixes = {v.prefix: v for v in variants}
            for line in errors(done.stderr):
                for prefix in re.findall(r"g\d+[rf]_", line):
                    if prefix in prefixes:
                        made.setdefault(prefix, Finding(prefixes[prefix], "", "compiler", "refused", line[:400]))
        return list(made.values())

    def _run(self, variants, bundle, given, devices):
        """(findings, whether to run parts of the variants again): where the runtime sends the engine's programs to the CPU because of
        one graph's values, it says so, and the others tell nothing about the engine."""
        findings, again = [], False
        for device in devices:
            try:
                with bundlelib.Bundle(bundle, device) as opened:
                    results = dict(zip([name for name, *_ in opened.outputs], opened(given)))
                    events = opened.events()
            except bundlelib.RunError as error:
                findings.append(Finding(variants[0], "", device, "failed", f"{len(variants)} graphs: {str(error)[:400]}"))
                continue
            if any(event["phase"] != "numeric" for event in events):
                findings.append(Finding(variants[0], "", device, "failed", f"{len(variants)} graphs: {events[0]}"))
            elif events and len(variants) > WIDE_BATCH:
                again = True
                continue
            for variant in variants:
                findings += self._compared(variant, results, device)
        return findings, again

    def _compared(self, variant, results, device):
        for name in variant.graph.outputs:
            got, want = results[f"{variant.prefix}{name}{'_joined' if variant.joined else ''}"], variant.graph.values[name].array
            if got.tobytes() != want.tobytes() or got.dtype != want.dtype or got.shape != want.shape:
                found = valueoracle.compare(variant.graph, name, got, device, self.seed, variant.constants)
                if found:
                    yield Finding(variant, name, device, *found)


def save(folder, variant, opset, text):
    """A reproducer in the format of check_values.py."""
    folder = Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    model, given, wanted = valuegraph.model([variant], opset)
    onnx.save(model, folder / "model.onnx")
    np.savez(folder / "io.npz", **{f"in:{n}": a for n, a in given.items()}, **{f"exp:{n}": a for n, a in wanted.items()})
    (folder / "finding.txt").write_text(f"{text}\n\n{described(variant, opset)}\n")


def described(variant, opset):
    """The graph in words."""
    lines = [f"opset {opset}"]
    for value in variant.graph.leaves:
        shown = np.array2string(value.array, threshold=24, max_line_width=160).replace("\n", " ")
        lines.append(f"{'constant' if value.name in variant.constants else 'input'} {value.name}: {value.dtype}{list(value.shape)} {shown}")
    for step in variant.graph.steps:
        lines += [onnx.helper.printable_node(node) for node in step.nodes]
    for name in variant.graph.outputs:
        value = variant.graph.values[name]
        shown = np.array2string(value.array, threshold=24, max_line_width=160).replace("\n", " ")
        lines.append(f"output {name}: {value.dtype}{list(value.shape)} {shown}")
    return "\n".join(lines)
