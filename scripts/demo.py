"""The demo's second half: compile MiniLM, show where its ops went, embed sentences, compare with ONNX Runtime.

scripts/demo.sh builds first and then calls this with the Python of .venv.
"""
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "Python"))
import anetest  # noqa: E402

SEQUENCE = 32
EMBEDDING = "461"  # the model's name of the sentence embedding
SENTENCES = [
    "A man is playing a guitar on the street.",
    "Someone strums an acoustic guitar outside.",
    "The central bank raised interest rates again.",
    "Monetary policy was tightened by the bank.",
    "Photosynthesis converts light into chemical energy.",
]


def title(text):
    print(f"\n== {text}", flush=True)


def embed(bundle, device, sentences, folder):
    """The model's float outputs for each sentence, and the seconds a call of ane-run took in all."""
    start, made = time.monotonic(), []
    for index, sentence in enumerate(sentences):
        inputs = anetest.tokenize(sentence, SEQUENCE)
        made.append(anetest.run_bundle(bundle, inputs, [EMBEDDING], folder / f"{device}-{index}", device)[EMBEDDING][0])
    return np.stack(made), time.monotonic() - start


def similarity(embeddings):
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    return unit @ unit.T


def main():
    sentences = sys.argv[1:] or SENTENCES
    if not anetest.minilm_path() or not anetest.vocabulary_path():
        raise SystemExit("demo.py: the model's packages are not installed; run scripts/setup.sh")
    folder = ROOT / "build" / "demo"
    folder.mkdir(parents=True, exist_ok=True)
    bundle = folder / "minilm.anebundle"

    title(f"ane-compile {anetest.minilm_path().name} (sequence {SEQUENCE}): placement, programs, bytes")
    start = time.monotonic()
    done = anetest.run("ane-compile", anetest.minilm_path(), "-o", bundle, "--dim", "batch_size=1", "--dim",
                       f"sequence_length={SEQUENCE}", "--report")
    print(done.stdout.rstrip())
    print(f"compiled in {time.monotonic() - start:.1f} s")
    for path in sorted(p for p in bundle.rglob("*") if p.is_file()):
        print(f"  {path.stat().st_size:>12,}  {path.relative_to(bundle)}")

    title("sentences")
    for index, sentence in enumerate(sentences):
        print(f"  {index}  {sentence}")
    want = np.stack([anetest.reference(anetest.minilm_path(), anetest.tokenize(s, SEQUENCE), [EMBEDDING])[EMBEDDING][0]
                     for s in sentences])

    errors = []
    for device in ("emulator", "cpu"):
        got, seconds = embed(bundle, device, sentences, folder)
        title(f"similarity on {device} ({len(sentences)} runs of ane-run in {seconds:.1f} s)")
        print("     " + " ".join(f"{i:>6}" for i in range(len(sentences))))
        for index, row in enumerate(similarity(got)):
            print(f"  {index:>3}" + "".join(f" {value:6.3f}" for value in row))
        errors.append((device, anetest.Error(got, want), np.abs(similarity(got) - similarity(want)).max()))

    title("error against ONNX Runtime (fp32, optimisations off)")
    for device, error, similar in errors:
        print(f"  {device:<9} max {error.max:.2e} (relative to the largest value: {error.max / error.scale:.2e}), "
              f"rms {error.rms:.2e}, cosine {error.cosine:.8f}, similarities off by at most {similar:.1e}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AssertionError as error:
        sys.exit(f"demo.py: {error}")
