"""anemone.compile(training=...) and anemone.Trainer, against closed forms and, where there is PyTorch, against its autograd and optimisers."""
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import frontend  # finds the package

import anemone

ROWS, INPUTS, OUTPUTS = 6, 5, 3


@pytest.fixture(scope="module")
def bundle():
    """y = x w + b under mse, w and b random."""
    rng = np.random.default_rng(1)
    w, b = rng.normal(size=(INPUTS, OUTPUTS)).astype(np.float32), rng.normal(size=OUTPUTS).astype(np.float32)
    graph = helper.make_graph([helper.make_node("Gemm", ["x", "w", "b"], ["y"])], "linear",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", INPUTS])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", OUTPUTS])],
                              [numpy_helper.from_array(w, "w"), numpy_helper.from_array(b, "b")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    onnx.checker.check_model(model)
    return anemone.compile(model, dims={"rows": ROWS}, training="mse"), w, b


def batch(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(ROWS, INPUTS)).astype(np.float32), rng.normal(size=(ROWS, OUTPUTS)).astype(np.float32)


def closed_form(x, target, w, b):
    """Loss and gradients, in double."""
    error = x.astype(np.float64) @ w + b - target
    slope = 2 * error / error.size
    return (error ** 2).mean(), {"w": x.T.astype(np.float64) @ slope, "b": slope.sum(0)}


def test_gradients_and_sgd(bundle):
    made, w, b = bundle
    with made.trainer(device="cpu", optimizer="sgd", learning_rate=0.1) as trainer:
        assert [info.name for info in trainer.inputs] == ["x", "target"] and [info.name for info in trainer.parameters] == ["b", "w"]
        w, b = w.astype(np.float64), b.astype(np.float64)
        for number in range(1, 4):
            x, target = batch(number)
            loss, gradients = closed_form(x, target, w, b)
            step = trainer.step(x=x, target=target)
            assert step.step == number and step.ended and step.skipped is None and abs(step.loss - loss) < 1e-6 * loss
            assert trainer.loss == step.loss
            for name, array in trainer.gradients().items():
                np.testing.assert_allclose(array, gradients[name], rtol=1e-5, atol=1e-6)
            assert abs(step.norm - np.sqrt(sum((g ** 2).sum() for g in gradients.values()))) < 1e-5 * step.norm
            w, b = w - 0.1 * gradients["w"], b - 0.1 * gradients["b"]
            np.testing.assert_allclose(trainer.state_dict()["w"], w, rtol=1e-5, atol=1e-6)
        x, target = batch(9)
        assert abs(trainer.evaluate(x=x, target=target) - closed_form(x, target, w, b)[0]) < 1e-5
        assert trainer.counters()["updates"] == 3


def test_micro_batches_are_averaged(bundle):
    made, w, b = bundle
    with made.trainer(device="cpu", accumulate=2) as trainer:
        parts = [closed_form(*batch(seed), w, b)[1]["w"] for seed in (1, 2)]
        first = trainer.step(dict(zip(("x", "target"), batch(1))))
        assert not first.ended
        assert trainer.step(dict(zip(("x", "target"), batch(2)))).ended
        np.testing.assert_allclose(trainer.gradients()["w"], (parts[0] + parts[1]) / 2, rtol=1e-5, atol=1e-6)


def test_frozen_and_written(bundle):
    made, w, b = bundle
    with made.trainer(device="cpu", frozen=["b"]) as trainer:
        assert trainer.frozen == ("b",)
        trainer.load_state_dict({"b": np.zeros(OUTPUTS, np.float32)})
        trainer.step(dict(zip(("x", "target"), batch(1))))
        assert (trainer.state_dict()["b"] == 0).all() and (trainer.state_dict()["w"] != w).any()
        assert set(trainer.gradients()) == {"w"}


def test_a_run_goes_on(bundle, tmp_path):
    """Saved, loaded by another trainer: the same bits as without."""
    made = bundle[0]
    with made.trainer(device="cpu") as one, made.trainer(device="cpu") as other:
        for seed in range(2):
            one.step(dict(zip(("x", "target"), batch(seed))))
        one.save(tmp_path / "run")
        other.load(tmp_path / "run")
        for trainer in (one, other):
            trainer.step(dict(zip(("x", "target"), batch(7))))
        for name, array in one.state_dict().items():
            assert array.tobytes() == other.state_dict()[name].tobytes()


def test_emulator(bundle):
    """fp16 with a loss scale."""
    made, w, b = bundle
    with made.trainer(device="emulator") as trainer:
        x, target = batch(3)
        loss, gradients = closed_form(x, target, w, b)
        # 32768 times these gradients is more than fp16 holds: such steps are skipped, and the scale halved.
        steps = [trainer.step(x=x, target=target)]
        while steps[-1].skipped:
            assert len(steps) < 8 and (trainer.state_dict()["w"] == w).all()
            steps.append(trainer.step(x=x, target=target))
        assert len(steps) > 1 and steps[-1].loss_scale == steps[0].loss_scale / 2 ** (len(steps) - 1)
        assert abs(steps[-1].loss - loss) < 1e-2 * loss
        for name, array in trainer.gradients().items():
            np.testing.assert_allclose(array, gradients[name], rtol=1e-2, atol=1e-2 * np.abs(gradients[name]).max())


@pytest.mark.parametrize("call, says", [
    (lambda t: t.step(z=np.zeros(3)), "there is no input 'z'"),
    (lambda t: t.step(x=np.zeros((2, 2), np.float32)), "has shape (2, 2), expected (6, 5)"),
    (lambda t: t.load_state_dict({"v": np.zeros(1)}), "there is no parameter 'v'; parameters are b, w"),
    (lambda t: t.gradients(), "gradient"),
    (lambda t: t.load("/nonexistent"), "nonexistent"),
])
def test_errors(bundle, call, says):
    with bundle[0].trainer(device="cpu") as trainer:
        with pytest.raises(anemone.RunError) as error:
            call(trainer)
        assert says in str(error.value), error.value


def test_wrong_options(bundle):
    for options, says in (({"optimizer": "adagrad"}, "adagrad"), ({"frozen": ["zzz"]}, "zzz"), ({"betas": (1,)}, "betas")):
        with pytest.raises(anemone.RunError) as error:
            bundle[0].trainer(device="cpu", **options)
        assert says in str(error.value), error.value
    with pytest.raises(anemone.RunError):
        bundle[0].load()(x=np.zeros((ROWS, INPUTS), np.float32))  # the bundle has no such function
    trainer = bundle[0].trainer(device="cpu")
    trainer.close()
    with pytest.raises(anemone.RunError, match="closed"):
        trainer.state_dict()


@pytest.mark.skipif("torch" not in sys.modules and not __import__("importlib").util.find_spec("torch"), reason="PyTorch is not installed")
def test_torch_module():
    """Loss, gradients and weights of a module beside its own training, by its own names."""
    import torch
    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Conv2d(2, 4, 3, stride=2, padding=1), torch.nn.SiLU(), torch.nn.Flatten(), torch.nn.Linear(64, 16),
                                 torch.nn.GELU(), torch.nn.LayerNorm(16), torch.nn.Linear(16, 5))
    made = anemone.compile(module, example_inputs=torch.zeros(3, 2, 8, 8), training=True)
    parameters = dict(module.named_parameters())
    optimizer = torch.optim.AdamW(module.parameters(), lr=1e-2, weight_decay=0)
    rng = np.random.default_rng(2)
    with made.trainer(device="cpu", learning_rate=1e-2) as trainer:
        assert {info.name for info in trainer.parameters} == set(parameters)
        for _ in range(5):
            x, target = rng.normal(size=(3, 2, 8, 8)).astype(np.float32), rng.integers(0, 5, 3)
            step = trainer.step(input=x, target=target)
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(module(torch.tensor(x)), torch.tensor(target))
            loss.backward()
            optimizer.step()
            assert abs(step.loss - loss.item()) < 1e-5
            for name, array in trainer.gradients().items():
                np.testing.assert_allclose(array, parameters[name].grad.numpy(), rtol=1e-4, atol=1e-6)
        for name, array in trainer.state_dict().items():
            np.testing.assert_allclose(array, parameters[name].detach().numpy(), rtol=1e-4, atol=1e-4)
