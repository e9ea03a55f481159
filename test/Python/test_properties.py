"""Properties that hold for every program: random functions keep their values, whatever the target.

Each batch is one module of random functions (randomgraph.py) for one of the targets, compiled once. Every function is computed

  - in double as it is written: the reference;
  - in double after legalisation: what the rewrites change. Nothing but the last digits of fp32, unless ops take part
    whose legal spelling has constants that fp16 rounds;
  - by the emulator, whose linter must find nothing: what fp16 changes. At most FACTOR times what rounding each value of
    the function to fp16 costs.

A failure names the seed; `python test/Python/test_properties.py SEED` prints the module.
"""
import functools
import multiprocessing
import os
import re
import shutil
import sys
from multiprocessing import connection

import numpy as np
import pytest

import anetest
import bundlelib
import irplan
import randomgraph
import randommoves  # noqa: F401, registers makers
import randomops
import randomweights  # noqa: F401

BATCH = 10  # functions in a module
BATCHES = {"ci": 50, "full": 500}
HALF_UNIT = 2.0**-11  # largest relative error of one rounding to fp16
FACTOR, UNITS = 4, 4  # what is allowed: times the oracle's error, and units of rounding; as many for each approximated op

# Ops whose legal form has constants of its own, rounded to fp16, and approximations (gelu: tanh form, atan: a polynomial, softplus:
# polynomial). What they lose is measured by the oracle of fp16 storage as well.
APPROXIMATED = {"batch_norm", "instance_norm", "group_norm", "layer_norm", "rms_norm", "l2_norm", "local_response_norm", "gelu", "atan",
                "softplus", "softplus_parametric", "mish", "reduce_mean", "hard_swish", "log", "rsqrt", "inverse",
                "scaled_dot_product_attention", "avg_pool", "log_softmax", "pow"}

# Small results of these are differences from 1 on the way: of gelu far below 0.
THROUGH_ONE = {"asinh", "acosh", "gelu"}


@functools.lru_cache(None)
def chips():
    """The names that --list-targets prints in lines of their own: h13, m9, ..."""
    names = re.findall(r"^([a-z]\d+[a-z]?)\b", anetest.run("ane-compile", "--list-targets").stdout, re.MULTILINE)
    assert len(names) == 30, names
    return names


def target(seed):
    """A target attribute."""
    generator = np.random.default_rng([77, seed])
    names = chips()
    chip = names[seed % len(names)]
    route = generator.choice(["in_memory", "in_memory", "coreml", "e5rt"])
    return (f"#ane.target<chip = \"{chip}\", route = {route}, os = {generator.choice([14, 15, 26])}, opset = ios16, "
            f"strictness = {generator.choice(['catalog', 'catalog', 'evidence'])}>")


def storage(want, half):
    """What fp16 storage costs a result, relative to its largest value."""
    return float(np.abs(half - want).max(initial=0) / max(np.abs(want).max(initial=0), 1e-3))


def moved(graph, reference, inputs, result, want):
    """The same at worst, where inputs are moved by no more than their rounding: sums that nearly cancel depend on luck."""
    generator = np.random.default_rng(4)
    worst = 0.0
    for _ in range(8):
        near = [array * (1 + HALF_UNIT * generator.uniform(-1, 1, array.shape)).astype(array.dtype) if array.dtype.kind == "f" else array
                for array in inputs]
        worst = max(worst, storage(want, reference.half(graph.name, near)[result]))
    return worst


def limits(graph, want, storage):
    """(of the rewrites in double, of the emulator), relative to the largest value."""
    scale = max(np.abs(want).max(initial=0), 1e-3)
    approximated = sum(op in APPROXIMATED for op in graph.ops)
    # A mean over no power of two elements is multiplied by a rounded number, and then subtracted.
    centred = len({"layer_norm", "group_norm", "instance_norm"} & set(graph.ops))
    units = UNITS * (1 + approximated + centred) / (scale if THROUGH_ONE & set(graph.ops) and scale < 1 else 1)
    engine = max(FACTOR * storage, units * HALF_UNIT)
    return engine if approximated else 1e-5, engine


def emulate(bundle, function, inputs, mode):
    """(results, events) of a function on the emulator."""
    with bundlelib.Bundle(bundle, "emulator", function=function, emulator_mode=mode) as opened:
        return opened({name: value for (name, *_), value in zip(opened.inputs, inputs)}), opened.events()


def differences(graph, reference, plan, bundle):
    """Sentences about the results of one function that are wrong."""
    inputs = graph.draw(np.random.default_rng(3))
    wanted, half = reference.call(graph.name, inputs), reference.half(graph.name, inputs)
    try:
        emulated, refused = emulate(bundle, graph.name, inputs, "lint")
    except bundlelib.RunError as fault:
        if "unknown target" not in str(fault):  # no rules are known of it
            yield f"lint: {fault}"
        emulated, refused = emulate(bundle, graph.name, inputs, "plain")
    # What is too small for fp16 between two programs the CPU computes again.
    refused = [event for event in refused if "too small for the digits of fp16" not in event["reason"]]
    if refused:
        yield f"the emulator refused: {refused}"
    for i, (want, oracle, after, got) in enumerate(zip(wanted, half, plan(graph.name, inputs), emulated)):
        if want.dtype.kind != "f":
            for what, array in (("rewrites", after), ("emulator", got)):
                if not np.array_equal(array, want):
                    yield f"result {i}: {what}: {np.count_nonzero(array != want)} of {want.size} {want.dtype} differ"
            continue
        if not np.all(np.isfinite(want)):
            yield f"result {i}: the reference is not finite: the generator left a domain"
            continue
        scale = max(np.abs(want).max(initial=0), 1e-3)
        for which, (what, array) in enumerate([("rewrites", after), ("emulator", got)]):
            error = np.abs(array.astype(np.float64) - want).max(initial=0) / scale
            limit = limits(graph, want, storage(want, oracle))[which]
            if which and not error <= limit:
                limit = limits(graph, want, moved(graph, reference, inputs, i, want))[which]
            if not error <= limit:
                yield f"result {i} {want.shape}: {what} are off by {error:.2e} of {scale:.3g}, limit {limit:.2e}"


def compile_all(source, folder):
    """(reference, plan, bundle) of a module."""
    reference = irplan.Reference(irplan.generic(source), folder / "before")
    plan = irplan.Plan(irplan.generic(source, "--ane-to-partitioned"), folder / "after")
    bundle = folder / "m.anebundle"
    anetest.run("ane-compile", source, "-o", bundle, "--quiet")
    return reference, plan, bundle


def check_batch(seed, folder):
    """Sentences about the functions of one seed that are wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    where = target(seed)
    graphs = randomgraph.graphs(seed, BATCH, randomops.MAKERS)
    wrong = []

    def check(part, folder):
        folder.mkdir(exist_ok=True)
        source = folder / "module.mlir"
        source.write_text(randomgraph.module(part, where))
        compiled = compile_all(source, folder)
        for graph in part:
            wrong.extend(f"seed {seed} @{graph.name} for {where}: {graph.ops}: {text}" for text in differences(graph, *compiled))

    try:
        check(graphs, folder)
    except AssertionError:
        # Which of them?
        for graph in graphs:
            try:
                check([graph], folder / graph.name)
            except AssertionError as failure:
                wrong.append(f"seed {seed} @{graph.name} for {where}: {graph.ops}: {failure}")
        assert wrong, f"seed {seed}: functions fail together that don't alone"
    if not wrong:
        shutil.rmtree(folder)
    return wrong, {op for graph in graphs for op in graph.ops}


def send_batch(seed, folder, pipe):
    pipe.send(check_batch(seed, folder))


def run(first, count, folder):
    """Runs batches on all processors, each in a process of its own, which may die; returns (what is wrong, ops that took
    part)."""
    wrong, ops, live = [], set(), {}
    context = multiprocessing.get_context("fork")
    seeds = list(range(first, first + count))
    while seeds or live:
        while seeds and len(live) < os.cpu_count():
            seed = seeds.pop(0)
            ours, theirs = context.Pipe()
            process = context.Process(target=send_batch, args=(seed, folder / str(seed), theirs))
            process.start()
            theirs.close()
            live[ours] = seed, process
        for pipe in connection.wait(list(live)):
            seed, process = live.pop(pipe)
            try:
                texts, used = pipe.recv()
            except EOFError:
                texts, used = [f"seed {seed}: running it ended the process"], set()
            process.join()
            wrong += texts
            ops |= used
    return wrong, ops


# Ops that no random function has.
NOT_DRAWN = {
    "no CPU code to compare with": {
        "affine", "constexpr_lut_to_dense", "constexpr_lut_to_sparse", "constexpr_sparse_blockwise_shift_scale",
        "constexpr_sparse_to_dense", "crop_resize", "resample"},
    "a comparison decides on whole rows": {"non_maximum_suppression"},
    "its formats have a test, test_blocks.py": {"constexpr_blocks"},
    "states": {"read_state", "state", "update_state", "write_state"},
    "what compilation adds": {"blob", "eval", "island", "narrow", "parameter", "program", "relayout", "yield"},
    "in every function, or gone from the first phase on": {"const", "shape"},
}


def test_every_op_is_drawn():
    known = set(re.findall(r"^#+ `ane\.(\w+)`", (anetest.ROOT / "docs/generated/ops.md").read_text(), re.MULTILINE))
    drawn = {op for seed in range(150) for graph in randomgraph.graphs(seed, BATCH, randomops.MAKERS) for op in graph.ops}
    left_out = set().union(*NOT_DRAWN.values())
    assert not drawn & left_out, "drawn, though listed as not drawn"
    assert known - left_out == drawn & known, f"no maker draws {sorted(known - left_out - drawn)}"


def report(wrong):
    assert not wrong, f"{len(wrong)} faults\n" + "\n".join(wrong[:40])


def test_random_functions(tmp_path):
    wrong, ops = run(0, BATCHES["ci"], tmp_path)
    report(wrong)
    print(len(ops), "kinds of ops")


@pytest.mark.slow
def test_many_random_functions(tmp_path):
    report(run(1000, BATCHES["full"], tmp_path)[0])


if __name__ == "__main__":
    print(randomgraph.module(randomgraph.graphs(int(sys.argv[1]), BATCH, randomops.MAKERS), target(int(sys.argv[1]))))
