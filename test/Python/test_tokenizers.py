"""Tokenizers against those of Hugging Face (tokenizers), Google (sentencepiece) and llama.cpp: ids and texts must be equal.

A few thousand lines in the default tier, 20,000 for each tokenizer with --full.
"""
import json
import random

import pytest
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

import anetest
import texts
from smollm import Source, gguf_path

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace("{1,3}", "")
COUNT = {"short": 1500, "full": 20000}


@pytest.fixture(params=["short", pytest.param("full", marks=pytest.mark.slow)])
def lines(request):
    return texts.lines(COUNT[request.param])


def byte_level(normalizer=None, pattern=None, model=None, digits=False, **options):
    made = Tokenizer(model or models.BPE(**options))
    made.normalizer = normalizer
    steps = [pre_tokenizers.Digits(individual_digits=True)] if digits else []
    if pattern:
        steps.append(pre_tokenizers.Split(Regex(pattern), "isolated"))
    steps.append(pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not pattern))
    made.pre_tokenizer = pre_tokenizers.Sequence(steps)
    made.decoder = decoders.ByteLevel()
    return made


def train(made, trainer=trainers.BpeTrainer, **options):
    special = options.pop("special", ["<unk>", "<s>", "</s>"])
    if trainer is trainers.BpeTrainer and isinstance(made.pre_tokenizer, pre_tokenizers.Sequence):
        options["initial_alphabet"] = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(options.pop("lines", None) or texts.lines(2000, seed=7), trainer(vocab_size=options.pop("size", 1500), special_tokens=special, show_progress=False, **options))
    return made


def gpt2():
    made = train(byte_level())
    made.post_processor = processors.ByteLevel(trim_offsets=False)
    return made


def llama3():
    made = train(byte_level(pattern=LLAMA3, ignore_merges=True))
    made.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", made.token_to_id("<s>"))])])
    return made


def qwen2():
    return train(byte_level(normalizers.NFC(), QWEN2))


def roberta():
    made = train(byte_level())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 1))
    return made


def bytes_as_tokens():
    return ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]


def llama2():
    """SentencePiece BPE, as Hugging Face converts it."""
    made = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    made.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    return train(made, special=bytes_as_tokens(), limit_alphabet=200, max_token_length=12)


def metaspace(scheme):
    def make():
        made = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=scheme == "always"))
        made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme, split=scheme != "never")
        made.decoder = decoders.Metaspace(prepend_scheme=scheme)
        made.add_tokens([AddedToken("<|sep|>", normalized=False)])
        return train(made, limit_alphabet=150)
    return make


def unigram():
    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    return train(made, trainers.UnigramTrainer, unk_token="<unk>", lines=texts.sources()[:2500])


def bert(lowercase):
    def make():
        made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        made.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
        made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        made.decoder = decoders.WordPiece()
        special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        made = train(made, trainers.WordPieceTrainer, special=special, limit_alphabet=400)
        made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
        return made
    return make


def suffixes():
    made = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    made.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase(), normalizers.Strip()])
    made.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=False),
                                                  pre_tokenizers.Punctuation("contiguous")])
    made.decoder = decoders.BPEDecoder()
    made.train_from_iterator(texts.lines(2000, seed=7), trainers.BpeTrainer(
        vocab_size=1500, special_tokens=["<unk>"], end_of_word_suffix="</w>", limit_alphabet=300, show_progress=False))
    return made


def added():
    """Tokens with every flag."""
    made = gpt2()
    made.add_special_tokens([AddedToken("<|im_start|>", lstrip=True), AddedToken("[MASK]", rstrip=True, lstrip=True)])
    made.add_tokens([AddedToken("the", single_word=True), AddedToken("in", rstrip=True), AddedToken("日本", lstrip=True),
                     AddedToken("  ", normalized=False), AddedToken("    ", normalized=False), AddedToken("İx", normalized=True)])
    made.normalizer = normalizers.Lowercase()
    return made


TRAINED = {"gpt2": gpt2, "llama3": llama3, "qwen2": qwen2, "roberta": roberta, "llama2": llama2, "metaspace-first": metaspace("first"),
           "metaspace-always": metaspace("always"), "metaspace-never": metaspace("never"), "unigram": unigram, "bert": bert(True),
           "bert-cased": bert(False), "suffixes": suffixes, "added": added}


def check(ours, oracle, lines, folder, save=True, later={}):
    """Ids, with the names of special tokens as tokens and as text, of our file and of the bundle's; texts of ids, as a stream, too."""
    want = [e.ids for e in oracle.encode_batch(lines)]
    texts.differences(texts.encode(ours, lines, folder, "--special"), want, lines)
    oracle.encode_special_tokens = True
    text = [e.ids for e in oracle.encode_batch(lines)]
    oracle.encode_special_tokens = False
    flags = ["--save", str(folder / "saved.json")] if save else []
    texts.differences(texts.encode(ours, lines, folder, *flags), text, lines)
    # Damage makes characters, too, also such as Unicode 14 does not have.
    broken = [b for b in texts.broken(len(lines) // 4)
              if all(point not in later and texts.is_assigned(point) for point in map(ord, texts.repaired(b)))]
    texts.differences(texts.encode(ours, broken, folder, "--special"), [e.ids for e in oracle.encode_batch([texts.repaired(b) for b in broken])], broken)
    rng = random.Random(3)
    noise = [[rng.randrange(oracle.get_vocab_size()) for _ in range(rng.randint(0, 40))] for _ in range(len(lines) // 4)]
    for special in (False, True):
        lists = want + noise
        texts.differences(texts.decode(ours, lists, folder, *(["--special"] if special else [])),
                          oracle.decode_batch(lists, skip_special_tokens=not special), lists)


@pytest.mark.parametrize("kind", TRAINED)
def test_trained(kind, lines, tmp_path):
    oracle = TRAINED[kind]()
    oracle.save(str(tmp_path / "tokenizer.json"))
    later = texts.later() if kind.startswith("bert") or kind in ("suffixes", "unigram", "qwen2") else {}
    check(tmp_path / "tokenizer.json", oracle, [line.translate(later) for line in lines], tmp_path, later=later)


@pytest.mark.parametrize("kind, config", [
    ("gpt2", {"tokenizer_class": "GPT2Tokenizer"}),
    ("roberta", {"tokenizer_class": "RobertaTokenizerFast", "add_prefix_space": True}),
    ("qwen2", {"tokenizer_class": "Qwen2Tokenizer", "added_tokens_decoder": {"0": {"content": "<unk>", "special": True}}}),
])
def test_vocabulary_and_merges(kind, config, lines, tmp_path):
    """vocab.json and merges.txt, of which tokenizer_config.json says whose they are."""
    oracle = TRAINED[kind]()
    oracle.model.save(str(tmp_path))
    config = config | {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": {"content": "</s>"}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    later = texts.later() if kind == "qwen2" else {}
    check(tmp_path / "vocab.json", oracle, [line.translate(later) for line in lines], tmp_path, later=later)


def test_minilm(lines, tmp_path):
    """A real tokenizer.json, which also asks for truncation, which is not ours to do; and its vocab.txt."""
    path = anetest.vocabulary_path().parent / "tokenizer.json"
    later = texts.later()
    lines = [line.translate(later) for line in lines]
    oracle = Tokenizer.from_file(str(path))
    oracle.no_truncation()
    oracle.no_padding()
    check(path, oracle, lines, tmp_path, later=later)
    texts.differences(texts.encode(anetest.vocabulary_path(), lines, tmp_path, "--special"), [e.ids for e in oracle.encode_batch(lines)], lines)


def smollm_oracle():
    source = Source(gguf_path())
    tokens, types = source.field("tokenizer.ggml.tokens"), source.field("tokenizer.ggml.token_type")
    merges = [tuple(merge.split(" ")) for merge in source.field("tokenizer.ggml.merges")]
    made = byte_level(digits=True, model=models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges))
    made.add_special_tokens([AddedToken(token, normalized=False) for token, kind in zip(tokens, types) if kind == 3])
    return made


def test_smollm(lines, tmp_path):
    check(gguf_path(), smollm_oracle(), lines, tmp_path)


def test_text_survives_byte_level(lines, tmp_path):
    gpt2().save(str(tmp_path / "tokenizer.json"))
    ids = texts.encode(tmp_path / "tokenizer.json", lines, tmp_path)
    texts.differences(texts.decode(tmp_path / "tokenizer.json", ids, tmp_path, "--special"), lines, lines)


def test_long_words(tmp_path):
    """A megabyte in one word: time must not grow with its square."""
    words = ["a" * 1_000_000, "ab" * 500_000, " " * 1_000_000, "日本" * 170_000, "\n" * 500_000, "!" * 1_000_000]
    oracle = smollm_oracle()
    assert texts.encode(gguf_path(), words, tmp_path) == [e.ids for e in oracle.encode_batch(words)]


def edited(folder, change):
    gpt2().save(str(folder / "good.json"))
    value = json.loads((folder / "good.json").read_text())
    change(value)
    (folder / "bad.json").write_text(json.dumps(value))
    return folder / "bad.json"


@pytest.mark.parametrize("change,says", [
    (lambda v: v.update(novelty=1), ['"novelty"', "not known"]),
    (lambda v: v["model"].update(dropout=0.1), ["model.dropout"]),
    (lambda v: v["model"].update(type="WordLevel"), ["model.type", "WordLevel"]),
    (lambda v: v["model"]["merges"].append(["zzz", "a"]), ["model.merges[", '"zzz"', "not in the vocabulary"]),
    (lambda v: v.update(normalizer={"type": "Nmt"}), ["normalizer.type", "Nmt"]),
    (lambda v: v.update(pre_tokenizer={"type": "Split", "pattern": {"Regex": "(a"}, "behavior": "Isolated", "invert": False}), ["(a"]),
    (lambda v: v.update(pre_tokenizer={"type": "Split", "pattern": {"Regex": "\\h"}, "behavior": "Isolated", "invert": False}), ["\\h"]),
    (lambda v: v["decoder"].update(type="CTC"), ["decoder.type", "CTC"]),
    (lambda v: v["added_tokens"][0].update(id=2**31), ["added_tokens[0]", "2147483648"]),
    (lambda v: v["added_tokens"][0].pop("special"), ["added_tokens[0].special", "missing"]),
    (lambda v: v.update(post_processor={"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "X", "type_id": 0}}], "special_tokens": {}}),
     ["post_processor.single[0].SpecialToken.id", '"X"']),
])
def test_bad_files(change, says, tmp_path):
    anetest.rejected("tokenizer_tool", "encode", edited(tmp_path, change), "/dev/null", says=["bad.json" if "(a" not in says and "\\h" not in says else "pattern", *says])


def test_hostile_pattern(tmp_path):
    """A pattern that takes exponential time ends in an error."""
    split = {"type": "Split", "pattern": {"Regex": "(x+x+)+[yz]"}, "behavior": "Isolated", "invert": False}
    path = edited(tmp_path, lambda v: v.update(pre_tokenizer={"type": "Sequence", "pretokenizers": [split, v["pre_tokenizer"]]}))
    anetest.rejected("tokenizer_tool", "encode", path, texts.records(tmp_path / "in", ["x" * 5000]), says=["pattern", "limit"])
