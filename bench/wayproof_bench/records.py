"""Results of runs as rows of CSV files, and what they count as.

Invariants
* I1: a row is identified by configuration, suite and task; a file has no two rows with the same three.
* I2: files are sorted by these, so that two files of the same runs differ only where results do.
"""

from __future__ import annotations

import csv
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Dict, Iterable, List, Optional, Tuple


@dataclass
class Record:
    """One run."""

    config: str
    suite: str
    task: str
    expected: str
    status: str
    cpu_s: float
    wall_s: float
    peak_mb: float
    reason: str = ""
    tests: str = ""
    tree_nodes: str = ""
    solver_queries: str = ""

    @property
    def key(self) -> Tuple[str, str, str]:
        return (self.config, self.suite, self.task)

    @property
    def outcome(self) -> str:
        """`solved`, `wrong`, `timeout`, `out of memory`, `unknown`, `error`; `answered` if nothing was expected."""
        answer = self.status.split("(")[0].strip()
        if answer in ("true", "false"):
            if self.expected not in ("true", "false"):
                return "answered"
            return "solved" if answer == self.expected else "wrong"
        if self.status.startswith("TIMEOUT"):
            return "timeout"
        if self.status.startswith("OUT OF MEMORY"):
            return "out of memory"
        return "unknown" if self.status == "unknown" else "error"

    @property
    def why(self) -> str:
        """A short reason to count by; empty if solved."""
        outcome = self.outcome
        if outcome == "unknown":
            return self.reason.split(": ")[0].replace("|", "/") or "no reason given"
        if outcome == "error":
            return self.status
        return "" if outcome in ("solved", "answered") else outcome


COLUMNS = [field.name for field in fields(Record)]
_NUMBERS = {"cpu_s": 3, "wall_s": 3, "peak_mb": 1}


def load(path: Path) -> List[Record]:
    """The rows of a file."""
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames is None or "task" not in reader.fieldnames or "status" not in reader.fieldnames:
            raise ValueError(f"{path}: not a file of results")
        return [_record(row) for row in reader]


def _record(row: Dict[str, Optional[str]]) -> Record:
    values = {name: (row.get(name) or "") for name in COLUMNS}
    numbers = {name: float(values[name] or 0) for name in _NUMBERS}
    return Record(**{**values, **numbers})


def save(path: Path, records: Iterable[Record]) -> None:
    """Writes a file of rows, complete or not at all; later rows replace earlier ones (I1, I2)."""
    unique = {record.key: record for record in records}
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + f".{os.getpid()}.part")
    with open(temporary, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for key in sorted(unique):
            row = asdict(unique[key])
            for name, digits in _NUMBERS.items():
                row[name] = f"{row[name]:.{digits}f}"
            writer.writerow(row)
    os.replace(temporary, path)


def median(numbers: List[float]) -> Optional[float]:
    """The middle one, or None of nothing."""
    ordered = sorted(numbers)
    if not ordered:
        return None
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def summary(records: List[Record]) -> str:
    """One line for people."""
    counts: Dict[str, int] = {}
    for record in records:
        counts[record.outcome] = counts.get(record.outcome, 0) + 1
    parts = [f"{count} {outcome}" for outcome, count in sorted(counts.items())]
    solved = [record.cpu_s for record in records if record.outcome in ("solved", "answered")]
    middle = median(solved)
    times = f"; CPU of solved: median {middle:.3f} s, total {sum(solved):.1f} s" if middle is not None else ""
    return f"{len(records)} tasks: {', '.join(parts)}{times}"
