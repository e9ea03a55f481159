"""Programs of coremltools' builder, as packages: those of test_emulator_ops.py and of ops that it does not have, in each opset that has
the op. Expected values are NumPy's or ONNX Runtime's.

A package holds many ops side by side, each with inputs and outputs of its own, so that few are compiled.
"""
import logging
import warnings
from collections import namedtuple

import numpy as np

warnings.filterwarnings("ignore")
logging.getLogger("coremltools").setLevel(logging.ERROR)

import coremltools as ct  # noqa: E402
from coremltools.converters.mil import Builder as mb  # noqa: E402
from coremltools.converters.mil.mil import Program, types  # noqa: E402
from coremltools.converters.mil.mil.ops.registry import SSAOpRegistry  # noqa: E402

import test_emulator_ops  # noqa: E402
from test_emulator_ops import normal, onnx_op, positive, sigmoid, x  # noqa: E402

OPSETS = {15: ct.target.iOS15, 16: ct.target.iOS16, 17: ct.target.iOS17, 18: ct.target.iOS18}
PORTS = {"float32": types.fp32, "float16": types.fp16, "int32": types.int32}
Case = namedtuple("Case", "name op inputs constants expected opsets tolerance")
EXTRA = []


def extra(op, inputs, constants, *expected, opsets=tuple(OPSETS), label="", tolerance=2e-5):
    EXTRA.append(Case(f"{op}{label and '-' + label}", op, inputs, constants, expected, opsets, tolerance))


def listed():
    """All cases that Core ML can have: tensors have five axes at most."""
    made = []
    for param in test_emulator_ops.CASES:
        op, inputs, constants, expected, opset, rtol, atol = param.values
        if max(array.ndim for array in expected) > 5:
            continue
        opsets = tuple(OPSETS) if opset == 18 else (opset,)
        made.append(Case(param.id, op, inputs, constants, expected, opsets, max(rtol, 2e-5)))
    return made + EXTRA


# ---- what test_emulator_ops.py has not --------------------------------------------


S, B, I, H = 5, 2, 4, 3
sequence, h0, c0 = normal(S, B, I), normal(B, H), normal(B, H)
for direction, axis in ("forward", slice(None)), ("reverse", slice(None, None, -1)):
    w, r, b = normal(H, I), normal(H, H), normal(H)
    state, rows = h0, []
    for row in sequence[axis]:
        state = np.tanh(row @ w.T + state @ r.T + b)
        rows.append(state)
    y = np.stack(rows)[axis]
    extra("rnn", {"x": sequence, "initial_h": h0}, {"weight_ih": w, "weight_hh": r, "bias": b, "direction": direction, "output_sequence": True},
          y, state, label=direction)
    w, r, b = normal(3 * H, I), normal(3 * H, H), normal(3 * H)
    gru_w, gru_r, gru_b = (np.split(value, 3) for value in (w, r, b))
    state, rows = h0, []
    for row in sequence[axis]:
        reset, update = (sigmoid(row @ gru_w[i].T + state @ gru_r[i].T + gru_b[i]) for i in (0, 2))
        new = np.tanh(row @ gru_w[1].T + (reset * state) @ gru_r[1].T + gru_b[1])
        state = ((1 - update) * new + update * state).astype(np.float32)
        rows.append(state)
    extra("gru", {"x": sequence, "initial_h": h0}, {"weight_ih": w, "weight_hh": r, "bias": b, "direction": direction, "output_sequence": True},
          np.stack(rows)[axis], state, label=direction)


def lstm(rows, w, r, b, hidden, cell):
    made = []
    for row in rows:
        i, f, o, g = np.split(row @ w.T + hidden @ r.T + b, 4, axis=-1)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        hidden = (sigmoid(o) * np.tanh(cell)).astype(np.float32)
        made.append(hidden)
    return np.stack(made), hidden, cell.astype(np.float32)


(w, r, b), (w2, r2, b2) = ((normal(4 * H, I), normal(4 * H, H), normal(4 * H)) for _ in range(2))
y, h, c = lstm(sequence, w, r, b, h0, c0)
parameters = {"weight_ih": w, "weight_hh": r, "bias": b}
extra("lstm", {"x": sequence, "initial_h": h0, "initial_c": c0}, {**parameters, "output_sequence": True}, y, h, c)
extra("lstm", {"x": sequence, "initial_h": h0, "initial_c": c0}, parameters, h[None], h, c, label="last")
y2, h2, c2 = lstm(sequence[::-1], w2, r2, b2, h0 * 2, c0 * 2)
extra("lstm", {"x": sequence, "initial_h": np.concatenate([h0, h0 * 2], 1), "initial_c": np.concatenate([c0, c0 * 2], 1)},
      {**parameters, "weight_ih_back": w2, "weight_hh_back": r2, "bias_back": b2, "direction": "bidirectional", "output_sequence": True},
      np.concatenate([y, y2[::-1]], 2), np.concatenate([h, h2], 1), np.concatenate([c, c2], 1), label="both")

theta = np.float32([[0.9, 0.2, 0.1, -0.3, 0.8, -0.2], [1.1, 0, 0, 0, 1.2, 0.1]])
places = np.stack([*np.meshgrid(np.linspace(-1, 1, 6), np.linspace(-1, 1, 3)), np.ones((3, 6))], -1).astype(np.float32)  # (x, y, 1)
extra("affine", {"x": x, "transform_matrix": theta},
      {"output_height": 3, "output_width": 6, "sampling_mode": "bilinear", "padding_mode": "constant", "padding_value": 0.0,
       "coordinates_mode": "normalized_minus_one_to_one", "align_corners": True},
      onnx_op("GridSample", [x, np.einsum("hwk,bck->bhwc", places, theta.reshape(2, 2, 3))], mode="bilinear", padding_mode="zeros", align_corners=1))

# Both corners of a box are sampled, and what is between them in even steps.
boxes = np.float32([[0, 1, 3, 4], [1.5, 0, 2, 2.5]])
cut = []
for image, (top, left, bottom, right) in zip(x, boxes):
    rows, columns = np.linspace(top, bottom, 3), np.linspace(left, right, 4)
    at = np.stack(np.meshgrid(columns / 4 * 2 - 1, rows / 3 * 2 - 1), -1)[None].astype(np.float32)
    cut.append(onnx_op("GridSample", [image[None], at], mode="bilinear", padding_mode="border", align_corners=1)[0])
size = {"target_height": 3, "target_width": 4, "box_coordinate_mode": "CORNERS_HEIGHT_FIRST", "sampling_mode": "STRICT_ALIGN_CORNERS"}
extra("crop_resize", {"x": x, "boxes": boxes}, {**size, "box_indices": np.int32([0, 1])}, np.stack(cut), opsets=(17, 18))
extra("crop_resize", {"x": x, "roi": np.concatenate([np.float32([[0], [1]]), boxes], 1).reshape(2, 1, 5, 1, 1)}, size, np.stack(cut)[:, None],
      opsets=(15, 16), label="roi")

extra("expand_dims", {"x": x}, {"axes": [-1]}, x[..., None])
extra("fill", {}, {"shape": [2, 3], "value": 1.5}, np.full((2, 3), 1.5, np.float32))
extra("range_1d", {}, {"start": 1.0, "end": 9.0, "step": 2.0}, np.float32([1, 3, 5, 7]))
extra("reshape_like", {"x": x, "ref_tensors": (normal(6, 7), normal(4, 5))},
      {"begins": (0, 0), "ends": (1, 2), "end_masks": (False, True)}, x.reshape(6, 4, 5), opsets=(16, 17, 18))
corners, scores = np.float32([[[1, 1, 2, 2], [1.1, 1, 2, 2], [5, 5, 2, 2]]]), np.float32([[[0.6], [0.9], [0.7]]])
extra("non_maximum_suppression", {"boxes": corners, "scores": scores}, {"iou_threshold": 0.5, "max_boxes": 2},
      corners[:, [1, 2]], scores[:, [1, 2]], np.int32([[1, 2]]), opsets=(17, 18))
extra("non_maximum_suppression", {"boxes": corners, "scores": scores}, {"iou_threshold": 0.5, "max_boxes": 2, "score_threshold": 0.1},
      corners[:, [1, 2]], scores[:, [1, 2]], np.int32([[1, 2]]), np.int32([2]), opsets=(15, 16), label="threshold")
extra("reduce_argmin", {"x": x}, {"axis": 1}, np.argmin(x, 1).astype(np.int32), label="plain")

# Constants in small types, each added to an input.
dense = normal(4, 6)
codes, step, zero = np.int8(np.clip(np.round(dense / 0.02), -120, 120)), np.float32([0.02, 0.03, 0.01, 0.04]), np.int8([1, -2, 0, 5])
table, entries = normal(16), np.uint8(np.abs(dense * 9).astype(int) % 16)
mask = dense > 0


def bits(values, width):
    """Packed, the lowest bits first."""
    flat = ((values.reshape(-1)[:, None] >> np.arange(width)) & 1).astype(np.uint8)
    return np.packbits(flat.reshape(-1), bitorder="little")


Constexpr = namedtuple("Constexpr", "name op attributes value opsets")
u4, i4, u1 = (types.nptype_from_builtin(kind) for kind in (types.uint4, types.int4, types.uint1))
CONSTANTS = [
    Constexpr("affine_dequantize", "constexpr_affine_dequantize", dict(quantized_data=codes, zero_point=zero, scale=step, axis=0),
              step[:, None] * (codes.astype(np.float32) - zero[:, None]), (16, 17, 18)),
    Constexpr("affine_dequantize_scalar", "constexpr_affine_dequantize",
              dict(quantized_data=(codes.astype(int) + 128).astype(np.uint8), zero_point=np.uint8(128), scale=np.float32(0.02), axis=0),
              np.float32(0.02) * codes, (16, 17, 18)),
    Constexpr("cast", "constexpr_cast", dict(source_val=dense.astype(np.float16), output_dtype="fp32"),
              dense.astype(np.float16).astype(np.float32), (16, 17, 18)),
    Constexpr("lut_to_dense", "constexpr_lut_to_dense", dict(indices=bits(entries, 4), lut=table, shape=np.uint32([4, 6])),
              table[entries], (16, 17)),
    Constexpr("lut_to_dense", "constexpr_lut_to_dense", dict(indices=entries.astype(u4), lut=table.reshape(1, 1, 16, 1)), table[entries], (18,)),
    Constexpr("sparse_to_dense", "constexpr_sparse_to_dense",
              dict(nonzero_data=dense[mask], mask=bits(mask.astype(int), 1), shape=np.uint32([4, 6])), np.where(mask, dense, 0), (16, 17)),
    Constexpr("sparse_to_dense", "constexpr_sparse_to_dense", dict(nonzero_data=dense[mask], mask=mask.astype(np.int8).astype(u1)),
              np.where(mask, dense, 0), (18,)),
    Constexpr("blockwise_shift_scale", "constexpr_blockwise_shift_scale",
              dict(data=codes, scale=normal(2, 3), offset=np.int8([[1, 2, 3], [-4, 0, 9]])), None, (18,)),
    Constexpr("blockwise_int4", "constexpr_blockwise_shift_scale",
              dict(data=(codes % 16 - 8).astype(np.int8).astype(i4), scale=normal(4, 2)), None, (18,)),
]


def unblocked(attributes):
    data, scale = attributes["data"].astype(np.float32), attributes["scale"]
    block = np.ones(np.array(data.shape) // scale.shape, np.float32)
    return (data - np.kron(attributes.get("offset", scale * 0).astype(np.float32), block)) * np.kron(scale, block)


for made in CONSTANTS:
    value = unblocked(made.attributes) if made.value is None else made.value
    extra(made.op, {"x": normal(4, 6)}, made.attributes, value, opsets=made.opsets, label=made.name)


# ---- packages ---------------------------------------------------------------------


def constant(value):
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return np.int32(value)
    if isinstance(value, float):
        return np.float32(value)
    if isinstance(value, list):
        return np.array(value, np.bool_ if isinstance(value[0], bool) else np.int32)
    return value


def port(array):
    """What a function takes for an array: types that Core ML's arrays lack are cast inside."""
    kind = array.dtype.name if array.dtype.name in PORTS else "int32"
    return array.reshape(array.shape or (1,)).astype(kind), kind


def built(case, values):
    """The op's results in the program that is being built."""
    constants = {name: constant(value) for name, value in case.constants.items()}
    if case.op.startswith("constexpr_"):
        made = getattr(mb, case.op)(**constants)
        # Its own value, by a difference that the compiler can't take before the run.
        return [mb.sub(x=mb.add(x=values["x"], y=made), y=values["x"])]
    made = getattr(mb, case.op)(**values, **constants)
    return list(made) if isinstance(made, (list, tuple)) else [made]


def inputs_of(cases):
    """{name of an input: array}"""
    made = {}
    for index, case in enumerate(cases):
        for name, value in case.inputs.items():
            group = value if isinstance(value, tuple) else (value,)
            made |= {f"c{index}_{name}_{i}" if isinstance(value, tuple) else f"c{index}_{name}": array for i, array in enumerate(group)}
    return made or {"c_none": np.zeros(1, np.float32)}


def program(cases, opset):
    """A program with all of `cases`."""
    arrays = inputs_of(cases)
    specs = {name: mb.TensorSpec(shape=port(array)[0].shape, dtype=PORTS[port(array)[1]]) for name, array in arrays.items()}

    def body(**given):
        def taken(name, array):
            var = given[name]
            if var.dtype != types.numpy_type_to_builtin_type(array.dtype):
                var = mb.cast(x=var, dtype=array.dtype.name)
            return var if array.shape else mb.squeeze(x=var)

        results = []
        for index, case in enumerate(cases):
            values = {name: tuple(taken(f"c{index}_{name}_{i}", array) for i, array in enumerate(value)) if isinstance(value, tuple)
                      else taken(f"c{index}_{name}", value) for name, value in case.inputs.items()}
            made = built(case, values)
            assert len(made) >= len(case.expected), f"{len(made)} results"
            results += made[:len(case.expected)]
        return tuple(results)

    # The builder takes the inputs' names from the function's.
    scope = {"body": body}
    exec(f"def function({', '.join(specs)}): return body({', '.join(f'{name}={name}' for name in specs)})", scope)
    return mb.program(input_specs=list(specs.values()), opset_version=OPSETS[opset])(scope["function"])


def package(cases, opset, path):
    """Writes the package; returns its inputs and what is wanted, {name: array}."""
    model = ct.convert(program(cases, opset), convert_to="mlprogram", minimum_deployment_target=OPSETS[opset], skip_model_load=True,
                       compute_precision=ct.precision.FLOAT32, pass_pipeline=ct.PassPipeline.EMPTY)
    model.save(str(path))
    names = [output.name for output in model.get_spec().description.output]
    wanted = [array for case in cases for array in case.expected]
    assert len(names) == len(wanted)
    return {name: port(array)[0] for name, array in inputs_of(cases).items()}, dict(zip(names, wanted))


def builds(case, opset):
    """None, or why coremltools builds no such program: forms of other opsets, and what only the text of programs has."""
    if opset not in case.opsets:
        return f"not in iOS{opset}"
    try:
        program([case], opset)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def registry():
    """{op: [opsets that have it]} of coremltools."""
    return {op: [opset for opset, target in OPSETS.items() if any(version <= target for version in made)]
            for op, made in SSAOpRegistry.core_ops.items()}


# ---- what a program of static shapes without branches can't have ------------------


def random(kind, **options):
    return lambda x: mb.add(x=x, y=getattr(mb, kind)(shape=[4], **options))


def in_list(take):
    """A list of three rows, and what `take` makes of it."""
    def body(x):
        made = mb.make_list(init_length=3, elem_shape=(4,), dtype="fp32")
        return take(mb.list_write(ls=made, index=0, value=x))
    return body


REFUSED = {
    "cond": lambda x: mb.cond(pred=mb.squeeze(x=mb.greater(x=mb.slice_by_size(x=x, begin=[0], size=[1]), y=0.0)),
                              _true_fn=lambda: mb.exp(x=x), _false_fn=lambda: mb.tanh(x=x)),
    "while_loop": lambda x: mb.while_loop(_cond=lambda y: mb.less(x=mb.reduce_sum(x=y, axes=[0]), y=9.0),
                                          _body=lambda y: (mb.add(x=y, y=1.0),), loop_vars=(x,)),
    "make_list": in_list(lambda ls: mb.list_read(ls=ls, index=0)),
    "list_write": in_list(lambda ls: mb.list_read(ls=ls, index=0)),
    "list_read": in_list(lambda ls: mb.list_read(ls=ls, index=0)),
    "list_length": in_list(lambda ls: mb.list_length(ls=ls)),
    "list_gather": in_list(lambda ls: mb.list_gather(ls=ls, indices=[0, 0])),
    "list_scatter": in_list(lambda ls: mb.list_read(ls=mb.list_scatter(ls=ls, indices=[1], value=np.ones((1, 4), np.float32)), index=1)),
    "non_zero": lambda x: mb.non_zero(x=x),
    "random_bernoulli": random("random_bernoulli"),
    "random_categorical": lambda x: mb.random_categorical(x=x, size=3),
    "random_normal": random("random_normal"),
    "random_uniform": random("random_uniform"),
}


def refused_package(op, path, opset=17):
    made = mb.program(input_specs=[mb.TensorSpec(shape=(4,), dtype=types.fp32)], opset_version=OPSETS[opset])(lambda x: REFUSED[op](x))
    ct.convert(made, convert_to="mlprogram", minimum_deployment_target=OPSETS[opset], skip_model_load=True, compute_precision=ct.precision.FLOAT32,
               pass_pipeline=ct.PassPipeline.EMPTY).save(str(path))
