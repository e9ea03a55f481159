"""Packages of other forms than one function of fixed arrays: FORMS {name: makes the package in a folder} (coreml_models.py).

case.json tells what is special: `functions` {name: [its inputs]}, `steps` of a program with states, whose arrays have a number before
their names, and `states`.
"""
import tempfile

import numpy as np
import torch
from torch import nn

import coreml_models
import zoo


def network():
    torch.manual_seed(3)
    module = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 4, 3, stride=2))
    zoo.redraw(module, 5)
    return module.eval()


def write(folder, module, x, given, target, precision="FLOAT32", arguments=(), **options):
    """`x` is what the package takes and `given` what the module does: an image before and after its scale and bias."""
    example = torch.zeros(given.shape)
    model = coreml_models.converted(module, (example,), "trace", precision, target, **options)
    description = model.get_spec().description
    types = coreml_models.arrays_of(description.input)
    arrays, rounded = coreml_models.rounded([x], types)
    outputs = coreml_models.results(module, rounded if x is given else [given], coreml_models.arrays_of(description.output))
    coreml_models.save(folder, model, arrays, outputs, precision=precision, target=target, route="trace", arguments=list(arguments))


def ranged(folder, precision, *dims):
    """A shape within the range of a flexible one."""
    import coremltools as ct

    shape = ct.Shape((1, 3, ct.RangeDim(8, 64, 16), ct.RangeDim(8, 64, 16)))
    x = torch.randn(1, 3, *dims)
    module = network()
    write(folder, module, x, x, "iOS16", precision, ["--shape=x=" + "x".join(map(str, x.shape))], inputs=[ct.TensorType("x", shape)])


def enumerated(folder):
    import coremltools as ct

    shapes = ct.EnumeratedShapes([(1, 3, 16, 16), (1, 3, 24, 16), (1, 3, 32, 32)], default=(1, 3, 16, 16))
    x = torch.randn(1, 3, 24, 16)
    write(folder, network(), x, x, "iOS17", arguments=["--shape=x=1x3x24x16"], inputs=[ct.TensorType("x", shapes)])


def image(folder, layout, target="iOS16", **options):
    """An image's numbers are whole, 0 to 255; scale and bias are in the program."""
    import coremltools as ct

    gray = layout.startswith("GRAY")
    module = nn.Sequential(nn.Conv2d(1, 3, 1), *network()).eval() if gray else network()
    x = torch.randint(0, 256, (1, 1 if gray else 3, 16, 20)).float()
    scale, bias = 1 / 127.5, [-1.0] if gray else [-1.0, -0.5, -0.25]
    kind = ct.ImageType("image", x.shape, scale=scale, bias=bias[0] if gray else bias, color_layout=getattr(ct.colorlayout, layout))
    write(folder, module, x, x * scale + torch.tensor(bias)[None, :, None, None], target, inputs=[kind], **options)


def named(folder):
    """Types and names of inputs and outputs that the user chose."""
    import coremltools as ct

    x = torch.randn(1, 3, 16, 16)
    write(folder, network(), x, x, "iOS17", "FLOAT16", inputs=[ct.TensorType("the_input", x.shape, dtype=np.float16)],
          outputs=[ct.TensorType("the_output", dtype=np.float32)])


def classifier(folder):
    """The probabilities of classes; their labels are Core ML's business."""
    import coremltools as ct

    torch.manual_seed(3)
    module = nn.Sequential(network(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Softmax(-1)).eval()
    x = torch.randn(1, 3, 16, 16)
    model = coreml_models.converted(module, (x,), "trace", "FLOAT32", "iOS15", inputs=[ct.TensorType("x", x.shape)],
                                    classifier_config=ct.ClassifierConfig(["cat", "dog", "bird", "fish"]))
    (operation,) = [op for block in model.get_spec().mlProgram.functions["main"].block_specializations.values()
                    for op in block.operations if op.type == "classify"]
    name = operation.inputs["probabilities"].arguments[0].name
    coreml_models.save(folder, model, {"x": x.numpy()}, coreml_models.results(module, [x], [name]), precision="FLOAT32", target="iOS15",
                       route="trace", arguments=[])


def functions(folder):
    """Two functions, which share weights."""
    import coremltools as ct

    torch.manual_seed(3)
    module = nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 8)).eval()
    inputs, outputs, listed = {}, {}, {}
    with tempfile.TemporaryDirectory() as scratch:
        descriptor = ct.utils.MultiFunctionDescriptor()
        for name, rows in ("short", 4), ("long", 9):
            x = torch.randn(1, rows, 16)
            model = coreml_models.converted(module, (x,), "trace", "FLOAT16", "iOS18", inputs=[ct.TensorType("x", x.shape)])
            model.save(f"{scratch}/{name}.mlpackage")
            description = model.get_spec().description
            arrays, given = coreml_models.rounded([x], coreml_models.arrays_of(description.input))
            made = coreml_models.results(module, given, coreml_models.arrays_of(description.output))
            listed[name] = [list(arrays), list(made)]
            inputs |= {f"{name}:{key}": value for key, value in arrays.items()}
            outputs |= {f"{name}:{key}": value for key, value in made.items()}
            descriptor.add_function(f"{scratch}/{name}.mlpackage", src_function_name="main", target_function_name=name)
        descriptor.default_function_name = "short"
        ct.utils.save_multifunction(descriptor, f"{scratch}/both.mlpackage")
        coreml_models.save(folder, f"{scratch}/both.mlpackage", inputs, outputs, precision="FLOAT16", target="iOS18", route="trace", arguments=[],
                           functions=listed)


class Decoder(nn.Module):
    """Attention over what earlier runs have written, in two layers."""

    HEADS, ROOM, SIZE = 2, 16, 16

    def __init__(self):
        super().__init__()
        width = self.HEADS * self.SIZE
        self.embed, self.head = nn.Embedding(50, width), nn.Linear(width, 50)
        self.projections = nn.ModuleList(nn.Linear(width, 3 * width) for _ in range(2))
        for layer in range(2):
            for cache in "keys", "values":
                self.register_buffer(f"{cache}{layer}", torch.zeros(1, self.HEADS, self.ROOM, self.SIZE))

    def forward(self, token, position, mask):
        x = self.embed(token)
        at = position[0]
        for layer, projection in enumerate(self.projections):
            query, key, value = projection(x).view(1, 1, 3, self.HEADS, self.SIZE).permute(2, 0, 3, 1, 4)
            keys, values = getattr(self, f"keys{layer}"), getattr(self, f"values{layer}")
            keys[:, :, at:at + 1] = key
            values[:, :, at:at + 1] = value
            scores = query @ keys.transpose(-1, -2) * self.SIZE ** -0.5 + mask
            x = x + (scores.softmax(-1) @ values).permute(0, 2, 1, 3).reshape(1, 1, -1)
        return self.head(x)


def decoder(folder):
    """A decoder whose caches are states, four tokens long."""
    import coremltools as ct

    torch.manual_seed(3)
    module = Decoder().eval()
    room = module.ROOM
    examples = torch.zeros(1, 1, dtype=torch.long), torch.zeros(1, dtype=torch.long), torch.zeros(1, 1, 1, room)
    states = [ct.StateType(wrapped_type=ct.TensorType(shape=buffer.shape, dtype=np.float16), name=name) for name, buffer in module.named_buffers()]
    kinds = [ct.TensorType("token", (1, 1), dtype=np.int32), ct.TensorType("position", (1,), dtype=np.int32), ct.TensorType("mask", (1, 1, 1, room))]
    model = coreml_models.converted(module, examples, "trace", "FLOAT16", "iOS18", inputs=kinds, states=states)
    description = model.get_spec().description
    inputs, outputs = {}, {}
    for buffer in module.buffers():
        buffer.zero_()
    for step, token in enumerate([7, 3, 49, 7]):
        mask = torch.where(torch.arange(room) <= step, 0.0, -1e4)[None, None, None]
        arrays, given = coreml_models.rounded([torch.tensor([[token]]), torch.tensor([step]), mask], coreml_models.arrays_of(description.input))
        made = coreml_models.results(module, given, coreml_models.arrays_of(description.output))
        inputs |= {f"{step}:{name}": value for name, value in arrays.items()}
        outputs |= {f"{step}:{name}": value for name, value in made.items()}
    coreml_models.save(folder, model, inputs, outputs, precision="FLOAT16", target="iOS18", route="trace", arguments=[], steps=4,
                       states=[name for name, _ in module.named_buffers()])


FORMS = {
    "ranged": lambda folder: ranged(folder, "FLOAT32", 20, 24),
    "ranged_half": lambda folder: ranged(folder, "FLOAT16", 64, 8),
    "enumerated": enumerated,
    "image_rgb": lambda folder: image(folder, "RGB"),
    "image_bgr": lambda folder: image(folder, "BGR", "iOS15", precision="FLOAT16"),
    "image_gray": lambda folder: image(folder, "GRAYSCALE", "iOS17"),
    "named": named,
    "classifier": classifier,
    "functions": functions,
    "decoder": decoder,
}
