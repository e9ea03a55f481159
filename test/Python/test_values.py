"""Random graphs with values that hurt (valuefuzz.py): on both devices what ONNX Runtime or the ONNX reference gives, folded and not."""
import re

import numpy as np
import pytest

pytest.importorskip("onnx.backend.test")
import anetest
import valuefuzz
import valuegraph
import valueoracle
import valueops
import valuerun

GRAPHS, BATCHES = 30, 10


@pytest.mark.parametrize("index", range(BATCHES))
def test_graphs(index):
    variants, opset = valuefuzz.batch(32, index, GRAPHS)
    found = [f for f in valuerun.Runner(valuerun.DEVICES["both"], seed=index).check(variants, opset) if f.kind not in ("refused", "coarse", "announced")]
    assert not found, "\n".join(f"{f.kind} on {f.device}, {f.variant.prefix}{f.output}: {f.text}\n{valuerun.described(f.variant, opset)}" for f in found)


def test_every_op_is_drawn():
    """An op that the importer gets must get a maker."""
    text = "".join(path.read_text() for path in (anetest.ROOT / "lib/Import/ONNX/Ops").glob("*.cpp"))
    registered = {(domain, op) for domain, op in re.findall(r'onOp\("([\w.]*)", "(\w+)"', text)}
    assert len(registered) >= 200 and not registered - set(valueops.MAKERS)


@pytest.mark.slow
def test_every_maker_makes():
    """No maker gives up on every graph."""
    for (domain, op), makers in valueops.MAKERS.items():
        assert any(op in valuegraph.graph([7, i], opset, [makers]).ops for opset in valuegraph.OPSETS for i in range(12)), f"{domain}:{op}"


def one_op(op, x, **attributes):
    """A graph of one op on an input."""
    graph = valuegraph.Graph(np.random.default_rng(0), 20)
    graph.emit(op, [graph.leaf(np.asarray(x))], **attributes)
    graph.finish()
    return graph


def judged(graph, change, device="cpu"):
    """The kind that compare says of the expected value after a change."""
    name = graph.outputs[0]
    with np.errstate(all="ignore"):
        got = np.asarray(change(graph.values[name].array.copy()))
    found = valueoracle.compare(graph, name, got, device, 0)
    return found and found[0]


def test_the_judge():
    """What is right, and what is wrong in each kind."""
    x = np.linspace(-3, 3, 33, dtype=np.float32)
    floor, sine, angles = one_op("Floor", x), one_op("Sin", x), one_op("Sin", (np.arange(33) * 99.7).astype(np.float32))
    assert judged(floor, lambda y: y) is None and judged(floor, lambda y: y + np.eye(33, dtype=np.float32)[3]) == "wrong"
    assert judged(sine, lambda y: y * np.float32(1 + 1e-7)) is None and judged(sine, lambda y: y + np.float32(1e-4)) == "wrong"
    assert judged(sine, lambda y: np.where(x > 2, np.nan, y).astype(np.float32)) == "wrong"
    assert judged(sine, lambda y: y * np.float32(1.004), "emulator") is None
    assert judged(sine, lambda y: y * np.float32(1.2), "emulator") == "wrong"
    assert judged(angles, lambda y: np.sin((np.arange(33) * 99.7).astype(np.float16)).astype(np.float32), "emulator") == "coarse"
    assert judged(one_op("Cast", np.arange(5.0, dtype=np.float32), to=7), lambda y: y + 1) == "wrong"
