"""llama.cpp's half of `ane-bench llm`: a prompt and an answer of a GGUF file, in the protocol of tools/ane-bench/Peer.h.

    llama_peer.py MODEL.gguf THREADS CONTEXT PREFILL DECODE

Needs llama-cpp-python (scripts/setup.sh --bench). Its library is called without the package's own loop: no sampling, and logits of
the last token only, as the other side has it.
"""
import ctypes
import sys
import time

import llama_cpp
import llama_cpp.llama_cpp as lib


def opened(path, threads, context):
    silent = lib.llama_log_callback(lambda *_: None)
    lib.llama_log_set(silent, ctypes.c_void_p(0))
    lib.llama_backend_init()
    model = lib.llama_model_load_from_file(path.encode(), lib.llama_model_default_params())
    options = lib.llama_context_default_params()
    options.n_ctx = options.n_batch = options.n_ubatch = context
    options.n_threads = options.n_threads_batch = threads
    session = model and lib.llama_init_from_model(model, options)
    if not session:
        raise SystemExit(f"llama_peer.py: llama.cpp can't open {path}")
    return session, silent


def main():
    path, *numbers = sys.argv[1:]
    threads, context, prefill, decode = map(int, numbers)
    session, silent = opened(path, threads, context)
    memory = lib.llama_get_memory(session)
    # Those of LanguageSession.cpp.
    tokens = (lib.llama_token * (prefill + decode))(*(1 + i % 200 for i in range(prefill + decode)))

    def run(first, count):
        batch = lib.llama_batch_get_one(ctypes.cast(ctypes.byref(tokens, 4 * first), ctypes.POINTER(lib.llama_token)), count)
        if lib.llama_decode(session, batch) != 0:
            raise SystemExit("llama_peer.py: llama_decode failed")
        lib.llama_synchronize(session)

    features = lib.llama_print_system_info().decode().strip()
    print(f"ready llama-cpp-python {llama_cpp.__version__} ({features})", flush=True)
    while request := sys.stdin.buffer.read(1):
        if request == b"p":
            lib.llama_memory_clear(memory, True)
        start = time.perf_counter_ns()
        if request == b"p":
            run(0, prefill)
        else:
            for i in range(prefill, prefill + decode):
                run(i, 1)
        print(time.perf_counter_ns() - start, flush=True)


main()
