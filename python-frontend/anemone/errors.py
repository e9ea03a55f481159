"""Exceptions of the package, and the compiler's messages that they carry."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence, Tuple


@dataclass(frozen=True)
class Diagnostic:
    """One message of the compiler."""

    severity: str
    """``"error"``, ``"warning"``, ``"remark"`` or ``"note"``."""
    message: str
    node: Optional[str] = None
    """Name of the model's node that it is about."""
    location: Optional[str] = None
    """``"model.onnx:12:0"``: file, number of the node, column."""
    notes: Tuple[str, ...] = ()
    """Remedies and explanations."""

    def __str__(self) -> str:
        place = f"{self.location}: " if self.location else ""
        return "\n".join([f"{place}{self.severity}: {self.message}", *(f"  note: {note}" for note in self.notes)])


class Error(Exception):
    """Base of all exceptions that this package raises on purpose."""


class CompileError(Error):
    """A model can't be compiled. The text holds every error that the compiler reported."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()):
        super().__init__(message)
        self.diagnostics: Tuple[Diagnostic, ...] = tuple(diagnostics)
        """What the compiler reported, warnings too, in its order; empty when it was not asked."""


class RunError(Error):
    """A bundle can't be opened, or a model can't run on what it was given."""

    def __init__(self, message: str, code: str = "INVALID_ARGUMENT"):
        super().__init__(message)
        self.code = code
        """The runtime's code: ``INVALID_ARGUMENT``, ``NOT_FOUND``, ``FAILED_PRECONDITION``, ``UNIMPLEMENTED``,
        ``RESOURCE_EXHAUSTED``, ``DATA_LOSS`` or ``INTERNAL``."""
