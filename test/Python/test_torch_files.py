"""What is trained of a file that PyTorch's exporter wrote: the module's parameters and nothing else, step by step as PyTorch trains them. Runs where
PyTorch is installed (.venv-models)."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")
import frontend  # noqa: F401  finds the package

import anemone
import torchmodules

nn, F = torch.nn, torch.nn.functional
IMAGE, ROWS = (2, 3, 4, 4), (3, 5, 8)


def compiled(model, options=(), **more):
    return anemone.compile(model, options=[f"--kernel-cache={torchmodules.kernels()}", *options], training="mse", **more)


def exported(module, shape, path, **more):
    torch.onnx.export(module.eval(), (torch.zeros(shape),), str(path), **{"dynamo": True, "verbose": False, "external_data": False, **more})
    return str(path)


def compare(bundle, module, shape, steps=4, rate=0.1, loss=F.mse_loss):
    """Losses of a few steps beside PyTorch's. Returns the trained names."""
    torch.manual_seed(1)
    optimizer = torch.optim.SGD([value for value in module.parameters() if value.requires_grad], lr=rate)
    with bundle.trainer(device="cpu", optimizer="sgd", learning_rate=rate) as trainer:
        for _ in range(steps):
            x = torch.randn(shape)
            target = torch.randn(module(x).shape)
            found = trainer.step({trainer.inputs[0].name: x.numpy(), "target": target.numpy()}).loss
            optimizer.zero_grad()
            wanted = loss(module(x), target)
            wanted.backward()
            optimizer.step()
            assert abs(found - wanted.item()) < 2e-5 * max(1, wanted.item())
        return {info.name for info in trainer.parameters}


class Made(nn.Module):
    def __init__(self, forward, *layers, **parameters):
        super().__init__()
        self.layers, self.made = nn.ModuleList(layers), forward
        for name, value in parameters.items():
            setattr(self, name, nn.Parameter(value))

    def forward(self, x):
        return self.made(self, x)


def convolutions(norm):
    return nn.Sequential(nn.Conv2d(3, 4, 1), norm, nn.Conv2d(4, 2, 1))


def drawn(norm):
    for value in norm.parameters():
        nn.init.normal_(value)
    return norm


NORMS = {
    "groups": (lambda: convolutions(nn.GroupNorm(2, 4)), IMAGE),
    "one group": (lambda: convolutions(nn.GroupNorm(1, 4)), IMAGE),
    "as many groups as channels": (lambda: convolutions(nn.GroupNorm(4, 4)), IMAGE),
    "groups with drawn scales": (lambda: convolutions(drawn(nn.GroupNorm(2, 4))), IMAGE),
}


def trained_names(case, folder, **options):
    """Trains an export of the module beside it; (names of what was trained, the module's)."""
    torch.manual_seed(0)
    build, shape = case
    module = build()
    names = compare(compiled(exported(module, shape, folder / "m.onnx", **options)), module, shape)
    return names, {name for name, _ in module.named_parameters()}


@pytest.mark.parametrize("kind", NORMS)
def test_group_norms(kind, tmp_path):
    """Their InstanceNormalization has ones and zeros of the exporter's, which are no parameters."""
    names, wanted = trained_names(NORMS[kind], tmp_path)
    assert names == wanted


LITERALS = {
    "a scale beside 1": (lambda: Made(lambda m, x: m.layers[0](x) * (1 + m.layers[1](x)), nn.Linear(8, 8), nn.Linear(8, 8)), ROWS),
    "a number of the text": (lambda: Made(lambda m, x: 1.5 + m.layers[0](x), nn.Linear(8, 8)), ROWS),
    "a tensor of the text": (lambda: Made(lambda m, x: m.layers[0](x) + torch.tensor([0.0, -3.0] * 4), nn.Linear(8, 8)), ROWS),
    "a pad of zeros": (lambda: Made(lambda m, x: torch.cat([torch.zeros(3, 1, 8), m.layers[0](x)], 1), nn.Linear(8, 8)), ROWS),
    "layer norm": (lambda: nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8, elementwise_affine=False), nn.Linear(8, 3)), ROWS),
    "layer norms with a scale and without": (lambda: nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8, elementwise_affine=False), nn.LayerNorm(8)), ROWS),
    "instance norm": (lambda: convolutions(nn.InstanceNorm2d(4)), IMAGE),
    "group norm": (lambda: convolutions(nn.GroupNorm(2, 4, affine=False)), IMAGE),
}


@pytest.mark.parametrize("kind", LITERALS)
def test_literals(kind, tmp_path):
    names, wanted = trained_names(LITERALS[kind], tmp_path)
    assert len(names) == len(wanted), names


@pytest.mark.parametrize("kind", ["a scale beside 1", "a number of the text", "a pad of zeros"])
def test_literals_of_files_without_a_list(kind, tmp_path):
    names, wanted = trained_names(LITERALS[kind], tmp_path, dynamo=False)
    assert len(names) == len(wanted), names


def test_a_literal_that_is_asked_for(tmp_path):
    module = LITERALS["a number of the text"][0]()
    bundle = compiled(exported(module, ROWS, tmp_path / "m.onnx"), options=["--trainable=val_2"])
    with bundle.trainer(device="cpu") as trainer:
        assert "val_2" in {info.name for info in trainer.parameters}


def autoencoder():
    module = Made(lambda m, x: m.layers[1](F.relu(m.layers[0](x))), nn.Linear(8, 16), nn.Linear(16, 8))
    module.layers[1].weight.data = module.layers[0].weight.data.t().clone()
    return module


def identities():
    module = Made(lambda m, x: m.layers[1](torch.tanh(m.layers[0](x))), nn.Linear(8, 8, bias=False), nn.Linear(8, 8, bias=False))
    for layer in module.layers:
        nn.init.eye_(layer.weight)
    return module


def clones():
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    nn.init.normal_(layer.self_attn.out_proj.bias)  # exporters leave out zeros
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)


ALIKE = {"an autoencoder": (autoencoder, (4, 8)), "identities": (identities, (4, 8)), "clones": (clones, ROWS)}


@pytest.mark.parametrize("source", ["module", "file"])
@pytest.mark.parametrize("kind", ALIKE)
def test_equal_parameters_stay_apart(kind, source, tmp_path):
    """Also where one begins as the transpose of another, and where the exporter wrote one initializer."""
    torch.manual_seed(0)
    build, shape = ALIKE[kind]
    module = build()
    if source == "module":
        bundle = compiled(module, example_inputs=torch.zeros(shape))
    else:
        bundle = compiled(exported(module, shape, tmp_path / "m.onnx"))
    names = compare(bundle, module, shape)
    assert len(names) == len(list(module.parameters())), names


def test_tied_parameters_stay_one(tmp_path):
    torch.manual_seed(0)
    module = identities()
    module.layers[1].weight = module.layers[0].weight
    assert len(compare(compiled(exported(module, (4, 8), tmp_path / "m.onnx")), module, (4, 8))) == 1


def heated():
    return Made(lambda m, x: m.layers[0](x) * m.t.exp(), nn.Linear(8, 8), t=torch.tensor(0.7))


def test_a_parameter_that_the_exporter_has_folded(tmp_path):
    torch.manual_seed(0)
    path = exported(heated(), ROWS, tmp_path / "m.onnx")
    said = str(compiled(path).diagnostics)
    assert "no gradients of t: the file lists" in said and "not trained: exp" in said and "optimize=False" in said
    assert "no gradients" not in str(compiled(path, options=["--freeze=t"]).diagnostics)
    module = heated()
    assert "t" in compare(compiled(exported(module, ROWS, tmp_path / "n.onnx", optimize=False)), module, ROWS)


def test_a_bias_that_the_exporter_has_left_out(tmp_path):
    layer = nn.Linear(8, 4)
    nn.init.zeros_(layer.bias)
    assert "no gradients of bias: the file lists" in str(compiled(exported(layer, (3, 8), tmp_path / "m.onnx")).diagnostics)


def test_batch_norms_that_the_exporter_has_multiplied_in(tmp_path):
    """The convolutions are trained, and the norms' parameters are said to be gone."""
    module = nn.Sequential(nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4, affine=False), nn.ReLU(), nn.Conv2d(4, 4, 1, bias=False), nn.BatchNorm2d(4))
    bundle = compiled(exported(module, IMAGE, tmp_path / "m.onnx"))
    assert "no gradients of 4.bias, 4.weight: the file lists" in str(bundle.diagnostics)
    with bundle.trainer(device="cpu") as trainer:
        assert {"0.weight", "0.bias", "3.weight"} <= {info.name for info in trainer.parameters}


def test_batch_norms_that_are_not_there(tmp_path):
    path = exported(nn.Sequential(nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4)), IMAGE, tmp_path / "m.onnx")
    with pytest.raises(anemone.CompileError, match="--batch-norm=batch: the model has no batch norm.*optimize=False"):
        compiled(path, options=["--batch-norm=batch"])
    compiled(path, options=["--batch-norm=running"])
