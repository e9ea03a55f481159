"""Tokenizers in files of SentencePiece, llama2.c and llama.cpp against the library sentencepiece, which trains the models."""
import random
import struct

import gguf
import pytest
import sentencepiece
from sentencepiece import sentencepiece_model_pb2

import anetest
import texts

COUNT = {"short": 1500, "full": 20000}
KINDS = {
    "bpe": dict(model_type="bpe", byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False),
    "bpe-nfkc": dict(model_type="bpe", user_defined_symbols=["<sep>", "the", "日本"], control_symbols=["<ctl>"]),
    "bpe-unk": dict(model_type="bpe", normalization_rule_name="nmt_nfkc_cf", add_dummy_prefix=False),
    "unigram": dict(model_type="unigram", byte_fallback=True),
    "unigram-user": dict(model_type="unigram", user_defined_symbols=["<sep>", "the", "ab"], normalization_rule_name="nfkc_cf"),
    "unigram-raw": dict(model_type="unigram", normalization_rule_name="identity", remove_extra_whitespaces=False, add_dummy_prefix=False),
}


@pytest.fixture(params=["short", pytest.param("full", marks=pytest.mark.slow)])
def lines(request):
    return texts.lines(COUNT[request.param])


def train(kind, folder):
    """A model of SentencePiece, and its library."""
    # The trainer wants every letter in the vocabulary, so that there are few scripts; all others are unknown to it.
    rng = random.Random(7)
    training = texts.sources()[:2500] + [" ".join(texts.word(rng, (0x430, 0x44f)) for _ in range(6)) for _ in range(300)] + ["日本 語 <sep> the"] * 9
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(training), model_prefix=str(folder / "tokenizer"), vocab_size=1200,
                                             character_coverage=0.999, hard_vocab_limit=False, minloglevel=2, num_threads=1, **KINDS[kind])
    return folder / "tokenizer.model", sentencepiece.SentencePieceProcessor(model_file=str(folder / "tokenizer.model"))


@pytest.mark.parametrize("kind", KINDS)
def test_models(kind, lines, tmp_path):
    path, oracle = train(kind, tmp_path)
    want = oracle.encode(lines)
    texts.differences(texts.encode(path, lines, tmp_path, "--save", str(tmp_path / "saved.json")), want, lines)
    broken = texts.broken(len(lines) // 4)
    texts.differences(texts.encode(path, broken, tmp_path), [oracle.encode(data) for data in broken], broken)
    rng = random.Random(3)
    lists = want + [[rng.randrange(oracle.vocab_size()) for _ in range(rng.randint(0, 40))] for _ in range(len(lines) // 4)]
    texts.differences(texts.decode(path, lists, tmp_path), oracle.decode(lists), lists)


def test_llama2c(lines, tmp_path):
    """tokenizer.bin as llama2.c's exporter makes it of a model of SentencePiece."""
    path, oracle = train("bpe", tmp_path)
    pieces = [oracle.id_to_piece(i) for i in range(oracle.vocab_size())]
    shown = [{1: "\n<s>\n", 2: "\n</s>\n"}.get(i, piece).replace("▁", " ").encode() for i, piece in enumerate(pieces)]
    with open(tmp_path / "tokenizer.bin", "wb") as file:
        file.write(struct.pack("<I", max(map(len, shown))))
        for i, text in enumerate(shown):
            file.write(struct.pack("<fI", oracle.get_score(i), len(text)) + text)
    want = oracle.encode(lines)
    texts.differences(texts.encode(tmp_path / "tokenizer.bin", lines, tmp_path, "--bare"), want, lines)
    assert texts.encode(tmp_path / "tokenizer.bin", ["a"], tmp_path)[0][0] == 1
    texts.differences(texts.decode(tmp_path / "tokenizer.bin", want, tmp_path), oracle.decode(want), want)


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_gguf(kind, lines, tmp_path):
    """The same model as llama.cpp keeps it; for unigram with the map of characters."""
    path, oracle = train(kind, tmp_path)
    pieces = range(oracle.vocab_size())
    writer = gguf.GGUFWriter(tmp_path / "m.gguf", "llama")
    writer.add_tokenizer_model("llama" if kind == "bpe" else "t5")
    writer.add_token_list([oracle.id_to_piece(i) for i in pieces])
    writer.add_token_scores([oracle.get_score(i) for i in pieces])
    writer.add_token_types([2 if oracle.is_unknown(i) else 3 if oracle.is_control(i) else 6 if oracle.is_byte(i) else 1 for i in pieces])
    writer.add_unk_token_id(0)
    if kind == "unigram":
        from google.protobuf.internal.decoder import _DecodeVarint
        data, at, charsmap = path.read_bytes(), 0, None
        while at < len(data):  # ModelProto: only fields with a length
            key, at = _DecodeVarint(data, at)
            size, at = _DecodeVarint(data, at)
            if key >> 3 == 3:
                spec, inner = data[at:at + size], 0
                while spec[inner] >> 3 != 2:  # NormalizerSpec: the name, then the map
                    size2, inner = _DecodeVarint(spec, inner + 1)
                    inner += size2
                size2, inner = _DecodeVarint(spec, inner + 1)
                charsmap = spec[inner:inner + size2]
            at += size
        writer.add_precompiled_charsmap(charsmap)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    want = oracle.encode(lines)
    texts.differences(texts.encode(tmp_path / "m.gguf", lines, tmp_path, "--bare"), want, lines)
    texts.differences(texts.decode(tmp_path / "m.gguf", want, tmp_path, "--special"), oracle.decode(want), want)


def test_cut_files(tmp_path):
    path, _ = train("unigram", tmp_path)
    model = sentencepiece_model_pb2.ModelProto.FromString(path.read_bytes())
    pieces = sentencepiece_model_pb2.ModelProto(pieces=model.pieces).SerializeToString()
    # Within a piece, behind it, and behind the trainer's part.
    for end in (len(pieces) - 1, len(pieces), len(pieces) + model.trainer_spec.ByteSize() + 3):
        (tmp_path / "cut.model").write_bytes(path.read_bytes()[:end])
        anetest.rejected("tokenizer_tool", "encode", tmp_path / "cut.model", "/dev/null", says=["cut.model", "truncated"])
    (tmp_path / "empty").mkdir()
    anetest.rejected("tokenizer_tool", "encode", tmp_path / "empty", "/dev/null", says=["empty", "no tokenizer"])
