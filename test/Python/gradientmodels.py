"""Small models with the shapes of known ones, and PyTorch's gradients of a loss by every parameter.

    .venv-models/bin/python test/Python/gradientmodels.py NAME FOLDER

writes model.onnx, inputs.npz (with the `target` of the loss) and gradients.npz (with the `loss`) into a folder. The loss is the mean
cross-entropy of the logits; seeds are fixed, and parameters are drawn anew as in zoo.py.
"""
import sys
from pathlib import Path

import numpy as np

import zoo


def gpt2():
    return zoo.gpt2(n_embd=64, n_head=4, n_positions=64, vocab_size=300, attn_pdrop=0, embd_pdrop=0, resid_pdrop=0)[0], tokens(32, 300)


def llama():
    return zoo.llama(vocab_size=300, hidden_size=64, intermediate_size=160, num_attention_heads=4, num_key_value_heads=2)[0], tokens(32, 300)


def qwen3():
    return zoo.qwen3(vocab_size=300, hidden_size=64, intermediate_size=160, num_attention_heads=4, num_key_value_heads=2, head_dim=32)[0], tokens(32, 300)


def bert():
    import torch
    from transformers import BertConfig, BertForSequenceClassification
    config = BertConfig(vocab_size=300, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, num_labels=5,
                        max_position_embeddings=64, hidden_dropout_prob=0, attention_probs_dropout_prob=0)
    mask = (torch.arange(32) < 25).long()[None]
    return BertForSequenceClassification(config), tokens(32, 300) | {"attention_mask": mask, "token_type_ids": (torch.arange(32) > 12).long()[None]}


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
    logits = module(**inputs).logits
    target = torch.randint(0, logits.shape[-1], logits.shape[:-1], generator=torch.Generator().manual_seed(5))
    if target.dim() > 1:
        target[:, 3:5] = -100
    loss = torch.nn.functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), target.reshape(-1))
    loss.backward()
    # Tied parameters have one of their names in the file.
    kept = {tensor.name for tensor in onnx.load(folder / "model.onnx").graph.initializer}
    named = [(f"inner.{key}", value) for key, value in module.named_parameters(remove_duplicate=False) if value.grad is not None]
    gradients = {name: value.grad.numpy() for name, value in named if name in kept}
    assert len(gradients) == len({id(value) for _, value in named}), "parameters are missing in the file"
    np.savez(folder / "inputs.npz", target=target.numpy(), **{key: value.numpy() for key, value in inputs.items()})
    np.savez(folder / "gradients.npz", loss=loss.detach().numpy(), **gradients)


if __name__ == "__main__":
    write(sys.argv[1], Path(sys.argv[2]))
