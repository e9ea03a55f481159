"""Small models with the shapes of known ones, and PyTorch's gradients of a loss by every parameter.

    .venv-models/bin/python test/Python/gradientmodels.py NAME FOLDER

writes model.onnx, inputs.npz (with the `target` of the loss) and gradients.npz (zoo.gradients) into a folder. Sequences have 128 tokens. Of models of
RECTIFIED there are gradients "half.NAME", too, of a module whose weights, and what goes from layer to layer, are rounded to fp16. The loss is the mean
cross-entropy of the logits; seeds are fixed, and parameters are drawn anew as in zoo.py.
"""
import sys
from pathlib import Path

import numpy as np

import zoo


def gpt2():
    return zoo.gpt2(n_embd=64, n_head=4, n_positions=128, vocab_size=300, attn_pdrop=0, embd_pdrop=0, resid_pdrop=0)[0], tokens(128, 300)


def llama():
    return zoo.llama(vocab_size=300, hidden_size=64, intermediate_size=160, num_attention_heads=4, num_key_value_heads=2)[0], tokens(128, 300)


def qwen3():
    return zoo.qwen3(vocab_size=300, hidden_size=64, intermediate_size=160, num_attention_heads=4, num_key_value_heads=2, head_dim=32)[0], tokens(128, 300)


def bert():
    import torch
    from transformers import BertConfig, BertForSequenceClassification
    config = BertConfig(vocab_size=300, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, num_labels=5,
                        max_position_embeddings=128, hidden_dropout_prob=0, attention_probs_dropout_prob=0)
    mask = (torch.arange(128) < 100).long()[None]
    return BertForSequenceClassification(config), tokens(128, 300) | {"attention_mask": mask, "token_type_ids": (torch.arange(128) > 50).long()[None]}


def resnet18():
    from transformers import ResNetConfig, ResNetForImageClassification
    config = ResNetConfig(embedding_size=16, hidden_sizes=[16, 32, 64, 128], depths=[2, 2, 2, 2], layer_type="basic", num_labels=10)
    return ResNetForImageClassification(config), zoo.images(64)


def vit():
    from transformers import ViTConfig, ViTForImageClassification
    config = ViTConfig(hidden_size=48, num_hidden_layers=2, num_attention_heads=3, intermediate_size=96, image_size=32, patch_size=8, num_labels=10,
                       hidden_dropout_prob=0, attention_probs_dropout_prob=0)
    return ViTForImageClassification(config), zoo.images(32)


def tokens(length, vocabulary):
    return zoo.tokens(length, vocabulary)


MODELS = {"gpt2": gpt2, "llama": llama, "qwen3": qwen3, "bert": bert, "resnet18": resnet18, "vit": vit}


RECTIFIED = ["resnet18"]
HALF_SCALE = 32768  # of the loss, as on the emulator


def rounded_gradients(module, loss_of):
    """{"half.NAME"}; changes the module's weights."""
    import torch

    def rounded(_, __, result):
        return result.half().float()  # backwards, too

    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(parameter.half())
    for layer in module.modules():
        if not list(layer.children()):
            layer.register_forward_hook(rounded)
    module.zero_grad()
    (loss_of() * HALF_SCALE).backward()
    return {f"half.{name}": value.grad.numpy() / HALF_SCALE for name, value in module.named_parameters()}


def tied(module):
    """Pairs of names, in the file, of one parameter."""
    first = {}
    for name, value in module.named_parameters(remove_duplicate=False):
        if first.setdefault(id(value), name) != name:
            yield f"inner.{first[id(value)]}", f"inner.{name}"


def write(name, folder):
    import onnx
    import torch
    torch.manual_seed(7)
    module, inputs = MODELS[name]()
    zoo.redraw(module, 11)
    module.eval()

    class Picked(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = module

        def forward(self, *values):
            return self.inner(**dict(zip(inputs, values))).logits

    # Not optimised: every parameter keeps its name.
    torch.onnx.export(Picked(), tuple(inputs.values()), str(folder / "model.onnx"), input_names=list(inputs), output_names=["logits"],
                      dynamo=True, external_data=False, optimize=False)
    shape = module(**inputs).logits.shape
    target = torch.randint(0, shape[-1], shape[:-1], generator=torch.Generator().manual_seed(5))
    if target.dim() > 1:
        target[:, 3:5] = -100

    def loss_of():
        kind = next(module.parameters()).dtype
        logits = module(**{key: value.to(kind) if value.is_floating_point() else value for key, value in inputs.items()}).logits
        return torch.nn.functional.cross_entropy(logits.flatten(0, -2), target.flatten())

    gradients = zoo.gradients(module, loss_of)
    if name in RECTIFIED:
        gradients |= rounded_gradients(module, loss_of)
    gradients = {key.replace(".", ".inner.", 1): array for key, array in gradients.items()}
    # Tied parameters have one of their names in the file.
    kept = {tensor.name for tensor in onnx.load(folder / "model.onnx").graph.initializer}
    for first, other in tied(module):
        if first not in kept:
            for kind in ("grad", "double"):
                gradients[f"{kind}.{other}"] = gradients.pop(f"{kind}.{first}")
    assert all(key.split(".", 1)[1] in kept for key in gradients if key != "loss"), "parameters are missing in the file"
    np.savez(folder / "inputs.npz", target=target.numpy(), **{key: value.numpy() for key, value in inputs.items()})
    np.savez(folder / "gradients.npz", **gradients)


if __name__ == "__main__":
    write(sys.argv[1], Path(sys.argv[2]))
