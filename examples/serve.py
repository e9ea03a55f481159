"""Serves a model over HTTP. Requests run side by side: a model may be called from any number of threads.

    python examples/serve.py model.anebundle --port 8000

GET / describes the model as JSON. POST / takes an .npz archive with the inputs by name and answers with one of the outputs;
a wrong input is answered with status 400 and a sentence. Listens on this machine only.
"""
import argparse
import io
import json
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

import anemone

LARGEST_REQUEST = 1 << 30


def handler(model):
    """The class of request handlers of a model."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self, status, kind, body):
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            description = {kind: {info.name: [str(info.dtype), list(info.shape)] for info in infos}
                           for kind, infos in (("inputs", model.inputs), ("outputs", model.outputs))}
            self.answer(200, "application/json", json.dumps({"device": model.device, **description}).encode())

        def do_POST(self):
            try:
                size = int(self.headers.get("Content-Length", ""))
                if not 0 < size <= LARGEST_REQUEST:
                    raise ValueError(f"a request has at most {LARGEST_REQUEST} bytes")
                with np.load(io.BytesIO(self.rfile.read(size)), allow_pickle=False) as archive:
                    inputs = {name: archive[name] for name in archive.files}
                outputs = model(**inputs)
            except (anemone.RunError, ValueError, OSError, EOFError, zipfile.BadZipFile, AttributeError, TypeError) as error:
                self.answer(400, "text/plain; charset=utf-8", f"{error}\n".encode())
                return
            body = io.BytesIO()
            np.savez(body, **outputs)
            self.answer(200, "application/octet-stream", body.getvalue())

        def log_message(self, *_):
            pass

    return Handler


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundle")
    parser.add_argument("--device", default="auto", help="auto, cpu or emulator")
    parser.add_argument("--port", type=int, default=8000, help="0: any that is free")
    options = parser.parse_args()
    with anemone.load(options.bundle, device=options.device) as model, \
            ThreadingHTTPServer(("127.0.0.1", options.port), handler(model)) as server:
        print(f"http://127.0.0.1:{server.server_port}/ serves {model!r}", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
