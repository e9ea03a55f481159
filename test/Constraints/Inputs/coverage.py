"""Fails when a constraint has no tests, or tests have no constraint.

Reads lines "id slug scope enforcer symptom legalised|remedy" from standard input. What the compiler checks needs
legal.mlir and illegal.mlir, what a pass makes hold legalised.mlir as well. Records about accuracy are no errors, so that
they have no illegal.mlir. What the runtime and the bundle writer enforce is tested there.
"""
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
missing, known = [], set()
for line in sys.stdin:
    name, slug, _, enforcer, symptom, how = line.split()
    known.add(f"{name}-{slug}")
    if enforcer in ("Runtime", "BundleWriter"):
        continue
    files = ["legal.mlir"] if symptom == "Inaccurate" else ["legal.mlir", "illegal.mlir"]
    if how == "legalised":
        files.append("legalised.mlir")
    missing += [f"{name}-{slug}/{file}" for file in files if not (folder / f"{name}-{slug}" / file).exists()]
stale = [path.name for path in folder.iterdir() if path.is_dir() and path.name[0] == "C" and path.name not in known]
if missing:
    print("constraints without a test:", *missing, sep="\n  ")
if stale:
    print("tests without a constraint:", *stale, sep="\n  ")
sys.exit(bool(missing or stale))
