"""ONNX's own test models, compiled and run on both devices: each passes, or is refused as docs/generated/onnx-node-tests.md
says."""
import collections

import pytest

pytest.importorskip("onnx.backend.test")
import onnxnodes
import onnxtable


def families():
    made = collections.defaultdict(list)
    for name, case in onnxnodes.cases().items():
        made[onnxnodes.family(case)].append(name)
    return made


def check(names):
    listed = onnxtable.committed()
    wrong = []
    for name in names:
        got, want = onnxtable.outcome(name), onnxtable.expected(name, listed)
        if got != want:
            wrong.append(f"{name}: {got}, the page says {want}")
    assert not wrong, "\n".join(wrong) + "\nrun test/Python/onnxtable.py and look at what changed"


def sample(names):
    """Of each op one case that passes, and one model of those with many nodes."""
    listed = onnxtable.committed()
    return next((name for name in names if name not in listed), names[0])


@pytest.mark.parametrize("family", sorted(families()))
def test_sample(family):
    check([sample(families()[family])])


@pytest.mark.slow
@pytest.mark.parametrize("family", sorted(families()))
def test_all(family):
    check(families()[family])


def test_share():
    """At least 95 % of what is in scope passes, and the page lists nothing that is not a case."""
    listed, cases = onnxtable.committed(), onnxnodes.cases()
    assert not set(listed) - set(cases)
    inside = [name for name, case in cases.items() if not onnxnodes.out_of_scope(case)]
    passing = [name for name in inside if listed.get(name, ("Passing", ""))[0].startswith("Passing")]
    assert len(passing) >= 0.95 * len(inside), f"{len(passing)} of {len(inside)}"
    assert not [name for name, (_, why) in listed.items() if "FAILS" in why]
