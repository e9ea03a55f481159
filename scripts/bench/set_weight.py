"""Time to set a weight of a session, beside the time to compile the model: the limit is 2 %.

    scripts/bench/set_weight.py [--models minilm,resnet50] [--threads 2] [--rounds 7] [--write docs/set-weight.md]

Of each model the largest weight and a matrix, on both devices. Compilation (`ane-compile` with its defaults, without a cache of
kernels) and sessions take turns. `set` is the call itself, in a session that has run once and has changed nothing yet, which is what
costs most, and what the limit is about; `again` the same call a second time. Programs take the value at their next run, so `and run`
adds what the run in which it arrives takes beyond others. The Python that runs this must have onnx; resnet50 is the zoo's (test/Python/zoo.py).
"""
import argparse
import datetime
import shutil
import sys
import time
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

import page
import run
import shapes
from run import anetest

import bundlelib
import zoo

LIMIT = 0.02


def load(name, folder):
    """(model, inputs) or None where it can't be made here."""
    if name == "resnet50":  # batch norms must not be folded into what is set, as exporters do before
        made = zoo.ensure(name)
        return made and (shapes.Model(made[0], None, options=["--target=m4", *zoo.options(name, made[1])]), zoo.given(name, made[1]))
    model = shapes.load(name, folder)
    return model and (model, model.inputs(0))


def settable(bundle):
    """{name: shape}, the largest first, of weights of floats that may be set."""
    weights = run.json.loads((bundle / "manifest.json").read_text())["weights"]
    shapes_of = {w["name"]: w["shape"] for w in weights
                 if w["dtype"] == "float32" and w["stored"] and not any("fixed" in form for form in w["stored"])}
    return dict(sorted(shapes_of.items(), key=lambda item: -np.prod(item[1])))


def seconds(function, *arguments):
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def set_once(bundle, device, threads, inputs, name, value):
    """Seconds of a call, of the call and the run after it beyond others, and of a second call."""
    with bundlelib.Bundle(bundle, device, threads) as session:
        given = {key: inputs[key] for key, _, _ in session.inputs}
        session(given)
        usual = min(seconds(session, given) for _ in range(3))
        first = seconds(session.set_weight, name, value)
        after = first + max(0, seconds(session, given) - usual)
        return first, after, seconds(session.set_weight, name, value)


def measure(name, model, inputs, folder, options):
    """Rows of the table, and the largest shares of a call and of a call with the run after it."""
    bundle = folder / f"{name}.anebundle"
    values, compiled, times = {}, [], {}
    for turn in range(options.rounds):
        print(f"set_weight.py: {name}, round {turn + 1} of {options.rounds}", file=sys.stderr, flush=True)
        shutil.rmtree(bundle, ignore_errors=True)
        compiled.append(run.measured(run.compile_command(model, bundle))[0])
        if not values:
            tensors = {tensor.name: tensor for tensor in onnx.load(model.path).graph.initializer}
            known = [key for key in settable(bundle) if key in tensors]
            matrix = next(key for key in known[1:] if len(tensors[key].dims) == 2)
            values = {key: numpy_helper.to_array(tensors[key]) * np.float32(0.75) for key in (known[0], matrix)}
        for key, value in values.items():
            for device in ("cpu", "emulator"):
                times.setdefault((key, device), []).append(set_once(bundle, device, options.threads, inputs, key, value))
    whole, rows, worst = min(compiled), [], (0, 0)
    for (key, device), measured in times.items():
        least = [min(column) for column in zip(*measured)]
        worst = tuple(max(share, time / whole) for share, time in zip(worst, least))
        rows.append([name, f"{'x'.join(map(str, values[key].shape))}, {values[key].nbytes / 1e6:.1f} MB", device, f"{whole:.2f} s",
                     *(f"{1000 * time:.2f} ms, {100 * time / whole:.2f} %" for time in least)])
    return rows, worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="minilm,resnet50")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    folder = anetest.BUILD / "bench"
    (folder / "models").mkdir(parents=True, exist_ok=True)
    header, rows, worst = run.versions(), [], (0, 0)
    for name in options.models.split(","):
        loaded = load(name, folder / "models")
        if not loaded:
            print(f"set_weight.py: {name} can't be made here, skipped", file=sys.stderr)
            continue
        more, shares = measure(name, *loaded, folder, options)
        rows, worst = rows + more, tuple(map(max, worst, shares))
    text = ("# Setting a weight\n\n"
            f"Made by `scripts/bench/set_weight.py` on {datetime.date.today()} with {options.threads} threads. {header}.\n\n"
            "How long `ane_session_set_weight` takes, and the share of the model's compilation that this is: the least of "
            f"{options.rounds} turns each. `set` is the call, in a session that has changed nothing yet: the figure that the limit of "
            f"{100 * LIMIT:.0f} % is about, here at most {100 * worst[0]:.2f} %. `set and run` is the call with what the run in which "
            f"programs get the value takes beyond others, here at most {100 * worst[1]:.2f} %. `again` is a second call.\n\n"
            f"{page.table(['model', 'weight', 'device', 'compilation', 'set', 'set and run', 'again'], rows)}\n")
    print(text)
    if options.write:
        options.write.write_text(text)
    return worst[0] >= LIMIT


if __name__ == "__main__":
    sys.exit(main())
