"""Buckets: one model for several sizes of a dimension, run at every size between them, against ONNX Runtime at that size; what may
not be filled up."""
import json
import re

import numpy as np
import onnx
import onnx.parser
import pytest

import anetest
import frontend  # finds the package

import anemone

WIDTH, VOCABULARY = 256, 100
SIZES = (32, 64, 128, 256, 512, 1024)


def model(pooling, mask="attention_mask", places="n"):
    """Tokens through a product, and what `pooling` makes of the products `h` and of `seen`, the mask as numbers: `pooled`."""
    rng = np.random.default_rng(4)
    made = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["": 17]>
        g (int64[1, {places}] input_ids, int64[1, {places}] {mask}) => (float[1, {places}, {WIDTH}] tokens, float[1, {WIDTH}] pooled)
        <int64[1] one = {{1}}, int64[1] two = {{2}}, float tiny = {{0.001}}> {{
            x = Gather(table, input_ids)  xw = MatMul(x, w)  h = Relu(xw)
            number = Cast<to = 1>({mask})  seen = Unsqueeze(number, two)
            tokens = Identity(h)
            {pooling} }}""")
    for name, shape in (("table", (VOCABULARY, WIDTH)), ("w", (WIDTH, WIDTH))):
        made.graph.initializer.append(onnx.numpy_helper.from_array((rng.standard_normal(shape) / 16).astype(np.float32), name))
    return made


MEAN_OF_SEEN = """masked = Mul(h, seen)  sum = ReduceSum<keepdims = 0>(masked, one)
                  count = ReduceSum<keepdims = 0>(seen, one)  least = Max(count, tiny)  pooled = Div(sum, least)"""


def inputs(size, mask="attention_mask", seed=1):
    rng = np.random.default_rng(seed)
    seen = np.ones((1, size), np.int64)
    seen[:, size - size // 4:] = 0  # of its own, before any filling up
    return {"input_ids": rng.integers(0, VOCABULARY, (1, size)), mask: seen}


@pytest.fixture(scope="module")
def pooled(tmp_path_factory):
    """(model, bundle)"""
    made = model(MEAN_OF_SEEN)
    return made, anemone.compile(made, tmp_path_factory.mktemp("buckets") / "m.anebundle", buckets={"n": SIZES})


@pytest.mark.parametrize("device, tolerance", [("cpu", 1e-5), ("emulator", 5e-3)])
def test_every_size(pooled, device, tolerance):
    made, bundle = pooled
    loaded = bundle.load(device=device)
    assert loaded.buckets == SIZES and str(loaded.inputs[0]) == "input_ids: int64[1, -1]"
    assert loaded.functions[0] == "main_bucket_32"
    for size in (1, 31, 32, 33, 100, 128, 129):
        given = inputs(size)
        want, got = anetest.reference(made, given), loaded(**given)
        for name, array in want.items():
            assert got[name].shape == array.shape
            np.testing.assert_allclose(got[name], array, rtol=0, atol=tolerance, err_msg=f"{name} at {size}")
    assert not loaded.events()
    # A bucket by its own name takes its size only.
    exact = loaded.function("main_bucket_64")
    assert exact(**inputs(64))["tokens"].tobytes() == loaded(**inputs(64))["tokens"].tobytes()


def test_weights_stand_once(pooled, tmp_path):
    """In all buckets, from 32 to 1,024, they take hardly more than in one."""
    made, bundle = pooled
    one = anemone.compile(made, tmp_path / "one", dims={"n": SIZES[0]})

    def size(bundle):
        return sum(path.stat().st_size for path in (bundle.path / "weights").iterdir())

    print(f"{size(one)} bytes of weights for one size, {size(bundle)} for {len(SIZES)}")
    assert size(bundle) <= 1.02 * size(one)


def test_wrong_sizes(pooled):
    loaded = pooled[1].load(device="cpu")
    for size, remedy in (1025, r"pass it in parts, or compile the model for more \(buckets=\)"), (0, "pass 1 or more"):
        with pytest.raises(anemone.RunError, match=rf"input 'input_ids': has shape \(1, {size}\), expected \(1, -1\) with -1 from 1 to "
                                                   rf"1024; remedy: {remedy}"):
            loaded(**inputs(size))
    with pytest.raises(anemone.RunError, match="differ in the dimension of buckets: 40 in 'attention_mask', 50 in 'input_ids'"):
        loaded(input_ids=inputs(50)["input_ids"], attention_mask=inputs(40)["attention_mask"])
    with pytest.raises(anemone.RunError, match="shape"):
        loaded(input_ids=np.zeros((2, 32), np.int64), attention_mask=np.zeros((2, 32), np.int64))
    for arguments, bucket in ((), "main_bucket_1024"), (("--function=main_bucket_32",), "main_bucket_32"):
        assert bucket in anetest.run("ane-run", pooled[1].path, "--random-inputs", *arguments).stdout


# ---- nothing hides what is filled up -------------------------------------------------


@pytest.mark.parametrize("pooling, mask", [
    # The mask hides what is there, and the mean is over all places.
    ("masked = Mul(h, seen)  pooled = ReduceMean<axes = [1], keepdims = 0>(masked)", "attention_mask"),
    (MEAN_OF_SEEN, "seen_places"),  # nothing says that this is a mask
])
def test_only_exact_sizes(pooling, mask, tmp_path):
    made = model(pooling, mask)
    bundle = anemone.compile(made, tmp_path / "m.anebundle", buckets={"n": (8, 16)})
    assert any("op averages over all places" in str(d) for d in bundle.diagnostics) == (mask == "attention_mask")
    loaded = bundle.load(device="cpu")
    for size in (8, 16):
        np.testing.assert_allclose(loaded(**inputs(size, mask))["pooled"], anetest.reference(made, inputs(size, mask))["pooled"], atol=1e-5)
    with pytest.raises(anemone.RunError, match="n is 12, and function main runs 8, 16 only: .*--bucket-pad=zeros"):
        loaded(**inputs(12, mask))


@pytest.mark.parametrize("table", [
    "end = Unsqueeze(n0, zero)  part = Slice(positions, zero, end, axis)",
    "n1 = Cast<to = 7>(n0)  ids = Range(first, n1, step)  rows = Gather(flat, ids)  part = Unsqueeze(rows, zero)"], ids=["slice", "gather"])
def test_the_whole_table_of_positions(table, tmp_path):
    """The largest size may be all that the model has places for."""
    made = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["": 17]>
        g (float[1, n, 8] x, int64[1, n] attention_mask) => (float[1, 8] y)
        <int64 one = {{1}}, int64[1] zero = {{0}}, int64[1] axis = {{1}}, int64[1] two = {{2}}, int64 first = {{0}}, int64 step = {{1}}> {{
            s = Shape(attention_mask)  n0 = Gather(s, one)  {table}  placed = Add(x, part)
            number = Cast<to = 1>(attention_mask)  seen = Unsqueeze(number, two)
            h = Mul(placed, seen)  y = ReduceSum<keepdims = 0>(h, axis) }}""")
    positions = np.random.default_rng(0).standard_normal((1, 64, 8)).astype(np.float32)
    made.graph.initializer.extend([onnx.numpy_helper.from_array(positions, "positions"), onnx.numpy_helper.from_array(positions[0], "flat")])
    for sizes in ((8, 16), (8, 64)):
        bundle = anemone.compile(made, tmp_path / f"{sizes[1]}.anebundle", buckets={"n": sizes})
        assert not bundle.diagnostics
        loaded = bundle.load(device="cpu")
        for size in (3, 12, sizes[1]):
            given = {"x": np.ones((1, size, 8), np.float32), "attention_mask": np.ones((1, size), np.int64)}
            np.testing.assert_allclose(loaded(**given)["y"], anetest.reference(made, given)["y"], rtol=0, atol=1e-5)


def test_another_table_for_each_size(tmp_path):
    """The last rows of a table are not the beginning of more of them."""
    made = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["": 17]>
        g (float[1, n, 8] x, int64[1, n] attention_mask) => (float[1, 8] y)
        <int64 one = {1}, int64[1] zero = {0}, int64[1] axis = {1}, int64[1] two = {2}, int64[1] all = {64}> {
            s = Shape(attention_mask)  n0 = Gather(s, one)  n1 = Unsqueeze(n0, zero)  begin = Neg(n1)  part = Slice(positions, begin, all, axis)
            placed = Add(x, part)  number = Cast<to = 1>(attention_mask)  seen = Unsqueeze(number, two)
            h = Mul(placed, seen)  y = ReduceSum<keepdims = 0>(h, axis) }""")
    positions = np.random.default_rng(0).standard_normal((1, 64, 8)).astype(np.float32)
    made.graph.initializer.append(onnx.numpy_helper.from_array(positions, "positions"))
    for sizes in ((8, 16), (8, 64)):
        bundle = anemone.compile(made, tmp_path / f"{sizes[1]}.anebundle", buckets={"n": sizes})
        assert "value is not the beginning of what it is for a larger size" in str(bundle.diagnostics[0])


SUMS = "op adds up places, and no mask has made those behind the end of an input 0 just before"
COMPARES = "op compares places, and no mask has made those behind the end of an input large and negative just before"
MIXES = "op mixes places, also those behind the end of an input"
MASKED = "masked = Mul(h, seen)  "
SUM = "pooled = ReduceSum<keepdims = 0>(summed, one)"
COUNTED = "count = ReduceSum<keepdims = 0>(seen, one)  pooled = Add(most, count)"


@pytest.mark.parametrize("pooling, why", [
    ("pooled = ReduceMax<axes = [1], keepdims = 0>(masked)", COMPARES),
    ("less = Sub(masked, bias)  pooled = ReduceMin<axes = [1], keepdims = 0>(less)", MIXES),
    ("less = Sub(masked, bias)  pooled = ReduceProd<axes = [1], keepdims = 0>(less)", MIXES),
    ("summed = Exp(masked)  " + SUM, SUMS),
    ("summed = Add(masked, bias)  " + SUM, SUMS),
    ("sum = Add(masked, h)  summed = Mul(sum, tiny)  " + SUM, SUMS),
    ("share = Softmax<axis = 1>(masked)  summed = Mul(share, masked)  " + SUM, COMPARES),
    ("most = ArgMax<axis = 1, keepdims = 0>(masked)  pooled = Cast<to = 1>(most)", MIXES),
    # The text classifier of old: embeddings, a convolution with a bias, the largest of all places.
    ("turned = Transpose<perm = [0, 2, 1]>(masked)  near = Conv<pads = [1, 1], kernel_shape = [3]>(turned, filters, biases)"
     "  positive = Relu(near)  pooled = ReduceMax<axes = [2], keepdims = 0>(positive)", MIXES),
    ("turned = Transpose<perm = [0, 2, 1]>(masked)  near = MaxPool<kernel_shape = [3], pads = [1, 1]>(turned)"
     "  summed = Transpose<perm = [0, 2, 1]>(near)  " + SUM, MIXES),
    ("running = CumSum<reverse = 1>(h, axis)  summed = Mul(running, seen)  " + SUM, MIXES),
    ("turned = Transpose<perm = [0, 2, 1]>(h)  each = MatMul(turned, h)  most = ReduceMax<axes = [1], keepdims = 0>(each)  " + COUNTED, SUMS),
    # A pair of places, and places in another order.
    ("pairs = Reshape(masked, in_pairs)  most = ReduceMax<axes = [1], keepdims = 1>(pairs)  pooled = ReduceSum<keepdims = 0>(most, axes)", MIXES),
    ("turned = Transpose<perm = [0, 2, 1]>(masked)  wide = Reshape(turned, as_masked)  summed = Mul(wide, seen)  " + SUM, MIXES),
    ("behind = Slice(h, one, last, one)  before = Slice(masked, zero, end, one)  summed = Mul(behind, before)  " + SUM, SUMS),
])
def test_places_that_no_mask_hides(pooling, why, tmp_path):
    """What shows only with some inputs is refused, whatever the first run is given: the sizes themselves run."""
    made = with_constants(model(MASKED + pooling))
    bundle = anemone.compile(made, tmp_path / "m.anebundle", buckets={"n": (8, 16)})
    assert any(f"only the sizes themselves run: this {why}" in str(d) for d in bundle.diagnostics), bundle.diagnostics
    loaded = bundle.load(device="cpu")
    np.testing.assert_allclose(loaded(**inputs(16))["pooled"], anetest.reference(made, inputs(16))["pooled"], rtol=1e-4, atol=1e-5)
    with pytest.raises(anemone.RunError, match="n is 12, and function main runs 8, 16 only: .*--bucket-pad=zeros"):
        loaded(**inputs(12))


@pytest.mark.parametrize("pooling", [
    "is_seen = Cast<to = 9>(seen)  low = Where(is_seen, h, least)  pooled = ReduceMax<axes = [1], keepdims = 0>(low)",
    "hidden = Equal(seen, none)  low = Where(hidden, least, h)  share = Softmax<axis = 1>(low)  summed = Mul(share, h)  " + SUM,
    # Softmax by hand.
    """unseen = Sub(single, seen)  low = Mul(unseen, least)  scores = Add(h, low)  most = ReduceMax<axes = [1], keepdims = 1>(scores)
       less = Sub(scores, most)  e = Exp(less)  total = ReduceSum<keepdims = 1>(e, one)  summed = Div(e, total)  """ + SUM,
    # The mean as a product, of what a norm of each place has made.
    """norm = LayerNormalization<axis = -1>(h, scales)  weights = Transpose<perm = [0, 2, 1]>(seen)  mean = MatMul(weights, norm)
       pooled = Squeeze(mean, one)""",
    # Attention, whose queries are places, too, that see only those before them.
    """turned = Transpose<perm = [0, 2, 1]>(h)  each = MatMul(h, turned)  unseen = Trilu<upper = 1>(square, one)
       scores = Add(each, unseen)  share = Softmax<axis = -1>(scores)  mixed = MatMul(share, h)  summed = Mul(mixed, seen)  """ + SUM,
    # A running sum, and the first place of a text.
    "running = CumSum(h, axis)  summed = Mul(running, seen)  " + SUM,
    "most = Gather<axis = 1>(h, first)  " + COUNTED,
    "heads = Reshape(masked, in_heads)  turned = Transpose<perm = [0, 2, 1, 3]>(heads)  sum = ReduceSum<keepdims = 0>(turned, two)"
    "  pooled = Reshape(sum, flat)",
])
def test_places_that_are_apart_or_hidden(pooling, tmp_path):
    made = with_constants(model(MASKED + pooling))
    loaded = anemone.compile(made, tmp_path / "m.anebundle", buckets={"n": (8, 16)}).load(device="cpu")
    for size in (5, 8, 12):
        np.testing.assert_allclose(loaded(**inputs(size))["pooled"], anetest.reference(made, inputs(size))["pooled"], rtol=1e-4, atol=1e-5)


def with_constants(made):
    """What poolings need, where they need it."""
    rng = np.random.default_rng(5)
    used = {name for node in made.graph.node for name in node.input}
    if "square" in used:  # of n by n
        steps = (("Shape", ["input_ids"], "shape"), ("Gather", ["shape", "one"], "n"), ("Concat", ["n", "n"], "n_by_n"),
                 ("Expand", ["floor", "n_by_n"], "square"))
        nodes = [onnx.helper.make_node(kind, of, [to], **({"axis": 0} if kind == "Concat" else {})) for kind, of, to in steps]
        for node in reversed(nodes):
            made.graph.node.insert(0, node)
        used.add("floor")
    for name, value in {
        "bias": np.float32(0.5), "least": np.float32(-1e9), "none": np.float32(0), "single": np.float32(1), "floor": np.float32(-1e9), "axis": np.array(1),
        "first": np.array(0), "zero": np.array([0]), "last": np.array([1 << 30]), "end": np.array([-1]), "axes": np.array([1, 2]),
        "in_pairs": np.array([1, -1, 2, WIDTH]), "as_masked": np.array([1, -1, WIDTH]), "in_heads": np.array([1, -1, 4, WIDTH // 4]),
        "flat": np.array([1, WIDTH]), "scales": np.ones(WIDTH, np.float32), "biases": np.full(WIDTH, 0.5, np.float32),
        "filters": (rng.standard_normal((WIDTH, WIDTH, 3)) / 30).astype(np.float32),
    }.items():
        if name in used:
            made.graph.initializer.append(onnx.numpy_helper.from_array(np.asarray(value), name))
    return made


def test_a_mask_that_hides_too_little_is_found(tmp_path):
    """Scores beside which the mask's number is small: the first run that is filled up says so."""
    made = model("""many = Mul(h, great)  unseen = Sub(single, seen)  low = Mul(unseen, less)  scores = Add(many, low)
                    pooled = ReduceMax<axes = [1], keepdims = 0>(scores)""")
    for name, value in ("great", 1e9), ("single", 1), ("less", -1e4):
        made.graph.initializer.append(onnx.numpy_helper.from_array(np.float32(value), name))
    loaded = anemone.compile(made, tmp_path / "m.anebundle", buckets={"n": (8, 16)}).load(device="cpu")
    want = anetest.reference(made, inputs(16))
    np.testing.assert_allclose(loaded(**inputs(16))["pooled"], want["pooled"], rtol=1e-5)
    for _ in range(2):
        with pytest.raises(anemone.RunError, match="output pooled of function main_bucket_16 depends on what inputs are filled up with from 12"):
            loaded(**inputs(12))


def test_zeros_where_the_user_says_so(tmp_path):
    made = model("pooled = ReduceSum<keepdims = 0>(h, one)", "seen_places")  # the table's first row is no zero, but here it is
    made.graph.initializer[-2].CopyFrom(onnx.numpy_helper.from_array(
        np.concatenate([np.zeros((1, WIDTH), np.float32), np.ones((VOCABULARY - 1, WIDTH), np.float32)]), "table"))
    loaded = anemone.compile(made, tmp_path / "m.anebundle", buckets={"n": (8, 16)}, options=["--bucket-pad=zeros"]).load(device="cpu")
    given = inputs(12, "seen_places")
    np.testing.assert_allclose(loaded(**given)["pooled"], anetest.reference(made, given)["pooled"], rtol=1e-5, atol=1e-5)


def test_what_has_no_buckets(tmp_path):
    """Axes that are not the dimension itself, and flags that say nothing."""
    def compile(made, *flags, **expected):
        onnx.save(made, tmp_path / "m.onnx")
        return anetest.rejected("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m", *flags, **expected)

    twice = frontend.parse("""<ir_version: 8, opset_import: ["": 17]>
        g (float[n] x) => (float[m] y) { y = Concat<axis = 0>(x, x) }""")
    compile(twice, "--bucket=n=4,8", says="axis 0 of output 'y' is 8, 16 for its sizes")
    counter = frontend.parse("""<ir_version: 8, opset_import: ["": 17]>
        g (float[n] x, float[n] total) => (float[n] new_total) { new_total = Add(total, x) }""")
    compile(counter, "--bucket=n=4,8", "--state=total=new_total", says="which functions 'main_bucket_4' and 'main_bucket_8' share, is")
    for text, says in (("n=4", "is not DIMENSION=SIZE,SIZE"), ("n=4,4", "the size 4 twice"), ("n=0,4", "is not DIMENSION"),
                       ("=4,8", "is not DIMENSION"), ("n=4,x", "is not DIMENSION")):
        compile(counter, f"--bucket={text}", code=2, says=says)
    compile(counter, "--bucket=n=4,8", "--bucket=n=16,32", code=2, says="buckets of one dimension")
    compile(counter, "--bucket-pad=zeros", code=2, says="--bucket-pad")
    compile(counter, "--bucket=n=4,8", "--bucket-pad=ones", code=2, says="zeros is what")
    compile(counter, "--bucket=k=4,8", says="--bucket k=4: no input has a dimension of that name")
    compile(counter, "--bucket=n=4,8", "--dim=n=4", says="dimension 'n'")


def test_phases_keep_buckets(pooled, tmp_path):
    onnx.save(pooled[0], tmp_path / "m.onnx")
    anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "direct", "--bucket=n=8,16", "--host=none")
    anetest.run("ane-compile", tmp_path / "m.onnx", "-o", tmp_path / "m.mlir", "--bucket=n=8,16", "--compile-to=legal")
    anetest.run("ane-compile", tmp_path / "m.mlir", "-o", tmp_path / "text", "--host=none")
    made = [json.loads((tmp_path / name / "manifest.json").read_text()) for name in ("direct", "text")]
    assert made[0] == made[1] and made[0]["buckets"][0]["masks"] == [1]
    text = (tmp_path / "m.mlir").read_text()
    (tmp_path / "wrong.mlir").write_text(text.replace("pads = true", "pads = 1 : i64"))
    anetest.rejected("ane-compile", tmp_path / "wrong.mlir", "-o", tmp_path / "wrong", says="and bool pads")
    (tmp_path / "bare.mlir").write_text(re.sub(r"ane.bucket_axes = array<i64[^>]*>, ", "", text))
    anetest.rejected("ane-compile", tmp_path / "bare.mlir", "-o", tmp_path / "bare", says="but argument 0 no ane.bucket_axes")


# ---- a real model ----------------------------------------------------------------------


@pytest.mark.skipif(not anetest.minilm_path(), reason="MiniLM is not there")
def test_minilm(tmp_path):
    path = anetest.minilm_path()
    bundle = anemone.compile(path, tmp_path / "m.anebundle", dims={"batch_size": 1}, buckets={"sequence_length": (32, 64, 128)})
    one = anemone.compile(path, tmp_path / "one.anebundle", dims={"batch_size": 1, "sequence_length": 32})
    weights = [sum(file.stat().st_size for file in (tmp_path / name / "weights").iterdir()) for name in ("m.anebundle", "one.anebundle")]
    print(f"weights of three buckets {weights[0]} bytes, of one {weights[1]}")
    assert weights[0] <= 1.02 * weights[1]
    for device, tolerance in (("cpu", 1e-5), ("emulator", 1e-2)):
        loaded = bundle.load(device=device)
        for size in (7, 32, 50, 100):
            rng = np.random.default_rng(size)
            given = {"input_ids": rng.integers(1000, 20000, (1, size)), "attention_mask": np.ones((1, size), np.int64),
                     "token_type_ids": np.zeros((1, size), np.int64)}
            given = {info.name: given[info.name] for info in loaded.inputs}
            want, got = anetest.reference(path, given), loaded(**given)
            for name, array in want.items():
                error = anetest.Error(got[name], array)
                print(f"{device} {size} {name}: {error}")
                assert error.max <= tolerance * error.scale
        assert not loaded.events()
