"""Where each op of a model runs, and why."""
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

from .errors import RunError


class Report:
    """The compiler's report of one bundle, and what happened since. ``print(report)`` shows a table."""

    def __init__(self, data: Dict[str, Any], events: Sequence[Dict[str, Any]] = ()):
        self.data = data
        """The compiler's JSON object."""
        self.events = list(events)
        """:meth:`anemone.Model.events` of the model that was asked."""

    @classmethod
    def read(cls, bundle: "str | os.PathLike[str]", events: Sequence[Dict[str, Any]] = ()) -> "Report":
        """Reads ``report.json`` of a bundle; RunError when there is none."""
        path = Path(bundle) / "report.json"
        try:
            report = cls(json.loads(path.read_text(encoding="utf-8")), events)
            str(report)  # needs all that is used of it
            return report
        except OSError as error:
            raise RunError(f"can't read {path}: {error.strerror}", "NOT_FOUND") from None
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            raise RunError(f"{path}: is no report: {error!r}", "DATA_LOSS") from None

    @property
    def target(self) -> str:
        """The chip, route and macOS version that the bundle was made for."""
        return self.data["target"]

    @property
    def engine_share(self) -> float:
        """Share of the model's FLOPs that runs on the engine, 0 to 1."""
        return self.data["engine_share"]

    @property
    def recognised(self) -> Dict[str, List[List[str]]]:
        """Composites raised from subgraphs, by kind: for each one the names of the nodes that it was made of."""
        return self.data.get("recognised", {})

    @property
    def ops(self) -> List[Dict[str, Any]]:
        """Each op: ``node``, ``op``, ``device`` ("engine" or "cpu"), ``where``, ``flops``; on the CPU also ``constraint``
        and ``reason``."""
        return self.data["ops"]

    def __str__(self) -> str:
        rows: Dict[Tuple[str, str, str], List[int]] = {}
        for op in self.ops:
            why = f"program {op['where']}" if op["device"] == "engine" else f"{op['constraint']}: {op['reason']}"
            row = rows.setdefault((op["op"], op["device"], why), [0, 0])
            row[0] += 1
            row[1] += op["flops"]
        flops = self.data["flops"]
        lines = [f"target {self.target}", "", f"{'op':<34} {'device':<7} {'count':>6} {'FLOPs':>10}  why"]
        for (kind, device, why), (count, cost) in rows.items():
            share = f"{100 * cost / flops:.2f} %" if flops else "-"
            lines.append(f"{kind:<34} {device:<7} {count:>6} {share:>10}  {why}")
        lines += ["", f"engine share of FLOPs {100 * self.engine_share:.2f} % of {flops / 1e9:.3f} GFLOP"]
        for event in self.events:
            runs = f", {event['runs']} runs" if event["runs"] > 1 else ""
            where = "otherwise than asked" if event["phase"] in ("weights", "evaluation") else "on the CPU"
            lines.append(f"ran {where}: program {event['program']} ({event['phase']}, {event['device']}{runs}): "
                         f"{event['reason']}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<anemone.Report: {len(self.ops)} ops, engine share {self.engine_share:.4f}>"
