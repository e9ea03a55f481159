"""Anemone: compiles models for Apple's Neural Engine, and runs what it compiled.

    bundle = anemone.compile("model.onnx", "model.anebundle", dims={"batch": 1, "sequence": 128})
    model = anemone.load(bundle)
    outputs = model(input_ids=ids, attention_mask=mask)

See docs/python.md of the project.
"""
from ._api import Bundle, compile, load
from ._arrays import TensorInfo, empty
from ._compiler import Target, explain, targets
from ._model import Model
from ._native import NO_LIMIT, counters, set_budgets
from ._report import Report
from ._session import Session, States
from ._trainer import Trainer, TrainStep
from .errors import CompileError, Diagnostic, Error, RunError

__version__ = "1.0.0"

__all__ = ["Bundle", "CompileError", "Diagnostic", "Error", "Model", "NO_LIMIT", "Report", "RunError", "Session", "States",
           "Target", "TensorInfo", "Trainer", "TrainStep", "compile", "counters", "empty", "explain", "load", "set_budgets", "targets"]
