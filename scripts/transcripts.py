#!/usr/bin/env python3
"""Writes what commands print into the pages that show it, so that no transcript is made by hand.

An indented block that follows a line `<!-- printed by: COMMAND -->` is the end of what COMMAND prints, from the first line
that begins with the block's first word on. Needs a finished build.

  scripts/transcripts.py            runs the commands and writes the blocks
  scripts/transcripts.py --check    compares; exit code 1 when words or shapes of a block differ. Times, sizes and other
                                    figures vary with the machine and are not compared
"""
import argparse
import difflib
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MARK = re.compile(r"(?P<mark><!-- printed by: (?P<command>.*?) -->\n\n)(?P<block>(?:(?:    .*)?\n)+)")
INDENT = "    "


def printed(command, first):
    """Lines that a command prints, from the first one that begins with `first` on."""
    done = subprocess.run(command, shell=True, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env=dict(os.environ, COLUMNS="120"))
    if done.returncode:
        raise SystemExit(f"transcripts.py: '{command}' ended with {done.returncode}\n{done.stdout}{done.stderr}")
    lines = done.stdout.rstrip().splitlines()
    start = next((i for i, line in enumerate(lines) if line.split()[:1] == [first]), None)
    if start is None:
        raise SystemExit(f"transcripts.py: '{command}' prints no line that begins with '{first}'\n{done.stdout}")
    return lines[start:]


def figures_masked(line):
    """A line without what varies between machines: numbers, their units, and the width of columns."""
    return re.sub(r"\s+", " ", re.sub(r"-?\d[\d,]*(\.\d+)?(e[+-]?\d+)?( [KMGT]?B\b)?", "N", line)).strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare only")
    check, stale = parser.parse_args().check, []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = page.read_text()

        def again(match):
            block = match["block"].rstrip("\n").splitlines()
            lines = [f"{INDENT}{line}".rstrip() for line in printed(match["command"], block[0].split()[0])]
            if [figures_masked(line) for line in lines] != [figures_masked(line) for line in block]:
                changes = difflib.unified_diff(block, lines, "shown", "printed", lineterm="", n=0)
                stale.append(f"{page.name}: '{match['command']}' prints something else\n" + "\n".join(changes))
            return match["mark"] + "\n".join(lines) + "\n\n"

        new = MARK.sub(again, text)
        if not check and new != text:
            page.write_text(new)
    if check and stale:
        print("\n\n".join(stale))
        print("transcripts are stale: run scripts/transcripts.py and commit the result")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
