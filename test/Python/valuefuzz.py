#!/usr/bin/env python3
"""Random graphs of all importable ops, with values that hurt, on both devices beside ONNX Runtime and the ONNX reference.

    valuefuzz.py --count 20000 --seed 1 --device both --out DIR [--jobs 2] [--op NAME]

Each graph is run as it is and folded (inputs turned into constants). What is wrong is made small and saved as DIR/KIND-.../model.onnx,
io.npz (`in:NAME` inputs, `exp:NAME` right outputs) and finding.txt. Kinds: wrong; coarse (on the emulator, no more than fp16 storage
costs); announced (either, where the report says why); relative (on the CPU, within 1e-5 of the largest but not of itself); refused,
crashed, failed. The last line says how many graphs
were wrong; exit code 1 if any was wrong, crashed or failed."""
import argparse
import collections
import multiprocessing
import pickle
import re
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import valuecontrib
import valuegraph
import valuelayers
import valuemoves
import valueops
import valuereduce
import valuerun

MODULES = [valueops, valuelayers, valuemoves, valuecontrib]  # each registers its makers
BATCH = 40
REDUCED = 4  # findings that a batch makes small
SERIOUS = ("wrong", "crashed", "failed")


def makers(op=None):
    """[[maker]] of each op, or of one beside simple ones."""
    found = valueops.MAKERS
    if not op:
        return list(found.values())
    chosen = [makers for (_, name), makers in found.items() if name == op]
    return chosen * 3 + [found["", name] for name in ("Add", "Mul", "Cast", "Div")]


def batch(seed, index, size=BATCH, op=None):
    """(variants, opset, ops) of a batch."""
    opset = valuegraph.OPSETS[index % len(valuegraph.OPSETS)]
    graphs = [valuegraph.graph([seed, index, i], opset, makers(op), wide=index % 5 == 4) for i in range(size)]
    variants = []
    for i, graph in enumerate(graphs):
        variants += [valuegraph.as_is(graph, f"g{i}r_"), valuegraph.folded(graph, f"g{i}f_", np.random.default_rng([seed, index, i, 1]))]
    return variants, opset


def key(finding, ops):
    """What findings of one cause share."""
    return (finding.kind, finding.device, "folded" if finding.variant.joined else "run", *sorted(set(ops)))


def run_batch(seed, index, size, op, devices, out, known):
    """Checks a batch; returns {"graphs", "ops", "findings": [(key, text, path)]}."""
    variants, opset = batch(seed, index, size, op)
    runner = valuerun.Runner(devices, seed=index)
    findings = runner.check(variants, opset)
    made, reduced = [], 0
    for finding in findings:
        name = f"{seed}-{index}-{finding.variant.prefix.rstrip('_')}"
        if finding.kind in ("refused", "announced"):
            cause = [re.sub(r"g\d+[rf]_\w+", "X", finding.text)[:120]] if finding.kind == "refused" else last_ops(finding)
            made.append((key(finding, cause), finding.text, name))
            continue
        variant, text = finding.variant, finding.text
        likely = (finding.kind, finding.device, finding.variant.joined, tuple(sorted(set(last_ops(finding)))))
        if out and reduced < REDUCED and known.get(likely, 0) < 3:
            known[likely] = known.get(likely, 0) + 1
            reduced += 1
            reducer = valuereduce.Reducer(runner, opset, finding)
            variant, text = reducer.reduce(), reducer.text
        ops = [node.op_type for step in variant.graph.steps for node in step.nodes]
        found = key(finding, ops if variant is not finding.variant else ["?", *last_ops(finding)])
        if out and variant is not finding.variant:
            folder = Path(out) / f"{finding.kind}-{finding.device}-{'-'.join(sorted(set(ops)))[:60]}-{name}"
            valuerun.save(folder, variant, opset, f"{finding.kind} on {finding.device}: {text}")
        made.append((found, text, name))
    ops = collections.Counter(op for v in variants if not v.joined for op in set(v.graph.ops))
    return {"graphs": size, "ops": ops, "findings": made, "known": known, "opset": opset}


def last_ops(finding):
    """The op that gives the output of a finding, and those it reads from."""
    steps = finding.variant.graph.steps
    last = [s for s in steps if finding.output in s.outputs]
    return [n.op_type for s in last for n in s.nodes]


def child(path, arguments):
    with open(path, "wb") as file:
        pickle.dump(run_batch(*arguments), file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300, help="graphs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="batch to begin with")
    parser.add_argument("--batch", type=int, default=BATCH, help="graphs in one model")
    parser.add_argument("--device", default="both", choices=list(valuerun.DEVICES))
    parser.add_argument("--out", help="folder for reproducers; without it nothing is made small")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--op", help="an op that most graphs are about")
    parser.add_argument("--without", action="append", default=[], metavar="TYPE", help="an element type that no graph has")
    options = parser.parse_args()
    for name in options.without:
        del valuegraph.TYPES[name]
    if options.out:
        Path(options.out).mkdir(parents=True, exist_ok=True)
    valuelayers.templates()  # before the processes part
    total = -(-options.count // options.batch)
    context, began = multiprocessing.get_context("fork"), time.time()
    running, waiting, known = {}, list(range(options.first, options.first + total)), {}
    graphs, ops, found = 0, collections.Counter(), collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as work:
        while waiting or running:
            while waiting and len(running) < options.jobs:
                index = waiting.pop(0)
                path = Path(work) / f"{index}.pickle"
                process = context.Process(target=child, args=(path, (options.seed, index, options.batch, options.op,
                                                                     valuerun.DEVICES[options.device], options.out, known)))
                process.start()
                running[index] = (process, path)
            time.sleep(0.02)
            for index, (process, path) in list(running.items()):
                if process.is_alive():
                    continue
                del running[index]
                if process.exitcode != 0:
                    found[("crashed", "runner", f"exit code {process.exitcode}")].append((f"batch {index}", ""))
                    print(f"batch {index}: the process ended with {process.exitcode}", flush=True)
                    continue
                done = pickle.loads(path.read_bytes())
                path.unlink()
                graphs += done["graphs"]
                ops.update(done["ops"])
                known.update(done["known"])
                for each, text, name in done["findings"]:
                    if each not in found and each[0] != "refused":
                        print(f"NEW {' '.join(map(str, each))}: {text} ({name}, opset {done['opset']})", flush=True)
                    found[each].append((text, name))
                rate = graphs / (time.time() - began)
                print(f"{graphs} graphs, {rate:.1f}/s, batch {index}: {len(done['findings'])} findings", flush=True)
    summary(ops, found)
    wrong = sum(len(rows) for each, rows in found.items() if each[0] in SERIOUS)
    print(f"{wrong} wrong of {graphs} graphs, as they are and folded")
    sys.exit(wrong > 0)


def summary(ops, found):
    print("\nop: graphs with it")
    print(", ".join(f"{op} {n}" for op, n in ops.most_common()))
    print("\nfindings")
    for each, rows in sorted(found.items(), key=lambda item: (item[0][0], -len(item[1]))):
        print(f"{len(rows):5} {' '.join(map(str, each))}: {rows[0][1]}: {rows[0][0][:160]}")


if __name__ == "__main__":
    main()
