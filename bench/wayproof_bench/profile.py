"""Where the time of a run went: the files of `wayproof check --profile` as a table.

Time of a stage is its own, without the stages inside it; the part of it that the solver took is given beside.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Dict, List

from wayproof_bench.tasks import UsageError


class Stage:
    """The sums of one stage."""

    def __init__(self) -> None:
        self.entered = 0
        self.own = 0.0
        self.queries = 0
        self.solving = 0.0
        self.longest = 0.0


def stages(events: List[dict]) -> Dict[str, Stage]:
    """Own time, queries and solver time by stage, in milliseconds. A stage without an end lasts to the last event."""
    found: Dict[str, Stage] = {}
    open_stages: Dict[int, List[list]] = {}
    last = max((event["ts"] + event.get("dur", 0) for event in events), default=0)

    def close(stack: List[list], at: float) -> None:
        name, begin, inside = stack.pop()
        found[name].own += (at - begin - inside) / 1000
        if stack:
            stack[-1][2] += at - begin

    for event in events:
        stack = open_stages.setdefault(event["tid"], [])
        if event["ph"] == "B":
            found.setdefault(event["name"], Stage()).entered += 1
            stack.append([event["name"], event["ts"], 0.0])
        elif event["ph"] == "E" and stack:
            close(stack, event["ts"])
        elif event["ph"] == "X":
            stage = found.setdefault(stack[-1][0] if stack else "elsewhere", Stage())
            stage.queries += 1
            stage.solving += event["dur"] / 1000
            stage.longest = max(stage.longest, event["dur"] / 1000)
    for stack in open_stages.values():
        while stack:
            close(stack, last)
    return found


def table(title: str, found: Dict[str, Stage]) -> str:
    """For people, the most expensive stage first; in Markdown."""
    total = sum(stage.own for stage in found.values()) or 1.0
    lines = [f"**{title}**: {total:.0f} ms", "",
             "| stage | times | own ms | share | of it solver ms | queries | longest query ms |", "|---|---|---|---|---|---|---|"]
    for name, stage in sorted(found.items(), key=lambda entry: -entry[1].own):
        lines.append(f"| {name} | {stage.entered} | {stage.own:.1f} | {100 * stage.own / total:.0f} % | {stage.solving:.1f} "
                     f"| {stage.queries} | {stage.longest:.1f} |")
    return "\n".join(lines)


def main(arguments: List[str]) -> int:
    """bench/profile"""
    parser = argparse.ArgumentParser(prog="bench/profile", description="Where the time of runs went.")
    parser.add_argument("traces", nargs="+", metavar="TRACE.json", help="a file of `wayproof check --profile`")
    for place in parser.parse_args(arguments).traces:
        try:
            events = json.loads(Path(place).read_text(encoding="utf-8"))["traceEvents"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UsageError(f"`{place}` is no trace: {error}") from error
        print(table(Path(place).stem, stages(events)) + "\n")
    return 0
