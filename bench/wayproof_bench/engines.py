"""bench/engines: an ablation of the cooperation of engines.

Each engine works alone on the same tasks, then `auto` without exchange, then `auto`. The table says how many tasks each decides, in how much
time, how many nobody else decides alone, and how many of what it decides `auto` loses.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Dict, List, Set, Tuple

from wayproof_bench import cli, environment, plots, records, tasks
from wayproof_bench.definition import Limits
from wayproof_bench.environment import say
from wayproof_bench.records import Record
from wayproof_bench.runner import Runner

SUITES = ["gps-svcomp", "papers", "sv-loops"]
ENGINES = ["gps", "cra", "impact", "tracer", "kind", "bself", "path-invariants", "recmc", "bmc", "explicit"]
TOGETHER = {"auto-no-exchange": ["--engine", "auto", "--no-exchange"], "auto": ["--engine", "auto"]}

Key = Tuple[str, str]


def options(name: str) -> List[str]:
    """The options of a row of the table."""
    return TOGETHER.get(name, ["--engine", name])


def _solved(found: List[Record]) -> Set[Key]:
    return {(record.suite, record.task) for record in found if record.outcome == "solved"}


def table(measured: Dict[str, List[Record]]) -> str:
    """Markdown, one row for each configuration."""
    solved = {name: _solved(found) for name, found in measured.items()}
    alone = {name: keys for name, keys in solved.items() if name not in TOGETHER}
    anybody: Set[Key] = set().union(*alone.values()) if alone else set()
    lines = [
        "| | decided | safe | unsafe | wrong | CPU of decided, s | only this one alone | of these not by `auto` |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, found in measured.items():
        own = [record for record in found if record.outcome == "solved"]
        safe = sum(record.expected == "true" for record in own)
        wrong = sum(record.outcome == "wrong" for record in found)
        cells = [f"`{name}`", len(own), safe, len(own) - safe, wrong, f"{sum(record.cpu_s for record in own):.1f}"]
        if name in alone:
            others: Set[Key] = set().union(*(keys for other, keys in alone.items() if other != name))
            cells.append(len(solved[name] - others))
            cells.append(len(solved[name] - solved["auto"]) if "auto" in solved else "")
        else:
            cells += ["", ""]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    text = [*lines, "", f"At least one engine alone decides {len(anybody)} tasks."]
    if "auto" in solved:
        text.append(_list("Decided by `auto`, by no engine alone", solved["auto"] - anybody))
        text.append(_list("Decided by an engine alone, not by `auto`", anybody - solved["auto"]))
    if len(solved.keys() & TOGETHER.keys()) == 2:
        text.append(_list("Decided by `auto`, not without exchange", solved["auto"] - solved["auto-no-exchange"]))
    return "\n".join(text)


def _list(title: str, keys: Set[Key]) -> str:
    names = ", ".join(f"{suite}/{task}" for suite, task in sorted(keys))
    return f"{title}: {names or 'none'}."


def _load(folder: Path, names: List[str]) -> Dict[str, List[Record]]:
    measured = {}
    for name in names:
        path = folder / f"{name}.csv"
        if path.is_file():
            measured[name] = records.load(path)
    return measured


def main(arguments: List[str]) -> int:
    """bench/engines"""
    parser = argparse.ArgumentParser(prog="bench/engines", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", default=SUITES, metavar="SUITE", help=f"suites ({' '.join(SUITES)})")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th task (1)")
    parser.add_argument("--out", default="bench-engines", metavar="DIR", help="folder for one .csv of each engine (bench-engines)")
    parser.add_argument("--plot", metavar="FILE.svg", help="also draw how many tasks each decides within a time")
    parser.add_argument("--table-only", action="store_true", help="no runs: the table of what is in DIR")
    cli.add_limits(parser)
    parser.set_defaults(time=5)
    args = parser.parse_args(arguments)
    folder, names = Path(args.out).resolve(), [*ENGINES, *TOGETHER]
    if not args.table_only:
        selected = [task for suite in args.suites for task in tasks.find(suite, "unreach-call")]
        selected = tasks.shard(selected, 1, max(1, args.every))
        binary = environment.binary(args.binary)
        for name in names:
            runner = Runner(binary, Limits(args.time, args.memory), args.jobs, folder / "runs" / name, args.runner)
            say(f"{len(selected)} tasks, {name}, {runner.limits}")
            found = runner.run(name, [*options(name), "--no-exec"], selected, name)
            records.save(folder / f"{name}.csv", found)
            if runner.interrupted:
                raise KeyboardInterrupt
    measured = _load(folder, names)
    print(table(measured))
    if args.plot:
        place = Path(args.plot)
        plots.write(place.parent, place.stem, plots.cactus("Engines alone and together", measured, args.time).text())
    return 1 if any(record.outcome == "wrong" for found in measured.values() for record in found) else 0
