"""Measures steps of training beside PyTorch (`ane-bench train`) and writes the table.

    scripts/bench/train.py [--models stories15m,stories110m] [--threads 2] [--rounds 5] [--no-compile] [--write docs/training-speed.md]

Models are Llamas of these shapes with random weights, made by transformers in .venv-models (scripts/setup.sh --models), whose PyTorch is
the peer: eager, with the AdamW that is a loop of operators and with the fused one, and torch.compile.
"""
import argparse
import datetime
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "Python"))
import anetest  # noqa: E402
import page  # noqa: E402
import zoo  # noqa: E402

# Those of the checkpoints that llama2.c trains, and of SmolLM2-135M.
SHAPES = {
    "stories15m": dict(hidden_size=288, num_hidden_layers=6, num_attention_heads=6, intermediate_size=768, vocab_size=32000),
    "stories110m": dict(hidden_size=768, num_hidden_layers=12, num_attention_heads=12, intermediate_size=2048, vocab_size=32000),
    "smollm2-135m": dict(hidden_size=576, num_hidden_layers=30, num_attention_heads=9, num_key_value_heads=3, intermediate_size=1536, vocab_size=49152),
}
MAKE = """import sys, json, torch, transformers
folder, shape = sys.argv[1], json.loads(sys.argv[2])
torch.manual_seed(0)
transformers.LlamaForCausalLM(transformers.LlamaConfig(**shape, max_position_embeddings=2048, tie_word_embeddings=True)).save_pretrained(folder)
"""


def made(name, folder):
    """The folder of a model, which is made once."""
    if name not in SHAPES:
        raise SystemExit(f"train.py: --models: no shape {name}; known are {', '.join(SHAPES)}")
    path = folder / name
    if not path.exists():
        unfinished = folder / f"{name}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        subprocess.run([zoo.python(), "-c", MAKE, unfinished, json.dumps(SHAPES[name])], check=True)
        unfinished.rename(path)
    return path


def table(rows):
    head = ["model", "", "ms a step", "tokens/s", "time, ours / theirs", "peak, MB", "memory, ours / theirs", "loss of the last step"]
    return page.table(head, rows)


def rows_of(model):
    def figures(side, ratio="", memory=""):
        return [f"{side['step_ms']:.0f}", f"{side['tokens_per_s']:.0f}", ratio, f"{side['peak_bytes'] / 1e6:.0f}", memory, f"{side['loss']:.4f}"]
    yield [f"{model['model']}, {model['parameters'] / 1e6:.1f} M", "Anemone", *figures(model)]
    for peer in model["peers"]:
        yield ["", peer["peer"], *figures(peer, f"**{peer['ratio']:.2f}**", f"**{peer['memory_ratio']:.2f}**")]


def text_of(result, command):
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    rows = [row for model in result["models"] for row in rows_of(model)]
    parts = "; ".join(f"{model['model']}: {model['backward_ms']:.0f} ms for loss and gradients, {model['update_ms']:.0f} ms for norm and update"
                      for model in result["models"])
    return f"""# Speed of training

Made by `{command}` on {datetime.date.today()} at commit {commit}: steps of {result['batch']} x {result['sequence']} tokens on {result['threads']}
threads of the CPU, in fp32. A step is a forward pass, the gradients of the mean cross-entropy, their norm clipped to 1, and AdamW. All
sides begin with the same weights and see the same tokens; they take turns, and times are medians of {result['rounds']} turns of {result['steps']} steps.
The peak is of anonymous memory (RssAnon of the process, asked every 5 ms) during the steps. Below 1 is faster, or less, than PyTorch.

{table(rows)}

Of a step of Anemone's: {parts}.

{result['processor']}, {result['processors']} processors ({' '.join(result['features'])}), load average {result['load']:.1f} at the start. {result['version']}.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="stories15m,stories110m")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    python = zoo.python()
    if not python:
        raise SystemExit("train.py: there is no .venv-models with PyTorch: scripts/setup.sh --models makes it")
    folder = anetest.BUILD / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    models = [made(name, folder) for name in options.models.split(",")]
    peer = f"{python} {ROOT / 'scripts' / 'bench' / 'torch_train_peer.py'}"
    peers = [peer, f"{peer} --fused"] + ([] if options.no_compile else [f"{peer} --compile --fused"])
    command = [anetest.tool("ane-bench"), "train", "--json", f"--threads={options.threads}", f"--rounds={options.rounds}",
               f"--compiler={anetest.tool('ane-compile')}", *(f"--peer={each}" for each in peers), *models]
    done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(done.returncode)
    text = text_of(json.loads(done.stdout), "scripts/bench/train.py")
    print(text)
    if options.write:
        page.write(options.write, text)


if __name__ == "__main__":
    main()
