"""Compares a committed page with the page made from the records; says how to renew it."""
import difflib
import sys

committed, made = sys.argv[1:]
try:
    old = open(committed, encoding="utf-8").readlines()
except FileNotFoundError:
    old = []
new = open(made, encoding="utf-8").readlines()
difference = list(difflib.unified_diff(old, new, committed, "made from the records", n=1))
if difference:
    sys.stdout.writelines(difference[:40])
    sys.exit(f"{committed} is out of date: run `ninja ane-docs` in the build directory and commit the result")
