"""What one run of `wayproof check --format svcomp --stats` printed.

Shared by the BenchExec tool-info module and the built-in runner, so that both read the same thing.
"""

from __future__ import annotations

import re
from typing import Iterable, List, Optional

# Statistics that become columns: the name in the output, the name in our tables.
STATISTICS = {"tests": "tests", "tree nodes": "tree_nodes", "solver queries": "solver_queries"}

# Where a construct stands is of no use for counting reasons.
_PLACE = re.compile(r" at \S+:\d+:\d+$")
_VERDICT = re.compile(r"true|false(\([a-z-]+\))?|unknown")


def verdict(lines: Iterable[str]) -> Optional[str]:
    """The last `RESULT:` line, or None if there is no well-formed one."""
    found = None
    for line in lines:
        if line.startswith("RESULT: "):
            found = line[len("RESULT: "):].strip()
    if found is not None and _VERDICT.fullmatch(found):
        return found
    return None


def reason(lines: Iterable[str]) -> Optional[str]:
    """Why the verdict is unknown, without the place."""
    for line in lines:
        if line.startswith("UNKNOWN: "):
            return _PLACE.sub("", line[len("UNKNOWN: "):].strip())
        if line.startswith("error: "):
            return _PLACE.sub("", line.strip())
    return None


def statistic(lines: Iterable[str], name: str) -> Optional[str]:
    """A number of `--stats` by its name."""
    for line in lines:
        key, separator, value = line.strip().partition(": ")
        if separator and key == name:
            return value.strip()
    return None


def status(lines: List[str], exit_code: Optional[int], signal: Optional[int]) -> str:
    """The status of a run that was not ended by a limit, in the words of BenchExec."""
    if signal:
        return f"KILLED BY SIGNAL {signal}"
    found = verdict(lines)
    if exit_code == 6:
        return "ERROR (internal)"
    if exit_code in (1, 2):
        return "ERROR (usage)" if exit_code == 1 else "ERROR (front end)"
    if found is None:
        return f"ERROR ({exit_code})"
    # The exit code says the same; if it does not, neither is to be believed.
    agreed = {"true": 0, "unknown": 5}.get(found, 10)
    return found if exit_code == agreed else f"ERROR (exit code {exit_code} with {found})"
