"""The since-versions that the importer's handlers claim, against ONNX's own record of when each op changed."""
import collections
import re

import pytest

import anetest

onnx_defs = pytest.importorskip("onnx.defs")
SOURCES = anetest.ROOT / "lib" / "Import" / "ONNX"
MIN_OPSET = 6


def registered():
    found = {}
    for source in sorted((SOURCES / "Ops").glob("*.cpp")):
        for op, versions in re.findall(r'onOp\("", "(\w+)", \{([\d, ]+)\}', source.read_text()):
            assert op not in found, f"{op} is registered twice"
            found[op] = [int(version) for version in versions.split(",")]
    return found


def history():
    made = collections.defaultdict(list)
    for schema in onnx_defs.get_all_schemas_with_history():
        if schema.domain == "":
            made[schema.name].append(schema.since_version)
    return {name: sorted(versions) for name, versions in made.items()}


def test_many_ops():
    assert len(registered()) >= 120


def test_max_opset():
    text = (SOURCES / "Registry.h").read_text()
    assert int(re.search(r"maxOpset = (\d+)", text).group(1)) <= onnx_defs.onnx_opset_version()


@pytest.mark.parametrize("op", sorted(registered()))
def test_no_version_is_skipped(op):
    """A version between two registered ones would get the handler of the older, whatever it changed."""
    assert op in history(), f"ONNX has no op {op}"
    deprecated = onnx_defs.get_schema(op).deprecated
    # Of the versions up to the oldest opset only the newest counts.
    relevant = [v for v in history()[op] if v > MIN_OPSET or not any(v < w <= MIN_OPSET for w in history()[op])]
    want = relevant[:-1] if deprecated else relevant
    assert [v for v in registered()[op]] == want, f"{op}: ONNX has {history()[op]}"
