"""Where the time of a run went: the files of `wayproof check --profile` as a table.

Time of a stage is its own, without the stages inside it; the part of it that the solver took is given beside.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Dict, List, Tuple

from wayproof_bench import environment, records, results, tasks
from wayproof_bench.environment import say
from wayproof_bench.tasks import ROOT, UsageError


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


def overview(runs: List[Tuple[str, Dict[str, Stage]]]) -> str:
    """Several runs in one table: the share of each stage, and of the solver, in each."""
    totals: Dict[str, float] = {}
    for _, found in runs:
        for name, stage in found.items():
            totals[name] = totals.get(name, 0.0) + stage.own
    names = sorted(totals, key=lambda name: -totals[name])
    lines = ["| task | ms | " + " | ".join(names) + " | solver | queries |", "|---|---|" + "---|" * (len(names) + 2)]

    def row(title: str, total: float, own: Dict[str, float], solving: float, queries: int) -> str:
        shares = [f"{100 * own.get(name, 0.0) / (total or 1.0):.0f} %" for name in names]
        return f"| {title} | {total:.0f} | " + " | ".join(shares) + f" | {100 * solving / (total or 1.0):.0f} % | {queries} |"

    everything, solving, queries = sum(totals.values()), 0.0, 0
    for title, found in runs:
        its_solving, its_queries = (sum(getattr(stage, column) for stage in found.values()) for column in ("solving", "queries"))
        total = sum(stage.own for stage in found.values())
        lines.append(row(f"`{title}`", total, {name: stage.own for name, stage in found.items()}, its_solving, its_queries))
        solving, queries = solving + its_solving, queries + its_queries
    lines.append(row("all", everything, totals, solving, queries))
    return "\n".join(lines)


def read(path: Path) -> Dict[str, Stage]:
    """The stages of a trace file."""
    try:
        return stages(json.loads(path.read_text(encoding="utf-8"))["traceEvents"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"`{path}` is no trace: {error}") from error


def slowest(binary: Path, measured: Path, count: int, seconds: int) -> List[Tuple[str, Dict[str, Stage]]]:
    """Profiles the tasks that took longest in a file of results, solved or not."""
    runs = []
    for record in sorted(records.load(measured), key=lambda record: -record.cpu_s)[:count]:
        task = next((task for task in tasks.find(record.suite) if task.name == record.task), None)
        if task is None:
            raise UsageError(f"{record.suite}/{record.task} is not among the tasks any more")
        say(f"{record.suite}/{record.task}")
        with tempfile.TemporaryDirectory() as folder:
            trace = Path(folder) / "trace.json"
            line = [str(binary), "check", str(task.definition), "--format", "svcomp", "--timeout", str(seconds), "--profile", str(trace)]
            subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds + 30, check=False)
            runs.append((f"{record.suite}/{record.task}", read(trace)))
    return runs


def main(arguments: List[str]) -> int:
    """bench/profile"""
    parser = argparse.ArgumentParser(prog="bench/profile", description="Where the time of runs went.")
    parser.add_argument("traces", nargs="*", metavar="TRACE.json", help="a file of `wayproof check --profile`")
    parser.add_argument("--slowest", type=int, metavar="N", help="instead, profile the N slowest tasks of the last results")
    parser.add_argument("--results", default=str(ROOT / "docs" / "results" / "gps.csv"), metavar="FILE.csv", help="(docs/results/gps.csv)")
    parser.add_argument("--time", type=int, default=20, metavar="S", help="wall seconds of one profiled run (20)")
    parser.add_argument("--binary", metavar="FILE", help="the binary (WAYPROOF, or the release build of this clone)")
    parser.add_argument("--page", metavar="FILE.md", help="write the table between the markers `profile` of a page")
    args = parser.parse_args(arguments)
    if args.slowest:
        binary = environment.binary(args.binary)
        runs = slowest(binary, Path(args.results), args.slowest, args.time)
        text = f"{environment.version(binary)}; at most {args.time} s of wall time each; {environment.machine()}.\n\n{overview(runs)}"
        if args.page:
            page = Path(args.page)
            page.write_text(results.rewrite(page.read_text(encoding="utf-8"), {"profile": text}), encoding="utf-8")
        print(text)
    elif not args.traces:
        parser.error("name a trace, or use --slowest")
    for place in args.traces:
        print(table(Path(place).stem, read(Path(place))) + "\n")
    return 0
