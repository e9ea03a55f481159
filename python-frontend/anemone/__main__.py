"""python -m anemone compile|run|report|targets|explain"""
from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import signal
import sys
import time
from pathlib import Path
from typing import Dict, List, Optional, Sequence

import numpy as np

from . import Error, __version__, _files, compile, explain, load, targets
from ._compiler import run_tool
from ._report import Report


def _pairs(texts: Sequence[str], what: str) -> Dict[str, str]:
    """NAME=VALUE options; names may hold '='."""
    pairs = [text.rpartition("=") for text in texts]
    for name, _, value in pairs:
        if not name or not value:
            raise Error(f"{what}: expected NAME=VALUE, got '{'='.join(filter(None, (name, value)))}'")
    return {name: value for name, _, value in pairs}


def _sizes(text: str, what: str) -> List[int]:
    if not re.fullmatch(r"\d+(x\d+)*", text):
        raise Error(f"{what}: is '{text}', expected sizes such as 1x3x224x224")
    return [int(size) for size in text.split("x")]


def _compile(options: argparse.Namespace) -> None:
    dims = {name: _sizes(size, f"--dim {name}") for name, size in _pairs(options.dim, "--dim").items()}
    wrong = [name for name, size in dims.items() if len(size) != 1]
    if wrong:
        raise Error(f"--dim {wrong[0]}: expected one size")
    bundle = compile(
        options.model, options.output or f"{Path(options.model).stem}.anebundle", target=options.target,
        dims={name: size[0] for name, size in dims.items()},
        shapes={name: _sizes(shape, f"--shape {name}") for name, shape in _pairs(options.shape, "--shape").items()},
        values=_pairs(options.value, "--value"),
        os_version=options.os, strictness=options.strictness, hosts=options.host, deterministic=options.deterministic,
        cpu_weights=options.cpu_weights, options=options.compiler_option, log=None if options.quiet else lambda step: print(step, file=sys.stderr))
    for diagnostic in bundle.diagnostics:
        print(diagnostic, file=sys.stderr)
    if options.report:
        print(bundle.report())


def _read(name: str, path: str) -> np.ndarray:
    try:
        return np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise Error(f"--input {name}: can't read {path}: {error}") from None


def _run(options: argparse.Namespace) -> None:
    with load(options.bundle, device=options.device, threads=options.threads, verify=options.verify,
              function=options.function, emulator_mode=options.emulator_mode, native_code=not options.no_native_code, trust=options.trust) as model:
        inputs = {name: _read(name, path) for name, path in _pairs(options.input, "--input").items()}
        outputs = model(**inputs)
        times = []
        for _ in range(options.repeat if options.repeat > 1 else 0):
            start = time.perf_counter()
            outputs = model(**inputs)
            times.append(time.perf_counter() - start)
        for event in model.events():
            where = "otherwise than asked on" if event["phase"] in ("weights", "evaluation") else "on the CPU instead of"
            print(f"note: program {event['program']} ran {where} the {event['device']} ({event['phase']}): "
                  f"{event['reason']}", file=sys.stderr)
        if options.output_dir:
            Path(options.output_dir).mkdir(parents=True, exist_ok=True)
        print(f"device {model.device}" + (f", CPU code for {model.host}" if model.host else ""))
        for info in model.outputs:
            array = outputs[info.name]
            finite = array.astype(np.float64) if array.size else np.zeros(1)
            print(f"{info}  min {finite.min():.6g}  max {finite.max():.6g}  mean {finite.mean():.6g}")
            if options.output_dir:
                np.save(Path(options.output_dir) / (info.name.replace("/", "_") + ".npy"), array)
        if times:
            print(f"{len(times)} runs: fastest {min(times) * 1e3:.3f} ms, median {sorted(times)[len(times) // 2] * 1e3:.3f} ms")
        if options.profile:
            print(json.dumps(model.profile(), indent=2))


def _report(options: argparse.Namespace) -> None:
    report = Report.read(options.bundle)
    print(json.dumps(report.data, indent=2) if options.json else report)


def _targets(_: argparse.Namespace) -> None:
    for target in targets():
        print(f"{target.name:<8} {target.silicon:<14} {' '.join(target.aliases)}".rstrip())


def _explain(options: argparse.Namespace) -> None:
    print(explain(options.constraint), end="")


def _tool(options: argparse.Namespace) -> None:
    sys.exit(run_tool(options.name, options.arguments))


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(prog="python -m anemone", description="Compiles models for Apple's Neural Engine, and runs them.")
    top.add_argument("--version", action="version", version=f"anemone {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, function: object, text: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
        made.set_defaults(action=function)
        return made

    made = command("compile", _compile, "compile an ONNX model to a bundle")
    made.add_argument("model", help="the .onnx file")
    made.add_argument("-o", "--output", help="bundle to write; without it MODEL.anebundle in the current directory")
    made.add_argument("--target", default="m4", help="chip; see the command 'targets'")
    made.add_argument("--os", type=int, default=15, help="oldest macOS that must run the bundle")
    made.add_argument("--strictness", choices=("catalog", "evidence"), default="catalog", help="all published rules of the "
                      "engine, or without those that were measured to be false")
    made.add_argument("--dim", action="append", default=[], metavar="NAME=SIZE", help="size of a dynamic dimension")
    made.add_argument("--shape", action="append", default=[], metavar="INPUT=AxB", help="shape of an input")
    made.add_argument("--value", action="append", default=[], metavar="INPUT=VALUE", help="an input that is compiled in: a number, "
                      "numbers with commas between them, or a .npy file")
    made.add_argument("--host", metavar="TRIPLE,...", help="machines to make CPU code for, or none")
    made.add_argument("--deterministic", action="store_true", help="the same bits on every processor of a triple")
    made.add_argument("--cpu-weights", choices=("source", "fp16"), default="source", help="weights of the CPU code")
    made.add_argument("--compiler-option", action="append", default=[], metavar="FLAG", help="one more flag of ane-compile, as in "
                      "--compiler-option=--channels-on-host")
    made.add_argument("--report", action="store_true", help="print where each op runs and why")
    made.add_argument("-q", "--quiet", action="store_true", help="no progress on standard error")

    made = command("run", _run, "run a bundle on .npy files")
    made.add_argument("bundle")
    made.add_argument("-i", "--input", action="append", default=[], metavar="NAME=FILE", help="value of an input, a .npy file")
    made.add_argument("-o", "--output-dir", metavar="DIR", help="write each output as DIR/NAME.npy ('/' becomes '_')")
    made.add_argument("--device", default="auto", help="auto, ane, cpu or emulator")
    made.add_argument("--emulator-mode", metavar="MODE", help="lint (default): misuse of the engine is an error; faithful: what the engine would do; plain: only "
                      "computes")
    made.add_argument("--threads", type=int, default=0, help="of CPU code; 0: ANE_NUM_THREADS, else all processors")
    made.add_argument("--function", default="", metavar="NAME", help="of a bundle with several")
    made.add_argument("--verify", action="store_true", help="compare the hash of every file")
    made.add_argument("--trust", default="owner", help="whose native code of the bundle is loaded: owner (default), anyone or nobody")
    made.add_argument("--no-native-code", action="store_true", help="the same as --trust=nobody")
    made.add_argument("--repeat", type=int, default=1, metavar="N", help="run once more and then N times, with time")
    made.add_argument("--profile", action="store_true", help="print the cost of each step, as JSON")

    made = command("report", _report, "print where each op of a bundle runs, and why")
    made.add_argument("bundle")
    made.add_argument("--json", action="store_true", help="all of it, as JSON")

    command("targets", _targets, "list the chips: name, silicon, aliases")
    command("explain", _explain, "explain a constraint of the engine").add_argument("constraint", help="such as C16")
    made = command("tool", _tool, "run a tool with its own arguments")
    made.add_argument("name", choices=_files.TOOLS)
    made.add_argument("arguments", nargs=argparse.REMAINDER)
    return top


def _print(text: str) -> None:
    """Prints all of it, unless the reader goes away: it has seen what it wanted."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what Python still flushes at its end


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Exit code: 0; 1 after an error; 2 for a wrong command line; 128 and the signal's number after Ctrl-C and others that end
    a process, which leave no unfinished bundle either."""
    options = parser().parse_args(arguments)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    # Printed at the end, so that a reader that goes away early stops nothing.
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            options.action(options)
        _print(printed.getvalue())
    except (Error, OSError) as error:
        print(f"anemone: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
