"""LSTM, GRU and RNN in all forms, against ONNX Runtime."""
import time

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import anetest
import onnxcheck

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
STATES = {"RNN": 1, "GRU": 1, "LSTM": 2}


def layer(op, direction="forward", steps=4, batch=2, inputs=3, hidden=5, bias=True, initial=False, lengths=None,
          peephole=False, layout=0, opset=17, constant=True, scale=0.5, **attributes):
    """A model of one layer, and its inputs."""
    random = np.random.default_rng(abs(hash((op, direction, steps))) % 1000)
    gates, directions = GATES[op], 2 if direction == "bidirectional" else 1

    def draw(*shape):
        return (random.standard_normal(shape) * scale).astype(np.float32)

    values = {"x": draw(*([batch, steps, inputs] if layout else [steps, batch, inputs])),
              "w": draw(directions, gates * hidden, inputs), "r": draw(directions, gates * hidden, hidden)}
    if bias:
        values["b"] = draw(directions, 2 * gates * hidden)
    if lengths is not None:
        values["lengths"] = np.array(lengths, np.int32)
    for name in ["h", "c"][:STATES[op]] if initial else []:
        values[name] = draw(*([batch, directions, hidden] if layout else [directions, batch, hidden]))
    if peephole:
        values["p"] = draw(directions, 3 * hidden)
    names = [name if name in values else "" for name in ["x", "w", "r", "b", "lengths", "h", "c", "p"]]
    while not names[-1]:
        names.pop()
    if layout:
        attributes["layout"] = 1
    outputs = ["y", "y_h", "y_c"][:1 + STATES[op]]
    node = helper.make_node(op, names, outputs, name="layer", direction=direction, hidden_size=hidden, **attributes)
    given = [name for name in values if name == "x" or not constant or name in ("h", "c")]
    info = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(values[name].dtype), values[name].shape)
            for name in given]
    graph = helper.make_graph([node], "g", info, [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in outputs],
                              [numpy_helper.from_array(value, name) for name, value in values.items() if name not in given])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    return model, {name: values[name] for name in given}


DIRECTIONS = ["forward", "reverse", "bidirectional"]


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_directions(op, direction, tmp_path):
    onnxcheck.check(*layer(op, direction, initial=True), tmp_path)


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_lengths(op, direction, tmp_path):
    onnxcheck.check(*layer(op, direction, lengths=[2, 4], initial=True), tmp_path)


@pytest.mark.parametrize("op", GATES)
def test_lengths_at_run_time(op, tmp_path):
    onnxcheck.check(*layer(op, "bidirectional", lengths=[3, 1], constant=False), tmp_path)


@pytest.mark.parametrize("op", GATES)
def test_weights_at_run_time(op, tmp_path):
    onnxcheck.check(*layer(op, constant=False, bias=False), tmp_path)


@pytest.mark.parametrize("op", GATES)
def test_clip(op, tmp_path):
    onnxcheck.check(*layer(op, clip=0.2), tmp_path)


@pytest.mark.parametrize("op,names,alpha,beta", [
    ("RNN", ["Relu", "Affine"], [0.5], [0.1]),
    ("RNN", ["LeakyRelu", "Elu"], [0.3, 0.7], []),
    ("GRU", ["HardSigmoid", "Softsign", "Sigmoid", "ScaledTanh"], [0.3, 1.5], [0.4, 0.8]),
    ("LSTM", ["HardSigmoid", "Tanh", "Softplus", "Sigmoid", "ThresholdedRelu", "Relu"], [0.3, 0.2], [0.4])])
def test_activations(op, names, alpha, beta, tmp_path):
    options = {"activation_alpha": alpha, "activation_beta": beta}
    model, inputs = layer(op, "bidirectional", activations=names, **{k: v for k, v in options.items() if v})
    onnxcheck.check(model, inputs, tmp_path)


@pytest.mark.parametrize("name", ["Affine", "ScaledTanh"])
def test_activation_without_defaults(name, tmp_path):
    model, _ = layer("RNN", activations=[name], activation_alpha=[0.5])
    onnxcheck.refused(model, tmp_path, f"activation '{name}' needs an entry of 'activation_alpha'")


def test_peepholes(tmp_path):
    onnxcheck.check(*layer("LSTM", "bidirectional", peephole=True), tmp_path)


def test_coupled_gates(tmp_path):
    onnxcheck.check(*layer("LSTM", input_forget=1), tmp_path)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_linear_before_reset(direction, tmp_path):
    onnxcheck.check(*layer("GRU", direction, linear_before_reset=1), tmp_path)


@pytest.mark.parametrize("op", GATES)
def test_batch_first(op, tmp_path):
    """ONNX Runtime has no such layout: the same layer with the steps first is the reference."""
    model, inputs = layer(op, "bidirectional", initial=True, layout=1)
    turned = {name: value.swapaxes(0, 1).copy() for name, value in inputs.items()}
    reference, _ = layer(op, "bidirectional", initial=True)
    del reference.graph.initializer[:]
    reference.graph.initializer.extend(model.graph.initializer)
    want = list(anetest.reference(reference, turned).values())
    want = [want[0].transpose(2, 0, 1, 3)] + [value.swapaxes(0, 1) for value in want[1:]]
    onnxcheck.check(model, inputs, tmp_path, want=want)


def test_errors(tmp_path):
    model, _ = layer("LSTM", activations=["Tanh", "Cosh", "Tanh"])
    onnxcheck.refused(model, tmp_path, "node 'layer' (LSTM): activation 'Cosh' is not supported")
    model, _ = layer("GRU", activations=["Tanh"])
    onnxcheck.refused(model, tmp_path, "attribute 'activations' has 1 entries, needs 2")


@pytest.mark.parametrize("op", GATES)
def test_many_steps(op, tmp_path):
    """A layer that MIL can say is a loop: neither the code nor its compile time grows with the steps."""
    model, inputs = layer(op, "bidirectional", steps=1000, hidden=16, scale=0.2)
    start = time.monotonic()
    onnxcheck.check(model, inputs, tmp_path)
    assert time.monotonic() - start < 30


def test_too_many_steps_to_unroll(tmp_path):
    model, _ = layer("LSTM", steps=5000, clip=1.0)
    onnxcheck.refused(model, tmp_path, "node 'layer' (LSTM)", "5000 steps", "1024")
