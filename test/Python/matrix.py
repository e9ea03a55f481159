"""Compiles real models for all targets: `ane-compile --targets=all`."""
import json

import anetest
import zoo

LEVELS = ("catalog", "evidence")
MINILM = "minilm"


def names():
    return [MINILM, *zoo.MODELS]


def find(name):
    """(path, flags that bind its shapes), or None when the model is not here and can't be made."""
    if name == MINILM:
        path = anetest.minilm_path()
        return path and (path, ["--dim", "batch_size=1", "--dim", "sequence_length=128"])
    made = zoo.ensure(name)
    if not made:
        return None
    path, inputs = made
    return path, zoo.options(name, inputs)


def compile_all(model, level, *flags):
    """The matrix of a model of find() at a level of strictness, as ane-compile gives it."""
    path, shapes = model
    return json.loads(anetest.run("ane-compile", path, "--targets=all", "--json", "--quiet", f"--strictness={level}", *shapes, *flags).stdout)
