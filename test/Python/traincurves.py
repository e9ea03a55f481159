"""Whole runs of training beside those of PyTorch in fp32 (curveoracle.py): the same model, windows of a real text in the same order,
AdamW without weight decay, all gradients together clipped to norm 1. test_training_curves.py holds what comes out to limits, and
scripts/bench/training_curves.py makes docs/training-curves.md of it."""
import dataclasses
import datetime
import gzip
import json
import subprocess
import time
from pathlib import Path

import numpy as np

import anetest
import smollm
import trainlib
import zoo

TEXT = Path("/usr/share/dictd/jargon.dict.dz")  # dict-jargon: the Jargon File, in the public domain
CLIP = 1.0
ORACLE = Path(__file__).with_name("curveoracle.py")
# A Llama of the shape of Stories15M, with random weights.
STORIES15M = """
import sys, torch, transformers
torch.manual_seed(0)
config = transformers.LlamaConfig(hidden_size=288, num_hidden_layers=6, num_attention_heads=6, num_key_value_heads=6, intermediate_size=768,
                                  vocab_size=32000, max_position_embeddings=256, tie_word_embeddings=True)
transformers.LlamaForCausalLM(config).save_pretrained(sys.argv[1])
"""
# Letters, as fits a model of 0.2 M parameters.
SMALL = STORIES15M.replace("288", "64").replace("layers=6", "layers=3").replace("768", "192").replace("heads=6", "heads=4").replace("32000", "256")


def text():
    return gzip.open(TEXT, "rt", encoding="utf-8", errors="replace").read()


def words(count, vocabulary):
    """Ids of the words of the text, in the order in which they first occur; the last id is that of all further ones."""
    known = {}
    return np.array([known.setdefault(word, min(len(known), vocabulary - 1)) for word in text().split()[:count]], np.int32)


def letters(count, vocabulary):
    return np.frombuffer(text().encode()[:count], np.uint8).astype(np.int32) % vocabulary


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    script: str  # makes the model; "" stands for SmolLM2-135M-Instruct
    length: int
    steps: int
    rate: float
    batch: int = 1
    tokens: object = words  # of the text: function(count, vocabulary)
    vocabulary: int = 32000
    count: int = 20000
    lora: dict = None
    held_out: int = 0  # windows, from the end of the text
    evaluate: tuple = ()

    def prepare(self, folder):
        """Makes model, tokens and bundle in a folder; False where there is nothing to make them with."""
        if not (TEXT.exists() and zoo.python() and (self.script or smollm.gguf_path())):
            return False
        if self.script:
            subprocess.run([zoo.python(), "-c", self.script, folder / "model"], check=True, stdin=subprocess.DEVNULL, capture_output=True)
            np.save(folder / "tokens.npy", self.tokens(self.count, self.vocabulary))
        else:
            (folder / "text.txt").write_text(text()[:12 * self.count], encoding="utf-8")
            subprocess.run([zoo.python(), ORACLE, "tokens", smollm.gguf_path(), folder / "text.txt", str(self.count), folder / "tokens.npy"],
                           check=True, stdin=subprocess.DEVNULL, capture_output=True)
        adapters = ["--lora=rank={rank},alpha={alpha},targets={0}".format(",".join(self.lora["targets"]), **self.lora)] if self.lora else []
        anetest.run("ane-compile", self.model(folder), "-o", folder / "m.anebundle", "--quiet", "--train", f"--sequence={self.length}",
                    f"--batch={self.batch}", "--tokenizer=none", *adapters)
        return True

    def model(self, folder):
        return folder / "model" if self.script else smollm.gguf_path()

    def windows(self):
        """(starts of the windows of each step, starts of the held-out ones)"""
        behind = self.count - self.held_out * self.length - 1
        starts = np.random.default_rng(4).integers(0, behind - self.length - 1, (self.steps, self.batch))
        return starts.tolist(), [behind + i * self.length for i in range(self.held_out)]

    def job(self, folder):
        starts, held_out = self.windows()
        return {"model": str(self.model(folder)), "tokens": str(folder / "tokens.npy"), "length": self.length, "rate": self.rate, "clip": CLIP,
                "starts": starts, "held_out": held_out, "evaluate": list(self.evaluate), "out": str(folder / "torch.json"),
                "lora": self.lora and {**self.lora, "values": str(folder / "adapters.npz")}}

    def torch(self, folder):
        """PyTorch's run, as ours() has it."""
        if self.lora:
            with trainlib.Trainer(folder / "m.anebundle", device="cpu") as trainer:
                np.savez(folder / "adapters.npz", **{name: trainer.weight(name) for name in trainer.parameters})
        (folder / "job.json").write_text(json.dumps(self.job(folder)))
        begun = time.monotonic()
        subprocess.run([zoo.python(), ORACLE, "train", folder / "job.json"], check=True, stdin=subprocess.DEVNULL, capture_output=True)
        result = json.loads((folder / "torch.json").read_text())
        return Run("PyTorch " + result["version"], np.array(result["losses"]), {int(k): v for k, v in result["held_out"].items()}, [],
                   time.monotonic() - begun)

    def ours(self, folder, device):
        """Our run. A step that is skipped, with a smaller loss scale then, is made again with the same data."""
        tokens, (starts, held_out) = np.load(folder / "tokens.npy"), self.windows()

        def feed(trainer, first):
            windows = np.stack([tokens[start:start + self.length + 1] for start in first])
            trainer.feed({"input_ids": windows[:, :-1].astype(np.int32), "target": windows[:, 1:].astype(np.int64)})

        def evaluate(trainer):
            losses = []
            for start in held_out:
                feed(trainer, [start] * self.batch)
                losses.append(trainer.evaluate())
            return float(np.mean(losses))

        losses, values, skipped, begun = [], {}, [], time.monotonic()
        with trainlib.Trainer(folder / "m.anebundle", device=device, learning_rate=self.rate, clip=CLIP) as trainer:
            for first in starts:
                if len(losses) in self.evaluate:
                    values[len(losses)] = evaluate(trainer)
                while True:
                    feed(trainer, first)
                    trainer.backward()
                    step = trainer.update()
                    if not step.skipped:
                        break
                    skipped.append(step.skipped.decode())
                losses.append(step.loss)
            if len(losses) in self.evaluate:
                values[len(losses)] = evaluate(trainer)
            events = trainer.events()
        assert not events, events
        return Run(device, np.array(losses), values, skipped, time.monotonic() - begun)


@dataclasses.dataclass
class Run:
    where: str
    losses: np.ndarray  # of each step
    held_out: dict      # step: mean loss of the held-out windows
    skipped: list       # why, of each step that was
    seconds: float

    def means(self):
        """Of 10 steps each."""
        return self.losses.reshape(-1, 10).mean(1)

    def off(self, other):
        """The largest difference from the other's means, as a share of these."""
        return float(np.abs(self.means() / other.means() - 1).max())

    def store(self, path):
        """For scripts/bench/training_curves.py, which makes a page of such files."""
        machine = next(line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
        commit = subprocess.run(["git", "-C", anetest.ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**vars(self), "losses": self.losses.tolist(), "date": str(datetime.date.today()), "machine": machine, "commit": commit}))

    @staticmethod
    def load(path):
        record = json.loads(path.read_text())
        return Run(record["where"], np.array(record["losses"]), {int(k): v for k, v in record["held_out"].items()}, record["skipped"], record["seconds"])


LORA = dict(rank=8, alpha=16, targets=["q_proj", "v_proj"])
CASES = {case.name: case for case in [
    Case("stories15m", STORIES15M, 256, 200, 5e-4),
    Case("small", SMALL, 32, 1000, 1e-3, batch=4, tokens=letters, vocabulary=256, count=200000),
    Case("smollm2", "", 128, 100, 3e-5, held_out=16, evaluate=(0, 50, 100)),
    Case("smollm2-lora", "", 128, 100, 1e-3, lora=LORA, held_out=16, evaluate=(0, 50, 100)),
]}
