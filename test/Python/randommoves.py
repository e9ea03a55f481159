"""Makers of random ops that move elements (see randomops.py)."""
import numpy as np

from randomgraph import Segments
from randomops import family, maker


def moved(g, name, x, result, **attributes):
    return g.emit(name, [x], result, x.magnitude, x.exact, **attributes)


def factors(g, count, rank):
    """`rank` sizes whose product is `count`."""
    sizes = []
    for _ in range(rank - 1):
        size = g.one_of([d for d in range(1, min(count, 300) + 1) if count % d == 0])
        sizes.append(size)
        count //= size
    return sizes + [count]


@maker
def reshape(g):
    x = g.value()
    if not x:
        return None
    shape = factors(g, x.size, g.between(1, 5))
    g.random.shuffle(shape)
    shape = [int(d) for d in shape]
    written = list(shape)
    if g.chance(0.3):
        written[g.between(0, len(shape) - 1)] = -1
    return moved(g, "reshape", x, shape, shape=written)


@maker
def transpose(g):
    x = g.value(least=2)
    if not x:
        return None
    perm = [int(p) for p in g.random.permutation(x.rank)]
    return moved(g, "transpose", x, [x.shape[p] for p in perm], perm=perm)


@maker
def expand_dims(g):
    x = g.value(most=4)
    if not x:
        return None
    axis = g.between(0, x.rank)
    return moved(g, "expand_dims", x, (*x.shape[:axis], 1, *x.shape[axis:]), axes=[axis])


@maker
def squeeze(g):
    x = g.value(least=2, fits=lambda v: 1 in v.shape and v.size > 1)
    if not x:
        return None
    axes = [i for i, d in enumerate(x.shape) if d == 1]
    return moved(g, "squeeze", x, [d for d in x.shape if d != 1], axes=axes if g.chance(0.6) else None)


@maker
def flatten2d(g):
    x = g.value(least=2)
    if not x:
        return None
    axis = g.between(0, x.rank - 1)
    return moved(g, "flatten2d", x, (int(np.prod(x.shape[:axis])), int(np.prod(x.shape[axis:]))), axis=axis)


@maker
def reshape_like(g):
    x = g.value()
    reference = x and g.value(fits=lambda v: v.size == x.size)
    if not reference:
        return None
    return g.emit("reshape_like", [x, reference], reference.shape, x.magnitude, x.exact, begins=[0], ends=[reference.rank],
                  end_masks=[False])


@maker
def reverse(g):
    x = g.value()
    return x and moved(g, "reverse", x, x.shape, axes=g.axes(x) if g.chance(0.7) else None)


@maker
def slice_by_size(g):
    x = g.value()
    if not x:
        return None
    begin = [g.between(0, d - 1) if g.chance(0.5) else 0 for d in x.shape]
    size = [g.between(1, d - b) if g.chance(0.6) else d - b for d, b in zip(x.shape, begin)]
    written = [-1 if b + s == d and g.chance(0.3) else s for d, b, s in zip(x.shape, begin, size)]
    return moved(g, "slice_by_size", x, size, begin=begin, size=written)


def slices(g, shape):
    """Attributes of a slice by index, and its shape."""
    names = ["begin", "end", "stride", "begin_mask", "end_mask", "squeeze_mask"]
    columns, result, squeezed = [], [], 0
    for size in shape:
        step = g.one_of([1, 1, 1, 2, 3])
        begin, end = (g.between(0, size - 1), size) if g.chance(0.5) else (0, size)
        if end - begin > 1 and g.chance(0.4):
            end = g.between(begin + 1, size)
        count = len(range(begin, end, step))
        squeeze = len(shape) - squeezed > 1 and g.chance(0.15)
        masks = begin == 0 and g.chance(0.3), end == size and not squeeze and g.chance(0.3)
        begin_mask, end_mask = masks[0] and not squeeze, masks[1]
        if squeeze:
            step, end, squeezed = 1, begin + 1, squeezed + 1
        else:
            result.append(count)
        columns.append([begin - size if g.chance(0.2) else begin, end, step, begin_mask, end_mask, squeeze])
    return dict(zip(names, map(list, zip(*columns)))), result


@maker
def slice_by_index(g):
    x = g.value()
    if not x:
        return None
    attributes, shape = slices(g, x.shape)
    return moved(g, "slice_by_index", x, shape, **attributes)


@maker
def slice_update(g):
    x = g.value(fits=lambda v: v.size <= 3000)
    if not x:
        return None
    attributes, shape = slices(g, x.shape)
    if g.chance(0.5):
        update = g.constant((g.random.integers(-8, 9, shape) / 8).astype(np.float32))
    else:
        update = g.new_input(tuple(shape), exact=x.exact)
    return g.emit("slice_update", [x, update], x.shape, max(x.magnitude, update.magnitude), x.exact, **attributes)


@maker
def split(g):
    x = g.value(fits=lambda v: max(v.shape) > 1)
    if not x:
        return None
    axis = g.one_of([i for i, d in enumerate(x.shape) if d > 1])
    size = x.shape[axis]
    equal = [n for n in (2, 3, 4) if size % n == 0]
    written = axis - x.rank if g.chance(0.3) else axis
    if equal and g.chance(0.5):
        count = g.one_of(equal)
        sizes, attributes = [size // count] * count, {"num_splits": count}
    else:
        first = g.between(1, size - 1)
        sizes, attributes = [first, size - first], {"split_sizes": [first, size - first]}
    shapes = [([s if i == axis else d for i, d in enumerate(x.shape)], "f32") for s in sizes]
    return g.emit_many("split", [x], shapes, x.magnitude, x.exact, axis=written, **attributes)[0]


@maker
def concat(g):
    x = g.value(fits=lambda v: v.size <= 3000)
    if not x:
        return None
    axis, written = g.axis(x)
    parts = [x]
    for _ in range(g.between(0, 3)):
        shape = [g.one_of([1, 3, 8, 32]) if i == axis else d for i, d in enumerate(x.shape)]
        if np.prod(shape) > 4000:
            continue
        others = [v for v in g.values if v.element == "f32" and v.rank == x.rank and
                  all(i == axis or a == b for i, (a, b) in enumerate(zip(v.shape, x.shape)))]
        kind = g.between(0, 2)
        if kind == 0 and others:
            parts.append(g.one_of(others))
        elif kind == 1 and np.prod(shape) <= 2000:
            parts.append(g.constant((g.random.integers(-8, 9, shape) / 8).astype(np.float32)))
        else:
            parts.append(g.new_input(tuple(shape), exact=x.exact))
    g.random.shuffle(parts)
    interleave = all(p.shape == x.shape for p in parts) and g.chance(0.3)
    size = sum(p.shape[axis] for p in parts)
    return g.emit("concat", parts, [size if i == axis else d for i, d in enumerate(x.shape)], max(p.magnitude for p in parts),
                  all(p.exact for p in parts), axis=written, interleave=interleave)


@maker
def stack(g):
    x = g.value(most=4, fits=lambda v: v.size <= 3000)
    if not x:
        return None
    parts = [x] + [g.value(fits=lambda v: v.shape == x.shape) or x for _ in range(g.between(0, 2))]
    axis = g.between(0, x.rank)
    return g.emit("stack", parts, (*x.shape[:axis], len(parts), *x.shape[axis:]), max(p.magnitude for p in parts),
                  all(p.exact for p in parts), axis=axis)


@maker
def tile(g):
    x = g.value(fits=lambda v: v.size <= 1500)
    if not x:
        return None
    reps = [g.one_of([1, 1, 1, 2, 3, 4]) for _ in x.shape]
    return moved(g, "tile", x, [d * r for d, r in zip(x.shape, reps)], reps=reps)


@maker
def pad(g):
    x = g.value(fits=lambda v: v.size <= 4000)
    if not x:
        return None
    mode = g.one_of(["constant", "constant", "reflect", "replicate"])
    count = g.between(1, x.rank if mode == "constant" else min(x.rank, 2))
    amounts = []
    for size in x.shape[x.rank - count:]:
        most = min(3, size - 1) if mode == "reflect" else 3
        amounts.append((g.between(0, most), g.between(0, most)))
    kept = x.rank - count
    shape = [*x.shape[:kept], *(d + sum(p) for d, p in zip(x.shape[kept:], amounts))]
    value = g.one_of([0.0, 1.0, -2.5]) if mode == "constant" else None
    return g.emit("pad", [x], shape, max(x.magnitude, 2.5), x.exact, pad=[p for pair in amounts for p in pair], mode=mode,
                  constant_val=value)


BLOCKS = {"depth_to_space": ("block_size", True), "space_to_depth": ("block_size", False),
          "pixel_shuffle": ("upscale_factor", True), "pixel_unshuffle": ("downscale_factor", False)}


@family(*BLOCKS)
def blocks(g, name):
    attribute, up = BLOCKS[name]
    b = g.one_of([2, 3])
    n, c, h, w = g.one_of([1, 2]), g.one_of([1, 3, 8]), g.one_of([1, 4, 7]), g.one_of([2, 5, 8])
    x = g.new_input((n, c * b * b, h, w) if up else (n, c, h * b, w * b))
    return moved(g, name, x, (n, c, h * b, w * b) if up else (n, c * b * b, h, w), **{attribute: b})


@maker
def space_to_batch(g):
    n, c, h, w = g.one_of([1, 2]), g.one_of([1, 3]), g.one_of([2, 3]), g.one_of([2, 4])
    if g.chance(0.5):
        x = g.new_input((n, c, h * 2, w * 2))
        return moved(g, "space_to_batch", x, (n * 4, c, h + 1, w), block_shape=[2, 2], paddings=[1, 1, 0, 0])
    x = g.new_input((n * 4, c, h, w))
    return moved(g, "batch_to_space", x, (n, c, h * 2 - 1, w * 2), block_shape=[2, 2], crops=[0, 1, 0, 0])


@maker
def sliding_windows(g):
    x = g.value(most=4, fits=lambda v: v.size <= 1500)
    if not x:
        return None
    axis = g.between(0, x.rank - 1)
    size, stride = g.between(1, min(4, x.shape[axis])), g.one_of([1, 2])
    count = (x.shape[axis] - size) // stride + 1
    return moved(g, "sliding_windows", x, (*x.shape[:axis], count, size, *x.shape[axis + 1:]), axis=axis, size=size,
                 stride=stride)


@maker
def band_part(g):
    x = g.value(least=2)
    return x and moved(g, "band_part", x, x.shape, lower=g.one_of([-1, 0, 1, 3]), upper=g.one_of([-1, 0, 2]))


@maker
def gather(g):
    x = g.value()
    if not x:
        return None
    axis, written = g.axis(x)
    shape = g.one_of([(3,), (1,), (2, 2), (8,)])
    if x.rank - 1 + len(shape) > 5:
        return None
    indices = index(g, shape, x.shape[axis])
    return g.emit("gather", [x, indices], (*x.shape[:axis], *shape, *x.shape[axis + 1:]), x.magnitude, x.exact, axis=written)


def index(g, shape, size):
    """Indices below `size`: constant, or an input."""
    if size >= 8 and g.chance(0.4):
        return g.new_input(shape, "i32")
    return g.constant(g.random.integers(0, size, shape).astype(np.int32))


@maker
def gather_along_axis(g):
    x = g.value()
    if not x:
        return None
    axis, written = g.axis(x)
    shape = tuple(g.one_of([1, 3, 5]) if i == axis else d for i, d in enumerate(x.shape))
    if np.prod(shape) > 4000:
        return None
    return g.emit("gather_along_axis", [x, index(g, shape, x.shape[axis])], shape, x.magnitude, x.exact, axis=written)


@maker
def gather_nd(g):
    x = g.value(least=2)
    if not x:
        return None
    depth = g.between(1, min(2, x.rank))
    tuples = np.stack([g.random.integers(0, d, 5) for d in x.shape[:depth]], -1).astype(np.int32)
    return g.emit("gather_nd", [x, g.constant(tuples)], (5, *x.shape[depth:]), x.magnitude, x.exact)


MODES = ["update", "add", "sub", "max", "min", "mul"]


@family("scatter", "scatter_along_axis", "scatter_nd")
def scatter(g, name):
    x = g.value(fits=lambda v: v.size <= 3000)
    if not x:
        return None
    axis, written = g.axis(x)
    # Without repeated indices, whose order has no meaning.
    count = g.between(1, min(4, x.shape[axis if name != "scatter_nd" else 0]))
    chosen = g.random.choice(x.shape[axis if name != "scatter_nd" else 0], count, replace=False).astype(np.int32)
    mode = g.one_of(MODES)
    if name == "scatter_nd":
        indices, shape, attributes = chosen.reshape(count, 1), (count, *x.shape[1:]), {}
    else:
        shape, attributes = tuple(count if i == axis else d for i, d in enumerate(x.shape)), {"axis": written}
        indices = chosen
        if name == "scatter_along_axis":
            indices = np.broadcast_to(chosen.reshape([-1 if i == axis else 1 for i in range(x.rank)]), shape)
    updates = g.new_input(shape, exact=x.exact, magnitude=1)
    return g.emit(name, [x, g.constant(indices), updates], x.shape, x.magnitude + 1, x.exact and mode != "mul", mode=mode,
                  **attributes)


@maker
def one_hot(g):
    indices = g.new_input(g.one_of([(3,), (2, 5), (1,)]), "i32")
    on, off = g.constant(np.float32(1)), g.constant(np.float32(0))
    return g.emit("one_hot", [indices, on, off], (*indices.shape, 9), 1, True, one_hot_vector_size=9, axis=-1,
                  operandSegmentSizes=Segments([1, 1, 1]))


@maker
def embedding(g):
    indices = g.new_input(g.one_of([(3,), (2, 5), (1,)]), "i32")
    width = g.one_of([1, 7, 16, 33])
    return g.emit("embedding", [indices, g.normal(11, width)], (*indices.shape, width), 3)


# Images.

@family("upsample_nearest_neighbor", "upsample_bilinear")
def upsample(g, name):
    x = g.value(least=3, most=4, fits=lambda v: v.size <= 1500)
    if not x:
        return None
    height, width = g.one_of([1, 2, 3]), g.one_of([1, 2, 3])
    attributes = {}
    if name == "upsample_bilinear":
        align = g.chance(0.5)
        attributes = {"align_corners": align, "half_pixel_centers": not align}
    return g.emit(name, [x], (*x.shape[:-2], x.shape[-2] * height, x.shape[-1] * width), x.magnitude,
                  x.exact and name == "upsample_nearest_neighbor", scale_factor_height=height, scale_factor_width=width,
                  **attributes)


SAMPLING = ["STRICT_ALIGN_CORNERS", "ALIGN_CORNERS", "DEFAULT", "OFFSET_CORNERS", "UNALIGN_CORNERS"]


@family("resize_bilinear", "resize_nearest_neighbor", "resize")
def resize(g, name):
    x = g.value(least=3, most=4, fits=lambda v: v.size <= 1500)
    if not x:
        return None
    height, width = g.one_of([1, 3, 4, 8, 2 * x.shape[-2]]), g.one_of([1, 3, 4, 8, 2 * x.shape[-1]])
    attributes = {"target_size_height": height, "target_size_width": width}
    if name == "resize_bilinear":
        attributes["sampling_mode"] = g.one_of(SAMPLING)
    if name == "resize":
        attributes = {"shape": [height, width], "resized_dims": 2, "sampling_mode": g.one_of(SAMPLING),
                      "interpolation_mode": g.one_of(["LINEAR", "NEAREST_NEIGHBOR"])}
    return g.emit(name, [x], (*x.shape[:-2], height, width), x.magnitude, **attributes)


@maker
def crop(g):
    x = g.value(least=3, most=4, fits=lambda v: v.shape[-1] >= 3 and v.shape[-2] >= 3)
    if not x:
        return None
    top, bottom, left, right = (g.one_of([0, 1]) for _ in range(4))
    return moved(g, "crop", x, (*x.shape[:-2], x.shape[-2] - top - bottom, x.shape[-1] - left - right),
                 crop_height=[top, bottom], crop_width=[left, right])
