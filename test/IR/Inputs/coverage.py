"""Every op of the dialect stands in a round-trip test and, if it has anything to refuse, in an -errors test.

usage: coverage.py TEST_DIR < ops.md      (ops.md: mlir-tblgen -gen-dialect-doc)
"""
import re
import sys
from pathlib import Path

# Ops without a rule of their own: their types and the shared rules are tested on other ops of the family.
NOTHING_TO_REFUSE = set("""
abs acos asin atan atanh ceil cos cosh erf exp2 floor identity inverse log neg reciprocal round rsqrt sign sin sinh sqrt
square tan tanh threshold floor_div logical_or logical_xor maximum minimum mod mul not_equal greater greater_equal less
less_equal pow real_div sub clamped_relu hard_swish leaky_relu linear_activation mish relu6 scaled_tanh sigmoid sigmoid_hard
silu softplus softsign thresholded_relu reduce_l1_norm reduce_l2_norm reduce_log_sum reduce_log_sum_exp reduce_prod
reduce_sum_square shape acosh asinh bitwise_not bitwise_or bitwise_xor shift_left shift_right
""".split())

folder = Path(sys.argv[1])
ops = re.findall(r"^#+ `ane\.(\w+)`", sys.stdin.read(), re.MULTILINE)
accepted, refused = set(), set()
for path in folder.glob("*.mlir"):
    text = path.read_text()
    found = set(re.findall(r"ane\.(\w+)", "\n".join(l for l in text.splitlines() if not l.lstrip().startswith("//"))))
    if path.stem.endswith("-errors"):
        refused |= found
    elif "--verify-roundtrip" in text:
        accepted |= found
problems = [f"ane.{op} is in no round-trip test" for op in ops if op not in accepted]
problems += [f"ane.{op} is in no -errors test" for op in ops if op not in refused | NOTHING_TO_REFUSE]
problems += [f"ane.{op} has an -errors test, but is listed as having nothing to refuse" for op in NOTHING_TO_REFUSE & refused]
problems += [f"ane.{op} is no op" for op in NOTHING_TO_REFUSE - set(ops)]
if len(ops) < 120:
    problems.append(f"only {len(ops)} ops were found")
print("\n".join(problems))
raise SystemExit(bool(problems))
