"""Options and fixtures of the Python tests. ANE_BUILD_DIR names the build (default: build/ of the source tree)."""
import pytest


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="also the tests marked 'slow'")
    parser.addoption("--filter", default="", help="only tests whose name contains this text")


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes long; runs with --full only")


def pytest_collection_modifyitems(config, items):
    text = config.getoption("--filter").lower()
    if text:
        dropped = [item for item in items if text not in item.nodeid.lower()]
        config.hook.pytest_deselected(items=dropped)
        items[:] = [item for item in items if text in item.nodeid.lower()]
    if not config.getoption("--full"):
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="slow: runs with --full"))


@pytest.fixture
def rng(request):
    """A test draws its own numbers, whichever others have run before it."""
    import numpy as np

    return np.random.default_rng(list(request.node.name.encode()))


@pytest.fixture(scope="session")
def minilm():
    """Path of the ONNX file of MiniLM."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")
    import anetest

    if not anetest.minilm_path() or not anetest.vocabulary_path():
        pytest.skip("the packages of MiniLM's model and vocabulary are not installed")
    return anetest.minilm_path()


@pytest.fixture(scope="session")
def minilm_bundle(minilm, tmp_path_factory):
    """Compiles MiniLM once per sequence length and --cpu-weights; returns (bundle, report)."""
    import anetest

    made = {}

    def compiled(length=32):
        if length not in made:
            bundle = tmp_path_factory.mktemp("minilm") / f"s{length}.anebundle"
            dims = ["--dim", "batch_size=1", "--dim", f"sequence_length={length}"]
            made[length] = bundle, anetest.compile_model(minilm, bundle, *dims, "--cpu-weights=source")
        return made[length]

    return compiled
