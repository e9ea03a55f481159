"""Runs the benchmark and writes its table: CPU code beside ONNX Runtime, emulator beside CPU code, compile time and memory
beside coremltools.

    scripts/bench/run.py [--models minilm,bert,...] [--threads 2] [--rounds 10] [--write docs/benchmarks.md]

Never part of the tests: a time says something only beside another time of the same minute. All figures are ratios within
one run, of the minimum and of the median; sides take turns in blocks of a few runs, so that other load on the machine
meets both. The Python that runs this must have onnx and onnxruntime; with torch and coremltools, compilers are compared, too.
"""
import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import onnx

import page
import shapes
from shapes import anetest

HERE = Path(__file__).resolve().parent
NAMES = ["minilm", "bert", "resnet50", "mobilenet_v2", "detector", "encoder-2", "encoder-8", "encoder-32"]


def versions():
    cpu = next(line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    peers = [f"{name} {importlib.metadata.version(name)}" for name in ("onnxruntime", "coremltools", "torch")
             if anetest.package_dir(name)]
    commit = subprocess.run(["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    load = open("/proc/loadavg").read().split()[0]
    return f"{cpu}, {len(os.sched_getaffinity(0))} processors; {platform.system()} {platform.release()}; " \
           f"commit {commit}; {', '.join(peers)}; load average {load} at the start"


def measured(command):
    """(seconds, peak of RssAnon in MB) of a command and of the processes it starts."""
    process = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
    start, peak = time.monotonic(), 0
    while process.poll() is None:
        try:
            lines = open(f"/proc/{process.pid}/status").read().splitlines()
            peak = max([peak, *(int(line.split()[1]) for line in lines if line.startswith("RssAnon:"))])
        except FileNotFoundError:
            pass
        time.sleep(0.002)
    output = process.stdout.read()
    if process.returncode:
        raise SystemExit(f"run.py: {' '.join(map(str, command))}\n{output}")
    return time.monotonic() - start, peak / 1024, output


def compile_command(model, bundle, *options):
    dims = [f"--dim={name}={size}" for name, size in model.dims.items()]
    return [anetest.tool("ane-compile"), model.path, "-o", bundle, "--quiet", *dims, *model.options, *options]


# What compile times are measured with: the libraries of one triple, and those of all.
HOSTS = ("x86_64-unknown-linux-gnu", "all")


def write_inputs(name, folder):
    """Loads a model and writes its inputs for ane-bench; None where its package is missing."""
    model = shapes.load(name, folder / "models")
    if model is None:
        print(f"run.py: {name}: its package is not installed, skipped", file=sys.stderr)
        return None
    inputs = folder / "inputs" / name
    inputs.mkdir(parents=True, exist_ok=True)
    wanted = {i.name for i in onnx.load(model.path, load_external_data=False).graph.input}
    records = []
    for key, array in model.inputs(0).items():
        if key in wanted:
            np.ascontiguousarray(array).tofile(inputs / f"{key}.bin")
            records.append({"name": key, "dtype": str(array.dtype), "shape": list(array.shape)})
    (inputs / "model.json").write_text(json.dumps({"path": str(model.path), "inputs": records}))
    return model


def prepare(name, folder):
    """Compiles a model and writes its inputs; [(seconds, MB)] of compiling it for each of HOSTS, or None where the model is
    missing."""
    model = write_inputs(name, folder)
    if model is None:
        return None
    bundle = folder / f"{name}.anebundle"
    costs = []
    for host in HOSTS:
        shutil.rmtree(bundle, ignore_errors=True)
        costs.append(measured(compile_command(model, bundle, f"--host={host}"))[:2])
    return costs


def run_pairs(names, folder, threads, rounds):
    """Counters of ane-bench by benchmark."""
    result = folder / "result.json"
    peer = f"{sys.executable} {HERE / 'ort_peer.py'} {folder} {threads}"
    subprocess.run([anetest.tool("ane-bench"), f"--threads={threads}", f"--rounds={rounds}", f"--peer={peer}",
                    f"--inputs={folder / 'inputs'}", *(f"{n}={folder / n}.anebundle" for n in names),
                    f"--benchmark_out={result}", "--benchmark_out_format=json"], check=True)
    return {entry["name"].split("/iterations")[0]: entry for entry in json.loads(result.read_text())["benchmarks"]}


def time_by_depth(folder):
    """Rows of the processor time to compile Llama's shape with more and more layers."""
    depths = (2, 8, 32)
    result = folder / "depth.json"
    models = [f"--compile={depth}={shapes.load(f'llama-{depth}', folder / 'models').path}" for depth in depths]
    subprocess.run([anetest.tool("ane-bench"), f"--compiler={anetest.tool('ane-compile')} --host=x86_64-unknown-linux-gnu", *models,
                    f"--benchmark_out={result}", "--benchmark_out_format=json"], check=True)
    seconds = [entry["real_time"] / 1000 for entry in json.loads(result.read_text())["benchmarks"]]
    return [[str(depth), f"{time:.2f} s", f"{1000 * time / depth:.0f} ms"] for depth, time in zip(depths, seconds)]


def gpt2(folder):
    """PyTorch's GPT-2 as an ONNX file; None without the packages that make it."""
    if not anetest.package_dir("torch") or not anetest.package_dir("coremltools"):
        return None
    path = folder / "models" / "gpt2.onnx"
    if not path.exists():
        measured([sys.executable, HERE / "coremltools_peer.py", "export", path])
    return shapes.Model(path, None)


def compare_compilers(folder):
    """Rows of seconds and megabytes: ane-compile and coremltools take turns on the same module."""
    if not (model := gpt2(folder)):
        return []
    peer = [sys.executable, HERE / "coremltools_peer.py"]
    ours, theirs = {"none": [], "x86_64-unknown-linux-gnu": []}, []
    for _ in range(2):
        for triple, times in ours.items():
            shutil.rmtree(folder / "gpt2.anebundle", ignore_errors=True)
            times.append(measured(compile_command(model, folder / "gpt2.anebundle", f"--host={triple}"))[:2])
        _, memory, output = measured([*peer, "convert", folder])
        record = json.loads(output.strip().splitlines()[-1])
        theirs.append((record["convert"] + record["save"], memory))
    best = min(theirs)[0], min(memory for _, memory in theirs)
    rows = []
    for triple, times in ours.items():
        seconds, memory = min(times)[0], min(m for _, m in times)
        rows.append([f"--host={triple}", f"{seconds:.2f} s", f"{best[0]:.2f} s", f"{best[0] / seconds:.1f}x", f"{memory:.0f} MB",
                     f"{best[1]:.0f} MB"])
    return rows


def pair_rows(counters, kind, names):
    rows = []
    for name in names:
        c = counters.get(f"{kind}/{name}")
        if c and "ratio_min" in c:
            rows.append([name, f"{c['first_min_ms']:.2f} ms", f"{c['second_min_ms']:.2f} ms", f"{c['ratio_min']:.2f}",
                         f"{c['ratio_median']:.2f}"])
        elif c:
            rows.append([name, c.get("error_message", "failed"), "-", "-", "-"])
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=",".join(NAMES))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    folder = anetest.BUILD / "bench"
    (folder / "models").mkdir(parents=True, exist_ok=True)
    header = versions()
    compiled = {name: prepare(name, folder) for name in options.models.split(",")}
    names = [name for name, record in compiled.items() if record]
    counters = run_pairs(names, folder, options.threads, options.rounds)
    parts = [f"# Benchmarks\n\nMade by `scripts/bench/run.py` on {datetime.date.today()} with {options.threads} threads. {header}.\n\n"
             "Times depend on the machine and on what else it does; ratios are of two programs that took turns.",
             "## CPU code beside ONNX Runtime\n\nThe twins of a bundle (`--device=cpu`, source weights) and ONNX Runtime with its "
             "optimisations on. Below 1 is faster than ONNX Runtime.",
             page.table(["model", "anemone, min", "ONNX Runtime, min", "ratio of min", "ratio of median"],
                   pair_rows(counters, "cpu_vs_peer", names)),
             "## Emulator beside CPU code",
             page.table(["model", "emulator, min", "CPU code, min", "ratio of min", "ratio of median"],
                   pair_rows(counters, "emulator_vs_cpu", names)),
             "## Compilation\n\nCode, report and bundle written, with CPU code for one triple (two libraries on x86_64) and for all.",
             page.table(["model", *(f"{what}, --host={host}" for host in HOSTS for what in ("time", "peak anonymous memory"))],
                   [[n, *(text for seconds, memory in compiled[n] for text in (f"{seconds:.2f} s", f"{memory:.0f} MB"))]
                    for n in names])]
    parts += ["Llama's shape, processor time; printed by `ane-bench --compile`.",
              page.table(["layers", "time", "per layer"], time_by_depth(folder))]
    rows = compare_compilers(folder)
    if rows:
        parts += ["## Compilation beside coremltools\n\nA plain PyTorch GPT-2 of 124 M parameters, 64 tokens: `convert` and `save` of "
                  "coremltools, `ane-compile` of the same module's ONNX file. Best of two runs, taking turns.",
                  page.table(["ane-compile", "time", "coremltools", "faster by", "peak anonymous memory", "coremltools'"], rows)]
    text = "\n\n".join(parts) + "\n"
    print(text)
    if options.write:
        page.write(options.write, text)


if __name__ == "__main__":
    main()
