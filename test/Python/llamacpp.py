"""llama.cpp as an oracle. It lives in an environment of its own (scripts/setup.sh --bench), whose interpreter runs this file:

    .venv-bench/bin/python test/Python/llamacpp.py logits FILE.gguf TOKENS.npy OUT.npy
    .venv-bench/bin/python test/Python/llamacpp.py tokens FILE.gguf TEXTS OUT

`logits`: behind each of the tokens, in float32 as far as llama.cpp has it. `tokens`: records (texts.py) of bytes become records of ids; names of
special tokens are text, and nothing is put before or behind.
"""
import ctypes
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent


def run(*arguments):
    """False where llama.cpp is not installed."""
    python = ROOT / ".venv-bench" / "bin" / "python"
    if python.exists() and list(python.parent.parent.glob("lib/*/site-packages/llama_cpp")):
        subprocess.run([python, __file__, *arguments], check=True, stdin=subprocess.DEVNULL)
        return True
    return False


def opened(lib, path, **options):
    silent = lib.llama_log_callback(lambda *_: None)
    lib.llama_log_set(silent, ctypes.c_void_p(0))
    lib.llama_backend_init()
    params = lib.llama_model_default_params()
    for name, value in options.items():
        setattr(params, name, value)
    model = lib.llama_model_load_from_file(path.encode(), params)
    if not model:
        raise SystemExit(f"llamacpp.py: llama.cpp can't open {path}")
    return model, silent


def logits(lib, path, tokens, out):
    model, silent = opened(lib, path, use_mmap=False)
    tokens = np.load(tokens)
    options = lib.llama_context_default_params()
    options.n_ctx = options.n_batch = options.n_ubatch = 256
    options.n_threads = options.n_threads_batch = 2
    options.type_k = options.type_v = 0  # F32
    options.flash_attn_type = 0          # disabled: it computes in half precision
    session = lib.llama_init_from_model(model, options)
    count, vocabulary = len(tokens), lib.llama_vocab_n_tokens(lib.llama_model_get_vocab(model))
    batch = lib.llama_batch_init(count, 0, 1)
    batch.n_tokens = count
    for i, token in enumerate(tokens.tolist()):
        batch.token[i], batch.pos[i], batch.n_seq_id[i], batch.logits[i] = token, i, 1, True
        batch.seq_id[i][0] = 0
    if lib.llama_decode(session, batch) != 0:
        raise SystemExit("llamacpp.py: llama_decode failed")
    np.save(out, np.stack([np.ctypeslib.as_array(lib.llama_get_logits_ith(session, i), (vocabulary,)).copy() for i in range(count)]))


def tokens(lib, path, texts, out):
    model, silent = opened(lib, path, vocab_only=True)
    vocab, data, at = lib.llama_model_get_vocab(model), Path(texts).read_bytes(), 0
    with open(out, "wb") as file:
        while at < len(data):
            size, = struct.unpack_from("<I", data, at)
            text, at = data[at + 4:at + 4 + size], at + 4 + size
            ids = (lib.llama_token * (size + 8))()
            count = lib.llama_tokenize(vocab, text, size, ids, len(ids), False, False)
            if count < 0:
                raise SystemExit(f"llamacpp.py: {-count} tokens for {size} bytes")
            file.write(struct.pack("<I", 4 * count) + bytes(ids)[:4 * count])


if __name__ == "__main__":
    import llama_cpp.llama_cpp
    {"logits": logits, "tokens": tokens}[sys.argv[1]](llama_cpp.llama_cpp, *sys.argv[2:])
