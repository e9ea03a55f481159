"""Real models and models of real shape: what the tests of whole models compile.

Packaged ones lie in pip packages that the tests install (scripts/requirements.txt): a text detector and two more networks for
images, a voice detector, a language model. Exported ones come from transformers' configurations with fixed seeds. Initial values
of networks hide mistakes (a bias of 0, a scale of 1), so that every bias, norm scale and running statistic is drawn anew. PyTorch
and transformers live in an environment of their own (scripts/requirements-models.txt), which only the long tests have:

    .venv-models/bin/python test/Python/zoo.py [--list] [NAME...]

makes models and inputs in the cache ($ANE_ZOO, else ~/.cache/anemone/zoo), as NAME.onnx and NAME.npz.
"""
import argparse
import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
CACHE = Path(os.environ.get("ANE_ZOO", Path.home() / ".cache" / "anemone" / "zoo"))
VERSION = 1  # of what this file makes: another number makes all models again


def redraw(module, seed):
    """Draws every bias, norm scale and running statistic from a distribution that is neither 0 nor 1."""
    import torch
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
            if not tensor.is_floating_point():
                continue
            leaf = name.rsplit(".", 1)[-1]
            if leaf == "running_var":
                tensor.uniform_(0.5, 1.6, generator=generator)
            elif leaf in ("bias", "running_mean") or leaf.endswith("_bias"):
                tensor.normal_(0.02, 0.1, generator=generator)
            elif leaf == "weight" and tensor.dim() == 1:
                tensor.uniform_(0.7, 1.3, generator=generator)
            elif leaf == "layer_scale_parameter":
                tensor.uniform_(0.2, 0.6, generator=generator)


@contextlib.contextmanager
def in_double(module):
    """The module in double, also where transformers asks for float32 (norms, softmax, rotations)."""
    import torch
    kept = torch.float32, torch.float, torch.Tensor.float
    module.zero_grad()
    module.double()
    try:
        torch.float32 = torch.float = torch.float64
        torch.Tensor.float = torch.Tensor.double
        yield
    finally:
        torch.float32, torch.float, torch.Tensor.float = kept
        module.float()


def gradients(module, loss_of):
    """{"loss", "grad.NAME", "double.NAME"}: of loss_of(), a function that runs the module, by every parameter, in fp32 and in double."""
    loss = loss_of()
    loss.backward()
    named = [(name, value) for name, value in module.named_parameters() if value.grad is not None]
    found = {"loss": loss.detach().numpy()} | {f"grad.{name}": value.grad.numpy().copy() for name, value in named}
    with in_double(module):
        loss_of().backward()
        found |= {f"double.{name}": value.grad.numpy().copy() for name, value in named}
    assert all(found[f"double.{name}"].dtype == np.float64 for name, _ in named)
    return found


class Exported:
    """A model of transformers. make() -> (module, {input name: tensor}); `pick` takes the output of interest."""

    values = {}

    def __init__(self, make, pick, dynamo=True, opset=None):
        self.make, self.pick, self.dynamo, self.opset = make, pick, dynamo, opset

    def write(self, path, inputs_path):
        import torch
        torch.manual_seed(7)
        module, inputs = self.make()
        redraw(module, 11)
        pick = self.pick

        class Picked(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = module

            def forward(self, *values):
                return pick(self.inner(**dict(zip(inputs, values))))

        options = {"opset_version": self.opset} if self.opset else {}
        torch.onnx.export(Picked().eval(), tuple(inputs.values()), str(path), input_names=list(inputs), output_names=["y"],
                          dynamo=self.dynamo, external_data=False, **options)
        np.savez(inputs_path, **{name: tensor.numpy() for name, tensor in inputs.items()})


def page_of_text(width, height):
    """A rendered page: black text on white, as an image of values 0 to 255."""
    from PIL import Image, ImageDraw, ImageFont
    image = Image.new("RGB", (width, height), "white")
    draw, rng = ImageDraw.Draw(image), np.random.default_rng(5)
    words = "Pack my box with five dozen liquor jugs while the quick brown fox jumps over lazy dogs 0123456789".split()
    y = 18
    while y < height - 40:
        size = int(rng.integers(14, 34))
        line = " ".join(rng.choice(words) for _ in range(int(rng.integers(2, 6))))
        draw.text((int(rng.integers(10, 60)), y), line, fill=(20, 20, 30), font=ImageFont.load_default(size=size))
        y += size + int(rng.integers(12, 26))
    return np.asarray(image, np.float32)


class Packaged:
    """A model that needs no PyTorch: its file, or what it is made of, lies in a pip package."""

    values = {}  # inputs that are compiled in


class PageReader(Packaged):
    """A model inside the package rapidocr-onnxruntime, on a page of text."""

    def __init__(self, file, height, width, mean, deviation):
        self.file, self.height, self.width, self.mean, self.deviation = file, height, width, mean, deviation

    def write(self, path, inputs_path):
        shutil.copyfile(package("rapidocr_onnxruntime") / "models" / self.file, path)
        page = page_of_text(self.width, max(self.height, 64))[: self.height] / 255
        image = ((page - self.mean) / self.deviation).transpose(2, 0, 1)[None]
        np.savez(inputs_path, x=np.ascontiguousarray(image, np.float32))


class VoiceDetector(Packaged):
    """Silero's, on 36 ms of a vowel-like tone at 16 kHz; which half of the model runs depends on the sampling rate."""

    values = {"sr": 16000}

    def write(self, path, inputs_path):
        shutil.copyfile(package("silero_vad") / "data" / "silero_vad.onnx", path)
        time = np.arange(576) / 16000
        tone = sum(np.sin(2 * np.pi * 120 * k * time) / k for k in range(1, 12)) * 0.2
        rng = np.random.default_rng(9)
        state = rng.standard_normal((2, 1, 128)) * 0.3
        sound = tone + rng.standard_normal(len(time)) * 0.05  # a recording is never silent between its harmonics
        np.savez(inputs_path, input=sound[None].astype(np.float32), state=state.astype(np.float32), sr=np.array(16000, np.int64))


class LanguageModel(Packaged):
    """SmolLM2-135M on 16 tokens (smollm.py)."""

    def write(self, path, inputs_path):
        import smollm
        smollm.write(path, inputs_path)


def package(module):
    """Folder of an installed package, without importing it."""
    return Path(importlib.util.find_spec(module).submodule_search_locations[0])


def images(size=224, name="pixel_values"):
    import torch
    return {name: torch.randn(1, 3, size, size, generator=torch.Generator().manual_seed(3))}


def tokens(length, vocabulary, **more):
    import torch
    return {"input_ids": torch.randint(0, vocabulary, (1, length), generator=torch.Generator().manual_seed(3)), **more}


def resnet50():
    from transformers import ResNetConfig, ResNetForImageClassification
    return ResNetForImageClassification(ResNetConfig(num_labels=1000)), images()


def mobilenet_v2():
    from transformers import MobileNetV2Config, MobileNetV2ForImageClassification
    return MobileNetV2ForImageClassification(MobileNetV2Config(num_labels=1000)), images()


def convnext():
    from transformers import ConvNextConfig, ConvNextForImageClassification
    return ConvNextForImageClassification(ConvNextConfig(num_labels=1000)), images()


def vit():
    from transformers import ViTConfig, ViTForImageClassification
    return ViTForImageClassification(ViTConfig(num_labels=1000)), images()


def bert(**config):
    import torch
    from transformers import BertConfig, BertForSequenceClassification
    mask = (torch.arange(128) < 100).long()[None]
    return (BertForSequenceClassification(BertConfig(num_labels=1000, **config)),
            tokens(128, 30522, attention_mask=mask, token_type_ids=(torch.arange(128) > 50).long()[None]))


def whisper():
    import torch
    from transformers import WhisperConfig
    from transformers.models.whisper.modeling_whisper import WhisperEncoder
    config = WhisperConfig(d_model=384, encoder_layers=4, encoder_attention_heads=6, encoder_ffn_dim=1536)
    return WhisperEncoder(config), {"input_features": torch.randn(1, 80, 3000, generator=torch.Generator().manual_seed(3))}


def gpt2(**config):
    from transformers import GPT2Config, GPT2LMHeadModel
    return GPT2LMHeadModel(GPT2Config(n_layer=2, use_cache=False, **config)), tokens(64, 50257)


def llama(**config):
    from transformers import LlamaConfig, LlamaForCausalLM
    shape = dict(vocab_size=32000, hidden_size=1024, intermediate_size=2816, num_hidden_layers=2, num_attention_heads=16,
                 num_key_value_heads=4, max_position_embeddings=512, use_cache=False, pad_token_id=0)
    return LlamaForCausalLM(LlamaConfig(**(shape | config))), tokens(64, 32000)


def qwen3(**config):
    from transformers import Qwen3Config, Qwen3ForCausalLM
    shape = dict(vocab_size=1000, hidden_size=1024, intermediate_size=3072, num_hidden_layers=2, num_attention_heads=16,
                 num_key_value_heads=8, head_dim=128, max_position_embeddings=512, use_cache=False, tie_word_embeddings=True)
    return Qwen3ForCausalLM(Qwen3Config(**(shape | config))), tokens(64, 1000)


def clip_text():
    import torch
    from transformers import CLIPTextConfig, CLIPTextModel
    mask = (torch.arange(77) < 60).long()[None]
    return CLIPTextModel(CLIPTextConfig()), tokens(77, 49408, attention_mask=mask)


def ibert():
    from transformers import IBertConfig, IBertModel
    return (IBertModel(IBertConfig(vocab_size=1000, hidden_size=256, num_hidden_layers=2, num_attention_heads=4,
                                   intermediate_size=1024)), tokens(64, 1000))


def xlnet():
    from transformers import XLNetConfig, XLNetModel
    return XLNetModel(XLNetConfig(vocab_size=1000, d_model=256, n_layer=2, n_head=4, d_inner=1024)), tokens(64, 1000)


def logits(output):
    return output.logits


def hidden(output):
    return output.last_hidden_state


IMAGENET = (np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225]))
MODELS = {
    "ocr-detector": PageReader("ch_PP-OCRv4_det_infer.onnx", 640, 640, *IMAGENET),
    "ocr-classifier": PageReader("ch_ppocr_mobile_v2.0_cls_infer.onnx", 48, 192, 0.5, 0.5),
    "ocr-recognizer": PageReader("ch_PP-OCRv4_rec_infer.onnx", 48, 320, 0.5, 0.5),
    "voice-detector": VoiceDetector(),
    "smollm2": LanguageModel(),
    "resnet50": Exported(resnet50, logits),
    "mobilenet-v2": Exported(mobilenet_v2, logits),
    "convnext-tiny": Exported(convnext, logits),
    "vit-base": Exported(vit, logits),
    "bert-base": Exported(bert, logits),
    "whisper-tiny-encoder": Exported(whisper, hidden),
    "gpt2": Exported(gpt2, logits),
    "llama": Exported(llama, logits),
    "qwen3": Exported(qwen3, logits),
    "clip-text": Exported(clip_text, hidden),
    # The other exporter, the other implementation of attention, another opset.
    "resnet50-legacy": Exported(resnet50, logits, dynamo=False, opset=13),
    "vit-legacy": Exported(vit, logits, dynamo=False, opset=17),
    "bert-legacy": Exported(lambda: bert(num_hidden_layers=2, attn_implementation="eager"), logits, dynamo=False, opset=14),
    "gpt2-eager": Exported(lambda: gpt2(attn_implementation="eager"), logits),
    "llama-attention": Exported(llama, logits, opset=23),
}

# What test_phases.py compiles beside those: architectures with a lot that goes to the CPU.
DIVIDED = {
    "ibert": Exported(ibert, hidden),
    "xlnet": Exported(xlnet, hidden),
}


def python():
    """The interpreter with PyTorch and transformers; None when it is not there."""
    path = Path(os.environ.get("ANE_MODELS_PYTHON", ROOT / ".venv-models" / "bin" / "python"))
    return path if path.exists() else None


def maker_of(name):
    return (MODELS | DIVIDED)[name]


def paths(name):
    return CACHE / f"{name}.v{VERSION}.onnx", CACHE / f"{name}.v{VERSION}.npz"


def ensure(name):
    """(path of the ONNX file, inputs), made if need be; None when that is impossible here."""
    model, inputs = paths(name)
    if not inputs.exists():
        maker = sys.executable if isinstance(maker_of(name), Packaged) else python()
        if not maker:
            return None
        subprocess.run([maker, __file__, name], check=True, stdin=subprocess.DEVNULL)
    with np.load(inputs) as arrays:
        return model, {key: arrays[key] for key in arrays.files}


def given(name, inputs):
    """The inputs that are given at run time: not those that are compiled in."""
    return {key: array for key, array in inputs.items() if key not in maker_of(name).values}


def options(name, inputs):
    """Arguments of ane-compile: shapes of the inputs, and values of those that are compiled in."""
    shapes = [("--shape", f"{key}={'x'.join(map(str, array.shape))}") for key, array in given(name, inputs).items()]
    values = [("--value", f"{key}={value}") for key, value in maker_of(name).values.items()]
    return [word for pair in shapes + values for word in pair]


def write(name):
    CACHE.mkdir(parents=True, exist_ok=True)
    model, inputs = paths(name)
    partial = model.with_suffix(f".{os.getpid()}.partial"), CACHE / f"{name}.{os.getpid()}.partial.npz"
    maker_of(name).write(*partial)
    for source, target in zip(partial, (model, inputs)):
        source.replace(target)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print the names and end")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    if options.list:
        print(*MODELS, sep="\n")
        return
    for name in options.names or MODELS:
        if not paths(name)[1].exists():
            print(f"== {name}", flush=True)
            write(name)


if __name__ == "__main__":
    sys.exit(main())
