"""Builds the models of a lit test: models.py TEST DIRECTORY

A test holds models in ONNX's textual syntax (onnx.parser), each after a line `//--- NAME`, up to the next one or the
end. Lines that start with `//` are not part of a model: RUN and CHECK lines stand there. DIRECTORY/NAME.onnx is written
for each. Initializers are stored as raw data, as exporters do, unless NAME starts with `typed`.
"""
import pathlib
import re
import sys

import onnx
import onnx.numpy_helper
import onnx.parser


def build(text, typed):
    model = onnx.parser.parse_model(text)
    for tensor in model.graph.initializer:
        if not typed:
            array = onnx.numpy_helper.to_array(tensor)
            tensor.CopyFrom(onnx.numpy_helper.from_array(array, tensor.name))
    return model


def main(test, directory):
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    sections = re.split(r"^//--- (\S+)$", pathlib.Path(test).read_text(), flags=re.M)
    for name, text in zip(sections[1::2], sections[2::2]):
        lines = [line for line in text.splitlines() if not line.startswith("//")]
        onnx.save(build("\n".join(lines), name.startswith("typed")), directory / f"{name}.onnx")


if __name__ == "__main__":
    main(*sys.argv[1:])
