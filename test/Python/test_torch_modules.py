"""PyTorch's database of modules: outputs and gradients of each agree with PyTorch's, or docs/generated/torch-modules.md says why not. Runs where
PyTorch is installed (scripts/run_tests.py --full)."""
import pytest

pytest.importorskip("torch")
pytest.importorskip("expecttest")  # PyTorch's database imports it
import pagetable
import torchmodules


def modules():
    return sorted({info.name for info, _ in torchmodules.names().values()})


@pytest.mark.slow
@pytest.mark.parametrize("module", modules())
def test_module(module):
    listed, wrong = pagetable.committed(torchmodules.PAGE), []
    for name, (info, _) in torchmodules.names().items():
        if info.name == module:
            got, want = torchmodules.outcome(name), torchmodules.expected(name, listed)
            if got != want:
                wrong.append(f"{name}: {got}, the page says {want}")
    assert not wrong, "\n".join(wrong) + "\nrun test/Python/torchmodules.py and look at what changed"


def test_share():
    """Most agree, all that PyTorch exports as it is do, and the page lists nothing that the database has not."""
    listed = pagetable.committed(torchmodules.PAGE)
    assert not set(listed) - set(torchmodules.names())
    assert len(listed) < 0.2 * len(torchmodules.names())
    assert not {(title, why) for title, why in listed.values() if why != torchmodules.NOTHING and not title.endswith("by PyTorch")}
