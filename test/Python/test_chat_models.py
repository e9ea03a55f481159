"""The runtime's view of a bundle as a language model: texts that share a beginning, saved and forked, against transformers."""
import json

import numpy as np
import pytest

import anetest
import lmzoo
from test_language_models import LIMIT

PREFILL = (8, 16)


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    """(bundle, tokens, logits of transformers behind each of them)"""
    folder = tmp_path_factory.mktemp("lm")
    if not lmzoo.ensure(folder, "qwen3"):
        pytest.skip("there is no .venv-models to make models with (scripts/setup.sh --models)")
    bundle = folder / "m.anebundle"
    anetest.run("ane-compile", folder / "qwen3", "-o", bundle, "--quiet", f"--context={lmzoo.CONTEXT}",
                f"--prefill={','.join(map(str, PREFILL))}")
    arrays = np.load(folder / "qwen3.npz")
    return bundle, arrays["tokens"].tolist(), arrays["logits"]


def answers(bundle, device, folder, *commands):
    path = folder / "commands.jsonl"
    path.write_text("".join(json.dumps(command) + "\n" for command in commands))
    return [json.loads(line) for line in anetest.run("language_model_tool", bundle, device, path).stdout.splitlines()]


@pytest.mark.parametrize("device", ["cpu", "emulator", "cpu,emulator", "emulator,cpu"])
def test_texts_that_share_a_beginning(case, device, tmp_path):
    bundle, tokens, logits = case
    other = [(token + 5) % 150 + 3 for token in tokens]
    # (command, length of the text whose logits these are, tokens that are run)
    steps = [({"set": tokens[:21]}, 21, 21), ({"add": tokens[21]}, 22, 1), ({"set": tokens[:33]}, 33, 11), ({"set": tokens[:5]}, 5, 1),
             ({"set": tokens[:4] + other[4:30]}, None, 26), ({"set": tokens[:40]}, 40, 36), ({"save": str(tmp_path / "s")}, None, 0),
             ({"set": other[:10]}, None, 10), ({"restore": str(tmp_path / "s")}, None, 0), ({"set": tokens[:41]}, 41, 1), ({"fork": True}, None, 0),
             ({"set": tokens}, lmzoo.CONTEXT, lmzoo.CONTEXT - 41), ({"set": tokens[:1]}, 1, 1), ({"set": tokens + [7]}, "has 49 tokens; 1 to 48 are", 0),
             ({"set": tokens[:2]}, 2, 1)]
    got = answers(bundle, device, tmp_path, *(command for command, *_ in steps))
    assert len(got) == len(steps)
    for (command, length, run), answer in zip(steps, got):
        if isinstance(length, str):
            assert length in answer["error"], answer
            continue
        assert answer["prefill"] + answer["decode"] == run, (command, {**answer, "logits": None})
        if length:
            error = anetest.Error(np.array(answer["logits"]), logits[length - 1])
            assert error.max <= LIMIT["emulator" if "emulator" in device else "cpu"][0] * np.abs(logits).max(), (length, error)
    assert (got[0]["evaluations"] > 0) == device.endswith("emulator") and (got[1]["evaluations"] > 0) == device.startswith("emulator")
    # Of two places: what the prompt gave comes; behind a token, all that there is goes and comes, the new too.
    states = json.loads((bundle / "manifest.json").read_text())["states"]
    entry = sum(4 * groups * width for _, groups, _, width in (state["shape"] for state in states))
    assert [answer["moved"] / entry for answer in got[:4]] == ([16 + 21, 0, 22 + 33, 0] if "," in device else [0] * 4)


def test_no_bundle(tmp_path):
    (tmp_path / "c.jsonl").write_text("")
    anetest.rejected("language_model_tool", tmp_path / "none.anebundle", "cpu", tmp_path / "c.jsonl", says="none.anebundle")
