"""Several sequences of a language model that decode together, against transformers and against each alone."""
import json

import numpy as np
import pytest

import anetest
import frontend  # finds the package
import lmzoo
from test_language_models import check, ids, made  # noqa: F401  a fixture

import anemone

SEQUENCES = 3


@pytest.fixture(scope="module", params=[name for name in lmzoo.MODELS if not name.endswith("-plain")])
def case(request, made, tmp_path_factory):  # noqa: F811
    """(bundle, tokens, logits of transformers at all positions)"""
    bundle = tmp_path_factory.mktemp(request.param) / "m.anebundle"
    anetest.run("ane-compile", made / request.param, "-o", bundle, "--quiet", f"--context={lmzoo.CONTEXT}", "--prefill=8",
                f"--parallel={SEQUENCES}")
    arrays = np.load(made / f"{request.param}.npz")
    return bundle, arrays["tokens"], arrays["logits"]


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_logits(case, device):
    """Sequences that begin one after the other, each to the context's end; what the others have is not seen."""
    bundle, tokens, logits = case
    session = anemone.load(bundle, device=device, function=f"decode_{SEQUENCES}").session()
    got, want = [], []
    late = 7
    for step in range(lmzoo.CONTEXT + late * (SEQUENCES - 1)):
        places = [step - late * sequence for sequence in range(SEQUENCES)]
        runs = [0 <= place < lmzoo.CONTEXT for place in places]
        rows = session(input_ids=ids(*(tokens[p] if run else 5 for p, run in zip(places, runs))).reshape(-1, 1),
                       position=ids(*(p if run else 0 for p, run in zip(places, runs))))["logits"]
        got += [row for row, run in zip(rows, runs) if run]
        want += [logits[p] for p, run in zip(places, runs) if run]
    check(device, np.stack(got), np.stack(want))
    assert not session.events()


def test_a_position_behind_the_context(case):
    """Is no position of the next sequence: the run fails and changes nothing."""
    bundle, tokens, _ = case
    session = anemone.load(bundle, device="cpu", function=f"decode_{SEQUENCES}").session()
    first = ids(*tokens[:SEQUENCES]).reshape(-1, 1)
    session(input_ids=first, position=ids(0, 0, 0))
    before = {name: session.states[name].copy() for name in session.states if name.startswith("together.")}
    for outside in (lmzoo.CONTEXT, -1):
        with pytest.raises(anemone.Error):
            session(input_ids=first, position=ids(0, outside, 0))
    assert before and all(np.array_equal(session.states[name], value) for name, value in before.items())


def test_manifest(case):
    manifest = json.loads((case[0] / "manifest.json").read_text())
    assert manifest["language_model"]["together"] == f"decode_{SEQUENCES}"
    shapes = {state["name"]: state["shape"] for state in manifest["states"]}
    for name, (one, groups, context, width) in ((n, s) for n, s in shapes.items() if not n.startswith("together.")):
        assert shapes[f"together.{name}"] == [one, groups, SEQUENCES * context, width]
