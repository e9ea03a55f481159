"""How every tool ends: readers that leave, full disks, pipes and devices in place of files, and wrong use."""
import json
import os
import subprocess

import numpy as np
import pytest

import anetest
from anetest import ROOT

MODULE = ROOT / "test" / "Tools" / "ane-compile" / "Inputs" / "tiny.mlir"
PROGRAM = ROOT / "test" / "Tools" / "ane-translate" / "Inputs" / "tile.mil"
TOOLS = ["ane-bench", "ane-compile", "ane-lsp-server", "ane-mil-diff", "ane-opt", "ane-run", "ane-tblgen", "ane-train", "ane-translate", "blob-tool"]
# Each prints something.
ANSWERS = [*([tool, "--help"] for tool in TOOLS), ["ane-compile", "--list-targets"], ["ane-compile", MODULE, "--compile-to=legal", "--quiet"],
           ["ane-opt", MODULE], ["ane-translate", "--lint", PROGRAM], ["ane-translate", "--mil-to-ane", PROGRAM],
           ["ane-mil-diff", PROGRAM, PROGRAM]]


def label(value):
    return "-".join(part.name if hasattr(part, "name") else part for part in value)


def start(command, stdout):
    """Returns the exit code and the messages."""
    name, *arguments = command
    if not (anetest.BUILD / "bin" / name).exists():
        pytest.skip(f"{name} is not built")
    done = subprocess.run([str(anetest.tool(name)), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=stdout,
                          stderr=subprocess.PIPE, text=True, timeout=60)
    return done.returncode, done.stderr


@pytest.mark.parametrize("command", ANSWERS, ids=label)
def test_reader_that_leaves(command):
    """It changes neither messages nor the exit code."""
    whole, _ = start(command, subprocess.DEVNULL)
    reader, writer = os.pipe()
    os.close(reader)
    code, message = start(command, writer)
    os.close(writer)
    assert (code, message) == (whole, "")


@pytest.mark.parametrize("command", ANSWERS, ids=label)
def test_full_disk(command):
    with open("/dev/full", "w") as full:
        code, message = start(command, full)
    assert code == (2 if command[0] == "ane-mil-diff" else 1)  # which takes 1 for a difference
    assert message.startswith(f"{command[0]}: error: ") and "write" in message and message.count("\n") == 1, message


@pytest.mark.parametrize("command", [["ane-opt", MODULE], ["ane-translate", "--mil-to-ane", PROGRAM]], ids=label)
def test_full_disk_for_a_file(command):
    code, message = start([*command, "-o", "/dev/full"], subprocess.DEVNULL)
    assert (code, message) == (1, f"{command[0]}: error: can't write the output: No space left on device\n")


@pytest.mark.parametrize("command", [["ane-opt"], ["ane-translate", "--lint"], ["ane-translate", "--onnx-to-ane"], ["ane-translate", "--mil-to-ane"],
                                     ["ane-run", "--mil"], ["ane-compile", "--compile-to=input"]], ids=label)
def test_pipes_and_devices_are_no_input(command, tmp_path):
    inputs = ["/dev/zero"]
    for extension in ["onnx", "mil", "mlir"]:
        inputs.append(tmp_path / f"pipe.{extension}")
        os.mkfifo(inputs[-1])
    for path in inputs:
        anetest.rejected(*command, path, says=[str(path), "not a regular file"])


def test_thin_inputs_take_no_padding_in_plain_mode(tmp_path):
    """Rows of one element, which surfaces of the engine pad to 64 bytes: 2 GiB of these, more than a program may take."""
    rows = 1 << 24
    (tmp_path / "thin.mil").write_text(f"""program(1.0)
{{
    func main<ios16>(tensor<fp16, [{rows}, 1]> x) {{
        tensor<fp16, [{rows}, 1]> y = relu(x = x)[name = tensor<string, []>("y")];
    }} -> (y);
}}
""")
    x = np.arange(-rows // 2, rows // 2).clip(-60000, 60000).astype(np.float16)[:, None]
    np.save(tmp_path / "x.npy", x)
    command = ["ane-run", "--mil", tmp_path / "thin.mil", "--input", f"x={tmp_path}/x.npy", "--output-dir", tmp_path]
    anetest.rejected(*command, "--emulator-mode=lint")
    anetest.run(*command, "--emulator-mode=plain")
    assert (np.load(tmp_path / "y.npy") == np.maximum(x, 0)).all()


def test_weights_are_no_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    module = tmp_path / "m.mlir"
    module.write_text(f'''func.func @main(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {{
  %w = ane.const #ane.weight<"{tmp_path}/pipe", 0, 256> : tensor<1x64xf32>
  %y = ane.add %x, %w : tensor<1x64xf32>, tensor<1x64xf32>
  return %y : tensor<1x64xf32>
}}''')
    anetest.rejected("ane-compile", module, "-o", tmp_path / "b", says="not a regular file")


def test_standard_input_goes_on():
    for command, path in ((["ane-opt"], MODULE), (["ane-translate", "--mil-to-ane"], PROGRAM)):
        for name in ([], ["-"]):
            done = subprocess.run([anetest.tool(command[0]), *command[1:], *name], input=path.read_text(), capture_output=True, text=True)
            assert done.returncode == 0 and "func.func" in done.stdout, done.stderr


def test_report_to_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    arguments = [MODULE, "-o", tmp_path / "b", "--host=none", "--quiet"]
    anetest.rejected("ane-compile", *arguments, f"--report={pipe}", says="nobody reads this pipe")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    anetest.run("ane-compile", *arguments, f"--report={pipe}")
    assert b"engine" in os.read(reader, 1 << 20)


@pytest.mark.parametrize("tool", TOOLS)
def test_wrong_use_ends_with_2(tool):
    code, message = start([tool, "--bogus"], subprocess.DEVNULL)
    assert code == 2 and message and "Stack dump" not in message, message


@pytest.mark.parametrize("command", [["ane-compile", "--targets=zz"], ["ane-compile", "--target=zz", "-o", "b"], ["ane-translate", "--lint", "--target=zz"],
                                     ["ane-translate", "--onnx-to-ane", "--dim=n"], ["ane-translate", "--onnx-to-ane", "--value=x="],
                                     ["ane-translate", "--lint", "--bogus"], ["ane-translate"], ["ane-translate", "--lint", "--mil-to-ane"]], ids=label)
def test_wrong_use_is_one_object(command):
    done = anetest.rejected(*command, "--json", PROGRAM, code=2)
    assert json.loads(done.stderr)["severity"] == "error"
    text = anetest.rejected(*command, PROGRAM, code=2).stderr
    assert text.count("\n") == 1, text


def test_missing_file_is_one_object():
    done = anetest.rejected("ane-translate", "--lint", "--json", "nope.mil")
    assert json.loads(done.stderr) == {"severity": "error", "message": "can't read 'nope.mil': No such file or directory"}


@pytest.mark.parametrize("tool", TOOLS)
def test_version(tool, tmp_path):
    with open(tmp_path / "out", "w") as out:
        code, message = start([tool, "--version"], out)
    assert (code, message) == (0, "")
    assert (tmp_path / "out").read_text().startswith(f"{tool} ")


def test_root_is_no_bundle():
    anetest.rejected("ane-compile", MODULE, "-o", "/", "--host=none", says="the root of the file system")


@pytest.mark.parametrize("argument, says", [("--threads=abc", "--threads: is 'abc', expected a number from 1"), ("--rounds=0", "--rounds: is '0'"),
                                            ("--threads=2x", "'2x'"), ("--compile=x", "--compile: is 'x', expected NAME=PATH"),
                                            ("x", "expected NAME=PATH"), ("--peer", "--peer needs a value")])
def test_bench_says_what_is_wrong(argument, says):
    code, message = start(["ane-bench", argument], subprocess.DEVNULL)
    assert code == 2 and says in message, message


@pytest.mark.parametrize("arguments, code, says", [
    ([], 2, "nothing to measure: give a GGUF file"), (["--decode=0", "m.gguf"], 2, "--decode: is '0'"), (["--peer=", "m.gguf"], 2, "--peer needs a value"),
    (["--what", "m.gguf"], 2, "unknown argument '--what'"), (["--context=300", "m.gguf"], 2, "--context: is 300, expected at least --prefill + --decode, 320"),
    (["nope.gguf"], 1, "nope.gguf")])
def test_bench_of_language_models_says_what_is_wrong(arguments, code, says):
    got, message = start(["ane-bench", "llm", *arguments], subprocess.DEVNULL)
    assert got == code and message.startswith("ane-bench: error: ") and says in message, message
    got, message = start(["ane-bench", "llm", *arguments, "--json"], subprocess.DEVNULL)
    made = json.loads(message)
    assert got == code and made["severity"] == "error" and says in made["message"], message
