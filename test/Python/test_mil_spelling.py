"""Every op of test/IR that MIL can spell: coremltools builds the same statement, and reading it back gives the same text."""
import re
import subprocess

import pytest

import anetest

pytest.importorskip("coremltools")
import coremltools_mil  # noqa: E402

MODULE = """module attributes {{ane.target = #ane.target<chip = "h16g", route = in_memory, os = 15, opset = ios18, strictness = catalog>}} {{
{function}
}}
"""

# What can't be written, by the message that says why.
UNSPELLED = re.compile(
    r"has no spelling in MIL; it must be decomposed"  # composites
    r"|MIL has no tensors of '(?:u?i64|bf16|f64)'"  # host types
    r"|names bytes of the model, not a record of a weight file"  # before ane-assign-blobs
    r"|is out of range of MIL's int32"  # parameters that only folders meet
    r"|must be a constant"  # constexpr ops whose operands are arguments of the test's function
    r"|is not an ane.state")  # the state is outside the function

# Where the dialect says more than coremltools' builder takes, which is no matter of spelling.
DIFFERENT = {
    "conv_custom": "mixes an int8 weight with a fp16 bias",
    "linear_bias": "mixes an int8 weight with a fp32 bias",
    "cast_uint32": "uint32 is a type of the host",
    "einsum_one": "one operand; decomposed before it is written",
    "select": "coremltools does not broadcast the condition",
    "conv_transpose_shape": "coremltools reads `pad`, which is optional",
    "layer_norm": "coremltools can't take its own default of `axes`",
    "layer_norm_beta": "coremltools reads `gamma`, which is optional",
    "constexpr_sparse_to_dense": "coremltools counts the ones of the mask, for which the checker has no value",
    "constexpr_lut_to_sparse": "the same",
    "constexpr_sparse_blockwise_shift_scale": "the same",
    "non_maximum_suppression": "the form before ios17, with four results",
}


def functions():
    found = []
    for path in sorted((anetest.ROOT / "test" / "IR").glob("*.mlir")):
        if not path.read_text().startswith("// Round trip") or path.stem in ("structure", "layout"):
            continue  # folders, errors, and containers, which are no operations of MIL
        for function in re.findall(r"^func\.func .*?^}$", path.read_text(), re.M | re.S):
            found.append((re.search(r'@"?([\w.-]+)', function)[1], function))
    return found


def translate(direction, text):
    command = [str(anetest.tool("ane-translate")), direction]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=anetest.TIMEOUT)


def test_every_op():
    written, unspelled, different = 0, [], set()
    for name, function in functions():
        done = translate("--ane-to-mil", MODULE.format(function=function))
        if done.returncode:
            assert UNSPELLED.search(done.stderr), f"{name}: {done.stderr}"
            unspelled.append(name)
            continue
        written += 1
        read = translate("--mil-to-ane", done.stdout)
        assert read.returncode == 0, f"{name}: {read.stderr}\n{done.stdout}"
        again = translate("--ane-to-mil", read.stdout)
        assert again.stdout == done.stdout, f"{name}: {again.stderr}"
        try:
            coremltools_mil.check(done.stdout)
        except Exception as error:
            assert name in DIFFERENT, f"{name}: {error}\n{done.stdout}"
            different.add(name)
    assert written >= 150
    # A difference that is gone must go from the list.
    assert different == {name for name, _ in functions() if name in DIFFERENT}


def test_differences_are_seen():
    """The checker itself: each kind of fault in a text that is otherwise right."""
    text = """program(1.0)
[buildInfo = dict<tensor<string, []>, tensor<string, []>>({{"coremlc-version", "3505.4.1"}})]
{
    func main<ios16>(tensor<fp16, [1, 4]> x) {
        tensor<int32, []> axis_0 = const()[name = tensor<string, []>("axis_0"), val = tensor<int32, []>(1)];
        tensor<fp16, [1, 4]> y = softmax(axis = axis_0, x = x)[name = tensor<string, []>("y")];
    } -> (y);
}
"""
    coremltools_mil.check(text)
    for before, after in [("softmax(", "softmaxx("), ("axis = axis_0", "axes = axis_0"), ("axis = axis_0, x = x", "axis = axis_0"),
                          ("[1, 4]> y", "[1, 5]> y"), ("fp16, [1, 4]> y", "fp32, [1, 4]> y"), ("-> (y)", "-> (z)"),
                          ('"y")', '"z")'), ("int32, []>(1)", "fp16, []>(0x1p+0)")]:
        assert before in text
        with pytest.raises(Exception):
            coremltools_mil.check(text.replace(before, after))


def test_compiled_model(minilm_bundle):
    """The programs of a real bundle: coremltools builds them, and reading and writing gives the same file."""
    bundle, _ = minilm_bundle(32)
    programs = sorted((bundle / "programs").glob("*.mil"))
    assert programs
    for path in programs:
        coremltools_mil.check(path.read_text())
        read = anetest.run("ane-translate", "--mil-to-ane", f"--mil-weights={bundle}", path)
        assert "warning" not in read.stderr, read.stderr
        assert translate("--ane-to-mil", read.stdout).stdout == path.read_text()
