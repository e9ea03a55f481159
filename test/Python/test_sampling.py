"""Samplers against transformers' processors of logits: the same tokens are kept, with the same probabilities."""
import json
import random
import subprocess
from pathlib import Path

import numpy as np
import pytest

import anetest
import zoo


def cases(count):
    pick = random.Random(3)
    for i in range(count):
        size = pick.choice([5, 50, 1000])
        case = {"logits": [np.float32(pick.gauss(0, pick.choice([0.5, 3, 20]))).item() for _ in range(size)],
                "tokens": [pick.randrange(size) for _ in range(pick.randrange(1, 40))]}
        for name, values in {"temperature": [0.3, 0.7, 1.0, 1.7], "top_k": [1, 3, 40], "top_p": [0.05, 0.5, 0.9, 0.95], "min_p": [0.01, 0.2],
                             "repetition_penalty": [1.1, 0.8, 1.5], "presence_penalty": [0.5, -0.2], "frequency_penalty": [0.3, -0.1]}.items():
            if pick.random() < 0.5:
                case[name] = pick.choice(values)
        if pick.random() < 0.3:
            case["bias"] = [[pick.randrange(size), pick.choice([-100.0, 5.0])]]
        if pick.random() < 0.2:
            case["logits"] = [round(logit) * 1.0 for logit in case["logits"]]  # with ties
            case.pop("top_p", None)  # which of equals are kept is nobody's rule
        yield case


def test_kept_tokens_and_probabilities(tmp_path):
    if not zoo.python():
        pytest.skip("there is no .venv-models with transformers (scripts/setup.sh --models)")
    made = list(cases(300))
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps(case) + "\n" for case in made))
    done = subprocess.run([zoo.python(), Path(__file__).with_name("samplers.py"), path], capture_output=True, text=True, check=True)
    wants = [np.array(json.loads(line)) for line in done.stdout.splitlines()]
    answers = [json.loads(line) for line in anetest.run("sampler_tool", path).stdout.splitlines()]
    assert len(wants) == len(answers) == len(made)
    for case, want, answer in zip(made, wants, answers):
        got = np.zeros(len(want))
        got[answer["tokens"]] = np.array(answer["weights"]) / sum(answer["weights"])
        shown = {key: value for key, value in case.items() if key not in ("logits", "tokens")}
        # The rarest that are drawn have 2^-43 of the largest probability.
        assert not np.any((got > 0) & (want == 0)) and not np.any((got == 0) & (want > 1e-11)), shown
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12, err_msg=str(shown))


def test_most_likely_come_first(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps({"logits": [0.0, 2.0, 1.0, 2.0], "tokens": [], "draws": 50, "seed": 9}) + "\n")
    answer = json.loads(anetest.run("sampler_tool", path).stdout)
    assert answer["tokens"] == [1, 3, 2, 0] and answer["weights"][0] == answer["weights"][1] == 2**43
    assert set(answer["drawn"]) <= {0, 1, 2, 3} and len(set(answer["drawn"])) > 1
