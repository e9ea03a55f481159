"""ONNX Runtime as the peer of ane-bench: runs a model once for each byte of its input (tools/ane-bench/Peer.h).

    ort_peer.py FOLDER THREADS NAME      the model and its inputs are in FOLDER, see run.py
"""
import json
import sys
import time
from pathlib import Path

import numpy as np
import onnxruntime


def main():
    folder, threads, name = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    record = json.loads((folder / "inputs" / name / "model.json").read_text())
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(record["path"], options, providers=["CPUExecutionProvider"])
    inputs = {}
    for entry in record["inputs"]:
        data = np.fromfile(folder / "inputs" / name / f"{entry['name']}.bin", entry["dtype"])
        inputs[entry["name"]] = data.reshape(entry["shape"])
    print("ready", flush=True)
    while sys.stdin.buffer.read(1):
        start = time.perf_counter_ns()
        session.run(None, inputs)
        print(time.perf_counter_ns() - start, flush=True)


main()
