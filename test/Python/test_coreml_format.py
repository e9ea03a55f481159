"""Core ML's files beside coremltools: what it writes is read and written alike, and damaged packages are one error each."""
import json
import os
import random
import re
import shutil
import subprocess

import numpy as np
import pytest

import coremltools_cases
import coremltools_models
from coremltools.converters.mil.mil.ops.registry import SSAOpRegistry
from coremltools.proto import FeatureTypes_pb2, MIL_pb2, Model_pb2

import anetest

MODEL, WEIGHT, MANIFEST = "Data/com.apple.CoreML/model.mlmodel", "Data/com.apple.CoreML/weights/weight.bin", "Manifest.json"
# Operations that no program holds, that need nested blocks, or whose tests make no program without PyTorch.
NOT_SEEN = {"_const_symbolic", "cond", "while_loop", "conv_quantized"}


def read_again(specs, folder):
    """{name: None, or what the reader says} of specifications; what it writes of them is the same message."""
    names = list(specs)
    paths = [folder / f"{index}.mlmodel" for index in range(len(names))]
    for path, name in zip(paths, names):
        path.write_bytes(specs[name].SerializeToString())
    lines = anetest.run("coreml_tool", *paths).stdout.splitlines()
    assert len(lines) == len(names)
    for path, name, line in zip(paths, names, lines):
        if line == "ok":
            again = Model_pb2.Model.FromString((path.with_suffix(".mlmodel.again")).read_bytes())
            # As bytes: a NaN is not equal to itself, and maps are in the order of their keys.
            assert again.SerializeToString(deterministic=True) == specs[name].SerializeToString(deterministic=True), name
    return {name: None if line == "ok" else line for name, line in zip(names, lines)}


def operations(specs):
    """Each operation in programs, those of nested blocks too."""
    def inside(block):
        for operation in block.operations:
            yield operation
            for nested in operation.blocks:
                yield from inside(nested)
    for spec in specs:
        for function in spec.mlProgram.functions.values():
            for block in function.block_specializations.values():
                yield from inside(block)


def check_all_operations(count, folder):
    specs = dict(coremltools_cases.programs(count))
    for name, said in read_again(specs, folder).items():
        nested = [operation.type for operation in operations([specs[name]]) if operation.blocks]
        variadic = any(dimension.unknown.variadic for operation in operations([specs[name]]) for output in operation.outputs
                       for dimension in output.type.tensorType.dimensions)
        if nested:
            assert said and f'operation "{nested[0]}"' in said and "control flow is not supported" in said, f"{name}: {said}"
        elif variadic:
            assert said and "a tensor's number of axes may vary" in said, f"{name}: {said}"
        else:
            assert said is None, f"{name}: {said}"
    return specs


def test_operations(tmp_path):
    specs = check_all_operations(1, tmp_path)
    seen = {operation.type for operation in operations(specs.values())}
    print(len(specs), "programs of", len(seen), "operations")
    missing = set(SSAOpRegistry.core_ops) - seen - NOT_SEEN
    # Others' tests make theirs with PyTorch, or of shapes that some versions of NumPy don't take.
    assert len(missing) <= 20, sorted(missing)
    assert {spec.specificationVersion for spec in specs.values()} >= {6, 7, 8, 9}


@pytest.mark.slow
def test_operations_with_many_parameters(tmp_path):
    assert len(check_all_operations(40, tmp_path)) > 1000


def test_models(tmp_path):
    specs = {name: make().get_spec() for name, make in coremltools_models.models(tmp_path).items()}
    assert not {name: said for name, said in read_again(specs, tmp_path).items() if said}
    # They have what they are called by.
    kinds = {operation.type for operation in operations(specs.values())}
    assert kinds >= {"constexpr_lut_to_dense", "constexpr_affine_dequantize", "constexpr_blockwise_shift_scale",
                     "constexpr_sparse_to_dense", "read_state", "write_state", "classify"}
    assert specs["functions"].description.defaultFunctionName == "two" and len(specs["functions"].description.functions) == 2
    assert specs["image_range"].description.input[0].type.imageType.HasField("imageSizeRange")
    assert specs["images"].description.input[0].type.imageType.HasField("enumeratedSizes")
    assert specs["optional"].description.input[1].type.isOptional


def test_flexible_images_have_their_usual_size(tmp_path):
    coremltools_models.models(tmp_path)["image_range"]().save(str(tmp_path / "m.mlpackage"))
    anetest.run("ane-compile", tmp_path / "m.mlpackage", "-o", tmp_path / "m.anebundle", "--quiet")
    shown = anetest.run("ane-run", tmp_path / "m.anebundle", "--random-inputs", "--device=cpu", "--output-dir", tmp_path / "out")
    assert shown.returncode == 0
    (output,) = (tmp_path / "out").glob("*.npy")
    assert np.load(output).shape == (1, 3, 4, 6)


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    path = tmp_path_factory.mktemp("coreml") / "m.mlpackage"
    coremltools_models.plain(7).save(str(path))
    return path


class Damaged:
    """A copy of a package that is damaged before it is compiled."""

    def __init__(self, package, folder):
        self.path, self.bundle = folder / "m.mlpackage", folder / "out" / "m.anebundle"
        shutil.copytree(package, self.path)
        self.bundle.parent.mkdir()

    def spec(self):
        return Model_pb2.Model.FromString((self.path / MODEL).read_bytes())

    def write(self, spec):
        (self.path / MODEL).write_bytes(spec.SerializeToString())

    def weight(self, spec):
        """The constant of the specification that lies in the weight file."""
        block = spec.mlProgram.functions["main"].block_specializations["CoreML6"]
        (value,) = [operation.attributes["val"] for operation in block.operations
                    if operation.attributes["val"].HasField("blobFileValue")]
        return value

    def compile(self):
        """None, or the error; an error is one, leaves nothing behind, and is no crash."""
        done = anetest.run("ane-compile", self.path, "-o", self.bundle, "--quiet", check=False)
        if done.returncode == 0:
            shutil.rmtree(self.bundle)
            return None
        assert done.returncode == 1 and done.stderr.count("error:") == 1, f"{done.returncode}\n{done.stderr}"
        assert len(done.stderr) < 4000 and not any(self.bundle.parent.iterdir()), done.stderr
        return done.stderr


@pytest.fixture
def damaged(package, tmp_path):
    return Damaged(package, tmp_path)


def test_the_package_itself_is_compiled(damaged):
    assert damaged.compile() is None


@pytest.mark.parametrize("file", [MODEL, WEIGHT, MANIFEST])
def test_truncated_files(damaged, file):
    content = (damaged.path / file).read_bytes()
    sizes = sorted({0, 1, 7, 64, 127, len(content) - 1, *(len(content) * i // 7 for i in range(7))})
    for size in sizes:
        (damaged.path / file).write_bytes(content[:size])
        # The manifest's last byte is the end of its line.
        assert damaged.compile() or size >= len(content.rstrip()), f"{file} of {size} bytes"


def test_flipped_bits(damaged):
    random.seed(1)
    for file in (MODEL, WEIGHT, MANIFEST):
        content = (damaged.path / file).read_bytes()
        for _ in range(12):
            at = random.randrange(len(content))
            (damaged.path / file).write_bytes(content[:at] + bytes([content[at] ^ 1 << random.randrange(8)]) + content[at + 1:])
            damaged.compile()  # or it is a model all the same
        (damaged.path / file).write_bytes(content)


def test_references_to_weights(damaged):
    def with_weight(change):
        spec = damaged.spec()
        change(damaged.weight(spec))
        changed = spec.SerializeToString()
        original = (damaged.path / MODEL).read_bytes()
        (damaged.path / MODEL).write_bytes(changed)
        said = damaged.compile()
        (damaged.path / MODEL).write_bytes(original)
        assert said
        return said.lower()

    def blob(**fields):
        return lambda value: [setattr(value.blobFileValue, name, content) for name, content in fields.items()]

    for offset in (0, 1, 65, 128, 1 << 20, 2**63, 2**64 - 1, 2**64 - 64):
        assert re.search(r"weight\.bin|a type is missing", with_weight(blob(offset=offset)))
    for name in ("@model_path/../../../../etc/passwd", "/etc/passwd", "weights/weight.bin", "", "@model_path/",
                 "@model_path/weights/../weights/weight.bin", "@model_path/model.mlmodel", "@model_path/weights/other.bin"):
        with_weight(blob(fileName=name))
    with_weight(lambda value: setattr(value.type.tensorType, "dataType", MIL_pb2.FLOAT32))
    with_weight(lambda value: setattr(value.type.tensorType, "dataType", MIL_pb2.INT8))
    with_weight(lambda value: setattr(value.type.tensorType.dimensions[0].constant, "size", 2**40))


def test_places_of_weights(damaged):
    weight, elsewhere = damaged.path / WEIGHT, damaged.path.parent / "weight.bin"
    shutil.move(weight, elsewhere)
    assert "weight.bin" in damaged.compile()
    weight.symlink_to(elsewhere)
    assert "is a symbolic link" in damaged.compile()
    weight.unlink()
    weight.mkdir()
    assert "weight.bin" in damaged.compile()
    weight.rmdir()
    os.mkfifo(weight)
    assert "is not a regular file" in damaged.compile()
    weight.unlink()
    weight.parent.rmdir()
    (damaged.path.parent / "weights").mkdir()
    shutil.copy(elsewhere, damaged.path.parent / "weights")
    weight.parent.symlink_to(damaged.path.parent / "weights")
    assert "is a symbolic link" in damaged.compile()


def test_kinds_of_models(damaged):
    def of(change):
        spec = Model_pb2.Model.FromString(original)
        change(spec)
        damaged.write(spec)
        return damaged.compile()

    original = (damaged.path / MODEL).read_bytes()
    for version in (0, 5, 11, -1):
        said = of(lambda spec: setattr(spec, "specificationVersion", version))
        assert f"has specification version {version}; 6 (iOS 15) to 10 (iOS 26) are known" in said
    assert "operations of ios16 need specification version 7, the model has 6" in of(lambda spec: setattr(spec, "specificationVersion", 6))
    assert re.search("is a neural network.*convert_to=", of(lambda spec: spec.neuralNetwork.layers.add()))
    assert "is a pipeline of several models" in of(lambda spec: spec.pipeline.models.add())
    assert "need specification version 10" in of(
        lambda spec: setattr(spec.description.input[0].type.multiArrayType, "dataType", FeatureTypes_pb2.ArrayFeatureType.INT8))
    assert "has input \"x\", and the model's description does not" in of(lambda spec: setattr(spec.description.input[0], "name", "z"))


def test_manifests(damaged):
    original = json.loads((damaged.path / MANIFEST).read_text())

    def of(change):
        manifest = json.loads(json.dumps(original))
        change(manifest, manifest["itemInfoEntries"][manifest["rootModelIdentifier"]])
        (damaged.path / MANIFEST).write_text(json.dumps(manifest))
        return damaged.compile()

    shutil.copy(damaged.path / MODEL, damaged.path.parent / "outside.mlmodel")
    for path in ("../../outside.mlmodel", str(damaged.path.parent / "outside.mlmodel"), "com.apple.CoreML/none", "com.apple.CoreML"):
        assert of(lambda _, item: item.update(path=path))
    assert "1.0.0 is known" in of(lambda manifest, _: manifest.update(fileFormatVersion="2.0.0"))
    assert "which is none of itemInfoEntries" in of(lambda manifest, _: manifest.update(rootModelIdentifier="x"))
    assert of(lambda manifest, _: manifest["itemInfoEntries"].update(more={"path": "../.."})) is None
    (damaged.path / MANIFEST).write_text("[" * 60_000)
    assert "nested deeper" in damaged.compile()
    (damaged.path / MANIFEST).unlink()
    assert "without Manifest.json" in damaged.compile()


@pytest.mark.slow
def test_many_flipped_bytes(package, tmp_path):
    """Any byte of the model, by the reader alone."""
    content = (package / MODEL).read_bytes()
    paths = []
    for at in range(len(content)):
        for number, value in enumerate({content[at] ^ 0xFF, content[at] ^ 1, 0} - {content[at]}):
            paths.append(tmp_path / f"{at}_{number}.mlmodel")
            paths[-1].write_bytes(content[:at] + bytes([value]) + content[at + 1:])
    for some in range(0, len(paths), 500):
        done = subprocess.run([anetest.tool("coreml_tool"), *paths[some:some + 500]], capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, f"{some}: {done.stderr[-500:]}"
