"""Runs the compiler, as a process: what it needs of memory is freed with it, and no fault of it ends the interpreter."""
from __future__ import annotations

import functools
import json
import signal
import subprocess
from dataclasses import dataclass
from typing import Callable, List, Optional, Sequence, Tuple

from . import _files
from .errors import CompileError, Diagnostic

Log = Callable[[str], None]
PATIENCE = 20  # seconds that an interrupted compiler has to clean up


@dataclass(frozen=True)
class Target:
    """A chip that models can be compiled for."""

    name: str
    """``"h16"``: what ``target=`` takes."""
    silicon: str
    aliases: Tuple[str, ...]
    """``"m4"``, ...: other names that ``target=`` takes."""


def ask(*arguments: str) -> str:
    """Standard output of the compiler for a question such as --list-targets."""
    done = subprocess.run([str(_files.tool("ane-compile")), *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors="replace")
    if done.returncode != 0:
        raise CompileError(_failure(done.returncode, [], (done.stderr or done.stdout).splitlines()))
    return done.stdout


def run_tool(name: str, arguments: Sequence[str]) -> int:
    """Runs one of the tools with this process's streams; returns its exit code."""
    process = subprocess.Popen([str(_files.tool(name)), *arguments])
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:  # the tool has got it, too, and cleans up
            continue


@functools.lru_cache(None)
def targets() -> Tuple[Target, ...]:
    """The chips that :func:`anemone.compile` knows."""
    rows = json.loads(ask("--list-targets", "--json"))["targets"]
    return tuple(Target(row["target"], row["silicon"], tuple(row["aliases"])) for row in rows)


def explain(constraint: str) -> str:
    """What is known about a constraint that a report names, such as ``"C16"``, with its evidence."""
    return ask(f"--explain={constraint}")


def run(models: Sequence[str], output: str, arguments: Sequence[str], log: Optional[Log]) -> List[Diagnostic]:
    """Compiles files to a bundle. Returns warnings and remarks; raises CompileError. An exception in this thread
    (KeyboardInterrupt, or one of `log`) ends the compiler, which removes what it has written."""
    command = [str(_files.tool("ane-compile")), *models, "-o", output, "--diagnostics=json", *arguments]
    if any("\0" in argument for argument in command):
        raise CompileError("an argument holds a NUL character")
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True, encoding="utf-8", errors="replace")
    diagnostics: List[Diagnostic] = []
    other: List[str] = []
    assert process.stderr is not None
    try:
        for line in process.stderr:
            _sort(line.rstrip("\n"), diagnostics, other, log)
        code = process.wait()
    except BaseException:
        _end(process)
        raise
    finally:
        process.stderr.close()
    if code != 0:
        raise CompileError(_failure(code, diagnostics, other), diagnostics)
    return diagnostics


def _sort(line: str, diagnostics: List[Diagnostic], other: List[str], log: Optional[Log]) -> None:
    try:
        message = json.loads(line)
        severity, text = message["severity"], message["message"]
    except (ValueError, KeyError, TypeError):
        other.append(line)  # of the command line's parser, or of a crash
        return
    if severity != "progress":
        diagnostics.append(Diagnostic(severity, text, message.get("node"), message.get("location"),
                                      tuple(message.get("notes", ()))))
    elif log:
        log(text)


def _failure(code: int, diagnostics: Sequence[Diagnostic], other: Sequence[str]) -> str:
    """One text with all errors."""
    errors = [str(d).removeprefix("error: ") for d in diagnostics if d.severity == "error"]
    if code < 0:
        errors.append(f"the compiler was ended by signal {-code} ({signal.strsignal(-code)})")
    if code < 0 or not errors:
        errors += list(other)[:20]
    if code == 127 and any("shared librar" in line for line in other):  # of the dynamic linker
        errors.append(_files.REMEDY)
    return "\n".join(errors) or f"the compiler failed with exit code {code}"


def _end(process: "subprocess.Popen[str]") -> None:
    """Stops the compiler, which cleans up."""
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
