"""What of a PyTorch module is trained, and how: each parameter beside PyTorch's own training, step by step. Runs where PyTorch is installed
(.venv-models)."""
import contextlib
import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")
import frontend  # noqa: F401  finds the package

import anemone
import torchmodules

nn, F = torch.nn, torch.nn.functional
BATCH = 6


def compiled(module, options=(), **more):
    return anemone.compile(module, options=[f"--kernel-cache={torchmodules.kernels()}", *options], **more)


class Sequence(nn.Module):
    """A class token that is expanded, a table of positions, norms spelled out, a frozen layer, a detached branch, scalars, tied weights."""

    def __init__(self, hides=True):
        super().__init__()
        self.hides = hides  # from what is under no_grad, of which files of ONNX say nothing
        self.embed = nn.Embedding(7, 8)
        self.token = nn.Parameter(torch.randn(1, 1, 8))
        self.register_buffer("positions", torch.randn(1, 5, 8))
        self.scale, self.temperature = nn.Parameter(torch.ones(8)), nn.Parameter(torch.tensor(0.3))
        self.first, self.second = nn.LayerNorm(8), nn.LayerNorm(8)
        self.frozen, self.side = nn.Linear(8, 8), nn.Linear(8, 8)
        self.frozen.requires_grad_(False)
        self.slope = nn.PReLU()
        self.head = nn.Linear(8, 7, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids):
        x = torch.cat([self.token.expand(ids.shape[0], -1, -1), self.embed(ids)], 1) + self.positions
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.scale
        with torch.no_grad() if self.hides else contextlib.nullcontext():
            quiet = self.side(x)
        x = x + self.frozen(self.first(x)) + 0.5 * self.second(x).detach() + quiet + self.side(x)
        return self.head(self.slope(F.relu6(x)))[:, 0] * self.temperature.exp()


class Tail(nn.Module):
    """Of a network, what `part` makes of its two results."""

    def __init__(self, network, take):
        super().__init__()
        self.network, self.take = network, take

    def forward(self, x):
        return self.take(self.network(x))


def convolutions(*norms):
    return nn.Sequential(nn.Conv2d(2, 8, 3, padding=1), norms[0], nn.ReLU6(), nn.ConvTranspose2d(8, 4, 2, stride=2), norms[1], nn.PReLU(4),
                         nn.Flatten(), nn.Linear(4 * 64, 7))


IMAGE, VECTOR, IDS, STEPS = (BATCH, 2, 4, 4), (BATCH, 8), "ids", (BATCH, 5, 3)
MODELS = {
    "sequence": (Sequence, IDS),
    "group and instance norms": (lambda: convolutions(nn.GroupNorm(2, 8), nn.InstanceNorm2d(4, affine=True)), IMAGE),
    "frozen batch norms": (lambda: convolutions(nn.BatchNorm2d(8).eval(), nn.BatchNorm2d(4).eval()), IMAGE),
    "batch norms": (lambda: convolutions(nn.BatchNorm2d(8), nn.BatchNorm2d(4, momentum=0.3)), IMAGE),
    "batch norm of vectors": (lambda: nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 7)), VECTOR),
    "weight norm": (lambda: nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(8, 8)), nn.Tanh(), nn.Linear(8, 7)), VECTOR),
    "clones": (lambda: nn.Sequential(*[nn.TransformerEncoderLayer(8, 2, 16, dropout=0, batch_first=True) for _ in range(1)], nn.Flatten(), nn.Linear(64, 7)), (BATCH, 8, 8)),
    "lstm": (lambda: Tail(nn.Sequential(nn.LSTM(3, 7, batch_first=True)), lambda made: made[0][:, -1]), STEPS),
    "gru": (lambda: Tail(nn.Sequential(nn.GRU(3, 7, batch_first=True, bidirectional=False)), lambda made: made[0][:, -1]), STEPS),
    "segmentation": (lambda: nn.Sequential(nn.Conv2d(2, 8, 3, padding=1), nn.SiLU(), nn.Conv2d(8, 7, 1)), IMAGE),
}


def made(kind, seed=0):
    torch.manual_seed(seed)
    build, shape = MODELS[kind]
    return build(), shape


def batches(shape, output, count=4):
    rng = np.random.default_rng(1)
    for _ in range(count):
        x = rng.integers(0, 7, (BATCH, 4)) if shape == IDS else rng.normal(size=shape).astype(np.float32)
        target = rng.integers(0, 7, (output.shape[0], *output.shape[2:]))
        target.flat[0] = -100
        yield x, target


def example(shape):
    return torch.zeros(BATCH, 4, dtype=torch.int64) if shape == IDS else torch.randn(shape)


def name_of(module):
    return "ids" if isinstance(module, Sequence) else "x" if isinstance(module, Tail) else "input"


@pytest.mark.parametrize("kind", MODELS)
def test_as_pytorch_trains(kind):
    module, shape = made(kind)
    x = example(shape)
    with torch.no_grad():
        output = module.eval()(x) if kind == "frozen batch norms" else module(x)
    module, _ = made(kind)  # running statistics as they begin
    bundle = compiled(module, example_inputs=x, training=True)
    wanted = {name: value for name, value in module.named_parameters() if value.requires_grad}
    optimizer = torch.optim.SGD(wanted.values(), lr=0.05)
    with bundle.trainer(device="cpu", optimizer="sgd", learning_rate=0.05) as trainer:
        statistics = {name for name, _ in module.named_buffers() if "running_" in name} if kind.startswith("batch") else set()
        idle = {"second.weight", "second.bias"} if kind == "sequence" else set()  # behind detach: PyTorch has no gradient for them
        assert {info.name for info in trainer.parameters} == (set(wanted) - idle) | statistics
        for x, target in batches(shape, output):
            step = trainer.step({name_of(module): x, "target": target})
            optimizer.zero_grad()
            loss = F.cross_entropy(module(torch.tensor(x)), torch.tensor(target))
            loss.backward()
            assert abs(step.loss - loss.item()) < 2e-5 * max(1, abs(loss.item()))
            largest = max(value.grad.abs().max().item() for value in wanted.values() if value.grad is not None)
            for name, found in trainer.gradients().items():
                gradient = wanted[name].grad.numpy()  # of a bias in front of a norm all of it is rounding
                np.testing.assert_allclose(found, gradient, rtol=0, atol=2e-5 * max(0.1 * largest, np.abs(gradient).max()), err_msg=name)
            optimizer.step()
        values = trainer.state_dict()
        for name, value in {**{name: value for name, value in wanted.items() if name not in idle}, **{name: value for name, value in module.named_buffers() if name in statistics}}.items():
            np.testing.assert_allclose(values[name], value.detach().numpy(), rtol=1e-4, atol=2e-5, err_msg=name)
        if statistics:
            x, target = next(batches(shape, output))
            found = trainer.evaluate({name_of(module): x, "target": target})
            with torch.no_grad():
                assert abs(found - F.cross_entropy(module.eval()(torch.tensor(x)), torch.tensor(target)).item()) < 1e-4


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_the_curve_of_batch_norms(device):
    """A network with batch statistics follows PyTorch within 1 %."""
    module, shape = made("batch norms")
    bundle = compiled(module, example_inputs=example(shape), training=True)
    optimizer = torch.optim.AdamW(module.parameters(), lr=3e-3, weight_decay=0)
    rng = np.random.default_rng(3)
    xs, labels = rng.normal(size=(8, *shape)).astype(np.float32), rng.integers(0, 7, (8, BATCH))
    with bundle.trainer(device=device, learning_rate=3e-3) as trainer:
        for i in range(60):
            found = trainer.step(input=xs[i % 8], target=labels[i % 8]).loss
            optimizer.zero_grad()
            loss = F.cross_entropy(module(torch.tensor(xs[i % 8])), torch.tensor(labels[i % 8]))
            loss.backward()
            optimizer.step()
            assert abs(found - loss.item()) <= 0.01 * max(loss.item(), 0.1), i
        assert loss.item() < 0.8  # it has learnt


LOSSES = {
    "weights": (("--class-weights=0.5,2,1,1,3,0,1",), lambda: nn.CrossEntropyLoss(weight=torch.tensor([0.5, 2, 1, 1, 3, 0, 1]))),
    "smoothing": (("--label-smoothing=0.2",), lambda: nn.CrossEntropyLoss(label_smoothing=0.2)),
    "both": (("--label-smoothing=0.1", "--class-weights=0.5,2,1,1,3,0.25,1", "--ignore-label=255"),
             lambda: nn.CrossEntropyLoss(weight=torch.tensor([0.5, 2, 1, 1, 3, 0.25, 1]), label_smoothing=0.1, ignore_index=255)),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_of_classes(loss):
    """And a step of three batches is the mean over all their targets, weights among them."""
    options, oracle = LOSSES[loss]
    module, shape = made("segmentation")
    bundle = compiled(module, example_inputs=example(shape), training=True, options=options)
    rng = np.random.default_rng(2)
    ignored = 255 if loss == "both" else -100
    x, target = rng.normal(size=(3, *shape)).astype(np.float32), rng.integers(0, 7, (3, BATCH, 4, 4))
    target[0].flat[:80] = ignored  # most of one, some of another, all of none
    target[1].flat[::3] = ignored
    wanted = oracle()(module(torch.tensor(x.reshape(-1, *shape[1:]))), torch.tensor(target.reshape(-1, 4, 4)))
    wanted.backward()
    with bundle.trainer(device="cpu", optimizer="sgd", learning_rate=0.1, accumulate=3) as trainer:
        for i in range(3):
            step = trainer.step(input=x[i], target=target[i])
        assert abs(step.loss - wanted.item()) < 2e-5
        for name, value in module.named_parameters():
            np.testing.assert_allclose(trainer.gradients()[name], value.grad.numpy(), rtol=0, atol=2e-5 * value.grad.abs().max().item())


def test_positive_weights():
    torch.manual_seed(0)
    module = nn.Linear(8, 3)
    weights = [0.5, 4.0, 1.5]
    bundle = compiled(module, example_inputs=torch.zeros(BATCH, 8), training="bce", options=[f"--positive-weights={','.join(map(str, weights))}"])
    rng = np.random.default_rng(5)
    x, target = rng.normal(size=(BATCH, 8)).astype(np.float32), rng.random((BATCH, 3)).astype(np.float32)
    loss = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(weights))(module(torch.tensor(x)), torch.tensor(target))
    loss.backward()
    with bundle.trainer(device="cpu") as trainer:
        assert abs(trainer.backward(input=x, target=target) - loss.item()) < 1e-5
        np.testing.assert_allclose(trainer.gradients()["weight"], module.weight.grad.numpy(), atol=1e-5)


@pytest.mark.parametrize("label", [7, 255, -1])
def test_labels_out_of_range(label):
    module, shape = made("segmentation")
    bundle = compiled(module, example_inputs=example(shape), training=True)
    target = np.zeros((BATCH, 4, 4), np.int64)
    target[2, 1, 3] = label
    with bundle.trainer(device="cpu") as trainer:
        for call in (trainer.step, trainer.evaluate):
            with pytest.raises(anemone.RunError, match=f"is {label}, expected a class, 0 to 6, or -100"):
                call(input=np.zeros(shape, np.float32), target=target)
        with pytest.raises(anemone.RunError, match="input 'target' is not given"):
            trainer.step(input=np.zeros(shape, np.float32))


class Own(nn.Module):
    """A loss of the model's own, whatever it is called."""

    def __init__(self, reduction):
        super().__init__()
        self.body, self.reduction = nn.Linear(8, 4), reduction

    def forward(self, x, label):
        return F.cross_entropy(self.body(x), label, reduction=self.reduction, ignore_index=2)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_own_losses(reduction):
    torch.manual_seed(0)
    module = Own(reduction)
    x, label = torch.randn(BATCH, 8), torch.randint(0, 4, (BATCH,))
    bundle = compiled(module, example_inputs=(x, label), training="model")
    module(x, label).backward()
    with bundle.trainer(device="cpu") as trainer:
        assert abs(trainer.backward(x=x.numpy(), label=label.numpy()) - module(x, label).item()) < 1e-5
        np.testing.assert_allclose(trainer.gradients()["body.weight"], module.body.weight.grad.numpy(), atol=1e-5)


def bare(module, x, path, **options):
    torch.onnx.export(module.eval(), (x,), str(path), verbose=False, **options)
    return path


EXPORTERS = {"default": dict(dynamo=True, external_data=False), "as it is": dict(dynamo=True, optimize=False, external_data=False), "older": dict(dynamo=False)}


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_bare_files(exporter, tmp_path):
    """Of a file that an exporter has folded: as many parameters of the same sizes as the module has, and gradients of the same values."""
    torch.manual_seed(0)
    module, shape = Sequence(hides=False), IDS
    for parameter in (module.temperature, module.side.weight, module.side.bias):  # what no file tells
        parameter.requires_grad_(False)
    options = []
    if exporter != "older":
        options = ["--freeze=temperature", "--freeze=side.*"] if exporter == "as it is" else ["--freeze=side.bias"]
    x = example(shape)
    path = bare(module, x, tmp_path / "m.onnx", **EXPORTERS[exporter])
    bundle = compiled(str(path), training=True, options=options)
    report = json.loads((bundle.path / "manifest.json").read_text())["training"]["parameters"]
    assert len({entry["name"] for entry in report}) == len(report)
    with bundle.trainer(device="cpu") as trainer:
        names = {info.name: info.shape for info in trainer.parameters}
        assert not any(name in names for name in ("positions", "val_13", "val_23")), names
        ids, target = next(batches(shape, torch.zeros(BATCH, 7)))
        trainer.backward({trainer.inputs[0].name: ids, "target": target})
        found = trainer.gradients()
        loss = F.cross_entropy(module(torch.tensor(ids)), torch.tensor(target))
        assert abs(trainer.loss - loss.item()) < 2e-5
    if exporter == "as it is":  # detach is there, and names
        loss.backward()
        for name in ("embed.weight", "token", "scale", "first.weight", "slope.weight"):
            own = "head.weight" if name == "embed.weight" else name
            np.testing.assert_allclose(found[own], dict(module.named_parameters())[name].grad.numpy(), atol=2e-5, err_msg=name)
    for size, least in (((7, 8), 1), ((1, 1, 8), 1), ((BATCH, 1, 8), 0), ((8, 7), 0)):
        assert sum(tuple(shape) == size for shape in names.values()) == least, (size, names)


BOUNDS = {"above": (lambda t: t.clamp(max=1), 0.5), "below": (lambda t: t.clamp(min=1), 0.5), "both": (lambda t: t.clamp(1, 2), 0.5),
          "a minimum": (lambda t: torch.minimum(t, torch.ones(4)), 0.25)}


class Clamped(nn.Module):
    def __init__(self, clamp):
        super().__init__()
        self.t, self.clamp = nn.Parameter(torch.ones(4)), clamp

    def forward(self, x):
        return x * self.clamp(self.t)


@pytest.mark.parametrize("kind", BOUNDS)
def test_gradients_at_bounds(kind):
    """As PyTorch: all of it at a bound of clamp, half of it where two tensors are equal."""
    clamp, wanted = BOUNDS[kind]
    module = Clamped(clamp)
    bundle = compiled(module, example_inputs=torch.ones(2, 4), training="mse")
    F.mse_loss(module(torch.ones(2, 4)), torch.zeros(2, 4)).backward()
    with bundle.trainer(device="cpu") as trainer:
        trainer.backward(x=np.ones((2, 4), np.float32), target=np.zeros((2, 4), np.float32))
        np.testing.assert_allclose(trainer.gradients()["t"], np.full(4, wanted), atol=1e-6)
        np.testing.assert_allclose(trainer.gradients()["t"], module.t.grad.numpy(), atol=1e-6)


class Padded(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.rows, self.head = nn.Embedding(7, 5, **options), nn.Linear(5, 3)

    def forward(self, x):
        return self.head(self.rows(x).mean(1) + self.rows(x)[:, 0])


def test_padding_of_embeddings():
    """Its row gets no gradient."""
    torch.manual_seed(0)
    module, ids = Padded(padding_idx=2), torch.tensor([[2, 1, 1], [2, 3, 4], [0, 2, 5], [6, 2, 0]])
    bundle = compiled(module, example_inputs=ids, training="mse")
    target = torch.randn(4, 3)
    F.mse_loss(module(ids), target).backward()
    with bundle.trainer(device="cpu") as trainer:
        trainer.backward(x=ids.numpy(), target=target.numpy())
        found = trainer.gradients()["rows.weight"]
    assert not found[2].any()
    np.testing.assert_allclose(found, module.rows.weight.grad.numpy(), atol=1e-6)


def test_embeddings_that_count_their_rows():
    with pytest.raises(anemone.CompileError, match="rows .Embedding. divides gradients"):
        compiled(Padded(scale_grad_by_freq=True), example_inputs=torch.zeros(4, 3, dtype=torch.int64), training="mse")
