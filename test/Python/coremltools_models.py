"""Models that coremltools makes: one for each thing that its description or its weights can be."""
import coremltools_cases  # noqa: F401 - first, it silences coremltools
import coremltools as ct
import numpy as np
from coremltools import optimize
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.mil import types
from coremltools.converters.mil.mil.program import get_new_symbol

TARGETS = {6: ct.target.iOS15, 7: ct.target.iOS16, 8: ct.target.iOS17, 9: ct.target.iOS18, 10: ct.target.iOS26}


def weight(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float16)


def convert(program, specification=9, **options):
    return ct.convert(program, convert_to="mlprogram", minimum_deployment_target=TARGETS[specification], skip_model_load=True, **options)


def layers(specification=7, shape=(1, 32, 8, 8), dtype=types.fp16):
    @mb.program(input_specs=[mb.TensorSpec(shape=shape, dtype=dtype)], opset_version=TARGETS[specification])
    def program(x):
        x = mb.conv(x=x, weight=weight(64, 32, 3, 3), bias=weight(64), pad_type="same") if len(shape) == 4 else x
        x = mb.reshape(x=x, shape=[-1, shape[-1]])
        return mb.softmax(x=mb.linear(x=x, weight=weight(64, shape[-1]), bias=weight(64)), axis=-1, name="y")
    return program


def plain(specification):
    dtype = types.fp32 if specification == 6 else types.fp16

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 32, 8, 8), dtype=dtype)], opset_version=TARGETS[specification])
    def program(x):
        x = mb.conv(x=x, weight=weight(64, 32, 3, 3).astype(types.nptype_from_builtin(dtype)), pad_type="same")
        return mb.relu(x=x, name="y")
    return convert(program, specification)


def states():
    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 4), dtype=types.fp16), mb.StateTensorSpec(shape=(8, 4), dtype=types.fp16)],
                opset_version=ct.target.iOS18)
    def program(x, cache):
        value = mb.read_state(input=cache)
        value = mb.slice_update(x=value, update=x, begin=[0, 0], end=[1, 4])
        mb.coreml_update_state(state=cache, value=value)
        return mb.reduce_sum(x=mb.read_state(input=cache), axes=[0], keep_dims=True, name="y")
    return convert(program)


def functions(folder):
    description = ct.utils.MultiFunctionDescriptor()
    for name, shape in (("one", (1, 32, 8, 8)), ("two", (2, 32, 8, 8))):
        path = str(folder / f"{name}.mlpackage")
        convert(layers(9, shape)).save(path)
        description.add_function(path, src_function_name="main", target_function_name=name)
    description.default_function_name = "two"
    ct.utils.save_multifunction(description, str(folder / "both.mlpackage"))
    return ct.models.MLModel(str(folder / "both.mlpackage"), skip_model_load=True)


def flexible(shape, specification=8, **options):
    """One input of several shapes."""
    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, get_new_symbol(), get_new_symbol()), dtype=types.fp32)],
                opset_version=TARGETS[specification])
    def program(x):
        return mb.relu(x=x, name="y")
    return convert(program, specification, inputs=[shape], **options)


def optional():
    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 4), dtype=types.fp32), mb.TensorSpec(shape=(1, 4), dtype=types.fp32)],
                opset_version=ct.target.iOS15)
    def program(x, z):
        return mb.add(x=x, y=z, name="y")
    return convert(program, 6, inputs=[ct.TensorType(name="x", shape=(1, 4)),
                                       ct.TensorType(name="z", shape=(1, 4), default_value=np.full((1, 4), 0.5, np.float32))])


def classifier(labels):
    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 4), dtype=types.fp32)], opset_version=ct.target.iOS16)
    def program(x):
        return mb.softmax(x=x, axis=-1, name="odds")
    return convert(program, 7, classifier_config=ct.ClassifierConfig(labels))


def images():
    return {
        "image": lambda: flexible(ct.ImageType(name="x", shape=(1, 3, 8, 8), color_layout=ct.colorlayout.BGR)),
        "images": lambda: flexible(ct.ImageType(name="x", shape=ct.EnumeratedShapes([(1, 3, 8, 8), (1, 3, 16, 12)]))),
        "image_range": lambda: flexible(ct.ImageType(name="x", shape=ct.Shape((1, 3, ct.RangeDim(4, 16), ct.RangeDim(6, 8))))),
        "image_output": lambda: flexible(ct.ImageType(name="x", shape=(1, 3, 8, 8)), outputs=[ct.ImageType(name="y")]),
    }


def small_weights():
    coreml = optimize.coreml

    def palette(**options):
        return lambda model: coreml.palettize_weights(
            model, coreml.OptimizationConfig(coreml.OpPalettizerConfig(mode="uniform", weight_threshold=16, **options)))

    def linear(**options):
        return lambda model: coreml.linear_quantize_weights(
            model, coreml.OptimizationConfig(coreml.OpLinearQuantizerConfig(weight_threshold=16, **options)))

    def sparse(model):
        return coreml.prune_weights(model, coreml.OptimizationConfig(
            coreml.OpMagnitudePrunerConfig(target_sparsity=0.75, weight_threshold=16)))

    forms = {f"lut{bits}": palette(nbits=bits) for bits in (1, 2, 3, 4, 6, 8)}
    forms["lut4_groups"] = palette(nbits=4, granularity="per_grouped_channel", group_size=8)
    forms["int8"] = linear(mode="linear_symmetric")
    forms["uint8_affine"] = linear(mode="linear", dtype="uint8")
    forms["int4_blocks"] = linear(mode="linear_symmetric", dtype="int4", granularity="per_block", block_size=16)
    forms["sparse"] = sparse
    old = {f"{name}_ios16": make for name, make in forms.items() if name in ("lut1", "lut4", "lut8", "int8", "uint8_affine", "sparse")}
    return {**{name: (lambda make=make: make(convert(layers(9)))) for name, make in forms.items()},
            **{name: (lambda make=make: make(convert(layers(7), 7))) for name, make in old.items()}}


def models(folder):
    """{name: what makes it}."""
    return {
        **{f"plain{version}": (lambda version=version: plain(version)) for version in TARGETS},
        "states": states, "functions": lambda: functions(folder), "optional": optional,
        "shapes": lambda: flexible(ct.TensorType(name="x", shape=ct.EnumeratedShapes([(1, 3, 8, 8), (1, 3, 4, 4)]))),
        "ranges": lambda: flexible(ct.TensorType(name="x", shape=(1, 3, ct.RangeDim(4, 16), ct.RangeDim(1, 9, default=5)))),
        "classifier": lambda: classifier(["a", "b \"c\"", "\u00e4", ""]), "classifier_of_numbers": lambda: classifier([3, 1, 4, 2**40]),
        **images(), **small_weights()}
