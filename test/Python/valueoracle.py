"""What a step of a random graph gives: by ONNX Runtime, by the ONNX reference where ONNX Runtime has no kernel, and by rules of our own
where ONNX leaves it open; and how far its values may be from that.

The graph is evaluated a few times with the rounding of each step varied by what the step's type can't say (CESTAC): results that move
with it are no better defined than that. Steps that IEEE arithmetic defines to the last bit are not varied, so that their results, and
what is floored, cast or compared behind them, must be right to the last bit."""
import math
import warnings

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

warnings.simplefilter("ignore")
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
EPSILON = {np.dtype(np.float16): 2.0**-11, BFLOAT16: 2.0**-8, np.dtype(np.float32): 2.0**-23, np.dtype(np.float64): 2.0**-52}
# Off by so much of the largest value is right on the CPU.
LIMIT = {np.dtype(np.float16): 2e-3, BFLOAT16: 2e-2, np.dtype(np.float32): 1e-5, np.dtype(np.float64): 1e-12}
ENGINE_LIMIT = 1e-2
RUNS = 12

# Steps without rounding, or with the one that IEEE defines.
EXACT = set("""Abs Add And ArgMax ArgMin BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Cast CastLike Ceil CenterCropPad Clip Compress
Concat ConcatFromSequence Constant ConstantOfShape ConvInteger DepthToSpace Dropout Equal Expand EyeLike Flatten Floor Gather
GatherElements GatherND GlobalMaxPool Greater GreaterOrEqual Hardmax Identity If IsInf IsNaN Less LessOrEqual MatMulInteger Max MaxPool
MaxUnpool Min Mul Neg NonMaxSuppression NonZero Not OneHot Optional OptionalGetElement OptionalHasElement Or PRelu Pad Range ReduceMax
ReduceMin Relu Reshape ReverseSequence Round Scatter ScatterElements ScatterND SequenceAt SequenceConstruct SequenceEmpty SequenceErase
SequenceInsert SequenceLength Shape Sign Size Slice SpaceToDepth Split SplitToSequence Sqrt Squeeze Sub Tile TopK Transpose Trilu Unique
Unsqueeze Where Xor Div ThresholdedRelu""".split())

# Ops that make each element from one element of each operand, with as many bits as that has.
ELEMENTWISE = set("""Abs Acos Acosh Add And Asin Asinh Atan Atanh Cast Ceil Clip Cos Cosh Div Equal Erf Exp Expand Floor Gather Greater
Identity Less Log Max Min Mod Mul Neg Pow Reciprocal Relu Reshape Round Sign Sin Sinh Slice Sqrt Sub Tan Tanh Transpose Where""".split())


# Ops that sum elements: the error of a sum is one of its largest term, and what a sum that overflows becomes depends on its order.
SUMS = set("""AveragePool Attention BatchNormalization Conv ConvTranspose DFT Einsum GRU Gemm GlobalAveragePool GroupNormalization
InstanceNormalization LSTM LayerNormalization LpNormalization LpPool MatMul MeanVarianceNormalization RMSNormalization RNN ReduceL1 ReduceL2
ReduceLogSum ReduceLogSumExp ReduceMean ReduceSum ReduceSumSquare STFT Softmax LogSoftmax CumSum BlackmanWindow HammingWindow
HannWindow""".split())
# x times the sum of 1 and a function that nears -1: where that is small it carries the rounding of 1, times so many factors like x.
TAILS = {"Gelu": 1, "FastGelu": 1, "QuickGelu": 1, "BiasGelu": 1, "BiasSplitGelu": 2}
# What the engine computes of constants, too: the compiler evaluates no windows and no recurrent cells.
NOT_EVALUATED = set("""AveragePool Conv ConvTranspose DeformConv FusedConv GRU GlobalAveragePool GlobalLpPool GridSample LRN LSTM LpPool
QLinearConv RNN Resize RoiAlign""".split())
# The engine stores their products of queries and keys, from which it takes the largest of a row: a key that is off by a unit shows that.
ATTENTION = {"Attention", "GroupQueryAttention", "MultiHeadAttention", "PackedAttention", "PackedMultiHeadAttention"}
# Terms with a weight of 0 give a zero of either sign.
INTERPOLATED = {"GridSample", "Resize", "RoiAlign", "Upsample"}
# Of doubles, what both oracles compute in part in float.
ROUGH = {"GridSample", "Resize"}


class Unknown(Exception):
    """No oracle can evaluate the step."""


def options():
    made = onnxruntime.SessionOptions()
    made.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    made.log_severity_level = 4
    made.intra_op_num_threads = made.inter_op_num_threads = 1
    return made


OPTIONS = options()
onnxruntime.set_default_logger_severity(4)
sessions = {}


def as_model(step, arrays, opset, fixed):
    """A model of one step. Its results have no types yet."""
    def kind(array):
        return helper.np_dtype_to_tensor_dtype(array.dtype)
    inputs = [helper.make_tensor_value_info(n, kind(arrays[n]), arrays[n].shape) for n in step.inputs if n not in fixed]
    outputs = [onnx.ValueInfoProto(name=name) for name in step.outputs]
    constants = [numpy_helper.from_array(np.asarray(arrays[n]), n) for n in step.inputs if n in fixed]
    graph = helper.make_graph(step.nodes, "step", inputs, outputs, constants)
    domains = {node.domain for node in step.nodes} - {""}
    return helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", opset), *(helper.make_opsetid(d, 1) for d in domains)])


def by_runtime(step, arrays, opset, fixed):
    """Results by ONNX Runtime, None if it has no kernel."""
    if any(array.dtype == BFLOAT16 for array in arrays.values()):
        return None
    text = as_model(step, arrays, opset, fixed).SerializeToString()
    if text not in sessions:
        if len(sessions) > 300:
            sessions.clear()
        try:
            sessions[text] = onnxruntime.InferenceSession(text, OPTIONS, providers=["CPUExecutionProvider"])
        except Exception:
            sessions[text] = None
    if sessions[text] is None:
        return None
    try:
        return sessions[text].run(None, {n: arrays[n] for n in step.inputs if n not in fixed})
    except Exception:
        return None


def by_reference(step, arrays, opset, fixed):
    """Results by ONNX's reference, None if it has none."""
    try:
        with np.errstate(all="ignore"):
            evaluator = ReferenceEvaluator(as_model(step, arrays, opset, fixed))
            return evaluator.run(None, {n: arrays[n] for n in step.inputs if n not in fixed})
    except Exception:
        return None


def saturated(x, dtype):
    """Our cast of floats to integers: beyond the type its nearest number, NaN 0."""
    info = np.iinfo(dtype)
    wide = np.trunc(np.nan_to_num(x.astype(np.float64), nan=0, posinf=np.inf, neginf=-np.inf))
    inside = (wide > float(info.min)) & (wide < float(info.max))
    result = np.zeros(x.shape, dtype)
    result[inside] = wide[inside].astype(dtype)
    result[wide >= float(info.max)], result[wide <= float(info.min)] = info.max, info.min
    return result


def gelu(x, attributes):
    if attributes.get("approximate", b"none") == b"tanh":
        return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    return x / 2 * (1 + ERF(x / np.sqrt(2)))


def mvn(x, attributes):
    axes = tuple(attributes.get("axes", (0, 2, 3)))
    off = x - x.mean(axis=axes, keepdims=True)
    return off / (np.sqrt((off * off).mean(axis=axes, keepdims=True)) + 1e-9)


def group_norm(x, scale, bias, attributes):
    groups = x.reshape(x.shape[0], attributes["num_groups"], -1)
    off = groups - groups.mean(axis=-1, keepdims=True)
    normal = (off / np.sqrt((off * off).mean(axis=-1, keepdims=True) + attributes.get("epsilon", float(np.float32(1e-5))))).reshape(x.shape)
    scale, bias = (np.repeat(each, x.shape[1] // each.size).reshape(-1, *[1] * (x.ndim - 2)) for each in (scale, bias))
    return normal * scale + bias


def lrn(x, attributes):
    before = (attributes["size"] - 1) // 2
    padded = np.pad(x * x, [(0, 0), (before, attributes["size"] - 1 - before)] + [(0, 0)] * (x.ndim - 2))
    sums = sum(padded[:, i : i + x.shape[1]] for i in range(attributes["size"]))
    return x / (attributes.get("bias", 1.0) + attributes.get("alpha", float(np.float32(1e-4))) / attributes["size"] * sums) ** attributes.get("beta", 0.75)


ERF = np.vectorize(math.erf, otypes=[np.float64])
# What ONNX Runtime and the reference compute in float though its operand is of doubles.
IN_DOUBLE = {"Erf": lambda x, _: ERF(x), "Gelu": gelu, "LRN": lrn}


def integer_gemm(a, b, c=0, alpha=1.0, beta=1.0, transA=0, transB=0):
    """Modulo the type, as its products and sums are. None where a factor is no integer."""
    if alpha != int(alpha) or beta != int(beta):
        return None
    with np.errstate(all="ignore"):
        product = (a.T if transA else a) @ (b.T if transB else b) * np.array(int(alpha), a.dtype)
        return (product + np.array(int(beta), a.dtype) * c).astype(a.dtype)


def by_rule(step, arrays):
    """Results by NumPy where ONNX Runtime dies or ONNX says nothing; None for all else."""
    node = step.nodes[0]
    if len(step.nodes) != 1 or node.domain:
        return None
    given = [arrays.get(name) for name in node.input]
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    with np.errstate(all="ignore"):
        if node.op_type == "Div" and given[0].dtype.kind in "iu":  # towards zero; the smallest by -1 wraps
            a, b = np.broadcast_arrays(*given)
            quotient = a // b
            return [np.where((quotient < 0) & (quotient * b != a), quotient + 1, quotient).astype(a.dtype)]
        if node.op_type == "Gemm" and given[0].dtype.kind in "iu":  # ONNX Runtime scales by way of double
            product = integer_gemm(*(each for each in given if each is not None), **attributes)
            return None if product is None else [product]
        if node.op_type == "Mod" and given[0].dtype.kind in "iu":
            return [(np.fmod if attributes.get("fmod") else np.mod)(*given)]
        if node.op_type == "ReduceMean" and given[0].dtype.kind in "iu":  # the exact mean, cut towards zero
            axes = given[1] if len(given) > 1 and given[1] is not None else attributes.get("axes")
            axes = tuple(int(a) for a in axes) if axes is not None else tuple(range(given[0].ndim))
            total = np.asarray(given[0].astype(object).sum(axis=axes, keepdims=bool(attributes.get("keepdims", 1))))
            count = given[0].size // max(total.size, 1)
            return [np.vectorize(lambda s: int(abs(s) // count) * (1 if s > 0 else -1), otypes=[object])(total).astype(given[0].dtype)]
        if node.op_type in ("Cast", "CastLike") and given[0].dtype.kind == "f":
            to = given[1].dtype if node.op_type == "CastLike" else helper.tensor_dtype_to_np_dtype(attributes["to"])
            if np.dtype(to).kind in "iu":
                return [saturated(given[0], to)]
        if node.op_type == "QuantizeLinear" and given[0].dtype == np.float16 and np.isinf(given[0]).any():  # ONNX Runtime's conversion is undefined
            finite = [np.where(np.isinf(given[0]), np.sign(given[0]) * 1e30, given[0]).astype(np.float32), given[1].astype(np.float32), *given[2:]]
            return by_reference(step, dict(zip(node.input, finite)), 21, frozenset())
        if node.op_type == "MeanVarianceNormalization":  # the function's squares overflow where those of differences don't
            return [mvn(given[0], attributes)]
        if node.op_type == "GroupNormalization" and given[0].dtype == np.float64:
            return [group_norm(*given, attributes)]
        if node.op_type in IN_DOUBLE and given[0].dtype == np.float64:
            return [IN_DOUBLE[node.op_type](given[0], attributes)]
    return None


EXPANSIONS = {}  # (domain, op) -> function(arrays, attributes), of ops without a kernel on ONNX Runtime's CPU


def by_expansion(step, arrays):
    node = step.nodes[0]
    function = EXPANSIONS.get((node.domain, node.op_type))
    if not function or len(step.nodes) != 1:
        return None
    with np.errstate(all="ignore"):
        return function([arrays.get(name) for name in node.input], {a.name: helper.get_attribute_value(a) for a in node.attribute})


def evaluate(step, arrays, opset, fixed=frozenset()):
    """Results of a step as arrays."""
    for oracle in (lambda: by_rule(step, arrays), lambda: by_expansion(step, arrays), lambda: by_runtime(step, arrays, opset, fixed),
                   lambda: by_reference(step, arrays, opset, fixed)):
        found = oracle()
        if found is None:
            continue
        if any(not isinstance(each, (np.ndarray, np.generic)) or np.asarray(each).dtype.kind not in "fiubV" for each in found):
            raise Unknown("no tensor")
        return [np.asarray(each) for each in found]
    raise Unknown(step.nodes[0].op_type)


def by_other(graph):
    """Values of the graph by the reference wherever it has an op: a second opinion. None without one."""
    values = {value.name: value.array for value in graph.leaves}
    for step in graph.steps:
        arrays, fixed = {n: values[n] for n in step.inputs}, {n for n in step.inputs if graph.values[n].fixed}
        try:
            results = by_rule(step, arrays) or by_reference(step, arrays, graph.opset, fixed) or evaluate(step, arrays, graph.opset, fixed)
        except Unknown:
            return None
        values.update(zip(step.outputs, map(np.asarray, results)))
    return values


def floating(array):
    return array.dtype in EPSILON


def exact(step):
    return all(node.op_type in EXACT and not node.domain for node in step.nodes)


def sums(step):
    return any(node.op_type in SUMS for node in step.nodes)


def blurred(array, units, generator, engine=False, summed=False):
    """The array with each element moved by up to some units of its type, or of fp16; with `summed` of those of the largest element."""
    if not floating(array) or not array.size:
        return array
    epsilon = max(EPSILON[array.dtype], 2.0**-11 if engine else 0)
    with np.errstate(all="ignore"):
        wide = array.astype(np.float64)
        size = np.abs(wide)
        if summed and not engine:
            size = np.full(size.shape, np.where(np.isfinite(size), size, 0).max())
        step = np.maximum(size * epsilon, 2.0**-25 if engine else 0)
        moved = wide + units * step * generator.uniform(-1, 1, array.shape)
        return np.where(np.isfinite(moved) & (step > 0), moved, wide).astype(array.dtype)  # a zero keeps its sign


def blurred_tail(step, array, given, generator):
    """The result of an op of TAILS moved by up to a unit of its largest operand."""
    factors = TAILS.get(step.nodes[0].op_type)
    if not factors or not floating(array):
        return array
    sizes = [np.abs(each.astype(np.float64)) for each in given.values()]
    largest = max(size.max(initial=0.0, where=np.isfinite(size)) for size in sizes)
    unit = EPSILON[array.dtype] * largest**factors
    moved = array.astype(np.float64) + unit * generator.uniform(-1, 1, array.shape)
    moved = np.where((np.abs(array.astype(np.float64)) <= unit) & (generator.random(array.shape) < 0.25), 0, moved)
    return np.where(np.isfinite(array.astype(np.float64)), moved, array).astype(array.dtype)


def with_overflow(array, given, generator, others=[]):
    """The result of a sum of finite operands with any of inf, -inf, NaN and `others` where it is one of these: the order of the terms decides."""
    if not floating(array) or not all(np.isfinite(each.astype(np.float64)).all() for each in given.values() if floating(each)):
        return array
    wide = array.astype(np.float64)
    return np.where(np.isfinite(wide), wide, generator.choice([np.inf, -np.inf, np.nan] + others, array.shape)).astype(array.dtype)


def varied(graph, generator, engine=False, known=()):
    """Values of the graph with every rounding varied; with `engine` as if all floats were stored in fp16, but for constants `known`."""
    known = set(known)
    values = {value.name: value.array for value in graph.leaves}
    for step in graph.steps:
        given, loose = {}, engine or not exact(step)
        for name in step.inputs:
            array, value = values[name], graph.values[name]
            # What is constant is known to the compiler.
            isKnown = value.fixed or engine and name in known and not any(node.op_type in ATTENTION for node in step.nodes)
            given[name] = blurred(array, 1, generator, engine) if loose and not isKnown else array
        results = evaluate(step, given, graph.opset, {n for n in step.inputs if graph.values[n].fixed})
        if sums(step):
            results = [with_overflow(array, given, generator) for array in results]
        if any(node.op_type == "ReduceProd" for node in step.nodes):
            results = [with_overflow(array, given, generator, [0]) for array in results]
        if any(node.op_type in INTERPOLATED for node in step.nodes):
            results = [np.where(array == 0, generator.choice([-1, 1], array.shape) * array, array).astype(array.dtype)
                       if floating(array) else array for array in results]
        for name, array in zip(step.outputs, results):
            isKnown = known >= set(step.inputs) and not any(node.op_type in NOT_EVALUATED for node in step.nodes)
            known |= {name} if isKnown else set()
            if loose and not (engine and name in known):
                array = blurred(array, 8 if sums(step) and not engine else 2, generator, engine, sums(step))
                array = blurred_tail(step, array, given, generator)
                if engine and not exact(step) and floating(array):  # one and what a function makes of x, in fp16 before they meet
                    array = (array.astype(np.float64) + 2.0**-12 * generator.uniform(-1, 1, array.shape)).astype(array.dtype)
            values[name] = array
    return values


def spread(graph, name, seed, engine=False, known=()):
    """(how far each element of a value moves, which are not the same in kind each time): what its roundings cost it."""
    want = graph.values[name].array
    moved, unstable = np.zeros(want.shape), np.zeros(want.shape, bool)
    for run in range(RUNS):
        try:
            got = varied(graph, np.random.default_rng([seed, run]), engine, known)[name]
        except Exception:
            continue
        if got.shape != want.shape:
            return moved, np.ones(want.shape, bool)
        if not floating(want):
            unstable |= got != want
            continue
        a, b = got.astype(np.float64), want.astype(np.float64)
        same = np.isfinite(a) & np.isfinite(b)
        unstable |= ~same & ~((a == b) | (np.isnan(a) & np.isnan(b)))
        with np.errstate(all="ignore"):
            moved = np.maximum(moved, np.where(same, np.abs(a - b), 0))
    return moved, unstable


def differences(got, want, limit):
    """Elements of `got` that are not `want`: floats beyond `limit` of the largest, all else where it is not equal."""
    if not floating(want):
        return got != want
    a, b = got.astype(np.float64), want.astype(np.float64)
    finite = np.isfinite(b)
    largest = np.abs(b[finite]).max(initial=0.0)
    smallest = float(ml_dtypes.finfo(want.dtype).tiny)
    with np.errstate(all="ignore"):
        near = np.abs(a - b) <= limit * largest + smallest
        return ~np.where(finite, near & np.isfinite(a), (a == b) | (np.isnan(a) & np.isnan(b)))


def compare(graph, name, got, device, seed, known=()):
    """What is wrong with a value that a device gave: None, or (kind, text). Kinds: "wrong"; "relative": right beside the largest alone;
    "coarse": what storage in fp16 explains, that of the constants `known` not counted."""
    want = graph.values[name].array
    if got.dtype != want.dtype or got.shape != want.shape:
        return "wrong", f"{got.dtype}{got.shape}, not {want.dtype}{want.shape}"
    limit = LIMIT.get(want.dtype, 0) if device == "cpu" else ENGINE_LIMIT
    if device == "cpu" and want.dtype == np.float64 and any(node.op_type in ROUGH for step in graph.steps for node in step.nodes):
        limit = 1e-5
    off = differences(got, want, limit)
    if floating(want) and any(sums(step) for step in steps_to(graph, name)):
        # The function of a centred norm overflows where its differences don't.
        isCentred = any(node.op_type == "MeanVarianceNormalization" for step in steps_to(graph, name) for node in step.nodes)
        isHuge = any(floating(v.array) and v.array.size and np.abs(v.array.astype(np.float64)).max() > 1e30 for v in graph.values.values())
        off &= np.isfinite(want.astype(np.float64)) | (np.isfinite(got.astype(np.float64)) & (not isCentred and not isHuge))
    if want.dtype.kind in "iu" and any(node.domain for step in graph.steps for node in step.nodes):
        off &= np.abs(got.astype(np.float64) - want.astype(np.float64)) > 1  # ONNX Runtime rounds these in steps of its own
    kind = "wrong"
    if device == "cpu" and not off.any() and floating(want) and all(node.op_type in ELEMENTWISE for s in graph.steps for node in s.nodes):
        off, kind = elementwise(got, want), "relative"
    if not off.any():
        return None
    off &= ~explained(graph, name, got, seed)
    if off.any():
        off &= ~nearer(graph, name, got)
    if off.any():
        other = by_other(graph)
        if other is not None and other[name].shape == want.shape and other[name].dtype == want.dtype:
            off &= (elementwise(got, other[name]) if kind == "relative" else differences(got, other[name], limit))
    if not off.any():
        return None
    if device != "cpu" and not (off & ~explained(graph, name, got, seed, True, known)).any():
        kind = "coarse"
    where = tuple(int(i) for i in np.argwhere(off)[0])
    return kind, f"{int(off.sum())} of {off.size} differ, at {list(where)} got {got[where]!s}, want {want[where]!s}"


def elementwise(got, want):
    """Elements that are off by more than a few units of their own, whatever the largest is."""
    a, b = got.astype(np.float64), want.astype(np.float64)
    with np.errstate(all="ignore"):
        off = np.abs(a - b) > 32 * EPSILON[want.dtype] * np.abs(b) + 4 * float(ml_dtypes.finfo(want.dtype).smallest_subnormal)
    return off & np.isfinite(b)


def explained(graph, name, got, seed, engine=False, known=()):
    """Elements that are no farther off than the value's own roundings make them."""
    moved, unstable = spread(graph, name, seed, engine, known)
    want = graph.values[name].array
    if not floating(want):
        return unstable
    if any(node.op_type in ("Div", "Reciprocal", "Pow", "Log", "Mod") for step in graph.steps for node in step.nodes):
        unstable |= moved > np.abs(want.astype(np.float64)) / 2  # no digit is known
    with np.errstate(all="ignore"):
        return unstable | (np.abs(got.astype(np.float64) - want.astype(np.float64)) <= 16 * moved)


WIDER = {np.dtype(np.float16): np.float32, np.dtype(np.float32): np.float64, BFLOAT16: np.float32}


def steps_to(graph, name):
    """The steps that a value depends on."""
    wanted, steps = {name}, []
    for step in reversed(graph.steps):
        if wanted & set(step.outputs):
            wanted |= set(step.inputs)
            steps.append(step)
    return steps[::-1]


def widened(graph, name):
    """Values that `name` depends on in the next wider float type, None where an op has no kernel for it."""
    values = {v.name: v.array.astype(WIDER[v.dtype]) if v.dtype in WIDER else v.array for v in graph.leaves}
    for step in steps_to(graph, name):
        nodes = []
        for node in step.nodes:
            made = onnx.NodeProto()
            made.CopyFrom(node)
            for attribute in made.attribute:
                if attribute.name in ("to", "dtype", "output_dtype", "output_datatype", "stash_type"):
                    dtype = np.dtype(helper.tensor_dtype_to_np_dtype(attribute.i)) if attribute.i else None
                    attribute.i = helper.np_dtype_to_tensor_dtype(np.dtype(WIDER[dtype])) if dtype in WIDER else attribute.i
            nodes.append(made)
        try:
            results = evaluate(step._replace(nodes=nodes), {n: values[n] for n in step.inputs}, graph.opset,
                               {n for n in step.inputs if graph.values[n].fixed})
        except Exception:
            return None
        values.update(zip(step.outputs, results))
    return values


def nearer(graph, name, got):
    """Elements that are about as near to the value in wider arithmetic as the expected ones are."""
    want = graph.values[name].array
    isNarrow = any(value.dtype in (np.dtype(np.float16), BFLOAT16) for value in graph.values.values())
    values = widened(graph, name) if want.dtype in WIDER or isNarrow else None
    if values is None or values[name].shape != want.shape:
        return np.zeros(want.shape, bool)
    if not floating(want):  # of floats that may have kept more digits than their type has
        return values[name] == got
    truth = values[name].astype(np.float64)
    with np.errstate(all="ignore"):
        ours, theirs = np.abs(got.astype(np.float64) - truth), np.abs(want.astype(np.float64) - truth)
        theirs = np.where(np.isnan(theirs) & np.isfinite(truth), np.inf, theirs)  # what overflowed in the narrow type alone
        return (ours <= 4 * theirs + 8 * EPSILON[want.dtype] * np.abs(truth)) | (np.isnan(got.astype(np.float64)) & np.isnan(truth))
