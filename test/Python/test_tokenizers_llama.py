"""The vocabularies that llama.cpp is tested with, real ones of large models: what llama.cpp makes of its own test texts, and of 20,000 lines and
bytes that are no UTF-8; of three, what Hugging Face's tokenizers makes of those.

They are in the source package of llama-cpp-python (sdist.py); only with --full.
"""
import re
import struct

import pytest
from tokenizers import AddedToken, models, processors

import llamacpp
import sdist
import texts
from smollm import Source
from test_tokenizers import LLAMA3, QWEN2, byte_level, check

NAMES = ["gpt-2", "llama-bpe", "qwen2", "qwen35", "starcoder", "refact", "command-r", "llama-spm", "phi-3", "bert-bge", "gemma-4"]


@pytest.fixture(scope="session")
def vocabularies():
    return sdist.llama_cpp_models() or pytest.skip("pip finds no llama-cpp-python")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_vectors(name, vocabularies, tmp_path):
    path = vocabularies / f"ggml-vocab-{name}.gguf"
    inputs = (vocabularies / f"{path.name}.inp").read_text().split("\n__ggml_vocab_test__\n")
    want = [[int(i) for i in line.split()] for line in (vocabularies / f"{path.name}.out").read_text().split("\n")]
    inputs = inputs[:len(want)]
    texts.differences(texts.encode(path, inputs, tmp_path, "--bare"), want[:len(inputs)], inputs)


def oracle_of(path, name):
    """Hugging Face's, of the same tokens and merges, with the pattern of the family's tokenizer.json."""
    source = Source(path)
    tokens, types = source.field("tokenizer.ggml.tokens"), source.field("tokenizer.ggml.token_type")
    merges = [tuple(merge.split(" ")) for merge in source.field("tokenizer.ggml.merges")]
    is_llama = name == "llama-bpe"
    model = models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges, ignore_merges=is_llama)
    made = byte_level(pattern={"llama-bpe": LLAMA3, "qwen2": QWEN2}.get(name), model=model)
    made.add_special_tokens([AddedToken(token, normalized=False) for token, kind in zip(tokens, types) if kind == 3])
    made.add_tokens([AddedToken(token, normalized=False) for token, kind in zip(tokens, types) if kind == 4])
    if is_llama:
        bos = source.field("tokenizer.ggml.bos_token_id")
        made.post_processor = processors.TemplateProcessing(single=f"{tokens[bos]} $A", special_tokens=[(tokens[bos], bos)])
    return made


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gpt-2", "llama-bpe", "qwen2"])
def test_lines(name, vocabularies, tmp_path):
    path = vocabularies / f"ggml-vocab-{name}.gguf"
    check(path, oracle_of(path, name), texts.lines(20000), tmp_path)


# Overlong forms, surrogates, and what lies behind Unicode: llama.cpp takes some for characters, and ends in an exception for others.
NO_CHARACTER = re.compile(rb"[\xc0\xc1\xf5-\xff]|\xe0[\x80-\x9f]|\xed[\xa0-\xbf]|\xf0[\x80-\x8f]|\xf4[\x90-\xbf]")
# It takes bytes that are no UTF-8 as tokens of bytes, where SentencePiece, the oracle of test_tokenizers_sentencepiece.py, has U+FFFD.
KEEPS_BYTES = ["llama-spm", "phi-3"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*(name for name in NAMES if name != "bert-bge"), "nomic-bert-moe"])
def test_llama_cpp(name, vocabularies, tmp_path):
    """(Of BERT's it takes syllables of Hangul and marks apart in another way than Hugging Face's, the oracle of test_tokenizers.py.)"""
    path, inputs = vocabularies / f"ggml-vocab-{name}.gguf", [line.encode() for line in texts.lines(20000)]
    if name == "phi-3":
        # Its file, as its tokenizer.json, has this as no special token; llama.cpp takes it for one by its looks.
        inputs = [data for data in inputs if b"</s>" not in data]
    if name not in KEEPS_BYTES:
        inputs += [data for data in texts.broken(5000) if not NO_CHARACTER.search(data)]
        assert len(inputs) > 22500
    if not llamacpp.run("tokens", path, texts.records(tmp_path / "texts", inputs), tmp_path / "ids"):
        pytest.skip("there is no .venv-bench with llama.cpp (scripts/setup.sh --bench)")
    data, at, want = (tmp_path / "ids").read_bytes(), 0, []
    while at < len(data):
        size, = struct.unpack_from("<I", data, at)
        want.append(list(struct.unpack_from(f"<{size // 4}i", data, at + 4)))
        at += 4 + size
    texts.differences(texts.encode(path, inputs, tmp_path, "--bare"), want, inputs)
