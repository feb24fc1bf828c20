"""Benchmark definitions for BenchExec."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Dict, List, Optional
from xml.sax.saxutils import escape, quoteattr

from wayproof_bench.output import STATISTICS
from wayproof_bench.tasks import Task

_HEAD = """<?xml version="1.0"?>
<!DOCTYPE benchmark PUBLIC "+//IDN sosy-lab.org//DTD BenchExec benchmark 2.3//EN" "https://www.sosy-lab.org/benchexec/benchmark-2.3.dtd">
"""


class Limits:
    """What a run may use."""

    def __init__(self, seconds: int, memory_mib: int):
        self.seconds = seconds
        self.memory_mib = memory_mib

    # A run that reaches its limit is asked to report what it has, and has this long to do so.
    GRACE_S = 3

    def __str__(self) -> str:
        return f"{self.seconds} s CPU, {self.memory_mib} MiB"


def _options(options: List[str]) -> List[str]:
    """Options as elements: a word that does not start with a dash is the value of the one before it."""
    elements = []
    index = 0
    while index < len(options):
        name = options[index]
        if index + 1 < len(options) and not options[index + 1].startswith("-"):
            elements.append(f"<option name={quoteattr(name)}>{escape(options[index + 1])}</option>")
            index += 1
        else:
            elements.append(f"<option name={quoteattr(name)}/>")
        index += 1
    return elements


def write(path: Path, configs: Dict[str, List[str]], tasks: List[Task], limits: Limits, whole_suites: bool = False) -> None:
    """Writes a definition with a run definition per configuration and a task set per suite.

    With `whole_suites` a suite is named by a pattern, and stays right when tasks are added to its folder.
    """
    base = Path(os.path.abspath(path)).parent
    relative = lambda place: escape(os.path.relpath(place, base))
    lines = [
        f'<benchmark tool="wayproof_bench.toolinfo" displayName="Wayproof" timelimit="{limits.seconds} s" '
        f'hardtimelimit="{limits.seconds + limits.GRACE_S} s" memlimit="{limits.memory_mib * 1024 * 1024} B">',
        '  <option name="--stats"/>',
    ]
    for name, options in configs.items():
        lines.append(f"  <rundefinition name={quoteattr(name)}>")
        lines += [f"    {element}" for element in _options(options)]
        lines.append("  </rundefinition>")
    sets: Dict[tuple, List[Task]] = {}
    for task in tasks:
        sets.setdefault((task.suite, task.property_file), []).append(task)
    for (suite, property_file), members in sets.items():
        lines.append(f"  <tasks name={quoteattr(suite)}>")
        if whole_suites:
            lines.append(f"    <include>{relative(members[0].definition.parent)}/*.yml</include>")
        else:
            lines += [f"    <include>{relative(task.definition)}</include>" for task in members]
        lines.append(f"    <propertyfile>{relative(property_file)}</propertyfile>")
        lines.append("  </tasks>")
    lines.append("  <columns>")
    for name in [*STATISTICS, "reason"]:
        lines.append(f"    <column title={quoteattr(name)}>{escape(name)}</column>")
    lines += ["  </columns>", "</benchmark>", ""]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_HEAD + "\n".join(lines), encoding="utf-8")


def table(path: Path, results: List[Path], title: Optional[str] = None) -> None:
    """A table definition for BenchExec's table-generator: files of one configuration become one column."""
    by_config: Dict[str, List[Path]] = {}
    for result in results:
        # NAME.TIME.results.CONFIG.SUITE.xml
        by_config.setdefault(result.name.split(".results.", 1)[-1].split(".")[0], []).append(result)
    lines = ['<?xml version="1.0"?>', f"<table name={quoteattr(title or 'wayproof')}>"]
    for files in by_config.values():
        lines.append("  <union>")
        lines += [f"    <result filename={quoteattr(str(file))}/>" for file in files]
        lines.append("  </union>")
    lines += ["</table>", ""]
    path.write_text("\n".join(lines), encoding="utf-8")
