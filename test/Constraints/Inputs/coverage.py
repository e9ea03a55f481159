"""Fails when a constraint lacks one of its tests, or tests have no constraint.

Reads lines "id slug scope enforcer symptom passes|remedy" from standard input. What a record needs in its folder ID-slug
depends on who enforces it:

  the compiler          legal.mlir, illegal.mlir; with a pass that makes it hold legalised.mlir
  the ops' verifier     the same, and illegal.mil, which the linter refuses
  the linter            illegal.mil
  a running emulator    nothing: runtime/test/lint/rules_test.cpp has the case
  nobody                explain.test, in which --explain says so, and why

needed.test shows that each test of a violation fails without the check, and each legalised.mlir without the passes.
"""
import pathlib
import sys

NEEDED = {"VerifyLegal": ["legal.mlir", "illegal.mlir"], "VerifyEmittable": ["legal.mlir", "illegal.mlir"],
          "OpVerifier": ["legal.mlir", "illegal.mlir", "illegal.mil"], "Linter": ["illegal.mil"], "Runtime": [],
          "Nobody": ["explain.test"]}

folder = pathlib.Path(sys.argv[1])
missing, known = [], set()
for line in sys.stdin:
    name, slug, _, enforcer, _, how = line.split()
    own = folder / f"{name}-{slug}"
    known.add(own.name)
    files = NEEDED[enforcer] + ["legalised.mlir"] * (how != "remedy")
    missing += [f"{own.name}/{file}" for file in files if not (own / file).exists()]
    explained = own / "explain.test"
    if enforcer == "Nobody" and explained.exists() and "checked:    by nobody: " not in explained.read_text():
        missing.append(f"{own.name}/explain.test: it does not say why nobody checks it")
stale = [path.name for path in folder.iterdir() if path.is_dir() and path.name[0] == "C" and path.name not in known]
if missing:
    print("constraints without a test:", *missing, sep="\n  ")
if stale:
    print("tests without a constraint:", *stale, sep="\n  ")
sys.exit(bool(missing or stale))
