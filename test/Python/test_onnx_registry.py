"""The since-versions that the importer's handlers claim, against ONNX's own record of when each op changed."""
import collections
import re
import runpy

import pytest

import anetest

onnx_defs = pytest.importorskip("onnx.defs")
SOURCES = anetest.ROOT / "lib" / "Import" / "ONNX"
MIN_OPSET = 7


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
    assert len(registered()) >= 180


def test_max_opset():
    text = (SOURCES / "Registry.h").read_text()
    assert int(re.search(r"maxOpset = (\d+)", text).group(1)) <= onnx_defs.onnx_opset_version()


@pytest.mark.parametrize("op", sorted(registered()))
def test_no_version_is_skipped(op):
    """A version between two registered ones would get the handler of the older, whatever it changed."""
    assert op in history(), f"ONNX has no op {op}"
    versions, ours = history()[op], registered()[op]
    if onnx_defs.get_schema(op).deprecated:
        versions = versions[:-1]
    # Models of older opsets than our first version are told which opset has the op.
    assert ours == [version for version in versions if version >= ours[0]], f"{op}: ONNX has {versions}"
    assert ours[0] <= max([version for version in versions if version <= MIN_OPSET], default=versions[0])


def test_signatures():
    """What the importer checks inputs against is what ONNX and ONNX Runtime say."""
    pytest.importorskip("onnxruntime")
    script = runpy.run_path(str(anetest.ROOT / "scripts" / "onnx_signatures.py"))
    assert script["OUTPUT"].read_text() == script["table"](), "make it again: scripts/onnx_signatures.py"
