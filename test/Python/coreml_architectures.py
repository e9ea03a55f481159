"""Small networks of known architectures, with random weights, for packages of coremltools (coreml_models.py): BLOCKS, ENCODERS,
DECODERS and VISION {name: () -> (module, inputs)}. Those of transformers come from configurations.
"""
import torch
from torch import nn

import zoo

IMAGE = (1, 3, 32, 32)


class Output(nn.Module):
    """One tensor of what a model of transformers gives."""

    def __init__(self, model, pick, names=("input_ids", "attention_mask")):
        super().__init__()
        self.model, self.pick, self.names = model, pick, names

    def forward(self, *inputs):
        return getattr(self.model(**dict(zip(self.names, inputs)), return_dict=True), self.pick)


class Residual(nn.Module):
    def __init__(self, inner, after=None):
        super().__init__()
        self.inner, self.after = inner, after or nn.Identity()

    def forward(self, x):
        return self.after(x + self.inner(x))


class Channels(nn.Module):
    """A layer that has channels last, where they are second."""

    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return self.layers(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


def norm_conv(inputs, outputs, kernel=3, act=nn.ReLU, **options):
    layers = [nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=False, **options), nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, act()) if act else nn.Sequential(*layers)


class Squeeze(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(width, 8, 1), nn.SiLU(), nn.Conv2d(8, width, 1), nn.Sigmoid())

    def forward(self, x):
        return x * self.gate(x)


def mobilenet():
    block = nn.Sequential(norm_conv(16, 64, 1, nn.ReLU6), norm_conv(64, 64, 3, nn.ReLU6, groups=64), norm_conv(64, 16, 1, None))
    return nn.Sequential(norm_conv(3, 16, 3, nn.ReLU6, stride=2), Residual(block), norm_conv(16, 24), nn.AdaptiveAvgPool2d(1),
                         nn.Flatten(), nn.Linear(24, 10))


def mobilenet_v3():
    block = nn.Sequential(norm_conv(16, 48, 1, nn.Hardswish), norm_conv(48, 48, 5, nn.Hardswish, groups=48), Squeeze(48), norm_conv(48, 16, 1, None))
    return nn.Sequential(norm_conv(3, 16, 3, nn.Hardswish, stride=2), Residual(block), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))


def resnet():
    block = nn.Sequential(norm_conv(16, 16), norm_conv(16, 16, act=None))
    return nn.Sequential(norm_conv(3, 16, 7, stride=2), nn.MaxPool2d(3, 2, 1), Residual(block, nn.ReLU()), nn.AdaptiveAvgPool2d(1),
                         nn.Flatten(), nn.Linear(16, 10))


class Dense(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(norm_conv(3 + 8 * i, 8) for i in range(3))

    def forward(self, x):
        for layer in self.layers:
            x = torch.cat([x, layer(x)], 1)
        return x


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.down, self.deep = norm_conv(3, 8), norm_conv(8, 16, stride=2), norm_conv(16, 16)
        self.up, self.last, self.head = nn.ConvTranspose2d(16, 8, 2, stride=2), norm_conv(16, 8), nn.Conv2d(8, 4, 1)

    def forward(self, x):
        first = self.first(x)
        up = self.up(self.deep(self.down(first)))
        return self.head(self.last(torch.cat([first, up], 1))).softmax(1)


def convnext_block():
    return Residual(nn.Sequential(nn.Conv2d(12, 12, 7, padding=3, groups=12), Channels(nn.LayerNorm(12), nn.Linear(12, 48), nn.GELU(),
                    nn.Linear(48, 12))))


def upscaler():
    return nn.Sequential(nn.Conv2d(3, 16, 5, padding=2), nn.Tanh(), nn.Conv2d(16, 12, 3, padding=1), nn.PixelShuffle(2), nn.Sigmoid())


class Patches(nn.Module):
    """A vision transformer."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 32, 8, stride=8)
        self.token, self.places = nn.Parameter(torch.randn(1, 1, 32)), nn.Parameter(torch.randn(1, 17, 32))
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(32, 4, 64, activation="gelu", batch_first=True, norm_first=True) for _ in range(2))
        self.head = nn.Linear(32, 10)

    def forward(self, x):
        x = torch.cat([self.token, self.patches(x).flatten(2).transpose(1, 2)], 1) + self.places
        for layer in self.layers:
            x = layer(x)
        return self.head(x[:, 0])


class Speech(nn.Module):
    """Convolutions and an LSTM over what they give."""

    def __init__(self):
        super().__init__()
        self.features, self.lstm, self.head = nn.Conv1d(1, 12, 16, stride=8), nn.LSTM(12, 16, batch_first=True), nn.Linear(16, 5)

    def forward(self, x):
        return self.head(self.lstm(torch.relu(self.features(x)).transpose(1, 2))[0]).log_softmax(-1)


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16))
        self.channels = nn.Sequential(nn.LayerNorm(24), nn.Linear(24, 48), nn.GELU(), nn.Linear(48, 24))
        self.patches, self.norm = nn.Conv2d(3, 24, 8, stride=8), nn.LayerNorm(24)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = x + self.tokens(self.norm(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(x)


def image_net(make):
    def made():
        module = make()
        zoo.redraw(module, 11)
        return module, (torch.randn(IMAGE),)
    return made


def language(model, config, pick="last_hidden_state", length=12, mask=None, **shape):
    """A language model of transformers, two layers of width 32. `mask`: "causal" is what is added to scores, "padded" hides the last tokens."""
    def made():
        import transformers

        sizes = dict(vocab_size=97, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, max_position_embeddings=64)
        settings = getattr(transformers, config)(**(sizes | shape))
        settings.use_cache = False
        module = getattr(transformers, model)(settings).eval()
        zoo.redraw(module, 11)
        inputs = [torch.randint(3, 97, (1, length))]
        if mask == "causal":
            inputs.append(torch.full((1, 1, length, length), -1e4).triu(1))
        elif mask == "padded":
            inputs.append(torch.zeros(1, 1, length, length).index_fill(3, torch.arange(length - 3, length), -1e4))
        return Output(module, pick), tuple(inputs)
    return made


def vision(model, config, pick="logits", size=32, input_name="pixel_values", shape=None, **settings):
    """A model of transformers for images or sound."""
    def made():
        import transformers

        module = getattr(transformers, model)(getattr(transformers, config)(**settings)).eval()
        zoo.redraw(module, 11)
        return Output(module, pick, (input_name,)), (torch.randn(shape or (1, 3, size, size)),)
    return made


LLAMA = dict(num_key_value_heads=2, pad_token_id=0)
SMALL = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48)
BLOCKS = {
    "mobilenet_block": image_net(mobilenet),
    "mobilenet_v3_block": image_net(mobilenet_v3),
    "resnet_block": image_net(resnet),
    "dense_block": image_net(Dense),
    "unet": image_net(UNet),
    "convnext_block": lambda: (convnext_block(), (torch.randn(1, 12, 16, 16),)),
    "upscaler": image_net(upscaler),
    "vit_block": image_net(Patches),
    "mixer": image_net(Mixer),
    "speech": lambda: (Speech(), (torch.randn(1, 1, 400),)),
    "transformer": lambda: (nn.Transformer(32, 4, 1, 1, 64, batch_first=True), (torch.randn(1, 7, 32), torch.randn(1, 5, 32))),
}
ENCODERS = {
    "bert": language("BertModel", "BertConfig"),
    "bert_masked": language("BertModel", "BertConfig", mask="padded"),
    "bert_classifier": language("BertForSequenceClassification", "BertConfig", "logits", num_labels=5),
    "roberta": language("RobertaModel", "RobertaConfig", pad_token_id=1),
    "distilbert": language("DistilBertModel", "DistilBertConfig", dim=32, hidden_dim=48, n_layers=2, n_heads=4),
    "electra": language("ElectraModel", "ElectraConfig", embedding_size=16),
    "albert": language("AlbertModel", "AlbertConfig", embedding_size=16),
    "mpnet": language("MPNetModel", "MPNetConfig"),
    "deberta": language("DebertaV2Model", "DebertaV2Config", position_buckets=16, relative_attention=True, pos_att_type=["p2c", "c2p"]),
    "t5_encoder": language("T5EncoderModel", "T5Config", d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4),
}
DECODERS = {
    "gpt2": language("GPT2LMHeadModel", "GPT2Config", "logits", mask="causal", n_embd=32, n_layer=2, n_head=4, n_positions=64),
    "gpt_neox": language("GPTNeoXForCausalLM", "GPTNeoXConfig", "logits", mask="causal"),
    "llama": language("LlamaForCausalLM", "LlamaConfig", "logits", mask="causal", **LLAMA),
    "mistral": language("MistralForCausalLM", "MistralConfig", "logits", mask="causal", sliding_window=6, **LLAMA),
    "qwen2": language("Qwen2ForCausalLM", "Qwen2Config", "logits", mask="causal", **LLAMA),
    "qwen3": language("Qwen3ForCausalLM", "Qwen3Config", "logits", mask="causal", head_dim=8, **LLAMA),
    "gemma": language("GemmaForCausalLM", "GemmaConfig", "logits", mask="causal", head_dim=8, **LLAMA),
    "phi": language("PhiForCausalLM", "PhiConfig", "logits", mask="causal", **LLAMA),
    "olmo": language("OlmoForCausalLM", "OlmoConfig", "logits", mask="causal", **LLAMA),
    "smollm3": language("SmolLM3ForCausalLM", "SmolLM3Config", "logits", mask="causal", **LLAMA),
}
VISION = {
    "vit": vision("ViTForImageClassification", "ViTConfig", image_size=32, patch_size=8, **SMALL),
    "deit": vision("DeiTForImageClassification", "DeiTConfig", image_size=32, patch_size=8, **SMALL),
    "dinov2": vision("Dinov2ForImageClassification", "Dinov2Config", image_size=32, patch_size=8, **SMALL),
    "clip_vision": vision("CLIPVisionModel", "CLIPVisionConfig", "last_hidden_state", image_size=32, patch_size=8, **SMALL),
    "siglip_vision": vision("SiglipVisionModel", "SiglipVisionConfig", "last_hidden_state", image_size=32, patch_size=8, **SMALL),
    "swin": vision("SwinForImageClassification", "SwinConfig", image_size=32, patch_size=2, embed_dim=16, depths=[2, 2], num_heads=[2, 4],
                   window_size=4),
    "segformer": vision("SegformerForSemanticSegmentation", "SegformerConfig", size=64, depths=[1, 1, 1, 1], hidden_sizes=[8, 16, 24, 32],
                        num_attention_heads=[1, 2, 3, 4], decoder_hidden_size=16),
    "mobilevit": vision("MobileViTForImageClassification", "MobileViTConfig", size=64, image_size=64, hidden_sizes=[16, 24, 32],
                        neck_hidden_sizes=[8, 8, 16, 16, 24, 32, 40]),
    "resnet": vision("ResNetForImageClassification", "ResNetConfig", embedding_size=8, hidden_sizes=[16, 32], depths=[1, 2], layer_type="basic"),
    "convnext": vision("ConvNextForImageClassification", "ConvNextConfig", size=64, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1]),
    "convnextv2": vision("ConvNextV2ForImageClassification", "ConvNextV2Config", size=64, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1]),
    "mobilenet_v1": vision("MobileNetV1ForImageClassification", "MobileNetV1Config", depth_multiplier=0.25),
    "mobilenet_v2": vision("MobileNetV2ForImageClassification", "MobileNetV2Config", size=64, depth_multiplier=0.35),
    "regnet": vision("RegNetForImageClassification", "RegNetConfig", embedding_size=8, hidden_sizes=[16, 32], depths=[1, 1], groups_width=8),
    "efficientnet": vision("EfficientNetForImageClassification", "EfficientNetConfig", size=64, width_coefficient=0.25,
                           depth_coefficient=0.2, hidden_dim=320),
    "levit": vision("LevitForImageClassification", "LevitConfig", size=64, image_size=64, hidden_sizes=[16, 24, 32], num_attention_heads=[2, 3, 4],
                    depths=[1, 1, 1], key_dim=[8, 8, 8]),
    "poolformer": vision("PoolFormerForImageClassification", "PoolFormerConfig", size=64, depths=[1, 1, 1, 1], hidden_sizes=[8, 16, 24, 32]),
    "focalnet": vision("FocalNetForImageClassification", "FocalNetConfig", image_size=32, patch_size=4, embed_dim=16, depths=[1, 1],
                       hidden_sizes=[16, 32],
                       focal_levels=[2, 2], focal_windows=[3, 3]),
    "whisper_encoder": vision("WhisperForAudioClassification", "WhisperConfig", input_name="input_features", shape=(1, 16, 64),
                              num_mel_bins=16, d_model=32,
                              encoder_layers=2, encoder_attention_heads=4, encoder_ffn_dim=48, max_source_positions=32, vocab_size=97, pad_token_id=0,
                              bos_token_id=0, eos_token_id=0, decoder_start_token_id=0),
    "wav2vec2": vision("Wav2Vec2ForCTC", "Wav2Vec2Config", input_name="input_values", shape=(1, 800), vocab_size=32, conv_dim=(16, 16),
                       conv_stride=(5, 4),
                       conv_kernel=(10, 8), num_feat_extract_layers=2, num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4, **SMALL),
}
