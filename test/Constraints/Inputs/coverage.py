"""Fails when a constraint has no tests, or tests have no constraint.

Reads lines "id slug scope enforcer symptom legalised|remedy" from standard input. What the compiler checks, as an error or as
advice, needs legal.mlir and illegal.mlir in a folder ID-slug, what a pass makes hold legalised.mlir as well. A record that
others enforce (the runtime, the bundle writer, the driver, nobody) needs some test that names it: a file in its folder,
or a mention of its id in the tests elsewhere.
"""
import pathlib
import re
import sys

folder = pathlib.Path(sys.argv[1])
root = folder.parent.parent
compiler = ("VerifyLegal", "VerifyEmittable", "OpVerifier")
suffixes = {".cpp", ".mlir", ".mil", ".py", ".test", ".txt"}
mentioned = set()
for tests in (root / "test", root / "runtime" / "test"):
    for path in tests.rglob("*"):
        if path.suffix in suffixes and path.parent.parent != folder:
            mentioned |= set(re.findall(r"\bC\d\d+\b", path.read_text(errors="replace")))

missing, known = [], set()
for line in sys.stdin:
    name, slug, scope, enforcer, _, how = line.split()
    own = folder / f"{name}-{slug}"
    known.add(own.name)
    files = []
    if enforcer in compiler and scope != "Runtime":
        files = ["legal.mlir", "illegal.mlir"]
    elif not name in mentioned and not any(own.glob("*")):
        missing.append(f"{own.name}: no test names it")
    if how == "legalised":
        files.append("legalised.mlir")
    missing += [f"{own.name}/{file}" for file in files if not (own / file).exists()]
stale = [path.name for path in folder.iterdir() if path.is_dir() and path.name[0] == "C" and path.name not in known]
if missing:
    print("constraints without a test:", *missing, sep="\n  ")
if stale:
    print("tests without a constraint:", *stale, sep="\n  ")
sys.exit(bool(missing or stale))
