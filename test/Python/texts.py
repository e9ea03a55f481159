"""Texts that tokenizers are tried on, and the tool that runs ours. Every line is made anew from a fixed seed; all code points are
assigned in Unicode 14, which is Python 3.11's and PCRE2's."""
import random
import struct
import unicodedata
from functools import lru_cache

import anetest

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<s>", "</s>", "[CLS]", "[MASK]", "<unk>", "<pad>"]
EMOJI = ["😀", "👍🏽", "👩‍👩‍👧‍👦", "🇩🇪", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "❤️", "1️⃣", "🧑🏿‍🚀"]
# First and last code points: Latin with accents, Greek, Cyrillic, Hebrew, Arabic, Devanagari, Bengali, Thai, Hangul, kana, Han, and more.
SCRIPTS = [(0xa1, 0x24f), (0x370, 0x3ff), (0x400, 0x52f), (0x5d0, 0x5f4), (0x600, 0x6ff), (0x900, 0x97f), (0x980, 0x9fe), (0xe01, 0xe5b),
           (0xf00, 0xfda), (0x1000, 0x109f), (0x10a0, 0x10ff), (0x1100, 0x11ff), (0x1200, 0x137c), (0x1e00, 0x1fff), (0x2000, 0x2bff),
           (0x3000, 0x30ff), (0x3400, 0x34ff), (0x4e00, 0x9fff), (0xac00, 0xd7a3), (0xf900, 0xfaff), (0xfb00, 0xfdff), (0xff00, 0xffef),
           (0x10330, 0x1034a), (0x1d400, 0x1d7ff), (0x1f100, 0x1f9ff), (0x20000, 0x2a6df)]


def is_assigned(point):
    return unicodedata.category(chr(point)) not in ("Cn", "Cs", "Co")


@lru_cache
def later():
    """Characters that tokenizers takes for something else than Unicode 14 does: its tables are of an older one."""
    from tokenizers import normalizers, pre_tokenizers
    punctuation = pre_tokenizers.Punctuation()
    clean = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    accents = normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False)
    marks, compatible, composed = normalizers.StripAccents(), normalizers.NFKC(), normalizers.NFC()

    def is_later(point):
        kind, text = unicodedata.category(chr(point)), f"a{chr(point)}a"
        return ((kind[0] == "P") != (len(punctuation.pre_tokenize_str(text)) == 3) or kind == "Cf" and len(clean.normalize_str(text)) != 2
                or (kind[0] == "M") != (len(marks.normalize_str(text)) == 2)
                or accents.normalize_str(text) != "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
                or compatible.normalize_str(text) != unicodedata.normalize("NFKC", text)
                # A mark's class says on which side of other marks it is written: of U+0345, which goes last, and of U+0334, which goes first.
                or any(composed.normalize_str(text) != unicodedata.normalize("NFC", text) for text in (f"a\u0345{chr(point)}", f"a{chr(point)}\u0334")))
    return {point: None for point in range(0x80, 0x110000) if is_assigned(point) and is_later(point)}


@lru_cache
def sources():
    """Lines of this project's own code and documents."""
    paths = sorted(path for folder in ("runtime", "lib", "docs", "test/Python") for path in (anetest.ROOT / folder).rglob("*")
                   if path.suffix in (".cpp", ".h", ".py", ".md"))
    return [line for path in paths for line in path.read_text().splitlines() if line]


def word(rng, script):
    return "".join(chr(p) for p in (rng.randint(*script) for _ in range(rng.randint(1, 9))) if is_assigned(p))


def line(rng, kind):
    if kind == "code":
        return rng.choice(sources())
    if kind == "script":
        script = rng.choice(SCRIPTS)
        return rng.choice([" ", "  ", ", ", "\n", " \t", "'s "]).join(word(rng, script) for _ in range(rng.randint(1, 12)))
    if kind == "mixed":
        parts = ["".join(rng.choice(sources()).split()[:2]), rng.choice(EMOJI), word(rng, rng.choice(SCRIPTS)), str(rng.randint(0, 10**9)),
                 " " * rng.randint(1, 9), "\n" * rng.randint(0, 3), "\r\n", "I'm WE'LL they'd", "e\u0301", "\u1e9b\u0323", "\ufb01", "½²①", "ſ's",
                 rng.choice(SPECIAL)]
        rng.shuffle(parts)
        return rng.choice(["", " "]).join(parts[:rng.randint(1, len(parts))])
    if kind == "points":
        return "".join(chr(p) for p in (rng.choice([rng.randint(0, 0x2ff), rng.randint(0, 0xffff), rng.randint(0, 0x1ffff)]) for _ in range(40))
                       if is_assigned(p))
    if kind == "control":
        return "".join(chr(rng.choice([*range(33), 0x7f, *range(0x80, 0xa1), 0xad, 0x200b, 0x200d, 0x2028, 0x3000, 0xfeff, 65])) for _ in range(30))
    letters = rng.choice(["a", "ab", "abcdefghij", "日本", "!?", " ", "0123456789", "aä"])
    return "".join(rng.choices(letters, k=rng.randint(100, 2000)))


def lines(count, seed=0):
    """Texts as str."""
    rng = random.Random(seed)
    kinds = rng.choices(["code", "script", "mixed", "points", "control", "long"], [6, 5, 5, 3, 2, 0.3], k=count)
    # Each line has a generator of its own, so that a change of the sources changes none but the lines that quote them.
    return ["", " ", *(line(random.Random(f"{seed} {i}"), kind) for i, kind in enumerate(kinds[2:]))]


def broken(count, seed=1):
    """Bytes that are no UTF-8: noise, and texts that are cut, damaged or mixed with noise."""
    rng = random.Random(seed)
    made = []
    for text in lines(count, seed):
        data = bytearray(text.encode()[:200])
        for _ in range(rng.randint(1, 8)):
            at = rng.randint(0, len(data))
            data[at:at + rng.randint(0, 2)] = rng.randbytes(rng.randint(1, 3))
        made.append(bytes(data) if rng.random() < 0.7 else rng.randbytes(rng.randint(1, 60)))
    return made


def repaired(data):
    """What tokenizers see of such bytes: U+FFFD for each byte that is part of no character."""
    text, at = "", 0
    while at < len(data):
        for size in (1, 2, 3, 4):
            try:
                text += data[at:at + size].decode()
                at += size
                break
            except UnicodeDecodeError:
                pass
        else:
            text += "\ufffd"
            at += 1
    return text


def records(path, texts):
    with open(path, "wb") as file:
        for text in texts:
            data = text.encode() if isinstance(text, str) else text
            file.write(struct.pack("<I", len(data)) + data)
    return path


def run(command, tokenizer, inputs, folder, *flags):
    """The records that tokenizer_tool gives for these."""
    import subprocess
    path = records(folder / "records", inputs)
    done = subprocess.run([anetest.tool("tokenizer_tool"), command, tokenizer, path, *flags], capture_output=True, timeout=anetest.TIMEOUT)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    found, at = [], 0
    while at < len(done.stdout):
        size, = struct.unpack_from("<I", done.stdout, at)
        found.append(done.stdout[at + 4:at + 4 + size])
        at += 4 + size
    assert len(found) == len(inputs)
    return found


def encode(tokenizer, texts, folder, *flags):
    return [list(struct.unpack(f"<{len(ids) // 4}i", ids)) for ids in run("encode", tokenizer, texts, folder, *flags)]


def decode(tokenizer, lists, folder, *flags):
    """Decoded in one go and as a stream, which must be the same."""
    return [text.decode() for text in run("stream", tokenizer, [struct.pack(f"<{len(ids)}i", *ids) for ids in lists], folder, *flags)]


def differences(got, want, texts):
    """The first that differs, for messages."""
    wrong = [i for i in range(len(want)) if got[i] != want[i]]
    assert len(got) == len(want)
    if wrong:
        i = min(wrong, key=lambda i: len(texts[i]))
        raise AssertionError(f"{len(wrong)} of {len(want)} differ, for instance {texts[i]!r}:\n got {got[i]}\nwant {want[i]}")
