"""Readers of checkpoints against those of their authors: gguf (llama.cpp) and safetensors (Hugging Face)."""
import json

import gguf
import ml_dtypes
import numpy as np
import pytest
import safetensors.numpy

import anetest
from smollm import gguf_path

TYPES = ["F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS"]


def dump(path, folder):
    """({name: (type, array)}, {key: text}) by the tool of the tests."""
    folder.mkdir()
    tensors, values = {}, {}
    for line in anetest.run("checkpoint_tool", path, folder).stdout.splitlines():
        index, *rest = line.split(" ", 1)
        if index == "=":
            key, _, text = rest[0].partition(" ")
            values[key] = text
        elif index.isdigit():
            kind, name = rest[0].rsplit(" ", 1)
            tensors[name] = kind, np.load(folder / f"{index}.npy")
    return tensors, values


def blocks(kind, rows, columns):
    """Random bytes with scales that are finite."""
    elements, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[kind]]
    rng = np.random.default_rng(len(kind) + columns)
    data = rng.integers(0, 256, (rows, columns // elements, size), np.uint8)
    halves = {"Q2_K": [80, 82], "Q3_K": [108], "Q6_K": [208], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q4_1": [0, 2], "Q5_1": [0, 2]}
    for at in halves.get(kind, [0] if elements > 1 else []):
        scale = rng.standard_normal(data.shape[:2]).astype(np.float16)
        data[:, :, at:at + 2] = scale[..., None].view(np.uint8)
    return data.reshape(rows, -1)


@pytest.mark.parametrize("kind", TYPES)
def test_gguf_types(kind, tmp_path):
    writer = gguf.GGUFWriter(tmp_path / "m.gguf", "llama")
    if kind in ("F32", "F16", "BF16"):
        want = np.random.default_rng(1).standard_normal((3, 512)).astype(np.float32)
        want = {"F32": want, "F16": want.astype(np.float16), "BF16": want.astype(ml_dtypes.bfloat16)}[kind]
        raw = want.view(np.uint8) if kind == "BF16" else want
        want = want.astype(np.float32)
    else:
        raw = blocks(kind, 3, 512)
        want = gguf.quants.dequantize(raw, gguf.GGMLQuantizationType[kind])
    writer.add_tensor("w", raw, raw_dtype=gguf.GGMLQuantizationType[kind])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    (name, got), = dump(tmp_path / "m.gguf", tmp_path / "out")[0].values()
    assert name == kind and got.shape == want.shape
    np.testing.assert_array_equal(got, want)


def test_gguf_of_a_real_model(tmp_path):
    tensors, values = dump(gguf_path(), tmp_path / "out")
    reader = gguf.GGUFReader(gguf_path())
    assert list(tensors) == [tensor.name for tensor in reader.tensors]
    for tensor in reader.tensors:
        kind, got = tensors[tensor.name]
        assert kind == tensor.tensor_type.name
        np.testing.assert_array_equal(got, gguf.quants.dequantize(tensor.data, tensor.tensor_type).reshape(got.shape))
    for field in reader.fields.values():
        if field.name.startswith("GGUF."):
            continue
        contents = field.contents()
        if isinstance(contents, list):
            assert values[field.name] == str(len(contents))
        elif isinstance(contents, (int, bool)):
            assert values[field.name] == str(contents).lower()


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
                                   "float32", "float64", "bfloat16"])
def test_safetensors(dtype, tmp_path):
    if dtype == "bfloat16":
        arrays = {"w": np.linspace(-3, 3, 12).reshape(3, 4).astype(ml_dtypes.bfloat16)}
    else:
        arrays = {"w": (np.arange(12) % 2).reshape(3, 4).astype(dtype), "scalar": np.array(1, dtype), "empty": np.zeros((0, 4), dtype)}
    safetensors.numpy.save_file(arrays, tmp_path / "m.safetensors", {"format": "np"})
    tensors, _ = dump(tmp_path / "m.safetensors", tmp_path / "out")
    assert set(tensors) == set(arrays)
    for name, want in arrays.items():
        kind, got = tensors[name]
        assert kind.startswith(dtype)
        np.testing.assert_array_equal(got, want.astype(np.float32) if dtype == "bfloat16" else want)
    # What the writer makes of it, to the authors' reader.
    anetest.run("checkpoint_tool", "--copy", tmp_path / "m.safetensors", tmp_path / "copy.safetensors")
    copied = safetensors.numpy.load_file(tmp_path / "copy.safetensors")
    assert set(copied) == set(arrays)
    for name, want in arrays.items():
        assert copied[name].dtype == want.dtype and copied[name].shape == want.shape
        np.testing.assert_array_equal(copied[name], want)
    with safetensors.safe_open(tmp_path / "copy.safetensors", "np") as file:
        assert file.metadata() == {"format": "pt"}


def test_safetensors_in_shards(tmp_path):
    rng, index = np.random.default_rng(0), {}
    arrays = {f"layer.{i}": rng.standard_normal((4, i + 1)).astype(np.float32) for i in range(5)}
    for i, (name, array) in enumerate(arrays.items()):
        index[name] = f"model-{i % 2}.safetensors"
    for file in set(index.values()):
        safetensors.numpy.save_file({name: arrays[name] for name in index if index[name] == file}, tmp_path / file)
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": index}))
    for path in (tmp_path, tmp_path / "model.safetensors.index.json"):
        tensors, _ = dump(path, tmp_path / f"out{path.suffix}")
        assert set(tensors) == set(arrays)
        for name, want in arrays.items():
            np.testing.assert_array_equal(tensors[name][1], want)


def test_truncated_downloads(tmp_path):
    safetensors.numpy.save_file({"w": np.zeros((64, 64), np.float32)}, tmp_path / "m.safetensors")
    for name, error in (("m.safetensors", "is the file truncated?"), ("m.gguf", "is it truncated?")):
        source = (tmp_path / name if name.endswith("s") else gguf_path()).read_bytes()
        (tmp_path / f"cut.{name}").write_bytes(source[:len(source) // 2 if name.endswith("s") else 100_000])
        result = anetest.run("checkpoint_tool", tmp_path / f"cut.{name}", tmp_path, check=False)
        assert result.returncode == 1 and error in result.stderr and f"cut.{name}" in result.stderr
