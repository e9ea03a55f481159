"""Masks of attention as exporters write them: what is hidden has no weight, a row that is hidden as a whole has what the model gives it,
on the CPU and in programs, which run and are not replaced (but where a row of -inf makes NaN)."""
import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import anetest

BATCH, HEADS, LENGTH, WIDTH = 4, 2, 32, 16
FLOAT = TensorProto.FLOAT


def padding():
    """Of four texts one is whole, one padded on the right, one on the left, one all padding."""
    mask = np.ones((BATCH, LENGTH), np.int64)
    mask[1, 20:] = 0
    mask[2, :12] = 0
    mask[3] = 0
    return mask


CAUSAL = np.triu(np.ones((LENGTH, LENGTH), bool), 1)
LOWEST = float(np.finfo(np.float32).min)


class Graph:
    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, value, kind=np.float32):
        self.constants.append(numpy_helper.from_array(np.asarray(value, kind), f"c{len(self.constants)}"))
        return self.constants[-1].name

    def op(self, kind, *operands, **attributes):
        self.nodes.append(helper.make_node(kind, operands, [f"v{len(self.nodes)}"], **attributes))
        return self.nodes[-1].output[0]

    def pad_mask(self, hidden):
        """(1 - m) * hidden of the integers m, as BERT has it: [B, 1, 1, S]."""
        wide = self.op("Unsqueeze", "m", self.constant([1, 2], np.int64))
        return self.op("Mul", self.op("Sub", self.constant(1), self.op("Cast", wide, to=FLOAT)), self.constant(hidden))

    def attention(self, mask, guard=False, scores=None):
        scores = scores or self.op("Mul", self.op("MatMul", "q", "k"), self.constant(0.25))
        weights = self.op("Softmax", self.op("Add", scores, mask) if mask else scores, axis=-1)
        if guard:
            weights = self.op("Where", self.op("IsNaN", weights), self.constant(0), weights)
        return self.op("MatMul", weights, "v")

    def select(self, hidden):
        """Scores where m is not 0, `hidden` elsewhere."""
        wide = self.op("Cast", self.op("Unsqueeze", "m", self.constant([1, 2], np.int64)), to=TensorProto.BOOL)
        scores = self.op("Mul", self.op("MatMul", "q", "k"), self.constant(0.25))
        return self.op("Where", wide, scores, self.constant(hidden))


def bert(hidden):
    return lambda graph: graph.attention(graph.pad_mask(hidden))


def decoder(causal, hidden):
    return lambda graph: graph.attention(graph.op("Add", graph.constant(np.where(CAUSAL, causal, 0)), graph.pad_mask(hidden)))


def two_addends(graph):
    scores = graph.op("Mul", graph.op("MatMul", "q", "k"), graph.constant(0.25))
    return graph.attention(graph.pad_mask(LOWEST), scores=graph.op("Add", scores, graph.constant(np.where(CAUSAL, -1e9, 0))))


def minus_infinity(guard):
    def build(graph):
        wide = graph.op("Cast", graph.op("Unsqueeze", "m", graph.constant([1, 2], np.int64)), to=TensorProto.BOOL)
        return graph.attention(graph.op("Where", wide, graph.constant(0), graph.constant(-np.inf)), guard)
    return build


def clamped(hidden):
    """As OPT had it: a sum of two masks may be -inf, which the maximum undoes."""
    def build(graph):
        scores = graph.op("Mul", graph.op("MatMul", "q", "k"), graph.constant(0.25))
        masked = graph.op("Add", graph.op("Add", scores, graph.constant(np.where(CAUSAL, hidden, 0))), graph.pad_mask(hidden))
        return graph.attention(None, scores=graph.op("Max", masked, graph.constant(LOWEST)))
    return build


def scaled(kind, factor):
    def build(graph):
        masked = graph.op("Add", graph.op("MatMul", "q", "k"), graph.pad_mask(-10000.0))
        return graph.attention(None, scores=graph.op(kind, masked, graph.constant(factor)))
    return build


def alibi(graph):
    distance = np.arange(LENGTH)[None, :] - np.arange(LENGTH)[:, None]
    slopes = np.array([0.5, 64])[:, None, None]
    return graph.attention(graph.op("Add", graph.constant(np.where(CAUSAL, -np.inf, slopes * distance)), graph.pad_mask(-10000.0)))


CASES = {
    "bert -1e4": bert(-10000.0), "bert lowest": bert(LOWEST), "bert -1e9": bert(-1e9), "bert -100": bert(-100.0), "bert -65504": bert(-65504.0),
    "decoder lowest": decoder(LOWEST, LOWEST), "decoder -1e4 and lowest": decoder(LOWEST, -10000.0), "decoder -1e9": decoder(-1e9, -1e9),
    "decoder -inf and -1e4": decoder(-np.inf, -10000.0), "two addends": two_addends, "alibi": alibi,
    "clamped lowest": clamped(LOWEST), "clamped -65504": clamped(-65504.0), "clamped -1e4": clamped(-10000.0),
    "times": scaled("Mul", 0.25), "divided": scaled("Div", 4.0),
    "select lowest": lambda graph: graph.attention(None, scores=graph.select(LOWEST)),
    "select -1e4": lambda graph: graph.attention(None, scores=graph.select(-10000.0)),
    "select -inf": lambda graph: graph.attention(None, scores=graph.select(-np.inf)),
    "-inf": minus_infinity(False), "-inf with guard": minus_infinity(True),
    "float input": lambda graph: graph.attention("f"),
}


def made(build, tmp_path):
    graph = Graph()
    result = build(graph)
    kinds = {"q": (FLOAT, [BATCH, HEADS, LENGTH, WIDTH]), "k": (FLOAT, [BATCH, HEADS, WIDTH, LENGTH]), "v": (FLOAT, [BATCH, HEADS, LENGTH, WIDTH]),
             "m": (TensorProto.INT64, [BATCH, LENGTH]), "f": (FLOAT, [BATCH, 1, 1, LENGTH])}
    read = {name for node in graph.nodes for name in node.input}
    inputs = [helper.make_tensor_value_info(name, *kind) for name, kind in kinds.items() if name in read]
    graph.nodes.append(helper.make_node("Identity", [result], ["y"]))
    body = helper.make_graph(graph.nodes, "masks", inputs, [helper.make_tensor_value_info("y", FLOAT, [BATCH, HEADS, LENGTH, WIDTH])], graph.constants)
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    onnx.save(model, tmp_path / "m.onnx")
    anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.anebundle", "--quiet")
    rng = np.random.default_rng(7)
    feeds = {"q": 3 * rng.standard_normal((BATCH, HEADS, LENGTH, WIDTH)), "k": 2 * rng.standard_normal((BATCH, HEADS, WIDTH, LENGTH)),
             "v": rng.standard_normal((BATCH, HEADS, LENGTH, WIDTH))}
    feeds = {name: array.astype(np.float32) for name, array in feeds.items()}
    feeds["m"] = padding()
    feeds["f"] = np.where(padding() == 0, np.float32(-10000), np.float32(0))[:, None, None, :]
    return model, {name: array for name, array in feeds.items() if name in read}


def saved(feeds, folder):
    arguments = []
    for name, array in feeds.items():
        np.save(folder / f"{name}.npy", array)
        arguments += ["--input", f"{name}={folder}/{name}.npy"]
    return arguments


@pytest.mark.parametrize("case", CASES)
def test_values(case, tmp_path):
    model, feeds = made(CASES[case], tmp_path)
    want = anetest.reference(model, feeds)["y"]
    for device, limit in ("cpu", 1e-5), ("emulator", 1e-2):
        anetest.run("ane-run", tmp_path / "m.anebundle", f"--device={device}", *saved(feeds, tmp_path), "--output-dir", tmp_path / device)
        got = np.load(anetest.output_file(tmp_path / device, "y"))
        assert np.array_equal(np.isnan(got), np.isnan(want)), f"{case} on {device}: NaN elsewhere"
        error = np.nanmax(np.abs(got - want)) / np.nanmax(np.abs(want))
        assert error < limit, f"{case} on {device}: off by {error:.2e} of the largest"


@pytest.mark.parametrize("case", CASES)
def test_program_runs(case, tmp_path):
    """Attention is one program, and it is the device that computes it, as long as no row is NaN."""
    _, feeds = made(CASES[case], tmp_path)
    if "m" in feeds and "inf" in case:
        feeds["m"] = np.maximum(feeds["m"], [[0], [0], [0], [1]])
    done = anetest.run("ane-run", tmp_path / "m.anebundle", "--device=emulator", *saved(feeds, tmp_path), "--json", "--profile")
    report = json.loads(done.stdout)
    ran = [step for step in report["profile"] if step["kind"] == "program"]
    assert len(ran) == 1 and ran[0]["device"] == "emulator" and not report["events"], report
    assert report["profile"][-1] is ran[0], "the CPU computes on behind the program"
