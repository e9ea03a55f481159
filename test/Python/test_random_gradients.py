"""Gradients of random graphs over all ops that have any, against PyTorch's autograd in double (randomgradients.py)."""
import pytest

import gradientcases
import randomgradients
import zoo


def check(first, count):
    if not zoo.python():
        pytest.skip("there is no environment with PyTorch")
    reports = randomgradients.compare(first, count)
    assert not reports, "\n\n".join(reports)


def test_graphs():
    check(0, 50)


@pytest.mark.slow
def test_many_graphs():
    check(50, 1500)


def test_what_is_wrong_is_found_and_reduced(monkeypatch):
    """A rule that is off by a thousandth, among others."""
    if not zoo.python():
        pytest.skip("there is no environment with PyTorch")
    wrong = next(case for case in gradientcases.CASES if case.name == "sin")
    nodes = [randomgradients.Node(case, {name: 0 if number else None for name in case.inputs})
             for number, case in enumerate([wrong, *[case for case in gradientcases.CASES if case.name in ("cos", "mish", "softmax_axis1")]])]
    monkeypatch.setattr(wrong, "torch", "torch.sin(x) * 1.001")
    each = randomgradients.Graph("g", nodes)
    assert "x_0 is off" in randomgradients.failures([each])["g"]
    assert [node.case.name for node in randomgradients.reduced(each).nodes] == ["sin"]


def test_every_op_is_drawn():
    drawn = set()
    for seed in range(1500):
        for node in randomgradients.graph(seed).nodes:
            drawn.add(node.case.name)
    left = {case.op for case in gradientcases.CASES} - {case.op for case in gradientcases.CASES if case.name in drawn}
    assert left <= {"cast"}, left
